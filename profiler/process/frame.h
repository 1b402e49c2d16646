/* frame.h: messages between processes, in pipes, sockets and files.
 *
 * A frame is its length and its fields: numbers of eight bytes, and byte strings, each after its
 * length. A frame is a byte string itself, so frames can follow each other in a stream and can
 * contain frames. Writer and reader are the same program, and read and write the fields in the same
 * order: a field has no name, and a frame no version.
 *
 * A reader need not trust the writer. Each length is compared with the bytes that are there and
 * with a bound of the caller's. After the first violation the reader is `bad`, and every further
 * field is 0 or NULL, so a caller checks once, at the end (frame_is_read).
 */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame that is being written, or that was received; empty when zeroed. */
struct frame {
    char *bytes;
    size_t count, capacity;
    bool failed; /* out of memory */
};

void frame_put_number(struct frame *frame, uint64_t number);
void frame_put_bytes(struct frame *frame, const void *bytes, size_t count);
void frame_put_text(struct frame *frame, const char *text);

/* Write the frame to a descriptor, and free it. False: out of memory, or nobody reads (errno). */
bool frame_send(struct frame *frame, int output);

void frame_free(struct frame *frame);

struct frame_reader {
    const char *at;
    size_t left;
    bool bad;
};

/* Read one frame of at most `most` bytes from a descriptor; `reader` then reads its fields. False:
 * the stream ended, the frame is too long, or out of memory. frame_free(frame) in any case. */
bool frame_receive(int input, size_t most, struct frame *frame, struct frame_reader *reader);

/* The next field: a number that is at most `most`. */
uint64_t frame_number(struct frame_reader *reader, uint64_t most);

/* The next field: at most `most` bytes, which stay where they are; or a copy of them in memory of
 * their own, followed by a NUL. NULL: bad. */
const char *frame_bytes(struct frame_reader *reader, size_t most, size_t *count);
char *frame_copy(struct frame_reader *reader, size_t most, size_t *count);

/* As frame_bytes, but without a NUL among them. */
const char *frame_text(struct frame_reader *reader, size_t most, size_t *count);

/* The next field: an object of exactly `size` bytes. */
void frame_object(struct frame_reader *reader, void *object, size_t size);

/* The next field: a frame. False: bad. */
bool frame_next(struct frame_reader *stream, size_t most, struct frame_reader *frame);

/* True if all fields were well-formed and nothing is left. */
bool frame_is_read(const struct frame_reader *reader);

#endif
