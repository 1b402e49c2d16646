/* zip_names.c: see zip_names.h. Numbers of sections are those of PKWARE's APPNOTE 6.3. */
#include "intake/zip_names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    END_BYTES = 22,      /* 4.3.16, without the comment */
    COMMENT_MAX = 65535, /* behind it */
    HEADER_BYTES = 46,   /* 4.3.12, without name, extra field and comment */
    UTF8_FLAG = 1 << 11, /* 4.4.4 */
    DIRECTORY_MAX = 32 << 20,
};

static uint32_t number(const unsigned char *bytes, unsigned count)
{
    uint32_t value = 0;
    while (count--)
        value = value << 8 | bytes[count];
    return value;
}

/* `count` bytes at `offset`, of the bytes or of the file; malloc'd. NULL: not there, or no memory,
 * which *no_memory tells. */
static unsigned char *part(int descriptor, const void *bytes, size_t size, size_t offset,
                           size_t count, bool *no_memory)
{
    if (offset > size || count > size - offset)
        return NULL;
    unsigned char *copy = malloc(count + 1);
    *no_memory |= !copy;
    if (copy && bytes) {
        memcpy(copy, (const char *)bytes + offset, count);
    } else if (copy && pread(descriptor, copy, count, (off_t)offset) != (ssize_t)count) {
        free(copy);
        copy = NULL;
    }
    return copy;
}

static int compare_offsets(const void *one, const void *other)
{
    const struct zip_name *a = one, *b = other;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* The entries of the directory, as far as they are whole. */
static bool take_entries(struct zip_names *names, size_t size)
{
    const unsigned char *at = names->directory, *end = at + size;
    if (!(names->names = calloc(names->claimed + 1, sizeof *names->names)))
        return false;
    for (size_t i = 0; i < names->claimed; i++) {
        if (end - at < HEADER_BYTES || memcmp(at, "PK\1\2", 4))
            break;
        size_t length = number(at + 28, 2);
        size_t whole = HEADER_BYTES + length + number(at + 30, 2) + number(at + 32, 2);
        if ((size_t)(end - at) < whole)
            break;
        names->names[names->count++] = (struct zip_name){.offset = number(at + 42, 4),
                                                         .order = i,
                                                         .bytes = (const char *)at + HEADER_BYTES,
                                                         .length = length,
                                                         .utf8 = number(at + 8, 2) & UTF8_FLAG};
        at += whole;
    }
    size_t kept = 0;
    qsort(names->names, names->count, sizeof *names->names, compare_offsets);
    for (size_t i = 0; i < names->count; i++)
        if (!kept || names->names[kept - 1].offset != names->names[i].offset)
            names->names[kept++] = names->names[i];
    names->count = kept;
    return true;
}

bool zip_names_read(int descriptor, const void *bytes, size_t size, struct zip_names *names)
{
    *names = (struct zip_names){0};
    struct stat status;
    bool no_memory = false;
    if (!bytes)
        size = fstat(descriptor, &status) || status.st_size < 0 ? 0 : (size_t)status.st_size;
    size_t tail_bytes = size < END_BYTES + COMMENT_MAX ? size : END_BYTES + COMMENT_MAX;
    unsigned char *tail = part(descriptor, bytes, size, size - tail_bytes, tail_bytes, &no_memory);
    for (size_t back = END_BYTES; tail && back <= tail_bytes; back++) {
        const unsigned char *record = tail + tail_bytes - back;
        if (memcmp(record, "PK\5\6", 4))
            continue;
        names->claimed = number(record + 10, 2);
        size_t directory_bytes = number(record + 12, 4), end = size - back;
        /* It stands in front of its end; where it says that it is may be off, when something was
         * put in front of the archive. */
        if (directory_bytes <= end && directory_bytes <= DIRECTORY_MAX && names->claimed < 65535)
            names->directory =
                part(descriptor, bytes, size, end - directory_bytes, directory_bytes, &no_memory);
        if (names->directory && !take_entries(names, directory_bytes))
            no_memory = true;
        break;
    }
    free(tail);
    return !no_memory;
}

void zip_names_free(struct zip_names *names)
{
    free(names->names);
    free(names->directory);
    *names = (struct zip_names){0};
}
