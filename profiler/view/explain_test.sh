#!/bin/bash
# explain_test.sh: tests of `tlab annotate` for a lab with code in several files, and of the output
# and the exit status of `tlab explain`.
# check: late course plain
set -u
. profiler/tools/expect.sh

needs_ptx

# --- a lab with helpers: a macro (line 13), a function in the file (6), and a header. The header
# has a function that is not inlined (15, 21) and nested inlined functions (17).
cat >"$work/helper.h" <<'END'
__device__ __noinline__ void put_out(float *to, size_t at, float v) { to[at] = v; }
__device__ inline void put_in(float *to, size_t at, float v) { to[at] = v; }
__device__ inline void put_deep(float *to, size_t at, float v) { put_in(to, at, v); }
END
cat >"$work/helped.cu" <<'END'
#include "lab.h"
#include "helper.h"
LAB(naive);
#define COPY(a, b) a = b
__device__ void mine(float *to, size_t at, float v) {
    to[at] = v;
}
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float v;
    if (x < width && y < height) {
        COPY(v, idata[(size_t)y * width + x]);
        if (y % 4 == 0)
            put_out(odata, (size_t)x * height + y, v);
        else if (y % 4 == 1)
            put_deep(odata, (size_t)x * height + y, v);
        else if (y % 4 == 2)
            mine(odata, (size_t)x * height + y, v);
        else
            put_out(odata, (size_t)x * height + y, v);
    }
}
LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width, 32), lab_ceil_div(height, 8)), dim3(32, 8)};
}
END
# At 512 x 512, each of the four lines executes 2048 warp stores; the loads execute 8192 times.
annotate() { "$tlab" annotate "$work/helped.cu" --rows 512 --cols 512; }
check_lines() { # NAME
    expect "$1: annotate" 0 "" -- annotate
    cp "$work/output" "$work/annotated"
    expect "$1: a macro" 0 "^global load +4/4 .* 13  .*COPY" -- cat "$work/annotated"
    expect "$1: a function of the file" 0 "^global store +32/4 .* 6  .*to.at. = v" -- cat "$work/annotated"
    expect "$1: a call into a header" 0 "^global store +32/4 .* 15  .*put_out" -- cat "$work/annotated"
    expect "$1: inlined twice" 0 "^global store +32/4 .* 17  .*put_deep" -- cat "$work/annotated"
    expect "$1: another call" 0 "^global store +32/4 .* 21  .*put_out" -- cat "$work/annotated"
    some expect "$1: the lane of a call" 0 "line 21, .*global store.*31 +\(31,3\) +odata\[31\]\[3\]" \
        -- "$tlab" explain "$work/helped.cu" --line 21 --warp 3 --rows 512 --cols 512
}
if command -v clang >/dev/null; then
    export TLAB_CUDA=none
    check_lines "clang"
    unset TLAB_CUDA
fi
check_lines "default compiler"

# The shares of the lines and of the launch (each rounded to 0.1 %) have the sum 100 %.
shares() {
    awk '/^global|^shared/ { sum += $4 } /^The launch/ { sum += $5 }
        END { print (sum > 99.5 && sum < 100.5) ? "all" : "not all: " sum }' "$work/annotated"
}
expect "the shares of the time add up" 0 "^all$" -- shares
some expect "the share of the time" 0 "shared load +32/1 " -- "$tlab" annotate solutions/02_coalesced --rows 32 --cols 32
some expect "segments on CC 1.3" 0 "stores access 32 segments per request, the minimum is 2; neighbouring threads write addresses 16 384 bytes" \
    -- "$tlab" annotate solutions/01_naive --device gtx280 --rows 4096 --cols 64
some expect "shares with few wavefronts" 0 "conflicts" -- "$tlab" annotate solutions/03_padded --rows 64 --cols 64

# --- explain ----------------------------------------------------------------------------------------------
line_of() { # LAB TEXT: the line of its solution
    grep -n -- "$2" solutions/"$1"/*.cu | head -1 | cut -d: -f1
}
naive=$(line_of 01_naive 'odata\[.*idata')
tiled=$(line_of 02_coalesced 'odata\[.*tile')
padded=$(line_of 03_padded 'odata\[.*tile')
explain() { # LAB LINE OPTIONS...
    local lab=$1 line=$2
    shift 2
    "$tlab" explain solutions/"$lab" --line "$line" --rows 96 --cols 64 "$@"
}
some expect "the lanes of a column of the output" 0 " 17 +\(17,0\) +odata\[17\]\[0\] +204 " -- explain 01_naive "$naive"
some expect "both accesses of the line" 0 "global load, 4 bytes.*4 sectors for 128 .*global store.*32 sectors for 128 different bytes, minimum 4. 1024 bytes are moved, and 12.5 %" \
    -- explain 01_naive "$naive"
some expect "the distance between lanes" 0 "The addresses of neighbouring lanes are 384 bytes apart" -- explain 01_naive "$naive"
some expect "another block, warp and time" 0 "block 1,2 of 2 x 3, warp 5 of 8.*access 3 of 4 at this line.* 0 +\(0,5\) +idata\[85\]\[32\]" \
    -- explain 01_naive "$naive" --block 1,2 --warp 5 --time 3
some expect "all lanes access one bank" 0 "tile\[31\]\[0\] +0 .*use +32 +\. .*32 wavefronts, minimum 1: 31 bank conflicts \(32-way\)" -- explain 02_coalesced "$tiled"
some expect "the lanes access 32 banks" 0 " 31 +\(31,0\) +tile\[31\]\[0\] +31 .*1 wavefront, minimum 1: 0 bank conflicts" -- explain 03_padded "$padded"
terms=$(explain 03_padded "$padded" | sed -n 's/^Terms: `tlab help TERM` for //p')
undefined_terms() { tr , '\n' <<<"$terms" | while read -r term; do "$tlab" help "$term" >/dev/null || echo "$term"; done; }
same "the number of terms below the output" 7 "$(tr , '\n' <<<"$terms" | wc -l)"
check "the glossary defines each term" none undefined_terms
some expect "half-warps on CC 1.3" 0 "lanes 16 to 31 use +1 .*2 wavefronts, minimum 2" -- explain 03_padded "$padded" --device gtx280
some expect "segments on CC 1.3" 0 "32 segments for 128 different bytes, minimum 2" -- explain 01_naive "$naive" --device gtx280
some expect "a device with warps of four lanes" 0 "warp 0 of 64 .*4 sectors for 16 different bytes, minimum 1" -- explain 01_naive "$naive" --device toy
some expect "inactive lanes" 0 "31 +\(31,0\) +- +off" -- "$tlab" explain solutions/01_naive --line "$naive" --rows 33 --cols 40 --block 1
some expect "a lab with several accesses of a line" 0 "shared load.*global store" -- explain 02_coalesced "$tiled"
cat >"$work/two.cu" <<'END'
#include "lab.h"
LAB(copy);
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    size_t n = (size_t)width * height;
    for (size_t i = (size_t)blockIdx.x * 256 + threadIdx.x; i < n; i += (size_t)gridDim.x * 256) {
        float a = idata[i], b = idata[n - 1 - i];
        odata[i] = b == 12345.0f ? b : a;
    }
}
LAB_LAUNCH(width, height) { return {dim3(4), dim3(256)}; }
END
two() { "$tlab" explain "$work/two.cu" --line 7 --rows 64 --cols 64 "$@"; }
some expect "two loads of one statement" 0 "access 1 of 4.* 3 +\(3,0\) +idata\[63\]\[60\] .*access 1 of 4" -- two
some expect "the second access of the statement" 0 " 3 +\(3,0\) +idata\[0\]\[3\] " -- two
some expect "an access in a loop" 0 " 3 +\(3,0\) +idata\[15\]\[60\] " -- two --time 4
sed -e 's/size_t n = .*/extern __shared__ float more[]; more[threadIdx.x] = 1; &/' -e 's/dim3(256)}/dim3(256), 1024}/' \
    "$work/two.cu" >"$work/dynamic.cu"
some expect "dynamic shared memory" 0 " 31 +\(31,0\) +more \+ 124 +31 .*: 0 bank conflicts" -- \
    "$tlab" explain "$work/dynamic.cu" --line 5 --rows 64 --cols 64
wide() { explain "$@" | awk 'length > 100 { print "too wide: " $0; wide = 1 } END { exit wide }'; }
some expect "the output fits in 100 columns" 0 "" -- wide 02_coalesced "$tiled" --block 1,2
some expect "large addresses fit in 100 columns" 0 "" -- wide 01_naive "$naive" --rows 20000 --cols 3000 --block 93,600

some expect "explain without --line" 2 "requires --line" -- "$tlab" explain solutions/01_naive
some expect "the size of a lab on one row" 0 "sum_shared.cu, line 18, on NVIDIA H200, 1 x 7700 " -- "$tlab" explain solutions/20_sum_shared --line 18 --rows 1 --cols 7700
some expect "the size of a lab on squares" 0 "swap.cu, line 21, on NVIDIA H200, 100 x 100 " -- "$tlab" explain solutions/12_inplace/variants/swap.cu --line 21 --warp 1 --rows 80 --cols 125
some expect "a line without an access" 2 "at line 3; it accesses memory at lines $naive" -- explain 01_naive 3
# If block 0,0 makes no access, a neighbour is shown, unless the user requests a block.
while IFS='|' read -r idle status shown; do
    sed "s/^    int col = /    if ($idle) return;\n&/" solutions/01_naive/naive.cu >"$work/idle.cu"
    some expect "idle: $idle" "$status" "$shown" -- "$tlab" explain "$work/idle.cu" --line $((naive + 1)) --rows 96 --cols 64
done <<'END'
blockIdx.x == blockIdx.y|1|wrong_result.*block 1,0 of 2 x 3, warp 0
blockIdx.y == 0|1|wrong_result.*block 0,1 of 2 x 3, warp 0
blockIdx.x + blockIdx.y < 2|1|block 0,0 makes no access to global or shared memory
blockIdx.x > 0|1|block 0,0 of 2 x 3, warp 0
END
some expect "a requested block without accesses" 1 "block 0,0 makes no access" -- "$tlab" explain "$work/idle.cu" --line 3 --block 0,0
some expect "a block outside the grid" 2 "the grid has 2 x 3 x 1" -- explain 01_naive "$naive" --block 2,0
some expect "a warp outside the block" 2 "choose another warp of the block" -- explain 01_naive "$naive" --warp 8
some expect "a time past the last access" 2 "must be from 1 to 4" -- explain 01_naive "$naive" --time 5
some expect "an invalid block" 2 "--block must be X,Y" -- explain 01_naive "$naive" --block 1,,2
some expect "an invalid line" 2 "--line must be" -- explain 01_naive 0
some expect "two labs" 2 "accepts one lab" -- explain 01_naive "$naive" solutions/02_coalesced
some expect "a lab of several files" 2 "name one file: .*copy.cu, .*copy_shared.cu" -- explain 00_copy 20
some expect "an unknown option" 2 "no option .--colour" -- explain 01_naive "$naive" --colour
some expect "explain without a target" 2 "needs a lab" -- "$tlab" explain --line 3
some expect "--device gpu is not possible" 2 "only emulates" -- explain 01_naive "$naive" --device gpu
expect "the help of explain" 0 "--time K" -- "$tlab" explain --help
expect "an incorrect kernel" 1 "wrong_result" -- "$tlab" explain labs/01_naive --line 26
sed 's/if (x < width .*) {/{/' "$work/helped.cu" >"$work/outside.cu"
some expect "a kernel with out-of-bounds accesses" 1 "out_of_bounds" -- "$tlab" explain "$work/outside.cu" --line 13
echo 'LAB(naive); float' >"$work/broken.cu"
some expect "a file that does not compile" 1 "compile_error" -- "$tlab" explain "$work/broken.cu" --line 1

finish
