# sweeps.awk: charts that compare several sizes, block shapes or devices. Used by render, with the runs and groups of
# select.awk. A chart is drawn only if the CSV has enough runs.
#
#   sizes     bandwidth by size, one panel per device; requires three sizes of a kernel
#   shapes    one kernel with at least three block shapes, on one device and at one size
#   devices   the same kernels at the same size on two or three devices
#   roofline  bandwidth against useful bytes per moved byte, for DRAM, L2 and shared memory

function sweeps_write(    g)
{
    if (is_wanted("sizes"))
        write_sizes()
    for (g = 1; g <= groups; g++)
        if (is_wanted("shapes"))
            write_shapes(g)
    if (is_wanted("devices"))
        write_devices()
    for (g = 1; g <= groups; g++)
        if (is_wanted("roofline"))
            write_roofline(g)
}

function write_sizes(    r, d, s, i, k, n, seen, devices, device_of, kernels, kernel_of, count, file, data, points, chip, origin, widest, at_size, is_size, size_list, sizes, line, lowest, measured)
{
    for (r = 1; r <= csv_rows; r++) {
        if (run_failed[r] || run_rows[r] == "" || run_rows[r] != run_cols[r] || run_value[r, "bandwidth", 1] == "")
            continue
        k = run_device[r] SUBSEP run_label[r] SUBSEP run_rows[r]
        if (k in seen) # a sweep of another parameter
            continue
        seen[k] = r
        if (++count[run_device[r], run_label[r]] == 3 && !(run_device[r] in device_of) && devices < 3)
            device_of[run_device[r]] = ++devices
    }
    if (!devices)
        return
    data = "sizes.dat"
    file = "sizes.gp"
    for (r = 1; r <= csv_rows; r++) {
        k = run_device[r] SUBSEP run_label[r] SUBSEP run_rows[r]
        if (!(k in seen) || seen[k] != r || count[run_device[r], run_label[r]] < 3 || !(run_device[r] in device_of))
            continue
        if (!(run_label[r] in kernel_of)) {
            if (kernels == 8)
                continue
            kernel_of[run_label[r]] = ++kernels
            kernel_name[kernels] = lab_title(run_label[r])
        }
        at_size[device_of[run_device[r]], run_rows[r], kernel_of[run_label[r]]] = run_value[r, "bandwidth", 1]
        if (!(run_rows[r] in is_size)) {
            is_size[run_rows[r]] = 1
            for (i = ++sizes; i > 1 && size_list[i - 1] > run_rows[r]; i--)
                size_list[i] = size_list[i - 1]
            size_list[i] = run_rows[r]
        }
        d = device_of[run_device[r]]
        points[d, kernel_of[run_label[r]]]++
        origin[d] = csv_get(r, "source") == "emulator" ? "modelled" : "measured"
        chip[d] = plain(csv_get(r, "chip"), 20)
        device_name[d] = device_title(run_device[r])
        widest[d] = run_value[r, "bandwidth", 1] > widest[d] + 0 ? run_value[r, "bandwidth", 1] : widest[d]
        if (lowest == "" || run_value[r, "bandwidth", 1] < lowest)
            lowest = run_value[r, "bandwidth", 1]
        measured += origin[d] == "measured"
    }
    line = "panel\tx"
    for (s = 1; s <= kernels; s++)
        line = line "\ty" s
    print line > data
    for (d = 1; d <= devices; d++)
        for (i = 1; i <= sizes; i++) {
            line = ""
            known = 0
            for (s = 1; s <= kernels; s++) {
                n = (d, size_list[i], s) in at_size
                line = line "\t" (n ? at_size[d, size_list[i], s] : "NaN")
                known += n
            }
            if (known)
                print d "\t" size_list[i] line > data
        }
    close(data)
    print "sizes sizes" > "pictures"
    print "array panel_title[" devices "]\narray widest[" devices "]\narray series_name[" kernels "]\narray points[" devices * kernels "]" > file
    setting_text(file, "title_text", "Bandwidth by size")
    setting_text(file, "subtitle_text", "n × n floats; small matrices do not hide the launch and do not fill the GPU")
    setting_text(file, "x_title", "n")
    setting_text(file, "y_title", "effective bandwidth (GB/s)")
    for (d = 1; d <= devices; d++) {
        setting_text(file, "panel_title[" d "]", (device_name[d] == "GPU" && chip[d] != "" ? "GPU (" chip[d] ")" : device_name[d]) ", time " origin[d])
        setting(file, "widest[" d "]", widest[d])
        for (s = 1; s <= kernels; s++)
            setting(file, "points[" (d - 1) * kernels + s "]", points[d, s] + 0)
    }
    for (s = 1; s <= kernels; s++)
        setting_text(file, "series_name[" s "]", kernel_name[s])
    setting(file, "lowest", lowest / 1.5)
    setting(file, "start", 0)
    setting(file, "first_x", size_list[1])
    setting(file, "last_x", size_list[sizes])
    setting_text(file, "line_source", measured ? "measured" : "emulated")
    setting(file, "panels", devices)
    setting(file, "series", kernels)
    close(file)
}

function write_shapes(g,    i, r, shape, seen, shapes, label, picture, data, file, text, best, request, sectors)
{
    for (i = 1; i <= group_count[g]; i++) {
        r = group_run[g, i]
        shape = csv_get(r, "block_x") " x " csv_get(r, "block_y")
        if (run_failed[r] || shape !~ /^[0-9]+ x [0-9]+$/ || (run_label[r], shape) in seen)
            continue
        seen[run_label[r], shape] = 1
        if (++shapes[run_label[r]] == 3 && label == "")
            label = run_label[r]
    }
    if (label == "")
        return
    picture = "shapes" group_suffix[g]
    data = picture ".dat"
    file = picture ".gp"
    bars_begin(data)
    split("", seen)
    best = place = 0
    for (i = 1; i <= group_count[g]; i++) {
        r = group_run[g, i]
        shape = csv_get(r, "block_x") " x " csv_get(r, "block_y")
        if (run_label[r] != label || run_failed[r] || (label, shape) in seen || run_value[r, "bandwidth", 1] == "")
            continue
        seen[label, shape] = 1
        text = pretty(run_value[r, "bandwidth", 1])
        sectors = counter_value(r, "global_load_sectors", "global_load_requests")
        request = counter_value(r, "global_store_sectors", "global_store_requests")
        if (is_number(sectors) && is_number(request))
            text = text " (" pretty_share(sectors) ", " pretty_share(request) ")"
        bar_row(data, ++place, 1, "value", run_value[r, "bandwidth", 1], text, \
                "block " shape)
        if (run_value[r, "bandwidth", 1] > best)
            best = run_value[r, "bandwidth", 1]
    }
    close(data)
    print picture, "bars" > "pictures"
    setting_text(file, "title_text", "Bandwidth by block shape: " lab_title(label))
    setting_text(file, "subtitle_text", group_subtitle[g])
    setting_text(file, "axis_text", "effective bandwidth (GB/s); in parentheses: sectors per request, loads and stores")
    bars_settings(file, place, 1, best, 170, source_of_group(g))
    close(file)
}

# Write the settings of bars.gp, except texts, for charts without a reference line and without failures.
function bars_settings(file, places, bars, top_value, room, source,    s)
{
    setting_text(file, "notice", "")
    setting_text(file, "reference_text", "")
    for (s = 1; s <= 3; s++) {
        setting_text(file, "legend_" s, s in bars_legend && bars > 1 ? bars_legend[s] : "")
        setting(file, "bars_" s, s <= bars ? places : 0)
        setting_text(file, "fill_" s, source (s > 1 ? "_" s : ""))
    }
    setting(file, "rows", places)
    setting(file, "bars", bars)
    setting(file, "failures", 0)
    setting(file, "works", places)
    setting(file, "left", room)
    setting(file, "top", top_value > 0 ? top_value : 1)
    setting(file, "reference", 0)
    bars_texts(file)
}

function write_devices(    g, first, count, d, i, r, of, data, file, place, label, share, top_share, longest, missing, value)
{
    for (g = 1; g <= groups && count < 3; g++)
        if (is_course(g) && (!count || group_size[g] == group_size[first]) && !(group_device[g] in of)) {
            if (!count)
                first = g
            of[group_device[g]] = 1
            device_group[++count] = g
        }
    if (count < 2)
        return
    data = "devices.dat"
    file = "devices.gp"
    bars_begin(data)
    split("", bars_legend)
    order_runs(first)
    place = top_share = longest = 0
    for (d = 1; d <= count; d++)
        for (i = 1; i <= group_count[device_group[d]]; i++) {
            r = group_run[device_group[d], i]
            if (!run_failed[r])
                share[d, run_label[r]] = run_copy[r]
        }
    for (i = 1; i <= group_count[first]; i++) {
        label = run_label[panel_run[i]]
        place++
        longest = length(label) > longest ? length(label) : longest
        for (d = 1; d <= count; d++) {
            value = share[d, label]
            bar_row(data, place, d, value == "" ? "none" : "value", value + 0, \
                    value == "" ? "n/a" : pretty(value), label)
            drawn_bars[d] += value != ""
            top_share = value > top_share + 0 ? value : top_share
        }
    }
    close(data)
    print "devices bars" > "pictures"
    for (d = 1; d <= count; d++)
        bars_legend[d] = device_title(group_device[device_group[d]])
    setting_text(file, "title_text", "The same kernels on " (count == 2 ? "two" : "three") " GPUs")
    setting_text(file, "subtitle_text", "each relative to its own 16-byte copy; " group_sizes(device_group[1]))
    setting_text(file, "axis_text", "effective bandwidth, % of the copy")
    bars_settings(file, place, count, top_share, 38 + 9.3 * longest, source_of_group(first))
    for (d = 1; d <= count; d++)
        setting(file, "bars_" d, drawn_bars[d] + 0)
    close(file)
}

# Returns the part of a group's subtitle after the device: "2048 × 2048 floats, time modelled".
function group_sizes(g,    text)
{
    text = group_subtitle[g]
    sub(/^[^,]*, /, "", text)
    return text
}

# Read the parameters of a group's device, or of a measured GPU's chip. Returns false if there is no device file.
function device_parameters(g,    name, path, line, field, chip)
{
    split("", parameter)
    name = group_device[g]
    chip = plain(csv_get(group_run[g, 1], "chip"), 20)
    if (name == "gpu")
        name = chip == "GH100" ? "h200" : chip == "GA100" ? "a100" : ""
    if (name !~ /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/)
        return 0
    path = ENVIRON["RENDER_DEVICES"] "/" name ".conf"
    while ((getline line < path) > 0)
        if (match(line, /^[a-z0-9_]+ *= *[0-9.]+/)) {
            split(substr(line, 1, RLENGTH), field, / *= */)
            parameter[field[1]] = field[2] + 0
        }
    close(path)
    if (!("dram_gbps" in parameter))
        print "render: no roofline of " name ": profiler/devices/" name ".conf is missing or defines no peak rates" > "/dev/stderr"
    return "dram_gbps" in parameter
}

# The peak rate of a level in GB/s: of DRAM from the data sheet, of the L2 from the model. Shared memory moves
# lsu_wavefronts_per_clock wavefronts of all banks per clock.
function level_peak(level)
{
    if (level == 1)
        return parameter["dram_gbps"]
    if (level == 2)
        return parameter["l2_gbps"]
    return parameter["multiprocessors"] * parameter["clock_mhz"] * 1e6 * parameter["lsu_wavefronts_per_clock"] * \
           parameter["shared_banks"] * parameter["shared_bank_bytes"] / 1e9
}

function sum_of(r, a, b,    x, y)
{
    x = number(r, a)
    y = number(r, b)
    return x == "" || y == "" ? "" : x + y
}

# The bytes that a run moved at a level. For DRAM, these are the bytes moved during the run; a cache may still contain
# written data. For shared memory, these are the bytes that the run's wavefronts could move.
function level_bytes(r, level,    wavefronts, rate, time)
{
    if (level == 1) {
        rate = number(r, "dram_throughput_gbps")
        time = number(r, "time_us")
        return rate == "" || time == "" ? "" : rate * time * 1e3
    }
    if (level == 2)
        return sum_of(r, "l2_read_bytes", "l2_write_bytes")
    wavefronts = sum_of(r, "shared_load_wavefronts", "shared_store_wavefronts")
    return wavefronts == "" ? "" : wavefronts * parameter["shared_banks"] * parameter["shared_bank_bytes"]
}

function short_name(label)
{
    return match(label, /^[0-9]+/) ? substr(label, 1, RLENGTH) (label ~ /: / ? "s" : "") : substr(label, 1, 8)
}

function near(a, b, part)
{
    return a < b * (1 + part) && b < a * (1 + part)
}

function write_roofline(g,    i, k, n, r, level, picture, data, file, x, y, names, side, points, seen, levels, useful, low)
{
    if (group_compulsory[g] + 0 == 0 || !device_parameters(g))
        return
    useful = 2 * group_compulsory[g]
    low = 1
    for (level = 1; level <= 3; level++) {
        for (n = 1; n <= group_count[g]; n++) {
            r = group_run[g, n]
            x = level_bytes(r, level)
            y = run_value[r, "bandwidth", 1]
            if (run_failed[r] || x == "" || x <= 0 || y == "" || y <= 0)
                continue
            x = useful / x
            # Each kernel has a point. Points that are close together share one label. A label that would overlap the
            # next label is to the left of its point.
            for (k = 1; k <= points; k++)
                if (point_level[k] == level && names[k] != " " && near(point_x[k], x, 0.1) && near(point_y[k], y, 0.1))
                    break
            for (i = 1; k > points && i <= points; i++)
                if (point_level[i] == level && names[i] != " " && near(point_x[i], x, 0.1) && near(point_y[i], y, 0.25))
                    side[i] = "left"
            points++
            side[points] = k < points ? "none" : "right"
            point_level[points] = level
            point_x[points] = x
            point_y[points] = y
            names[points] = " "
            if (index(names[k] " ", " " short_name(run_label[r]) " ") == 0)
                names[k] = (k < points ? names[k] : "") " " short_name(run_label[r])
            seen[level]++
            low = x < low ? x : low
        }
        levels += level_peak(level) > 0 && seen[level] > 0
    }
    if (levels < 2 || points < 2)
        return
    picture = "roofline" group_suffix[g]
    data = picture ".dat"
    file = picture ".gp"
    print "panel\tx\ty\tside\ttext" > data
    print "array panel_title[3]\narray peak[3]\narray roof_text[3]" > file
    split("DRAM,L2,shared memory", level_name, ",")
    panel = 0
    for (level = 1; level <= 3; level++) {
        if (!seen[level] || level_peak(level) <= 0)
            continue
        panel++
        for (i = 1; i <= points; i++)
            if (point_level[i] == level)
                print panel "\t" point_x[i] "\t" point_y[i] "\t" side[i] "\t" (side[i] == "none" ? "-" : names[i]) > data
        setting_text(file, "panel_title[" panel "]", level_name[level])
        setting(file, "peak[" panel "]", level_peak(level))
        setting_text(file, "roof_text[" panel "]", pretty(level_peak(level)) " GB/s")
    }
    close(data)
    print picture, "roofline" > "pictures"
    setting(file, "panels", panel)
    setting_text(file, "point_source", source_of_group(g))
    setting(file, "lowest_x", low)
    setting_text(file, "title_text", "Bandwidth of each kernel and its limit at each memory level")
    setting_text(file, "subtitle_text", group_subtitle[g])
    setting_text(file, "x_title", "traffic efficiency (useful bytes / moved bytes)")
    setting_text(file, "y_title", "effective bandwidth (GB/s)")
    setting_text(file, "legend_text", "line: limit by the peak; numbers: labs (00s: copy through shared memory); no point: no traffic")
    close(file)
}
