/* operation.h: what streams and graphs carry out, as values: launches, copies and the others. */
#ifndef OPERATION_H
#define OPERATION_H

#include "cuda/abi.h"
#include "cuda/core/heap.h"
#include "cuda/core/launch.h"

enum operation_kind { /* enum cudaGraphNodeType */
                      OPERATION_KERNEL = 0,
                      OPERATION_COPY = 1,
                      OPERATION_SET = 2,
                      OPERATION_HOST = 3,
                      OPERATION_CHILD = 4,
                      OPERATION_EMPTY = 5,
                      OPERATION_WAIT = 6, /* for an event */
                      OPERATION_RECORD = 7,
                      OPERATION_ALLOCATE = 10,
                      OPERATION_FREE = 11,
                      OPERATION_CONDITION = 13,
                      OPERATION_NONE = -1 /* invalid parameters */
};

enum condition_kind { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH };

/* Graphs that a value chooses from, or repeats. Kernels set it by its handle, which is the
 * address of a word of managed memory. */
struct condition {
    uint64_t handle;
    enum condition_kind kind;
    unsigned count;
    void **bodies; /* handles of graphs, which the node owns */
};

struct operation {
    enum operation_kind kind;
    union {
        struct launch launch;
        struct heap_copy copy;
        struct heap_set set;
        struct host_call call;
        struct condition condition;
        void *handle; /* of an event, or of the node's own child graph */
        void *memory; /* that it allocates or frees */
    };
};

/* A copy of bytes. */
struct operation operation_copy(void *to, const void *from, size_t bytes, int kind);
/* A copy of a box as rows of memory: 0 or an error. */
int operation_copy_box(const struct copy_3d *parameters, struct operation *made);
/* A setting of elements; `width` counts elements. OPERATION_NONE if there is none such. */
struct operation operation_set(const struct set_node *parameters);

/* Carry out a launch, a copy or a setting in a stream, with its time, and show it to the checks. */
int operation_run(const struct operation *operation, struct stream *stream);

#endif
