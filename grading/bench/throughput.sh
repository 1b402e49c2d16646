#!/bin/bash
# throughput.sh N [OPTION...]: grade a generated class of N students with seven labs each (make_class), and print
# gradings per minute, processor time, and the peak memory of all processes together. Options are passed to `tlab
# grade`. TLAB names the program; MEASURE names the program built from profiler/tools/bench/measure.c. This is not a
# test, because the numbers differ by machine. Run from the repository root.
set -u
export LC_ALL=C

count=${1:?usage: throughput.sh N [OPTION...]}
shift
tlab=${TLAB:-build/tlab} measure=${MEASURE:-build/bench/measure}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM

grading/bench/make_class "$count" "$work/class" || exit 2
echo "the same sizes each time" >"$work/seed"
files=$(find "$work/class" -name '*.cu' | wc -l)
labs=copy,naive,coalesced,padded,fine_grained,coarse_grained,diagonal
result=$("$measure" -t 1 "$tlab" grade "$work/class" --out "$work/out" --seed "$work/seed" \
    --labs $labs "$@") || exit 2
sha256sum <(sed 's/"seconds": [0-9.e-]*/"seconds": 0/' "$work/out/grade.json") | cut -c 1-16 >"$work/hash"
echo "$count $files $result $(cat "$work/hash")" | awk '{
    printf "%d submissions, %d gradings: %.1f s, %.0f gradings a minute; ", $1, $2, $3, 60 * $2 / $3
    printf "processor time %.1f s, %.0f ms a grading; ", $4, 1000 * $4 / $2
    printf "peak memory %.0f MB; grades %s\n", $6 * 1.024e-3, $7
}'
