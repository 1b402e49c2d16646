/* Tests of the shadow memory: small histories, and random histories compared with a full record. */
#include "emulator/ptx/ptx.h"
#include "emulator/races/shadow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { WARPS = 3, WORDS = 24 };

static struct shadow shadow;
static struct order order;
static unsigned undefined;

static void note_undefined(void *context, unsigned lane, uint64_t address)
{
    (void)context, (void)lane, (void)address;
    undefined++;
}

static void begin(void)
{
    order_begin(&order);
}

static bool touch(unsigned warp, enum shadow_kind kind, bool is_strong, uint32_t mask,
                  const uint64_t *words, struct shadow_finding *finding)
{
    uint64_t address[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        address[lane] = 4 * words[lane];
    struct shadow_access access = {
        .kind = kind,
        .is_strong = is_strong,
        .mask = mask,
        .bytes = 4,
        .address = address,
        .mark = shadow_mark(order.now, (uint32_t)kind + 7, warp * LANES) |
                (is_strong ? SHADOW_STRONG : 0),
        .block = shadow_mark(order.block, 0, 0),
        .epoch = shadow_mark(order.epoch, 0, 0),
        .order = &order,
        .defined = shadow_mark(order.block, 0, 0),
        .note_undefined = note_undefined,
    };
    undefined = 0;
    return shadow_check(&shadow, &access, finding);
}

static int set_up(void **state)
{
    (void)state;
    return shadow_create(&shadow, 4096, 2) && order_create(&order, WARPS * LANES, LANES) ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    shadow_free(&shadow);
    order_free(&order);
    return 0;
}

static void row(uint64_t *words, unsigned first, unsigned step)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        words[lane] = first + lane * step;
}

static void test_marks(void **state)
{
    (void)state;
    const uint32_t last = PTX_MAX_INSTRUCTIONS - 1;
    uint64_t mark = shadow_mark(SHADOW_STAMP_LIMIT, last, 1023);
    mark |= SHADOW_STRONG | SHADOW_PASSED | SHADOW_ADDED;
    assert_int_equal(shadow_stamp(mark), SHADOW_STAMP_LIMIT);
    assert_int_equal(shadow_instruction(mark), last);
    assert_int_equal(shadow_thread(mark), 1023);
    assert_true((int64_t)mark > 0);
}

static void test_tile(void **state)
{
    (void)state;
    struct shadow_finding finding;
    uint64_t words[LANES];
    for (unsigned with_barrier = 2; with_barrier-- > 0;) {
        begin();
        for (unsigned r = 0; r < WARPS; r++) {
            row(words, 32 * r, 1);
            assert_true(touch(r, SHADOW_STORE, false, ~0u, words, &finding));
        }
        if (with_barrier)
            order_barrier(&order);
        row(words, 1, 3); /* Lane l reads word 1 + 3 l, from 0 to 93, of all three warps. */
        bool good = touch(1, SHADOW_LOAD, false, ~0u, words, &finding);
        assert_int_equal(good, with_barrier);
        assert_int_equal(undefined, 0);
        if (good)
            continue;
        assert_int_equal(finding.verdict, SHADOW_READ_AFTER_WRITE);
        assert_int_equal(finding.lane, 0);
        assert_int_equal(finding.address, 4);
        assert_int_equal(shadow_thread(finding.other), 1);
    }
}

static void test_two_readers(void **state)
{
    (void)state;
    struct shadow_finding finding;
    uint64_t words[LANES];
    row(words, 0, 1);
    begin();
    assert_true(touch(0, SHADOW_STORE, false, ~0u, words, &finding));
    order_barrier(&order);
    assert_true(touch(1, SHADOW_LOAD, false, ~0u, words, &finding));
    assert_true(touch(2, SHADOW_LOAD, false, ~0u, words, &finding));
    assert_false(touch(2, SHADOW_STORE, false, ~0u, words, &finding));
    assert_int_equal(finding.verdict, SHADOW_WRITE_AFTER_READ);
    assert_int_equal(shadow_thread(finding.other), LANES);
    order_barrier(&order);
    assert_true(touch(2, SHADOW_STORE, false, ~0u, words, &finding));
}

static void test_next_block(void **state)
{
    (void)state;
    struct shadow_finding finding;
    uint64_t words[LANES];
    row(words, 0, 1);
    begin();
    assert_true(touch(0, SHADOW_LOAD, false, 0xf0f, words, &finding));
    assert_int_equal(undefined, 8);
    assert_true(touch(0, SHADOW_STORE, false, ~0u, words, &finding));
    begin();
    assert_true(touch(1, SHADOW_LOAD, false, ~0u, words, &finding));
    assert_int_equal(undefined, 32);
    begin();
    shadow_forget(&shadow, 0, shadow.count << shadow.shift);
    assert_true(touch(1, SHADOW_STORE, false, ~0u, words, &finding));
}

/* record.known[t]: the accesses that happen before thread t's next access (rules of order.h). */
enum { EVENTS = 64, THREADS = WARPS * LANES, FLAGS = 3, BARRIERS = 2 };

struct event {
    uint32_t thread, word;
    bool writes, is_strong;
};

static struct record {
    struct event events[EVENTS];
    unsigned count;
    uint64_t known[THREADS], observed[THREADS], own[THREADS];
    uint64_t fenced[THREADS], own_fenced[THREADS];
    bool has_fenced[THREADS];
    uint64_t published[FLAGS], arrived[BARRIERS];
} record;

#define FOR_MASK(thread, warp, mask)                                                               \
    for (unsigned thread = (warp)*LANES; thread < ((warp) + 1) * LANES; thread++)                  \
        if ((mask) >> thread % LANES & 1)

static void record_learn(unsigned warp, uint32_t mask)
{
    FOR_MASK(t, warp, mask)
    {
        record.known[t] |= record.observed[t];
        record.observed[t] = 0;
    }
}

static void record_sync(unsigned warp, uint32_t mask)
{
    uint64_t all = 0;
    record_learn(warp, mask);
    FOR_MASK(t, warp, mask)
    all |= record.known[t];
    FOR_MASK(t, warp, mask)
    record.known[t] = all;
}

static void record_barrier(void)
{
    uint64_t all = 0;
    for (unsigned t = 0; t < THREADS; t++)
        all |= record.known[t];
    for (unsigned t = 0; t < THREADS; t++) {
        record.known[t] = all;
        record.observed[t] = 0;
    }
}

static void record_arrive(unsigned id, unsigned warp)
{
    record_learn(warp, ~0u);
    FOR_MASK(t, warp, ~0u)
    record.arrived[id] |= record.known[t];
}

static void record_pass(unsigned id, unsigned warp)
{
    FOR_MASK(t, warp, ~0u)
    record.known[t] |= record.arrived[id];
}

static void record_fence(unsigned warp, uint32_t mask)
{
    record_learn(warp, mask);
    FOR_MASK(t, warp, mask)
    {
        record.fenced[t] = record.known[t];
        record.own_fenced[t] = record.own[t];
        record.has_fenced[t] = true;
    }
}

static void record_publish(unsigned thread, unsigned flag, bool adds)
{
    if (!adds)
        record.published[flag] = 0;
    if (!record.has_fenced[thread])
        return;
    record.published[flag] |= record.fenced[thread];
    for (unsigned t = 0; t < THREADS; t++)
        record.published[flag] |= record.known[thread] & record.own_fenced[t];
}

static bool races(uint32_t thread, uint64_t word, bool writes, bool is_strong)
{
    for (unsigned i = 0; i < record.count; i++) {
        const struct event *event = &record.events[i];
        if (event->word == word && event->thread != thread && (writes || event->writes) &&
            !(is_strong && event->is_strong) && !(record.known[thread] >> i & 1))
            return true;
    }
    return false;
}

static void record_access(uint32_t thread, uint64_t word, bool writes, bool is_strong)
{
    record.known[thread] |= 1ull << record.count;
    record.own[thread] |= 1ull << record.count;
    record.events[record.count++] = (struct event){thread, (uint32_t)word, writes, is_strong};
}

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 10) % limit;
}

static void random_joining(bool some)
{
    unsigned warp = random_below(WARPS), other = (warp + 1) % WARPS, id = random_below(BARRIERS);
    uint32_t mask =
        some && random_below(2) ? 1u << random_below(3) | 1u << random_below(4) : 0xffffffffu;
    switch (random_below(some ? 4 : 2)) {
    case 0:
        if (some && random_below(3))
            return;
        order_barrier(&order);
        record_barrier();
        return;
    case 1:
        order_sync(&order, warp, mask, 0xffffffffu);
        record_sync(warp, mask);
        return;
    case 2:
        order_arrive(&order, id, other, 0xffffffffu);
        record_arrive(id, other);
        return;
    default:
        order_arrive(&order, id, warp, 0xffffffffu);
        record_arrive(id, warp);
        order_pass(&order, id, warp);
        record_pass(id, warp);
        if (random_below(2)) {
            order_reopen(&order, id);
            record.arrived[id] = 0;
        }
    }
}

static void random_flag(void)
{
    unsigned warp = random_below(WARPS), lane = random_below(3), flag = random_below(FLAGS);
    unsigned thread = warp * LANES + lane, what = random_below(6);
    uint32_t mask = random_below(2) ? 1u << lane : 0xffffffffu;
    if (what < 2) {
        order_fence(&order, warp, mask);
        record_fence(warp, mask);
    } else if (what < 4) {
        order_publish(&order, thread, flag, what == 3);
        record_publish(thread, flag, what == 3);
    } else {
        bool acquires = random_below(3) == 0;
        order_observe(&order, thread, flag, acquires);
        *(acquires ? &record.known[thread] : &record.observed[thread]) |= record.published[flag];
    }
}

static void begin_record(void)
{
    memset(&record, 0, sizeof record);
    order_begin(&order);
    for (unsigned id = 0; id < BARRIERS; id++)
        order_reopen(&order, id);
}

/* A plain store between the atomic operations of two warps conflicts (since = 1), but an atomic
 * operation does not. A later load conflicts (since = 2). */
static void test_atomic_behind(void **state)
{
    (void)state;
    for (unsigned step = 0; step < 3; step++) /* One word; consecutive words; every second word. */
        for (unsigned since = 0; since < 3; since++) {
            uint64_t words[LANES];
            struct shadow_finding finding;
            row(words, 64 * step, step);
            begin();
            uint32_t one = step ? ~0u : 1u; /* Several plain stores to one word conflict. */
            assert_true(touch(0, SHADOW_STORE, false, one, words, &finding));
            order_barrier(&order);
            assert_true(touch(1, SHADOW_ATOMIC, true, ~0u, words, &finding));
            order_barrier(&order);
            if (since == 1)
                assert_true(touch(1, SHADOW_STORE, false, one, words, &finding));
            else
                assert_true(touch(1, SHADOW_ATOMIC, true, ~0u, words, &finding));
            assert_int_equal(touch(0, SHADOW_ATOMIC, true, ~0u, words, &finding), since != 1);
            if (since == 2) {
                assert_false(touch(2, SHADOW_LOAD, false, ~0u, words, &finding));
                order_barrier(&order);
                assert_true(touch(2, SHADOW_LOAD, false, ~0u, words, &finding));
                assert_false(touch(0, SHADOW_ATOMIC, true, ~0u, words, &finding));
            }
        }
}

static void test_random_knowledge(void **state)
{
    (void)state;
    uint32_t stamps[EVENTS];
    uint64_t known = 0, unknown = 0;
    for (unsigned round = 0; round < 2000; round++) {
        begin_record();
        while (record.count < EVENTS) {
            unsigned what = random_below(10), warp = random_below(WARPS);
            if (what < 2) {
                random_joining(round % 4);
            } else if (what < 6) {
                random_flag();
            } else {
                stamps[record.count] = order.now;
                record_access(warp * LANES + random_below(3), 0, false, false);
            }
            for (unsigned i = 0; i < record.count; i++)
                for (unsigned t = 0; t < THREADS; t += t % LANES == 2 ? LANES - 2 : 1) {
                    if (t == record.events[i].thread)
                        continue;
                    bool has = stamps[i] < order_known(&order, t, record.events[i].thread);
                    if (has != (record.known[t] >> i & 1))
                        fail_msg("round %u: thread %u is%s ordered after access %u of thread %u",
                                 round, t, has ? "" : " not", i, record.events[i].thread);
                    known += has;
                    unknown += !has;
                }
        }
    }
    assert_true(known > 1000000);
    assert_true(unknown > 1000000);
}

static bool random_access(bool strong_round, unsigned *found, unsigned *missed, bool exact)
{
    unsigned warp = random_below(WARPS);
    bool writes = random_below(3) == 0, is_strong = strong_round && random_below(2),
         expected = false;
    /* Use few threads, so that many accesses conflict. */
    uint32_t mask = random_below(4) ? 1u << random_below(3) : 7u;
    uint64_t words[LANES];
    row(words, random_below(6), 1);
    struct shadow_finding finding = {0};
    if (record.count + 3 > EVENTS)
        return false;
    bool good = touch(warp, writes ? SHADOW_STORE : SHADOW_LOAD, is_strong, mask, words, &finding);
    FOR_MASK(t, warp, mask)
    {
        bool race = races(t, words[t % LANES], writes, is_strong);
        if (!good && finding.lane == t % LANES && !race)
            fail_msg("a race is reported, but there is none");
        expected |= race;
    }
    FOR_MASK(t, warp, mask)
    record_access(t, words[t % LANES], writes, is_strong);
    *found += expected && !good;
    *missed += expected && good;
    if (exact && expected && good)
        fail_msg("a race is not reported");
    return good && !expected;
}

/* A reported race always exists. A race is only missed after more than two unordered readers, or
 * across a strong access. */
static void test_random_histories(void **state)
{
    (void)state;
    unsigned found = 0, missed = 0, long_histories = 0;
    for (unsigned round = 0; round < 60000; round++) {
        uint64_t words[LANES];
        struct shadow_finding finding;
        bool flags = round % 3 == 0, some = round % 3 != 1, strong = round % 4 == 0;
        begin_record();
        row(words, 0, 1);
        assert_true(touch(0, SHADOW_STORE, false, ~0u, words, &finding));
        order_barrier(&order);
        unsigned step = 0;
        for (; step < 40; step++) {
            unsigned what = random_below(8);
            if (what < 2)
                random_joining(some);
            else if (what < 6 && flags)
                random_flag();
            else if (!random_access(strong, &found, &missed, !strong && !some && !flags))
                break;
        }
        long_histories += step > 10;
    }
    assert_true(found > 20000);
    assert_true(long_histories > 3000);
    assert_true(missed < found / 200);
}

static struct shadow by_lane; /* A shadow of the same accesses, which are checked lane by lane. */

static int set_up_both(void **state)
{
    (void)state;
    return shadow_create(&shadow, 1200, 2) && shadow_create(&by_lane, 1200, 2) &&
                   order_create(&order, WARPS * LANES, LANES)
               ? 0
               : 1;
}

static int tear_down_both(void **state)
{
    shadow_free(&by_lane);
    return tear_down(state);
}

/* Set `words` and `halves` to a pattern of real kernels. Returns the active lanes. */
static uint32_t random_shape(uint64_t *words, enum half_pattern halves[2])
{
    enum { HALF = LANES / 2, SHAPES = 5 };
    unsigned shape = random_below(SHAPES), stride = random_below(3);
    halves[0] = halves[1] = HALF_OTHER;
    for (unsigned half = 0; half < 2; half++) {
        unsigned first = shape == 0 ? HALF * half : 8 * random_below(8);
        bool is_row = shape < 2 || random_below(2);
        for (unsigned l = 0; l < HALF; l++)
            words[half * HALF + l] = shape == 4   ? random_below(256)
                                     : shape == 3 ? first + stride * l
                                                  : first + (is_row ? l : 0);
        if (shape < 3)
            halves[half] = is_row ? HALF_IN_ROW : HALF_AT_ONCE;
    }
    if (shape == 2 && random_below(2)) {
        halves[1] = halves[0];
        for (unsigned l = 0; l < HALF; l++)
            words[HALF + l] = words[l] + (halves[0] == HALF_IN_ROW ? HALF : 0);
    }
    if (shape < 3 || random_below(2))
        return ~0u;
    uint32_t mask = 1u << random_below(LANES);
    for (unsigned l = 0; l < LANES; l++)
        mask |= (uint32_t)random_below(2) << l;
    for (unsigned l = 0; l < LANES; l++) /* Inactive lanes have words, as in the interpreter. */
        if (!(mask >> l & 1))
            words[l] = words[__builtin_ctz(mask)];
    return mask;
}

static bool shapes_agree(bool across)
{
    enum { KINDS = 5 };
    static const enum shadow_kind kinds[KINDS] = {SHADOW_LOAD, SHADOW_LOAD, SHADOW_STORE,
                                                  SHADOW_STORE, SHADOW_ATOMIC};
    unsigned warp = random_below(WARPS), what = random_below(KINDS);
    uint64_t words[LANES], address[LANES];
    bool is_strong = kinds[what] == SHADOW_ATOMIC;
    struct shadow_access access = {
        .kind = kinds[what],
        .is_strong = is_strong,
        .bytes = 4,
        .address = address,
        .mark = shadow_mark(order.now, what + 7, warp * LANES) |
                (is_strong ? SHADOW_STRONG | SHADOW_ADDED : 0),
        .block = shadow_mark(order.block, 0, 0),
        .epoch = shadow_mark(order.epoch, 0, 0),
        .order = &order,
        .across_blocks = across,
        .defined = across ? 0 : shadow_mark(order.block, 0, 0),
        .note_undefined = note_undefined,
    };
    access.mask = random_shape(words, access.halves);
    for (unsigned l = 0; l < LANES; l++)
        address[l] = 4 * words[l];
    struct shadow_access one = access;
    struct shadow_finding finding, first;
    bool good = true, whole = shadow_check(&shadow, &access, &finding);
    one.halves[0] = one.halves[1] = HALF_OTHER;
    for (unsigned l = 0; good && l < LANES; l++) {
        one.mask = access.mask & 1u << l;
        good = !one.mask || shadow_check(&by_lane, &one, &first);
    }
    assert_int_equal(whole, good);
    if (!good)
        return false;
    assert_memory_equal(shadow.write, by_lane.write, shadow.count * sizeof *shadow.write);
    assert_memory_equal(shadow.read, by_lane.read, shadow.count * sizeof *shadow.read);
    assert_memory_equal(shadow.other_read, by_lane.other_read,
                        shadow.count * sizeof *shadow.other_read);
    assert_memory_equal(shadow.first, by_lane.first, shadow.count * sizeof *shadow.first);
    return true;
}

static void test_shapes(void **state)
{
    (void)state;
    unsigned good = 0, races_seen = 0;
    for (unsigned round = 0; round < 20000; round++) {
        bool across = round % 4 == 0;
        shadow_forget(&shadow, 0, shadow.count << shadow.shift);
        shadow_forget(&by_lane, 0, by_lane.count << by_lane.shift);
        begin();
        for (unsigned step = 0; step < 30; step++) {
            unsigned what = random_below(6);
            if (what == 0)
                order_sync(&order, random_below(WARPS), ~0u, ~0u);
            else if (what < 4)
                order_barrier(&order);
            else if (across && what == 4 && random_below(4) == 0)
                begin();
            else if (shapes_agree(across))
                good++;
            else
                step = 30, races_seen++;
        }
    }
    assert_true(good > 10000);
    assert_true(races_seen > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_marks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tile, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_readers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_next_block, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_atomic_behind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_knowledge, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_histories, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shapes, set_up_both, tear_down_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
