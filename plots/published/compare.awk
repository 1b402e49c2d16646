# compare.awk: compare published tables with emulated and measured values. Used by make_figures, with
# csv.awk, picture.awk, quantities.awk and figures.awk.
#
# Environment: PUBLISHED, EMULATED, H200 and MEASURED are CSV files (MEASURED is empty if there are no
# measured values). Prints the deviations, and writes to the current directory deviations.csv,
# steps.csv, deviations.md (the printed text as Markdown) and, for each figure F, F.gp and F.dat for
# bars.gp. The names of the figures go to the file "pictures".

BEGIN {
    FAILED_LENGTH = 0.09 # length of the box of a failed run, as a share of the longest bar
    NEAR = 15            # percent: limit of the deviations that the summary counts
    FAR = 2              # factor by which a step of the same direction must differ to be numbered
    LEVEL = 2            # percent: limit of a published step that is level, and ...
    LEVEL_EMULATED = 5   # percent: ... limit of the emulated step if the published step is level
    figures_define()
    take("published", "PUBLISHED")
    take("emulated", "EMULATED")
    take("h200", "H200")
    if (ENVIRON["MEASURED"] != "")
        take("measured", "MEASURED")
    printf "" > "pictures"
    write_deviations()
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

# Format a value for readers. Counts are integers.
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
    write_steps()
    close("deviations.csv")
    close("deviations.md")
    if (failures)
        print failures " emulated " (failures == 1 ? "run" : "runs") " failed."
}

# The unit for readers; the CSV contains "us".
function shown_unit(quantity)
{
    return quantity_unit[quantity] == "us" ? "µs" : quantity_unit[quantity]
}

function print_heading(name, quantity)
{
    printf "%s\n  %s, %s\n", table_title[name], quantity_text[quantity], shown_unit(quantity)
    if (name != table_in_page)
        print "\n## " table_title[name] > "deviations.md"
    table_in_page = name
    print "\n" toupper(substr(quantity_text[quantity], 1, 1)) substr(quantity_text[quantity], 2) ", " \
          shown_unit(quantity) ":\n" > "deviations.md"
    print_row("", "published", "emulated", "deviation", "H200 meas.", "H200 emul.", "deviation")
    print "|---|---:|---:|---:|---:|---:|---:|" > "deviations.md"
}

function print_row(label, is, emulated, off, measured, h200, h200_off)
{
    printf "  %-20s %10s %10s %10s  %10s %10s %10s\n", label, is, emulated, off, measured, h200, h200_off
    print "| " label " | " is " | " emulated " | " off " | " measured " | " h200 " | " h200_off " |" > "deviations.md"
}

# Print the rows of one table for one quantity, if any source contains the value.
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

# --- steps -------------------------------------------------------------------------------------------

# The speed-up of the second row over the first; "" if one is unknown.
function step_factor(source, from, row, to, to_row,    quantity, first, second)
{
    quantity = table_steps[from]
    first = value_of(source, from, row, quantity)
    second = value_of(source, to, to_row, quantity)
    return quantity ~ /time/ ? ratio(first, second) : ratio(second, first)
}

function step_verdict(is, other)
{
    if (is == "" || other == "")
        return "-"
    if ((is > 1) == (other > 1))
        return "right"
    is = 100 * (is - 1)
    other = 100 * (other - 1)
    return is <= LEVEL && is >= -LEVEL && other <= LEVEL_EMULATED && other >= -LEVEL_EMULATED ? "level" : "wrong way"
}

function factor_text(value)
{
    return value == "" ? "-" : sprintf("%.2f", value)
}

function write_steps(    t, i, name, end)
{
    print "table,from,to,published,emulated,verdict,h200_measured,h200_emulated,h200_verdict" > "steps.csv"
    print "\n## Steps\n\nHow many times faster the second row is than the first. \"right\": the step goes the same way; " \
          "\"level\": it is published as less than " LEVEL " % and emulated as less than " LEVEL_EMULATED \
          " %.\n\n| | published | emulated | | H200 meas. | H200 emul. | |\n|---|---:|---:|---|---:|---:|---|" > "deviations.md"
    for (t = 1; t <= tables; t++) {
        name = table_name[t]
        for (i = 2; name in table_steps && i <= row_count[name]; i++)
            write_step(name, row_name[name, i - 1], name, row_name[name, i])
    }
    for (i = 1; i <= extra_steps; i++) {
        split(extra_from[i], t_from, SUBSEP)
        split(extra_to[i], t_to, SUBSEP)
        write_step(t_from[1], t_from[2], t_to[1], t_to[2])
    }
    close("steps.csv")
    write_steps_figure()
    if (step_total)
        print step_right " of " step_total " published steps go the right way in the emulator, " step_level \
              " are level, " step_wrong " go the wrong way" (step_wrong ? ": " wrong_steps : "") "."
}

function write_step(from, row, to, to_row,    is, emulated, measured, h200, verdict, h200_verdict, title)
{
    is = step_factor("published", from, row, to, to_row)
    emulated = step_factor("emulated", from, row, to, to_row)
    measured = step_factor("measured", from, row, to, to_row)
    h200 = step_factor("h200", from, row, to, to_row)
    if (is == "" && measured == "")
        return
    verdict = step_verdict(is, emulated)
    h200_verdict = step_verdict(measured, h200)
    title = from ", " row_label(row) " -> " (from == to ? row_label(to_row) : to)
    print "| " title " | " factor_text(is) " | " factor_text(emulated) " | " verdict " | " factor_text(measured) \
          " | " factor_text(h200) " | " h200_verdict " |" > "deviations.md"
    print from "," row "," (from == to ? "" : to " ") to_row "," or_na(is, "%.4g") "," or_na(emulated, "%.4g") "," \
          verdict "," or_na(measured, "%.4g") "," or_na(h200, "%.4g") "," h200_verdict > "steps.csv"
    plot_step(1, is, emulated, verdict, row_label(row) " to " (from == to ? row_label(to_row) : to) " (" from ")")
    plot_step(2, measured, h200, h200_verdict, row_label(row) " to " (from == to ? row_label(to_row) : to) " (" from ", H200)")
    step_total += verdict != "-"
    step_right += verdict == "right"
    step_level += verdict == "level"
    if (verdict == "wrong way") {
        step_wrong++
        wrong_steps = wrong_steps (wrong_steps == "" ? "" : "; ") title
    }
}

# Add a point to the figure of steps. A step in the opposite direction, or of very different size, gets a number.
function plot_step(panel, x, y, verdict, title,    kind)
{
    if (verdict == "-")
        return
    kind = verdict == "wrong way" ? "wrong" : verdict == "right" && (x > FAR * y || y > FAR * x) ? "far" : verdict
    if (kind == "wrong" || kind == "far") {
        step_points = step_points panel "\tnamed\t" x "\t" y "\t" ++step_names "\n"
        step_list = step_list (step_names > 1 ? "; " : "") step_names " " title
    }
    step_points = step_points panel "\t" kind "\t" x "\t" y "\t0\n"
}

function write_steps_figure(    file)
{
    if (step_points == "")
        return
    print "steps steps" > "pictures"
    print "panel\tkind\tx\ty\ttext\n" substr(step_points, 1, length(step_points) - 1) > "steps.dat"
    close("steps.dat")
    file = "steps.gp"
    print "array panel_title[3]\narray x_title[3]" > file
    setting_text(file, "title_text", "Speed-up from row to row: modelled against published and measured")
    setting_text(file, "subtitle_text", "how many times faster a row is than the previous one; on the line: equal; shaded: opposite direction")
    setting_text(file, "panel_title[1]", "each table on its own device")
    setting_text(file, "panel_title[2]", "the same, near 1")
    setting_text(file, "panel_title[3]", "the kernels on an NVIDIA H200")
    setting_text(file, "x_title[1]", "published step")
    setting_text(file, "x_title[2]", "published step")
    setting_text(file, "x_title[3]", "measured step")
    setting_text(file, "y_title", "modelled step")
    setting_text(file, "legend_text", "circle: same direction; triangle: same direction, but different by more than " FAR " times; " \
                 "square: level, published as less than " LEVEL " %; diamond: opposite direction")
    setting_text(file, "list_text", step_list)
    close(file)
}

# --- a figure ----------------------------------------------------------------------------------------

# Collect the rows of a figure's tables, in order, and the content of each bar.
function gather(name,    tables_of, t, i, b, from, top_of)
{
    places = 0
    top = 0
    longest = daggers = 0
    split("", tables_of)
    split(figure_tables[name], tables_of, " ")
    for (t = 1; t in tables_of; t++)
        for (i = 1; i <= row_count[tables_of[t]]; i++)
            gather_row(name, tables_of[t], row_name[tables_of[t], i])
    if (top == 0)
        top = 1
}

# A row without bars has no place in the figure.
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
    place_table[places] = from
    place_row[places] = row
    place_label[places] = row_label(row) ((from, row) in fitted_row ? " †" : "")
    daggers += (from, row) in fitted_row
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
    broken = hatched = 0
    for (i = 1; i <= places; i++)
        for (b = 1; b <= figure_bars[name]; b++)
            if (is_failure(bar_state[i, b])) {
                bar_row(data, i, b, "failed", top * FAILED_LENGTH, \
                        "failed: " plain(bar_state[i, b], 30), place_label[i])
                broken++
            } else {
                bar_row(data, i, b, bar_value[i, b] == "" ? "none" : is_doubtful(name, i, b) ? "doubtful" : "value", \
                        bar_value[i, b] + 0, bar_text(name, i, b), place_label[i])
                hatched += bar_value[i, b] != "" && is_doubtful(name, i, b)
                drawn[b] += bar_value[i, b] != ""
            }
    close(data)
    write_settings(name, drawn, broken)
}

function is_doubtful(name, i, b)
{
    return bar_source[name, b] == "published" && (place_table[i], place_row[i], figure_quantity[name]) in doubtful_value
}

# The value, and the deviation of an emulated value from the published one.
function bar_text(name, i, b,    text)
{
    if (bar_value[i, b] == "")
        return bar_source[name, b] == "published" ? "not published" : "not run"
    text = display(bar_value[i, b], figure_quantity[name])
    if (b > 1 && bar_source[name, b] == "emulated" && bar_source[name, 1] == "published" && bar_value[i, 1] != "")
        text = text " (" percent(deviation(bar_value[i, b], bar_value[i, 1])) ")"
    return text
}

# The source determines the colour of a bar; a second bar of the same source is paler.
function fill_name(name, b,    source, other, same)
{
    source = bar_source[name, b] == "h200" ? "emulated" : bar_source[name, b]
    for (other = 1; other < b; other++)
        same += bar_source[name, other] == bar_source[name, b]
    return source (same ? "_" same + 1 : "")
}

function write_settings(name, drawn, broken,    file, b, quantity, unit, notice)
{
    file = name ".gp"
    quantity = figure_quantity[name]
    setting_text(file, "title_text", figure_title[name])
    setting_text(file, "subtitle_text", figure_subtitle[name])
    unit = shown_unit(quantity)
    setting_text(file, "axis_text", quantity_text[quantity] (unit ~ /^(%|times)$/ ? "" : " (" unit ")"))
    notice = hatched ? "hatched: a published value that cannot be correct, or was timed differently (docs/published.md)" : ""
    if (daggers)
        notice = notice (notice == "" ? "" : "; ") "†: the model was fitted to this row"
    setting_text(file, "notice", notice)
    for (b = 1; b <= 3; b++) {
        setting_text(file, "legend_" b, bar_legend[name, b])
        setting_text(file, "fill_" b, b <= figure_bars[name] ? fill_name(name, b) : "published")
        setting(file, "bars_" b, drawn[b] + 0)
    }
    setting(file, "rows", places)
    setting(file, "bars", figure_bars[name])
    setting(file, "failures", broken)
    setting(file, "works", places)
    setting(file, "left", 38 + 9.3 * longest < 120 ? 120 : 38 + 9.3 * longest)
    setting(file, "top", top)
    setting(file, "reference", 0)
    bars_texts(file)
    close(file)
}
