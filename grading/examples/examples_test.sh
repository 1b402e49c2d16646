#!/bin/bash
# examples_test.sh: the examples do what they say, as far as that can be seen without their platforms. Run from
# the repository root; TLAB names the program.
set -u
. profiler/tools/expect.sh
export TLAB=$tlab
here=$PWD/grading/examples

needs_grading
needs jq
needs_ptx

mkdir -p "$work/grade/student" "$work/course/grading"
ln -s "$here" "$work/course/grading/examples"
echo seed >"$work/course/secret.seed"
cp solutions/03_padded/padded.cu "$work/grade/student"
tar -C "$work/grade/student" -cf "$work/handin.tar" padded.cu

expect "usage" 2 "^grade_one FORMAT" -- "$here/grade_one"
expect "a harness failure" 2 "No such file" -- "$here/grade_one" github "$work/nowhere"
expect "Autolab" 0 '^\{.*"padded":20\.0.*\}$' -- \
    sh -c "make -s -f '$here/autolab/Makefile' COURSE='$work/course' HANDIN='$work/handin.tar' | tail -n 1"
expect "PrairieLearn" 0 "" -- env GRADE="$work/grade" COURSE="$work/course" "$here/prairielearn/grade"
expect "its results" 0 "^1 true" -- jq -r '"\(.score) \(.gradable)"' "$work/grade/results/results.json"
expect "its question" 0 "true" -- jq -e '.externalGradingOptions | .enabled and .timeout > 60' \
    "$here/prairielearn/info.json"
rm "$work/course/secret.seed"
expect "PrairieLearn without a seed" 0 "cannot open the seed" -- \
    env GRADE="$work/grade" COURSE="$work/course" "$here/prairielearn/grade"
expect "its excuse" 0 "tell your instructor" -- jq -e 'select(.gradable == false) | .message' \
    "$work/grade/results/results.json"

# The workflow's own words, in its directories.
sed -n '/^          course.*grade_one github/,/GITHUB_OUTPUT/p' "$here/github-classroom.yml" >"$work/step"
mv "$work/grade/student" "$work/submission"
expect "GitHub's step" 0 "" -- sh -c \
    "cd '$work' && sed -i 's/--labs/--sandbox seccomp --labs/' step && GITHUB_OUTPUT=output.txt bash -e ./step"
expect "its output" 0 "^pass 20$" -- sh -c \
    "sed -n 's/^result=//p' '$work/output.txt' | base64 -d | jq -r '\"\\(.status) \\(.max_score)\"'"

finish
