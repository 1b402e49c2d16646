/* graph.h: CUDA graphs: operations that are saved and carried out later, in the order of their
 * dependencies. */
#ifndef GRAPH_H
#define GRAPH_H

#include "cuda/core/operation.h"

struct graph_node {
    void *handle;
    struct operation work;
    bool is_disabled;
    void **arguments;           /* of a kernel, made when the program asks for them */
    struct graph *graph;        /* that it belongs to */
    const void *origin;         /* handle of the node that this is a copy of, or its own */
    struct graph_node **before; /* the nodes that it depends on */
    size_t before_count;
    bool is_placed; /* while the graph is copied */
    size_t place;   /* while it is carried out */
};

struct graph {
    void *handle;
    struct graph_node **nodes;
    size_t count;
    struct default_value *defaults; /* of conditions; a copy has those of its origin */
    struct held *held;
    bool is_instance; /* executable */
    bool is_broken;   /* what was captured into it cannot be captured */
    bool has_cycle;   /* of a copy: its origin has one */
};

struct graph *graph_create(void);
void graph_free(struct graph *graph);
/* The graph, executable graph or node of a handle. NULL: no such. */
struct graph *graph_of(const void *handle);
struct graph *graph_instance_of(const void *handle);
struct graph_node *graph_node_of(const void *handle);
/* The node of a graph, NULL if the handle is of no node of that graph. */
struct graph_node *graph_node_in(const struct graph *graph, const void *handle);

/* Add a node, which takes over what the operation owns. */
struct graph_node *graph_add(struct graph *graph, const struct operation *work);
/* Remove a node, and its edges. */
void graph_remove(struct graph_node *node);
/* Replace the node's operation by another of its kind: 0 or an error, and then `by` is freed. */
int graph_replace(struct graph_node *node, struct operation *by);
/* Add or remove an edge between nodes of one graph. */
void graph_order(struct graph_node *before, struct graph_node *after);
void graph_disorder(struct graph_node *before, struct graph_node *after);

/* Carry out an operation in the stream of a handle, or append it to the graph that the stream
 * captures, which takes over what the operation owns. A default stream waits for its copies. */
int graph_submit(struct operation *operation, const void *stream);
/* Append to the graph that the stream captures, after the stream's current dependencies. */
int graph_capture(struct stream *stream, const struct operation *operation);
void operation_free(struct operation *operation);

/* A copy in the order of dependencies; `is_instance`: to be carried out. */
struct graph *graph_clone(const struct graph *graph, bool is_instance);
/* The node of a copy that stands for a node of the graph that it was made of. */
struct graph_node *graph_counterpart(const struct graph *copy, const struct graph_node *node);
/* Take over the operations of a graph, if they are of the same kinds in the same order. */
bool graph_update(struct graph *copy, const struct graph *graph);

/* Allocate memory for a node of a graph, which this makes: it is there from now on, at the address
 * that all launches of the graph use, and stays when it is freed, because the next launch uses it
 * again. */
int graph_allocate(uint64_t bytes, struct operation *made);
/* Make a handle; with `is_set` each launch of the graph begins with the value. */
int graph_make_condition(struct graph *graph, unsigned value, bool is_set, uint64_t *handle);

/* What a graph and its copies hold until the last of them is freed: a program's object with the
 * function that ends it, counted. False where there is no such object, or fewer references than
 * are given back. */
void *graph_make_object(void *data, void (*end)(void *), unsigned count);
bool graph_object_retain(const void *object, unsigned count);
bool graph_object_release(const void *object, unsigned count);
void graph_hold(struct graph *graph, const void *object, unsigned count);
bool graph_let_go(struct graph *graph, const void *object, unsigned count);

/* Write the graph in the language of Graphviz. False: errno says why not. */
bool graph_draw(const struct graph *graph, const char *path);

/* Carry it out; functions of the host run without the runtime's lock. */
int graph_run(const struct graph *graph, struct stream *stream);

#endif
