/* measure_test.c: compiles, measures and judges lab files with rubrics. check: whole course */
#include "judge/judge.h"
#include "judge/measure.h"

#include "base/paths.h"
#include "process/child.h"
#include "process/frame.h"
#include "run/attempt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

static const unsigned char secret[32] = "a secret of thirty-two bytes....";

static struct rubric *rubrics;
static size_t rubric_count;
static char directory[] = "/tmp/measure_test_XXXXXX";

/* Large sizes take long with sanitizers. grade_test and sets_test.sh test them. */
static void shrink_large_sizes(void)
{
    for (size_t i = 0; i < rubric_count; i++) {
        const struct exercise *exercise = &rubrics[i].exercise;
        rubrics[i].whole.rows = rubrics[i].whole.cols = 4 * exercise->tile;
        for (unsigned s = 0; s < rubrics[i].size_count; s++) {
            struct rubric_size *size = &rubrics[i].sizes[s];
            if (size->kind == RUBRIC_LARGE || size->kind == RUBRIC_MIDDLE)
                size->rows = size->cols = 5 * exercise->tile + !exercise->whole_tiles;
        }
    }
}

static int setup(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    struct failure failure = {0};
    if (!mkdtemp(directory) || !paths_in_root("grading/rubrics", path, &failure))
        return -1;
    rubrics = rubric_read_all(path, NULL, 0, secret, &rubric_count, &failure);
    if (rubrics)
        shrink_large_sizes();
    else
        print_error("%s\n", failure.text);
    return rubrics ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    free(rubrics);
    return rmdir(directory);
}

struct measure_trial {
    struct measurement measurement;
    json_t *lab;
};

static struct measure_trial *trial_open(const char *path)
{
    struct measure_trial *trial = calloc(1, sizeof *trial);
    struct compile_result compiled = {0};
    struct failure failure = {0};
    char include[PATH_SIZE], support[PATH_SIZE];
    assert_non_null(trial);
    assert_true(paths_in_root("include", include, &failure));
    assert_true(paths_in_root("profiler", support, &failure));
    struct compile_request request = {.source_path = path,
                                      .include_directory = include,
                                      .architecture = 80,
                                      .support_directory = support};
    if (!compile_to_ptx(&request, &compiled, &failure))
        fail_msg("%s: %s", path, failure.text);
    char text[1 << 14];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    struct measure_job job = {.path = path,
                              .text = (unsigned char *)text,
                              .text_bytes = fread(text, 1, sizeof text, file),
                              .compiled = &compiled,
                              .rubrics = rubrics,
                              .rubric_count = rubric_count};
    fclose(file);
    measure(&job, &trial->measurement);
    assert_true(measurement_check(&trial->measurement, &job));
    const struct rubric *rubric =
        rubric_find(job.rubrics, job.rubric_count, trial->measurement.exercise);
    struct intake_file handed_in = {.name = (char *)path};
    if (rubric)
        trial->lab = judge_lab(rubric, &handed_in, &trial->measurement);
    compile_result_free(&compiled);
    return trial;
}

static void trial_free(struct measure_trial *trial)
{
    json_decref(trial->lab);
    free(trial);
}

static double score_of(const struct measure_trial *trial)
{
    return json_number_value(json_object_get(trial->lab, "score"));
}

static const json_t *check_of(const struct measure_trial *trial, const char *id)
{
    size_t index;
    json_t *check;
    json_array_foreach (json_object_get(trial->lab, "checks"), index, check)
        if (!strcmp(json_string_value(json_object_get(check, "id")), id))
            return check;
    fail_msg("no check %s", id);
    return NULL;
}

static const char *text_of(const json_t *object, const char *field)
{
    const char *text = json_string_value(json_object_get(object, field));
    assert_non_null(text);
    return text;
}

static void print_checks(const struct measure_trial *trial)
{
    char *text = json_dumps(json_object_get(trial->lab, "checks"), JSON_INDENT(1));
    print_message("%s\n", text);
    free(text);
}

static void lab_path(const char *tree, const struct rubric *rubric, char *path)
{
    char relative[512];
    struct failure failure = {0};
    snprintf(relative, sizeof relative, "%s/%s/%s.cu", tree, rubric->exercise.lab,
             rubric->exercise.name);
    assert_true(paths_in_root(relative, path, &failure));
}

static void test_solutions_earn_everything(void **state)
{
    (void)state;
    assert_int_equal(rubric_count, 8);
    for (size_t i = 0; i < rubric_count; i++) {
        char path[PATH_SIZE];
        lab_path("solutions", &rubrics[i], path);
        struct measure_trial *trial = trial_open(path);
        if (score_of(trial) != rubrics[i].points)
            print_checks(trial);
        assert_true(score_of(trial) == rubrics[i].points);
        assert_string_equal(text_of(trial->lab, "status"), "ok");
        assert_true(json_array_size(json_object_get(trial->lab, "lines")) >= 2);
        trial_free(trial);
    }
}

static void test_skeletons_earn_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < rubric_count; i++) {
        char path[PATH_SIZE];
        lab_path("labs", &rubrics[i], path);
        struct measure_trial *trial = trial_open(path);
        assert_true(score_of(trial) == 0);
        assert_string_equal(text_of(trial->lab, "status"), "wrong_result");
        assert_non_null(strstr(text_of(trial->lab, "reason"), rubrics[i].exercise.first_step));
        trial_free(trial);
    }
}

static struct measure_trial *trial_text(const char *text)
{
    char path[sizeof directory + 16];
    snprintf(path, sizeof path, "%s/lab.cu", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    struct measure_trial *trial = trial_open(path);
    unlink(path);
    return trial;
}

static struct measure_trial *trial_renamed(const char *solution, const char *exercise)
{
    char path[PATH_SIZE], text[1 << 14], old[80];
    struct failure failure = {0};
    assert_true(paths_in_root(solution, path, &failure));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    char *name = strstr(text, "\nLAB("), renamed[sizeof text + 80];
    assert_non_null(name);
    snprintf(old, sizeof old, "\nLAB(%s)", exercise);
    snprintf(renamed, sizeof renamed, "%.*s%s%s", (int)(name - text), text, old,
             strchr(name, ')') + 1);
    return trial_text(renamed);
}

static double worth(const char *solution, const char *exercise)
{
    struct measure_trial *trial = trial_renamed(solution, exercise);
    double score = score_of(trial);
    if (getenv("MEASURE_TEST_VERBOSE"))
        print_message("%s as %s: %g\n", solution, exercise, score);
    trial_free(trial);
    return score;
}

static void test_one_kernel_does_not_pass_all(void **state)
{
    (void)state;
    const char *diagonal = "solutions/06_diagonal/diagonal.cu";
    const char *padded = "solutions/03_padded/padded.cu";
    assert_true(worth(diagonal, "copy") == 0);
    assert_true(worth(diagonal, "naive") == 8);   /* all except the forbidden shared memory */
    assert_true(worth(diagonal, "padded") == 20); /* the diagonal kernel is also padded */
    assert_true(worth(diagonal, "fine_grained") == 0);
    assert_true(worth(diagonal, "coarse_grained") == 0);
    /* The points are for a correct result and coalesced accesses, not for the main goal. */
    assert_true(worth(padded, "diagonal") == 5.5 + 1.5);
    assert_true(worth("solutions/02_coalesced/coalesced.cu", "padded") == 6 + 1.5);
    assert_true(worth("solutions/01_naive/naive.cu", "coalesced") == 6);
    assert_true(worth("solutions/01_naive/naive.cu", "padded") == 6);
    assert_true(worth("solutions/00_copy/copy.cu", "copy_shared") == 1.5);
    assert_true(worth("solutions/00_copy/copy.cu", "coalesced") == 0);
}

#define HEAD(lab) "#include \"lab.h\"\nLAB(" #lab ");\n"
#define KERNEL                                                                                     \
    "extern \"C\" __global__ void transpose(float *odata, const float *idata, int width, int "     \
    "height)\n"
#define LAUNCH                                                                                     \
    "LAB_LAUNCH(width, height) {\n"                                                                \
    "    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};\n}\n"

static void test_swizzle_is_as_good_as_padding(void **state)
{
    (void)state;
    struct measure_trial *trial =
        trial_text(HEAD(padded) KERNEL
                   "{\n"
                   "    __shared__ float tile[32][32];\n"
                   "    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
                   "    for (int i = 0; i < 32; i += 8)\n"
                   "        if (x < width && y + i < height)\n"
                   "            tile[threadIdx.y + i][threadIdx.x ^ (threadIdx.y + i)] =\n"
                   "                idata[(size_t)(y + i) * width + x];\n"
                   "    __syncthreads();\n"
                   "    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;\n"
                   "    for (int i = 0; i < 32; i += 8)\n"
                   "        if (x < height && y + i < width)\n"
                   "            odata[(size_t)(y + i) * height + x] =\n"
                   "                tile[threadIdx.x][(threadIdx.y + i) ^ threadIdx.x];\n"
                   "}\n" LAUNCH);
    if (score_of(trial) != 20)
        print_checks(trial);
    assert_true(score_of(trial) == 20);
    trial_free(trial);
}

/* A transpose without shared memory: the lanes of a warp exchange a 32 x 32 tile by shuffles. */
static void test_shuffles_are_as_good_as_padding(void **state)
{
    (void)state;
    struct measure_trial *trial = trial_text(
        HEAD(padded) KERNEL
        "{\n"
        "    int lane = threadIdx.x, x = blockIdx.x * 32, y = blockIdx.y * 32;\n"
        "    float r[32];\n"
        "    #pragma unroll\n"
        "    for (int i = 0; i < 32; i++)\n"
        "        r[i] = x + lane < width && y + i < height\n"
        "                   ? idata[(size_t)(y + i) * width + x + lane] : 0;\n"
        "    #pragma unroll\n"
        "    for (int bit = 16; bit; bit >>= 1)\n"
        "        #pragma unroll\n"
        "        for (int i = 0; i < 32; i++)\n"
        "            if (!(i & bit)) {\n"
        "                float mine = lane & bit ? r[i] : r[i | bit];\n"
        "                float other = __shfl_xor_sync(~0u, mine, bit);\n"
        "                if (lane & bit) r[i] = other; else r[i | bit] = other;\n"
        "            }\n"
        "    #pragma unroll\n"
        "    for (int i = 0; i < 32; i++)\n"
        "        if (y + lane < height && x + i < width)\n"
        "            odata[(size_t)(x + i) * height + y + lane] = r[i];\n"
        "}\n"
        "LAB_LAUNCH(width, height) {\n"
        "    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32)};\n}\n");
    if (score_of(trial) != 20)
        print_checks(trial);
    assert_true(score_of(trial) == 20);
    assert_true(trial->measurement.runs[0].shuffles == 80 * 128); /* 80 per tile, 8 x 16 tiles */
    assert_int_equal(trial->measurement.runs[0].shared_stored_bytes, 0);
    trial_free(trial);
}

#define NAIVE(body)                                                                                \
    KERNEL "{\n    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"    \
           "    for (int i = 0; i < 32; i += 8)\n" body "}\n" LAUNCH

static void test_hard_coded_sizes_fail_in_hiding(void **state)
{
    (void)state;
    struct measure_trial *trial = trial_text(HEAD(naive) NAIVE(
        "        if (x < width && y + i < height && (width == 96 || width == 77 || width == 65 ||\n"
        "            width == 161 || width == 32 || width == 70 || width == 1 || width == 512))\n"
        "            odata[(size_t)x * height + y + i] = idata[(size_t)(y + i) * width + x];\n"));
    assert_true(score_of(trial) == 3);
    assert_string_equal(text_of(check_of(trial, "tiles"), "result"), "passed");
    const json_t *hidden = check_of(trial, "hidden");
    assert_string_equal(text_of(hidden, "result"), "failed");
    assert_string_equal(text_of(hidden, "text"), "incorrect on at least one hidden test size");
    assert_non_null(strstr(text_of(hidden, "instructor"), "seed"));
    assert_string_equal(text_of(check_of(trial, "direct"), "result"), "skipped");
    trial_free(trial);
}

static void test_hidden_sizes_stay_hidden(void **state)
{
    (void)state;
    static const char *const elsewhere[] = {
        "return",
        "odata[-1 - x] = 0",
        "while (*(volatile float *)odata != 1.2345f) ;",
        "asm volatile(\"trap;\")",
        "if (width + height > 1200) odata[-1] = 0",
        "if (width != height || width < 40) return; odata[x] = y",
    };
    char *first = NULL;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        char text[4096];
        snprintf(
            text, sizeof text,
            HEAD(naive) NAIVE(
                "        if (x < width && y + i < height) {\n"
                "            odata[(size_t)x * height + y + i] = idata[(size_t)(y + i) * width + "
                "x];\n"
                "            if (!(height == 64 && width == 96) && !(height == 100 && width == 77) "
                "&&\n"
                "                !(height == 33 && width == 65) && !(height == 95 && width == 161) "
                "&&\n"
                "                width != 32 && width != 1 && height != 1 && width != 512) {\n"
                "                %s;\n"
                "            }\n        }\n"),
            elsewhere[i]);
        struct measure_trial *trial = trial_text(text);
        json_t *seen =
            json_pack("{s:O, s:O, s:[]}", "status", json_object_get(trial->lab, "status"), "reason",
                      json_object_get(trial->lab, "reason"), "checks");
        const json_t *check;
        size_t index;
        json_array_foreach (json_object_get(trial->lab, "checks"), index, check) {
            json_array_append(json_object_get(seen, "checks"), json_object_get(check, "text"));
            json_array_append(json_object_get(seen, "checks"), json_object_get(check, "hint"));
            json_array_append(json_object_get(seen, "checks"), json_object_get(check, "score"));
        }
        char *said = json_dumps(seen, JSON_SORT_KEYS);
        if (i)
            assert_string_equal(said, first);
        else
            first = strdup(said);
        free(said);
        json_decref(seen);
        trial_free(trial);
    }
    free(first);
}

static void test_missing_barrier(void **state)
{
    (void)state;
    struct measure_trial *trial = trial_text(
        HEAD(coalesced) KERNEL
        "{\n"
        "    __shared__ float tile[32][32];\n"
        "    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
        "    for (int i = 0; i < 32; i += 8)\n"
        "        if (x < width && y + i < height)\n"
        "            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(y + i) * width + x];\n"
        "    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;\n"
        "    for (int i = 0; i < 32; i += 8)\n"
        "        if (x < height && y + i < width)\n"
        "            odata[(size_t)(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];\n"
        "}\n" LAUNCH);
    assert_true(score_of(trial) == 9.11); /* 65 % of all points except those for correctness */
    assert_int_equal(trial->measurement.mistake, RUBRIC_MISTAKE_BARRIER);
    assert_true(json_number_value(json_object_get(check_of(trial, "tiles"), "score")) == 0);
    assert_string_equal(text_of(trial->lab, "status"), "race");
    assert_non_null(strstr(text_of(trial->lab, "reason"), "This is one mistake"));
    assert_non_null(strstr(text_of(trial->lab, "reason"), "tile[1][0]"));
    assert_string_equal(text_of(check_of(trial, "tiles"), "hint"), "");
    assert_string_equal(text_of(check_of(trial, "hidden"), "result"), "skipped");
    trial_free(trial);
}

static void test_forgotten_edges(void **state)
{
    (void)state;
    struct measure_trial *trial = trial_text(HEAD(naive) NAIVE(
        "        if (x < width / 32 * 32 && y + i < height / 32 * 32)\n"
        "            odata[(size_t)x * height + y + i] = idata[(size_t)(y + i) * width + x];\n"));
    assert_true(score_of(trial) == 1.5 + 0.65 * 5);
    assert_int_equal(trial->measurement.mistake, RUBRIC_MISTAKE_EDGES);
    const json_t *edges = check_of(trial, "edges");
    assert_string_equal(text_of(edges, "result"), "failed");
    assert_non_null(strstr(text_of(edges, "text"), "at 100 x 77:"));
    assert_true(strlen(text_of(edges, "hint")) > 0);
    trial_free(trial);
}

static void prepare_input(void)
{
    attempt_prepare(rubric_huge_seed(secret), RUBRIC_HUGE_SIDE * RUBRIC_HUGE_SIDE);
}

static void test_prepared_input(void **state)
{
    (void)state;
    prepare_input();
    struct measure_trial *trial = trial_text(HEAD(naive) NAIVE(
        "        if (x < width && y + i < height)\n"
        "            odata[(size_t)x * height + y + i] = idata[(size_t)(y + i) * width + x];\n"));
    assert_true(score_of(trial) == 10);
    trial_free(trial);
    prepare_input();
    trial = trial_text(HEAD(naive) NAIVE(
        "        if (x < width && y + i < height) {\n"
        "            odata[(size_t)x * height + y + i] = idata[(size_t)(y + i) * width + x];\n"
        "            if (width == 2048 && height == 2048)\n"
        "                ((float *)idata)[(size_t)(y + i) * width + x] = 0;\n        }\n"));
    assert_string_equal(text_of(check_of(trial, "hidden"), "result"), "failed");
    assert_non_null(strstr(text_of(check_of(trial, "hidden"), "instructor"), "was modified"));
    trial_free(trial);
}

static void test_launches_are_not_counted(void **state)
{
    (void)state;
    struct measure_trial *trial = trial_text(
        HEAD(naive) "__device__ int calls;\n" KERNEL
                    "{\n    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + "
                    "threadIdx.y;\n"
                    "    for (int i = 0; i < 32; i += 8)\n"
                    "        if (x < width && y + i < height)\n"
                    "            odata[(size_t)x * height + y + i] = "
                    "idata[(size_t)(y + i) * width + x];\n}\n"
                    "LAB_LAUNCH(width, height) {\n"
                    "    if (calls++) return {dim3(1), dim3(32, 8)};\n"
                    "    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), "
                    "dim3(32, 8)};\n}\n");
    if (score_of(trial) != 10)
        print_checks(trial);
    assert_true(score_of(trial) == 10);
    trial_free(trial);
}

static void test_useless_accesses_cost(void **state)
{
    (void)state;
    struct measure_trial *trial = trial_text(
        HEAD(copy) NAIVE("        if (x < width && y + i < height) {\n"
                         "            size_t at = (size_t)(y + i) * width + x;\n"
                         "            odata[at] = idata[at] == 1.2345f ? 1 : idata[at];\n"
                         "            *(volatile float *)&odata[at] = idata[at];\n"
                         "        }\n"));
    double value = json_number_value(json_object_get(check_of(trial, "sectors"), "value"));
    assert_true(value == 2); /* two loads and two stores instead of one each */
    assert_string_equal(text_of(check_of(trial, "sectors"), "result"), "partial");
    trial_free(trial);
}

static void test_endless_loop_ends_it(void **state)
{
    (void)state;
    struct measure_trial *trial =
        trial_text(HEAD(naive) NAIVE("        while (width > 95) *(volatile float *)odata = 1;\n"));
    assert_int_equal(trial->measurement.sizes[0].status, STATUS_TIMEOUT);
    assert_int_equal(trial->measurement.sizes[7].status, STATUS_TIMEOUT);
    assert_non_null(strstr(trial->measurement.sizes[7].reason, "not run"));
    assert_true(score_of(trial) == 0);
    trial_free(trial);
}

static void test_one_thread_is_enough(void **state)
{
    (void)state;
    struct measure_trial *trial =
        trial_text(HEAD(naive) KERNEL
                   "{\n"
                   "    for (int y = 0; y < height; y++)\n"
                   "        for (int x = 0; x < width; x++)\n"
                   "            odata[(size_t)x * height + y] = idata[(size_t)y * width + x];\n"
                   "}\n"
                   "LAB_LAUNCH(width, height) { return {dim3(1), dim3(1)}; }\n");
    assert_string_equal(text_of(trial->lab, "status"), "ok");
    assert_string_equal(text_of(check_of(trial, "hidden"), "result"), "passed");
    assert_true(score_of(trial) == 6.25); /* 7, but a block alone earns at most 5/8 of 10 points */
    trial_free(trial);
}

/* No test reaches a width with a second iteration of this loop. */
static void test_loops_on_the_size(void **state)
{
    (void)state;
    struct measure_trial *trial =
        trial_text(HEAD(naive) KERNEL
                   "{\n"
                   "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;\n"
                   "    int k = 0;\n"
                   "    do\n"
                   "        if (x < width)\n"
                   "            odata[(size_t)x * height + y] = idata[(size_t)y * width + x];\n"
                   "    while (++k < width - 300000);\n"
                   "}\n"
                   "LAB_LAUNCH(width, height)\n"
                   "{ return {dim3((width + 31) / 32, height), dim3(32)}; }\n");
    assert_string_equal(text_of(trial->lab, "status"), "ok");
    assert_int_equal(trial->measurement.untried_line, 7);
    trial_free(trial);
}

static void test_files_that_are_no_lab(void **state)
{
    (void)state;
    struct measure_trial *trial = trial_text("__global__ void k(float *a) { *a = 1; }\n");
    assert_int_equal(trial->measurement.status, STATUS_COMPILE_ERROR);
    assert_string_equal(trial->measurement.exercise, "");
    assert_null(trial->lab);
    trial_free(trial);
    trial = trial_text(HEAD(other) NAIVE(";\n"));
    assert_string_equal(trial->measurement.exercise, "other");
    assert_non_null(strstr(trial->measurement.reason, "padded"));
    trial_free(trial);
    trial = trial_text(HEAD(naive) "__global__ void k(float *a) { *a = 1; }\n" LAUNCH);
    assert_int_equal(trial->measurement.status, STATUS_COMPILE_ERROR);
    assert_true(score_of(trial) == 0);
    assert_non_null(strstr(text_of(trial->lab, "reason"), "has no kernel transpose"));
    trial_free(trial);
}

/* Cache lines between the SMs and L2 limit the naive kernel: 32 per store, one per load. The launch
 * overhead, which belongs to no source line, also has a share of the time. */
static void test_lines_share_the_time_as_the_model_does(void **state)
{
    (void)state;
    struct measure_trial *trial = trial_open("solutions/01_naive/naive.cu");
    double loads = 0, stores = 0;
    for (unsigned i = 0; i < trial->measurement.line_count; i++)
        *(trial->measurement.lines[i].store ? &stores : &loads) +=
            trial->measurement.lines[i].time_share;
    assert_true(loads > 0 && loads + stores < 1);
    assert_float_equal(stores / loads, 32, 1e-6);
    trial_free(trial);
}

static int sandboxed(int output, void *context)
{
    return measure_sandboxed(output, context) ? 0 : 1;
}

static void test_answers_are_checked(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    struct failure failure = {0};
    struct compile_result compiled = {0};
    char include[PATH_SIZE], support[PATH_SIZE];
    assert_true(paths_in_root("solutions/03_padded/padded.cu", path, &failure));
    assert_true(paths_in_root("include", include, &failure));
    assert_true(paths_in_root("profiler", support, &failure));
    struct compile_request request = {.source_path = path,
                                      .include_directory = include,
                                      .architecture = 80,
                                      .support_directory = support};
    assert_true(compile_to_ptx(&request, &compiled, &failure));
    struct measure_job job = {
        .path = path, .compiled = &compiled, .rubrics = rubrics, .rubric_count = rubric_count};
    struct child_limits limits = {
        .seconds = 60, .memory_bytes = 1ull << 40, .output_bytes = 1 << 24};
    struct child_result result;
    assert_true(child_run_function(sandboxed, &job, &limits, &result, &failure));
    struct measurement *direct = calloc(1, sizeof *direct), *answer = calloc(1, sizeof *answer);
    assert_non_null(direct);
    assert_non_null(answer);
    measure(&job, direct);
    struct frame_reader output = {result.output, result.output_bytes, false}, frame;
    assert_true(frame_next(&output, result.output_bytes, &frame));
    frame_object(&frame, answer, sizeof *answer);
    assert_true(frame_is_read(&frame) && frame_is_read(&output));
    assert_memory_equal(answer, direct, sizeof *direct);
    assert_true(measurement_check(answer, &job));

    /* As in `tlab annotate`, 100 % is the whole time, including the launch overhead. */
    double shares = rubric_find(job.rubrics, job.rubric_count, "padded")->runs[0].device.launch_us /
                    direct->runs[0].record.values[COLUMN_time_us].real;
    for (unsigned i = 0; i < direct->line_count; i++)
        shares += direct->lines[i].time_share;
    assert_true(shares > 0.5 && shares < 1.0001);

#define TAINTED(change)                                                                            \
    do {                                                                                           \
        *answer = *direct;                                                                         \
        change;                                                                                    \
        assert_false(measurement_check(answer, &job));                                             \
    } while (0)
    TAINTED(memset(answer->exercise, 'x', sizeof answer->exercise));
    TAINTED(strcpy(answer->exercise, "other"));
    TAINTED(answer->status = STATUS_COUNT);
    TAINTED(answer->size_count = 0);
    TAINTED(answer->size_count = RUBRIC_SIZES_MAX + 1);
    TAINTED(answer->run_count = 3);
    TAINTED(answer->line_count = MEASURE_LINES_MAX + 1);
    TAINTED(memset(answer->reason, 'x', sizeof answer->reason));
    TAINTED(memset(answer->advice, 'x', sizeof answer->advice));
    TAINTED(answer->sizes[1].status = (enum status)77);
    TAINTED(memset(answer->sizes[1].reason, 'x', RECORD_TEXT_SIZE));
    TAINTED(memset(&answer->runs[0].record.values[COLUMN_time_us].known, 7, 1));
    TAINTED(answer->runs[0].record.values[COLUMN_time_us].real = 0.0 / 0.0);
    struct record_texts *texts = &answer->runs[0].record.texts;
    TAINTED(memset(texts, 'x', sizeof *texts));
    TAINTED(memset(texts->bound, 'x', sizeof texts->bound));
    TAINTED(answer->runs[0].record.is_interleaved = 2);
    TAINTED(answer->runs[0].record.values[COLUMN_rows].count = 1);
    TAINTED(record_set_text(&answer->runs[0].record, COLUMN_device, "toy"));
    TAINTED(answer->runs[0].record.values[COLUMN_l2_read_bytes].count = UINT64_MAX);
    TAINTED(answer->lines[0].used = UINT64_MAX);
    TAINTED(answer->lines[0].time_share = 1.0 / 0.0);
    TAINTED(memset(&answer->lines[0].store, 2, 1));
    free(direct);
    free(answer);
    child_result_free(&result);
    compile_result_free(&compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solutions_earn_everything),
        cmocka_unit_test(test_skeletons_earn_nothing),
        cmocka_unit_test(test_one_kernel_does_not_pass_all),
        cmocka_unit_test(test_swizzle_is_as_good_as_padding),
        cmocka_unit_test(test_shuffles_are_as_good_as_padding),
        cmocka_unit_test(test_hard_coded_sizes_fail_in_hiding),
        cmocka_unit_test(test_hidden_sizes_stay_hidden),
        cmocka_unit_test(test_missing_barrier),
        cmocka_unit_test(test_forgotten_edges),
        cmocka_unit_test(test_prepared_input),
        cmocka_unit_test(test_launches_are_not_counted),
        cmocka_unit_test(test_useless_accesses_cost),
        cmocka_unit_test(test_endless_loop_ends_it),
        cmocka_unit_test(test_one_thread_is_enough),
        cmocka_unit_test(test_loops_on_the_size),
        cmocka_unit_test(test_files_that_are_no_lab),
        cmocka_unit_test(test_lines_share_the_time_as_the_model_does),
        cmocka_unit_test(test_answers_are_checked),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
