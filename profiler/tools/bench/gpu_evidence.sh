#!/bin/bash
# gpu_evidence.sh DIR: what this machine's GPU says of the course, into DIR: the course's CSV at three
# sizes, and versions.txt. docs/results/h200/ was made by it; emulated_evidence.sh adds the emulator's.
# Run from the repository root after `make`.
set -eu
out=$1
{
    echo "date: $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader | sed 's/^/GPU, driver, clocks when idle: /'
    nvcc --version | sed -n 's/^Build /toolkit: /p'
    ncu --version | sed -n 's/^Version /ncu: /p'
    echo "command: profiler/tools/bench/gpu_evidence.sh DIR"
} >"$out/versions.txt"
for n in 4096 8192 16384; do
    started=$(date +%s.%N)
    build/tlab run solutions/0[0-6]_* --device gpu --rows $n --cols $n --csv "$out/course_$n.csv"
    echo "course on the GPU at $n x $n: $(awk -v a="$started" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f s", b - a }')" |
        tee -a "$out/versions.txt"
done
