#include "emulator/sinks/atomics.h"

enum {
    TICKS_PER_NS = 8, /* Unit of a run's time. 9 bits hold the time of 32 lanes at 1.9 ns each. */
    TICKS_MAX = 511,
    GRANULE_SHIFT = 9,  /* log2 of the bytes of a granule, which belongs to one slice. */
    GRANULES_APART = 8, /* The granules of an aligned group of 8 are in different slices. */
};

static unsigned most_lanes(const struct warp_access *access, uint64_t sector)
{
    unsigned most = 0;
    uint32_t left = 0;
    FOR_LANES (lane, access->mask)
        left |= (uint32_t)(access->address[lane] >> SECTOR_SHIFT == sector) << lane;
    while (left) {
        const uint64_t address = access->address[__builtin_ctz(left)];
        uint32_t same = 0;
        FOR_LANES (lane, left)
            same |= (uint32_t)(access->address[lane] == address) << lane;
        left &= ~same;
        const unsigned count = (unsigned)__builtin_popcount(same);
        most = count > most ? count : most;
    }
    return most;
}

static double sector_ns(const struct device *device, struct atomic_form form, unsigned lanes,
                        unsigned most, bool is_full)
{
    double one = form.is_float ? device->atomic_float_ns : device->atomic_integer_ns;
    if (is_full && !(form.is_float && most > 1))
        one = device->atomic_sector_ns;
    else if (most == 1 && lanes > 1)
        one = device->atomic_integer_ns;
    double ns = most * one;
    return ns > device->atomic_sector_ns ? ns : device->atomic_sector_ns;
}

void atomics_mark(const struct device *device, const struct warp_access *access,
                  struct atomic_form form, trace_run *runs, unsigned count)
{
    const unsigned lanes = form.is_combined ? 1 : (unsigned)__builtin_popcount(access->mask);
    unsigned bytes = 0;
    for (unsigned i = 0; i < count; i++)
        bytes += run_length(runs[i]);
    const bool repeats = lanes * access->bytes > bytes;
    uint64_t last = UINT64_MAX; /* The time of a sector counts only in its first run. */
    for (unsigned i = 0; i < count; i++) {
        double ns = 0;
        const uint64_t end = run_address(runs[i]) + run_length(runs[i]);
        for (uint64_t at = run_address(runs[i]); at < end;) {
            const uint64_t sector = at >> SECTOR_SHIFT, next = (sector + 1) << SECTOR_SHIFT;
            const bool is_full = next <= end && next - at == SECTOR_BYTES;
            if (sector != last)
                ns += sector_ns(device, form, lanes, repeats ? most_lanes(access, sector) : 1,
                                is_full);
            last = sector;
            at = next;
        }
        const unsigned ticks = (unsigned)(ns * TICKS_PER_NS + 0.5);
        runs[i] = run_with_round(runs[i], ticks < TICKS_MAX ? ticks : TICKS_MAX);
    }
}

/* Returns the slice of a granule. Consecutive granules are in different slices. */
static unsigned slice_of(const struct device *device, uint64_t granule)
{
    uint64_t sum = 0;
    for (; granule; granule /= device->atomic_slices)
        sum += granule % device->atomic_slices;
    return (unsigned)(sum % device->atomic_slices);
}

void atomics_add(struct atomics *atomics, const struct device *device, const struct trace *traces,
                 size_t count)
{
    uint64_t used[ATOMIC_SLICES_MAX / 64] = {0};
    unsigned used_count = 0;
    double all = 0;
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; traces[t].has_atomics && i < traces[t].count; i++) {
            const trace_run run = traces[t].runs[i];
            if (run_kind(run) == ACCESS_COLUMN)
                i += COLUMN_WORDS - 1;
            if (run_kind(run) != ACCESS_ATOMIC)
                continue;
            const uint64_t granule = run_address(run) >> GRANULE_SHIFT;
            const uint64_t place =
                (granule + hash_mix(granule / GRANULES_APART)) % device->atomic_slices;
            const double ns = (double)run_round(run) / TICKS_PER_NS;
            atomics->slices_ns[slice_of(device, granule)] += ns;
            all += ns;
            used_count += !(used[place / 64] >> place % 64 & 1);
            used[place / 64] |= 1ull << place % 64;
        }
    if (used_count)
        atomics->waves_ns += all / used_count;
}

double atomics_time_ns(const struct atomics *atomics)
{
    double most = atomics->waves_ns;
    for (unsigned i = 0; i < ATOMIC_SLICES_MAX; i++)
        most = atomics->slices_ns[i] > most ? atomics->slices_ns[i] : most;
    return most;
}
