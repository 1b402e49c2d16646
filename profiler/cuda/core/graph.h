/* graph.h: CUDA graphs: operations that are stored and executed later, in dependency order. */
#ifndef GRAPH_H
#define GRAPH_H

#include "cuda/core/handle.h"
#include "cuda/core/operation.h"

struct graph_node {
    void *handle;
    struct operation work;
    bool is_disabled;
    void **arguments;           /* Arguments of a kernel; NULL until the program requests them. */
    struct graph *graph;        /* Graph that contains the node. */
    const void *origin;         /* Handle of the original node, or of this node if not a copy. */
    struct graph_node **before; /* Nodes that this node depends on. */
    size_t before_count;
    bool is_placed; /* While the graph is copied: true if the node is in the copy. */
    size_t place;   /* Used while the graph runs: index of the node. */
};

struct graph {
    void *handle;
    struct graph_node **nodes;
    size_t count;
    struct default_value *defaults;    /* Initial values of conditions; copies share them. */
    struct user_reference *references; /* User objects that the graph references. */
    bool is_instance;                  /* True for an executable graph. */
    bool is_broken;                    /* True if an operation could not be captured. */
    bool has_cycle;                    /* True if the original graph has a dependency cycle. */
};

struct graph *graph_create(bool is_instance);
void graph_free(struct graph *graph);
/* Returns the graph, executable graph or node of a handle; NULL if the handle is invalid. */
HANDLE_LOOKUP(graph_of, graph, HANDLE_GRAPH)
HANDLE_LOOKUP(graph_instance_of, graph, HANDLE_INSTANCE)
HANDLE_LOOKUP(graph_node_of, graph_node, HANDLE_NODE)
/* Returns the node of a handle; NULL if the node is not in that graph. */
struct graph_node *graph_node_in(const struct graph *graph, const void *handle);

/* Add a node. The node then owns the resources of the operation. */
struct graph_node *graph_add(struct graph *graph, const struct operation *work);
/* Remove a node, and its edges. */
void graph_remove(struct graph_node *node);
/* Replace the operation of the node by `by`, which has the same kind. Returns 0, or an error; then
 * `by` is freed. */
int graph_replace(struct graph_node *node, struct operation *by);
/* Add (graph_disorder: remove) an edge between two nodes of one graph. */
void graph_order(struct graph_node *before, struct graph_node *after);
void graph_disorder(struct graph_node *before, struct graph_node *after);

/* Execute an operation in the stream of a handle, or append it to the graph that the stream
 * captures. Takes ownership of the resources of the operation. The host waits for copies in a
 * default stream. */
int graph_submit(struct operation *operation, const void *stream);
/* Append a node to the graph that the stream captures, after the stream's current dependencies. */
int graph_capture(struct stream *stream, const struct operation *operation);
void operation_free(struct operation *operation);

/* Returns a copy (if `is_instance`, an executable graph) whose nodes are in dependency order. */
struct graph *graph_clone(const struct graph *graph, bool is_instance);
/* Returns the node of a copy that corresponds to a node of the original graph, or NULL. */
struct graph_node *graph_counterpart(const struct graph *copy, const struct graph_node *node);
/* Copy the operations of `graph` to `copy` if both have the same kinds in the same order. */
bool graph_update(struct graph *copy, const struct graph *graph);

/* Create an allocation node. Its memory is allocated now and never freed, because all launches of
 * the graph use the same address. */
int graph_allocate(uint64_t bytes, struct operation *made);
/* Create the handle of a condition. If `is_set`, each launch of the graph starts with
 * `value`. */
int graph_make_condition(struct graph *graph, unsigned value, bool is_set, uint64_t *handle);

/* User objects: objects of the program with a destructor and a reference count, which graphs and
 * their copies can reference. Returns false for an unknown object, or for too few references. */
void *graph_make_object(void *data, void (*end)(void *), unsigned count);
bool graph_object_retain(const void *object, unsigned count);
bool graph_object_release(const void *object, unsigned count);
void graph_add_reference(struct graph *graph, const void *object, unsigned count);
bool graph_remove_reference(struct graph *graph, const void *object, unsigned count);

/* Write the graph as a Graphviz file. Returns false with errno. */
bool graph_draw(const struct graph *graph, const char *path);

/* Execute the graph. Host functions run without the lock of the runtime. */
int graph_run(const struct graph *graph, struct stream *stream);

#endif
