#!/bin/bash
# grade_test.sh: tests the command line of `tlab grade`, and grades a class with all kinds of submissions.
# check: course
set -u
. profiler/tools/expect.sh

needs_grading
needs_ptx
class=$work/class out=$work/out
grade() { "$tlab" grade "$class" --out "$out" --sandbox seccomp "$@"; }

mkdir "$class"
expect "help" 0 "usage: tlab grade" -- "$tlab" grade --help
expect "no arguments" 2 "needs a folder or an archive" -- "$tlab" grade
expect "no --out" 2 "needs --out DIR" -- "$tlab" grade "$class"
expect "unknown option" 2 "no option .--colour" -- grade --colour
expect "two classes" 2 "accepts one class" -- grade "$class"
expect "an unknown engine" 2 "must be .local. or .slurm., not .pbs" -- grade --engine pbs
expect "an unknown sandbox" 2 "must be .bubblewrap. or .seccomp., not .none" -- grade --sandbox none
expect "an unknown device" 2 "must be .gpu., not .h200" -- grade --device h200
expect "--jobs 0" 2 "--jobs must be" -- grade --jobs 0
expect "a lab of another course" 2 "no rubric for .inplace. in .*grading/rubrics, but a subfolder has this rubric: use --rubrics .*grading/rubrics/record$" -- grade --labs padded,inplace
expect "an unknown lab" 2 "no rubric for .paded. in .*rubrics .paded.json" -- grade --labs paded
expect "no labs" 2 "--labs needs exercises" -- grade --labs ,
expect "empty value" 2 "--roster needs a value" -- grade --roster ""
expect "missing value" 2 "--seed needs a value" -- grade --seed
expect "--one with --roster" 2 "cannot be used together" -- grade --one x --roster y
mkdir -p "$class/someone" "$work/outer/class" "$work/made"
ln -s "$class" "$work/to_class"
ln -s "$class/someone" "$work/to_someone"
inside() { expect "$1" 2 "is inside the folder of submissions" -- "$tlab" grade "$2" --out "$3"; }
inside "--out in the class" "$class" "$class/out"
inside "--out deep in the class" "$class/" "$class/not/yet/there/"
inside "--out is the class" "$class" "$class"
inside "--out is the class, by another name" "$class/someone/.." "$work/./class/"
inside "--out in the class, through a link" "$class" "$work/to_class/out"
inside "--out in a folder of the class, through a link" "$work/to_class" "$work/to_someone/out"
inside "--out in the working directory, which is the class" . grades
outer() { expect "$1" 2 "are inside --out" -- "$tlab" grade "$2" --out "$3"; }
outer "the class in --out" "$work/outer/class" "$work/outer"
outer "the class in --out, through a link" "$work/to_someone" "$work/to_class"
outer "the class in --out, from elsewhere" "$work/outer/class" "$work/made/../outer/"
expect "--out with .. after a missing directory" 2 "the directory before .. does not exist" -- \
    "$tlab" grade "$class" --out "$work/not/there/../../class/out"
check "nothing was written into the class" none find "$class" "$work/outer" -mindepth 1 ! -name someone ! -name class
rmdir "$class/someone" "$work/outer/class" "$work/outer" "$work/made"
check "nothing was written for bad usage" [ ! -e "$out" ]
expect "a missing class" 2 "No such file" -- "$tlab" grade "$work/nowhere" --out "$out"
expect "empty class" 2 "contains no submission" -- grade
expect "a missing seed" 2 "cannot open the seed .*No such file" -- grade --seed "$work/nowhere"
: >"$work/empty"
expect "empty seed" 2 "the seed .* is empty" -- grade --seed "$work/empty"
cp -r grading/rubrics "$work/broken"
sed -i '0,/"full": [0-9.]*/s//"full": "much"/' "$work/broken/padded.json"
expect "a broken rubric" 2 "^tlab: $work/broken/padded.json: checks.[0-9]+.\.full: must be a number$" -- \
    grade --rubrics "$work/broken" --labs padded
mkdir "$work/alone"
cp solutions/03_padded/padded.cu solutions/01_naive/naive.cu "$work/alone"
alone() { "$tlab" grade "$work/alone" --one alone --out "$work/of_one" --sandbox seccomp --rubrics "$work/broken" "$@"; }
expect "a broken rubric, named by --labs" 2 "^tlab: $work/broken/padded.json: checks.[0-9]+.\.full: must be a number$" -- alone --labs naive,padded
check "no file is written for a broken rubric" [ ! -e "$work/of_one" ]
expect "the other exercises are graded" 2 "naive +1 +10.0 of 10.*$work/broken/padded.json: checks.*: this exercise is not graded; all other exercises are" -- alone
check "the exercise of a broken rubric has no mark" none grep -q padded "$work/of_one/gradebook.csv"
cp grading/rubrics/padded.json "$work/broken"
expect "with a correct rubric, the exercise is graded" 0 "^padded +1 +20.0 of 20" -- alone
expect "a task without its order" 2 "a task needs --seed" -- grade --task-of 0

mkdir -p "$class/Zoë Müller/labs" "$class/bad" "$class/nothing"
cp solutions/03_padded/padded.cu "$class/Zoë Müller/labs/my padded.cu"
cp solutions/01_naive/naive.cu "$class/eve.cu"
tar -C solutions/03_padded -czf "$class/tar.tar.gz" padded.cu
ln -s /etc/passwd "$class/bad/padded.cu"
echo 'name it so' >"$class/nothing/padded.txt"
printf 'Student;SIS Login ID\n"Müller, Zoë";zm1\nEve;eve\nNobody;nob\n' >"$work/roster.csv"
expect "a class" 0 "6 people, 5 with a submission, 6 graded now" -- \
    grade --roster "$work/roster.csv" --labs naive,padded --jobs 2
for id in zm1 eve nob tar bad nothing; do
    check "feedback of $id" [ -s "$out/students/$id/feedback.txt" ]
done
check "only the owner can read the seed" [ "$(stat -c %a "$out/secret.seed")" = 600 ]
check "a link is reported" grep -q "padded.cu is a symbolic link: an instructor must check it by hand" "$out/students/bad/feedback.txt"
check "no text of a linked file is in the output" sh -c "! grep -rq root:x: '$out'"
check "a wrong file extension is reported" grep -q "padded.txt" "$out/students/nothing/feedback.txt"
score() { sed -n "s/^\"$1\",\"[^\"]*\",\"[^\"]*\",\(.*\)/\1/p" "$out/gradebook.csv"; }
check "the name is from the roster" grep -q '"zm1","Zoë Müller"' "$out/gradebook.csv"
check "one file, two archives, one grade" [ "$(score tar)" = "$(score zm1)" ]
check "a student without a submission has no points" [ "$(score nob | cut -d, -f1-3)" = "0,0,0" ]
expect "the same class again" 0 "6 people, 5 with a submission, 0 graded now" -- \
    grade --roster "$work/roster.csv" --labs naive,padded
cp solutions/01_naive/naive.cu "$class/nothing/"
expect "a late file" 0 " 1 graded now" -- grade --roster "$work/roster.csv" --labs naive,padded
expect "another seed" 0 "A secret seed was made|6 graded now" -- \
    grade --roster "$work/roster.csv" --labs naive,padded --seed LICENSE
expect "one submission" 0 "1 person, 1 with a submission" -- \
    "$tlab" grade "$class/Zoë Müller" --one submission --out "$work/one" --sandbox seccomp --labs padded
check "the results of one submission" [ -s "$work/one/students/submission/results.json" ]
# If a kernel is incorrect only in the counted run, no counter is shown as 0.
sed 's/    int col = /    if (width == 512) return;\n&/' solutions/03_padded/padded.cu >"$work/alone/padded.cu"
expect "incorrect in the counted run" 0 "1 person" -- \
    "$tlab" grade "$work/alone" --one alone --out "$work/of_one" --sandbox seccomp --labs padded
check "the student's page shows NA" grep -q '<p>NA: the kernel was incorrect at this size' "$work/of_one/students/alone/index.html"
check "no counter is shown as 0" none grep -E '(^|[^0-9.])0 (sectors|wavefronts|MB)' "$work/of_one/students/alone/index.html"
expect "a task on a node with another tlab" 2 "tlab, the compiler or the rubrics on this node differ" -- \
    grade --labs naive,padded --seed "$out/secret.seed" --task-of 0

finish
