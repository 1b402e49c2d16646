#!/bin/bash
# kernels_test.sh: compares the modelled times and counters of 79 kernels of ordinary courses
# (kernels.cu) with measurements of kernels.sh on an H200 and an H100. Also compares the times of
# single operations (testdata/operations.cu). KEEP=FILE appends the comparison to FILE. Requires
# nvcc.
# check: slow plain
set -u
. profiler/tools/expect.sh
[ -d "$(dirname "$tlab")/runtime" ] || skip_all "a build with sanitizers has no libcudart"
command -v nvcc >/dev/null || [ -x "${TLAB_CUDA:-/usr/local/cuda}/bin/nvcc" ] || skip_all "nvcc is not installed"

compare() { # DEVICE MODELLED
    MEASURED=docs/results/$1/kernels.csv MODELLED=$2 awk -f plots/csv.awk -f profiler/tools/bench/kernels_compare.awk
}

# is_within SET MEDIAN LARGEST WITHIN_20 WITHIN_25: true if the line of SET satisfies these limits.
is_within() {
    sed 's/[%,]//g; s/ : / /g' "$work/table" | awk -v set="$1:" -v median="$2" -v largest="$3" -v w20="$4" -v w25="$5" '
        $1 == set { found = $5 <= median && $7 <= largest && $10 >= w20 && $13 >= w25 } END { exit !found }'
}

counted() { # METRIC: the number of kernels with this metric within 10 %
    awk -v metric="$1:" '$1 == metric { print $2 }' "$work/table"
}

check "nvcc builds" "$tlab" nvcc -O3 profiler/tools/bench/kernels.cu -o "$work/kernels"
# The H100's limits are 5 points wider, because `tlab calibrate` alone made its device file.
for device in h200 h100; do
    wider=$([ $device = h200 ] && echo 0 || echo 5)
    expect "$device: the kernels run" 0 "^vector_copy,fitted," -- \
        "$tlab" exec --device $device --no-checks --csv "$work/$device.csv" -- "$work/kernels"
    compare $device "$work/$device.csv" >"$work/table"
    same "$device: the comparison succeeds" 0 $?
    sed 's/^/# /' "$work/table"
    [ -z "${KEEP:-}" ] || sed "s/^/$device: /" "$work/table" >>"$KEEP"
    check "$device: times" is_within fitted $((8 + wider)) $((50 + wider)) $((90 - wider)) 0
    check "$device: times of the kernels set aside" is_within aside $((10 + wider)) $((50 + wider)) 0 $((85 - wider))
    check "$device: the order of variants" awk '$1 == "order:" { good = $2 >= 0.95 * $4 } END { exit !good }' "$work/table"
    for metric in load_requests load_sectors store_requests store_sectors; do
        same "$device: $metric of all kernels" 79 "$(counted $metric)"
    done
    check "$device: bytes written to the L2" [ "$(counted l2_write_sectors)" -ge 76 ]
    check "$device: bytes read from the L2" [ "$(counted l2_read_sectors)" -ge 76 ]
    check "$device: bytes read from DRAM" [ "$(counted dram_read_bytes)" -ge 78 ]
done

# The modelled times of 90 % of single operations on an H200, and all numbers of sectors that stores
# write to the L2, are within 20 %. Modelled times include more of the launch than ncu's duration.
# Therefore, the test adds 1.3 us to the duration (`iadd`: ncu 2.1, model 3.5).
check "nvcc builds the operations" \
    "$tlab" nvcc -arch=sm_90 -O3 profiler/emulator/testdata/operations.cu -o "$work/operations"
"$tlab" exec --no-checks --all-launches --csv "$work/operations.csv" -- "$work/operations" >"$work/operations.out"
grep -E '^[a-z_0-9]+ [0-9.]+ [0-9]+$' "$work/operations.out" >"$work/operations.txt"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
         NR > 1 { print $column["time_us"], $column["l2_write_bytes"] / 32 }' \
    "$work/operations.csv" | paste -d' ' "$work/operations.txt" - |
    awk -v rows="$(grep -c '^-,' "$work/operations.csv")" -v lines="$(wc -l <"$work/operations.txt")" '
         function is_far(part, whole) { return part > 1.2 * whole || part < 0.8 * whole }
         is_far($4, $2 + 1.3) { far++; print "#", $1, "measured", $2, "us, modelled", $4 }
         $3 && is_far($5, $3) { bad++; print "#", $1, "wrote", $3, "sectors, modelled", $5 }
         END { print "# operations within 20 %:", NR - far, "of", NR; exit !(NR && rows == lines && far <= 0.1 * NR && !bad) }'
same "the times of operations" 0 $?

sed '/,vector_copy,/d' "$work/h200.csv" >"$work/missing.csv"
expect "a missing kernel" 2 "no modelled time of vector_copy" -- compare h200 "$work/missing.csv"
expect "no table" 2 "kernels_compare: " -- compare h200 "$work/none.csv"
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_us") column = i } NR > 1 { $column *= 1.3 } 1' \
    "$work/h200.csv" >"$work/slow.csv"
compare h200 "$work/slow.csv" >"$work/table"
is_within fitted 8 50 90 0
same "times that are 30 % too long exceed the limits" 1 $?
finish
