#!/bin/bash
# hint_test.sh: `tlab hint`: the topic follows what is missing most, the level grows by one each time, and no
# hint is an answer. Run from the repository's root; TLAB names the program.
set -u
. profiler/tools/expect.sh
needs_ptx
needs jq
export XDG_STATE_HOME=$work/state
! "$tlab" run solutions/01_naive --rows 32 --cols 32 --points 2>&1 | grep -q "was built without" ||
    skip_all "tlab was built without rubrics"

mkdir "$work/labs"
cp -R labs/00_copy labs/02_coalesced labs/03_padded labs/06_diagonal "$work/labs"
rm "$work"/labs/*/predict.txt
hint() { "$tlab" hint "$work/labs/$1" --rows 128 --cols 96 "${@:2}"; }

# --- levels -------------------------------------------------------------------------------------------------
expect "not started: a question" 1 "02_coalesced: no code is written yet hint 1 of 3, a question:.*What must have happened" -- hint 02_coalesced
expect "then where to look: what the lab says to do first" 1 "hint 2 of 3, where to look: The output is untouched" -- hint 02_coalesced
check "one at a time" none grep "hint 1" "$work/output"
expect "then an idea" 1 "hint 3 of 3, an idea" -- hint 02_coalesced
expect "and no more" 1 "hint 3 of 3.*There is no further hint" -- hint 02_coalesced
expect "all that were given" 1 "hint 1 of 3.*hint 2 of 3.*hint 3 of 3" -- hint 02_coalesced --again
expect "another lab begins at the question" 1 "hint 1 of 3" -- hint 03_padded
rm -rf "$XDG_STATE_HOME"
expect "forgotten: begins anew" 1 "hint 1 of 3" -- hint 02_coalesced
expect "none given yet" 1 "No hint was given" -- hint 03_padded --again
printf 'x' >"$work/file"
expect "nowhere to remember: gives the first" 1 "hint 1 of 3" -- env XDG_STATE_HOME="$work/file/state" "$tlab" hint "$work/labs/06_diagonal"
for file in "$XDG_STATE_HOME"/transpose-lab/*.hints; do printf 'start = many\n\0=' >"$file"; done
expect "a damaged memory is as good as none" 1 "hint 1 of 3" -- hint 02_coalesced

# --- topics -------------------------------------------------------------------------------------------------
as() { # LAB SOURCE: another lab's kernel, handed in for it
    sed "s/^LAB(.*);/LAB(${1#*_});/" "$2" >"$work/labs/$1/${1#*_}.cu"
}
cp solutions/00_copy/copy.cu "$work/labs/00_copy"
expect "of two exercises the one that is missing" 1 "00_copy/copy_shared: no code is written" -- hint 00_copy
as 03_padded solutions/02_coalesced/coalesced.cu
line=$(grep -n '= tile' "$work/labs/03_padded/padded.cu" | cut -d: -f1)
expect "the worst goal" 0 "03_padded: the goal is not reached: Shared memory has no bank conflicts hint 1 of 3" -- hint 03_padded
expect "its line, and what stands there" 0 "31 bank conflicts per shared load .32-way., expected 0 \(line $line\) line $line: .*= tile\[" -- hint 03_padded
as 03_padded solutions/01_naive/naive.cu
expect "another goal begins at the question" 0 "the goal is not reached: .*hint 1 of" -- hint 03_padded
as 06_diagonal solutions/03_padded/padded.cu
expect "order of blocks" 0 "the goal is not reached: .*hint 1 of 3" -- hint 06_diagonal
for broken in 's/__syncthreads();//|race|Which two threads access the same element' \
    's/tile\[threadIdx.x\]\[threadIdx.y + i\]/tile[threadIdx.y + i][threadIdx.x]/|wrong_result|which tile of the output' \
    's/col < width/col < width + 1/|out_of_bounds|Which thread steps outside' 's/float tile/flote tile/|compile_error|first message only'; do
    IFS='|' read -r edit about question <<<"$broken"
    sed "$edit" solutions/02_coalesced/coalesced.cu >"$work/labs/02_coalesced/coalesced.cu"
    rm -rf "$XDG_STATE_HOME"
    expect "$about" 1 "02_coalesced: $about hint 1 of [23], a question:" -- hint 02_coalesced
    hint 02_coalesced >"$work/output"
    check "$about: then the message" grep -q "hint 2 of [23], where to look" "$work/output"
done
# Hints on one verdict are not those on another: the kernel lost a barrier after all was said of its result.
rm -rf "$XDG_STATE_HOME"
sed 's/tile\[threadIdx.x\]\[threadIdx.y + i\]/tile[threadIdx.y + i][threadIdx.x]/' solutions/02_coalesced/coalesced.cu >"$work/labs/02_coalesced/coalesced.cu"
for level in 1 2 3; do hint 02_coalesced >/dev/null; done
sed 's/__syncthreads();//' solutions/02_coalesced/coalesced.cu >"$work/labs/02_coalesced/coalesced.cu"
expect "another verdict begins at the question" 1 "race hint 1 of 3, a question" -- hint 02_coalesced
hint 02_coalesced >/dev/null
expect "its idea is not that of a wrong result" 1 "hint 3 of 3, an idea: Are the two threads in the same block" -- hint 02_coalesced
sed 's/col < width/col < width + 1/' solutions/02_coalesced/coalesced.cu >"$work/labs/02_coalesced/coalesced.cu"
for level in 1 2; do hint 02_coalesced >/dev/null; done
expect "that of an address is" 1 "out_of_bounds hint 3 of 3, an idea: Two pairs of indices" -- hint 02_coalesced
as 02_coalesced solutions/02_coalesced/coalesced.cu
expect "right" 0 "correct, all goals of the rubric reached" -- hint 02_coalesced
rm "$work/labs/03_padded/hints.txt"
as 03_padded solutions/02_coalesced/coalesced.cu
rm -rf "$XDG_STATE_HOME"
expect "without a file of hints the rubric asks" 0 "hint 1 of 2, a question: In which bank" -- hint 03_padded
while IFS='|' read -r text phrase; do
    printf '%b' "$text" >"$work/labs/03_padded/hints.txt"
    expect "hints: $text" 2 "$phrase" -- hint 03_padded
done <<'END'
conflicts = pad it|hints.txt:1: .conflicts. is neither TOPIC.question nor TOPIC.idea
conflicts.answer = pad it|hints.txt:1: .conflicts.answer. is neither
idea|expected .key = value.
\n.idea = x|hints.txt:2: ..idea. is neither
END
expect "two labs" 2 "one lab" -- "$tlab" hint labs/00_copy labs/01_naive
expect "no lab" 2 "needs a lab" -- "$tlab" hint
expect "help" 0 "Each call prints the next level" -- "$tlab" hint --help

# --- the files ------------------------------------------------------------------------------------------------
for file in solutions/*/hints.txt; do
    lab=${file%/hints.txt}
    exercises=$(sed -n 's/^exercises = \([^#]*\).*/\1/p' "$lab/lab.conf")
    {
        printf '%s\n' start right compile_error launch_error wrong_result out_of_bounds misaligned race uninitialised deadlock timeout
        for exercise in $exercises; do jq -r '.checks[].id' grading/rubrics/"$exercise".json grading/rubrics/*/"$exercise".json 2>/dev/null; done
    } | sort -u >"$work/topics"
    check "$file: its topics are those of the rubric" none grep -vxFf "$work/topics" \
        <(sed -n 's/^\([a-z0-9_.]*\)\.\(question\|idea\) *=.*/\1/p' "$file" | sed 's/.*\.//' | sort -u)
    check "$file: every line is one" none grep -vE '^(#.*|[a-z0-9_.]+\.(question|idea) = .+|)$' "$file"
    check "$file: no code, no answer" none grep -iE '\[[a-zA-Z]|\+ ?1\b|one word more|lengthen|swizzl|\bxor\b|;$|__[a-z]+\(|restrict' "$file"
done
finish
