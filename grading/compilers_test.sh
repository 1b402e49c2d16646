#!/bin/bash
# compilers_test.sh [all]: the honest submissions, compiled by clang, earn what expected.csv says, and
# exactly what they earn compiled by NVRTC; with `all`, which takes minutes, the hostile ones, too, earn no
# more than expected. Run from the repository root; TLAB names the program.
set -u
export LC_ALL=C
tlab=$(realpath "${TLAB-build/tlab}") # (the program with sanitizers would take minutes)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

if "$tlab" grade 2>&1 | grep -q "built without grading"; then
    echo "tlab was built without grading"
    exit 77
fi
mkdir "$work/try"
cp -r grading/honest/naive_right "$work/try"
echo "one seed for both" >"$work/seed"
# Without the bombs, which take all the time that a compiler is given.
mkdir "$work/set"
cp -r grading/honest "$work/set"
cp -r grading/hostile "$work/set"
rm -r "$work"/set/hostile/*_bomb
cage=bubblewrap
"$tlab" grade "$work/try" --out "$work/tried" >/dev/null 2>&1 || cage=seccomp
verdicts() { # COMPILER SET: into $work/SET.COMPILER
    TLAB_COMPILER=$1 "$tlab" grade "$work/set/$2" --out "$work/$2_$1" --seed "$work/seed" --sandbox $cage \
        >"$work/output" 2>&1 &&
        awk -f grading/verdicts.awk "$work/$2_$1/grade.json" >"$work/$2.$1"
}
for compiler in clang nvrtc; do
    if ! TLAB_COMPILER=$compiler "$tlab" grade "$work/try" --out "$work/$compiler" --sandbox $cage >/dev/null 2>&1; then
        echo "$compiler is not here"
        exit 77
    fi
done

failures=0
wrong() { # WHAT, and $work/output says why
    echo "FAILED: $1"
    head -20 "$work/output" | sed 's/^/    /'
    failures=$((failures + 1))
}
verdicts nvrtc honest || wrong "honest, NVRTC"
verdicts clang honest || wrong "honest, clang"
# Points alone: which of several mistakes shows first depends on the order of the instructions.
points() { cut -d, -f1,2,4 "$work/honest.$1"; }
diff <(points nvrtc) <(points clang) >"$work/output" || wrong "the same points from both"
awk -F, -v least=4 -v most=5 -f grading/expected.awk grading/honest/expected.csv "$work/honest.clang" >"$work/output" ||
    wrong "honest submissions earn what they should"
if [ "${1:-}" = all ]; then
    verdicts clang hostile || wrong "hostile, clang"
    awk -F, -v least=0 -v most=4 -f grading/expected.awk grading/hostile/expected.csv <(
        cat "$work/hostile.clang"
        sed -n 's/^\([^,]*_bomb,[^,]*\),\([^,|]*\)[^,]*,\([^,]*\),.*/\1,\2,\3/p' grading/hostile/expected.csv
        sed -n 's/^\([^,]*,[^,]*\),\([^,|]*\)[^,]*,\([^,]*\),"made: .*/\1,\2,\3/p' grading/hostile/expected.csv
    ) >"$work/output" || wrong "hostile submissions earn no more than they should"
fi
[ $failures -eq 0 ]
