#define _GNU_SOURCE
#include "intake/archive.h"

#include "intake/text.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool archive_is_name(const char *name)
{
    return archive_stem(name) < strlen(name);
}

size_t archive_stem(const char *name)
{
    static const char *const ends[] = {".zip", ".tar", ".tar.gz", ".tgz"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);
        if (length > end && !strcasecmp(name + length - end, ends[i]))
            return length - end;
    }
    return length;
}

/* One walk. */
struct walk {
    struct archive *archive;
    const struct archive_limits *limits;
    const struct archive_visitor *visitor;
    uint64_t unpacked; /* bytes, of all entries */
    const char *problem;
    struct failure *failure;
};

/* The bytes of one entry, at most `limit`. */
struct content {
    unsigned char *bytes;
    size_t size, capacity, limit;
    bool too_large, damaged;
};

static bool content_reserve(struct content *content, size_t size)
{
    if (size < content->capacity)
        return true;
    size_t capacity = size + size / 2 + 4096;
    unsigned char *more = realloc(content->bytes, capacity);
    if (!more)
        return false;
    content->bytes = more;
    content->capacity = capacity;
    return true;
}

/* Put a block in its place; what lies between (a sparse file's hole) is zero. */
static bool content_put(struct content *content, int64_t offset, const void *block, size_t size)
{
    if (!size)
        return true;
    if (offset < (int64_t)content->size || (uint64_t)offset > content->limit ||
        size > content->limit - (size_t)offset) {
        content->damaged |= offset < (int64_t)content->size;
        content->too_large = !content->damaged;
        return true;
    }
    if (!content_reserve(content, (size_t)offset + size))
        return false;
    memset(content->bytes + content->size, 0, (size_t)offset - content->size);
    memcpy(content->bytes + offset, block, size);
    content->size = (size_t)offset + size;
    return true;
}

/* Unpack the entry: what is wanted of it, or all, dropped, so that a stream's bytes are counted. */
static bool read_content(struct walk *walk, struct content *content)
{
    const void *block;
    size_t size;
    la_int64_t offset;
    int status;
    while ((status = archive_read_data_block(walk->archive, &block, &size, &offset)) ==
               ARCHIVE_OK ||
           status == ARCHIVE_WARN) {
        walk->unpacked += size;
        if (walk->unpacked > walk->limits->scan_bytes ||
            archive_filter_bytes(walk->archive, 0) > (la_int64_t)walk->limits->scan_bytes) {
            walk->problem = "unpacks to more than the limit";
            content->too_large = true;
            return true;
        }
        if (!content->too_large && !content->damaged && !content_put(content, offset, block, size))
            return failure_harness(walk->failure, "not enough memory");
        bool seekable = archive_format(walk->archive) == ARCHIVE_FORMAT_ZIP;
        if (seekable && (content->too_large || content->damaged))
            return true; /* the rest need not be unpacked */
    }
    if (status == ARCHIVE_EOF)
        return true;
    content->damaged = true;
    if (status == ARCHIVE_FATAL)
        walk->problem = "is damaged";
    return true;
}

static enum archive_kind kind_of(struct archive_entry *entry)
{
    if (archive_entry_hardlink(entry) || archive_entry_symlink(entry))
        return ARCHIVE_LINK;
    switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
        return ARCHIVE_FILE;
    case AE_IFDIR:
        return ARCHIVE_FOLDER;
    case AE_IFLNK:
        return ARCHIVE_LINK;
    default:
        return ARCHIVE_SPECIAL;
    }
}

/* Pass a wanted entry's bytes on. */
static bool take_entry(struct walk *walk, const struct archive_item *item, struct content *content)
{
    bool usable = !content->too_large && !content->damaged;
    if (usable && !content_reserve(content, content->size))
        return failure_harness(walk->failure, "not enough memory");
    if (usable)
        content->bytes[content->size] = 0;
    unsigned char *bytes = usable ? content->bytes : NULL;
    if (usable)
        content->bytes = NULL;
    return walk->visitor->take(walk->visitor->context, item, bytes, usable ? content->size : 0,
                               content->too_large, content->damaged, walk->failure);
}

/* Is the entry as long as it says? A sparse file that ends in a hole is not, either. */
static bool has_claimed_size(struct archive_entry *entry, const struct content *content)
{
    return !archive_entry_size_is_set(entry) ||
           archive_entry_size(entry) == (la_int64_t)content->size;
}

static bool visit_entry(struct walk *walk, struct archive_entry *entry)
{
    const char *raw = archive_entry_pathname(entry);
    char *name = text_clean(raw ? raw : "", raw ? strlen(raw) : 0);
    if (!name)
        return failure_harness(walk->failure, "not enough memory");
    for (char *c = name; *c; c++)
        *c = *c == '\\' ? '/' : *c;
    struct archive_item item = {
        .name = name,
        .kind = kind_of(entry),
        .encrypted = archive_entry_is_encrypted(entry) > 0,
        .time = archive_entry_mtime_is_set(entry) ? archive_entry_mtime(entry) : 0};
    struct content content = {.limit = walk->visitor->want(walk->visitor->context, &item)};
    bool wanted = content.limit > 0;
    bool good = true;
    if (wanted || archive_format(walk->archive) != ARCHIVE_FORMAT_ZIP) {
        content.too_large = !wanted; /* count, but keep nothing */
        good = read_content(walk, &content);
        content.damaged |= !content.too_large && !has_claimed_size(entry, &content);
    }
    if (good && wanted)
        good = take_entry(walk, &item, &content);
    free(content.bytes);
    free(name);
    return good;
}

static bool walk_entries(struct walk *walk)
{
    if (archive_filter_count(walk->archive) > 2) { /* one, and "none" */
        walk->problem = "is compressed more than once";
        return true;
    }
    for (size_t count = 0; !walk->problem; count++) {
        struct archive_entry *entry;
        int status = archive_read_next_header(walk->archive, &entry);
        if (status == ARCHIVE_EOF)
            return true;
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
            walk->problem = "is damaged";
        else if (count == walk->limits->entries)
            walk->problem = "has too many entries";
        else if (!visit_entry(walk, entry))
            return false;
    }
    return true;
}

/* Entries that a zip in memory says it has (APPNOTE 4.3.16): libarchive reads all of its directory
 * at once, which for a million entries takes more memory than a class. 0: it does not say. */
static size_t zip_entries(const unsigned char *bytes, size_t size)
{
    enum { RECORD = 22, COMMENT_MAX = 65535 };
    for (size_t back = RECORD; back <= size && back <= RECORD + COMMENT_MAX; back++) {
        const unsigned char *record = bytes + size - back;
        if (!memcmp(record, "PK\5\6", 4))
            return record[10] | (size_t)record[11] << 8;
    }
    return 0;
}

static bool walk_open(struct walk *walk, const char *path, const void *bytes, size_t size)
{
    struct archive *archive = walk->archive;
    if (!path && zip_entries(bytes, size) > walk->limits->entries) {
        walk->problem = "has too many entries";
        return false;
    }
    archive_read_support_format_zip_seekable(archive);
    archive_read_support_format_tar(archive);
    archive_read_support_filter_gzip(archive);
    int status = path ? archive_read_open_filename(archive, path, 1 << 16)
                      : archive_read_open_memory(archive, bytes, size);
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN)
        return true;
    walk->problem = "is no archive, or damaged";
    return false;
}

bool archive_walk(const char *path, const void *bytes, size_t size,
                  const struct archive_limits *limits, const struct archive_visitor *visitor,
                  const char **problem, struct failure *failure)
{
    struct walk walk = {
        .archive = archive_read_new(), .limits = limits, .visitor = visitor, .failure = failure};
    if (!walk.archive)
        return failure_harness(failure, "not enough memory");
    /* libarchive converts names to the charset of the locale: bytes stay as they are in UTF-8. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    bool good = !walk_open(&walk, path, bytes, size) || walk_entries(&walk);
    archive_read_free(walk.archive);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    *problem = walk.problem;
    return good;
}
