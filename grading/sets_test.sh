#!/bin/bash
# sets_test.sh: grades the honest and the hostile submissions as one class. Each submission must earn the points in
# expected.csv. No student's file may contain a secret, no file may be written outside --out, and no process may remain.
# check: slow course
set -u
export LC_ALL=C
. profiler/tools/expect.sh
cleanup() {
    chmod -R u+rwX "$work"
    rm -rf "$work"
}
trap cleanup EXIT
needs_grading
needs_ptx

# In a submission, `../` is relative to the staged submission, $TMPDIR/tlab-grade-XXXXXX.
class=$work/class out=$work/out
export TMPDIR=$work/a/temporary HOME=$work/home TLAB_SETS_TEST=$$.$RANDOM
secret=PLANTED_${SEED:-8c41f2e7}
grading/hostile/make "$class" || exit 1
cp -r grading/hostile/*/ grading/honest/*/ "$class"
mkdir -p "$TMPDIR/secret" "$HOME" "$work/rubrics" "$work/here" "$class/neighbour"
echo "int $secret;" >"$TMPDIR/secret/marker.h"
cp -r solutions "$work/solutions"
sed -i "1i // $secret" "$work"/solutions/*/*.cu
sed "1i // $secret" grading/honest/padded_right/padded.cu >"$class/neighbour/padded.cu"
cp grading/rubrics/*.json "$work/rubrics"
echo "#error $secret" >"$work/rubrics/marker.h"
echo "$secret" >"$work/seed"
printf 'id,name,email\nhalf,"=1+1","<b>@x"\ncopy_only,"Eve ""</script><script>alert(2)</script>",e\nnan,"]]><x>",\n' >"$work/roster.csv"
manifest() { (cd "$1" && find . -printf '%p %y %s %m %T@ %l\n' | sort); }
manifest "$class" >"$work/class.before"
touch "$work/begin"

sandbox=bubblewrap
mkdir "$work/try"
cp grading/honest/naive_right/naive.cu "$work/try"
"$tlab" grade "$work/try" --out "$work/tried" >/dev/null 2>&1 || sandbox=seccomp
cd "$work/here" || exit 1
expect "the whole class" 0 " graded now" -- \
    "$tlab" grade "$class" --out "$out" --rubrics "$work/rubrics" --seed "$work/seed" \
    --roster "$work/roster.csv" --sandbox "$sandbox"
cd - >/dev/null || exit 1

verdicts() { # SET OUT: compare the verdicts of the submissions of a set
    local least=0 most=4
    [ "$1" = honest ] && least=4 most=5
    awk -f grading/verdicts.awk "$2/grade.json" | awk -F, -v set="grading/$1/expected.csv" \
        'BEGIN { while ((getline < set) > 0) mine[$1] } $1 in mine' >"$work/verdicts"
    awk -F, -v least=$least -v most=$most -f grading/expected.awk "grading/$1/expected.csv" "$work/verdicts"
}
check "honest submissions earn the expected points" verdicts honest "$out"
check "hostile submissions earn at most the expected points" verdicts hostile "$out"
check "marks are close to a teacher's" awk -F, -f grading/honest/marks.awk grading/honest/expected.csv <(
    awk -f grading/verdicts.awk "$out/grade.json")
hidden_failures() { # true if the feedback is the same for every kind of failure
    local name
    for name in assert outside endless nothing; do
        sed "s/hidden_$name/hidden/g" "$out/students/hidden_$name/feedback.txt" | cmp - "$work/hidden_feedback" ||
            return 1
    done
}
sed 's/hidden_assert/hidden/g' "$out/students/hidden_assert/feedback.txt" >"$work/hidden_feedback"
check "the feedback is the same for all failures at hidden sizes" hidden_failures
check "every submission is in one of the sets" none sh -c "
    awk -f grading/verdicts.awk '$out/grade.json' | cut -d, -f1 | sort -u >'$work/graded'
    cut -d, -f1 grading/honest/expected.csv grading/hostile/expected.csv | sort -u >'$work/expected'
    comm -23 '$work/graded' '$work/expected' | grep -vx neighbour"

students() { find "$out/students" -type f ! -path '*/neighbour/*' -print0 | xargs -0 "$@"; }
check "no planted text" none students grep -l "$secret"
check "no system file" none students grep -lE 'root:[^:]*:0:0|/usr/sbin/nologin'
check "no environment" none students grep -l "$TLAB_SETS_TEST"
check "no seed" none students grep -l "$(sha256sum <"$work/seed" | cut -c1-64)"
check "no path of this machine" none students grep -lE "$work|$PWD|tlab-grade-"
hidden_sizes() { # print "ROWS x COLS", except published sizes and sizes as small as grids and blocks
    awk '/^          "cols":/ { cols = $2 } /^          "hidden":/ { hidden = $2 }
         /^          "rows":/ { size = $2 " x " cols; gsub(",", "", size)
             if (hidden !~ /true/) not[size]; else if ($2 + 0 > 99 || cols + 0 > 99) is[size] }
         END { for (size in is) if (!(size in not)) print size }' "$out/grade.json"
}
hidden_sizes | sed 's/.*/(^|[^0-9])&([^0-9]|$)/' >"$work/hidden"
check "there are hidden sizes" grep -q x "$work/hidden"
check "no hidden sizes" none students grep -lE -f "$work/hidden"

check "no control characters" none sh -c "find '$out' -name feedback.txt -print0 |
    xargs -0 grep -lP '[\\x00-\\x08\\x0b-\\x1f\\x7f]|\\xe2\\x80[\\xaa-\\xae]'"
check "no script of a submission" none grep -rliE --include='*.html' '<script>alert|<img src=x|</script><script|<b>@x' "$out"
check "no formulas" none grep -E '(^|,)"?[=+@-][^0-9]' "$out/gradebook.csv"
rows() { # count rows by their ids, because notes may contain line ends
    local people rows
    people=$(find "$class" -mindepth 1 -maxdepth 1 -printf x | wc -c)
    rows=$(grep -c '^"[A-Za-z0-9._-]*","' "$out/gradebook.csv")
    echo "$people people, $rows rows"
    [ "$rows" -eq "$people" ]
}
check "one row per person" rows
well_formed() { # true if every & and < in the XML is markup of the reports
    none find "$out" -name '*.xml' -exec grep -lE '&([^a-z#]|[a-z]+[^a-z;])|<[^a-z/?!]|\]\]>' {} +
}
check "well-formed XML" well_formed

manifest "$class" >"$work/class.after"
check "the class is unchanged" cmp "$work/class.before" "$work/class.after"
check "nothing in the temporary directory" [ "$(ls -A "$TMPDIR")" = secret ]
check "nothing in the home directory or the working directory" none find "$HOME" "$work/here" -mindepth 1
escaped() { # print files that were written by a relative path in this directory, or by an absolute path in /tmp
    find "$work" -maxdepth 4 -name '*escaped*' ! -path "$class/*" ! -path "$out/*" -newer "$work/begin"
    find /tmp -maxdepth 1 -name '*escaped*' -newer "$work/begin"
}
check "no file was written outside" none escaped
running() { # print the processes whose arguments contain the output directory
    for process in /proc/[0-9]*; do
        [ "${process#/proc/}" != $$ ] && [ "${process#/proc/}" != "$BASHPID" ] || continue
        { tr '\0' '\n' <"$process/cmdline" | grep -qF "$out"; } 2>/dev/null &&
            { tr '\0' ' ' <"$process/cmdline"; echo; }
    done
    return 0
}
check "no process is running" none running

if [ $sandbox = bubblewrap ]; then
    mkdir "$work/reaching"
    for name in include_environ include_marker include_passwd include_solution include_stdin include_zero incbin; do
        cp -r "$class/$name" "$work/reaching"
    done
    expect "the weaker sandbox" 0 " graded now" -- \
        "$tlab" grade "$work/reaching" --out "$work/weak" --seed "$work/seed" --sandbox seccomp
    check "no points for submissions that read files" none sh -c "
        awk -f grading/verdicts.awk '$work/weak/grade.json' | grep -v ',0\$'"
    check "no planted text with the weaker sandbox" none grep -rlE "$secret|root:[^:]*:0:0|$TLAB_SETS_TEST" "$work/weak/students"
fi

finish
