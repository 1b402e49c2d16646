#!/bin/bash
# peers.sh DIR [N]: measure the hardware counters of other transposes of N x N (default 8192):
# cuBLAS geam, PyTorch and Triton (the kernel of the LeetGPU article). Also measure cudaMemcpy, and
# labs 00, 03 and 10. Write DIR/peers.csv with the columns of tlab run. Requires a GPU with
# counters, nvcc, PyTorch and Triton. Missing peers are omitted with a message. Takes a minute.
set -u
out=${1:?usage: peers.sh DIR [N]}
n=${2:-8192}
root=$(cd "$(dirname "$0")/../../.." && pwd)
bench=$root/profiler/tools/bench
tlab=${TLAB:-$root/build/tlab}
PATH=$PATH:/usr/local/cuda/bin
build=$(mktemp -d) || exit 2
trap 'rm -rf "$build"' EXIT
mkdir -p "$out" || exit 2

"$tlab" run "$root"/solutions/00_copy/copy_shared.cu "$root/grading/honest/copy_float4/copy.cu" "$root"/solutions/03_padded/padded.cu \
    "$root"/solutions/10_record/record.cu --device gpu --rows "$n" --cols "$n" --csv "$build/labs.csv" || exit

# Rename the copy, which moves 16 bytes per thread, unlike the copy of lab 00.
sed -i 's/^00_copy,copy,/peers,copy_16_bytes,/' "$build/labs.csv"

# look NAME REGEX PROGRAM...: profile the kernels of a peer with names that match REGEX.
look() {
    local name=$1 kernel=$2
    shift 2
    "$tlab" profile --kernel "$kernel" --csv "$build/$name.csv" -- "$@" && return
    rm -f "$build/$name.csv"
    echo "peers: $name is omitted, because profiling it failed" >&2
}
if nvcc -O3 -arch=native -o "$build/peers" "$bench/peers.cu" -lcublas; then
    look cublas_geam 'geam|transpose' "$build/peers" cublas "$n"
    "$build/peers" memcpy "$n" >"$build/cudaMemcpy.csv" || rm -f "$build/cudaMemcpy.csv"
fi
if python3 -c 'import torch' 2>/dev/null; then
    look pytorch 'copy|elementwise' python3 "$bench/peers.py" pytorch "$n"
    look triton_64x128 'transpose_tile' python3 "$bench/peers.py" triton "$n"
else
    echo "peers: PyTorch and Triton are omitted, because PyTorch is not installed" >&2
fi

awk -v n="$n" -v directory="$build" -f "$root/plots/csv.awk" -f "$bench/peers.awk" >"$build/all" || exit 2
mv "$build/all" "$out/peers.csv"
