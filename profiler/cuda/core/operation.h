/* operation.h: the operations of streams and graphs, such as launches, copies and memsets. */
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
                      OPERATION_WAIT = 6,
                      OPERATION_RECORD = 7,
                      OPERATION_ALLOCATE = 10,
                      OPERATION_FREE = 11,
                      OPERATION_CONDITION = 13,
                      OPERATION_NONE = -1 /* Invalid parameters; see `error`. */
};

enum condition_kind { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH };

/* The value of a condition selects or repeats a body. Kernels set the value through the handle,
 * which is the address of a word of managed memory. */
struct condition {
    uint64_t handle;
    enum condition_kind kind;
    unsigned count;
    void **bodies; /* Handles of the graphs, which the node owns. */
};

struct operation {
    enum operation_kind kind;
    union {
        struct launch launch;
        struct heap_copy copy;
        struct heap_set set;
        struct host_call call;
        struct condition condition;
        void *handle; /* An event, or the child graph, which the node owns. */
        void *memory;
        int error; /* CUDA error of OPERATION_NONE. */
    };
};

static inline struct operation operation_failed(int error)
{
    return (struct operation){.kind = OPERATION_NONE, .error = error};
}

/* These functions return OPERATION_NONE for invalid parameters. operation_launch sets the kernel of
 * `launch` by its handle or host function, and copies the values at the pointers `arguments`. */
struct operation operation_launch(struct launch launch, const void *handle, void *const *arguments);
struct operation operation_copy(void *to, const void *from, size_t bytes, int kind);
struct operation operation_copy_box(const struct copy_3d *parameters);
/* Copy between memory and a part of a variable, which is the destination if `to_symbol` is true. */
struct operation operation_copy_symbol(void *memory, const void *symbol, size_t bytes,
                                       size_t offset, bool to_symbol);
struct operation operation_set(const struct set_node *parameters);

/* Execute a launch, copy or memset with its modelled time and checks. Returns 0 or a CUDA error. */
int operation_run(const struct operation *operation, struct stream *stream);

#endif
