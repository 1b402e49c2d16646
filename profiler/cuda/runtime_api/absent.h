/* absent.h: exported functions that succeed and do nothing (RUNTIME_IDLE_LIST) or are not emulated
 * (RUNTIME_ABSENT_LIST). Source of the names: the exports of libcudart.so.13. */
#ifndef ABSENT_H
#define ABSENT_H

// clang-format off
#define RUNTIME_IDLE_LIST(X) \
    X(cudaCtxResetPersistingL2Cache) X(cudaDeviceGraphMemTrim) X(cudaDeviceSetCacheConfig) \
    X(cudaDeviceSetSharedMemConfig) X(cudaDeviceSetGraphMemAttribute) X(cudaFuncSetCacheConfig) \
    X(cudaFuncSetSharedMemConfig) X(cudaGraphKernelNodeCopyAttributes) \
    X(cudaGraphKernelNodeSetAttribute) X(cudaGraphUpload) X(cudaGraphUpload_ptsz) \
    X(cudaKernelSetAttributeForDevice) X(cudaMemPrefetchBatchAsync) X(cudaProfilerStart) \
    X(cudaProfilerStop) X(cudaSetDeviceFlags) X(cudaSetValidDevices) X(cudaStreamAttachMemAsync) \
    X(cudaStreamAttachMemAsync_ptsz) X(cudaStreamCopyAttributes) X(cudaStreamCopyAttributes_ptsz) \
    X(cudaThreadExchangeStreamCaptureMode)

#define RUNTIME_ABSENT_LIST(X) \
    X(__cudaGetProcAddress) X(__cudaRegisterHostVar) X(__cudaRegisterUnifiedTable) \
    X(cudaArrayGetMemoryRequirements) X(cudaArrayGetPlane) X(cudaArrayGetSparseProperties) \
    X(cudaDestroyExternalMemory) X(cudaDestroyExternalSemaphore) \
    X(cudaDeviceFlushGPUDirectRDMAWrites) X(cudaDeviceGetHostAtomicCapabilities) \
    X(cudaDeviceGetNvSciSyncAttributes) X(cudaDeviceGetP2PAtomicCapabilities) \
    X(cudaDeviceRegisterAsyncNotification) X(cudaDeviceUnregisterAsyncNotification) \
    X(cudaEGLStreamConsumerAcquireFrame) X(cudaEGLStreamConsumerConnect) \
    X(cudaEGLStreamConsumerConnectWithFlags) X(cudaEGLStreamConsumerDisconnect) \
    X(cudaEGLStreamConsumerReleaseFrame) X(cudaEGLStreamProducerConnect) \
    X(cudaEGLStreamProducerDisconnect) X(cudaEGLStreamProducerPresentFrame) \
    X(cudaEGLStreamProducerReturnFrame) X(cudaEventCreateFromEGLSync) \
    X(cudaExternalMemoryGetMappedBuffer) X(cudaExternalMemoryGetMappedMipmappedArray) \
    X(cudaGLGetDevices) X(cudaGLMapBufferObject) X(cudaGLMapBufferObjectAsync) \
    X(cudaGLRegisterBufferObject) X(cudaGLSetBufferObjectMapFlags) X(cudaGLSetGLDevice) \
    X(cudaGLUnmapBufferObject) X(cudaGLUnmapBufferObjectAsync) X(cudaGLUnregisterBufferObject) \
    X(cudaGetExportTable) X(cudaGetTextureObjectResourceViewDesc) \
    X(cudaGraphAddExternalSemaphoresSignalNode) X(cudaGraphAddExternalSemaphoresWaitNode) \
    X(cudaGraphExecExternalSemaphoresSignalNodeSetParams) \
    X(cudaGraphExecExternalSemaphoresWaitNodeSetParams) \
    X(cudaGraphExternalSemaphoresSignalNodeGetParams) \
    X(cudaGraphExternalSemaphoresSignalNodeSetParams) \
    X(cudaGraphExternalSemaphoresWaitNodeGetParams) \
    X(cudaGraphExternalSemaphoresWaitNodeSetParams) X(cudaGraphicsEGLRegisterImage) \
    X(cudaGraphicsGLRegisterBuffer) X(cudaGraphicsGLRegisterImage) X(cudaGraphicsMapResources) \
    X(cudaGraphicsResourceGetMappedEglFrame) X(cudaGraphicsResourceGetMappedMipmappedArray) \
    X(cudaGraphicsResourceGetMappedPointer) X(cudaGraphicsResourceSetMapFlags) \
    X(cudaGraphicsSubResourceGetMappedArray) X(cudaGraphicsUnmapResources) \
    X(cudaGraphicsUnregisterResource) X(cudaGraphicsVDPAURegisterOutputSurface) \
    X(cudaGraphicsVDPAURegisterVideoSurface) X(cudaImportExternalMemory) \
    X(cudaImportExternalSemaphore) X(cudaIpcCloseMemHandle) X(cudaIpcGetEventHandle) \
    X(cudaIpcGetMemHandle) X(cudaIpcOpenEventHandle) X(cudaIpcOpenMemHandle) \
    X(cudaLibraryGetUnifiedFunction) X(cudaLogsCurrent) X(cudaLogsDumpToFile) \
    X(cudaLogsDumpToMemory) X(cudaLogsRegisterCallback) X(cudaLogsUnregisterCallback) \
    X(cudaMemDiscardAndPrefetchBatchAsync) X(cudaMemDiscardAndPrefetchBatchAsync_ptsz) \
    X(cudaMemDiscardBatchAsync) X(cudaMemDiscardBatchAsync_ptsz) X(cudaMemPoolExportPointer) \
    X(cudaMemPoolExportToShareableHandle) X(cudaMemPoolImportFromShareableHandle) \
    X(cudaMemPoolImportPointer) X(cudaMemPrefetchBatchAsync_ptsz) X(cudaMemSetMemPool) \
    X(cudaMemcpy3DBatchAsync) X(cudaMemcpy3DBatchAsync_ptsz) X(cudaMemcpy3DPeer) \
    X(cudaMemcpy3DPeerAsync) X(cudaMemcpy3DPeerAsync_ptsz) X(cudaMemcpy3DPeer_ptds) \
    X(cudaMemcpyArrayToArray) X(cudaMemcpyArrayToArray_ptds) \
    X(cudaMipmappedArrayGetMemoryRequirements) X(cudaMipmappedArrayGetSparseProperties) \
    X(cudaOccupancyMaxActiveClusters) X(cudaOccupancyMaxPotentialClusterSize) \
    X(cudaSignalExternalSemaphoresAsync) X(cudaSignalExternalSemaphoresAsync_ptsz) \
    X(cudaVDPAUGetDevice) X(cudaVDPAUSetVDPAUDevice) X(cudaWaitExternalSemaphoresAsync) \
    X(cudaWaitExternalSemaphoresAsync_ptsz)
// clang-format on

#endif
