#!/bin/bash
# points_test.sh: tests that `tlab run --points` shows the points of `tlab grade` for every published check.
# check: late large
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_grading
needs_ptx
needs jq

wanted="padded_unpadded padded_by_two coalesced_naive diagonal_cartesian diagonal_unpadded naive_with_tile fine_columns
    coarse_unpadded copy_columns padded_flag padded_persistent padded_no_guard naive_grid_short"
[ -z "${TLAB_TEST_LARGE:-}" ] || wanted=$(awk -F, 'NR > 1 && $3 ~ "^(ok|wrong_result|out_of_bounds)$" && $1 !~ /^names_|_cpp_name|_utf16|_mac/ { print $1 }' grading/honest/expected.csv)
# With sanitizers, the compiler's sandbox has too little memory for the headers of CUDA.
[ -d "$(dirname "$tlab")/runtime" ] || wanted=$(grep -v '^headers_' <<<"$wanted")
mkdir "$work/class"
for name in $wanted; do
    [ ! -d grading/honest/$name ] || cp -r grading/honest/$name "$work/class"
done
"$tlab" grade "$work/class" --out "$work/out" --seed "$seed" >"$work/log" 2>&1 || fail "grade" "$work/log"

graded() { # NAME FILE: print "SCORE of POINTS TITLE" for each published check
    jq -r --arg id "$1" --arg file "$2" '.grades[] | select(.id == $id) | .labs[] | select(.file == $file) |
        .checks[] | select(.visible and .kind != "naming" and .kind != "explanation" and .id != "hidden") |
        [.score, .points, .title] | @tsv' "$work/out/grade.json" |
        awk -F'\t' '{ printf "%.2f of %.2f %s\n", $1, $2, $3 }' | sort
}
run() { # FILE
    "$tlab" run "$1" --points --rows 256 --cols 256 | sed -nE 's/^ +([0-9.]+) of +([0-9.]+)  ([^:]*).*/\1 of \2 \3/p' | sort
}
# For an incorrect kernel, only checks of sizes are compared: `run` gives it no points for goals.
is_right() { # NAME
    ! grep -qE "^$1,[a-z_]*,(wrong_result|out_of_bounds|race)" grading/honest/expected.csv
}
agree() { # NAME FILE
    graded "$1" "${2##*/}" >"$work/graded"
    run "$2" >"$work/run"
    grep -q . "$work/graded" || return 1
    is_right "$1" || sed -i '/Right on/!d' "$work/graded" "$work/run"
    diff "$work/graded" "$work/run"
}
for file in "$work"/class/*/*.cu; do
    name=$(basename "$(dirname "$file")")
    some check "$name ${file##*/}" agree "$name" "$file"
done
finish
