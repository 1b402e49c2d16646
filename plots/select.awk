# select.awk: convert a CSV to data and settings for gnuplot. Used by render, with csv.awk, picture.awk and charts.awk.
#
# Reads the file RENDER_CSV (environment); messages use the name RENDER_NAME. For each picture P, writes to the current
# directory:
#   P.dat     one row per bar (bars.gp)
#   P.gp      gnuplot assignments: title, ranges and other settings
# Writes the names of the pictures, in order, to the file "pictures".
#
# A picture shows the runs of one device and size. If the size of a failed run has no picture, the run is drawn in every
# picture of its device, because a student's lab usually fails at a small size before the requested size. If all runs
# of a device failed, one picture shows the failures.
#
# Text of the CSV is untrusted. Therefore, only harmless characters are written for gnuplot.

BEGIN {
    BARS_MAX = 120
    PICTURES_MAX = 60
    FAILED_LENGTH = 0.09 # length of the box of a failed run, as a share of the longest bar
    charts_define()
    problem = csv_read(ENVIRON["RENDER_CSV"])
    if (problem == "")
        problem = check_columns()
    if (problem == "")
        problem = read_runs()
    if (problem == "")
        problem = group_runs()
    if (problem == "") {
        if (is_wanted("progression"))
            progressions_write()
        sweeps_write()
        for (g = 1; g <= groups; g++)
            for (c = 1; c <= charts; c++)
                if (is_wanted(chart_name[c]))
                    write_picture(chart_name[c], g)
        printf "" > "pictures"
        printf "" > "absent"
        close("pictures")
        exit 0
    }
    print "render: " ENVIRON["RENDER_NAME"] ": " problem > "/dev/stderr"
    exit 2
}

# RENDER_CHARTS (environment) lists the requested charts; if it is empty, all charts are drawn.
function is_wanted(name,    wanted)
{
    wanted = ENVIRON["RENDER_CHARTS"]
    return wanted == "" || index(" " wanted " ", " " name " ")
}

function require(name)
{
    if (!csv_has(name) && !(name in absent)) {
        absent[name] = 1
        missing = missing (missing == "" ? "" : ", ") name
        missing_count++
    }
}

function check_columns(    c, s, name)
{
    missing = ""
    missing_count = 0
    split("lab variant kernel device chip rows cols defines loop cache status source bandwidth_gbps copy_pct " \
          "bound global_load_requests global_load_sectors global_store_requests global_store_sectors " \
          "partition_imbalance",
          identity, " ")
    for (c = 1; c in identity; c++)
        require(identity[c])
    for (c = 1; c <= charts; c++) {
        name = chart_name[c]
        for (s = 1; s <= chart_series[name]; s++) {
            require(series_column[name, s])
            if (series_per[name, s] != "")
                require(series_per[name, s])
        }
        if (name in chart_remark)
            require(chart_remark[name])
    }
    if (missing_count)
        return "missing column" (missing_count > 1 ? "s " : " ") missing
    if (!csv_rows)
        return "the file contains no runs, only a header"
    return ""
}

# Returns the number in a field; "" if it is unknown. If the field is invalid, sets `problem`.
function number(r, name,    text)
{
    text = csv_get(r, name)
    if (text == "" || text == "NA")
        return ""
    if (text !~ /^[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/ || text + 0 > 1e30) {
        problem = "line " csv_line[r] ": column " name " contains \"" plain(text, 30) "\", which is not a number"
        return ""
    }
    return text + 0
}

# Returns the name of a run's bar: the lab, and the variant if its name differs; for `peers`, only the variant.
function run_name(r,    lab, variant, bare)
{
    lab = csv_get(r, "lab")
    sub(/\/+$/, "", lab)
    sub(/^.*\//, "", lab)
    lab = plain(lab, 28)
    variant = plain(csv_get(r, "variant"), 28)
    if (lab == "" || lab == "-")
        lab = plain(csv_get(r, "kernel"), 28)
    if (lab == "peers")
        lab = ""
    bare = lab
    sub(/^[0-9]+_/, "", bare)
    if (variant == "" || variant == "-" || variant == bare)
        return lab == "" ? "(no name)" : lab
    return lab == "" ? variant : lab ": " variant
}

function read_runs(    r, c, s, name)
{
    problem = ""
    for (r = 1; r <= csv_rows; r++) {
        run_label[r] = run_name(r)
        run_device[r] = plain(csv_get(r, "device"), 32)
        run_rows[r] = number(r, "rows")
        run_cols[r] = number(r, "cols")
        run_size[r] = run_rows[r] != "" && run_cols[r] != "" ? run_rows[r] "x" run_cols[r] : ""
        run_failed[r] = csv_get(r, "status") != "ok"
        for (c = 1; c <= charts; c++) {
            name = chart_name[c]
            for (s = 1; s <= chart_series[name]; s++)
                run_value[r, name, s] = series_value(r, name, s)
            if (name in chart_remark)
                run_remark[r, name] = number(r, chart_remark[name])
        }
        run_copy[r] = number(r, "copy_pct")
        if (problem != "")
            return problem
    }
    return ""
}

# Returns the value of a bar; "" if it is unknown, "none" if the divisor is 0.
function series_value(r, name, s,    value, per)
{
    value = number(r, series_column[name, s])
    if (series_per[name, s] == "" || value == "")
        return value
    per = number(r, series_per[name, s])
    if (per == "")
        return ""
    return per > 0 ? value / per : "none"
}

function group_add(device, size)
{
    if ((device, size) in group_of)
        return
    group_of[device, size] = ++groups
    group_device[groups] = device
    group_size[groups] = size
}

function group_join(g, r)
{
    group_count[g]++
    group_run[g, group_count[g]] = r
}

function group_runs(    r, g, joined)
{
    groups = 0
    for (r = 1; r <= csv_rows; r++)
        if (!run_failed[r]) {
            group_add(run_device[r], run_size[r])
            device_has_picture[run_device[r]] = 1
        }
    for (r = 1; r <= csv_rows; r++)
        if (run_failed[r] && !(run_device[r] in device_has_picture) && (run_device[r] != "" || !groups))
            group_add(run_device[r], "")
    if (groups * charts > PICTURES_MAX)
        return "runs of " groups " devices and sizes are too many pictures (at most " \
               int(PICTURES_MAX / charts) "); remove rows"
    for (r = 1; r <= csv_rows; r++)
        for (g = 1; g <= groups; g++)
            if (belongs(r, g))
                group_join(g, r)
    for (g = 1; g <= groups; g++) {
        if (group_count[g] > BARS_MAX)
            return group_count[g] " runs of one device and size do not fit into a picture (at most " \
                   BARS_MAX "); remove rows"
        name_runs(g)
        describe_group(g)
    }
    return ""
}

function belongs(r, g)
{
    if ((run_device[r], run_size[r]) in group_of)
        return group_of[run_device[r], run_size[r]] == g
    return run_failed[r] && (run_device[r] == group_device[g] || run_device[r] == "")
}

# Give runs with the same name different labels: by the columns in which they differ, else by their order.
function name_runs(g,    i, k, r, name, seen, total, extra, columns, first, differs, text)
{
    split("defines loop cache source", columns, " ")
    for (i = 1; i <= group_count[g]; i++)
        total[run_label[group_run[g, i]]]++
    for (k = 1; k in columns; k++)
        for (i = 1; i <= group_count[g]; i++) {
            r = group_run[g, i]
            text = plain(csv_get(r, columns[k]), 40)
            name = run_label[r]
            if (!((name, k) in first))
                first[name, k] = text
            else if (first[name, k] != text)
                differs[name, k] = 1
        }
    for (i = 1; i <= group_count[g]; i++) {
        r = group_run[g, i]
        name = run_label[r]
        extra = ""
        for (k = 1; total[name] > 1 && k in columns; k++)
            if ((name, k) in differs) {
                text = plain(csv_get(r, columns[k]), 40)
                if (columns[k] == "loop" && text == "kernel")
                    text = "loop in kernel"
                if (text != "" && text != "launch" && text != "cold") # the defaults are not printed
                    extra = extra ", " text
            }
        text = plain(name extra, 44)
        seen[text]++
        bar_label[g, i] = seen[text] > 1 ? text " (" seen[text] ")" : text
    }
}

function device_title(name,    path, line, title)
{
    if (name == "" || name == "gpu")
        return name == "" ? "device unknown" : ENVIRON["RENDER_GPU"] != "" ? plain(ENVIRON["RENDER_GPU"], 40) : "GPU"
    path = ENVIRON["RENDER_DEVICES"] "/" name ".conf"
    while (name ~ /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/ && (getline line < path) > 0)
        if (title == "" && sub(/^title *= */, "", line)) {
            sub(/ *#.*/, "", line)
            title = plain(line, 40)
        }
    close(path)
    return title == "" ? "device " name : title
}

# The source that determines the colour of a group's bars: "measured" if any run was measured on a GPU.
function source_of_group(g,    i)
{
    for (i = 1; i <= group_count[g]; i++)
        if (csv_get(group_run[g, i], "source") == "cupti")
            return "measured"
    return "emulated"
}

# Set the suffix of a group's file names, and its subtitle: device, size, and source of the values.
function describe_group(g,    i, r, k, source, chip, title, origin, origins, known, size)
{
    chip = ""
    size = group_size[g]
    for (i = 1; i <= group_count[g]; i++) {
        r = group_run[g, i]
        if (chip == "")
            chip = plain(csv_get(r, "chip"), 20)
        source = plain(csv_get(r, "source"), 20)
        if (source != "" && !(source in known)) {
            known[source] = 1
            origin = source == "emulator" ? "time modelled, counters counted by the emulator" : \
                     source == "cupti" ? "measured (CUPTI)" : source
            origins = origins (origins == "" ? "" : " and ") origin
        }
    }
    title = device_title(group_device[g])
    group_subtitle[g] = title (chip == "" ? "" : " (" chip ")")
    if (size != "") {
        r = group_run[g, 1]
        for (i = 1; i <= group_count[g] && run_size[r] != size; i++)
            r = group_run[g, i]
        group_subtitle[g] = group_subtitle[g] ", " run_rows[r] " \303\227 " run_cols[r] " floats"
        group_compulsory[g] = 4 * run_rows[r] * run_cols[r]
    }
    group_title[g] = (chip == "" || title != "GPU" ? title : "GPU (" chip ")") \
                     (size == "" ? "" : ", " (run_rows[r] == run_cols[r] ? run_rows[r] "²" : \
                                              run_rows[r] " \303\227 " run_cols[r])) \
                     (origins == "" ? "" : ", " (origins ~ / and / ? "modelled and measured" : \
                                                 origins ~ /modelled/ ? "modelled" : "measured"))
    if (origins != "")
        group_subtitle[g] = group_subtitle[g] ", " origins
    group_suffix[g] = ""
    if (groups > 1) {
        k = (group_device[g] == "" ? "unknown" : group_device[g]) "-" (size == "" ? "failed" : size)
        gsub(/[^A-Za-z0-9._-]/, "_", k)
        k = "-" k
        while (k in suffix_taken)
            k = k "_"
        suffix_taken[k] = 1
        group_suffix[g] = k
    }
}

function is_number(value)
{
    return value != "" && value != "none"
}

function find_reference(name, g,    i, r, kind, pct, best)
{
    best = 0
    ref_value = 0
    ref_text = ""
    kind = chart_reference[name]
    if (kind == "compulsory") {
        ref_value = group_compulsory[g] + 0
        ref_text = "compulsory"
        return
    }
    for (i = 1; i <= group_count[g] && kind != ""; i++) {
        r = group_run[g, i]
        pct = kind == "copy" ? run_copy[r] : run_remark[r, name]
        if (run_failed[r] || !is_number(run_value[r, name, 1]) || pct == "" || pct <= 0)
            continue
        if (pct > best) { # the largest share has the smallest rounding error
            best = pct
            ref_value = 100 * run_value[r, name, 1] / pct
        }
        ref_text = kind == "copy" ? "16-byte copy" : "peak"
    }
    if (kind != "copy" || ref_value)
        return
    for (i = 1; i <= group_count[g]; i++) { # without copy_pct, the copy of lab 00 is the reference
        r = group_run[g, i]
        if (!run_failed[r] && csv_get(r, "variant") == "copy" && is_number(run_value[r, name, 1]) &&
            run_value[r, name, 1] > ref_value) {
            ref_value = run_value[r, name, 1]
            ref_text = "copy"
        }
    }
}

# Before a picture is written, compute the reference line, the end of the axis (top), the unit and its scale, the space
# for names (left), and the numbers of failed runs and of known values.
function measure_picture(name, g,    i, s, r, longest)
{
    find_reference(name, g)
    top = ref_value
    known = failures = longest = 0
    for (i = 1; i <= group_count[g]; i++) {
        if (length(bar_label[g, i]) > longest)
            longest = length(bar_label[g, i])
        r = group_run[g, i]
        if (run_failed[r]) {
            failures++
            continue
        }
        for (s = 1; s <= chart_series[name]; s++) {
            known += is_number(run_value[r, name, s])
            if (is_number(run_value[r, name, s]) && run_value[r, name, s] > top)
                top = run_value[r, name, s]
        }
    }
    left = 38 + 9.3 * longest
    if (left < 120)
        left = 120

    scale = 1
    unit = "GB/s"
    if (chart_axis[name] ~ /%s/) {
        scale = top >= 1e9 ? 1e9 : top >= 1e6 ? 1e6 : top >= 1e3 ? 1e3 : 1
        unit = top >= 1e9 ? "GB" : top >= 1e6 ? "MB" : top >= 1e3 ? "kB" : "bytes"
    }
    top = top > 0 ? top / scale : 1
    ref_value /= scale
}

function value_text(name, r, s,    value, text)
{
    value = run_value[r, name, s]
    if (value == "")
        return "n/a"
    if (value == "none")
        return "no requests"
    text = pretty(value / scale)
    if (name in chart_remark)
        text = text " (" (run_remark[r, name] == "" ? "n/a" : pretty(run_remark[r, name]) " %") ")"
    return text
}

# True if both bars of a run have no value for the same reason. Then one text is drawn for both bars.
function is_silent(name, r)
{
    return chart_series[name] == 2 && run_value[r, name, 1] == run_value[r, name, 2] && \
           !is_number(run_value[r, name, 1])
}

function failure_text(r, width,    status)
{
    if ((" " csv_get(r, "findings") " ") ~ / not-begun /)
        return "not begun"
    status = plain(csv_get(r, "status"), width)
    return "failed: " (status == "" ? "no status" : status)
}

# Write the rows of a picture. drawn[s] receives the number of bars of series s.
function write_rows(name, g, data,    i, r, s, known, value, text, label)
{
    bars_begin(data)
    for (i = 1; i <= group_count[g]; i++) {
        r = group_run[g, i]
        label = bar_label[g, i]
        if (run_failed[r]) {
            bar_row(data, i, 0, "failed", top * FAILED_LENGTH, failure_text(r, 30), label)
            continue
        }
        if (is_silent(name, r)) {
            bar_row(data, i, 0, "none", 0, \
                    run_value[r, name, 1] == "none" ? "no shared memory used" : "n/a", label)
            continue
        }
        for (s = 1; s <= chart_series[name]; s++) {
            known = is_number(run_value[r, name, s])
            value = known ? run_value[r, name, s] / scale : 0
            text = value_text(name, r, s)
            bar_row(data, i, s, known ? "value" : "none", value, text, label)
            drawn[s] += known
        }
    }
}

function write_settings(name, g, picture,    file, n, s, axis, notice)
{
    file = picture ".gp"
    n = group_count[g]
    axis = chart_axis[name]
    sub(/%s/, unit, axis)
    notice = ""
    if (failures == n)
        notice = n == 1 ? "The only run failed." : "All runs failed."
    setting_text(file, "title_text", chart_title[name])
    setting_text(file, "subtitle_text", group_subtitle[g])
    setting_text(file, "axis_text", axis)
    for (s = 1; s <= 3; s++) {
        setting_text(file, "legend_" s, series_legend[name, s])
        setting(file, "bars_" s, drawn[s] + 0)
        setting_text(file, "fill_" s, source_of_group(g) (s > 1 ? "_" s : ""))
    }
    setting_text(file, "reference_text", ref_text " " pretty(ref_value) " " unit)
    setting_text(file, "notice", notice)
    setting(file, "rows", n)
    setting(file, "bars", chart_series[name])
    setting(file, "failures", failures)
    setting(file, "works", n - failures)
    setting(file, "left", left)
    setting(file, "top", top)
    setting(file, "reference", ref_value)
    bars_texts(file)
    close(file)
}

# Write a picture. A chart without bars is not drawn, and its picture of an earlier run is removed.
function write_picture(name, g,    picture)
{
    picture = name group_suffix[g]
    measure_picture(name, g)
    if (!known && failures < group_count[g]) {
        print picture > "absent"
        print "chart " picture " is omitted: no run has these counters"
        return
    }
    print picture, "bars" > "pictures"
    split("", drawn)
    write_rows(name, g, picture ".dat")
    close(picture ".dat")
    write_settings(name, g, picture)
}
