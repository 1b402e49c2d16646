/* simt_spoil.c: data come out of shared memory altered, so that what is stored in the end tells
 * which way it went (struct shared_spoil).
 *
 * Whether a word is data is asked when it is stored, so that indices, flags and barriers in shared
 * memory stay what they are and the kernel goes its usual way. A tag for each word remembers it,
 * and the thread. A load finds altered words, which are put back afterwards.
 */
#include "emulator/simt/simt_state.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 4 };

bool spoil_create(struct simt_block *block)
{
    if (!block->launch->spoil)
        return true;
    block->spoil_tags = calloc(block->shared_capacity / WORD, sizeof *block->spoil_tags);
    return block->spoil_tags != NULL;
}

void spoil_begin(struct simt_block *block)
{
    if (block->spoil_tags)
        memset(block->spoil_tags, 0, block->shared_capacity / WORD * sizeof *block->spoil_tags);
}

/* A thread's tag: 0 is nobody's. Blocks have at most 1024 threads. */
static uint16_t tag_of(const struct simt_block *block, const struct warp *warp, unsigned lane)
{
    return (uint16_t)(warp->index * (unsigned)block->launch->device->warp_lanes + lane + 1);
}

void spoil_stored(struct simt_block *block, const struct warp *warp, uint32_t mask,
                  const uint64_t *address, unsigned bytes)
{
    const struct shared_spoil *spoil = block->launch->spoil;
    FOR_LANES (lane, mask)
        for (uint64_t at = address[lane] / WORD * WORD; at < address[lane] + bytes; at += WORD) {
            uint32_t word;
            memcpy(&word, block->shared + at, sizeof word);
            block->spoil_tags[at / WORD] = !spoil->is_data(spoil->context, word) ? 0
                                           : warp ? tag_of(block, warp, lane)
                                                  : SPOIL_SEVERAL;
        }
}

/* Alter what a load finds, or put it back: XOR does both. A word that several lanes load is altered
 * once, by the first of them. */
void spoil_swap(struct simt_block *block, const struct warp *warp, uint32_t mask,
                const uint64_t *address, unsigned bytes)
{
    const struct shared_spoil *spoil = block->launch->spoil;
    FOR_LANES (lane, mask)
        for (uint64_t at = address[lane] / WORD * WORD; at < address[lane] + bytes; at += WORD) {
            uint16_t *tag = &block->spoil_tags[at / WORD];
            if (!*tag || *tag & SPOIL_TAKEN)
                continue;
            uint32_t word;
            memcpy(&word, block->shared + at, sizeof word);
            word ^= *tag == tag_of(block, warp, lane) ? spoil->by_itself : spoil->by_another;
            memcpy(block->shared + at, &word, sizeof word);
            *tag |= SPOIL_TAKEN;
        }
    FOR_LANES (lane, mask)
        for (uint64_t at = address[lane] / WORD * WORD; at < address[lane] + bytes; at += WORD)
            block->spoil_tags[at / WORD] &= (uint16_t)~SPOIL_TAKEN;
}
