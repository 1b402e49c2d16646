#!/bin/bash
# worst.sh [NAME...]: measure the cost of the submissions of grading/hostile/make_greedy (by default all). Each
# submission is graded together with an ordinary submission, and a line is printed:
#   NAME SECONDS PROCESSOR_SECONDS MEGABYTES OUTPUT_MEGABYTES NEIGHBOUR
# MEGABYTES is the peak memory of all processes, OUTPUT_MEGABYTES the bytes written, NEIGHBOUR the points of the
# ordinary submission. The line `ordinary` is for the solutions of all labs. TLAB names the program; MEASURE names the
# program built from profiler/tools/bench/measure.c. Run from the repository root. grading/worst_test.sh tests the
# limits.
set -u
export LC_ALL=C
tlab=${TLAB:-build/tlab} measure=${MEASURE:-build/bench/measure}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM

grading/hostile/make_greedy "$work/all" || exit 2
mkdir "$work/all/ordinary"
cp solutions/*/*.cu "$work/all/ordinary"
echo "the same sizes each time" >"$work/seed"
[ $# -gt 0 ] || { cd "$work/all" && set -- * && cd - >/dev/null; }
for name; do
    rm -rf "$work/class" "$work/out"
    mkdir -p "$work/class/neighbour"
    mv "$work/all/$name" "$work/class/" || exit 2
    cp grading/honest/padded_right/padded.cu "$work/class/neighbour"
    result=$("$measure" -t 1 "$tlab" grade "$work/class" --out "$work/out" --seed "$work/seed" --jobs 1 \
        2>"$work/messages") || { cat "$work/messages" >&2; exit 2; }
    points=$(sed -n 's/^\([0-9.]* of [0-9.]*\) points.*/\1/p; s/^neighbour: \([0-9.]*\) of .*/\1/p' \
        "$work/out/students/neighbour/feedback.txt" | head -1)
    echo "$name $result $(du -sk "$work/out" | cut -f1) ${points:-none}" |
        awk '{ printf "%s %.1f %.1f %.0f %.1f %s\n", $1, $2, $3, $5 * 1.024e-3, $6 * 1.024e-3, $7 }'
done
