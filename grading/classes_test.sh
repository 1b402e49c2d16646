#!/bin/bash
# classes_test.sh: tests known kinds of cheats (grading/hostile/made.txt) and of unusual honest work
# (grading/honest/made.txt), which sed makes from the solutions. Each file must earn its points in the list, and each
# rejected cheat must have the listed flag. SETS names other lists.
# check: slow course
set -u
export LC_ALL=C
. profiler/tools/expect.sh
. grading/fixtures.sh
needs_grading
needs_ptx
needs jq

sets=${SETS:-grading/hostile/made.txt grading/honest/made.txt}
# Print the lines NAME EXERCISE SOLUTION LOW HIGH FLAG SCRIPT. FLAG "-" is not checked; "none" allows no flag.
lines() { # shellcheck disable=SC2086
    grep -hvE '^(#|$)' $sets
}
for course in grading/rubrics grading/rubrics/sum grading/rubrics/stencil grading/rubrics/record; do
    rm -rf "$work/class"
    while read -r name exercise solution low high flag script; do
        [ ! -f "$course/$exercise.json" ] || hand_in "$name" "$exercise" "$solution" "${script#-}"
    done < <(lines)
    [ -d "$work/class" ] || continue
    expect "a class of $course" 0 "graded now" -- \
        "$tlab" grade "$work/class" --out "$work/out" --rubrics "$course" --seed "$seed"
    while read -r name exercise solution low high flag script; do
        [ -f "$course/$exercise.json" ] || continue
        points_within "$name" "$exercise" "$low" "$high" "$work/out/grade.json"
        if [ "$flag" = none ]; then
            check "$name in $exercise has no flag" jq -e --arg id "$name" \
                'any(.. | objects | select(.id? == $id) | .flags[]?; true) | not' "$work/out/grade.json"
            continue
        fi
        [ "$flag" = - ] || check "$name in $exercise has the flag $flag" jq -e --arg id "$name" --arg flag "$flag" \
            'any(.. | objects | select(.id? == $id) | .flags[]?; .kind == $flag)' "$work/out/grade.json"
    done < <(lines)
    rm -rf "$work/out"
done
finish
