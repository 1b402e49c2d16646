/* archive.h: read an archive of untrusted bytes.
 *
 * Theory of operation. libarchive parses the bytes; its output is not trusted. Nothing is written
 * to disk. Claimed sizes are not trusted: bytes and entries are counted while they are read, and
 * reading ends at the limits. Formats are zip, tar (plain, gzip, bzip2, xz), 7z and rar. The bytes,
 * not the name, determine the format. Only one level of compression is read, because a small file
 * with two levels can unpack to terabytes. Names in a zip come from its central directory.
 */
#ifndef ARCHIVE_WALK_H
#define ARCHIVE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true if the name ends in .zip, .tar, .tar.gz, .7z, ..., in upper or lower case. */
bool archive_is_name(const char *name);

/* Returns the length of `name` without the ending of an archive (archive_is_name). */
size_t archive_stem(const char *name);

/* Returns true if the first bytes identify an archive. */
bool archive_is_magic(const void *bytes, size_t size);

/* The remaining budget, which an archive and its nested archives share. */
struct archive_budget {
    size_t entries;
    uint64_t scan_bytes; /* bytes that may be unpacked, including bytes of skipped entries */
};

enum archive_kind { ARCHIVE_FILE, ARCHIVE_FOLDER, ARCHIVE_LINK, ARCHIVE_SPECIAL };

struct archive_item {
    const char *name; /* result of text_clean_path, which may be unsafe, such as "../x" */
    size_t order;     /* index in the archive; the last of several entries with one name is used */
    enum archive_kind kind;
    bool encrypted;
    /* Time of the last change in seconds since 1970; 0: unknown. Times in a zip are local (TZ). */
    int64_t time;
};

struct archive_visitor {
    void *context;
    /* Returns the maximum number of bytes to read from this entry; 0: skip the entry. */
    size_t (*want)(void *context, const struct archive_item *item);
    /* Receives the malloc'd bytes of an entry, followed by a NUL, and takes ownership. `bytes` is
     * NULL if the entry is `too_large` (larger than the result of `want`) or `damaged`. */
    void (*take)(void *context, const struct archive_item *item, unsigned char *bytes, size_t size,
                 bool too_large, bool damaged);
    /* Name for the content of a single compressed file (padded.cu.gz); NULL: reject the file. */
    const char *alone;
};

/* Read an archive: `size` bytes at `bytes`, or, if `bytes` is NULL, the open file `descriptor`,
 * which stays open. Subtracts from *budget. Returns NULL if everything was read. Otherwise, returns
 * a static text with the reason why reading ended early: "is damaged", "has too many entries". */
const char *archive_walk(int descriptor, const void *bytes, size_t size,
                         struct archive_budget *budget, const struct archive_visitor *visitor);

#endif
