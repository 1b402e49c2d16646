#!/bin/sh
# standalone_test.sh: every solution and every skeleton is a complete CUDA program for plain nvcc, built
# without a warning. Run from the repository's root; skipped without nvcc.
#
# Where there is a GPU the programs also run: solutions end with 0, skeletons with 1. Without one they
# must end with 2 and say what is missing.
set -u

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -z "$nvcc" ]; then
    echo "nvcc is not installed"
    exit 77
fi
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
failures=0

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# run EXPECTED PROGRAM ARGUMENTS...: the exit status must be that one; without a GPU, 2.
run()
{
    expected=$1
    shift
    output=$("$@" 2>&1)
    status=$?
    case $output in
    *"needs an NVIDIA GPU"*) expected=2 ;;
    esac
    [ "$status" -eq "$expected" ] || fail "$*: exit status $status, not $expected: $output"
}

# build SOURCE OPTIONS...: $program is what nvcc made of it.
build()
{
    program=$scratch/program
    rm -f "$program"
    "$nvcc" -Iinclude -Werror all-warnings -Xcompiler -Wall,-Wextra "$@" -o "$program" ||
        fail "$1 does not build: nvcc $*"
    [ -x "$program" ]
}

for source in solutions/[0-9]*/*.cu; do
    build "$source" || continue
    run 0 "$program" 96 160
    run 2 "$program" 0
    run 2 "$program" 12x
    run 2 "$program" 1 2 3
    run 2 "$program" 2000000000 2000000000
done
for source in labs/[0-9]*/*.cu; do
    build "$source" && run 1 "$program" 96 160
done
build solutions/02_coalesced/coalesced.cu -DLAB_LOOP && run 0 "$program" 96 160
build solutions/02_coalesced/coalesced.cu -DTILE_DIM=16 && run 0 "$program" 97 160
build solutions/04_fine_grained/fine_grained.cu && run 2 "$program" 48
build solutions/04_fine_grained/fine_grained.cu -DTILE_DIM=16 && run 0 "$program" 48

# A name that no manifest knows is refused in words.
sed 's/LAB(copy)/LAB(unheard_of)/' solutions/00_copy/copy.cu >"$scratch/unknown.cu"
build "$scratch/unknown.cu" && run 2 "$program"
case $output in
*"names no exercise"*copy_shared*) ;;
*) fail "an unknown exercise: $output" ;;
esac

[ $failures -eq 0 ]
