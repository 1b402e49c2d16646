#!/bin/bash
# marks_test.sh: tests marks that differ from the grader's points: deadlines, manual marks, pairs, open points, a filled
# gradebook, and changes between runs.
# check: course plain
set -u
. profiler/tools/expect.sh

needs_grading
needs_ptx
class=$work/class out=$work/out rubrics=$work/rubrics
mkdir -p "$rubrics" "$class"/{ada,ben,cy}
# Two exercises with 20 points: 12 for correctness, 8 for no bank conflicts or an explanation.
rubric() { # EXERCISE POINTS-FOR-CORRECT-RESULTS CHECKS: print a rubric
    cat <<END
{"exercise": "$1", "title": "$1, a title", "points": $(($2 + 8)), "published": [[64, 96], [33, 47]], "hidden": ["square"],
 "runs": [{"name": "counted", "device": "h200", "rows": 64, "cols": 64}],
 "checks": [{"id": "right", "kind": "correct", "title": "Right", "points": $2, "all": true}, $3]}
END
}
conflicts='{"id": "conflicts", "kind": "ratio", "title": "C", "points": 8, "run": "counted", "measure": "conflicts",
  "full": 0.2, "zero": 15.5}'
why='{"id": "why", "kind": "explanation", "title": "Why?", "points": 8}'
rubric padded 12 "$conflicts" >"$rubrics/padded.json"
rubric naive 12 "$why" >"$rubrics/naive.json"
cp solutions/03_padded/padded.cu "$class/ada"
cp solutions/03_padded/padded.cu "$class/ben"
sed 's/TILE_DIM + 1/TILE_DIM/' solutions/02_coalesced/coalesced.cu | sed 's/LAB(coalesced)/LAB(padded)/' >"$class/ben/second.cu"
cp solutions/01_naive/naive.cu "$class/cy"
touch -d '2026-11-20 12:00 UTC' "$class"/*/*
touch -d '2026-11-21 12:00 UTC' "$class/ben/second.cu"
printf 'Student,SIS Login ID,"padded (77)",naive,Notes\r\n    Points Possible,,20,10,\r\n"Á, Ada",ada,,,"a, b"\r\n"B, Ben",ben,,,\r\n"D, Dora",dora,,,\r\n"C, Cy",cy,,,x\r\n' \
    >"$work/export.csv"
grade() { "$tlab" grade "$class" --out "$out" --sandbox seccomp --rubrics "$rubrics" --roster "$work/export.csv" --seed LICENSE "$@"; }
row() { sed -n "s/^\"$1\",\"[^\"]*\",\"[^\"]*\",//p" "$out/gradebook.csv"; } # naive, padded, total, points, notes
marks() { row "$1" | cut -d, -f1-3; }
whole() { grep -v '"seconds"' "$1/grade.json"; }

expect "a class" 0 "4 people, 3 with a submission, 4 graded now" -- grade
check "marks" [ "$(marks ada) $(marks ben) $(marks cy) $(marks dora)" = "0,20,20 0,12,12 12,0,12 0,0,0" ]
check "the file that counts, and the reason" grep -q "second.cu counts, because it is the last file for this exercise .by the times of the files.; padded.cu does not count" "$out/students/ben/feedback.txt"
check "points to be marked are not deducted" grep -q "12 of 12 points, 8 more to be marked by an instructor" "$out/students/cy/feedback.txt"
check "the first run lists no changes" [ "$(wc -l <"$out/changes.csv")" = 1 ]
whole "$out" >"$work/first"
cp -r "$class" "$work/copy" # the files of the copy have other times, in the same order
touch -d '2026-01-20 12:00 UTC' "$work/copy"/*/*
touch -d '2026-01-21 12:00 UTC' "$work/copy/ben/second.cu"
expect "a copy, with other jobs" 0 "4 graded now" -- "$tlab" grade "$work/copy" --out "$work/other" --sandbox seccomp \
    --rubrics "$rubrics" --roster "$work/export.csv" --seed LICENSE --jobs 3
whole "$work/other" >"$work/second"
check "the same grades, to the last byte" cmp "$work/first" "$work/second"

printf '{"time_zone": "America/New_York", "deadline": "2026-11-20 07:00", "points_a_day": 3}' >"$rubrics/policy.json"
expect "a deadline needs no new grading" 0 " 0 graded now" -- grade
check "the last file on time counts" [ "$(marks ben)" = 0,20,20 ]
check "the change is reported" grep -q '"ben","Ben B","padded",12,20,"padded.cu counts instead of second.cu"' "$out/changes.csv"
printf '{"time_zone": "America/New_York", "deadline": "2026-11-20 06:59", "points_a_day": 3}' >"$rubrics/policy.json"
expect "a minute earlier" 0 "3 marks have changed|cy, naive: 12 -> 9" -- grade
check "all are late" [ "$(marks ada) $(marks ben) $(marks cy)" = "0,17,17 0,6,6 9,0,9" ]
check "lateness is reported" grep -q "submitted late on 2026-11-20 07:00: 1 day after 2026-11-20 06:59 (-3 points)" "$out/students/ada/feedback.txt"
expect "a missing policy" 2 "nowhere.json.*No such file" -- grade --policy "$work/nowhere.json"
echo '{}' >"$work/no-policy.json"
expect "another policy" 0 " 0 graded now" -- grade --policy "$work/no-policy.json"
check "without a deadline no student is late" [ "$(marks ada)" = 0,20,20 ]
rm "$rubrics/policy.json"

printf 'id,exercise,points,reason\nada,padded,15,"copied from <b>ben</b>"\ncy,naive/why,6,=good\nben,padded,+2,talked about it\ndora,naive,3,on paper\n' >"$work/marks.csv"
expect "manual marks need no new grading" 0 " 0 graded now" -- grade --adjust "$work/marks.csv"
check "marks are as set by hand" [ "$(marks ada) $(marks ben) $(marks cy) $(marks dora)" = "0,15,15 0,14,14 18,0,18 3,0,3" ]
check "the reason is in every report" [ "$(cd "$out/students/ada" && grep -l "copied from" -- * | tr '\n' ' ')" = \
    "feedback.txt github.json index.html prairielearn.json results.json " ]
check "the reason is escaped" grep -q "copied from &lt;b&gt;ben" "$out/students/ada/index.html"
check "Autolab has the mark" grep -q '"padded":15.0' "$out/students/ada/autolab.json"
check "Gradescope has the mark" [ "$(jq '.score, ([.tests[].score | numbers] | add)' "$out/students/ada/results.json" | tr '\n' ' ')" = "15 15 " ]
check "no field is a formula" none grep -E '(^|,)"?[=+@-][^0-9]' "$out/gradebook.csv" "$out/changes.csv"
cp "$out/gradebook.csv" "$work/before"
rubric padded 20 "$conflicts" >"$rubrics/padded.json"
expect "other weights" 0 "4 graded now" -- grade --adjust "$work/marks.csv"
check "manual marks are saved" [ "$(marks ada) $(marks ben) $(marks cy)" = "0,15,15 0,22,22 18,0,18" ]
check "the reason of the change" grep -q '"ben","Ben B","padded",14,22,"the rubric has changed"' "$out/changes.csv"
check "no other mark changes" [ "$(wc -l <"$out/changes.csv")" = 2 ]
expect "the same command again" 0 " 0 graded now" -- grade --adjust "$work/marks.csv"
check "the last changes are still listed" grep -q '"ben","Ben B","padded",14,22,' "$out/changes.csv"
printf 'id,exercise,points,reason\n\nzed,padded,15,x\n' >"$work/wrong.csv"
expect "an unknown id" 2 "wrong.csv:3: no student of this class has the id .zed." -- grade --adjust "$work/wrong.csv" --labs padded
printf 'id,exercise,points\nada,naive,3\nada,padded,29\n' >"$work/wrong.csv"
expect "too many points" 2 "wrong.csv:3: padded has at most 28 points, not 29" -- grade --adjust "$work/wrong.csv"
expect "an exercise that is not graded now" 0 " graded now" -- grade --adjust "$work/marks.csv" --labs padded

printf 'id,partner\ncy,ada\n' >"$work/pairs.csv"
expect "pairs" 0 "4 people, 3 with a submission" -- grade --pairs "$work/pairs.csv"
check "both partners get the marks of both exercises" [ "$(marks ada) $(marks cy)" = "12,28,40 12,28,40" ]
check "the partner who submitted the file" grep -q "submitted by Cy C for both partners" "$out/students/ada/feedback.txt"

expect "a gradebook" 0 "padded .77.. receives padded, scaled from 28 to 20 points" -- grade --gradebook "$work/export.csv"
check "people with a submission have marks" grep -q "3 of 4 people in the file have marks" "$work/output"
printf 'Student,SIS Login ID,"padded (77)",naive,Notes\r\n    Points Possible,,20,10,\r\n"Á, Ada",ada,20,0,"a, b"\r\n"B, Ben",ben,14.29,0,\r\n"D, Dora",dora,,,\r\n"C, Cy",cy,0,6,x\r\n' >"$work/expected.csv"
check "the gradebook is filled in, and otherwise unchanged" cmp "$work/expected.csv" "$out/upload.csv"
expect "zeros" 0 "4 of 4 people" -- grade --gradebook "$work/export.csv" --zeros
check "people without a submission get 0" grep -q '^"D, Dora",dora,0,0,' "$out/upload.csv"
printf 'id,padded\nada,\nned,\n' >"$work/other_class.csv"
expect "a gradebook of another class" 2 "2 of 3 submissions .for example ben. match no person in this file" -- grade --gradebook "$work/other_class.csv"
check "upload.csv is unchanged" grep -q '^"D, Dora",dora,0,0,' "$out/upload.csv"
printf 'id,quilted\nada,\n' >"$work/other.csv"
expect "a gradebook of another course" 2 "no column has the name of an exercise" -- grade --gradebook "$work/other.csv"

rubric diagonal 12 "$conflicts" >"$rubrics/diagonal.json"
printf 'Student,SIS Login ID,padded,diagonal,Transpose Lab\n"Á, Ada",ada,,,\n"C, Cy",cy,,,\n' >"$work/three.csv"
expect "an exercise without a submission is named, and not counted" 0 "not counted, because the class has no submission for them: diagonal" -- grade --gradebook "$work/three.csv"
last() { sed -n 's/^"ada","[^"]*","[^"]*",\([0-9.,]*\),".*/\1/p' "$out/gradebook.csv" | awk -F, -v n="$1" '{ print $(NF - n) }'; }
points=$(last 0) score=$(last 1)
check "the points are those of the other exercises" [ "$points" = 48 ]
check "the exercise has no column" none grep -q diagonal "$out/gradebook.csv"
check "the exercise has no zero in the platform's gradebook" grep -q "^\"Á, Ada\",ada,[0-9.]*,,$score\$" "$out/upload.csv"
check "the class page reports the exercise" grep -q 'not counted</span> diagonal: the class has no submission' "$out/index.html"
expect "an exercise that --labs names counts" 0 "^diagonal +0 +-" -- grade --labs naive,padded,diagonal
check "the exercise counts as 0" [ "$(last 1) $(last 0)" = "$score $((points + 20))" ]
printf 'id,exercise,points\nada,diagonal,5\n' >"$work/paper.csv"
expect "an exercise with a manual mark counts" 0 "^diagonal +0 +-" -- grade --adjust "$work/paper.csv"
check "that person has the mark" [ "$(last 0)" = $((points + 20)) ]

finish
