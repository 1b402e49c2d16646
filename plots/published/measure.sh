#!/bin/sh
# measure.sh DIR: run the kernels of the published tables on this machine's GPU, and write DIR/measured.csv and
# DIR/versions.txt, as in docs/results/published/ for an H200. Run from the repository root after `make`.
set -eu
out=$1
mkdir -p "$out"
{
    echo "date: $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader |
        sed 's/^/GPU, driver, clocks when idle: /'
    nvcc --version | sed -n 's/^Build /toolkit: /p'
    echo "command: plots/published/measure.sh DIR"
} >"$out/versions.txt"
started=$(date +%s)
plots/published/collect docs/results/published/published.csv gpu "$out/measured.csv"
echo "took $(($(date +%s) - started)) s" | tee -a "$out/versions.txt"
