/* same.h: driver functions that are equivalent to a runtime function, have no effect, or are not
 * emulated. Source of the names: stubs/libcuda.so in the toolkit of CUDA 13.0. */
#ifndef SAME_H
#define SAME_H

// clang-format off
/* Names (after cu or cuda) and arguments are equal in both APIs. X(precondition, name). */
#define DRIVER_NAMESAKE_LIST(X) \
    X(NOTHING, DriverGetVersion) X(INIT, DeviceGetAttribute) X(INIT, DeviceCanAccessPeer) \
    X(INIT, DeviceGetPCIBusId) X(INIT, DeviceGetByPCIBusId) X(INIT, DeviceGetP2PAttribute) \
    X(INIT, DeviceGetDefaultMemPool) X(INIT, DeviceGetMemPool) X(INIT, DeviceSetMemPool) \
    X(INIT, DeviceGetGraphMemAttribute) X(INIT, DeviceSetGraphMemAttribute) \
    X(INIT, DeviceGraphMemTrim) X(INIT, MemPoolCreate) X(INIT, MemPoolDestroy) \
    X(INIT, MemPoolTrimTo) X(INIT, MemPoolSetAttribute) X(INIT, MemPoolGetAttribute) \
    X(INIT, MemPoolSetAccess) X(INIT, MemPoolGetAccess) X(INIT, ProfilerStart) \
    X(INIT, ProfilerStop) X(CONTEXT, CtxResetPersistingL2Cache) X(CONTEXT, MemGetDefaultMemPool) \
    X(CONTEXT, MemGetMemPool) X(CONTEXT, StreamCreateWithPriority) X(CONTEXT, StreamDestroy) \
    X(CONTEXT, ThreadExchangeStreamCaptureMode) X(CONTEXT, EventDestroy) X(CONTEXT, EventQuery) \
    X(CONTEXT, EventSynchronize) X(CONTEXT, EventElapsedTime) X(CONTEXT, FuncSetAttribute) \
    X(CONTEXT, FuncSetCacheConfig) X(CONTEXT, FuncSetSharedMemConfig) X(CONTEXT, FuncGetName) \
    X(CONTEXT, FuncGetParamInfo) X(CONTEXT, OccupancyMaxActiveBlocksPerMultiprocessor) \
    X(CONTEXT, OccupancyMaxActiveBlocksPerMultiprocessorWithFlags) \
    X(CONTEXT, OccupancyAvailableDynamicSMemPerBlock) X(CONTEXT, GraphCreate) \
    X(CONTEXT, GraphDestroy) X(CONTEXT, GraphClone) X(CONTEXT, GraphExecDestroy) \
    X(CONTEXT, GraphAddHostNode) X(CONTEXT, GraphHostNodeGetParams) \
    X(CONTEXT, GraphHostNodeSetParams) X(CONTEXT, GraphExecHostNodeSetParams) \
    X(CONTEXT, GraphAddEmptyNode) X(CONTEXT, GraphAddChildGraphNode) \
    X(CONTEXT, GraphChildGraphNodeGetGraph) X(CONTEXT, GraphAddEventRecordNode) \
    X(CONTEXT, GraphAddEventWaitNode) X(CONTEXT, GraphGetNodes) X(CONTEXT, GraphGetRootNodes) \
    X(CONTEXT, GraphNodeGetType) X(CONTEXT, GraphNodeFindInClone) X(CONTEXT, GraphDestroyNode) \
    X(CONTEXT, GraphNodeSetEnabled) X(CONTEXT, GraphNodeGetEnabled) X(CONTEXT, GraphExecGetFlags)

/* These functions require a context, and have a variant for per-thread default streams (_ptsz). */
#define DRIVER_STREAM_NAMESAKE_LIST(X) \
    X(StreamSynchronize) X(StreamQuery) X(StreamWaitEvent) X(StreamGetPriority) X(StreamGetFlags) \
    X(StreamGetId) X(StreamGetDevice) X(StreamAttachMemAsync) X(StreamCopyAttributes) \
    X(StreamSetAttribute) X(StreamEndCapture) X(StreamIsCapturing) X(StreamGetCaptureInfo_v2) \
    X(StreamGetCaptureInfo_v3) X(EventRecord) X(EventRecordWithFlags) \
    X(GraphInstantiateWithParams) X(GraphLaunch) X(GraphUpload)

/* Functions with a variant _ptsz. Columns: driver function, equivalent runtime function. */
#define DRIVER_STREAM_LIST(X) \
    X(cuMemAllocAsync, cudaMallocAsync) \
    X(cuMemAllocFromPoolAsync, cudaMallocFromPoolAsync) \
    X(cuMemFreeAsync, cudaFreeAsync) \
    X(cuMemPrefetchAsync, cudaMemPrefetchAsync_12) \
    X(cuMemPrefetchAsync_v2, cudaMemPrefetchAsync_13) \
    X(cuStreamBeginCapture_v2, cudaStreamBeginCapture)
#define DRIVER_SAME_LIST(X) \
    X(INIT, cuDeviceGetCount, cudaGetDeviceCount) \
    X(CONTEXT, cuCtxGetDevice, cudaGetDevice) \
    X(CONTEXT, cuCtxSynchronize, cudaDeviceSynchronize) \
    X(CONTEXT, cuCtxGetLimit, cudaDeviceGetLimit) \
    X(CONTEXT, cuCtxSetLimit, cudaDeviceSetLimit) \
    X(CONTEXT, cuCtxGetCacheConfig, cudaDeviceGetCacheConfig) \
    X(CONTEXT, cuCtxSetCacheConfig, cudaDeviceSetCacheConfig) \
    X(CONTEXT, cuCtxGetSharedMemConfig, cudaDeviceGetSharedMemConfig) \
    X(CONTEXT, cuCtxSetSharedMemConfig, cudaDeviceSetSharedMemConfig) \
    X(CONTEXT, cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange) \
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
    X(CONTEXT, cuMemGetInfo_v2, cudaMemGetInfo) \
    X(CONTEXT, cuMemAdvise, cudaMemAdvise_12) \
    X(CONTEXT, cuMemAdvise_v2, cudaMemAdvise_13) \
    X(CONTEXT, cuArrayDestroy, cudaFreeArray) \
    X(CONTEXT, cuMipmappedArrayDestroy, cudaFreeMipmappedArray) \
    X(CONTEXT, cuMipmappedArrayGetLevel, cudaGetMipmappedArrayLevel) \
    X(CONTEXT, cuTexObjectDestroy, cudaDestroyTextureObject) \
    X(CONTEXT, cuSurfObjectDestroy, cudaDestroySurfaceObject) \
    X(CONTEXT, cuStreamCreate, cudaStreamCreateWithFlags) \
    X(CONTEXT, cuStreamDestroy_v2, cudaStreamDestroy) \
    X(CONTEXT, cuEventCreate, cudaEventCreateWithFlags) \
    X(CONTEXT, cuEventDestroy_v2, cudaEventDestroy) \
    X(CONTEXT, cuEventElapsedTime_v2, cudaEventElapsedTime) \
    X(CONTEXT, cuKernelGetName, cudaFuncGetName) \
    X(CONTEXT, cuKernelGetParamInfo, cudaFuncGetParamInfo) \
    X(CONTEXT, cuGraphInstantiateWithFlags, cudaGraphInstantiate) \
    X(CONTEXT, cuGraphAddKernelNode_v2, cudaGraphAddKernelNode) \
    X(CONTEXT, cuGraphKernelNodeGetParams_v2, cudaGraphKernelNodeGetParams) \
    X(CONTEXT, cuGraphKernelNodeSetParams_v2, cudaGraphKernelNodeSetParams) \
    X(CONTEXT, cuGraphExecKernelNodeSetParams_v2, cudaGraphExecKernelNodeSetParams) \
    X(CONTEXT, cuGraphAddDependencies, cudaGraphAddDependencies_12) \
    X(CONTEXT, cuGraphAddDependencies_v2, cudaGraphAddDependencies_13) \
    X(CONTEXT, cuGraphRemoveDependencies, cudaGraphRemoveDependencies_12) \
    X(CONTEXT, cuGraphRemoveDependencies_v2, cudaGraphRemoveDependencies_13) \
    X(CONTEXT, cuGraphExecUpdate_v2, cudaGraphExecUpdate)

#define DRIVER_IDLE_LIST(X) \
    X(cuFuncLoad) X(cuKernelSetCacheConfig) X(cuMemSetAccess) X(cuMemUnmap) \
    X(cuPointerSetAttribute)

/* These functions are not emulated. PTSZ adds the variant for per-thread default streams. */
#define PTSZ(X, name) X(name) X(name##_ptsz)
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
    X(cuGraphAddExternalSemaphoresSignalNode) X(cuGraphAddExternalSemaphoresWaitNode) \
    X(cuGraphAddKernelNode) X(cuGraphAddMemAllocNode) X(cuGraphAddMemFreeNode) \
    X(cuGraphAddMemcpyNode) X(cuGraphAddNode) X(cuGraphAddNode_v2) \
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
    X(cuGraphReleaseUserObject) X(cuGraphRetainUserObject) PTSZ(X, cuGraphicsMapResources) \
    X(cuGraphicsResourceGetMappedMipmappedArray) X(cuGraphicsResourceGetMappedPointer) \
    X(cuGraphicsResourceGetMappedPointer_v2) X(cuGraphicsResourceSetMapFlags) \
    X(cuGraphicsResourceSetMapFlags_v2) X(cuGraphicsSubResourceGetMappedArray) \
    PTSZ(X, cuGraphicsUnmapResources) X(cuGraphicsUnregisterResource) X(cuGreenCtxCreate) \
    X(cuGreenCtxDestroy) X(cuGreenCtxGetDevResource) X(cuGreenCtxGetId) X(cuGreenCtxRecordEvent) \
    X(cuGreenCtxStreamCreate) X(cuGreenCtxWaitEvent) X(cuImportExternalMemory) \
    X(cuImportExternalSemaphore) X(cuIpcCloseMemHandle) X(cuIpcGetEventHandle) \
    X(cuIpcGetMemHandle) X(cuIpcOpenEventHandle) X(cuIpcOpenMemHandle) X(cuIpcOpenMemHandle_v2) \
    X(cuLaunch) X(cuLaunchCooperativeKernelMultiDevice) X(cuLaunchGrid) X(cuLaunchGridAsync) \
    X(cuLibraryGetUnifiedFunction) X(cuLinkAddData) X(cuLinkAddFile) X(cuLinkCreate) \
    X(cuLogsCurrent) X(cuLogsDumpToFile) X(cuLogsDumpToMemory) X(cuLogsRegisterCallback) \
    X(cuLogsUnregisterCallback) X(cuMemAlloc) X(cuMemAllocHost) X(cuMemAllocPitch) \
    PTSZ(X, cuMemBatchDecompressAsync) PTSZ(X, cuMemDiscardAndPrefetchBatchAsync) \
    PTSZ(X, cuMemDiscardBatchAsync) X(cuMemExportToShareableHandle) X(cuMemFree) \
    X(cuMemGetAccess) X(cuMemGetAddressRange) X(cuMemGetHandleForAddressRange) X(cuMemGetInfo) \
    X(cuMemHostGetDevicePointer) X(cuMemHostRegister) X(cuMemImportFromShareableHandle) \
    PTSZ(X, cuMemMapArrayAsync) X(cuMemPoolExportPointer) X(cuMemPoolExportToShareableHandle) \
    X(cuMemPoolImportFromShareableHandle) X(cuMemPoolImportPointer) \
    PTSZ(X, cuMemPrefetchBatchAsync) X(cuMemRangeGetAttribute) X(cuMemRangeGetAttributes) \
    X(cuMemRetainAllocationHandle) X(cuMemSetMemPool) X(cuMemcpy2D) X(cuMemcpy2DAsync) \
    X(cuMemcpy2DAsync_v2_ptsz) X(cuMemcpy2DUnaligned) X(cuMemcpy2DUnaligned_v2_ptds) \
    X(cuMemcpy2D_v2_ptds) X(cuMemcpy3D) X(cuMemcpy3DAsync) X(cuMemcpy3DAsync_v2_ptsz) \
    PTSZ(X, cuMemcpy3DBatchAsync) PTSZ(X, cuMemcpy3DBatchAsync_v2) X(cuMemcpy3DPeer) \
    X(cuMemcpy3DPeer_ptds) PTSZ(X, cuMemcpy3DPeerAsync) X(cuMemcpy3D_v2_ptds) X(cuMemcpyAtoA) \
    X(cuMemcpyAtoA_v2) X(cuMemcpyAtoA_v2_ptds) X(cuMemcpyAtoD) X(cuMemcpyAtoD_v2_ptds) \
    X(cuMemcpyAtoH) X(cuMemcpyAtoHAsync) PTSZ(X, cuMemcpyAtoHAsync_v2) X(cuMemcpyAtoH_v2_ptds) \
    PTSZ(X, cuMemcpyBatchAsync) PTSZ(X, cuMemcpyBatchAsync_v2) X(cuMemcpyDtoA) \
    X(cuMemcpyDtoA_v2_ptds) X(cuMemcpyDtoD) X(cuMemcpyDtoDAsync) X(cuMemcpyDtoH) \
    X(cuMemcpyDtoHAsync) X(cuMemcpyHtoA) X(cuMemcpyHtoAAsync) PTSZ(X, cuMemcpyHtoAAsync_v2) \
    X(cuMemcpyHtoA_v2_ptds) X(cuMemcpyHtoD) X(cuMemcpyHtoDAsync) PTSZ(X, cuMemcpyPeerAsync) \
    X(cuMemcpyPeer_ptds) X(cuMemsetD16) X(cuMemsetD2D16) X(cuMemsetD2D32) X(cuMemsetD2D8) \
    X(cuMemsetD32) X(cuMemsetD8) X(cuMipmappedArrayGetMemoryRequirements) \
    X(cuMipmappedArrayGetSparseProperties) X(cuModuleGetGlobal) X(cuModuleGetSurfRef) \
    X(cuModuleGetTexRef) X(cuMulticastAddDevice) X(cuMulticastBindAddr) X(cuMulticastBindMem) \
    X(cuMulticastCreate) X(cuMulticastGetGranularity) X(cuMulticastUnbind) \
    X(cuOccupancyMaxActiveClusters) X(cuOccupancyMaxPotentialClusterSize) X(cuParamSetSize) \
    X(cuParamSetTexRef) X(cuParamSetf) X(cuParamSeti) X(cuParamSetv) X(cuProfilerInitialize) \
    PTSZ(X, cuSignalExternalSemaphoresAsync) PTSZ(X, cuStreamBatchMemOp) \
    PTSZ(X, cuStreamBatchMemOp_v2) PTSZ(X, cuStreamBeginCapture) \
    PTSZ(X, cuStreamBeginCaptureToGraph) PTSZ(X, cuStreamGetAttribute) \
    PTSZ(X, cuStreamGetCaptureInfo) X(cuStreamGetGreenCtx) \
    PTSZ(X, cuStreamUpdateCaptureDependencies) PTSZ(X, cuStreamUpdateCaptureDependencies_v2) \
    PTSZ(X, cuStreamWaitValue32) PTSZ(X, cuStreamWaitValue32_v2) PTSZ(X, cuStreamWaitValue64) \
    PTSZ(X, cuStreamWaitValue64_v2) PTSZ(X, cuStreamWriteValue32) \
    PTSZ(X, cuStreamWriteValue32_v2) PTSZ(X, cuStreamWriteValue64) \
    PTSZ(X, cuStreamWriteValue64_v2) X(cuSurfObjectGetResourceDesc) X(cuSurfRefGetArray) \
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
    PTSZ(X, cuWaitExternalSemaphoresAsync)
// clang-format on

#endif
