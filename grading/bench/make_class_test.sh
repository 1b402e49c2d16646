#!/bin/bash
# make_class_test.sh: tests make_class, which makes classes for throughput.sh.
# check: plain
set -u
. profiler/tools/expect.sh
equal() { [ "$1" = "$2" ] || { echo "$1, expected $2"; false; }; }

grading/bench/make_class 12 "$work/a" && grading/bench/make_class 12 "$work/b" || exit 1
check "the same class each time" diff -r "$work/a" "$work/b"
check "seven files per student" equal "$(find "$work/a" -name '*.cu' | wc -l)" 84
check "no two files are equal" equal "$(sha256sum "$work"/a/*/*.cu | cut -d' ' -f1 | sort -u | wc -l)" 84
for exercise in copy naive coalesced padded fine_grained coarse_grained diagonal; do
    check "all files name $exercise" equal "$(grep -l "LAB($exercise)" "$work"/a/*/$exercise.cu | wc -l)" 12
    solutions=0
    for file in "$work"/a/*/$exercise.cu; do
        head -n -1 "$file" | cmp -s - solutions/*/$exercise.cu && solutions=$((solutions + 1))
    done
    check "half of the files are the solution of $exercise" [ $solutions -ge 6 ]
done
finish
