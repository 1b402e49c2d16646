/* version.h: the functions of which CUDA 12 and 13 have different forms under one name, without and
 * with a form of that name for the default streams of threads (_ptsz). libcudart.so.12 and .13 have
 * these names, and nothing else; both forms, name_12 and name_13, are in the library that they
 * share (version.c).
 */
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
