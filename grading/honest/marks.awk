# marks.awk: compare marks with those of a teacher. Reads expected.csv, then the lines of verdicts.awk:
#   awk -F, -f marks.awk expected.csv verdicts
# Each mark must be within 1.5 points (of 20) of the teacher's mark. In each exercise, every mark of a level must be
# higher than all marks of the next level. The levels are: goal reached; correct, but goal missed; one mistake; an
# earlier lab's kernel; not compiled. Files of the levels names, squares and wrong are compared only with the teacher's
# mark. Prints the marks that violate these rules, and exits with 1 if there are any.
function wrong(text) {
    print text
    failed = 1
}
BEGIN { levels = split("goal missed mistake earlier broken", order, " ") }
NR == FNR {
    if (FNR > 1) {
        level[$1 "," $2] = $6
        teacher[$1 "," $2] = $7
    }
    next
}
($1 "," $2) in level {
    mark = $4 / 5
    key = $1 "," $2
    apart = mark - teacher[key]
    if (apart > 1.5 + 1e-6 || apart < -1.5 - 1e-6)
        wrong(key ": the mark is " mark " of 20, but a teacher gives " teacher[key])
    place = $2 "," level[key]
    if (!(place in least) || mark < least[place]) {
        least[place] = mark
        lowest[place] = $1
    }
    if (!(place in most) || mark > most[place]) {
        most[place] = mark
        highest[place] = $1
    }
    exercises[$2] = 1
    marked++
}
END {
    for (exercise in exercises)
        for (upper = 1; upper <= levels; upper++)
            for (lower = upper + 1; lower <= levels; lower++) {
                high = exercise "," order[upper]
                low = exercise "," order[lower]
                if (high in least && low in most && least[high] <= most[low])
                    wrong(lowest[high] " (" order[upper] ") has " least[high] " of 20, not more than " highest[low] " (" order[lower] ") with " most[low])
            }
    if (marked < 60)
        wrong("only " marked + 0 " submissions were marked")
    exit failed
}
