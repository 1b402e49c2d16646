/* intake_collect.c: what is kept of a submission, and why not: names, limits, notes, archives. */
#define _GNU_SOURCE
#include "intake/intake_collect.h"

#include "base/array.h"
#include "base/paths.h"
#include "intake/notebook.h"
#include "intake/source_text.h"
#include "intake/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NOTE_SIZE = 1500, OTHERS_SHOWN = 3, UNREADABLE_OTHERS_MAX = 4, PENDING_MAX = 1024 };

bool reading_no_memory(struct reading *reading)
{
    return failure_harness(reading->failure, "not enough memory");
}

/* ---- Notes ---- */

/* Remember a note. `why` and `document` are of what is unreadable; `text` NULL: nothing to say. */
static bool add_pending(struct reading *reading, const char *name, const char *text,
                        const char *why, bool document)
{
    if (reading->pending_count == PENDING_MAX) {
        reading->notes_dropped++;
        return true;
    }
    if (!array_make_room(&reading->pending, reading->pending_count, sizeof *reading->pending))
        return reading_no_memory(reading);
    struct pending_note *note = &reading->pending[reading->pending_count++];
    *note = (struct pending_note){strdup(name), text ? text_clean(text, strlen(text)) : NULL,
                                  why ? strdup(why) : NULL, document};
    return (note->name && !note->text == !text && !note->why == !why) || reading_no_memory(reading);
}

bool reading_note(struct reading *reading, const char *name, const char *format, ...)
{
    char text[NOTE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return add_pending(reading, name, text, NULL, false);
}

bool reading_unreadable(struct reading *reading, const char *name, const char *why)
{
    char text[NOTE_SIZE];
    snprintf(text, sizeof text, "%.1000s %.300s: a person has to look at it", name, why);
    return add_pending(reading, name, text, why, false);
}

bool reading_refuse(struct reading *reading, const char *name, const char *why)
{
    enum intake_file_kind kind = intake_name_kind(name);
    return kind == INTAKE_OTHER || kind == INTAKE_DOCUMENT || kind == INTAKE_JUNK
               ? reading_note(reading, name, "%s %s: left out", name, why)
               : reading_unreadable(reading, name, why);
}

/* A file of no use: named in one note with all others. */
static bool add_other(struct reading *reading, const char *name)
{
    if (!array_make_room(&reading->others, reading->other_count, sizeof *reading->others) ||
        !(reading->others[reading->other_count] = strdup(name)))
        return reading_no_memory(reading);
    reading->other_count++;
    return true;
}

/* ---- Names ---- */

void reading_begin_upload(struct reading *reading, const struct intake_name *parsed)
{
    reading->upload = (struct upload){.late = parsed->late};
    if (parsed->upload)
        reading->upload.number = strtoull(parsed->upload, NULL, 10);
}

char *reading_name(const struct place *place, const char *clean)
{
    struct reading *reading = place->reading;
    char *name;
    const char *said = clean;
    clean += strspn(clean, "/"); /* as tar and unzip do */
    if (asprintf(&name, "%s%s%s", place->prefix, *place->prefix ? "/" : "", clean) < 0) {
        reading_no_memory(reading);
        return NULL;
    }
    if (intake_name_kind(name) == INTAKE_JUNK) {
        free(name);
        return NULL;
    }
    if (intake_name_make_safe(name)) {
        if (course_folders_see(&reading->course, name))
            return name;
        reading_no_memory(reading);
    } else {
        reading_note(reading, place->prefix,
                     "%.200s: its path leads outside the submission, or is too long: left out",
                     said);
    }
    free(name);
    return NULL;
}

static size_t archive_bytes_max(const struct place *place)
{
    return place->nesting <= 1 ? INTAKE_INNER_BYTES_MAX : INTAKE_INNER_BYTES_MAX / 4;
}

size_t reading_want(const struct place *place, const char *name)
{
    switch (intake_name_kind(name)) {
    case INTAKE_SOURCE:
    case INTAKE_MAYBE:
        return INTAKE_FILE_BYTES_MAX;
    case INTAKE_NOTEBOOK:
        return INTAKE_NOTEBOOK_BYTES_MAX;
    case INTAKE_ARCHIVE:
        if (place->nesting < INTAKE_NESTING_MAX)
            return archive_bytes_max(place);
        reading_unreadable(place->reading, name, "is an archive in too many archives");
        return 0;
    case INTAKE_DOCUMENT:
        add_pending(place->reading, name, NULL, "is a document, no source", true);
        add_other(place->reading, name);
        return 0;
    case INTAKE_OTHER:
        add_other(place->reading, name);
        return 0;
    default:
        return 0;
    }
}

bool reading_too_large(const struct place *place, const char *name)
{
    char why[64];
    size_t limit = INTAKE_FILE_BYTES_MAX;
    switch (intake_name_kind(name)) {
    case INTAKE_MAYBE:
        return add_other(place->reading, name);
    case INTAKE_ARCHIVE:
        limit = archive_bytes_max(place);
        break;
    case INTAKE_NOTEBOOK:
        limit = INTAKE_NOTEBOOK_BYTES_MAX;
        break;
    default:
        break;
    }
    snprintf(why, sizeof why, "is larger than %zu MB", limit >> 20);
    return reading_unreadable(place->reading, name, why);
}

/* ---- Sources ---- */

static void held_free(struct held_file *held)
{
    free(held->file.name);
    free(held->file.bytes);
}

static bool same_bytes(const struct intake_file *a, const struct intake_file *b)
{
    return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

/* Hold a source; its name and bytes become ours. */
static bool hold(struct reading *reading, struct held_file *held)
{
    for (size_t i = reading->held_count; i-- > 0;) {
        struct held_file *other = &reading->held[i];
        if (other->container != held->container || strcmp(other->file.name, held->file.name))
            continue;
        bool same = same_bytes(&other->file, &held->file);
        bool good =
            same || reading_note(reading, held->file.name,
                                 "%s: is there twice; the last one counts", held->file.name);
        struct held_file dropped = held->order >= other->order ? *other : *held;
        if (held->order >= other->order)
            *other = *held;
        held_free(&dropped);
        return good;
    }
    if (reading->held_count == INTAKE_HELD_FILES_MAX ||
        reading->held_bytes + held->file.size > INTAKE_HELD_BYTES_MAX) {
        reading->held_dropped++;
        bool lab = source_text_has_lab(held->file.bytes, held->file.size);
        bool good =
            !lab || reading_unreadable(reading, held->file.name, "is one of too many files");
        held_free(held);
        return good;
    }
    if (!array_make_room(&reading->held, reading->held_count, sizeof *reading->held)) {
        held_free(held);
        return reading_no_memory(reading);
    }
    reading->held_bytes += held->file.size;
    reading->held[reading->held_count++] = *held;
    return true;
}

/* Take a file by its text. */
static bool take_source(const struct place *place, size_t order, char *name, unsigned char *bytes,
                        size_t size)
{
    struct reading *reading = place->reading;
    bool by_text = intake_name_kind(name) != INTAKE_SOURCE, good;
    const char *charset;
    enum source_text_kind kind = source_text_convert(&bytes, &size, &charset);
    if (kind == SOURCE_TEXT_NO_MEMORY)
        good = reading_no_memory(reading);
    else if (kind == SOURCE_TEXT_BINARY && !by_text)
        good = reading_unreadable(reading, name, "is no text");
    else if (kind == SOURCE_TEXT_BINARY || (by_text && !source_text_has_kernel(bytes, size)))
        good = add_other(reading, name);
    else if (size > INTAKE_FILE_BYTES_MAX)
        good = reading_too_large(place, name);
    else
        return hold(reading, &(struct held_file){.file = {name, bytes, size, reading->upload,
                                                          by_text || intake_name_is_cu(name)},
                                                 .container = place->container,
                                                 .order = order,
                                                 .charset = charset,
                                                 .by_text = by_text});
    free(name);
    free(bytes);
    return good;
}

/* ---- Notebooks ---- */

/* Is it one of the first `count` held files, under the same name? */
static bool is_known_kernel(const struct reading *reading, size_t count,
                            const struct intake_file *file)
{
    for (size_t i = 0; file->kernel && i < count; i++)
        if (!strcmp(reading->held[i].file.name, file->name) &&
            same_bytes(&reading->held[i].file, file))
            return true;
    return false;
}

/* The files held from `first` on are of an archive or a notebook. When it holds other files
 * under names that are there already, both stay: the archive's then lie in a folder of its own
 * name. */
static bool separate(struct reading *reading, size_t container, size_t first, const char *archive)
{
    bool clash = false;
    for (size_t i = first; i < reading->held_count && !clash; i++)
        for (size_t j = 0; j < first && !clash; j++) {
            const struct held_file *a = &reading->held[i], *b = &reading->held[j];
            clash = a->container == container && !strcmp(a->file.name, b->file.name) &&
                    !same_bytes(&a->file, &b->file);
        }
    size_t folder = (size_t)(path_basename(archive) - archive), kept = first;
    for (size_t i = first; clash && i < reading->held_count; i++) {
        struct held_file *held = &reading->held[i];
        char *name;
        if (held->container == container && is_known_kernel(reading, first, &held->file)) {
            held_free(held);
            continue;
        }
        reading->held[kept++] = *held;
        held = &reading->held[kept - 1];
        if (held->container != container)
            continue;
        if (asprintf(&name, "%s/%s", archive, held->file.name + folder) < 0) {
            name = NULL;
            reading_no_memory(reading);
        }
        free(held->file.name);
        held->file.name = name;
    }
    if (clash)
        reading->held_count = kept;
    return reading->failure->kind != FAILURE_HARNESS &&
           (!clash || reading_note(reading, archive,
                                   "%s holds other files of names that are there already: they are "
                                   "named %s/...",
                                   archive, archive));
}

struct notebook_place {
    const struct place *place;
    size_t order;
};

static bool take_program(void *context, const char *program, const char *text)
{
    const struct notebook_place *notebook = context;
    char *clean = text_clean(program, strlen(program));
    if (!clean)
        return reading_no_memory(notebook->place->reading);
    char *name = reading_name(notebook->place, clean);
    free(clean);
    if (!name)
        return notebook->place->reading->failure->kind != FAILURE_HARNESS;
    size_t size = strlen(text);
    char *copy = strdup(text);
    if (copy && size <= INTAKE_FILE_BYTES_MAX && reading_want(notebook->place, name) > 0 &&
        (intake_name_kind(name) == INTAKE_SOURCE || intake_name_kind(name) == INTAKE_MAYBE))
        return take_source(notebook->place, notebook->order, name, (unsigned char *)copy, size);
    free(name);
    free(copy);
    return copy || reading_no_memory(notebook->place->reading);
}

/* The folder that a file is in, malloc'd: what an archive holds is named as if it had been unpacked
 * where it lies. */
static char *folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return strndup(name, slash ? (size_t)(slash - name) : 0);
}

static bool open_notebook(const struct place *outer, const char *name, const void *bytes,
                          size_t size)
{
    struct reading *reading = outer->reading;
    char *prefix = folder_of(name);
    if (!prefix)
        return reading_no_memory(reading);
    struct place place = {reading, prefix, ++reading->containers, outer->nesting};
    struct notebook_place notebook = {&place, 0};
    size_t programs, first = reading->held_count;
    bool valid, good = notebook_read(bytes, size, take_program, &notebook, &programs, &valid);
    free(prefix);
    if (!good || programs)
        return good && separate(reading, place.container, first, name) &&
               reading_note(reading, name, "%s is a notebook: %zu of its cells %s taken as files",
                            name, programs, programs == 1 ? "is" : "are");
    return reading_unreadable(reading, name,
                              valid ? "is a notebook without a cell that begins with %%cu or "
                                      "%%writefile"
                                    : "is no notebook that can be read");
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
        reading_refuse(reading, unpacking->name,
                       item->kind == ARCHIVE_LINK ? "is a link" : "is no regular file");
        return 0;
    }
    size_t wanted = reading_want(&unpacking->place, unpacking->name);
    if (wanted && item->encrypted) {
        reading_unreadable(reading, unpacking->name, "is encrypted");
        return 0;
    }
    return wanted;
}

static bool take_entry(void *context, const struct archive_item *item, unsigned char *bytes,
                       size_t size, bool too_large, bool damaged, struct failure *failure)
{
    (void)failure;
    struct unpacking *unpacking = context;
    struct upload *upload = &unpacking->place.reading->upload;
    char *name = unpacking->name;
    upload->modified = item->time;
    if (!unpacking->place.nesting)
        upload->time = item->time;
    unpacking->name = NULL;
    if (!too_large && !damaged)
        return reading_take(&unpacking->place, item->order, name, bytes, size);
    bool good = damaged ? reading_unreadable(unpacking->place.reading, name, "is damaged or sparse")
                        : reading_too_large(&unpacking->place, name);
    free(name);
    return good;
}

/* Read an archive: a file when `bytes` is NULL. */
static bool unpack(struct unpacking *unpacking, int descriptor, const void *bytes, size_t size,
                   struct archive_budget *budget, const char *name, const char *alone)
{
    struct reading *reading = unpacking->place.reading;
    const char *problem;
    struct archive_visitor visitor = {unpacking, want_entry, take_entry, alone};
    bool good = archive_walk(descriptor, bytes, size, budget, &visitor, &problem, reading->failure);
    free(unpacking->name);
    if (!good || reading->failure->kind == FAILURE_HARNESS)
        return false;
    char text[NOTE_SIZE];
    snprintf(text, sizeof text,
             "%.1000s %s: what could be read counts, and a person has to look at the rest", name,
             problem);
    return !problem || add_pending(reading, name, text, problem, false);
}

/* A student's archive. */
static bool open_archive(const struct place *outer, const char *name, int descriptor,
                         const void *bytes, size_t size)
{
    static const char *const compressed[] = {"", ".gz", ".bz2", ".xz"};
    struct reading *reading = outer->reading;
    char *prefix = folder_of(name), *alone = strdup(path_basename(name));
    bool single = false;
    if (!prefix || !alone) {
        free(prefix);
        free(alone);
        return reading_no_memory(reading);
    }
    size_t stem = archive_stem(alone);
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
        single |= !strcasecmp(alone + stem, compressed[i]);
    alone[stem] = 0;
    struct unpacking unpacking = {
        .place = {reading, prefix, ++reading->containers, outer->nesting + 1}};
    size_t container = unpacking.place.container, first = reading->held_count;
    bool good = unpack(&unpacking, descriptor, bytes, size, &reading->budget, name,
                       single ? alone : NULL) &&
                separate(reading, container, first, name);
    free(alone);
    free(prefix);
    return good;
}

bool reading_take_archive(const struct place *place, const char *name, int descriptor)
{
    return open_archive(place, name, descriptor, NULL, 0);
}

bool reading_take(const struct place *place, size_t order, char *name, unsigned char *bytes,
                  size_t size)
{
    enum intake_file_kind kind = intake_name_kind(name);
    bool archive = archive_is_magic(bytes, size), good;
    if (kind == INTAKE_ARCHIVE && !archive && size <= INTAKE_FILE_BYTES_MAX &&
        !memchr(bytes, 0, size) && source_text_has_kernel(bytes, size))
        kind = INTAKE_MAYBE; /* a source that is called an archive */
    if (kind != INTAKE_NOTEBOOK && kind != INTAKE_ARCHIVE && !archive)
        return take_source(place, order, name, bytes, size);
    if (kind == INTAKE_NOTEBOOK)
        good = open_notebook(place, name, bytes, size);
    else if (place->nesting < INTAKE_NESTING_MAX)
        good = open_archive(place, name, -1, bytes, size);
    else
        good = reading_unreadable(place->reading, name, "is an archive in too many archives");
    free(name);
    free(bytes);
    return good;
}

/* ---- What counts ---- */

static void pending_free(struct pending_note *note)
{
    free(note->name);
    free(note->text);
    free(note->why);
}

/* Is a file that is no source the course's? */
static bool is_course(const struct reading *reading, const char *name)
{
    return course_file_share(&reading->course, name, NULL, 0) != COURSE_NOT;
}

/* Leave to the course what is its own, and say nothing about it. */
static bool drop_course(struct reading *reading)
{
    size_t kept = 0, dropped = 0;
    for (size_t i = 0; i < reading->pending_count; i++)
        if (is_course(reading, reading->pending[i].name))
            pending_free(&reading->pending[i]);
        else
            reading->pending[kept++] = reading->pending[i];
    reading->pending_count = kept;
    kept = 0;
    bool good = true;
    for (size_t i = 0; i < reading->held_count; i++) {
        struct held_file *held = &reading->held[i];
        const struct intake_file *file = &held->file;
        enum course_share share =
            course_file_share(&reading->course, file->name, file->bytes, file->size);
        if (share == COURSE_NOT) {
            reading->held[kept++] = *held;
            continue;
        }
        if (share == COURSE_CHANGED && source_text_has_lab(file->bytes, file->size))
            good = good && reading_unreadable(reading, file->name,
                                              "lies where the course keeps solutions, but is none "
                                              "of them, and is not graded");
        held_free(held);
        dropped++;
    }
    reading->held_count = kept;
    kept = 0;
    for (size_t i = 0; i < reading->other_count; i++)
        if (is_course(reading, reading->others[i]))
            free(reading->others[i]);
        else
            reading->others[kept++] = reading->others[i];
    reading->other_count = kept;
    return good && (!dropped || reading_note(reading, "",
                                             "left out first: %zu sources that the course "
                                             "ships",
                                             dropped));
}

/* Does the file lie in a folder in which there is a kernel? */
static bool is_near_kernel(const struct reading *reading, const struct held_file *held)
{
    size_t folder = (size_t)(path_basename(held->file.name) - held->file.name);
    for (size_t i = 0; i < reading->held_count; i++) {
        const struct intake_file *file = &reading->held[i].file;
        if (file->kernel && (size_t)(path_basename(file->name) - file->name) == folder &&
            !strncmp(file->name, held->file.name, folder))
            return true;
    }
    return false;
}

/* Kernels of labs, other kernels, headers beside a kernel, other headers. */
static int rank(const struct reading *reading, const struct held_file *held)
{
    const struct intake_file *file = &held->file;
    if (file->kernel)
        return source_text_has_lab(file->bytes, file->size) ? 0 : 1;
    return is_near_kernel(reading, held) ? 2 : 3;
}

static int compare_held(const void *one, const void *other)
{
    const struct held_file *a = one, *b = other;
    if (a->order != b->order) /* the rank, by now */
        return a->order < b->order ? -1 : 1;
    int order = strcmp(a->file.name, b->file.name);
    return order ? order : a->container < b->container ? -1 : a->container > b->container;
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
static bool check_file(struct reading *reading, const struct intake_file *file, uint64_t total,
                       bool *keep)
{
    const struct intake *intake = reading->intake;
    char why[64] = "";
    *keep = false;
    for (size_t i = 0; i < intake->count; i++)
        if (paths_clash(intake->files[i].name, file->name))
            return (!strcmp(intake->files[i].name, file->name) &&
                    same_bytes(&intake->files[i], file)) ||
                   reading_unreadable(reading, file->name, "has the name of another file");
    if (intake->count == INTAKE_FILES_MAX)
        snprintf(why, sizeof why, "is one of more than %d files", INTAKE_FILES_MAX);
    else if (total + file->size > INTAKE_TOTAL_BYTES_MAX)
        snprintf(why, sizeof why, "is one of files of more than %d MB",
                 INTAKE_TOTAL_BYTES_MAX >> 20);
    *keep = !*why;
    return *keep || (source_text_has_lab(file->bytes, file->size)
                         ? reading_unreadable(reading, file->name, why)
                         : reading_note(reading, file->name, "%s %s: left out", file->name, why));
}

/* Move what counts to the intake. */
static bool choose(struct reading *reading)
{
    struct intake *intake = reading->intake;
    uint64_t total = 0;
    bool good = true;
    for (size_t i = 0; i < reading->held_count; i++)
        reading->held[i].order = (size_t)rank(reading, &reading->held[i]);
    if (!(intake->files = calloc(INTAKE_FILES_MAX, sizeof *intake->files)))
        return reading_no_memory(reading);
    if (reading->held_count)
        qsort(reading->held, reading->held_count, sizeof *reading->held, compare_held);
    bool kernels = reading->held_count && reading->held->file.kernel;
    for (size_t i = 0; good && i < reading->held_count; i++) {
        struct held_file *held = &reading->held[i];
        bool keep;
        if (!kernels && source_text_has_lab(held->file.bytes, held->file.size))
            held->file.kernel = held->by_text = true; /* a header, for lack of others */
        good = check_file(reading, &held->file, total, &keep);
        if (!good || !keep)
            continue;
        if (held->charset)
            good = reading_note(reading, held->file.name, "%s was %s, and is read as UTF-8",
                                held->file.name, held->charset);
        if (held->by_text)
            good = good &&
                   reading_note(reading, held->file.name,
                                "%s is taken as CUDA source, for what is in it", held->file.name);
        total += held->file.size;
        intake->files[intake->count++] = held->file;
        held->file = (struct intake_file){0};
    }
    return good;
}

/* Where there is no kernel at all, anything may be the work. */
static bool suspect_others(struct reading *reading)
{
    const struct intake *intake = reading->intake;
    bool good = true;
    for (size_t i = 0; i < intake->count; i++)
        if (intake->files[i].kernel)
            return true;
    for (size_t i = 0; good && i < reading->other_count && i < UNREADABLE_OTHERS_MAX; i++)
        if (intake_name_kind(reading->others[i]) != INTAKE_DOCUMENT)
            good = add_pending(reading, reading->others[i], NULL, "is no CUDA source", true);
    return good;
}

/* The last notes, which say what was not noted one by one. */
static bool summarise_others(struct reading *reading)
{
    char tail[64] = "";
    char *const *names = reading->others;
    size_t count = reading->other_count;
    if (count > OTHERS_SHOWN)
        snprintf(tail, sizeof tail, " and %zu more", count - OTHERS_SHOWN);
    return (!count || reading_note(reading, "",
                                   "left out, as only CUDA sources count: %.400s%s%.400s%s%.400s%s",
                                   names[0], count > 1 ? ", " : "", count > 1 ? names[1] : "",
                                   count > 2 ? ", " : "", count > 2 ? names[2] : "", tail)) &&
           (!reading->held_dropped ||
            reading_note(reading, "", "%zu sources are more than can be looked at: left out",
                         reading->held_dropped));
}

/* What was noted of the student's files, as far as there is room. */
static bool tell(struct reading *reading)
{
    struct intake *intake = reading->intake;
    intake->notes = calloc(INTAKE_NOTES_MAX + 1, sizeof *intake->notes);
    intake->unreadable = calloc(INTAKE_UNREADABLE_MAX, sizeof *intake->unreadable);
    if (!intake->notes || !intake->unreadable)
        return reading_no_memory(reading);
    for (size_t i = 0; i < reading->pending_count; i++) {
        struct pending_note *note = &reading->pending[i];
        if (note->text && intake->note_count < INTAKE_NOTES_MAX) {
            intake->notes[intake->note_count++] = note->text;
            note->text = NULL;
        } else if (note->text) {
            reading->notes_dropped++;
        }
        if (note->why && intake->unreadable_count < INTAKE_UNREADABLE_MAX) {
            intake->unreadable[intake->unreadable_count++] =
                (struct intake_unreadable){note->name, note->why, note->document};
            note->name = note->why = NULL;
        }
    }
    char *text;
    if (!reading->notes_dropped)
        return true;
    if (asprintf(&text, "and %zu more notes like these", reading->notes_dropped) < 0)
        return reading_no_memory(reading);
    intake->notes[intake->note_count++] = text;
    return true;
}

bool reading_finish(struct reading *reading)
{
    return drop_course(reading) && choose(reading) && reading_mend(reading) &&
           suspect_others(reading) && summarise_others(reading) && tell(reading);
}

void reading_free(struct reading *reading)
{
    for (size_t i = 0; i < reading->held_count; i++)
        held_free(&reading->held[i]);
    for (size_t i = 0; i < reading->other_count; i++)
        free(reading->others[i]);
    for (size_t i = 0; i < reading->pending_count; i++)
        pending_free(&reading->pending[i]);
    free(reading->pending);
    free(reading->held);
    free(reading->others);
    course_folders_free(&reading->course);
}

/* ---- The class's archive ---- */

bool reading_class_archive(struct reading *reading, int descriptor)
{
    struct archive_budget budget = {INTAKE_CLASS_ENTRIES_MAX, UINT64_MAX >> 1};
    const struct submission *submission = reading->submission;
    struct unpacking unpacking = {.place = {.reading = reading, .prefix = ""},
                                  .members = submission->members,
                                  .member_count = submission->member_count};
    return unpack(&unpacking, descriptor, NULL, 0, &budget, "the class's archive", NULL);
}
