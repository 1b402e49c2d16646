/* archive.c: archives, read with libarchive as untrusted bytes; see archive.h. */
#define _GNU_SOURCE
#include "intake/archive.h"

#include "intake/text.h"

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

/* An entry of a zip's directory. */
struct zip_name {
    uint64_t offset; /* of the data's header */
    size_t order;    /* in the directory */
    const char *bytes;
    size_t length;
    bool utf8; /* says so; others are of code page 437, or of the machine that made it */
};

/* One walk. */
struct walk {
    struct archive *archive;
    int descriptor;
    const unsigned char *bytes; /* NULL: of the descriptor */
    size_t size;
    struct archive_budget *budget;
    const struct archive_visitor *visitor;
    unsigned char *directory; /* of a zip, and its entries: */
    struct zip_name *names;   /* see take_names */
    size_t name_count;
    uint64_t unpacked; /* bytes, of all entries */
    const char *problem;
    struct failure *failure;
};

static bool no_memory(struct walk *walk)
{
    return failure_harness(walk->failure, "not enough memory");
}

/* ---- The directory of a zip ----
 *
 * A zip names each file twice, in front of its data and in the directory at the end, and only the
 * directory counts: for unzip, for file managers, for us. libarchive finds the data by the
 * directory, too, but says the names in front of them. Numbers of sections are those of PKWARE's
 * APPNOTE 6.3. Nothing is found in what is no zip, nor in one of more than 4 GB or 65534 files. */

enum {
    END_BYTES = 22,      /* 4.3.16, without the comment */
    COMMENT_MAX = 65535, /* behind it */
    HEADER_BYTES = 46,   /* 4.3.12, without name, extra field and comment */
    UTF8_FLAG = 1 << 11, /* 4.4.4 */
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

/* `count` bytes of the archive, malloc'd. NULL: they cannot be read, or a failure. */
static unsigned char *part(struct walk *walk, size_t offset, size_t count)
{
    unsigned char *copy = malloc(count + 1);
    if (!copy)
        no_memory(walk);
    else if (walk->bytes)
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

/* The entries of the directory, as far as they are whole: ascending by their offsets, in which
 * order libarchive passes them; of several with one offset the first in the directory, as there. */
static void take_names(struct walk *walk, size_t directory_bytes, size_t claimed)
{
    const unsigned char *at = walk->directory, *end = at + directory_bytes;
    if (!(walk->names = calloc(claimed + 1, sizeof *walk->names))) {
        no_memory(walk);
        return;
    }
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

/* libarchive reads all of a zip's directory at once, which for a million entries takes more memory
 * than a class: so what the directory claims is looked at first. */
static void read_directory(struct walk *walk)
{
    size_t tail_bytes = walk->size < END_BYTES + COMMENT_MAX ? walk->size : END_BYTES + COMMENT_MAX;
    unsigned char *tail = part(walk, walk->size - tail_bytes, tail_bytes);
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
        /* It stands in front of its end; where it says that it is may be off, when something was
         * put in front of the archive. */
        else if (bytes <= end && bytes <= DIRECTORY_MAX && claimed <= FILES_MAX &&
                 (walk->directory = part(walk, end - bytes, bytes)))
            take_names(walk, bytes, claimed);
    }
    free(tail);
}

/* ---- Entries ---- */

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

/* Bytes unpacked: those of entries, or, with what lies between them, those of a stream. */
static uint64_t bytes_used(const struct walk *walk)
{
    la_int64_t passed = archive_filter_bytes(walk->archive, 0);
    return passed > 0 && (uint64_t)passed > walk->unpacked ? (uint64_t)passed : walk->unpacked;
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
        if (bytes_used(walk) > walk->budget->scan_bytes) {
            walk->problem = "unpacks to more than the limit";
            content->too_large = true;
            return true;
        }
        if (!content->too_large && !content->damaged && !content_put(content, offset, block, size))
            return no_memory(walk);
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
        return no_memory(walk);
    if (usable)
        content->bytes[content->size] = 0;
    unsigned char *bytes = usable ? content->bytes : NULL;
    if (usable)
        content->bytes = NULL;
    return walk->visitor->take(walk->visitor->context, item, bytes, usable ? content->size : 0,
                               content->too_large, content->damaged);
}

/* Is the entry as long as it says? A sparse file that ends in a hole is not, either. */
static bool has_claimed_size(struct archive_entry *entry, const struct content *content)
{
    return !archive_entry_size_is_set(entry) ||
           archive_entry_size(entry) == (la_int64_t)content->size;
}

/* The name of the entry: for a zip, that in its directory. Clean, malloc'd; NULL: no memory. */
static char *name_of(const struct walk *walk, struct archive_entry *entry,
                     const struct zip_name *listed)
{
    const char *raw = archive_entry_pathname(entry);
    if (archive_format(walk->archive) == ARCHIVE_FORMAT_RAW)
        raw = walk->visitor->alone;
    size_t length = listed ? listed->length : raw ? strlen(raw) : 0;
    raw = listed ? listed->bytes : raw ? raw : "";
    char *converted = NULL;
    if (!text_is_utf8(raw, length))
        converted =
            text_convert(listed && !listed->utf8 ? "IBM437" : "ISO-8859-1", raw, length, &length);
    char *name = text_clean(converted ? converted : raw, length);
    free(converted);
    for (char *c = name; c && *c; c++)
        *c = *c == '\\' ? '/' : *c;
    return name;
}

static bool visit_entry(struct walk *walk, struct archive_entry *entry, size_t count)
{
    bool is_zip = archive_format(walk->archive) == ARCHIVE_FORMAT_ZIP;
    const struct zip_name *listed = is_zip && count < walk->name_count ? &walk->names[count] : NULL;
    char *name = name_of(walk, entry, listed);
    if (!name)
        return no_memory(walk);
    struct archive_item item = {
        .name = name,
        .order = listed ? listed->order : count,
        .kind = kind_of(entry),
        .encrypted = archive_entry_is_encrypted(entry) > 0,
        .time = archive_entry_mtime_is_set(entry) ? archive_entry_mtime(entry) : 0};
    struct content content = {.limit = walk->visitor->want(walk->visitor->context, &item)};
    bool wanted = content.limit > 0;
    bool good = true;
    if (wanted || !is_zip) {
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

/* Why the next entry cannot be read. Of 7z and rar libarchive knows most methods, not all. */
static const char *problem_of(struct archive *archive)
{
    if (archive_read_has_encrypted_entries(archive) > 0)
        return "is encrypted";
    switch (archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK) {
    case ARCHIVE_FORMAT_7ZIP:
    case ARCHIVE_FORMAT_RAR:
    case ARCHIVE_FORMAT_RAR_V5:
        return "is a .7z or .rar that is damaged or uses an unsupported method";
    default:
        return "is damaged";
    }
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
        if (status == ARCHIVE_EOF) {
            if (!count) /* so end some damaged ones */
                walk->problem = "is empty or damaged";
            return true;
        }
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
            walk->problem = problem_of(walk->archive);
        else if (archive_format(walk->archive) == ARCHIVE_FORMAT_RAW && !walk->visitor->alone)
            walk->problem = "is not an archive, or is damaged";
        else if (!walk->budget->entries)
            walk->problem = "has too many entries";
        else if (walk->budget->entries--, !visit_entry(walk, entry, count))
            return false;
    }
    return true;
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

bool archive_walk(int descriptor, const void *bytes, size_t size, struct archive_budget *budget,
                  const struct archive_visitor *visitor, const char **problem,
                  struct failure *failure)
{
    struct stat status;
    if (!bytes)
        size = fstat(descriptor, &status) || status.st_size < 0 ? 0 : (size_t)status.st_size;
    struct walk walk = {.archive = archive_read_new(),
                        .descriptor = descriptor,
                        .bytes = bytes,
                        .size = size,
                        .budget = budget,
                        .visitor = visitor,
                        .failure = failure};
    if (!walk.archive)
        return no_memory(&walk);
    /* libarchive converts names to the charset of the locale: bytes stay as they are in UTF-8. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    read_directory(&walk);
    if (!walk.problem)
        walk_open(&walk);
    bool good = failure->kind != FAILURE_HARNESS && (walk.problem || walk_entries(&walk));
    uint64_t used = bytes_used(&walk);
    budget->scan_bytes -= used < budget->scan_bytes ? used : budget->scan_bytes;
    archive_read_free(walk.archive);
    free(walk.names);
    free(walk.directory);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    *problem = walk.problem;
    return good;
}
