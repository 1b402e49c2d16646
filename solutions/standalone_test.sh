#!/bin/bash
# standalone_test.sh: every solution and every skeleton is a complete CUDA program for plain nvcc,
# built without a warning. Run from the repository's root; skipped without nvcc.
#
# Where there is a GPU the programs also run: solutions end with 0, skeletons with 1. Without one
# they must end with 2 and a message that no GPU was found.
# check: slow course
set -u
. profiler/tools/expect.sh

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
[ -n "$nvcc" ] || skip_all "no CUDA Toolkit with nvcc is here"

# run EXPECTED PROGRAM ARGUMENTS...: the exit status must be EXPECTED; without a GPU, 2.
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

# build SOURCE OPTIONS...: build $program with nvcc.
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

# An unknown name is rejected with a message.
sed 's/LAB(copy)/LAB(unheard_of)/' solutions/00_copy/copy.cu >"$work/unknown.cu"
source=unknown.cu
build "$work/unknown.cu" && expect "an unknown exercise" 2 "names no exercise.*copy_shared" -- "$program"

finish
