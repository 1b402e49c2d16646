/* prediction_test.c: tests of worksheets, of the spellings of answers, and of correct answers. */
#include "record/prediction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/prediction_test.XXXXXX", path[64];

static int begin(void **state)
{
    (void)state;
    bool made = mkdtemp(directory);
    snprintf(path, sizeof path, "%s/" PREDICTION_FILE, directory);
    return made ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

static void file_write(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static bool sheet_read(const char *text, struct prediction_sheet *sheet, struct failure *failure)
{
    *failure = (struct failure){0};
    file_write(text, strlen(text));
    return prediction_read(path, sheet, failure);
}

static void test_sheet(void **state)
{
    (void)state;
    struct prediction_sheet sheet;
    struct failure failure;
    assert_true(sheet_read("# questions\ndevice = gtx280\nrows = 4 096\ndefines = TILE_DIM=16\n"
                           "before = 03_padded\n"
                           "global_store_requests = 131 072  # of warps\nsectors_per_store = ?\n"
                           "copy_shared.bound = shared\nagainst =\n",
                           &sheet, &failure));
    assert_string_equal(sheet.device, "gtx280");
    assert_int_equal(sheet.rows, 4096);
    assert_int_equal(sheet.cols, 0);
    assert_string_equal(sheet.defines, "TILE_DIM=16");
    assert_string_equal(sheet.before, "03_padded");
    assert_int_equal(sheet.count, 4);
    assert_true(sheet.predictions[0].filled);
    assert_true(sheet.predictions[0].number == 131072);
    assert_int_equal(sheet.predictions[0].line, 6);
    assert_false(sheet.predictions[1].filled);
    assert_string_equal(sheet.predictions[2].exercise, "copy_shared");
    assert_string_equal(sheet.predictions[2].text, "shared");
    assert_false(sheet.predictions[3].filled);
    assert_true(prediction_is_for(&sheet.predictions[0], "copy", true));
    assert_false(prediction_is_for(&sheet.predictions[0], "copy_shared", false));
    assert_true(prediction_is_for(&sheet.predictions[2], "copy_shared", false));
    assert_false(prediction_is_for(&sheet.predictions[2], "copy", true));
    prediction_free(&sheet);
}

static void test_no_sheet(void **state)
{
    (void)state;
    struct prediction_sheet sheet;
    struct failure failure = {0};
    char source[80];
    unlink(path);
    assert_true(prediction_find(directory, &sheet, &failure));
    assert_int_equal(sheet.count, 0);
    snprintf(source, sizeof source, "%s/naive.cu", directory);
    assert_true(prediction_find(source, &sheet, &failure));
    assert_string_equal(sheet.path, "");
    file_write("bound = l2\n", 11);
    assert_true(prediction_find(source, &sheet, &failure));
    assert_int_equal(sheet.count, 1);
    prediction_free(&sheet);
}

static void test_damaged_sheets(void **state)
{
    (void)state;
    static const struct {
        const char *text, *phrase;
    } damaged[] = {
        {"sectors_per_store = many\n", ":1: sectors_per_store must be a number"},
        {"\nsectors_per_store = -4\n", ":2: sectors_per_store must be a number"},
        {"sectors_per_store = 4 to 8\n", "not `4 to 8`"},
        {"sectors_per_store = nan\n", "not `nan`"},
        {"sectors_per_store = inf\n", "not `inf`"},
        {"sectors_per_store = 0x20\n", "not `0x20`"},
        {"sectors_per_store = 1.2.3\n", "not `1.2.3`"},
        {"sectors_per_store = .\n", "not `.`"},
        {"sectors_per_store = ??\n", "not `??`"},
        {"sectors_per_store = 99999999999999999999999999999999999999999999\n", "longer than"},
        {"bound = fast\n", "bound must be one of dram, dram_partition, l2"},
        {"against = better\n", "against must be one of faster, slower, same"},
        {"bound = 4\n", "not `4`"},
        {"sectors = 4\n", "`sectors` is not a quantity"},
        {"kernel = transpose\n", "`kernel` is not a quantity"},
        {"copy. = 4\n", "`copy.` is not a quantity"},
        {"rows = 0\n", ":1: rows must be a whole number"},
        {"cols = 1.5\n", ":1: cols must be a whole number"},
        {"before = ../../etc\n", "cannot be the value of before"},
        {"device = \033[2J\n", "cannot be the value of device"},
        {"bound\n", "expected `key = value`"},
        {"bound = l2\nbound = l2\n", "given twice"},
    };
    struct prediction_sheet sheet;
    struct failure failure;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        if (sheet_read(damaged[i].text, &sheet, &failure))
            fail_msg("accepted: %s", damaged[i].text);
        assert_int_equal(failure.kind, FAILURE_HARNESS);
        if (!strstr(failure.text, damaged[i].phrase))
            fail_msg("%s: not `%s`", failure.text, damaged[i].phrase);
        assert_non_null(strstr(failure.text, path));
        prediction_free(&sheet);
    }
    failure = (struct failure){0};
    file_write("bound = l2\0x\n", 13);
    assert_false(prediction_read(path, &sheet, &failure));
    assert_non_null(strstr(failure.text, "NUL"));
    prediction_free(&sheet);
}

static void test_too_many(void **state)
{
    (void)state;
    static char text[PREDICTIONS_MAX * 32];
    struct prediction_sheet sheet;
    struct failure failure;
    for (int i = 0; i <= PREDICTIONS_MAX; i++)
        sprintf(text + strlen(text), "exercise%d.bound = l2\n", i);
    assert_false(sheet_read(text, &sheet, &failure));
    assert_non_null(strstr(failure.text, "more than 64 predictions"));
    prediction_free(&sheet);
}

static void test_numbers_as_people_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double number;
    } written[] = {{"0", 0},          {"131072", 131072}, {"131 072", 131072}, {"1_000", 1000},
                   {"16.8M", 16.8e6}, {"16.8 M", 16.8e6}, {"4k", 4000},        {".5", 0.5},
                   {"2.G", 2e9},      {"1.07", 1.07}};
    struct prediction_sheet sheet;
    struct failure failure;
    assert_true(sheet_read("l2_read_bytes = ?\n", &sheet, &failure));
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        assert_true(prediction_answer(&sheet.predictions[0], written[i].text, &failure));
        assert_true(sheet.predictions[0].filled);
        if (sheet.predictions[0].number < written[i].number * (1 - 1e-12) ||
            sheet.predictions[0].number > written[i].number * (1 + 1e-12))
            fail_msg("%s became %g", written[i].text, sheet.predictions[0].number);
    }
    assert_false(prediction_answer(&sheet.predictions[0], "lots", &failure));
    assert_string_equal(sheet.predictions[0].text, "1.07");
    assert_true(prediction_answer(&sheet.predictions[0], "?", &failure));
    assert_false(sheet.predictions[0].filled);
    prediction_free(&sheet);
}

static void test_writing_keeps_the_rest(void **state)
{
    (void)state;
    struct prediction_sheet sheet;
    struct failure failure;
    char got[512];
    assert_true(sheet_read("# head\n\ndevice = h200\n"
                           "sectors_per_load = ?    # eight floats\n"
                           "bound=?\n  sectors_per_store  = 4 # = ?\nagainst = slower",
                           &sheet, &failure));
    assert_true(prediction_answer(&sheet.predictions[0], "131 072", &failure));
    assert_true(prediction_answer(&sheet.predictions[1], "l2", &failure));
    assert_true(prediction_answer(&sheet.predictions[2], "?", &failure));
    assert_true(prediction_write(&sheet, &failure));
    prediction_free(&sheet);
    FILE *file = fopen(path, "r");
    size_t size = fread(got, 1, sizeof got - 1, file);
    fclose(file);
    got[size] = 0;
    assert_string_equal(got, "# head\n\ndevice = h200\n"
                             "sectors_per_load = 131 072 # eight floats\n"
                             "bound= l2\n  sectors_per_store  = ? # = ?\nagainst = slower\n");
}

/* In a naive transpose of 64 x 32 elements, 64 warps store to 32 sectors each. */
static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        double value;
        bool known, right;
    } cases[] = {
        {"sectors_per_store = 32", 32, true, true},
        {"sectors_per_store = 4", 32, true, false},
        {"global_store_sectors = 2048", 2048, true, true},
        {"global_store_sectors = 2 010", 2048, true, true}, /* 1.9 % below the value */
        {"global_store_sectors = 2 000", 2048, true, false},
        {"conflicts_per_load = 0", 0, true, true},
        {"conflicts_per_load = 1", 0, true, false},
        {"blocks = 24", 24, true, true},
        {"l2_mb = 0.0737", 0.073728, true, true},
        {"partition_imbalance = 8", 8, true, true},
        {"time_us = 3", 0, false, false},
        {"bound = l2", 0, false, false},
    };
    struct record record;
    record_clear(&record);
    record_set_count(&record, COLUMN_global_store_requests, 64);
    record_set_count(&record, COLUMN_global_store_sectors, 2048);
    record_set_count(&record, COLUMN_shared_load_requests, 0);
    record_set_count(&record, COLUMN_shared_load_conflicts, 0);
    record_set_count(&record, COLUMN_grid_x, 2);
    record_set_count(&record, COLUMN_grid_y, 3);
    record_set_count(&record, COLUMN_grid_z, 4);
    record_set_count(&record, COLUMN_l2_read_bytes, 8192);
    record_set_count(&record, COLUMN_l2_write_bytes, 65536);
    record_set_real(&record, COLUMN_partition_imbalance, 8);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct prediction_sheet sheet;
        struct failure failure;
        double value = 0;
        assert_true(sheet_read(cases[i].line, &sheet, &failure));
        bool known = prediction_value(&sheet.predictions[0].quantity, &record, &value);
        if (known != cases[i].known || (known && value != cases[i].value) ||
            (known && prediction_is_right(&sheet.predictions[0], value) != cases[i].right))
            fail_msg("%s: %g", cases[i].line, value);
        prediction_free(&sheet);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sheet),
        cmocka_unit_test(test_no_sheet),
        cmocka_unit_test(test_damaged_sheets),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_numbers_as_people_write_them),
        cmocka_unit_test(test_writing_keeps_the_rest),
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
