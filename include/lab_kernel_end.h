/* lab_kernel_end.h: removes the definitions of lab_kernel.h. */
#undef blockIdx
#undef threadIdx
#undef gridDim
#undef blockDim
#undef atomicAdd
#pragma pop_macro("__global__")
#pragma pop_macro("__device__")
#pragma pop_macro("__restrict__")
