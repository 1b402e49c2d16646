#!/bin/bash
# agree_test.sh: tests that `tlab run`, `tlab run --points` and `tlab grade` agree on every solution of the course and
# every variant of it.
# check: late course plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_grading
needs_ptx
needs jq

mkdir "$work/class" "$work/rubrics"
find grading/rubrics -name '*.json' -exec cp {} "$work/rubrics" \;
sources=$(ls solutions/[0-9]*/*.cu solutions/*/variants/*.cu)
for source in $sources; do
    name=$(basename "$source" .cu)
    exercise=$(sed -nE 's/^LAB\((.*)\);.*/\1/p' "$source") # grading uses the name of the file
    mkdir "$work/class/$name" && cp "$source" "$work/class/$name/$exercise.cu"
done
expect "grade" 0 "" -- "$tlab" grade "$work/class" --out "$work/out" --rubrics "$work/rubrics" --seed "$seed"
size="--device h200 --rows 256 --cols 256"
expect "run --points" 0 "" -- "$tlab" run --points $size $sources
cp "$work/output" "$work/points"
expect "run" 0 "" -- "$tlab" run $size $sources
cp "$work/output" "$work/run"

# Print "NAME SCORE of POINTS TITLE" for each published check that needs no instructor.
jq -r '.grades[] | .id as $name | .labs[] | select(.status != "missing") | .checks[] |
    select(.visible and .kind != "naming" and .kind != "explanation" and .id != "hidden") |
    [$name, .score, .points, .title] | @tsv' "$work/out/grade.json" |
    awk -F'\t' '{ printf "%s %.2f of %.2f %s\n", $1, $2, $3, $4 }' | sort >"$work/graded"
# If a lab has only one kernel, the output names the lab's directory, such as 11_batched.
sed -nE 's,^([0-9]+_)?([^ :]*/)?([a-z0-9_]+): [0-9.]+ of .* published points$,@\3,p; s/^ +([0-9.]+) of +([0-9.]+)  ([^:]*).*/\1 of \2 \3/p' "$work/points" |
    awk '/^@/ { name = substr($0, 2); next } { print name, $0 }' | sort >"$work/earned"
same "every kernel is graded and has points" "$(wc -w <<<"$sources") $(wc -w <<<"$sources")" \
    "$(cut -d' ' -f1 "$work/graded" | uniq | wc -l) $(cut -d' ' -f1 "$work/earned" | uniq | wc -l)"
for source in $sources; do
    name=$(basename "$source" .cu)
    check "$name: run --points and grade" diff <(grep "^$name " "$work/graded") <(grep "^$name " "$work/earned")
done

# A kernel that reaches all goals according to `run` must earn all points of the goals.
reached() { # FILE: also print a kernel that reaches all goals, but is incorrect at larger sizes
    sed -E 's/: (all goals reached), but/: correct; \1/' "$1" |
        sed -nE 's,^([0-9]+_)?([^ :]*/)?([a-z0-9_]+): correct; (all goals reached)?.*,\3 \4,p' | sort
}
check "run and run --points: the same goals" diff <(reached "$work/run") <(reached "$work/points")
full() { # print each kernel, and whether it has all points of its goals in grade.json
    jq -r '.grades[] | .id as $name | .labs[] | select(.status != "missing") |
        [.checks[] | select(.visible and (.kind == "ratio" or .kind == "mechanism"))] |
        $name + (if length == 0 then " none" elif all(.score == .points) then " all goals reached" else " " end)' \
        "$work/out/grade.json" | sort
}
check "run and grade: the same goals" diff <(reached "$work/run") <(full | grep -v ' none$')
finish
