# nvcc.cmake: an initial CMake cache for projects that are built for `tlab exec`: cmake -C
# profiler/tools/nvcc.cmake ... The architecture "native" is sm_80, because the machine may have no
# GPU. The shared CUDA runtime is linked, because tlab cannot replace the static runtime.
set(compiler "${CMAKE_CURRENT_LIST_DIR}/nvcc")
set(CMAKE_CUDA_COMPILER "${compiler}" CACHE FILEPATH "")
set(CMAKE_CUDA_ARCHITECTURES_NATIVE 80-real CACHE STRING "")
set(CUDA_NVCC_EXECUTABLE "${compiler}" CACHE FILEPATH "") # for FindCUDA, before CMake 3.27
set(CUDA_USE_STATIC_CUDA_RUNTIME OFF CACHE BOOL "")
execute_process(COMMAND "${compiler}" --dryrun none.cu ERROR_VARIABLE said OUTPUT_QUIET)
string(REGEX MATCHALL "-L[^\" ]+" folders "${said}")
list(TRANSFORM folders REPLACE "^-L" "")
find_library(CUDA_cudart_static_LIBRARY cudart PATHS ${folders} NO_DEFAULT_PATH)
