/* sink.h: receivers of the interpreter's events. A sink is a table of functions that receive
 * events. The function of an unused event is NULL. At the start of a launch, emulator.c chooses the
 * sinks. A function of type bool returns false after a fault, which ends the block, unless the
 * function's comment states a different meaning. Each block has its own state of each sink, in
 * block->sink_states. */
#ifndef SINK_H
#define SINK_H

#include "emulator/races/shadow.h"
#include "emulator/warp/simt_state.h"

struct access;

#define SINK_EVENT(event) (offsetof(struct sink, event) / sizeof(void (*)(void)))

struct checked_access {
    enum ptx_space space; /* Never PTX_GENERIC. */
    enum shadow_kind kind;
    uint32_t mask;
    unsigned bytes;
    enum half_pattern halves[2];
    const unsigned char *delivered; /* Bytes that the only lane of an asynchronous copy stores. */
    const uint64_t *address;        /* For each lane: address, or offset in shared memory. */
    uint64_t low, high;
};

struct sink { /* All members must be pointers to functions (simt_run_listen). */
    /* Create the state of a block object, from the plan that emulator.c made for the launch.
     * Returns NULL if memory is exhausted. A sink without `create` and `free` has no state. */
    void *(*create)(const struct simt_block *block, void *plan);
    void (*free)(void *state);

    /* A block starts (`begin`), or a turn of the block starts (`resume`) or ends (`pause`). */
    void (*begin)(struct simt_block *block);
    void (*resume)(struct simt_block *block);
    void (*pause)(struct simt_block *block);
    /* A warp's turn ends, or the block ends (`ends`). Emitted only while block->holds_fault is
     * true. Returns true if the sink has moved its stored fault to block->failure. */
    bool (*fault_is_due)(struct simt_block *block, bool ends);
    /* Returns true if requests may lack addresses of some lanes when a half warp accesses
     * consecutive elements or one element. NULL means that the sink requires all addresses. */
    bool (*skips_addresses)(const struct simt_block *block);

    /* The events of an access to memory, in order. `access`: before data is moved. `loading`:
     * before the data of a load is moved. `moved`: after data was moved. `request`: the memory
     * system receives a request. Several accesses may share a request. */
    bool (*access)(const struct step *step, const struct checked_access *access);
    void (*loading)(const struct step *step, const struct access *access);
    void (*moved)(const struct step *step, const struct access *access);
    bool (*request)(const struct step *step, const struct access *access, enum access_kind kind);
    /* A request for texels, `bytes` bytes in total. The sink may sort the `count` addresses. */
    bool (*texels)(const struct step *step, enum access_kind kind, uint64_t *address, size_t count,
                   unsigned bytes);
    void (*delivered)(const struct step *step, const struct checked_access *access);

    /* The events of a barrier of the block. `arrive`: lanes reach the barrier. `pass`: a warp
     * passes the barrier. `reopen`: all warps have passed the barrier, which can be used again.
     * Only barriers that name a number of threads emit counted_arrive and counted_pass. */
    void (*arrive)(const struct step *step, unsigned id);
    void (*pass)(struct simt_block *block, struct warp *warp, unsigned id);
    void (*counted_arrive)(const struct step *step, unsigned id);
    void (*counted_pass)(struct simt_block *block, const struct warp *warp, unsigned id);
    void (*reopen)(struct simt_block *block, unsigned id, bool counted);
    /* The events of a warp operation. `sync`: lanes reach the operation. `synced`: bar.warp.sync
     * has synchronized lanes. `exchanged`: each lane has received the value of lane from[lane] or,
     * if `from` is NULL, a result of all lanes' values. */
    bool (*sync)(const struct step *step);
    void (*synced)(const struct simt_block *block, const struct warp *warp, uint32_t mask);
    void (*exchanged)(const struct simt_block *block, struct warp *warp, const struct frame *frame,
                      const struct instruction *instruction, uint32_t mask, const uint32_t *from);
    /* mbarrier_arrive: a lane arrives in a phase. `first` is true for the phase's first arrival.
     * mbarrier_wait: a lane finds that a phase is complete. */
    void (*mbarrier_arrive)(const struct step *step, unsigned lane, uint64_t address,
                            uint64_t phase, bool first);
    void (*mbarrier_wait)(const struct step *step, unsigned lane, uint64_t address, uint64_t phase);
    /* A fence, or an instruction that affects no data, is executed. */
    void (*fence)(const struct step *step);

    /* Lanes enter a function that has `bytes` bytes of local memory at offset `local`. */
    void (*entered)(const struct simt_block *block, const struct warp *warp, uint32_t mask,
                    uint64_t local, uint64_t bytes);
    /* A lane has allocated (`allocated`) or is about to free (`freed`) a heap block. */
    void (*allocated)(const struct step *step, const struct memory_region *heap, uint64_t offset,
                      uint64_t bytes);
    bool (*freed)(const struct step *step, unsigned lane, const struct memory_region *heap,
                  uint64_t offset, uint64_t bytes);
    /* A warp that is_followed is about to execute an instruction. The step's mask may be 0. */
    void (*follow)(const struct step *step);

    /* Returns true if the step may be executed now, or false if the sink holds its fragment. */
    bool (*admits)(const struct step *step);
    /* No warp can continue. Returns true if the sink has made a fragment ready. */
    bool (*stalled)(struct simt_block *block);

    /* Set *value to the cycles of a warp (`clock`) or of a finished block (`cycles`). */
    void (*clock)(const struct step *step, uint64_t *value);
    void (*cycles)(const struct simt_block *block, uint64_t *value);
};

/* The sinks of a block that receive an event, ending with NULL. */
#define RECEIVERS(block, event) ((block)->run->receivers[SINK_EVENT(event)])

#define EMIT(block, event, ...)                                                                    \
    do                                                                                             \
        for (const struct sink *const *sink_ = RECEIVERS(block, event); *sink_; sink_++)           \
            (*sink_)->event(__VA_ARGS__);                                                          \
    while (0)

/* Emit an event. The result is the first answer other than `expected`, or `expected`. */
#define ASK(expected, block, event, ...)                                                           \
    ({                                                                                             \
        bool answer_ = (expected);                                                                 \
        for (const struct sink *const *sink_ = RECEIVERS(block, event);                            \
             *sink_ && answer_ == (expected); sink_++)                                             \
            answer_ = (*sink_)->event(__VA_ARGS__);                                                \
        answer_;                                                                                   \
    })

#endif
