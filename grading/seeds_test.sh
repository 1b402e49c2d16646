#!/bin/bash
# seeds_test.sh: tests that every solution earns all points with several seeds of the hidden sizes.
# check: slow course
set -u
export LC_ALL=C
. profiler/tools/expect.sh
. grading/fixtures.sh
needs_grading
needs_ptx
needs jq

for course in grading/rubrics grading/rubrics/sum grading/rubrics/stencil grading/rubrics/record; do
    rm -rf "$work/class"
    mkdir -p "$work/class/everyone"
    for rubric in "$course"/*.json; do
        cp solutions/*/"$(basename "$rubric" .json).cu" "$work/class/everyone"
    done
    for seed in 1 2 3; do
        echo "seed $seed" >"$work/seed"
        rm -rf "$work/out"
        expect "$course with seed $seed" 0 "graded now" -- \
            "$tlab" grade "$work/class" --out "$work/out" --rubrics "$course" --seed "$work/seed"
        jq -r '.. | objects | select(.id? == "everyone") | .labs[]? |
            "\(.exercise) \(.score) \(.points)"' "$work/out/grade.json" >"$work/marks"
        check "there are marks" test -s "$work/marks"
        while read -r exercise score points; do
            check "$exercise earns $score of $points with seed $seed" [ "$score" = "$points" ]
        done <"$work/marks"
    done
done
finish
