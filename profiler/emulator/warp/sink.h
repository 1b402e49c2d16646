/* sink.h: what observes a launch.
 *
 * The interpreter emits events; a sink is a table of functions that receive them. Which sinks a
 * launch has is chosen when it begins (emulator.c), and nothing here knows one of them. A sink that
 * does not need an event leaves its function NULL. A function of type bool ends the block when it
 * returns false, after a fault, unless it says otherwise. Each block has its own state of each sink
 * in block->sink_states.
 */
#ifndef SINK_H
#define SINK_H

#include "emulator/races/shadow.h"
#include "emulator/warp/simt_state.h"

struct access;

#define SINK_EVENT(event) (offsetof(struct sink, event) / sizeof(void (*)(void)))

/* One access, before it is carried out. `bytes` of each lane; `address` has the address in the
 * space (shared: offset) of every lane. `delivered`: what the only lane stores, where that is
 * not in registers. */
struct checked_access {
    enum ptx_space space; /* not generic */
    enum shadow_kind kind;
    uint32_t mask;
    unsigned bytes;
    enum half_pattern halves[2];
    const unsigned char *delivered;
    const uint64_t *address;
    uint64_t low, high; /* the lowest and the highest of these */
};

struct sink { /* nothing but pointers to functions, see simt_run_listen */
    /* The state of a block object, with what emulator.c planned for the launch; NULL without
     * memory. A sink without these has no state. */
    void *(*create)(const struct simt_block *block, void *plan);
    void (*free)(void *state);

    /* A block begins; it gets a turn, and gives it back; it has come to a barrier, or `ends`: true
     * when a fault that was held back is due now and stands in block->failure. The last is emitted
     * only while block->holds_fault. */
    void (*begin)(struct simt_block *block);
    void (*resume)(struct simt_block *block);
    void (*pause)(struct simt_block *block);
    bool (*fault_is_due)(struct simt_block *block, bool ends);
    /* Whether requests of this block may come without the addresses of all lanes, where a half warp
     * accesses a row or one place. NULL: never. */
    bool (*skips_addresses)(const struct simt_block *block);

    /* An access to memory: before its data move; before a load's data move, and after any data have
     * moved; as the request that the memory system gets of it, which neighbouring accesses may
     * share. */
    bool (*access)(const struct step *step, const struct checked_access *access);
    void (*loading)(const struct step *step, const struct access *access);
    void (*moved)(const struct step *step, const struct access *access);
    bool (*request)(const struct step *step, const struct access *access, enum access_kind kind);
    /* A request for texels at `count` addresses, which may be sorted; `bytes` together. */
    bool (*texels)(const struct step *step, enum access_kind kind, uint64_t *address, size_t count,
                   unsigned bytes);
    /* An asynchronous copy has stored its bytes in shared memory. */
    void (*delivered)(const struct step *step, const struct checked_access *access);

    /* Lanes reach a barrier of the block; a warp passes it; all warps that waited have passed, and
     * the barrier is open again. A barrier is `counted` when it names a number of threads; the two
     * events before `reopen` are emitted for counted barriers only. */
    void (*arrive)(const struct step *step, unsigned id);
    void (*pass)(struct simt_block *block, struct warp *warp, unsigned id);
    void (*counted_arrive)(const struct step *step, unsigned id);
    void (*counted_pass)(struct simt_block *block, const struct warp *warp, unsigned id);
    void (*reopen)(struct simt_block *block, unsigned id, bool counted);
    /* Lanes come to a warp operation; have met in bar.warp.sync; have taken each the value of lane
     * from[lane] (NULL: of all of them together). */
    bool (*sync)(const struct step *step);
    void (*synced)(const struct simt_block *block, const struct warp *warp, uint32_t mask);
    void (*exchanged)(const struct simt_block *block, struct warp *warp, const struct frame *frame,
                      const struct instruction *instruction, uint32_t mask, const uint32_t *from);
    /* A lane arrives at an mbarrier in its phase, as the `first`; finds that a phase is over. */
    void (*mbarrier_arrive)(const struct step *step, unsigned lane, uint64_t address,
                            uint64_t phase, bool first);
    void (*mbarrier_wait)(const struct step *step, unsigned lane, uint64_t address, uint64_t phase);
    /* An instruction without effect is executed, which may be a fence. */
    void (*fence)(const struct step *step);

    /* Lanes have entered a function, whose local memory this is. */
    void (*entered)(const struct simt_block *block, const struct warp *warp, uint32_t mask,
                    uint64_t local, uint64_t bytes);
    /* A lane has been given a block of malloc(), or gives it back. */
    void (*allocated)(const struct step *step, const struct memory_region *heap, uint64_t offset,
                      uint64_t bytes);
    bool (*freed)(const struct step *step, unsigned lane, const struct memory_region *heap,
                  uint64_t offset, uint64_t bytes);
    /* An instruction is about to be executed, for the step's lanes (maybe none), by a warp that
     * is_followed. */
    void (*follow)(const struct step *step);

    /* Whether the step may be executed now; if not, its fragment has been made to wait. */
    bool (*admits)(const struct step *step);
    /* No warp can go on. True: now one can. */
    bool (*stalled)(struct simt_block *block);

    /* The time of a warp, and of the block at its end, in cycles. */
    void (*clock)(const struct step *step, uint64_t *value);
    void (*cycles)(const struct simt_block *block, uint64_t *value);
};

/* The sinks of a block that receive an event, NULL at the end. */
#define RECEIVERS(block, event) ((block)->run->receivers[SINK_EVENT(event)])

/* Emit an event. */
#define EMIT(block, event, ...)                                                                    \
    do                                                                                             \
        for (const struct sink *const *sink_ = RECEIVERS(block, event); *sink_; sink_++)           \
            (*sink_)->event(__VA_ARGS__);                                                          \
    while (0)

/* The same with an answer: the first that is not `expected`, or else `expected`. */
#define ASK(expected, block, event, ...)                                                           \
    ({                                                                                             \
        bool answer_ = (expected);                                                                 \
        for (const struct sink *const *sink_ = RECEIVERS(block, event);                            \
             *sink_ && answer_ == (expected); sink_++)                                             \
            answer_ = (*sink_)->event(__VA_ARGS__);                                                \
        answer_;                                                                                   \
    })

#endif
