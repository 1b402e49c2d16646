# nvcc.cmake: a cache to begin with, for CMake projects that are built for `tlab exec`:
# cmake -C profiler/tools/nvcc.cmake ... Where a project wants code for the GPU of this machine,
# there is one; where it names the static CUDA runtime it gets the shared one, which alone can be
# emulated.
set(compiler "${CMAKE_CURRENT_LIST_DIR}/nvcc")
set(CMAKE_CUDA_COMPILER "${compiler}" CACHE FILEPATH "")
set(CMAKE_CUDA_ARCHITECTURES_NATIVE 80-real CACHE STRING "")
set(CUDA_NVCC_EXECUTABLE "${compiler}" CACHE FILEPATH "") # of FindCUDA, before CMake 3.27
set(CUDA_USE_STATIC_CUDA_RUNTIME OFF CACHE BOOL "")
execute_process(COMMAND "${compiler}" --dryrun none.cu ERROR_VARIABLE said OUTPUT_QUIET)
string(REGEX MATCHALL "-L[^\" ]+" folders "${said}")
list(TRANSFORM folders REPLACE "^-L" "")
find_library(CUDA_cudart_static_LIBRARY cudart PATHS ${folders} NO_DEFAULT_PATH)
