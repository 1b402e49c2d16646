#!/bin/bash
# release_test.sh: tests the archive for students: its files must be complete, it must contain no solution in any form,
# and it must work as the student guide describes. release_container_test.sh builds tlab from it in a minimal system.
# Run from the repository root. check: slow
set -u
. profiler/tools/expect.sh
needs jq perl
root=$PWD

check "the archive" solutions/release_students "$work/a.tar.gz"
check "a second archive" solutions/release_students "$work/b/b.tar.gz"
check "both archives are identical" cmp "$work/a.tar.gz" "$work/b/b.tar.gz"
check "the archive is smaller than 5 MB" [ "$(stat -c %s "$work/a.tar.gz")" -lt 5000000 ]
check "files belong to root" sh -c 'tar -tvzf "$0" | awk "\$2 != \"0/0\" { exit 1 }"' "$work/a.tar.gz"
tar -xzf "$work/a.tar.gz" -C "$work"
course=$work/transpose-lab
check "no file of instructors" none sh -c "cd '$course' && find . | grep -E 'solutions|NOTES|honest|hostile|_test\.|testdata|plots/published|[.]ci|policy|gradescope'"
check "every lab" diff -r labs "$course/labs"
for file in README.md include/lab.h docs/student-guide.md .devcontainer/Dockerfile .vscode/tasks.json LICENSE; do
    check "$file" [ -s "$course/$file" ]
done

told() { # print the rubrics that do not state the number of hidden points
    (cd grading/rubrics && find . -name '*.json' ! -name policy.json) | while read -r rubric; do
        cat "grading/rubrics/$rubric" "$course/grading/rubrics/$rubric" |
            jq -s --arg rubric "$rubric" 'if .[1].elsewhere > 0 and .[0].points == .[1].points + .[1].elsewhere then empty else $rubric end'
    done
}
check "rubrics state the number of hidden points" none told

check "no solution" solutions/find_solutions "$course"
lines() { # FILE: print the lines of its solution that no skeleton contains, without spaces
    sed -n '\#^ *//>>#,\#^ *//[=<]#p' "$1" | sed 's#//.*##' | tr -d ' \t' | awk '
        NR == FNR { skeletons = skeletons $0 "\n"; next }
        length($0) >= 30 && !index(skeletons, $0)' <(cat labs/*/*.cu | sed 's#//.*##' | tr -d ' \t') -
}
find "$course" -type f -exec cat {} + | tr -d ' \t' >"$work/all"
for solution in solutions/*/*.cu; do
    check "no line of $solution" none sh -c 'grep -aF "$1" "$2"' grep "$(lines "$solution")" "$work/all"
done
# find_solutions must find copied solutions in any file and any layout.
plant() { # NAME FILE: check that standard input is found if it is added to FILE of the archive
    mkdir -p "$(dirname "$work/planted/$2")"
    cat "$course/$2" - >"$work/planted/$2" 2>/dev/null
    expect "planted: $1" 1 "$2:[0-9]+: " -- solutions/find_solutions "$work/planted"
    rm -rf "$work/planted"
}
plant "unchanged" labs/03_padded/old.cu <solutions/03_padded/padded.cu
plant "one line of a solution" labs/03_padded/README.md < <(grep 'TILE_DIM + 1' solutions/03_padded/padded.cu)
plant "as a comment in C" profiler/main.c < <(sed 's#//.*##; s#^#// #' solutions/06_diagonal/diagonal.cu)
plant "quoted, in a page" docs/more.md < <(sed 's#^#> #' solutions/21_sum_sequential/sum_sequential.cu)
plant "in HTML" docs/more.html < <(sed 's#&#\&amp;#g; s#<#\&lt;#g; s#>#\&gt;#g' solutions/01_naive/naive.cu)
plant "in one line" include/more.h < <(sed 's#//.*##' solutions/02_coalesced/coalesced.cu | tr '\n' ' ')
plant "with other names and numbers" labs/07_register_tile/mine.cu \
    < <(sed 's/\btile\b/box/g; s/\bcol\b/c/g; s/\brow\b/r/g; s/out_/o/g; s/TILE_DIM/32/g; s/odata/b/g; s/idata/a/g; s/  */ /g' \
        solutions/03_padded/padded.cu)
plant "an upload" submissions/x.cu <grading/honest/padded_right/padded.cu
expect "a folder that does not exist" 2 "usage" -- solutions/find_solutions "$work/nowhere"

mkdir "$work/tree"
tar -c --exclude=./build --exclude=./.git --exclude=./out --exclude=results --exclude=./grading/h* --exclude=testdata --exclude=corpus . | tar -x -C "$work/tree"
refused() { # NAME PATTERN
    expect "$1" 2 "$2" -- "$work/tree/solutions/release_students" "$work/tree/x.tar.gz"
    check "$1: nothing is written" [ ! -e "$work/tree/x.tar.gz" ]
}
cp solutions/01_naive/naive.cu "$work/tree/labs/01_naive/naive.cu"
refused "a lab solved in labs/" "labs/01_naive/naive.cu"
cp labs/01_naive/naive.cu "$work/tree/labs/01_naive/naive.cu"
cp solutions/01_naive/naive.cu "$work/tree/labs/01_naive/mine.cu"
refused "an additional file beside a lab" "labs/01_naive/mine.cu"
rm "$work/tree/labs/01_naive/mine.cu"
sed -n '/>> solution/,/== skeleton/p' solutions/03_padded/padded.cu >>"$work/tree/docs/student-guide.md"
refused "a solution in the guide" "docs/student-guide.md:[0-9]+: the line 03_padded"

cd "$course" || exit
check "make can build tlab" make -n build/tlab
check "make help" none sh -c 'make -s help | grep -E "make (check|grade|skeletons|release)"'
expect "make check" 2 "requires files of the course authors" -- make -s check
mkdir -p build && cp "$tlab" build/tlab
expect "an unchanged lab" 1 "wrong_result" -- build/tlab run labs/00_copy --rows 64 --cols 96
expect "no new exercises" 2 "tlab new is for authors" -- build/tlab new mine --like 03_padded
expect "a solved lab" 0 " ok" -- sh -c 'cp "$0" labs/03_padded/ && build/tlab run 03 --rows 64 --cols 96' "$root/solutions/03_padded/padded.cu"
cp "$root/labs/03_padded/padded.cu" labs/03_padded/
cp "$root/profiler/tools/expect.sh" profiler/tools
TLAB=build/tlab bash "$root/docs/links_test.sh" $(find . -name '*.md' ! -path './profiler/*' | sed 's#^\./##') |
    grep -vE '^(ok|1\.\.)' >"$work/links"
check "the links and commands in the archive's pages are valid" none cat "$work/links"
finish
