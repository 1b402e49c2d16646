#!/bin/bash
# bands_test.sh: tests that the labs as standalone programs, built by `tlab nvcc` and run by `tlab exec`, print the same
# GB/s as on an H200, within the bands of docs/design.md. Run from the repository root; TLAB names the program.
# check: slow plain
set -u
. profiler/tools/expect.sh
[ -d "$(dirname "$tlab")/runtime" ] || skip_all "a build with sanitizers has no libcudart"
command -v nvcc >/dev/null || [ -x "${TLAB_CUDA:-/usr/local/cuda}/bin/nvcc" ] || skip_all "nvcc is not installed"
export tlab work

# Print SOURCE, GB/S on an H200 at 4096 x 4096, and the accepted deviation in PERCENT. The deviation is larger for sums,
# because part of the input is still in the L2 when the kernel is launched again, and for stencils in which the L1
# serves most loads or registers limit the number of blocks.
measured() {
    awk -F, 'NR > 1 { print "solutions/" $1 "/" $2 ".cu", $5, /stencil_(naive|registers)/ ? 30 : /sum/ ? 17 : 12 }' \
        docs/results/h200/standalone.csv
}
# Run a lab and print its bandwidth. Modelled times do not vary, so one launch is enough.
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
