# timing_judge.sh: sourced by the tests of modelled times.
. profiler/tools/expect.sh
needs_ptx

# emulate DEVICE SIZE LOOP: run the course's kernels. Write records to $work/emulated.csv.
emulate() {
    "$tlab" run solutions/0[0-6]_* --device "$1" --rows "$2" --cols "$2" --loop "$3" \
        --csv "$work/emulated.csv" >"$work/output" 2>&1 && return
    fail "the course on $1 at $2 x $2 does not run" "$work/output"
    finish
}

# judge_measured DEVICE SIZE MOST: check that the modelled time of each kernel of the course differs
# from the time on the GPU by at most MOST %.
judge_measured() {
    emulate "$1" "$2" launch
    "$tlab" compare --markdown "docs/results/$1/course_$2.csv" "$work/emulated.csv" >"$work/compared"
    check "modelled times at $2 x $2 are within $3 % of the times on an $1" awk -F ' *[|] *' -v most="$3" '
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

# judge_ladder CSV ROWS: check that an emulated CSV has ROWS rows of labs 02 to 12 with square
# matrices on h200, and that each time is within 8 % of the time on an H200. The time on an H200 is
# the first matching row of record.csv, forms.csv and course_*.csv.
judge_ladder() {
    check "labs of $1 are within 4 % of the times on an H200" awk -F, -v rows="$2" '
        FNR == 1 { delete field; for (i = 1; i <= NF; i++) field[$i] = i; file++; next }
        $field["rows"] != $field["cols"] { next }
        { size = $field["rows"]; name = $field["variant" in field ? "variant" : "kernel"] }
        file < ARGC - 1 { if (!((size, name) in us)) us[size, name] = $field["time_us"]; next }
        name ~ /^(copy|copy_shared|naive)$/ { next }
        (size, name) in us {
            compared++
            deviation = 100 * ($field["time_us"] / us[size, name] - 1)
            printf "%s at %d squared: %.1f us measured, %.1f modelled, %+.1f %%\n", name, size, us[size, name],
                $field["time_us"], deviation
            if (deviation > 4 || deviation < -4) bad = 1
        }
        END {
            if (compared != rows) print compared + 0 " rows of " rows " were compared"
            exit bad || compared != rows
        }' docs/results/h200/record.csv docs/results/h200/forms.csv docs/results/h200/course_*.csv "$1"
}

# modelled FILE DEVICE ROWS COLS COLUMN: run a lab, which must be correct. Print one column of its
# record.
modelled() {
    "$tlab" run "$1" --device "$2" --rows "$3" --cols "$4" --csv "$work/one.csv" >"$work/output" 2>&1 || return
    awk -F, -v column="$5" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i; next } { print $at; exit }' "$work/one.csv"
}

# Write a variant of the record lab to $work/along.cu. Its blocks run along the rows of the input.
make_along() {
    sed 's/int top = first \* TILE, left = second \* TILE;/int left = first * TILE, top = second * TILE;/
        s/lab_grid(tiles_down(height), across)/lab_grid(across, tiles_down(height))/
        s/lab_grid(down, across)/lab_grid(across, down)/' \
        solutions/10_record/record.cu >"$work/along.cu"
    same "three lines of the record determine the position of a block" 3 "$(diff solutions/10_record/record.cu "$work/along.cu" | grep -c '^>')"
}
