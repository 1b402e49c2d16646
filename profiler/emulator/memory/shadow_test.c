/* Tests of shadow: small histories of accesses, and many random ones against a plain record of
 * everything that happened. */
#include "emulator/memory/shadow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { WARPS = 3, WORDS = 24, HISTORY = 4096 };

static struct shadow shadow;
static uint32_t stamp, block, epoch, warps[WARPS];
static unsigned undefined; /* lanes that read what nobody wrote */

static void note_undefined(void *context, unsigned lane, uint64_t address)
{
    (void)context, (void)lane, (void)address;
    undefined++;
}

static void begin(void)
{
    block = epoch = ++stamp;
}

/* An access of a warp; `words` of its lanes. */
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
        .mark =
            shadow_mark(stamp, (uint32_t)kind + 7, warp * LANES) | (is_strong ? SHADOW_STRONG : 0),
        .block = shadow_mark(block, 0, 0),
        .epoch = shadow_mark(epoch, 0, 0),
        .warp = shadow_mark(warps[warp], 0, 0),
        .width = LANES,
        .defined = shadow_mark(block, 0, 0),
        .note_undefined = note_undefined,
    };
    undefined = 0;
    return shadow_check(&shadow, &access, finding);
}

static int set_up(void **state)
{
    (void)state;
    stamp = 0;
    memset(warps, 0, sizeof warps);
    return shadow_create(&shadow, 4096, 2) ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    shadow_free(&shadow);
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
    uint64_t mark = shadow_mark(SHADOW_STAMP_LIMIT, (1u << 18) - 1, 1023) | SHADOW_STRONG;
    assert_int_equal(shadow_stamp(mark), SHADOW_STAMP_LIMIT);
    assert_int_equal(shadow_instruction(mark), (1u << 18) - 1);
    assert_int_equal(shadow_thread(mark), 1023);
    assert_true((int64_t)mark > 0);
}

/* A tile: rows in, barrier, columns out. Then the same without the barrier. */
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
            epoch = ++stamp;
        row(words, 1, 3); /* lane l reads word 1 + 3 l: 0 to 93, of all three warps */
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

/* Two warps read, one of them writes: it races with the other. */
static void test_two_readers(void **state)
{
    (void)state;
    struct shadow_finding finding;
    uint64_t words[LANES];
    row(words, 0, 1);
    begin();
    assert_true(touch(0, SHADOW_STORE, false, ~0u, words, &finding));
    epoch = ++stamp;
    assert_true(touch(1, SHADOW_LOAD, false, ~0u, words, &finding));
    assert_true(touch(2, SHADOW_LOAD, false, ~0u, words, &finding));
    assert_false(touch(2, SHADOW_STORE, false, ~0u, words, &finding));
    assert_int_equal(finding.verdict, SHADOW_WRITE_AFTER_READ);
    assert_int_equal(shadow_thread(finding.other), LANES);
    epoch = ++stamp;
    assert_true(touch(2, SHADOW_STORE, false, ~0u, words, &finding));
}

/* What a block wrote is nothing to the next one. */
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
    shadow_clear(&shadow);
    assert_true(touch(1, SHADOW_STORE, false, ~0u, words, &finding));
}

/* Every access so far, with what orders it. */
struct event {
    uint32_t stamp, thread, word;
    bool writes, is_strong;
};
static struct event history[HISTORY];
static unsigned events;

static bool unordered(const struct event *event, unsigned warp, uint32_t thread, bool is_strong)
{
    if (event->stamp < epoch || event->thread == thread || (event->is_strong && is_strong))
        return false;
    return event->thread / LANES != warp || event->stamp >= warps[warp];
}

/* Is there a race for the access of this lane, by the definition? */
static bool races(unsigned warp, uint32_t thread, uint64_t word, bool writes, bool is_strong)
{
    for (unsigned i = 0; i < events; i++)
        if (history[i].word == word && (writes || history[i].writes) &&
            unordered(&history[i], warp, thread, is_strong))
            return true;
    return false;
}

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 10) % limit;
}

/* Random histories: never an accusation without a race, and no race overlooked but where more than
 * two readers, or a strong access, stand between. */
static void test_random_histories(void **state)
{
    (void)state;
    unsigned found = 0, missed = 0;
    for (unsigned round = 0; round < 20000; round++) {
        begin();
        events = 0;
        bool strong_round = round % 4 == 0;
        for (unsigned step = 0; step < 12; step++) {
            unsigned warp = random_below(WARPS);
            uint32_t what = random_below(10);
            if (what == 0) {
                epoch = ++stamp;
                continue;
            }
            if (what == 1) {
                warps[warp] = ++stamp;
                continue;
            }
            enum shadow_kind kind = what < 6 ? SHADOW_LOAD : SHADOW_STORE;
            bool is_strong = strong_round && random_below(2);
            uint64_t words[LANES];
            uint32_t mask = random_below(3) ? 1u << random_below(LANES) : 0xffffffffu;
            row(words, random_below(WORDS), random_below(2));
            struct shadow_finding finding;
            bool good = touch(warp, kind, is_strong, mask, words, &finding);
            for (unsigned lane = 0; lane < LANES; lane++)
                if (mask >> lane & 1)
                    history[events++] =
                        (struct event){stamp, warp * LANES + lane, (uint32_t)words[lane],
                                       kind == SHADOW_STORE, is_strong};
            bool expected = false;
            for (unsigned lane = 0; lane < LANES; lane++) {
                if (!(mask >> lane & 1))
                    continue;
                bool race =
                    races(warp, warp * LANES + lane, words[lane], kind == SHADOW_STORE, is_strong);
                expected |= race;
                if (!good && finding.lane == lane && !race)
                    fail_msg("round %u: accused without a race", round);
            }
            found += expected && !good;
            missed += expected && good;
            if (expected && good && !strong_round)
                fail_msg("round %u, step %u: a race was overlooked", round, step);
            if (!good || expected)
                break;
        }
    }
    assert_true(found > 5000);
    assert_true(missed < found / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_marks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tile, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_readers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_next_block, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_histories, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
