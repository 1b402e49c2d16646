#include "runtime/graph.h"

#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

/* ---- Work, with its time ---- */

/* Microseconds of a copy: over the link, or through the device's memory, read and written. */
static double copy_us(uint64_t bytes, unsigned direction)
{
    const struct device *device = runtime.device;
    if (direction == 3)
        return device->launch_us +
               2 * (double)bytes / (device->dram_gbps * device->dram_efficiency) / 1e3;
    return device->launch_us + (double)bytes / 25.0 / 1e3;
}

int work_copy(const struct heap_copy *copy, struct stream *stream)
{
    unsigned direction;
    int error = heap_copy(copy, &direction);
    uint64_t bytes = (uint64_t)copy->width * copy->height * copy->depth;
    if (!error && direction)
        timeline_work(stream,
                      direction == 1   ? ENGINE_COPY_IN
                      : direction == 2 ? ENGINE_COPY_OUT
                                       : ENGINE_KERNEL,
                      copy_us(bytes, direction));
    return error;
}

int work_set(const struct graph_set *set, struct stream *stream)
{
    const struct device *device = runtime.device;
    int error = heap_set(set->to, set->pitch, set->value, set->element, set->width, set->height);
    double bytes = (double)set->width * (double)set->height;
    if (!error)
        timeline_work(stream, ENGINE_KERNEL,
                      device->launch_us +
                          bytes / (device->dram_gbps * device->dram_efficiency) / 1e3);
    return error;
}

/* ---- Graphs ---- */

struct graph {
    struct graph *next;
    struct graph_node **nodes;
    size_t count, capacity;
};

static struct graph *graphs;

struct graph *graph_create(void)
{
    struct graph *graph = runtime_allocate(1, sizeof *graph);
    *graph = (struct graph){.next = graphs};
    return graphs = graph;
}

struct graph *graph_of(const void *handle)
{
    struct graph *at = graphs;
    while (at && at != handle)
        at = at->next;
    return at;
}

void graph_free(struct graph *graph)
{
    struct graph **at = &graphs;
    while (*at && *at != graph)
        at = &(*at)->next;
    if (*at)
        *at = graph->next;
    for (size_t i = 0; i < graph->count; i++) {
        launch_free(&graph->nodes[i]->launch);
        free(graph->nodes[i]->before);
        free(graph->nodes[i]);
    }
    free(graph->nodes);
    free(graph);
}

struct graph_node *graph_add(struct graph *graph, const struct graph_node *node)
{
    if (graph->count == graph->capacity) {
        size_t capacity = graph->capacity ? 2 * graph->capacity : 16;
        struct graph_node **nodes = runtime_allocate(capacity, sizeof *nodes);
        if (graph->count)
            memcpy(nodes, graph->nodes, graph->count * sizeof *nodes);
        free(graph->nodes);
        graph->nodes = nodes;
        graph->capacity = capacity;
    }
    struct graph_node *kept = runtime_allocate(1, sizeof *kept);
    *kept = *node;
    kept->graph = graph;
    return graph->nodes[graph->count++] = kept;
}

int graph_add_launch(struct graph *graph, const struct launch *launch)
{
    graph_add(graph, &(struct graph_node){.kind = NODE_KERNEL, .launch = *launch});
    return 0;
}

int graph_add_copy(struct graph *graph, const struct heap_copy *copy)
{
    graph_add(graph, &(struct graph_node){.kind = NODE_COPY, .copy = *copy});
    return 0;
}

int graph_add_set(struct graph *graph, const struct graph_set *set)
{
    graph_add(graph, &(struct graph_node){.kind = NODE_SET, .set = *set});
    return 0;
}

int graph_add_call(struct graph *graph, const struct graph_call *call)
{
    graph_add(graph, &(struct graph_node){.kind = NODE_HOST, .call = *call});
    return 0;
}

static int run_node(const struct graph_node *node, struct stream *stream)
{
    switch (node->kind) {
    case NODE_KERNEL:
        return launch_run(&node->launch, stream);
    case NODE_COPY:
        return work_copy(&node->copy, stream);
    case NODE_SET:
        return work_set(&node->set, stream);
    case NODE_HOST:
        node->call.function(node->call.data);
        return 0;
    case NODE_CHILD:
        return node->child ? graph_run(node->child, stream) : 0;
    default:
        return 0;
    }
}

int graph_run(const struct graph *graph, struct stream *stream)
{
    int error = 0;
    for (size_t i = 0; i < graph->count && !error && !runtime.pending; i++)
        if (!graph->nodes[i]->is_disabled)
            error = run_node(graph->nodes[i], stream);
    return error;
}
