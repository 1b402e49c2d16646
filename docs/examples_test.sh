#!/bin/bash
# examples_test.sh: tests that the programs of docs/examples behave as docs/cuda-without-gpu.md describes, and that they
# can be graded.
# can be graded. nvcc takes seconds for each program. check: slow
set -u
. profiler/tools/expect.sh
[ -d "$(dirname "$tlab")/runtime" ] || skip_all "a build with sanitizers has no libcudart"
command -v nvcc >/dev/null || [ -x "${TLAB_CUDA:-/usr/local/cuda}/bin/nvcc" ] || skip_all "nvcc is not installed"
cp -r docs/examples "$work/examples" && cd "$work/examples" || exit 2
build() { make -s NVCC="$tlab nvcc" TLAB="$tlab" "$@"; }

check "make builds" build
expect "the histogram program reports success" 0 "right: 1000 bytes" -- "$tlab" exec -- ./histogram 1000
expect "the product program reports success" 0 "right: 50 x 50" -- "$tlab" exec -- ./product 50
expect "the stencil program is graded as correct" 0 "right: 262144 elements" -- build grade-stencil
# Each warp of 32 lanes makes 9 load requests.
same "load requests of the stencil" $((262144 / 32 * 9)) "$(column stencil.csv global_load_requests)"

handed_in() { # NAME SED: grade stencil.cu, changed by the sed script
    sed "$2" stencil.cu >"$1.cu" && build "$1" && build "grade-$1"
}
expect "a wrong result is graded as a mistake" 2 "wrong: element .*ended with exit status 1" -- handed_in early 's/offset <= radius/offset < radius/'
expect "an access past the end of an array is reported" 2 "out_of_bounds: .*in kernel stencil, .*array 1" -- handed_in unguarded 's/ && i + offset < n//'
expect "the CSV contains the finding" 0 "out_of_bounds" -- cat unguarded.csv
finish
