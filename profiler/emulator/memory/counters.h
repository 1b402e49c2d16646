/* counters.h: what the emulator counts while it executes, summed over warps. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdint.h>

/* Columns: field. The names are those of the CSV (see columns.h). */
#define COUNTER_LIST(X)                                                                            \
    X(warp_instructions)                                                                           \
    X(global_load_requests)                                                                        \
    X(global_load_sectors)                                                                         \
    X(global_store_requests)                                                                       \
    X(global_store_sectors)                                                                        \
    X(shared_load_requests)                                                                        \
    X(shared_load_wavefronts)                                                                      \
    X(shared_load_ideal_wavefronts)                                                                \
    X(shared_store_requests)                                                                       \
    X(shared_store_wavefronts)                                                                     \
    X(shared_store_ideal_wavefronts)                                                               \
    X(atomic_requests)                                                                             \
    X(atomic_sectors)                                                                              \
    X(barriers)

struct counters {
#define X(field) uint64_t field;
    COUNTER_LIST(X)
#undef X
};

static inline void counters_add(struct counters *sum, const struct counters *add)
{
#define X(field) sum->field += add->field;
    COUNTER_LIST(X)
#undef X
}

#endif
