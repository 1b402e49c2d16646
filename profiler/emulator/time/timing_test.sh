#!/bin/bash
# timing_test.sh: compares modelled times of the course's kernels, compiled here, with the published
# times of a GTX 280 and the measured times of an H200. It also tests the record lab on other GPUs.
# timing_8192_test.sh and timing_16384_test.sh test larger matrices, which take longer.
# check: course plain
set -u
. profiler/emulator/time/timing_judge.sh

# GiB/s at 2048 x 2048: Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", 2010.
# Columns: kernel, loop over the kernel, loop in the kernel.
cat >"$work/published" <<'END'
copy 96.9 81.6
copy_shared 80.9 81.1
naive 2.2 2.2
coalesced 16.5 17.1
padded 16.6 17.2
fine_grained 80.4 81.5
coarse_grained 16.7 17.1
diagonal 69.5 78.3
END

# judge_published LOOP COLUMN: check that every row is within 15 %. Kernels with times that differ
# by more than 2 % in the paper must have the order of the paper.
judge_published() {
    emulate gtx280 2048 "$1"
    check "modelled times on a GTX 280 are within 15 %, loop $1" awk -F, -v column="$2" -v loop="$1" '
        NR == FNR { split($0, words, " "); published[words[1]] = words[column]; next }
        FNR == 1 { for (i = 1; i <= NF; i++) field[$i] = i; next }
        {
            name = $field["variant"]
            modelled[name] = 2048 * 2048 * 8 / $field["time_us"] * 1e6 / 2 ^ 30
            deviation = 100 * (modelled[name] / published[name] - 1)
            printf "gtx280, loop %s, %s: %.1f GiB/s published, %.1f modelled, %+.1f %%\n", loop, name,
                published[name], modelled[name], deviation
            if (deviation > 15 || deviation < -15) {
                print "more than 15 % off"
                bad = 1
            }
        }
        END {
            for (a in published) {
                rows++
                for (b in published)
                    if (published[a] > 1.02 * published[b] && !(modelled[a] > modelled[b])) {
                        print a " is not faster than " b
                        bad = 1
                    }
            }
            exit bad || rows != 8
        }' "$work/published" "$work/emulated.csv"
}

judge_published launch 2
judge_published kernel 3
judge_measured h200 4096 8

# The record lab is also correct on older GPUs. It reaches at least 90 % of the modelled copy there
# (docs/record.md).
for device in a100 rtx3070; do
    check "10_record on $device, with rows that are not aligned" "$tlab" run solutions/10_record --device $device --rows 1000 --cols 777
    within "10_record on $device, % of the copy" "$(modelled solutions/10_record $device 4096 4096 copy_pct)" 90 105
done
finish
