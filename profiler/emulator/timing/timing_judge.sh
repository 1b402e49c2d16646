# timing_judge.sh: sourced by the tests of modelled times.
. profiler/tools/expect.sh
needs_ptx

# emulate DEVICE SIZE LOOP: the course's kernels into $work/emulated.csv.
emulate() {
    "$tlab" run solutions/0[0-6]_* --device "$1" --rows "$2" --cols "$2" --loop "$3" \
        --csv "$work/emulated.csv" >"$work/output" 2>&1 && return
    fail "the course on $1 at $2 x $2 does not run" "$work/output"
    finish
}

# judge_measured SIZE: every kernel of the course on the emulated H200 within 8 % of the time that the
# H200 took.
judge_measured() {
    emulate h200 "$1" launch
    "$tlab" compare --markdown "docs/results/h200/course_$1.csv" "$work/emulated.csv" >"$work/compared"
    check "times at $1 x $1 within 8 % of those of an H200" awk -F ' *[|] *' -v size="$1" '
        /^### / { run = $0; sub(/:.*/, "", run); sub(/^### /, "", run) }
        $2 == "time_us" {
            rows++
            printf "%s: %s us measured, %s modelled, %s\n", run, $3, $4, $5
            deviation = $5 + 0
            if (deviation > 8 || deviation < -8) {
                print "more than 8 % off"
                bad = 1
            }
        }
        END {
            if (rows != 8) print rows + 0 " kernels of 8 were compared"
            exit bad || rows != 8
        }' "$work/compared"
}
