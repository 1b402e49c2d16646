#!/bin/bash
# standalone_test.sh: tests that every solution and every skeleton is a complete CUDA program that nvcc builds without a
# warning. On a machine with a GPU, solutions must end with status 0 and skeletons with 1. Without a GPU, the programs
# must end with 2 and a message that no GPU was found. Run from the repository root; skipped without nvcc.
# check: rare course
set -u
. profiler/tools/expect.sh

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
[ -n "$nvcc" ] || skip_all "no CUDA Toolkit with nvcc is installed"

# run EXPECTED PROGRAM ARGUMENTS...: the exit status must be EXPECTED, or 2 without a GPU.
run()
{
    expected=$1
    shift
    output=$("$@" 2>&1)
    status=$?
    case $output in
    *"needs an NVIDIA GPU"*) expected=2 ;;
    esac
    if [ "$status" -eq "$expected" ]; then
        pass "$source: ${*:2}"
    else
        fail "$source: ${*:2}: exit status $status, not $expected: $output"
    fi
}

build()
{
    program=$work/program
    rm -f "$program"
    check "nvcc ${*#"$work/"}" "$nvcc" -Iinclude -Werror all-warnings -Xcompiler -Wall,-Wextra "$@" -o "$program"
    [ -x "$program" ]
}

for source in solutions/[0-9]*/*.cu; do
    build "$source" || continue
    run 0 "$program" 96 160
    run 2 "$program" 0
    run 2 "$program" 12x
    run 2 "$program" 1 2 3 4
    run 2 "$program" 2000000000 2000000000
done
for source in labs/[0-9]*/*.cu; do
    build "$source" && run 1 "$program" 96 160
done
build solutions/02_coalesced/coalesced.cu -DLAB_LOOP && run 0 "$program" 96 160
build solutions/02_coalesced/coalesced.cu -DTILE_DIM=16 && run 0 "$program" 97 160
build solutions/04_fine_grained/fine_grained.cu && run 2 "$program" 48
build solutions/04_fine_grained/fine_grained.cu -DTILE_DIM=16 && run 0 "$program" 48

sed 's/LAB(copy)/LAB(unheard_of)/' solutions/00_copy/copy.cu >"$work/unknown.cu"
source=unknown.cu
build "$work/unknown.cu" && expect "an unknown exercise" 2 "names no exercise.*copy_shared" -- "$program"

finish
