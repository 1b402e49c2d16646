# expect.sh: every test script sources this file. Run test scripts from the repository root; TLAB is
# the path of tlab (default build/tlab). The output is TAP (the Test Anything Protocol): a line "ok
# N - NAME" or "not ok N - NAME" for each case, with the reason in lines with "#" after "not ok".
# The last line is the number of cases.
#
# $tlab is the absolute path of tlab. $work is a scratch directory, which is removed at the end.
tlab=$(realpath -m "${TLAB:-build/tlab}")
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state # tlab saves runs there (record_history.h)
cases=0 failures=0

pass() { # NAME
    cases=$((cases + 1))
    echo "ok $cases - ${1//#/\\#}"
}

fail() { # NAME [FILE]: line 1 of NAME is the case; the later lines and FILE are the reason
    cases=$((cases + 1)) failures=$((failures + 1))
    echo "not ok $cases - ${1//#/\\#}" | sed '2,$s/^/# /'
    [ $# -lt 2 ] || head -20 "$2" | sed 's/^/#     /'
}

skip() { # NAME REASON
    cases=$((cases + 1))
    echo "ok $cases - ${1//#/\\#} # SKIP $2"
}

# expect NAME STATUS PATTERN -- COMMAND...: the command must end with STATUS, and its output (both
# streams, saved in $work/output) must match the extended regular expression PATTERN.
expect() {
    local name=$1 status=$2 pattern=$3
    shift 4
    "$@" >"$work/output" 2>&1 </dev/null
    local got=$?
    # Messages are wrapped to the terminal width. Therefore, the pattern may match a single line (^
    # and $) or the joined lines.
    if [ $got -eq "$status" ] &&
        { cat "$work/output" && tr -s '\n ' ' ' <"$work/output" && echo; } | grep -qE -- "$pattern"; then
        pass "$name"
    else
        fail "$name
status $got, expected $status; output should match: $pattern" "$work/output"
    fi
}

# some COMMAND...: one of many similar, independent cases. With sanitizers, only one of
# TLAB_TEST_EVERY cases runs.
turns=0
some() {
    turns=$((turns + 1))
    [ $(((turns - 1) % ${TLAB_TEST_EVERY:-1})) -ne 0 ] || "$@"
}

check() { # NAME COMMAND...: the command must succeed; if it fails, its output is printed
    local name=$1
    shift
    if "$@" >"$work/checked" 2>&1; then pass "$name"; else fail "$name" "$work/checked"; fi
}

none() { # COMMAND...: true if the command prints nothing (for use with check)
    ! "$@" 2>&1 | grep .
}

same() { # NAME EXPECTED GOT
    if [ "$2" = "$3" ] && [ -n "$2" ]; then pass "$1"; else fail "$1: $3, expected $2"; fi
}

within() { # NAME VALUE LOW HIGH
    check "$1: $2, expected $3 to $4" \
        awk -v value="$2" -v low="$3" -v high="$4" 'BEGIN { exit !(value + 0 >= low && value + 0 <= high) }'
}

column() { # FILE NAME [ROW]: print a value of a CSV that has no commas in texts
    awk -F, -v name="$2" -v row="${3:-1}" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR == row + 1 { print $at }' "$1"
}

finish() {
    echo "1..$cases"
    [ $failures -eq 0 ]
    exit
}

# reuse_objects BUILD TREE: make the objects of BUILD, copied to TREE/build, up to date in TREE, which is a copy of the
# repository. Objects that contain the path of the repository are deleted.
reuse_objects() {
    sed "1s:$(realpath "$1/.."):$(realpath "$2"):" "$1/flags" >"$2/build/flags" && touch -r "$1/flags" "$2/build/flags" &&
        find "$2/build/obj" \( -name paths.o -o -name '*_test.o' -o -name '*_fuzz.o' \) -delete
}

# --- requirements of a script --------------------------------------------------------------------------

skip_all() { # REASON
    echo "1..0 # SKIP $1"
    exit 0
}

needs() { # PROGRAM...
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || skip_all "$program is not installed"
    done
}

needs_ptx() {
    ! "$tlab" doctor 2>&1 | grep -q "no compiler on this machine can generate PTX" || skip_all "no compiler on this machine can generate PTX"
}

needs_grading() {
    ! "$tlab" grade 2>&1 | grep -q "built without grading" || skip_all "tlab was built without grading"
    fixed_seed
}

# Write the file $seed for `tlab grade --seed`, so that every run of a test has the same hidden
# sizes. SEED=TEXT selects other sizes.
fixed_seed() {
    seed=$work/fixed.seed
    echo "${SEED:-fixed}" >"$seed"
}
