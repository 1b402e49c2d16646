/* shadow.c: check accesses, and update the shadow memory. Vectorized loops compare marks as signed
 * numbers, which is safe because of SHADOW_STAMP_LIMIT. */
#include "emulator/races/shadow.h"

#include "base/vectorised.h"

#include <stdlib.h>
#include <string.h>

enum { SHADOW_MARKS = 4 };

bool shadow_create(struct shadow *shadow, uint64_t bytes, unsigned shift)
{
    *shadow = (struct shadow){.shift = shift, .count = (bytes >> shift) + 1};
    /* calloc() is used because untouched pages take no memory. */
    shadow->write = calloc(SHADOW_MARKS * shadow->count, sizeof *shadow->write);
    if (!shadow->write)
        return false;
    shadow->read = shadow->write + shadow->count;
    shadow->other_read = shadow->read + shadow->count;
    shadow->first = shadow->other_read + shadow->count;
    return true;
}

void shadow_free(struct shadow *shadow)
{
    free(shadow->write);
    *shadow = (struct shadow){0};
}

void shadow_forget(const struct shadow *shadow, uint64_t offset, uint64_t bytes)
{
    for (unsigned i = 0; i < SHADOW_MARKS; i++)
        memset(shadow->write + i * shadow->count + (offset >> shadow->shift), 0,
               (bytes >> shadow->shift) * sizeof *shadow->write);
}

enum { THREADS = (1 << SHADOW_THREAD_BITS) - 1 }; /* The bits of a mark that contain the thread. */

/* The origin of an earlier access, or ORDERED if it happened before the present access. */
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

/* Returns true if two unordered strong accesses race by the rules in shadow.h. `reads` is true if
 * the present access reads the value that the earlier access wrote. */
static bool strong_conflict(const struct shadow *shadow, const struct shadow_access *access,
                            uint64_t mark, unsigned lane, uint64_t granule, bool reads)
{
    uint64_t first = shadow->first[granule];
    if (!reads)
        return (mark & SHADOW_PASSED) ||
               (!(first & SHADOW_STRONG) && mark_relation(access, first, lane, false) != ORDERED);
    if (access->is_passed) /* No race if the last reader was this thread, after the write. */
        return shadow_thread(shadow->read[granule]) != shadow_thread(access->mark) + lane ||
               shadow_stamp(shadow->read[granule]) <= shadow_stamp(mark);
    if (first < access->defined) /* The earlier atomic operation's own read was reported. */
        return !(mark & SHADOW_ADDED);
    return mark_relation(access, first, lane, false) != ORDERED;
}

bool shadow_forms_agree(uint8_t one, uint8_t other, bool across_blocks)
{
    return !((one ^ other) & ~SHADOW_BLOCK_SCOPE) &&
           !(across_blocks && (one | other) & SHADOW_BLOCK_SCOPE);
}

/* Returns true if the accesses conflict. `is_read` is true if the earlier access, which left
 * `mark`, was a read. `reads` is true if the present access reads and the earlier access wrote. */
static bool marks_conflict(const struct shadow *shadow, const struct shadow_access *access,
                           uint64_t mark, unsigned lane, uint64_t granule, bool is_read, bool reads)
{
    enum relation relation =
        access->only_undefined ? ORDERED : mark_relation(access, mark, lane, is_read);
    if (relation == ORDERED || !(mark & SHADOW_STRONG) || !access->is_strong)
        return relation != ORDERED;
    if (access->forms && !shadow_forms_agree(access->forms[shadow_instruction(mark)], access->form,
                                             relation == OTHER_BLOCK))
        return true;
    if (relation != SAME_WARP)
        return strong_conflict(shadow, access, mark, lane, granule, reads);
    if (access->has_independent_lanes && !(mark & SHADOW_ADDED) &&
        (access->is_passed || (mark & SHADOW_PASSED)))
        return strong_conflict(shadow, access, mark, lane, granule, reads);
    /* In one warp, strong accesses conflict only with an earlier write that is not strong. */
    uint64_t first = shadow->first[granule];
    return reads && first >= access->defined && !(first & SHADOW_STRONG) &&
           mark_relation(access, first, lane, false) == SAME_WARP;
}

static bool reader_conflicts(const struct shadow *shadow, const struct shadow_access *access,
                             uint64_t mark, unsigned lane, uint64_t granule)
{
    if (!marks_conflict(shadow, access, mark, lane, granule, true, false))
        return false;
    return !access->is_after_read || mark_relation(access, mark, lane, true) != SAME_WARP ||
           !access->is_after_read(access->context, mark);
}

static void mark_write(const struct shadow *shadow, const struct shadow_access *access,
                       uint64_t granule, uint64_t mark)
{
    uint64_t before = shadow->write[granule];
    /* The barriers of this block do not order other blocks. */
    bool before_all = !access->across_blocks && before < access->epoch;
    bool is_weak = before && !(before & SHADOW_STRONG);
    if (access->is_strong &&
        (before_all || is_weak ||
         (shadow->first[granule] < access->defined && !(before & SHADOW_ADDED))))
        shadow->first[granule] = before;
    shadow->write[granule] = mark;
}

/* Record the last reader. If possible, other_read is an unordered reader of another warp. */
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
    if (!reader_conflicts(shadow, access, read, lane, granule)) {
        read = shadow->other_read[granule];
        if (!reader_conflicts(shadow, access, read, lane, granule)) {
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
    FOR_LANES (lane, access->mask)
        for (uint64_t at = 0; at < access->bytes; at += step) {
            uint64_t address = access->address[lane] + at, other;
            enum shadow_verdict verdict = check_granule(shadow, access, lane, address, &other);
            if (verdict != SHADOW_GOOD) {
                *finding = (struct shadow_finding){verdict, lane, address, other};
                return false;
            }
        }
    return true;
}

/* Returns true if the mark of each lane's `at`-th granule is in [least, end). */
VECTORISED static bool are_between(const uint64_t *marks, const uint64_t *address, unsigned shift,
                                   unsigned at, int64_t least, int64_t end)
{
    int64_t bad = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        int64_t mark = (int64_t)marks[(address[lane] >> shift) + at];
        /* The sign of a difference of positive numbers shows which number is larger. */
        bad |= (mark - least) | (end - 1 - mark);
    }
    return bad >= 0;
}

VECTORISED static uint32_t marks_of_others(const uint64_t *marks, const uint64_t *address,
                                           unsigned shift, unsigned at, uint64_t own)
{
    uint32_t others = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        others |= marks[(address[lane] >> shift) + at] != own + lane ? 1u << lane : 0;
    return others;
}

static bool enter_marks(uint64_t *marks, const struct shadow_access *access, unsigned shift,
                        unsigned at)
{
    const uint64_t *address = access->address, mark = access->mark;
    for (unsigned lane = 0; access->mask == UINT32_MAX && lane < LANES; lane++)
        marks[(address[lane] >> shift) + at] = mark + lane;
    FOR_LANES (lane, access->mask != UINT32_MAX ? access->mask : 0)
        marks[(address[lane] >> shift) + at] = mark + lane;
    return !(marks_of_others(marks, address, shift, at, mark) & access->mask);
}

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

/* Returns true if each active lane's granule has a mark below `end` or of the lane's own thread. */
VECTORISED static bool are_old_or_own(const uint64_t *marks, const struct shadow_access *access,
                                      unsigned shift, unsigned at, int64_t end)
{
    const uint64_t *address = access->address;
    const int64_t block = (int64_t)access->block, thread = shadow_thread(access->mark);
    uint32_t bad = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        int64_t mark = (int64_t)marks[(address[lane] >> shift) + at];
        bool is_own = (mark >= block) & ((mark & THREADS) == thread + lane);
        bad |= (uint32_t)((mark >= end) & !is_own) << lane;
    }
    return !(bad & access->mask);
}

static bool lanes_ascend(const struct shadow_access *access)
{
    uint64_t end = 0;
    FOR_LANES (lane, access->mask) {
        if (access->address[lane] < end)
            return false;
        end = access->address[lane] + access->bytes;
    }
    return true;
}

/* Check the `at`-th granule of all lanes, and update its shadow memory. Accesses with marks below
 * `quiet` happened before this access. Returns false if the lanes must be checked one by one. */
static bool check_whole(const struct shadow *shadow, const struct shadow_access *access,
                        unsigned at, int64_t quiet)
{
    const uint64_t *address = access->address;
    unsigned shift = shadow->shift;
    bool nobody_read = are_between(shadow->read, address, shift, at, 0, quiet);
    if (access->kind == SHADOW_STORE)
        return (nobody_read || (!access->origin && lanes_ascend(access) &&
                                are_old_or_own(shadow->read, access, shift, at, quiet) &&
                                are_old_or_own(shadow->other_read, access, shift, at, quiet))) &&
               are_between(shadow->write, address, shift, at, 0, quiet) &&
               enter_marks(shadow->write, access, shift, at);
    if (!are_between(shadow->write, address, shift, at, (int64_t)access->defined,
                     access->is_constant ? 1 : quiet))
        return false;
    if (nobody_read && access->mask == 0xffffffffu)
        enter_readers(shadow, access, at);
    else
        FOR_LANES (lane, access->mask)
            mark_read(shadow, access, lane, (address[lane] >> shift) + at);
    return true;
}

/* Returns true if all granules are initialized, were not read since the last barrier, and were last
 * written before the barrier or by this instruction. Then every order of the lanes is allowed. */
VECTORISED static bool atomics_agree(const struct shadow *shadow,
                                     const struct shadow_access *access)
{
    const uint64_t *write = shadow->write, *first = shadow->first, *read = shadow->read;
    const int64_t defined = (int64_t)access->defined, epoch = (int64_t)access->epoch;
    const uint64_t same = (1ull << SHADOW_STAMP_SHIFT) - 1 - THREADS;
    const int64_t own = (int64_t)(access->mark & same);
    int64_t bad = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t granule = access->address[lane] >> shadow->shift;
        int64_t written = (int64_t)write[granule], before = (int64_t)first[granule];
        bool is_old = (written >= defined) & (written < epoch);
        bool is_same = (written >= epoch) & ((written & (int64_t)same) == own) &
                       (before >= defined) & (before < epoch);
        bad |= !(is_old | is_same) | ((int64_t)read[granule] >= epoch);
    }
    return !bad;
}

static bool check_atomic(const struct shadow *shadow, const struct shadow_access *access)
{
    if (access->across_blocks || access->origin || access->bytes >> shadow->shift != 1 ||
        !atomics_agree(shadow, access))
        return false;
    FOR_LANES (lane, access->mask) {
        uint64_t granule = access->address[lane] >> shadow->shift;
        if (shadow->write[granule] < access->epoch)
            shadow->first[granule] = shadow->write[granule];
        shadow->write[granule] = access->mark + lane;
    }
    return true;
}

/* A group of lanes that access consecutive granules (is_row), or one granule. */
struct piece {
    uint64_t granule;
    unsigned lane, lanes;
    bool is_row;
};

static unsigned find_pieces(const struct shadow *shadow, const struct shadow_access *access,
                            struct piece pieces[2])
{
    enum { HALF = LANES / 2 };
    for (unsigned half = 0; half < 2; half++)
        pieces[half] = (struct piece){.granule = access->address[half * HALF] >> shadow->shift,
                                      .lane = half * HALF,
                                      .lanes = HALF,
                                      .is_row = access->halves[half] == HALF_IN_ROW};
    if (pieces[0].is_row != pieces[1].is_row ||
        pieces[1].granule - pieces[0].granule != (pieces[0].is_row ? HALF : 0))
        return 2;
    pieces[0].lanes = LANES;
    return 1;
}

VECTORISED static bool row_is_between(const uint64_t *marks, unsigned count, int64_t least,
                                      int64_t end)
{
    int64_t bad = 0;
    for (unsigned i = 0; i < count; i++)
        bad |= ((int64_t)marks[i] - least) | (end - 1 - (int64_t)marks[i]);
    return bad >= 0;
}

/* Limits of marks that show the usual order: no thread has learned more than its warp. */
struct usual_order {
    int64_t foreign_end;  /* Lower marks, except 0, belong to unordered accesses of other blocks. */
    int64_t epoch;        /* Accesses with lower marks happened before this access. */
    int64_t synced;       /* Accesses of this warp with lower marks happened before this access. */
    int64_t first, width; /* First thread and number of threads of this warp. */
};

VECTORISED static void enter_row(uint64_t *restrict read, uint64_t *restrict other, uint64_t own,
                                 unsigned count, const struct usual_order *order)
{
    const int64_t foreign_end = order->foreign_end, epoch = order->epoch, synced = order->synced;
    const int64_t first = order->first, last = order->first + order->width - 1;
    for (unsigned i = 0; i < count; i++) {
        int64_t mark = (int64_t)read[i], second = (int64_t)other[i], mine = (int64_t)own + i;
        int64_t thread = mark & THREADS, second_thread = second & THREADS;
        bool outside = (thread < first) | (thread > last);
        bool second_outside = (second_thread < first) | (second_thread > last);
        bool is_far = ((mark > 0) & (mark < foreign_end)) | ((mark >= epoch) & outside);
        bool second_is_far =
            ((second > 0) & (second < foreign_end)) | ((second >= epoch) & second_outside);
        bool is_near = (mark >= epoch) & (mark >= synced) & !outside & (thread != (mine & THREADS));
        bool moves = is_far | (is_near & !second_is_far);
        other[i] = moves ? read[i] : other[i];
        read[i] = (uint64_t)mine;
    }
}

static void enter_place(const struct shadow *shadow, const struct shadow_access *access,
                        const struct piece *piece)
{
    uint64_t last = access->mark + piece->lane + piece->lanes - 1;
    mark_read(shadow, access, piece->lane, piece->granule);
    if (mark_relation(access, shadow->other_read[piece->granule], piece->lane + 1, true) <=
        SAME_WARP)
        shadow->other_read[piece->granule] = last - 1;
    shadow->read[piece->granule] = last;
}

/* Check and update the pieces of an access. Returns false if check_whole must check the access. */
static bool check_pieces(const struct shadow *shadow, const struct shadow_access *access,
                         int64_t quiet)
{
    const struct order *order = access->order;
    struct piece pieces[2];
    unsigned count = find_pieces(shadow, access, pieces);
    bool stores = access->kind == SHADOW_STORE;
    int64_t least = stores ? 0 : (int64_t)access->defined;
    int64_t end = access->is_constant ? 1 : quiet;
    for (const struct piece *piece = pieces; piece < pieces + count; piece++) {
        unsigned length = piece->is_row ? piece->lanes : 1;
        if (!row_is_between(shadow->write + piece->granule, length, least, end) ||
            (stores &&
             (!piece->is_row || !row_is_between(shadow->read + piece->granule, length, 0, quiet))))
            return false;
    }
    if (stores && count == 2 && pieces[1].granule + LANES / 2 - pieces[0].granule < LANES)
        return false;
    uint32_t sync = order->sync[shadow_thread(access->mark) / order->width];
    const struct usual_order usual = {
        .foreign_end = access->across_blocks ? (int64_t)access->block : 0,
        .epoch = access->epoch ? (int64_t)access->epoch : 1, /* Mark 0 means no access. */
        .synced = (int64_t)shadow_mark(sync, 0, 0),
        .first = shadow_thread(access->mark),
        .width = order->width};
    for (const struct piece *piece = pieces; piece < pieces + count; piece++) {
        uint64_t *write = shadow->write + piece->granule, own = access->mark + piece->lane;
        if (stores)
            for (unsigned i = 0; i < piece->lanes; i++)
                write[i] = own + i;
        else if (piece->is_row)
            enter_row(shadow->read + piece->granule, shadow->other_read + piece->granule, own,
                      piece->lanes, &usual);
        else
            enter_place(shadow, access, piece);
    }
    return true;
}

bool shadow_check(const struct shadow *shadow, const struct shadow_access *access,
                  struct shadow_finding *finding)
{
    bool whole =
        access->kind == SHADOW_LOAD || (access->kind == SHADOW_STORE && !access->is_strong &&
                                        (access->mask == 0xffffffffu || lanes_ascend(access)));
    unsigned granules = access->bytes >> shadow->shift;
    int64_t quiet = access->across_blocks ? 1 : (int64_t)access->epoch;
    if (whole && granules == 1 && access->halves[0] && !access->origin &&
        !access->order->has_rows && check_pieces(shadow, access, quiet))
        return true;
    if (access->kind == SHADOW_ATOMIC && check_atomic(shadow, access))
        return true;
    for (unsigned at = 0; whole && at < granules; at++)
        whole = check_whole(shadow, access, at, quiet);
    return whole || check_lanes(shadow, access, finding);
}
