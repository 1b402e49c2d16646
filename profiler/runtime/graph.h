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
                       NODE_WAIT = 6, /* for an event */
                       NODE_RECORD = 7,
                       NODE_ALLOCATE = 10,
                       NODE_FREE = 11,
                       NODE_CONDITION = 13,
                       NODE_NONE = -1 /* what no node is */
};

enum condition_kind { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH };

/* Graphs that a value chooses from, or repeats. Kernels set it by its handle, which is the
 * address of a word of managed memory. */
struct graph_condition {
    uint64_t handle;
    enum condition_kind kind;
    unsigned count;
    struct graph **bodies; /* the node's */
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
    struct graph_condition condition;
    struct event *event;
    void *memory;                    /* that it allocates or frees */
    void **arguments;                /* of a kernel, made when somebody asks for them */
    struct graph *graph;             /* that it belongs to */
    const struct graph_node *origin; /* in a copy: what it is the copy of */
    struct graph_node **before;      /* nodes that come first */
    size_t before_count;
    bool is_placed; /* while the graph is copied */
    size_t place;   /* while it is carried out */
};

struct graph *graph_create(void);
void graph_free(struct graph *graph);
/* NULL: no graph. */
struct graph *graph_of(const void *handle);

bool graph_has(const struct graph *graph, const struct graph_node *node);
/* Whether nodes of the graph that this is a copy of come behind each other, or themselves. */
bool graph_has_cycle(const struct graph *copy);
/* Add a node. */
struct graph_node *graph_add(struct graph *graph, const struct graph_node *node);
/* Add a node to what the stream is captured into, behind what it has come behind. 0. */
int graph_capture(struct stream *stream, const struct graph_node *node);

/* Its nodes. */
size_t graph_size(const struct graph *graph);
struct graph_node *graph_at(const struct graph *graph, size_t number);

/* One node before another of the same graph. */
void graph_order(struct graph_node *before, struct graph_node *behind);
/* A copy, each node behind those that must come first: an instantiated graph. */
struct graph *graph_clone(const struct graph *graph);
/* Allocate memory for a node of a graph, which this makes: it is there from now on, at the address
 * that all launches of the graph use, and stays when it is freed, because the next launch has it
 * again. */
int graph_allocate(uint64_t bytes, struct graph_node *node);
/* Make a handle; with `is_set` each launch of the graph begins with the value. */
int graph_make_condition(struct graph *graph, unsigned value, bool is_set, uint64_t *handle);
/* Take a node out; what depended on it depends on it no longer. */
void graph_remove(struct graph_node *node);
/* No longer one node before another. */
void graph_disorder(struct graph_node *before, struct graph_node *behind);

/* What a graph and its copies hold until the last of them is freed: a program's object with the
 * function that ends it, counted. */
struct user_object *graph_make_object(void *data, void (*end)(void *), unsigned count);
/* False where there is no such object, or fewer references than are given back. */
bool graph_object_retain(struct user_object *object, unsigned count);
bool graph_object_release(struct user_object *object, unsigned count);
void graph_hold(struct graph *graph, struct user_object *object, unsigned count);
bool graph_let_go(struct graph *graph, struct user_object *object, unsigned count);

/* The work that is captured into the graph did what cannot be captured: it comes to nothing. */
void graph_break(struct graph *graph);
bool graph_is_broken(const struct graph *graph);

/* Write it in the language of Graphviz. False: errno says why not. */
bool graph_draw(const struct graph *graph, const char *path);

/* The nodes, or those that nothing must come before; `nodes` may be NULL to ask for *count,
 * which else says how many there is room for. An error where there is no graph. */
int graph_list(const struct graph *graph, bool only_roots, void **nodes, size_t *count);
/* The node of a copy that stands for a node of the graph that it was made of. */
struct graph_node *graph_counterpart(const struct graph *copy, const struct graph_node *node);
/* Take over what the nodes of a graph do, if they are of the same kinds in the same order. */
bool graph_update(struct graph *copy, const struct graph *graph);

/* Carry it out; functions of the host run without the runtime's lock. */
int graph_run(const struct graph *graph, struct stream *stream);

struct copy_3d { /* cudaMemcpy3DParms */
    void *from_array;
    struct position from_at;
    struct pitched from;
    void *to_array;
    struct position to_at;
    struct pitched to;
    struct extent extent;
    int kind;
};

/* The same as rows of memory: 0 or an error. */
int copy_of_3d(const struct copy_3d *parameters, struct heap_copy *copy);
/* Carry it out, or capture it. */
int copy_box(const struct copy_3d *parameters, void *stream);

/* A copy or a setting in a stream, with its time. */
int work_copy(const struct heap_copy *copy, struct stream *stream);
int work_set(const struct graph_set *set, struct stream *stream);
/* The setting in the stream of a handle, or captured. */
int set_in(const struct graph_set *set, const void *handle);

#endif
