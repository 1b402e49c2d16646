#!/bin/bash
# standalone.sh DIR [SIZE]: build every lab with nvcc alone, and run it on this machine's GPU at
# SIZE x SIZE (default 4096). Write DIR/standalone.csv (medians of three runs) and a file of
# versions. Run from the repository root.
set -eu
out=${1:?usage: standalone.sh DIR [SIZE]} size=${2:-4096} root=$PWD
mkdir -p "$out"
export PATH=$PATH:/usr/local/cuda/bin LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build() { # SOURCE
    nvcc -arch=native -I"$root/include" "$1" -o "$2/$(basename "$(dirname "$1")").$(basename "$1" .cu)"
}
export -f build
export root
printf '%s\n' "$root"/solutions/[0-9]*/*.cu | xargs -P "$(nproc)" -I{} bash -c 'build {} '"$work"
echo "lab,variant,size,time_us,effective_bandwidth_gbps" >"$out/standalone.csv"
for source in "$root"/solutions/[0-9]*/*.cu; do
    lab=$(basename "$(dirname "$source")") variant=$(basename "$source" .cu)
    for run in 1 2 3; do "$work/$lab.$variant" "$size" "$size"; done | sed -nE 's/.*: correct, .*: ([0-9.]+) us, ([0-9.]+) GB.*/\1,\2/p' |
        sort -n | sed -n "2s/^/$lab,$variant,$size,/p" >>"$out/standalone.csv"
done
{
    echo "date: $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/GPU, driver: /'
    nvcc --version | sed -n 's/^Build /toolkit: /p'
    echo "command: profiler/tools/bench/standalone.sh DIR"
} >"$out/standalone_versions.txt"
