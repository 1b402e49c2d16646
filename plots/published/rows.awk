# rows.awk: print the runs that a table of published rows requires, one per line, fields separated by tabs:
# table, row, target, device, rows, cols, defines, loop, launch. Used by collect, with csv.awk.
#
# ROWS (environment) is the CSV file. Rows without a target are skipped, because their kernel is not available.
# LABS_ONLY=1 (environment) also skips rows with a launch configuration (tlab emulate). Fields with characters that are
# unsafe in command lines are rejected.

BEGIN {
    problem = csv_read(ENVIRON["ROWS"])
    count = split("table row target device rows cols defines loop launch", columns, " ")
    for (i = 1; problem == "" && i <= count; i++)
        if (!csv_has(columns[i]))
            problem = "there is no column " columns[i]
    for (r = 1; problem == "" && r <= csv_rows; r++) {
        line = ""
        for (i = 1; i <= count; i++) {
            field = csv_get(r, columns[i])
            if (field !~ /^[A-Za-z0-9_.,:=\/ -]*$/)
                problem = "line " csv_line[r] ": column " columns[i] " contains a character that is not allowed"
            line = line (i > 1 ? "\t" : "") (field == "" ? "-" : field)
        }
        if (csv_get(r, "target") != "" && !(ENVIRON["LABS_ONLY"] == 1 && csv_get(r, "launch") != ""))
            lines = lines line "\n"
    }
    if (problem != "") {
        print ENVIRON["ROWS"] ": " problem > "/dev/stderr"
        exit 2
    }
    printf "%s", lines
}
