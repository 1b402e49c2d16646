/* graph.h: CUDA graphs: work that is kept and carried out later, one node after the other. */
#ifndef GRAPH_H
#define GRAPH_H

#include "runtime/heap.h"
#include "runtime/launch.h"

struct graph;

enum graph_node_kind { /* enum cudaGraphNodeType */
                       NODE_KERNEL = 0,
                       NODE_COPY = 1,
                       NODE_SET = 2,
                       NODE_HOST = 3,
                       NODE_CHILD = 4,
                       NODE_EMPTY = 5,
};

struct graph_set {
    void *to;
    size_t pitch;
    unsigned value, element;
    size_t width, height; /* bytes, rows */
};

struct graph_call {
    void (*function)(void *);
    void *data;
};

struct graph_node {
    enum graph_node_kind kind;
    bool is_disabled;
    struct launch launch;
    struct heap_copy copy;
    struct graph_set set;
    struct graph_call call;
    struct graph *child;
    struct graph *graph;        /* that it belongs to */
    struct graph_node **before; /* nodes that come first */
    size_t before_count;
};

struct graph *graph_create(void);
void graph_free(struct graph *graph);
/* NULL: no graph. */
struct graph *graph_of(const void *handle);

/* Add a node; those that are captured one after the other stay so. NULL-safe results: a CUDA error. */
struct graph_node *graph_add(struct graph *graph, const struct graph_node *node);
int graph_add_launch(struct graph *graph, const struct launch *launch);
int graph_add_copy(struct graph *graph, const struct heap_copy *copy);
int graph_add_set(struct graph *graph, const struct graph_set *set);
int graph_add_call(struct graph *graph, const struct graph_call *call);

/* Carry it out. */
int graph_run(const struct graph *graph, struct stream *stream);

/* A copy or a setting in a stream, with its time. */
int work_copy(const struct heap_copy *copy, struct stream *stream);
int work_set(const struct graph_set *set, struct stream *stream);

#endif
