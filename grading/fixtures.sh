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

# read_grades GRADES: set points_of[NAME EXERCISE], and flags_of[NAME] to " FLAG FLAG ... ", from a grade.json. One jq
# for all submissions takes much less time than one jq for each case.
declare -A points_of flags_of
read_grades() {
    local kind name value exercise
    points_of=() flags_of=()
    while IFS=$'\t' read -r kind name value exercise; do
        case $kind in
        flag) flags_of[$name]="${flags_of[$name]- }$value " ;;
        *) points_of["$name $exercise"]=$value ;;
        esac
    done < <(jq -r '.grades[] | .id as $id | (.flags[] | ["flag", $id, .kind]),
        (.labs[] | ["points", $id, .score, .exercise]) | @tsv' "$1")
}

# points_within NAME EXERCISE LOW HIGH: check that the points that read_grades has read are from LOW to HIGH.
points_within() {
    local points=${points_of["$1 $2"]-}
    if [ -n "$points" ]; then within "points of $1 in $2" "$points" "$3" "$4"; else fail "no points of $1 in $2"; fi
}
