/* archive.h: walk through an archive of untrusted bytes.
 *
 * Theory of operation. libarchive parses; we never believe what it passes on. Nothing is written to
 * disk. What an archive claims (sizes, numbers of entries) decides nothing: bytes are counted as
 * they come, and reading ends at the limits. The formats are those that students' machines make:
 * zip, tar (plain, gzip, bzip2, xz), 7z, rar; and one compression, not one within the other, since
 * a few kilobytes can unpack to terabytes. What it really is, its bytes say, not its name. A zip is
 * read by its central directory, names included, as other tools read it, so that what an instructor
 * sees when opening it is what is graded.
 */
#ifndef ARCHIVE_WALK_H
#define ARCHIVE_WALK_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By the end of its name: .zip, .tar, .tar.gz, .7z, ..., in any case. */
bool archive_is_name(const char *name);

/* `name` without that end; its length. */
size_t archive_stem(const char *name);

/* By its first bytes? Text never is one. */
bool archive_is_magic(const void *bytes, size_t size);

/* What may be used, less what was: archives in archives share it. */
struct archive_budget {
    size_t entries;      /* looked at */
    uint64_t scan_bytes; /* unpacked, whether wanted or not */
};

enum archive_kind { ARCHIVE_FILE, ARCHIVE_FOLDER, ARCHIVE_LINK, ARCHIVE_SPECIAL };

struct archive_item {
    const char *name; /* as text_clean leaves it, '\' as '/', nothing else checked */
    size_t order;     /* in the directory: of two entries of one name the later one counts */
    enum archive_kind kind;
    bool encrypted;
    int64_t
        time; /* last modified, in seconds since 1970; 0: unknown. A zip that has local time only
                     means that of TZ */
};

struct archive_visitor {
    void *context;
    /* How many bytes of this entry are wanted at most; 0: none, go on to the next. */
    size_t (*want)(void *context, const struct archive_item *item);
    /* The bytes of a wanted entry, NUL behind the last, which the visitor then owns. `too_large`:
     * there are more than were wanted, and `damaged`: they cannot be unpacked (bytes is NULL then).
     * False ends the walk: a harness failure. */
    bool (*take)(void *context, const struct archive_item *item, unsigned char *bytes, size_t size,
                 bool too_large, bool damaged);
    /* The name of a file that is compressed by itself (padded.cu.gz); NULL: that is no archive. */
    const char *alone;
};

/* Walk through the archive of `size` `bytes`, or, when `bytes` is NULL, through the file that
 * `descriptor` is open for (at its beginning; it stays open). *problem is NULL, or a static text
 * that says why the walk ended early: "is damaged", "has too many entries", ... False: harness
 * failure. */
bool archive_walk(int descriptor, const void *bytes, size_t size, struct archive_budget *budget,
                  const struct archive_visitor *visitor, const char **problem,
                  struct failure *failure);

#endif
