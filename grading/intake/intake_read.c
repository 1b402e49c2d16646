/* intake_read.c: the files of one submission, from whatever they came in.
 *
 * Theory of operation. Wherever a file comes from (a folder, an archive, a file of its own, an
 * archive in any of these), it goes the same way: its name is made clean and safe, decides what the
 * file is good for and so how many bytes are wanted of it, and its bytes arrive in reading_take.
 * Folders are walked by descriptors, with O_NOFOLLOW and after a look at the type, so that neither
 * links nor pipes nor devices are ever opened; in the order of their names, since limits must cut
 * at the same place on every file system.
 */
#define _GNU_SOURCE
#include "base/array.h"
#include "base/child.h"
#include "base/whole_file.h"
#include "goals/digest.h"
#include "intake/intake_collect.h"
#include "intake/intake_name.h"
#include "intake/intake_send.h"
#include "intake/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Folders and files ---- */

/* Up to limit + 1 bytes of an open file, which is closed. */
static unsigned char *read_descriptor(struct reading *reading, int descriptor, size_t limit,
                                      size_t *size)
{
    char *bytes = NULL;
    FILE *file = fdopen(descriptor, "rb");
    bool good = file && whole_file_read_stream(file, limit, &bytes, size);
    if (!good) {
        failure_harness(reading->failure, "cannot read a file of %s: %s", reading->submission->path,
                        strerror(errno));
        free(bytes);
    }
    if (file)
        fclose(file);
    else
        close(descriptor);
    return good ? (unsigned char *)bytes : NULL;
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

/* Archives are read where they lie, and need no memory then. */
static bool is_archive(int descriptor, const char *name)
{
    char head[512];
    ssize_t size = pread(descriptor, head, sizeof head, 0);
    return intake_name_kind(name) != INTAKE_NOTEBOOK && size > 0 &&
           archive_is_magic(head, (size_t)size);
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
    size_t wanted = refused ? 0 : reading_want(place, name);
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
    if (good && refused)
        good = reading_refuse(reading, name, refused);
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (wanted && !refused)
        reading->upload.time = reading->upload.modified = status.st_mtime;
    if (good && wanted && !refused && is_archive(descriptor, name)) {
        good = status.st_size > INTAKE_ARCHIVE_BYTES_MAX
                   ? reading_unreadable(reading, name, "is too large an archive")
                   : reading_take_archive(place, name, descriptor);
        close(descriptor);
    } else if (good && wanted && !refused) {
        bytes = read_descriptor(reading, descriptor, wanted, &size);
        good = bytes && (size <= wanted || reading_too_large(place, name));
    } else if (descriptor >= 0) {
        close(descriptor);
    }
    if (good && bytes && size <= wanted)
        return reading_take(place, reading->held_count, name, bytes, size) &&
               reading->failure->kind != FAILURE_HARNESS;
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
        if (!array_make_room(names, *count, sizeof **names))
            return reading_no_memory(reading);
        if (!((*names)[*count] = strdup(entry->d_name)))
            return reading_no_memory(reading);
        ++*count;
    }
    if (*count)
        qsort(*names, *count, sizeof **names, compare_texts);
    reading->entries += *count;
    return true;
}

static bool read_folder(const struct place *place, int parent, const char *entry, unsigned depth);

/* A name in a folder, which may be of Latin-1. malloc'd; NULL: no memory. */
static char *clean_name(const char *entry)
{
    size_t length = strlen(entry);
    char *converted =
        text_is_utf8(entry, length) ? NULL : text_convert("ISO-8859-1", entry, length, &length);
    char *clean = text_clean(converted ? converted : entry, length);
    free(converted);
    return clean;
}

/* One entry of an open folder. */
static bool read_entry(const struct place *place, int folder, const char *entry, unsigned depth)
{
    struct stat status;
    char *clean = clean_name(entry);
    if (!clean)
        return reading_no_memory(place->reading);
    for (char *c = clean; *c; c++)
        *c = *c == '\\' ? '/' : *c;
    char *name = reading_name(place, clean);
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
        return reading_unreadable(reading, shown, "lies in too many folders");
    int descriptor =
        openat(parent, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (!folder) {
        if (descriptor >= 0)
            close(descriptor);
        return reading_unreadable(reading, shown, "cannot be read");
    }
    char **names;
    size_t count;
    bool too_many, good = list_folder(reading, folder, &names, &count, &too_many);
    if (good && too_many)
        good = reading_unreadable(reading, shown, "has too many entries");
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
    reading->upload = (struct upload){.late = false};
    if (!fstatat(parent, entry, &status, AT_SYMLINK_NOFOLLOW) && S_ISDIR(status.st_mode))
        return read_folder(&top, parent, entry, 0);
    const char *slash = strrchr(entry, '/');
    char *clean = clean_name(slash ? slash + 1 : entry);
    if (!clean)
        return reading_no_memory(reading);
    struct intake_name parsed;
    intake_name_parse(clean, &parsed);
    reading_begin_upload(reading, &parsed);
    char *name = reading_name(&top, *parsed.file ? parsed.file : clean);
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
        good = reading_class_archive(reading, folder);
    close(folder);
    return good;
}

static int compare_files(const void *one, const void *other)
{
    return strcmp(((const struct intake_file *)one)->name,
                  ((const struct intake_file *)other)->name);
}

static void make_digest(struct intake *intake)
{
    struct sha256_ctx hash, uploads;
    sha256_init(&hash);
    sha256_init(&uploads);
    for (size_t i = 0; i < intake->count; i++) {
        const struct intake_file *file = &intake->files[i];
        digest_add_part(&hash, file->name, strlen(file->name));
        digest_add_part(&hash, file->bytes, file->size);
        digest_add_part(&uploads, file->name, strlen(file->name));
        digest_add_number(&uploads, (uint64_t)file->upload.time);
        digest_add_number(&uploads, (uint64_t)file->upload.modified);
        digest_add_number(&uploads, file->upload.number);
        digest_add_number(&uploads, file->upload.late);
    }
    for (size_t i = 0; i < intake->unreadable_count; i++) {
        const struct intake_unreadable *one = &intake->unreadable[i];
        digest_add_part(&hash, one->name, strlen(one->name));
        digest_add_part(&hash, one->why, strlen(one->why));
    }
    sha256_digest(&hash, sizeof intake->digest, intake->digest);
    sha256_digest(&uploads, sizeof intake->uploads_digest, intake->uploads_digest);
}

bool intake_read_here(const struct submission *submission, struct intake *intake,
                      struct failure *failure)
{
    *intake = (struct intake){0};
    struct reading reading = {.intake = intake,
                              .submission = submission,
                              .budget = {INTAKE_ENTRIES_MAX, INTAKE_SCAN_BYTES_MAX},
                              .failure = failure};
    bool good = !submission->late || reading_note(&reading, "", "handed in late, as Canvas says");
    if (good && submission->path)
        good = read_members(&reading);
    good = good && failure->kind != FAILURE_HARNESS && reading_finish(&reading);
    reading_free(&reading);
    if (!good) {
        intake_free(intake);
        return false;
    }
    if (intake->count)
        qsort(intake->files, intake->count, sizeof *intake->files, compare_files);
    make_digest(intake);
    return true;
}

/* ---- In a process of its own ---- */

struct reader {
    const struct submission *submission;
    struct intake *intake;
};

/* Exit statuses; others are of what killed it. */
enum { READER_DONE = 0, READER_FAILED = 10, READER_NO_MEMORY = 11 };

static int read_in_child(int output, void *context)
{
    const struct reader *reader = context;
    struct intake intake;
    struct failure failure = {0};
    if (intake_read_here(reader->submission, &intake, &failure))
        return intake_send(&intake, output) ? READER_DONE : READER_NO_MEMORY;
    fputs(failure.text, stderr);
    return strcmp(failure.text, "not enough memory") ? READER_FAILED : READER_NO_MEMORY;
}

/* The process that read it died, or ran out of its limits. */
static bool give_to_person(struct intake *intake, const char *why, struct failure *failure)
{
    const struct submission nobody = {0};
    struct reading reading = {.intake = intake, .submission = &nobody, .failure = failure};
    *intake = (struct intake){0};
    bool good = reading_unreadable(&reading, "the submission", why) && reading_finish(&reading);
    reading_free(&reading);
    make_digest(intake);
    return good;
}

bool intake_read(const struct submission *submission, struct intake *intake,
                 struct failure *failure)
{
    static const struct child_limits limits = {
        .seconds = INTAKE_SECONDS,
        .memory_bytes = INTAKE_MEMORY_BYTES,
        .output_bytes = INTAKE_TOTAL_BYTES_MAX + (4 << 20),
    };
    struct reader reader = {submission, intake};
    struct child_result child;
    char end[128], why[256];
    *intake = (struct intake){0};
    if (!submission->path)
        return intake_read_here(submission, intake, failure);
    if (!child_run_function(read_in_child, &reader, &limits, &child, failure))
        return false;
    bool good;
    if (child.end == CHILD_EXITED && child.code == READER_FAILED) {
        good = failure_harness(failure, "%s", child.messages);
    } else if (child.end == CHILD_EXITED && child.code == READER_DONE && !child.output_cut &&
               intake_receive(child.output, child.output_bytes, intake)) {
        good = true;
    } else {
        child_describe_end(&child, &limits, end, sizeof end);
        bool memory = child.end == CHILD_EXITED && child.code == READER_NO_MEMORY;
        snprintf(why, sizeof why, "could not be unpacked (%s)",
                 memory ? "it takes too much memory" : end);
        good = give_to_person(intake, why, failure);
    }
    child_result_free(&child);
    return good;
}

void intake_free(struct intake *intake)
{
    for (size_t i = 0; i < intake->count; i++) {
        free(intake->files[i].name);
        free(intake->files[i].bytes);
    }
    for (size_t i = 0; i < intake->unreadable_count; i++) {
        free(intake->unreadable[i].name);
        free(intake->unreadable[i].why);
    }
    free(intake->files);
    free(intake->unreadable);
    free_texts(intake->notes, intake->note_count);
    *intake = (struct intake){0};
}
