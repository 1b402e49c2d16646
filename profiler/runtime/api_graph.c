/* api_graph.c: CUDA graphs, built node by node or captured from streams. */
#include "runtime/api.h"
#include "runtime/graph.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Capture ---- */

static int begin_capture(const void *handle)
{
    struct stream *stream = timeline_stream(handle);
    if (!stream || stream->is_default)
        return stream ? ERROR_StreamCaptureUnsupported : ERROR_InvalidResourceHandle;
    if (stream->capture)
        return ERROR_IllegalState;
    stream->capture = graph_create();
    return 0;
}

EXPORT int cudaStreamBeginCapture(void *stream, int mode)
{
    (void)mode;
    API(begin_capture(stream));
}
ALIAS(cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz);

static int end_capture(const void *handle, void **graph)
{
    struct stream *stream = timeline_stream(handle);
    if (!stream || !stream->capture)
        return stream ? ERROR_IllegalState : ERROR_InvalidResourceHandle;
    if (graph) /* none is asked for where the program gave it */
        *graph = stream->capture;
    timeline_end_capture(stream->capture);
    return 0;
}

EXPORT int cudaStreamEndCapture(void *stream, void **graph)
{
    API(end_capture(stream, graph));
}
ALIAS(cudaStreamEndCapture, cudaStreamEndCapture_ptsz);

/* In 13 with data of the edges; nothing that is captured depends on more than what came before. */
EXPORT int cudaStreamBeginCaptureToGraph(void *stream, void *graph)
{
    struct stream *found;
    API((found = timeline_stream(stream)) && graph_of(graph) ? (found->capture = graph_of(graph), 0)
                                                             : ERROR_InvalidValue);
}
ALIAS(cudaStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph_ptsz);

static int is_capturing(const void *handle, int *status, unsigned long long *id)
{
    const struct stream *stream = timeline_stream(handle);
    if (!stream)
        return ERROR_InvalidResourceHandle;
    if (status)
        *status = stream->capture != NULL;
    if (id)
        *id = (uintptr_t)stream->capture;
    return 0;
}

EXPORT int cudaStreamIsCapturing(void *stream, int *status)
{
    API(is_capturing(stream, status, NULL));
}
ALIAS(cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz);

/* What is captured next depends on everything before, so there is nothing to tell of
 * dependencies. */
static int capture_info(const void *handle, int *status, unsigned long long *id, void **graph,
                        void **nodes, size_t *count)
{
    const struct stream *stream = timeline_stream(handle);
    if (stream && graph)
        *graph = stream->capture;
    if (nodes)
        *nodes = NULL;
    if (count)
        *count = 0;
    return is_capturing(handle, status, id);
}

extern const int runtime_version;

EXPORT int cudaStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id,
                                       void **graph, void **nodes, size_t *count)
{
    API(capture_info(stream, status, id, graph, nodes, count));
}
ALIAS(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v2_ptsz);

/* With data of the edges. */
EXPORT int cudaStreamGetCaptureInfo_v3(void *stream, int *status, unsigned long long *id,
                                       void **graph, void **nodes, void **data, size_t *count)
{
    if (data)
        *data = NULL;
    API(capture_info(stream, status, id, graph, nodes, count));
}
ALIAS(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3_ptsz);

/* In 12 the first form, which tells less. */
EXPORT int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph,
                                    void **nodes, void **data, size_t *count)
{
    return runtime_version < 13000
               ? cudaStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL)
               : cudaStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, data, count);
}
ALIAS(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz);

/* ---- Build ---- */

static int make_graph(void **graph)
{
    *graph = graph_create();
    return 0;
}

EXPORT int cudaGraphCreate(void **graph, unsigned flags)
{
    (void)flags;
    API(make_graph(graph));
}

static int destroy(void *handle)
{
    struct graph *graph = graph_of(handle);
    if (graph)
        graph_free(graph);
    return graph ? 0 : ERROR_InvalidValue;
}

EXPORT int cudaGraphDestroy(void *graph)
{
    API(destroy(graph));
}
ALIAS(cudaGraphDestroy, cudaGraphExecDestroy);

/* Add a node behind others. */
static int add(void **made, void *handle, void *const *before, size_t before_count,
               const struct graph_node *node)
{
    struct graph *graph = graph_of(handle);
    if (!graph || !made)
        return ERROR_InvalidValue;
    struct graph_node *kept = graph_add(graph, node);
    for (size_t i = 0; i < before_count; i++)
        graph_order(before[i], kept);
    *made = kept;
    return 0;
}

struct kernel_node { /* cudaKernelNodeParams */
    void *function;
    struct dimensions grid, block;
    unsigned shared;
    void **arguments;
    void **extra;
};

static int kernel_of(const struct kernel_node *from, struct launch *launch)
{
    int error;
    *launch = (struct launch){.kernel = module_find_kernel(from->function, &error),
                              .grid = from->grid,
                              .block = from->block,
                              .dynamic_shared = from->shared};
    if (error)
        return error;
    return from->extra ? ERROR_NotSupported : launch_pack(launch, from->arguments);
}

static int add_kernel(void **made, void *graph, void *const *before, size_t before_count,
                      const struct kernel_node *parameters)
{
    struct graph_node node = {.kind = NODE_KERNEL};
    int error = parameters ? kernel_of(parameters, &node.launch) : ERROR_InvalidValue;
    return error ? error : add(made, graph, before, before_count, &node);
}

EXPORT int cudaGraphAddKernelNode(void **made, void *graph, void *const *before,
                                  size_t before_count, const struct kernel_node *parameters)
{
    API(add_kernel(made, graph, before, before_count, parameters));
}

static struct graph_node flat_copy(void *to, const void *from, size_t bytes, int kind)
{
    return (struct graph_node){
        .kind = NODE_COPY,
        .copy = {.to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = kind}};
}

EXPORT int cudaGraphAddMemcpyNode1D(void **made, void *graph, void *const *before,
                                    size_t before_count, void *to, const void *from, size_t bytes,
                                    int kind)
{
    const struct graph_node node = flat_copy(to, from, bytes, kind);
    API(add(made, graph, before, before_count, &node));
}

static int add_symbol_copy(void **made, void *graph, void *const *before, size_t before_count,
                           const void *symbol, void *to, const void *from, size_t bytes,
                           size_t offset)
{
    void *pointer;
    uint64_t size;
    int error = module_find_variable(symbol, &pointer, &size);
    if (error || offset > size || bytes > size - offset)
        return error ? error : ERROR_InvalidValue;
    pointer = (char *)pointer + offset;
    const struct graph_node node = flat_copy(to ? to : pointer, from ? from : pointer, bytes, 4);
    return add(made, graph, before, before_count, &node);
}

EXPORT int cudaGraphAddMemcpyNodeToSymbol(void **made, void *graph, void *const *before,
                                          size_t before_count, const void *symbol, const void *from,
                                          size_t bytes, size_t offset)
{
    API(add_symbol_copy(made, graph, before, before_count, symbol, NULL, from, bytes, offset));
}

EXPORT int cudaGraphAddMemcpyNodeFromSymbol(void **made, void *graph, void *const *before,
                                            size_t before_count, void *to, const void *symbol,
                                            size_t bytes, size_t offset)
{
    API(add_symbol_copy(made, graph, before, before_count, symbol, to, NULL, bytes, offset));
}

static int add_box(void **made, void *graph, void *const *before, size_t before_count,
                   const struct copy_3d *parameters)
{
    struct graph_node node = {.kind = NODE_COPY};
    int error = parameters ? copy_of_3d(parameters, &node.copy) : ERROR_InvalidValue;
    return error ? error : add(made, graph, before, before_count, &node);
}

EXPORT int cudaGraphAddMemcpyNode(void **made, void *graph, void *const *before,
                                  size_t before_count, const struct copy_3d *parameters)
{
    API(add_box(made, graph, before, before_count, parameters));
}

struct set_node { /* cudaMemsetParams: width in elements */
    void *to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};

static struct graph_node set_of(const struct set_node *from)
{
    return (struct graph_node){.kind = NODE_SET,
                               .set = {from->to, from->pitch, from->value, from->element,
                                       from->width * from->element, from->height}};
}

static int add_set(void **made, void *graph, void *const *before, size_t before_count,
                   const struct set_node *parameters)
{
    if (!parameters ||
        (parameters->element != 1 && parameters->element != 2 && parameters->element != 4))
        return ERROR_InvalidValue;
    const struct graph_node node = set_of(parameters);
    return add(made, graph, before, before_count, &node);
}

EXPORT int cudaGraphAddMemsetNode(void **made, void *graph, void *const *before,
                                  size_t before_count, const struct set_node *parameters)
{
    API(add_set(made, graph, before, before_count, parameters));
}

static int add_call(void **made, void *graph, void *const *before, size_t before_count,
                    const struct graph_call *call)
{
    if (!call || !call->function)
        return ERROR_InvalidValue;
    const struct graph_node node = {.kind = NODE_HOST, .call = *call};
    return add(made, graph, before, before_count, &node);
}

EXPORT int cudaGraphAddHostNode(void **made, void *graph, void *const *before, size_t before_count,
                                const struct graph_call *call)
{
    API(add_call(made, graph, before, before_count, call));
}

EXPORT int cudaGraphAddEmptyNode(void **made, void *graph, void *const *before, size_t before_count)
{
    const struct graph_node node = {.kind = NODE_EMPTY};
    API(add(made, graph, before, before_count, &node));
}

static int add_child(void **made, void *graph, void *const *before, size_t before_count,
                     const void *child)
{
    struct graph *found = graph_of(child);
    struct graph_node node = {.kind = NODE_CHILD};
    if (!found)
        return ERROR_InvalidValue;
    node.child = graph_clone(found);
    return add(made, graph, before, before_count, &node);
}

EXPORT int cudaGraphAddChildGraphNode(void **made, void *graph, void *const *before,
                                      size_t before_count, void *child)
{
    API(add_child(made, graph, before, before_count, child));
}

static int order(void *const *before, void *const *behind, size_t count)
{
    for (size_t i = 0; i < count; i++)
        graph_order(before[i], behind[i]);
    return 0;
}

/* In CUDA 13 with data of the edges, which orders nothing more. */
EXPORT int cudaGraphAddDependencies(void *graph, void *const *before, void *const *behind,
                                    const void *data_or_count, size_t count)
{
    (void)graph;
    API(order(before, behind, runtime_version < 13000 ? (size_t)(uintptr_t)data_or_count : count));
}

EXPORT int cudaGraphGetNodes(void *handle, void **nodes, size_t *count)
{
    struct graph *graph;
    API((graph = graph_of(handle)) ? graph_list(graph, false, nodes, count) : ERROR_InvalidValue);
}

EXPORT int cudaGraphGetRootNodes(void *handle, void **nodes, size_t *count)
{
    struct graph *graph;
    API((graph = graph_of(handle)) ? graph_list(graph, true, nodes, count) : ERROR_InvalidValue);
}

EXPORT int cudaGraphNodeGetType(const struct graph_node *node, int *type)
{
    API((*type = (int)node->kind, 0));
}

static int clone(void **made, const void *handle)
{
    struct graph *graph = graph_of(handle);
    if (!graph)
        return ERROR_InvalidValue;
    *made = graph_clone(graph);
    return 0;
}

EXPORT int cudaGraphClone(void **made, void *graph)
{
    API(clone(made, graph));
}

/* ---- Carry out ---- */

EXPORT int cudaGraphInstantiate(void **made, void *graph, unsigned long long flags)
{
    (void)flags;
    API(clone(made, graph));
}
ALIAS(cudaGraphInstantiate, cudaGraphInstantiateWithFlags);

static int launch_graph(const void *handle, const void *stream_handle)
{
    struct graph *graph = graph_of(handle);
    struct stream *stream = timeline_stream(stream_handle);
    if (!graph || !stream)
        return graph ? ERROR_InvalidResourceHandle : ERROR_InvalidValue;
    if (stream->capture) {
        graph_add(stream->capture,
                  &(struct graph_node){.kind = NODE_CHILD, .child = graph_clone(graph)});
        return 0;
    }
    return graph_run(graph, stream);
}

EXPORT int cudaGraphExecGetFlags(void *graph, unsigned long long *flags)
{
    API(graph_of(graph) ? (*flags = 0, 0) : ERROR_InvalidValue);
}

EXPORT int cudaGraphLaunch(void *graph, void *stream)
{
    API(launch_graph(graph, stream));
}
ALIAS(cudaGraphLaunch, cudaGraphLaunch_ptsz);

/* A node of an instantiated graph, by the node of the graph that it was made of. */
static struct graph_node *instance(const void *handle, const struct graph_node *node)
{
    struct graph *graph = graph_of(handle);
    return graph ? graph_counterpart(graph, node) : NULL;
}

static int set_kernel(struct graph_node *node, const struct kernel_node *parameters)
{
    struct launch launch;
    int error = node && parameters ? kernel_of(parameters, &launch) : ERROR_InvalidValue;
    if (error)
        return error;
    launch_free(&node->launch);
    free(node->arguments);
    node->arguments = NULL;
    node->launch = launch;
    return 0;
}

EXPORT int cudaGraphExecKernelNodeSetParams(void *graph, const struct graph_node *node,
                                            const struct kernel_node *parameters)
{
    API(set_kernel(instance(graph, node), parameters));
}

EXPORT int cudaGraphKernelNodeSetParams(struct graph_node *node,
                                        const struct kernel_node *parameters)
{
    API(set_kernel(node, parameters));
}

static int replace(struct graph_node *node, const struct graph_node *by)
{
    if (!node || node->kind != by->kind)
        return ERROR_InvalidValue;
    node->copy = by->copy;
    node->set = by->set;
    node->call = by->call;
    return 0;
}

EXPORT int cudaGraphExecMemcpyNodeSetParams1D(void *graph, const struct graph_node *node, void *to,
                                              const void *from, size_t bytes, int kind)
{
    const struct graph_node by = flat_copy(to, from, bytes, kind);
    API(replace(instance(graph, node), &by));
}

EXPORT int cudaGraphExecMemsetNodeSetParams(void *graph, const struct graph_node *node,
                                            const struct set_node *parameters)
{
    const struct graph_node by = set_of(parameters);
    API(replace(instance(graph, node), &by));
}

EXPORT int cudaGraphExecHostNodeSetParams(void *graph, const struct graph_node *node,
                                          const struct graph_call *call)
{
    const struct graph_node by = {.kind = NODE_HOST, .call = *call};
    API(replace(instance(graph, node), &by));
}

EXPORT int cudaGraphNodeSetEnabled(void *graph, const struct graph_node *node, unsigned enabled)
{
    struct graph_node *found;
    API((found = instance(graph, node)) ? (found->is_disabled = !enabled, 0) : ERROR_InvalidValue);
}

/* ---- Nodes of any kind ---- */

struct allocation_node { /* cudaMemAllocNodeParams */
    char pool_properties[88];
    const void *access;
    size_t access_count, bytes;
    void *pointer;
};

static int add_allocation(void **made, void *handle, void *const *before, size_t before_count,
                          struct allocation_node *parameters)
{
    struct graph *graph = graph_of(handle);
    struct graph_node *node;
    if (!graph || !parameters || !made)
        return ERROR_InvalidValue;
    int error = graph_allocate(graph, parameters->bytes, &parameters->pointer, &node);
    for (size_t i = 0; i < before_count && !error; i++)
        graph_order(before[i], node);
    *made = error ? NULL : node;
    return error;
}

EXPORT int cudaGraphAddMemAllocNode(void **made, void *graph, void *const *before,
                                    size_t before_count, struct allocation_node *parameters)
{
    API(add_allocation(made, graph, before, before_count, parameters));
}

EXPORT int cudaGraphAddMemFreeNode(void **made, void *graph, void *const *before,
                                   size_t before_count, void *pointer)
{
    const struct graph_node node = {.kind = NODE_FREE, .memory = pointer};
    API(heap_find((uintptr_t)pointer) ? add(made, graph, before, before_count, &node)
                                      : ERROR_InvalidValue);
}

static int add_event(void **made, void *graph, void *const *before, size_t before_count,
                     enum graph_node_kind kind, const void *event)
{
    const struct graph_node node = {.kind = kind, .event = timeline_event(event)};
    return node.event ? add(made, graph, before, before_count, &node) : ERROR_InvalidResourceHandle;
}

EXPORT int cudaGraphAddEventRecordNode(void **made, void *graph, void *const *before,
                                       size_t before_count, void *event)
{
    API(add_event(made, graph, before, before_count, NODE_RECORD, event));
}

EXPORT int cudaGraphAddEventWaitNode(void **made, void *graph, void *const *before,
                                     size_t before_count, void *event)
{
    API(add_event(made, graph, before, before_count, NODE_WAIT, event));
}

struct condition_node { /* cudaConditionalNodeParams */
    unsigned long long handle;
    enum condition_kind kind;
    unsigned count;
    void **bodies; /* out: CUDA's */
};

/* The bodies are empty graphs, which the program fills before it instantiates the graph. */
static int add_condition(void **made, void *graph, void *const *before, size_t before_count,
                         struct condition_node *parameters)
{
    enum { MAX_BODIES = 1024 };
    struct graph_node node = {.kind = NODE_CONDITION};
    unsigned count = parameters->count;
    if (!graph_of(graph) || !heap_find(parameters->handle) || !count || count > MAX_BODIES ||
        parameters->kind > CONDITION_SWITCH || (parameters->kind == CONDITION_WHILE && count > 1) ||
        (parameters->kind == CONDITION_IF && count > 2))
        return ERROR_InvalidValue;
    node.condition = (struct graph_condition){parameters->handle, parameters->kind, count,
                                              runtime_allocate(count, sizeof(struct graph *))};
    for (unsigned i = 0; i < count; i++)
        node.condition.bodies[i] = graph_create();
    parameters->bodies = (void **)node.condition.bodies;
    return add(made, graph, before, before_count, &node);
}

static int make_condition(uint64_t *handle, const void *graph, unsigned value, unsigned flags)
{
    return graph_of(graph) && handle && flags <= 1
               ? graph_make_condition(graph_of(graph), value, flags, handle)
               : ERROR_InvalidValue;
}

EXPORT int cudaGraphConditionalHandleCreate(uint64_t *handle, void *graph, unsigned value,
                                            unsigned flags)
{
    API(make_condition(handle, graph, value, flags));
}

struct any_node { /* cudaGraphNodeParams */
    enum graph_node_kind kind;
    int reserved[3];
    union {
        struct kernel_node kernel;
        struct {
            int flags[4];
            struct copy_3d copy;
        } copy;
        struct set_node set;
        struct graph_call call;
        struct allocation_node allocation;
        struct condition_node condition;
        void *handle; /* of a graph or an event, or memory to free */
    } of;
};

static int add_any(void **made, void *graph, void *const *before, size_t count,
                   struct any_node *parameters)
{
    if (!parameters)
        return ERROR_InvalidValue;
    switch (parameters->kind) {
    case NODE_KERNEL:
        return add_kernel(made, graph, before, count, &parameters->of.kernel);
    case NODE_COPY:
        return add_box(made, graph, before, count, &parameters->of.copy.copy);
    case NODE_SET:
        return add_set(made, graph, before, count, &parameters->of.set);
    case NODE_HOST:
        return add_call(made, graph, before, count, &parameters->of.call);
    case NODE_CHILD:
        return add_child(made, graph, before, count, parameters->of.handle);
    case NODE_EMPTY:
        return add(made, graph, before, count, &(struct graph_node){.kind = NODE_EMPTY});
    case NODE_WAIT:
    case NODE_RECORD:
        return add_event(made, graph, before, count, parameters->kind, parameters->of.handle);
    case NODE_ALLOCATE:
        return add_allocation(made, graph, before, count, &parameters->of.allocation);
    case NODE_FREE:
        return add(made, graph, before, count,
                   &(struct graph_node){.kind = NODE_FREE, .memory = parameters->of.handle});
    case NODE_CONDITION:
        return add_condition(made, graph, before, count, &parameters->of.condition);
    }
    runtime_note("nodes of graphs of kind %d are not emulated", (int)parameters->kind);
    return ERROR_NotSupported;
}

/* In CUDA 13 with data of the edges, as all functions that name edges. */
EXPORT int cudaGraphAddNode(void **made, void *graph, void *const *before,
                            const void *data_or_count, size_t count_or_node,
                            struct any_node *parameters)
{
    API(runtime_version < 13000 ? add_any(made, graph, before, (size_t)(uintptr_t)data_or_count,
                                          (struct any_node *)(uintptr_t)count_or_node)
                                : add_any(made, graph, before, count_or_node, parameters));
}

static int set_any(struct graph_node *node, const struct any_node *parameters)
{
    struct graph_node by = {.kind = parameters ? parameters->kind : NODE_EMPTY};
    if (!node || !parameters)
        return ERROR_InvalidValue;
    switch (parameters->kind) {
    case NODE_KERNEL:
        return set_kernel(node, &parameters->of.kernel);
    case NODE_COPY:
        return copy_of_3d(&parameters->of.copy.copy, &by.copy) ? replace(node, &by)
                                                               : ERROR_NotSupported;
    case NODE_SET:
        by = set_of(&parameters->of.set);
        return replace(node, &by);
    case NODE_HOST:
        by.call = parameters->of.call;
        return replace(node, &by);
    default:
        return ERROR_NotSupported;
    }
}

EXPORT int cudaGraphNodeSetParams(struct graph_node *node, const struct any_node *parameters)
{
    API(set_any(node, parameters));
}

EXPORT int cudaGraphExecNodeSetParams(void *graph, const struct graph_node *node,
                                      const struct any_node *parameters)
{
    API(set_any(instance(graph, node), parameters));
}

/* ---- What nodes are ---- */

static int get_kernel(struct graph_node *node, struct kernel_node *parameters)
{
    if (!node || node->kind != NODE_KERNEL || !parameters)
        return ERROR_InvalidValue;
    const struct launch *launch = &node->launch;
    union {
        const void *in;
        void *out;
    } host = {launch->kernel->host};
    if (!node->arguments)
        node->arguments = launch_arguments(launch);
    *parameters = (struct kernel_node){.function = host.out,
                                       .grid = launch->grid,
                                       .block = launch->block,
                                       .shared = (unsigned)launch->dynamic_shared,
                                       .arguments = node->arguments};
    return 0;
}

EXPORT int cudaGraphKernelNodeGetParams(struct graph_node *node, struct kernel_node *parameters)
{
    API(get_kernel(node, parameters));
}

static int get_set(const struct graph_node *node, struct set_node *parameters)
{
    const struct graph_set *set = &node->set;
    if (node->kind != NODE_SET)
        return ERROR_InvalidValue;
    *parameters = (struct set_node){
        set->to, set->pitch, set->value, set->element, set->width / set->element, set->height};
    return 0;
}

EXPORT int cudaGraphMemsetNodeGetParams(const struct graph_node *node, struct set_node *parameters)
{
    API(get_set(node, parameters));
}

EXPORT int cudaGraphMemsetNodeSetParams(struct graph_node *node, const struct set_node *parameters)
{
    const struct graph_node by = set_of(parameters);
    API(replace(node, &by));
}

EXPORT int cudaGraphMemcpyNodeSetParams1D(struct graph_node *node, void *to, const void *from,
                                          size_t bytes, int kind)
{
    const struct graph_node by = flat_copy(to, from, bytes, kind);
    API(replace(node, &by));
}

static int set_box(struct graph_node *node, const struct copy_3d *parameters)
{
    struct graph_node by = {.kind = NODE_COPY};
    return copy_of_3d(parameters, &by.copy) ? replace(node, &by) : ERROR_NotSupported;
}

EXPORT int cudaGraphMemcpyNodeSetParams(struct graph_node *node, const struct copy_3d *parameters)
{
    API(set_box(node, parameters));
}

EXPORT int cudaGraphExecMemcpyNodeSetParams(void *graph, const struct graph_node *node,
                                            const struct copy_3d *parameters)
{
    API(set_box(instance(graph, node), parameters));
}

EXPORT int cudaGraphHostNodeGetParams(const struct graph_node *node, struct graph_call *call)
{
    API(node->kind == NODE_HOST ? (*call = node->call, 0) : ERROR_InvalidValue);
}

EXPORT int cudaGraphHostNodeSetParams(struct graph_node *node, const struct graph_call *call)
{
    const struct graph_node by = {.kind = NODE_HOST, .call = *call};
    API(replace(node, &by));
}

EXPORT int cudaGraphChildGraphNodeGetGraph(const struct graph_node *node, void **graph)
{
    API(node->kind == NODE_CHILD ? (*graph = node->child, 0) : ERROR_InvalidValue);
}

EXPORT int cudaGraphMemAllocNodeGetParams(const struct graph_node *node,
                                          struct allocation_node *parameters)
{
    API(node->kind == NODE_ALLOCATE
            ? (*parameters = (struct allocation_node){.pointer = node->memory}, 0)
            : ERROR_InvalidValue);
}

EXPORT int cudaGraphMemFreeNodeGetParams(const struct graph_node *node, void **pointer)
{
    API(node->kind == NODE_FREE ? (*pointer = node->memory, 0) : ERROR_InvalidValue);
}

EXPORT int cudaGraphNodeGetEnabled(void *graph, const struct graph_node *node, unsigned *enabled)
{
    const struct graph_node *found;
    API((found = instance(graph, node)) ? (*enabled = !found->is_disabled, 0) : ERROR_InvalidValue);
}

EXPORT int cudaGraphNodeFindInClone(void **found, const struct graph_node *node, void *clone)
{
    API((*found = instance(clone, node)) ? 0 : ERROR_InvalidValue);
}

static int remove_node(struct graph_node *node)
{
    if (!node || !graph_of(node->graph))
        return ERROR_InvalidValue;
    graph_remove(node);
    return 0;
}

EXPORT int cudaGraphDestroyNode(struct graph_node *node)
{
    API(remove_node(node));
}

/* ---- Edges ---- */

/* All edges of the graph into `behind` (NULL: any) and from `before` (NULL: any), as many as
 * there is room for; *count becomes how many there are. */
static int list_edges(const struct graph *graph, const struct graph_node *before,
                      const struct graph_node *behind, void **from, void **to, size_t *count)
{
    size_t found = 0;
    for (size_t i = 0; graph && i < graph_size(graph); i++) {
        struct graph_node *node = graph_at(graph, i);
        for (size_t j = 0; j < node->before_count; j++) {
            if ((behind && behind != node) || (before && before != node->before[j]))
                continue;
            if (from && found < *count)
                from[found] = node->before[j];
            if (to && found < *count)
                to[found] = node;
            found++;
        }
    }
    *count = found;
    return graph ? 0 : ERROR_InvalidValue;
}

#define COUNT_OF(data_or_count, count)                                                             \
    (runtime_version < 13000 ? (size_t *)(data_or_count) : (count))

EXPORT int cudaGraphGetEdges(void *graph, void **from, void **to, void *data_or_count,
                             size_t *count)
{
    API(list_edges(graph_of(graph), NULL, NULL, from, to, COUNT_OF(data_or_count, count)));
}

EXPORT int cudaGraphNodeGetDependencies(const struct graph_node *node, void **nodes,
                                        void *data_or_count, size_t *count)
{
    API(list_edges(node->graph, NULL, node, nodes, NULL, COUNT_OF(data_or_count, count)));
}

EXPORT int cudaGraphNodeGetDependentNodes(const struct graph_node *node, void **nodes,
                                          void *data_or_count, size_t *count)
{
    API(list_edges(node->graph, node, NULL, NULL, nodes, COUNT_OF(data_or_count, count)));
}

static int disorder(void *const *before, void *const *behind, size_t count)
{
    for (size_t i = 0; i < count; i++)
        graph_disorder(before[i], behind[i]);
    return 0;
}

EXPORT int cudaGraphRemoveDependencies(void *graph, void *const *before, void *const *behind,
                                       const void *data_or_count, size_t count)
{
    (void)graph;
    API(disorder(before, behind,
                 runtime_version < 13000 ? (size_t)(uintptr_t)data_or_count : count));
}

/* ---- Instantiate and update ---- */

struct instantiation { /* cudaGraphInstantiateParams */
    unsigned long long flags;
    void *stream, *node;
    int result;
};

EXPORT int cudaGraphInstantiateWithParams(void **made, void *graph,
                                          struct instantiation *parameters)
{
    parameters->result = 0;
    API(clone(made, graph));
}
ALIAS(cudaGraphInstantiateWithParams, cudaGraphInstantiateWithParams_ptsz);

struct update_result { /* cudaGraphExecUpdateResultInfo */
    int result;
    void *node, *from;
};

static int update(const void *instance_handle, const void *handle, struct update_result *result)
{
    struct graph *graph = graph_of(handle), *instantiated = graph_of(instance_handle);
    bool good = graph && instantiated && graph_update(instantiated, graph);
    *result = (struct update_result){.result = good ? 0 : 1};
    return good ? 0 : ERROR_GraphExecUpdateFailure;
}

EXPORT int cudaGraphExecUpdate(void *instance_handle, void *graph, struct update_result *result)
{
    API(update(instance_handle, graph, result));
}
