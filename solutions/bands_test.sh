#!/bin/bash
# bands_test.sh: tests that the labs as standalone programs, built by `tlab nvcc` and run by `tlab exec`,
# print the GB/s that they print on an H200, within the bands of docs/design.md. Run from the
# repository root; TLAB names the program.
# check: slow plain
set -u
. profiler/tools/expect.sh
[ -d "$(dirname "$tlab")/runtime" ] || skip_all "a build with sanitizers has no libcudart"
command -v nvcc >/dev/null || [ -x "${TLAB_CUDA:-/usr/local/cuda}/bin/nvcc" ] || skip_all "nvcc is not installed"
export tlab work

# Print the bandwidths on an H200 at 4096 x 4096: SOURCE GB/S PERCENT. When the kernel of a sum is
# launched again, part of its input is still in the L2. The model is less accurate for stencils in which
# the L1 serves most loads, or in which registers limit the number of blocks.
measured() {
    awk -F, 'NR > 1 { print "solutions/" $1 "/" $2 ".cu", $5, /stencil_(naive|registers)/ ? 30 : /sum/ ? 17 : 12 }' \
        docs/results/h200/standalone.csv
}
# Modelled times do not vary, so one launch is enough.
print_one() { # SOURCE
    local program=$work/$(basename "$1" .cu)
    "$tlab" nvcc -Iinclude -DLAB_ROUNDS=1 -DLAB_REPEATS=1 "$1" -o "$program" &&
        "$tlab" exec --no-checks --threads 1 -- "$program" 4096 4096 >"$program.out" 2>&1
}
export -f print_one
measured >"$work/measured"
cut -d' ' -f1 "$work/measured" | xargs -P "$(nproc)" -I{} bash -c 'print_one {}'
same "labs" 20 "$(wc -l <"$work/measured")"
while read -r source gbps percent; do
    printed=$(grep -oE ': correct, .* [0-9.]+ GB/s' "$work/$(basename "$source" .cu).out" | sed 's/.* us, //; s/ GB.*//')
    within "$source" "${printed:-nothing}" "$(awk "BEGIN { print $gbps * (1 - $percent / 100) }")" \
        "$(awk "BEGIN { print $gbps * (1 + $percent / 100) }")"
done <"$work/measured"
finish
