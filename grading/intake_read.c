/* intake_read.c: the files of one submission, from whatever they came in.
 *
 * Theory of operation. Wherever a file comes from (a folder, an archive, a file of its own, an
 * archive in any of these), it goes the same way: its name is made clean and safe, decides what the
 * file is good for and so how many bytes are wanted of it, and the bytes arrive in add_bytes.
 * Folders are walked by descriptors, with O_NOFOLLOW and after a look at the type, so that neither
 * links nor pipes nor devices are ever opened; in the order of their names, since limits must cut
 * at the same place on every file system.
 */
#define _GNU_SOURCE
#include "archive.h"
#include "intake.h"
#include "intake_name.h"
#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTE_SIZE = 1500, OTHERS_SHOWN = 3, CLASS_ENTRIES_MAX = 1 << 20 };

/* The intake in the making. */
struct reading {
    struct intake *intake;
    const struct submission *submission;
    uint64_t total_bytes;
    size_t entries; /* of folders, so far */
    size_t others, notes_dropped;
    char *other_names[OTHERS_SHOWN];
    struct failure *failure;
};

/* Where a file was found. */
struct place {
    struct reading *reading;
    const char *prefix; /* path of what it is in: "" or "folder" */
    bool in_archive;    /* of the submission: archives there stay closed */
};

static bool no_memory(struct reading *reading)
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
        return no_memory(reading);
    }
    intake->notes[intake->note_count++] = clean;
    return true;
}

static bool __attribute__((format(printf, 2, 3)))
add_note(struct reading *reading, const char *format, ...)
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
    if (reading->others < OTHERS_SHOWN && !(reading->other_names[reading->others] = strdup(name)))
        return no_memory(reading);
    reading->others++;
    return true;
}

/* The last notes: what was not noted one by one. */
static bool summarise(struct reading *reading)
{
    char text[NOTE_SIZE], tail[64] = "";
    char *const *names = reading->other_names;
    if (reading->others > OTHERS_SHOWN)
        snprintf(tail, sizeof tail, " and %zu more", reading->others - OTHERS_SHOWN);
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

/* The file's safe path in the submission, malloc'd. NULL: it cannot be (noted), or no memory. */
static char *place_name(const struct place *place, const char *clean)
{
    char *name;
    if (asprintf(&name, "%s%s%s", place->prefix, *place->prefix ? "/" : "", clean) < 0) {
        no_memory(place->reading);
        return NULL;
    }
    if (intake_name_kind(name) == INTAKE_JUNK) {
        free(name);
        return NULL;
    }
    if (*clean != '/' && intake_name_make_safe(name))
        return name;
    add_note(place->reading,
             "%.200s: its path leads outside the submission, or is too long: left out", clean);
    free(name);
    return NULL;
}

/* Bytes wanted of a file of that name, 0 for none, which is noted. */
static size_t wanted_bytes(const struct place *place, const char *name)
{
    switch (intake_name_kind(name)) {
    case INTAKE_SOURCE:
        return INTAKE_FILE_BYTES_MAX;
    case INTAKE_ARCHIVE:
        if (!place->in_archive)
            return INTAKE_ARCHIVE_BYTES_MAX;
        add_note(place->reading, "%s: an archive in an archive is not opened: left out", name);
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
        return same || add_note(reading, "%s: is there twice; the first one counts", name);
    }
    if (intake->count == INTAKE_FILES_MAX)
        return add_note(reading, "%s: more than %d files: left out", name, INTAKE_FILES_MAX);
    if (reading->total_bytes + size > INTAKE_TOTAL_BYTES_MAX)
        return add_note(reading, "%s: all files together are larger than %d MB: left out", name,
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
        good = no_memory(reading);
    if (good && keep) {
        intake->files[intake->count++] = (struct intake_file){name, bytes, size};
        reading->total_bytes += size;
    } else {
        free(name);
        free(bytes);
    }
    return good;
}

static bool open_archive(struct reading *reading, const char *name, const void *bytes, size_t size);

/* What came of a file that was wanted. Takes name and bytes. */
static bool add_bytes(struct reading *reading, char *name, unsigned char *bytes, size_t size)
{
    if (intake_name_kind(name) == INTAKE_SOURCE)
        return keep_file(reading, name, bytes, size);
    bool good = open_archive(reading, name, bytes, size);
    free(name);
    free(bytes);
    return good;
}

static bool note_too_large(struct reading *reading, const char *name)
{
    size_t limit =
        intake_name_kind(name) == INTAKE_SOURCE ? INTAKE_FILE_BYTES_MAX : INTAKE_ARCHIVE_BYTES_MAX;
    return add_note(reading, "%s: larger than %zu MB: left out", name, limit >> 20);
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
        if (entry[length] == '/')
            return entry + length + 1;
        if (entry[length])
            continue;
        const char *slash = strrchr(entry, '/');
        struct intake_name parsed;
        intake_name_parse(slash ? slash + 1 : entry, &parsed);
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
    unpacking->name = place_name(&unpacking->place, part);
    if (!unpacking->name)
        return 0;
    if (item->kind != ARCHIVE_FILE) {
        add_note(reading, "%s is %s: left out", unpacking->name,
                 item->kind == ARCHIVE_LINK ? "a link" : "no regular file");
        return 0;
    }
    size_t wanted = wanted_bytes(&unpacking->place, unpacking->name);
    if (wanted && item->encrypted) {
        add_note(reading, "%s is encrypted: left out", unpacking->name);
        return 0;
    }
    return wanted;
}

static bool take_entry(void *context, const struct archive_item *item, unsigned char *bytes,
                       size_t size, bool too_large, bool damaged, struct failure *failure)
{
    (void)item;
    (void)failure;
    struct unpacking *unpacking = context;
    struct reading *reading = unpacking->place.reading;
    char *name = unpacking->name;
    unpacking->name = NULL;
    if (!too_large && !damaged)
        return add_bytes(reading, name, bytes, size);
    bool good = damaged ? add_note(reading, "%s is damaged: left out", name)
                        : note_too_large(reading, name);
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
    return !problem || add_note(reading, "%s %s: what could be read counts", name, problem);
}

/* A student's archive. Its files are named as if it had been unpacked where it lies. */
static bool open_archive(struct reading *reading, const char *name, const void *bytes, size_t size)
{
    static const struct archive_limits limits = {INTAKE_ENTRIES_MAX, INTAKE_SCAN_BYTES_MAX};
    const char *slash = strrchr(name, '/');
    char *prefix = strndup(name, slash ? (size_t)(slash - name) : 0);
    if (!prefix)
        return no_memory(reading);
    struct unpacking unpacking = {
        .place = {.reading = reading, .prefix = prefix, .in_archive = true}};
    bool good = unpack(&unpacking, NULL, bytes, size, &limits, name);
    free(prefix);
    return good;
}

/* What of a class's archive is this submission's. */
static bool open_class_archive(struct reading *reading)
{
    static const struct archive_limits limits = {CLASS_ENTRIES_MAX, UINT64_MAX >> 1};
    const struct submission *submission = reading->submission;
    struct unpacking unpacking = {.place = {.reading = reading, .prefix = ""},
                                  .members = submission->members,
                                  .member_count = submission->member_count};
    return unpack(&unpacking, submission->path, NULL, 0, &limits, "the class's archive");
}

/* ---- Folders and files ---- */

/* Up to limit + 1 bytes of an open file. */
static unsigned char *read_descriptor(struct reading *reading, int descriptor, size_t limit,
                                      size_t *size)
{
    size_t capacity = 0;
    unsigned char *bytes = NULL;
    *size = 0;
    for (;;) {
        if (*size + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 8192;
            capacity = capacity > limit + 2 ? limit + 2 : capacity;
            unsigned char *more = realloc(bytes, capacity);
            if (!more) {
                free(bytes);
                no_memory(reading);
                return NULL;
            }
            bytes = more;
        }
        ssize_t count = read(descriptor, bytes + *size, capacity - 1 - *size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            failure_harness(reading->failure, "cannot read a file of %s: %s",
                            reading->submission->path, strerror(errno));
            free(bytes);
            return NULL;
        }
        *size += (size_t)count;
        if (!count || *size > limit) {
            bytes[*size] = 0;
            return bytes;
        }
    }
}

/* Why an entry of a folder is not read, or NULL. */
static const char *refuse_status(const struct stat *status)
{
    if (S_ISLNK(status->st_mode))
        return "is a symbolic link";
    if (!S_ISREG(status->st_mode))
        return "is no regular file";
    return status->st_nlink > 1 ? "has a second name elsewhere (a hard link)" : NULL;
}

/* Read one file of an open folder. Takes `name`, its path in the submission. */
static bool read_file(const struct place *place, int folder, const char *entry, char *name)
{
    struct reading *reading = place->reading;
    struct stat status;
    int descriptor = -1;
    const char *refused = NULL;
    if (fstatat(folder, entry, &status, AT_SYMLINK_NOFOLLOW))
        refused = "cannot be read";
    else
        refused = refuse_status(&status);
    bool good = true;
    size_t wanted = refused ? 0 : wanted_bytes(place, name);
    if (wanted) {
        descriptor = openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (descriptor < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
            good = failure_harness(reading->failure, "cannot open a file of %s: %s",
                                   reading->submission->path, strerror(errno));
        else if (descriptor < 0 || fstat(descriptor, &status))
            refused = "cannot be read";
        else
            refused = refuse_status(&status);
    }
    if (good && refused && intake_name_kind(name) != INTAKE_JUNK)
        good = add_note(reading, "%s %s: left out", name, refused);
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (good && wanted && !refused) {
        bytes = read_descriptor(reading, descriptor, wanted, &size);
        good = bytes && (size <= wanted || note_too_large(reading, name));
    }
    if (descriptor >= 0)
        close(descriptor);
    if (good && bytes && size <= wanted)
        return add_bytes(reading, name, bytes, size) && reading->failure->kind != FAILURE_HARNESS;
    free(bytes);
    free(name);
    return good && reading->failure->kind != FAILURE_HARNESS;
}

static int compare_texts(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

/* The names in an open folder, sorted. *too_many: more than a submission may have. */
static bool list_folder(struct reading *reading, DIR *folder, char ***names, size_t *count,
                        bool *too_many)
{
    struct dirent *entry;
    *names = NULL;
    *count = 0;
    *too_many = false;
    while ((entry = readdir(folder))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (reading->entries + *count >= INTAKE_ENTRIES_MAX) {
            *too_many = true;
            break;
        }
        if ((*count & (*count + 1)) == 0) {
            char **more = realloc(*names, (2 * *count + 2) * sizeof *more);
            if (!more)
                return no_memory(reading);
            *names = more;
        }
        if (!((*names)[*count] = strdup(entry->d_name)))
            return no_memory(reading);
        ++*count;
    }
    if (*count)
        qsort(*names, *count, sizeof **names, compare_texts);
    reading->entries += *count;
    return true;
}

static bool read_folder(const struct place *place, int parent, const char *entry, unsigned depth);

/* One entry of an open folder. */
static bool read_entry(const struct place *place, int folder, const char *entry, unsigned depth)
{
    struct stat status;
    char *clean = text_clean(entry, strlen(entry));
    if (!clean)
        return no_memory(place->reading);
    for (char *c = clean; *c; c++)
        *c = *c == '\\' ? '/' : *c;
    char *name = place_name(place, clean);
    free(clean);
    if (!name)
        return place->reading->failure->kind != FAILURE_HARNESS;
    if (fstatat(folder, entry, &status, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(status.st_mode))
        return read_file(place, folder, entry, name);
    struct place inside = {.reading = place->reading, .prefix = name};
    bool good = read_folder(&inside, folder, entry, depth + 1);
    free(name);
    return good;
}

static bool read_folder(const struct place *place, int parent, const char *entry, unsigned depth)
{
    struct reading *reading = place->reading;
    const char *shown = *place->prefix ? place->prefix : "the folder";
    if (depth > INTAKE_DEPTH_MAX)
        return add_note(reading, "%s: more than %d folders deep: left out", shown,
                        INTAKE_DEPTH_MAX);
    int descriptor =
        openat(parent, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (!folder) {
        if (descriptor >= 0)
            close(descriptor);
        return add_note(reading, "%s cannot be read: left out", shown);
    }
    char **names;
    size_t count;
    bool too_many, good = list_folder(reading, folder, &names, &count, &too_many);
    if (good && too_many)
        good = add_note(reading, "%s: more than %d entries: left out", shown, INTAKE_ENTRIES_MAX);
    for (size_t i = 0; good && !too_many && i < count; i++)
        good = read_entry(place, dirfd(folder), names[i], depth);
    free_texts(names, count);
    closedir(folder);
    return good;
}

/* ---- The submission ---- */

/* An entry of the class's folder (or the path as a whole): a folder, whose name does not count, or
 * a file, whose name counts without what the platform put before it. */
static bool read_member(struct reading *reading, int parent, const char *entry)
{
    struct place top = {.reading = reading, .prefix = ""};
    struct stat status;
    if (!fstatat(parent, entry, &status, AT_SYMLINK_NOFOLLOW) && S_ISDIR(status.st_mode))
        return read_folder(&top, parent, entry, 0);
    const char *slash = strrchr(entry, '/');
    char *clean = text_clean(slash ? slash + 1 : entry, strlen(slash ? slash + 1 : entry));
    if (!clean)
        return no_memory(reading);
    struct intake_name parsed;
    intake_name_parse(clean, &parsed);
    char *name = place_name(&top, *parsed.file ? parsed.file : clean);
    free(clean);
    if (!name)
        return reading->failure->kind != FAILURE_HARNESS;
    return read_file(&top, parent, entry, name);
}

static bool read_members(struct reading *reading)
{
    const struct submission *submission = reading->submission;
    if (!submission->members)
        return read_member(reading, AT_FDCWD, submission->path);
    int folder = open(submission->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (folder < 0 || fstat(folder, &status)) {
        failure_harness(reading->failure, "cannot read %s: %s", submission->path, strerror(errno));
        if (folder >= 0)
            close(folder);
        return false;
    }
    bool good = true;
    if (S_ISDIR(status.st_mode))
        for (size_t i = 0; good && i < submission->member_count; i++)
            good = read_member(reading, folder, submission->members[i]);
    else
        good = open_class_archive(reading);
    close(folder);
    return good;
}

static int compare_files(const void *one, const void *other)
{
    return strcmp(((const struct intake_file *)one)->name,
                  ((const struct intake_file *)other)->name);
}

static void hash_number(struct sha256_ctx *hash, uint64_t number)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    sha256_update(hash, sizeof bytes, bytes);
}

/* Lengths go in, too, so that no two lists of files are the same bytes. */
static void make_digest(struct intake *intake)
{
    struct sha256_ctx hash;
    sha256_init(&hash);
    for (size_t i = 0; i < intake->count; i++) {
        const struct intake_file *file = &intake->files[i];
        hash_number(&hash, strlen(file->name));
        sha256_update(&hash, strlen(file->name), (const uint8_t *)file->name);
        hash_number(&hash, file->size);
        sha256_update(&hash, file->size, file->bytes);
    }
    sha256_digest(&hash, sizeof intake->digest, intake->digest);
}

bool intake_read(const struct submission *submission, struct intake *intake,
                 struct failure *failure)
{
    *intake = (struct intake){0};
    struct reading reading = {.intake = intake, .submission = submission, .failure = failure};
    bool good = !submission->late || add_note(&reading, "handed in late, as Canvas says");
    if (good && submission->path)
        good = read_members(&reading);
    good = good && failure->kind != FAILURE_HARNESS;
    if (good && submission->path && !intake->count && !intake->note_count && !reading.others)
        good = add_note(&reading, "there is no .cu file in it");
    good = good && summarise(&reading);
    for (size_t i = 0; i < OTHERS_SHOWN; i++)
        free(reading.other_names[i]);
    if (!good) {
        intake_free(intake);
        return false;
    }
    if (intake->count)
        qsort(intake->files, intake->count, sizeof *intake->files, compare_files);
    make_digest(intake);
    return true;
}

void intake_free(struct intake *intake)
{
    for (size_t i = 0; i < intake->count; i++) {
        free(intake->files[i].name);
        free(intake->files[i].bytes);
    }
    free(intake->files);
    free_texts(intake->notes, intake->note_count);
    *intake = (struct intake){0};
}

/* ---- Staging ---- */

static bool stage_failure(const char *directory, const char *name, struct failure *failure)
{
    return failure_harness(failure, "cannot write %s/%s: %s", directory, name, strerror(errno));
}

/* Make the folders that `name` is in. They may be there. */
static bool stage_folders(int root, const char *directory, const char *name,
                          struct failure *failure)
{
    char *path = strdup(name);
    if (!path)
        return failure_harness(failure, "not enough memory");
    bool good = true;
    for (char *slash = path; good && (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        if (mkdirat(root, path, 0700) && errno != EEXIST)
            good = stage_failure(directory, path, failure);
        *slash = '/';
    }
    free(path);
    return good;
}

static bool stage_file(int root, const char *directory, const struct intake_file *file,
                       struct failure *failure)
{
    if (!stage_folders(root, directory, file->name, failure))
        return false;
    int descriptor = openat(root, file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return stage_failure(directory, file->name, failure);
    size_t done = 0;
    ssize_t count = 0;
    while (
        done < file->size &&
        ((count = write(descriptor, file->bytes + done, file->size - done)) >= 0 || errno == EINTR))
        done += count > 0 ? (size_t)count : 0;
    bool written = done == file->size || stage_failure(directory, file->name, failure);
    if (close(descriptor) && written)
        return stage_failure(directory, file->name, failure);
    return written;
}

bool intake_stage(const struct intake *intake, const char *directory, struct failure *failure)
{
    int root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return failure_harness(failure, "cannot open %s: %s", directory, strerror(errno));
    bool good = true;
    for (size_t i = 0; good && i < intake->count; i++)
        good = stage_file(root, directory, &intake->files[i], failure);
    close(root);
    return good;
}
