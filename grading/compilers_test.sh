#!/bin/bash
# compilers_test.sh [all]: tests that honest submissions, compiled by clang, earn the points of expected.csv, which must
# equal their points with NVRTC. `all`, which takes minutes, also tests that hostile submissions earn at most the
# expected points, and that submissions with unusual names, comments and headers earn the same points with nvcc.
# check: rare course
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_grading
mkdir "$work/try"
cp -r grading/honest/naive_right "$work/try"
echo "one seed for both" >"$work/seed"
# Compiler bombs are omitted, because they use the compiler's whole time limit.
mkdir "$work/set"
cp -r grading/honest "$work/set"
cp -r grading/hostile "$work/set"
rm -r "$work"/set/hostile/*_bomb
sandbox=bubblewrap
"$tlab" grade "$work/try" --out "$work/tried" >/dev/null 2>&1 || sandbox=seccomp
verdicts() { # COMPILER SET: write the verdicts to $work/SET.COMPILER
    TLAB_COMPILER=$1 "$tlab" grade "$work/set/$2" --out "$work/$2_$1" --seed "$work/seed" --sandbox $sandbox &&
        awk -f grading/verdicts.awk "$work/$2_$1/grade.json" >"$work/$2.$1"
}
tries() { TLAB_COMPILER=$1 "$tlab" grade "$work/try" --out "$work/$1" --sandbox $sandbox >/dev/null 2>&1; }
tries clang || skip_all "clang is not installed"
tries nvrtc || skip_all "no CUDA Toolkit with NVRTC is installed"

check "honest, NVRTC" verdicts nvrtc honest
check "honest, clang" verdicts clang honest
# Compare only points, because the mistake that is reported first depends on the order of instructions.
points() { cut -d, -f1,2,4 "$work/honest.$1"; }
check "the same points with NVRTC and clang" diff <(points nvrtc) <(points clang)
check "honest submissions earn the expected points" \
    awk -F, -v least=4 -v most=5 -f grading/expected.awk grading/honest/expected.csv "$work/honest.clang"
if [ "${1:-}" = all ]; then
    mkdir "$work/set/subset"
    cp -r grading/honest/names_* grading/honest/text_* grading/honest/headers_* "$work/set/subset"
    if tries nvcc; then
        check "names, comments and headers, nvcc" verdicts nvcc subset
        check "the same verdicts with nvcc" diff "$work/subset.nvcc" \
            <(grep -E '^(names|text|headers)_' "$work/honest.clang")
    fi
    check "hostile, clang" verdicts clang hostile
    check "hostile submissions earn at most the expected points" awk -F, -v least=0 -v most=4 -f grading/expected.awk grading/hostile/expected.csv <(
        cat "$work/hostile.clang"
        sed -n 's/^\([^,]*_bomb,[^,]*\),\([^,|]*\)[^,]*,\([^,]*\),.*/\1,\2,\3/p' grading/hostile/expected.csv
        sed -n 's/^\([^,]*,[^,]*\),\([^,|]*\)[^,]*,\([^,]*\),"made: .*/\1,\2,\3/p' grading/hostile/expected.csv
    )
fi
finish
