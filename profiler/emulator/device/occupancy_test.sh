#!/bin/bash
# occupancy_test.sh: compare device_resident_blocks with NVIDIA's cuda_occupancy.h on devices that
# CUDA supports, for all block sizes and many numbers of registers and shared bytes.
# check: plain
set -u
. profiler/tools/expect.sh
include=${TLAB_CUDA:-/usr/local/cuda}/include
[ -e "$include/cuda_occupancy.h" ] || skip_all "no CUDA Toolkit with cuda_occupancy.h"
cat >"$work/compare.c" <<'C'
#include "emulator/device/device.h"
#include <cuda_occupancy.h>
#include <stdio.h>

static int nvidia(const struct device *device, int threads, int registers, int dynamic)
{
    struct cudaOccDeviceProp limits = {
        .computeMajor = (int)device->compute_capability / 10,
        .computeMinor = (int)device->compute_capability % 10,
        .maxThreadsPerBlock = (int)device->max_threads_per_block,
        .maxThreadsPerMultiprocessor = (int)device->max_threads_per_sm,
        .regsPerBlock = (int)device->registers_per_sm,
        .regsPerMultiprocessor = (int)device->registers_per_sm,
        .warpSize = (int)device->warp_lanes,
        .sharedMemPerBlock = device->shared_per_block,
        .sharedMemPerMultiprocessor = device->shared_per_sm,
        .numSms = (int)device->multiprocessors,
        .sharedMemPerBlockOptin = device->shared_per_block_optin,
        .reservedSharedMemPerBlock = device->shared_reserved_per_block,
    };
    struct cudaOccFuncAttributes kernel = {
        .maxThreadsPerBlock = (int)device->max_threads_per_block,
        .numRegs = registers,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = device->shared_per_block_optin,
    };
    struct cudaOccDeviceState state = {.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
    struct cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &limits, &kernel, &state, threads, (size_t)dynamic))
        return -1;
    return result.activeBlocksPerMultiprocessor;
}

int main(int count, char **values)
{
    int compared = 0, wrong = 0, limited = 0;
    for (int i = 1; i < count; i++) {
        struct device device;
        struct failure failure = {0};
        if (!device_read(values[i], &device, &failure))
            return 2;
        for (int threads = 1; threads <= 1024; threads += threads < 64 ? 1 : 32)
            for (int registers = 1; registers <= 255; registers += 3)
                for (int dynamic = 0; dynamic < 100000; dynamic += 12345) {
                    int want = nvidia(&device, threads, registers, dynamic);
                    int got = (int)device_resident_blocks(&device, (unsigned)threads, (uint64_t)dynamic, (unsigned)registers);
                    compared++;
                    limited += got < (int)device_resident_blocks(&device, (unsigned)threads, (uint64_t)dynamic, 0);
                    if (got != want && wrong++ < 5)
                        printf("%s, %d threads, %d registers, %d bytes: %d, NVIDIA %d\n", device.name, threads, registers, dynamic, got, want);
                }
    }
    printf("%d compared, %d of them limited by registers, %d wrong\n", compared, limited, wrong);
    return wrong || limited < compared / 10;
}
C
check "the comparison builds" "${CC:-cc}" -std=gnu11 -O1 -Iprofiler -isystem "$include" "$work/compare.c" \
    "$(dirname "$tlab")/libtlab.a" -lm -o "$work/compare"
for device in h200 h100 a100 rtx3070; do
    expect "$device" 0 "compared" -- "$work/compare" "profiler/devices/$device.conf"
    cat "$work/output" | sed 's/^/# /'
done
finish
