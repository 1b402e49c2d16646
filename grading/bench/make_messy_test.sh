#!/bin/bash
# make_messy_test.sh: tests a class of correct kernels that are packed in every usual way. Each kernel must earn its
# points or be flagged for an instructor.
# check: slow course
set -u
. profiler/tools/expect.sh
needs_grading
needs_ptx
messy=$work/messy out=$work/out
grading/bench/make_messy 14 24 "$messy" && grading/bench/make_messy 14 24 "$work/again" || exit 1
check "the same class each time" diff -r -x '*.gz' "$messy" "$work/again"
expect "a messy class" 0 "14 people" -- "$tlab" grade "$messy/class" --out "$out" --roster "$messy/roster.csv" \
    --gradebook "$messy/gradebook.csv" --seed LICENSE --sandbox seccomp
check "all people are in the roster" none jq -r '.grades[] | select(.standing == "stranger") | .id' "$out/grade.json"
while read -r id points flag; do
    result() { jq -r --arg id "$id" '.grades[] | select(.id == $id) | "\(.score) \([.flags[].kind][0] // "-")"' "$out/grade.json"; }
    check "$id" [ "$(result)" = "$points $flag" ]
    case $id in
    absent* | report*) expected= ;;
    *) expected=$points ;;
    esac
    check "$id in upload.csv" grep -qE "^$id,Student [0-9]+,$expected$" "$out/upload.csv"
done <"$messy/expected"
check "the exercise without a submission is reported" grep -q "not counted.*copy_shared" "$work/output"
finish
