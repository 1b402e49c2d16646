# timing_judge.sh: sourced by the tests of modelled times. $work is theirs: a directory to write in.
tlab=${TLAB-build/tlab}
failures=0

# emulate DEVICE SIZE LOOP: the course's kernels into $work/emulated.csv.
emulate() {
    "$tlab" run solutions/0* --device "$1" --rows "$2" --cols "$2" --loop "$3" \
        --csv "$work/emulated.csv" >"$work/output" 2>&1 && return
    echo "FAILED: the course on $1 at $2 x $2 does not run:"
    tail -5 "$work/output"
    exit 1
}

# judge_measured SIZE: every kernel of the course on the emulated H200 within 15 % of the time that the
# H200 took.
judge_measured() {
    emulate h200 "$1" launch
    "$tlab" compare --markdown "docs/results/h200/course_$1.csv" "$work/emulated.csv" >"$work/compared"
    awk -F ' *[|] *' -v size="$1" '
        /^### / { run = $0; sub(/:.*/, "", run); sub(/^### /, "", run) }
        $2 == "time_us" {
            rows++
            printf "%s: %s us measured, %s modelled, %s\n", run, $3, $4, $5
            deviation = $5 + 0
            if (deviation > 15 || deviation < -15) {
                print "FAILED: more than 15 % off"
                bad = 1
            }
        }
        END {
            if (rows != 8) print "FAILED: " rows + 0 " kernels of 8 were compared"
            exit bad || rows != 8
        }' "$work/compared" || failures=1
}
