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
# With RARE=no, print every second line.
lines() { # shellcheck disable=SC2086
    grep -hvE '^(#|$)' $sets | awk -v step="$([ "${RARE:-}" = no ] && echo 2 || echo 1)" 'NR % step == 0'
}
for course in grading/rubrics grading/rubrics/sum grading/rubrics/stencil grading/rubrics/record; do
    rm -rf "$work/class"
    while read -r name exercise solution low high flag script; do
        [ ! -f "$course/$exercise.json" ] || hand_in "$name" "$exercise" "$solution" "${script#-}"
    done < <(lines)
    [ -d "$work/class" ] || continue
    expect "a class of $course" 0 "graded now" -- \
        "$tlab" grade "$work/class" --out "$work/out" --rubrics "$course" --seed "$seed"
    read_grades "$work/out/grade.json"
    while read -r name exercise solution low high flag script; do
        [ -f "$course/$exercise.json" ] || continue
        points_within "$name" "$exercise" "$low" "$high"
        case $flag in
        -) ;;
        none) same "flags of $name in $exercise" none "${flags_of[$name]-none}" ;;
        *) check "$name in $exercise has the flag $flag" [ "${flags_of[$name]//" $flag "/}" != "${flags_of[$name]-}" ] ;;
        esac
    done < <(lines)
    rm -rf "$work/out"
done
finish
