#!/bin/bash
# record_test.sh: tests the table and the figure of the record ladder with the CSV of an H200 and with incomplete CSVs,
# and record.py without some of its kernels. The test requires no GPU. Run from the repository root.
set -u
. profiler/tools/expect.sh
record=profiler/tools/bench/record.sh
mkdir "$work/gpu"
cp docs/results/h200/record.csv docs/results/h200/record_versions.txt "$work/gpu"

expect "no directory" 2 "usage" -- $record
expect "nothing to draw" 2 "requires a directory that contains record.csv" -- $record --draw "$work"
if command -v gnuplot >/dev/null; then
    expect "the table of the H200" 0 "8192 x 8192 . 4248 .* 98.1 .* 96.2 \(64 x 64\)" -- $record --draw "$work/gpu"
    check "the figure names the GPU" grep -q "NVIDIA H200" "$work/gpu/record.svg"
    same "the kernels and peers in the figure" 7 "$(grep -oE '>(padded|register tile|vectorized|coarsened|record|cuBLAS geam|Triton, best tile)<' "$work/gpu/record.svg" | sort -u | wc -l)"
    check "a peer far below the others is named" grep -q "not drawn: PyTorch, 25 to 29 %" "$work/gpu/record.svg"
    same "make bench-gpu draws the saved table" 0 "$(make -s bench-gpu CSV="$work/gpu/record.csv" >/dev/null; echo $?)"
    mkdir "$work/poor"
    grep -vE "triton|pytorch|cublas" docs/results/h200/record.csv >"$work/poor/record.csv"
    expect "without peers" 0 "16384 x 16384 . 4288 .* 97.6 .$" -- $record --draw "$work/poor"
    refused() { # NAME MESSAGE SED-SCRIPT
        mkdir -p "$work/bad"
        sed "$3" docs/results/h200/record.csv >"$work/bad/record.csv"
        expect "$1" 2 "$2" -- plots/record "$work/bad/record.csv" "$work/bad"
    }
    refused "another table" "is not a table of make bench-gpu" '1s/copy_pct/share/'
    refused "a share that is a word" "line 7: the size or the share is not a number" '7s/[^,]*$/fast/'
    refused "a size that is a word" "line 9: the size or the share is not a number" '9s/^[^,]*/large/'
    refused "a line with an additional field" "line 5" '5s/$/,1/'
    refused "no square matrices" "contains no square" '/^\([0-9]*\),\1,/d'
    same "no figure of rejected tables" absent "$([ -e "$work/bad/record.svg" ] || echo absent)"
else
    skip "the figure" "gnuplot is not installed"
fi

# --- measuring, with a fake driver that reports 5 us for every launch and computes nothing ------------------------
if command -v python3 >/dev/null && mkdir "$work/driver" && ${CC:-cc} -shared -fPIC -w -Wl,-soname,libcuda.so.1 \
    -o "$work/driver/libcuda.so.1" profiler/hardware/gpu/testdata/fake_libcuda.c -lm; then
    touch "$work/copy.cubin" "$work/mine.cubin" "$work/helpers.bin"
    mkdir "$work/none"
    echo 'raise ImportError("hidden")' >"$work/none/torch.py"
    measure() { # SECONDS
        env LD_LIBRARY_PATH="$work/driver" PYTHONPATH="$work/none" CUDA_VISIBLE_DEVICES= python3 profiler/tools/bench/record.py "$work/new.csv" "$1" \
            "$work/helpers.bin" "$work/copy.cubin" "$work/mine.cubin"
    }
    expect "PyTorch is missing" 0 "PyTorch is omitted: hidden" -- measure 100
    same "two kernels of 15 sizes, and a header" 31 "$(wc -l <"$work/new.csv")"
    same "the copy has 100 % of the copy" 100.0 "$(column "$work/new.csv" copy_pct 2)"
    expect "Triton is missing" 0 "Triton is omitted: it requires PyTorch" -- measure 100
    expect "cuBLAS is missing" 0 "cuBLAS is omitted" -- measure 100
    expect "the time limit has passed" 0 "4096 x 4096 is omitted: the limit of 0 s has passed" -- measure 0
    expect "a launch fails" 1 "cuLaunchKernel fails" -- env FAKE_FAIL=cuLaunchKernel bash -c "$(declare -f measure); work=$work; measure 100"
    rm -rf profiler/tools/bench/__pycache__
else
    skip "measuring" "Python 3 or a C compiler is not installed"
fi
finish
