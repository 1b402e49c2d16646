#!/bin/bash
# guide_test.sh: runs every command of the instructor guide, the page about rubrics and the guide for authors in a copy
# of the course, and compares the output with the pages. A list names the commands that are not run, with the reason.
# check: rare course plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_grading
needs_ptx
needs jq zip make
pages="docs/instructor-guide.md docs/rubrics.md docs/authoring-labs.md"
tree=$work/course
mkdir "$tree"
tar -c --exclude=./.git --exclude=./out --exclude=./build/[st]* . | tar -x -C "$tree"
reuse_objects build "$tree"
cd "$tree" || exit 1

# Print commands in code blocks, without their comments, and commands with arguments in sentences.
# shellcheck disable=SC2086
{
    sed -n '/^```/,/^```/p' $pages | grep -E '^(make|build/tlab|grading/|nvcc|cp|less) '
    grep -ohE '`(make|build/tlab|grading/similarity) [^`]*`' $pages | tr -d '`'
} | sed -E 's/ +#.*//; s/ {2,}.*//' | sort -u >"$work/commands"
: >"$work/done"
known() { # COMMAND: check that a page contains the command
    echo "$1" >>"$work/done"
    grep -qxF -- "$1" "$work/commands" || fail "no page contains: $1"
}
step() { # COMMAND STATUS PATTERN: run a command of a page
    known "$1"
    expect "$1" "$2" "$3" -- bash -c "$1"
}
like() { # COMMAND PLACEHOLDER NAME STATUS PATTERN: run a command of a page with a name instead of the placeholder
    known "$1"
    expect "${1//$2/$3}" "$4" "$5" -- bash -c "${1//$2/$3}"
}
block() { # PAGE LINE: print the code block that begins with the line
    awk -v line="$2" '/^```/ { on = 0; next } index($0, line) == 1 { on = 1 } on' "docs/$1"
}

mkdir downloads submissions submissions/alice
cp grading/honest/naive_guard_swapped/naive.cu downloads/bruceben_LATE_11002_52003_naive.cu
cp grading/honest/padded_unpadded/padded.cu downloads/bruceben_LATE_11002_52004_padded-1.cu
cp solutions/01_naive/naive.cu downloads/angstromalice_11001_52001_naive.cu
cp solutions/03_padded/padded.cu downloads/angstromalice_11001_52002_padded.cu
cp grading/hostile/published_sizes/padded.cu downloads/diazdora_11004_52007_padded.cu
cp downloads/diazdora_11004_52007_padded.cu .
cp solutions/03_padded/padded.cu submissions/alice
(cd downloads && zip -q ../submissions.zip -- *)
block instructor-guide.md Student,ID >roster.csv
cat >>roster.csv <<'END'
"Bruce, Ben",11002,s2,ben,1
"Díaz, Dora",11004,s4,dora,1
END
tail -n +2 roster.csv | sort -o sorted && { head -1 roster.csv && cat sorted; } >r && mv r roster.csv

step "make deps && make" 0 ""
step "make grade SUBMISSIONS=submissions.zip GRADE='--roster roster.csv --labs naive,padded'" 0 "4 people, 3 with a submission, 4 graded now"
step "build/tlab grade submissions.zip --roster roster.csv --labs naive,padded --out grades" 0 "The class: grades/index.html"
for file in index.html gradebook.csv changes.csv grade.json junit.xml students/ben/feedback.txt students/ben/github.json secret.seed; do
    check "there is $file" test -s "grades/$file"
done
shown() { # FILE: print the lines of standard input, up to "...", that the file does not contain
    local line
    while read -r line; do
        line=${line%...}
        [ -z "$line" ] || tr -s ' \n' ' ' <"$1" | grep -qF -- "$(tr -s ' ' <<<"$line")" || echo "not in $1: $line"
    done
}
check "the page shows Ben's feedback" none shown grades/students/ben/feedback.txt < <(block instructor-guide.md "Ben Bruce: ")
check "the page shows the gradebook" none shown grades/gradebook.csv < <(block instructor-guide.md id,name,email)
check "the page shows Dora's flag" none shown <(jq -r '.grades[].flags[] | .evidence' grades/grade.json) \
    < <(block instructor-guide.md "Dora D" | sed 's/^[^:]*: //')
expect "the same command again" 0 "0 graded now" -- build/tlab grade submissions.zip --roster roster.csv --labs naive,padded --out grades

step "build/tlab grade diazdora_11004_52007_padded.cu --one dora --labs padded --seed grades/secret.seed --out again" 0 "1 graded now"
judged() { jq '.grades[] | select(.id == "dora") | .labs[] | select(.exercise == "padded") | .checks, .runs' "$1/grade.json"; }
check "the grades are identical" diff <(judged grades) <(judged again)
secret=$(jq -r '.grades[] | select(.id == "dora") | .labs[].checks[].instructor' grades/grade.json |
    sed -nE 's/.*\b([0-9]+) x ([0-9]+) \(hidden, [a-z]+, seed ([0-9]+)\): wrong.*/--rows \1 --cols \2 --seed \3/p' | head -n 1)
like "build/tlab run diazdora_11004_52007_padded.cu --device h200 --rows 96 --cols 160 --seed 4286513454585346479" \
    "--rows 96 --cols 160 --seed 4286513454585346479" "$secret" 1 "wrong_result"
step "build/tlab viva submissions/alice" 0 "padded"
step "build/tlab viva submissions/alice --answers" 0 "padded"
step "build/tlab viva submissions.zip --page viva.html" 0 "wrote viva.html"
like "build/tlab viva submissions.zip --id alice --labs padded --answers" alice angstromalice 0 "=>"
if command -v sim_c >/dev/null; then
    step "grading/similarity grades" 0 ""
    step "grading/similarity grades 60" 0 ""
fi

step "cp -R grading/rubrics my-rubrics" 0 ""
step "build/tlab grade solutions/03_padded/padded.cu --one me --labs padded --rubrics my-rubrics --out out/try" 0 "1 graded now"
step "less out/try/students/me/feedback.txt" 0 "20 of 20 points"
block rubrics.md "{" >my-rubrics/padded.json
expect "the rubric of the page, with other weights" 0 "1 graded now" -- \
    build/tlab grade solutions/03_padded/padded.cu --one me --labs padded --rubrics my-rubrics --out out/try
same "the points with this rubric" 20 "$(jq '.grades[0].labs[0].score' out/try/grade.json)"
jq '.points = 24 | .checks += [{"id": "why", "kind": "explanation", "points": 4, "title": "Why?"}]' my-rubrics/padded.json >p && mv p my-rubrics/padded.json
block instructor-guide.md '{"time_zone"' >policy.json
block instructor-guide.md id,exercise >marks.csv
printf 'alice,ben\n' >pairs.csv
{ head -1 roster.csv | sed 's/$/,padded (8841)/' && echo '    Points Possible,,,,,24' && tail -n +2 roster.csv | sed 's/$/,/'; } >EXPORT.csv
class() { build/tlab grade submissions.zip --roster EXPORT.csv --labs naive,padded --out grades --rubrics my-rubrics "$@"; }
expect "an additional explanation changes a grade" 0 "dora, padded: 4 -> 0: the rubric has changed" -- class
check "an explanation is still to be marked" grep -q "4 more to be marked by an instructor" grades/students/alice/feedback.txt
expect "a late submission loses points" 0 "ben, naive: 3.25 -> 2.25: submitted late" -- class --policy policy.json
check "the feedback states that it is late" grep -q "late" grades/students/ben/feedback.txt
expect "a manual mark replaces the mark" 0 "alice, padded: 20 -> 14: marked by hand: reread: the idea is right.* 0 graded now" -- class --adjust marks.csv
sed -i '/^alice,padded,14/d' marks.csv
expect "only the explanation is marked by hand" 0 "alice, padded: 14 -> 23.* 0 graded now" -- class --adjust marks.csv --gradebook EXPORT.csv
same "the gradebook is filled in" '"Ångström, Alice",11001,s1,alice,1,23' "$(grep alice grades/upload.csv)"
check "the reason of the change" grep -q '"alice".*"padded".*by hand' grades/changes.csv
expect "grading with pairs" 0 "0 graded now" -- class --pairs pairs.csv
same "both partners have grades" "Alice Ångström Ben Bruce" "$(jq -r '.grades[].partners[].name' grades/grade.json | sort | tr '\n' ' ' | sed 's/ $//')"

# --- new exercises, which change no existing exercise -----------------------------------------------------------
like "build/tlab new NAME --like LAB" "NAME --like LAB" "mirrored --like 09_coarsened" 0 "made solutions/40_mirrored"
expect "tlab new copies a lab of two exercises" 0 "made solutions/41_half1" -- build/tlab new half1 --like 00_copy
expect "a lab that will become an inner product" 0 "made solutions/42_inner" -- build/tlab new inner --like 20_sum_shared
cat >include/references/inner.h <<'END'
static const char *const mistakes_inner[] = {"the elements are added, not multiplied", 0};
static inline void reference_inner(void *const *arrays, long long width, long long height, long long matrices, int mistake)
{
    unsigned *product = (unsigned *)arrays[0];
    const unsigned *a = (const unsigned *)arrays[1], *b = (const unsigned *)arrays[2];
    (void)matrices;
    for (long long i = 0; i < width * height; i++)
        product[0] += mistake ? a[i] + b[i] : a[i] * b[i];
}
END
sed -i 's/^course .*/course = vectors/; s/^kernel .*/kernel = inner/; s/^reference .*/reference = inner/
    s/^parameters .*/parameters = out unsigned product[1] zeroed, in unsigned a[count], in unsigned b[count], count/' solutions/42_inner/lab.conf
sed -i 's/reduce(unsigned \*sum, const unsigned \*values,/inner(unsigned *product, const unsigned *a, const unsigned *b,/
    s/? values\[i\]/? a[i] * b[i]/; s/values\[i\] != 0/a[i] != b[i]/; s/atomicAdd(sum/atomicAdd(product/' solutions/42_inner/inner.cu
mkdir grading/rubrics/vectors && mv grading/rubrics/sum/inner.json grading/rubrics/vectors
expect "an additional reference is built" 0 "wrote labs/42_inner" -- bash -c "make skeletons && make"
expect "the new lab runs" 0 "all goals reached" -- build/tlab run solutions/42_inner
sed 's/a\[i\] \* b/a[i] + b/' solutions/42_inner/inner.cu >inner.cu
expect "its mistake is recognized" 1 "the elements are added, not multiplied" -- build/tlab run inner.cu
expect "the new lab is graded" 0 "inner +1 +20.0 of 20" -- build/tlab grade solutions/42_inner/inner.cu --one me --rubrics grading/rubrics/vectors --out out/inner
expect "the new lab is drawn" 0 "drew" -- build/tlab picture banks solutions/42_inner --out inner.svg
expect "the new labs fulfil the requirements of every lab" 0 "" -- env TLAB=build/tlab bash solutions/course_test.sh 40_mirrored 41_half1 42_inner
expect "the tests of all labs" 0 "[1-9][0-9]+ passed, 0 failed, 1 skipped$" -- \
    env ONLY='/(answers|skeletons|tree|links)_test\.sh \([^s]' make check
expect "the hints of all labs" 0 "" -- env TLAB=build/tlab bash profiler/commands/hint_test.sh files

sed -i 's/^reference = .*/reference = rotate90/' solutions/03_padded/lab.conf
step "make skeletons" 0 "labs/03_padded/lab.conf"
like "build/tlab run solutions/NN_name" NN_name 03_padded 1 "this is the transpose, not the matrix turned"
sed -i 's/\* height + out_col\]/* height + (height - 1 - out_col)]/' solutions/03_padded/padded.cu
expect "the new solution" 0 "all goals reached" -- build/tlab run solutions/03_padded
expect "the new solution is graded" 0 "graded now" -- build/tlab grade solutions/03_padded/padded.cu --one me --labs padded --out out/turned
same "the new solution has all points" 20 "$(jq '.grades[0].score' out/turned/grade.json)"
step "build/tlab new turned --like 03_padded" 0 "made solutions/43_turned"
like "build/tlab run solutions/07_name" 07_name 43_turned 0 "all goals reached"
like "build/tlab run labs/07_name" 07_name 43_turned 1 "Your turn|wrong_result"
like "build/tlab run solutions/07_name --rows 1 --cols 5000" 07_name 43_turned 0 "all goals reached"
step "build/tlab run solutions/03_padded/variants/*.cu" 1 "wrong_result" # the variants still transpose
like "make grade SUBMISSIONS=DIR GRADE='--rubrics grading/rubrics/sum'" DIR submissions 0 "graded now"
rm -r solutions/01_naive labs/01_naive grading/rubrics/naive.json
expect "make skeletons after an exercise was removed" 0 "" -- make skeletons
expect "grading without the removed exercise" 0 "coalesced" -- build/tlab grade submissions --out out/less
# In a changed course, make check skips and lists the tests that require the course as shipped.
expect "make check of the changed course" 0 "it requires the course as shipped" -- \
    env ONLY='/(new|links)_test\.sh \([^s]' make check

while IFS='|' read -r command _; do
    known "$command"
done <<'END'
make release-students|solutions/release_test.sh
make check|runs this test
make check-all|the same
make course|solutions/course_test.sh
make course DIR=labs|the same
make handouts|docs/material_test.sh
make handouts INSTRUCTOR=yes|the same
make pictures|solutions/pictures_test.sh
make bench|measures performance
make gradescope-zip GRADE='--labs naive,padded' SEED=term.seed|grading/gradescope/gradescope_test.sh
nvcc -Iinclude solutions/07_name/first.cu -o first && ./first|requires a GPU; solutions/standalone_test.sh
build/tlab calibrate --out profiler/devices/labroom.conf --keep labroom|requires a GPU; profiler/hardware/calibrate/calibrate_test.sh
build/tlab run labs/03_padded --device labroom|the same
build/tlab run solutions/0[0-3]* --device a100 --rows 4096 --cols 4096 --csv out/a100.csv|plots/record_test.sh
make figures CSV=out/a100.csv|plots/render_test.sh
make figures DEVICE=a100|takes minutes
make figures|takes minutes
build/tlab picture banks solutions/02_coalesced --out banks.png|profiler/picture/picture_test.sh
build/tlab picture sectors solutions/01_naive --out sectors.svg|the same
build/tlab picture tile solutions/03_padded --out tile.pdf|the same
build/tlab picture order solutions/03_padded solutions/06_diagonal --out order.png|the same
build/tlab picture partitions solutions/03_padded solutions/06_diagonal --out partitions.png|the same
END
check "every command of the pages was run or is listed" none grep -vxF -f "$work/done" "$work/commands"
finish
