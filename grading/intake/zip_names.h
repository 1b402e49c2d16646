/* zip_names.h: the names in a zip's central directory.
 *
 * A zip names each file twice, in front of its data and in the directory at the end, and only the
 * directory counts: for unzip, for file managers, for us. libarchive finds the data by the
 * directory, too, but says the names in front of them.
 */
#ifndef ZIP_NAMES_H
#define ZIP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zip_name {
    uint64_t offset; /* of the data's header */
    size_t order;    /* in the directory */
    const char *bytes;
    size_t length;
    bool utf8; /* says so; others are of code page 437, or of the machine that made it */
};

/* Ascending by `offset`, in which order libarchive passes entries; of several with one offset the
 * first in the directory, as there. */
struct zip_names {
    struct zip_name *names;
    size_t count;
    size_t claimed; /* entries, as the end of the directory says */
    unsigned char *directory;
};

/* Read them, from `bytes` or, when that is NULL, from the file `descriptor`, whose position stays.
 * Nothing is found in what is no zip, nor in one of more than 4 GB or 65534 files. False: no
 * memory. */
bool zip_names_read(int descriptor, const void *bytes, size_t size, struct zip_names *names);
void zip_names_free(struct zip_names *names);

#endif
