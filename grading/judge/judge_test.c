/* judge_test.c: tests points and texts for measurements that the tests define. The numbers describe
 * a 64 x 96 matrix: 192 warp accesses, 768 sectors and 192 wavefronts for loads and for stores. */
#include "judge/judge.h"

#include "intake/json_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 64, COLS = 96, N = ROWS * COLS, ACCESSES = N / 32, SECTORS = N / 8 };

/* The rubric has one published size, one hidden size and one run. Tests add checks. */
struct trial {
    struct rubric rubric;
    struct measurement measurement;
    json_t *lab;
};

static struct trial *trial_open(void)
{
    struct trial *trial = calloc(1, sizeof *trial);
    assert_non_null(trial);
    struct rubric *rubric = &trial->rubric;
    struct measurement *measurement = &trial->measurement;
    strcpy(rubric->exercise.name, "padded");
    strcpy(rubric->exercise.lab, "03_padded");
    strcpy(rubric->title, "Padded transpose");
    rubric->sizes[0] = (struct rubric_size){.rows = 100, .cols = 77, .kind = RUBRIC_RAGGED};
    rubric->sizes[1] = (struct rubric_size){
        .rows = 131, .cols = 59, .kind = RUBRIC_RAGGED, .hidden = true, .input_seed = 4711};
    rubric->size_count = measurement->size_count = 2;
    strcpy(rubric->runs[0].name, "counted");
    strcpy(rubric->runs[0].device.name, "h200");
    rubric->runs[0].kind = RUBRIC_OBLONG;
    rubric->run_count = measurement->run_count = 1;
    strcpy(measurement->exercise, "padded");
    measurement->has_rubric = true;
    struct record *record = &measurement->runs[0].record;
    record_set_count(record, COLUMN_rows, ROWS);
    record_set_count(record, COLUMN_cols, COLS);
    record_set_text(record, COLUMN_status, "ok");
    record_set_text(record, COLUMN_reason, "%s", "");
    record_set_text(record, COLUMN_compiler, "nvrtc 13.0 ptx:0123");
    record_set_count(record, COLUMN_seed, 4242);
    trial->measurement.runs[0].loaded_bytes = 4 * N;
    trial->measurement.runs[0].ways.elements = trial->measurement.repaired[0].ways.elements = N;
    return trial;
}

static struct rubric_check *trial_check(struct trial *trial, enum rubric_kind kind, double points)
{
    struct rubric_check *check = &trial->rubric.checks[trial->rubric.check_count++];
    *check = (struct rubric_check){.kind = kind,
                                   .points = points,
                                   .visible = true,
                                   .after = -1,
                                   .either = -1,
                                   .with = RUBRIC_MECHANISM_COUNT};
    snprintf(check->id, sizeof check->id, "check%u", trial->rubric.check_count - 1);
    snprintf(check->title, sizeof check->title, "Title %u", trial->rubric.check_count - 1);
    strcpy(check->hint, "Think.");
    trial->rubric.points += points;
    return check;
}

static struct rubric_check *trial_correct(struct trial *trial, bool published, bool hidden)
{
    struct rubric_check *check = trial_check(trial, RUBRIC_CORRECT, 10);
    check->of_hidden[0] = published;
    check->of_hidden[1] = hidden;
    for (int i = 0; i < RUBRIC_SIZE_KIND_COUNT; i++)
        check->of_kind[i] = true;
    return check;
}

static struct rubric_check *trial_ratio(struct trial *trial, enum rubric_measure measure,
                                        double full, double zero)
{
    struct rubric_check *check = trial_check(trial, RUBRIC_RATIO, 8);
    check->measure = measure;
    check->full = full;
    check->zero = zero;
    return check;
}

static void trial_judge(struct trial *trial)
{
    struct intake_file file = {
        .name = "my kernel.cu", .bytes = (unsigned char *)"void\tf()\r\n\x01\xff", .size = 12};
    trial->lab = judge_lab(&trial->rubric, &file, &trial->measurement);
    assert_non_null(trial->lab);
}

static void trial_free(struct trial *trial)
{
    json_decref(trial->lab);
    free(trial);
}

static const json_t *check_at(const struct trial *trial, size_t index)
{
    const json_t *check = json_array_get(json_object_get(trial->lab, "checks"), index);
    assert_non_null(check);
    return check;
}

static void assert_field(const json_t *object, const char *field, const char *wanted)
{
    const char *text = json_string_value(json_object_get(object, field));
    assert_non_null(text);
    assert_string_equal(text, wanted);
}

static double number(const json_t *object, const char *field)
{
    const json_t *value = json_object_get(object, field);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void count(struct trial *trial, enum column column, uint64_t value)
{
    record_set_count(&trial->measurement.runs[0].record, column, value);
}

static void test_explanation(void **state)
{
    (void)state;
    for (int broken = 0; broken < 3; broken++) {
        struct trial *trial = trial_open();
        trial_correct(trial, true, true);
        trial_check(trial, RUBRIC_EXPLANATION, 4);
        trial->measurement.sizes[0].status = broken == 1 ? STATUS_RACE : STATUS_OK;
        trial->measurement.status = broken == 2 ? STATUS_COMPILE_ERROR : STATUS_OK;
        trial_judge(trial);
        assert_field(check_at(trial, 1), "kind", "explanation");
        assert_field(check_at(trial, 1), "result", "open");
        assert_field(check_at(trial, 1), "text", "to be marked by an instructor");
        assert_true(number(check_at(trial, 1), "score") == 0);
        assert_true(number(trial->lab, "points") == 14);
        json_decref(trial->lab);
        trial->lab = judge_lab(&trial->rubric, NULL, NULL);
        assert_field(check_at(trial, 1), "result", "skipped");
        trial_free(trial);
    }
}

static double measured(const struct trial *trial, enum rubric_measure measure)
{
    double value = -1;
    assert_true(goal_measure(measure, &trial->measurement.runs[0].record, NULL, &value));
    return value;
}

/* In the coalesced transpose, every shared load of 32 lanes accesses one bank. */
static void test_measures(void **state)
{
    (void)state;
    struct trial *trial = trial_open();
    double value;
    for (int i = 0; i < RUBRIC_MEASURE_COUNT; i++)
        assert_false(
            goal_measure((enum rubric_measure)i, &trial->measurement.runs[0].record, NULL, &value));
    count(trial, COLUMN_global_load_sectors, SECTORS);
    count(trial, COLUMN_global_store_sectors, 8 * SECTORS); /* 32 sectors per request, not 4 */
    count(trial, COLUMN_shared_store_wavefronts, ACCESSES);
    count(trial, COLUMN_shared_load_wavefronts, 32 * ACCESSES);
    count(trial, COLUMN_shared_store_conflicts, 0);
    count(trial, COLUMN_shared_load_conflicts, 31 * ACCESSES);
    assert_true(measured(trial, RUBRIC_WAYS) == 32);
    count(trial, COLUMN_l2_read_bytes, 4 * N);
    count(trial, COLUMN_l2_write_bytes, 8 * 4 * N);
    count(trial, COLUMN_dram_read_bytes, 4 * N);
    count(trial, COLUMN_dram_write_bytes, 4 * N);
    count(trial, COLUMN_ptx_warp_instructions, 20 * ACCESSES);
    record_set_real(&trial->measurement.runs[0].record, COLUMN_partition_imbalance, 3.5);
    record_set_real(&trial->measurement.runs[0].record, COLUMN_copy_pct, 95);
    assert_true(measured(trial, RUBRIC_SECTORS) == 4.5);
    assert_true(measured(trial, RUBRIC_LOAD_SECTORS) == 1);
    assert_true(measured(trial, RUBRIC_STORE_SECTORS) == 8);
    assert_true(measured(trial, RUBRIC_WAVEFRONTS) == 16.5);
    assert_true(measured(trial, RUBRIC_CONFLICTS) == 15.5);
    assert_true(measured(trial, RUBRIC_L2_BYTES) == 4.5);
    assert_true(measured(trial, RUBRIC_DRAM_BYTES) == 1);
    assert_true(measured(trial, RUBRIC_INSTRUCTIONS) == 20);
    assert_true(measured(trial, RUBRIC_IMBALANCE) == 3.5);
    assert_true(measured(trial, RUBRIC_PARTITION_LOAD) == 3.5);
    /* Useless loads double the bytes. The imbalance is the mean of 3.5 and 1. */
    count(trial, COLUMN_dram_read_bytes, 3 * 4 * N);
    record_set_real(&trial->measurement.runs[0].record, COLUMN_partition_imbalance, 2.25);
    assert_true(measured(trial, RUBRIC_PARTITION_LOAD) == 4.5);
    assert_true(measured(trial, RUBRIC_COPY_PCT) == 95);
    trial_free(trial);
}

/* At the geometric mean of the limits, half of the points are lost. */
static void test_shares_are_logarithmic(void **state)
{
    (void)state;
    assert_true(goal_share(1, 16, 0) == 1);
    assert_true(goal_share(1, 16, 0.5) == 1);
    assert_true(goal_share(1, 16, 1) == 1);
    assert_float_equal(goal_share(1, 16, 2), 0.75, 1e-12);
    assert_float_equal(goal_share(1, 16, 4), 0.5, 1e-12);
    assert_float_equal(goal_share(1, 16, 8), 0.25, 1e-12);
    assert_true(goal_share(1, 16, 16) == 0);
    assert_true(goal_share(1, 16, 50) == 0);
    assert_true(goal_share(90, 40, 95) == 1);
    assert_float_equal(goal_share(90, 40, 60), 0.5, 1e-12); /* 90 is 40 x 1.5 x 1.5 */
    assert_true(goal_share(90, 40, 10) == 0);
    assert_true(goal_share(90, 40, 0) == 0);
}

static void test_mechanisms(void **state)
{
    (void)state;
    struct trial *trial = trial_open();
    struct measured_run *counted = &trial->measurement.runs[0];
    count(trial, COLUMN_grid_x, 3);
    count(trial, COLUMN_grid_y, 2);
    count(trial, COLUMN_grid_z, 1);
    for (int i = 0; i < RUBRIC_MECHANISM_COUNT; i++) {
        assert_false(measured_uses((enum rubric_mechanism)i, false, counted));
        assert_false(measured_uses((enum rubric_mechanism)i, true, counted));
    }
    record_set_text(&counted->record, COLUMN_status, "ok");
    /* If a check forbids shared memory, any access to it counts as use. If a check requires shared
     * memory, all elements must pass through it. */
    counted->shared_loaded_bytes = 4;
    assert_true(measured_uses(RUBRIC_USES_SHARED, true, counted));
    counted->shared_loaded_bytes = 0;
    counted->shared_atomic_bytes = 4;
    assert_true(measured_uses(RUBRIC_USES_SHARED, true, counted));
    counted->shared_atomic_bytes = 0;
    counted->shared_stored_bytes = counted->shared_loaded_bytes = 4 * N;
    assert_false(measured_uses(RUBRIC_USES_SHARED, false, counted));
    counted->ways.through_shared = N - 1;
    assert_false(measured_uses(RUBRIC_USES_SHARED, false, counted));
    counted->ways.through_shared = N;
    assert_true(measured_uses(RUBRIC_USES_SHARED, false, counted));
    counted->ways.between_threads = N / 2 - 1;
    assert_false(measured_uses(RUBRIC_USES_EXCHANGE, false, counted));
    counted->ways.between_threads = N / 2;
    assert_true(measured_uses(RUBRIC_USES_EXCHANGE, false, counted));
    /* Six blocks have one tile each: first a plain tile, then a tile with additional bytes. */
    counted->active_blocks = 6;
    counted->tile_bytes = 32 * 32 * 4;
    count(trial, COLUMN_shared_store_wavefronts, ACCESSES);
    count(trial, COLUMN_shared_load_wavefronts, 32 * ACCESSES);
    assert_false(measured_uses(RUBRIC_USES_LAYOUT, false, counted));
    counted->tile_bytes = 32 * 32 * 4 + 16; /* additional space for a barrier */
    assert_false(measured_uses(RUBRIC_USES_LAYOUT, false, counted));
    counted->tile_bytes = 33 * 32 * 4;
    assert_true(measured_uses(RUBRIC_USES_LAYOUT, false, counted));
    counted->ways.between_threads = 0;
    assert_false(measured_uses(RUBRIC_USES_LAYOUT, false, counted));
    counted->ways.between_threads = N;
    counted->tile_bytes = 32 * 32 * 4;
    count(trial, COLUMN_shared_load_wavefronts, 16 * ACCESSES);
    assert_true(measured_uses(RUBRIC_USES_LAYOUT, false, counted));
    counted->active_blocks = 640;
    counted->displaced_blocks = 383;
    assert_false(measured_uses(RUBRIC_USES_ORDER, false, counted));
    assert_true(measured_uses(RUBRIC_USES_ORDER, true, counted));
    counted->displaced_blocks = 384;
    assert_true(measured_uses(RUBRIC_USES_ORDER, false, counted));
    counted->loaded_bytes = counted->stored_bytes = 4 * N;
    assert_true(measured_uses(RUBRIC_USES_ORDER, false, counted));
    counted->loaded_bytes += 4; /* with more loaded bytes, too few blocks are displaced */
    assert_false(measured_uses(RUBRIC_USES_ORDER, false, counted));
    counted->loaded_bytes -= 4;
    counted->atomic_bytes = 4;
    assert_false(measured_uses(RUBRIC_USES_ORDER, false, counted));
    counted->atomic_bytes = 0;
    counted->continuing_blocks = 640 - 82;
    assert_false(measured_uses(RUBRIC_USES_STORE_ORDER, false, counted));
    counted->continuing_blocks = 640 - 81; /* the first block continues no other block */
    assert_true(measured_uses(RUBRIC_USES_STORE_ORDER, false, counted));
    counted->vector_loaded_bytes = 4 * N;
    counted->vector_stored_bytes = 4 * N - 16;
    assert_false(measured_uses(RUBRIC_USES_VECTOR, false, counted));
    assert_true(measured_uses(RUBRIC_USES_VECTOR, true, counted));
    counted->vector_stored_bytes = 4 * N;
    assert_true(measured_uses(RUBRIC_USES_VECTOR, false, counted));
    counted->loaded_bytes = 8 * N;
    assert_false(measured_uses(RUBRIC_USES_VECTOR, false, counted));
    counted->loaded_bytes = 4 * N + N / 2;
    assert_true(measured_uses(RUBRIC_USES_VECTOR, false, counted));
    counted->barriers = 5; /* one barrier fewer than blocks */
    assert_false(measured_uses(RUBRIC_USES_BARRIER, false, counted));
    assert_true(measured_uses(RUBRIC_USES_BARRIER, true, counted));
    counted->barriers = 6;
    assert_true(measured_uses(RUBRIC_USES_BARRIER, false, counted));
    counted->shuffles = 6;
    counted->ways.through_shuffles = 7 * N / 16 - 1;
    assert_false(measured_uses(RUBRIC_USES_SHUFFLE, false, counted));
    assert_true(measured_uses(RUBRIC_USES_SHUFFLE, true, counted));
    counted->ways.through_shuffles = 7 * N / 16;
    assert_true(measured_uses(RUBRIC_USES_SHUFFLE, false, counted));
    trial_free(trial);
}

static void test_full_marks(void **state)
{
    (void)state;
    struct trial *trial = trial_open();
    trial_correct(trial, true, true)->all = true;
    trial_ratio(trial, RUBRIC_SECTORS, 1.05, 4.5);
    trial_check(trial, RUBRIC_MECHANISM, 2)->mechanism = RUBRIC_USES_SHARED;
    count(trial, COLUMN_global_load_sectors, SECTORS);
    count(trial, COLUMN_global_store_sectors, SECTORS);
    trial->measurement.runs[0].shared_stored_bytes = 4 * N;
    trial->measurement.runs[0].ways.through_shared = N;
    trial_judge(trial);
    assert_true(number(trial->lab, "score") == 20 && number(trial->lab, "points") == 20);
    assert_field(trial->lab, "status", "ok");
    assert_field(trial->lab, "file", "my kernel.cu");
    assert_field(trial->lab, "source", "void\tf()\n\xef\xbf\xbd\xef\xbf\xbd");
    assert_field(trial->lab, "compiler", "nvrtc 13.0 ptx:0123");
    assert_field(check_at(trial, 0), "result", "passed");
    assert_field(check_at(trial, 0), "text",
                 "correct on 2 of 2 published sizes\ncorrect on every hidden test size");
    assert_field(check_at(trial, 0), "hint", "");
    assert_field(check_at(trial, 1), "text",
                 "loads and stores together touch 8 sectors for 32 elements; full points up to "
                 "8.4, no points from 36");
    assert_field(check_at(trial, 2), "text", "the kernel sends the matrix through shared memory");
    const json_t *run = json_array_get(json_object_get(trial->lab, "runs"), 0);
    const json_t *counters = json_object_get(run, "counters");
    assert_null(json_object_get(counters, "seed"));
    assert_null(json_object_get(counters, "status"));
    assert_true(json_is_null(json_object_get(counters, "time_us")));
    assert_true(json_integer_value(json_object_get(counters, "global_load_sectors")) == SECTORS);
    trial_free(trial);
}

static void test_partial_credit(void **state)
{
    (void)state;
    struct trial *trial = trial_open();
    trial_ratio(trial, RUBRIC_STORE_SECTORS, 2, 8);
    count(trial, COLUMN_global_store_sectors, 4 * SECTORS);
    trial->measurement.lines[0] = (struct measured_line){
        .line = 12, .store = false, .requests = 1, .used = 9 * SECTORS, .ideal = SECTORS};
    trial->measurement.lines[1] = (struct measured_line){
        .line = 14, .store = true, .requests = 1, .used = 4 * SECTORS, .ideal = SECTORS};
    trial->measurement.line_count = 2;
    trial_judge(trial);
    assert_field(check_at(trial, 0), "result", "partial");
    assert_true(fabs(number(trial->lab, "score") - 4) < 1e-9); /* 4 is halfway from 2 to 8 */
    assert_true(number(check_at(trial, 0), "value") == 4);
    assert_field(
        check_at(trial, 0), "text",
        "stores touch 16 sectors for 32 elements; full points up to 8, no points from 32 (most "
        "of the excess is in line 14)");
    assert_field(check_at(trial, 0), "hint", "Think.");
    trial_free(trial);
}

static void test_wrong_on_a_hidden_size(void **state)
{
    (void)state;
    struct trial *trial = trial_open();
    trial_correct(trial, true, false);
    trial_correct(trial, false, true);
    trial_ratio(trial, RUBRIC_SECTORS, 1.05, 4.5);
    trial_check(trial, RUBRIC_MECHANISM, 2)->forbid = true;
    count(trial, COLUMN_global_load_sectors, SECTORS);
    count(trial, COLUMN_global_store_sectors, SECTORS);
    trial->measurement.sizes[1].status = STATUS_WRONG_RESULT;
    strcpy(trial->measurement.sizes[1].reason,
           "at 131 x 59: the last 27 columns of odata were never written\n"
           "odata[3][104]: expected 1.5e+12");
    trial_judge(trial);
    assert_true(number(trial->lab, "score") == 10);
    assert_field(check_at(trial, 0), "result", "passed");
    assert_field(check_at(trial, 1), "result", "failed");
    assert_field(check_at(trial, 1), "text", "incorrect on at least one hidden test size");
    assert_field(check_at(trial, 1), "instructor",
                 "correct on 0 of 1 sizes\n131 x 59 (hidden, ragged, seed 4711): wrong_result: at "
                 "131 x 59: the last 27 columns of odata were never written\n"
                 "odata[3][104]: expected 1.5e+12");
    for (size_t i = 2; i < 4; i++) {
        assert_field(check_at(trial, i), "result", "skipped");
        const char *text = json_string_value(json_object_get(check_at(trial, i), "text"));
        assert_non_null(strstr(text, "counts only if the result is correct at every size"));
        assert_true(number(check_at(trial, i), "score") == 0);
    }
    assert_field(trial->lab, "status", "wrong_result");
    assert_null(strstr(json_string_value(json_object_get(trial->lab, "reason")), "131"));
    trial_free(trial);
}

static void test_hidden_failures_look_alike(void **state)
{
    (void)state;
    static const enum status statuses[] = {STATUS_WRONG_RESULT,  STATUS_OUT_OF_BOUNDS,
                                           STATUS_RACE,          STATUS_TIMEOUT,
                                           STATUS_UNINITIALISED, STATUS_DEADLOCK};
    char *first = NULL;
    for (size_t i = 0; i < 2 * sizeof statuses / sizeof *statuses; i++) {
        struct trial *trial = trial_open();
        trial_correct(trial, true, false);
        trial_correct(trial, false, true);
        trial_ratio(trial, RUBRIC_SECTORS, 1.05, 4.5);
        count(trial, COLUMN_global_load_sectors, SECTORS);
        count(trial, COLUMN_global_store_sectors, SECTORS);
        trial->rubric.sizes[2] = trial->rubric.sizes[1];
        trial->rubric.sizes[2].kind = RUBRIC_LARGE;
        trial->rubric.size_count = trial->measurement.size_count = 3;
        for (size_t k = 1; k < (i % 2 ? 3 : 2); k++) {
            trial->measurement.sizes[k].status = statuses[i / 2];
            snprintf(trial->measurement.sizes[k].reason, RECORD_TEXT_SIZE, "at 131 x 59: %zu", i);
        }
        trial_judge(trial);
        assert_true(number(trial->lab, "score") == 10);
        assert_field(trial->lab, "status", "wrong_result");
        json_t *seen =
            json_pack("{s:O, s:O, s:[]}", "status", json_object_get(trial->lab, "status"), "reason",
                      json_object_get(trial->lab, "reason"), "checks");
        for (size_t c = 0; c < 3; c++)
            for (int f = 0; f < 4; f++)
                json_array_append(
                    json_object_get(seen, "checks"),
                    json_object_get(check_at(trial, c),
                                    (const char *[]){"text", "hint", "result", "score"}[f]));
        char *text = json_dumps(seen, JSON_SORT_KEYS);
        assert_null(strstr(text, "131"));
        if (!first)
            first = strdup(text);
        assert_string_equal(text, first);
        assert_non_null(strstr(json_string_value(json_object_get(check_at(trial, 1), "instructor")),
                               "131 x 59"));
        free(text);
        json_decref(seen);
        trial_free(trial);
    }
    free(first);
}

static void test_wrong_on_a_published_size(void **state)
{
    (void)state;
    struct trial *trial = trial_open();
    trial_correct(trial, true, true)->all = true;
    trial->measurement.sizes[0].status = STATUS_WRONG_RESULT;
    strcpy(trial->measurement.sizes[0].reason, "at 100 x 77: rows and columns are exchanged");
    trial_judge(trial);
    assert_true(number(trial->lab, "score") == 0);
    assert_field(check_at(trial, 0), "text",
                 "correct on 1 of 2 published sizes\nat 100 x 77: rows and columns are exchanged\n"
                 "hidden test sizes count only if the result is correct on every published size");
    assert_field(trial->lab, "reason", "at 100 x 77: rows and columns are exchanged");
    assert_field(check_at(trial, 0), "hint", "Think.");
    trial_free(trial);
}

static void test_hidden_sizes_after_published_ones(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct trial *trial = trial_open();
        trial_correct(trial, false, true)->all = true;
        trial->measurement.sizes[0].status = i == 0 ? STATUS_OK : STATUS_OUT_OF_BOUNDS;
        trial->measurement.sizes[1].status = i == 2 ? STATUS_OK : STATUS_WRONG_RESULT;
        trial_judge(trial);
        assert_true(number(trial->lab, "score") == 0);
        assert_field(check_at(trial, 0), "result", i ? "skipped" : "failed");
        assert_field(check_at(trial, 0), "hint", i ? "" : "Think.");
        trial_free(trial);
    }
}

static void test_one_mistake(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct trial *trial = trial_open();
        trial_correct(trial, true, false)->all = true;
        trial_ratio(trial, RUBRIC_SECTORS, 1.05, 4.5);
        trial_check(trial, RUBRIC_MECHANISM, 2)->mechanism = RUBRIC_USES_SHUFFLE;
        trial->rubric.checks[2].after = 1; /* check 1 is passed, but without full points */
        trial->rubric.mistakes[RUBRIC_MISTAKE_BARRIER] = 0.5;
        trial->measurement.sizes[0].status = STATUS_RACE;
        strcpy(trial->measurement.sizes[0].reason, "at 100 x 77: a race");
        count(trial, COLUMN_global_load_sectors, SECTORS);
        count(trial, COLUMN_global_store_sectors, SECTORS);
        trial->measurement.repaired[0] = trial->measurement.runs[0];
        trial->measurement.repaired[0].shuffles = 1;
        trial->measurement.repaired[0].ways.through_shuffles = N;
        if (i == 1)
            record_set_count(&trial->measurement.repaired[0].record, COLUMN_global_store_sectors,
                             8 * SECTORS);
        trial->measurement.mistake = i == 2 ? RUBRIC_MISTAKE_NONE : RUBRIC_MISTAKE_BARRIER;
        trial_judge(trial);
        static const double scores[] = {5, 0, 0};
        assert_true(number(trial->lab, "score") == scores[i]);
        assert_field(check_at(trial, 1), "result",
                     i == 0   ? "partial"
                     : i == 1 ? "failed"
                              : "skipped");
        const char *reason = json_string_value(json_object_get(trial->lab, "reason"));
        assert_int_equal(strstr(reason, "one mistake") != NULL, i < 2);
        assert_field(trial->lab, "status", "race");
        trial_free(trial);
    }
}

static void test_either_way(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct trial *trial = trial_open();
        trial_ratio(trial, RUBRIC_SECTORS, 1.05, 4.5);
        trial_check(trial, RUBRIC_MECHANISM, 2)->mechanism = RUBRIC_USES_SHARED;
        trial->rubric.checks[1].either = 0;
        count(trial, COLUMN_global_load_sectors, SECTORS);
        count(trial, COLUMN_global_store_sectors, i ? 2 * SECTORS : SECTORS);
        trial_judge(trial);
        assert_field(check_at(trial, 1), "result", i ? "failed" : "passed");
        trial_free(trial);
    }
}

/* The lanes must load at least as many bytes as the matrix has, and DRAM must supply as many. */
static void test_elements_that_were_never_loaded(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct trial *trial = trial_open();
        trial_ratio(trial, RUBRIC_SECTORS, 1.05, 4.5);
        count(trial, COLUMN_global_load_sectors, i == 3 ? 1 : SECTORS);
        count(trial, COLUMN_global_store_sectors, SECTORS);
        count(trial, COLUMN_dram_read_bytes, i == 1 ? 4 * N - 32 : 4 * N);
        trial->measurement.runs[0].loaded_bytes = i == 2 ? 4 * N - 4 : 4 * N;
        trial_judge(trial);
        const bool lacks = i == 1 || i == 2;
        assert_int_equal(measured_lacks_traffic(&trial->measurement.runs[0]), lacks);
        assert_true(number(trial->lab, "score") == (lacks ? 0 : 8));
        trial_free(trial);
    }
}

static void test_wrong_in_a_run(void **state)
{
    (void)state;
    struct trial *trial = trial_open();
    struct record *record = &trial->measurement.runs[0].record;
    trial_correct(trial, true, false);
    trial_ratio(trial, RUBRIC_SECTORS, 1.05, 4.5);
    record_set_text(record, COLUMN_status, "race");
    record_set_text(record, COLUMN_reason, "at 64 x 96: a race");
    trial_judge(trial);
    assert_true(number(trial->lab, "score") == 5);
    assert_field(check_at(trial, 1), "result", "skipped");
    assert_field(trial->lab, "status", "race");
    assert_field(check_at(trial, 0), "result", "partial");
    assert_field(check_at(trial, 0), "hint", "");
    assert_field(trial->lab, "reason", "at 64 x 96: a race");
    trial_free(trial);
}

static void test_launch_that_one_device_refuses(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct trial *trial = trial_open();
        trial->rubric.run_count = trial->measurement.run_count = 2;
        trial->rubric.runs[1] = trial->rubric.runs[0];
        trial_correct(trial, true, true)->all = true;
        trial_ratio(trial, RUBRIC_SECTORS, 1.05, 4.5);
        trial_ratio(trial, RUBRIC_IMBALANCE, 2, 6)->run = 1;
        count(trial, COLUMN_global_load_sectors, SECTORS);
        count(trial, COLUMN_global_store_sectors, SECTORS);
        trial->measurement.runs[1] = trial->measurement.runs[0];
        struct record *record = &trial->measurement.runs[1 - i].record;
        record_set_text(record, COLUMN_status, "launch_error");
        record_set_text(record, COLUMN_reason, "at 64 x 96: a block has 1024 threads");
        trial_judge(trial);
        assert_true(number(trial->lab, "score") == (i ? 0 : 18));
        assert_field(trial->lab, "status", i ? "launch_error" : "ok");
        if (!i) {
            assert_field(check_at(trial, 2), "result", "failed");
            assert_field(check_at(trial, 2), "text",
                         "launch error: at 64 x 96: a block has 1024 threads");
        }
        trial_free(trial);
    }
}

static void test_without_shared_memory(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct trial *trial = trial_open();
        trial_ratio(trial, RUBRIC_SECTORS, 1.05, 4.5);
        struct rubric_check *check = trial_ratio(trial, RUBRIC_CONFLICTS, 0.2, 15.5);
        check->without_shared = i > 0;
        check->after = 0;
        count(trial, COLUMN_global_load_sectors, SECTORS);
        count(trial, COLUMN_global_store_sectors, i == 2 ? 8 * SECTORS : SECTORS);
        count(trial, COLUMN_shared_load_conflicts, 0);
        count(trial, COLUMN_shared_store_conflicts, 0);
        trial_judge(trial);
        static const double scores[] = {8, 16, 0};
        static const char *const results[] = {"failed", "passed", "skipped"};
        assert_true(number(trial->lab, "score") == scores[i]);
        assert_field(check_at(trial, 1), "result", results[i]);
        const char *text = json_string_value(json_object_get(check_at(trial, 1), "text"));
        assert_non_null(strstr(text, "does not use shared memory"));
        assert_int_equal(strstr(text, "only if the check \"Title 0\" is passed") != NULL, i == 2);
        trial_free(trial);
    }
}

/* Half of each stored sector is unused. Without an exchange, only full sectors earn points. */
static void test_narrow_kernels(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct trial *trial = trial_open();
        struct rubric_check *check = trial_ratio(trial, RUBRIC_SECTORS, 1.5, 4.5);
        trial_ratio(trial, RUBRIC_L2_BYTES, 1, 5)->after = 0;
        check->with = RUBRIC_USES_EXCHANGE;
        trial->measurement.runs[0].ways = (struct measured_ways){
            .elements = N, .through_shared = N, .between_threads = i == 1 ? N : 0};
        trial->measurement.runs[0].shared_loaded_bytes = 4 * N;
        count(trial, COLUMN_global_load_sectors, SECTORS);
        count(trial, COLUMN_global_store_sectors, i == 2 ? SECTORS : 2 * SECTORS);
        count(trial, COLUMN_l2_read_bytes, 4 * N);
        count(trial, COLUMN_l2_write_bytes, 4 * N);
        trial_judge(trial);
        static const double scores[] = {8.76, 16, 16};
        assert_true(number(trial->lab, "score") == scores[i]);
        assert_field(check_at(trial, 0), "result", i ? "passed" : "partial");
        assert_field(check_at(trial, 1), "result", "passed");
        trial_free(trial);
    }
}

/* A kernel earns at most five eighths of its points if one block does a quarter of the work. */
static void test_busiest_block(void **state)
{
    static const double shares[] = {0, 1 / 16.0, 1 / 8.0, 1 / 4.0, 1}, scores[] = {8, 8, 6.5, 5, 5};
    (void)state;
    for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct trial *trial = trial_open();
        trial_ratio(trial, RUBRIC_L2_BYTES, 1, 5);
        count(trial, COLUMN_l2_read_bytes, 4 * N);
        count(trial, COLUMN_l2_write_bytes, 4 * N);
        trial->rubric.points = 8;
        trial->measurement.busiest_share = shares[i];
        trial_judge(trial);
        assert_true(number(trial->lab, "score") == scores[i]);
        char *text = json_dumps(trial->lab, 0);
        const bool is_all = strstr(text, "one block executes 100 % of all instructions") != NULL;
        assert_true(is_all == (shares[i] == 1));
        free(text);
        trial_free(trial);
    }
}

/* The limit for bytes of atomics is 768, 1/32 of the matrix's 24576 bytes. */
static void test_atomics_evade_the_counters(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct trial *trial = trial_open();
        trial_ratio(trial, RUBRIC_SECTORS, 1, 5);
        trial_ratio(trial, RUBRIC_L2_BYTES, 1, 5);
        trial->measurement.runs[0].atomic_bytes = 1000768 + (uint64_t)i;
        trial->measurement.runs[0].shared_atomic_bytes = 1000000; /* shared atomics have no limit */
        count(trial, COLUMN_global_load_sectors, 768);
        count(trial, COLUMN_global_store_sectors, 768);
        count(trial, COLUMN_l2_read_bytes, 4 * N);
        count(trial, COLUMN_l2_write_bytes, 4 * N);
        trial_judge(trial);
        assert_true(number(trial->lab, "score") == (i ? 8 : 16));
        const char *text = json_string_value(json_object_get(check_at(trial, 0), "text"));
        assert_int_equal(strstr(text, "atomic operations move elements") != NULL, i);
        trial_free(trial);
    }
}

static void test_twin_decides(void **state)
{
    (void)state;
    static const struct {
        const char *status;
        uint64_t times;
        double score;
        bool worse;
    } twins[] = {{"ok", 1, 18, false},          {"ok", 3, 10, true},
                 {"ok", 4, 10, true},           {"ok", 5, 10, true},
                 {"wrong_result", 1, 0, false}, {"launch_error", 1, 0, false}};
    char *received = NULL;
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
        struct trial *trial = trial_open();
        trial->rubric.run_count = trial->measurement.run_count = 2;
        trial->rubric.runs[1] = trial->rubric.runs[0];
        trial->rubric.runs[0].twin = 1;
        trial->rubric.runs[1].hidden = true;
        trial_correct(trial, false, true)->all = true;
        trial_ratio(trial, RUBRIC_SECTORS, 1, 5);
        count(trial, COLUMN_global_load_sectors, 768);
        count(trial, COLUMN_global_store_sectors, 768);
        trial->measurement.runs[1] = trial->measurement.runs[0];
        trial->measurement.runs[1].loaded_bytes = 160 * 288 * 4;
        struct record *record = &trial->measurement.runs[1].record;
        record_set_count(record, COLUMN_rows, 160);
        record_set_count(record, COLUMN_cols, 288);
        record_set_count(record, COLUMN_global_load_sectors, 160 * 288 / 8 * twins[i].times);
        record_set_count(record, COLUMN_global_store_sectors, 160 * 288 / 8);
        record_set_text(record, COLUMN_status, "%s", twins[i].status);
        record_set_text(record, COLUMN_reason, "%s", "at 160 x 288: 5 are wrong");
        trial_judge(trial);
        assert_true(number(trial->lab, "score") == twins[i].score);
        assert_field(trial->lab, "status", twins[i].score > 0 ? "ok" : "wrong_result");
        const char *text = json_string_value(json_object_get(check_at(trial, 1), "text"));
        assert_int_equal(strstr(text, "worse at a hidden test size") != NULL, twins[i].worse);
        if (twins[i].worse) {
            assert_field(check_at(trial, 1), "text", received ? received : text);
            free(received);
            received = strdup(text);
        }
        for (size_t c = 0; c < 2; c++) {
            text = json_string_value(json_object_get(check_at(trial, c), "text"));
            assert_null(strstr(text, "160"));
            assert_null(strstr(text, "288"));
        }
        const char *reason = json_string_value(json_object_get(trial->lab, "reason"));
        assert_null(strstr(reason, "160"));
        const json_t *runs = json_object_get(trial->lab, "runs");
        assert_false(json_is_true(json_object_get(json_array_get(runs, 0), "hidden")));
        assert_true(json_is_true(json_object_get(json_array_get(runs, 1), "hidden")));
        if (twins[i].score <= 0)
            assert_non_null(strstr(
                json_string_value(json_object_get(check_at(trial, 0), "instructor")), "160 x 288"));
        trial_free(trial);
    }
    free(received);
}

static void test_mechanism_words(void **state)
{
    (void)state;
    struct trial *trial = trial_open();
    for (int i = 0; i < 2; i++) {
        trial_check(trial, RUBRIC_MECHANISM, 1)->forbid = i;
        trial_check(trial, RUBRIC_MECHANISM, 1)->mechanism = RUBRIC_USES_SHUFFLE;
        trial->rubric.checks[2 * i + 1].forbid = i;
    }
    trial->measurement.runs[0].ways.through_shuffles = N;
    trial->measurement.runs[0].shuffles = 7;
    trial_judge(trial);
    assert_field(
        check_at(trial, 0), "text",
        "this check requires a kernel that sends the matrix through shared memory; this kernel "
        "does not");
    assert_field(check_at(trial, 1), "text", "the kernel exchanges elements by warp shuffles");
    assert_field(check_at(trial, 2), "text",
                 "the kernel does not send the matrix through shared memory");
    assert_field(
        check_at(trial, 3), "text",
        "this check requires a kernel that does not exchange elements by warp shuffles; this "
        "kernel does");
    assert_true(number(trial->lab, "score") == 2);
    trial_free(trial);
}

static void test_not_compiled_and_missing(void **state)
{
    (void)state;
    struct trial *trial = trial_open();
    trial_correct(trial, true, true);
    trial_ratio(trial, RUBRIC_SECTORS, 1.05, 4.5);
    trial->measurement = (struct measurement){.status = STATUS_COMPILE_ERROR};
    strcpy(trial->measurement.reason, "lab.cu(3): error: \x1b[31mexpected a \";\"");
    trial_judge(trial);
    assert_true(number(trial->lab, "score") == 0);
    assert_field(trial->lab, "status", "compile_error");
    assert_field(trial->lab, "reason", "lab.cu(3): error: \xef\xbf\xbd[31mexpected a \";\"");
    assert_field(check_at(trial, 0), "result", "skipped");
    assert_field(check_at(trial, 1), "text", "the file could not be run");
    json_decref(trial->lab);
    trial->lab = judge_lab(&trial->rubric, NULL, NULL);
    assert_field(trial->lab, "status", "missing");
    assert_true(json_is_null(json_object_get(trial->lab, "file")));
    assert_true(json_is_null(json_object_get(trial->lab, "source")));
    assert_true(number(trial->lab, "score") == 0);
    assert_true(number(trial->lab, "points") == 18);
    assert_int_equal(json_array_size(json_object_get(trial->lab, "checks")), 2);
    assert_field(check_at(trial, 0), "text", "nothing was submitted");
    trial_free(trial);
}

static void assert_text(const char *bytes, size_t length, const char *wanted)
{
    json_t *text = json_text(bytes, length);
    assert_non_null(text);
    assert_string_equal(json_string_value(text), wanted);
    json_decref(text);
}

static void test_json_text(void **state)
{
    (void)state;
    assert_text("plain", 5, "plain");
    assert_text("\xc3\x85ngstr\xc3\xb6m", 10, "\xc3\x85ngstr\xc3\xb6m");
    assert_text("\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80");
    assert_text("\xc0\x80", 2, "\xef\xbf\xbd\xef\xbf\xbd");
    assert_text("\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_text("\xf4\x90\x80\x80", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_text("a\xe2\x82", 3, "a\xef\xbf\xbd\xef\xbf\xbd");
    assert_text("a\0b", 3,
                "a\xef\xbf\xbd"
                "b");
    assert_text("a\r\nb\rc\td\x7f", 9,
                "a\nb\xef\xbf\xbd"
                "c\td\xef\xbf\xbd");
    assert_text("\xc2\x9b[31m\xc2\xa0", 8, "\xef\xbf\xbd[31m\xc2\xa0");
    assert_text("\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf", 12,
                "\xe2\x80\xa9\xef\xbf\xbd\xef\xbf\xbd\xe2\x80\xaf");
    assert_text("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", 12,
                "\xe2\x81\xa5\xef\xbf\xbd\xef\xbf\xbd\xe2\x81\xaa");
}

static void test_json_number(void **state)
{
    (void)state;
    static const struct {
        double number;
        const char *text;
    } numbers[] = {{1.0 / 3, "0.333333"},
                   {15.5, "15.5"},
                   {20, "20.0"},
                   {1234567.8, "1234570.0"},
                   {2e-7 / 3, "6.66667e-8"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_t *value = json_number(numbers[i].number);
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        assert_string_equal(text, numbers[i].text);
        free(text);
        json_decref(value);
    }
    json_t *value = json_number(INFINITY);
    assert_true(json_is_null(value));
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_shares_are_logarithmic),
        cmocka_unit_test(test_mechanisms),
        cmocka_unit_test(test_full_marks),
        cmocka_unit_test(test_partial_credit),
        cmocka_unit_test(test_wrong_on_a_hidden_size),
        cmocka_unit_test(test_hidden_failures_look_alike),
        cmocka_unit_test(test_wrong_on_a_published_size),
        cmocka_unit_test(test_hidden_sizes_after_published_ones),
        cmocka_unit_test(test_one_mistake),
        cmocka_unit_test(test_either_way),
        cmocka_unit_test(test_elements_that_were_never_loaded),
        cmocka_unit_test(test_wrong_in_a_run),
        cmocka_unit_test(test_launch_that_one_device_refuses),
        cmocka_unit_test(test_without_shared_memory),
        cmocka_unit_test(test_narrow_kernels),
        cmocka_unit_test(test_busiest_block),
        cmocka_unit_test(test_atomics_evade_the_counters),
        cmocka_unit_test(test_twin_decides),
        cmocka_unit_test(test_mechanism_words),
        cmocka_unit_test(test_not_compiled_and_missing),
        cmocka_unit_test(test_explanation),
        cmocka_unit_test(test_json_text),
        cmocka_unit_test(test_json_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
