# expect.sh: sourced by test scripts that run commands and judge status and output. $work is theirs: a
# directory to write in.
failures=0 cases=0

# expect NAME STATUS PATTERN -- COMMAND...: the status, and an extended regular expression that the output
# (both streams) must match.
expect() {
    local name=$1 status=$2 pattern=$3
    shift 4
    cases=$((cases + 1))
    "$@" >"$work/output" 2>&1 </dev/null
    local got=$?
    # Messages are wrapped to the terminal: lines are joined before matching, but for ^ and $.
    if [ $got -ne "$status" ] ||
        ! { cat "$work/output" && tr -s '\n ' ' ' <"$work/output" && echo; } | grep -qE -- "$pattern"; then
        failures=$((failures + 1))
        echo "FAILED: $name: status $got, expected $status; output should match: $pattern"
        sed 's/^/    /' "$work/output" | head -20
    fi
}
