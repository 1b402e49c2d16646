/* frame.h: messages between processes, in pipes, sockets and files. A frame consists of its length
 * and its fields: numbers of eight bytes, and byte strings, each after its length. A frame is
 * itself a byte string, so a frame can contain frames. The writer and the reader are the same
 * program, so fields have no names.
 *
 * A reader does not trust the writer. After the first violation of a bound, the reader is `bad`,
 * and every further field is 0 or NULL, so a caller checks the reader only once (frame_is_read). */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame to write, or a received frame. A zeroed structure is an empty frame. */
struct frame {
    char *bytes;
    size_t count, capacity;
    bool failed; /* True if memory was exhausted. */
};

void frame_put_number(struct frame *frame, uint64_t number);
void frame_put_bytes(struct frame *frame, const void *bytes, size_t count);
void frame_put_text(struct frame *frame, const char *text);

/* Write and free the frame. Returns false if memory is exhausted or the other end is closed. */
bool frame_send(struct frame *frame, int output);

void frame_free(struct frame *frame);

struct frame_reader {
    const char *at;
    size_t left;
    bool bad;
};

/* Read one frame of at most `most` bytes, and set `reader` to its first field. Returns false if the
 * stream ends, the frame is too long, or memory is exhausted. Always call frame_free(frame). */
bool frame_receive(int input, size_t most, struct frame *frame, struct frame_reader *reader);

/* Read the next field, a number of at most `most`. Returns 0 if the reader is bad. */
uint64_t frame_number(struct frame_reader *reader, uint64_t most);

/* Read the next field, a byte string of at most `most` bytes. frame_bytes returns a pointer into
 * the frame, frame_copy a malloc'd copy with a final NUL. Both set *count to the number of bytes,
 * and return NULL if the reader is bad. */
const char *frame_bytes(struct frame_reader *reader, size_t most, size_t *count);
char *frame_copy(struct frame_reader *reader, size_t most, size_t *count);

/* Like frame_bytes, but a NUL among the bytes makes the reader bad. */
const char *frame_text(struct frame_reader *reader, size_t most, size_t *count);

/* Read a byte string of exactly `size` bytes into *object. A bad reader does not change *object. */
void frame_object(struct frame_reader *reader, void *object, size_t size);

/* Set `frame` to the next field, of at most `most` bytes. Returns false if `stream` is bad. */
bool frame_next(struct frame_reader *stream, size_t most, struct frame_reader *frame);

/* Returns true if all fields were well-formed and no bytes are left. */
bool frame_is_read(const struct frame_reader *reader);

#endif
