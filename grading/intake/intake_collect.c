/* intake_collect.c: what is kept of a submission, and why not: names, limits, notes, archives. */
#define _GNU_SOURCE
#include "intake/intake_collect.h"

#include "intake/archive.h"
#include "intake/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE_SIZE = 1500 };

bool reading_no_memory(struct reading *reading)
{
    return failure_harness(reading->failure, "not enough memory");
}

/* ---- Notes ---- */

/* Add a note, whatever their number. */
static bool append_note(struct reading *reading, const char *text)
{
    struct intake *intake = reading->intake;
    if (!intake->notes) /* two more for the summaries */
        intake->notes = calloc(INTAKE_NOTES_MAX + 2, sizeof *intake->notes);
    char *clean = text_clean(text, strlen(text));
    if (!intake->notes || !clean) {
        free(clean);
        return reading_no_memory(reading);
    }
    intake->notes[intake->note_count++] = clean;
    return true;
}

bool reading_note(struct reading *reading, const char *format, ...)
{
    if (reading->intake->note_count == INTAKE_NOTES_MAX) {
        reading->notes_dropped++;
        return true;
    }
    char text[NOTE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return append_note(reading, text);
}

/* A file of no use: named in one note with all others. */
static bool count_other(struct reading *reading, const char *name)
{
    if (reading->others < INTAKE_OTHERS_SHOWN &&
        !(reading->other_names[reading->others] = strdup(name)))
        return reading_no_memory(reading);
    reading->others++;
    return true;
}

bool reading_summarise(struct reading *reading)
{
    char text[NOTE_SIZE], tail[64] = "";
    char *const *names = reading->other_names;
    if (reading->others > INTAKE_OTHERS_SHOWN)
        snprintf(tail, sizeof tail, " and %zu more", reading->others - INTAKE_OTHERS_SHOWN);
    if (reading->others) {
        snprintf(text, sizeof text,
                 "left out, as only .cu, .cuh and .h files count: %.400s%s%.400s%s%.400s%s",
                 names[0], names[1] ? ", " : "", names[1] ? names[1] : "", names[2] ? ", " : "",
                 names[2] ? names[2] : "", tail);
        if (!append_note(reading, text))
            return false;
    }
    if (!reading->notes_dropped)
        return true;
    snprintf(text, sizeof text, "and %zu more notes like these", reading->notes_dropped);
    return append_note(reading, text);
}

/* ---- Files ---- */

void reading_begin_upload(struct reading *reading, const struct intake_name *parsed)
{
    reading->upload = (struct upload){.late = parsed->late};
    if (parsed->upload)
        reading->upload.number = strtoull(parsed->upload, NULL, 10);
}

char *reading_name(const struct place *place, const char *clean)
{
    char *name;
    if (asprintf(&name, "%s%s%s", place->prefix, *place->prefix ? "/" : "", clean) < 0) {
        reading_no_memory(place->reading);
        return NULL;
    }
    if (intake_name_kind(name) == INTAKE_JUNK) {
        free(name);
        return NULL;
    }
    if (*clean != '/' && intake_name_make_safe(name))
        return name;
    reading_note(place->reading,
                 "%.200s: its path leads outside the submission, or is too long: left out", clean);
    free(name);
    return NULL;
}

size_t reading_want(const struct place *place, const char *name)
{
    switch (intake_name_kind(name)) {
    case INTAKE_SOURCE:
        return INTAKE_FILE_BYTES_MAX;
    case INTAKE_ARCHIVE:
        if (!place->in_archive)
            return INTAKE_ARCHIVE_BYTES_MAX;
        reading_note(place->reading, "%s: an archive in an archive is not opened: left out", name);
        return 0;
    case INTAKE_OTHER:
        count_other(place->reading, name);
        return 0;
    default:
        return 0;
    }
}

/* Is one path the other, or a folder above it? Both cannot be written then. */
static bool paths_clash(const char *one, const char *other)
{
    size_t i = 0;
    while (one[i] && one[i] == other[i])
        i++;
    return (!one[i] && (!other[i] || other[i] == '/')) || (!other[i] && one[i] == '/');
}

/* May the file be kept? What speaks against it is noted. */
static bool check_file(struct reading *reading, const char *name, const unsigned char *bytes,
                       size_t size, bool *keep)
{
    const struct intake *intake = reading->intake;
    *keep = false;
    for (size_t i = 0; i < intake->count; i++) {
        const struct intake_file *file = &intake->files[i];
        if (!paths_clash(file->name, name))
            continue;
        bool same =
            !strcmp(file->name, name) && file->size == size && !memcmp(file->bytes, bytes, size);
        return same || reading_note(reading, "%s: is there twice; the first one counts", name);
    }
    if (intake->count == INTAKE_FILES_MAX)
        return reading_note(reading, "%s: more than %d files: left out", name, INTAKE_FILES_MAX);
    if (reading->total_bytes + size > INTAKE_TOTAL_BYTES_MAX)
        return reading_note(reading, "%s: all files together are larger than %d MB: left out", name,
                            INTAKE_TOTAL_BYTES_MAX >> 20);
    *keep = true;
    return true;
}

/* Keep a source file; its name and bytes become the intake's. */
static bool keep_file(struct reading *reading, char *name, unsigned char *bytes, size_t size)
{
    struct intake *intake = reading->intake;
    bool keep, good = check_file(reading, name, bytes, size, &keep);
    if (good && keep && !intake->files &&
        !(intake->files = calloc(INTAKE_FILES_MAX, sizeof *intake->files)))
        good = reading_no_memory(reading);
    if (good && keep) {
        intake->files[intake->count++] = (struct intake_file){name, bytes, size, reading->upload};
        reading->total_bytes += size;
    } else {
        free(name);
        free(bytes);
    }
    return good;
}

static bool open_archive(struct reading *reading, const char *name, const void *bytes, size_t size);

bool reading_take(struct reading *reading, char *name, unsigned char *bytes, size_t size)
{
    if (intake_name_kind(name) == INTAKE_SOURCE)
        return keep_file(reading, name, bytes, size);
    bool good = open_archive(reading, name, bytes, size);
    free(name);
    free(bytes);
    return good;
}

bool reading_too_large(struct reading *reading, const char *name)
{
    size_t limit =
        intake_name_kind(name) == INTAKE_SOURCE ? INTAKE_FILE_BYTES_MAX : INTAKE_ARCHIVE_BYTES_MAX;
    return reading_note(reading, "%s: larger than %zu MB: left out", name, limit >> 20);
}

/* ---- Archives ---- */

/* An archive being read: its entries go to a place, some of them only when it is a whole class's.
 */
struct unpacking {
    struct place place;
    char *const *members; /* NULL: all */
    size_t member_count;
    char *name; /* safe, of the entry wanted */
};

/* The part of an entry's name that is the submission's, or NULL when it is another's. */
static const char *member_part(const struct unpacking *unpacking, const char *entry)
{
    if (!unpacking->members)
        return entry;
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
        const char *slash = strrchr(entry, '/');
        struct intake_name parsed;
        intake_name_parse(slash ? slash + 1 : entry, &parsed);
        reading_begin_upload(unpacking->place.reading, &parsed);
        return parsed.file;
    }
    return NULL;
}

static size_t want_entry(void *context, const struct archive_item *item)
{
    struct unpacking *unpacking = context;
    struct reading *reading = unpacking->place.reading;
    const char *entry = item->name;
    while (unpacking->members && !strncmp(entry, "./", 2))
        entry += 2;
    const char *part = member_part(unpacking, entry);
    free(unpacking->name);
    unpacking->name = NULL;
    if (!part || !*part || item->kind == ARCHIVE_FOLDER)
        return 0;
    unpacking->name = reading_name(&unpacking->place, part);
    if (!unpacking->name)
        return 0;
    if (item->kind != ARCHIVE_FILE) {
        reading_note(reading, "%s is %s: left out", unpacking->name,
                     item->kind == ARCHIVE_LINK ? "a link" : "no regular file");
        return 0;
    }
    size_t wanted = reading_want(&unpacking->place, unpacking->name);
    if (wanted && item->encrypted) {
        reading_note(reading, "%s is encrypted: left out", unpacking->name);
        return 0;
    }
    return wanted;
}

static bool take_entry(void *context, const struct archive_item *item, unsigned char *bytes,
                       size_t size, bool too_large, bool damaged, struct failure *failure)
{
    (void)failure;
    struct unpacking *unpacking = context;
    struct reading *reading = unpacking->place.reading;
    char *name = unpacking->name;
    reading->upload.modified = item->time;
    if (!unpacking->place.in_archive)
        reading->upload.time = item->time;
    unpacking->name = NULL;
    if (!too_large && !damaged)
        return reading_take(reading, name, bytes, size);
    bool good = damaged ? reading_note(reading, "%s is damaged or sparse: left out", name)
                        : reading_too_large(reading, name);
    free(name);
    return good;
}

/* Read an archive: a file when `bytes` is NULL. */
static bool unpack(struct unpacking *unpacking, const char *path, const void *bytes, size_t size,
                   const struct archive_limits *limits, const char *name)
{
    struct reading *reading = unpacking->place.reading;
    const char *problem;
    struct archive_visitor visitor = {unpacking, want_entry, take_entry};
    bool good = archive_walk(path, bytes, size, limits, &visitor, &problem, reading->failure);
    free(unpacking->name);
    if (!good || reading->failure->kind == FAILURE_HARNESS)
        return false;
    return !problem || reading_note(reading, "%s %s: what could be read counts", name, problem);
}

/* A student's archive. Its files are named as if it had been unpacked where it lies. */
static bool open_archive(struct reading *reading, const char *name, const void *bytes, size_t size)
{
    static const struct archive_limits limits = {INTAKE_ENTRIES_MAX, INTAKE_SCAN_BYTES_MAX};
    const char *slash = strrchr(name, '/');
    char *prefix = strndup(name, slash ? (size_t)(slash - name) : 0);
    if (!prefix)
        return reading_no_memory(reading);
    struct unpacking unpacking = {
        .place = {.reading = reading, .prefix = prefix, .in_archive = true}};
    bool good = unpack(&unpacking, NULL, bytes, size, &limits, name);
    free(prefix);
    return good;
}

bool reading_class_archive(struct reading *reading)
{
    static const struct archive_limits limits = {INTAKE_CLASS_ENTRIES_MAX, UINT64_MAX >> 1};
    const struct submission *submission = reading->submission;
    struct unpacking unpacking = {.place = {.reading = reading, .prefix = ""},
                                  .members = submission->members,
                                  .member_count = submission->member_count};
    return unpack(&unpacking, submission->path, NULL, 0, &limits, "the class's archive");
}
