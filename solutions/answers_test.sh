#!/bin/bash
# answers_test.sh: tests that the answers in the notes for instructors are the counters of the solutions. A block of
# NOTES.md that begins with ```predict is a filled prediction worksheet (docs/authoring-labs.md). Its conditions replace
# those of the worksheet. The first block answers the worksheet of the handout. `make check` tests the first block of
# three labs, `make check-all` tests all blocks. Run from the repository root.
# check: large
set -u
. profiler/tools/expect.sh
needs_ptx

cp -R solutions "$work/solutions"
cp -R solutions "$work/blocks"

block() {
    awk -v n="$2" '/^```predict$/ { inside = ++count == n; next } /^```/ { inside = 0 } inside' "solutions/$1/NOTES.md"
}
value() { sed -n "s/^$2 *= *\\([^#]*[^# ]\\).*/\\1/p" "$1"; }

answer() { # LAB N
    local lab=$1 sheet=$work/blocks/$1/predict.txt
    block "$lab" "$2" >"$work/block"
    {
        cat "$work/block"
        # Conditions that the block lacks are those of the worksheet.
        grep -E '^(device|rows|cols|defines|before) *=' "solutions/$lab/predict.txt" | sed 's/ *#.*//' |
            while read -r key rest; do grep -q "^$key *=" "$work/block" || echo "$key $rest"; done
    } >"$sheet"
    set -- "$work/blocks/$lab"
    for key in device rows cols; do
        [ -z "$(value "$sheet" $key)" ] || set -- "$@" --$key "$(value "$sheet" $key)"
    done
    for macro in $(value "$sheet" defines); do set -- "$@" -D "$macro"; done
    "$tlab" run "$@" >"$work/output" 2>&1
    check "$lab, block $number: the notes state the counters" awk '
        / as predicted$/ { good += $1; all += $3; next }
        { print }
        END { exit !(all > 0 && good == all) }' "$work/output"
    same "$lab, block $number: every line is compared" "$(grep -cE '^[a-z_.0-9]+ *=' "$work/block")" \
        "$(awk '/ as predicted$/ { all += $3 } END { print all + 0 }' "$work/output" |
            awk -v conditions="$(grep -cE '^(device|rows|cols|defines|before) *=' "$work/block")" '{ print $1 + conditions }')"
}

for sheet in solutions/*/predict.txt; do
    lab=${sheet#solutions/} lab=${lab%/predict.txt}
    check "$lab: the worksheet is empty" none grep -E '^[a-z_.0-9]+ *= *[^?#[:space:]]' <(grep -vE '^(device|rows|cols|defines|before) *=' "$sheet")
    keys=$(sed -n 's/^\([a-z_.0-9]*\) *= *?.*/\1/p' "$sheet")
    block "$lab" 1 >"$work/first"
    for key in $keys; do
        check "$lab: the notes answer $key" grep -q "^$key *=" "$work/first"
    done
    # The handout must not contain an answer of five or more digits, with any grouping of digits.
    sed -n '/^```predict$/,/^```$/s/^[a-z_.0-9]* = \([0-9]\{5,\}\)$/\1/p' "solutions/$lab/NOTES.md" | sort -u >"$work/counts"
    check "$lab: the handout does not contain the answers" none grep -noFf "$work/counts" \
        <(sed -E ':a; s/([0-9])[ _,]([0-9]{3})([^0-9]|$)/\1\2\3/; ta' "solutions/$lab/README.md")
    blocks=$(grep -c '^```predict$' "solutions/$lab/NOTES.md")
    if [ -z "${TLAB_TEST_LARGE:-}" ]; then
        case $lab in 01_* | 03_* | 06_*) blocks=1 ;; *) continue ;; esac
    fi
    for number in $(seq "$blocks"); do answer "$lab" "$number"; done
done
finish
