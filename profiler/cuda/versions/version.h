/* version.h: the functions with parameters that differ between CUDA 12 and 13. The functions of
 * VERSION_STREAM_LIST also have a variant for per-thread default streams (_ptsz). libcudart.so.12
 * and .13 define only these functions, which call name_12 or name_13 (version.c). */
#ifndef VERSION_H
#define VERSION_H

// clang-format off
#define VERSION_LIST(X) \
    X(cudaCreateSurfaceObject) X(cudaCreateTextureObject) X(cudaGetDeviceProperties) \
    X(cudaGetSurfaceObjectResourceDesc) X(cudaGetTextureObjectResourceDesc) \
    X(cudaGraphAddDependencies) X(cudaGraphAddNode) X(cudaGraphGetEdges) \
    X(cudaGraphNodeGetDependencies) X(cudaGraphNodeGetDependentNodes) \
    X(cudaGraphRemoveDependencies) X(cudaMemAdvise) X(cudaPointerGetAttributes) \
    X(cudaRuntimeGetVersion)
#define VERSION_STREAM_LIST(X) \
    X(cudaGetDriverEntryPoint) X(cudaMemPrefetchAsync) X(cudaMemcpyBatchAsync) \
    X(cudaStreamGetCaptureInfo) X(cudaStreamUpdateCaptureDependencies)
// clang-format on

#endif
