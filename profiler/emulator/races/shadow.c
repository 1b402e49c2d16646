/* shadow.c: see shadow.h. Marks are compared as signed numbers: vectors have only those. */
#include "emulator/races/shadow.h"

#include "base/vectorised.h"

#include <stdlib.h>
#include <string.h>

bool shadow_create(struct shadow *shadow, uint64_t bytes, unsigned shift)
{
    *shadow = (struct shadow){.shift = shift, .count = (bytes >> shift) + 1};
    /* calloc: pages that are never touched cost nothing. */
    shadow->write = calloc(shadow->count, sizeof *shadow->write);
    shadow->read = calloc(shadow->count, sizeof *shadow->read);
    shadow->other_read = calloc(shadow->count, sizeof *shadow->other_read);
    shadow->first = calloc(shadow->count, sizeof *shadow->first);
    if (shadow->write && shadow->read && shadow->other_read && shadow->first)
        return true;
    shadow_free(shadow);
    return false;
}

void shadow_free(struct shadow *shadow)
{
    free(shadow->write);
    free(shadow->read);
    free(shadow->other_read);
    free(shadow->first);
    *shadow = (struct shadow){0};
}

void shadow_clear(struct shadow *shadow)
{
    memset(shadow->write, 0, shadow->count * sizeof *shadow->write);
    memset(shadow->read, 0, shadow->count * sizeof *shadow->read);
    memset(shadow->other_read, 0, shadow->count * sizeof *shadow->other_read);
    memset(shadow->first, 0, shadow->count * sizeof *shadow->first);
}

/* ---- Lane by lane ---- */

/* How an earlier access stands to the present one. */
enum relation { ORDERED, SAME_WARP, OTHER_WARP, OTHER_BLOCK };

static enum relation mark_relation(const struct shadow_access *access, uint64_t mark, unsigned lane,
                                   bool is_read)
{
    if (!mark)
        return ORDERED;
    enum shadow_origin origin = access->origin
                                    ? access->origin(access->context, lane, mark, is_read)
                                : mark < access->block ? SHADOW_FOREIGN
                                                       : SHADOW_OWN;
    if (origin != SHADOW_OWN)
        return origin == SHADOW_FOREIGN && access->across_blocks ? OTHER_BLOCK : ORDERED;
    uint32_t first = shadow_thread(access->mark), thread = shadow_thread(mark);
    if (mark < access->epoch || thread == first + lane ||
        shadow_stamp(mark) < order_known(access->order, first + lane, thread))
        return ORDERED;
    return thread - first >= access->order->width ? OTHER_WARP : SAME_WARP;
}

/* Whether a strong access and an earlier one, that nothing orders, leave it to time which value
 * arrives, or an unordered access before that which is not strong. `reads`: the access reads what
 * the other wrote. */
static bool strong_conflict(const struct shadow *shadow, const struct shadow_access *access,
                            uint64_t mark, unsigned lane, uint64_t granule, bool reads)
{
    uint64_t first = shadow->first[granule];
    if (!reads)
        return (mark & SHADOW_PASSED) ||
               (!(first & SHADOW_STRONG) && mark_relation(access, first, lane, false) != ORDERED);
    if (access->is_passed) /* unless the thread has seen it already, and only fetches it now */
        return shadow_thread(shadow->read[granule]) != shadow_thread(access->mark) + lane ||
               shadow_stamp(shadow->read[granule]) <= shadow_stamp(mark);
    if (first < access->defined) /* of an atomic operation this was noted when it read */
        return !(mark & SHADOW_ADDED);
    return mark_relation(access, first, lane, false) != ORDERED;
}

/* `is_read`: the mark is a reader's. `reads`: the access reads what a writer left. */
static bool marks_conflict(const struct shadow *shadow, const struct shadow_access *access,
                           uint64_t mark, unsigned lane, uint64_t granule, bool is_read, bool reads)
{
    enum relation relation =
        access->only_undefined ? ORDERED : mark_relation(access, mark, lane, is_read);
    if (relation == ORDERED || !(mark & SHADOW_STRONG) || !access->is_strong)
        return relation != ORDERED;
    if (access->widths && access->widths[shadow_instruction(mark)] != access->element)
        return true;
    if (relation != SAME_WARP)
        return strong_conflict(shadow, access, mark, lane, granule, reads);
    /* Lanes of one warp may meet in an atomic operation, but not beside another's plain store. */
    uint64_t first = shadow->first[granule];
    return reads && first >= access->defined && !(first & SHADOW_STRONG) &&
           mark_relation(access, first, lane, false) == SAME_WARP;
}

/* Enter the mark of a write. */
static void mark_write(const struct shadow *shadow, const struct shadow_access *access,
                       uint64_t granule, uint64_t mark)
{
    uint64_t before = shadow->write[granule];
    /* Other blocks do not know of this one's barriers. */
    bool before_all = !access->across_blocks && before < access->epoch;
    bool is_weak = before && !(before & SHADOW_STRONG);
    if (access->is_strong &&
        (before_all || is_weak ||
         (shadow->first[granule] < access->defined && !(before & SHADOW_ADDED))))
        shadow->first[granule] = before;
    shadow->write[granule] = mark;
}

/* Enter the mark of a lane that reads. */
static void mark_read(const struct shadow *shadow, const struct shadow_access *access,
                      unsigned lane, uint64_t granule)
{
    uint64_t read = shadow->read[granule];
    enum relation relation = mark_relation(access, read, lane, true);
    if (relation != ORDERED &&
        (relation > SAME_WARP ||
         mark_relation(access, shadow->other_read[granule], lane, true) <= SAME_WARP))
        shadow->other_read[granule] = read;
    shadow->read[granule] = access->mark + lane;
}

/* The lane of this very access that left the mark on the granule, or -1. */
static int marking_lane(const struct shadow_access *access, uint64_t mark, uint64_t address)
{
    uint32_t lane = shadow_thread(mark) - shadow_thread(access->mark);
    if (mark - lane != access->mark || lane >= LANES || !(access->mask >> lane & 1) ||
        address - access->address[lane] >= access->bytes)
        return -1;
    return (int)lane;
}

static enum shadow_verdict check_granule(const struct shadow *shadow,
                                         const struct shadow_access *access, unsigned lane,
                                         uint64_t address, uint64_t *other)
{
    uint64_t granule = address >> shadow->shift;
    uint64_t mark = access->mark + lane;
    uint64_t write = shadow->write[granule], read = shadow->read[granule];
    *other = 0;
    if (access->kind != SHADOW_STORE && write < access->defined)
        access->note_undefined(access->context, lane, address);
    if (access->is_constant && write) {
        *other = write;
        return SHADOW_READ_AFTER_WRITE;
    }
    if (marks_conflict(shadow, access, write, lane, granule, false, access->kind != SHADOW_STORE) &&
        !(access->kind == SHADOW_STORE && access->stores_same &&
          access->stores_same(access->context, lane, address,
                              marking_lane(access, write, address)))) {
        *other = write;
        return access->kind == SHADOW_LOAD ? SHADOW_READ_AFTER_WRITE : SHADOW_WRITE_AFTER_WRITE;
    }
    if (access->kind == SHADOW_LOAD) {
        mark_read(shadow, access, lane, granule);
        return SHADOW_GOOD;
    }
    if (!marks_conflict(shadow, access, read, lane, granule, true, false)) {
        read = shadow->other_read[granule];
        if (!marks_conflict(shadow, access, read, lane, granule, true, false)) {
            mark_write(shadow, access, granule, mark);
            return SHADOW_GOOD;
        }
    }
    *other = read;
    return SHADOW_WRITE_AFTER_READ;
}

static bool check_lanes(const struct shadow *shadow, const struct shadow_access *access,
                        struct shadow_finding *finding)
{
    uint64_t step = 1ull << shadow->shift;
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(access->mask >> lane & 1))
            continue;
        for (uint64_t at = 0; at < access->bytes; at += step) {
            uint64_t address = access->address[lane] + at, other;
            enum shadow_verdict verdict = check_granule(shadow, access, lane, address, &other);
            if (verdict != SHADOW_GOOD) {
                *finding = (struct shadow_finding){verdict, lane, address, other};
                return false;
            }
        }
    }
    return true;
}

/* ---- Whole warps ---- */

/* Granules of 32 lanes, the `at`-th of each. True: all marks are at least `least` and less than
 * `end`. */
VECTORISED static bool are_between(const uint64_t *marks, const uint64_t *address, unsigned shift,
                                   unsigned at, int64_t least, int64_t end)
{
    int64_t bad = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        int64_t mark = (int64_t)marks[(address[lane] >> shift) + at];
        /* Differences of positive numbers: the sign says which is larger. */
        bad |= (mark - least) | (end - 1 - mark);
    }
    return bad >= 0;
}

/* Enter the marks of all lanes. False: lanes share granules, whose mark is the last one's. */
static bool enter_marks(uint64_t *marks, const struct shadow_access *access, unsigned shift,
                        unsigned at)
{
    uint64_t mark = access->mark, bad = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        marks[(access->address[lane] >> shift) + at] = mark + lane;
    for (unsigned lane = 0; lane < LANES && !access->is_alone; lane++)
        bad |= marks[(access->address[lane] >> shift) + at] ^ (mark + lane);
    return !bad;
}

/* Enter the marks of all lanes that read granules which nobody has read since `quiet`, as mark_read
 * would one after the other. */
static void enter_readers(const struct shadow *shadow, const struct shadow_access *access,
                          unsigned at)
{
    if (enter_marks(shadow->read, access, shadow->shift, at))
        return;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t granule = (access->address[lane] >> shadow->shift) + at;
        if (shadow->read[granule] != access->mark + lane)
            shadow->other_read[granule] = access->mark + lane;
    }
}

/* Deal with the `at`-th granules of all lanes at once. False: they need a closer look. Marks below
 * `quiet` came before, of the block itself, or there are none. */
static bool check_whole(const struct shadow *shadow, const struct shadow_access *access,
                        unsigned at, int64_t quiet)
{
    const uint64_t *address = access->address;
    unsigned shift = shadow->shift;
    bool nobody_read = are_between(shadow->read, address, shift, at, 0, quiet);
    if (access->kind == SHADOW_STORE)
        return nobody_read && are_between(shadow->write, address, shift, at, 0, quiet) &&
               enter_marks(shadow->write, access, shift, at);
    if (!are_between(shadow->write, address, shift, at, (int64_t)access->defined,
                     access->is_constant ? 1 : quiet))
        return false;
    if (nobody_read && access->mask == 0xffffffffu)
        enter_readers(shadow, access, at);
    else
        for (unsigned lane = 0; lane < LANES; lane++)
            if (access->mask >> lane & 1)
                mark_read(shadow, access, lane, (address[lane] >> shift) + at);
    return true;
}

bool shadow_check(const struct shadow *shadow, const struct shadow_access *access,
                  struct shadow_finding *finding)
{
    bool whole = access->kind == SHADOW_LOAD || (access->kind == SHADOW_STORE &&
                                                 access->mask == 0xffffffffu && !access->is_strong);
    unsigned granules = access->bytes >> shadow->shift;
    for (unsigned at = 0; whole && at < granules; at++)
        whole = check_whole(shadow, access, at, access->across_blocks ? 1 : (int64_t)access->epoch);
    return whole || check_lanes(shadow, access, finding);
}
