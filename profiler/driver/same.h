/* same.h: the driver's functions that need no body of their own: DRIVER_SAME_LIST do what a
 * function of the runtime does with the same arguments (what must have been before, its name, the
 * runtime's name), DRIVER_IDLE_LIST succeed and do nothing, DRIVER_ABSENT_LIST are not emulated.
 * Names: those of the toolkit's stubs/libcuda.so of CUDA 13.0.
 */
#ifndef SAME_H
#define SAME_H

// clang-format off
#define DRIVER_SAME_LIST(X) \
    X(NOTHING, cuDriverGetVersion, cudaDriverGetVersion) \
    X(INIT, cuDeviceGetCount, cudaGetDeviceCount) \
    X(INIT, cuDeviceGetAttribute, cudaDeviceGetAttribute) \
    X(INIT, cuDeviceCanAccessPeer, cudaDeviceCanAccessPeer) \
    X(INIT, cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId) \
    X(INIT, cuDeviceGetByPCIBusId, cudaDeviceGetByPCIBusId) \
    X(INIT, cuDeviceGetP2PAttribute, cudaDeviceGetP2PAttribute) \
    X(INIT, cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool) \
    X(INIT, cuDeviceGetMemPool, cudaDeviceGetMemPool) \
    X(INIT, cuDeviceSetMemPool, cudaDeviceSetMemPool) \
    X(INIT, cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute) \
    X(INIT, cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute) \
    X(INIT, cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim) \
    X(INIT, cuMemPoolCreate, cudaMemPoolCreate) \
    X(INIT, cuMemPoolDestroy, cudaMemPoolDestroy) \
    X(INIT, cuMemPoolTrimTo, cudaMemPoolTrimTo) \
    X(INIT, cuMemPoolSetAttribute, cudaMemPoolSetAttribute) \
    X(INIT, cuMemPoolGetAttribute, cudaMemPoolGetAttribute) \
    X(INIT, cuMemPoolSetAccess, cudaMemPoolSetAccess) \
    X(INIT, cuMemPoolGetAccess, cudaMemPoolGetAccess) \
    X(INIT, cuProfilerStart, cudaProfilerStart) \
    X(INIT, cuProfilerStop, cudaProfilerStop) \
    X(CONTEXT, cuCtxSynchronize, cudaDeviceSynchronize) \
    X(CONTEXT, cuCtxSynchronize_v2, cudaDeviceSynchronize) \
    X(CONTEXT, cuCtxGetLimit, cudaDeviceGetLimit) \
    X(CONTEXT, cuCtxSetLimit, cudaDeviceSetLimit) \
    X(CONTEXT, cuCtxGetCacheConfig, cudaDeviceGetCacheConfig) \
    X(CONTEXT, cuCtxSetCacheConfig, cudaDeviceSetCacheConfig) \
    X(CONTEXT, cuCtxGetSharedMemConfig, cudaDeviceGetSharedMemConfig) \
    X(CONTEXT, cuCtxSetSharedMemConfig, cudaDeviceSetSharedMemConfig) \
    X(CONTEXT, cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange) \
    X(CONTEXT, cuCtxResetPersistingL2Cache, cudaCtxResetPersistingL2Cache) \
    X(CONTEXT, cuCtxEnablePeerAccess, cudaDeviceEnablePeerAccess) \
    X(CONTEXT, cuCtxDisablePeerAccess, cudaDeviceDisablePeerAccess) \
    X(CONTEXT, cuMemAlloc_v2, cudaMalloc) \
    X(CONTEXT, cuMemFree_v2, cudaFree) \
    X(CONTEXT, cuMemAllocHost_v2, cudaMallocHost) \
    X(CONTEXT, cuMemFreeHost, cudaFreeHost) \
    X(CONTEXT, cuMemHostAlloc, cudaHostAlloc) \
    X(CONTEXT, cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer) \
    X(CONTEXT, cuMemHostGetFlags, cudaHostGetFlags) \
    X(CONTEXT, cuMemHostRegister_v2, cudaHostRegister) \
    X(CONTEXT, cuMemHostUnregister, cudaHostUnregister) \
    X(CONTEXT, cuMemAllocManaged, cudaMallocManaged) \
    X(CONTEXT, cuMemAllocPitch_v2, cudaMallocPitch) \
    X(CONTEXT, cuMemGetInfo_v2, cudaMemGetInfo) \
    X(CONTEXT, cuMemAllocAsync, cudaMallocAsync) \
    X(CONTEXT, cuMemAllocAsync_ptsz, cudaMallocAsync) \
    X(CONTEXT, cuMemAllocFromPoolAsync, cudaMallocFromPoolAsync) \
    X(CONTEXT, cuMemAllocFromPoolAsync_ptsz, cudaMallocFromPoolAsync) \
    X(CONTEXT, cuMemFreeAsync, cudaFreeAsync) \
    X(CONTEXT, cuMemFreeAsync_ptsz, cudaFreeAsync) \
    X(CONTEXT, cuMemPrefetchAsync, cudaMemPrefetchAsync) \
    X(CONTEXT, cuMemPrefetchAsync_ptsz, cudaMemPrefetchAsync) \
    X(CONTEXT, cuMemPrefetchAsync_v2, cudaMemPrefetchAsync) \
    X(CONTEXT, cuMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync) \
    X(CONTEXT, cuMemAdvise, cudaMemAdvise) \
    X(CONTEXT, cuMemAdvise_v2, cudaMemAdvise) \
    X(CONTEXT, cuMemsetD8_v2, cudaMemset) \
    X(CONTEXT, cuMemsetD8_v2_ptds, cudaMemset) \
    X(CONTEXT, cuMemsetD8Async, cudaMemsetAsync) \
    X(CONTEXT, cuMemsetD8Async_ptsz, cudaMemsetAsync) \
    X(CONTEXT, cuMemsetD2D8_v2, cudaMemset2D) \
    X(CONTEXT, cuMemsetD2D8_v2_ptds, cudaMemset2D) \
    X(CONTEXT, cuMemsetD2D8Async, cudaMemset2DAsync) \
    X(CONTEXT, cuMemsetD2D8Async_ptsz, cudaMemset2DAsync) \
    X(CONTEXT, cuArrayDestroy, cudaFreeArray) \
    X(CONTEXT, cuMipmappedArrayDestroy, cudaFreeMipmappedArray) \
    X(CONTEXT, cuMipmappedArrayGetLevel, cudaGetMipmappedArrayLevel) \
    X(CONTEXT, cuTexObjectDestroy, cudaDestroyTextureObject) \
    X(CONTEXT, cuSurfObjectDestroy, cudaDestroySurfaceObject) \
    X(CONTEXT, cuStreamCreate, cudaStreamCreateWithFlags) \
    X(CONTEXT, cuStreamCreateWithPriority, cudaStreamCreateWithPriority) \
    X(CONTEXT, cuStreamDestroy, cudaStreamDestroy) \
    X(CONTEXT, cuStreamDestroy_v2, cudaStreamDestroy) \
    X(CONTEXT, cuStreamSynchronize, cudaStreamSynchronize) \
    X(CONTEXT, cuStreamSynchronize_ptsz, cudaStreamSynchronize) \
    X(CONTEXT, cuStreamQuery, cudaStreamQuery) \
    X(CONTEXT, cuStreamQuery_ptsz, cudaStreamQuery) \
    X(CONTEXT, cuStreamWaitEvent, cudaStreamWaitEvent) \
    X(CONTEXT, cuStreamWaitEvent_ptsz, cudaStreamWaitEvent) \
    X(CONTEXT, cuStreamGetPriority, cudaStreamGetPriority) \
    X(CONTEXT, cuStreamGetPriority_ptsz, cudaStreamGetPriority) \
    X(CONTEXT, cuStreamGetFlags, cudaStreamGetFlags) \
    X(CONTEXT, cuStreamGetFlags_ptsz, cudaStreamGetFlags) \
    X(CONTEXT, cuStreamGetId, cudaStreamGetId) \
    X(CONTEXT, cuStreamGetId_ptsz, cudaStreamGetId) \
    X(CONTEXT, cuStreamGetDevice, cudaStreamGetDevice) \
    X(CONTEXT, cuStreamGetDevice_ptsz, cudaStreamGetDevice) \
    X(CONTEXT, cuStreamAttachMemAsync, cudaStreamAttachMemAsync) \
    X(CONTEXT, cuStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync) \
    X(CONTEXT, cuStreamCopyAttributes, cudaStreamCopyAttributes) \
    X(CONTEXT, cuStreamCopyAttributes_ptsz, cudaStreamCopyAttributes) \
    X(CONTEXT, cuStreamSetAttribute, cudaStreamSetAttribute) \
    X(CONTEXT, cuStreamSetAttribute_ptsz, cudaStreamSetAttribute) \
    X(CONTEXT, cuStreamBeginCapture_v2, cudaStreamBeginCapture) \
    X(CONTEXT, cuStreamBeginCapture_v2_ptsz, cudaStreamBeginCapture) \
    X(CONTEXT, cuStreamEndCapture, cudaStreamEndCapture) \
    X(CONTEXT, cuStreamEndCapture_ptsz, cudaStreamEndCapture) \
    X(CONTEXT, cuStreamIsCapturing, cudaStreamIsCapturing) \
    X(CONTEXT, cuStreamIsCapturing_ptsz, cudaStreamIsCapturing) \
    X(CONTEXT, cuStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v2) \
    X(CONTEXT, cuStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2) \
    X(CONTEXT, cuStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3) \
    X(CONTEXT, cuStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3) \
    X(CONTEXT, cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode) \
    X(CONTEXT, cuEventCreate, cudaEventCreateWithFlags) \
    X(CONTEXT, cuEventDestroy, cudaEventDestroy) \
    X(CONTEXT, cuEventDestroy_v2, cudaEventDestroy) \
    X(CONTEXT, cuEventRecord, cudaEventRecord) \
    X(CONTEXT, cuEventRecord_ptsz, cudaEventRecord) \
    X(CONTEXT, cuEventRecordWithFlags, cudaEventRecordWithFlags) \
    X(CONTEXT, cuEventRecordWithFlags_ptsz, cudaEventRecordWithFlags) \
    X(CONTEXT, cuEventQuery, cudaEventQuery) \
    X(CONTEXT, cuEventSynchronize, cudaEventSynchronize) \
    X(CONTEXT, cuEventElapsedTime, cudaEventElapsedTime) \
    X(CONTEXT, cuEventElapsedTime_v2, cudaEventElapsedTime) \
    X(CONTEXT, cuFuncSetAttribute, cudaFuncSetAttribute) \
    X(CONTEXT, cuFuncSetCacheConfig, cudaFuncSetCacheConfig) \
    X(CONTEXT, cuFuncSetSharedMemConfig, cudaFuncSetSharedMemConfig) \
    X(CONTEXT, cuFuncGetName, cudaFuncGetName) \
    X(CONTEXT, cuFuncGetParamInfo, cudaFuncGetParamInfo) \
    X(CONTEXT, cuKernelGetName, cudaFuncGetName) \
    X(CONTEXT, cuKernelGetParamInfo, cudaFuncGetParamInfo) \
    X(CONTEXT, cuOccupancyMaxActiveBlocksPerMultiprocessor, cudaOccupancyMaxActiveBlocksPerMultiprocessor) \
    X(CONTEXT, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) \
    X(CONTEXT, cuOccupancyAvailableDynamicSMemPerBlock, cudaOccupancyAvailableDynamicSMemPerBlock) \
    X(CONTEXT, cuGraphCreate, cudaGraphCreate) \
    X(CONTEXT, cuGraphDestroy, cudaGraphDestroy) \
    X(CONTEXT, cuGraphClone, cudaGraphClone) \
    X(CONTEXT, cuGraphInstantiateWithFlags, cudaGraphInstantiate) \
    X(CONTEXT, cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams) \
    X(CONTEXT, cuGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams) \
    X(CONTEXT, cuGraphExecDestroy, cudaGraphExecDestroy) \
    X(CONTEXT, cuGraphLaunch, cudaGraphLaunch) \
    X(CONTEXT, cuGraphLaunch_ptsz, cudaGraphLaunch) \
    X(CONTEXT, cuGraphUpload, cudaGraphUpload) \
    X(CONTEXT, cuGraphUpload_ptsz, cudaGraphUpload) \
    X(CONTEXT, cuGraphAddKernelNode_v2, cudaGraphAddKernelNode) \
    X(CONTEXT, cuGraphKernelNodeGetParams_v2, cudaGraphKernelNodeGetParams) \
    X(CONTEXT, cuGraphKernelNodeSetParams_v2, cudaGraphKernelNodeSetParams) \
    X(CONTEXT, cuGraphExecKernelNodeSetParams_v2, cudaGraphExecKernelNodeSetParams) \
    X(CONTEXT, cuGraphAddMemsetNode, cudaGraphAddMemsetNode) \
    X(CONTEXT, cuGraphAddHostNode, cudaGraphAddHostNode) \
    X(CONTEXT, cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams) \
    X(CONTEXT, cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams) \
    X(CONTEXT, cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams) \
    X(CONTEXT, cuGraphAddEmptyNode, cudaGraphAddEmptyNode) \
    X(CONTEXT, cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode) \
    X(CONTEXT, cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph) \
    X(CONTEXT, cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode) \
    X(CONTEXT, cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode) \
    X(CONTEXT, cuGraphAddDependencies_v2, cudaGraphAddDependencies) \
    X(CONTEXT, cuGraphRemoveDependencies_v2, cudaGraphRemoveDependencies) \
    X(CONTEXT, cuGraphGetNodes, cudaGraphGetNodes) \
    X(CONTEXT, cuGraphGetRootNodes, cudaGraphGetRootNodes) \
    X(CONTEXT, cuGraphNodeGetType, cudaGraphNodeGetType) \
    X(CONTEXT, cuGraphNodeFindInClone, cudaGraphNodeFindInClone) \
    X(CONTEXT, cuGraphDestroyNode, cudaGraphDestroyNode) \
    X(CONTEXT, cuGraphExecUpdate_v2, cudaGraphExecUpdate) \
    X(CONTEXT, cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled) \
    X(CONTEXT, cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled) \
    X(CONTEXT, cuGraphExecGetFlags, cudaGraphExecGetFlags)

#define DRIVER_IDLE_LIST(X) \
    X(cuFuncLoad) \
    X(cuKernelSetCacheConfig) \
    X(cuMemSetAccess) \
    X(cuMemUnmap) \
    X(cuPointerSetAttribute)

#define DRIVER_ABSENT_LIST(X) \
    X(cuArray3DCreate) X(cuArray3DGetDescriptor) X(cuArrayCreate) X(cuArrayGetDescriptor) \
    X(cuArrayGetMemoryRequirements) X(cuArrayGetPlane) X(cuArrayGetSparseProperties) \
    X(cuCheckpointProcessCheckpoint) X(cuCheckpointProcessGetRestoreThreadId) \
    X(cuCheckpointProcessGetState) X(cuCheckpointProcessLock) X(cuCheckpointProcessRestore) \
    X(cuCheckpointProcessUnlock) X(cuCoredumpGetAttribute) X(cuCoredumpGetAttributeGlobal) \
    X(cuCoredumpSetAttribute) X(cuCoredumpSetAttributeGlobal) X(cuCtxAttach) X(cuCtxFromGreenCtx) \
    X(cuCtxGetDevResource) X(cuCtxGetExecAffinity) X(cuCtxRecordEvent) X(cuCtxWaitEvent) \
    X(cuDestroyExternalMemory) X(cuDestroyExternalSemaphore) X(cuDevResourceGenerateDesc) \
    X(cuDevSmResourceSplitByCount) X(cuDeviceGetDevResource) X(cuDeviceGetExecAffinitySupport) \
    X(cuDeviceGetHostAtomicCapabilities) X(cuDeviceGetLuid) X(cuDeviceGetP2PAtomicCapabilities) \
    X(cuDeviceGetProperties) X(cuDeviceGetTexture1DLinearMaxWidth) \
    X(cuDeviceRegisterAsyncNotification) X(cuDeviceTotalMem) \
    X(cuDeviceUnregisterAsyncNotification) X(cuExternalMemoryGetMappedBuffer) \
    X(cuExternalMemoryGetMappedMipmappedArray) X(cuFlushGPUDirectRDMAWrites) \
    X(cuFuncSetBlockShape) X(cuFuncSetSharedSize) X(cuGraphAddBatchMemOpNode) \
    X(cuGraphAddDependencies) X(cuGraphAddExternalSemaphoresSignalNode) \
    X(cuGraphAddExternalSemaphoresWaitNode) X(cuGraphAddKernelNode) X(cuGraphAddMemAllocNode) \
    X(cuGraphAddMemFreeNode) X(cuGraphAddMemcpyNode) X(cuGraphAddNode) X(cuGraphAddNode_v2) \
    X(cuGraphBatchMemOpNodeGetParams) X(cuGraphBatchMemOpNodeSetParams) \
    X(cuGraphConditionalHandleCreate) X(cuGraphDebugDotPrint) X(cuGraphEventRecordNodeGetEvent) \
    X(cuGraphEventRecordNodeSetEvent) X(cuGraphEventWaitNodeGetEvent) \
    X(cuGraphEventWaitNodeSetEvent) X(cuGraphExecBatchMemOpNodeSetParams) \
    X(cuGraphExecChildGraphNodeSetParams) X(cuGraphExecEventRecordNodeSetEvent) \
    X(cuGraphExecEventWaitNodeSetEvent) X(cuGraphExecExternalSemaphoresSignalNodeSetParams) \
    X(cuGraphExecExternalSemaphoresWaitNodeSetParams) X(cuGraphExecKernelNodeSetParams) \
    X(cuGraphExecMemcpyNodeSetParams) X(cuGraphExecMemsetNodeSetParams) \
    X(cuGraphExecNodeSetParams) X(cuGraphExecUpdate) \
    X(cuGraphExternalSemaphoresSignalNodeGetParams) \
    X(cuGraphExternalSemaphoresSignalNodeSetParams) X(cuGraphExternalSemaphoresWaitNodeGetParams) \
    X(cuGraphExternalSemaphoresWaitNodeSetParams) X(cuGraphGetEdges) X(cuGraphGetEdges_v2) \
    X(cuGraphInstantiate) X(cuGraphInstantiate_v2) X(cuGraphKernelNodeCopyAttributes) \
    X(cuGraphKernelNodeGetAttribute) X(cuGraphKernelNodeGetParams) \
    X(cuGraphKernelNodeSetAttribute) X(cuGraphKernelNodeSetParams) \
    X(cuGraphMemAllocNodeGetParams) X(cuGraphMemFreeNodeGetParams) X(cuGraphMemcpyNodeGetParams) \
    X(cuGraphMemcpyNodeSetParams) X(cuGraphMemsetNodeGetParams) X(cuGraphMemsetNodeSetParams) \
    X(cuGraphNodeGetDependencies) X(cuGraphNodeGetDependencies_v2) \
    X(cuGraphNodeGetDependentNodes) X(cuGraphNodeGetDependentNodes_v2) X(cuGraphNodeSetParams) \
    X(cuGraphReleaseUserObject) X(cuGraphRemoveDependencies) X(cuGraphRetainUserObject) \
    X(cuGraphicsMapResources) X(cuGraphicsMapResources_ptsz) \
    X(cuGraphicsResourceGetMappedMipmappedArray) X(cuGraphicsResourceGetMappedPointer) \
    X(cuGraphicsResourceGetMappedPointer_v2) X(cuGraphicsResourceSetMapFlags) \
    X(cuGraphicsResourceSetMapFlags_v2) X(cuGraphicsSubResourceGetMappedArray) \
    X(cuGraphicsUnmapResources) X(cuGraphicsUnmapResources_ptsz) X(cuGraphicsUnregisterResource) \
    X(cuGreenCtxCreate) X(cuGreenCtxDestroy) X(cuGreenCtxGetDevResource) X(cuGreenCtxGetId) \
    X(cuGreenCtxRecordEvent) X(cuGreenCtxStreamCreate) X(cuGreenCtxWaitEvent) \
    X(cuImportExternalMemory) X(cuImportExternalSemaphore) X(cuIpcCloseMemHandle) \
    X(cuIpcGetEventHandle) X(cuIpcGetMemHandle) X(cuIpcOpenEventHandle) X(cuIpcOpenMemHandle) \
    X(cuIpcOpenMemHandle_v2) X(cuLaunch) X(cuLaunchCooperativeKernelMultiDevice) X(cuLaunchGrid) \
    X(cuLaunchGridAsync) X(cuLibraryGetUnifiedFunction) X(cuLinkAddData) X(cuLinkAddFile) \
    X(cuLinkCreate) X(cuLogsCurrent) X(cuLogsDumpToFile) X(cuLogsDumpToMemory) \
    X(cuLogsRegisterCallback) X(cuLogsUnregisterCallback) X(cuMemAlloc) X(cuMemAllocHost) \
    X(cuMemAllocPitch) X(cuMemBatchDecompressAsync) X(cuMemBatchDecompressAsync_ptsz) \
    X(cuMemDiscardAndPrefetchBatchAsync) X(cuMemDiscardAndPrefetchBatchAsync_ptsz) \
    X(cuMemDiscardBatchAsync) X(cuMemDiscardBatchAsync_ptsz) X(cuMemExportToShareableHandle) \
    X(cuMemFree) X(cuMemGetAccess) X(cuMemGetAddressRange) X(cuMemGetDefaultMemPool) \
    X(cuMemGetHandleForAddressRange) X(cuMemGetInfo) X(cuMemGetMemPool) \
    X(cuMemHostGetDevicePointer) X(cuMemHostRegister) X(cuMemImportFromShareableHandle) \
    X(cuMemMapArrayAsync) X(cuMemMapArrayAsync_ptsz) X(cuMemPoolExportPointer) \
    X(cuMemPoolExportToShareableHandle) X(cuMemPoolImportFromShareableHandle) \
    X(cuMemPoolImportPointer) X(cuMemPrefetchBatchAsync) X(cuMemPrefetchBatchAsync_ptsz) \
    X(cuMemRangeGetAttribute) X(cuMemRangeGetAttributes) X(cuMemRetainAllocationHandle) \
    X(cuMemSetMemPool) X(cuMemcpy2D) X(cuMemcpy2DAsync) X(cuMemcpy2DAsync_v2_ptsz) \
    X(cuMemcpy2DUnaligned) X(cuMemcpy2DUnaligned_v2_ptds) X(cuMemcpy2D_v2_ptds) X(cuMemcpy3D) \
    X(cuMemcpy3DAsync) X(cuMemcpy3DAsync_v2_ptsz) X(cuMemcpy3DBatchAsync) \
    X(cuMemcpy3DBatchAsync_ptsz) X(cuMemcpy3DBatchAsync_v2) X(cuMemcpy3DBatchAsync_v2_ptsz) \
    X(cuMemcpy3DPeer) X(cuMemcpy3DPeerAsync) X(cuMemcpy3DPeerAsync_ptsz) X(cuMemcpy3DPeer_ptds) \
    X(cuMemcpy3D_v2_ptds) X(cuMemcpyAtoA) X(cuMemcpyAtoA_v2) X(cuMemcpyAtoA_v2_ptds) \
    X(cuMemcpyAtoD) X(cuMemcpyAtoD_v2_ptds) X(cuMemcpyAtoH) X(cuMemcpyAtoHAsync) \
    X(cuMemcpyAtoHAsync_v2) X(cuMemcpyAtoHAsync_v2_ptsz) X(cuMemcpyAtoH_v2_ptds) \
    X(cuMemcpyBatchAsync) X(cuMemcpyBatchAsync_ptsz) X(cuMemcpyBatchAsync_v2) \
    X(cuMemcpyBatchAsync_v2_ptsz) X(cuMemcpyDtoA) X(cuMemcpyDtoA_v2_ptds) X(cuMemcpyDtoD) \
    X(cuMemcpyDtoDAsync) X(cuMemcpyDtoH) X(cuMemcpyDtoHAsync) X(cuMemcpyHtoA) \
    X(cuMemcpyHtoAAsync) X(cuMemcpyHtoAAsync_v2) X(cuMemcpyHtoAAsync_v2_ptsz) \
    X(cuMemcpyHtoA_v2_ptds) X(cuMemcpyHtoD) X(cuMemcpyHtoDAsync) X(cuMemcpyPeerAsync) \
    X(cuMemcpyPeerAsync_ptsz) X(cuMemcpyPeer_ptds) X(cuMemsetD16) X(cuMemsetD16Async_ptsz) \
    X(cuMemsetD16_v2_ptds) X(cuMemsetD2D16) X(cuMemsetD2D16Async_ptsz) X(cuMemsetD2D16_v2_ptds) \
    X(cuMemsetD2D32) X(cuMemsetD2D32Async_ptsz) X(cuMemsetD2D32_v2_ptds) X(cuMemsetD2D8) \
    X(cuMemsetD32) X(cuMemsetD32Async_ptsz) X(cuMemsetD32_v2_ptds) X(cuMemsetD8) \
    X(cuMipmappedArrayGetMemoryRequirements) X(cuMipmappedArrayGetSparseProperties) \
    X(cuModuleGetGlobal) X(cuModuleGetSurfRef) X(cuModuleGetTexRef) X(cuMulticastAddDevice) \
    X(cuMulticastBindAddr) X(cuMulticastBindMem) X(cuMulticastCreate) \
    X(cuMulticastGetGranularity) X(cuMulticastUnbind) X(cuOccupancyMaxActiveClusters) \
    X(cuOccupancyMaxPotentialClusterSize) X(cuParamSetSize) X(cuParamSetTexRef) X(cuParamSetf) \
    X(cuParamSeti) X(cuParamSetv) X(cuProfilerInitialize) X(cuSignalExternalSemaphoresAsync) \
    X(cuSignalExternalSemaphoresAsync_ptsz) X(cuStreamBatchMemOp) X(cuStreamBatchMemOp_ptsz) \
    X(cuStreamBatchMemOp_v2) X(cuStreamBatchMemOp_v2_ptsz) X(cuStreamBeginCapture) \
    X(cuStreamBeginCaptureToGraph) X(cuStreamBeginCaptureToGraph_ptsz) \
    X(cuStreamBeginCapture_ptsz) X(cuStreamGetAttribute) X(cuStreamGetAttribute_ptsz) \
    X(cuStreamGetCaptureInfo) X(cuStreamGetCaptureInfo_ptsz) X(cuStreamGetCtx_ptsz) \
    X(cuStreamGetCtx_v2) X(cuStreamGetCtx_v2_ptsz) X(cuStreamGetGreenCtx) \
    X(cuStreamUpdateCaptureDependencies) X(cuStreamUpdateCaptureDependencies_ptsz) \
    X(cuStreamUpdateCaptureDependencies_v2) X(cuStreamUpdateCaptureDependencies_v2_ptsz) \
    X(cuStreamWaitValue32) X(cuStreamWaitValue32_ptsz) X(cuStreamWaitValue32_v2) \
    X(cuStreamWaitValue32_v2_ptsz) X(cuStreamWaitValue64) X(cuStreamWaitValue64_ptsz) \
    X(cuStreamWaitValue64_v2) X(cuStreamWaitValue64_v2_ptsz) X(cuStreamWriteValue32) \
    X(cuStreamWriteValue32_ptsz) X(cuStreamWriteValue32_v2) X(cuStreamWriteValue32_v2_ptsz) \
    X(cuStreamWriteValue64) X(cuStreamWriteValue64_ptsz) X(cuStreamWriteValue64_v2) \
    X(cuStreamWriteValue64_v2_ptsz) X(cuSurfObjectGetResourceDesc) X(cuSurfRefGetArray) \
    X(cuSurfRefSetArray) X(cuTensorMapEncodeIm2col) X(cuTensorMapEncodeIm2colWide) \
    X(cuTensorMapEncodeTiled) X(cuTensorMapReplaceAddress) X(cuTexObjectGetResourceDesc) \
    X(cuTexObjectGetResourceViewDesc) X(cuTexObjectGetTextureDesc) X(cuTexRefCreate) \
    X(cuTexRefDestroy) X(cuTexRefGetAddress) X(cuTexRefGetAddressMode) X(cuTexRefGetAddress_v2) \
    X(cuTexRefGetArray) X(cuTexRefGetBorderColor) X(cuTexRefGetFilterMode) X(cuTexRefGetFlags) \
    X(cuTexRefGetFormat) X(cuTexRefGetMaxAnisotropy) X(cuTexRefGetMipmapFilterMode) \
    X(cuTexRefGetMipmapLevelBias) X(cuTexRefGetMipmapLevelClamp) X(cuTexRefGetMipmappedArray) \
    X(cuTexRefSetAddress) X(cuTexRefSetAddress2D) X(cuTexRefSetAddress2D_v2) \
    X(cuTexRefSetAddress2D_v3) X(cuTexRefSetAddressMode) X(cuTexRefSetAddress_v2) \
    X(cuTexRefSetArray) X(cuTexRefSetBorderColor) X(cuTexRefSetFilterMode) X(cuTexRefSetFlags) \
    X(cuTexRefSetFormat) X(cuTexRefSetMaxAnisotropy) X(cuTexRefSetMipmapFilterMode) \
    X(cuTexRefSetMipmapLevelBias) X(cuTexRefSetMipmapLevelClamp) X(cuTexRefSetMipmappedArray) \
    X(cuUserObjectCreate) X(cuUserObjectRelease) X(cuUserObjectRetain) \
    X(cuWaitExternalSemaphoresAsync) X(cuWaitExternalSemaphoresAsync_ptsz)
// clang-format on

#endif
