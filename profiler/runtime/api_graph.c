/* api_graph.c: CUDA graphs, built node by node or captured from streams. */
#include "runtime/api.h"
#include "runtime/graph.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Capture ---- */

static int begin_capture(const void *handle)
{
    struct stream *stream = timeline_stream(handle);
    if (!stream || stream->is_default)
        return stream ? ERROR_StreamCaptureUnsupported : ERROR_InvalidResourceHandle;
    if (stream->capture.graph)
        return ERROR_IllegalState;
    timeline_capture(stream, graph_create(), NULL);
    return 0;
}

API_FUNCTION_PTSZ(cudaStreamBeginCapture, (void *stream, int mode), begin_capture(stream))

static int end_capture(const void *handle, void **graph)
{
    struct stream *stream = timeline_stream(handle);
    if (!stream || !stream->capture.graph)
        return stream ? ERROR_IllegalState : ERROR_InvalidResourceHandle;
    if (graph) /* none is asked for where the program gave it */
        *graph = stream->capture.graph;
    struct graph *captured = stream->capture.graph;
    timeline_end_capture(captured);
    if (!graph_is_broken(captured))
        return 0;
    if (graph)
        *graph = NULL;
    graph_free(captured);
    return ERROR_StreamCaptureInvalidated;
}

API_FUNCTION_PTSZ(cudaStreamEndCapture, (void *stream, void **graph), end_capture(stream, graph))

/* What is captured comes behind all that is in the graph already, whatever the edges say. */
static int capture_into(const void *handle, const void *graph_handle)
{
    struct stream *stream = timeline_stream(handle);
    struct graph *graph = graph_of(graph_handle);
    if (!stream || !graph || stream->capture.graph)
        return ERROR_InvalidValue;
    timeline_capture(stream, graph, NULL);
    for (size_t i = 0; i < graph_size(graph); i++)
        timeline_capture(stream, graph, graph_at(graph, i));
    return 0;
}

EXPORT int cudaStreamBeginCaptureToGraph(void *stream, void *graph)
{
    API(capture_into(stream, graph));
}
ALIAS(cudaStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph_ptsz);

static int is_capturing(const void *handle, int *status, unsigned long long *id)
{
    const struct stream *stream = timeline_stream(handle);
    if (!stream)
        return ERROR_InvalidResourceHandle;
    if (status)
        *status = !stream->capture.graph ? 0 : graph_is_broken(stream->capture.graph) ? 2 : 1;
    if (id)
        *id = (uintptr_t)stream->capture.graph;
    return 0;
}

API_FUNCTION_PTSZ(cudaStreamIsCapturing, (void *stream, int *status),
                  is_capturing(stream, status, NULL))

/* The nodes, which are the runtime's until the next is captured, are those that it will come
 * behind. */
static int capture_info(const void *handle, int *status, unsigned long long *id, void **graph,
                        void **nodes, size_t *count)
{
    const struct stream *stream = timeline_stream(handle);
    if (stream && graph)
        *graph = stream->capture.graph;
    if (stream && nodes)
        *nodes = stream->capture.behind;
    if (stream && count)
        *count = stream->capture.count;
    return is_capturing(handle, status, id);
}

extern const int runtime_version;

API_FUNCTION_PTSZ(cudaStreamGetCaptureInfo_v2,
                  (void *stream, int *status, unsigned long long *id, void **graph, void **nodes,
                   size_t *count),
                  capture_info(stream, status, id, graph, nodes, count))

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

/* What is captured next comes behind these nodes, or behind these, too (flag 0). */
static int update_capture(const void *handle, struct graph_node *const *nodes, size_t count,
                          unsigned flags)
{
    struct stream *stream = timeline_stream(handle);
    bool good = stream && stream->capture.graph && (nodes || !count) && flags <= 1;
    for (size_t i = 0; i < count && good; i++)
        good = nodes[i];
    if (!good)
        return ERROR_InvalidValue;
    struct graph_node **copy = runtime_allocate(count, sizeof *copy); /* they may be our own */
    for (size_t i = 0; i < count; i++)
        copy[i] = nodes[i];
    if (flags)
        stream->capture.count = 0;
    for (size_t i = 0; i < count; i++)
        timeline_capture(stream, stream->capture.graph, copy[i]);
    free(copy);
    return 0;
}

/* In CUDA 13 with data of the edges. */
API_FUNCTION_PTSZ(cudaStreamUpdateCaptureDependencies,
                  (void *stream, struct graph_node *const *nodes, const void *data_or_count,
                   size_t count_or_flags, unsigned flags),
                  runtime_version < 13000
                      ? update_capture(stream, nodes, (size_t)(uintptr_t)data_or_count,
                                       (unsigned)count_or_flags)
                      : update_capture(stream, nodes, count_or_flags, flags))
API_FUNCTION_PTSZ(cudaStreamUpdateCaptureDependencies_v2,
                  (void *stream, struct graph_node *const *nodes, const void *data, size_t count,
                   unsigned flags),
                  update_capture(stream, nodes, count, flags))

/* ---- Build ---- */

static int make_graph(void **graph)
{
    return graph ? (*graph = graph_create(), 0) : ERROR_InvalidValue;
}

API_FUNCTION(cudaGraphCreate, (void **graph, unsigned flags), make_graph(graph))

static int destroy(void *handle)
{
    struct graph *graph = graph_of(handle);
    if (graph)
        graph_free(graph);
    return graph ? 0 : ERROR_InvalidValue;
}

API_FUNCTION(cudaGraphDestroy, (void *graph), destroy(graph))
ALIAS(cudaGraphDestroy, cudaGraphExecDestroy);

/* Where a node is to stand: in a graph, behind other nodes; and where its handle goes. */
struct place {
    void **made;
    void *graph;
    void *const *before;
    size_t count;
};
#define PLACE(count) (&(struct place){made, graph, before, count})
/* The parameters of a function that adds a node. */
#define IN_PLACE(...) (void **made, void *graph, void *const *before, size_t count, __VA_ARGS__)

static int add(const struct place *place, struct graph_node node)
{
    struct graph *graph = graph_of(place->graph);
    bool good = graph && place->made && (place->before || !place->count);
    for (size_t i = 0; i < place->count && good; i++)
        good = graph_has(graph, place->before[i]);
    if (!good)
        return ERROR_InvalidValue;
    struct graph_node *kept = graph_add(graph, &node);
    for (size_t i = 0; i < place->count; i++)
        graph_order(place->before[i], kept);
    *place->made = kept;
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

static int add_kernel(const struct place *place, const struct kernel_node *parameters)
{
    struct graph_node node = {.kind = NODE_KERNEL};
    int error = parameters ? kernel_of(parameters, &node.launch) : ERROR_InvalidValue;
    return error ? error : add(place, node);
}

API_FUNCTION(cudaGraphAddKernelNode, IN_PLACE(const struct kernel_node *parameters),
             add_kernel(PLACE(count), parameters))

static struct graph_node flat_copy(void *to, const void *from, size_t bytes, int kind)
{
    return (struct graph_node){
        .kind = NODE_COPY,
        .copy = {.to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = kind}};
}

API_FUNCTION(cudaGraphAddMemcpyNode1D, IN_PLACE(void *to, const void *from, size_t bytes, int kind),
             add(PLACE(count), flat_copy(to, from, bytes, kind)))

static int add_symbol_copy(const struct place *place, const void *symbol, void *to,
                           const void *from, size_t bytes, size_t offset)
{
    void *pointer;
    uint64_t size;
    int error = module_find_variable(symbol, &pointer, &size);
    if (error || offset > size || bytes > size - offset)
        return error ? error : ERROR_InvalidValue;
    pointer = (char *)pointer + offset;
    return add(place, flat_copy(to ? to : pointer, from ? from : pointer, bytes, 4));
}

API_FUNCTION(cudaGraphAddMemcpyNodeToSymbol,
             IN_PLACE(const void *symbol, const void *from, size_t bytes, size_t offset),
             add_symbol_copy(PLACE(count), symbol, NULL, from, bytes, offset))
API_FUNCTION(cudaGraphAddMemcpyNodeFromSymbol,
             IN_PLACE(void *to, const void *symbol, size_t bytes, size_t offset),
             add_symbol_copy(PLACE(count), symbol, to, NULL, bytes, offset))

static int add_box(const struct place *place, const struct copy_3d *parameters)
{
    struct graph_node node = {.kind = NODE_COPY};
    int error = parameters ? copy_of_3d(parameters, &node.copy) : ERROR_InvalidValue;
    return error ? error : add(place, node);
}

API_FUNCTION(cudaGraphAddMemcpyNode, IN_PLACE(const struct copy_3d *parameters),
             add_box(PLACE(count), parameters))

struct set_node { /* cudaMemsetParams: width in elements */
    void *to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};

/* Of no kind that can be set, where there are no parameters or no good ones. */
static struct graph_node set_of(const struct set_node *from)
{
    if (!from || (from->element != 1 && from->element != 2 && from->element != 4))
        return (struct graph_node){.kind = NODE_NONE};
    return (struct graph_node){.kind = NODE_SET,
                               .set = {from->to, from->pitch, from->value, from->element,
                                       from->width * from->element, from->height}};
}

static int add_set(const struct place *place, const struct set_node *parameters)
{
    struct graph_node node = set_of(parameters);
    return node.kind == NODE_SET ? add(place, node) : ERROR_InvalidValue;
}

API_FUNCTION(cudaGraphAddMemsetNode, IN_PLACE(const struct set_node *parameters),
             add_set(PLACE(count), parameters))

static struct graph_node call_of(const struct graph_call *call)
{
    return call && call->function ? (struct graph_node){.kind = NODE_HOST, .call = *call}
                                  : (struct graph_node){.kind = NODE_NONE};
}

static int add_call(const struct place *place, const struct graph_call *call)
{
    struct graph_node node = call_of(call);
    return node.kind == NODE_HOST ? add(place, node) : ERROR_InvalidValue;
}

API_FUNCTION(cudaGraphAddHostNode, IN_PLACE(const struct graph_call *call),
             add_call(PLACE(count), call))

API_FUNCTION(cudaGraphAddEmptyNode, (void **made, void *graph, void *const *before, size_t count),
             add(PLACE(count), (struct graph_node){.kind = NODE_EMPTY}))

static int add_child(const struct place *place, const void *child)
{
    const struct graph *found = graph_of(child);
    return found ? add(place, (struct graph_node){.kind = NODE_CHILD, .child = graph_clone(found)})
                 : ERROR_InvalidValue;
}

API_FUNCTION(cudaGraphAddChildGraphNode, IN_PLACE(void *child), add_child(PLACE(count), child))

API_FUNCTION(cudaGraphGetNodes, (void *graph, void **nodes, size_t *count),
             graph_list(graph_of(graph), false, nodes, count))
API_FUNCTION(cudaGraphGetRootNodes, (void *graph, void **nodes, size_t *count),
             graph_list(graph_of(graph), true, nodes, count))

API_FUNCTION(cudaGraphNodeGetType, (const struct graph_node *node, int *type),
             node ? GIVE(type, (int)node->kind) : ERROR_InvalidValue)

static int clone(void **made, const void *handle)
{
    const struct graph *graph = graph_of(handle);
    return graph && made ? (*made = graph_clone(graph), 0) : ERROR_InvalidValue;
}

API_FUNCTION(cudaGraphClone, (void **made, void *graph), clone(made, graph))

/* ---- Carry out ---- */

static int instantiate(void **made, const void *handle)
{
    int error = clone(made, handle);
    if (error || !graph_has_cycle(*made))
        return error;
    graph_free(*made);
    *made = NULL;
    return ERROR_InvalidValue;
}

API_FUNCTION(cudaGraphInstantiate, (void **made, void *graph, unsigned long long flags),
             instantiate(made, graph))
ALIAS(cudaGraphInstantiate, cudaGraphInstantiateWithFlags);

static int launch_graph(const void *handle, const void *stream_handle)
{
    struct graph *graph = graph_of(handle);
    struct stream *stream = timeline_stream(stream_handle);
    if (!graph || !stream)
        return graph ? ERROR_InvalidResourceHandle : ERROR_InvalidValue;
    return stream->capture.graph
               ? graph_capture(
                     stream, &(struct graph_node){.kind = NODE_CHILD, .child = graph_clone(graph)})
               : graph_run(graph, stream);
}

API_FUNCTION(cudaGraphExecGetFlags, (void *graph, unsigned long long *flags),
             graph_of(graph) ? GIVE(flags, 0) : ERROR_InvalidValue)
API_FUNCTION_PTSZ(cudaGraphLaunch, (void *graph, void *stream), launch_graph(graph, stream))

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

API_FUNCTION(cudaGraphExecKernelNodeSetParams,
             (void *graph, const struct graph_node *node, const struct kernel_node *parameters),
             set_kernel(instance(graph, node), parameters))
API_FUNCTION(cudaGraphKernelNodeSetParams,
             (struct graph_node * node, const struct kernel_node *parameters),
             set_kernel(node, parameters))

static int replace(struct graph_node *node, struct graph_node by)
{
    if (!node || node->kind != by.kind)
        return ERROR_InvalidValue;
    node->copy = by.copy;
    node->set = by.set;
    node->call = by.call;
    return 0;
}

API_FUNCTION(cudaGraphExecMemcpyNodeSetParams1D,
             (void *graph, const struct graph_node *node, void *to, const void *from, size_t bytes,
              int kind),
             replace(instance(graph, node), flat_copy(to, from, bytes, kind)))

API_FUNCTION(cudaGraphExecMemsetNodeSetParams,
             (void *graph, const struct graph_node *node, const struct set_node *parameters),
             replace(instance(graph, node), set_of(parameters)))

API_FUNCTION(cudaGraphExecHostNodeSetParams,
             (void *graph, const struct graph_node *node, const struct graph_call *call),
             replace(instance(graph, node), call_of(call)))

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

static int add_allocation(const struct place *place, struct allocation_node *parameters)
{
    struct graph *graph = graph_of(place->graph);
    struct graph_node node;
    if (!graph || !parameters || !place->made)
        return ERROR_InvalidValue;
    int error = graph_allocate(parameters->bytes, &node);
    parameters->pointer = error ? NULL : node.memory;
    return error ? error : add(place, node);
}

API_FUNCTION(cudaGraphAddMemAllocNode, IN_PLACE(struct allocation_node *parameters),
             add_allocation(PLACE(count), parameters))

API_FUNCTION(cudaGraphAddMemFreeNode, IN_PLACE(void *pointer),
             heap_find((uintptr_t)pointer)
                 ? add(PLACE(count), (struct graph_node){.kind = NODE_FREE, .memory = pointer})
                 : ERROR_InvalidValue)

static int add_event(const struct place *place, enum graph_node_kind kind, const void *event)
{
    const struct graph_node node = {.kind = kind, .event = timeline_event(event)};
    return node.event ? add(place, node) : ERROR_InvalidResourceHandle;
}

static int get_event(const struct graph_node *node, enum graph_node_kind kind, void **event)
{
    if (!node || node->kind != kind || !event)
        return ERROR_InvalidValue;
    *event = node->event;
    return 0;
}

static int set_event(struct graph_node *node, enum graph_node_kind kind, const void *handle)
{
    struct event *event = timeline_event(handle);
    if (!node || node->kind != kind || !event)
        return ERROR_InvalidValue;
    node->event = event;
    return 0;
}

#define EVENT_FUNCTIONS(Name, kind)                                                                \
    API_FUNCTION(cudaGraphEvent##Name##NodeGetEvent,                                               \
                 (const struct graph_node *node, void **event), get_event(node, kind, event))      \
    API_FUNCTION(cudaGraphEvent##Name##NodeSetEvent, (struct graph_node * node, void *event),      \
                 set_event(node, kind, event))                                                     \
    API_FUNCTION(cudaGraphExecEvent##Name##NodeSetEvent,                                           \
                 (void *graph, const struct graph_node *node, void *event),                        \
                 set_event(instance(graph, node), kind, event))
EVENT_FUNCTIONS(Record, NODE_RECORD)
EVENT_FUNCTIONS(Wait, NODE_WAIT)

API_FUNCTION(cudaGraphAddEventRecordNode, IN_PLACE(void *event),
             add_event(PLACE(count), NODE_RECORD, event))
API_FUNCTION(cudaGraphAddEventWaitNode, IN_PLACE(void *event),
             add_event(PLACE(count), NODE_WAIT, event))

struct condition_node { /* cudaConditionalNodeParams */
    unsigned long long handle;
    enum condition_kind kind;
    unsigned count;
    void **bodies; /* out: CUDA's */
};

/* The bodies are empty graphs, which the program fills before it instantiates the graph. */
static int add_condition(const struct place *place, struct condition_node *parameters)
{
    enum { MAX_BODIES = 1024 };
    struct graph_node node = {.kind = NODE_CONDITION};
    unsigned count = parameters ? parameters->count : 0;
    if (!parameters || !graph_of(place->graph) || !heap_find(parameters->handle) || !count ||
        count > MAX_BODIES || parameters->kind > CONDITION_SWITCH ||
        (parameters->kind == CONDITION_WHILE && count > 1) ||
        (parameters->kind == CONDITION_IF && count > 2))
        return ERROR_InvalidValue;
    node.condition = (struct graph_condition){parameters->handle, parameters->kind, count,
                                              runtime_allocate(count, sizeof(struct graph *))};
    for (unsigned i = 0; i < count; i++)
        node.condition.bodies[i] = graph_create();
    parameters->bodies = (void **)node.condition.bodies;
    return add(place, node);
}

static int make_condition(uint64_t *handle, const void *graph, unsigned value, unsigned flags)
{
    return graph_of(graph) && handle && flags <= 1
               ? graph_make_condition(graph_of(graph), value, flags, handle)
               : ERROR_InvalidValue;
}

API_FUNCTION(cudaGraphConditionalHandleCreate,
             (uint64_t * handle, void *graph, unsigned value, unsigned flags),
             make_condition(handle, graph, value, flags))

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

static int add_any(const struct place *place, struct any_node *parameters)
{
    if (!parameters)
        return ERROR_InvalidValue;
    switch (parameters->kind) {
    case NODE_KERNEL:
        return add_kernel(place, &parameters->of.kernel);
    case NODE_COPY:
        return add_box(place, &parameters->of.copy.copy);
    case NODE_SET:
        return add_set(place, &parameters->of.set);
    case NODE_HOST:
        return add_call(place, &parameters->of.call);
    case NODE_CHILD:
        return add_child(place, parameters->of.handle);
    case NODE_EMPTY:
        return add(place, (struct graph_node){.kind = NODE_EMPTY});
    case NODE_WAIT:
    case NODE_RECORD:
        return add_event(place, parameters->kind, parameters->of.handle);
    case NODE_ALLOCATE:
        return add_allocation(place, &parameters->of.allocation);
    case NODE_FREE:
        return add(place, (struct graph_node){.kind = NODE_FREE, .memory = parameters->of.handle});
    case NODE_CONDITION:
        return add_condition(place, &parameters->of.condition);
    default:
        break;
    }
    runtime_note("nodes of graphs of kind %d are not emulated", (int)parameters->kind);
    return ERROR_NotSupported;
}

/* In CUDA 13 with data of the edges, as all functions that name edges. */
API_FUNCTION(cudaGraphAddNode,
             (void **made, void *graph, void *const *before, const void *data_or_count,
              size_t count_or_node, struct any_node *parameters),
             runtime_version < 13000 ? add_any(PLACE((size_t)(uintptr_t)data_or_count),
                                               (struct any_node *)(uintptr_t)count_or_node)
                                     : add_any(PLACE(count_or_node), parameters))

static int set_box(struct graph_node *node, const struct copy_3d *parameters)
{
    struct graph_node by = {.kind = NODE_COPY};
    int error = parameters ? copy_of_3d(parameters, &by.copy) : ERROR_InvalidValue;
    return error ? error : replace(node, by);
}

static int set_any(struct graph_node *node, const struct any_node *parameters)
{
    if (!node || !parameters)
        return ERROR_InvalidValue;
    switch (parameters->kind) {
    case NODE_KERNEL:
        return set_kernel(node, &parameters->of.kernel);
    case NODE_COPY:
        return set_box(node, &parameters->of.copy.copy);
    case NODE_SET:
        return replace(node, set_of(&parameters->of.set));
    case NODE_HOST:
        return replace(node, call_of(&parameters->of.call));
    default:
        return ERROR_NotSupported;
    }
}

API_FUNCTION(cudaGraphNodeSetParams, (struct graph_node * node, const struct any_node *parameters),
             set_any(node, parameters))
API_FUNCTION(cudaGraphExecNodeSetParams,
             (void *graph, const struct graph_node *node, const struct any_node *parameters),
             set_any(instance(graph, node), parameters))

/* ---- What nodes are ---- */

static int get_kernel(struct graph_node *node, struct kernel_node *parameters)
{
    if (!node || node->kind != NODE_KERNEL || !parameters)
        return ERROR_InvalidValue;
    const struct launch *launch = &node->launch;
    if (!node->arguments)
        node->arguments = launch_arguments(launch);
    *parameters = (struct kernel_node){.function = mutable(launch->kernel->host),
                                       .grid = launch->grid,
                                       .block = launch->block,
                                       .shared = (unsigned)launch->dynamic_shared,
                                       .arguments = node->arguments};
    return 0;
}

API_FUNCTION(cudaGraphKernelNodeGetParams,
             (struct graph_node * node, struct kernel_node *parameters),
             get_kernel(node, parameters))

static int get_set(const struct graph_node *node, struct set_node *parameters)
{
    if (!node || !parameters || node->kind != NODE_SET)
        return ERROR_InvalidValue;
    const struct graph_set *set = &node->set;
    *parameters = (struct set_node){
        set->to, set->pitch, set->value, set->element, set->width / set->element, set->height};
    return 0;
}

API_FUNCTION(cudaGraphMemsetNodeGetParams,
             (const struct graph_node *node, struct set_node *parameters),
             get_set(node, parameters))

API_FUNCTION(cudaGraphMemsetNodeSetParams,
             (struct graph_node * node, const struct set_node *parameters),
             replace(node, set_of(parameters)))

API_FUNCTION(cudaGraphMemcpyNodeSetParams1D,
             (struct graph_node * node, void *to, const void *from, size_t bytes, int kind),
             replace(node, flat_copy(to, from, bytes, kind)))

API_FUNCTION(cudaGraphMemcpyNodeSetParams,
             (struct graph_node * node, const struct copy_3d *parameters),
             set_box(node, parameters))
API_FUNCTION(cudaGraphExecMemcpyNodeSetParams,
             (void *graph, const struct graph_node *node, const struct copy_3d *parameters),
             set_box(instance(graph, node), parameters))
API_FUNCTION(cudaGraphHostNodeGetParams, (const struct graph_node *node, struct graph_call *call),
             node && node->kind == NODE_HOST ? GIVE(call, node->call) : ERROR_InvalidValue)

API_FUNCTION(cudaGraphHostNodeSetParams, (struct graph_node * node, const struct graph_call *call),
             replace(node, call_of(call)))

/* Rows of memory, also where the program gave arrays: those are memory here. */
static int get_copy(const struct graph_node *node, struct copy_3d *parameters)
{
    if (!node || node->kind != NODE_COPY || !parameters)
        return ERROR_InvalidValue;
    const struct heap_copy *copy = &node->copy;
    size_t to_rows = copy->to_pitch ? copy->to_slice / copy->to_pitch : copy->height;
    size_t from_rows = copy->from_pitch ? copy->from_slice / copy->from_pitch : copy->height;
    *parameters = (struct copy_3d){
        .from = {mutable(copy->from), copy->from_pitch ? copy->from_pitch : copy->width,
                 copy->width, from_rows},
        .to = {copy->to, copy->to_pitch ? copy->to_pitch : copy->width, copy->width, to_rows},
        .extent = {copy->width, copy->height, copy->depth},
        .kind = copy->kind};
    return 0;
}

API_FUNCTION(cudaGraphMemcpyNodeGetParams,
             (const struct graph_node *node, struct copy_3d *parameters),
             get_copy(node, parameters))

/* Attributes change nothing here, and have their defaults, which are 0. */
static int get_attribute(const struct graph_node *node, struct attribute_value *value)
{
    if (!node || node->kind != NODE_KERNEL || !value)
        return ERROR_InvalidValue;
    *value = (struct attribute_value){{0}};
    return 0;
}

API_FUNCTION(cudaGraphKernelNodeGetAttribute,
             (const struct graph_node *node, int attribute, struct attribute_value *value),
             get_attribute(node, value))

static int set_child(const struct graph_node *node, const void *handle)
{
    const struct graph *child = graph_of(handle);
    if (!node || node->kind != NODE_CHILD || !child)
        return ERROR_InvalidValue;
    return graph_update(node->child, child) ? 0 : ERROR_GraphExecUpdateFailure;
}

API_FUNCTION(cudaGraphExecChildGraphNodeSetParams,
             (void *graph, const struct graph_node *node, void *child),
             set_child(instance(graph, node), child))

API_FUNCTION(cudaGraphChildGraphNodeGetGraph, (const struct graph_node *node, void **graph),
             node && node->kind == NODE_CHILD ? GIVE(graph, node->child) : ERROR_InvalidValue)
API_FUNCTION(cudaGraphMemAllocNodeGetParams,
             (const struct graph_node *node, struct allocation_node *parameters),
             node && node->kind == NODE_ALLOCATE
                 ? GIVE(parameters, (struct allocation_node){.pointer = node->memory})
                 : ERROR_InvalidValue)
API_FUNCTION(cudaGraphMemFreeNodeGetParams, (const struct graph_node *node, void **pointer),
             node && node->kind == NODE_FREE ? GIVE(pointer, node->memory) : ERROR_InvalidValue)

EXPORT int cudaGraphNodeGetEnabled(void *graph, const struct graph_node *node, unsigned *enabled)
{
    const struct graph_node *found;
    API((found = instance(graph, node)) ? GIVE(enabled, !found->is_disabled) : ERROR_InvalidValue);
}

API_FUNCTION(cudaGraphNodeFindInClone, (void **found, const struct graph_node *node, void *clone),
             found && (*found = instance(clone, node)) ? 0 : ERROR_InvalidValue)

static int remove_node(struct graph_node *node)
{
    if (!node || !graph_of(node->graph))
        return ERROR_InvalidValue;
    graph_remove(node);
    return 0;
}

API_FUNCTION(cudaGraphDestroyNode, (struct graph_node * node), remove_node(node))

/* ---- Edges ---- */

/* All edges of the graph into `behind` (NULL: any) and from `before` (NULL: any), as many as
 * there is room for; *count becomes how many there are. */
static int list_edges(const struct graph *graph, const struct graph_node *before,
                      const struct graph_node *behind, void **from, void **to, size_t *count)
{
    size_t found = 0;
    if (!count)
        return ERROR_InvalidValue;
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

API_FUNCTION(cudaGraphGetEdges,
             (void *graph, void **from, void **to, void *data_or_count, size_t *count),
             list_edges(graph_of(graph), NULL, NULL, from, to, COUNT_OF(data_or_count, count)))
API_FUNCTION(cudaGraphNodeGetDependencies,
             (const struct graph_node *node, void **nodes, void *data_or_count, size_t *count),
             list_edges(node ? node->graph : NULL, NULL, node, nodes, NULL,
                        COUNT_OF(data_or_count, count)))
API_FUNCTION(cudaGraphNodeGetDependentNodes,
             (const struct graph_node *node, void **nodes, void *data_or_count, size_t *count),
             list_edges(node ? node->graph : NULL, node, NULL, NULL, nodes,
                        COUNT_OF(data_or_count, count)))

static int change_edges(void (*change)(struct graph_node *, struct graph_node *),
                        const void *handle, void *const *before, void *const *behind, size_t count)
{
    const struct graph *graph = graph_of(handle);
    bool good = graph && (!count || (before && behind));
    for (size_t i = 0; i < count && good; i++)
        good = graph_has(graph, before[i]) && graph_has(graph, behind[i]);
    for (size_t i = 0; i < count && good; i++)
        change(before[i], behind[i]);
    return good ? 0 : ERROR_InvalidValue;
}

/* In CUDA 13 with data of the edges, which orders nothing more. */
#define EDGES_FUNCTION(name, change)                                                               \
    API_FUNCTION(name,                                                                             \
                 (void *graph, void *const *before, void *const *behind,                           \
                  const void *data_or_count, size_t count),                                        \
                 change_edges(change, graph, before, behind,                                       \
                              runtime_version < 13000 ? (size_t)(uintptr_t)data_or_count : count))

EDGES_FUNCTION(cudaGraphAddDependencies, graph_order)
EDGES_FUNCTION(cudaGraphRemoveDependencies, graph_disorder)

/* ---- Instantiate and update ---- */

struct instantiation { /* cudaGraphInstantiateParams */
    unsigned long long flags;
    void *stream, *node;
    int result;
};

EXPORT int cudaGraphInstantiateWithParams(void **made, void *graph,
                                          struct instantiation *parameters)
{
    API(parameters ? (parameters->result = 0, clone(made, graph)) : ERROR_InvalidValue);
}
ALIAS(cudaGraphInstantiateWithParams, cudaGraphInstantiateWithParams_ptsz);

struct update_result { /* cudaGraphExecUpdateResultInfo */
    int result;
    void *node, *from;
};

static int update(const void *instance_handle, const void *handle, struct update_result *result)
{
    struct graph *graph = graph_of(handle), *instantiated = graph_of(instance_handle);
    if (!result)
        return ERROR_InvalidValue;
    bool good = graph && instantiated && graph_update(instantiated, graph);
    enum { SUCCESS, FAILED, TOPOLOGY_CHANGED, KIND_CHANGED }; /* cudaGraphExecUpdateResult */
    int why = good                                            ? SUCCESS
              : !graph || !instantiated                       ? FAILED
              : graph_size(graph) != graph_size(instantiated) ? TOPOLOGY_CHANGED
                                                              : KIND_CHANGED;
    if (result)
        *result = (struct update_result){.result = why};
    return good ? 0 : ERROR_GraphExecUpdateFailure;
}

/* ---- What graphs hold, and pictures of them ---- */

static int make_object(struct user_object **made, void *data, void (*end)(void *), unsigned count,
                       unsigned flags)
{
    enum { NO_DESTRUCTOR_SYNC = 1 }; /* which must be asked for */
    if (!made || !end || !count || count > INT_MAX || flags != NO_DESTRUCTOR_SYNC)
        return ERROR_InvalidValue;
    *made = graph_make_object(data, end, count);
    return 0;
}

API_FUNCTION(cudaUserObjectCreate,
             (struct user_object * *made, void *data, void (*end)(void *), unsigned count,
              unsigned flags),
             make_object(made, data, end, count, flags))
API_FUNCTION(cudaUserObjectRetain, (struct user_object * object, unsigned count),
             graph_object_retain(object, count) ? 0 : ERROR_InvalidValue)
API_FUNCTION(cudaUserObjectRelease, (struct user_object * object, unsigned count),
             graph_object_release(object, count) ? 0 : ERROR_InvalidValue)

static int hold(const void *handle, struct user_object *object, unsigned count, unsigned flags)
{
    enum { MOVE = 1 }; /* the caller's references become the graph's */
    struct graph *graph = graph_of(handle);
    if (!graph || !count || !graph_object_retain(object, flags & MOVE ? 0 : count))
        return ERROR_InvalidValue;
    graph_hold(graph, object, count);
    return 0;
}

API_FUNCTION(cudaGraphRetainUserObject,
             (void *graph, struct user_object *object, unsigned count, unsigned flags),
             hold(graph, object, count, flags))
API_FUNCTION(cudaGraphReleaseUserObject, (void *graph, struct user_object *object, unsigned count),
             graph_of(graph) && graph_let_go(graph, object, count) ? 0 : ERROR_InvalidValue)

static int draw(const void *handle, const char *path)
{
    const struct graph *graph = graph_of(handle);
    if (!graph || !path)
        return ERROR_InvalidValue;
    return graph_draw(graph, path) ? 0 : ERROR_OperatingSystem;
}

API_FUNCTION(cudaGraphDebugDotPrint, (void *graph, const char *path, unsigned flags),
             draw(graph, path))

API_FUNCTION(cudaGraphExecUpdate,
             (void *instance_handle, void *graph, struct update_result *result),
             update(instance_handle, graph, result))
