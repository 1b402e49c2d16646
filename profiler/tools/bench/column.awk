# column.awk: print column $COLUMN of the first record of the file $CSV. Requires csv.awk.
BEGIN {
    problem = csv_read(ENVIRON["CSV"])
    if (problem == "" && !csv_has(ENVIRON["COLUMN"]))
        problem = "no column " ENVIRON["COLUMN"]
    if (problem != "") {
        print "bench: " problem > "/dev/stderr"
        exit 2
    }
    print csv_get(1, ENVIRON["COLUMN"])
}
