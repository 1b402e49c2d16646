#define _GNU_SOURCE
#include "intake/archive.h"

#include "intake/text.h"
#include "process/allocate.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool archive_is_name(const char *name)
{
    return archive_stem(name) < strlen(name);
}

size_t archive_stem(const char *name)
{
    static const char *const ends[] = {".zip", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar",
                                       ".tgz", ".tbz2",   ".txz",     ".7z",     ".rar",
                                       ".gz",  ".bz2",    ".xz"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);
        if (length > end && !strcasecmp(name + length - end, ends[i]))
            return length - end;
    }
    return length;
}

bool archive_is_magic(const void *bytes, size_t size)
{
    static const struct {
        const char *bytes;
        size_t size, offset;
    } magics[] = {{"PK\3\4", 4, 0},
                  {"PK\5\6", 4, 0},
                  {"7z\xBC\xAF\x27\x1C", 6, 0},
                  {"Rar!\x1A\7", 6, 0},
                  {"\x1F\x8B", 2, 0},
                  {"\xFD"
                   "7zXZ",
                   6, 0},
                  {"BZh", 3, 0},
                  {"ustar", 5, 257}};
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (size >= magics[i].offset + magics[i].size &&
            !memcmp((const char *)bytes + magics[i].offset, magics[i].bytes, magics[i].size))
            return true;
    return false;
}

struct zip_name {
    uint64_t offset;
    size_t order;
    const char *bytes;
    size_t length;
    bool utf8;
};

struct walk {
    struct archive *archive;
    int descriptor;
    const unsigned char *bytes; /* NULL if the archive is read from `descriptor` */
    size_t size;
    struct archive_budget *budget;
    const struct archive_visitor *visitor;
    unsigned char *directory;
    struct zip_name *names;
    size_t name_count;
    uint64_t unpacked;
    const char *problem;
};

/* A zip contains each file name twice: in the local header before the data, and in the directory at
 * the end. libarchive reports the name in the local header. This module uses the name in the
 * directory, as unzip and file managers do. Section numbers refer to PKWARE's APPNOTE 6.3. */

enum {
    END_BYTES = 22, /* bytes of an end record without its comment (4.3.16) */
    COMMENT_MAX = 65535,
    HEADER_BYTES = 46, /* bytes of a directory entry without its texts (4.3.12) */
    UTF8_FLAG = 1 << 11,
    FILES_MAX = 65534,
    DIRECTORY_MAX = 32 << 20,
};

static uint32_t number(const unsigned char *bytes, unsigned count)
{
    uint32_t value = 0;
    while (count--)
        value = value << 8 | bytes[count];
    return value;
}

static unsigned char *read_part(const struct walk *walk, size_t offset, size_t count)
{
    unsigned char *copy = allocate_checked(malloc(count + 1));
    if (walk->bytes)
        memcpy(copy, walk->bytes + offset, count);
    else if (pread(walk->descriptor, copy, count, (off_t)offset) != (ssize_t)count) {
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

/* Store the names in walk->names by ascending offset, the order in which libarchive reads a zip. Of
 * several entries with the same offset, store only the first. */
static void take_names(struct walk *walk, size_t directory_bytes, size_t claimed)
{
    const unsigned char *at = walk->directory, *end = at + directory_bytes;
    walk->names = allocate_checked(calloc(claimed + 1, sizeof *walk->names));
    size_t count = 0;
    while (count < claimed && end - at >= HEADER_BYTES && !memcmp(at, "PK\1\2", 4)) {
        size_t length = number(at + 28, 2);
        size_t whole = HEADER_BYTES + length + number(at + 30, 2) + number(at + 32, 2);
        if ((size_t)(end - at) < whole)
            break;
        walk->names[count] = (struct zip_name){.offset = number(at + 42, 4),
                                               .order = count,
                                               .bytes = (const char *)at + HEADER_BYTES,
                                               .length = length,
                                               .utf8 = number(at + 8, 2) & UTF8_FLAG};
        count++;
        at += whole;
    }
    qsort(walk->names, count, sizeof *walk->names, compare_offsets);
    for (size_t i = 0; i < count; i++)
        if (!i || walk->names[walk->name_count - 1].offset != walk->names[i].offset)
            walk->names[walk->name_count++] = walk->names[i];
}

/* Reject a zip that claims too many entries, because libarchive would read them all at once. */
static void read_directory(struct walk *walk)
{
    size_t tail_bytes = walk->size < END_BYTES + COMMENT_MAX ? walk->size : END_BYTES + COMMENT_MAX;
    unsigned char *tail = read_part(walk, walk->size - tail_bytes, tail_bytes);
    const unsigned char *record = NULL;
    size_t back = END_BYTES;
    for (; tail && !record && back <= tail_bytes; back++)
        if (!memcmp(tail + tail_bytes - back, "PK\5\6", 4))
            record = tail + tail_bytes - back;
    if (record) {
        size_t claimed = number(record + 10, 2), bytes = number(record + 12, 4);
        size_t end = walk->size - (back - 1);
        if (claimed > walk->budget->entries)
            walk->problem = "has too many entries";
        /* If other bytes precede the zip, the directory's claimed start is wrong. Compute the start
         * from the end of the directory. */
        else if (bytes <= end && bytes <= DIRECTORY_MAX && claimed <= FILES_MAX &&
                 (walk->directory = read_part(walk, end - bytes, bytes)))
            take_names(walk, bytes, claimed);
    }
    free(tail);
}

struct content {
    unsigned char *bytes;
    size_t size, capacity, limit;
    bool too_large, damaged;
};

static void content_reserve(struct content *content, size_t size)
{
    if (size < content->capacity)
        return;
    content->capacity = size + size / 2 + 4096;
    content->bytes = allocate_checked(realloc(content->bytes, content->capacity));
}

/* Append a block at `offset`. If the file is sparse, zeros fill the hole before the block. */
static void content_put(struct content *content, int64_t offset, const void *block, size_t size)
{
    if (!size)
        return;
    if (offset < (int64_t)content->size || (uint64_t)offset > content->limit ||
        size > content->limit - (size_t)offset) {
        content->damaged |= offset < (int64_t)content->size;
        content->too_large = !content->damaged;
        return;
    }
    content_reserve(content, (size_t)offset + size);
    memset(content->bytes + content->size, 0, (size_t)offset - content->size);
    memcpy(content->bytes + offset, block, size);
    content->size = (size_t)offset + size;
}

static uint64_t bytes_used(const struct walk *walk)
{
    la_int64_t passed = archive_filter_bytes(walk->archive, 0);
    return passed > 0 && (uint64_t)passed > walk->unpacked ? (uint64_t)passed : walk->unpacked;
}

static void read_content(struct walk *walk, struct content *content)
{
    const void *block;
    size_t size;
    la_int64_t offset;
    int status;
    while ((status = archive_read_data_block(walk->archive, &block, &size, &offset)) ==
               ARCHIVE_OK ||
           status == ARCHIVE_WARN) {
        walk->unpacked += size;
        if (bytes_used(walk) > walk->budget->scan_bytes) {
            walk->problem = "is larger than the limit after unpacking";
            content->too_large = true;
            return;
        }
        if (!content->too_large && !content->damaged)
            content_put(content, offset, block, size);
        bool seekable = archive_format(walk->archive) == ARCHIVE_FORMAT_ZIP;
        if (seekable && (content->too_large || content->damaged))
            return; /* at the next header, libarchive skips the rest of this entry */
    }
    content->damaged |= status != ARCHIVE_EOF;
    if (status == ARCHIVE_FATAL)
        walk->problem = "is damaged";
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

static void take_entry(struct walk *walk, const struct archive_item *item, struct content *content)
{
    unsigned char *bytes = NULL;
    if (!content->too_large && !content->damaged) {
        content_reserve(content, content->size);
        content->bytes[content->size] = 0;
        bytes = content->bytes;
        content->bytes = NULL;
    }
    walk->visitor->take(walk->visitor->context, item, bytes, bytes ? content->size : 0,
                        content->too_large, content->damaged);
}

static char *name_of(const struct walk *walk, struct archive_entry *entry,
                     const struct zip_name *listed)
{
    const char *raw = archive_entry_pathname(entry);
    if (archive_format(walk->archive) == ARCHIVE_FORMAT_RAW)
        raw = walk->visitor->alone;
    size_t length = listed ? listed->length : raw ? strlen(raw) : 0;
    raw = listed ? listed->bytes : raw ? raw : "";
    return text_clean_path(raw, length, listed && !listed->utf8 ? "IBM437" : "ISO-8859-1");
}

static void visit_entry(struct walk *walk, struct archive_entry *entry, size_t count)
{
    bool is_zip = archive_format(walk->archive) == ARCHIVE_FORMAT_ZIP;
    const struct zip_name *listed = is_zip && count < walk->name_count ? &walk->names[count] : NULL;
    char *name = name_of(walk, entry, listed);
    struct archive_item item = {
        .name = name,
        .order = listed ? listed->order : count,
        .kind = kind_of(entry),
        .encrypted = archive_entry_is_encrypted(entry) > 0,
        .time = archive_entry_mtime_is_set(entry) ? archive_entry_mtime(entry) : 0};
    struct content content = {.limit = walk->visitor->want(walk->visitor->context, &item)};
    bool wanted = content.limit > 0;
    if (wanted || !is_zip) {
        content.too_large = !wanted;
        read_content(walk, &content);
        content.damaged |= !content.too_large && archive_entry_size_is_set(entry) &&
                           archive_entry_size(entry) != (la_int64_t)content.size;
    }
    if (wanted)
        take_entry(walk, &item, &content);
    free(content.bytes);
    free(name);
}

static const char *problem_of(struct archive *archive)
{
    if (archive_read_has_encrypted_entries(archive) > 0)
        return "is encrypted";
    switch (archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK) {
    case ARCHIVE_FORMAT_7ZIP:
    case ARCHIVE_FORMAT_RAR:
    case ARCHIVE_FORMAT_RAR_V5:
        return "is a .7z or .rar archive that is damaged or has an unsupported feature";
    default:
        return "is damaged";
    }
}

static void walk_entries(struct walk *walk)
{
    if (archive_filter_count(walk->archive) > 2) { /* libarchive counts "none" as a filter */
        walk->problem = "is compressed more than once";
        return;
    }
    for (size_t count = 0; !walk->problem; count++) {
        struct archive_entry *entry;
        int status = archive_read_next_header(walk->archive, &entry);
        if (status == ARCHIVE_EOF) {
            if (!count) /* libarchive finds no entry in some damaged archives */
                walk->problem = "is empty or damaged";
            return;
        }
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
            walk->problem = problem_of(walk->archive);
        else if (archive_format(walk->archive) == ARCHIVE_FORMAT_RAW && !walk->visitor->alone)
            walk->problem = "is not an archive, or is damaged";
        else if (!walk->budget->entries)
            walk->problem = "has too many entries";
        else {
            walk->budget->entries--;
            visit_entry(walk, entry, count);
        }
    }
}

static void walk_open(struct walk *walk)
{
    struct archive *archive = walk->archive;
    archive_read_support_format_zip_seekable(archive);
    archive_read_support_format_tar(archive);
    archive_read_support_format_7zip(archive);
    archive_read_support_format_rar(archive);
    archive_read_support_format_rar5(archive);
    archive_read_support_format_raw(archive);
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_filter_xz(archive);
    int status = walk->bytes ? archive_read_open_memory(archive, walk->bytes, walk->size)
                             : archive_read_open_fd(archive, walk->descriptor, 1 << 16);
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
        walk->problem = "is not an archive, or is damaged";
}

const char *archive_walk(int descriptor, const void *bytes, size_t size,
                         struct archive_budget *budget, const struct archive_visitor *visitor)
{
    struct stat status;
    if (!bytes)
        size = fstat(descriptor, &status) || status.st_size < 0 ? 0 : (size_t)status.st_size;
    struct walk walk = {.archive = allocate_checked(archive_read_new()),
                        .descriptor = descriptor,
                        .bytes = bytes,
                        .size = size,
                        .budget = budget,
                        .visitor = visitor};
    /* libarchive converts names to the charset of the locale. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    read_directory(&walk);
    if (!walk.problem)
        walk_open(&walk);
    if (!walk.problem)
        walk_entries(&walk);
    uint64_t used = bytes_used(&walk);
    budget->scan_bytes -= used < budget->scan_bytes ? used : budget->scan_bytes;
    archive_read_free(walk.archive);
    free(walk.names);
    free(walk.directory);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    return walk.problem;
}
