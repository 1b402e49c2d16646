#!/bin/bash
# examples_test.sh: tests the examples for platforms with simulated platforms.
# check: course plain
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
expect "the results for PrairieLearn" 0 "^1 true" -- jq -r '"\(.score) \(.gradable)"' "$work/grade/results/results.json"
expect "the question for PrairieLearn" 0 "true" -- jq -e '.externalGradingOptions | .enabled and .timeout > 60' \
    "$here/prairielearn/info.json"
rm "$work/course/secret.seed"
expect "PrairieLearn without a seed" 0 "cannot open the seed" -- \
    env GRADE="$work/grade" COURSE="$work/course" "$here/prairielearn/grade"
expect "the message to the student without a seed" 0 "tell your instructor" -- jq -e 'select(.gradable == false) | .message' \
    "$work/grade/results/results.json"

words=$(sed -n 's/^# *\(mkdir grader .*\)$/\1/p' "$here/github-classroom.yml")
mkdir "$work/packing"
expect "the package, made with the commands of the workflow" 0 "" -- sh -c \
    "cd '$work/packing' && ln -s '$PWD/grading' grading && ${words:-false}"
package=$work/packing/grader
known() { # print the digests of private files: solutions, submissions, notes, kernels of tables and tests
    find solutions grading/honest grading/hostile grading/gradescope plots profiler/emulator profiler/tools \
        \( -name '*.cu' -o -name '*.md' \) -exec sha256sum {} + | cut -d' ' -f1 | sort -u
}
no_solutions() {
    known >"$work/known"
    none sh -c "find '$package' -type f -exec sha256sum {} + | grep -v '/README.md$' | grep -F -f '$work/known'" &&
        none sh -c "find '$package' | grep -E '_test\\.|testdata|solutions|NOTES|honest|hostile|published|seed$'"
}
check "no solution, no submission, no test" no_solutions
check "no kernels except skeletons and kernels that measure a GPU" none sh -c "find '$package' -name '*.cu' ! -path '*/labs/*' ! -path '*/profiler/hardware/calibrate/*' | grep ."
check "the package contains labs, rubrics and sources" ls "$package/labs/03_padded/padded.cu" "$package/grading/rubrics/padded.json" "$package/grading/intake/intake.h" "$package/grading/report/student.jq"
check "the workflow does not clone the course" none grep -E '^[^#]*(git clone|COURSE)' "$here/github-classroom.yml"
every_header() { # the package contains all headers that its sources include
    (cd "$package" && find . -name '*.c' ! -path './profiler/hardware/gpu/*' -exec "${CC:-cc}" -Iprofiler -Igrading -MM {} + >/dev/null)
}
check "the package contains every header" every_header

# Run the steps of the workflow with their commands and directories. Network and compiler are simulated.
step() { # NAME: print the script of the step
    awk -v name="- name: $1" 'index($0, name) { on = 1; next } on && /^      - / { exit }
        on && /^          / { print substr($0, 11) }' "$here/github-classroom.yml"
}
mkdir "$work/bin"
printf '#!/bin/sh\nfor word; do :; done\ncp "%s" "$word"\n' "$work/packing/grader.tar.gz" >"$work/bin/curl"
printf '#!/bin/sh\n[ "$3" = deps ] || { mkdir -p course/build && cp "%s" course/build/tlab; }\n' "$tlab" >"$work/bin/make"
chmod +x "$work/bin/curl" "$work/bin/make"
mv "$work/grade/student" "$work/submission"
step "Build the grader" >"$work/build"
step "Grade" | sed 's/--labs/--sandbox seccomp --labs/' >"$work/step"
expect "GitHub's first step" 0 "" -- sh -c "cd '$work' && rm -r course && PATH='$work/bin:$PATH' GRADER=https://x bash -eu ./build"
expect "GitHub's second step" 0 "" -- env -u TLAB sh -c "cd '$work' && GITHUB_OUTPUT=output.txt bash -e ./step"
expect "the output of the workflow" 0 "^pass 20$" -- sh -c \
    "sed -n 's/^result=//p' '$work/output.txt' | base64 -d | jq -r '\"\\(.status) \\(.max_score)\"'"

finish
