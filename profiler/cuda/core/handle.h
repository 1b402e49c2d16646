/* handle.h: the handles of streams, graphs, modules and other objects of a program. A handle is
 * never a valid address. It contains the kind, the index and the use count of the object's place.
 * So freed handles, invented handles, and handles of the wrong kind are rejected. */
#ifndef HANDLE_H
#define HANDLE_H

#include <stddef.h>
#include <stdint.h>

enum handle_kind {
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_GRAPH,
    HANDLE_INSTANCE,
    HANDLE_NODE,
    HANDLE_USER_OBJECT,
    HANDLE_MODULE,
    HANDLE_KERNEL,
    HANDLE_LINK,
    HANDLE_ARRAY,
    HANDLE_POOL,
    HANDLE_CONTEXT,
    HANDLE_MEMORY, /* Physical memory of cuMemCreate. */
    HANDLE_KINDS
};

/* Returns a new handle of the object, which the caller still owns. */
void *handle_make(enum handle_kind kind, void *object);
/* Returns the object of a handle; NULL if the handle is invalid or of the wrong kind. */
void *handle_find(enum handle_kind kind, const void *handle);
/* Defines name(handle), which returns the object (struct `type`), or NULL. */
#define HANDLE_LOOKUP(name, type, kind)                                                            \
    static inline struct type *name(const void *handle)                                            \
    {                                                                                              \
        return handle_find(kind, handle);                                                          \
    }
/* Invalidate the handle. Returns the object, or NULL like handle_find. */
void *handle_forget(enum handle_kind kind, const void *handle);
/* Returns the next object of a kind; NULL after the last object. Initialize *place with 0. */
void *handle_next(enum handle_kind kind, size_t *place);
#define FOR_OBJECTS(at, type, kind)                                                                \
    for (size_t place_ = 0; place_ != SIZE_MAX; place_ = SIZE_MAX)                                 \
        for (struct type * at; (at = handle_next(kind, &place_));)

#endif
