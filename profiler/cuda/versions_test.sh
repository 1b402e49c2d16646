# versions_test.sh: test functions that differ between CUDA 12 and 13, and handles, with a C program
# that declares CUDA's functions. Run from the repository root; TLAB is the path of tlab.
# check: plain
set -u
. profiler/tools/expect.sh
libraries=$(dirname "$tlab")/runtime
[ -d "$libraries" ] || skip_all "a build with sanitizers has no libcudart"
for version in 12 13; do
    check "gcc builds for CUDA $version" gcc -w -DVERSION=$version profiler/cuda/testdata/versions.c \
        -o "$work/program" "$libraries/libcudart.so.$version" "$libraries/libtlab_cuda.so" -ldl
    for case in structures arguments state nodes stale streams; do
        expect "CUDA $version: $case" 0 "^done$" -- "$tlab" exec -- "$work/program" $case
        check "CUDA $version: $case: no message" none grep -E "^tlab: (race|[a-z_]+:)" "$work/output"
    done
done
finish
