/* record_test.c: tests of the CSV format, of hostile files, and of the printed table. */
#include "record/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char contract_header[] =
    "lab,variant,kernel,device,chip,rows,cols,grid_x,grid_y,grid_z,block_x,block_y,block_z,"
    "shared_bytes,defines,loop,cache,time_us,time_us_p25,time_us_p75,repeats,bandwidth_gbps,"
    "copy_pct,global_load_requests,global_load_sectors,global_store_requests,"
    "global_store_sectors,l2_read_bytes,l2_write_bytes,shared_load_requests,"
    "shared_load_wavefronts,shared_load_ideal_wavefronts,shared_load_conflicts,"
    "shared_store_requests,shared_store_wavefronts,shared_store_ideal_wavefronts,"
    "shared_store_conflicts,dram_read_bytes,dram_write_bytes,dram_throughput_gbps,"
    "dram_throughput_pct,partition_imbalance,ptx_warp_instructions,sass_warp_instructions,bound,"
    "status,reason,seed,passes,compiler,source,goals,goals_reached,launches,findings,"
    "global_atomic_requests,global_atomic_sectors,shared_atomic_wavefronts,registers,occupancy_pct,"
    "time_basis";

static char directory[] = "/tmp/record_test.XXXXXX";

static int directory_make(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int directory_remove(void **state)
{
    (void)state;
    return rmdir(directory);
}

/* Returns a path in the test's directory, which is valid during the next three calls. */
static const char *in_directory(const char *name)
{
    static char paths[4][64];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

/* The old file is removed first, because some file systems wait for the disk at an overwrite. */
static void file_write(const char *path, const void *bytes, size_t length)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static char *file_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) < (1 << 20) - 1);
    fclose(file);
    return text;
}

static char *captured(void (*print)(FILE *file, const struct record *records, size_t count),
                      const struct record *records, size_t count)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    print(file, records, count);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void write_first(FILE *file, const struct record *records, size_t count)
{
    (void)count;
    assert_true(record_write(file, records));
}

static struct record *records_make(size_t count)
{
    struct record *records = calloc(count, sizeof *records);
    assert_non_null(records);
    for (size_t i = 0; i < count; i++)
        record_clear(&records[i]);
    return records;
}

static void columns_are_the_contract(void **state)
{
    char names[2048] = "";
    (void)state;
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const struct column_info *info = column_describe((enum column)i);
        assert_int_equal(column_find(info->name), i);
        if (i)
            strcat(names, ",");
        strcat(names, info->name);
    }
    assert_string_equal(names, contract_header);
    assert_int_equal(column_find("no_such_column"), -1);
    assert_int_equal(column_find(""), -1);
}

static void columns_are_printed(void **state)
{
    (void)state;
    for (int markdown = 0; markdown < 2; markdown++) {
        char *text = NULL;
        size_t length;
        FILE *file = open_memstream(&text, &length);
        assert_non_null(file);
        columns_print(file, markdown);
        fclose(file);
        for (int i = 0; i < COLUMN_COUNT; i++) {
            assert_non_null(strstr(text, column_describe((enum column)i)->name));
            assert_non_null(strstr(text, column_describe((enum column)i)->meaning));
            assert_non_null(strstr(text, column_describe((enum column)i)->cupti));
        }
        if (markdown)
            assert_non_null(strstr(text, "\n| `dram_read_bytes` | bytes | bytes read from DRAM | "
                                         "`dram__bytes_read.sum` | L2 model |\n"));
        free(text);
    }
}

/* Requests, sectors, wavefronts, bytes and instructions double if a kernel does its work twice. */
static void events_differ_from_other_numbers(void **state)
{
    static const char events[] =
        " global_load_requests global_load_sectors global_store_requests global_store_sectors"
        " l2_read_bytes l2_write_bytes shared_load_requests shared_load_wavefronts"
        " shared_load_ideal_wavefronts shared_load_conflicts shared_store_requests"
        " shared_store_wavefronts shared_store_ideal_wavefronts shared_store_conflicts"
        " dram_read_bytes dram_write_bytes ptx_warp_instructions sass_warp_instructions ";
    (void)state;
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const struct column_info *info = column_describe((enum column)i);
        char word[64];
        snprintf(word, sizeof word, " %s ", info->name);
        if (info->counts_events != (strstr(events, word) != NULL))
            fail_msg("%s", info->name);
    }
}

static void unknown_values_are_NA(void **state)
{
    struct record *record = records_make(1);
    char *text = captured(write_first, record, 1);
    (void)state;
    for (int i = 0; i < COLUMN_COUNT; i++)
        assert_memory_equal(text + 3 * i, i + 1 < COLUMN_COUNT ? "NA," : "NA\n", 3);
    assert_int_equal(strlen(text), 3 * COLUMN_COUNT);
    free(text);
    free(record);
}

static void text_is_quoted_where_it_must_be(void **state)
{
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"a,b", "\"a,b\""},
        {"say \"hi\"", "\"say \"\"hi\"\"\""},
        {"two\nlines", "\"two\nlines\""},
        {"\r", "\"\r\""},
        {"NA", "\"NA\""},
        {"", ""},
        {"NAN", "NAN"},
        {" sp ace ", " sp ace "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = records_make(1);
        record_set_text(record, COLUMN_lab, "%s", cases[i][0]);
        char *text = captured(write_first, record, 1);
        assert_memory_equal(text, cases[i][1], strlen(cases[i][1]));
        assert_memory_equal(text + strlen(cases[i][1]), ",NA,", 4);
        free(text);
        free(record);
    }
}

static const char *field_of_real(double value, char *text)
{
    struct record *record = records_make(1);
    record_set_real(record, COLUMN_time_us, value);
    char *line = captured(write_first, record, 1);
    const char *field = line;
    for (int i = 0; i < COLUMN_time_us; i++)
        field = strchr(field, ',') + 1;
    snprintf(text, 64, "%.*s", (int)strcspn(field, ","), field);
    free(line);
    free(record);
    return text;
}

static void reals_have_six_digits(void **state)
{
    char text[64];
    (void)state;
    assert_string_equal(field_of_real(0, text), "0");
    assert_string_equal(field_of_real(3.14159265, text), "3.14159");
    assert_string_equal(field_of_real(-0.5, text), "-0.5");
    assert_string_equal(field_of_real(123456.7, text), "123457");
    assert_string_equal(field_of_real(NAN, text), "NA");
    assert_string_equal(field_of_real(INFINITY, text), "NA");
}

static void locales_do_not_matter(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
    const char *found = NULL;
    char text[64];
    (void)state;
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
        found = setlocale(LC_ALL, names[i]);
    if (!found)
        skip();
    field_of_real(1.5, text);
    file_write(in_directory("l.csv"), "time_us\n2.25\n", 13);
    struct record *records;
    size_t count;
    struct failure failure = {.kind = FAILURE_NONE};
    bool loaded = records_load(in_directory("l.csv"), &records, &count, &failure);
    unlink(in_directory("l.csv"));
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "1.5");
    assert_true(loaded);
    assert_true(records->values[COLUMN_time_us].real == 2.25);
    free(records);
}

static void long_text_is_cut_at_a_character(void **state)
{
    char text[3 * RECORD_TEXT_SIZE] = "";
    struct record *record = records_make(1);
    (void)state;
    for (int i = 0; i < RECORD_TEXT_SIZE; i++)
        strcat(text, "\xc3\xa9");
    for (int odd = 0; odd < 2; odd++) {
        record_set_text(record, COLUMN_reason, "%s%s", odd ? "x" : "", text);
        const char *cut = record_text(record, COLUMN_reason);
        size_t length = strlen(cut);
        assert_true(length < RECORD_TEXT_SIZE && length > RECORD_TEXT_SIZE - 8);
        assert_string_equal(cut + length - 3, "...");
        assert_int_equal((length - 3) % 2, odd);
    }
    free(record);
}

static void texts_keep_apart(void **state)
{
    struct record *records = records_make(2), *record = records;
    (void)state;
    for (int round = 0; round < 100; round++) {
        int length = 2 + round * 7 % 50;
        record_set_text(record, COLUMN_lab, "%0*d", length, round);
        record_set_text(record, COLUMN_reason, "%0*d", 1 + round * 31 % 900, round);
        record_set_text(record, COLUMN_status, "status %d", round);
        assert_int_equal(atoi(record_text(record, COLUMN_lab)), round);
        assert_int_equal(strlen(record_text(record, COLUMN_lab)), length);
        assert_int_equal(atoi(record_text(record, COLUMN_reason)), round);
        assert_true(record_is_sound(record));
    }
    record_set_text(record, COLUMN_status, "[%s]", record_text(record, COLUMN_status));
    assert_string_equal(record_text(record, COLUMN_status), "[status 99]");
    record_set_text(&records[1], COLUMN_status, "replaced");
    record_set_text(&records[1], COLUMN_source, "kept");
    record_merge(&records[1], record);
    assert_string_equal(record_text(&records[1], COLUMN_status), "[status 99]");
    assert_string_equal(record_text(&records[1], COLUMN_source), "kept");
    record_clear(record);
    assert_string_equal(record_text(record, COLUMN_status), "");
    free(records);
}

static void texts_beyond_the_room_are_cut(void **state)
{
    struct record *record = records_make(1);
    (void)state;
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (column_describe((enum column)i)->type == RECORD_TEXT)
            record_set_text(record, (enum column)i, "%0*d", 2 * RECORD_TEXT_SIZE, i);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const char *text = record_text(record, (enum column)i);
        size_t length = strlen(text);
        if (column_describe((enum column)i)->type != RECORD_TEXT)
            continue;
        assert_int_equal(length, column_describe((enum column)i)->text_size - 1);
        assert_string_equal(text + length - 3, "...");
        assert_int_equal(strspn(text, "0"), length - 3);
    }
    assert_true(record_is_sound(record));
    free(record);
}

static void a_full_table_is_small(void **state)
{
    const char *path = in_directory("full.csv");
    struct record *records;
    size_t count;
    struct failure failure = {.kind = FAILURE_NONE};
    FILE *file = fopen(path, "w");
    (void)state;
    assert_non_null(file);
    fputs("lab,kernel,reason,rows\n", file);
    for (int i = 0; i < RECORDS_MAX; i++)
        fprintf(file, "lab %d,transpose,\"a reason, %d\",%d\n", i, i, i);
    assert_int_equal(fclose(file), 0);
    assert_true(records_load(path, &records, &count, &failure));
    assert_int_equal(count, RECORDS_MAX);
    assert_true(malloc_usable_size(records) >= count * sizeof *records);
    assert_true(malloc_usable_size(records) < 40 << 20);
    assert_string_equal(record_text(&records[RECORDS_MAX - 1], COLUMN_reason), "a reason, 8191");
    free(records);
    unlink(path);
}

static void records_survive_a_round_trip(void **state)
{
    static const char *const texts[] = {"",         "NA", "a,b\"c\"", "line\nline\r\nline",
                                        "\xc3\xa9", "-"};
    enum { COUNT = sizeof texts / sizeof *texts };
    const char *path = in_directory("round.csv");
    struct record *records = records_make(COUNT), *loaded;
    struct failure failure = {.kind = FAILURE_NONE};
    size_t count;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        record_set_text(&records[i], COLUMN_lab, "%s", texts[i]);
        record_set_text(&records[i], COLUMN_source, "%s", texts[COUNT - 1 - i]);
        record_set_count(&records[i], COLUMN_seed, UINT64_MAX - (uint64_t)i);
        record_set_real(&records[i], COLUMN_time_us, 1.25 * i);
    }
    assert_true(records_save(path, records, COUNT, &failure));
    assert_true(records_load(path, &loaded, &count, &failure));
    assert_int_equal(count, COUNT);
    for (int i = 0; i < COUNT; i++)
        for (int c = 0; c < COLUMN_COUNT; c++) {
            const struct record_value *a = &records[i].values[c], *b = &loaded[i].values[c];
            assert_int_equal(a->known, b->known);
            if (!a->known)
                continue;
            enum record_type type = column_describe((enum column)c)->type;
            if (type == RECORD_TEXT)
                assert_string_equal(record_text(&records[i], (enum column)c),
                                    record_text(&loaded[i], (enum column)c));
            else if (type == RECORD_COUNT)
                assert_true(a->count == b->count);
            else
                assert_true(a->real == b->real);
        }
    assert_int_equal(unlink(path), 0);
    free(records);
    free(loaded);
}

#define BYTES(text) text, sizeof text - 1

static const struct {
    const char *bytes;
    size_t length;
    int count;          /* Number of records; -1 if the file is rejected. */
    const char *phrase; /* Message of the rejection, without the path. */
} files[] = {
    {BYTES("lab\nx\n"), 1, NULL},
    {BYTES("lab\nx"), 1, NULL},
    {BYTES("lab\r\nx\r\n\r\ny\r\n"), 2, NULL},
    {BYTES("\xef\xbb\xbflab,other\nx,1\n"), 1, NULL},
    {BYTES("other,\"lab\"\n\"a\nb\",x\n"), 1, NULL},
    {BYTES("lab\n"), 0, NULL},
    {BYTES("lab,rows,time_us\n,,\nNA,NA,NA\n"), 2, NULL},
    {BYTES("rows\n18446744073709551615\n"), 1, NULL},
    {BYTES("time_us\n1e-400\n-1.5E+3\n"), 2, NULL},
    {BYTES(""), -1, ":1: the file is empty"},
    {BYTES("\n\n"), -1, ":3: the file is empty"},
    {BYTES("a,b,c\n1,2,3\n"), -1, ":1: the header has no known column"},
    {BYTES("lab,rows,lab\n"), -1, ":1: the column lab appears twice"},
    {BYTES("lab,rows\nx,1\ny\n"), -1, ":3: the row has 1 field, but the header has 2 columns"},
    {BYTES("lab,rows\nx,1,\n"), -1, ":2: the row has more fields than"},
    {BYTES("lab,rows\n\"x\ny\",1\n\"z\",\n\"z,1\n\n"), -1, ":5: a quote is opened here"},
    {BYTES("lab\n\"x\"y\n"), -1, ":2: text after a closing quote"},
    {BYTES("lab\nx\"y\n"), -1, ":2: a quote inside a field"},
    {BYTES("lab\n\""), -1, ":2: a quote is opened here"},
    {BYTES("lab\n\"\"\""), -1, ":2: a quote is opened here"},
    {BYTES("lab\nx\n\0y\n"), -1, ":3: a NUL byte"},
    {BYTES("lab,rows\nx,12a\n"), -1, ":2: rows is not a number: \"12a\""},
    {BYTES("rows\n-1\n"), -1, ":2: rows is not a number"},
    {BYTES("rows\n 1\n"), -1, ":2: rows is not a number"},
    {BYTES("rows\n18446744073709551616\n"), -1, ":2: rows is not a number"},
    {BYTES("rows\n\"NA\"\n"), -1, ":2: rows is not a number"},
    {BYTES("time_us\nnan\n"), -1, ":2: time_us is not a number"},
    {BYTES("time_us\n0x10\n"), -1, ":2: time_us is not a number"},
    {BYTES("time_us\n1e999\n"), -1, ":2: time_us is not a number"},
    {BYTES("time_us\n1,5\n"), -1, ":2: the row has more fields than"},
};

static void strange_files_are_read_or_refused(void **state)
{
    const char *path = in_directory("in.csv");
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct record *records;
        size_t count;
        struct failure failure = {.kind = FAILURE_NONE};
        char expected[160];
        file_write(path, files[i].bytes, files[i].length);
        bool loaded = records_load(path, &records, &count, &failure);
        snprintf(expected, sizeof expected, "%s%s", path, files[i].phrase ? files[i].phrase : "");
        if (loaded != (files[i].count >= 0))
            fail_msg("file %zu: %s", i, failure.text);
        if (loaded)
            assert_int_equal(count, files[i].count);
        else if (failure.kind != FAILURE_HARNESS ||
                 strncmp(failure.text, expected, strlen(expected)))
            fail_msg("file %zu: \"%s\" instead of \"%s\"", i, failure.text, expected);
        free(records);
    }
    unlink(path);
}

static void quoted_fields_are_unquoted(void **state)
{
    static const char text[] = "time_us,x,lab,variant,rows\r\n1.5,,\"a \"\"b\"\"\r\n,c\",\"\",7";
    const char *path = in_directory("in.csv");
    struct record *records;
    size_t count;
    struct failure failure = {.kind = FAILURE_NONE};
    (void)state;
    file_write(path, text, sizeof text - 1);
    assert_true(records_load(path, &records, &count, &failure));
    assert_int_equal(count, 1);
    assert_string_equal(record_text(records, COLUMN_lab), "a \"b\"\r\n,c");
    assert_true(records->values[COLUMN_variant].known);
    assert_string_equal(record_text(records, COLUMN_variant), "");
    assert_true(records->values[COLUMN_time_us].real == 1.5);
    assert_int_equal(records->values[COLUMN_rows].count, 7);
    assert_false(records->values[COLUMN_cols].known);
    free(records);
    unlink(path);
}

static void expect_refused(const char *path, const char *phrase)
{
    struct record *records;
    size_t count;
    struct failure failure = {.kind = FAILURE_NONE};
    assert_false(records_load(path, &records, &count, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    if (!strstr(failure.text, phrase))
        fail_msg("expected \"%s\" in: %s", phrase, failure.text);
    assert_null(records);
}

static void large_files_are_bounded(void **state)
{
    enum { MILLION = 1000000 };
    const char *path = in_directory("large.csv");
    char *text = malloc(2 * MILLION + 8);
    (void)state;
    assert_non_null(text);
    memset(text, ',', MILLION);
    file_write(path, text, MILLION);
    expect_refused(path, ":1: too many columns");

    memcpy(text, "lab\n", 4);
    for (int i = 0; i < MILLION; i++)
        memcpy(text + 4 + 2 * i, "x\n", 2);
    file_write(path, text, 4 + 2 * MILLION);
    expect_refused(path, ":8194: too many records");

    memset(text + 4, 'x', MILLION);
    file_write(path, text, 4 + MILLION);
    struct record *records;
    size_t count;
    struct failure failure = {.kind = FAILURE_NONE};
    assert_true(records_load(path, &records, &count, &failure));
    assert_int_equal(strlen(record_text(records, COLUMN_lab)), sizeof records->texts.lab - 1);
    free(records);
    free(text);

    assert_int_equal(truncate(path, 65 << 20), 0);
    expect_refused(path, "larger than 64 MiB");
    unlink(path);
    expect_refused(path, "No such file or directory");
    expect_refused(directory, "Is a directory");
}

static void random_bytes_do_no_harm(void **state)
{
    static const char alphabet[] = "lab,rows\n\"\r1.NAx\xc3\xa9,\n";
    const char *path = in_directory("fuzz.csv");
    uint32_t random = 12345;
    (void)state;
    for (int round = 0; round < 1000; round++) {
        char bytes[96] = "lab,rows,time_us\n";
        size_t length = strlen(bytes);
        for (; length < sizeof bytes && (random = random * 1664525 + 1013904223) >> 26; length++)
            bytes[length] = alphabet[(random >> 16) % (sizeof alphabet - 1)];
        if (round % 3 == 0)
            bytes[random % length] = (char)(random >> 8);
        file_write(path, bytes, length);
        struct record *records;
        size_t count;
        struct failure failure = {.kind = FAILURE_NONE};
        bool loaded = records_load(path, &records, &count, &failure);
        assert_true(loaded ? failure.kind == FAILURE_NONE : *failure.text != '\0');
        free(records);
    }
    unlink(path);
}

static void expect_unsaved(const char *path, const char *phrase)
{
    struct record *record = records_make(1);
    struct failure failure = {.kind = FAILURE_NONE};
    assert_false(records_save(path, record, 1, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    if (!strstr(failure.text, phrase))
        fail_msg("expected \"%s\" in: %s", phrase, failure.text);
    free(record);
}

static void directory_must_be_empty(void)
{
    unsigned entries = 0;
    DIR *stream = opendir(directory);
    assert_non_null(stream);
    while (readdir(stream))
        entries++;
    closedir(stream);
    assert_int_equal(entries, 2);
}

static void unwritable_paths_are_refused(void **state)
{
    const char *link = in_directory("link"), *target = in_directory("target");
    (void)state;
    expect_unsaved(directory, "Is a directory");
    expect_unsaved(in_directory("no/such.csv"), "No such file or directory");
    expect_unsaved("", "cannot write");
    expect_unsaved("/dev/full", "No space left");
    assert_int_equal(symlink("target", link), 0);
    expect_unsaved(link, "symbolic link");
    assert_int_equal(access(target, F_OK), -1);
    file_write(target, "old", 3);
    expect_unsaved(link, "symbolic link");
    char *text = file_read(target);
    assert_string_equal(text, "old");
    free(text);
    unlink(link);
    unlink(target);
    directory_must_be_empty();
}

static void a_full_disk_leaves_the_old_file(void **state)
{
    const char *path = in_directory("old.csv");
    struct rlimit limit;
    (void)state;
    file_write(path, "old", 3);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    struct rlimit small = {100, limit.rlim_max};
    void (*previous)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct record *record = records_make(1);
    struct failure failure = {.kind = FAILURE_NONE};
    bool saved = records_save(path, record, 1, &failure);
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, previous);
    assert_false(saved);
    assert_non_null(strstr(failure.text, "File too large"));
    char *text = file_read(path);
    assert_string_equal(text, "old");
    free(text);
    free(record);
    unlink(path);
    directory_must_be_empty();
}

static void files_are_replaced_whole(void **state)
{
    const char *path = in_directory("new.csv");
    struct record *record = records_make(1);
    struct failure failure = {.kind = FAILURE_NONE};
    struct stat before, after;
    (void)state;
    file_write(path, "old", 3);
    assert_int_equal(stat(path, &before), 0);
    mode_t mask = umask(027);
    assert_true(records_save(path, record, 1, &failure));
    umask(mask);
    assert_int_equal(stat(path, &after), 0);
    assert_int_not_equal(before.st_ino, after.st_ino);
    assert_int_equal(after.st_mode & 0777, 0640);
    char *text = file_read(path);
    assert_memory_equal(text, contract_header, strlen(contract_header));
    assert_int_equal(text[strlen(contract_header)], '\n');
    free(text);
    free(record);
    unlink(path);
}

/* Returns 0 if a child process with this standard output saved the records, otherwise 1. */
static int save_to_standard_output(int descriptor, const char *path)
{
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct record *record = records_make(1);
        struct failure failure = {.kind = FAILURE_NONE};
        bool good = dup2(descriptor, STDOUT_FILENO) == STDOUT_FILENO &&
                    records_save(path, record, 1, &failure);
        _exit(good ? 0 : failure.kind == FAILURE_HARNESS ? 1 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void streams_are_written_directly(void **state)
{
    static const char *const names[] = {"-", "/dev/stdout"};
    (void)state;
    int full = open("/dev/full", O_WRONLY), null = open("/dev/null", O_WRONLY), pipes[2];
    assert_true(full >= 0 && null >= 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(save_to_standard_output(full, names[i]), 1);
        assert_int_equal(save_to_standard_output(null, names[i]), 0);
    }
    assert_int_equal(save_to_standard_output(null, "/dev/null"), 0);
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(save_to_standard_output(pipes[1], "/dev/fd/1"), 0);
    char bytes[4] = "";
    assert_int_equal(read(pipes[0], bytes, 4), 4);
    assert_memory_equal(bytes, "lab,", 4);
    close(pipes[0]);
    close(pipes[1]);
    close(full);
    close(null);
}

static void set_run(struct record *record, const char *lab, const char *variant, uint64_t side)
{
    static const enum column counters[] = {
        COLUMN_global_load_requests, COLUMN_global_store_requests, COLUMN_shared_load_requests,
        COLUMN_shared_store_requests, COLUMN_shared_store_conflicts};
    record_set_text(record, COLUMN_lab, "%s", lab);
    record_set_text(record, COLUMN_variant, "%s", variant);
    record_set_text(record, COLUMN_device, "h200");
    record_set_text(record, COLUMN_chip, "GH100");
    record_set_text(record, COLUMN_source, "emulator");
    record_set_text(record, COLUMN_status, "ok");
    record_set_text(record, COLUMN_bound, "dram");
    record_set_count(record, COLUMN_rows, side);
    record_set_count(record, COLUMN_cols, side);
    record_set_real(record, COLUMN_time_us, 123.456);
    record_set_real(record, COLUMN_bandwidth_gbps, 3812.71);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        record_set_count(record, counters[i], 1000);
    record_set_count(record, COLUMN_global_load_sectors, 4000);
    record_set_count(record, COLUMN_global_store_sectors, 31500);
    record_set_count(record, COLUMN_shared_load_conflicts, 0);
    record_set_count(record, COLUMN_l2_read_bytes, 67108864);
    record_set_count(record, COLUMN_l2_write_bytes, 67108864);
    record_set_count(record, COLUMN_dram_read_bytes, 67000000);
    record_set_count(record, COLUMN_dram_write_bytes, 100000);
}

static void lines_fit(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 100)
            fail_msg("a line of %zu characters:\n%s", strcspn(line, "\n"), text);
}

static void tables_show_what_matters(void **state)
{
    struct record *records = records_make(2);
    (void)state;
    set_run(&records[0], "01_naive", "naive", 2048);
    set_run(&records[1], "00_copy", "copy_shared", 2048);
    char *text = captured(records_print, records, 2);
    lines_fit(text);
    assert_non_null(strstr(text, "device h200 (GH100), 2048 x 2048, emulated: times are modelled"));
    assert_non_null(strstr(text, "01_naive "));
    assert_non_null(strstr(text, "00_copy/copy_shared"));
    assert_non_null(strstr(text, " 123.5  3813  "));
    assert_non_null(strstr(text, "   4   31.5 "));
    assert_non_null(strstr(text, "  67.1  dram   ok\n"));
    assert_null(strstr(text, "copy_pct"));
    assert_null(strstr(text, "% of"));
    free(text);

    record_set_count(&records[1], COLUMN_rows, 1000);
    text = captured(records_print, records, 2);
    lines_fit(text);
    assert_non_null(strstr(text, "1000x2048"));
    assert_non_null(strstr(text, "2048x2048"));
    free(text);

    record_set_text(&records[1], COLUMN_source, "cupti");
    text = captured(records_print, records, 2);
    const char *second = strstr(text, "\n\ndevice");
    assert_non_null(second);
    assert_null(strstr(second, "modelled"));
    free(text);
    free(records);
}

static void failed_runs_say_why(void **state)
{
    struct record *record = records_make(1);
    (void)state;
    set_run(record, "01_naive", "na\033[31mive", 2048);
    record->values[COLUMN_time_us].known = false;
    record_set_text(record, COLUMN_status, "wrong_result");
    record_set_text(
        record, COLUMN_reason, "this is a copy\nodata[0][1] %s%s\tend\xc2\x9b",
        "is wrong and this line is so long that it must be broken somewhere between two ",
        "words, as it should be");
    char *text = captured(records_print, record, 1);
    lines_fit(text);
    assert_null(strchr(text, '\033'));
    assert_null(strchr(text, '\t'));
    assert_null(strstr(text, "\xc2\x9b"));
    assert_non_null(
        strstr(text, "2048x2048: wrong_result\n    this is a copy\n    odata[0][1] is"));
    assert_non_null(strstr(text, "\n      "));
    free(text);

    record_set_text(record, COLUMN_reason, "%0*d", 1000, 7);
    text = captured(records_print, record, 1);
    assert_true(strlen(strstr(text, "000")) > 1000);
    free(text);
    free(record);
}

static void extreme_tables_fit(void **state)
{
    struct record *records = records_make(3);
    (void)state;
    for (int i = 0; i < 2; i++) {
        set_run(&records[i], "a_lab_with_quite_a_long_name_that_nobody_should_use", "v", 30000 + i);
        record_set_real(&records[i], COLUMN_time_us, 98765432.1);
        record_set_real(&records[i], COLUMN_copy_pct, 1e30);
        record_set_text(&records[i], COLUMN_status, "uninitialised");
        record_set_text(&records[i], COLUMN_bound, "dram_partition");
        record_set_count(&records[i], COLUMN_dram_write_bytes, UINT64_MAX);
    }
    char *text = captured(records_print, records, 2);
    lines_fit(text);
    free(text);
    text = captured(records_print, records + 2, 1);
    lines_fit(text);
    assert_non_null(strstr(text, "device unknown"));
    free(text);
    text = captured(records_print, records, 0);
    assert_string_equal(text, "");
    free(text);
    free(records);
}

static void records_are_compared_by_columns(void **unused)
{
    (void)unused;
    static const enum column columns[] = {COLUMN_lab, COLUMN_rows};
    struct record a, b;
    record_clear(&a);
    record_clear(&b);
    assert_true(record_same(&a, &b, columns, 2));
    record_set_text(&a, COLUMN_lab, "%s", "");
    assert_true(record_same(&a, &b, columns, 2));
    record_set_count(&a, COLUMN_rows, 0);
    assert_false(record_same(&a, &b, columns, 2));
    assert_true(record_same(&a, &b, columns, 1));
    record_set_count(&b, COLUMN_rows, 0);
    record_set_text(&b, COLUMN_lab, "01");
    assert_false(record_same(&a, &b, columns, 2));
    record_set_text(&a, COLUMN_lab, "01");
    record_set_count(&a, COLUMN_cols, 7);
    assert_true(record_same(&a, &b, columns, 2));
}

static void columns_are_numbers_and_ratios(void **unused)
{
    (void)unused;
    struct record record;
    double value;
    char shape[RECORD_SHAPE_SIZE];
    record_clear(&record);
    assert_false(record_ratio(&record, COLUMN_rows, COLUMN_COUNT, &value));
    record_set_count(&record, COLUMN_rows, 6);
    record_set_count(&record, COLUMN_cols, 0);
    assert_true(record_ratio(&record, COLUMN_rows, COLUMN_COUNT, &value) && value == 6);
    assert_false(record_ratio(&record, COLUMN_rows, COLUMN_cols, &value));
    record_set_count(&record, COLUMN_cols, 4);
    assert_true(record_ratio(&record, COLUMN_rows, COLUMN_cols, &value) && value == 1.5);
    assert_false(record_is_right(&record));
    record_set_text(&record, COLUMN_status, "ok");
    assert_true(record_is_right(&record) && !record_number(&record, COLUMN_status, &value));
    assert_string_equal(record_shape(&record, shape), "");
    record_set_shape(&record, (uint32_t[]){1, 2, 3}, (uint32_t[]){4, 5, 6});
    assert_string_equal(record_shape(&record, shape), "grid 1 x 2 x 3, block 4 x 5 x 6");
}

static void throughput_follows_from_bytes_and_time(void **unused)
{
    (void)unused;
    struct record record;
    record_set_launch(&record, "k", (uint32_t[]){1, 1, 1}, (uint32_t[]){32, 1, 1}, 0);
    record_set_count(&record, COLUMN_dram_read_bytes, 1000);
    record_set_count(&record, COLUMN_dram_write_bytes, 2000);
    record_set_dram(&record, 15);
    assert_false(record.values[COLUMN_dram_throughput_gbps].known);
    record_set_real(&record, COLUMN_time_us, 0);
    record_set_dram(&record, 15);
    assert_false(record.values[COLUMN_dram_throughput_gbps].known);
    record_set_real(&record, COLUMN_time_us, 2);
    record_set_dram(&record, 0);
    assert_true(record.values[COLUMN_dram_throughput_gbps].real == 1.5);
    assert_false(record.values[COLUMN_dram_throughput_pct].known);
    record_set_dram(&record, 15);
    assert_true(record.values[COLUMN_dram_throughput_pct].real == 10);
}

/* Findings are separated by spaces. A longer or a shorter name is a different finding. */
static void findings_are_complete_words(void **unused)
{
    static const struct {
        const char *before, *after;
        bool has;
    } cases[] = {
        {"", "", true},        {"", " other", true}, {"other ", "", true}, {"other ", " x", true},
        {"", "x", false},      {"x", "", false},     {"", "x y", false},   {"y x", "", false},
        {"", "-other", false}, {"y  ", "  z", true}, {"", "x ", false},    {"", " ", true},
    };
    (void)unused;
    struct record record;
    const char *name = finding_name(FINDING_NOT_BEGUN);
    record_clear(&record);
    assert_false(record_has(&record, FINDING_NOT_BEGUN));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        record_set_text(&record, COLUMN_findings, "%s%s%s", cases[i].before, name, cases[i].after);
        if (record_has(&record, FINDING_NOT_BEGUN) != cases[i].has)
            fail_msg("\"%s\"", record_text(&record, COLUMN_findings));
    }
    record_set_text(&record, COLUMN_findings, "%sx %s", name, name);
    assert_true(record_has(&record, FINDING_NOT_BEGUN));
    record_set_text(&record, COLUMN_findings, "%.*s", (int)strlen(name) - 1, name);
    assert_false(record_has(&record, FINDING_NOT_BEGUN));
    record_set_text(&record, COLUMN_findings, "%s", "");
    assert_false(record_has(&record, FINDING_NOT_BEGUN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_compared_by_columns),
        cmocka_unit_test(columns_are_numbers_and_ratios),
        cmocka_unit_test(findings_are_complete_words),
        cmocka_unit_test(throughput_follows_from_bytes_and_time),
        cmocka_unit_test(columns_are_the_contract),
        cmocka_unit_test(columns_are_printed),
        cmocka_unit_test(events_differ_from_other_numbers),
        cmocka_unit_test(unknown_values_are_NA),
        cmocka_unit_test(text_is_quoted_where_it_must_be),
        cmocka_unit_test(reals_have_six_digits),
        cmocka_unit_test(locales_do_not_matter),
        cmocka_unit_test(long_text_is_cut_at_a_character),
        cmocka_unit_test(texts_keep_apart),
        cmocka_unit_test(texts_beyond_the_room_are_cut),
        cmocka_unit_test(a_full_table_is_small),
        cmocka_unit_test(records_survive_a_round_trip),
        cmocka_unit_test(strange_files_are_read_or_refused),
        cmocka_unit_test(quoted_fields_are_unquoted),
        cmocka_unit_test(large_files_are_bounded),
        cmocka_unit_test(random_bytes_do_no_harm),
        cmocka_unit_test(unwritable_paths_are_refused),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(files_are_replaced_whole),
        cmocka_unit_test(streams_are_written_directly),
        cmocka_unit_test(tables_show_what_matters),
        cmocka_unit_test(failed_runs_say_why),
        cmocka_unit_test(extreme_tables_fit),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
