/* graph.h: CUDA graphs. A graph stores operations and executes them later, in dependency order. */
#ifndef GRAPH_H
#define GRAPH_H

#include "cuda/core/handle.h"
#include "cuda/core/operation.h"

struct graph_node {
    void *handle;
    struct operation work;
    bool is_disabled;
    void **arguments; /* Pointers into the launch's params; NULL until the program requests them. */
    struct graph *graph;
    const void *origin; /* Handle of the original node; `handle` if this node is not a copy. */
    struct graph_node **before;
    size_t before_count;
    bool is_placed; /* Used while the graph is copied: true after the node was copied. */
    size_t place;   /* Used while the graph runs: index of the node. */
};

struct graph {
    void *handle;
    struct graph_node **nodes;
    size_t count;
    struct default_value *defaults; /* Initial values of conditions; copies share them. */
    struct user_reference *references;
    bool is_instance;
    bool is_broken;
    bool has_cycle; /* True if the original graph has a dependency cycle. */
};

struct graph *graph_create(bool is_instance);
void graph_free(struct graph *graph);
HANDLE_LOOKUP(graph_of, graph, HANDLE_GRAPH)
HANDLE_LOOKUP(graph_instance_of, graph, HANDLE_INSTANCE)
HANDLE_LOOKUP(graph_node_of, graph_node, HANDLE_NODE)
/* Returns the node of a handle; NULL if the node is not in `graph`. */
struct graph_node *graph_node_in(const struct graph *graph, const void *handle);

/* Add a node, which then owns the resources of the operation. */
struct graph_node *graph_add(struct graph *graph, const struct operation *work);
void graph_remove(struct graph_node *node);
/* Replace the operation of a node. Takes ownership of the resources of `by`. Returns 0, or an error
 * if the node is NULL or its operation is of a different kind. */
int graph_replace(struct graph_node *node, struct operation by);
void graph_order(struct graph_node *before, struct graph_node *after);
void graph_disorder(struct graph_node *before, struct graph_node *after);

/* Execute or capture an operation, and take ownership of its resources. The host waits for a copy
 * in the legacy default stream. Returns 0 or a CUDA error. */
int graph_submit(struct operation *operation, const void *stream);
/* Append a node after the stream's current dependencies. Returns 0 or a CUDA error. */
int graph_capture(struct stream *stream, const struct operation *operation);
void operation_free(struct operation *operation);

/* Returns a copy with the nodes in dependency order. */
struct graph *graph_clone(const struct graph *graph, bool is_instance);
/* Returns the copy of `node` in the graph `copy`, or NULL. */
struct graph_node *graph_counterpart(const struct graph *copy, const struct graph_node *node);
/* Replace the nodes of `copy` by copies of the nodes of `graph`. Returns false if the two graphs do
 * not have the same kinds of operations in the same order. */
bool graph_update(struct graph *copy, const struct graph *graph);

/* Returns a node's allocation. The memory is allocated now and remains allocated, because all
 * launches of the graph use the same address. */
struct operation graph_allocate(uint64_t bytes);
/* Create a condition. With `is_set`, graph launches start with `value`. Returns 0 or an error. */
int graph_make_condition(struct graph *graph, unsigned value, bool is_set, uint64_t *handle);

/* User objects have a destructor and a reference count. graph_make_object returns the handle. The
 * bool functions return false for an unknown object, an overflow, or too few references. */
void *graph_make_object(void *data, void (*end)(void *), unsigned count);
bool graph_object_retain(const void *object, unsigned count);
bool graph_object_release(const void *object, unsigned count);
void graph_add_reference(struct graph *graph, const void *object, unsigned count);
bool graph_remove_reference(struct graph *graph, const void *object, unsigned count);

/* Write the graph as a Graphviz file. Returns false and sets errno on failure. */
bool graph_draw(const struct graph *graph, const char *path);

/* Execute the graph; host functions run without the runtime's lock. Returns 0 or a CUDA error. */
int graph_run(const struct graph *graph, struct stream *stream);

#endif
