# driver_test.sh: test the driver API and NVRTC with a C program that does not require nvcc. Run
# from the repository root; TLAB is the path of tlab.
# check: plain
set -u
. profiler/tools/expect.sh
[ -d "$(dirname "$tlab")/runtime" ] || skip_all "a build with sanitizers has no libcudart"
cuda=${TLAB_CUDA:-/usr/local/cuda}
[ -f "$cuda/include/nvrtc.h" ] && [ -f "$cuda/lib64/stubs/libcuda.so" ] || skip_all "there is no CUDA Toolkit"

check "gcc builds" gcc -w -isystem "$cuda/include" profiler/cuda/driver_api/testdata/driver.c -o "$work/driver" \
    -L"$cuda/lib64/stubs" -L"$cuda/lib64" -lcuda -lnvrtc -lcudart -lpthread
run() { "$tlab" exec -- "$work/driver" "$1"; }

expect "launch" 0 "2 calls, 4 bytes, blocks of 1024 done .* scale " -- run launch
expect "names" 0 "^7, not found done" -- run names
expect "memory" 0 "^done" -- run memory
expect "linked" 0 "^42 done" -- run linked
# The thread has no context until it calls the runtime.
expect "mixed with the runtime" 0 "^1, and the runtime has no error: 0 .*cuModuleGetFunction: CUDA_ERROR_INVALID_CONTEXT.* done" \
    -- run mixed

# Each mistake causes an error of the driver and a message.
expect "calls before cuInit" 0 "Call cuInit\(0\) first cuDeviceGet: CUDA_ERROR_NOT_INITIALIZED, initialization error cuInit: CUDA_ERROR_INVALID_VALUE.* cuDeviceGet: CUDA_ERROR_INVALID_DEVICE.*has no current context.* cuMemAlloc: CUDA_ERROR_INVALID_CONTEXT" \
    -- run early
expect "modules" 0 "^done" -- run modules
said() { # NAME PATTERN
    expect "$1" 0 "$2" -- cat "$work/modules"
}
cp "$work/output" "$work/modules"
said "no PTX" "PTX:3: expected a directive but found .nonsense. cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX.* log: the program's PTX:3: expected"
said "a cubin" "cubin is machine code.*Load PTX.* cuModuleLoadData: CUDA_ERROR_NO_BINARY_FOR_GPU"
said "no text" "expected .version but the text ends cuModuleLoadData: CUDA_ERROR_INVALID_PTX"
said "no file" "cannot read /nowhere/none.ptx.* cuModuleLoad: CUDA_ERROR_FILE_NOT_FOUND"
said "no such kernel" "has no kernel skale. Its kernels are: scale, late.*cuModuleGetFunction: CUDA_ERROR_NOT_FOUND"
said "no module" "module handle is invalid.* cuModuleGetFunction: CUDA_ERROR_INVALID_HANDLE"
said "no such variable" "has no variable factors.*cuModuleGetGlobal: CUDA_ERROR_NOT_FOUND"
said "an unloaded module" "cuModuleGetFunction: CUDA_ERROR_INVALID_HANDLE.*cuModuleUnload: CUDA_ERROR_INVALID_HANDLE.*done"
expect "arguments" 1 "scale has 3 parameters, but argument 3 cannot be read cuLaunchKernel: CUDA_ERROR_INVALID_VALUE.*parameter 2 of kernel scale ends at byte 16, but the argument buffer has 12 bytes cuLaunchKernel: CUDA_ERROR_INVALID_VALUE.*is not a kernel .*CUDA_ERROR_INVALID_HANDLE.*blockDim.x = 4096.*CUDA_ERROR_INVALID_VALUE.* done" -- run launches
same "five launches with wrong arguments" 5 "$(grep -c "^cuLaunchKernel: CUDA_ERROR_INVALID_VALUE" "$work/output")"
expect "out of bounds" 1 "late.*4 bytes out of bounds: array 1 .*cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS.* cuMemAlloc: CUDA_ERROR_ILLEGAL_ADDRESS.* done" \
    -- run bounds
# Call every function of both APIs with null pointers.
if command -v nm >/dev/null; then
    check "nvcc builds" "$tlab" nvcc -w profiler/cuda/testdata/nulls.cu -o "$work/nulls" -ldl
    # The first parameter is a pointer in functions that return an object, and a handle in other functions.
    subjects='Stream|Event|Graph|Module|Library|Kernel|Func|Link|UserObject|MemPool|TexObject|SurfObject'
    results='Create|GraphAdd|Clone|Instantiate|Load|GetAttribute$|SetAttribute$|GetModule$|GetFunction|GetKernel|'
    results+='GetGlobal|GetManaged|Count$|Enumerate|GetName|GetLibrary|IsLoaded'
    for library in libtlab_cuda.so libcudart.so.13; do nm -D --defined-only "$(dirname "$tlab")/runtime/$library"; done |
        sed -nE 's/.* T (cu[A-Za-z0-9_]+).*/\1/p' | grep -v CreateChannelDesc |
        sed -E "/^cu(da)?($subjects)/{/$results/!s/\$/ handle/}" >"$work/names"
    expect "null pointers" 0 "[0-9]{3,} functions called" -- "$tlab" exec -- "$work/nulls" libcudart.so.13 "$work/names"
    check "no function dereferences them" none grep crashes "$work/output"
else
    skip "null pointers" "there is no nm"
fi
finish
