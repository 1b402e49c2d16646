#!/bin/bash
# kernels.sh DIR: run the kernels of kernels.cu on a GPU. Write times and counters of Nsight Compute
# to DIR/kernels.csv, and versions to DIR/kernels_versions.txt. Requires a GPU, nvcc and ncu.
set -eu
out=$1
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
PATH=$PATH:/usr/local/cuda/bin
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
mkdir -p "$out"
nvcc -O3 -arch=native -lineinfo -o "$build/kernels" "$here/kernels.cu"
"$build/kernels" 15 >"$build/times.csv"
metrics=gpu__time_duration.sum,launch__registers_per_thread,smsp__inst_executed.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_write.sum,lts__t_sectors_op_atom.sum
metrics+=,lts__t_sectors_op_red.sum,dram__bytes_read.sum,dram__bytes_write.sum
metrics+=,sm__warps_active.avg.pct_of_peak_sustained_active
ncu --csv --page raw --clock-control none --metrics "$metrics" "$build/kernels" | grep '^"' >"$build/counters.csv"
TIMES=$build/times.csv COUNTERS=$build/counters.csv awk -f "$root/plots/csv.awk" -f "$here/kernels.awk" >"$out/kernels.csv"
{
    echo "date: $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/GPU, driver: /'
    nvcc --version | sed -n 's/^Build /toolkit: /p'
    echo "command: profiler/tools/bench/kernels.sh DIR"
} >"$out/kernels_versions.txt"
