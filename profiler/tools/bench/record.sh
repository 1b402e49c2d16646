#!/bin/bash
# record.sh DIR: the last labs beside cuBLAS, PyTorch and Triton, into DIR/record.csv, with the versions in
# DIR/record_versions.txt. Needs a GPU, nvcc, and Python with PyTorch, Triton and CuPy.
set -eu
out=$1
here=$(dirname "$0")
root=$here/../../..
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
mkdir -p "$out"
cubins=()
compile() { # NAME FILE [OPTION...]
    local name=$1 file=$2
    shift 2
    nvcc -cubin -arch=native -O3 -DLAB_HARNESS -I"$root/include" "$@" -o "$build/$name.cubin" "$file"
    cubins+=("$build/$name.cubin")
}
compile copy "$root/grading/honest/copy_float4/copy.cu"
compile padded "$root/solutions/03_padded/padded.cu"
compile register_tile "$root/solutions/07_register_tile/register_tile.cu"
compile vectorized "$root/solutions/08_vectorized/vectorized.cu"
compile coarsened "$root/solutions/09_coarsened/coarsened.cu"
compile record "$root/solutions/10_record/record.cu"
python3 "$here/record.py" "$out/record.csv" "${cubins[@]}"
{
    echo "date: $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/GPU, driver: /'
    nvcc --version | sed -n 's/^Build /toolkit: /p'
    python3 -c 'import cupy, torch, triton; print("PyTorch, Triton, CuPy:", torch.__version__, triton.__version__, cupy.__version__)'
    echo "command: profiler/tools/bench/record.sh DIR"
} >"$out/record_versions.txt"
