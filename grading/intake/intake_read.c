/* intake_read.c: read a submission in a child process, and write its files to disk. */
#define _GNU_SOURCE
#include "base/paths.h"
#include "intake/intake_collect.h"
#include "intake/text.h"
#include "process/allocate.h"
#include "process/child.h"
#include "process/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool intake_send(const struct intake *intake, int output)
{
    struct frame frame = {0};
    frame_put_number(&frame, intake->count);
    for (size_t i = 0; i < intake->count; i++) {
        const struct intake_file *file = &intake->files[i];
        frame_put_text(&frame, file->name);
        frame_put_bytes(&frame, file->bytes, file->size);
        frame_put_bytes(&frame, &file->upload, sizeof file->upload);
        frame_put_number(&frame, file->kernel);
    }
    frame_put_number(&frame, intake->note_count);
    for (size_t i = 0; i < intake->note_count; i++)
        frame_put_text(&frame, intake->notes[i]);
    frame_put_number(&frame, intake->unreadable_count);
    for (size_t i = 0; i < intake->unreadable_count; i++) {
        frame_put_text(&frame, intake->unreadable[i].name);
        frame_put_text(&frame, intake->unreadable[i].why);
        frame_put_number(&frame, intake->unreadable[i].document);
    }
    return frame_send(&frame, output);
}

static char *take_text(struct frame_reader *reader)
{
    size_t size;
    char *text = frame_copy(reader, 1 << 16, &size);
    reader->bad |= text && (strlen(text) != size || !text_is_utf8(text, size));
    return text;
}

static bool is_safe(const char *name)
{
    char *copy = allocate_checked(strdup(name));
    bool safe = intake_name_make_safe(copy) && !strcmp(copy, name);
    free(copy);
    return safe;
}

static size_t take_items(struct frame_reader *reader, size_t most, size_t item_bytes, void *items)
{
    size_t count = (size_t)frame_number(reader, most);
    void *room = allocate_checked(calloc(count + 1, item_bytes));
    memcpy(items, &room, sizeof room);
    return count;
}

bool intake_receive(const char *bytes, size_t size, struct intake *intake)
{
    struct frame_reader message = {.at = bytes, .left = size}, reader;
    *intake = (struct intake){0};
    frame_next(&message, SIZE_MAX, &reader);
    size_t count = take_items(&reader, INTAKE_FILES_MAX, sizeof *intake->files, &intake->files);
    while (!reader.bad && intake->count < count) {
        struct intake_file *file = &intake->files[intake->count++];
        file->name = take_text(&reader);
        file->bytes = (unsigned char *)frame_copy(&reader, INTAKE_FILE_BYTES_MAX, &file->size);
        frame_object(&reader, &file->upload, sizeof file->upload);
        file->kernel = frame_number(&reader, 1);
        reader.bad |= !file->name || !is_safe(file->name);
    }
    count = take_items(&reader, INTAKE_NOTES_MAX + 1, sizeof *intake->notes, &intake->notes);
    while (!reader.bad && intake->note_count < count)
        intake->notes[intake->note_count++] = take_text(&reader);
    count =
        take_items(&reader, INTAKE_UNREADABLE_MAX, sizeof *intake->unreadable, &intake->unreadable);
    while (!reader.bad && intake->unreadable_count < count) {
        struct intake_unreadable *one = &intake->unreadable[intake->unreadable_count++];
        one->name = take_text(&reader);
        one->why = take_text(&reader);
        one->document = frame_number(&reader, 1);
    }
    bool good = frame_is_read(&reader) && frame_is_read(&message);
    if (good)
        intake_digest(intake);
    else
        intake_free(intake);
    return good;
}

enum { READER_DONE = 0, READER_FAILED = 10 };

static int read_in_child(int output, void *submission)
{
    struct intake intake;
    struct failure failure = {0};
    if (intake_read_here(submission, &intake, &failure))
        return intake_send(&intake, output) ? READER_DONE : ALLOCATE_EXIT_STATUS;
    fputs(failure.text, stderr);
    return READER_FAILED;
}

static bool give_to_person(struct intake *intake, const char *why, struct failure *failure)
{
    struct reading reading = {.intake = intake, .failure = failure};
    reading_unreadable(&reading, "the submission", why);
    reading_finish(&reading);
    reading_free(&reading);
    intake_digest(intake);
    return !reading_failed(&reading);
}

bool intake_read(const struct submission *submission, struct intake *intake,
                 struct failure *failure)
{
    static const struct child_limits limits = {
        .seconds = INTAKE_SECONDS,
        .memory_bytes = INTAKE_MEMORY_BYTES,
        .output_bytes = INTAKE_TOTAL_BYTES_MAX + (4 << 20),
    };
    struct child_result child;
    char end[128], why[256];
    *intake = (struct intake){0};
    if (!submission->path)
        return intake_read_here(submission, intake, failure);
    if (!child_run_function(read_in_child, (void *)submission, &limits, &child, failure))
        return false;
    bool exited = child.end == CHILD_EXITED, good;
    if (exited && child.code == READER_FAILED) {
        good = failure_harness(failure, "%s", child.messages);
    } else if (exited && child.code == READER_DONE && !child.output_cut &&
               intake_receive(child.output, child.output_bytes, intake)) {
        good = true;
    } else {
        child_describe_end(&child, &limits, end, sizeof end);
        snprintf(why, sizeof why, "could not be unpacked (%s)",
                 exited && child.code == ALLOCATE_EXIT_STATUS ? "not enough memory" : end);
        good = give_to_person(intake, why, failure);
    }
    child_result_free(&child);
    return good;
}

static bool stage_file(const char *directory, const struct intake_file *file,
                       struct failure *failure)
{
    char path[PATH_SIZE];
    if (!path_format(path, failure, "%s/%s", directory, file->name) ||
        !path_make_directories(path, 0700, failure))
        return false;
    FILE *stream = fopen(path, "wxe");
    bool good = stream && fwrite(file->bytes, 1, file->size, stream) == file->size;
    return (stream && !fclose(stream) && good) ||
           failure_harness(failure, "cannot write %s: %m", path);
}

bool intake_stage(const struct intake *intake, const char *directory, struct failure *failure)
{
    bool good = true;
    for (size_t i = 0; good && i < intake->count; i++)
        good = stage_file(directory, &intake->files[i], failure);
    return good;
}
