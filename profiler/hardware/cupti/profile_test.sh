# profile_test.sh: test tlab profile. Without a GPU, shell scripts replace the injected library:
# they write the files of the library into the shared directory. With a GPU and nvcc, real programs
# are also profiled. Run from the repository root; TLAB is the path of tlab (default build/tlab).
set -u
. profiler/tools/expect.sh
mkdir "$work/tmp"
export TMPDIR=$work/tmp

[ -e "$(dirname "$tlab")/libtlab_inject.so" ] ||
    skip_all "no CUDA Toolkit with CUPTI: libtlab_inject.so was not built"

expect_clean() { # like expect; the shared directory must be removed afterwards
    expect "$@"
    [ -z "$(ls "$TMPDIR")" ] || { fail "$1: left $(ls "$TMPDIR")"; rm -rf "${TMPDIR:?}"/*; }
}

profile() { # OPTION... -- SCRIPT: profile a shell script
    local options=()
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    "$tlab" profile "${options[@]}" -- bash -c "$2"
}

# --- usage ----------------------------------------------------------------------------------------
expect_clean "help" 0 "usage: tlab profile" -- "$tlab" profile --help
expect_clean "no program" 2 "requires a program to run" -- "$tlab" profile
expect_clean "nothing after --" 2 "requires a program to run" -- "$tlab" profile --
expect_clean "no --" 2 "after .--." -- "$tlab" profile ./program
expect_clean "unknown option" 2 "has no option .--frob" -- "$tlab" profile --frob -- true
expect_clean "an invalid expression" 2 "--kernel a\[b is not a regular expression: " -- "$tlab" profile --kernel "a[b" -- true
expect_clean "a negative skip" 2 "--skip" -- "$tlab" profile --skip -1 -- true
expect_clean "a count that is too large" 2 "--count.*from 0 to 8192" -- "$tlab" profile --count 9000 -- true
expect_clean "no passes" 2 "whole number from 1" -- "$tlab" profile --passes 0 -- true
expect_clean "too many launches" 2 "from 1 to 8192" -- "$tlab" profile --launches 9000 -- true
expect_clean "csv without a name" 2 "needs a value|file name" -- "$tlab" profile --csv= -- true
expect_clean "no such program" 2 "cannot run ./none: No such file" -- "$tlab" profile -- ./none
expect_clean "not a program" 2 "cannot run ./Makefile: Permission denied" -- "$tlab" profile -- ./Makefile
expect_clean "no directory" 2 "cannot make a directory" -- env TMPDIR=/nonexistent "$tlab" profile -- true

# --- files of the library -------------------------------------------------------------------------
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
started() { # report that the library was loaded: set the first number of the tally
    printf '\001' | dd of="$TLAB_PROFILE_DIR/tally" conv=notrunc 2>/dev/null
}
tallied() { # INDEX: set the number at INDEX of the tally to 2
    printf '\002' | dd of="$TLAB_PROFILE_DIR/tally" bs=4 seek="$1" conv=notrunc 2>/dev/null
}
started
END
rows=". $work/row;"

expect_clean "a program with two launches" 0 "second_kernel +.* 32 +ok" -- \
    profile --csv "$work/two.csv" -- "$rows row first_kernel 4; row second_kernel 32"
same "rows" 3 "$(wc -l <"$work/two.csv")"
same "first kernel" first_kernel "$(column "$work/two.csv" kernel)"
same "sectors of the second kernel" 32 "$(column "$work/two.csv" global_store_sectors 2)"
expect_clean "arguments reach the program" 0 "three words: a b +c" -- \
    "$tlab" profile -- bash -c ". $work/row; echo \"three words: \$1 \$2\"" name "a b" " c"
expect_clean "the library is named" 0 "library: $(dirname "$tlab")/libtlab_inject.so" -- \
    profile -- "$rows echo library: \$CUDA_INJECTION64_PATH"
expect_clean "options reach the library" 0 "^1 17$" -- \
    profile --passes 1 --launches 17 -- "$rows echo \$TLAB_PROFILE_PASSES \$TLAB_PROFILE_LAUNCHES"

expect_clean "a program that fails" 1 "bash ended with exit status 3; the rows contain only" -- \
    profile --csv "$work/failed.csv" -- "$rows row only 4; exit 3"
same "its rows" 2 "$(wc -l <"$work/failed.csv")"
expect_clean "a program that is killed" 1 "bash was killed by signal 9" -- \
    profile --csv "$work/killed.csv" -- "$rows row only 4; kill -9 \$\$"
same "its rows" 2 "$(wc -l <"$work/killed.csv")"

# The counters of equal launches are averaged. A failed launch has its own row.
expect_clean "equal launches are combined" 0 "2 kernels have no time, because all their launches were counted" -- \
    profile --csv "$work/equal.csv" -- "$rows row same 4; row other 8; row same 8; row same 12"
same "two rows" 3 "$(wc -l <"$work/equal.csv")"
same "three launches" 3 "$(column "$work/equal.csv" launches)"
same "mean of the sectors" 8 "$(column "$work/equal.csv" global_store_sectors)"
same "one launch of the other kernel" 1 "$(column "$work/equal.csv" launches 2)"
same "its sectors" 8 "$(column "$work/equal.csv" global_store_sectors 2)"
same "no time" NA "$(column "$work/equal.csv" time_us)"
expect_clean "a failed launch has its own row" 0 "launch_error" -- \
    profile --csv "$work/failed.csv" -- "$rows row same 4; row same 8; sed -i '\$s/,ok,/,launch_error,/' \$TLAB_PROFILE_DIR/rows.csv; row same 12"
same "the other rows are combined" 8 "$(column "$work/failed.csv" global_store_sectors)"
same "two rows of one kernel" 3 "$(wc -l <"$work/failed.csv")"

profile --csv - -- "$rows row only 4; echo chatter" >"$work/standard" 2>"$work/chatter"
same "only CSV on standard output" 2 "$(wc -l <"$work/standard")"
expect_clean "the program's output" 0 "^chatter$" -- cat "$work/chatter"

echo precious >"$work/kept.csv"
expect_clean "blocked counters" 2 "may not read the GPU's counters" -- \
    profile --csv "$work/kept.csv" -- "$rows echo this user may not read the GPU\'s counters >>\$TLAB_PROFILE_DIR/troubles"
same "the old file is unchanged" precious "$(cat "$work/kept.csv")"
expect_clean "no kernel" 0 "launched no kernel" -- profile --csv "$work/none.csv" -- "$rows"
same "only a header" 1 "$(wc -l <"$work/none.csv")"
expect_clean "no kernel and a failure" 1 "exit status 4" -- profile -- "$rows exit 4"
expect_clean "CUDA never started" 2 "never used CUDA|no NVIDIA driver|no GPU|CUDA_ERROR" -- profile -- true
expect_clean "launches after the limit" 0 "2 more launches were not counted" -- profile -- "$rows row a 4; tallied 2"
expect_clean "launches without counters" 0 "2 launches could not be counted" -- profile -- "$rows row a 4; tallied 3"
expect_clean "graphs" 0 "2 launches of CUDA graphs were not counted" -- profile -- "$rows row a 4; tallied 5"
expect_clean "a corrupt row" 2 "rows.csv:2: the row has 1 field" -- profile -- "$rows echo x >>\$TLAB_PROFILE_DIR/rows.csv"
expect_clean "a removed directory" 2 "cannot read .*may have removed" -- \
    profile -- "rm -r \$TLAB_PROFILE_DIR"
expect_clean "full disk" 2 "cannot write /dev/full" -- profile --csv /dev/full -- "$rows row a 4"

# A signal is forwarded. The program handles it, and its rows are still collected.
"$tlab" profile --csv "$work/term.csv" -- bash -c \
    "$rows row a 4; trap 'row b 4; exit 0' TERM; touch $work/ready; while :; do sleep 0.05; done" \
    >"$work/output" 2>&1 &
while [ ! -e "$work/ready" ] && kill -0 $! 2>/dev/null; do sleep 0.05; done
kill -TERM $!
wait $! || true
same "rows of a terminated program" 3 "$(wc -l <"$work/term.csv")"

# --- the library in a program with a fake driver --------------------------------------------------
# A kernel us_N takes N us in the fake driver. The fake CUPTI does not permit counting.
cupti=$(for root in ${TLAB_CUDA-} /usr/local/cuda /usr/local/cuda-*; do
    ls -d "$root"/include "$root"/extras/CUPTI/include "$root"/targets/*/include 2>/dev/null
done | sed 's/^/-I/')
# shellcheck disable=SC2086 # several words
if ${CC:-cc} -w $cupti -o "$work/program" profiler/hardware/gpu/testdata/fake_program.c -ldl 2>"$work/why" &&
    ${CC:-cc} -w $cupti -shared -fPIC -DFAKE_CUPTI -o "$work/libcupti.so" profiler/hardware/gpu/testdata/fake_program.c 2>"$work/why" &&
    ${CC:-cc} -w -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so.1" profiler/hardware/gpu/testdata/fake_libcuda.c -lm 2>"$work/why"; then
    fake() { # OPTION... -- LAUNCH...
        local options=()
        while [ "$1" != -- ]; do options+=("$1"); shift; done
        shift
        env LD_LIBRARY_PATH="$work" TLAB_CUPTI="$work/libcupti.so" "$tlab" profile "${options[@]}" -- "$work/program" "$@"
    }
    expect_clean "times without counters" 0 "us_30 +3 +30" -- fake --count 0 --csv "$work/t.csv" -- us_30 us_50 us_30 us_30,2 us_30 us_50,1,64
    same "four kinds of launches" 5 "$(wc -l <"$work/t.csv")"
    same "launches" "3 1 1 1" "$(for i in 1 2 3 4; do column "$work/t.csv" launches $i; done | xargs)"
    same "times" "30 50 30 50" "$(for i in 1 2 3 4; do column "$work/t.csv" time_us $i; done | xargs)"
    same "timed launches" 3 "$(column "$work/t.csv" repeats)"
    same "another grid" 2 "$(column "$work/t.csv" grid_x 3)"
    same "another block" 64 "$(column "$work/t.csv" block_x 4)"
    same "no counters" NA "$(column "$work/t.csv" dram_read_bytes)"
    chosen() { # EXPECTED OPTION...: check names and launches of the rows for us_30 us_40 us_30 us_50 us_40
        local expected=$1
        shift
        fake --count 0 --csv "$work/c.csv" "$@" -- us_30 us_40 us_30 us_50 us_40 >/dev/null 2>&1
        [ "$(wc -l <"$work/c.csv")" != 1 ] || { same "$*" "$expected" none; return; }
        same "$*" "$expected" "$(for i in $(seq $(($(wc -l <"$work/c.csv") - 1))); do
            echo "$(column "$work/c.csv" kernel "$i") $(column "$work/c.csv" launches "$i")"; done | xargs)"
    }
    chosen "us_30 2 us_40 2 us_50 1" --skip 0
    chosen "us_30 1 us_50 1 us_40 1" --skip 2
    chosen "us_40 1" --skip 4
    chosen none --skip 5
    chosen "us_40 2" --kernel us_4
    chosen "us_40 2 us_50 1" --kernel '_(40|50)$'
    chosen "us_50 1 us_40 1" --kernel '_[45]' --skip 1
    chosen none --kernel '^s'
    expect_clean "no launch is selected" 0 "launched no kernel that could be counted among the selected launches" -- fake --kernel none -- us_30
    expect_clean "a launch that is captured into a graph" 0 "1 launch was recorded into a CUDA graph" -- fake --count 0 -- us_30 captured us_30
    expect_clean "counting is not permitted" 2 "may not read the GPU.s counters|counters are not available" -- fake -- us_30 us_30
    expect_clean "counting is not permitted, with --twice" 0 "us_30 +2 +30" -- fake --count 0 --twice -- us_30 us_30
    many=$(for i in $(seq 1100); do echo us_30,$i; done)
    # shellcheck disable=SC2086 # several words
    expect_clean "too many groups of equal launches" 0 "76 launches were neither counted nor timed" -- fake --count 0 -- $many
else
    skip "the library in a program with a fake driver" "$(head -1 "$work/why")"
fi

# --- on a GPU -------------------------------------------------------------------------------------
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
    cat >"$work/often.cu" <<'END'
__global__ void scale(float *data) { data[blockIdx.x * 256 + threadIdx.x] *= 2; }
int main()
{
    float *data;
    cudaMalloc(&data, 64 << 20);
    cudaMemset(data, 0, 64 << 20);
    for (int i = 0; i < 50; i++)
        scale<<<(16 << 20) / 256, 256>>>(data);
    scale<<<1, 256>>>(data);
    return cudaDeviceSynchronize();
}
END
    "$nvcc" -arch=native -o "$work/often" "$work/often.cu" || fail "nvcc"
    expect_clean "many equal launches" 0 "scale.* 50 " -- "$tlab" profile --csv "$work/often.csv" -- "$work/often"
    same "launches" "50 1" "$(column "$work/often.csv" launches) $(column "$work/often.csv" launches 2)"
    same "timed launches" 49 "$(column "$work/often.csv" repeats)"
    within "time of 128 MB through an L2" "$(column "$work/often.csv" time_us)" 10 2000
    same "the second launch has no time" NA "$(column "$work/often.csv" time_us 2)"
    expect_clean "with --twice" 0 "scale" -- "$tlab" profile --twice --csv "$work/often.csv" -- "$work/often"
    within "time of the second launch" "$(column "$work/often.csv" time_us 2)" 0.5 50
    same "sectors of the second launch" 32 "$(column "$work/often.csv" global_store_sectors 2)"
    expect_clean "an aborted program" 1 "killed by signal 6" -- \
        "$tlab" profile --csv "$work/gpu.csv" -- "$work/program" abort
    same "rows before the abort" 2 "$(wc -l <"$work/gpu.csv")"
else
    skip "real programs" "no GPU"
fi

finish
