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

# judge_measured DEVICE SIZE MOST: every kernel of the course, emulated, within MOST % of the time that the
# GPU took.
judge_measured() {
    emulate "$1" "$2" launch
    "$tlab" compare --markdown "docs/results/$1/course_$2.csv" "$work/emulated.csv" >"$work/compared"
    check "times at $2 x $2 within $3 % of those of an $1" awk -F ' *[|] *' -v most="$3" '
        /^### / { run = $0; sub(/:.*/, "", run); sub(/^### /, "", run) }
        $2 == "time_us" {
            rows++
            printf "%s: %s us measured, %s modelled, %s\n", run, $3, $4, $5
            deviation = $5 + 0
            if (deviation > most || deviation < -most) {
                print "more than " most " % off"
                bad = 1
            }
        }
        END {
            if (rows != 8) print rows + 0 " kernels of 8 were compared"
            exit bad || rows != 8
        }' "$work/compared"
}
