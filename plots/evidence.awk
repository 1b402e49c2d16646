# evidence.awk: write the data of the figures of plots/evidence, as NAME.dat and NAME.gp in the current directory.
# Environment: RESULTS (docs/results), LABS, SIZES and PITCH (CSV files), DEVICES (the directory of device files).

BEGIN {
    BAND = 15 # percent
    results = ENVIRON["RESULTS"]
    write_accuracy()
    write_sizes_measured()
    write_pitch()
    write_memory()
    write_padding()
    printf "" > "pictures"
    exit 0
}

function read_table(path,    problem)
{
    problem = csv_read(path)
    if (problem != "") {
        print "evidence: " path ": " problem > "/dev/stderr"
        exit 2
    }
}

function value_at(r, name,    text)
{
    text = csv_has(name) ? csv_get(r, name) : ""
    return text ~ /^[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/ ? text + 0 : ""
}

# Read a table and store its times in time_of[prefix, ...], indexed by the fields in `names`.
function take_times(path, prefix, names,    r, i, count, key, field)
{
    read_table(path)
    count = split(names, field, " ")
    for (r = 1; r <= csv_rows; r++) {
        key = prefix
        for (i = 1; i <= count; i++)
            key = key SUBSEP (field[i] == "size" ? csv_get(r, "rows") "x" csv_get(r, "cols") : csv_get(r, field[i]))
        if (!csv_has("status") || csv_get(r, "status") == "ok")
            time_of[key] = value_at(r, "time_us")
        if (!(key in known_key)) {
            known_key[key] = 1
            key_of[prefix, ++key_count[prefix]] = substr(key, length(prefix) + 2)
        }
    }
}

# Write a point for each row that is in both tables. Equal pairs of times count once, because tables repeat runs.
function pair_times(set, measured, modelled,    i, k, key, x, y, off)
{
    for (i = 1; i <= key_count[measured]; i++) {
        key = key_of[measured, i]
        x = time_of[measured, key]
        y = time_of[modelled, key]
        if (x == "" || y == "" || (x, y) in seen_pair)
            continue
        seen_pair[x, y] = 1
        print set "\t" (is_fitted(set, key) ? "fitted" : "judged") "\t" x "\t" y > "accuracy.dat"
        set_points[set]++
        if (is_fitted(set, key)) {
            fitted_points++
            continue
        }
        off = 100 * (y / x - 1)
        off = off < 0 ? -off : off
        judged++
        within += off <= BAND
        for (k = judged; k > 1 && deviation_list[k - 1] > off; k--)
            deviation_list[k] = deviation_list[k - 1]
        deviation_list[k] = off
    }
}

function is_fitted(set, key)
{
    return (set == 1 || set == 2) && key == "naive" SUBSEP "8192x8192"
}

function write_accuracy(    i, n, sizes, count, file)
{
    print "set\tkind\tx\ty" > "accuracy.dat"
    count = split("2048 4096 8192 16384", sizes, " ")
    for (i = 1; i <= count; i++) {
        n = sizes[i]
        if (n > 2048) {
            take_times(results "/h200/course_" n ".csv", "h200", "variant size")
            take_times(results "/h200/emulated_" n ".csv", "h200e", "variant size")
        }
        take_times(results "/h100/course_" n ".csv", "h100", "variant size")
        take_times(results "/h100/emulated_" n ".csv", "h100e", "variant size")
    }
    take_times(results "/figures/sizes_measured.csv", "small", "variant size")
    read_table(ENVIRON["SIZES"])
    for (i = 1; i <= csv_rows; i++)
        if (csv_get(i, "device") == "h200" && csv_get(i, "rows") < 2048)
            time_of["smalle", csv_get(i, "variant"), csv_get(i, "rows") "x" csv_get(i, "cols")] = value_at(i, "time_us")
    take_times(results "/h200/record.csv", "ladder", "kernel size")
    take_times(results "/h200/emulated_ladder.csv", "laddere", "variant size")
    take_times(results "/published/measured.csv", "tables", "table row")
    take_times(results "/published/h200.csv", "tablese", "table row")
    pair_times(1, "h200", "h200e")
    pair_times(2, "h100", "h100e")
    pair_times(1, "small", "smalle")
    pair_times(3, "ladder", "laddere")
    pair_times(4, "tables", "tablese")
    close("accuracy.dat")
    file = "accuracy.gp"
    print "array set_name[4]" > file
    setting_text(file, "title_text", "Modelled against measured time")
    setting_text(file, "subtitle_text", sprintf("%d rows: %d within %d %%, median deviation %.1f %%; and %d rows to which the model was fitted", \
                                                judged, within, BAND, deviation_list[int((judged + 1) / 2)], fitted_points))
    setting_text(file, "set_name[1]", "labs 00-06, NVIDIA H200 (" set_points[1] ")")
    setting_text(file, "set_name[2]", "labs 00-06, NVIDIA H100 (" set_points[2] ")")
    setting_text(file, "set_name[3]", "labs 07-10, NVIDIA H200 (" set_points[3] ")")
    setting_text(file, "set_name[4]", "published tables, NVIDIA H200 (" set_points[4] ")")
    setting_text(file, "note_text", "line: equal; band: within " BAND " %; filled: fitted rows")
    setting(file, "band", BAND / 100)
    close(file)
    print "accuracy accuracy" > "pictures"
}

function write_sizes_measured(    r, k, panel, file, order, count, i, off, key)
{
    count = split("copy copy_shared naive coalesced padded diagonal", order, " ")
    for (k = 1; k <= count; k++)
        panel[order[k]] = k
    print "panel\tkind\tx\ty" > "sizes_measured.dat"
    read_table(results "/figures/sizes_measured.csv")
    for (r = 1; r <= csv_rows; r++)
        if (csv_get(r, "variant") in panel && value_at(r, "bandwidth_gbps") != "") {
            measured_at[csv_get(r, "variant"), csv_get(r, "rows")] = value_at(r, "bandwidth_gbps")
            size_row(panel[csv_get(r, "variant")], "measured", r)
        }
    for (i = 1; i <= 2; i++) {
        read_table(i == 1 ? ENVIRON["SIZES"] : results "/h200/emulated_8192.csv")
        for (r = 1; r <= csv_rows; r++) {
            key = csv_get(r, "variant") SUBSEP csv_get(r, "rows")
            if (csv_get(r, "device") != "h200" || !(key in measured_at) || value_at(r, "bandwidth_gbps") == "")
                continue
            size_row(panel[csv_get(r, "variant")], "modelled", r)
            off = 100 * (value_at(r, "bandwidth_gbps") / measured_at[key] - 1)
            if (csv_get(r, "rows") == 512)
                off_small = off * off > off_small * off_small ? off : off_small
            else
                off_large = off * off > off_large * off_large ? off : off_large
        }
    }
    for (k = 1; k <= count; k++)
        printf "%s", size_rows[k] > "sizes_measured.dat"
    close("sizes_measured.dat")
    file = "sizes_measured.gp"
    print "array panel_title[" count "]" > file
    for (k = 1; k <= count; k++)
        setting_text(file, "panel_title[" k "]", row_title(order[k]))
    setting(file, "panels", count)
    setting_text(file, "title_text", "NVIDIA H200: bandwidth by size, modelled and measured")
    setting_text(file, "subtitle_text", sprintf("n × n floats; largest deviation %+.0f %% at n = 512, %+.0f %% from 1024 on", off_small, off_large))
    setting_text(file, "note_text", "line: modelled; points: measured")
    close(file)
    print "sizes_measured sizes_measured" > "pictures"
}

function size_row(k, kind, r)
{
    size_rows[k] = size_rows[k] k "\t" kind "\t" csv_get(r, "rows") "\t" value_at(r, "bandwidth_gbps") "\n"
}

function row_title(name)
{
    gsub(/_/, " ", name)
    return name
}

function write_pitch(    r, file, conflicts)
{
    read_table(ENVIRON["PITCH"])
    print "device\tpitch\tconflicts" > "pitch.dat"
    for (r = 1; r <= csv_rows; r++) {
        conflicts = value_at(r, "shared_load_conflicts") / value_at(r, "shared_load_requests")
        print csv_get(r, "device") "\t" value_at(r, "pitch") "\t" conflicts > "pitch.dat"
    }
    close("pitch.dat")
    file = "pitch.gp"
    setting_text(file, "title_text", "Bank conflicts of a column, by the pitch of the array")
    setting_text(file, "subtitle_text", "32 lanes load one column of 4-byte words from shared memory; pitch 0: all lanes load one word")
    setting_text(file, "x_title", "pitch: words from one row to the next")
    setting_text(file, "y_title", "bank conflicts per request")
    close(file)
    print "pitch pitch" > "pictures"
}

function write_memory(    file, line, field, parameter, path, clock, sms)
{
    path = ENVIRON["DEVICES"] "/h200.conf"
    while ((getline line < path) > 0)
        if (match(line, /^[a-z0-9_]+ *= *[0-9.]+/)) {
            split(substr(line, 1, RLENGTH), field, / *= */)
            parameter[field[1]] = field[2] + 0
        }
    close(path)
    clock = parameter["clock_mhz"] / 1000
    sms = parameter["multiprocessors"]
    file = "memory.gp"
    print "array level_name[4]\narray level_note[4]\narray link_rate[3]\narray link_note[3]\narray link_counter[3]" > file
    setting_text(file, "title_text", "The memory hierarchy as one SM of an NVIDIA H200 sees it")
    setting_text(file, "subtitle_text", "rates in bytes per clock and SM at " parameter["clock_mhz"] " MHz, with all " sms " SMs active; " \
                 "the width of a link is its rate")
    setting_text(file, "level_name[1]", "warps: registers")
    setting_text(file, "level_note[1]", "up to " parameter["max_threads_per_sm"] " threads per SM")
    setting_text(file, "level_name[2]", "shared memory and L1")
    setting_text(file, "level_note[2]", sprintf("%d KB per SM, %d KB of it shared at most; %d banks", parameter["l1_bytes"] / 1024, \
                                                parameter["shared_per_sm"] / 1024, parameter["shared_banks"]))
    setting_text(file, "level_name[3]", "L2")
    setting_text(file, "level_note[3]", sprintf("%d MB for all SMs; sectors of %d bytes", parameter["l2_bytes"] / 1048576, parameter["sector_bytes"]))
    setting_text(file, "level_name[4]", "DRAM")
    setting_text(file, "level_note[4]", sprintf("%d GiB; a load takes about %d ns", parameter["memory_bytes"] / 1073741824, parameter["latency_ns"]))
    setting(file, "link_rate[1]", parameter["shared_banks"] * parameter["shared_bank_bytes"] * parameter["lsu_wavefronts_per_clock"])
    setting(file, "link_rate[2]", parameter["l2_gbps"] / sms / clock)
    setting(file, "link_rate[3]", parameter["dram_gbps"] / sms / clock)
    setting_text(file, "link_note[1]", sprintf("%.0f GB/s in all", parameter["shared_banks"] * parameter["shared_bank_bytes"] * clock * sms))
    setting_text(file, "link_note[2]", sprintf("%d GB/s in all", parameter["l2_gbps"]))
    setting_text(file, "link_note[3]", sprintf("%d GB/s in all", parameter["dram_gbps"]))
    setting_text(file, "link_counter[1]", "wavefronts, bank conflicts; requests, sectors")
    setting_text(file, "link_counter[2]", "bytes read from and written to L2")
    setting_text(file, "link_counter[3]", "DRAM bytes, DRAM throughput")
    close(file)
    print "none" > "memory.dat"
    close("memory.dat")
    print "memory memory" > "pictures"
}

function write_padding(    r, file, variant)
{
    read_table(ENVIRON["LABS"])
    for (r = 1; r <= csv_rows; r++) {
        variant = csv_get(r, "variant")
        if (csv_get(r, "device") == "h200" && (variant == "coalesced" || variant == "padded")) {
            passes[variant] = 1 + value_at(r, "shared_load_conflicts") / value_at(r, "shared_load_requests")
            time[variant] = value_at(r, "time_us")
            size = csv_get(r, "rows")
        }
    }
    if (!("coalesced" in passes) || !("padded" in passes)) {
        print "evidence: " ENVIRON["LABS"] ": no rows of labs 02 and 03 on an h200" > "/dev/stderr"
        exit 2
    }
    file = "padding.gp"
    print "array step_title[3]\narray step_code[3]\narray step_text[3]" > file
    setting_text(file, "title_text", "Lab 02 to lab 03: one column of padding")
    setting_text(file, "subtitle_text", "a tile of 32 × 32 floats in shared memory; blue: the words of bank 0; frame: the column that a warp loads")
    setting_text(file, "step_title[1]", "1. Lab 02")
    setting_text(file, "step_title[2]", "2. Add a column")
    setting_text(file, "step_title[3]", "3. Lab 03")
    setting_text(file, "step_code[1]", "float tile[32][32]")
    setting_text(file, "step_code[2]", "float tile[32][32 + 1]")
    setting_text(file, "step_code[3]", "float tile[32][33]")
    setting_text(file, "step_text[1]", sprintf("The column is in one bank: %d passes (%d conflicts). %s µs", passes["coalesced"], passes["coalesced"] - 1, pretty(time["coalesced"])))
    setting_text(file, "step_text[2]", "Each row now begins one bank later than the row above it.")
    setting_text(file, "step_text[3]", sprintf("The column is in 32 banks: %d pass (%d conflicts). %s µs", passes["padded"], passes["padded"] - 1, pretty(time["padded"])))
    setting_text(file, "note_text", "times: modelled for an NVIDIA H200, " size " × " size " floats; passes: wavefronts per load, counted")
    close(file)
    print "none" > "padding.dat"
    close("padding.dat")
    print "padding padding" > "pictures"
}
