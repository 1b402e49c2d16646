#!/bin/bash
# timing_ladder_test.sh: compares modelled times of labs 02 to 12 on h200 with the times on an H200.
# Some labs are emulated here. docs/results/h200/emulated_ladder.csv contains all labs at three
# sizes (made by profiler/tools/bench/emulated_evidence.sh).
# check: slow course
set -u
. profiler/emulator/time/timing_judge.sh

"$tlab" run solutions/0[7-9]_* solutions/1[02]_* --device h200 --rows 4096 --cols 4096 --csv "$work/4096.csv" >"$work/output" 2>&1 ||
    fail "the ladder does not run" "$work/output"
judge_ladder "$work/4096.csv" 5
judge_ladder docs/results/h200/emulated_ladder.csv 15
judge_ladder docs/results/h200/emulated_4096.csv 5
judge_ladder docs/results/h200/emulated_8192.csv 5
judge_ladder docs/results/h200/emulated_16384.csv 5
times() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) field[$i] = i; next } $field["rows"] == 4096 { print $field["variant"], $field["time_us"] }' "$1" | sort; }
check "emulated_ladder.csv has the times of this emulation" diff <(times docs/results/h200/emulated_ladder.csv) <(times "$work/4096.csv")

# Blocks down the columns of the input are faster than blocks along the rows. The modelled ratio is
# within 2 % of the measured ratio (orders.csv).
make_along
measured() { awk -F, -v n="$1" '$1 == n && $2 == n && $3 == n { us[$4] = $5 } END { print us["turn_x"] / us["turn_y"] }' docs/results/h200/orders.csv; }
for n in 4096 8192; do
    down=$(modelled solutions/10_record h200 $n $n time_us) along=$(modelled "$work/along.cu" h200 $n $n time_us)
    check "blocks at $n squared: $along us along the rows, $down us down the columns, a ratio of $(measured $n) on an H200" awk -v ratio="$(measured $n)" \
        -v along="$along" -v down="$down" 'BEGIN { exit !(down > 0 && along > down && ratio > 1 && along / down / ratio > 0.98 && along / down / ratio < 1.02) }'
done
finish
