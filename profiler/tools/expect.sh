# expect.sh: sourced by every test script, from the repository root. It prints TAP (the Test
# Anything Protocol): a line "ok N - NAME" or "not ok N - NAME" for each case, after the latter
# lines with "#" that give the reason, and at the end the number of cases.
#
# $tlab is the program to test (TLAB names it), $work a directory to write in, removed at the end.
tlab=$(realpath -m "${TLAB:-build/tlab}")
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state # runs are kept there (record_history.h)
cases=0 failures=0

pass() { # NAME
    cases=$((cases + 1))
    echo "ok $cases - ${1//#/\\#}"
}

fail() { # NAME [FILE]: its first line is the case's name; further ones, and FILE's first, say why
    cases=$((cases + 1)) failures=$((failures + 1))
    echo "not ok $cases - ${1//#/\\#}" | sed '2,$s/^/# /'
    [ $# -lt 2 ] || head -20 "$2" | sed 's/^/#     /'
}

skip() { # NAME REASON
    cases=$((cases + 1))
    echo "ok $cases - ${1//#/\\#} # SKIP $2"
}

# expect NAME STATUS PATTERN -- COMMAND...: the status, and an extended regular expression that the
# output (both streams, kept in $work/output) must match.
expect() {
    local name=$1 status=$2 pattern=$3
    shift 4
    "$@" >"$work/output" 2>&1 </dev/null
    local got=$?
    # Messages are wrapped to the terminal: lines are joined before matching, but for ^ and $.
    if [ $got -eq "$status" ] &&
        { cat "$work/output" && tr -s '\n ' ' ' <"$work/output" && echo; } | grep -qE -- "$pattern"; then
        pass "$name"
    else
        fail "$name
status $got, expected $status; output should match: $pattern" "$work/output"
    fi
}

check() { # NAME COMMAND...: it must succeed; what it prints says what is wrong
    local name=$1
    shift
    if "$@" >"$work/checked" 2>&1; then pass "$name"; else fail "$name" "$work/checked"; fi
}

none() { # COMMAND...: for check: it prints nothing
    ! "$@" 2>&1 | grep .
}

same() { # NAME EXPECTED GOT
    if [ "$2" = "$3" ] && [ -n "$2" ]; then pass "$1"; else fail "$1: $3, expected $2"; fi
}

within() { # NAME VALUE LOW HIGH
    check "$1: $2, expected $3 to $4" \
        awk -v value="$2" -v low="$3" -v high="$4" 'BEGIN { exit !(value + 0 >= low && value + 0 <= high) }'
}

column() { # FILE NAME [ROW]: a value of a CSV whose texts hold no commas
    awk -F, -v name="$2" -v row="${3:-1}" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR == row + 1 { print $at }' "$1"
}

finish() {
    echo "1..$cases"
    [ $failures -eq 0 ]
    exit
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
}
