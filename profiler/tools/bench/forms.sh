#!/bin/bash
# forms.sh DIR: time labs 11 (batched) and 12 (in place, with pairs in squares of several sizes) and
# a copy on a GPU, and write DIR/forms.csv. Write the cost of the order of tiles in lab 10 to
# DIR/orders.csv, and versions to DIR/forms_versions.txt. Requires a GPU and nvcc. Takes half a
# minute.
set -eu
out=$1
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
PATH=$PATH:/usr/local/cuda/bin
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
mkdir -p "$out"
cubins=()
compile() { # NAME FILE [OPTION...]
    local name=$1 file=$2
    shift 2
    nvcc -cubin -arch=native -O3 -DLAB_HARNESS -I"$root/include" "$@" -o "$build/$name.cubin" "$file" &
    cubins+=("$build/$name.cubin")
}
compile copy "$root/grading/honest/copy_float4/copy.cu"
compile batched "$root/solutions/11_batched/batched.cu"
compile batched_plain "$root/solutions/11_batched/variants/plain.cu"
compile inplace "$root/solutions/12_inplace/inplace.cu"
compile inplace_3blocks "$root/solutions/12_inplace/inplace.cu" -DBLOCKS=3
for super in 1 2 4 8; do
    compile inplace_squares_of_$super "$root/solutions/12_inplace/inplace.cu" -DSUPER=$super
done
compile inplace_pairs_of_32 "$root/solutions/12_inplace/variants/pairs_of_32.cu"
nvcc -O3 -arch=native -I"$root/include" -o "$build/orders" "$here/orders.cu" &
nvcc -O3 -arch=native -o "$build/forms" "$here/forms.cu" -lcuda
wait
"$build/forms" "${cubins[@]}" >"$build/forms.csv"
"$build/orders" >"$build/orders.csv"
mv "$build/forms.csv" "$build/orders.csv" "$out"
{
    echo "date: $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/GPU, driver: /'
    nvcc --version | sed -n 's/^Build /toolkit: /p'
    echo "command: profiler/tools/bench/forms.sh DIR"
} >"$out/forms_versions.txt"
