#include "process/frame.h"

#include "process/child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put(struct frame *frame, const void *bytes, size_t count)
{
    if (count > frame->capacity - frame->count) {
        size_t capacity = 2 * (frame->count + count);
        char *larger = frame->failed ? NULL : realloc(frame->bytes, capacity);
        frame->failed = larger == NULL;
        if (larger == NULL)
            return;
        frame->bytes = larger;
        frame->capacity = capacity;
    }
    if (count > 0)
        memcpy(frame->bytes + frame->count, bytes, count);
    frame->count += count;
}

void frame_put_number(struct frame *frame, uint64_t number)
{
    put(frame, &number, sizeof number);
}

void frame_put_bytes(struct frame *frame, const void *bytes, size_t count)
{
    frame_put_number(frame, count);
    put(frame, bytes, count);
}

void frame_put_text(struct frame *frame, const char *text)
{
    frame_put_bytes(frame, text, strlen(text));
}

bool frame_send(struct frame *frame, int output)
{
    const uint64_t count = frame->count;
    bool sent = !frame->failed && child_send(output, &count, sizeof count) &&
                child_send(output, frame->bytes, frame->count);
    frame_free(frame);
    return sent;
}

void frame_free(struct frame *frame)
{
    free(frame->bytes);
    *frame = (struct frame){0};
}

static bool receive(int input, void *bytes, size_t count)
{
    for (char *at = bytes; count > 0;) {
        ssize_t got = read(input, at, count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        count -= (size_t)got;
    }
    return true;
}

bool frame_receive(int input, size_t most, struct frame *frame, struct frame_reader *reader)
{
    uint64_t count;
    *frame = (struct frame){0};
    *reader = (struct frame_reader){.bad = true};
    if (!receive(input, &count, sizeof count) || count > most)
        return false;
    frame->bytes = malloc((size_t)count + 1);
    if (frame->bytes == NULL || !receive(input, frame->bytes, (size_t)count))
        return false;
    frame->count = frame->capacity = (size_t)count;
    *reader = (struct frame_reader){.at = frame->bytes, .left = frame->count};
    return true;
}

static const char *take(struct frame_reader *reader, size_t count)
{
    const char *bytes = reader->at;
    reader->bad |= count > reader->left;
    if (reader->bad)
        return NULL;
    reader->at += count;
    reader->left -= count;
    return bytes;
}

uint64_t frame_number(struct frame_reader *reader, uint64_t most)
{
    uint64_t number = 0;
    const char *bytes = take(reader, sizeof number);
    if (bytes != NULL)
        memcpy(&number, bytes, sizeof number);
    reader->bad |= number > most;
    return reader->bad ? 0 : number;
}

const char *frame_bytes(struct frame_reader *reader, size_t most, size_t *count)
{
    *count = (size_t)frame_number(reader, most);
    const char *bytes = take(reader, *count);
    if (bytes == NULL)
        *count = 0;
    return bytes;
}

char *frame_copy(struct frame_reader *reader, size_t most, size_t *count)
{
    const char *bytes = frame_bytes(reader, most, count);
    char *copy = bytes != NULL ? malloc(*count + 1) : NULL;
    reader->bad |= copy == NULL;
    if (copy == NULL)
        return NULL;
    memcpy(copy, bytes, *count);
    copy[*count] = '\0';
    return copy;
}

const char *frame_text(struct frame_reader *reader, size_t most, size_t *count)
{
    const char *text = frame_bytes(reader, most, count);
    if (text == NULL || memchr(text, '\0', *count) == NULL)
        return text;
    reader->bad = true;
    *count = 0;
    return NULL;
}

void frame_object(struct frame_reader *reader, void *object, size_t size)
{
    size_t count;
    const char *bytes = frame_bytes(reader, size, &count);
    reader->bad |= count != size;
    if (!reader->bad)
        memcpy(object, bytes, size);
}

bool frame_next(struct frame_reader *stream, size_t most, struct frame_reader *frame)
{
    size_t count;
    const char *bytes = frame_bytes(stream, most, &count);
    *frame = (struct frame_reader){bytes, count, bytes == NULL};
    return bytes != NULL;
}

bool frame_is_read(const struct frame_reader *reader)
{
    return !reader->bad && reader->left == 0;
}
