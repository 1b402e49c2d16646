#include "emulator/races/messages.h"

#include <stdlib.h>

enum {
    MESSAGES_BYTES = 64 << 20,
    MESSAGES_WORK = 200 * 1000 * 1000,
};

struct message {
    struct message *next;
    uint64_t place, block;
    uint64_t query;         /* messages->query when messages_know last visited this message. */
    struct message *before; /* Previous message of the place if the write was atomic, or NULL. */
    struct message *pending;
    size_t received_count;
    struct message **received;
    uint32_t reads_before; /* Reads with lower stamps by the writer's block have ended. */
    bool is_loose;         /* The write was a store without a fence, and `row` is empty. */
    uint32_t row[];        /* The writer's known stamps (order.h) at its last fence. */
};

void messages_free(struct messages *messages)
{
    while (messages->all) {
        struct message *message = messages->all;
        messages->all = message->next;
        free(message->received);
        free(message);
    }
    free(messages->heads);
    *messages = (struct messages){0};
}

void inbox_clear(struct inbox *inbox)
{
    inbox->count = 0;
    inbox->has_news = false;
}

void inbox_free(struct inbox *inbox)
{
    free(inbox->received);
    *inbox = (struct inbox){0};
}

static struct message **find(const struct messages *messages, uint64_t place)
{
    size_t mask = messages->head_capacity - 1;
    if (!messages->heads)
        return NULL;
    for (size_t at = (place * 0x9e3779b97f4a7c15ull) >> 20;; at++)
        if (!messages->heads[at & mask] || messages->heads[at & mask]->place == place)
            return &messages->heads[at & mask];
}

/* Returns the place's entry in `heads`, which may be empty, or NULL if memory is exhausted. */
static struct message **find_room(struct messages *messages, uint64_t place)
{
    if (2 * messages->head_count >= messages->head_capacity) {
        struct messages bigger = {.head_capacity =
                                      messages->head_capacity ? 2 * messages->head_capacity : 64};
        bigger.heads = calloc(bigger.head_capacity, sizeof *bigger.heads);
        if (!bigger.heads)
            return NULL;
        for (size_t i = 0; i < messages->head_capacity; i++)
            if (messages->heads[i])
                *find(&bigger, messages->heads[i]->place) = messages->heads[i];
        free(messages->heads);
        messages->heads = bigger.heads;
        messages->head_capacity = bigger.head_capacity;
    }
    return find(messages, place);
}

/* Returns true if `thread` has learned a received message. If `loosely` is true, a message that one
 * lane received counts for all lanes of its warp, because lanes may pass it on by votes. */
static bool has_learned(const struct received *received, const struct order *order, uint32_t thread,
                        bool loosely)
{
    if (loosely && received->thread / order->width == thread / order->width)
        return true;
    return received->stamp != UINT32_MAX &&
           (received->thread == thread ||
            received->stamp < order_known(order, thread, received->thread));
}

static bool take_received(struct message *message, const struct inbox *inbox,
                          const struct order *order, uint32_t thread)
{
    if (!inbox->count)
        return true;
    message->received = malloc(inbox->count * sizeof *message->received);
    if (!message->received)
        return false;
    for (size_t i = 0; i < inbox->count; i++)
        if (has_learned(&inbox->received[i], order, thread, message->is_loose))
            message->received[message->received_count++] = inbox->received[i].message;
    return true;
}

void messages_publish(struct messages *messages, const struct inbox *inbox,
                      const struct order *order, uint64_t block, uint32_t thread, uint64_t place,
                      bool adds, bool fenced)
{
    struct message **head = messages->gave_up ? NULL : find(messages, place);
    bool is_taken = head && *head;
    if (messages->gave_up ||
        (!fenced && (adds || (!is_taken && messages->bytes > MESSAGES_BYTES / 2))))
        return;
    size_t bytes = sizeof(struct message) + (fenced ? order->threads * sizeof(uint32_t) : 0);
    head = find_room(messages, place);
    struct message *message = calloc(1, bytes);
    messages->bytes += bytes + inbox->count * sizeof *message->received;
    if (message)
        message->is_loose = !fenced;
    if (!head || !message || messages->bytes > MESSAGES_BYTES ||
        !take_received(message, inbox, order, thread)) {
        messages->gave_up = true;
        if (message)
            free(message->received);
        free(message);
        return;
    }
    messages->head_count += !*head;
    message->next = messages->all;
    messages->all = message;
    message->place = place;
    message->block = block;
    message->before = adds ? *head : NULL;
    message->reads_before = order->epoch;
    if (fenced)
        order_at_fence(order, thread, message->row);
    *head = message;
}

void messages_observe(struct messages *messages, struct inbox *inbox, uint32_t thread,
                      uint64_t place)
{
    struct message **head = messages->gave_up ? NULL : find(messages, place);
    if (!head || !*head)
        return;
    /* Search only the newest entries. They suffice for a thread that repeatedly reads one flag. */
    for (size_t i = inbox->count, looked = 0; i-- > 0 && looked++ < 64;)
        if (inbox->received[i].message == *head && inbox->received[i].thread == thread)
            return;
    if (inbox->count == inbox->capacity) {
        size_t capacity = inbox->capacity ? 2 * inbox->capacity : 16;
        struct received *received = realloc(inbox->received, capacity * sizeof *received);
        messages->bytes += capacity * sizeof *received;
        if (!received || messages->bytes > MESSAGES_BYTES) {
            messages->gave_up = true;
            inbox->received = received ? received : inbox->received;
            return;
        }
        inbox->received = received;
        inbox->capacity = capacity;
    }
    inbox->received[inbox->count++] = (struct received){*head, thread, UINT32_MAX};
    inbox->has_news = true;
}

void inbox_learn(struct inbox *inbox, uint32_t first, uint32_t mask, uint32_t now)
{
    if (!inbox->has_news)
        return;
    inbox->has_news = false;
    for (size_t i = 0; i < inbox->count; i++) {
        struct received *received = &inbox->received[i];
        if (received->stamp != UINT32_MAX)
            continue;
        if (received->thread - first < LANES && mask >> (received->thread - first) & 1)
            received->stamp = now;
        else
            inbox->has_news = true;
    }
}

static void push(struct messages *messages, struct message **pending, struct message *message)
{
    if (!message || message->query == messages->query)
        return;
    message->query = messages->query;
    message->pending = *pending;
    *pending = message;
}

static bool proves_order(const struct message *message, const struct message_access *access)
{
    return message->block == access->block &&
           ((!message->is_loose && access->stamp < message->row[access->thread]) ||
            (access->is_read && access->stamp < message->reads_before));
}

bool messages_know(struct messages *messages, const struct inbox *inbox, const struct order *order,
                   uint32_t thread, const struct message_access *access)
{
    struct message *pending = NULL;
    bool known = messages->gave_up;
    messages->query++;
    for (size_t i = inbox->count; i-- > 0 && !known;) {
        if (!has_learned(&inbox->received[i], order, thread, access->is_read))
            continue;
        push(messages, &pending, inbox->received[i].message);
        while (pending && !known) {
            struct message *message = pending;
            pending = message->pending;
            known = proves_order(message, access);
            push(messages, &pending, message->before);
            bool hands_on = access->is_read || !message->is_loose;
            for (size_t h = message->received_count; h-- > 0 && hands_on;)
                push(messages, &pending, message->received[h]);
            messages->work += 1 + message->received_count;
            known |= messages->gave_up |= messages->work >= MESSAGES_WORK;
        }
    }
    return known;
}
