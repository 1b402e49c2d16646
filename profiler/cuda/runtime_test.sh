#!/bin/bash
# runtime_test.sh: test tlab nvcc and tlab exec with programs of testdata/. Run from the repository
# root; TLAB is the path of tlab (default build/tlab).
# check: plain
set -u
. profiler/tools/expect.sh
mkdir "$work/tmp"
export TMPDIR=$work/tmp

expect "exec: help" 0 "usage: tlab exec" -- "$tlab" exec --help
expect "exec: no program" 2 "requires a program to run" -- "$tlab" exec --
[ -d "$(dirname "$tlab")/runtime" ] || {
    skip "programs" "a build with sanitizers has no libcudart"
    finish
}
expect "exec: unknown device" 2 "unknown device .gtx9999.*h200" -- "$tlab" exec --device gtx9999 -- true
expect "exec: no such program" 2 "cannot run ./none: No such file" -- "$tlab" exec -- ./none
expect "exec: a program without CUDA" 2 "never used the CUDA runtime.*tlab nvcc" -- "$tlab" exec -- true
expect "exec: a failing program without CUDA" 2 "never used.*exit status 1" -- "$tlab" exec -- false
expect "nvcc is missing" 2 "tlab nvcc requires nvcc" -- env TLAB_CUDA=none "$tlab" nvcc x.cu
nothing_left() { [ -z "$(ls "$TMPDIR")" ]; }

nvcc=$(command -v nvcc || echo "${TLAB_CUDA:-/usr/local/cuda}/bin/nvcc")
[ -x "$nvcc" ] || {
    skip "programs" "there is no nvcc"
    finish
}

check "nvcc builds" "$tlab" nvcc -arch=sm_90 -cudart=static -Iinclude profiler/cuda/testdata/basics.cu \
    -o "$work/basics"
check "nvcc builds without tlab" "$nvcc" -arch=sm_90 -cudart shared -Iinclude \
    profiler/cuda/testdata/basics.cu -o "$work/plain"
expect "only one of its two fat binaries has PTX" 0 "^done$" -- "$tlab" exec -- "$work/plain" add
run() { # CASE [OPTION...]
    local case=$1
    shift
    "$tlab" exec "$@" -- "$work/basics" "$case"
}
for case in add memory pitched copies streams; do
    expect "$case" 0 "^done$" -- run "$case"
done
expect "device" 0 "NVIDIA H200, CC 9.0, 132 SMs, block of 1024" -- run device
expect "another device" 0 "A100[^,]*, CC 8.0, 108 SMs" -- run device --device a100
expect "times are called modelled" 0 "between CUDA events are modelled.*NVIDIA H200" -- run streams
expect "printf" 0 "^thread 1 of block 1$" -- run speak
expect "csv" 0 "^done$" -- run twice --csv "$work/twice.csv"
same "one row per kernel and launch configuration" 3 "$(wc -l <"$work/twice.csv")"
same "the rows contain the numbers of launches" "2 1" "$(column "$work/twice.csv" repeats 1) $(column "$work/twice.csv" repeats 2)"
same "the name of the kernel" "add<float>" "$(column "$work/twice.csv" kernel)"
# 1000 threads are 31 full warps and a warp of 8 lanes. Two loads per thread cause 32 x 2 requests
# and (31 x 4 + 1) x 2 sectors.
same "requests" 64 "$(column "$work/twice.csv" global_load_requests)"
same "sectors" 250 "$(column "$work/twice.csv" global_load_sectors)"
expect "all launches" 0 "^done$" -- run twice --all-launches --csv "$work/all.csv"
same "one row per launch" 4 "$(wc -l <"$work/all.csv")"
run add --csv - >"$work/only.csv" 2>"$work/err"
same "only CSV" "lab,2" "$(cut -d, -f1 "$work/only.csv" | head -1),$(wc -l <"$work/only.csv")"
expect "the output of the program" 0 "^done$" -- cat "$work/err"

expect "bounds" 1 "out_of_bounds: .*basics.cu:[0-9]+: in kernel .*add.*thread \(100, 0, 0\).*array 1 \(cudaMalloc, 400 bytes\)" \
    -- run bounds
expect "race" 1 "race: .*basics.cu:[0-9]+: in kernel reverse<unsigned int>, .*line\[32\].*no __syncthreads.* done " -- run race
expect "a mask without one of the lanes" 1 "deadlock: .*thread \(16, 0, 0\).*mask 0x0000ffff does not name this lane.* done " -- run mask
expect "lanes continue together after a barrier" 0 "^done$" -- timeout 1800 "$tlab" exec --no-checks -- "$work/basics" hold
expect "a message names the element of a variable" 1 "writes table\[1\]\[2\], to.*writes triples, byte 16, to" -- run variables
expect "no checks, no race" 0 "^done$" -- run race --no-checks
expect "assert" 1 "fails the assertion .\(int\)threadIdx.x < limit. \(.*basics.cu:[0-9]+\).* done " -- run assert
expect "freed" 1 "writes 4 bytes out of bounds: array 1 \(cudaMalloc, 512 bytes\), byte 0; this memory is already freed.* done " -- run freed
expect "launch configurations" 1 "blockDim.x = 2048; NVIDIA H200 allows at most 1024.*gridDim.x = 0.* done " -- run shapes
expect "copies past the end" 0 "of 9 bytes, starting at byte 0, extends past the end of array 1 \(cudaMalloc, 8 bytes\)" -- run copies
expect "a host that dereferences a device pointer" 1 "killed by signal 11.*add<float>" -- run crash

# Each program is a modified copy of a program that can be run.
changed() { # FILE PERL: write a copy of the program that PERL has changed
    perl -0777 -pe "$2" "$work/basics" >"$work/$1" && chmod +x "$work/$1"
}
changed static 's/libcudart\.so\.13/libsomethi.so.1/g'
expect "static runtime" 2 "statically linked with NVIDIA.s CUDA runtime.*-cudart shared" -- "$tlab" exec -- "$work/static"
changed binary 's/(\x50\xed\x55\xba.{12})\x01\x00/$1\x02\x00/sg'
expect "no PTX" 2 "machine code but no PTX.*tlab nvcc" -- "$tlab" exec -- "$work/binary"
changed old 's/libcudart\.so\.13/libcudart.so.11/g'
expect "another runtime" 2 "runtime of CUDA 11, but tlab emulates CUDA 12 and 13" -- "$tlab" exec -- "$work/old"
changed closed 's/libstdc\+\+\.so\.6/libcublas.so.9/g'
expect "a closed library" 2 "requires libcublas.so.9, a closed NVIDIA library" -- "$tlab" exec -- "$work/closed"
check "no temporary files remain" nothing_left
finish
