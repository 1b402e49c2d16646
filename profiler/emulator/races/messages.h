/* messages.h: finds the order of accesses by different blocks, from flags in global memory.
 *
 * Only release and acquire patterns order blocks (PTX ISA, "Memory Consistency Model"). A strong
 * write (shadow.h) after a fence leaves a *message* at its address. The message contains the
 * writing thread's known stamps (order.h) at the fence, and the messages that this thread has
 * learned. A store replaces the earlier messages of its address. An atomic operation adds its
 * message to them. A thread that reads the address by a strong access receives the messages of the
 * address, and learns them at its next fence or barrier. Threads of its block that are ordered
 * after this fence also learn them. If a limit is exceeded, all accesses count as ordered.
 *
 * A strong store without a fence leaves a *loose* message, which orders only reads. The reads that
 * the storing block executed before its last barrier have ended, because the store depends on the
 * results of these reads. So a thread that has read the flag may write to the addresses of these
 * reads. (CUB's scans compact arrays in place this way. The PTX ISA requires fences, but no
 * hardware executes a store before its condition is known.) */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "emulator/races/order.h"

struct message;

/* The messages of a launch. An all-zero struct has no messages. */
struct messages {
    struct message *all;
    struct message *
        *heads; /* Hash table with the newest message of each place. Empty slots are NULL. */
    size_t head_count, head_capacity;
    uint64_t bytes, work; /* Bytes of messages and number of visited messages, both limited. */
    uint64_t query;
    bool gave_up; /* A limit or memory is exhausted, so all accesses count as ordered. */
};

/* The messages that a block has received. An all-zero struct has no messages. */
struct inbox {
    struct received {
        struct message *message;
        uint32_t thread;
        uint32_t stamp; /* Stamp at which the thread learned the message. UINT32_MAX if not yet. */
    } * received;
    size_t count, capacity;
    bool has_news;
};

void messages_free(struct messages *messages);
void inbox_clear(struct inbox *inbox);
void inbox_free(struct inbox *inbox);

/* Record a strong write to a place (a number that identifies an address). `adds` is true for an
 * atomic operation. `fenced` is true if the thread has executed a fence of device scope. */
void messages_publish(struct messages *messages, const struct inbox *inbox,
                      const struct order *order, uint64_t block, uint32_t thread, uint64_t place,
                      bool adds, bool fenced);
/* Record a strong read of a place by a thread of the inbox's block. */
void messages_observe(struct messages *messages, struct inbox *inbox, uint32_t thread,
                      uint64_t place);
/* Record a fence or barrier at stamp `now` by threads first + i, for each set bit i of `mask`. */
void inbox_learn(struct inbox *inbox, uint32_t first, uint32_t mask, uint32_t now);

/* An earlier access of another block. */
struct message_access {
    uint64_t block;
    uint32_t thread, stamp;
    bool is_read;
};

/* Returns true if the access happened before `thread`'s next access, or if messages->gave_up. */
bool messages_know(struct messages *messages, const struct inbox *inbox, const struct order *order,
                   uint32_t thread, const struct message_access *access);

#endif
