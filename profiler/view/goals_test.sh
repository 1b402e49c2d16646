#!/bin/bash
# goals_test.sh: tests the messages of `tlab run` about goals that a correct kernel does not reach.
# If MORE is set (goals_more_test.sh), more kernels of each kind are tested.
# check: course
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_ptx
! "$tlab" run solutions/01_naive --rows 32 --cols 32 --points 2>&1 | grep -q "was built without" ||
    skip_all "tlab was built without rubrics"

# kernel NAME LAB BODY [LAUNCH]: write a lab file with this kernel body, for blocks of 32 x 8.
kernel() {
    cat >"$work/$1.cu" <<END
#include "lab.h"
LAB($2);
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    $3
}
LAB_LAUNCH(width, height)
{
    ${4:-return {dim3(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)\};}
}
END
}
run() { # NAME OPTIONS...
    local name=$1
    shift
    "$tlab" run "$work/$name.cu" --rows 512 --cols 1024 "$@"
}
# Print the body of a transpose through shared memory. $1 declares the tile. $2 is the index of the
# store to the tile, and $3 is the index of the load. $4 is inserted before the store to odata, and
# $5 before the type of its pointer.
tiled() {
    cat <<END
$1
    for (int i = 0; i < 32; i += 8)
        if (x < width && y + i < height) tile$2 = idata[(size_t)(y + i) * width + x];
    __syncthreads();
    int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (u < height && v + i < width)
            ${4:-} ((${5:-} float *)odata)[(size_t)(v + i) * height + u] = tile$3;
END
}
says() { # NAME PATTERN: check that the last output has the pattern
    check "$1" grep -qE -- "$2" "$work/output"
}
silent() { # NAME PATTERN: check that the last output does not have the pattern
    check "$1" none grep -E -- "$2" "$work/output"
}
more() {
    [ -n "${MORE:-}" ]
}
rows='[threadIdx.y + i][threadIdx.x]' columns='[threadIdx.x][threadIdx.y + i]'
direct='for (int i = 0; i < 32; i += 8) if (x < width && y + i < height)'
move='odata[(size_t)x * height + y + i] = idata[(size_t)(y + i) * width + x];'

# --- another lab's kernel is correct, but does not reach the goals -------------------------------------------
kernel plain padded "$(tiled '__shared__ float tile[32][32];' "$rows" "$columns")"
expect "conflicts of loads, and their line; points" 0 "not reached: 31 bank conflicts per shared load .32-way., expected 0 .line 13.*5.5 of 18 published points" -- run plain --points
says "the points of a missed goal" "0.00 of +8.50"
says "the points of hidden test sizes" "hidden test sizes are worth at most 2 points"
says "the points for partial tiles" "2.00 of +2.00 +Correct on published sizes with partial tiles"
silent "the goals contain no answer" "\[33\]|lengthen|one word|by one"
kernel fits padded "$(tiled '__shared__ float tile[32][33];' "$rows" "$columns")"
expect "a kernel that reaches all goals" 0 "correct; all goals reached" -- run fits
silent "a kernel without notes" "note:|not reached|and:"
kernel cartesian diagonal "$(tiled '__shared__ float tile[32][33];' "$rows" "$columns")"
expect "the largest loss is first, on another device" 0 "not reached: the busiest DRAM partition carries [0-9.]+ times an even share.*.on gtx280..*and: the goal requires a kernel that processes the tiles in an order other" -- run cartesian
kernel wrong padded "$(tiled '__shared__ float tile[32][33];' "$rows" "$rows")"
expect "an incorrect kernel" 1 "wrong_result" -- run wrong
silent "an incorrect kernel has no goals" "correct;|goals|note:"
kernel floor naive "$direct $move" 'return {dim3(width < 32 ? 1 : width / 32, height < 32 ? 1 : height / 32), dim3(32, 8)};'
expect "points of a kernel without partial tiles" 1 "1.5 of 8 published points" -- run floor --points
says "whole tiles are judged at sizes of whole tiles" "1.50 of +1.50 +Correct on published sizes made of whole tiles"
says "partial tiles are judged at their own sizes" "0.00 of +1.50 +Correct on published sizes with partial tiles"
if more; then
    kernel turned padded "$(tiled '__shared__ float tile[32][32];' "$columns" "$rows")"
    expect "conflicts of stores, and their line" 0 "not reached: 31 bank conflicts per shared store .32-way., expected 0 .line 8." -- run turned
    kernel even padded "$(tiled '__shared__ float tile[32][34];' "$rows" "$columns")"
    expect "fewer conflicts" 0 "not reached: 1 bank conflict per shared load .2-way., expected 0" -- run even
    kernel naive_for_coalesced coalesced "$direct $move"
    expect "sectors, and their line" 0 "touch 36 sectors for 32 elements, expected 8 .line 6." -- run naive_for_coalesced
    kernel tiled_for_naive naive "$(tiled '__shared__ float tile[32][32];' "$rows" "$columns")"
    expect "a forbidden mechanism" 0 "the goal requires a kernel that does not send the matrix through shared" -- run tiled_for_naive
    # Goals of the sum and the stencil, which have rubrics in their own directories.
    sed 's/LAB(stencil_naive)/LAB(stencil_tiled)/' solutions/30_stencil_naive/*.cu >"$work/stencil.cu"
    expect "a missed goal of a stencil" 0 "not reached: loads touch [0-9.]+ sectors" -- run stencil
    sed 's/LAB(sum_shared)/LAB(sum_grid)/' solutions/20_sum_shared/*.cu >"$work/sum.cu"
    expect "a missed goal of a sum" 0 "not reached: [0-9.]+ warp instructions for 32 elements, expected at most 16" -- run sum
    goals() { run "$@" | sed -n '/: correct/,$p'; }
    goals plain >"$work/here"
    for options in "--rows 100 --cols 777" "--device gtx280" "--device a100 --rows 64 --cols 64" "--threads 3"; do
        check "the same goals with $options" diff "$work/here" <(goals plain $options)
    done
    run plain --csv "$work/plain.csv" >/dev/null
    same "the number of goals in the CSV" 3 "$(column "$work/plain.csv" goals)"
    same "the number of reached goals in the CSV" 1 "$(column "$work/plain.csv" goals_reached)"
    run wrong --csv "$work/wrong.csv" >/dev/null
    check "goals of an incorrect kernel are NA" \
        grep -qE ",emulator,NA,NA,NA,[a-z -]+(,[a-zA-Z0-9.]+){6}$" "$work/wrong.csv"
    expect "goals in the CSV on standard output" 0 "goals_reached" -- run plain --csv -
    silent "standard output has only CSV" "correct;"
    for solution in solutions/[0-9]*; do
        [ "$solution" = solutions/11_batched ] || expect "$solution reaches its goals" 0 "all goals reached" -- "$tlab" run $solution
        silent "a solution has no notes" "not reached|note:"
    done
fi

# --- elements that are moved several times -------------------------------------------------------------------
kernel four naive "for (int k = 0; k < 4; k++) { volatile float *out = odata; $direct ${move/odata/out} }"
expect "elements that are written four times" 0 "each element of the result is written 4 times" -- run four
says "elements that are read four times" "each element of the input is read 4 times"
if more; then
    kernel twice padded "$(tiled '__shared__ float tile[32][33];' "$rows" "$columns" 'for (volatile int k = 0; k < 2; k++)' volatile)"
    expect "elements that are written twice" 0 "each element of the result is written 2 times" -- run twice
    silent "elements that are read once" "is read"
    kernel half padded "$(tiled '__shared__ float tile[32][33];' "$rows" "$columns" 'for (volatile int k = 0; k < 1 + (i < 16); k++)' volatile)"
    expect "some elements are written twice" 0 "is written 1.5 times on average" -- run half
fi

# --- a grid that does not depend on the size -------------------------------------------------------------------
kernel fixed naive "$direct $move" 'return {dim3(32, 16), dim3(32, 8)};'
expect "a grid with a fixed size" 0 "the grid has 32 x 16 blocks for every height: at 2080 x 32 the result is incorrect" -- run fixed
kernel huge copy 'for (int i = 0; i < 32; i += 8) if (x < width && y + i < height) odata[(size_t)(y + i) * width + x] = idata[(size_t)(y + i) * width + x];' \
    'return {dim3(160, 160), dim3(32, 8)};'
expect "a grid for the largest size" 0 "at 1 x 1 LAB_LAUNCH requests 160 x 160 blocks.*timeout" -- run huge
expect "a grid whose blocks process several tiles" 0 "correct; all goals reached" -- "$tlab" run grading/honest/padded_persistent --rows 256 --cols 256
silent "an honest grid has no note" "note:"
if more; then
    kernel wide naive "$direct $move" 'return {dim3(32, lab_ceil_div(height, 32)), dim3(32, 8)};'
    expect "a grid with a fixed width" 0 "the grid has 32 x 16 blocks for every width: at 32 x 4128" -- run wide
    kernel capped padded "$(tiled '__shared__ float tile[32][33];' "$rows" "$columns")" \
        'int high = lab_ceil_div(height, 32); return {dim3(lab_ceil_div(width, 32), high < 16 ? high : 16), dim3(32, 8)};'
    expect "a grid with a limit" 0 "for every height" -- run capped
    kernel late naive "$direct $move" 'int high = lab_ceil_div(height, 32); return {dim3(lab_ceil_div(width, 32), high < 40 ? high : 40), dim3(32, 8)};'
    expect "a size limit above the requested size" 0 "note: at 2080 x 32: the last" -- run late
    kernel refuses naive "$direct $move" 'return {dim3(lab_ceil_div(width, 32), height > 2000 ? 0 : lab_ceil_div(height, 32)), dim3(32, 8)};'
    expect "LAB_LAUNCH fails above a size" 0 "note: at 2080 x 32: .*grid" -- run refuses
    for honest in copy_grid_stride naive_one_thread; do
        expect "honest: $honest" 0 "correct" -- "$tlab" run grading/honest/$honest --rows 256 --cols 256
        silent "no note on $honest" "note:"
    done
fi
finish
