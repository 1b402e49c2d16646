# gpu_test.sh: test runs on a real GPU: verdicts, columns, faults that affect only their own row,
# and exact counters, which must be equal to the emulator's counters. `make check-gpu` runs this
# test. It is skipped without a GPU. Run from the repository root; TLAB is the path of tlab (default
# build/tlab).
set -u
. profiler/tools/expect.sh

# kernel NAME LAB BODY [LAUNCH]: write a lab file with this kernel body.
kernel() {
    cat >"$work/$1.cu" <<END
#include "lab.h"
#include <assert.h>
LAB($2);
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    $3
}
LAB_LAUNCH(width, height)
{
    ${4:-return {dim3(lab_ceil_div(width, 32), lab_ceil_div(height, 8)), dim3(32, 8)\};}
}
END
}
good='if (x < width && y < height) odata[x * height + y] = idata[y * width + x];'
gpu() { # NAME OPTIONS...
    local name=$1
    shift
    "$tlab" run "$work/$name.cu" --device gpu --rows 96 --cols 64 "$@"
}

# --- the message without a GPU, on every machine --------------------------------------------------
kernel naive naive "$good"
expect "a hidden GPU" 2 "--device gpu: .*(no NVIDIA driver|NO_DEVICE)" -- \
    env CUDA_VISIBLE_DEVICES= "$tlab" run "$work/naive.cu" --device gpu --rows 64 --cols 64 --csv "$work/none.csv"
same "no file was written" absent "$([ -e "$work/none.csv" ] || echo absent)"
expect "without a GPU, labs are emulated" 0 "device h200.*emulated" -- \
    env CUDA_VISIBLE_DEVICES= "$tlab" run "$work/naive.cu" --rows 64 --cols 64
expect "warm caches require a GPU" 2 "--warm requires a GPU" -- gpu naive --device h200 --warm
expect "tlab emulate only emulates" 2 "only emulates" -- \
    "$tlab" emulate "$work/naive.cu" --kernel transpose --grid 1 --block 1 --device gpu

if ! gpu naive >"$work/output" 2>&1; then
    if grep -q -- '--device gpu: ' "$work/output"; then
        skip "runs on a GPU" "no GPU: $(sed 's/^tlab: --device gpu: //; s/; without.*//' "$work/output" | tr '\n' ' ')"
        finish
    fi
    cat "$work/output"
    exit 1
fi

# --- correct programs -----------------------------------------------------------------------------
expect "the GPU is the default" 0 "device gpu.* ok" -- "$tlab" run "$work/naive.cu" --rows 96 --cols 64
expect "no such GPU" 2 "there is no GPU 77" -- gpu naive --gpu-index 77
expect "one element" 0 " ok$" -- "$tlab" run "$work/naive.cu" --device gpu --rows 1 --cols 1
expect "a ragged size" 0 " ok$" -- "$tlab" run "$work/naive.cu" --device gpu --rows 1000 --cols 777
gpu naive --csv "$work/naive.csv" >/dev/null
same "device" gpu "$(column "$work/naive.csv" device)"
same "source" cupti "$(column "$work/naive.csv" source)"
same "cache" cold "$(column "$work/naive.csv" cache)"
same "repeats" 20 "$(column "$work/naive.csv" repeats)"
same "grid" 2 "$(column "$work/naive.csv" grid_x)"
same "the compiler generated machine code" 1 "$(column "$work/naive.csv" compiler | grep -cE 'sm_[0-9]+ cubin:')"
within "time" "$(column "$work/naive.csv" time_us)" 0.5 10000
gpu naive --warm --repeats 7 --csv "$work/warm.csv" >/dev/null
same "warm caches" warm "$(column "$work/warm.csv" cache)"
same "repeats with warm caches" 7 "$(column "$work/warm.csv" repeats)"
gpu naive --loop kernel --repeats 4 --csv "$work/loop.csv" >/dev/null
same "loop in the kernel" kernel "$(column "$work/loop.csv" loop)"
same "repeats in the kernel" 4 "$(column "$work/loop.csv" repeats)"
kernel wide naive '#ifndef BX
#define BX 32
#endif
'"$good" 'return {dim3(lab_ceil_div(width, BX), lab_ceil_div(height, 8)), dim3(BX, 8)};'
sed -i 's/^LAB(/#ifndef BX\n#define BX 32\n#endif\nLAB(/' "$work/wide.cu"
gpu wide -D BX=16 --csv "$work/wide.csv" >/dev/null
same "a macro" 16 "$(column "$work/wide.csv" block_x)"
kernel opt_in naive 'extern __shared__ float big[]; if (!x) big[16000 + threadIdx.y] = y; __syncthreads();'"$good" \
    'return {dim3(lab_ceil_div(width, 32), lab_ceil_div(height, 8)), dim3(32, 8), 65536};'
expect "64 KB of dynamic shared memory" 0 " ok$" -- gpu opt_in
kernel speaks naive "$good"' if (!x && !y && width == 64 && height == 96) printf("hello\n");'
same "printf prints only in the verified run" 1 "$(gpu speaks | grep -c '^hello')"
expect "a lab with a reference function is emulated, with a message" 0 "compile the file as a program: nvcc.* emulated" -- \
    "$tlab" run solutions/20_sum_shared --device gpu --rows 1 --cols 4096
if command -v clang >/dev/null; then
    expect "the driver compiles clang's PTX" 0 " ok$" -- env TLAB_COMPILER=clang "$tlab" run "$work/naive.cu" --device gpu --rows 96 --cols 64
fi

# --- incorrect programs: a row with the status ----------------------------------------------------
kernel copies naive 'if (x < width && y < height) odata[y * width + x] = idata[y * width + x];'
expect "a copy" 1 "copy" -- gpu copies
kernel nothing naive 'if (width < 0) odata[0] = 0;'
expect "a kernel that writes nothing" 1 "never written|nothing was written" -- gpu nothing
kernel guard naive "$good"' if (!x && !y) odata[-3] = 1;'
expect "a store to a guard band" 1 "element 3 before the start of odata was overwritten" -- gpu guard
expect "status of a store to a guard band" 1 ",out_of_bounds," -- gpu guard --csv -
kernel scribbles naive "$good"' if (x == 1 && y == 2) const_cast<float *>(idata)[2 * width + 1] = 5;'
expect "a modified input" 1 "idata was modified: idata.2..1." -- gpu scribbles
kernel far naive 'odata[(size_t)1 << 40] = idata[0];'
expect "an illegal address" 1 "CUDA_ERROR_ILLEGAL_ADDRESS.*The emulator reports: .*far\.cu:7" -- gpu far
expect "status of an illegal address" 1 ",out_of_bounds," -- gpu far --csv -
kernel misaligned naive '*(double *)(odata + 1) = idata[0] + x + y;'
expect "a misaligned address" 1 ",misaligned," -- gpu misaligned --csv -
kernel traps naive '__trap();'
expect "a trap" 1 ",launch_error," -- gpu traps --csv -
kernel asserts naive "$good"' assert(width < 20);'
expect "an assertion" 1 ",launch_error,.*width < 20" -- gpu asserts --csv -
kernel endless naive 'for (int i = 0; i < width; i += y >> 31) odata[0] = i;'
expect "an endless loop; the next run has a new context" 1 ",timeout,.*naive,naive.*|,ok," -- \
    "$tlab" run "$work/endless.cu" "$work/naive.cu" --device gpu --rows 96 --cols 64 --csv -
expect "a fault; the next run has a new context" 1 ",out_of_bounds,.* ,?.*,ok," -- \
    "$tlab" run "$work/far.cu" "$work/naive.cu" --device gpu --rows 96 --cols 64 --csv -
kernel static_shared naive '__shared__ float big[16384]; big[threadIdx.x] = 1; __syncthreads(); odata[0] = big[width];'
expect "64 KB of static shared memory" 1 ",compile_error,.*shared" -- gpu static_shared --csv -
kernel block naive "$good" 'return {dim3(1, 1), dim3(64, 32)};'
expect "a block of more than 1024 threads" 1 "2048 threads.*1024" -- gpu block
kernel tall naive "$good" 'return {dim3(1, 70000), dim3(32, 8)};'
expect "a grid that exceeds the limit" 1 "gridDim.y = 70000.*65535" -- gpu tall

# --- counters -------------------------------------------------------------------------------------
expect "without counters, the emulator runs too" 0 "rows of the emulator" -- \
    env TLAB_CUPTI=/nonexistent "$tlab" run "$work/naive.cu" --device gpu --rows 96 --cols 64 --csv "$work/two.csv"
same "the GPU's row has no counters" NA "$(column "$work/two.csv" l2_read_bytes)"
same "the second row is emulated" emulator "$(column "$work/two.csv" source 2)"
same "the second row has the same size" 96 "$(column "$work/two.csv" rows 2)"
if [ "$(column "$work/naive.csv" l2_read_bytes)" = NA ]; then
    echo "the counters of this GPU cannot be read; see tlab doctor"
    finish
fi
gpu naive --passes 1 --csv "$work/one_pass.csv" >/dev/null
same "one pass" 1 "$(column "$work/one_pass.csv" passes)"
same "requests are unknown after one pass" NA "$(column "$work/one_pass.csv" global_load_requests)"
"$tlab" run solutions/02_coalesced solutions/03_padded --device gpu --rows 2048 --cols 2048 --csv "$work/gpu.csv" >/dev/null
"$tlab" run solutions/02_coalesced solutions/03_padded --device h200 --rows 2048 --cols 2048 --csv "$work/emulated.csv" >/dev/null
for name in global_load_requests global_load_sectors global_store_requests global_store_sectors \
    l2_read_bytes l2_write_bytes shared_load_requests shared_load_ideal_wavefronts \
    shared_store_requests shared_store_ideal_wavefronts; do
    for row in 1 2; do
        same "$name of run $row" "$(column "$work/emulated.csv" $name $row)" "$(column "$work/gpu.csv" $name $row)"
    done
done
within "conflicts of an unpadded tile" "$(column "$work/gpu.csv" shared_load_conflicts)" 4063232 4194304
within "conflicts of a padded tile" "$(column "$work/gpu.csv" shared_load_conflicts 2)" 0 26214
finish
