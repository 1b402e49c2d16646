#!/bin/bash
# glossary_test.sh: tests that the entries of glossary.md are in alphabetical order and have two sentences each, and
# that `tlab help` prints each entry.
# check: plain
set -u
. profiler/tools/expect.sh

sed -n 's/^## //p' docs/glossary.md >"$work/terms"
within "terms" "$(wc -l <"$work/terms")" 60 120
check "terms are sorted and unique" env LC_ALL=C sort -cfu "$work/terms"
while read -r term; do
    # The output consists of the term, an empty line, and a line for each sentence.
    expect "$term" 0 "^$term [A-Z0-9*]" -- "$tlab" help "$term"
    same "$term: lines" 4 "$(wc -l <"$work/output")"
done <"$work/terms"
finish
