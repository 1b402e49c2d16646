#!/bin/sh
# bench.sh MEASURE: the performance of the emulator on device h200. `make bench` runs it.
#
#   1. each solution at 4096x4096: seconds (including verification and counting), warp instructions
#      per second, peak memory, and the ratio of processor times with and without checks for races
#      and uninitialized values (--no-checks); medians of 5 runs, alternately with and without
#   2. the time from saving a file to the printed table at 1024x1024: median of 5, with compilation
#   3. the labs as standalone programs in `tlab exec`, which launch their kernels 111 times each at
#      1024x1024: seconds and processor time; then, if SAMPLES names a checkout of NVIDIA's
#      cuda-samples, its transpose (800 launches) and matrixMul (300)
#   4. Oclgrind, a CPU emulator of OpenCL devices, on the padded transpose at 2048x2048, and the ratio
#
# MEASURE is the program built from measure.c. This is not a test: results depend on the machine.
set -u
export LC_ALL=C

measure=$1
tlab=build/tlab
repeats=5
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM

# column CSV NAME: print a column of the first record.
column() {
    CSV=$1 COLUMN=$2 awk -f plots/csv.awk -f profiler/tools/bench/column.awk
}

# run TARGET SIZE [REPEATS [OPTION]]: set seconds, cpu_seconds and kilobytes; write $work/run.csv.
run() {
    result=$("$measure" "${3:-$repeats}" $tlab run "$1" --device h200 --rows "$2" --cols "$2" \
        --csv "$work/run.csv" ${4:+"$4"}) || return 1
    read -r seconds cpu_seconds kilobytes <<END
$result
END
}

# checks_ratio TARGET SIZE: set ratio to the median of processor time with / without checks.
checks_ratio() {
    : >"$work/times"
    for i in $(seq $repeats); do
        run "$1" "$2" 1 || return 1
        on=$cpu_seconds
        run "$1" "$2" 1 --no-checks || return 1
        echo "$on $cpu_seconds" >>"$work/times"
    done
    ratio=$(awk '{ print $1 / $2 }' "$work/times" | sort -n | sed -n "$(((repeats + 1) / 2))p")
}

echo "$(getconf _NPROCESSORS_ONLN) processors,$(sed -n 's/^model name[^:]*://p' /proc/cpuinfo | head -n 1)"
$tlab run solutions/03_padded/padded.cu --device h200 --rows 64 --cols 64 --csv "$work/run.csv" >/dev/null
column "$work/run.csv" compiler
echo
echo "Solutions at 4096x4096 on device h200 (two matrices are 134 MB)"
printf '%-36s %9s %22s %10s %14s\n' solution seconds "M warp instructions/s" "peak MB" "checks on/off"
status=0
for solution in solutions/*/*.cu; do
    if checks_ratio "$solution" 4096 && run "$solution" 4096; then
        column "$work/run.csv" ptx_warp_instructions |
            awk -v name="${solution#solutions/}" -v seconds="$seconds" -v kilobytes="$kilobytes" \
                -v ratio="$ratio" '{
                printf "%-36s %9.3f %22.1f %10.0f %14.2f\n",
                    name, seconds, $1 / seconds / 1e6, kilobytes * 1.024e-3, ratio
            }'
    else
        status=2
    fi
done
echo

# The file changes before each run, so that each run includes the compilation.
cp -r solutions/03_padded "$work/edited"
cat >"$work/edit" <<END
#!/bin/sh
echo "// \$(date +%s%N)" >>"$work/edited/padded.cu"
exec $tlab run "$work/edited/padded.cu" --device h200 --rows 1024 --cols 1024
END
chmod +x "$work/edit"
if result=$("$measure" $repeats "$work/edit"); then
    echo "From saving a file to the table at 1024x1024: ${result%% *} s"
else
    status=2
fi

# This part requires nvcc. The first launch of a kernel is counted, and the first three launches are checked.
built=0
for solution in solutions/0[0-6]_*/*.cu; do
    $tlab nvcc -Iinclude -o "$work/$(basename "$solution" .cu)" "$solution" >"$work/nvcc" 2>&1 && built=$((built + 1))
done
if [ $built -gt 0 ]; then
    cat >"$work/launches" <<END
#!/bin/sh
for solution in solutions/0[0-6]_*/*.cu; do
    $tlab exec -- "$work/\$(basename "\$solution" .cu)" 1024 2>"$work/messages" || exit 1
done
END
    chmod +x "$work/launches"
    if result=$("$measure" 1 "$work/launches"); then
        echo "$built labs by tlab exec at 1024x1024, 111 launches each: $result" |
            awk '{ printf "%s: %s s, %s s of processor time\n", substr($0, 1, index($0, ":") - 1), $(NF - 2), $(NF - 1) }'
    else
        status=2
    fi
else
    echo "The part with tlab exec is omitted: tlab nvcc cannot build the labs"
fi

for sample in ${SAMPLES:+transpose matrixMul}; do
    source=$(find "$SAMPLES" -name "$sample.cu" | head -n 1)
    if $tlab nvcc -I"$SAMPLES/Common" -o "$work/$sample" "$source" >"$work/nvcc" 2>&1 &&
        result=$("$measure" 1 $tlab exec -- "$work/$sample" 2>"$work/messages"); then
        echo "$result" | awk -v name="$sample" '{ printf "%s by tlab exec: %s s, %s s of processor time\n", name, $1, $2 }'
    else
        cat "$work/nvcc" "$work/messages" >&2
        status=2
    fi
done

if command -v oclgrind-kernel >/dev/null; then
    if run solutions/03_padded/padded.cu 2048; then
        ours=$seconds
        result=$(cd profiler/tools/bench && "$OLDPWD/$measure" 1 oclgrind-kernel oclgrind_padded.sim) || exit 2
        echo "$ours ${result%% *}" | awk '{
            printf "Padded transpose at 2048x2048: %.3f s, Oclgrind %.1f s: %.0f times faster\n", $1, $2, $2 / $1
        }'
    else
        status=2
    fi
else
    echo "The comparison with Oclgrind is omitted: the Debian package oclgrind is not installed"
fi
exit $status
