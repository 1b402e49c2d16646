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
    if (!stream || !graph)
        return stream ? ERROR_InvalidValue : ERROR_InvalidResourceHandle;
    *graph = stream->capture;
    if (!stream->capture)
        return ERROR_IllegalState;
    timeline_end_capture(stream->capture);
    return 0;
}

EXPORT int cudaStreamEndCapture(void *stream, void **graph)
{
    API(end_capture(stream, graph));
}
ALIAS(cudaStreamEndCapture, cudaStreamEndCapture_ptsz);

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

static int add_box(void **made, void *graph, void *const *before, size_t before_count,
                   const struct copy_3d *parameters)
{
    struct graph_node node = {.kind = NODE_COPY};
    if (!parameters || !copy_of_3d(parameters, &node.copy))
        return parameters ? ERROR_NotSupported : ERROR_InvalidValue;
    return add(made, graph, before, before_count, &node);
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
extern const int runtime_version;

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
