/* messages.h: what the blocks of a launch know of each other, by flags in global memory.
 *
 * Blocks are ordered by nothing but release and acquire patterns (PTX ISA, "Memory Consistency
 * Model"). A strong write behind a fence leaves a *message* at its place: what its thread knew of
 * its own block at the fence (a row of stamps, order.h), and the messages that it had received
 * itself. Atomic operations add a message to the ones before, stores replace them. Who reads the
 * place by a strong access receives the message, and the thread has learned it with its next fence;
 * so have others of its block with whatever orders them behind that.
 *
 * A strong store without a fence leaves a loose message, which tells of reads only: those before
 * the last barrier of its block are over, since what they gave led to the store, and who has seen
 * it may write there. (CUB's scans compact arrays in place like that. The text of the model asks
 * for fences, but no hardware writes before a condition is known.)
 *
 * Where there are too many messages, everything counts as known.
 */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "emulator/races/order.h"

struct message;

/* Of a launch. All zero: there are none. */
struct messages {
    struct message *all;    /* a list */
    struct message **heads; /* an open hash table by place; NULL: empty */
    size_t head_count, head_capacity;
    uint64_t bytes, work, query;
    bool gave_up;
};

/* What a block has received. All zero: nothing. */
struct inbox {
    struct received {
        struct message *message;
        uint32_t thread, stamp; /* who has read it, and when it learned it; UINT32_MAX: not yet */
    } * received;
    size_t count, capacity;
    bool has_news; /* there are such as are not learned yet */
};

void messages_free(struct messages *messages);
void inbox_clear(struct inbox *inbox);
void inbox_free(struct inbox *inbox);

/* A thread of a block writes to a place; with `adds`, by an atomic operation. `fenced`: it has
 * executed a fence for the whole device. */
void messages_publish(struct messages *messages, const struct inbox *inbox,
                      const struct order *order, uint64_t block, uint32_t thread, uint64_t place,
                      bool adds, bool fenced);
/* A thread reads it. */
void messages_observe(struct messages *messages, struct inbox *inbox, uint32_t thread,
                      uint64_t place);
/* The threads first to first + 31 of `mask` execute a fence, or what serves as one, now. */
void inbox_learn(struct inbox *inbox, uint32_t first, uint32_t mask, uint32_t now);

/* An earlier access of another block. */
struct message_access {
    uint64_t block;
    uint32_t thread, stamp;
    bool is_read;
};

/* Whether `thread` knows that the access came before. */
bool messages_know(struct messages *messages, const struct inbox *inbox, const struct order *order,
                   uint32_t thread, const struct message_access *access);

#endif
