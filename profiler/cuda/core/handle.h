/* handle.h: the handles by which a program knows streams, graphs, modules and all else.
 *
 * A handle is a number that looks like no address: the kind of the object, its place in the table
 * of that kind, and how often the place was used before. Every handle that comes from the program
 * is looked up here, so one that was freed, invented or made for something else finds nothing.
 */
#ifndef HANDLE_H
#define HANDLE_H

#include <stddef.h>

enum handle_kind {
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_GRAPH,
    HANDLE_INSTANCE, /* an executable graph */
    HANDLE_NODE,
    HANDLE_USER_OBJECT,
    HANDLE_MODULE,
    HANDLE_KERNEL,
    HANDLE_LINK,
    HANDLE_ARRAY,
    HANDLE_POOL,
    HANDLE_CONTEXT,
    HANDLE_MEMORY, /* physical memory of cuMemCreate */
    HANDLE_KINDS
};

/* A new handle of the object, which stays the caller's. */
void *handle_make(enum handle_kind kind, void *object);
/* The object of a handle. NULL: it is no handle of that kind, or was forgotten. */
void *handle_find(enum handle_kind kind, const void *handle);
/* Make the handle invalid. Returns its object, or NULL as handle_find does. */
void *handle_forget(enum handle_kind kind, const void *handle);
/* The next object of a kind: *place is 0 at first. NULL after the last. */
void *handle_next(enum handle_kind kind, size_t *place);

#endif
