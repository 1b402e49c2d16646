# features_test.sh: test graphs, cooperative launches, pools, malloc in kernels, relocatable code
# and compressed PTX. nvcc runs for several seconds. Run from the repository root; TLAB is the path
# of tlab.
# check: slow
set -u
. profiler/tools/expect.sh
[ -d "$(dirname "$tlab")/runtime" ] || skip_all "a build with sanitizers has no libcudart"
command -v nvcc >/dev/null || [ -x "${TLAB_CUDA:-/usr/local/cuda}/bin/nvcc" ] || skip_all "there is no nvcc"

check "nvcc builds" "$tlab" nvcc profiler/cuda/testdata/features.cu -o "$work/features"
conditions=$(command -v nvcc >/dev/null && nvcc --version | grep -q "release 12" || echo conditions)
for case in capture graph nodes changes $conditions threads cooperative pools heap textures surfaces slope_levels in_time many_arrays many_streams circles; do
    expect "$case" 0 "^done$" -- "$tlab" exec -- "$work/features" "$case"
    check "$case: no message" none grep "^tlab:" "$work/output"
done
expect "unknown_forms" 1 "needs the PTX instruction frobnicate.sync.u32 \\(line [0-9]+ of the PTX\\)" -- \
    "$tlab" exec -- "$work/features" unknown_forms
expect "early_load" 1 "race: the host reads or writes array 1 .*byte 28, but does not first wait for kernel scale, which writes" -- \
    "$tlab" exec -- "$work/features" early_load
expect "early_store" 1 "array 1 .*byte 2044, but does not .* kernel scale, which writes.*scale.*race" -- "$tlab" exec -- "$work/features" early_store
expect "early_source" 1 "the host writes array 1 .*byte 1024, but .*, which copies from" -- "$tlab" exec -- "$work/features" early_source
expect "early_target" 1 "reads or writes array 1 .*byte 1028, but .*, which copies to" -- "$tlab" exec -- "$work/features" early_target
expect "destroyed_texture" 1 "uses a texture object that was destroyed" -- "$tlab" exec -- "$work/features" destroyed_texture
expect "no_texture" 1 "uses 0x3039 as a texture object, but no call of cudaCreateTextureObject" -- \
    "$tlab" exec -- "$work/features" no_texture
expect "freed_array" 1 "array 1 \(cudaMallocArray, .*freed" -- "$tlab" exec -- "$work/features" freed_array
expect "outside_surface" 1 "bytes out of bounds of a surface: byte 0 of row 4" -- \
    "$tlab" exec -- "$work/features" outside_surface
expect "long_name" 1 "in kernel store_behind<both<.*both<unsigned long long, unsigned long long> > > >, thread" -- \
    "$tlab" exec -- "$work/features" long_name
expect "behind_table" 1 "reads 4 bytes out of bounds: 1 element past the end of step \(the address belongs to steps, byte 0\)$" -- \
    "$tlab" exec -- "$work/features" behind_table
[ -z "$conditions" ] || expect "no_condition" 1 "calls cudaGraphSetConditional with 0x4d, but no" -- \
    "$tlab" exec -- "$work/features" no_condition
expect "absent" 0 "cudaIpcGetMemHandle is not emulated" -- "$tlab" exec -- "$work/features" absent
same "the message is printed once" 1 "$(grep -c "cudaIpcGetMemHandle is" "$work/output")"

data=profiler/cuda/testdata
check "nvcc links" "$tlab" nvcc -rdc=true $data/linked_main.cu $data/linked_other.cu -o "$work/linked"
# tlab nvcc removes options for machine code and the static runtime, wherever nvcc reads options.
printf -- '-rdc=true\n-gencode "arch=compute_50,code=sm_50"\n-DTWO="1 + 1"' >"$work/words"
expect "options in files and variables" 0 "first: 9 second: 7" -- env NVCC_PREPEND_FLAGS="-cudart static -O2" \
    NVCC_APPEND_FLAGS="-dlto -arch=sm_20" sh -c "'$tlab' nvcc -optf '$work/words' $data/linked_main.cu \
    $data/linked_other.cu -o '$work/worded' && '$tlab' exec -- '$work/worded'"
expect "a missing options file" 2 "cannot read nowhere.txt" -- "$tlab" nvcc --options-file=nowhere.txt x.cu
check "a cubin is requested" env -C "$work" "$tlab" nvcc -arch=sm_80 -cubin "$PWD/$data/basics.cu"
check "the cubin contains PTX" grep -aq "target sm_80" "$work/basics.cubin"
# 202.5 = 3 * 0 + 0.5 + 2 + 200; 296 = 3 * 31 + 1 + 2 + 200; 37 launches = 5 + 32 threads.
expect "linked" 0 "first: 9 second: 7 202.5 296, 37 launches: no error" -- "$tlab" exec -- "$work/linked"

# In a CMake project, the kernels of each of two files call functions of the other file.
if command -v cmake >/dev/null; then
    cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.18)
project(linked LANGUAGES CXX CUDA)
set(CMAKE_CUDA_ARCHITECTURES native)
find_package(CUDAToolkit REQUIRED)
add_executable(linked $PWD/$data/linked_main.cu $PWD/$data/linked_other.cu)
set_target_properties(linked PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(linked CUDA::cudart_static)
END
    check "cmake configures" cmake -C profiler/tools/nvcc.cmake -S "$work" -B "$work/cmake"
    check "cmake builds" cmake --build "$work/cmake"
    expect "a CMake project" 0 "first: 9 second: 7" -- "$tlab" exec -- "$work/cmake/linked"
else
    skip "a CMake project" "there is no cmake"
fi

# A lab has the same time in `tlab exec` and in `tlab run`.
check "nvcc builds a lab" "$tlab" nvcc -Iinclude solutions/03_padded/padded.cu -o "$work/padded"
expect "the lab" 0 "correct, 512 x 512 on NVIDIA H200" -- "$tlab" exec --csv "$work/exec.csv" -- "$work/padded" 512 512
"$tlab" run solutions/03_padded --device h200 --rows 512 --cols 512 --csv "$work/run.csv" >/dev/null 2>&1
for name in time_us global_load_sectors shared_load_wavefronts dram_read_bytes; do
    same "$name" "$(column "$work/run.csv" $name)" "$(column "$work/exec.csv" $name)"
done
finish
