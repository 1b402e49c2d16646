# failures.awk: print a sentence for each failed run of a CSV, and a sentence for the labs that are not begun. Used with
# csv.awk; the argument is the CSV. The exit status is 1 if a run failed.

BEGIN {
    problem = csv_read(ARGV[1])
    if (problem != "") {
        print problem > "/dev/stderr"
        exit 2
    }
    for (r = 1; r <= csv_rows; r++) {
        name = csv_get(r, "lab")
        status = csv_get(r, "status")
        if ((" " csv_get(r, "findings") " ") ~ / not-begun /)
            begun_not = begun_not (begun_not == "" ? "" : ", ") name
        else if (status != "ok" && ++failed)
            print name " failed: " status ". build/tlab run " name " shows why."
    }
    if (begun_not != "")
        print "not begun: " begun_not
    exit failed > 0
}
