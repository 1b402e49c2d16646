# attributes_test.sh: test the registers, local memory and occupancy that CUDA reports to a program.
# The numbers come from machine code in the program, from PTX that the toolkit assembles, or,
# without a toolkit, from defaults. Run from the repository root; TLAB is the path of tlab.
# check: slow
set -u
. profiler/tools/expect.sh
[ -d "$(dirname "$tlab")/runtime" ] || skip_all "a build with sanitizers has no libcudart"
toolkit=${TLAB_CUDA:-/usr/local/cuda}
[ -x "$toolkit/bin/nvcc" ] && [ -x "$toolkit/bin/ptxas" ] || skip_all "there is no nvcc"

run() { # PROGRAM OPTION...: write the output to $work/output
    local program=$1
    shift
    "$tlab" exec "$@" -- "$work/$program" >"$work/output" 2>"$work/errors"
}
# is KERNEL EXPRESSION: succeeds if an awk expression is true for the kernel's line. Fields: 2
# registers, 3 shared bytes, 4 local bytes, 5 maximum threads, 6 blocks of 1024, 7 blocks of 256, 8
# best block.
is() { awk -v kernel="$1" "\$1 == kernel { good = ($2) } END { exit !good }" "$work/output"; }

check "tlab nvcc builds" "$tlab" nvcc profiler/cuda/testdata/attributes.cu -o "$work/ptx"
run ptx
check "many registers: a block of 1024 does not fit" is many '$2 > 64 && $2 <= 255 && $4 == 0 && $5 < 1024 && $6 == 0 && $7 == 2'
check "the largest block that fits is the limit" is many '$8 > 0 && $8 <= $5 && $5 % 32 == 0 && $5 * $2 <= 65536'
check "32 registers, the other values are spilled" is spilled '$2 == 32 && $4 > 40 && $5 == 1024 && $6 == 2 && $7 == 8'
check "few registers" is few '$2 < 32 && $3 == 256 && $4 == 0 && $5 == 1024 && $7 == 8'
check "wrong arguments" grep -qx "errors 0 1 98 1" "$work/output"
run ptx --device rtx3070
check "another device: 48 warps and separate machine code" is few '$2 < 32 && $6 == 1 && $7 == 6'
TLAB_CUDA=none run ptx
check "without a toolkit: 32 registers, which do not limit occupancy" is many '$2 == 32 && $4 == 0 && $5 == 1024 && $6 == 2 && $7 == 8'
check "without a toolkit: wrong arguments" grep -qx "errors 0 1 98 1" "$work/output"

# The machine code for both architectures uses 24 registers. PTX does not contain this number.
check "nvcc builds" "$toolkit/bin/nvcc" -cudart shared -no-compress -maxrregcount 24 -gencode arch=compute_80,code=compute_80 \
    -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
    profiler/cuda/testdata/attributes.cu -o "$work/cubin"
TLAB_CUDA=none run cubin
check "machine code in the program, sm_90" is many '$2 == 24 && $4 > 64 && $5 == 1024 && $6 == 2'
run cubin --device rtx3070
check "sm_80 runs on compute capability 8.6" is many '$2 == 24 && $4 > 64'
finish
