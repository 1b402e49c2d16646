/* array_shapes.h: rows and columns of the shared, device and constant arrays that a source file
 * declares; and its conditions.
 *
 * PTX knows an array by its name and its bytes. Its shape stands in the source alone, where
 * `__shared__ float box[ROWS][COLS + 3];` is easily read, once the macros and constants
 * are known. What cannot be read (a template parameter, sizeof) is left out: the shapes only serve
 * messages, and are used only where they agree with the array's bytes.
 */
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
    uint32_t extent[ARRAY_DIMENSIONS_MAX]; /* outermost first */
};

struct array_shapes {
    unsigned count;
    struct array_shape shapes[ARRAY_SHAPES_MAX];
    const char *path; /* of the file, which must outlive this; NULL: not known */
    struct conditions conditions;
};

/* Read the shapes from the text of a source file, any bytes at all. `defines` are macros given to
 * the compiler, "NAME" or "NAME=VALUE", which win over a `#define` in the text. */
void array_shapes_parse(const char *text, size_t length, const char *const *defines,
                        size_t define_count, struct array_shapes *shapes);

/* The same from a file; no shapes where it cannot be read or is larger than 256 KB. */
void array_shapes_read(const char *path, const char *const *defines, size_t define_count,
                       struct array_shapes *shapes);

/* The shape of an array of that name and of that many bytes; NULL where no shape fits.
 * *element_bytes (1, 2, 4, 8 or 16) is how wide an access to it was; where arrays of one name
 * differ, the one with such elements is preferred. It becomes the width of an element. */
const struct array_shape *array_shapes_find(const struct array_shapes *shapes, const char *name,
                                            uint64_t bytes, unsigned *element_bytes);

#endif
