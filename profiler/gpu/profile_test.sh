#!/bin/bash
# profile_test.sh: tlab profile. Without a GPU, shell scripts stand in for the injected library: they
# leave in the shared directory what it would leave. With a GPU and nvcc, real programs follow.
# Run from the repository root; TLAB names the program (default build/tlab).
set -u
. profiler/tools/expect.sh
mkdir "$work/tmp"
export TMPDIR=$work/tmp

[ -e "$(dirname "$tlab")/libtlab_inject.so" ] ||
    skip_all "no CUDA Toolkit with CUPTI: libtlab_inject.so was not built"

expect_clean() { # as expect; the shared directory must be gone afterwards
    expect "$@"
    [ -z "$(ls "$TMPDIR")" ] || { fail "$1: left $(ls "$TMPDIR")"; rm -rf "${TMPDIR:?}"/*; }
}

profile() { # OPTION... -- SCRIPT: a shell script as the program
    local options=()
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    "$tlab" profile "${options[@]}" -- bash -c "$2"
}

# --- usage ---------------------------------------------------------------------------------------------
expect_clean "help" 0 "usage: tlab profile" -- "$tlab" profile --help
expect_clean "no program" 2 "needs a program to run" -- "$tlab" profile
expect_clean "nothing behind --" 2 "needs a program to run" -- "$tlab" profile --
expect_clean "no --" 2 "behind .--." -- "$tlab" profile ./program
expect_clean "unknown option" 2 "does not know .--frob" -- "$tlab" profile --frob -- true
expect_clean "passes" 2 "whole number from 1" -- "$tlab" profile --passes 0 -- true
expect_clean "launches" 2 "from 1 to 8192" -- "$tlab" profile --launches 9000 -- true
expect_clean "csv without a name" 2 "needs a value|file name" -- "$tlab" profile --csv= -- true
expect_clean "no such program" 2 "cannot run ./none: No such file" -- "$tlab" profile -- ./none
expect_clean "not a program" 2 "cannot run ./Makefile: Permission denied" -- "$tlab" profile -- ./Makefile
expect_clean "no directory" 2 "cannot make a directory" -- env TMPDIR=/nonexistent "$tlab" profile -- true

# --- what the library would leave ----------------------------------------------------------------------
cat >"$work/row" <<'END'
row() { # KERNEL SECTORS: a row as the library writes it
    awk -F, -v kernel="$1" -v sectors="$2" 'NR == 1 {
        for (i = 1; i <= NF; i++) {
            value = "NA"
            if ($i == "lab") value = "-"
            if ($i == "kernel") value = kernel
            if ($i == "device") value = "gpu"
            if ($i == "chip") value = "GH100"
            if ($i == "global_store_requests") value = 1
            if ($i == "global_store_sectors") value = sectors
            if ($i == "status") value = "ok"
            if ($i == "source") value = "cupti"
            line = line (i > 1 ? "," : "") value
        }
        print line }' "$TLAB_PROFILE_DIR/rows.csv" >>"$TLAB_PROFILE_DIR/rows.csv"
}
started() { # the library was loaded: the first number of the tally
    printf '\001' | dd of="$TLAB_PROFILE_DIR/tally" conv=notrunc 2>/dev/null
}
tallied() { # INDEX: that number of the tally is 2
    printf '\002' | dd of="$TLAB_PROFILE_DIR/tally" bs=4 seek="$1" conv=notrunc 2>/dev/null
}
started
END
rows=". $work/row;"

expect_clean "a program with two launches" 0 "second_kernel +.* 32 +ok" -- \
    profile --csv "$work/two.csv" -- "$rows row first_kernel 4; row second_kernel 32"
same "rows" 3 "$(wc -l <"$work/two.csv")"
same "first kernel" first_kernel "$(column "$work/two.csv" kernel)"
same "second's sectors" 32 "$(column "$work/two.csv" global_store_sectors 2)"
expect_clean "arguments reach the program" 0 "three words: a b +c" -- \
    "$tlab" profile -- bash -c ". $work/row; echo \"three words: \$1 \$2\"" name "a b" " c"
expect_clean "the library is named" 0 "library: $(dirname "$tlab")/libtlab_inject.so" -- \
    profile -- "$rows echo library: \$CUDA_INJECTION64_PATH"
expect_clean "options reach the library" 0 "^1 17$" -- \
    profile --passes 1 --launches 17 -- "$rows echo \$TLAB_PROFILE_PASSES \$TLAB_PROFILE_LAUNCHES"

expect_clean "a program that fails" 1 "bash ended with exit status 3; the rows are those" -- \
    profile --csv "$work/failed.csv" -- "$rows row only 4; exit 3"
same "its rows" 2 "$(wc -l <"$work/failed.csv")"
expect_clean "a program that is killed" 1 "bash was killed by signal 9" -- \
    profile --csv "$work/killed.csv" -- "$rows row only 4; kill -9 \$\$"
same "its rows" 2 "$(wc -l <"$work/killed.csv")"

profile --csv - -- "$rows row only 4; echo chatter" >"$work/standard" 2>"$work/chatter"
same "only CSV on standard output" 2 "$(wc -l <"$work/standard")"
expect_clean "the program's output" 0 "^chatter$" -- cat "$work/chatter"

echo precious >"$work/kept.csv"
expect_clean "blocked counters" 2 "may not read the GPU's counters" -- \
    profile --csv "$work/kept.csv" -- "$rows echo this user may not read the GPU\'s counters >>\$TLAB_PROFILE_DIR/troubles"
same "nothing overwritten" precious "$(cat "$work/kept.csv")"
expect_clean "no kernel" 0 "launched no kernel" -- profile --csv "$work/none.csv" -- "$rows"
same "a header" 1 "$(wc -l <"$work/none.csv")"
expect_clean "no kernel and a failure" 1 "exit status 4" -- profile -- "$rows exit 4"
expect_clean "CUDA never started" 2 "never used CUDA|no NVIDIA driver|no GPU|CUDA_ERROR" -- profile -- true
expect_clean "launches beyond the limit" 0 "2 more launches were not counted" -- profile -- "$rows row a 4; tallied 2"
expect_clean "launches without counters" 0 "2 launches could not be counted" -- profile -- "$rows row a 4; tallied 3"
expect_clean "graphs" 0 "2 launches of CUDA graphs were not counted" -- profile -- "$rows row a 4; tallied 5"
expect_clean "a spoiled row" 2 "rows.csv:2: 1 fields" -- profile -- "$rows echo x >>\$TLAB_PROFILE_DIR/rows.csv"
expect_clean "a removed directory" 2 "cannot read .*may have removed" -- \
    profile -- "rm -r \$TLAB_PROFILE_DIR"
expect_clean "full disk" 2 "cannot write /dev/full" -- profile --csv /dev/full -- "$rows row a 4"

# A signal is passed on; the program handles it, and what it leaves is still collected.
"$tlab" profile --csv "$work/term.csv" -- bash -c \
    "$rows row a 4; trap 'row b 4; exit 0' TERM; touch $work/ready; while :; do sleep 0.05; done" \
    >"$work/output" 2>&1 &
while [ ! -e "$work/ready" ] && kill -0 $! 2>/dev/null; do sleep 0.05; done
kill -TERM $!
wait $! || true
same "rows of a terminated program" 3 "$(wc -l <"$work/term.csv")"

# --- on a GPU ------------------------------------------------------------------------------------------
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -n "${CUDA_VISIBLE_DEVICES-any}" ] && [ -n "$nvcc" ] && nvidia-smi -L >/dev/null 2>&1; then
    cat >"$work/program.cu" <<'END'
#include <cstdlib>
__global__ void fill(float *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
template <int STRIDE> __global__ void stray(float *out) { out[(size_t)threadIdx.x << STRIDE] = 1; }
int main(int count, char **)
{
    float *out;
    cudaMalloc(&out, 64 * 128 * sizeof *out);
    fill<<<64, 128, 256>>>(out);
    if (cudaDeviceSynchronize())
        return 1;
    if (count > 1)
        abort();
    stray<40><<<1, 32>>>(out);
    return cudaDeviceSynchronize() ? 3 : 0;
}
END
    "$nvcc" -arch=native -o "$work/program" "$work/program.cu" || fail "nvcc"
    expect_clean "a faulting kernel" 1 "void stray<40>\(float" -- \
        "$tlab" profile --csv "$work/gpu.csv" -- "$work/program"
    same "rows" 3 "$(wc -l <"$work/gpu.csv")"
    same "requests" 256 "$(column "$work/gpu.csv" global_store_requests)"
    same "sectors" 1024 "$(column "$work/gpu.csv" global_store_sectors)"
    same "bytes" 32768 "$(column "$work/gpu.csv" l2_write_bytes)"
    same "grid" 64 "$(column "$work/gpu.csv" grid_x)"
    same "shared" 256 "$(column "$work/gpu.csv" shared_bytes)"
    check "a verdict on the stray store" grep 'stray.*,out_of_bounds,' "$work/gpu.csv"
    expect_clean "an aborted program" 1 "killed by signal 6" -- \
        "$tlab" profile --csv "$work/gpu.csv" -- "$work/program" abort
    same "rows before the abort" 2 "$(wc -l <"$work/gpu.csv")"
else
    skip "real programs" "no GPU"
fi

finish
