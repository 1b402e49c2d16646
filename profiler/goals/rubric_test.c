/* rubric_test.c: tests of valid rubrics, invalid rubrics, and drawn sizes. check: course */
#include "goals/rubric.h"

#include "base/paths.h"
#include "goals/draw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

static const unsigned char secret[32] = "a secret of thirty-two bytes....";
static char directory[] = "/tmp/rubric_test_XXXXXX";
static char path[sizeof directory + 32];

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/padded.json", directory);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

#define SIZES "\"published\": [[64, 96], [100, 77], [1, 70]], \"hidden\": [\"square\", \"thin\"]"
#define RUNS "\"runs\": [{\"name\": \"counted\", \"device\": \"h200\", \"rows\": 64, \"cols\": 96}]"
#define CORRECT                                                                                    \
    "{\"id\": \"right\", \"kind\": \"correct\", \"title\": \"Right\", \"points\": 4, \"hint\": "   \
    "\"Think\", \"all\": true}"
#define RATIO                                                                                      \
    "{\"id\": \"sectors\", \"kind\": \"ratio\", \"title\": \"Few sectors\", \"points\": 5, "       \
    "\"run\": \"counted\", \"measure\": \"sectors\", \"full\": 1.05, \"zero\": 4.5}"
#define MECHANISM                                                                                  \
    "{\"id\": \"tile\", \"kind\": \"mechanism\", \"title\": \"A tile\", \"points\": 1, "           \
    "\"run\": \"counted\", \"require\": \"shared_memory\", \"after\": \"sectors\"}"
#define CHECKS "\"checks\": [" CORRECT ", " RATIO ", " MECHANISM "]"
#define GOOD                                                                                       \
    "{\"exercise\": \"padded\", \"title\": \"Padded\", \"points\": 10, " SIZES ", " RUNS           \
    ", " CHECKS "}"

static bool read_bytes(const char *bytes, size_t size, struct rubric *rubric,
                       struct failure *failure)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    *failure = (struct failure){0};
    return rubric_read(directory, "padded", secret, rubric, failure);
}

static bool read_changed(const char *old, const char *new, struct rubric *rubric,
                         struct failure *failure)
{
    char text[4096];
    const char *good = GOOD, *at = strstr(good, old);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, new, at + strlen(old));
    return read_bytes(text, strlen(text), rubric, failure);
}

/* An instructor gives the points of this check. No other check can depend on it. */
#define EXPLANATION                                                                                \
    "{\"id\": \"why\", \"kind\": \"explanation\", \"title\": \"Why?\", \"points\": 4"
static void test_explanation(void **state)
{
    (void)state;
    struct rubric *rubric = calloc(1, sizeof *rubric);
    struct failure failure;
    char text[4096];
    assert_non_null(rubric);
    snprintf(text, sizeof text, "%s",
             "{\"exercise\": \"padded\", \"title\": \"Padded\", \"points\": 4, " SIZES ", " RUNS
             ", \"checks\": [" EXPLANATION "}]}");
    if (!read_bytes(text, strlen(text), rubric, &failure))
        fail_msg("%s", failure.text);
    assert_int_equal(rubric->check_count, 1);
    assert_int_equal(rubric->checks[0].kind, RUBRIC_EXPLANATION);
    assert_true(rubric->checks[0].points == 4 && rubric->checks[0].visible);
    assert_false(read_changed("\"checks\": [",
                              "\"checks\": [" EXPLANATION ", \"run\": \"counted\"}, ", rubric,
                              &failure));
    assert_non_null(strstr(failure.text, "checks[0].run: is not a known field"));
    assert_false(read_changed("\"checks\": [",
                              "\"checks\": [" EXPLANATION
                              "}, {\"id\": \"x\", \"kind\": \"ratio\", \"title\": \"x\", "
                              "\"points\": 1, \"run\": \"counted\", \"measure\": \"sectors\", "
                              "\"full\": 1, \"zero\": 2, \"after\": \"why\"}, ",
                              rubric, &failure));
    assert_non_null(strstr(failure.text, "checks[1].after: the check `why` is marked by a person"));
    free(rubric);
}

static void test_good(void **state)
{
    (void)state;
    struct rubric *rubric = calloc(1, sizeof *rubric);
    struct failure failure;
    assert_non_null(rubric);
    if (!read_bytes(GOOD, strlen(GOOD), rubric, &failure))
        fail_msg("%s", failure.text);
    assert_string_equal(rubric->exercise.name, "padded");
    assert_string_equal(rubric->exercise.lab, "03_padded");
    assert_int_equal(rubric->exercise.reference, REFERENCE_TRANSPOSE);
    assert_int_equal(rubric->size_count, 5);
    assert_int_equal(rubric->sizes[0].kind, RUBRIC_OBLONG);
    assert_int_equal(rubric->sizes[1].kind, RUBRIC_RAGGED);
    assert_int_equal(rubric->sizes[2].kind, RUBRIC_THIN);
    assert_false(rubric->sizes[2].hidden);
    assert_true(rubric->sizes[3].hidden && rubric->sizes[4].hidden);
    assert_int_equal(rubric->sizes[3].kind, RUBRIC_SQUARE);
    assert_int_equal(rubric->sizes[3].rows, rubric->sizes[3].cols);
    assert_int_equal(rubric->sizes[3].rows % 32, 0);
    assert_int_equal(rubric->run_count, 1);
    assert_string_equal(rubric->runs[0].device.chip, "GH100");
    assert_int_equal(rubric->check_count, 3);
    assert_true(rubric->checks[0].all && rubric->checks[0].visible);
    assert_true(rubric->checks[0].of_hidden[0] && rubric->checks[0].of_hidden[1]);
    assert_string_equal(rubric->checks[0].hint, "Think");
    assert_true(rubric->checks[1].full == 1.05 && rubric->checks[1].zero == 4.5);
    assert_int_equal(rubric->checks[1].after, -1);
    assert_int_equal(rubric->checks[2].after, 1);
    assert_int_equal(rubric->checks[2].either, -1);
    assert_int_equal(rubric->checks[2].mechanism, RUBRIC_USES_SHARED);
    assert_int_equal(strlen(rubric->digest), 64);
    free(rubric);
}

/* A copy for students has the points of hidden checks, but not these checks. */
static void test_elsewhere(void **state)
{
    (void)state;
    struct rubric *rubric = calloc(1, sizeof *rubric);
    struct failure failure;
    assert_non_null(rubric);
    assert_true(
        read_changed("\"points\": 10", "\"points\": 10, \"elsewhere\": 2.5", rubric, &failure));
    assert_true(rubric->elsewhere == 2.5 && rubric->points == 10);
    assert_true(read_bytes(GOOD, strlen(GOOD), rubric, &failure));
    assert_true(rubric->elsewhere == 0);
    assert_false(
        read_changed("\"points\": 10", "\"points\": 10, \"elsewhere\": -2", rubric, &failure));
    assert_non_null(strstr(failure.text, "elsewhere: must be a number from 0"));
    free(rubric);
}

/* A kernel with a mistake earns no points, unless the rubric permits a share of the points. */
static void test_mistakes(void **state)
{
    (void)state;
    struct rubric *rubric = calloc(1, sizeof *rubric);
    struct failure failure;
    assert_non_null(rubric);
    assert_true(read_bytes(GOOD, strlen(GOOD), rubric, &failure));
    for (int i = 0; i < RUBRIC_MISTAKE_COUNT; i++)
        assert_true(rubric->mistakes[i] == 0);
    assert_true(read_changed("\"points\": 10", "\"points\": 10, \"mistakes\": {\"barrier\": 0.6}",
                             rubric, &failure));
    assert_true(rubric->mistakes[RUBRIC_MISTAKE_BARRIER] == 0.6);
    assert_true(rubric->mistakes[RUBRIC_MISTAKE_EDGES] == 0);
    assert_true(read_changed("\"after\": \"sectors\"", "\"or\": \"right\"", rubric, &failure));
    assert_int_equal(rubric->checks[2].either, 0);
    free(rubric);
}

/* The digest of "abc" is an example of FIPS 180-2. "abc" is not a rubric, but has a digest. */
static void test_digest(void **state)
{
    (void)state;
    struct rubric *rubric = calloc(1, sizeof *rubric);
    struct failure failure;
    assert_non_null(rubric);
    assert_false(read_bytes("abc", 3, rubric, &failure));
    assert_string_equal(rubric->digest,
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    free(rubric);
}

#define TWIN(rows, cols) "\"rows\": 64, \"twin\": {\"rows\": " rows ", \"cols\": " cols "}, "

/* Changes of the valid rubric, each with the expected message (without the file name). */
static const struct {
    const char *old, *new, *message;
} broken[] = {
    {"\"points\": 10", "\"points\": 11",
     "points: is 11, but the points of the checks add up to 10"},
    {"\"points\": 10", "\"points\": \"10\"", "points: must be a number"},
    {"\"points\": 10", "\"points\": -1", "points: must be a number from 0 to 1e+06"},
    {"\"points\": 10, ", "", "points: is missing"},
    {"\"points\": 10", "\"points\": NaN", ":1: invalid token near 'NaN'"},
    {"\"points\": 10", "\"points\": 1e999", "real number overflow"},
    {"\"points\": 10", "\"points\": 10, \"points\": 10", "duplicate object key"},
    {"\"points\": 10", "\"points\": 10, \"colour\": 1", "colour: is not a known field"},
    {"\"exercise\": \"padded\"", "\"exercise\": \"naive\"",
     "must be `padded`, the name of the file"},
    {"\"exercise\": \"padded\"", "\"exercise\": 3", "exercise: must be a string"},
    {"\"title\": \"Padded\"", "\"title\": \"Pad\\u0000ded\"", "\\u0000 is not allowed"},
    {"\"title\": \"Padded\"", "\"title\": \"Pad\\nded\"", "title: must not contain control"},
    {"\"title\": \"Padded\"", "\"title\": \"\xff\"", "unable to decode byte 0xff"},
    {"[[64, 96]", "[[64]", "published[0]: must be [rows, columns]"},
    {"[[64, 96]", "[[64, 0]", "published[0]: must be a whole number from 1 to 16384"},
    {"[[64, 96]", "[[64, 1.5]", "published[0]: must be a whole number"},
    {"[[64, 96]", "[[64, 1000000000000]", "published[0]: must be a whole number"},
    {"[[64, 96], [100, 77], [1, 70]]", "[]", "published: must have 1 to 20 elements"},
    {"[[64, 96], [100, 77], [1, 70]]", "7", "published: must be a list"},
    {"\"square\", \"thin\"", "\"square\", \"round\"",
     "hidden[1]: `round` is not one of square, oblong, ragged, primes, "
     "sevens, even, thin, one"},
    {"\"square\", \"thin\"", "3", "hidden[0]: must be a string"},
    {"\"h200\"", "\"voodoo2\"", "runs[0].device: "},
    {"\"h200\"", "\"../h200\"", "runs[0].device: must be made of letters"},
    {"\"rows\": 64, ", "", "runs[0].rows: is missing"},
    {"\"rows\": 64, ", "\"rows\": 64, \"depth\": 2, ", "runs[0].depth: is not a known field"},
    {"\"rows\": 64, ", "\"rows\": 64, \"twin\": 7, ", "runs[0].twin: must be an object"},
    {"\"rows\": 64, ", TWIN("[64, 32]", "[32, 64]"), "runs[0].twin.rows: must be [low, high]"},
    {"\"rows\": 64, ", TWIN("[32, 64]", "[32, 65]"), "runs[0].twin.cols: must be multiples of"},
    {"\"rows\": 64, ", TWIN("[32, 64]", "64"), "runs[0].twin.cols: must be [from, to]"},
    {"\"rows\": 64, ", TWIN("[0, 64]", "[32, 64]"), "runs[0].twin.rows: must be a whole number"},
    {"\"rows\": 64, ", "\"rows\": 64, \"twin\": {\"depth\": 1}, ",
     "runs[0].twin.depth: is not a known field"},
    {"\"counted\"", "\"gpu\"", "runs[0].name: `gpu` is the run on a GPU"},
    {"\"run\": \"counted\"", "\"run\": \"gpu\"", "only copy_pct is available on a GPU"},
    {"[{\"name\": \"counted\"", "[7, {\"name\": \"counted\"", "runs[0]: must be an object"},
    {"[{\"name\": \"counted\"",
     "[{\"name\": \"counted\", \"device\": \"h200\", \"rows\": 1, \"cols\": 1}, "
     "{\"name\": \"counted\"",
     "runs[1].name: `counted` is already used by runs[0]"},
    {CHECKS, "\"checks\": []", "checks: must have 1 to 32 elements"},
    {CHECKS, "\"checks\": [[]]", "checks[0]: must be an object"},
    {"\"id\": \"sectors\"", "\"id\": \"right\"",
     "checks[1].id: `right` is already used by checks[0]"},
    {"\"id\": \"sectors\"", "\"id\": \"\"", "checks[1].id: must be made of letters"},
    {"\"kind\": \"ratio\"", "\"kind\": \"guess\"",
     "checks[1].kind: `guess` is not one of correct, ratio, mechanism"},
    {"\"points\": 4", "\"points\": -4", "checks[0].points: must be a number from 0"},
    {"\"all\": true", "\"all\": 1", "checks[0].all: must be true or false"},
    {"\"all\": true", "\"full\": 1", "checks[0].full: is not a known field"},
    {"\"all\": true", "\"visible\": \"no\"", "checks[0].visible: must be true or false"},
    {"\"all\": true", "\"all\": true, \"sizes\": [\"thin\"]",
     "checks[0].sizes: hidden sizes have one common verdict"},
    {"\"all\": true", "\"all\": false", "checks[0].all: must be true if hidden sizes count"},
    {"\"all\": true", "\"hidden\": true", "checks[0].all: must be true if hidden sizes count"},
    {"\"full\": 1.05", "\"full\": 0", "checks[1].full: must be above 0"},
    {"\"zero\": 4.5", "\"zero\": 0", "checks[1].zero: must be above 0"},
    {"\"points\": 10", "\"points\": 10, \"mistakes\": {\"edges\": 2}",
     "mistakes.edges: must be a number from 0 to 1"},
    {"\"points\": 10", "\"points\": 10, \"mistakes\": {\"typing\": 1}",
     "mistakes.typing: is not a known field"},
    {"\"after\": \"sectors\"", "\"or\": \"padding\"", "checks[2].or: there is no earlier check"},
    {"\"all\": true", "\"sizes\": []", "checks[0].sizes: must have 1 to"},
    {"\"all\": true", "\"sizes\": [\"thin\"], \"hidden\": 2", "checks[0].hidden: must be true"},
    {"\"full\": 1.05", "\"full\": \"1.05\"", "checks[1].full: must be a number"},
    {"\"full\": 1.05", "\"full\": 4.5", "checks[1].zero: must differ from `full`"},
    {", \"zero\": 4.5", "", "checks[1].zero: is missing"},
    {"\"measure\": \"sectors\"", "\"measure\": \"luck\"",
     "checks[1].measure: `luck` is not one of"},
    {"\"zero\": 4.5", "\"zero\": 4.5, \"without_shared\": true",
     "checks[1].without_shared: is allowed only with wavefronts, ways and conflicts"},
    {"\"run\": \"counted\", \"measure\"", "\"run\": \"other\", \"measure\"",
     "checks[1].run: there is no run `other`"},
    {"\"after\": \"sectors\"", "\"after\": \"tile\"", "checks[2].after: there is no earlier check"},
    {"\"after\": \"sectors\"", "\"after\": \"\"", "checks[2].after: must be made of"},
    {"\"require\": \"shared_memory\"", "\"require\": \"magic\"", "checks[2].require: `magic` is"},
    {"\"zero\": 4.5", "\"zero\": 4.5, \"with\": \"luck\"", "checks[1].with: `luck` is not one of"},
    {"\"require\": \"shared_memory\"",
     "\"require\": \"shared_memory\", \"forbid\": \"shared_memory\"",
     "checks[2].forbid: cannot be used together with `require`"},
    {"\"require\": \"shared_memory\", ", "", "checks[2].require: is missing"},
    {GOOD, "[]", ": must be an object"},
    {GOOD, "", ":1: '[' or '{' expected near end of file"},
    {GOOD, "{\"exercise\": \"padded\"", "'}' expected near end of file"},
};

static void test_broken(void **state)
{
    (void)state;
    struct rubric *rubric = calloc(1, sizeof *rubric);
    struct failure failure;
    assert_non_null(rubric);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        if (read_changed(broken[i].old, broken[i].new, rubric, &failure))
            fail_msg("read although broken: %s", broken[i].new);
        assert_int_equal(failure.kind, FAILURE_HARNESS);
        if (!strstr(failure.text, broken[i].message) || strncmp(failure.text, path, strlen(path)))
            fail_msg("%s\n  is not about: %s", failure.text, broken[i].message);
    }
    free(rubric);
}

static void test_damaged(void **state)
{
    (void)state;
    struct rubric *rubric = calloc(1, sizeof *rubric);
    struct failure failure;
    char text[] = GOOD;
    assert_non_null(rubric);
    for (size_t i = 0; i < sizeof text - 1; i++) {
        char retained = text[i];
        text[i] = (char)(retained ^ (1 << i % 8));
        if (!read_bytes(text, sizeof text - 1, rubric, &failure))
            assert_int_equal(failure.kind, FAILURE_HARNESS);
        text[i] = retained;
    }
    free(rubric);
}

static void test_files(void **state)
{
    (void)state;
    struct rubric *rubric = calloc(1, sizeof *rubric);
    struct failure failure = {0};
    size_t count;
    assert_non_null(rubric);
    unlink(path);
    assert_false(rubric_read(directory, "padded", secret, rubric, &failure));
    assert_non_null(strstr(failure.text, "padded.json: No such file"));
    failure = (struct failure){0};
    assert_null(rubric_read_all(directory, NULL, 0, secret, &count, &failure));
    assert_non_null(strstr(failure.text, "contains no rubric"));
    /* An invalid rubric is omitted, unless it is requested by name or is the only rubric. */
    static const char *const both[] = {"copy", "padded"};
    char invalid[sizeof path];
    snprintf(invalid, sizeof invalid, "%s/copy.json", directory);
    FILE *file = fopen(invalid, "w");
    assert_non_null(file);
    fputs("{ broken", file);
    assert_int_equal(fclose(file), 0);
    failure = (struct failure){0};
    assert_null(rubric_read_all(directory, NULL, 0, secret, &count, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    assert_non_null(strstr(failure.text, "copy.json:1"));
    assert_true(read_bytes(GOOD, strlen(GOOD), rubric, &failure));
    failure = (struct failure){0};
    struct rubric *all = rubric_read_all(directory, NULL, 0, secret, &count, &failure);
    assert_non_null(all);
    assert_int_equal(count, 1);
    assert_string_equal(all[0].exercise.name, "padded");
    assert_int_equal(failure.kind, FAILURE_NONE);
    assert_non_null(strstr(failure.text, "copy.json:1"));
    free(all);
    failure = (struct failure){0};
    assert_null(rubric_read_all(directory, both, 2, secret, &count, &failure));
    assert_non_null(strstr(failure.text, "copy.json:1"));
    unlink(invalid);
    unlink(path);
    failure = (struct failure){0};
    assert_null(rubric_read_all("/nonexistent", NULL, 0, secret, &count, &failure));
    assert_non_null(strstr(failure.text, "/nonexistent: No such file"));
    char *long_text = malloc((1 << 20) + 2);
    assert_non_null(long_text);
    memset(long_text, ' ', (1 << 20) + 2);
    assert_false(read_bytes(long_text, (1 << 20) + 2, rubric, &failure));
    assert_non_null(strstr(failure.text, "larger than 1 MiB"));
    free(long_text);
    free(rubric);
}

static void test_whole_tiles(void **state)
{
    (void)state;
    struct rubric *rubric = calloc(1, sizeof *rubric);
    struct failure failure = {0};
    char text[4096], other[sizeof path];
    assert_non_null(rubric);
    snprintf(other, sizeof other, "%s/fine_grained.json", directory);
    for (int i = 0; i < 3; i++) {
        static const char *const sizes[] = {
            "[[64, 96]], \"hidden\": [\"thin\", \"one\", \"primes\", \"sevens\", \"even\"]",
            "[[64, 97]], \"hidden\": []", "[[64, 96]], \"hidden\": [\"ragged\"]"};
        snprintf(text, sizeof text,
                 "{\"exercise\": \"fine_grained\", \"title\": \"F\", \"points\": 4, \"published\": "
                 "%s, " RUNS ", \"checks\": [" CORRECT "]}",
                 sizes[i]);
        FILE *file = fopen(other, "w");
        assert_non_null(file);
        fputs(text, file);
        assert_int_equal(fclose(file), 0);
        failure = (struct failure){0};
        assert_true(rubric_read(directory, "fine_grained", secret, rubric, &failure));
        assert_true(rubric->sizes[0].rows == 64 && rubric->sizes[0].cols == (i == 1 ? 128 : 96));
        if (i == 0) {
            assert_int_equal(rubric->sizes[1].rows, 32);
            assert_int_equal(rubric->sizes[1].cols % 32, 0);
            assert_true(rubric->sizes[2].rows == 32 && rubric->sizes[2].cols == 32);
            for (int side = 0; side < 2; side++) { /* Sides in tiles: prime, multiple of 7, even. */
                const uint64_t prime = side ? rubric->sizes[3].rows : rubric->sizes[3].cols;
                const uint64_t seven = side ? rubric->sizes[4].rows : rubric->sizes[4].cols;
                assert_true(prime == 32 * 3 || prime == 32 * 5 || prime == 32 * 7);
                assert_true(seven && seven % (32 * 7) == 0);
                assert_int_equal(rubric->sizes[5].rows % (32 * 2), 0);
            }
            assert_true(rubric->sizes[5].rows && rubric->sizes[5].rows == rubric->sizes[5].cols);
        }
    }
    assert_int_equal(rubric->sizes[1].kind, RUBRIC_OBLONG);
    assert_int_equal(rubric->sizes[1].cols % 32, 0);
    unlink(other);
    free(rubric);
}

/* The number is from sha256sum(1) of the secret, "x" and nine zero bytes. */
static void test_draw_is_sha256(void **state)
{
    (void)state;
    struct draw draw = {.secret = secret, .label = "x"};
    assert_int_equal(draw_bits(&draw), 0x6ef5ab5d326d0a87ull);
}

static void test_draws(void **state)
{
    (void)state;
    struct draw one = {.secret = secret, .label = "x"}, same = one;
    struct draw other = {.secret = secret, .label = "y"};
    bool seen[8] = {false};
    for (int i = 0; i < 200; i++) {
        uint64_t bits = draw_bits(&one);
        assert_true(bits == draw_bits(&same));
        assert_true(bits != draw_bits(&other));
        uint64_t number = draw_number(&one, 3, 7);
        assert_true(number >= 3 && number <= 7);
        draw_bits(&same);
        seen[number] = true;
    }
    for (int i = 3; i <= 7; i++)
        assert_true(seen[i]);
}

/* For 50 secrets, each hidden size belongs to its kind. The sizes of different secrets differ. */
static void test_hidden_sizes(void **state)
{
    (void)state;
    char rubrics[PATH_SIZE];
    struct failure failure = {0};
    struct rubric *rubric = calloc(1, sizeof *rubric), *first = calloc(1, sizeof *first);
    unsigned same = 0, tall = 0, wide = 0, odd_rows = 0;
    unsigned far_rows = 0, far_cols = 0;
    unsigned beyond_long = 0, octaves[2] = {0, 0}, squares[2] = {0, 0};
    uint64_t lower;
    assert_true(rubric && first && paths_in_root("grading/rubrics", rubrics, &failure));
    for (int i = 0; i < 50; i++) {
        unsigned char other[32] = {(unsigned char)i};
        bool rows = false, cols = false;
        assert_true(rubric_read(rubrics, "padded", other, i ? rubric : first, &failure));
        const struct rubric *read = i ? rubric : first;
        for (unsigned s = 0; s < read->size_count; s++) {
            const struct rubric_size *size = &read->sizes[s];
            uint64_t r = size->rows, c = size->cols;
            assert_int_equal(size->seed == 1, !size->hidden); /* `tlab run` uses seed 1. */
            if (!size->hidden)
                continue;
            assert_true(size->input_seed == rubric_huge_seed(other));
            assert_true(size->seed != read->runs[0].seed);
            for (unsigned t = 0; t < s; t++)
                assert_true(size->seed != read->sizes[t].seed);
            switch (size->kind) {
            case RUBRIC_SQUARE:
                assert_true(r == c && r % 32 == 0 && r > 256 && r < 1024);
                squares[r > 544]++;
                break;
            case RUBRIC_OBLONG:
                assert_true(r != c && r % 32 == 0 && c % 32 == 0 && r >= 64 && c >= 64 &&
                            r <= 4096 && c <= 4096);
                break;
            case RUBRIC_RAGGED:
                assert_true((r % 32 || c % 32) && r >= 2 && c >= 2 && r * c <= 256 * 257);
                assert_true((r < 260 && c < 260) || (r % 32 && c % 32 && r < 8300 && c < 8300));
                break;
            case RUBRIC_MIDDLE:
                lower = r < c ? r : c;
                assert_true(r % 32 && c % 32 && lower > 256 && lower < 1026 && r * c < 1200000);
                assert_true(r % 2 != c % 2);
                octaves[lower > 513]++;
                break;
            case RUBRIC_PRIMES:
                for (uint64_t d = 2; d < 97; d++)
                    assert_true((r % d || r == d) && (c % d || c == d) && r > 1 && c > 1);
                break;
            case RUBRIC_SEVENS:
                assert_true(r % 7 == 0 && c % 7 == 0 && r <= 245 && c <= 245);
                assert_true((r % 3 == 0 && c % 3 == 0) || (r % 5 == 0 && c % 5 == 0));
                break;
            case RUBRIC_EVEN:
                assert_true(r == c && r % 2 == 0 && r % 32 && r >= 4 && r <= 96);
                break;
            case RUBRIC_THIN:
                assert_true((r == 1) != (c == 1) && r * c % 32 && r * c >= 2 && r * c <= 20001);
                beyond_long += r * c > 8200;
                rows |= r == 1;
                cols |= c == 1;
                break;
            case RUBRIC_LARGE:
                assert_true(r > 1024 && c > 1024 && r % 32 && c % 32 && r * c <= 1253000);
                assert_true(r % 2 != c % 2);
                odd_rows += r % 2;
                break;
            case RUBRIC_LONG:
                assert_true((r > 8192) != (c > 8192) && (r <= 32) != (c <= 32) && r < 16386 &&
                            c < 16386 && (r > c ? r : c) % 32);
                tall += r > c;
                wide += c > r;
                break;
            case RUBRIC_ODD:
                assert_true(r == c && r % 2 && r > 256 && r <= 545);
                break;
            case RUBRIC_FAR: /* The rubric has two far sizes, one in each direction. */
                assert_true((r == 1) != (c == 1) && r * c % 32 && r * c > 20000);
                far_rows += r == 1;
                far_cols += c == 1;
                break;
            case RUBRIC_HUGE:
                assert_true(r == 2048 && c == 2048 && size->seed == rubric_huge_seed(other));
                break;
            default:
                assert_true(r == 1 && c == 1);
            }
        }
        assert_true(rows && cols && far_rows == (unsigned)i + 1 && far_cols == (unsigned)i + 1);
        assert_true(read->whole.hidden && read->whole.rows % 32 == 0 &&
                    read->whole.cols % 32 == 0 && read->whole.rows > 1024 &&
                    read->whole.cols > 1024);
        same += i && read->sizes[10].rows == first->sizes[10].rows &&
                read->sizes[10].cols == first->sizes[10].cols;
    }
    assert_true(same < 5);
    assert_true(tall > 10 && wide > 10);
    assert_true(odd_rows > 10 && odd_rows < 40);
    assert_true(squares[0] > 15 && squares[1] > 15 && octaves[0] > 15 && octaves[1] > 15 &&
                beyond_long > 3);
    free(rubric);
    free(first);
}

/* In an exercise on one row, the length of the row is a square number or a prime. */
static void test_lines(void **state)
{
    (void)state;
    char rubrics[PATH_SIZE];
    struct failure failure = {0};
    struct rubric *rubric = calloc(1, sizeof *rubric);
    assert_true(rubric && paths_in_root("grading/rubrics/sum", rubrics, &failure));
    for (int i = 0; i < 20; i++) {
        unsigned char other[32] = {(unsigned char)i};
        bool square = false, prime = false;
        assert_true(rubric_read(rubrics, "sum_shared", other, rubric, &failure));
        for (unsigned s = 0; s < rubric->size_count; s++) {
            const struct rubric_size *size = &rubric->sizes[s];
            assert_int_equal(size->rows, 1);
            if (!size->hidden)
                continue;
            bool divides = size->cols < 2;
            for (uint64_t d = 2; d < size->cols; d++) {
                square |= size->cols > 1024 && d * d == size->cols;
                divides |= size->cols % d == 0;
            }
            prime |= !divides;
        }
        assert_true(square && prime);
    }
    free(rubric);
}

static void test_twins(void **state)
{
    (void)state;
    char rubrics[PATH_SIZE];
    struct failure failure = {0};
    struct rubric *rubric = calloc(1, sizeof *rubric);
    enum { DRAWS = 400, TILES = 17 };
    unsigned drawn[TILES][TILES] = {{0}}, twins = 0, most = 0;
    assert_true(rubric && paths_in_root("grading/rubrics", rubrics, &failure));
    for (int i = 0; i < DRAWS; i++) {
        unsigned char other[32] = {(unsigned char)i, (unsigned char)(i >> 8)};
        assert_true(rubric_read(rubrics, "diagonal", other, rubric, &failure));
        assert_int_equal(rubric->run_count, 4); /* Two runs and their twins. */
        for (unsigned r = 0; r < 2; r++) {
            const struct rubric_run *run = &rubric->runs[r], *twin = &rubric->runs[run->twin];
            assert_int_equal(run->twin, r + 2);
            assert_true(!run->hidden && twin->hidden && !twin->twin);
            assert_string_equal(run->device.name, twin->device.name);
            assert_true(run->seed != twin->seed && twin->rows % 32 == 0 && twin->cols % 32 == 0);
            assert_true(twin->rows >= run->twin_rows.low && twin->rows <= run->twin_rows.high);
            assert_true(twin->cols >= run->twin_cols.low && twin->cols <= run->twin_cols.high);
        }
        const struct rubric_run *twin = &rubric->runs[2];
        assert_true(twin->rows * twin->cols <= 128 * 512); /* At most half of the run's elements. */
        unsigned *times = &drawn[twin->rows / 32][twin->cols / 32];
        twins += !(*times)++;
        most = *times > most ? *times : most;
        assert_true(twin->rows > twin->cols); /* The run is wide. */
    }
    /* 12 + 7 + 4 + 2 = 25 sizes have equal probability, so 24 of 25 guesses are wrong. */
    assert_int_equal(twins, 25);
    assert_true(most <= 3 * DRAWS / 25);
    free(rubric);
}

static void test_course(void **state)
{
    (void)state;
    static const char *const exercises[] = {"copy",   "copy_shared",  "naive",          "coalesced",
                                            "padded", "fine_grained", "coarse_grained", "diagonal"};
    char rubrics[PATH_SIZE];
    struct failure failure = {0};
    size_t count;
    double points = 0;
    assert_true(paths_in_root("grading/rubrics", rubrics, &failure));
    struct rubric *all = rubric_read_all(rubrics, NULL, 0, secret, &count, &failure);
    if (!all)
        fail_msg("%s", failure.text);
    assert_int_equal(count, 8);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(all[i].exercise.name, exercises[i]);
        points += all[i].points;
    }
    assert_true(points == 100);
    free(all);
    all = rubric_read_all(rubrics, exercises + 4, 1, secret, &count, &failure);
    assert_non_null(all);
    assert_int_equal(count, 1);
    free(all);
    const char *const unknown[] = {"quilted"};
    assert_null(rubric_read_all(rubrics, unknown, 1, secret, &count, &failure));
    assert_non_null(strstr(failure.text, "quilted.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),        cmocka_unit_test(test_explanation),
        cmocka_unit_test(test_digest),      cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_mistakes),    cmocka_unit_test(test_broken),
        cmocka_unit_test(test_damaged),     cmocka_unit_test(test_files),
        cmocka_unit_test(test_whole_tiles), cmocka_unit_test(test_draw_is_sha256),
        cmocka_unit_test(test_draws),       cmocka_unit_test(test_hidden_sizes),
        cmocka_unit_test(test_lines),       cmocka_unit_test(test_twins),
        cmocka_unit_test(test_course),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
