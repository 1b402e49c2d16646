#!/bin/bash
# new_test.sh: tlab new, in a copy of the course: the new lab runs, is drawn and is graded like its model; a
# rejected command writes no file. Run from the repository root.
# check: course
set -u
. profiler/tools/expect.sh
needs_ptx

course=$work/course
mkdir -p "$course/profiler" "$course/grading"
cp -R solutions labs include plots "$course"
cp -R grading/rubrics grading/report "$course/grading"
cp -R profiler/devices profiler/compile "$course/profiler"
mkdir "$course/profiler/view"
cp -R profiler/view/page "$course/profiler/view"
export TLAB_ROOT=$course
listing() { (cd "$course" && find . | sort); }

listing >"$work/before"
while IFS='|' read -r phrase arguments; do
    # shellcheck disable=SC2086
    expect "refused: $arguments" 2 "$phrase" -- "$tlab" new $arguments
done <<'END'
requires one name|
requires one name|mine
requires one name|--like 03_padded
requires one name|mine yours --like 03_padded
no lab in solutions|mine --like 99_nothing
no lab in solutions|mine --like ../etc
is no name for a lab|Mine --like 03_padded
is no name for a lab|my-lab --like 03_padded
is no name for a lab|../../x --like 03_padded
an exercise naive already|naive --like 03_padded
two digits|mine --like 03_padded --number 7
policy.json is what deadlines are in|policy --like 03_padded
END
listing >"$work/after"
check "a rejected command changes no file" cmp "$work/before" "$work/after"

# A transpose, a lab of two exercises, and a lab that is no transpose.
expect "like a lab" 0 "made solutions/40_turned, labs/40_turned" -- "$tlab" new turned --like 03_padded
expect "like an exercise" 0 "made solutions/41_total" -- "$tlab" new total --like sum_sequential/
expect "like a lab of two exercises" 0 "solutions/55_roof" -- "$tlab" new roof --like 00_copy --number 55
expect "not twice" 2 "an exercise turned already" -- "$tlab" new turned --like 03_padded
for lab in 40_turned 41_total 55_roof; do
    expect "$lab: its solution runs" 0 "ok" -- "$tlab" run "$course/solutions/$lab" --csv "$work/$lab.csv"
    expect "$lab: its skeleton fails" 1 "wrong_result" -- "$tlab" run "$course/labs/$lab"
    expect "$lab: is annotated" 0 "global load" -- "$tlab" annotate "$(ls "$course/solutions/$lab"/*.cu | head -n 1)"
done
check "no first step of the original" none grep "bank conflicts" "$course/solutions/40_turned/lab.conf"
check "no hints of the original" test ! -e "$course/solutions/40_turned/hints.txt" -a ! -e "$course/labs/40_turned/hints.txt"
check "its title is its name" grep -qx "title = Turned" "$course/solutions/40_turned/lab.conf"
check "its handout has its number" grep -q "^# Lab 40: " "$course/solutions/40_turned/README.md"
check "both exercises of the third" test -f "$course/solutions/55_roof/roof_copy_shared.cu"
check "the columns name them" grep -q ',turned,' "$work/40_turned.csv"
counted() { awk -F, 'NR == 2 { print $25, $27, $34, $38 }' "$1"; }
"$tlab" run solutions/03_padded --csv "$work/padded.csv" >/dev/null
same "the counters are those of the original" "$(counted "$work/padded.csv")" "$(counted "$work/40_turned.csv")"
if command -v gnuplot >/dev/null; then
    expect "it is drawn" 0 "drew" -- "$tlab" picture tile "$course/solutions/40_turned" --out "$work/tile.svg"
fi
check "no name of the original is left" none grep -rn "padded\.cu\|LAB(padded)\|03_padded" \
    "$course/solutions/40_turned/turned.cu" "$course/solutions/40_turned/lab.conf" "$course/grading/rubrics/turned.json"

# Graded: the whole of the points, by a rubric of its own; the course's own tests of itself pass.
if "$tlab" grade --help >/dev/null 2>&1; then
    expect "it is graded" 0 "graded" -- "$tlab" grade "$course/solutions/40_turned/turned.cu" --one me \
        --labs turned --rubrics "$course/grading/rubrics" --out "$work/graded"
    check "with all points" grep -q '"turned"' "$work/graded/gradebook.csv"
    expect "one that is no transpose, too" 0 "graded" -- "$tlab" grade "$course/solutions/41_total/total.cu" \
        --one me --labs total --rubrics "$course/grading/rubrics/sum" --out "$work/total"
    same "points of that" "20" "$(awk -F, 'NR == 2 { print $4 }' "$work/total/gradebook.csv" | tr -d '"')"
    same "points" "20" "$(awk -F, 'NR == 2 { print $4 }' "$work/graded/gradebook.csv" | tr -d '"')"
fi
check "labs/ is up to date" "$course/solutions/make_skeletons" --check

finish
