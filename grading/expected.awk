# expected.awk: compare the lines of verdicts.awk with the lines of an expected.csv:
#   awk -F, -v least=COLUMN -v most=COLUMN -f expected.awk expected.csv verdicts
# COLUMN is the column of the minimum or maximum percentage in expected.csv; least=0 means no minimum. Both files
# must contain the same submissions and exercises. A status may be a list: "race|wrong_result". Exits with 1 if there
# are differences, which are printed.
function wrong(text) {
    print text
    failed = 1
}
NR == FNR {
    if (FNR > 1) {
        statuses[$1 "," $2] = "|" $3 "|"
        low[$1 "," $2] = least ? $least : 0
        high[$1 "," $2] = $most
    }
    next
}
{
    key = $1 "," $2
    seen[key] = 1
    if (!(key in statuses))
        wrong(key ": not expected: " $3 ", " $4 " %")
    else if (!index(statuses[key], "|" $3 "|"))
        wrong(key ": " $3 ", expected " substr(statuses[key], 2, length(statuses[key]) - 2))
    else if ($4 < low[key] - 1e-4 || $4 > high[key] + 1e-4)
        wrong(key ": " $4 " %, expected " low[key] " to " high[key])
}
END {
    for (key in statuses)
        if (!(key in seen))
            wrong(key ": expected, but not in the grades")
    exit failed
}
