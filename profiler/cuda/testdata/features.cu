/* features.cu: graphs, cooperative launches, pools, callbacks, malloc in kernels. One case per
 * run. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

namespace cg = cooperative_groups;

#define TRY(call) try_call((call), #call, __LINE__)
static void try_call(cudaError_t error, const char *call, int line)
{
    if (error == cudaSuccess)
        return;
    printf("line %d: %s: %s\n", line, call, cudaGetErrorName(error));
    exit(3);
}
#define DEMAND(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: not so: %s\n", __LINE__, #condition);                                 \
            exit(4);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void scale(float *a, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] *= by;
}

static void count_call(void *data)
{
    ++*(int *)data;
}

static const int n = 512;

/* Capture operations from two streams. Each element becomes 1 * 2 * 3. */
static void capture()
{
    cudaStream_t one, two;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t nodes = 0;
    float *a, host[n], back[n];
    int calls = 0;
    for (int i = 0; i < n; i++)
        host[i] = 1;
    TRY(cudaStreamCreate(&one));
    TRY(cudaStreamCreate(&two));
    TRY(cudaEventCreate(&fork));
    TRY(cudaEventCreate(&join));
    TRY(cudaMalloc(&a, sizeof host));
    TRY(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    TRY(cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyHostToDevice, one));
    TRY(cudaEventRecord(fork, one));
    TRY(cudaStreamWaitEvent(two, fork, 0));
    scale<<<2, 256, 0, two>>>(a, 2, n);
    TRY(cudaEventRecord(join, two));
    TRY(cudaStreamWaitEvent(one, join, 0));
    scale<<<2, 256, 0, one>>>(a, 3, n);
    TRY(cudaMemcpyAsync(back, a, sizeof host, cudaMemcpyDeviceToHost, one));
    TRY(cudaLaunchHostFunc(one, count_call, &calls));
    TRY(cudaStreamEndCapture(one, &graph));
    DEMAND(calls == 0);
    TRY(cudaGraphGetNodes(graph, NULL, &nodes));
    DEMAND(nodes == 5);
    TRY(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        TRY(cudaGraphLaunch(exec, one));
    TRY(cudaStreamSynchronize(one));
    DEMAND(calls == 3 && back[0] == 6 && back[n - 1] == 6);
    scale<<<2, 256, 0, two>>>(a, 2, n); /* `two` is an ordinary stream again. */
    TRY(cudaMemcpy(back, a, sizeof back, cudaMemcpyDeviceToHost));
    DEMAND(back[7] == 12);
    TRY(cudaGraphExecDestroy(exec));
    TRY(cudaGraphDestroy(graph));
}

static void graph()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t set, first, second, copy;
    float *a, by = 2, back[n];
    int count = n;
    TRY(cudaMalloc(&a, sizeof back));
    TRY(cudaGraphCreate(&graph, 0));
    void *arguments[] = {&a, &by, &count};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)scale;
    kernel.gridDim = dim3(2);
    kernel.blockDim = dim3(256);
    kernel.kernelParams = arguments;
    /* The nodes are added in reverse order, so that only the edges determine the order. */
    TRY(cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, back, a, sizeof back,
                                 cudaMemcpyDeviceToHost));
    TRY(cudaGraphAddKernelNode(&second, graph, NULL, 0, &kernel));
    TRY(cudaGraphAddKernelNode(&first, graph, NULL, 0, &kernel));
    cudaMemsetParams zero = {};
    zero.dst = a;
    zero.value = 0x3f800000; /* 1.0f */
    zero.elementSize = 4;
    zero.width = n;
    zero.height = 1;
    TRY(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &zero));
    cudaGraphNode_t from[] = {set, first, second}, to[] = {first, second, copy};
#if CUDART_VERSION >= 13000
    TRY(cudaGraphAddDependencies(graph, from, to, NULL, 3));
#else
    TRY(cudaGraphAddDependencies(graph, from, to, 3));
#endif
    TRY(cudaGraphInstantiate(&exec, graph, 0));
    TRY(cudaGraphLaunch(exec, 0));
    TRY(cudaDeviceSynchronize());
    DEMAND(back[0] == 4 && back[n - 1] == 4);
    by = 5;
    TRY(cudaGraphExecKernelNodeSetParams(exec, second, &kernel));
    TRY(cudaGraphLaunch(exec, 0));
    TRY(cudaDeviceSynchronize());
    DEMAND(back[0] == 10 && back[n - 1] == 10);
    /* Change the destination of the copy, in the instance and in the graph. */
    float other[n] = {};
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(a, sizeof back, sizeof back, 1);
    box.dstPtr = make_cudaPitchedPtr(other, sizeof other, sizeof other, 1);
    box.extent = make_cudaExtent(sizeof back, 1, 1);
    box.kind = cudaMemcpyDeviceToHost;
    TRY(cudaGraphExecMemcpyNodeSetParams(exec, copy, &box));
    TRY(cudaGraphMemcpyNodeSetParams(copy, &box));
    by = 3;
    TRY(cudaGraphExecKernelNodeSetParams(exec, second, &kernel));
    TRY(cudaGraphLaunch(exec, 0));
    TRY(cudaDeviceSynchronize());
    DEMAND(other[n - 1] == 6 && back[n - 1] == 10);
    DEMAND(cudaGraphMemcpyNodeSetParams(set, &box) == cudaErrorInvalidValue);
}

/* Memory of a graph has the same address in all launches. A node returns its parameters. */
static void nodes()
{
    cudaGraph_t graph, captured;
    cudaGraphExec_t exec;
    cudaGraphNode_t allocate, set, kernel, copy, release, wanted[2];
    cudaStream_t stream;
    cudaMemAllocNodeParams memory = {};
    float by = 3, back[n] = {};
    int count = n;
    size_t edges = 2;
    TRY(cudaGraphCreate(&graph, 0));
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = sizeof back;
    TRY(cudaGraphAddMemAllocNode(&allocate, graph, NULL, 0, &memory));
    DEMAND(memory.dptr);
    cudaMemsetParams ones = {};
    ones.dst = memory.dptr;
    ones.value = 0x3f800000; /* 1.0f */
    ones.elementSize = 4;
    ones.width = n;
    ones.height = 1;
    TRY(cudaGraphAddMemsetNode(&set, graph, &allocate, 1, &ones));
    void *arguments[] = {&memory.dptr, &by, &count};
    cudaGraphNodeParams any = {};
    any.type = cudaGraphNodeTypeKernel;
    any.kernel.func = (void *)scale;
    any.kernel.gridDim = dim3(2);
    any.kernel.blockDim = dim3(256);
    any.kernel.kernelParams = arguments;
#if CUDART_VERSION >= 13000
    TRY(cudaGraphAddNode(&kernel, graph, &set, NULL, 1, &any));
#else
    TRY(cudaGraphAddNode(&kernel, graph, &set, 1, &any));
#endif
    TRY(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, back, memory.dptr, sizeof back,
                                 cudaMemcpyDeviceToHost));
    TRY(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, memory.dptr));
    cudaKernelNodeParams asked;
    TRY(cudaGraphKernelNodeGetParams(kernel, &asked));
    DEMAND(asked.func == (void *)scale && asked.gridDim.x == 2 && asked.blockDim.x == 256);
    DEMAND(*(float *)asked.kernelParams[1] == 3 && *(int *)asked.kernelParams[2] == n);
#if CUDART_VERSION >= 13000
    TRY(cudaGraphNodeGetDependencies(kernel, wanted, NULL, &edges));
#else
    TRY(cudaGraphNodeGetDependencies(kernel, wanted, &edges));
#endif
    DEMAND(edges == 1 && wanted[0] == set);
    TRY(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        back[0] = 0;
        TRY(cudaGraphLaunch(exec, 0));
        TRY(cudaDeviceSynchronize());
        DEMAND(back[0] == 3 && back[n - 1] == 3);
    }
    TRY(cudaGraphDestroyNode(kernel));
    edges = 0;
    TRY(cudaGraphGetNodes(graph, NULL, &edges));
    DEMAND(edges == 4);

    float *a, *later;
    TRY(cudaStreamCreate(&stream));
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    TRY(cudaMallocAsync(&a, sizeof back, stream));
    TRY(cudaMemsetAsync(a, 0, sizeof back, stream));
    TRY(cudaMemcpyAsync(back, a, sizeof back, cudaMemcpyDeviceToHost, stream));
    TRY(cudaFreeAsync(a, stream));
    TRY(cudaStreamEndCapture(stream, &captured));
    TRY(cudaMallocAsync(&later, sizeof back, stream));
    DEMAND(later != a && back[0] == 3);
    TRY(cudaGraphInstantiate(&exec, captured, 0));
    for (int i = 0; i < 2; i++)
        TRY(cudaGraphLaunch(exec, stream));
    TRY(cudaStreamSynchronize(stream));
    DEMAND(back[0] == 0);
}

/* ---- Conditional nodes ---- */


#if CUDART_VERSION >= 13000
__global__ void count_down(int *left, cudaGraphConditionalHandle again)
{
    cudaGraphSetConditional(again, --*left > 0);
}

__global__ void choose(const int *which, cudaGraphConditionalHandle choice)
{
    cudaGraphSetConditional(choice, *which);
}

__global__ void put(int *to, int value)
{
    *to = value;
}

/* A kernel that may start while the previous grid ends, as on Hopper. */
__global__ void dependent(float *a)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    a[threadIdx.x] += 1;
    asm volatile("griddepcontrol.launch_dependents;");
}

static void changes()
{
    cudaGraph_t graph, child, other;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, nested, record, wait, copy, more;
    cudaEvent_t first, second, event;
    cudaStream_t stream;
    cudaStreamAttrValue given = {}, got = {};
    float *a, host[32];
    int ended = 0;
    TRY(cudaMalloc(&a, sizeof host));
    TRY(cudaMemset(a, 0, sizeof host));
    TRY(cudaEventCreate(&first));
    TRY(cudaEventCreate(&second));
    TRY(cudaStreamCreate(&stream));
    void *arguments[] = {&a};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)dependent;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(32);
    kernel.kernelParams = arguments;
    TRY(cudaGraphCreate(&child, 0));
    TRY(cudaGraphAddKernelNode(&node, child, NULL, 0, &kernel));
    TRY(cudaGraphCreate(&graph, 0));
    TRY(cudaGraphAddEventRecordNode(&record, graph, NULL, 0, first));
    TRY(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, first));
    TRY(cudaGraphAddChildGraphNode(&nested, graph, &wait, 1, child));
    TRY(cudaGraphAddMemcpyNode1D(&copy, graph, &nested, 1, host, a, sizeof host,
                                 cudaMemcpyDeviceToHost));
    cudaUserObject_t object;
    TRY(cudaUserObjectCreate(&object, &ended, count_call, 1, cudaUserObjectNoDestructorSync));
    TRY(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    TRY(cudaGraphInstantiate(&exec, graph, 0));
    TRY(cudaGraphLaunch(exec, stream));
    TRY(cudaStreamSynchronize(stream));
    DEMAND(host[31] == 1);
    TRY(cudaGraphEventRecordNodeSetEvent(record, second));
    TRY(cudaGraphEventRecordNodeGetEvent(record, &event));
    DEMAND(event == second);
    TRY(cudaGraphEventWaitNodeGetEvent(wait, &event));
    DEMAND(event == first);
    DEMAND(cudaGraphEventWaitNodeGetEvent(record, &event) == cudaErrorInvalidValue);
    DEMAND(cudaEventQuery(second) == cudaSuccess);
    TRY(cudaGraphExecEventRecordNodeSetEvent(exec, record, second));
    cudaMemcpy3DParms box;
    TRY(cudaGraphMemcpyNodeGetParams(copy, &box));
    DEMAND(box.dstPtr.ptr == host && box.srcPtr.ptr == a && box.extent.width == sizeof host &&
           box.extent.depth == 1 && box.kind == cudaMemcpyDeviceToHost);
    TRY(cudaGraphExecMemcpyNodeSetParams(exec, copy, &box));
    /* The kernel of the child graph is replaced. */
    TRY(cudaGraphClone(&other, child));
    TRY(cudaGraphNodeFindInClone(&node, node, other));
    kernel.func = (void *)scale;
    float by = 7;
    int count = 32;
    void *others[] = {&a, &by, &count};
    kernel.kernelParams = others;
    TRY(cudaGraphKernelNodeSetParams(node, &kernel));
    TRY(cudaGraphExecChildGraphNodeSetParams(exec, nested, other));
    TRY(cudaGraphLaunch(exec, stream));
    TRY(cudaStreamSynchronize(stream));
    DEMAND(host[31] == 7);
    cudaLaunchAttributeValue value;
    TRY(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &value));
    DEMAND(!value.cooperative);
    TRY(cudaGraphAddEmptyNode(&more, other, NULL, 0));
    DEMAND(cudaGraphExecChildGraphNodeSetParams(exec, nested, other) ==
           cudaErrorGraphExecUpdateFailure);
    cudaGraphExecUpdateResultInfo info;
    DEMAND(cudaGraphExecUpdate(exec, other, &info) == cudaErrorGraphExecUpdateFailure &&
           info.result == cudaGraphExecUpdateErrorTopologyChanged);
    char path[] = "/tmp/graph-XXXXXX", text[1000] = "";
    FILE *file = fdopen(mkstemp(path), "r");
    TRY(cudaGraphDebugDotPrint(graph, path, 0));
    DEMAND(fread(text, 1, sizeof text - 1, file) && strstr(text, "digraph") && strstr(text, "->"));
    remove(path);
    DEMAND(cudaGraphDebugDotPrint(graph, "/nowhere/at/all", 0) == cudaErrorOperatingSystem);
    TRY(cudaGraphDestroy(graph));
    DEMAND(!ended);
    TRY(cudaGraphExecDestroy(exec));
    DEMAND(ended == 1);
    DEMAND(cudaUserObjectRelease(object, 1) == cudaErrorInvalidValue);
    /* A wait for a captured stream invalidates the capture. */
    cudaStreamCaptureStatus status;
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    dependent<<<1, 32, 0, stream>>>(a);
    DEMAND(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
    TRY(cudaStreamIsCapturing(stream, &status));
    DEMAND(status == cudaStreamCaptureStatusInvalidated);
    DEMAND(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated && !graph);
    TRY(cudaStreamSynchronize(stream));
    given.accessPolicyWindow.num_bytes = 4096;
    TRY(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &given));
    TRY(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &got));
    DEMAND(got.accessPolicyWindow.num_bytes == 4096);
    cudaGetLastError();
}

template <class... Arguments>
static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t *before, void *function, Arguments... arguments)
{
    cudaGraphNode_t made;
    void *pointers[] = {&arguments...};
    cudaGraphNodeParams any = {cudaGraphNodeTypeKernel};
    any.kernel.func = function;
    any.kernel.gridDim = any.kernel.blockDim = dim3(1);
    any.kernel.kernelParams = pointers;
    TRY(cudaGraphAddNode(&made, graph, before, NULL, before ? 1 : 0, &any));
    return made;
}

static cudaGraph_t *add_condition(cudaGraph_t graph, cudaGraphNode_t *made, cudaGraphNode_t *before,
                                  cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size)
{
    cudaGraphNodeParams any = {cudaGraphNodeTypeConditional};
    any.conditional.handle = handle;
    any.conditional.type = type;
    any.conditional.size = size;
    TRY(cudaGraphAddNode(made, graph, before, NULL, before ? 1 : 0, &any));
    return any.conditional.phGraph_out;
}

/* The graph counts down from 5 in a loop, and then executes one of three bodies, or none. */
static void conditions()
{
    int *left, *which, *out;
    const int wanted[] = {10, 11, 12, 12};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle again, choice;
    cudaGraphNode_t loop, chosen, last;
    TRY(cudaMallocManaged(&left, sizeof *left));
    TRY(cudaMallocManaged(&which, sizeof *which));
    TRY(cudaMallocManaged(&out, sizeof *out));
    TRY(cudaGraphCreate(&graph, 0));
    TRY(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
    TRY(cudaGraphConditionalHandleCreate(&choice, graph));
    cudaGraph_t *bodies = add_condition(graph, &loop, NULL, again, cudaGraphCondTypeWhile, 1);
    add_kernel(bodies[0], NULL, (void *)count_down, left, again);
    chosen = add_kernel(graph, &loop, (void *)choose, which, choice);
    bodies = add_condition(graph, &last, &chosen, choice, cudaGraphCondTypeSwitch, 3);
    for (int i = 0; i < 3; i++)
        add_kernel(bodies[i], NULL, (void *)put, out, wanted[i]);
    TRY(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 4; i++) {
        *left = 5;
        *which = i;
        TRY(cudaGraphLaunch(exec, 0));
        TRY(cudaDeviceSynchronize());
        DEMAND(*left == 0 && *out == wanted[i]);
    }
}

static void no_condition()
{
    int *left;
    TRY(cudaMallocManaged(&left, sizeof *left));
    count_down<<<1, 1>>>(left, 77);
    DEMAND(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
}
#endif
/* A host function in a stream or a graph waits for a thread that uses the runtime. */
static void wait_for_thread(void *data)
{
    std::thread other([=] { TRY(cudaMemset(data, 0x11, 4)); });
    other.join();
}

static void threads()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t call;
    int *a, back = 0;
    TRY(cudaMalloc(&a, sizeof *a));
    cudaHostNodeParams host = {wait_for_thread, a};
    TRY(cudaGraphCreate(&graph, 0));
    TRY(cudaGraphAddHostNode(&call, graph, NULL, 0, &host));
    TRY(cudaGraphInstantiate(&exec, graph, 0));
    TRY(cudaGraphLaunch(exec, 0));
    TRY(cudaLaunchHostFunc(0, wait_for_thread, a));
    TRY(cudaMemcpy(&back, a, sizeof back, cudaMemcpyDeviceToHost));
    DEMAND(back == 0x11111111);
}

/* In each iteration, every block adds the previous values of all blocks. */
__global__ void together(int *counts, int *sums, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x == 0) {
            int sum = 0;
            for (unsigned i = 0; i < gridDim.x; i++)
                sum += counts[i];
            sums[blockIdx.x] = sum;
        }
        grid.sync();
        if (threadIdx.x == 0)
            counts[blockIdx.x] += sums[(blockIdx.x + 1) % gridDim.x];
        grid.sync();
    }
}

static void cooperative()
{
    int *counts, *sums, host[8], rounds = 3, blocks = 8;
    for (int i = 0; i < blocks; i++)
        host[i] = 1;
    TRY(cudaMalloc(&counts, sizeof host));
    TRY(cudaMalloc(&sums, sizeof host));
    TRY(cudaMemcpy(counts, host, sizeof host, cudaMemcpyHostToDevice));
    void *arguments[] = {&counts, &sums, &rounds};
    TRY(cudaLaunchCooperativeKernel((void *)together, dim3(blocks), dim3(64), arguments));
    TRY(cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost));
    DEMAND(host[0] == 9 * 9 * 9 && host[7] == 9 * 9 * 9);
    DEMAND(cudaLaunchCooperativeKernel((void *)together, dim3(100000), dim3(1024), arguments) ==
           cudaErrorCooperativeLaunchTooLarge);
    DEMAND(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
}

static void pools()
{
    cudaStream_t stream;
    cudaMemPool_t pool;
    float *a;
    uint64_t keep = UINT64_MAX;
    TRY(cudaStreamCreate(&stream));
    TRY(cudaDeviceGetDefaultMemPool(&pool, 0));
    TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    TRY(cudaMallocAsync(&a, n * sizeof *a, stream));
    TRY(cudaMemsetAsync(a, 0, n * sizeof *a, stream));
    scale<<<2, 256, 0, stream>>>(a, 2, n);
    TRY(cudaFreeAsync(a, stream));
    TRY(cudaStreamSynchronize(stream));
    /* Attributes of a pool and advice for managed memory are stored. */
    int reuse = 0, mostly = 0, accessed[3];
    unsigned long long threshold = 12345, used;
    cudaMemPool_t kept;
    TRY(cudaDeviceGetDefaultMemPool(&kept, 0));
    TRY(cudaMemPoolSetAttribute(kept, cudaMemPoolAttrReleaseThreshold, &threshold));
    TRY(cudaMemPoolSetAttribute(kept, cudaMemPoolReuseAllowOpportunistic, &reuse));
    TRY(cudaMemPoolGetAttribute(kept, cudaMemPoolAttrReleaseThreshold, &used));
    TRY(cudaMemPoolGetAttribute(kept, cudaMemPoolReuseAllowOpportunistic, &reuse));
    DEMAND(used == 12345 && reuse == 0);
    void *pooled, *managed;
    TRY(cudaMallocAsync(&pooled, 5000, 0));
    TRY(cudaMemPoolGetAttribute(kept, cudaMemPoolAttrUsedMemCurrent, &used));
    DEMAND(used >= 5000);
    TRY(cudaFreeAsync(pooled, 0));
    TRY(cudaMemPoolGetAttribute(kept, cudaMemPoolAttrUsedMemCurrent, &used));
    DEMAND(used < 5000);
    TRY(cudaMemPoolGetAttribute(kept, cudaMemPoolAttrUsedMemHigh, &used));
    DEMAND(used >= 5000);
    TRY(cudaMallocManaged(&managed, 4096));
#if CUDART_VERSION >= 13000
    const cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, cpu = {cudaMemLocationTypeHost, 0};
    TRY(cudaMemPrefetchAsync(managed, 4096, cpu, 0));
#else
    const int device = 0, cpu = cudaCpuDeviceId;
    TRY(cudaMemPrefetchAsync(managed, 4096, cpu));
#endif
    TRY(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, device));
    TRY(cudaMemAdvise(managed, 4096, cudaMemAdviseSetAccessedBy, cpu));
    TRY(cudaMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, managed, 4096));
    TRY(cudaMemRangeGetAttribute(accessed, 12, cudaMemRangeAttributeAccessedBy, managed, 4096));
    TRY(cudaMemRangeGetAttribute(&reuse, 4, cudaMemRangeAttributeLastPrefetchLocation, managed, 4096));
    DEMAND(mostly == 1 && accessed[0] == cudaCpuDeviceId && accessed[1] == cudaInvalidDeviceId);
    DEMAND(reuse == cudaCpuDeviceId);
    TRY(cudaMemRangeGetAttribute(&reuse, 4, cudaMemRangeAttributePreferredLocation, managed, 4096));
    DEMAND(reuse == cudaInvalidDeviceId);
}

/* ---- Textures and surfaces ---- */

__global__ void fetch(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 1) + tex2D<float>(t, 0.5f, threadIdx.x + 0.5f);
}

/* Store the right neighbour in each row; at the edge, the element itself. */
__global__ void shift(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = blockIdx.x;
    int right = surf2Dread<int>(from, 4 * (x + 1), y, cudaBoundaryModeClamp);
    int none = surf2Dread<int>(from, 4 * x, -1, cudaBoundaryModeZero);
    surf2Dwrite(right + none, to, 4 * x, y);
}

static cudaArray_t make_array(cudaChannelFormatKind kind, const void *texels)
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, kind);
    TRY(cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore));
    TRY(cudaMemcpy2DToArray(array, 0, 0, texels, 32, 32, 4, cudaMemcpyHostToDevice));
    return array;
}

static cudaTextureObject_t make_texture(cudaArray_t array, cudaTextureFilterMode filter)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc settings = {};
    cudaTextureObject_t texture;
    resource.res.array.array = array;
    settings.addressMode[0] = settings.addressMode[1] = cudaAddressModeClamp;
    settings.filterMode = filter;
    TRY(cudaCreateTextureObject(&texture, &resource, &settings, NULL));
    return texture;
}

static void textures()
{
    float texels[4][8], *out;
    for (int i = 0; i < 32; i++)
        texels[i / 8][i % 8] = i;
    cudaTextureObject_t texture =
        make_texture(make_array(cudaChannelFormatKindFloat, texels), cudaFilterModeLinear);
    TRY(cudaMallocManaged(&out, 4 * sizeof *out));
    fetch<<<1, 4>>>(texture, out);
    TRY(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++) /* Between two rows, and between two columns except at the left edge. */
        DEMAND(out[i] == 4 + (i ? i - 0.5f : 0) + 8 * i);
}

static void surfaces()
{
    int texels[4][8], back[4][8];
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t from, to;
    for (int i = 0; i < 32; i++)
        texels[i / 8][i % 8] = i;
    resource.res.array.array = make_array(cudaChannelFormatKindSigned, texels);
    TRY(cudaCreateSurfaceObject(&from, &resource));
    cudaArray_t target = resource.res.array.array =
        make_array(cudaChannelFormatKindSigned, texels);
    TRY(cudaCreateSurfaceObject(&to, &resource));
    shift<<<4, 8>>>(from, to);
    TRY(cudaMemcpy2DFromArray(back, 32, target, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        DEMAND(back[i / 8][i % 8] == (i % 8 == 7 ? i : i + 1));
}

/* Incorrect uses of objects. Each of them corrupts the context and is therefore a separate case. */
static float *one_float()
{
    float *out;
    TRY(cudaMalloc(&out, 4));
    return out;
}

static void destroyed_texture()
{
    float texels[32] = {};
    cudaTextureObject_t texture =
        make_texture(make_array(cudaChannelFormatKindFloat, texels), cudaFilterModePoint);
    TRY(cudaDestroyTextureObject(texture));
    fetch<<<1, 1>>>(texture, one_float());
    DEMAND(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

static void no_texture()
{
    fetch<<<1, 1>>>(12345, one_float());
    DEMAND(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

static void freed_array()
{
    float texels[32] = {};
    cudaArray_t array = make_array(cudaChannelFormatKindFloat, texels);
    cudaTextureObject_t texture = make_texture(array, cudaFilterModePoint);
    TRY(cudaFreeArray(array));
    fetch<<<1, 1>>>(texture, one_float());
    DEMAND(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

static void outside_surface()
{
    int texels[32] = {};
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface;
    resource.res.array.array = make_array(cudaChannelFormatKindSigned, texels);
    TRY(cudaCreateSurfaceObject(&surface, &resource));
    shift<<<5, 8>>>(surface, surface);
    DEMAND(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

static void absent()
{
    cudaIpcMemHandle_t handle;
    DEMAND(cudaIpcGetMemHandle(&handle, NULL) == cudaErrorNotSupported);
    DEMAND(cudaIpcGetMemHandle(&handle, NULL) == cudaErrorNotSupported);
    DEMAND(cudaGetLastError() == cudaErrorNotSupported);
}

/* Memory of malloc() and new persists between launches. The heap is limited. */
__device__ int *kept[64];

__global__ void keep(int n)
{
    kept[threadIdx.x] = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        kept[threadIdx.x][i] = threadIdx.x + i;
}

__global__ void give_back(int n, int *sums)
{
    int *more = new int[3]();
    for (int i = 0; i < n; i++)
        more[i % 3] += kept[threadIdx.x][i];
    sums[threadIdx.x] = more[0] + more[1] + more[2];
    delete[] more;
    free(kept[threadIdx.x]);
    if (malloc(2 << 20))
        sums[threadIdx.x] = -1;
}

static void heap()
{
    int *sums;
    TRY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    TRY(cudaMallocManaged(&sums, 64 * sizeof *sums));
    for (int round = 0; round < 50; round++) {
        keep<<<1, 64>>>(100);
        give_back<<<1, 64>>>(100, sums);
        TRY(cudaDeviceSynchronize());
        for (int t = 0; t < 64; t++)
            DEMAND(sums[t] == 100 * t + 99 * 50);
    }
    puts("done");
}

/* Level l of layer k contains 10 * l + k; a slope of 2^l / 16 selects level l. */
__global__ void slopes(cudaTextureObject_t lines, cudaTextureObject_t planes, float *out)
{
    float slope = (1 << threadIdx.x) / 16.f;
    out[threadIdx.x] = tex1DLayeredGrad<float>(lines, 0.5f, 1, slope, 0.f) +
                       100 * tex2DLayeredGrad<float>(planes, 0.5f, 0.5f, 1, make_float2(0, slope / 2), make_float2(slope, 0));
}

static cudaTextureObject_t layered(unsigned height)
{
    enum { WIDTH = 16, LAYERS = 2, LEVELS = 3 };
    cudaMipmappedArray_t array;
    cudaTextureObject_t texture;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    TRY(cudaMallocMipmappedArray(&array, &channel, make_cudaExtent(WIDTH, height, LAYERS), LEVELS, cudaArrayLayered));
    for (unsigned level = 0; level < LEVELS; level++) {
        unsigned width = WIDTH >> level, rows = height ? height >> level : 1;
        float values[WIDTH * WIDTH * LAYERS];
        cudaMemcpy3DParms copy = {};
        for (unsigned i = 0; i < width * rows * LAYERS; i++)
            values[i] = 10 * level + i / (width * rows);
        TRY(cudaGetMipmappedArrayLevel(&copy.dstArray, array, level));
        copy.srcPtr = make_cudaPitchedPtr(values, width * sizeof *values, width, rows);
        copy.extent = make_cudaExtent(width, rows, LAYERS);
        copy.kind = cudaMemcpyHostToDevice;
        TRY(cudaMemcpy3D(&copy));
    }
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = array;
    how.normalizedCoords = 1;
    how.maxMipmapLevelClamp = LEVELS - 1;
    TRY(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

static void slope_levels()
{
    float *out;
    TRY(cudaMallocManaged(&out, 3 * sizeof *out));
    slopes<<<1, 3>>>(layered(0), layered(16), out);
    TRY(cudaDeviceSynchronize());
    for (int level = 0; level < 3; level++)
        DEMAND(out[level] == 101 * (10 * level + 1));
}

/* ---- A host that does not wait ---- */

static float *host_array(bool is_managed)
{
    float *a;
    TRY(is_managed ? cudaMallocManaged(&a, 4 * n * sizeof *a) : cudaMallocHost(&a, 4 * n * sizeof *a));
    for (int i = 0; i < 4 * n; i++)
        a[i] = 1;
    return a;
}

static void early_load()
{
    float *a = host_array(true);
    scale<<<2, 256>>>(a, 2, n);
    DEMAND(a[7] == 2);
}

static void early_store()
{
    float *a = host_array(true);
    cudaEvent_t before;
    TRY(cudaEventCreate(&before));
    TRY(cudaEventRecord(before));
    scale<<<2, 256>>>(a, 2, n);
    TRY(cudaEventSynchronize(before)); /* This event precedes the launch. */
    a[n - 1] = 3;
}

static void early_copied(cudaMemcpyKind direction)
{
    float *host = host_array(false), *a;
    cudaStream_t stream, other;
    TRY(cudaStreamCreate(&stream));
    TRY(cudaStreamCreate(&other));
    TRY(cudaMalloc(&a, n * sizeof *a));
    TRY(cudaMemset(a, 0, n * sizeof *a));
    if (direction == cudaMemcpyHostToDevice)
        TRY(cudaMemcpyAsync(a, host, n * sizeof *a, direction, stream));
    else
        TRY(cudaMemcpyAsync(host, a, n * sizeof *a, direction, stream));
    TRY(cudaStreamSynchronize(other));
    host[n / 2] = host[n / 2 + 1];
}

static void early_source() { early_copied(cudaMemcpyHostToDevice); }
static void early_target() { early_copied(cudaMemcpyDeviceToHost); }

__global__ void raise(volatile int *flag) { *flag = 1; }

/* Each access waits for the memory that it uses, each time in a different way. */
static void in_time()
{
    float *a = host_array(true), *host = host_array(false), pageable[n], sum = 0;
    int *flag = (int *)host_array(false), calls = 0;
    cudaStream_t stream;
    cudaEvent_t end;
    TRY(cudaStreamCreate(&stream));
    TRY(cudaEventCreate(&end));
    scale<<<2, 256, 0, stream>>>(a, 2, n);
    for (int i = 3 * n; i < 4 * n; i++) /* Other pages, and elements that the kernel does not change. */
        a[i] += a[i - n];
    TRY(cudaEventRecord(end, stream));
    TRY(cudaEventSynchronize(end));
    DEMAND(a[0] == 2 && a[n] == 1 && a[3 * n] == 2);
    scale<<<2, 256, 0, stream>>>(a, 2, n);
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        ;
    a[0] += 1;
    scale<<<2, 256, 0, stream>>>(a, 2, n);
    TRY(cudaMemcpyAsync(pageable, a, sizeof pageable, cudaMemcpyDeviceToHost, stream));
    DEMAND(pageable[0] == 10 && a[0] == 10);
    TRY(cudaMemcpyAsync(host, a, sizeof pageable, cudaMemcpyDeviceToHost, stream));
    TRY(cudaLaunchHostFunc(stream, count_call, &calls));
    DEMAND(host[0] == 10 && calls == 1);
    TRY(cudaMemcpyAsync(a + n, host, sizeof pageable, cudaMemcpyHostToDevice, stream));
    for (int i = 0; i < n; i++)
        sum += host[i]; /* A copy only reads this memory. */
    raise<<<1, 1, 0, stream>>>(flag);
    while (*(volatile int *)flag != 1)
        ;
    TRY(cudaDeviceSynchronize());
    DEMAND(sum > 0 && a[n] == 10);
}

/* An unknown instruction stops only the kernel that executes it. */
__global__ void unknown(int *out, int reaches)
{
    if (reaches)
        asm volatile("frobnicate.sync.u32 [%0], {%1}, <3>;" ::"l"(out), "r"(3));
    out[0] = 7;
}

static void unknown_forms()
{
    int *out;
    TRY(cudaMallocManaged(&out, sizeof *out));
    unknown<<<1, 1>>>(out, 0);
    TRY(cudaDeviceSynchronize());
    DEMAND(out[0] == 7);
    unknown<<<1, 1>>>(out, 1);
    DEMAND(cudaDeviceSynchronize() == cudaErrorNotSupported);
}

/* The time of a copy does not depend on the number of arrays. */
static void many_arrays()
{
    const int few = 100, many = 20000;
    static void *arrays[many];
    clock_t took[2];
    int number = 0;
    for (int end : {few, many}) {
        for (; number < end; number++) {
            TRY(cudaMalloc(&arrays[number], 4));
            TRY(cudaMemset(arrays[number], 0, 4)); /* Map the page of the array. */
        }
        clock_t begin = clock();
        for (int i = 0; i < 2000; i++) {
            int at = (int)(i * 7919ll % end), read = -1;
            TRY(cudaMemcpy(arrays[at], &i, 4, cudaMemcpyHostToDevice));
            TRY(cudaMemcpy(&read, arrays[at], 4, cudaMemcpyDeviceToHost));
            DEMAND(read == i);
        }
        took[end == many] = clock() - begin;
    }
    DEMAND(took[1] < 30 * took[0]);
    for (void *array : arrays)
        TRY(cudaFree(array));
    DEMAND(cudaFree(arrays[0]) == cudaErrorInvalidValue);
}

/* The time to create streams and arrays of pools does not depend on their number. */
static void many_streams()
{
    const int streams = 3000, arrays = 20000, some = 200;
    static cudaStream_t made[streams];
    static void *pooled[arrays];
    clock_t begin = clock(), took[2] = {};
    for (int i = 0; i < streams; i++) {
        begin = i == streams - some ? clock() : begin;
        TRY(cudaStreamCreate(&made[i]));
        took[i >= some] = clock() - begin;
    }
    DEMAND(took[1] < 50 * took[0] + CLOCKS_PER_SEC / 100);
    begin = clock();
    for (int i = 0; i < arrays; i++) {
        begin = i == arrays - some ? clock() : begin;
        TRY(cudaMallocAsync(&pooled[i], 4, made[0]));
        took[i >= some] = clock() - begin;
    }
    DEMAND(took[1] < 50 * took[0] + CLOCKS_PER_SEC / 100);
    for (cudaStream_t stream : made)
        TRY(cudaStreamDestroy(stream));
    TRY(cudaStreamCreate(&made[0]));
    for (void *array : pooled)
        TRY(cudaFreeAsync(array, made[0]));
    cudaMemPool_t pool;
    unsigned long long used = 1;
    TRY(cudaDeviceGetDefaultMemPool(&pool, 0));
    TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    DEMAND(used == 0);
}

/* Test cycles of nodes, and nodes that depend on nodes of another graph. */
static void circles()
{
    cudaGraph_t one, other, inner;
    cudaGraphNode_t a[3], b[2], behind;
    cudaGraphExec_t made = nullptr;
    TRY(cudaGraphCreate(&one, 0));
    TRY(cudaGraphCreate(&other, 0));
    TRY(cudaGraphCreate(&inner, 0));
    for (auto &node : a)
        TRY(cudaGraphAddEmptyNode(&node, one, nullptr, 0));
    for (auto &node : b)
        TRY(cudaGraphAddEmptyNode(&node, other, nullptr, 0));
    TRY(cudaGraphInstantiate(&made, one, 0));
#if CUDART_VERSION >= 13000
#define ADD(graph, from, to) cudaGraphAddDependencies(graph, &from, &to, nullptr, 1)
#else
#define ADD(graph, from, to) cudaGraphAddDependencies(graph, &from, &to, 1)
#endif
    DEMAND(ADD(other, a[2], b[0]) == cudaErrorInvalidValue);
    DEMAND(ADD(other, b[0], a[2]) == cudaErrorInvalidValue);
    DEMAND(cudaGraphAddEmptyNode(&behind, other, &a[0], 1) == cudaErrorInvalidValue);
    TRY(cudaGraphInstantiate(&made, other, 0));
    TRY(cudaGraphLaunch(made, 0));
    TRY(ADD(one, a[0], a[1]));
    TRY(ADD(one, a[1], a[2]));
    TRY(cudaGraphInstantiate(&made, one, 0));
    TRY(ADD(one, a[2], a[0]));
    DEMAND(cudaGraphInstantiate(&made, one, 0) == cudaErrorInvalidValue);
    TRY(cudaGraphAddChildGraphNode(&behind, inner, nullptr, 0, one));
    DEMAND(cudaGraphInstantiate(&made, inner, 0) == cudaErrorInvalidValue);
    TRY(ADD(other, b[0], b[0]));
    DEMAND(cudaGraphInstantiate(&made, other, 0) == cudaErrorInvalidValue);
    TRY(cudaDeviceSynchronize());
}

/* The symbol of this type abbreviates the repetitions in the name of the type. */
template <class First, class Second> struct both {
    First first;
    Second second;
};

template <class First, class... Others> __global__ void store_behind(int *to)
{
    to[threadIdx.x + sizeof(First)] = sizeof...(Others);
}

static void long_name()
{
    using pair = both<both<unsigned long long, unsigned long long>, both<unsigned long long, unsigned long long>>;
    int *to;
    TRY(cudaMalloc(&to, 32));
    store_behind<pair, both<pair, pair>><<<1, 1>>>(to);
}

/* The first byte past the end of `step` is the first byte of `steps`. */
__device__ const float step[64] = {1, 2, 4, 8}, steps[64] = {1, 3, 9, 27};

__global__ void look_up(float *to, int first)
{
    to[threadIdx.x] = step[first + threadIdx.x] * steps[threadIdx.x];
}

static void behind_table()
{
    float *to;
    TRY(cudaMalloc(&to, 32));
    look_up<<<1, 8>>>(to, 57);
}

int main(int count, char **values)
{
    const struct {
        const char *name;
        void (*run)();
    } cases[] = {{"heap", heap}, {"capture", capture},         {"graph", graph}, {"cooperative", cooperative},
                 {"nodes", nodes}, {"changes", changes}, {"threads", threads}, {"pools", pools}, {"absent", absent}, {"textures", textures}, {"surfaces", surfaces},
                 {"slope_levels", slope_levels}, {"unknown_forms", unknown_forms},
                 {"early_load", early_load}, {"early_store", early_store}, {"early_source", early_source},
                 {"early_target", early_target}, {"in_time", in_time}, {"many_arrays", many_arrays},
                 {"many_streams", many_streams}, {"circles", circles},
                 {"long_name", long_name}, {"behind_table", behind_table},
#if CUDART_VERSION >= 13000
                 {"conditions", conditions}, {"no_condition", no_condition},
#endif
                 {"destroyed_texture", destroyed_texture}, {"no_texture", no_texture},
                 {"freed_array", freed_array}, {"outside_surface", outside_surface}};
    for (auto &one : cases)
        if (count > 1 && !strcmp(one.name, values[1])) {
            one.run();
            printf("done\n");
            return 0;
        }
    return 5;
}
