/* taint.c: the sink that alters data that pass through shared memory or between lanes, so that the
 * result shows the data flow (struct shared_taint).
 *
 * A word is classified as data when it is stored, so that indices, flags and barriers in shared
 * memory stay unchanged and the kernel runs as usual. A tag for each word records the thread and
 * the request that stored data. Words are altered before a load and restored after it. A word that
 * the loading thread has also loaded from global memory counts as the thread's own. */
#include "emulator/sinks/sinks.h"
#include "emulator/warp/simt_access.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD = 4,
    THREADS_MOST = 1024,
    FAR_THREADS = 8,    /* Threads that are this far apart count as distant (regroups). */
    LONELY_PART = 16,   /* A block is lonely if one thread loads more than 1/16 of its words. */
    IDLE_PART = 4,      /* A block is also lonely if fewer than 1/4 of its threads load words. */
    FOREIGN_PART = 16,  /* At most 1/16 of a private block's stores replace words of other warps. */
    REQUEST_SHIFT = 12, /* A tag has thread + 1 in its low 12 bits, then the request's number. */
    SEVERAL = (1 << REQUEST_SHIFT) - 1 /* Replaces the thread if several threads contributed. */
};

struct tag {
    uint32_t source; /* Tag of the thread and the request, or 0 if the word is not data. */
    uint32_t weight; /* 1 for a store, plus 1 for each atomic operation that added data. */
    uint32_t before; /* The unaltered word during a load. */
    bool is_taken;   /* True during a load that alters the word. */
    uint16_t taker;  /* 1 + the last other thread that loaded the word. */
    uint8_t writer;  /* 1 + the number of the warp that stored the word, or 0. */
};

struct taint_state {
    const struct shared_taint *taint;
    unsigned threads;
    uint32_t requests;
    /* Number of stored words other than 0, and of words that replaced a word of another warp. */
    uint64_t counted, foreign;
    uint64_t number;
    /* For each thread: number of words loaded from global memory (without `only_loaded`, equal
     * words count once), and number of other threads' shared words that this thread has loaded. */
    uint32_t from_global[THREADS_MOST], from_shared[THREADS_MOST];
    struct tag tags[];
};

static struct taint_state *state_of(const struct simt_block *block)
{
    return block->sink_states[SINK_TAINT];
}

static void *taint_create(const struct simt_block *block, void *plan)
{
    (void)plan;
    return calloc(1,
                  sizeof(struct taint_state) + block->shared_capacity / WORD * sizeof(struct tag));
}

static void add(uint64_t *total, uint64_t amount)
{
    __atomic_fetch_add(total, amount, __ATOMIC_RELAXED);
}

/* Returns true if few threads execute the `taken` loads of other threads' words, or if more than
 * a quarter of these loads exceed `most` per thread. Returns false for a small number of loads. */
static bool few_take(const struct taint_state *state, uint64_t most, uint64_t taken)
{
    uint64_t takers = 0, excess = 0;
    for (unsigned t = 0; t < state->threads; t++) {
        takers += state->from_shared[t] > 0;
        excess += state->from_shared[t] > most ? state->from_shared[t] - most : 0;
    }
    return IDLE_PART * taken >= state->threads &&
           ((takers < LANES && takers * IDLE_PART < state->threads) || IDLE_PART * excess > taken);
}

static void taint_end(struct taint_state *state)
{
    uint64_t active = 0, all = 0, most = 0, taken = 0, most_taken = 0;
    for (unsigned t = 0; t < state->threads; t++) {
        active += state->from_global[t] > 0;
        all += state->from_global[t];
        most = state->from_global[t] > most ? state->from_global[t] : most;
        taken += state->from_shared[t];
        most_taken = state->from_shared[t] > most_taken ? state->from_shared[t] : most_taken;
    }
    if (!state->taint || !all || state->taint->replays == REPLAY_ALL)
        return;
    struct taint_totals *totals = state->taint->totals;
    const bool lonely = most * LONELY_PART > all || active * IDLE_PART < state->threads;
    /* For each element of a thread, allow one tree reduction and one sum over the warps. */
    uint64_t rounds = (all < taken ? all : taken) / state->threads, levels = 0;
    rounds += !rounds;
    while (state->threads >> levels > 1)
        levels++;
    const bool uneven = most_taken > rounds * (levels + state->threads / LANES + 2) ||
                        few_take(state, rounds * levels, taken);
    add(&totals->blocks, 1);
    add(&totals->threads, active);
    add(&totals->lonely_blocks, lonely);
    add(&totals->uneven_blocks, uneven);
    add(&totals->private_blocks, !lonely && !uneven && 2 * state->counted >= all &&
                                     state->foreign * FOREIGN_PART <= state->counted);
}

static void taint_free(void *state)
{
    if (state)
        taint_end(state);
    free(state);
}

static void taint_begin(struct simt_block *block)
{
    struct taint_state *state = state_of(block);
    const struct dimensions *shape = &block->launch->block;
    taint_end(state);
    state->taint = block->launch->taint;
    state->threads = shape->x * shape->y * shape->z;
    state->counted = state->foreign = 0;
    memset(state->from_global, 0, sizeof state->from_global);
    memset(state->from_shared, 0, sizeof state->from_shared);
    state->number = block->number;
    memset(state->tags, 0, block->shared_capacity / WORD * sizeof *state->tags);
}

static unsigned thread_of(const struct simt_block *block, const struct warp *warp, unsigned lane)
{
    return warp->index * (unsigned)block->launch->device->warp_lanes + lane;
}

/* Returns the bit of `loads` for a word that a thread has loaded. Few words share a bit. */
static uint64_t bit_of(const struct taint_state *state, unsigned thread, uint32_t word)
{
    const uint64_t block = (state->number + 1) * UINT64_C(0xbf58476d1ce4e5b9);
    const uint64_t key = ((((uint64_t)thread + 1) << 32 | word) ^ block ^ block >> 29) *
                         UINT64_C(0x9e3779b97f4a7c15);
    return (key ^ key >> 31) * UINT64_C(0x94d049bb133111eb) >> (64 - TAINT_LOAD_BITS);
}

static bool has_loaded(const struct taint_state *state, unsigned thread, uint32_t word)
{
    const uint64_t bit = bit_of(state, thread, word);
    return state->taint->loads[bit / 8] >> bit % 8 & 1;
}

static void note_loaded(const struct step *step, const struct access *access)
{
    struct taint_state *state = state_of(step->block);
    FOR_LANES (lane, access->mask) {
        const unsigned thread = thread_of(step->block, step->warp, lane);
        state->from_global[thread] += access->bytes < WORD;
        for (unsigned at = 0; at + WORD <= access->bytes; at += WORD) {
            uint32_t word;
            memcpy(&word, access_host(access, lane) + at, sizeof word);
            const uint64_t bit = bit_of(state, thread, word);
            const uint8_t before =
                __atomic_fetch_or(&state->taint->loads[bit / 8], 1 << bit % 8, __ATOMIC_RELAXED);
            state->from_global[thread] += state->taint->only_loaded || !(before >> bit % 8 & 1);
        }
    }
}

static bool is_data(struct taint_state *state, unsigned thread, uint32_t word)
{
    const struct shared_taint *taint = state->taint;
    if (taint->replays)
        return true;
    return taint->only_loaded ? word && has_loaded(state, thread, word)
                              : taint->is_data(taint->context, word);
}

static void log_word(struct taint_log *log, uint32_t word, bool plain)
{
    enum { LEAST = 1 << 16, MOST = 1 << 26 };
    if (log->count == log->capacity && log->count < MOST) {
        const size_t capacity = 2 * log->capacity + LEAST;
        void *words = realloc(log->words, capacity * sizeof *log->words);
        log->words = words ? words : log->words;
        log->capacity = words ? capacity : log->capacity;
    }
    log->plain += plain;
    if (log->count < log->capacity)
        log->words[log->count++] = word;
}

/* Returns the word to receive instead of `word`, and advances the log by one word. `own` is true if
 * the thread itself has stored or loaded the word. */
static uint32_t replay_word(const struct shared_taint *taint, enum taint_replay path, bool own,
                            uint32_t word)
{
    struct taint_log *log = taint->log;
    const size_t at = log->next++;
    const bool replaced = taint->replays == REPLAY_ALL ||
                          (!own && (taint->replays == path || taint->replays == REPLAY_FOREIGN));
    return replaced && at < log->count ? log->words[at] : word;
}

static void taint_stored(const struct step *step, uint32_t mask, const uint64_t *address,
                         unsigned bytes, bool is_atomic, bool is_copy)
{
    const struct simt_block *block = step->block;
    struct taint_state *state = state_of(block);
    state->requests++;
    FOR_LANES (lane, mask)
        for (uint64_t at = address[lane] / WORD * WORD; at < address[lane] + bytes; at += WORD) {
            struct tag *tag = &state->tags[at / WORD];
            const unsigned thread = thread_of(block, step->warp, lane);
            uint32_t word;
            memcpy(&word, block->shared + at, sizeof word);
            const bool data = (is_copy && state->taint->only_loaded) ||
                              (is_atomic && tag->source) || is_data(state, thread, word);
            const uint32_t source =
                state->requests << REQUEST_SHIFT | (is_atomic ? SEVERAL : thread + 1);
            tag->source = data ? source : 0;
            tag->weight = is_atomic && data ? tag->weight + 1 : 1;
            tag->taker = 0;
            state->counted += word != 0;
            state->foreign += word && tag->writer && tag->writer != step->warp->index + 1;
            tag->writer = word ? (uint8_t)(step->warp->index + 1) : 0;
        }
}

/* Returns true if a load collects words of many stores, or of several distant threads' stores. */
static bool regroups(const struct taint_state *state, const struct access *access)
{
    enum { REQUESTS_MANY = 8 };
    unsigned pairs = 0, far = 0, requests = 0;
    uint32_t before = 0, seen[REQUESTS_MANY];
    FOR_LANES (lane, access->mask) {
        const uint32_t source = state->tags[access->address[lane] / WORD].source;
        unsigned known = 0;
        const int apart = (int)(source & SEVERAL) - (int)(before & SEVERAL);
        pairs += source && before;
        far += source && before && abs(apart) >= FAR_THREADS;
        while (known < requests && seen[known] != source >> REQUEST_SHIFT)
            known++;
        if (source && known == requests && requests < REQUESTS_MANY)
            seen[requests++] = source >> REQUEST_SHIFT;
        before = source;
    }
    return (requests > 1 && 2 * far >= pairs + 1) || requests == REQUESTS_MANY;
}

/* Alter the words of a load. If several lanes load a word, the lowest of these
 * lanes determines how the word is altered. */
static void taint_loading(const struct step *step, const struct access *access)
{
    const struct simt_block *block = step->block;
    struct taint_state *state = state_of(block);
    const struct shared_taint *taint = state->taint;
    if (access->space != PTX_SHARED || (taint->learns && !taint->log))
        return;
    const bool regrouped = !taint->learns && !taint->replays && regroups(state, access);
    FOR_LANES (lane, access->mask) {
        const unsigned thread = thread_of(block, step->warp, lane);
        for (uint64_t at = access->address[lane] / WORD * WORD;
             at < access->address[lane] + access->bytes; at += WORD) {
            struct tag *tag = &state->tags[at / WORD];
            uint32_t word;
            memcpy(&word, tag->is_taken ? (void *)&tag->before : block->shared + at, sizeof word);
            if (taint->log && !taint->replays)
                log_word(taint->log, word, !tag->source);
            if (!taint->replays && (!tag->source || tag->is_taken || taint->learns))
                continue;
            const bool own = (tag->source & SEVERAL) == thread + 1 ||
                             (taint->replays != REPLAY_ALL && has_loaded(state, thread, word));
            state->from_shared[thread] += !own && tag->taker != thread + 1;
            tag->taker = own ? tag->taker : (uint16_t)(thread + 1);
            const enum taint_way way = own         ? TAINT_ITSELF
                                       : regrouped ? TAINT_REGROUPED
                                                   : TAINT_ANOTHER;
            tag->before = word;
            word = taint->replays ? replay_word(taint, REPLAY_SHARED, own && !tag->is_taken, word)
                                  : taint->alter(taint->context, word, way, tag->weight);
            tag->is_taken = true;
            memcpy(block->shared + at, &word, sizeof word);
        }
    }
}

static void taint_loaded(const struct step *step, const struct access *access)
{
    struct taint_state *state = state_of(step->block);
    FOR_LANES (lane, access->mask) {
        for (uint64_t at = access->address[lane] / WORD * WORD;
             at < access->address[lane] + access->bytes; at += WORD) {
            struct tag *tag = &state->tags[at / WORD];
            if (tag->is_taken)
                memcpy(step->block->shared + at, &tag->before, sizeof tag->before);
            tag->is_taken = false;
        }
    }
}

static void taint_moved(const struct step *step, const struct access *access)
{
    const bool is_atomic = step->instruction->kind == SIMT_ATOMIC;
    if (access->space == PTX_SHARED && access->is_store)
        taint_stored(step, access->mask, access->address, access->bytes, is_atomic, false);
    else if (access->space == PTX_SHARED)
        taint_loaded(step, access);
    else if (access->space == PTX_GLOBAL && is_atomic)
        add(&state_of(step->block)->taint->totals->atomics,
            (uint64_t)__builtin_popcount(access->mask));
    else if (access->space == PTX_GLOBAL && !access->is_store &&
             state_of(step->block)->taint->replays != REPLAY_ALL)
        note_loaded(step, access);
}

static void taint_delivered(const struct step *step, const struct checked_access *access)
{
    FOR_LANES (lane, access->mask)
        state_of(step->block)->from_global[thread_of(step->block, step->warp, lane)] +=
            access->bytes / WORD;
    taint_stored(step, access->mask, access->address, access->bytes, false, true);
}

/* The weight of a warp reduction is the number of other lanes. */
static void taint_exchanged(const struct simt_block *block, struct warp *warp,
                            const struct frame *frame, const struct instruction *instruction,
                            uint32_t mask, const uint32_t *from)
{
    struct taint_state *state = state_of(block);
    uint32_t *words = (void *)(frame->registers + instruction->destination.offset);
    const unsigned others = (unsigned)__builtin_popcount(mask) - 1;
    FOR_LANES (lane, mask) {
        const unsigned thread = thread_of(block, warp, lane),
                       source = from ? thread_of(block, warp, from[lane]) : thread;
        const struct shared_taint *taint = state->taint;
        if (taint->log && !taint->replays)
            log_word(taint->log, words[lane], true);
        if (taint->learns)
            continue;
        const bool own = from && (from[lane] == lane || has_loaded(state, thread, words[lane]));
        if (taint->replays)
            words[lane] = replay_word(taint, REPLAY_SHUFFLES, own, words[lane]);
        else if (!own && is_data(state, source, words[lane]))
            words[lane] =
                taint->alter(taint->context, words[lane], TAINT_SHUFFLE, from ? 1 : others);
    }
}

const struct sink taint_sink = {.create = taint_create,
                                .free = taint_free,
                                .begin = taint_begin,
                                .loading = taint_loading,
                                .moved = taint_moved,
                                .delivered = taint_delivered,
                                .exchanged = taint_exchanged};
