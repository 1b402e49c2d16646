#!/bin/bash
# measure_timing.sh DIR: measure what the time model's parameters rest on (see measure_timing.cu), into
# DIR/timing.csv, with the versions in DIR/timing_versions.txt. Needs a GPU and nvcc.
set -eu
out=$1
here=$(dirname "$0")
mkdir -p "$out"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
nvcc -O3 -std=c++17 -arch=native -o "$build/measure_timing" "$here/measure_timing.cu"
"$build/measure_timing" >"$build/timing.csv"
mv "$build/timing.csv" "$out/timing.csv"
{
    echo "date: $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv,noheader |
        sed 's/^/GPU, driver, maximum clocks: /'
    nvcc --version | sed -n 's/^Build /toolkit: /p'
    echo "command: profiler/tools/bench/measure_timing.sh DIR"
} >"$out/timing_versions.txt"
