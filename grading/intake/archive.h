/* archive.h: read an archive of untrusted bytes. libarchive parses the bytes in memory; nothing
 * is written to disk. Claimed sizes may be false, so bytes and entries are counted while they
 * are read, and reading ends at the limits. Formats are zip, tar (plain, gzip, bzip2, xz), 7z
 * and rar; the bytes determine the format. Only one level of compression is read, because two
 * levels may hide terabytes. */
#ifndef ARCHIVE_WALK_H
#define ARCHIVE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true for the endings .zip, .tar, .tar.gz, .7z and similar. Ignores case. */
bool archive_is_name(const char *name);

/* Returns the length of `name` without the ending of an archive. */
size_t archive_stem(const char *name);

bool archive_is_magic(const void *bytes, size_t size);

struct archive_budget {
    size_t entries;
    uint64_t scan_bytes; /* bytes that may be unpacked, including those of skipped entries */
};

enum archive_kind { ARCHIVE_FILE, ARCHIVE_FOLDER, ARCHIVE_LINK, ARCHIVE_SPECIAL };

struct archive_item {
    const char *name; /* result of text_clean_path; may be unsafe, such as "../x" */
    size_t order;
    enum archive_kind kind;
    bool encrypted;
    /* Time of the last change in seconds since 1970; 0 if unknown. Zip times are local (TZ). */
    int64_t time;
};

struct archive_visitor {
    void *context;
    /* Returns the maximum number of bytes to read from this entry; 0 to skip the entry. */
    size_t (*want)(void *context, const struct archive_item *item);
    /* Takes ownership of the malloc'd bytes of an entry; a NUL follows them. `bytes` is NULL if the
     * entry is `too_large` (larger than the result of `want`) or `damaged`. */
    void (*take)(void *context, const struct archive_item *item, unsigned char *bytes, size_t size,
                 bool too_large, bool damaged);
    /* Name for the content of a compressed file such as x.cu.gz; NULL to reject the file. */
    const char *alone;
};

/* Read `size` bytes at `bytes`. If `bytes` is NULL, read the open file `descriptor`, which stays
 * open. Subtracts from *budget. Returns NULL if everything was read. Otherwise, returns a static
 * text with the reason: "is damaged", "has too many entries". */
const char *archive_walk(int descriptor, const void *bytes, size_t size,
                         struct archive_budget *budget, const struct archive_visitor *visitor);

#endif
