# compare.awk: published tables against what was emulated and measured. Used by make_figures, with csv.awk,
# picture.awk, quantities.awk and figures.awk.
#
# Environment: PUBLISHED, EMULATED, H200 and MEASURED are CSV files (MEASURED may be empty: no GPU's figures).
# Prints the deviations, and writes into the current directory deviations.csv, deviations.md (what is printed,
# as Markdown) and, for each figure F, F.gp and F.dat for bars.gp; the figures' names go to the file "pictures".

BEGIN {
    AXIS_ROOM = 1.22     # the axis ends behind the longest bar, for its text
    FAILED_LENGTH = 0.09 # of the box that stands for a failed run, as a share of the longest bar
    NEAR = 15            # percent: what the last line counts
    figures_define()
    take("published", "PUBLISHED")
    take("emulated", "EMULATED")
    take("h200", "H200")
    if (ENVIRON["MEASURED"] != "")
        take("measured", "MEASURED")
    write_deviations()
    printf "" > "pictures"
    for (f = 1; f <= figures; f++)
        write_figure(figure_name[f])
    close("pictures")
}

function take(source, variable,    problem)
{
    problem = load(source, ENVIRON[variable])
    if (problem != "") {
        print "figures: " problem > "/dev/stderr"
        exit 2
    }
}

# --- deviations --------------------------------------------------------------------------------------

function deviation(of, from,    part)
{
    part = ratio(of, from)
    return part == "" ? "" : 100 * (part - 1)
}

function or_na(value, format)
{
    return value == "" ? "NA" : sprintf(format, value)
}

function percent(value)
{
    if (value == "")
        return "-"
    return value > -0.5 && value < 0.5 ? "0 %" : sprintf("%+.0f %%", value)
}

# A value as people read it. Counts are whole.
function display(value, quantity)
{
    if (value == "")
        return "-"
    return quantity_unit[quantity] ~ /^(lines|ways)$/ ? sprintf("%.4g", value) : pretty(value)
}

function row_label(row)
{
    gsub(/_/, " ", row)
    return plain(row, 28)
}

function write_deviations(    t, q, quantities)
{
    print "table,row,quantity,unit,published,emulated,status,deviation_pct," \
          "h200_measured,h200_emulated,h200_deviation_pct" > "deviations.csv"
    print "# Deviations from the published tables\n\nMade by `make figures`; [published.md](../../published.md) says " \
          "what to make of it." > "deviations.md"
    for (t = 1; t <= tables; t++) {
        split("", quantities)
        split(table_quantities[table_name[t]], quantities, " ")
        for (q = 1; q in quantities; q++)
            deviations_of(table_name[t], quantities[q])
    }
    if (compared) {
        summary = sprintf("%d of %d published figures are emulated within %d %%; the furthest: %s (%s).", near, \
                          compared, NEAR, furthest, percent(furthest_by))
        print summary
        print "\n" summary > "deviations.md"
    }
    close("deviations.csv")
    close("deviations.md")
    if (failures)
        print failures " emulated " (failures == 1 ? "run" : "runs") " failed."
}

function print_heading(name, quantity)
{
    printf "%s\n  %s, %s\n", table_title[name], quantity_text[quantity], quantity_unit[quantity]
    if (name != table_in_page)
        print "\n## " table_title[name] > "deviations.md"
    table_in_page = name
    print "\n" toupper(substr(quantity_text[quantity], 1, 1)) substr(quantity_text[quantity], 2) ", " \
          quantity_unit[quantity] ":\n" > "deviations.md"
    print_row("", "published", "emulated", "deviation", "H200 meas.", "H200 emul.", "deviation")
    print "|---|---:|---:|---:|---:|---:|---:|" > "deviations.md"
}

function print_row(label, is, emulated, off, measured, h200, h200_off)
{
    printf "  %-20s %10s %10s %10s  %10s %10s %10s\n", label, is, emulated, off, measured, h200, h200_off
    print "| " label " | " is " | " emulated " | " off " | " measured " | " h200 " | " h200_off " |" > "deviations.md"
}

# The rows of one table in one quantity, where any source knows it.
function deviations_of(name, quantity,    i, row, headed)
{
    headed = 0
    for (i = 1; i <= row_count[name]; i++) {
        row = row_name[name, i]
        is = value_of("published", name, row, quantity)
        emulated = value_of("emulated", name, row, quantity)
        measured = value_of("measured", name, row, quantity)
        h200 = value_of("h200", name, row, quantity)
        state = status_of("emulated", name, row)
        broken = state != "" && state != "ok"
        if (is == "" && emulated == "" && measured == "" && !broken)
            continue
        if (!headed++)
            print_heading(name, quantity)
        print_row(row_label(row), display(is, quantity), broken ? "failed" : display(emulated, quantity), \
                  broken ? plain(state, 14) : percent(deviation(emulated, is)), display(measured, quantity), \
                  display(h200, quantity), percent(deviation(h200, measured)))
        print name "," row "," quantity "," quantity_unit[quantity] "," or_na(is, "%.6g") "," \
              or_na(emulated, "%.6g") "," (state == "" ? "NA" : plain(state, 30)) "," \
              or_na(deviation(emulated, is), "%.1f") "," or_na(measured, "%.6g") "," or_na(h200, "%.6g") "," \
              or_na(deviation(h200, measured), "%.1f") > "deviations.csv"
        tally(name, row, quantity, deviation(emulated, is), broken)
    }
    if (headed)
        print ""
}

function tally(name, row, quantity, off, broken,    size)
{
    if (broken && !((name, row) in counted)) {
        counted[name, row] = 1
        failures++
    }
    if (off == "" || (quantity == "relative_time" && row == table_unit_row[name]))
        return
    compared++
    size = off < 0 ? -off : off
    near += size <= NEAR
    if (furthest == "" || size > (furthest_by < 0 ? -furthest_by : furthest_by)) {
        furthest = name ", " row_label(row)
        furthest_by = off
    }
}

# --- a figure ----------------------------------------------------------------------------------------

# The rows of a figure's tables, in order, and what stands in each bar.
function gather(name,    tables_of, t, i, b, from, top_of)
{
    places = 0
    top = 0
    longest = 0
    split("", tables_of)
    split(figure_tables[name], tables_of, " ")
    for (t = 1; t in tables_of; t++)
        for (i = 1; i <= row_count[tables_of[t]]; i++)
            gather_row(name, tables_of[t], row_name[tables_of[t], i])
    if (top == 0)
        top = 1
}

# A row that no bar knows has no place in the figure.
function gather_row(name, from, row,    b, other, known)
{
    known = 0
    for (b = 1; b <= figure_bars[name]; b++) {
        other = bar_table[name, b] == "" ? from : bar_table[name, b]
        bar_value[places + 1, b] = value_of(bar_source[name, b], other, row, figure_quantity[name])
        bar_state[places + 1, b] = status_of(bar_source[name, b], other, row)
        known = known || bar_value[places + 1, b] != "" || is_failure(bar_state[places + 1, b])
    }
    if (!known)
        return
    places++
    place_label[places] = row_label(row)
    if (length(place_label[places]) > longest)
        longest = length(place_label[places])
    for (b = 1; b <= figure_bars[name]; b++)
        if (bar_value[places, b] > top + 0)
            top = bar_value[places, b]
}

function is_failure(state)
{
    return state != "" && state != "ok"
}

function write_figure(name,    data, i, b, drawn, broken)
{
    gather(name)
    if (!places)
        return
    print name, "bars" > "pictures"
    data = name ".dat"
    bars_begin(data)
    broken = 0
    for (i = 1; i <= places; i++)
        for (b = 1; b <= figure_bars[name]; b++)
            if (is_failure(bar_state[i, b])) {
                bar_row(data, i, b, "failed", top * FAILED_LENGTH, top * FAILED_LENGTH, \
                        "failed: " plain(bar_state[i, b], 30), place_label[i])
                broken++
            } else {
                bar_row(data, i, b, bar_value[i, b] == "" ? "none" : "value", bar_value[i, b] + 0, \
                        bar_value[i, b] + 0, bar_text(name, i, b), place_label[i])
                drawn[b] += bar_value[i, b] != ""
            }
    close(data)
    write_settings(name, drawn, broken)
}

# The value, and how far an emulated one is from the published one beside it.
function bar_text(name, i, b,    text)
{
    if (bar_value[i, b] == "")
        return bar_source[name, b] == "published" ? "not published" : "not run"
    text = display(bar_value[i, b], figure_quantity[name])
    if (b > 1 && bar_source[name, b] == "emulated" && bar_source[name, 1] == "published" && bar_value[i, 1] != "")
        text = text " (" percent(deviation(bar_value[i, b], bar_value[i, 1])) ")"
    return text
}

function write_settings(name, drawn, broken,    file, b, quantity)
{
    file = name ".gp"
    quantity = figure_quantity[name]
    setting_text(file, "title_text", figure_title[name])
    setting_text(file, "subtitle_text", figure_subtitle[name])
    setting_text(file, "axis_text", quantity_text[quantity] (quantity_unit[quantity] == "%" ? "" : \
                                    " (" quantity_unit[quantity] ")"))
    setting_text(file, "notice", "")
    for (b = 1; b <= 3; b++) {
        setting_text(file, "legend_" b, bar_legend[name, b])
        setting(file, "bars_" b, drawn[b] + 0)
    }
    setting(file, "rows", places)
    setting(file, "bars", figure_bars[name])
    setting(file, "failures", broken)
    setting(file, "works", places)
    setting(file, "left", 38 + 9.3 * longest < 120 ? 120 : 38 + 9.3 * longest)
    setting(file, "axis_end", AXIS_ROOM * top)
    setting(file, "reference", 0)
    bars_texts(file)
    close(file)
}
