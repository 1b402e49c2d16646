#!/bin/bash
# viva_sheets_test.sh: tests `tlab viva` for a class: the bulk download of Canvas, one person, some exercises, and an
# HTML file with a new printed page for each person.
# check: late plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_grading
needs jq zip
needs_ptx

class=$work/class
mkdir "$class" "$work/inner"
cp solutions/03_padded/padded.cu "$class/annb_101_5001_padded.cu"
cp solutions/01_naive/naive.cu "$class/annb_101_5002_naive.cu.txt"
cp solutions/02_coalesced/coalesced.cu "$work/inner/" && (cd "$work/inner" && zip -q "$class/chris_102_5003_work.zip" coalesced.cu)
sed 's/__syncthreads/\/\/ <b>\n&/; s/tile\[threadIdx.x\]/tile[threadIdx.y]/' solutions/03_padded/padded.cu >"$class/dan_103_5004_padded.cu"
sed '0,/^{/s/^{/{ while (true) { odata[0] += 1; }/' solutions/03_padded/padded.cu >"$class/eve_104_5005_padded.cu"
cp labs/03_padded/padded.cu "$class/finn_105_5006_padded.cu"
echo "see my mail" >"$class/gina_106_5007_note.txt"
(cd "$class" && zip -q "$work/class.zip" ./*)

"$tlab" viva "$work/class.zip" --labs padded,naive,coalesced >"$work/all" 2>&1
same "the exit status" 0 $?
same "three questions for each correct kernel" 3 "$(grep -c '^3\. ' "$work/all")"
check "person and exercise" grep -qx "coalesced, coalesced.cu" "$work/all"
same "questions for a kernel with another file extension" 1 "$(grep -c '^naive, ' "$work/all")"
check "an incorrect kernel" grep -qx "No questions, because the kernel is incorrect: wrong_result" "$work/all"
check "a kernel that does not end" grep -q "incorrect: timeout" "$work/all"
same "people without questions" 2 "$(sed -n 's/^Without a sheet: //p' "$work/all" | tr ',' '\n' | grep -cE 'finn|gina')"
check "the folder has the same output as its archive" diff <("$tlab" viva "$class" --labs padded,naive,coalesced) "$work/all"
expect "one person by its id" 0 "annb_101" -- "$tlab" viva "$class" --id annb_101 --labs naive
expect "one person, with answers" 0 "^annb \(annb_101\) padded, [^ ]*padded.cu 1\. .* => .*3\. .* => [^=]*$" -- "$tlab" viva "$work/class.zip" --id annb --labs padded --answers
mkdir "$work/one" && cp "$class/annb_101_5001_padded.cu" "$work/one/padded.cu"
check "the questions are those for the file" diff -B <(sed 1,4d "$work/output") \
    <("$tlab" viva "$work/one/padded.cu" --answers | sed 1,2d)
mkdir -p "$work/classroom/transpose-ann" "$work/classroom/transpose-bo" && cp "$work/one/padded.cu" "$work/classroom/transpose-ann"
expect "one login of GitHub Classroom" 0 "transpose-ann" -- "$tlab" viva "$work/classroom" --id ann
expect "an unknown name" 2 "no submission in .* has the id or name .zed." -- "$tlab" viva "$class" --id zed
expect "a missing class" 2 "nowhere" -- "$tlab" viva "$work/nowhere" --page "$work/none.html"
check "no page is written for a missing class" [ ! -e "$work/none.html" ]
expect "two classes" 2 "one class" -- "$tlab" viva "$class" "$class" --id annb
expect "a quiz of a class" 2 "combined with --quiz" -- "$tlab" viva "$class" --id annb --quiz

expect "a page" 0 "wrote .*viva.html" -- "$tlab" viva "$work/class.zip" --page "$work/viva.html" --labs padded,coalesced
same "a section for each person, and for people without questions" 5 "$(grep -c '^<section>' "$work/viva.html")"
check "each section begins a page" grep -q "section{break-after:page}" "$work/viva.html"
check "no answers" none grep -n "=&gt;" "$work/viva.html"
expect "the examiner's page" 0 "wrote" -- "$tlab" viva "$work/class.zip" --page "$work/answers.html" --answers
check "the examiner's page has answers" grep -q "=&gt;" "$work/answers.html"
check "markup of students is escaped" none grep -n "<b>" "$work/answers.html"
if command -v chromium >/dev/null && command -v pdfinfo >/dev/null; then
    chromium --headless --no-sandbox --disable-gpu --print-to-pdf="$work/viva.pdf" "$work/viva.html" >/dev/null 2>&1
    same "printed pages" 5 "$(pdfinfo "$work/viva.pdf" | sed -n 's/^Pages: *//p')"
fi
finish
