#!/bin/bash
# gpu_test.sh: tests `tlab grade --device gpu` on a real GPU with kernels that are correct, incorrect, endless or
# faulting, that print or save state, or that behave differently on a GPU than in the emulator. `make check-gpu` runs
# this script. Without a GPU, only messages are tested.
# usage: gpu_test.sh [DIRECTORY]    save the grades and the measurements (gpu.csv) in DIRECTORY
set -u
. profiler/tools/expect.sh
needs_grading
class=$work/class out=$work/out
mkdir "$class"
grade() { "$tlab" grade "$class" --out "$out" --sandbox seccomp --labs naive,padded --device gpu "$@"; }

# kernel ID BODY CODE: write a naive transpose with this body as a submission. CODE precedes it.
good='if (x < width && y < height) odata[x * height + y] = idata[y * width + x];'
kernel() {
    cat >"$class/$1.cu" <<END
#include "lab.h"
#include <assert.h>
LAB(naive);
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ > 800
#define ON_GPU 1 /* the emulator runs code for compute capability 8.0 */
#else
#define ON_GPU 0
#endif
$3
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    $2
}
LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width, 32), lab_ceil_div(height, 8)), dim3(32, 8)};
}
END
}

kernel right "$good" ''
expect "a hidden GPU" 2 "--device gpu: .*(no NVIDIA driver|NO_DEVICE)" -- env CUDA_VISIBLE_DEVICES= bash -c \
    "'$tlab' grade '$class' --out '$out' --sandbox seccomp --device gpu"
check "nothing was written" [ ! -e "$out" ]
expect "--device gpu with slurm" 2 "works with --engine local only" -- grade --engine slurm
if ! grade >"$work/output" 2>&1; then
    if grep -q -- '--device gpu: ' "$work/output"; then
        skip "all cases that require a GPU" "no GPU: $(sed 's/^tlab: --device gpu: //; s/; without.*//' "$work/output" | tr '\n' ' ')"
        finish
    fi
    cat "$work/output"
    exit 1
fi
if "$tlab" doctor | grep -q 'compute capability [1-7]\.\|compute capability 8\.0'; then
    skip "kernels that differ on a GPU" "this GPU runs the emulated code (compute capability 8.0 or less)"
    finish
fi

mkdir -p "$class/two"
cp solutions/03_padded/padded.cu "$class/two/"
kernel wrong 'if (x < width && y < height) odata[y * width + x] = idata[y * width + x];' ''
kernel endless 'while (width) *(volatile float *)odata = 1;' ''
kernel hangs "if (ON_GPU) while (width) *(volatile float *)odata = 1; $good" ''
kernel faults "if (ON_GPU) *(volatile int *)16 = 1; $good" ''
kernel differs "if (ON_GPU && width == 77 && !x && !y) return; $good" ''
kernel speaks "$good"' if (width < 0) printf("hello\n");' ''
kernel keeps "kept++; $good" '__device__ int kept;'
kernel hides "if (!x && !y) lab_name[0]++; $good" ''
kernel far "if (ON_GPU && !x && !y) odata[-3] = 1; $good" ''
sed 's/LAB(naive)/LAB(padded)/' "$class/faults.cu" >"$class/faults_padded.cu"
mkdir "$class/pair"
mv "$class/faults_padded.cu" "$class/pair/a.cu"
cp "$class/right.cu" "$class/pair/b.cu"
started=$(date +%s)
expect "a class" 0 "12 people, 12 with a submission" -- grade --jobs 3
took=$(($(date +%s) - started))

grade_of() { echo "$out/work/$1.json"; }
has() { grep -qE -- "$2" "$(grade_of "$1")"; }
says() { check "$1: $2" has "$1" "$2"; }
says_not() { check "$1: not $2" eval "! has '$1' '$2'"; }
# value ID COLUMN: print the value of COLUMN in the grade's run on the GPU.
value() {
    awk -v name="\"$2\":" '$1 == name { held = $2 } /"device": "gpu"/ { sub(",", "", held); print held }' \
        "$(grade_of "$1")"
}
for id in right two pair; do
    says $id '"chip": "NVIDIA'
    says $id '"gpu_status": "ok"'
done
for id in right two; do
    says_not $id '"gpu_status": "[^o]'
    says_not $id '"kind": "(hardware_differs|not_measured)"'
    check "$id: the student's page has the measurement" grep -q "Measured on NVIDIA" "$out/students/$id/index.html"
done
within "a naive transpose, % of a copy" "$(value right copy_pct)" 3 40
within "a padded tile, % of a copy" "$(value two copy_pct)" 60 110
within "rows of the measured run" "$(value two rows)" 8192 8192
check "the feedback of the kernel that changes lab_name has no run" eval "! grep -q 'Measured on' '$out/students/hides/index.html'"

says wrong '"gpu_status": "wrong_result"'
says wrong 'not timed, because the result is not correct'
says_not wrong hardware_differs
says endless '"status": "timeout"'
says_not endless gpu_status
says hangs 'still running after 10 s'
says hangs '"gpu_status": "timeout"'
says hangs hardware_differs
says faults 'CUDA_ERROR_ILLEGAL_ADDRESS'
says faults 'not run, because the kernel failed at an earlier size'
says faults hardware_differs
says differs 'at 100 x 77 the emulator reports ok, but NVIDIA .* reports wrong_result'
says differs '"gpu_status": "ok"'
says speaks '"gpu_status": "untrusted"'
says speaks 'vprintf'
says keeps '"gpu_status": "untrusted"|gpu_reason'
says keeps 'in global memory|"status": "untrusted"'
says hides 'changes lab_name'
says far 'before the start of odata was overwritten'
says pair 'CUDA_ERROR_ILLEGAL_ADDRESS'
check "a fault affects one file only" [ "$(value pair copy_pct | grep -cv null)" = 1 ]
expect "the same class again: nothing is graded" 0 "0 graded now" -- grade
mkdir "$work/rubrics"
cat >"$work/rubrics/naive.json" <<'END'
{"exercise": "naive", "title": "Naive", "points": 5, "published": [[64, 96]], "hidden": ["square"],
 "runs": [{"name": "counted", "device": "h200", "rows": 64, "cols": 64}],
 "checks": [{"id": "right", "kind": "correct", "title": "Right", "points": 1, "all": true, "hint": ""},
            {"id": "fast", "kind": "ratio", "title": "Fast", "points": 4, "hint": "", "run": "gpu",
             "measure": "copy_pct", "full": 1, "zero": 0.1}]}
END
points() { # OPTIONS...
    "$tlab" grade "$class/right.cu" --one right --out "$work/points" --sandbox seccomp --rubrics "$work/rubrics" "$@"
}
expect "points need the GPU" 2 "need a GPU: add --device gpu" -- points
expect "points for bandwidth" 0 "naive +1 +5.0 of 5" -- points --device gpu

if [ $# -gt 0 ]; then
    mkdir -p "$1" || exit 1
    cp "$out"/work/*.json "$1/"
    {
        echo "id,time_us,bandwidth_gbps,copy_pct,l2_read_bytes,dram_read_bytes"
        for id in right two pair; do
            paste -d, <(value $id time_us | sed "s/^/$id,/") <(value $id bandwidth_gbps) \
                <(value $id copy_pct) <(value $id l2_read_bytes) <(value $id dram_read_bytes)
        done
    } >"$1/gpu.csv"
    cat "$1/gpu.csv"
fi
expect "without the GPU, all are graded again" 0 "12 graded now" -- \
    "$tlab" grade "$class" --out "$out" --sandbox seccomp --labs naive,padded --jobs 3 --seed "$out/secret.seed"
says_not right gpu_status

echo "the class of 12 took $took s"
finish
