#define _GNU_SOURCE
#include "intake/intake_collect.h"

#include "base/paths.h"
#include "intake/notebook.h"
#include "intake/text.h"
#include "process/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void reading_begin_upload(struct reading *reading, const struct intake_name *parsed)
{
    reading->upload = (struct upload){.late = parsed->late};
    if (parsed->upload)
        reading->upload.number = strtoull(parsed->upload, NULL, 10);
}

char *reading_name(const struct place *place, const char *clean)
{
    const char *relative = clean + strspn(clean, "/"); /* tar and unzip also remove a leading / */
    char *name = allocate_format("%s%s%s", place->prefix, *place->prefix ? "/" : "", relative);
    if (intake_name_kind(name) != INTAKE_JUNK) {
        if (intake_name_make_safe(name)) {
            course_folders_see(&place->reading->course, name);
            return name;
        }
        reading_note(place->reading, place->prefix,
                     "%.200s is left out: its path leads outside the submission or is too long",
                     clean);
    }
    free(name);
    return NULL;
}

static size_t bytes_max(const struct place *place, enum intake_file_kind kind)
{
    if (kind == INTAKE_ARCHIVE)
        return place->nesting <= 1 ? INTAKE_INNER_BYTES_MAX : INTAKE_INNER_BYTES_MAX / 4;
    return kind == INTAKE_NOTEBOOK ? INTAKE_NOTEBOOK_BYTES_MAX : INTAKE_FILE_BYTES_MAX;
}

size_t reading_want(const struct place *place, const char *name)
{
    enum intake_file_kind kind = intake_name_kind(name);
    if (kind == INTAKE_OTHER || kind == INTAKE_DOCUMENT)
        reading_remark(place->reading, name, NULL,
                       kind == INTAKE_DOCUMENT ? "is a document, not a source file" : NULL,
                       REMARK_OTHER);
    else if (kind == INTAKE_ARCHIVE && place->nesting >= INTAKE_NESTING_MAX)
        reading_unreadable(place->reading, name, "is nested in too many archives");
    else if (kind != INTAKE_JUNK)
        return bytes_max(place, kind);
    return 0;
}

void reading_too_large(const struct place *place, const char *name)
{
    char why[64];
    enum intake_file_kind kind = intake_name_kind(name);
    snprintf(why, sizeof why, "is larger than %zu MiB", bytes_max(place, kind) >> 20);
    if (kind == INTAKE_MAYBE)
        reading_remark(place->reading, name, NULL, NULL, REMARK_OTHER);
    else
        reading_unreadable(place->reading, name, why);
}

void held_free(struct held_file *held)
{
    free(held->file.name);
    free(held->file.bytes);
}

bool intake_file_same(const struct intake_file *a, const struct intake_file *b)
{
    return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

static void hold(struct reading *reading, struct held_file *held)
{
    for (size_t i = reading->held_count; i-- > 0;) {
        struct held_file *other = &reading->held[i];
        if (other->container != held->container || strcmp(other->file.name, held->file.name))
            continue;
        if (!intake_file_same(&other->file, &held->file))
            reading_note(reading, held->file.name, "%s occurs twice; the last copy counts",
                         held->file.name);
        struct held_file dropped = held->order >= other->order ? *other : *held;
        if (held->order >= other->order)
            *other = *held;
        held_free(&dropped);
        return;
    }
    if (reading->held_count == INTAKE_HELD_FILES_MAX ||
        reading->held_bytes + held->file.size > INTAKE_HELD_BYTES_MAX) {
        reading->held_dropped++;
        if (source_text_has_lab(held->file.bytes, held->file.size))
            reading_unreadable(reading, held->file.name, "exceeds the limits of a submission");
        held_free(held);
    } else {
        allocate_room(&reading->held, reading->held_count, sizeof *reading->held);
        reading->held_bytes += held->file.size;
        reading->held[reading->held_count++] = *held;
    }
}

static void take_source(const struct place *place, size_t order, char *name, unsigned char *bytes,
                        size_t size);

struct sections {
    const struct place *place;
    size_t order;
    const char *name;
};

static void take_section(void *context, const char *lab, char *text, size_t size)
{
    const struct sections *sections = context;
    const char *dot = strrchr(path_basename(sections->name), '.');
    int stem = (int)(dot ? (size_t)(dot - sections->name) : strlen(sections->name));
    take_source(sections->place, sections->order,
                allocate_format("%.*s (%s).cu", stem, sections->name, lab), (unsigned char *)text,
                size);
}

/* If a kernel follows each of several LAB(), read each part as a file, free `name` and `bytes`, and
 * return true. Otherwise, change nothing and return false. */
static bool take_sections(const struct place *place, size_t order, char *name, unsigned char *bytes,
                          size_t size)
{
    struct sections sections = {place, order, name};
    size_t count = sections_read((const char *)bytes, size, take_section, &sections);
    if (!count)
        return false;
    reading_note(place->reading, name, "%s contains %zu exercises, so it is read as %zu files",
                 name, count, count);
    free(name);
    free(bytes);
    return true;
}

static void take_source(const struct place *place, size_t order, char *name, unsigned char *bytes,
                        size_t size)
{
    struct reading *reading = place->reading;
    bool by_text = intake_name_kind(name) != INTAKE_SOURCE;
    const char *charset;
    const bool is_text = source_text_convert(&bytes, &size, &charset);
    if (intake_name_kind(name) == INTAKE_PAGE && is_text)
        source_text_from_page(bytes, &size);
    if (is_text && take_sections(place, order, name, bytes, size))
        return;
    if (!is_text && !by_text) {
        reading_unreadable(reading, name, "is not a text file");
    } else if (intake_name_kind(name) == INTAKE_PAGE && !source_text_has_kernel(bytes, size)) {
        reading_remark(reading, name, NULL, "is a document, not a source file", REMARK_OTHER);
    } else if (!is_text || (by_text && !source_text_has_kernel(bytes, size))) {
        reading_remark(reading, name, NULL, NULL, REMARK_OTHER);
    } else if (size > INTAKE_FILE_BYTES_MAX) {
        reading_too_large(place, name);
    } else {
        bool kernel = by_text || intake_name_is_cu(name);
        hold(reading, &(struct held_file){.file = {name, bytes, size, reading->upload, kernel},
                                          .container = place->container,
                                          .order = order,
                                          .charset = charset,
                                          .by_text = by_text});
        return;
    }
    free(name);
    free(bytes);
}

static bool is_known_kernel(const struct reading *reading, size_t count,
                            const struct intake_file *file)
{
    for (size_t i = 0; file->kernel && i < count; i++)
        if (!strcmp(reading->held[i].file.name, file->name) &&
            intake_file_same(&reading->held[i].file, file))
            return true;
    return false;
}

/* The held files from index `first` come from one archive or notebook. If one of these files has
 * the name of an earlier file but other content, move all to a folder with the archive's name. */
static void separate_container(struct reading *reading, size_t container, size_t first,
                               const char *archive)
{
    bool clash = false;
    for (size_t i = first; i < reading->held_count && !clash; i++)
        for (size_t j = 0; j < first && !clash; j++) {
            const struct held_file *a = &reading->held[i], *b = &reading->held[j];
            clash = a->container == container && !strcmp(a->file.name, b->file.name) &&
                    !intake_file_same(&a->file, &b->file);
        }
    if (!clash)
        return;
    size_t folder = (size_t)(path_basename(archive) - archive), retained = first;
    for (size_t i = first; i < reading->held_count; i++) {
        struct held_file held = reading->held[i];
        if (held.container == container && is_known_kernel(reading, first, &held.file)) {
            held_free(&held);
            continue;
        }
        if (held.container == container) {
            char *name = allocate_format("%s/%s", archive, held.file.name + folder);
            free(held.file.name);
            held.file.name = name;
        }
        reading->held[retained++] = held;
    }
    reading->held_count = retained;
    reading_note(reading, archive,
                 "%s contains files that have the same names as other files, so its files are read "
                 "as %s/...",
                 archive, archive);
}

static char *folder_of(const char *name)
{
    size_t length = (size_t)(path_basename(name) - name);
    return allocate_checked(strndup(name, length ? length - 1 : 0));
}

static void take_program(void *context, const char *program, const char *text)
{
    const struct place *place = context;
    const size_t size = strlen(text);
    char *clean = text_clean(program, strlen(program)), *copy = allocate_checked(strdup(text));
    char *name = reading_name(place, clean);
    free(clean);
    if (name && size <= INTAKE_FILE_BYTES_MAX && reading_want(place, name) > 0 &&
        (intake_name_kind(name) == INTAKE_SOURCE || intake_name_kind(name) == INTAKE_MAYBE)) {
        take_source(place, 0, name, (unsigned char *)copy, size);
    } else {
        free(name);
        free(copy);
    }
}

static void take_notebook(const struct place *outer, const char *name, const void *bytes,
                          size_t size)
{
    struct reading *reading = outer->reading;
    char *prefix = folder_of(name);
    struct place place = {reading, prefix, ++reading->containers, outer->nesting};
    size_t programs, first = reading->held_count;
    bool valid = notebook_read(bytes, size, take_program, &place, &programs);
    free(prefix);
    if (programs) {
        separate_container(reading, place.container, first, name);
        reading_note(reading, name, "%s is a notebook: %zu of its cells %s read as files", name,
                     programs, programs == 1 ? "is" : "are");
    } else {
        reading_unreadable(reading, name,
                           valid ? "is a notebook without a cell that begins with %%cu or "
                                   "%%writefile"
                                 : "is not a valid notebook");
    }
}

struct unpacking {
    struct place place;
    char *const *members;
    size_t member_count;
    char *name;
};

/* Returns the entry's path in the submission; NULL if another submission contains the entry. */
static const char *member_part(const struct unpacking *unpacking, const char *entry)
{
    if (!unpacking->members)
        return entry;
    while (!strncmp(entry, "./", 2))
        entry += 2;
    for (size_t i = 0; i < unpacking->member_count; i++) {
        const char *member = unpacking->members[i];
        size_t length = strlen(member);
        if (strncmp(entry, member, length))
            continue;
        if (entry[length] == '/') {
            unpacking->place.reading->upload = (struct upload){.late = false};
            return entry + length + 1;
        }
        if (entry[length])
            continue;
        struct intake_name parsed;
        intake_name_parse(path_basename(entry), &parsed);
        reading_begin_upload(unpacking->place.reading, &parsed);
        return parsed.file;
    }
    return NULL;
}

static size_t want_entry(void *context, const struct archive_item *item)
{
    struct unpacking *unpacking = context;
    struct reading *reading = unpacking->place.reading;
    const char *part = member_part(unpacking, item->name);
    free(unpacking->name);
    unpacking->name = part && *part && item->kind != ARCHIVE_FOLDER
                          ? reading_name(&unpacking->place, part)
                          : NULL;
    if (!unpacking->name)
        return 0;
    if (item->kind != ARCHIVE_FILE) {
        reading_refuse(reading, unpacking->name,
                       item->kind == ARCHIVE_LINK ? "is a link" : "is not a regular file");
        return 0;
    }
    size_t wanted = reading_want(&unpacking->place, unpacking->name);
    if (wanted && item->encrypted) {
        reading_unreadable(reading, unpacking->name, "is encrypted");
        return 0;
    }
    return wanted;
}

static void take_entry(void *context, const struct archive_item *item, unsigned char *bytes,
                       size_t size, bool too_large, bool damaged)
{
    struct unpacking *unpacking = context;
    struct reading *reading = unpacking->place.reading;
    char *name = unpacking->name;
    reading->upload.modified = item->time;
    if (!unpacking->place.nesting)
        reading->upload.time = item->time;
    if (!too_large && !damaged) {
        unpacking->name = NULL;
        reading_take(&unpacking->place, item->order, name, bytes, size);
    } else if (damaged) {
        reading_unreadable(reading, name, "is damaged or sparse");
    } else {
        reading_too_large(&unpacking->place, name);
    }
}

static void unpack(struct unpacking *unpacking, int descriptor, const void *bytes, size_t size,
                   struct archive_budget *budget, const char *name, const char *alone)
{
    struct reading *reading = unpacking->place.reading;
    struct archive_visitor visitor = {unpacking, want_entry, take_entry, alone};
    const char *problem = archive_walk(descriptor, bytes, size, budget, &visitor);
    free(unpacking->name);
    if (!problem)
        return;
    char *text = allocate_format(
        "%.1000s %s: the readable part counts, and an instructor must check the rest by hand", name,
        problem);
    reading_remark(reading, name, text, problem, REMARK_WORK);
    free(text);
}

void reading_take_archive(const struct place *outer, const char *name, int descriptor,
                          const void *bytes, size_t size)
{
    static const char *const compressed[] = {"", ".gz", ".bz2", ".xz"};
    struct reading *reading = outer->reading;
    const char *base = path_basename(name);
    char *prefix = folder_of(name), *alone = allocate_checked(strndup(base, archive_stem(base)));
    bool single = false;
    size_t first = reading->held_count;
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
        single |= !strcasecmp(base + strlen(alone), compressed[i]);
    struct unpacking unpacking = {
        .place = {reading, prefix, ++reading->containers, outer->nesting + 1}};
    unpack(&unpacking, descriptor, bytes, size, &reading->budget, name, single ? alone : NULL);
    separate_container(reading, unpacking.place.container, first, name);
    free(alone);
    free(prefix);
}

void reading_take(const struct place *place, size_t order, char *name, unsigned char *bytes,
                  size_t size)
{
    enum intake_file_kind kind = intake_name_kind(name);
    bool archive = archive_is_magic(bytes, size);
    if (kind == INTAKE_ARCHIVE && !archive && size <= INTAKE_FILE_BYTES_MAX &&
        !memchr(bytes, 0, size) && source_text_has_kernel(bytes, size))
        kind = INTAKE_MAYBE;
    if (kind != INTAKE_NOTEBOOK && kind != INTAKE_ARCHIVE && !archive) {
        take_source(place, order, name, bytes, size);
        return;
    }
    if (kind == INTAKE_NOTEBOOK)
        take_notebook(place, name, bytes, size);
    else if (place->nesting < INTAKE_NESTING_MAX)
        reading_take_archive(place, name, -1, bytes, size);
    else
        reading_unreadable(place->reading, name, "is nested in too many archives");
    free(name);
    free(bytes);
}

void reading_class_archive(struct reading *reading, int descriptor)
{
    struct archive_budget budget = {INTAKE_CLASS_ENTRIES_MAX, UINT64_MAX >> 1};
    const struct submission *submission = reading->submission;
    struct unpacking unpacking = {.place = {.reading = reading, .prefix = ""},
                                  .members = submission->members,
                                  .member_count = submission->member_count};
    unpack(&unpacking, descriptor, NULL, 0, &budget, "the class's archive", NULL);
}
