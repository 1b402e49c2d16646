/* errors.h: CUDA's errors, which have the same numbers in both APIs. Columns: number; name in the
 * runtime API without `cudaError`; name in the driver API, or NULL; text of cudaGetErrorString.
 * Sources: enum cudaError of the CUDA Runtime API, enum CUresult of the CUDA Driver API, and the
 * texts of runtime 13.0. */
#ifndef ERRORS_H
#define ERRORS_H

// clang-format off
#define RUNTIME_ERROR_LIST(X) \
    X(0, Success, "CUDA_SUCCESS", "no error") \
    X(1, InvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument") \
    X(2, MemoryAllocation, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory") \
    X(3, InitializationError, "CUDA_ERROR_NOT_INITIALIZED", "initialization error") \
    X(4, CudartUnloading, "CUDA_ERROR_DEINITIALIZED", "driver shutting down") \
    X(5, ProfilerDisabled, "CUDA_ERROR_PROFILER_DISABLED", "profiler disabled while using external profiling tool") \
    X(6, ProfilerNotInitialized, "CUDA_ERROR_PROFILER_NOT_INITIALIZED", "profiler not initialized: call cudaProfilerInitialize()") \
    X(7, ProfilerAlreadyStarted, "CUDA_ERROR_PROFILER_ALREADY_STARTED", "profiler already started") \
    X(8, ProfilerAlreadyStopped, "CUDA_ERROR_PROFILER_ALREADY_STOPPED", "profiler already stopped") \
    X(9, InvalidConfiguration, NULL, "invalid configuration argument") \
    X(12, InvalidPitchValue, NULL, "invalid pitch argument") \
    X(13, InvalidSymbol, NULL, "invalid device symbol") \
    X(16, InvalidHostPointer, NULL, "invalid host pointer") \
    X(17, InvalidDevicePointer, NULL, "invalid device pointer") \
    X(18, InvalidTexture, NULL, "invalid texture reference") \
    X(19, InvalidTextureBinding, NULL, "texture is not bound to a pointer") \
    X(20, InvalidChannelDescriptor, NULL, "invalid channel descriptor") \
    X(21, InvalidMemcpyDirection, NULL, "invalid copy direction for memcpy") \
    X(22, AddressOfConstant, NULL, "invalid address of constant") \
    X(23, TextureFetchFailed, NULL, "fetch from texture failed") \
    X(24, TextureNotBound, NULL, "cannot fetch from a texture that is not bound") \
    X(25, SynchronizationError, NULL, "incorrect use of __syncthreads()") \
    X(26, InvalidFilterSetting, NULL, "linear filtering not supported for non-float type") \
    X(27, InvalidNormSetting, NULL, "read as normalized float not supported for data type") \
    X(28, MixedDeviceExecution, NULL, "device emulation mode and device execution mode cannot be mixed") \
    X(31, NotYetImplemented, NULL, "feature not yet implemented") \
    X(32, MemoryValueTooLarge, NULL, "memory size or pointer value too large to fit in 32 bit") \
    X(34, StubLibrary, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library") \
    X(35, InsufficientDriver, NULL, "CUDA driver version is insufficient for CUDA runtime version") \
    X(36, CallRequiresNewerDriver, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "API call is not supported in the installed CUDA driver") \
    X(37, InvalidSurface, NULL, "invalid surface reference") \
    X(43, DuplicateVariableName, NULL, "duplicate global variable looked up by string name") \
    X(44, DuplicateTextureName, NULL, "duplicate texture looked up by string name") \
    X(45, DuplicateSurfaceName, NULL, "duplicate surface looked up by string name") \
    X(46, DevicesUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable") \
    X(49, IncompatibleDriverContext, NULL, "incompatible driver context") \
    X(52, MissingConfiguration, NULL, "__global__ function call is not configured") \
    X(53, PriorLaunchFailure, NULL, "unspecified launch failure in prior launch") \
    X(65, LaunchMaxDepthExceeded, NULL, "launch would exceed maximum depth of nested launches") \
    X(66, LaunchFileScopedTex, NULL, "launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)") \
    X(67, LaunchFileScopedSurf, NULL, "launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)") \
    X(68, SyncDepthExceeded, NULL, "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth") \
    X(69, LaunchPendingCountExceeded, NULL, "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount") \
    X(98, InvalidDeviceFunction, NULL, "invalid device function") \
    X(100, NoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected") \
    X(101, InvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal") \
    X(102, DeviceNotLicensed, "CUDA_ERROR_DEVICE_NOT_LICENSED", "device doesn't have valid Grid license") \
    X(103, SoftwareValidityNotEstablished, NULL, "integrity checks failed") \
    X(127, StartupFailure, NULL, "startup failure in cuda runtime") \
    X(200, InvalidKernelImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid") \
    X(201, DeviceUninitialized, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context") \
    X(205, MapBufferObjectFailed, "CUDA_ERROR_MAP_FAILED", "mapping of buffer object failed") \
    X(206, UnmapBufferObjectFailed, "CUDA_ERROR_UNMAP_FAILED", "unmapping of buffer object failed") \
    X(207, ArrayIsMapped, "CUDA_ERROR_ARRAY_IS_MAPPED", "array is mapped") \
    X(208, AlreadyMapped, "CUDA_ERROR_ALREADY_MAPPED", "resource already mapped") \
    X(209, NoKernelImageForDevice, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device") \
    X(210, AlreadyAcquired, "CUDA_ERROR_ALREADY_ACQUIRED", "resource already acquired") \
    X(211, NotMapped, "CUDA_ERROR_NOT_MAPPED", "resource not mapped") \
    X(212, NotMappedAsArray, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "resource not mapped as array") \
    X(213, NotMappedAsPointer, "CUDA_ERROR_NOT_MAPPED_AS_POINTER", "resource not mapped as pointer") \
    X(214, ECCUncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered") \
    X(215, UnsupportedLimit, "CUDA_ERROR_UNSUPPORTED_LIMIT", "limit is not supported on this architecture") \
    X(216, DeviceAlreadyInUse, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "exclusive-thread device already in use by a different thread") \
    X(217, PeerAccessUnsupported, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices") \
    X(218, InvalidPtx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed") \
    X(219, InvalidGraphicsContext, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", "invalid OpenGL or DirectX context") \
    X(220, NvlinkUncorrectable, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "uncorrectable NVLink error detected during the execution") \
    X(221, JitCompilerNotFound, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found") \
    X(222, UnsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain.") \
    X(223, JitCompilationDisabled, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "PTX JIT compilation was disabled") \
    X(224, UnsupportedExecAffinity, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", "the provided execution affinity is not supported") \
    X(225, UnsupportedDevSideSync, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", "the provided PTX contains unsupported call to cudaDeviceSynchronize") \
    X(226, Contained, "CUDA_ERROR_CONTAINED", "Invalid access of peer GPU memory over nvlink or a hardware error") \
    X(300, InvalidSource, "CUDA_ERROR_INVALID_SOURCE", "device kernel image is invalid") \
    X(301, FileNotFound, "CUDA_ERROR_FILE_NOT_FOUND", "file not found") \
    X(302, SharedObjectSymbolNotFound, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "shared object symbol not found") \
    X(303, SharedObjectInitFailed, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "shared object initialization failed") \
    X(304, OperatingSystem, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS") \
    X(400, InvalidResourceHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle") \
    X(401, IllegalState, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state") \
    X(402, LossyQuery, "CUDA_ERROR_LOSSY_QUERY", "attempted introspection would be semantically lossy") \
    X(500, SymbolNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found") \
    X(600, NotReady, "CUDA_ERROR_NOT_READY", "device not ready") \
    X(700, IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered") \
    X(701, LaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch") \
    X(702, LaunchTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated") \
    X(703, LaunchIncompatibleTexturing, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", "launch uses incompatible texturing mode") \
    X(704, PeerAccessAlreadyEnabled, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled") \
    X(705, PeerAccessNotEnabled, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled") \
    X(708, SetOnActiveProcess, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "cannot set while device is active in this process") \
    X(709, ContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed") \
    X(710, Assert, "CUDA_ERROR_ASSERT", "device-side assert triggered") \
    X(711, TooManyPeers, "CUDA_ERROR_TOO_MANY_PEERS", "peer mapping resources exhausted") \
    X(712, HostMemoryAlreadyRegistered, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "part or all of the requested memory range is already mapped") \
    X(713, HostMemoryNotRegistered, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "pointer does not correspond to a registered memory region") \
    X(714, HardwareStackError, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error") \
    X(715, IllegalInstruction, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered") \
    X(716, MisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address") \
    X(717, InvalidAddressSpace, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space") \
    X(718, InvalidPc, "CUDA_ERROR_INVALID_PC", "invalid program counter") \
    X(719, LaunchFailure, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure") \
    X(720, CooperativeLaunchTooLarge, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch") \
    X(721, TensorMemoryLeak, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "tensor memory not completely freed") \
    X(800, NotPermitted, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted") \
    X(801, NotSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported") \
    X(802, SystemNotReady, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized") \
    X(803, SystemDriverMismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination") \
    X(804, CompatNotSupportedOnDevice, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility was attempted on non supported HW") \
    X(805, MpsConnectionFailed, "CUDA_ERROR_MPS_CONNECTION_FAILED", "MPS client failed to connect to the MPS control daemon or the MPS server") \
    X(806, MpsRpcFailure, "CUDA_ERROR_MPS_RPC_FAILURE", "the remote procedural call between the MPS server and the MPS client failed") \
    X(807, MpsServerNotReady, "CUDA_ERROR_MPS_SERVER_NOT_READY", "MPS server is not ready to accept new MPS client requests") \
    X(808, MpsMaxClientsReached, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "the hardware resources required to create MPS client have been exhausted") \
    X(809, MpsMaxConnectionsReached, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "the hardware resources required to support device connections have been exhausted") \
    X(810, MpsClientTerminated, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "the MPS client has been terminated by the server") \
    X(811, CdpNotSupported, "CUDA_ERROR_CDP_NOT_SUPPORTED", "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it") \
    X(812, CdpVersionMismatch, "CUDA_ERROR_CDP_VERSION_MISMATCH", "unsupported interaction between different versions of CUDA Dynamic Parallelism") \
    X(900, StreamCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing") \
    X(901, StreamCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture") \
    X(902, StreamCaptureMerge, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "operation would result in a merge of separate capture sequences") \
    X(903, StreamCaptureUnmatched, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began") \
    X(904, StreamCaptureUnjoined, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work") \
    X(905, StreamCaptureIsolation, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream") \
    X(906, StreamCaptureImplicit, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "operation would make the legacy stream depend on a capturing blocking stream") \
    X(907, CapturedEvent, "CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream") \
    X(908, StreamCaptureWrongThread, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "attempt to terminate a thread-local capture sequence from another thread") \
    X(909, Timeout, "CUDA_ERROR_TIMEOUT", "wait operation timed out") \
    X(910, GraphExecUpdateFailure, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update") \
    X(911, ExternalDevice, "CUDA_ERROR_EXTERNAL_DEVICE", "an async error has occured in external entity outside of CUDA") \
    X(912, InvalidClusterSize, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "a kernel launch error has occurred due to cluster misconfiguration") \
    X(913, FunctionNotLoaded, "CUDA_ERROR_FUNCTION_NOT_LOADED", "the function handle is not loaded when calling an API that requires a loaded function") \
    X(914, InvalidResourceType, "CUDA_ERROR_INVALID_RESOURCE_TYPE", "one or more resources passed in are not valid resource types for the operation") \
    X(915, InvalidResourceConfiguration, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", "one or more resources are insufficient or non-applicable for the operation") \
    X(999, Unknown, "CUDA_ERROR_UNKNOWN", "unknown error")
// clang-format on

enum runtime_error {
#define X(number, name, driver, text) ERROR_##name = number,
    RUNTIME_ERROR_LIST(X)
#undef X
};

struct error_names {
    int number;
    const char *runtime; /* For example "cudaErrorInvalidValue". */
    const char *driver;  /* For example "CUDA_ERROR_INVALID_VALUE"; may be NULL. */
    const char *text;
};
/* For an unknown number, `runtime` and `text` are "unrecognized error code". */
const struct error_names *error_names(int error);

#endif
