/* calibration_test.c: tests of the calibration kernels on the emulator, and of the metrics. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/command.h"
#include "hardware/cupti/calibration.h"
#include "hardware/cupti/metrics.h"

enum { TEXT_SIZE = 256 };

static void temporary_name(char *path, const char *suffix)
{
    snprintf(path, TEXT_SIZE, "/tmp/calibration-XXXXXX%s", suffix);
    int descriptor = mkstemps(path, (int)strlen(suffix));
    assert_true(descriptor >= 0);
    close(descriptor);
}

static struct record *emulate(enum calibration_kernel kernel)
{
    char ptx[TEXT_SIZE], csv[TEXT_SIZE], entry[TEXT_SIZE], grid[32], block[32], output[64],
        input[64], pitch[32];
    temporary_name(ptx, ".ptx");
    temporary_name(csv, ".csv");
    FILE *file = fopen(ptx, "w");
    assert_non_null(file);
    fputs(calibration_ptx, file);
    assert_int_equal(fclose(file), 0);
    snprintf(entry, sizeof entry, "%s", calibrations[kernel].entry);
    snprintf(grid, sizeof grid, "%d", CALIBRATION_BLOCKS);
    snprintf(block, sizeof block, "%d", CALIBRATION_THREADS);
    snprintf(output, sizeof output, "out:f32:%d", CALIBRATION_ELEMENTS);
    snprintf(input, sizeof input, "in:f32:%d", CALIBRATION_ELEMENTS);
    snprintf(pitch, sizeof pitch, "u32:%u", calibrations[kernel].pitch);
    char *arguments[] = {ptx,     "--kernel", entry,      "--grid", grid,   "--block", block,
                         "--csv", csv,        "--device", "h200",   output, input,     pitch};
    int count = (int)(sizeof arguments / sizeof *arguments) - (kernel == CALIBRATION_COPY);
    struct failure failure = {0};
    struct record *records;
    size_t record_count;
    assert_int_equal(command_emulate(count, arguments, &failure), 0);
    assert_true(records_load(csv, &records, &record_count, &failure));
    assert_int_equal(record_count, 1);
    unlink(ptx);
    unlink(csv);
    return records;
}

static void the_emulator_counts_what_is_expected(void **unused)
{
    (void)unused;
    for (int kernel = 0; kernel < CALIBRATION_COUNT; kernel++) {
        char why[TEXT_SIZE] = "";
        struct record *record = emulate((enum calibration_kernel)kernel);
        assert_true(record->values[COLUMN_l2_write_bytes].known);
        assert_true(record->values[COLUMN_shared_load_conflicts].known);
        if (!calibration_agrees((enum calibration_kernel)kernel, record, why, sizeof why))
            fail_msg("%s: %s", calibrations[kernel].name, why);
        free(record);
    }
}

/* Set the counts that an H200 reports for the conflict kernel with 8192 warps, with some noise. */
static void fill_conflict(struct record *record)
{
    record_clear(record);
    record_set_count(record, COLUMN_global_load_requests, 8192);
    record_set_count(record, COLUMN_global_load_sectors, 32768);
    record_set_count(record, COLUMN_shared_load_ideal_wavefronts, 8192);
    record_set_count(record, COLUMN_shared_load_conflicts, 31 * 8192 + 1900);
}

static void noise_is_allowed_only_in_conflicts(void **unused)
{
    (void)unused;
    struct record *record = calloc(1, sizeof *record);
    char why[TEXT_SIZE] = "";
    assert_non_null(record);
    fill_conflict(record);
    assert_true(calibration_agrees(CALIBRATION_CONFLICT, record, why, sizeof why));
    record_set_count(record, COLUMN_global_load_sectors, 32769);
    assert_false(calibration_agrees(CALIBRATION_CONFLICT, record, why, sizeof why));
    assert_string_equal(why, "global_load_sectors is 32769 instead of 32768");
    fill_conflict(record);
    record_set_count(record, COLUMN_shared_load_ideal_wavefronts, 8191);
    assert_false(calibration_agrees(CALIBRATION_CONFLICT, record, why, sizeof why));
    /* A chip that counts conflicts per half-warp would report half of the conflicts. */
    fill_conflict(record);
    record_set_count(record, COLUMN_shared_load_conflicts, 31 * 8192 / 2);
    assert_false(calibration_agrees(CALIBRATION_CONFLICT, record, why, sizeof why));
    fill_conflict(record);
    assert_false(calibration_agrees(CALIBRATION_PADDED, record, why, sizeof why));
    free(record);
}

static size_t row_of(enum column column)
{
    for (size_t row = 0; row < metrics_count; row++)
        if (metrics[row].column == column)
            return row;
    fail_msg("no metric for %s", column_describe(column)->name);
    return 0;
}

static void metrics_become_columns(void **unused)
{
    (void)unused;
    double values[METRICS_MAX];
    struct record *record = calloc(1, sizeof *record);
    assert_non_null(record);
    for (size_t i = 0; i < METRICS_MAX; i++)
        values[i] = NAN;
    values[row_of(COLUMN_l2_read_bytes)] = 8388608; /* In sectors. */
    values[row_of(COLUMN_shared_load_wavefronts)] = 68062938;
    values[row_of(COLUMN_shared_load_conflicts)] = 65965786;
    metrics_set_record(values, record);
    assert_int_equal(record->values[COLUMN_l2_read_bytes].count, 268435456);
    assert_int_equal(record->values[COLUMN_shared_load_ideal_wavefronts].count, 2097152);
    assert_false(record->values[COLUMN_l2_write_bytes].known);
    assert_false(record->values[COLUMN_shared_store_ideal_wavefronts].known);
    free(record);
}

static void the_documented_metrics_are_those_collected(void **unused)
{
    (void)unused;
    for (size_t row = 0; row < metrics_count; row++) {
        const struct column_info *info = column_describe(metrics[row].column);
        if (!strstr(info->cupti, metrics[row].names[0]))
            fail_msg("%s is documented as %s but collected as %s", info->name, info->cupti,
                     metrics[row].names[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_emulator_counts_what_is_expected),
        cmocka_unit_test(noise_is_allowed_only_in_conflicts),
        cmocka_unit_test(metrics_become_columns),
        cmocka_unit_test(the_documented_metrics_are_those_collected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
