/* intake_send.c: see intake_send.h. Each number is eight bytes, each text a number and its
 * bytes. */
#include "intake/intake_send.h"

#include "base/child.h"
#include "intake/intake_name.h"
#include "intake/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sending ---- */

static void put_number(FILE *stream, uint64_t number)
{
    fwrite(&number, sizeof number, 1, stream);
}

static void put_bytes(FILE *stream, const void *bytes, size_t size)
{
    put_number(stream, size);
    fwrite(bytes, 1, size, stream);
}

static void put_text(FILE *stream, const char *text)
{
    put_bytes(stream, text, strlen(text));
}

bool intake_send(const struct intake *intake, int output)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (!stream)
        return false;
    put_number(stream, intake->count);
    for (size_t i = 0; i < intake->count; i++) {
        put_text(stream, intake->files[i].name);
        put_bytes(stream, intake->files[i].bytes, intake->files[i].size);
        put_bytes(stream, &intake->files[i].upload, sizeof intake->files[i].upload);
        put_number(stream, intake->files[i].kernel);
    }
    put_number(stream, intake->note_count);
    for (size_t i = 0; i < intake->note_count; i++)
        put_text(stream, intake->notes[i]);
    put_number(stream, intake->unreadable_count);
    for (size_t i = 0; i < intake->unreadable_count; i++) {
        put_text(stream, intake->unreadable[i].name);
        put_text(stream, intake->unreadable[i].why);
        put_number(stream, intake->unreadable[i].document);
    }
    put_bytes(stream, intake->digest, sizeof intake->digest);
    put_bytes(stream, intake->uploads_digest, sizeof intake->uploads_digest);
    bool good = !ferror(stream);
    good = !fclose(stream) && good && child_send(output, bytes, size);
    free(bytes);
    return good;
}

/* ---- Receiving ---- */

struct message {
    const char *at;
    size_t left;
    bool bad;
};

static uint64_t take_number(struct message *message, uint64_t most)
{
    uint64_t number = 0;
    if (message->left < sizeof number) {
        message->bad = true;
        return 0;
    }
    memcpy(&number, message->at, sizeof number);
    message->at += sizeof number;
    message->left -= sizeof number;
    message->bad |= number > most;
    return message->bad ? 0 : number;
}

/* malloc'd, with a NUL behind the last of *size. */
static void *take_bytes(struct message *message, size_t most, size_t *size)
{
    *size = (size_t)take_number(message, most);
    message->bad |= *size > message->left;
    char *bytes = message->bad ? NULL : malloc(*size + 1);
    message->bad |= !bytes;
    if (message->bad)
        return NULL;
    memcpy(bytes, message->at, *size);
    bytes[*size] = 0;
    message->at += *size;
    message->left -= *size;
    return bytes;
}

/* So many bytes, into `target`. */
static void take_object(struct message *message, void *target, size_t bytes)
{
    size_t size;
    void *object = take_bytes(message, bytes, &size);
    message->bad |= object && size != bytes;
    if (!message->bad)
        memcpy(target, object, bytes);
    free(object);
}

static char *take_text(struct message *message)
{
    size_t size;
    char *text = take_bytes(message, 1 << 16, &size);
    message->bad |= text && (strlen(text) != size || !text_is_utf8(text, size));
    return text;
}

/* A path that intake_name_make_safe would leave as it is. */
static bool is_safe(const char *name)
{
    char *copy = strdup(name);
    bool safe = copy && intake_name_make_safe(copy) && !strcmp(copy, name);
    free(copy);
    return safe;
}

static void receive_files(struct message *message, struct intake *intake)
{
    size_t count = (size_t)take_number(message, INTAKE_FILES_MAX);
    intake->files = calloc(count + 1, sizeof *intake->files);
    message->bad |= !intake->files;
    while (!message->bad && intake->count < count) {
        struct intake_file *file = &intake->files[intake->count++];
        file->name = take_text(message);
        file->bytes = take_bytes(message, INTAKE_FILE_BYTES_MAX, &file->size);
        take_object(message, &file->upload, sizeof file->upload);
        file->kernel = take_number(message, 1);
        message->bad |= !file->name || !is_safe(file->name);
    }
}

static void receive_notes(struct message *message, struct intake *intake)
{
    size_t count = (size_t)take_number(message, INTAKE_NOTES_MAX + 1);
    intake->notes = calloc(count + 1, sizeof *intake->notes);
    message->bad |= !intake->notes;
    while (!message->bad && intake->note_count < count)
        intake->notes[intake->note_count++] = take_text(message);
}

static void receive_unreadable(struct message *message, struct intake *intake)
{
    size_t count = (size_t)take_number(message, INTAKE_UNREADABLE_MAX);
    intake->unreadable = calloc(count + 1, sizeof *intake->unreadable);
    message->bad |= !intake->unreadable;
    while (!message->bad && intake->unreadable_count < count) {
        struct intake_unreadable *one = &intake->unreadable[intake->unreadable_count++];
        one->name = take_text(message);
        one->why = take_text(message);
        one->document = take_number(message, 1);
    }
}

bool intake_receive(const char *bytes, size_t size, struct intake *intake)
{
    struct message message = {bytes, size, false};
    *intake = (struct intake){0};
    receive_files(&message, intake);
    receive_notes(&message, intake);
    receive_unreadable(&message, intake);
    take_object(&message, intake->digest, sizeof intake->digest);
    take_object(&message, intake->uploads_digest, sizeof intake->uploads_digest);
    message.bad |= message.left > 0;
    if (message.bad)
        intake_free(intake);
    return !message.bad;
}
