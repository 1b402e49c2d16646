/* array_shapes.h: the shapes of the shared, device and constant arrays that a source file declares,
 * for messages. PTX contains only their sizes, so the source is read: `__shared__ float
 * box[ROWS][COLS + 3];`. Shapes that cannot be evaluated (templates, sizeof) are omitted. */
#ifndef ARRAY_SHAPES_H
#define ARRAY_SHAPES_H

#include "text/conditions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARRAY_SHAPES_MAX = 32, ARRAY_DIMENSIONS_MAX = 4, ARRAY_NAME_SIZE = 64 };

struct array_shape {
    char name[ARRAY_NAME_SIZE];
    unsigned dimensions;
    uint32_t extent[ARRAY_DIMENSIONS_MAX]; /* outermost dimension first */
};

struct array_shapes {
    unsigned count;
    struct array_shape shapes[ARRAY_SHAPES_MAX];
    const char *path; /* not owned; NULL if unknown */
    struct conditions conditions;
};

/* Read the shapes from the text of a source file, which may contain any bytes. `defines` are macros
 * of the command line, "NAME" or "NAME=VALUE", which override a `#define` in the text. */
void array_shapes_parse(const char *text, size_t length, const char *const *defines,
                        size_t define_count, struct array_shapes *shapes);

/* Read the shapes from a file. An unreadable file, or a file larger than 256 KiB, has no shapes. */
void array_shapes_read(const char *path, const char *const *defines, size_t define_count,
                       struct array_shapes *shapes);

/* Returns the shape of an array with this name and size in bytes, or NULL. On entry, *element_bytes
 * is the width of an access (1, 2, 4, 8 or 16). Of several arrays with this name, an array with
 * elements of this width is preferred. On return, *element_bytes is the width of an element. */
const struct array_shape *array_shapes_find(const struct array_shapes *shapes, const char *name,
                                            uint64_t bytes, unsigned *element_bytes);

#endif
