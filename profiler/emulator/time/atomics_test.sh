#!/bin/bash
# atomics_test.sh: tests atomic operations in the CSV, in `tlab annotate` and in modelled times. The
# kernels have one atomic addition per thread, lab 20's tree, or counters in shared memory.
# check: course
set -u
. profiler/emulator/time/timing_judge.sh

cp solutions/20_sum_shared/lab.conf "$work/"
kernel() { # NAME BODY: write a variant of the sum of lab 20 with this kernel body
    cat >"$work/$1.cu" <<END
#include "lab.h"
LAB(sum_shared);
extern "C" __global__ void reduce(unsigned *sum, const unsigned *values, int count)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    $2
}
LAB_LAUNCH(count, rows)
{
    return {dim3(lab_ceil_div(count, 256)), dim3(256)};
}
END
}
kernel naive 'if (i < count)
        atomicAdd(sum, values[i]);'
kernel blocks '__shared__ unsigned own[2];
    own[threadIdx.x & 1] = 0;
    __syncthreads();
    if (i < count)
        atomicAdd(&own[threadIdx.x & 1], values[i]);
    __syncthreads();
    if (threadIdx.x < 2)
        atomicAdd(sum, own[threadIdx.x]);'

for device in h200 a100 rtx3070 gtx280; do
    tree=$(modelled solutions/20_sum_shared $device 1 1048576 time_us)
    naive=$(modelled "$work/naive.cu" $device 1 1048576 time_us)
    check "$device: an atomic addition by each thread takes $naive us, the tree of lab 20 $tree" \
        awk -v naive="$naive" -v tree="$tree" 'BEGIN { exit !(tree > 0 && naive > tree) }'
done
same "the bound of an atomic addition by each thread" atomic "$(modelled "$work/naive.cu" h200 1 1048576 bound)"
same "one global atomic request per warp" 32768 "$(modelled "$work/naive.cu" h200 1 1048576 global_atomic_requests)"
same "one sector per request" 32768 "$(modelled "$work/naive.cu" h200 1 1048576 global_atomic_sectors)"
same "no atomic operations in shared memory" 0 "$(modelled "$work/naive.cu" h200 1 1048576 shared_atomic_wavefronts)"
same "16 lanes of each warp wait for each other in shared memory" $((16 * 32768)) \
    "$(modelled "$work/blocks.cu" h200 1 1048576 shared_atomic_wavefronts)"
same "one request per block for both words" 4096 "$(modelled "$work/blocks.cu" h200 1 1048576 global_atomic_requests)"
expect "annotate shows shared and global atomic operations" 0 \
    "shared atomic +16/1 .*global atomic +1/1 " -- "$tlab" annotate "$work/blocks.cu" --rows 1 --cols 1048576
expect "run shows the time of each limit" 0 "sum_shared: .*atomic [0-9.]+ us, .*latency [0-9.]+ us, launch 3.2 us -> [0-9.]+ us, limited by atomic" -- \
    "$tlab" run "$work/naive.cu" --device h200 --rows 1 --cols 1048576 --explain-time
finish
