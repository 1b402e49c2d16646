/* api_graph.c: CUDA graphs, built from nodes or captured from streams. */
#include "cuda/core/graph.h"
#include "cuda/runtime_api/api.h"
#include "cuda/runtime_api/calls.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

API_BODY(API_FUNCTION_PTSZ, cudaStreamBeginCapture, (void *handle, int mode), (handle, mode))
{
    struct stream *stream = timeline_stream(handle);
    if (!stream || stream->is_default)
        return stream ? ERROR_StreamCaptureUnsupported : ERROR_InvalidResourceHandle;
    if (stream->capture.graph)
        return ERROR_IllegalState;
    timeline_capture(stream, graph_create(false)->handle, NULL);
    return 0;
}

API_BODY(API_FUNCTION_PTSZ, cudaStreamEndCapture, (void *handle, void **made), (handle, made))
{
    struct stream *stream = timeline_stream(handle);
    if (!stream || !stream->capture.graph)
        return stream ? ERROR_IllegalState : ERROR_InvalidResourceHandle;
    void *captured = stream->capture.graph;
    struct graph *graph = graph_of(captured);
    bool good = graph && !graph->is_broken;
    timeline_end_capture(captured);
    if (made) /* NULL if the program supplied the graph. */
        *made = good ? captured : NULL;
    if (graph && !good)
        graph_free(graph);
    return good ? 0 : ERROR_StreamCaptureInvalidated;
}

/* The captured nodes depend on all nodes that are already in the graph. */
API_BODY(API_FUNCTION_PTSZ, cudaStreamBeginCaptureToGraph,
         (void *handle, void *graph_handle, void *const *before, const void *data, size_t count,
          int mode),
         (handle, graph_handle, before, data, count, mode))
{
    struct stream *stream = timeline_stream(handle);
    const struct graph *graph = graph_of(graph_handle);
    if (!stream || !graph || stream->capture.graph)
        return ERROR_InvalidValue;
    timeline_capture(stream, graph->handle, NULL);
    for (size_t i = 0; i < graph->count; i++)
        timeline_capture(stream, graph->handle, graph->nodes[i]->handle);
    return 0;
}

/* Each output parameter may be NULL. *nodes is valid until the next node is captured. */
static int capture_info(const void *handle, int *status, unsigned long long *id, void **graph,
                        void ***nodes, void **data, size_t *count)
{
    enum { NONE, ACTIVE, INVALIDATED }; /* cudaStreamCaptureStatus */
    const struct stream *stream = timeline_stream(handle);
    if (!stream)
        return ERROR_InvalidResourceHandle;
    const struct capture *capture = &stream->capture;
    const struct graph *found = graph_of(capture->graph);
    MAY_GIVE(status, !capture->graph ? NONE : !found || found->is_broken ? INVALIDATED : ACTIVE);
    MAY_GIVE(id, (uintptr_t)capture->graph);
    MAY_GIVE(graph, capture->graph);
    MAY_GIVE(nodes, capture->dependencies);
    MAY_GIVE(data, NULL);
    MAY_GIVE(count, capture->count);
    return 0;
}

API_FUNCTION_PTSZ(cudaStreamIsCapturing, (void *stream, int *status),
                  capture_info(stream, status, NULL, NULL, NULL, NULL, NULL))
API_FUNCTION(cudaStreamGetCaptureInfo_12, (void *stream, int *status, unsigned long long *id),
             capture_info(stream, status, id, NULL, NULL, NULL, NULL))
API_FUNCTION_PTSZ(cudaStreamGetCaptureInfo_v2,
                  (void *stream, int *status, unsigned long long *id, void **graph, void ***nodes,
                   size_t *count),
                  capture_info(stream, status, id, graph, nodes, NULL, count))
API_FUNCTION(cudaStreamGetCaptureInfo_13,
             (void *stream, int *status, unsigned long long *id, void **graph, void ***nodes,
              void **data, size_t *count),
             capture_info(stream, status, id, graph, nodes, data, count))
ALIAS(cudaStreamGetCaptureInfo_13, cudaStreamGetCaptureInfo_v3);
ALIAS(cudaStreamGetCaptureInfo_13, cudaStreamGetCaptureInfo_v3_ptsz);

/* Replace (flag 1) or extend (flag 0) the set of nodes that the next captured node depends on. */
static int update_capture(const void *handle, void *const *nodes, size_t count, unsigned flags)
{
    struct stream *stream = timeline_stream(handle);
    const struct graph *graph = stream ? graph_of(stream->capture.graph) : NULL;
    bool good = graph && (nodes || !count) && flags <= 1;
    for (size_t i = 0; i < count && good; i++)
        good = graph_node_in(graph, nodes[i]);
    if (!good)
        return ERROR_InvalidValue;
    void **copy = runtime_allocate(count, sizeof *copy); /* `nodes` may be the stream's array */
    if (count)
        memcpy(copy, nodes, count * sizeof *copy);
    if (flags)
        stream->capture.count = 0;
    for (size_t i = 0; i < count; i++)
        timeline_capture(stream, graph->handle, copy[i]);
    free(copy);
    return 0;
}

API_FUNCTION(cudaStreamUpdateCaptureDependencies_12,
             (void *stream, void *const *nodes, size_t count, unsigned flags),
             update_capture(stream, nodes, count, flags))
API_FUNCTION(cudaStreamUpdateCaptureDependencies_13,
             (void *stream, void *const *nodes, const void *data, size_t count, unsigned flags),
             update_capture(stream, nodes, count, flags))
ALIAS(cudaStreamUpdateCaptureDependencies_13, cudaStreamUpdateCaptureDependencies_v2);
ALIAS(cudaStreamUpdateCaptureDependencies_13, cudaStreamUpdateCaptureDependencies_v2_ptsz);

API_FUNCTION(cudaGraphCreate, (void **graph, unsigned flags),
             GIVE(graph, graph_create(false)->handle))

API_FUNCTION(cudaGraphDestroy, (void *graph),
             WITH(found, graph_of(graph), ERROR_InvalidValue, (graph_free(found), 0)))
API_FUNCTION(cudaGraphExecDestroy, (void *graph),
             WITH(found, graph_instance_of(graph), ERROR_InvalidValue, (graph_free(found), 0)))

static int clone(void **made, const void *handle, bool is_instance)
{
    const struct graph *graph = graph_of(handle);
    if (!graph || !made)
        return ERROR_InvalidValue;
    struct graph *copy = graph_clone(graph, is_instance);
    *made = copy->handle;
    if (!is_instance || !copy->has_cycle)
        return 0;
    graph_free(copy);
    *made = NULL;
    return ERROR_InvalidValue;
}

API_FUNCTION(cudaGraphClone, (void **made, void *graph), clone(made, graph, false))
API_FUNCTION(cudaGraphInstantiate, (void **made, void *graph, unsigned long long flags),
             clone(made, graph, true))
ALIAS(cudaGraphInstantiate, cudaGraphInstantiateWithFlags);
API_FUNCTION_PTSZ(cudaGraphInstantiateWithParams,
                  (void **made, void *graph, struct instantiation *parameters),
                  parameters ? (parameters->result = 0, clone(made, graph, true))
                             : ERROR_InvalidValue)

static struct operation child_of(const struct graph *graph)
{
    return graph ? (struct operation){.kind = OPERATION_CHILD,
                                      .handle = graph_clone(graph, false)->handle}
                 : operation_failed(ERROR_InvalidValue);
}

static int launch_graph(const struct graph *graph, struct stream *stream)
{
    if (!graph || !stream)
        return graph ? ERROR_InvalidResourceHandle : ERROR_InvalidValue;
    if (!stream->capture.graph)
        return graph_run(graph, stream);
    struct operation child = child_of(graph);
    return graph_capture(stream, &child);
}

API_FUNCTION_PTSZ(cudaGraphLaunch, (void *graph, void *stream),
                  launch_graph(graph_instance_of(graph), timeline_stream(stream)))
API_FUNCTION(cudaGraphExecGetFlags, (void *graph, unsigned long long *flags),
             graph_instance_of(graph) ? GIVE(flags, 0) : ERROR_InvalidValue)

static int update(struct graph *instance, const struct graph *graph, struct update_result *result)
{
    enum { SUCCESS, FAILED, TOPOLOGY_CHANGED, KIND_CHANGED }; /* cudaGraphExecUpdateResult */
    if (!result)
        return ERROR_InvalidValue;
    bool good = graph && instance && graph_update(instance, graph);
    *result = (struct update_result){.result = good                              ? SUCCESS
                                               : !graph || !instance             ? FAILED
                                               : graph->count != instance->count ? TOPOLOGY_CHANGED
                                                                                 : KIND_CHANGED};
    return good ? 0 : ERROR_GraphExecUpdateFailure;
}

API_FUNCTION(cudaGraphExecUpdate, (void *instance, void *graph, struct update_result *result),
             update(graph_instance_of(instance), graph_of(graph), result))

static struct operation kernel_of(const struct kernel_node *from)
{
    if (!from || from->extra)
        return operation_failed(from ? ERROR_NotSupported : ERROR_InvalidValue);
    struct launch launch = {
        .grid = from->grid, .block = from->block, .dynamic_shared = from->shared};
    return operation_launch(launch, from->function, from->arguments);
}

static struct operation call_of(const struct host_call *call)
{
    return call && call->function ? (struct operation){.kind = OPERATION_HOST, .call = *call}
                                  : operation_failed(ERROR_InvalidValue);
}

static struct operation event_of(enum operation_kind kind, void *event)
{
    return timeline_event(event) ? (struct operation){.kind = kind, .handle = event}
                                 : operation_failed(ERROR_InvalidResourceHandle);
}

static struct operation allocation_of(struct allocation_node *parameters)
{
    if (!parameters)
        return operation_failed(ERROR_InvalidValue);
    struct operation allocation = graph_allocate(parameters->bytes);
    parameters->pointer = allocation.kind == OPERATION_NONE ? NULL : allocation.memory;
    return allocation;
}

static struct operation free_of(void *pointer)
{
    return heap_find((uintptr_t)pointer)
               ? (struct operation){.kind = OPERATION_FREE, .memory = pointer}
               : operation_failed(ERROR_InvalidValue);
}

/* Returns a condition with empty bodies, which the program fills later. */
static struct operation condition_of(struct condition_node *parameters)
{
    enum { MAX_BODIES = 1024 };
    unsigned count = parameters ? parameters->count : 0;
    if (!count || !heap_find(parameters->handle) || count > MAX_BODIES || parameters->kind < 0 ||
        parameters->kind > CONDITION_SWITCH || (parameters->kind == CONDITION_WHILE && count > 1) ||
        (parameters->kind == CONDITION_IF && count > 2))
        return operation_failed(ERROR_InvalidValue);
    struct operation work = {.kind = OPERATION_CONDITION,
                             .condition = {parameters->handle,
                                           (enum condition_kind)parameters->kind, count,
                                           runtime_allocate(count, sizeof(void *))}};
    for (unsigned i = 0; i < count; i++)
        work.condition.bodies[i] = graph_create(false)->handle;
    parameters->bodies = work.condition.bodies;
    return work;
}

static struct operation any_of(struct any_node *parameters)
{
    if (!parameters)
        return operation_failed(ERROR_InvalidValue);
    switch (parameters->kind) {
    case OPERATION_KERNEL:
        return kernel_of(&parameters->of.kernel);
    case OPERATION_COPY:
        return operation_copy_box(&parameters->of.copy.copy);
    case OPERATION_SET:
        return operation_set(&parameters->of.set);
    case OPERATION_HOST:
        return call_of(&parameters->of.call);
    case OPERATION_CHILD:
        return child_of(graph_of(parameters->of.handle));
    case OPERATION_EMPTY:
        return (struct operation){.kind = OPERATION_EMPTY};
    case OPERATION_WAIT:
    case OPERATION_RECORD:
        return event_of((enum operation_kind)parameters->kind, parameters->of.handle);
    case OPERATION_ALLOCATE:
        return allocation_of(&parameters->of.allocation);
    case OPERATION_FREE:
        return free_of(parameters->of.handle);
    case OPERATION_CONDITION:
        return condition_of(&parameters->of.condition);
    default:
        runtime_note("graph nodes of type %d (cudaGraphNodeType) are not emulated",
                     parameters->kind);
        return operation_failed(ERROR_NotSupported);
    }
}

static int add(void **handle, const void *graph_handle, void *const *before, size_t count,
               struct operation by)
{
    struct graph *graph = graph_of(graph_handle);
    bool good = graph && handle && (before || !count);
    for (size_t i = 0; i < count && good; i++)
        good = graph_node_in(graph, before[i]);
    if (!good || by.kind == OPERATION_NONE) {
        operation_free(&by);
        return by.kind == OPERATION_NONE ? by.error : ERROR_InvalidValue;
    }
    struct graph_node *added = graph_add(graph, &by);
    for (size_t i = 0; i < count; i++)
        graph_order(graph_node_of(before[i]), added);
    *handle = added->handle;
    return 0;
}

static struct graph_node *counterpart(const struct graph *graph, const void *node)
{
    return graph ? graph_counterpart(graph, graph_node_of(node)) : NULL;
}

static struct graph_node *instance(const void *graph, const void *node)
{
    return counterpart(graph_instance_of(graph), node);
}

static struct graph_node *node_of(const void *handle, enum operation_kind kind)
{
    struct graph_node *node = graph_node_of(handle);
    return node && node->work.kind == kind ? node : NULL;
}

#define ADD_FUNCTION(name, parameters, by)                                                         \
    API_FUNCTION(                                                                                  \
        name, (void **node, void *graph, void *const *before, size_t count, API_LIST parameters),  \
        add(node, graph, before, count, by))
#define CHANGE_FUNCTIONS(name, exec_name, parameters, by)                                          \
    API_FUNCTION(name, (void *node, API_LIST parameters), graph_replace(graph_node_of(node), by))  \
    API_FUNCTION(exec_name, (void *graph, void *node, API_LIST parameters),                        \
                 graph_replace(instance(graph, node), by))
#define NODE_FUNCTIONS(Kind, Form, parameters, by)                                                 \
    ADD_FUNCTION(cudaGraphAdd##Kind##Node##Form, parameters, by)                                   \
    CHANGE_FUNCTIONS(cudaGraph##Kind##NodeSetParams##Form,                                         \
                     cudaGraphExec##Kind##NodeSetParams##Form, parameters, by)

NODE_FUNCTIONS(Kernel, , (const struct kernel_node *parameters), kernel_of(parameters))
NODE_FUNCTIONS(Memcpy, , (const struct copy_3d *parameters), operation_copy_box(parameters))
NODE_FUNCTIONS(Memcpy, 1D, (void *to, const void *from, size_t bytes, int kind),
               operation_copy(to, from, bytes, kind))
NODE_FUNCTIONS(Memcpy, ToSymbol,
               (const void *symbol, const void *from, size_t bytes, size_t offset, int kind),
               operation_copy_symbol(mutable(from), symbol, bytes, offset, true))
NODE_FUNCTIONS(Memcpy, FromSymbol,
               (void *to, const void *symbol, size_t bytes, size_t offset, int kind),
               operation_copy_symbol(to, symbol, bytes, offset, false))
NODE_FUNCTIONS(Memset, , (const struct set_node *parameters), operation_set(parameters))
NODE_FUNCTIONS(Host, , (const struct host_call *call), call_of(call))
CHANGE_FUNCTIONS(cudaGraphNodeSetParams, cudaGraphExecNodeSetParams, (struct any_node * parameters),
                 any_of(parameters))

API_FUNCTION(cudaGraphAddEmptyNode, (void **node, void *graph, void *const *before, size_t count),
             add(node, graph, before, count, (struct operation){.kind = OPERATION_EMPTY}))
ADD_FUNCTION(cudaGraphAddChildGraphNode, (void *child), child_of(graph_of(child)))
ADD_FUNCTION(cudaGraphAddMemAllocNode, (struct allocation_node * parameters),
             allocation_of(parameters))
ADD_FUNCTION(cudaGraphAddMemFreeNode, (void *pointer), free_of(pointer))
ADD_FUNCTION(cudaGraphAddNode_12, (struct any_node * parameters), any_of(parameters))
API_FUNCTION(cudaGraphAddNode_13,
             (void **node, void *graph, void *const *before, const void *data, size_t count,
              struct any_node *parameters),
             add(node, graph, before, count, any_of(parameters)))
ALIAS(cudaGraphAddNode_13, cudaGraphAddNode_v2);

#define EVENT_FUNCTIONS(Name, kind)                                                                \
    ADD_FUNCTION(cudaGraphAddEvent##Name##Node, (void *event), event_of(kind, event))              \
    CHANGE_FUNCTIONS(cudaGraphEvent##Name##NodeSetEvent, cudaGraphExecEvent##Name##NodeSetEvent,   \
                     (void *event), event_of(kind, event))
EVENT_FUNCTIONS(Record, OPERATION_RECORD)
EVENT_FUNCTIONS(Wait, OPERATION_WAIT)

API_BODY(API_FUNCTION, cudaGraphExecChildGraphNodeSetParams,
         (void *graph, void *node_handle, void *child_handle), (graph, node_handle, child_handle))
{
    const struct graph_node *node = instance(graph, node_handle);
    const struct graph *child = graph_of(child_handle);
    struct graph *own =
        node && node->work.kind == OPERATION_CHILD ? graph_of(node->work.handle) : NULL;
    if (!own || !child)
        return ERROR_InvalidValue;
    return graph_update(own, child) ? 0 : ERROR_GraphExecUpdateFailure;
}

API_FUNCTION(cudaGraphNodeSetEnabled, (void *graph, void *node, unsigned enabled),
             WITH(found, instance(graph, node), ERROR_InvalidValue,
                  (found->is_disabled = !enabled, 0)))
API_FUNCTION(cudaGraphConditionalHandleCreate,
             (uint64_t * handle, void *graph, unsigned value, unsigned flags),
             WITH(found, flags > 1 || !handle ? NULL : graph_of(graph), ERROR_InvalidValue,
                  graph_make_condition(found, value, flags, handle)))
API_FUNCTION(cudaGraphDestroyNode, (void *node),
             WITH(found, graph_node_of(node), ERROR_InvalidValue, (graph_remove(found), 0)))

static struct kernel_node get_kernel(struct graph_node *node)
{
    const struct launch *launch = &node->work.launch;
    if (!node->arguments)
        node->arguments = launch_arguments(launch);
    return (struct kernel_node){.function = launch->kernel->host ? mutable(launch->kernel->host)
                                                                 : launch->kernel->handle,
                                .grid = launch->grid,
                                .block = launch->block,
                                .shared = (unsigned)launch->dynamic_shared,
                                .arguments = node->arguments};
}

static struct set_node get_set(const struct heap_set *set)
{
    return (struct set_node){
        set->to, set->pitch, set->value, set->element, set->width / set->element, set->height};
}

/* Returns parameters for a copy of rows of memory, even if the node copies a CUDA array. */
static struct copy_3d get_copy(const struct heap_copy *copy)
{
    size_t to_rows = copy->to_pitch ? copy->to_slice / copy->to_pitch : copy->height;
    size_t from_rows = copy->from_pitch ? copy->from_slice / copy->from_pitch : copy->height;
    return (struct copy_3d){
        .from = {mutable(copy->from), copy->from_pitch ? copy->from_pitch : copy->width,
                 copy->width, from_rows},
        .to = {copy->to, copy->to_pitch ? copy->to_pitch : copy->width, copy->width, to_rows},
        .extent = {copy->width, copy->height, copy->depth},
        .kind = copy->kind};
}

/* Defines a function that evaluates `find` to find a node, and stores `value` in *got. */
#define GET_FROM(name, parameters, find, value)                                                    \
    API_FUNCTION(name, parameters, WITH(found, find, ERROR_InvalidValue, GIVE(got, value)))
#define GET_FUNCTION(name, kind, type, value)                                                      \
    GET_FROM(name, (void *node, type *got), node_of(node, kind), value)

GET_FUNCTION(cudaGraphKernelNodeGetParams, OPERATION_KERNEL, struct kernel_node, get_kernel(found))
GET_FUNCTION(cudaGraphMemsetNodeGetParams, OPERATION_SET, struct set_node,
             get_set(&found->work.set))
GET_FUNCTION(cudaGraphMemcpyNodeGetParams, OPERATION_COPY, struct copy_3d,
             get_copy(&found->work.copy))
GET_FUNCTION(cudaGraphHostNodeGetParams, OPERATION_HOST, struct host_call, found->work.call)
GET_FUNCTION(cudaGraphChildGraphNodeGetGraph, OPERATION_CHILD, void *, found->work.handle)
GET_FUNCTION(cudaGraphMemAllocNodeGetParams, OPERATION_ALLOCATE, struct allocation_node,
             (struct allocation_node){.pointer = found->work.memory})
GET_FUNCTION(cudaGraphMemFreeNodeGetParams, OPERATION_FREE, void *, found->work.memory)

GET_FUNCTION(cudaGraphEventRecordNodeGetEvent, OPERATION_RECORD, void *, found->work.handle)
GET_FUNCTION(cudaGraphEventWaitNodeGetEvent, OPERATION_WAIT, void *, found->work.handle)
GET_FROM(cudaGraphNodeGetType, (void *node, int *got), graph_node_of(node), (int)found->work.kind)
GET_FROM(cudaGraphNodeGetEnabled, (void *graph, void *node, unsigned *got), instance(graph, node),
         !found->is_disabled)
GET_FROM(cudaGraphNodeFindInClone, (void **got, void *node, void *clone),
         counterpart(graph_of(clone), node), found->handle)
/* Attributes of kernel nodes have no effect, and their values are always 0. */
GET_FROM(cudaGraphKernelNodeGetAttribute, (void *node, int attribute, union attribute_value *got),
         node_of(node, OPERATION_KERNEL), (union attribute_value){{0}})

/* `nodes` may be NULL. *count is the capacity of `nodes` on entry, and the number of found nodes on
 * return. */
static int list_nodes(const struct graph *graph, bool only_roots, void **nodes, size_t *count)
{
    size_t found = 0;
    if (!count)
        return ERROR_InvalidValue;
    for (size_t i = 0; graph && i < graph->count; i++) {
        if (only_roots && graph->nodes[i]->before_count)
            continue;
        if (nodes && found < *count)
            nodes[found] = graph->nodes[i]->handle;
        found++;
    }
    *count = found;
    return graph ? 0 : ERROR_InvalidValue;
}

API_FUNCTION(cudaGraphGetNodes, (void *graph, void **nodes, size_t *count),
             list_nodes(graph_of(graph), false, nodes, count))
API_FUNCTION(cudaGraphGetRootNodes, (void *graph, void **nodes, size_t *count),
             list_nodes(graph_of(graph), true, nodes, count))

/* Like list_nodes, for the edges from `before` to `after`. NULL stands for any node. */
static int list_edges(const struct graph *graph, const struct graph_node *before,
                      const struct graph_node *after, void **from, void **to, uint64_t *data,
                      size_t *count)
{
    size_t found = 0;
    if (!count)
        return ERROR_InvalidValue;
    for (size_t i = 0; graph && i < graph->count; i++) {
        const struct graph_node *node = graph->nodes[i];
        for (size_t j = 0; j < node->before_count; j++) {
            if ((after && after != node) || (before && before != node->before[j]))
                continue;
            if (from && found < *count)
                from[found] = node->before[j]->handle;
            if (to && found < *count)
                to[found] = node->handle;
            if (data && found < *count)
                data[found] = 0;
            found++;
        }
    }
    *count = found;
    return graph ? 0 : ERROR_InvalidValue;
}

typedef void change_function(struct graph_node *, struct graph_node *);

static int change_edges(change_function *change, const struct graph *graph, void *const *before,
                        void *const *after, const void *data, size_t count)
{
    bool good = graph && (!count || (before && after));
    for (size_t i = 0; i < count && good; i++)
        good = graph_node_in(graph, before[i]) && graph_node_in(graph, after[i]);
    for (size_t i = 0; i < count && good; i++)
        change(graph_node_of(before[i]), graph_node_of(after[i]));
    return good ? 0 : ERROR_InvalidValue;
}

/* In CUDA 13, the functions for edges also have a parameter for edge data. */
#define EDGE_FUNCTIONS(name, parameters, data_type, count_type, call)                              \
    EXPORT int name##_12(API_LIST parameters, count_type count)                                    \
    {                                                                                              \
        data_type const data = NULL;                                                               \
        API(call);                                                                                 \
    }                                                                                              \
    API_FUNCTION(name##_13, (API_LIST parameters, data_type data, count_type count), call)         \
    ALIAS(name##_13, name##_v2);

EDGE_FUNCTIONS(cudaGraphGetEdges, (void *graph, void **from, void **to), uint64_t *, size_t *,
               list_edges(graph_of(graph), NULL, NULL, from, to, data, count))
EDGE_FUNCTIONS(cudaGraphNodeGetDependencies, (void *node, void **nodes), uint64_t *, size_t *,
               WITH(found, graph_node_of(node), ERROR_InvalidValue,
                    list_edges(found->graph, NULL, found, nodes, NULL, data, count)))
EDGE_FUNCTIONS(cudaGraphNodeGetDependentNodes, (void *node, void **nodes), uint64_t *, size_t *,
               WITH(found, graph_node_of(node), ERROR_InvalidValue,
                    list_edges(found->graph, found, NULL, NULL, nodes, data, count)))
EDGE_FUNCTIONS(cudaGraphAddDependencies, (void *graph, void *const *before, void *const *after),
               const void *, size_t,
               change_edges(graph_order, graph_of(graph), before, after, data, count))
EDGE_FUNCTIONS(cudaGraphRemoveDependencies, (void *graph, void *const *before, void *const *after),
               const void *, size_t,
               change_edges(graph_disorder, graph_of(graph), before, after, data, count))

enum { NO_DESTRUCTOR_SYNC = 1 }; /* the flag is mandatory */
API_FUNCTION(cudaUserObjectCreate,
             (void **object, void *data, void (*end)(void *), unsigned count, unsigned flags),
             !object || !end || !count || count > INT_MAX || flags != NO_DESTRUCTOR_SYNC
                 ? ERROR_InvalidValue
                 : (*object = graph_make_object(data, end, count), 0))
API_FUNCTION(cudaUserObjectRetain, (void *object, unsigned count),
             graph_object_retain(object, count) ? 0 : ERROR_InvalidValue)
API_FUNCTION(cudaUserObjectRelease, (void *object, unsigned count),
             graph_object_release(object, count) ? 0 : ERROR_InvalidValue)

API_BODY(API_FUNCTION, cudaGraphRetainUserObject,
         (void *handle, void *object, unsigned count, unsigned flags),
         (handle, object, count, flags))
{
    enum { MOVE = 1 }; /* the caller's references move to the graph */
    struct graph *graph = graph_of(handle);
    if (!graph || !count || !graph_object_retain(object, flags & MOVE ? 0 : count))
        return ERROR_InvalidValue;
    graph_add_reference(graph, object, count);
    return 0;
}

API_FUNCTION(cudaGraphReleaseUserObject, (void *graph, void *object, unsigned count),
             graph_of(graph) && graph_remove_reference(graph_of(graph), object, count)
                 ? 0
                 : ERROR_InvalidValue)

API_FUNCTION(cudaGraphDebugDotPrint, (void *graph, const char *path, unsigned flags),
             WITH(found, path ? graph_of(graph) : NULL, ERROR_InvalidValue,
                  graph_draw(found, path) ? 0 : ERROR_OperatingSystem))
