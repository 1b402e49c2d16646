/* archive.h: read an archive of untrusted bytes.
 *
 * Theory of operation. libarchive parses the bytes; its output is not trusted. Nothing is written
 * to disk. Claimed sizes and numbers of entries are ignored: bytes are counted while they are
 * unpacked, and reading ends at the limits. Formats are zip, tar (plain, gzip, bzip2, xz), 7z and
 * rar. The bytes, not the name, determine the format. Only one level of compression is read, since
 * a few kilobytes in two levels can unpack to terabytes. A zip is read by its central directory:
 * these files are graded, and an instructor who opens the zip sees the same files.
 */
#ifndef ARCHIVE_WALK_H
#define ARCHIVE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true if the name ends in .zip, .tar, .tar.gz, .7z, ..., in any case. */
bool archive_is_name(const char *name);

/* Returns the length of `name` without such an ending. */
size_t archive_stem(const char *name);

/* Returns true if the first bytes are those of an archive. Text never matches. */
bool archive_is_magic(const void *bytes, size_t size);

/* The remaining limits. Nested archives share them. */
struct archive_budget {
    size_t entries;
    uint64_t scan_bytes; /* bytes to unpack; bytes of skipped entries count, too */
};

enum archive_kind { ARCHIVE_FILE, ARCHIVE_FOLDER, ARCHIVE_LINK, ARCHIVE_SPECIAL };

struct archive_item {
    const char *name; /* the result of text_clean_path; not checked */
    size_t order;     /* place in the directory; if names are equal, the last entry counts */
    enum archive_kind kind;
    bool encrypted;
    /* Time of the last change in seconds since 1970; 0: unknown. Zips have local times (TZ). */
    int64_t time;
};

struct archive_visitor {
    void *context;
    /* Returns the largest number of bytes to read of this entry; 0: skip the entry. */
    size_t (*want)(void *context, const struct archive_item *item);
    /* Takes the bytes of an entry, with a NUL after them. The visitor owns `bytes`, which is NULL
     * if `too_large` (more than `want` returned) or `damaged` (the entry cannot be unpacked). */
    void (*take)(void *context, const struct archive_item *item, unsigned char *bytes, size_t size,
                 bool too_large, bool damaged);
    /* The file name for a single compressed file (padded.cu.gz); NULL: such files are rejected. */
    const char *alone;
};

/* Read the archive of `size` `bytes`. If `bytes` is NULL, read the open file `descriptor` from its
 * beginning; the file stays open. Returns NULL, or a static text that states why reading ended
 * early: "is damaged", "has too many entries". */
const char *archive_walk(int descriptor, const void *bytes, size_t size,
                         struct archive_budget *budget, const struct archive_visitor *visitor);

#endif
