/* taint.c: the sink that inverts bits of data which pass through shared memory, so that the result
 * shows the data flow (struct shared_taint).
 *
 * A word is classified as data when it is stored, so that indices, flags and barriers in shared
 * memory stay unchanged and the kernel runs as usual. A tag for each word records the thread that
 * stored data. Words are altered before a load and restored after it.
 */
#include "emulator/sinks/sinks.h"
#include "emulator/warp/simt_access.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD = 4,
    TAINT_TAKEN = 1 << 15,        /* Set in a tag during a load. */
    TAINT_SEVERAL = (1 << 15) - 1 /* The tag of data that several threads have made. */
};

static void *taint_create(const struct simt_block *block, void *plan)
{
    (void)plan;
    return calloc(block->shared_capacity / WORD, sizeof(uint16_t));
}

static uint16_t *tags_of(const struct simt_block *block)
{
    return block->sink_states[SINK_TAINT];
}

static void taint_begin(struct simt_block *block)
{
    memset(tags_of(block), 0, block->shared_capacity / WORD * sizeof(uint16_t));
}

/* Returns a thread's tag, which is not 0: tag 0 means no data. */
static uint16_t tag_of(const struct simt_block *block, const struct warp *warp, unsigned lane)
{
    return (uint16_t)(warp->index * (unsigned)block->launch->device->warp_lanes + lane + 1);
}

/* Tag the words that lanes have stored at these offsets in shared memory, `bytes` each. `several`:
 * by atomic operations. */
static void taint_stored(const struct step *step, uint32_t mask, const uint64_t *address,
                         unsigned bytes, bool several)
{
    const struct simt_block *block = step->block;
    const struct shared_taint *taint = block->launch->taint;
    uint16_t *tags = tags_of(block);
    FOR_LANES (lane, mask)
        for (uint64_t at = address[lane] / WORD * WORD; at < address[lane] + bytes; at += WORD) {
            uint32_t word;
            memcpy(&word, block->shared + at, sizeof word);
            tags[at / WORD] = !taint->is_data(taint->context, word) ? 0
                              : several                             ? TAINT_SEVERAL
                                        : tag_of(block, step->warp, lane);
        }
}

/* Alter the words of a load, or restore them: XOR does both. If several lanes load a word, it is
 * altered once, for the first of them. */
static void taint_swap(const struct step *step, const struct access *access)
{
    const struct simt_block *block = step->block;
    const struct shared_taint *taint = block->launch->taint;
    const uint64_t *address = access->address;
    const uint32_t mask = access->space == PTX_SHARED ? access->mask : 0;
    const unsigned bytes = access->bytes;
    uint16_t *tags = tags_of(block);
    FOR_LANES (lane, mask)
        for (uint64_t at = address[lane] / WORD * WORD; at < address[lane] + bytes; at += WORD) {
            uint16_t *tag = &tags[at / WORD];
            if (!*tag || *tag & TAINT_TAKEN)
                continue;
            uint32_t word;
            memcpy(&word, block->shared + at, sizeof word);
            word ^= *tag == tag_of(block, step->warp, lane) ? taint->by_itself : taint->by_another;
            memcpy(block->shared + at, &word, sizeof word);
            *tag |= TAINT_TAKEN;
        }
    FOR_LANES (lane, mask)
        for (uint64_t at = address[lane] / WORD * WORD; at < address[lane] + bytes; at += WORD)
            tags[at / WORD] &= (uint16_t)~TAINT_TAKEN;
}

static void taint_moved(const struct step *step, const struct access *access)
{
    if (!access->is_store)
        taint_swap(step, access);
    else if (access->space == PTX_SHARED)
        taint_stored(step, access->mask, access->address, access->bytes,
                     step->instruction->kind == SIMT_ATOMIC);
}

static void taint_delivered(const struct step *step, const struct checked_access *access)
{
    taint_stored(step, access->mask, access->address, access->bytes, false);
}

/* Alter data that lanes have taken from other lanes. */
static void taint_exchanged(const struct simt_block *block, struct warp *warp,
                            const struct frame *frame, const struct instruction *instruction,
                            uint32_t mask, const uint32_t *from)
{
    const struct shared_taint *taint = block->launch->taint;
    uint32_t *words = (void *)(frame->registers + instruction->destination.offset);
    (void)warp;
    FOR_LANES (lane, mask)
        if ((!from || from[lane] != lane) && taint->is_data(taint->context, words[lane]))
            words[lane] ^= taint->by_shuffle;
}

const struct sink taint_sink = {.create = taint_create,
                                .free = free,
                                .begin = taint_begin,
                                .loading = taint_swap,
                                .moved = taint_moved,
                                .delivered = taint_delivered,
                                .exchanged = taint_exchanged};
