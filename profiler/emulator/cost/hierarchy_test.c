/* Tests of hierarchy.h against cases derived by hand on tiny caches, a slow model of bytes and LRU
 * lists, and measurements of the course's kernels. */
#include "emulator/cost/cache.h"
#include "emulator/cost/hierarchy.h"
#include "emulator/traces_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#define BASE 0x200000000ull

enum { SMALL_WAYS = 4 };

static struct device h200, gtx280, toy, small; /* The caches of `small` have four lines. */

static int read_devices(void **state)
{
    (void)state;
    struct failure failure = {0};
    if (!device_find("profiler/devices", "h200", &h200, &failure) ||
        !device_find("profiler/devices", "gtx280", &gtx280, &failure) ||
        !device_find("profiler/devices", "toy", &toy, &failure)) {
        print_error("%s\n", failure.text);
        return -1;
    }
    small = h200;
    small.multiprocessors = 2;
    small.l2_read_groups = 0;
    small.l1_ways = small.l2_ways = SMALL_WAYS;
    small.l1_bytes = small.l2_bytes = SMALL_WAYS * 128;
    return 0;
}

enum { SCRIPT_RUNS = 64 };

struct script {
    struct trace trace;
};

static void script_start(struct script *script, unsigned sm)
{
    script->trace = (struct trace){
        .runs = malloc(SCRIPT_RUNS * sizeof(trace_run)), .capacity = SCRIPT_RUNS, .sm = sm};
    assert_non_null(script->trace.runs);
}

static void script_run(struct script *script, enum access_kind kind, uint64_t offset,
                       unsigned length, bool first)
{
    assert_true(script->trace.count < script->trace.capacity);
    script->trace.runs[script->trace.count++] = run_make(BASE + offset, length, kind, first);
}

static void script_request(struct script *script, enum access_kind kind, uint64_t offset,
                           unsigned length)
{
    script_run(script, kind, offset, length, true);
}

static struct memory_counts play(const struct device *device, struct script *scripts, size_t count,
                                 unsigned parts)
{
    struct memory_counts counts;
    struct trace traces[4];
    assert_true(count <= 4);
    struct hierarchy *hierarchy = hierarchy_create(device, 0, parts);
    assert_non_null(hierarchy);
    for (size_t i = 0; i < count; i++)
        traces[i] = scripts[i].trace;
    for (unsigned sm = 0; sm < device->multiprocessors; sm++)
        assert_true(hierarchy_l1(hierarchy, sm, traces, count));
    for (unsigned part = 0; part < parts; part++)
        assert_true(hierarchy_l2(hierarchy, part, traces, count));
    for (size_t i = 0; i < count; i++)
        scripts[i].trace = traces[i];
    hierarchy_finish(hierarchy, &counts);
    hierarchy_free(hierarchy);
    return counts;
}

static struct memory_counts play_one(const struct device *device, struct script *script)
{
    struct memory_counts counts = play(device, script, 1, 1);
    free(script->trace.runs);
    return counts;
}

static void assert_dram(struct memory_counts counts, uint64_t read, uint64_t write)
{
    assert_int_equal(counts.dram_read_bytes, read);
    assert_int_equal(counts.dram_write_bytes, write);
}

static void assert_l2(struct memory_counts counts, uint64_t read, uint64_t write)
{
    assert_true(counts.has_l2);
    assert_int_equal(counts.l2_read_bytes, read);
    assert_int_equal(counts.l2_write_bytes, write);
}

static void test_l1_hit_is_dropped(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_LOAD, 0, 128);
    script_request(&script, ACCESS_LOAD, 32, 64);
    struct memory_counts counts = play(&small, &script, 1, 1);
    assert_int_equal(run_kind(script.trace.runs[0]), ACCESS_LOAD);
    assert_int_equal(run_kind(script.trace.runs[1]), ACCESS_DROPPED);
    assert_true(run_first(script.trace.runs[1]));
    assert_l2(counts, 128, 0);
    assert_int_equal(counts.lines, 2);
    assert_int_equal(counts.l2_transactions, 1);
    free(script.trace.runs);
}

static void test_l1_partial_hit_shrinks(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_LOAD, 0, 32);
    script_request(&script, ACCESS_LOAD, 0, 128);
    struct memory_counts counts = play(&small, &script, 1, 1);
    trace_run left = script.trace.runs[1];
    assert_int_equal(run_address(left), BASE + 32);
    assert_int_equal(run_length(left), 96);
    assert_true(run_first(left));
    assert_l2(counts, 128, 0);
    assert_dram(counts, 128, 0);
    free(script.trace.runs);
}

static void test_l1_hit_in_the_middle_splits(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_LOAD, 32, 32);
    script_request(&script, ACCESS_LOAD, 96, 32);
    script_request(&script, ACCESS_LOAD, 0, 128);
    script_run(&script, ACCESS_LOAD, 128, 16, false);
    script.trace.capacity = 4;
    struct memory_counts counts = play(&small, &script, 1, 1);
    const trace_run *runs = script.trace.runs;
    assert_int_equal(script.trace.count, 5);
    assert_int_equal(run_address(runs[2]), BASE);
    assert_int_equal(run_length(runs[2]), 32);
    assert_true(run_first(runs[2]));
    assert_int_equal(run_address(runs[3]), BASE + 64);
    assert_int_equal(run_length(runs[3]), 32);
    assert_false(run_first(runs[3]));
    assert_int_equal(run_address(runs[4]), BASE + 128);
    assert_l2(counts, 5 * 32, 0);
    assert_int_equal(counts.lines, 4);
    free(script.trace.runs);
}

static void test_l1_splits_a_later_run(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_LOAD, 160, 32);
    script_request(&script, ACCESS_LOAD, 0, 128);
    script_run(&script, ACCESS_LOAD, 128, 96, false);
    play(&small, &script, 1, 1);
    const trace_run *runs = script.trace.runs;
    assert_int_equal(script.trace.count, 4);
    assert_true(run_first(runs[1]));
    assert_int_equal(run_address(runs[2]), BASE + 128);
    assert_false(run_first(runs[2]));
    assert_int_equal(run_address(runs[3]), BASE + 192);
    assert_false(run_first(runs[3]));
    free(script.trace.runs);
}

static void test_l1_is_bypassed(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_LOAD_L2, 0, 128);
    script_request(&script, ACCESS_LOAD_L2, 0, 128);
    assert_l2(play_one(&small, &script), 256, 0);
}

static void test_stores_do_not_allocate_in_l1(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_STORE, 0, 128);
    script_request(&script, ACCESS_LOAD, 0, 128);
    struct memory_counts counts = play_one(&small, &script);
    assert_l2(counts, 128, 128);
    assert_dram(counts, 0, 128);
}

static void test_l1_evicts_the_least_recently_used(void **state)
{
    (void)state;
    static const unsigned lines[] = {0, 1, 2, 3, 0, 4, 0, 1};
    struct script script;
    script_start(&script, 0);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        script_request(&script, ACCESS_LOAD, 128 * lines[i], 128);
    struct memory_counts counts = play(&small, &script, 1, 1);
    static const bool is_hit[] = {0, 0, 0, 0, 1, 0, 1, 0};
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_int_equal(run_kind(script.trace.runs[i]) == ACCESS_DROPPED, is_hit[i]);
    assert_int_equal(counts.l2_read_bytes, 6 * 128);
    free(script.trace.runs);
}

static void test_l1_belongs_to_an_sm_and_a_kernel(void **state)
{
    (void)state;
    struct script scripts[2];
    for (unsigned i = 0; i < 2; i++) {
        script_start(&scripts[i], i);
        script_request(&scripts[i], ACCESS_LOAD, 0, 128);
    }
    struct memory_counts counts = play(&small, scripts, 2, 1);
    assert_l2(counts, 256, 0);
    assert_dram(counts, 128, 0);
    free(scripts[0].trace.runs);
    free(scripts[1].trace.runs);
}

static void test_loads_of_two_sms_reach_the_l2_as_one(void **state)
{
    (void)state;
    struct device gpc = small;
    gpc.l2_read_groups = 1;
    for (unsigned same = 0; same < 2; same++) {
        struct script scripts[2];
        for (unsigned i = 0; i < 2; i++) {
            script_start(&scripts[i], i);
            script_request(&scripts[i], ACCESS_LOAD, 0, i == 0 || same ? 128 : 96);
        }
        struct memory_counts counts = play(&gpc, scripts, 2, 1);
        assert_l2(counts, same ? 128 : 128 + 96, 0);
        assert_dram(counts, 128, 0);
        assert_int_equal(counts.l2_transactions, 2);
        free(scripts[0].trace.runs);
        free(scripts[1].trace.runs);
    }
}

static void test_l2_gathers_partial_stores(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    for (unsigned i = 0; i < 8; i++)
        script_request(&script, ACCESS_STORE, 4 * (7 - i), 4);
    struct memory_counts counts = play_one(&small, &script);
    assert_l2(counts, 0, 8 * 32);
    assert_dram(counts, 0, 32);
    assert_int_equal(counts.l2_transactions, 8);
}

static void test_l2_merges_incomplete_sectors(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_STORE, 20, 72); /* 12 bytes, a whole sector, 28 bytes. */
    script_request(&script, ACCESS_STORE, 128, 4);
    script_request(&script, ACCESS_LOAD_L2, 0, 96);
    script_request(&script, ACCESS_STORE, 0, 4); /* Line 0 is complete: no merge. */
    assert_dram(play_one(&small, &script), 2 * 32, 3 * 32 + 2 * 32);
}

/* The final write-back does not read the missing words of incomplete sectors. */
static void test_l2_does_not_merge_at_the_end(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_STORE, 20, 72);
    assert_dram(play_one(&small, &script), 0, 3 * 32);
}

static void test_l2_fetches_pairs_of_sectors(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_LOAD_L2, 32, 4);
    script_request(&script, ACCESS_LOAD_L2, 0, 32);
    script_request(&script, ACCESS_LOAD_L2, 64, 4);
    assert_dram(play_one(&small, &script), 128, 0);
}

static void test_l2_merges_what_it_evicts(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_STORE, 0, 4);
    for (unsigned line = 1; line < 5; line++)
        script_request(&script, ACCESS_LOAD_L2, 128 * line, 128);
    assert_dram(play_one(&small, &script), 32 + 4 * 128, 32);
}

static void test_l2_load_fetches_an_incomplete_sector(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_STORE, 4, 4);
    script_request(&script, ACCESS_LOAD, 0, 4);
    script_request(&script, ACCESS_STORE, 8, 4);
    script_request(&script, ACCESS_LOAD_L2, 0, 32);
    assert_dram(play_one(&small, &script), 64, 32);
}

static void test_l2_eviction(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    for (unsigned line = 0; line < 5; line++)
        script_request(&script, ACCESS_STORE, 128 * line, 4);
    script_request(&script, ACCESS_STORE, 128 * 4 + 4, 28);
    script_request(&script, ACCESS_STORE, 4, 28);
    /* Reads: lines 0 to 3, each at the next store. Writes: line 0 twice, lines 1 to 4 once. */
    assert_dram(play_one(&small, &script), 4 * 32, 6 * 32);
}

static void test_l2_keeps_the_recently_used(void **state)
{
    (void)state;
    static const unsigned lines[] = {0, 1, 2, 3, 0, 4, 0, 1};
    struct script script;
    script_start(&script, 0);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        script_request(&script, ACCESS_LOAD_L2, 128 * lines[i], 128);
    assert_dram(play_one(&small, &script), 6 * 128, 0);
}

static void test_sectors_count_once_a_request(void **state)
{
    (void)state;
    struct script script;
    for (unsigned is_own = 0; is_own < 2; is_own++) {
        script_start(&script, 0);
        script_request(&script, ACCESS_STORE, 0, 4);
        script_run(&script, ACCESS_STORE, 8, 4, is_own);
        script_run(&script, ACCESS_STORE, 128, 4, false);
        struct memory_counts counts = play_one(&small, &script);
        assert_l2(counts, 0, is_own ? 96 : 64);
        assert_int_equal(counts.lines, is_own ? 3 : 2);
    }
}

/* Atomics count neither as reads nor as writes of the L2. */
static void test_atomics(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_ATOMIC, 0, 4);
    script_request(&script, ACCESS_ATOMIC, 0, 4);
    struct memory_counts counts = play_one(&small, &script);
    assert_l2(counts, 0, 0);
    assert_dram(counts, 64, 32);
    assert_int_equal(counts.l2_transactions, 2);
}

static void test_finish_writes_back_once(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_STORE, 0, 100);
    struct hierarchy *hierarchy = hierarchy_create(&small, 0, 1);
    assert_non_null(hierarchy);
    assert_true(hierarchy_l2(hierarchy, 0, &script.trace, 1));
    for (unsigned i = 0; i < 2; i++) {
        struct memory_counts counts;
        hierarchy_finish(hierarchy, &counts);
        assert_dram(counts, 0, 128);
        assert_true(counts.partition_imbalance < 0);
        assert_true(counts.busiest_partition_bytes == 128);
    }
    script.trace.runs[0] = run_make(BASE, 128, ACCESS_LOAD_L2, true);
    assert_true(hierarchy_l2(hierarchy, 0, &script.trace, 1));
    struct memory_counts counts;
    hierarchy_finish(hierarchy, &counts);
    assert_dram(counts, 0, 128);
    hierarchy_free(hierarchy);
    free(script.trace.runs);
}

static void test_empty_wave(void **state)
{
    (void)state;
    struct memory_counts counts = play(&h200, NULL, 0, 3);
    assert_dram(counts, 0, 0);
    struct script script;
    script_start(&script, 0);
    counts = play_one(&h200, &script);
    assert_dram(counts, 0, 0);
    assert_true(counts.partition_imbalance < 0);
}

static void test_gtx280_transactions_are_dram_traffic(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_LOAD, 0, 64);
    script_run(&script, ACCESS_LOAD, 64, 64, false);
    script_request(&script, ACCESS_LOAD, 0, 128);
    script_request(&script, ACCESS_STORE, 0, 32);
    script_run(&script, ACCESS_STORE, 0, 32, false); /* CC 1.0: one transaction per lane. */
    script_request(&script, ACCESS_ATOMIC, 0, 32);
    struct memory_counts counts = play(&gtx280, &script, 1, 2);
    assert_false(counts.has_l2);
    assert_int_equal(counts.l2_read_bytes, 0);
    assert_int_equal(counts.l2_write_bytes, 0);
    assert_dram(counts, 256 + 32, 64 + 32);
    assert_int_equal(counts.l2_transactions, 6);
    free(script.trace.runs);
}

static void test_toy_moves_lines(void **state)
{
    (void)state;
    struct script script;
    script_start(&script, 0);
    script_request(&script, ACCESS_LOAD, 0, 16);
    script_request(&script, ACCESS_STORE, 0, 4);
    script_run(&script, ACCESS_STORE, 8, 4, false);
    script_run(&script, ACCESS_STORE, 32, 4, false);
    struct memory_counts counts = play_one(&toy, &script);
    assert_dram(counts, 16, 32);
    assert_int_equal(counts.lines, 3);
}

enum { SLOW_LINES = 12 };

struct slow_cache {
    unsigned order[SMALL_WAYS], count;
};

/* Returns the evicted line, or SLOW_LINES if there is none. */
static unsigned slow_touch(struct slow_cache *cache, unsigned line)
{
    unsigned at = 0, gone = SLOW_LINES;
    while (at < cache->count && cache->order[at] != line)
        at++;
    if (at == cache->count && cache->count < SMALL_WAYS)
        cache->count++;
    else if (at == cache->count)
        gone = cache->order[--at];
    memmove(cache->order + 1, cache->order, at * sizeof *cache->order);
    cache->order[0] = line;
    return gone;
}

struct slow_model {
    struct slow_cache l1, l2;
    bool in_l1[SLOW_LINES][4];
    bool valid[SLOW_LINES][128], dirty[SLOW_LINES][128];
    uint64_t l2_read, l2_write, dram_read, dram_write;
};

static bool slow_is_dirty(const struct slow_model *model, unsigned line, unsigned sector)
{
    bool is_dirty = false;
    for (unsigned b = 32 * sector; b < 32 * sector + 32; b++)
        is_dirty |= model->dirty[line][b];
    return is_dirty;
}

static bool slow_is_complete(const struct slow_model *model, unsigned line, unsigned sector)
{
    bool is_complete = true;
    for (unsigned b = 32 * sector; b < 32 * sector + 32; b++)
        is_complete &= model->valid[line][b];
    return is_complete;
}

static bool slow_is_incomplete(const struct slow_model *model, unsigned line)
{
    for (unsigned s = 0; s < 4; s++)
        if (slow_is_dirty(model, line, s) && !slow_is_complete(model, line, s))
            return true;
    return false;
}

static void slow_read_sector(struct slow_model *model, unsigned line, unsigned sector)
{
    memset(&model->valid[line][32 * sector], true, 32);
    model->dram_read += 32;
}

static void slow_clean(struct slow_model *model, unsigned line, bool merges)
{
    for (unsigned sector = 0; sector < 4; sector++) {
        if (!slow_is_dirty(model, line, sector))
            continue;
        if (merges && !slow_is_complete(model, line, sector))
            slow_read_sector(model, line, sector);
        model->dram_write += 32;
    }
    memset(model->dirty[line], 0, 128);
}

static void slow_load_sector(struct slow_model *model, unsigned line, unsigned sector)
{
    if (slow_is_complete(model, line, sector))
        return;
    slow_read_sector(model, line, sector);
    if (!slow_is_complete(model, line, sector ^ 1) && !slow_is_dirty(model, line, sector ^ 1))
        slow_read_sector(model, line, sector ^ 1);
}

static void slow_limit(struct slow_model *model)
{
    unsigned count = 0, oldest = 0;
    for (unsigned way = 0; way < model->l2.count; way++)
        if (slow_is_incomplete(model, model->l2.order[way])) {
            count++;
            oldest = model->l2.order[way];
        }
    if (count > 1)
        slow_clean(model, oldest, true);
}

static void slow_request(struct slow_model *model, enum access_kind kind, unsigned line,
                         unsigned start, unsigned length)
{
    bool wanted[4] = {false}, any = false;
    for (unsigned b = start; b < start + length; b++)
        wanted[b / 32] = true;
    if (kind == ACCESS_LOAD) {
        unsigned gone = slow_touch(&model->l1, line);
        if (gone < SLOW_LINES)
            memset(model->in_l1[gone], 0, sizeof model->in_l1[gone]);
        for (unsigned s = 0; s < 4; s++) {
            bool is_hit = model->in_l1[line][s];
            model->in_l1[line][s] |= wanted[s];
            wanted[s] &= !is_hit;
        }
    }
    for (unsigned s = 0; s < 4; s++)
        any |= wanted[s];
    if (!any)
        return;
    unsigned gone = slow_touch(&model->l2, line);
    if (gone < SLOW_LINES) {
        slow_clean(model, gone, true);
        memset(model->valid[gone], 0, 128);
    }
    for (unsigned s = 0; s < 4; s++) {
        if (!wanted[s])
            continue;
        if (kind == ACCESS_STORE)
            model->l2_write += 32;
        else if (kind != ACCESS_ATOMIC)
            model->l2_read += 32;
        if (kind != ACCESS_STORE)
            slow_load_sector(model, line, s);
    }
    for (unsigned b = start; b < start + length; b++)
        if (kind == ACCESS_STORE || kind == ACCESS_ATOMIC)
            model->valid[line][b] = model->dirty[line][b] = true;
    slow_limit(model);
}

static uint64_t random_state = 88172645463325252ull;

static unsigned random_below(unsigned bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % bound;
}

static void random_run(unsigned *start, unsigned *length)
{
    unsigned kind = random_below(4);
    unsigned unit = kind == 0 ? 1 : kind == 1 ? 4 : kind == 2 ? 32 : 128;
    *start = random_below(128 / unit) * unit;
    *length = (1 + random_below((128 - *start) / unit)) * unit;
}

static void test_caches_against_slow_model(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 1000; round++) {
        struct slow_model model;
        memset(&model, 0, sizeof model);
        struct script script;
        script_start(&script, 0);
        for (unsigned i = 0; i < SCRIPT_RUNS; i++) {
            unsigned line = random_below(SLOW_LINES), start, length;
            enum access_kind kind = (enum access_kind)random_below(4);
            random_run(&start, &length);
            script_request(&script, kind, 128 * line + start, length);
            slow_request(&model, kind, line, start, length);
        }
        struct memory_counts counts = play_one(&small, &script);
        while (model.l2.count > 0)
            slow_clean(&model, model.l2.order[--model.l2.count], false);
        assert_l2(counts, model.l2_read, model.l2_write);
        assert_dram(counts, model.dram_read, model.dram_write);
    }
}

static void test_cache_against_lists(void **state)
{
    (void)state;
    enum { WAYS = 14, SETS = 3, KEYS = 40 };
    static struct cache_entry lists[SETS][WAYS];
    struct cache cache = cache_describe(SETS * WAYS * 128, WAYS);
    cache.entries = calloc(1, cache_bytes(&cache));
    assert_non_null(cache.entries);
    for (unsigned round = 0; round < 20000; round++) {
        unsigned set = random_below(SETS), at = 0;
        uint64_t key = 1 + random_below(round % 1000 < 500 ? WAYS / 2 : KEYS), slots = 0;
        struct cache_entry *list = lists[set], gone = {0, 0}, mine;
        while (at < WAYS - 1 && list[at].key && list[at].key != key)
            at++;
        mine = list[at];
        if (mine.key && mine.key != key)
            gone = mine;
        if (mine.key != key)
            mine =
                (struct cache_entry){key, gone.key ? gone.state >> 60 << 60 : (uint64_t)at << 60};
        memmove(list + 1, list, at * sizeof *list);
        struct cache_entry evicted = cache_touch(&cache, set, key);
        assert_int_equal(evicted.key, gone.key);
        assert_int_equal(evicted.state, gone.state);
        assert_int_equal(cache_entry_of(&cache, set, 0)->state, mine.state);
        list[0] = mine;
        list[0].state |= round + 1;
        cache_entry_of(&cache, set, 0)->state |= round + 1;
        for (unsigned way = 0; way < WAYS && list[way].key; way++) {
            assert_memory_equal(cache_entry_of(&cache, set, way), &list[way], sizeof *list);
            slots |= 1ull << (list[way].state >> 60);
        }
        for (unsigned way = 0; way < WAYS; way++, slots >>= 1)
            assert_int_equal(slots & 1, list[way].key != 0);
    }
    free(cache.entries);
}

static void test_lines_of_what_is_dropped(void **state)
{
    (void)state;
    for (unsigned parts = 1; parts <= 3; parts++) {
        struct script script;
        script_start(&script, 0);
        for (unsigned round = 0; round < 2; round++)
            for (unsigned i = 0; i < 5; i++)
                script_run(&script, ACCESS_LOAD, i < 2 ? 32 * i : 128 + 8 * i, 4, i == 0);
        struct memory_counts counts = play(&small, &script, 1, parts);
        assert_int_equal(counts.lines, 4);
        assert_int_equal(counts.l2_transactions, 2);
        free(script.trace.runs);
    }
}

/* If one block ran after the other, all second loads would hit. If the blocks take turns, the six
 * lines do not fit in the L1 (four lines). */
static void test_blocks_take_turns(void **state)
{
    (void)state;
    struct script scripts[2];
    for (unsigned block = 0; block < 2; block++) {
        script_start(&scripts[block], 0);
        for (unsigned i = 0; i < 6; i++)
            script_request(&scripts[block], ACCESS_LOAD, 128 * (3 * block + i % 3), 128);
    }
    assert_l2(play(&small, scripts, 2, 1), 12 * 128, 0);
    free(scripts[0].trace.runs);
    free(scripts[1].trace.runs);
}

static struct memory_counts feed(const struct device *device, enum transpose_kernel kernel,
                                 uint64_t n, unsigned tile_rows, unsigned resident, unsigned parts)
{
    struct counters counters = {0};
    struct memory_counts counts;
    struct transpose_launch launch = {device, kernel, n, tile_rows, resident, 0, parts, 0};
    assert_true(transpose_feed(&launch, &counters, &counts));
    return counts;
}

static void assert_same(const struct memory_counts *a, const struct memory_counts *b)
{
    assert_int_equal(a->l2_read_bytes, b->l2_read_bytes);
    assert_int_equal(a->l2_write_bytes, b->l2_write_bytes);
    assert_int_equal(a->dram_read_bytes, b->dram_read_bytes);
    assert_int_equal(a->dram_write_bytes, b->dram_write_bytes);
    assert_int_equal(a->lines, b->lines);
    assert_int_equal(a->l2_transactions, b->l2_transactions);
    assert_int_equal(a->l2_store_transactions, b->l2_store_transactions);
    assert_int_equal(a->dram_flush_bytes, b->dram_flush_bytes);
    assert_int_equal(a->has_l2, b->has_l2);
    assert_true(a->partition_imbalance == b->partition_imbalance);
    assert_true(a->busiest_partition_bytes == b->busiest_partition_bytes);
}

static void test_parts_do_not_change_counts(void **state)
{
    (void)state;
    static const unsigned parts[] = {2, 3, 7, 64};
    struct device little = h200;
    little.l2_bytes = 1 << 16;
    const struct device *devices[] = {&little, &gtx280};
    for (unsigned d = 0; d < 2; d++) {
        struct memory_counts one = feed(devices[d], TRACE_NAIVE, 256, 8, 4, 1);
        for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
            struct memory_counts many = feed(devices[d], TRACE_NAIVE, 256, 8, 4, parts[i]);
            assert_same(&one, &many);
        }
    }
}

static struct memory_counts stream(const struct device *device, unsigned blocks, size_t lines,
                                   enum access_kind kind, unsigned parts,
                                   struct partition_history *history)
{
    struct memory_counts counts;
    struct hierarchy *hierarchy = hierarchy_create(device, 0, parts);
    struct trace *traces = calloc(blocks, sizeof *traces);
    assert_true(hierarchy && traces);
    for (unsigned block = 0; block < blocks; block++) {
        traces[block] = (struct trace){.runs = malloc(lines * sizeof(trace_run)),
                                       .capacity = lines,
                                       .sm = block % (unsigned)device->multiprocessors,
                                       .warps = 8};
        assert_non_null(traces[block].runs);
        size_t mine = block == 0 ? lines : lines - lines / 64;
        for (size_t i = 0; i < mine; i++)
            traces[block].runs[traces[block].count++] =
                run_make(BASE + (block * lines + i) * 128, 128, kind, true);
    }
    for (unsigned sm = 0; sm < device->multiprocessors; sm++)
        assert_true(hierarchy_l1(hierarchy, sm, traces, blocks));
    for (unsigned part = 0; part < parts; part++)
        assert_true(hierarchy_l2(hierarchy, part, traces, blocks));
    hierarchy_history(hierarchy, history);
    hierarchy_finish(hierarchy, &counts);
    hierarchy_free(hierarchy);
    for (unsigned block = 0; block < blocks; block++)
        free(traces[block].runs);
    free(traces);
    return counts;
}

/* The streams end near the step at which the table of windows is full and windows become longer. */
static void test_parts_agree_on_windows(void **state)
{
    (void)state;
    static const struct {
        unsigned blocks;
        size_t lines;
    } streams[] = {{1, 4096}, {1, 4097}, {1, 9000}, {4, 17000}, {4, 8200}, {500, 300}};
    const struct device *devices[] = {&h200, &gtx280, &toy};
    for (unsigned d = 0; d < 3; d++)
        for (unsigned s = 0; s < sizeof streams / sizeof *streams; s++) {
            enum access_kind kind = s % 2 ? ACCESS_STORE : ACCESS_LOAD;
            struct partition_history alone, shared;
            struct memory_counts one =
                stream(devices[d], streams[s].blocks, streams[s].lines, kind, 1, &alone);
            for (unsigned parts = 2; parts <= 8; parts++) {
                struct memory_counts many =
                    stream(devices[d], streams[s].blocks, streams[s].lines, kind, parts, &shared);
                assert_same(&one, &many);
                assert_int_equal(alone.steps, shared.steps);
                assert_int_equal(alone.windows, shared.windows);
                assert_memory_equal(alone.bytes, shared.bytes,
                                    alone.windows * alone.partitions * sizeof *alone.bytes);
                free(shared.bytes);
            }
            free(alone.bytes);
        }
}

/* Requests may have more runs than a warp's access, because the L1 splits runs. */
static void test_parts_on_ragged_requests(void **state)
{
    (void)state;
    struct script script[4];
    struct device little = h200;
    little.l2_bytes = 8 * 16 * 128;
    for (unsigned block = 0; block < 4; block++) {
        script_start(&script[block], block);
        for (unsigned i = 0, line = 0; i < SCRIPT_RUNS; i++, line += random_below(5)) {
            unsigned start, length;
            random_run(&start, &length);
            script_run(&script[block], ACCESS_STORE, 128 * line + start, length, i % 40 == 0);
        }
    }
    struct memory_counts one = play(&little, script, 4, 1);
    for (unsigned parts = 2; parts < 9; parts++) {
        struct memory_counts many = play(&little, script, 4, parts);
        assert_same(&one, &many);
    }
    for (unsigned block = 0; block < 4; block++)
        free(script[block].trace.runs);
}

static void append_column(struct trace *trace, uint64_t address, uint64_t pitch, bool as_column)
{
    const trace_run column[] = {run_make(address, 4, ACCESS_COLUMN, true),
                                run_make(pitch, 1, ACCESS_DROPPED, false)};
    trace_run *place = trace->runs + trace->count;
    if (as_column)
        memcpy(place, column, sizeof column);
    else
        column_to_runs(column, place);
    trace->count += as_column ? COLUMN_WORDS : LANES;
}

/* Returns columns, which fill their sectors word by word or irregularly, and other accesses. */
static struct trace random_columns(unsigned block, bool as_columns)
{
    enum { REQUESTS = 64 };
    struct trace trace = {.runs = malloc((size_t)REQUESTS * LANES * sizeof(trace_run)),
                          .capacity = (size_t)REQUESTS * LANES,
                          .sm = block % 2,
                          .warps = 8,
                          .may_merge = true};
    assert_non_null(trace.runs);
    uint64_t pitch = 1024, column = BASE;
    for (unsigned i = 0; i < REQUESTS; i++) {
        const unsigned kind = random_below(8);
        const uint64_t line = BASE + 128 * (uint64_t)random_below(256);
        if (kind == 0) {
            pitch = random_below(2) ? 128u << random_below(5) : 128 + 4 * random_below(300);
            column = BASE + 4 * (uint64_t)random_below(2048);
        }
        if (kind < 6)
            append_column(&trace, column += 4, pitch, as_columns);
        else if (kind == 6)
            trace.runs[trace.count++] = run_make(line, 128, ACCESS_LOAD, true);
        else
            trace.runs[trace.count++] =
                run_make(line + 16 * (uint64_t)random_below(8), 16, ACCESS_STORE, true);
    }
    return trace;
}

static void test_columns_cost_what_their_runs_do(void **state)
{
    (void)state;
    struct device middle = h200, little = h200, tiny = h200;
    middle.l2_bytes = 256 * 16 * 128; /* Most lines of a column are in different sets. */
    little.l2_bytes = 16 * 16 * 128;
    tiny.l2_bytes = 3 * 16 * 128;
    middle.multiprocessors = little.multiprocessors = tiny.multiprocessors = 2;
    const struct device *devices[] = {&h200, &middle, &little, &tiny, &gtx280};
    for (unsigned round = 0; round < 100; round++) {
        const uint64_t begin = random_state;
        struct memory_counts plain;
        for (unsigned parts = 0; parts < 4; parts++) {
            struct script scripts[4];
            random_state = begin;
            for (unsigned block = 0; block < 4; block++)
                scripts[block].trace = random_columns(block, parts > 0);
            struct memory_counts counts =
                play(devices[round % 5], scripts, 4, parts > 0 ? parts : 1);
            plain = parts > 0 ? plain : counts;
            assert_same(&plain, &counts);
            for (unsigned block = 0; block < 4; block++)
                free(scripts[block].trace.runs);
        }
    }
}

/* Measured on an H200: L2 reads move the matrix once. L2 writes move the matrix once, or 32 bytes
 * per element for naive stores. DRAM moves each matrix once. */
static void test_h200_kernels(void **state)
{
    (void)state;
    uint64_t matrix = 1024 * 1024 * 4;
    struct memory_counts counts = feed(&h200, TRACE_TILED, 1024, 32, 8, 2);
    assert_l2(counts, matrix, matrix);
    assert_dram(counts, matrix, matrix);
    assert_int_equal(counts.lines, 2 * matrix / 128);
    assert_int_equal(counts.l2_transactions, counts.lines);
    counts = feed(&h200, TRACE_NAIVE, 1024, 8, 8, 2);
    assert_l2(counts, matrix, matrix * 8);
    assert_dram(counts, matrix, matrix);
    assert_int_equal(counts.lines, matrix / 128 + matrix / 4);
}

/* As in "Optimizing Matrix Transpose in CUDA": all tiled stores of a wave go to one partition. */
static void test_gtx280_partition_camping(void **state)
{
    (void)state;
    unsigned resident = device_resident_blocks(&gtx280, 256, 32 * 33 * 4, 0);
    assert_int_equal(resident, 3);
    struct memory_counts counts = feed(&gtx280, TRACE_TILED, 2048, 32, resident, 2);
    assert_dram(counts, 1 << 24, 1 << 24);
    assert_true(counts.partition_imbalance > 7 && counts.partition_imbalance <= 8);
    assert_true(counts.busiest_partition_bytes > 3 * (double)(1 << 25));
    counts = feed(&gtx280, TRACE_DIAGONAL, 2048, 32, resident, 2);
    assert_true(counts.partition_imbalance >= 1 && counts.partition_imbalance < 1.25);
}

static void test_h200_does_not_camp(void **state)
{
    (void)state;
    for (unsigned kernel = TRACE_TILED; kernel <= TRACE_DIAGONAL; kernel++) {
        struct memory_counts counts = feed(&h200, (enum transpose_kernel)kernel, 2048, 32, 8, 2);
        assert_true(counts.partition_imbalance >= 1 && counts.partition_imbalance < 1.3);
    }
}

/* One row is as wide as all partitions. Without hashing, a column would be in one partition. */
static void test_h200_hashes_columns(void **state)
{
    (void)state;
    enum { ROWS = 400000 };
    struct trace trace = {
        .runs = malloc(ROWS * sizeof(trace_run)), .count = ROWS, .capacity = ROWS};
    assert_non_null(trace.runs);
    uint64_t pitch = h200.partitions * h200.partition_bytes;
    for (unsigned i = 0; i < ROWS; i++)
        trace.runs[i] = run_make(BASE + pitch * i, 32, ACCESS_LOAD, true);
    struct hierarchy *hierarchy = hierarchy_create(&h200, 0, 1);
    struct memory_counts counts;
    assert_non_null(hierarchy);
    assert_true(hierarchy_l2(hierarchy, 0, &trace, 1));
    hierarchy_finish(hierarchy, &counts);
    assert_true(counts.partition_imbalance >= 1 && counts.partition_imbalance < 1.3);
    hierarchy_free(hierarchy);
    free(trace.runs);
}

static void test_long_run_on_one_partition(void **state)
{
    (void)state;
    enum { STEPS = 150000 };
    struct trace trace = {
        .runs = malloc(STEPS * sizeof(trace_run)), .count = STEPS, .capacity = STEPS};
    assert_non_null(trace.runs);
    for (unsigned i = 0; i < STEPS; i++)
        trace.runs[i] = run_make(BASE + 2048 * (uint64_t)i, 32, ACCESS_STORE, true);
    struct hierarchy *hierarchy = hierarchy_create(&gtx280, 0, 3);
    struct memory_counts counts;
    assert_non_null(hierarchy);
    for (unsigned part = 0; part < 3; part++)
        assert_true(hierarchy_l2(hierarchy, part, &trace, 1));
    hierarchy_finish(hierarchy, &counts);
    assert_int_equal(counts.dram_write_bytes, STEPS * 32);
    assert_true(counts.partition_imbalance == 8);
    assert_true(counts.busiest_partition_bytes > 0.95 * 8 * STEPS * 32);
    assert_true(counts.busiest_partition_bytes <= 8.0 * STEPS * 32);
    hierarchy_free(hierarchy);
    free(trace.runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_l1_hit_is_dropped),
        cmocka_unit_test(test_l1_partial_hit_shrinks),
        cmocka_unit_test(test_l1_hit_in_the_middle_splits),
        cmocka_unit_test(test_l1_splits_a_later_run),
        cmocka_unit_test(test_l1_is_bypassed),
        cmocka_unit_test(test_stores_do_not_allocate_in_l1),
        cmocka_unit_test(test_l1_evicts_the_least_recently_used),
        cmocka_unit_test(test_l1_belongs_to_an_sm_and_a_kernel),
        cmocka_unit_test(test_loads_of_two_sms_reach_the_l2_as_one),
        cmocka_unit_test(test_l2_gathers_partial_stores),
        cmocka_unit_test(test_l2_merges_incomplete_sectors),
        cmocka_unit_test(test_l2_does_not_merge_at_the_end),
        cmocka_unit_test(test_l2_fetches_pairs_of_sectors),
        cmocka_unit_test(test_l2_merges_what_it_evicts),
        cmocka_unit_test(test_l2_load_fetches_an_incomplete_sector),
        cmocka_unit_test(test_l2_eviction),
        cmocka_unit_test(test_l2_keeps_the_recently_used),
        cmocka_unit_test(test_sectors_count_once_a_request),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_finish_writes_back_once),
        cmocka_unit_test(test_empty_wave),
        cmocka_unit_test(test_gtx280_transactions_are_dram_traffic),
        cmocka_unit_test(test_toy_moves_lines),
        cmocka_unit_test(test_caches_against_slow_model),
        cmocka_unit_test(test_cache_against_lists),
        cmocka_unit_test(test_lines_of_what_is_dropped),
        cmocka_unit_test(test_blocks_take_turns),
        cmocka_unit_test(test_parts_do_not_change_counts),
        cmocka_unit_test(test_parts_agree_on_windows),
        cmocka_unit_test(test_parts_on_ragged_requests),
        cmocka_unit_test(test_columns_cost_what_their_runs_do),
        cmocka_unit_test(test_h200_kernels),
        cmocka_unit_test(test_gtx280_partition_camping),
        cmocka_unit_test(test_h200_does_not_camp),
        cmocka_unit_test(test_h200_hashes_columns),
        cmocka_unit_test(test_long_run_on_one_partition),
    };
    return cmocka_run_group_tests(tests, read_devices, NULL);
}
