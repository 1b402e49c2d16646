/* archive.h: read an archive of untrusted bytes.
 *
 * Theory of operation. libarchive parses; its output is not trusted. Nothing is written to disk.
 * Claimed sizes and numbers of entries are ignored: bytes are counted while they are unpacked, and
 * reading ends at the limits. Formats are zip, tar (plain, gzip, bzip2, xz), 7z and rar, recognized
 * by their bytes, not by name. Only one level of compression is read, since a few kilobytes in two
 * levels can unpack to terabytes. A zip is read by its central directory, so that an instructor
 * who opens it sees the files that are graded.
 */
#ifndef ARCHIVE_WALK_H
#define ARCHIVE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the name ends in .zip, .tar, .tar.gz, .7z, ..., in any case. */
bool archive_is_name(const char *name);

/* The length of `name` without that ending. */
size_t archive_stem(const char *name);

/* True if the first bytes are those of an archive. Text never matches. */
bool archive_is_magic(const void *bytes, size_t size);

/* The rest of the limits, which nested archives share. */
struct archive_budget {
    size_t entries;
    uint64_t scan_bytes; /* unpacked bytes, also of entries that are skipped */
};

enum archive_kind { ARCHIVE_FILE, ARCHIVE_FOLDER, ARCHIVE_LINK, ARCHIVE_SPECIAL };

struct archive_item {
    const char *name; /* the result of text_clean_path; not checked */
    size_t order;     /* place in the directory: of two equal names, the later one counts */
    enum archive_kind kind;
    bool encrypted;
    /* Last modified, in seconds since 1970; 0: unknown. Local times of a zip are in the zone TZ. */
    int64_t time;
};

struct archive_visitor {
    void *context;
    /* The most bytes to read of this entry; 0: skip it. */
    size_t (*want)(void *context, const struct archive_item *item);
    /* The bytes of an entry, followed by a NUL; the visitor owns them. NULL if `too_large`
     * (there are more bytes than `want` returned) or `damaged` (they cannot be unpacked). */
    void (*take)(void *context, const struct archive_item *item, unsigned char *bytes, size_t size,
                 bool too_large, bool damaged);
    /* The name of the file in a compressed single file (padded.cu.gz); NULL: not accepted. */
    const char *alone;
};

/* Read the archive of `size` `bytes`, or, if `bytes` is NULL, the open file `descriptor` (at its
 * beginning; it stays open). Returns NULL, or a static text on why reading ended early: "is
 * damaged", "has too many entries". */
const char *archive_walk(int descriptor, const void *bytes, size_t size,
                         struct archive_budget *budget, const struct archive_visitor *visitor);

#endif
