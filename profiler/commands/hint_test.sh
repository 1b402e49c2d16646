#!/bin/bash
# hint_test.sh [files]: tests of `tlab hint`, or only of the files of hints. The topic is the
# largest problem, the level increases by one each time, and no hint contains an answer. Run from
# the repository root; TLAB names the program.
set -u
. profiler/tools/expect.sh
needs_ptx
needs jq
export XDG_STATE_HOME=$work/state
! "$tlab" run solutions/01_naive --rows 32 --cols 32 --points 2>&1 | grep -q "was built without" ||
    skip_all "tlab was built without rubrics"

# --- the files of hints ---------------------------------------------------------------------------
general=profiler/view/hints.conf
{
    printf '%s\n' start
    sed -n 's/^ *X([A-Z_]*, "\([a-z_]*\)").*/\1/p' profiler/base/failure.h
    sed -n 's/^ *X([A-Z_0-9]*, "\([a-z0-9-]*\)").*/\1/p' profiler/base/finding.h
} | sort -u >"$work/mistakes"
jq -r '.checks[] | select(.kind != "correct") | .id' grading/rubrics/*.json grading/rubrics/*/*.json | sort -u >"$work/goals"
topics() { sed -n 's/^\([a-z0-9_.-]*\)\.\(question\|where\|idea\) *=.*/\1/p' "$1" | sed 's/.*\.//' | sort -u; }
check "$general: its topics exist" none grep -vxFf <(sort -u "$work/mistakes" "$work/goals") <(topics "$general")
check "$general: every goal has hints" none grep -vxFf <(topics "$general") "$work/goals"
# Some findings need no hints: remarks that name no mistake, and causes that the verdict describes.
# shellcheck disable=SC2046 # Words
check "$general: every mistake has hints" none grep -vxFf \
    <(topics "$general"; printf '%s\n' ok untrusted launched edges-only repair-tested not-begun other-size goals-unknown \
        elements-wrong $(grep '^race-' "$work/mistakes")) "$work/mistakes"
for file in solutions/*/hints.txt "$general"; do
    lab=${file%/hints.txt}
    if [ "$file" != "$general" ]; then
        exercises=$(sed -n 's/^exercises = \([^#]*\).*/\1/p' "$lab/lab.conf")
        {
            printf '%s\n' right
            cat "$work/mistakes"
            for exercise in $exercises; do jq -r '.checks[].id' grading/rubrics/"$exercise".json grading/rubrics/*/"$exercise".json 2>/dev/null; done
        } | sort -u >"$work/topics"
        check "$file: its topics are those of the rubric and of the diagnosis" none grep -vxFf "$work/topics" <(topics "$file")
    fi
    check "$file: every line is a comment, an entry or empty" none grep -vE '^(#.*|[a-z0-9_.-]+\.(question|where|idea) = .+|)$' "$file"
    check "$file: every question ends with a question mark" none grep -E '\.question = .*[^?]$' "$file"
    check "$file: no idea ends with a question mark" none grep -E '\.idea = .*\?$' "$file"
    check "$file: no hint contains code or an answer" none grep -iE '\[[a-zA-Z]|\+ ?1\b|one word more|lengthen|swizzle the|\bxor\b|;$|__[a-z]+\(|restrict' <(sed 's/^[^=]*=//' "$file")
done
[ "${1:-}" != files ] || finish

# --- levels ---------------------------------------------------------------------------------------
mkdir "$work/labs"
cp -R labs/00_copy labs/01_naive labs/02_coalesced labs/03_padded labs/06_diagonal "$work/labs"
rm "$work"/labs/*/predict.txt
hint() { "$tlab" hint "$work/labs/$1" --rows 128 --cols 96 "${@:2}"; }

expect "a lab that is not started begins with a question" 1 "02_coalesced: no code is written yet hint 1 of 3, a question:.*What must happen" -- hint 02_coalesced
expect "the second hint is where to look" 1 "hint 2 of 3, where to look: The comments in .* mark where code is missing" -- hint 02_coalesced
check "the hint does not repeat the output of the run" none grep "The output is untouched" "$work/output"
check "each call prints one hint" none grep "hint 1" "$work/output"
expect "the third hint is an idea" 1 "hint 3 of 3, an idea" -- hint 02_coalesced
expect "no further hint" 1 "hint 3 of 3.*There is no further hint" -- hint 02_coalesced
expect "--again prints all hints that were given" 1 "hint 1 of 3.*hint 2 of 3.*hint 3 of 3" -- hint 02_coalesced --again
expect "another lab begins with the question" 1 "hint 1 of 3" -- hint 03_padded
rm -rf "$XDG_STATE_HOME"
expect "without saved hints, the first hint is printed again" 1 "hint 1 of 3" -- hint 02_coalesced
expect "--again without a hint that was given" 1 "No hint was given" -- hint 03_padded --again
printf 'x' >"$work/file"
expect "if hints cannot be saved, the first hint is printed" 1 "hint 1 of 3" -- env XDG_STATE_HOME="$work/file/state" "$tlab" hint "$work/labs/06_diagonal"
for file in "$XDG_STATE_HOME"/transpose-lab/*.hints; do printf 'start = many\n\0=' >"$file"; done
expect "a damaged file of saved hints is ignored" 1 "hint 1 of 3" -- hint 02_coalesced

# --- topics ---------------------------------------------------------------------------------------
as() { # LAB SOURCE: put the kernel of another lab into a lab
    sed "s/^LAB(.*);/LAB(${1#*_});/" "$2" >"$work/labs/$1/${1#*_}.cu"
}
cp solutions/00_copy/copy.cu "$work/labs/00_copy"
expect "of two exercises, the one without code has the hint" 1 "00_copy/copy_shared: no code is written" -- hint 00_copy
as 03_padded solutions/02_coalesced/coalesced.cu
line=$(grep -n '= tile' "$work/labs/03_padded/padded.cu" | cut -d: -f1)
expect "the topic is the goal with the largest loss" 0 "03_padded: the goal is not reached: Shared memory has no bank conflicts hint 1 of 3" -- hint 03_padded
expect "the hint names the command for the line" 0 "hint 2 of 3, where to look: .build/tlab explain .*padded.cu --line $line. lists the bank" -- hint 03_padded
as 03_padded solutions/01_naive/naive.cu
expect "another goal begins with the question" 0 "the goal is not reached: .*hint 1 of" -- hint 03_padded
as 06_diagonal solutions/03_padded/padded.cu
expect "hints on the order of blocks" 0 "the goal is not reached: .*hint 1 of 3" -- hint 06_diagonal
topic_of() { # EDIT|TOPIC|QUESTION: the first two hints on a kernel with this mistake
    local edit about question
    IFS='|' read -r edit about question <<<"$1"
    sed "$edit" solutions/02_coalesced/coalesced.cu >"$work/labs/02_coalesced/coalesced.cu"
    rm -rf "$XDG_STATE_HOME"
    expect "$about" 1 "02_coalesced: $about hint 1 of [34], a question: $question" -- hint 02_coalesced
    expect "$about: then where to look" 1 "hint 2 of [34], where to look" -- hint 02_coalesced
}
for broken in 's/__syncthreads();//|race|What makes the second thread wait' \
    's/tile\[threadIdx.x\]\[threadIdx.y + i\]/tile[threadIdx.y + i][threadIdx.x]/|wrong_result|What must happen to the elements inside' \
    's/col < width/col < width + 2/|out_of_bounds|What must this line do' 's/int row = b/imt row = b/|compile_error|Read only the first'; do
    some topic_of "$broken"
done
# Both kernels have wrong results, but different hints, because hints depend on the mistake.
edit() { sed "$1" solutions/02_coalesced/coalesced.cu >"$work/labs/02_coalesced/coalesced.cu"; }
turned='s/tile\[threadIdx.x\]\[threadIdx.y + i\]/tile[threadIdx.y + i][threadIdx.x]/'
grid='s/lab_ceil_div(height, TILE_DIM)/height \/ TILE_DIM/'
rm -rf "$XDG_STATE_HOME"
edit "$turned"
for level in 1 2 3 4; do hint 02_coalesced >/dev/null; done
edit "1i // moved down
$turned"
expect "an edit above the line does not make a new mistake" 1 "hint 4 of 4.*There is no further hint" -- hint 02_coalesced
edit "$turned
s/float tile/flote tile/"
expect "a compile error begins with its first hint" 1 "compile_error hint 1 of 3" -- hint 02_coalesced
edit "$turned"
expect "the hints on the first mistake continue" 1 "wrong_result hint 4 of 4" -- hint 02_coalesced
edit "$grid"
"$tlab" run "$work/labs/02_coalesced" >"$work/run"
check "run does not print the repair" none grep "The result is correct with" "$work/run"
check "the message says that a repair was found" grep -q "A repair was found. .build/tlab hint " "$work/run"
expect "with --repair, run prints the repair" 1 "The result is correct with a grid of 3 x 4 blocks" -- "$tlab" run "$work/labs/02_coalesced" --repair
check "with --repair, the message is not printed" none grep "A repair was found" <("$tlab" run "$work/labs/02_coalesced" --repair)
expect "another mistake with the same verdict begins at the question" 1 "wrong_result hint 1 of 4, a question: How many blocks" -- hint 02_coalesced
for level in 2 3; do hint 02_coalesced >"$work/level.$level"; done
check "no level repeats the run" none grep -Ff <(sed -n '/^    /p' "$work/run" | cut -c5-) "$work"/level.[23]
expect "the repair is the last level" 1 "hint 4 of 4, a repair that was tested: The result is correct with a grid of 3 x 4 blocks" -- hint 02_coalesced
expect "no hint after the repair" 1 "hint 4 of 4.*There is no further hint" -- hint 02_coalesced
expect "--again prints all four hints" 1 "hint 1 of 4.*hint 2 of 4.*hint 3 of 4.*hint 4 of 4" -- hint 02_coalesced --again
edit "$turned"
expect "a mistake that another run no longer had is new" 1 "hint 1 of 4" -- hint 02_coalesced
edit ""
"$tlab" run "$work/labs/02_coalesced" >/dev/null
edit "$turned"
expect "a mistake that was repaired is forgotten" 1 "hint 1 of 4" -- hint 02_coalesced
edit 's/col < width/col < width + 2/'
for level in 1 2; do hint 02_coalesced >/dev/null; done
expect "the lab's idea is used only for mistakes that are not recognized" 1 "out_of_bounds hint 3 of 4, an idea: One name, operator" -- hint 02_coalesced
sed 's/(diagonal + tile_y)/(7 * tile_y * tile_y + 3)/; s/int diagonal = .*/int diagonal = 0;/' solutions/06_diagonal/diagonal.cu >"$work/labs/06_diagonal/diagonal.cu"
expect "a symptom has the lab's question" 1 "hint 1 of 3, a question: For a grid of 3 x 2 tiles" -- hint 06_diagonal
as 06_diagonal solutions/03_padded/padded.cu
# If the kernel is correct, a note on the cause of a missed goal precedes the goal.
as 01_naive solutions/01_naive/naive.cu
sed -i 's/i < TILE_DIM/i < 2 * TILE_DIM/' "$work/labs/01_naive/naive.cu"
expect "the hint on the cause comes before the hint on the goal" 0 "01_naive: a goal is not reached hint 1 of 3, a question: How many threads" -- hint 01_naive
as 02_coalesced solutions/02_coalesced/coalesced.cu
expect "a correct lab without missed goals" 0 "is correct and reaches all goals of the rubric" -- hint 02_coalesced
rm "$work/labs/03_padded/hints.txt"
as 03_padded solutions/02_coalesced/coalesced.cu
rm -rf "$XDG_STATE_HOME"
expect "without a file of hints, the question of the rubric is used" 0 "hint 1 of 3, a question: In which bank" -- hint 03_padded
while IFS='|' read -r text phrase; do
    printf '%b' "$text" >"$work/labs/03_padded/hints.txt"
    expect "hints: $text" 2 "$phrase" -- hint 03_padded
done <<'END'
conflicts = pad it|hints.txt:1: .conflicts. is not TOPIC.question, TOPIC.where or TOPIC.idea
conflicts.answer = pad it|hints.txt:1: .conflicts.answer. is not
idea|expected .key = value.
\n.idea = x|hints.txt:2: ..idea. is not
END
expect "two labs are an error" 2 "one lab" -- "$tlab" hint labs/00_copy labs/01_naive
expect "no lab is an error" 2 "needs a lab" -- "$tlab" hint
expect "the help of hint" 0 "Each call prints the next level" -- "$tlab" hint --help
finish
