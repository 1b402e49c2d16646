#!/bin/bash
# record.sh DIR (`make bench-gpu`): time the last labs, cuBLAS, PyTorch and Triton. Write
# DIR/record.csv and DIR/record_versions.txt, print the table and, with gnuplot, draw
# DIR/record.svg. Requires a GPU, nvcc and Python 3. Missing peers are omitted with a message. After
# SECONDS_MAX seconds (default 240), no further size is started. record.sh --draw DIR only prints
# the table and draws the figure of an existing CSV.
set -u
here=$(dirname "$0")
root=$(cd "$here/../../.." && pwd)
refuse() {
    echo "bench-gpu: $1" >&2
    exit 2
}

show() { # DIR
    awk -f "$root/plots/csv.awk" -f "$here/record_table.awk" "$1/record.csv" || exit 2
    if command -v gnuplot >/dev/null; then
        "$root/plots/record" "$1/record.csv" "$1" || exit 2
    else
        echo "The figure was not drawn: gnuplot is not installed (record.sh --draw DIR draws it on another machine)."
    fi
}

[ $# -ge 1 ] || refuse "usage: record.sh [--draw] DIR"
if [ "$1" = --draw ]; then
    [ $# -eq 2 ] && [ -r "$2/record.csv" ] || refuse "--draw requires a directory that contains record.csv"
    show "$2"
    exit 0
fi
out=$1
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || refuse "nvcc is not found; install the CUDA Toolkit"
command -v python3 >/dev/null || refuse "python3 is not found; install Python 3"
nvidia-smi -L 2>/dev/null | grep -q GPU || refuse "nvidia-smi lists no GPU"
build=$(mktemp -d) || exit 2
trap 'rm -rf "$build"' EXIT
mkdir -p "$out" || refuse "cannot make $out"

# Lines "NAME FILE", in the order of the table. The files compile in parallel.
kernels="copy grading/honest/copy_float4/copy.cu
padded solutions/03_padded/padded.cu
register_tile solutions/07_register_tile/register_tile.cu
vectorized solutions/08_vectorized/vectorized.cu
coarsened solutions/09_coarsened/coarsened.cu
record solutions/10_record/record.cu"
while read -r name file; do
    nvcc -cubin -arch=native -O3 -DLAB_HARNESS -I"$root/include" -o "$build/$name.cubin" "$root/$file" 2>"$build/$name.log" &
done <<<"$kernels"
nvcc -cubin -arch=native -O3 -o "$build/helpers.bin" "$root/profiler/tools/bench/record.cu" || refuse "record.cu does not compile"
wait
cubins=()
while read -r name file; do
    [ -s "$build/$name.cubin" ] || refuse "$file does not compile: $(cat "$build/$name.log")"
    cubins+=("$build/$name.cubin")
done <<<"$kernels"
python3 "$root/profiler/tools/bench/record.py" "$build/record.csv" "${SECONDS_MAX:-240}" "$build/helpers.bin" "${cubins[@]}" || refuse "the measurement failed"
mv "$build/record.csv" "$out/record.csv" || refuse "cannot write $out/record.csv"
{
    echo "date: $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/GPU, driver: /'
    nvcc --version | sed -n 's/^Build /toolkit: /p'
    for package in torch triton; do
        python3 -c "import $package; print('$package:', $package.__version__)" 2>/dev/null || echo "$package: none"
    done
    echo "command: make bench-gpu OUT=DIR"
} >"$out/record_versions.txt"
show "$out"
