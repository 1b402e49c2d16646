/* coalesce.h: what one warp's access costs, as pure functions from addresses to counts.
 *
 * coalesce_global: a global access becomes memory transactions; banks_shared: a shared-memory
 * access becomes wavefronts. No state, no device memory, nothing executed.
 */
#ifndef COALESCE_H
#define COALESCE_H

#include "emulator/cost/geometry.h"
#include "emulator/device/device.h"
#include "emulator/ptx/ptx.h"

/* How the addresses of half a warp lie: each lane's behind that of the lane before, or all at one
 * place. Halves, because they are the rows of blocks of 16 x 16 threads. Either both halves of a
 * warp have a pattern, all lanes being active, or none has. */
enum half_pattern { HALF_OTHER, HALF_IN_ROW, HALF_AT_ONCE };

/* One access of a warp: lane l of `mask` touches `bytes` bytes at address[l] (bytes = element size
 * times vector length: 1, 2, 4, 8 or 16; aligned to `bytes`). */
struct warp_access {
    uint32_t mask;
    unsigned bytes;
    bool is_store;
    const uint64_t *address;     /* LANES of them */
    enum half_pattern halves[2]; /* HALF_OTHER: there is none, or it is not known */
};

/* Whether, of an access of 4 or 8 bytes whose halves have patterns, coalesce_global and
 * banks_shared look at the addresses of lanes 0 and LANES / 2 only. */
bool coalesce_knows_halves(const struct device *device);

/* A *run*: consecutive bytes of one line that the access touches, packed in 64 bits so that the
 * traces of a whole grid stay small. Fields, low to high: address 44 bits, (length - 1) 7 bits,
 * access 3 bits (enum access_kind), first of its request 1 bit, and of the first of a load the
 * number of its round (timing_code.c) modulo 512, 9 bits. */
typedef uint64_t trace_run;

enum access_kind {
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_ATOMIC,
    ACCESS_LOAD_L2 /* .cg, .volatile */,
    ACCESS_DROPPED, /* served by the L1 */
    ACCESS_MERGED,  /* a store that leaves the SM with an earlier one to the same sectors */
    ACCESS_SHARED,  /* a load that another SM's answers too: see read_share.h */
    ACCESS_COLUMN   /* a store that is a column, below */
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
/* Sectors of its line that it touches, a bit each. */
static inline unsigned run_sectors(trace_run r)
{
    return sectors_of_bytes((unsigned)r & (LINE_BYTES - 1), run_length(r));
}
static inline bool run_first(trace_run r)
{
    return r & RUN_FIRST;
}
static inline trace_run run_with_first(trace_run r)
{
    return r | RUN_FIRST;
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

/* The most runs one access can make: 32 lanes of 16 bytes, each at most one run (aligned). */
enum { COALESCE_MAX_RUNS = LANES };

/* A *column*: a store of LANES runs of one length, each in a sector of its own, evenly spaced by a
 * line or more, as the naive transpose makes them. In a trace it takes two words, which pass for a
 * request of two runs: the first run, of kind ACCESS_COLUMN, and the distance, in the place of an
 * address. */
enum { COLUMN_WORDS = 2 };

/* The runs of a column, LANES of them. */
static inline void column_to_runs(const trace_run *column, trace_run *runs)
{
    const trace_run first = run_with_kind(column[0], ACCESS_STORE);
    const uint64_t distance = run_address(column[1]);
    for (unsigned i = 0; i < LANES; i++)
        runs[i] = first - RUN_FIRST + i * distance;
    runs[0] = first;
}

/* Coalesce a global access on a device. Writes at most COALESCE_MAX_RUNS runs (the first has
 * `first` set) and returns how many.
 *
 * COALESCE_SECTORS: the runs of a line stand together, with ascending addresses, and lines stand in
 * the order of the lowest lane that touches them; bytes that several lanes touch count once.
 * *sectors becomes the distinct sectors of the request, whatever the width of the access (measured
 * on an H200, see testdata/patterns_h200.csv).
 *
 * COALESCE_SEGMENTS and COALESCE_STRICT (CC 1.x): the runs are the memory transactions, in the
 * order in which the Programming Guide finds them, in their full width (for loads and for stores),
 * and *sectors is their number. */
unsigned coalesce_global(const struct device *device, const struct warp_access *access,
                         enum access_kind kind, trace_run *runs, unsigned *sectors);

/* Make a column of a store, if it is one: of what coalesce_global gives for it. */
bool coalesce_column(const struct device *device, const struct warp_access *access,
                     trace_run *column);

/* Wavefronts of a shared-memory access, and the *ideal*: what the same width needs without
 * conflicts, 1, 2 or 4 for 4 (or less), 8 and 16 bytes on CC >= 5 with all lanes active; fewer for
 * partly active warps whose idle phases the hardware skips. conflicts = wavefronts - ideal.
 * Addresses are byte offsets in shared memory. Equal words broadcast. Phases: 8-byte accesses two
 * half-warps, 16-byte accesses four quarter-warps, half as many for loads whose lanes ask in pairs
 * (see phases_merge); CC 1.x serves half-warps of 16 lanes. */
struct bank_count {
    unsigned wavefronts, ideal;
};
struct bank_count banks_shared(const struct device *device, const struct warp_access *access);

/* Lanes of one of its phases. */
unsigned banks_phase_lanes(const struct device *device, const struct warp_access *access);

/* Global accesses of one block in program order, some stores as columns (coalesce.h). `runs` is
 * malloc'd by the caller, who frees it; hierarchy_l1 may realloc it. */
struct trace {
    trace_run *runs;
    size_t count, capacity;
    unsigned sm;    /* the SM that the block runs on, below device->multiprocessors */
    unsigned warps; /* of the block */
    bool may_merge; /* it stores parts of sectors, to few lines at a time: see store_merge.h */
};

#endif
