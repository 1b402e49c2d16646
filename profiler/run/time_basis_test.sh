#!/bin/bash
# time_basis_test.sh: if the machine code is known, the records of `tlab run` and `tlab emulate`
# contain registers and occupancy, and the registers limit the modelled time. Otherwise, these
# columns are NA. The counters are equal in both cases.
# check: course
set -u
. profiler/tools/expect.sh
needs_ptx
toolkit=${TLAB_CUDA:-/usr/local/cuda}
csv=$work/record.csv

basis() { echo "$(column "$csv" registers) $(column "$csv" occupancy_pct) $(column "$csv" time_basis)"; }

"$tlab" run solutions/03_padded --device gtx280 --rows 64 --cols 64 --csv "$csv" >/dev/null 2>&1
same "a device before the PTX's architecture" "NA NA ptx" "$(basis)"
command -v clang >/dev/null && {
    TLAB_CUDA=none "$tlab" run solutions/03_padded --device h200 --rows 64 --cols 64 --csv "$csv" >/dev/null 2>&1
    same "without a toolkit" "NA NA ptx" "$(basis)"
}
[ -x "$toolkit/bin/ptxas" ] || { skip "machine code" "no ptxas here"; finish; }

# A thread has 40 live values at the barrier. With 1024 threads per block, a thread has 32 registers
# and must spill values.
kernel() { # BOUNDS: write $work/kernel.cu
    cat >"$work/kernel.cu" <<C
extern "C" __global__ void $1 turn(float *out, const float *in, int n)
{
    float values[40];
#pragma unroll
    for (int i = 0; i < 40; i++)
        values[i] = in[i * n + blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 40; i++)
        out[(39 - i) * n + blockIdx.x * blockDim.x + threadIdx.x] = values[i] * values[(i + 7) % 40];
}
C
    "$tlab" emulate "$work/kernel.cu" --kernel turn --grid 1024 --block 256 --device h200 --csv "$csv" \
        out:f32:10485760 in:f32:10485760 i32:262144 >"$work/output" 2>&1 || cat "$work/output"
}
counts() { cut -d, -f 24-39 "$csv"; }
kernel ""
within "a kernel with many registers" "$(column "$csv" registers)" 65 255
same "registers limit the occupancy to two blocks of eight" "25 sass" "$(column "$csv" occupancy_pct) $(column "$csv" time_basis)"
many=$(column "$csv" time_us) counted=$(counts)
kernel "__launch_bounds__(1024, 2)"
same "32 registers do not limit the occupancy" "32 100 sass" "$(basis)"
check "32 registers take less time: $many us and $(column "$csv" time_us)" \
    awk -v many="$many" -v few="$(column "$csv" time_us)" 'BEGIN { exit !(few < many) }'
same "counts do not depend on registers" "$counted" "$(counts)"

"$tlab" run solutions/03_padded --device h200 --rows 64 --cols 64 --csv "$csv" --explain-time >"$work/output" 2>&1
registers=$(column "$csv" registers)
within "registers of a lab" "$registers" 16 64
same "occupancy of a lab" "100 sass" "$(column "$csv" occupancy_pct) $(column "$csv" time_basis)"
check "--explain-time prints registers and occupancy" grep -qE "\b$registers registers\b.*\b100 %" "$work/output"
"$tlab" run solutions/03_padded --device h200 --rows 64 --cols 64 --json >"$work/json" 2>/dev/null
check "registers in the JSON" grep -qE "\"registers\": *$registers\b" "$work/json"

# In a toolkit without ptxas, NVRTC generates the machine code.
mkdir "$work/toolkit"
for part in include lib64 lib targets; do
    [ ! -e "$toolkit/$part" ] || ln -s "$(realpath "$toolkit/$part")" "$work/toolkit/$part"
done
if TLAB_CUDA=$work/toolkit "$tlab" run solutions/03_padded --device h200 --rows 64 --cols 64 --csv "$csv" >"$work/output" 2>&1; then
    within "machine code by NVRTC" "$(column "$csv" registers)" 16 64
else
    skip "machine code by NVRTC" "the toolkit has no NVRTC"
fi
finish
