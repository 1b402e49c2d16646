#!/bin/bash
# gpu_evidence.sh DIR: measure, on the GPU of this machine, all numbers that the documents contain
# about a GPU, and write them to DIR. Takes about four minutes. The calls of `part` below list the
# measurements. If a part fails, the next parts still run. docs/results/h200 and h100 contain
# results of this script; emulated_evidence.sh adds the emulated results. Run from the repository
# root; the script builds tlab first.
set -u
out=${1:?usage: gpu_evidence.sh DIR}
mkdir -p "$out" || exit 2
export PATH=$PATH:/usr/local/cuda/bin LC_ALL=C
sizes=${SIZES:-2048 4096 8192 16384}
part() { # NAME SECONDS COMMAND...
    local name=$1 limit=$2 started=$SECONDS
    shift 2
    echo "=== $name"
    timeout "$limit" bash -c '"$@"' part "$@"
    echo "=== $name: status $?, $((SECONDS - started)) s, $SECONDS s in all"
}
course() {
    for n in $sizes; do
        build/tlab run solutions/0[0-6]_* --device gpu --rows "$n" --cols "$n" --csv "$out/course_$n.csv" || return 1
    done
}
# The labs after the course that have modelled times.
ladder() {
    for n in 4096 8192 16384; do
        build/tlab run solutions/0[7-9]_* solutions/10_* --device gpu --rows "$n" --cols "$n" --csv "$out/ladder_$n.csv" || return 1
    done
}
profile() {
    cat >"$out/often.cu" <<'END'
__global__ void scale(float *data, float by) { data[blockIdx.x * 256 + threadIdx.x] *= by; }
__global__ void once(float *data) { data[blockIdx.x * 256 + threadIdx.x] += 1; }
int main()
{
    float *data;
    cudaMalloc(&data, 512 << 20);
    cudaMemset(data, 0, 512 << 20);
    for (int i = 0; i < 50; i++)
        scale<<<(128 << 20) / 256, 256>>>(data, 2);
    once<<<(128 << 20) / 256, 256>>>(data);
    return cudaDeviceSynchronize();
}
END
    nvcc -arch=native -o "$out/often" "$out/often.cu" || return 1
    time build/tlab profile --csv "$out/profile.csv" -- "$out/often"
    time build/tlab profile --csv "$out/profile_20.csv" --count 20 -- "$out/often"
    time build/tlab profile --csv "$out/profile_twice.csv" --twice -- "$out/often"
    time build/tlab profile --csv "$out/profile_chosen.csv" --kernel once --count 0 -- "$out/often"
    metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
    metrics+=,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_write.sum
    metrics+=,smsp__inst_executed_op_shared_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
    metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
    metrics+=,smsp__inst_executed_op_shared_st.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
    metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum,dram__bytes_read.sum,dram__bytes_write.sum,smsp__inst_executed.sum
    for launches in 1 21; do
        time ncu --csv --page raw --print-units base --clock-control none --launch-count $launches \
            --metrics $metrics,gpu__time_duration.sum "$out/often" >"$out/ncu_$launches.csv"
    done
    rm -f "$out/often" "$out/often.cu"
    return 0
}
export -f course ladder profile
export out sizes
part build 150 make -s -j16 build/tlab build/libtlab_inject.so
{
    echo "date: $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv,noheader | sed 's/^/GPU, driver, maximum clocks: /'
    nvcc --version | sed -n 's/^Build /toolkit: /p'
    ncu --version | sed -n 's/^Version /ncu: /p'
    echo "command: profiler/tools/bench/gpu_evidence.sh DIR"
} >"$out/versions.txt"
nvidia-smi --query-gpu=clocks.sm,clocks.mem,power.draw,temperature.gpu --format=csv
part calibrate 150 build/tlab calibrate --out "$out/calibrated.conf" --keep "$out"
part course 60 course
part ladder 40 ladder
TIMES=only part difficult 40 profiler/emulator/testdata/measure_difficult.sh "$out"
part profile 60 profile
part forms 60 profiler/tools/bench/forms.sh "$out"
part standalone 90 profiler/tools/bench/standalone.sh "$out"
SECONDS_MAX=75 part bench-gpu 130 profiler/tools/bench/record.sh "$out"
nvidia-smi --query-gpu=clocks.sm,clocks.mem,power.draw,temperature.gpu --format=csv
