#!/bin/bash
# run_json_test.sh: checks that the output of `tlab run --json` has the format of docs/json.md.
# check: course
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_ptx
needs jq

run() { "$tlab" run --json --device h200 "$@" 2>"$work/errors"; }
holds() { # NAME FILTER: check that a jq filter is true for $work/json
    check "$1" jq -e "$2" "$work/json"
}

run solutions/03_padded --rows 64 --cols 96 --points >"$work/json"
same "a correct run" 0 $?
holds "the output is one object" 'type == "object"'
holds "the object has the verdict" '.status == "ok" and .right and .at == null and .line == null and .text == "" and .findings == []'
holds "the object has the file and the size" '.file == "solutions/03_padded/padded.cu" and .record.rows == 64 and .record.cols == 96'
holds "numbers, and null for what is unknown" '(.record.time_us | type) == "number" and .record.time_us_p25 == null'
same "the record has all columns" "$("$tlab" run solutions/03_padded --rows 64 --cols 96 --device h200 --csv - | head -1)" \
    "$(jq -r '.record | keys_unsorted | join(",")' "$work/json")"
holds "the object has the goals" '(.goals | length) > 2 and all(.goals[]; .reached and .points > 0 and .earned == .points and .title != "")'
holds "the object has the points" '.points.earned == .points.published and .points.hidden > 0'

# Incorrect kernels among correct kernels. A file name contains quotation marks, a control
# character, and bytes that are not UTF-8.
odd="$work/a \"b\"\\"$'\t\xff'
mkdir "$odd"
sed -E 's/\(row \+ i\) \* width/(row) * width/' solutions/03_padded/padded.cu >"$odd/padded.cu"
sed 's/lab_ceil_div(height, TILE_DIM)/lab_ceil_div(height, BLOCK_ROWS)/' solutions/03_padded/padded.cu >"$work/rows.cu"
sed 's/__global__ //' solutions/03_padded/padded.cu >"$work/none.cu"
run "$odd" "$work/rows.cu" "$work/none.cu" solutions/00_copy --rows 64 --cols 96 >"$work/json"
same "a run with an incorrect kernel" 1 $?
check "nothing is written to standard error" none cat "$work/errors"
holds "several runs are a list" 'type == "array" and length == 5 and ([.[] | .right] == [false, true, false, true, true])'
holds "the first finding of the incorrect kernel" '.[0] | .status == "wrong_result" and .at == {rows: 64, cols: 96} and .findings[0].id == "step-missing"'
holds "the record has the same finding" '.[0].record.findings | split(" ")[0] == "step-missing"'
holds "the numbers of a finding" '.[0].findings[] | select(.id == "launched") | .numbers == [3, 2, 32, 8]'
holds "a note on a correct kernel" '.[1].notes[0].id == "blocks-idle" and (.[1].notes[0].text | length) > 0'
holds "a file that does not compile" '.[2] | .status == "compile_error" and (.findings | map(.id) | contains(["no-global"]))'
holds "without --points, there are no points" 'all(.[]; has("points") | not)'

expect "JSON and CSV on standard output" 2 "both write to standard output" -- "$tlab" run solutions/03_padded --json --csv -
run solutions/03_padded --rows 64 --cols 96 --csv "$work/csv" >"$work/json"
holds "JSON and a CSV file" '.status == "ok"'
check "the CSV is written" grep -q ',ok,' "$work/csv"
run solutions/no_such_lab >"$work/json"
same "a harness failure" 2 $?
check "a harness failure writes nothing" none cat "$work/json"

sed -nE 's/^    X\([A-Z_]+, "([a-z-]+)"\).*/\1/p' profiler/base/finding.h | sort >"$work/known"
sed -n '/^## Findings/,$p' docs/json.md | grep -oE '^\| `[a-z-]+` \|' | tr -d '|` ' | sort >"$work/described"
check "docs/json.md describes all findings" diff "$work/known" "$work/described"
same "each finding is listed once" "$(wc -l <"$work/known")" "$(sort -u "$work/known" | wc -l)"
finish
