# progression.awk: the progression chart of a course: its labs in order, one panel per device and size. The top of a
# panel shows the bandwidth as a share of the copy, the bound, and the factor between adjacent labs. The strips below
# show the counters that the labs improve. Used by render, with select.awk.
#
# A group of select.awk becomes a panel if its runs are different labs, not a sweep of one lab, and at least two runs
# are correct. A picture has at most three panels; further panels are in progression-2 and so on.

function progressions_write(    g, count)
{
    count = 0
    for (g = 1; g <= groups; g++)
        if (is_course(g))
            panel_group[++count] = g
    for (g = 1; g <= count; g += 3)
        write_progression("progression" (g > 1 ? "-" int(g / 3 + 1) : ""), g, count - g + 1 > 3 ? 3 : count - g + 1)
}

function is_course(g,    i, r, seen, good)
{
    good = 0
    if (group_count[g] > 16)
        return 0
    for (i = 1; i <= group_count[g]; i++) {
        r = group_run[g, i]
        if (run_label[r] in seen)
            return 0
        seen[run_label[r]] = 1
        good += !run_failed[r] && run_copy[r] != ""
    }
    return good >= 2
}

# Set panel_run[1...] to the runs of a group, sorted by name, which is the order of the labs. Returns their number.
function order_runs(g,    i, k, r)
{
    split("", panel_run)
    for (i = 1; i <= group_count[g]; i++) {
        r = group_run[g, i]
        for (k = i; k > 1 && run_label[panel_run[k - 1]] > run_label[r]; k--)
            panel_run[k] = panel_run[k - 1]
        panel_run[k] = r
    }
    return group_count[g]
}

# Write a row of the data. Strip 0 is the share; strips 1 to 3 are the counters. The kind box is a bar; the kinds value,
# top, bound, inside, failed, step and none are texts at (x, value).
function progression_row(strip, kind, x, half, value, shade, text)
{
    print progression_panel "\t" strip "\t" kind "\t" x "\t" half "\t" value "\t" shade "\t" text > progression_data
}

function bound_shade(bound,    k)
{
    for (k = 1; k in bound_names; k++)
        if (bound_names[k] == bound)
            return k
    return 1
}

# Returns "×7.5", "÷37", or "≈" for a change of less than 5 %.
function step_text(before, after,    factor)
{
    factor = after / before
    if (factor > 0.95 && factor < 1.05)
        return "≈"
    return factor > 1 ? "×" step_number(factor) : "÷" step_number(1 / factor)
}

function step_number(factor)
{
    return factor < 9.95 ? sprintf("%.2g", factor) : sprintf("%.0f", factor)
}

function write_shares(n,    i, r, before, shade, bound)
{
    for (i = 1; i <= n; i++) {
        r = panel_run[i]
        if (run_failed[r] || run_copy[r] == "") {
            progression_row(0, "failed", i, 0, 2, 0, run_failed[r] ? failure_text(r, 20) : "n/a")
            before = ""
            continue
        }
        shade = bound_shade(csv_get(r, "bound"))
        bound = shade > 1 ? bound_text[shade] : plain(csv_get(r, "bound"), 14)
        progression_row(0, "box", i, 0.34, run_copy[r], shade, "")
        # If the share is close to 100 %, the text is inside the bar, so that the bar does not look longer than the copy.
        progression_row(0, run_copy[r] > 78 && run_copy[r] < 100 ? "top" : "value", i, 0, run_copy[r], shade, \
                        pretty_share(run_copy[r]))
        if (bound != "" && run_copy[r] >= 45)
            progression_row(0, "inside", i, 0, 3, shade, bound)
        else if (bound != "")
            progression_row(0, "bound", i, 0, run_copy[r] + 11, 0, bound)
        if (before != "" && before > 0 && run_copy[r] > 0)
            progression_row(0, "step", i - 0.5, 0, 121, 0, step_text(before, run_copy[r]))
        before = run_copy[r]
    }
}

function pretty_share(value)
{
    return value < 9.95 ? sprintf("%.2g", value) : sprintf("%.0f", value)
}

# Write a counter, as one bar or as a bar of loads and a bar of stores. Bars clearly above the smallest value are dark.
function write_counter(strip, n, loads, load_requests, stores, store_requests, floor,    i, r, s, v, least, sides)
{
    sides = stores == "" ? 1 : 2
    for (s = 1; s <= sides; s++) {
        least[s] = ""
        for (i = 1; i <= n; i++) {
            r = panel_run[i]
            v = run_failed[r] ? "" : counter_value(r, s == 1 ? loads : stores, s == 1 ? load_requests : store_requests)
            value_at[i, s] = v
            if (is_number(v) && (least[s] == "" || v < least[s]))
                least[s] = v
        }
    }
    for (i = 1; i <= n; i++)
        write_counter_place(strip, i, sides, least, floor)
}

function counter_value(r, of, per,    value, divisor)
{
    value = number(r, of)
    if (per == "" || value == "")
        return value
    divisor = number(r, per)
    return divisor == "" ? "" : divisor > 0 ? value / divisor : "none"
}

function write_counter_place(strip, i, sides, least, floor,    s, x, v, dark, highest, silent)
{
    silent = 0
    highest = 0
    for (s = 1; s <= sides; s++) {
        v = value_at[i, s]
        x = sides == 1 ? i : i + (2 * s - 3) * 0.17
        if (!is_number(v)) {
            silent++
            continue
        }
        dark = v > 1.3 * least[s] + floor
        progression_row(strip, "box", x, sides == 1 ? 0.26 : 0.16, v, dark, "")
        if (dark)
            progression_row(strip, "value", x, 0, v, 0, pretty_share(v))
        if (v > strip_most[strip])
            strip_most[strip] = v
    }
    if (silent == sides)
        progression_row(strip, "none", i, 0, 0, 0, value_at[i, 1] == "none" ? "unused" : "n/a")
}

function write_progression(picture, first, count,    file, p, i, n, g, most)
{
    print picture, "progression" > "pictures"
    progression_data = picture ".dat"
    file = picture ".gp"
    split("? dram dram_partition l2 shared lsu issue latency launch atomic alu multiply special double shuffle", bound_names, " ")
    split("?,DRAM,partition,L2,shared,LSU,issue,latency,launch,atomic,ALU,multiply,special,double,shuffle", bound_text, ",")
    print "panel\tstrip\tkind\tx\thalf\tvalue\tshade\ttext" > progression_data
    for (p = 1; p <= 3; p++)
        strip_most[p] = 1
    most = 0
    setting_text(file, "title_text", "Bandwidth and counters of each lab")
    setting_text(file, "subtitle_text", "effective bandwidth relative to the device's own 16-byte copy; " \
                 "the number between two labs is the step from one to the next (≈: within 5 %)")
    setting_text(file, "legend_text", "the name on a bar is its bound, the resource that limits its time; unused: no shared memory; " \
                 "the counters below are counted: loads left, stores right; dark: more than the device needs")
    print "array panel_title[" count "]\narray panel_source[" count "]\narray panel_places[" count "]" > file
    print "array names[" 16 * count "]" > file
    for (p = 1; p <= count; p++) {
        g = panel_group[first + p - 1]
        progression_panel = p
        n = order_runs(g)
        if (n > most)
            most = n
        setting_text(file, "panel_title[" p "]", group_title[g])
        setting_text(file, "panel_source[" p "]", source_of_group(g))
        setting(file, "panel_places[" p "]", n)
        for (i = 1; i <= n; i++)
            setting_text(file, "names[" 16 * (p - 1) + i "]", lab_title(run_label[panel_run[i]]))
        write_shares(n)
        write_counter(1, n, "global_load_sectors", "global_load_requests", "global_store_sectors", \
                      "global_store_requests", 0)
        write_counter(2, n, "shared_load_conflicts", "shared_load_requests", "shared_store_conflicts", \
                      "shared_store_requests", 0.5)
        write_counter(3, n, "partition_imbalance", "", "", "", 0.3)
    }
    setting(file, "panels", count)
    setting(file, "places", most)
    for (p = 1; p <= 3; p++)
        setting(file, "strip_most_" p, strip_most[p])
    close(file)
    close(progression_data)
}

function lab_title(label)
{
    if (match(label, /^[0-9]+_[A-Za-z0-9_]*: /))
        label = substr(label, 1, index(label, "_")) substr(label, RLENGTH + 1)
    gsub(/_/, " ", label)
    return label
}
