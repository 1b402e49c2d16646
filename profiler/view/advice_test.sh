#!/bin/bash
# advice_test.sh: tests of the advice on the most expensive line, in `tlab annotate` and on a
# student's page. The advice depends on the limit of the time, and does not contain the answer.
# check: plain
set -u
. profiler/tools/expect.sh
needs jq
needs_ptx

advice() { "$tlab" annotate "$@" 2>&1 | tail -n 1; }
# tile NAME SIDE PITCH: write a transpose with SIDE x SIDE blocks and tiles, in rows of PITCH words.
tile() {
    cat >"$work/$1.cu" <<END
#include "lab.h"
LAB(coalesced);
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[$2][$3];
    int x = blockIdx.x * $2 + threadIdx.x, y = blockIdx.y * $2 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = idata[(size_t)y * width + x];
    __syncthreads();
    x = blockIdx.y * $2 + threadIdx.x, y = blockIdx.x * $2 + threadIdx.y;
    if (x < height && y < width) odata[(size_t)y * height + x] = tile[threadIdx.x][threadIdx.y];
}
LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width, $2), lab_ceil_div(height, $2)), dim3($2, $2)};
}
END
}
tile square 32 32
tile wide 32 40
tile good 32 33
tile small 16 16
tile small_wide 16 18
tile small_good 16 17

# If shared memory limits the time, the advice contains the conflicts, their line, and a question.
for kernel in square wide small; do
    check "h200, $kernel: conflicts" \
        grep -E "^line 10: shared-memory loads have [0-9.]+ bank conflicts per request.*; .* apart. How many different banks" \
        <(advice "$work/$kernel.cu" --rows 1024 --cols 1024)
done
check "h200: no conflicts" grep -x "no line needs more sectors or wavefronts than the minimum" \
    <(advice "$work/good.cu" --rows 1024 --cols 1024)

# With partition camping, padding saves no time. Therefore, the advice does not mention banks.
# Camping occurs if the length of a row is a multiple of 2048 bytes.
for size in '512 512' '1024 512' '512 2048'; do
    for kernel in small small_wide small_good; do
        check "gtx280, $kernel, $size: partitions" \
            grep -E "^the busiest DRAM partition limits the time\. .* load from \(line 7\) and store to \(line 10\)\?$" \
            <(advice "$work/$kernel.cu" --rows "${size% *}" --cols "${size#* }" --device gtx280 2>&1)
    done
done
check "gtx280, where no partition camps: conflicts" grep -E "line 10: .* bank conflicts per request.*; " \
    <(advice "$work/small.cu" --rows 560 --cols 560 --device gtx280)

# If DRAM limits the time, the advice states that conflicts cost almost no time.
check "rtx3070: conflicts cost almost no time" \
    grep -E "^line 50: .* conflicts per request.*; the excess costs almost no time here, because the time is limited by dram$" \
    <(advice solutions/02_coalesced --rows 2048 --cols 2048 --device rtx3070)
time_of() {
    "$tlab" run "solutions/$1" --rows 2048 --cols 2048 --device rtx3070 --csv "$work/csv" >/dev/null
    column "$work/csv" time_us
}
within "without conflicts the time hardly changes" \
    "$(awk -v a="$(time_of 02_coalesced)" -v b="$(time_of 03_padded)" 'BEGIN { print a / b }')" 0.97 1.03
# If the launch overhead limits the time, the advice about the access pattern is still printed.
check "a tiny matrix" grep -E "^line 10: .* How many different banks" <(advice "$work/square.cu" --rows 32 --cols 32)

given='lengthen|longer|pad|one word|word more|swizzl|\+ ?1\b|xor|diagonal|row by row'
for source in solutions/0[0-6]*/*.cu grading/honest/{coalesced_stores_columns,naive_columns,padded_by_two}/*.cu; do
    for device in h200 gtx280; do # small sizes also have other bounds
        check "the advice contains no answer: $source, $device" none grep -iE "$given" <(advice "$source" --rows 128 --cols 128 --device $device)
    done
done
check "the hints of rubrics contain no answer" none jq -r '.checks[].hint | select(test("lengthen|longer|padding|one word|swizzl|diagonal|column by column"; "i"))' \
    grading/rubrics/*.json
finish
