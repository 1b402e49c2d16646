#!/bin/bash
# glossary_test.sh: the entries of glossary.md are in alphabetical order, have two sentences each, and
# `tlab help` prints each of them. Run from the repository root.
# check: plain
set -u
. profiler/tools/expect.sh

sed -n 's/^## //p' docs/glossary.md >"$work/terms"
within "terms" "$(wc -l <"$work/terms")" 60 120
check "they are in order, each once" env LC_ALL=C sort -cfu "$work/terms"
while read -r term; do
    # The term and an empty line, then a line per sentence.
    expect "$term" 0 "^$term [A-Z0-9*]" -- "$tlab" help "$term"
    same "$term: lines" 4 "$(wc -l <"$work/output")"
done <"$work/terms"
finish
