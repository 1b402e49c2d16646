#!/bin/bash
# published_test.sh: tests the published rows, their kernels, and the results for rows that fail.
# Expected counts are derived in the comments, not taken from a run. Run from the repository root; TLAB
# is the path of tlab.
# check: late course plain
set -u
. profiler/tools/expect.sh
export TLAB=$tlab

needs_ptx
published=docs/results/published/published.csv
kernels=plots/published/kernels
image_tile=solutions/03_padded/variants/every_second_row.cu
awk_with_csv() { # PROGRAM: run awk with plots/csv.awk, which parses quotes and line ends
    awk -f plots/csv.awk -f /dev/fd/3 3<<<"$1"
}

# The numbers of the file agree with the printed values, to half of the last printed digit.
units() {
    awk_with_csv '
    function near(a, b) { return a - b < 0.01 && b - a < 0.01 }
    function differs(r, what) { print "line " csv_line[r] ": " what; bad = 1 }
    BEGIN {
        if ((problem = csv_read("'"$published"'")) != "") { print problem; exit 1 }
        for (r = 1; r <= csv_rows; r++) {
            split(csv_get(r, "printed"), word, /[ ;]+/)
            bandwidth = csv_get(r, "bandwidth_gbps")
            time = csv_get(r, "time_us")
            if (word[2] == "GiB/s" && !near(bandwidth / 1.073741824, word[1])) differs(r, "GiB/s")
            if (word[2] == "GB/s" && bandwidth != word[1]) differs(r, "GB/s")
            if (word[2] == "us" && time != word[1]) differs(r, "us")
            if (word[2] == "ms" && !near(time, 1000 * word[1])) differs(r, "ms")
            if (word[6] == "MB" && (csv_get(r, "l2_read_bytes") != 1e6 * word[3] ||
                                    csv_get(r, "l2_write_bytes") != 1e6 * word[5])) differs(r, "MB")
            if ((csv_get(r, "printed") == "NA") != (csv_get(r, "source") == "NA")) differs(r, "source")
            if (csv_get(r, "target") != "" && (getline line < csv_get(r, "target")) <= 0) differs(r, "target")
        }
        if (csv_rows < 50) { print "only " csv_rows " rows"; bad = 1 }
        exit bad
    }'
}
expect "the published numbers agree with the printed values" 0 '^$' -- units

# The numbers at the beginning of docs/sources.md are the sums of the list there.
listed() {
    awk -F' \\| ' '/^\| / && ($2 == "yes" || $2 == "argued" || $2 == "half" || $2 == "no") { n[$2]++ }
        END { print "Of " n["yes"] + n["argued"] + n["half"] + n["no"] " items, " n["yes"] " are covered and " n["argued"] " are argued" (n["half"] + n["no"] ? ", others not" : ".") }' docs/sources.md
}
expect "the numbers of docs/sources.md" 0 . -- grep -F "$(listed)" <(tr '\n' ' ' <docs/sources.md)

# The document states how many values are within 15 %, with and without the values that prove little.
near() {
    awk -F, 'function near(x) { return x <= 15 && x >= -15 }
        NR == 1 || $5 == "NA" || $8 == "NA" || ($2 == "padded_4_a_thread" && $3 == "relative_time") { next }
        { all++; all_near += near($8) }
        ($1 == "gtx280_launch" && $2 ~ /^(copy|copy_shared|padded)$/) || ($1 == "a100" && $2 == "copy") ||
            ($1 == "cuda008" && $3 == "l2_read") || $2 == "register_float4_alone" || $2 == "rows_as_printed" ||
            ($1 == "a100_sizes" && $2 == "4096x4096") { weak++; next }
        { near_others += near($8) }
        END { print all_near " of the " all " published figures .* " weak " of the " all " figures prove little.*Of the " \
            all - weak " other figures, " near_others " are within" }' docs/results/published/deviations.csv
}
expect "figures within 15 %, as docs/published.md counts them: $(near)" 0 "$(near)" -- cat docs/published.md

# `tlab run` verifies labs. Kernels that are not labs are verified here. The next kernels transpose 8 x 8 elements in 4 blocks.
for i in $(seq 0 63); do printf '%b' "\\x$(printf %02x "$i")\\0\\0\\0"; done >"$work/in"
for col in 0 1 2 3 4 5 6 7; do
    for row in 0 1 2 3 4 5 6 7; do printf '%b' "\\x$(printf %02x $((8 * row + col)))\\0\\0\\0"; done
done >"$work/transposed"
for kernel in rows rows_by_column rows_exchanged tiled; do
    expect "$kernel runs" 0 ok -- "$TLAB" emulate $kernels/thought_machine.cu --device toy --kernel $kernel \
        --grid 4 --block 16 "out:i32:64@$work/out" "in:i32:64@$work/in"
    expect "$kernel transposes" 0 '^$' -- cmp "$work/out" "$work/transposed"
done

# 64 x 64 elements become rows of 96: row r contains column r, then 32 elements that are never written (0xff bytes).
head -c 16384 /dev/urandom >"$work/in"
expect "pitched runs" 0 ok -- "$TLAB" emulate $kernels/pitched.cu --device gtx280 --kernel pitched --grid 2,2 \
    --block 32,8 "out:i32:6144@$work/out" "in:i32:4096@$work/in" i32:64 i32:96
words() { od -An -v -tx4 -w4 "$1"; }
words "$work/in" | awk '{ word[NR - 1] = $1 }
    END { for (c = 0; c < 64; c++) for (r = 0; r < 96; r++) print " " (r < 64 ? word[64 * r + c] : "ffffffff") }' \
    >"$work/expected"
words "$work/out" >"$work/found"
expect "pitched transposes" 0 '^$' -- cmp "$work/found" "$work/expected"

# The PTX of the Triton kernel transposes whole and partial tiles. Its counts per block equal those of the compiled
# kernel on an H200 (peers.csv: 8192 blocks).
head -c $((4 * 112 * 240)) /dev/urandom >"$work/in"
expect "the Triton kernel runs" 0 ok -- "$TLAB" emulate docs/examples/triton_transpose.ptx --kernel transpose_tile \
    --device h200 --grid 2,2 --block 128 --shared 32768 "out:i32:26880@$work/out" "in:i32:26880@$work/in" i32:112 i32:240
words "$work/in" | awk '{ word[NR - 1] = $1 } END { for (c = 0; c < 240; c++) for (r = 0; r < 112; r++) print " " word[240 * r + c] }' >"$work/expected"
words "$work/out" >"$work/found"
expect "the result is the transpose" 0 '^$' -- cmp "$work/found" "$work/expected"
expect "whole tiles" 0 ok -- "$TLAB" emulate docs/examples/triton_transpose.ptx --kernel transpose_tile --device h200 \
    --grid 1,1 --block 128 --shared 32768 out:f32:8192 in:f32:8192 i32:64 i32:128 --csv "$work/one.csv"
for counter in global_load_requests global_load_sectors global_store_requests global_store_sectors \
    shared_load_ideal_wavefronts shared_store_ideal_wavefronts; do
    counted=$(awk -F, -v name=$counter 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $2 == "triton_64x128" { print $at[name] / 8192 }' \
        docs/results/h200/peers.csv)
    same "Triton: $counter" "$counted" "$(column "$work/one.csv" $counter)"
done

header=$(head -n 1 $published)
# row TABLE ROW TARGET DEVICE ROWS COLS DEFINES LAUNCH [COLUMN=VALUE...]: print a line of a published file.
row() {
    local -A value=([table]=$1 [row]=$2 [target]=$3 [device]=$4 [rows]=$5 [cols]=$6 [defines]=$7 [launch]=$8
        [loop]=launch [source]=published)
    local pair name line=
    for pair in "${@:9}"; do value[${pair%%=*}]=${pair#*=}; done
    local IFS=,
    for name in $header; do line+=,${value[$name]-NA}; done
    printf '%s\n' "${line:1}"
}
toy() { # ROW KERNEL [COLUMN=VALUE...]
    row leetgpu "$1" $kernels/thought_machine.cu toy 8 8 "" \
        "--kernel $2 --grid 1 --block 16 out:i32:64 in:i32:64" "${@:3}"
}
naive() { # ROW BLOCK_X BLOCK_Y [COLUMN=VALUE...]
    row cuda008 "$1" $kernels/naive_block.cu rtx3070 256 256 "BLOCK_X=$2 BLOCK_Y=$3" "" "${@:4}"
}
# figures NAME STATUS PATTERN: run make_figures with $work/wanted.csv, writing to $work/figures.
figures() {
    expect "$1" "$2" "$3" -- env PUBLISHED="$work/wanted.csv" MEASURED="${measured-}" \
        plots/published/make_figures "$work/figures"
}
compares() { # TABLE,ROW,QUANTITY EXPECTED: check the four fields after the unit in deviations.csv
    expect "$1" 0 "^$2\$" -- awk -F, -v OFS=, -v key="$1" \
        '$1 "," $2 "," $3 == key { print $5, $6, $7, $8 }' "$work/figures/deviations.csv"
}
small() {
    echo "$header"
    # Sixteen elements cause four loads of one line, and stores to eight lines; in lane order, to sixteen lines.
    toy rows_as_printed rows_exchanged global_load_sectors=4 global_store_sectors=8
    toy rows rows
    toy rows_by_column rows_by_column
    toy tiled tiled global_load_sectors=4 global_store_sectors=5
    # A warp of 32 x 1, 16 x 2 and 8 x 4 threads stores 32, 16 and 8 sectors instead of 4.
    naive naive_32x32 32 32 l2_write_bytes=2000000
    naive naive_16x16 16 16
    naive naive_8x64 8 64
    # Two half-columns of a 16 x 16 tile share four banks: an 8-way conflict, which two words of padding avoid.
    row rtx3070 shared $image_tile rtx3070 64 128 PADDING=0 "" shared_store_ways=8
    row rtx3070 shared_padded $image_tile rtx3070 64 128 PADDING=2 "" shared_store_ways=1
    row cuda008 cublas "" rtx3070 256 256 "" "" time_us=430
}
small >"$work/wanted.csv"
if command -v gnuplot >/dev/null; then drawing=0; else drawing=2; fi
figures "the figures" $drawing "toy machine.*rows as printed 12 12 0 %.*wrote .*deviations.csv"
compares leetgpu,rows_as_printed,transactions 12,12,ok,0.0
compares leetgpu,rows,transactions NA,20,ok,NA
compares leetgpu,rows_by_column,transactions NA,16,ok,NA
compares leetgpu,tiled,transactions 9,8,ok,-11.1
compares leetgpu,tiled,store_transactions 5,4,ok,-20.0
compares cuda008,naive_32x32,l2_write 2,2.09715,ok,4.9
# For 2048 warps, 16 and 8 sectors per warp are 1.05 and 0.52 MB. The L1 merges some stores before they reach the L2.
# The compulsory bytes are 0.26 MB.
sectors() { # ROW SECTORS MOST_MB: check the store sectors and the L2 bytes of a row
    expect "$1: store sectors" 0 "^$2\$" -- awk -F, -v row="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $NF == row { print $at["global_store_sectors"] }' "$work/figures/emulated.csv"
    expect "$1: bytes written to L2" 0 '^yes$' -- awk -F, -v row="$1" -v most="$3" \
        '$2 == row && $3 == "l2_write" && $6 > 0.262 && $6 < most { print "yes" }' "$work/figures/deviations.csv"
}
sectors naive_32x32 65536 2.098
sectors naive_16x16 32768 1.049
sectors naive_8x64 16384 0.525
compares rtx3070,shared,store_ways 8,8,ok,0.0
compares rtx3070,shared_padded,store_ways 1,1,ok,0.0
expect "a kernel that is not available is not run" 1 '^$' -- grep cublas "$work/figures/emulated.csv"
if [ $drawing = 0 ]; then
    expect "the bars have their values" 0 '>12 \(0 %\)<.*>8 \(-11 %\)<' -- cat "$work/figures/leetgpu.svg"
    expect "a value that was not published has no bar" 0 'not published' -- cat "$work/figures/leetgpu.svg"
fi

# The verdicts for invented values: the published values are 100, 150, 100, 101, 100.
steps_of() { # EMULATED...: five bandwidths; prints the verdicts of the four steps
    local work_at=$work/steps rows="copy naive naive_coalesced_write tiled padded" row i=0
    rm -rf "$work_at" && mkdir "$work_at"
    echo table,row,bandwidth_gbps,status >"$work_at/published.csv"
    cp "$work_at/published.csv" "$work_at/emulated.csv"
    local published=(100 150 100 101 100) emulated=("$@")
    for row in $rows; do
        echo "a100,$row,${published[i]},ok" >>"$work_at/published.csv"
        echo "a100,$row,${emulated[i]},ok" >>"$work_at/emulated.csv"
        i=$((i + 1))
    done
    head -1 "$work_at/emulated.csv" >"$work_at/none.csv"
    local plots=$PWD/plots
    (cd "$work_at" && PUBLISHED=published.csv EMULATED=emulated.csv H200=none.csv MEASURED= awk -f "$plots/csv.awk" \
        -f "$plots/picture.awk" -f "$plots/published/quantities.awk" -f "$plots/published/figures.awk" \
        -f "$plots/published/compare.awk" >/dev/null && awk -F, 'NR > 1 && NR < 6 { print $6 }' steps.csv | tr '\n' ' ')
}
same "steps in the same direction" "right right right right " "$(steps_of 10 90 20 21 5)"
same "steps in the opposite direction" "wrong way wrong way wrong way right " "$(steps_of 100 90 200 150 100)"
same "steps that are level" "right right level level " "$(steps_of 100 150 100 97 98)"
same "no verdict on steps to and from a failed row" "right - - level " "$(steps_of 100 150 NA 97 98)"

# The document explains each emulated step in the committed results that has the wrong direction.
wrong_ways() {
    awk -F, '$6 == "wrong way" { print $1 " " $2 " -> " $3 }' docs/results/published/steps.csv |
        while read -r table step; do
            grep -F -- "- \`$table\`:" docs/published.md | grep -qF -- "$step" || echo "$table: $step is not explained"
        done
}
check "steps that go the wrong way are explained" none wrong_ways
expect "at most five steps go the wrong way" 0 '^[0-5]$' -- grep -c '^[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,wrong way' docs/results/published/steps.csv
time_of() { # TARGET OPTION...
    "$TLAB" run "$@" --csv - | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["time_us"] }'
}
faster() { # NAME SLOW FAST LEAST: SLOW is at least LEAST times FAST
    check "$1: $2 to $3 us" awk -v slow="$2" -v fast="$3" -v least="$4" 'BEGIN { exit !(fast > 0 && slow > least * fast) }'
}
image="--device rtx3070 --rows 1024 --cols 2048"
# shellcheck disable=SC2086 # the options are several words
faster "shared memory is faster on an RTX 3070" "$(time_of $kernels/naive_block.cu $image -D BLOCK_X=16 -D BLOCK_Y=16)" \
    "$(time_of $image_tile $image -D PADDING=0)" 1.05
faster "the diagonal order gains from the loop in the kernel" "$(time_of solutions/06_diagonal --device gtx280)" \
    "$(time_of solutions/06_diagonal --device gtx280 --loop kernel)" 1

# A measured value (here 2048 kB) is compared with the emulated value of the same GPU (2097.152 kB).
cat >"$work/measured.csv" <<'END'
l2_write_bytes,status,table,row
2048000,ok,cuda008,naive_32x32
END
measured=$work/measured.csv
figures "measured values" $drawing 'naive 32x32 2.00 2.10 \+5 % 2.05 2.10 \+2 %'
measured=$work/absent.csv
figures "a missing file of measured values" 2 'absent.csv: cannot be read'
measured=

# A failed run is a row with its status, and is drawn as failed, not as 0 or n/a.
cat >"$work/idle.cu" <<'END'
#include "lab.h"
LAB(naive);
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    odata[0] = idata[0];
}
LAB_LAUNCH(width, height)
{
    return {dim3(1), dim3(1)};
}
END
{
    echo "$header"
    row a100 copy $kernels/copy_flat.cu a100 64 64 "" "" bandwidth_gbps=1870
    row a100 naive "$work/idle.cu" a100 64 64 "" "" bandwidth_gbps=120
} >"$work/wanted.csv"
figures "a failing kernel" $((drawing == 0 ? 1 : 2)) 'naive 120 failed wrong_result'
compares a100,naive,bandwidth 120,NA,wrong_result,NA
[ $drawing != 0 ] ||
    expect "a failing kernel is drawn as failed" 0 'failed: wrong_result' -- cat "$work/figures/a100.svg"

# Published files that do not match figures.awk.
{ echo "$header"; row b200 copy "" a100 64 64 "" ""; } >"$work/wanted.csv"
figures "an unknown table" 2 'published.csv: line 2: figures.awk defines no table b200'
{ echo "$header"; row a100 copy "" a100 64 64 "" ""; row a100 copy "" a100 8 8 "" ""; } >"$work/wanted.csv"
figures "a row twice" 2 'published.csv: line 3: table a100 has a row copy already'

mkdir "$work/bin"
(IFS=: && for directory in $PATH; do ln -s "$directory"/* "$work/bin/" 2>/dev/null; done)
rm -f "$work"/bin/gnuplot*
small >"$work/wanted.csv"
rm -r "$work/figures"
expect "no gnuplot" 2 '12 12 0 %.*gnuplot is not installed' -- env PATH="$work/bin" \
    PUBLISHED="$work/wanted.csv" MEASURED= plots/published/make_figures "$work/figures"
compares leetgpu,tiled,transactions 9,8,ok,-11.1

collect() { # NAME STATUS PATTERN [DEVICE]
    expect "$1" "$2" "$3" -- plots/published/collect "$work/wanted.csv" "${4:-own}" "$work/collected.csv"
}
echo before >"$work/collected.csv"
{ echo "$header"; row a100 copy $kernels/copy_flat.cu no_such_gpu 64 64 "" ""; } >"$work/wanted.csv"
collect "an unknown device" 2 'no_such_gpu.*a100, copy: tlab .* ended with status 2'
{ echo "$header"; row a100 copy "'; touch $work/run'" a100 64 64 "" ""; } >"$work/wanted.csv"
collect "a hostile row" 2 'line 2: column target contains a character that is not allowed'
{ echo "$header"; echo short; } >"$work/wanted.csv"
collect "a short row" 2 'line 2: 1 fields'
echo "$header" | sed 's/,launch,/,lunch,/' >"$work/wanted.csv"
collect "a missing column" 2 'there is no column launch'
rm "$work/wanted.csv"
collect "no file" 2 'cannot be read'
expect "a refusal does not change the file" 0 '^before$' -- cat "$work/collected.csv"
expect "make figures CSV=FILE draws that file" 0 'render "a.csv"' -- make -n figures CSV=a.csv
expect "make figures compares" 0 'make_figures out/figures' -- make -n figures
expect "bad usage" 2 'usage: plots/published/collect' -- plots/published/collect
expect "bad usage of make_figures" 2 'usage: plots/published/make_figures' -- plots/published/make_figures

# On a device that the row does not name, only labs run. A record preserves quoted line ends.
cat >"$work/stand_in" <<'END'
#!/bin/sh
echo "lab,status,reason"
printf 'x,compile_error,"%s\nand more"\n' "$*"
echo "a message" >&2
echo once >>"${0%/*}/calls"
exit 1
END
chmod +x "$work/stand_in"
{
    echo "$header"
    toy rows rows
    row a100 copy lab.cu a100 64 128 "A=1 B=2" ""
    row x there lab.cu h200 64 64 "" ""
    row a100 again lab.cu a100 64 128 "A=1 B=2" ""
} >"$work/wanted.csv"
TLAB=$work/stand_in collect "a stand-in" 1 'a100, copy: a message' h200
{
    echo lab,status,reason,table,row
    for name in copy again; do
        echo 'x,compile_error,"run lab.cu --device h200 --csv - -D A=1 -D B=2 --rows 64 --cols 128 --loop launch'
        echo "and more\",a100,$name"
    done
} >"$work/expected"
expect "the record of a stand-in" 0 '^$' -- diff "$work/expected" "$work/collected.csv"

{ echo "$header"; toy rows rows; } >"$work/wanted.csv"
TLAB=$work/stand_in collect "nothing to run" 0 '^$' h200
expect "a file without records" 0 '^table,row$' -- cat "$work/collected.csv"
expect "equal runs are executed once" 0 '^1$' -- awk 'END { print NR }' "$work/calls"

finish
