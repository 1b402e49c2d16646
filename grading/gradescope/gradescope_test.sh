#!/bin/bash
# gradescope_test.sh: tests the contents of the package for Gradescope, and its run_autograder with the tlab of this
# build. try_container tests the package's setup.sh.
# check: late course plain
set -u
here=$PWD/grading/gradescope
. profiler/tools/expect.sh
export TLAB_CUDA=none # clang, as on Gradescope

needs_grading
needs clang zip unzip jq

seed=the-seed-that-nobody-may-see
echo $seed >"$work/seed"
export AUTOGRADER=$work/autograder
source=$AUTOGRADER/source results=$AUTOGRADER/results/results.json
mkdir -p "$source" "$AUTOGRADER/submission" "$AUTOGRADER/results" "$work/other"
expect "usage" 2 "usage: make_zip" -- "$here/make_zip"
expect "the package" 0 "upload it" -- env SEED="$work/seed" ZIP="$work/x.zip" "$here/make_zip" "$work/my dir/gs.zip" \
    --labs naive,padded
expect "a missing seed" 1 "No such file" -- env SEED="$work/none" "$here/make_zip" "$work/none.zip"
check "no package is written" [ ! -e "$work/none.zip" ]
expect "another package" 0 "upload it" -- "$here/make_zip" "$work/other.zip"
check "the package is smaller than 10 MB" [ "$(stat -c %s "$work/my dir/gs.zip")" -lt 10000000 ]
check "only the owner can read the package" [ "$(stat -c %a "$work/my dir/gs.zip")" = 600 ]
unzip -q "$work/my dir/gs.zip" -d "$source"
unzip -q "$work/other.zip" -d "$work/other"
check "the package contains the given seed" cmp -s "$work/seed" "$source/secret/seed"
check "the package contains a new seed" grep -qE '^[0-9a-f]{64}$' "$work/other/secret/seed"
check "scripts can be started" [ -x "$source/setup.sh" -a -x "$source/run_autograder" ]
no_solutions() {
    local known
    known=$(sha256sum solutions/*/*.cu grading/h*/*/*.cu | cut -d' ' -f1)
    ! find "$source" -type f -exec sha256sum {} + | grep -F "$known" && ! find "$source" | grep -E '_test\.|testdata|solutions|NOTES'
}
check "no solution, no submission, no test" no_solutions
every_header() { # the package contains all headers that its sources include
    (cd "$source/lab" && find . -name '*.c' ! -path './profiler/hardware/gpu/*' -exec \
        "${CC:-cc}" -Iprofiler -Igrading -MM {} + >"$work/headers")
}
check "the package contains every header" every_header
can_make() { make -C "$source/lab" -n build/tlab >"$work/plan" 2>&1 && grep -q grading/judge "$work/plan"; }
check "make finds all sources" can_make

mkdir -p "$source/lab/build"
cp "$tlab" "$source/lab/build/tlab"
hand_in() { # FILE...
    rm -rf "$AUTOGRADER/submission"
    mkdir "$AUTOGRADER/submission"
    [ $# -eq 0 ] || cp "$@" "$AUTOGRADER/submission"
}
autograde() { # NAME CONDITION: run run_autograder and check a condition (jq) on its results
    rm -f "$results"
    expect "$1" 0 "" -- "$source/run_autograder"
    check "$1: results.json has the documented format" [ "$(jq -r -f "$here/results.jq" "$results" 2>&1)" = "" ]
    check "$1: $2" jq -e "$2" "$results"
    check "$1: results.json is the only file" [ "$(ls -A "$AUTOGRADER/results")" = results.json ]
    check "$1: no secrets" sh -c "! grep -qE '$seed|\"published\"|root:x:' '$results'"
}
sabotaged='((has("score") or has("tests")) | not) and (.output | test("tell your instructor"))'

hand_in solutions/01_naive/naive.cu solutions/03_padded/padded.cu
autograde "solutions" '.score == 30 and ([.tests[].max_score] | add) == 30'
hand_in labs/01_naive/naive.cu labs/03_padded/padded.cu
autograde "unchanged labs" '.score < 10 and ([.tests[].max_score] | add) == 30'
hand_in
autograde "no files" '.score == 0 and all(.tests[]; .output | test("No file was submitted"))'
mkdir "$work/thieves"
"$here/make_thieves" "$work/thieves" "$AUTOGRADER"
for thief in "$work"/thieves/*.cu; do
    hand_in "$thief"
    autograde "thief: ${thief##*/}" '.score == 0'
done
hand_in solutions/03_padded/padded.cu

mv "$source/secret/seed" "$work/away"
autograde "no seed" "$sabotaged"
check "the output for the instructor states the reason" grep -q "cannot open the seed" "$work/output"
mv "$work/away" "$source/secret/seed"
mv "$source/secret/options" "$work/away"
autograde "no options" "$sabotaged"
mv "$work/away" "$source/secret/options"
echo '{' >"$source/secret/rubrics/padded.json"
autograde "a broken rubric" "$sabotaged"
printf '#!/bin/sh\nsleep 60\n' >"$source/lab/build/tlab"
AUTOGRADER_SECONDS=1 autograde "too slow" "$sabotaged"
check "the student's message states the reason" grep -q "took too long" "$results"
rm "$source/lab/build/tlab"
autograde "no tlab" "$sabotaged"

finish
