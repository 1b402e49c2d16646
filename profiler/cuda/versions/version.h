/* version.h: functions with parameters that differ between CUDA 12 and 13. libcudart.so.12 and .13
 * define only these functions, which call name_12 or name_13 (version.c). VERSION_STREAM_LIST adds
 * variants for per-thread default streams (_ptsz). */
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
