# mistakes.sh: source this file after expect.sh to test the verdicts on solutions with a mistake.
# The caller defines the function `cases`, which prints one case per line: the solution, the
# required words of its verdict, and the sed script that makes the mistake. A word is a status, a
# size (64x96), line:N, a finding (base/finding.h), finding:LINE or finding(NUMBER,...). ~WORD is a
# name or number in the message, with _ for blanks. !WORD must be absent. check runs every second
# case with a *. To save time, check-all runs every second case, or, if check has already run its
# cases, a quarter of the other cases. After a change of the diagnosis, run all cases with
# TLAB_TEST_LARGE=all.

number=0
altered_sources=()
cases | tr '\n' '\r' | sed 's/\r    /; /g' | tr '\r' '\n' >"$work/all"
case ${TLAB_TEST_LARGE:-} in
all) cp "$work/all" "$work/cases" ;;
yes) awk 'NR % 2 == 1' "$work/all" >"$work/cases" ;;
rest) awk '!(/^\*/ && ++starred % 2 == 1) && ++other % 4 == 1' "$work/all" >"$work/cases" ;;
*) grep '^\*' "$work/all" | awk -v every="${TLAB_TEST_EVERY:-2}" 'NR % every == 1' >"$work/cases" ;;
esac
while IFS='|' read -r solution words script; do
    solution=${solution#\*}
    source=$(ls solutions/"$solution".cu solutions/"$solution"/*.cu 2>/dev/null | head -1)
    number=$((number + 1))
    mkdir "$work/$number"
    altered="$work/$number/$(basename "$source")"
    sed -E "$script" "$source" >"$altered"
    ! cmp -s "$source" "$altered" || fail "$solution: the script changes nothing: $script"
    altered_sources+=("$altered")
done <"$work/cases"
"$tlab" run --json --repair --device h200 "${altered_sources[@]}" >"$work/json" 2>"$work/log"
same "the status of a run of wrong kernels" 1 $?
jq -r '.[] | [.status, (.at | values | "\(.rows)x\(.cols)"), (.line | values | "line:\(.)"),
    (.findings[] | .id, (select(.line) | "\(.id):\(.line)"), "\(.id)(\(.numbers | map(tostring) | join(",")))"),
    "~" + (.text | gsub("[ \n]+"; "_"))] | join(" ")' "$work/json" >"$work/said"
has() { # WORDS SAID: true if the verdict SAID contains each of the words
    local word said=" $2 "
    for word in $1; do
        case $word in
        \~*) [[ ${said#* \~} == *"${word#\~}"* ]] ;;
        \!*) [[ $said != *" ${word#!} "* ]] ;;
        *) [[ $said == *" $word "* ]] ;;
        esac || { echo "$word is missing in: $2" && return 1; }
    done
}
while IFS='|' read -r solution words script <&3 && read -r said <&4; do
    check "${solution#\*}: $words" has "$words" "$said"
done 3<"$work/cases" 4<"$work/said"
same "verdicts" "$(wc -l <"$work/cases")" "$(wc -l <"$work/said")"
