# fixtures.sh: functions for submissions that sed makes from the solutions. Source this file after expect.sh.

# hand_in NAME EXERCISE SOLUTION SCRIPT: create a submission of one file in $work/class. SCRIPT must change the file.
hand_in() {
    mkdir -p "$work/class/$1"
    sed -e "s/^LAB(.*/LAB($2);/" solutions/*/"$3.cu" >"$work/unaltered.cu"
    sed -e "$4" "$work/unaltered.cu" >"$work/class/$1/$2.cu"
    if [ -n "$4" ] && cmp -s "$work/unaltered.cu" "$work/class/$1/$2.cu"; then
        check "$1 in $2: the script changes the solution" false
    fi
}

# score NAME EXERCISE GRADES: print the points in a grade.json; "none" if there are none.
score() {
    jq -r --arg id "$1" --arg exercise "$2" '
        first(.. | objects | select(.id? == $id) | .labs[]? | select(.exercise == $exercise) | .score) // "none"' "$3"
}

# points_within NAME EXERCISE LOW HIGH GRADES: check that the points are from LOW to HIGH.
points_within() {
    local points
    points=$(score "$1" "$2" "$5")
    check "$1 in $2: $points, from $3 to $4" \
        awk -v s="$points" -v l="$3" -v h="$4" 'BEGIN { exit !(s != "none" && s >= l && s <= h) }'
}
