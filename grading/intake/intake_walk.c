/* intake_walk.c: read the folders and files of one submission. Theory of operation. Folders are
 * opened with O_NOFOLLOW and after a check of the type, so that no link, pipe or device is opened.
 * Entries are sorted by name, so that limits omit the same files everywhere. */
#define _GNU_SOURCE
#include "base/paths.h"
#include "base/whole_file.h"
#include "goals/digest.h"
#include "intake/intake_collect.h"
#include "intake/text.h"
#include "process/allocate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *refusal(int error, const struct stat *status)
{
    if (error)
        return "cannot be read";
    if (S_ISLNK(status->st_mode))
        return "is a symbolic link";
    if (!S_ISREG(status->st_mode))
        return "is not a regular file";
    return status->st_nlink > 1 ? "is a hard link" : NULL;
}

static bool is_archive(int descriptor, const char *name)
{
    char head[512];
    ssize_t size = pread(descriptor, head, sizeof head, 0);
    return intake_name_kind(name) != INTAKE_NOTEBOOK && size > 0 &&
           archive_is_magic(head, (size_t)size);
}

static void take_file(const struct place *place, FILE *file, off_t bytes_on_disk, size_t wanted,
                      char *name)
{
    struct reading *reading = place->reading;
    char *bytes = NULL;
    size_t size = 0;
    if (is_archive(fileno(file), name)) {
        if (bytes_on_disk > INTAKE_ARCHIVE_BYTES_MAX)
            reading_unreadable(reading, name, "is an archive that is too large");
        else
            reading_take_archive(place, name, fileno(file), NULL, 0);
    } else if (!whole_file_read_stream(file, wanted, &bytes, &size)) {
        failure_harness(reading->failure, "cannot read a file of %s: %m",
                        reading->submission->path);
    } else if (size > wanted) {
        reading_too_large(place, name);
    } else {
        reading_take(place, reading->held_count, name, (unsigned char *)bytes, size);
        return;
    }
    free(bytes);
    free(name);
}

static void read_file(const struct place *place, int folder, const char *entry, char *name)
{
    struct reading *reading = place->reading;
    struct stat status;
    int descriptor = -1;
    const char *refused = refusal(fstatat(folder, entry, &status, AT_SYMLINK_NOFOLLOW), &status);
    size_t wanted = refused ? 0 : reading_want(place, name);
    if (wanted) {
        descriptor = openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        bool ours = descriptor < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM);
        if (ours)
            failure_harness(reading->failure, "cannot open a file of %s: %m",
                            reading->submission->path);
        else
            refused = refusal(descriptor < 0 || fstat(descriptor, &status), &status);
    }
    if (refused)
        reading_refuse(reading, name, refused);
    if (descriptor >= 0 && !refused) {
        FILE *file = allocate_checked(fdopen(descriptor, "rb"));
        reading->upload.time = reading->upload.modified = status.st_mtime;
        take_file(place, file, status.st_size, wanted, name);
        fclose(file);
        return;
    }
    if (descriptor >= 0)
        close(descriptor);
    free(name);
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

static char *clean_name(const char *entry)
{
    return text_clean_path(entry, strlen(entry), "ISO-8859-1");
}

static void read_folder(const struct place *place, int parent, const char *entry, unsigned depth);

static void read_entry(const struct place *place, int folder, const char *entry, unsigned depth)
{
    struct stat status;
    char *clean = clean_name(entry);
    char *name = reading_name(place, clean);
    free(clean);
    if (!name)
        return;
    if (fstatat(folder, entry, &status, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(status.st_mode)) {
        read_file(place, folder, entry, name);
        return;
    }
    struct place inside = {.reading = place->reading, .prefix = name};
    read_folder(&inside, folder, entry, depth + 1);
    free(name);
}

static void read_folder(const struct place *place, int parent, const char *entry, unsigned depth)
{
    struct reading *reading = place->reading;
    const char *shown = *place->prefix ? place->prefix : "the folder";
    if (depth > INTAKE_DEPTH_MAX) {
        reading_unreadable(reading, shown, "is nested in too many folders");
        return;
    }
    struct dirent **names = NULL;
    int folder =
        openat(parent, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int found = folder < 0 ? -1 : scandirat(folder, ".", &names, is_entry, alphasort);
    size_t count = found < 0 ? 0 : (size_t)found, room = INTAKE_ENTRIES_MAX - reading->entries;
    reading->entries += count < room ? count : room;
    if (found < 0 && errno == ENOMEM)
        allocate_checked(NULL);
    else if (found < 0)
        reading_unreadable(reading, shown, "cannot be read");
    else if (count > room)
        reading_unreadable(reading, shown, "has too many entries");
    for (size_t i = 0; i < count; i++) {
        if (count <= room && !reading_failed(reading))
            read_entry(place, folder, names[i]->d_name, depth);
        free(names[i]);
    }
    free(names);
    if (folder >= 0)
        close(folder);
}

/* Names of files in the submission omit the name of the entry's folder and platform prefixes. */
static void read_member(struct reading *reading, int parent, const char *entry)
{
    struct place top = {.reading = reading, .prefix = ""};
    struct stat status;
    reading->upload = (struct upload){.late = false};
    if (!fstatat(parent, entry, &status, AT_SYMLINK_NOFOLLOW) && S_ISDIR(status.st_mode)) {
        read_folder(&top, parent, entry, 0);
        return;
    }
    char *clean = clean_name(path_basename(entry));
    struct intake_name parsed;
    intake_name_parse(clean, &parsed);
    reading_begin_upload(reading, &parsed);
    char *name = reading_name(&top, *parsed.file ? parsed.file : clean);
    free(clean);
    if (name)
        read_file(&top, parent, entry, name);
}

static void read_members(struct reading *reading)
{
    const struct submission *submission = reading->submission;
    if (!submission->members) {
        read_member(reading, AT_FDCWD, submission->path);
        return;
    }
    int folder = open(submission->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (folder < 0 || fstat(folder, &status))
        failure_harness(reading->failure, "cannot read %s: %m", submission->path);
    else if (!S_ISDIR(status.st_mode))
        reading_class_archive(reading, folder);
    else
        for (size_t i = 0; i < submission->member_count && !reading_failed(reading); i++)
            read_member(reading, folder, submission->members[i]);
    if (folder >= 0)
        close(folder);
}

static int compare_files(const void *one, const void *other)
{
    return strcmp(((const struct intake_file *)one)->name,
                  ((const struct intake_file *)other)->name);
}

static void add_text(struct sha256_ctx *hash, const char *text)
{
    digest_add_part(hash, text, strlen(text));
}

void intake_digest(struct intake *intake)
{
    struct sha256_ctx hash, uploads;
    sha256_init(&hash);
    sha256_init(&uploads);
    for (size_t i = 0; i < intake->count; i++) {
        const struct intake_file *file = &intake->files[i];
        add_text(&hash, file->name);
        digest_add_part(&hash, file->bytes, file->size);
        add_text(&uploads, file->name);
        digest_add_number(&uploads, (uint64_t)file->upload.time);
        digest_add_number(&uploads, (uint64_t)file->upload.modified);
        digest_add_number(&uploads, file->upload.number);
        digest_add_number(&uploads, file->upload.late);
    }
    for (size_t i = 0; i < intake->unreadable_count; i++) {
        add_text(&hash, intake->unreadable[i].name);
        add_text(&hash, intake->unreadable[i].why);
    }
    sha256_digest(&hash, sizeof intake->digest, intake->digest);
    sha256_digest(&uploads, sizeof intake->uploads_digest, intake->uploads_digest);
}

void reading_free(struct reading *reading)
{
    for (size_t i = 0; i < reading->held_count; i++)
        held_free(&reading->held[i]);
    for (size_t i = 0; i < reading->remark_count; i++)
        remark_free(&reading->remarks[i]);
    free(reading->remarks);
    free(reading->held);
    course_folders_free(&reading->course);
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
    for (size_t i = 0; i < intake->note_count; i++)
        free(intake->notes[i]);
    free(intake->files);
    free(intake->unreadable);
    free(intake->notes);
    *intake = (struct intake){0};
}

bool intake_read_here(const struct submission *submission, struct intake *intake,
                      struct failure *failure)
{
    *intake = (struct intake){0};
    struct reading reading = {.intake = intake,
                              .submission = submission,
                              .budget = {INTAKE_ENTRIES_MAX, INTAKE_SCAN_BYTES_MAX},
                              .failure = failure};
    if (submission->late)
        reading_note(&reading, "", "submitted late, according to Canvas");
    if (submission->path)
        read_members(&reading);
    if (!reading_failed(&reading))
        reading_finish(&reading);
    reading_free(&reading);
    if (reading_failed(&reading)) {
        intake_free(intake);
        return false;
    }
    if (intake->count)
        qsort(intake->files, intake->count, sizeof *intake->files, compare_files);
    intake_digest(intake);
    return true;
}
