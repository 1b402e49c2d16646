#!/bin/bash
# kernels.sh DIR: the kernels of kernels.cu on a GPU: times into DIR/kernels.csv, counters of Nsight
# Compute into DIR/kernels_counters.csv, versions into DIR/kernels_versions.txt; a minute. Needs a GPU,
# nvcc, and ncu for the counters.
set -eu
out=$1
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/cuda/bin
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
mkdir -p "$out"
nvcc -O3 -arch=native -lineinfo -o "$build/kernels" "$here/kernels.cu"
"$build/kernels" 15 >"$out/kernels.csv"
metrics=gpu__time_duration.sum,launch__registers_per_thread,smsp__inst_executed.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum
metrics+=,lts__t_sectors_op_atom.sum,lts__t_sectors_op_red.sum,dram__bytes_read.sum,dram__bytes_write.sum
metrics+=,sm__warps_active.avg.pct_of_peak_sustained_active
if command -v ncu >/dev/null; then
    ncu --csv --page raw --clock-control none --metrics "$metrics" "$build/kernels" |
        grep '^"' | awk 'NR == 2 || !/"(flush|fill)\(/' >"$out/kernels_counters.csv"
fi
{
    echo "date: $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/GPU, driver: /'
    nvcc --version | sed -n 's/^Build /toolkit: /p'
    echo "command: profiler/tools/bench/kernels.sh DIR"
} >"$out/kernels_versions.txt"
[ -z "${KEEP_CUBIN:-}" ] || { nvcc -O3 -arch=native -cubin -o "$out/kernels.cubin" "$here/kernels.cu" && cuobjdump -sass "$out/kernels.cubin" >"$out/kernels.sass"; }
