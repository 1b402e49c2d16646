/* coalesce.h: the cost of one access of a warp, as pure functions of its addresses. */
#ifndef COALESCE_H
#define COALESCE_H

#include "emulator/cost/geometry.h"
#include "emulator/device/device.h"
#include "emulator/ptx/ptx.h"

/* The pattern of a half-warp: consecutive elements (HALF_IN_ROW) or one element (HALF_AT_ONCE).
 * Either both halves have a pattern, and all lanes are active, or both are HALF_OTHER. */
enum half_pattern { HALF_OTHER, HALF_IN_ROW, HALF_AT_ONCE };

/* One access of a warp. Each lane l of `mask` accesses `bytes` bytes at address[l], which is a
 * multiple of `bytes`. `bytes` is the element size times the vector length: 1, 2, 4, 8 or 16. */
struct warp_access {
    uint32_t mask;
    unsigned bytes;
    bool is_store;
    const uint64_t *address;
    enum half_pattern halves[2];
};

/* Returns true if an access of 4 or 8 bytes with a pattern in each half needs only the addresses of
 * lanes 0 and LANES / 2. */
bool coalesce_has_halves(const struct device *device);

/* A *run* represents consecutive bytes of one line that an access touches. A run has 64 bits, so
 * that traces are small. Fields from low to high: address (44 bits), length - 1 (7), enum
 * access_kind (3), first run of its request (1), and the *round field* (9). In the first run of a
 * load, this field is 2 x round (modulo 512), plus 1 if the round is crowded (timing_code.c). In
 * each run of an atomic operation, the field is the time (atomics.c). */
typedef uint64_t trace_run;

enum access_kind {
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_ATOMIC,
    ACCESS_LOAD_L2 /* A load that bypasses the L1: .cg, .volatile. */,
    ACCESS_DROPPED, /* A load that the L1 served. */
    ACCESS_MERGED,  /* A store that leaves the SM with an earlier store to the same sectors. */
    ACCESS_SHARED,  /* A load that joins the load of another SM (read_share.h). */
    ACCESS_COLUMN   /* A store in the format of a column (see below). */
};

#define RUN_ADDRESS_BITS 44
#define RUN_FIRST (1ull << 54)
static inline trace_run run_make(uint64_t address, unsigned length, enum access_kind kind,
                                 bool first)
{
    return address | (uint64_t)(length - 1) << 44 | (uint64_t)kind << 51 | (uint64_t)first << 54;
}
static inline uint64_t run_address(trace_run r)
{
    return r & ((1ull << 44) - 1);
}
static inline unsigned run_length(trace_run r)
{
    return (unsigned)(r >> 44 & 127) + 1;
}
static inline enum access_kind run_kind(trace_run r)
{
    return (enum access_kind)(r >> 51 & 7);
}
static inline uint64_t run_line(trace_run r)
{
    return run_address(r) >> LINE_SHIFT;
}
static inline unsigned run_sectors(trace_run r)
{
    return sectors_of_bytes((unsigned)r & (LINE_BYTES - 1), run_length(r));
}
static inline bool run_first(trace_run r)
{
    return r & RUN_FIRST;
}
static inline trace_run run_with_kind(trace_run r, enum access_kind kind)
{
    return (r & ~(7ull << 51)) | (uint64_t)kind << 51;
}

static inline trace_run run_with_round(trace_run r, unsigned round)
{
    return (r & ~(511ull << 55)) | (uint64_t)(round & 511) << 55;
}
static inline unsigned run_round(trace_run r)
{
    return (unsigned)(r >> 55);
}

/* Maximum number of runs of one access. A lane's bytes are aligned, so they are in one run. */
enum { COALESCE_MAX_RUNS = LANES };

/* A *column* is a store of LANES runs of one length in different sectors, evenly spaced by a line
 * or more, as in the naive transpose. A trace stores a column as a request of two runs: the first
 * run, of kind ACCESS_COLUMN, and a run that contains the distance instead of an address. */
enum { COLUMN_WORDS = 2 };

static inline void column_to_runs(const trace_run *column, trace_run *runs)
{
    const trace_run first = run_with_kind(column[0], ACCESS_STORE);
    const uint64_t distance = run_address(column[1]);
    for (unsigned i = 0; i < LANES; i++)
        runs[i] = first - RUN_FIRST + i * distance;
    runs[0] = first;
}

/* Coalesce a global access on a device. Writes at most COALESCE_MAX_RUNS runs and returns their
 * number. run_first is true only for the first run.
 *
 * COALESCE_SECTORS: the runs of a line are adjacent, with ascending addresses, and lines are in the
 * order of the lowest lane that touches them. Bytes that several lanes touch count once. *sectors
 * receives the number of distinct sectors of the request, for any width of the access (measured on
 * an H200, see testdata/patterns_h200.csv).
 *
 * COALESCE_SEGMENTS and COALESCE_STRICT (CC 1.x): the runs are the memory transactions, in full
 * width and in the order of the Programming Guide. *sectors receives the number of runs. */
unsigned coalesce_global(const struct device *device, const struct warp_access *access,
                         enum access_kind kind, trace_run *runs, unsigned *sectors);

/* Convert a store to a column that represents the runs of coalesce_global. If the store is not a
 * column, returns false and does not fill in `column`. */
bool coalesce_column(const struct device *device, const struct warp_access *access,
                     trace_run *column);

/* Count the wavefronts of a shared-memory access. Addresses are byte offsets in shared memory.
 * Lanes that access the same word cause no conflict. `ideal` is the number of wavefronts without
 * conflicts: the number of phases with active lanes. There is one phase for up to 4 bytes per lane,
 * two (half-warps) for 8 bytes, and four (quarter-warps) for 16 bytes. Loads with equal addresses
 * in pairs have half as many phases (phases_merge). On CC 1.x, each half-warp is a phase. */
struct bank_count {
    unsigned wavefronts, ideal;
};
struct bank_count banks_shared(const struct device *device, const struct warp_access *access);

unsigned banks_phase_lanes(const struct device *device, const struct warp_access *access);

/* Global accesses of one block. The caller frees `runs`, which hierarchy_l1 may reallocate. */
struct trace {
    trace_run *runs;
    size_t count, capacity;
    unsigned sm;
    unsigned warps;
    bool has_atomics;
    bool may_merge; /* The block has stores that may merge (store_merge.h). */
};

#endif
