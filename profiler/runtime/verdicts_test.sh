#!/bin/bash
# verdicts_test.sh: what tlab exec says of kernels whose mistakes do not show in the result. The names in
# testdata/verdicts.cu say what it must be. Run from the repository root; TLAB names the program.
# check: plain
set -u
. profiler/tools/expect.sh
[ -d "$(dirname "$tlab")/runtime" ] || skip_all "a build with sanitizers has no libcudart"
command -v nvcc >/dev/null || [ -x "${TLAB_CUDA:-/usr/local/cuda}/bin/nvcc" ] || skip_all "there is no nvcc"

source=profiler/runtime/testdata/verdicts.cu
check "nvcc builds" "$tlab" nvcc $source -o "$work/verdicts"
expect "the program goes on after each" 1 "^cudaSuccess$" -- "$tlab" exec --csv "$work/verdicts.csv" -- "$work/verdicts"
for kernel in $(grep -oE '\b(right|wrong)_[a-z_]+\(float' $source | sed 's/(float//' | sort -u); do
    case $kernel in
        wrong_race_*) status=race ;;
        wrong_uninitialised_*) status=uninitialised ;;
        *) status=ok ;;
    esac
    same "$kernel" "$status" "$(grep ",$kernel," "$work/verdicts.csv" | grep -oE ',(ok|race|uninitialised|out_of_bounds|deadlock),' | head -1 | tr -d ,)"
done
expect "which lane" 0 "takes the value of lane [0-9]+ of its warp by a shuffle in which that lane takes no part" \
    -- cat "$work/verdicts.csv"
finish
