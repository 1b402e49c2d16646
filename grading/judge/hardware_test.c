/* hardware_test.c: grades submissions with a simulated GPU. gpu_test.sh tests a real GPU.
 * check: whole course
 */
#define _GNU_SOURCE
#include "judge/grade.h"
#include "judge/hardware.h"

#include "base/paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <unistd.h>

enum { JOBS_MAX = 256 };

static struct {
    unsigned opened, closed, ran;
    struct gpu_job jobs[JOBS_MAX];
    /* Number of the job, from 0, in which the GPU simulates this failure; -1 if none. */
    int at;
    enum failure_kind kind;
    enum status status;
    bool lost, unopened, unstarted;
} stage;

static bool play_open(struct hardware_device *device, struct failure *failure)
{
    (void)device;
    stage.opened++;
    return !stage.unopened || failure_harness(failure, "the GPU fell off the bus");
}

static void play_close(struct hardware_device *device)
{
    (void)device;
    stage.closed++;
}

static bool play_run(struct hardware_device *device, const struct gpu_job *job, const void *image,
                     struct gpu_result *result, struct failure *failure)
{
    (void)device;
    assert_true(stage.opened == stage.closed + 1);
    assert_memory_equal(image, "\177ELF", 4);
    assert_true(stage.ran < JOBS_MAX);
    int number = (int)stage.ran++;
    stage.jobs[number] = *job;
    *result = (struct gpu_result){.shared_bytes = 7};
    record_clear(&result->record);
    if (number == stage.at && stage.unstarted)
        return failure_harness(failure, "no worker could be started");
    if (number == stage.at && stage.kind == FAILURE_STUDENT)
        failure_student(&result->failure, stage.status, "it went wrong");
    if (number == stage.at && stage.kind == FAILURE_HARNESS)
        failure_harness(&result->failure, "cannot allocate a matrix on the GPU");
    result->context_lost = number == stage.at && stage.lost;
    if (job->samples && result->failure.kind == FAILURE_NONE) {
        record_set_real(&result->record, COLUMN_time_us, 178);
        record_set_real(&result->record, COLUMN_bandwidth_gbps, 3014);
        record_set_real(&result->record, COLUMN_copy_pct, 73.5);
    }
    return true;
}

static struct hardware_device device = {
    .facts = {.name = "NVIDIA Played", .compute_capability = 80},
    .open = play_open,
    .run = play_run,
    .close = play_close,
};

static char place[] = "/tmp/hardware_test_XXXXXX", rubrics[PATH_SIZE];
static const char *const exercises[] = {"naive", "padded"};
static struct grade_options options = {.rubrics = rubrics,
                                       .exercises = exercises,
                                       .exercise_count = 2,
                                       .secret = "a secret of thirty-two bytes...",
                                       .gpu = &device};

static int setup(void **state)
{
    (void)state;
    struct failure failure = {0};
    return !mkdtemp(place) || !paths_in_root("grading/rubrics", rubrics, &failure);
}

static int remove_place(void **state)
{
    (void)state;
    return rmdir(place);
}

static void path_of(const char *name, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%s", place, name);
}

#define KERNEL(exercise, before, body)                                                             \
    "#include \"lab.h\"\nLAB(" exercise ");\n" before                                              \
    "\nextern \"C\" __global__ void transpose(float *odata, const float *idata, int width, "       \
    "int height)\n{\n"                                                                             \
    "    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;\n    " body      \
    "\n}\nLAB_LAUNCH(width, height)\n{\n"                                                          \
    "    return {dim3(lab_ceil_div(width, 32), lab_ceil_div(height, 8)), dim3(32, 8), 64};\n}\n"
#define GOOD "if (x < width && y < height) odata[x * height + y] = idata[y * width + x];"

static json_t *grade(const char *first, const char *second, struct failure *failure)
{
    const char *const texts[] = {first, second};
    const char *const names[] = {"a.cu", "b.cu"};
    struct submission submission = {.id = "alice", .name = "Alice", .path = place};
    char path[PATH_SIZE];
    for (int i = 0; i < 2 && texts[i]; i++) {
        path_of(names[i], path);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(texts[i], file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
    json_t *document = grade_submission(&submission, &options, failure);
    for (int i = 0; i < 2 && texts[i]; i++) {
        path_of(names[i], path);
        assert_int_equal(unlink(path), 0);
    }
    return document;
}

static json_t *grade_well(const char *first, const char *second)
{
    struct failure failure = {0};
    json_t *document = grade(first, second, &failure);
    if (!document)
        fail_msg("%s", failure.text);
    if (!grade_check(document, &failure))
        fail_msg("%s", failure.text);
    return document;
}

static const char *text(const json_t *object, const char *field)
{
    const char *value = json_string_value(json_object_get(object, field));
    return value ? value : "";
}

static json_t *lab_of(const json_t *document, const char *exercise)
{
    size_t index;
    json_t *lab;
    json_array_foreach (json_object_get(document, "labs"), index, lab)
        if (!strcmp(text(lab, "exercise"), exercise))
            return lab;
    fail_msg("no %s", exercise);
    return NULL;
}

static json_t *gpu_run(const json_t *lab)
{
    size_t index;
    json_t *each;
    json_array_foreach (json_object_get(lab, "runs"), index, each)
        if (!strcmp(text(each, "device"), "gpu"))
            return each;
    return NULL;
}

static size_t sizes_with(const json_t *lab, const char *status)
{
    size_t index, count = 0;
    const json_t *size;
    json_array_foreach (json_object_get(lab, "sizes"), index, size)
        count += !strcmp(text(size, "gpu_status"), status);
    return count;
}

static const char *flagged(const json_t *document, const char *kind)
{
    size_t index;
    const json_t *flag;
    json_array_foreach (json_object_get(document, "flags"), index, flag)
        if (!strcmp(text(flag, "kind"), kind))
            return text(flag, "evidence");
    return "";
}

static void play(int at, enum failure_kind kind, enum status status, bool lost)
{
    memset(&stage, 0, sizeof stage);
    stage.at = at;
    stage.kind = kind;
    stage.status = status;
    stage.lost = lost;
}

static void a_good_kernel_is_run_everywhere_and_timed(void **state)
{
    (void)state;
    play(-1, FAILURE_NONE, STATUS_OK, false);
    json_t *document = grade_well(KERNEL("naive", "", GOOD), NULL);
    json_t *lab = lab_of(document, "naive"), *timed_run = gpu_run(lab);
    size_t sizes = json_array_size(json_object_get(lab, "sizes"));
    assert_true(sizes > 0);
    assert_int_equal(stage.ran, sizes + 1);
    assert_int_equal(stage.opened, 1);
    assert_int_equal(stage.closed, 1);
    assert_int_equal(sizes_with(lab, "ok"), sizes);
    for (size_t i = 0; i < stage.ran; i++) {
        const struct gpu_job *job = &stage.jobs[i];
        const struct gpu_launch *launch = &job->launches[0];
        const json_t *size = json_array_get(json_object_get(lab, "sizes"), i);
        bool timed = i == sizes;
        uint64_t rows =
            timed ? HARDWARE_SIDE : (uint64_t)json_integer_value(json_object_get(size, "rows"));
        uint64_t cols =
            timed ? HARDWARE_SIDE : (uint64_t)json_integer_value(json_object_get(size, "cols"));
        assert_int_equal(job->launch_count, 1);
        assert_int_equal(launch->rows, rows);
        assert_int_equal(launch->cols, cols);
        assert_int_equal(launch->grid[0], (cols + 31) / 32);
        assert_int_equal(launch->grid[1], (rows + 7) / 8);
        assert_int_equal(launch->grid[2], 1);
        assert_int_equal(launch->block[0], 32);
        assert_int_equal(launch->block[1], 8);
        assert_int_equal(launch->dynamic_shared, 64);
        assert_string_equal(job->kernel, "transpose");
        assert_string_equal(job->constant, "lab_name");
        assert_int_equal(job->reference, REFERENCE_TRANSPOSE);
        assert_true(timed == (job->samples > 0));
        bool published = !timed && !json_is_true(json_object_get(size, "hidden"));
        assert_true((job->seed == RUBRIC_PUBLISHED_SEED) == published);
        for (size_t j = 0; j < i && !published; j++)
            assert_true(stage.jobs[j].seed != job->seed);
    }
    assert_non_null(timed_run);
    assert_string_equal(text(timed_run, "chip"), "NVIDIA Played");
    assert_string_equal(text(timed_run, "status"), "ok");
    assert_non_null(strstr(text(timed_run, "compiler"), "sm_80 cubin:"));
    const json_t *counters = json_object_get(timed_run, "counters");
    assert_true(json_number_value(json_object_get(counters, "copy_pct")) == 73.5);
    assert_true(json_is_null(json_object_get(counters, "l2_read_bytes")));
    assert_int_equal(json_array_size(json_object_get(document, "flags")), 0);
    assert_true(json_object_get(timed_run, "seed") == NULL);
    json_decref(document);
}

static void points_do_not_depend_on_it(void **state)
{
    (void)state;
    double scores[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        play(0, FAILURE_STUDENT, STATUS_WRONG_RESULT, false);
        options.gpu = gpu ? &device : NULL;
        json_t *document = grade_well(KERNEL("naive", "", GOOD), NULL);
        scores[gpu] = json_number_value(json_object_get(document, "score"));
        assert_string_equal(text(lab_of(document, "naive"), "status"), "ok");
        assert_true((gpu_run(lab_of(document, "naive")) != NULL) == (gpu == 1));
        assert_true((stage.ran > 0) == (gpu == 1));
        json_decref(document);
    }
    assert_true(scores[0] == scores[1] && scores[0] > 0);
}

static void a_wrong_result_costs_its_size_and_the_timing(void **state)
{
    (void)state;
    play(1, FAILURE_STUDENT, STATUS_WRONG_RESULT, false);
    json_t *document = grade_well(KERNEL("naive", "", GOOD), NULL);
    json_t *lab = lab_of(document, "naive");
    size_t sizes = json_array_size(json_object_get(lab, "sizes"));
    assert_int_equal(stage.ran, sizes);
    assert_int_equal(sizes_with(lab, "ok"), sizes - 1);
    assert_int_equal(sizes_with(lab, "wrong_result"), 1);
    assert_string_equal(text(gpu_run(lab), "status"), "wrong_result");
    assert_non_null(strstr(text(gpu_run(lab), "reason"), "not timed"));
    assert_non_null(strstr(flagged(document, "hardware_differs"),
                           "at 100 x 77 the emulator reports ok, but NVIDIA Played reports "
                           "wrong_result: it went wrong"));
    json_decref(document);
}

static void a_fault_ends_its_file_only(void **state)
{
    (void)state;
    play(2, FAILURE_STUDENT, STATUS_OUT_OF_BOUNDS, true);
    json_t *document = grade_well(KERNEL("naive", "", GOOD), KERNEL("padded", "", GOOD));
    json_t *first = lab_of(document, "naive"), *second = lab_of(document, "padded");
    size_t sizes = json_array_size(json_object_get(first, "sizes"));
    assert_int_equal(sizes_with(first, "ok"), 2);
    assert_int_equal(sizes_with(first, "out_of_bounds"), 1);
    assert_int_equal(sizes_with(first, "launch_error"), sizes - 3);
    assert_int_equal(sizes_with(second, "ok"), json_array_size(json_object_get(second, "sizes")));
    assert_string_equal(text(gpu_run(second), "status"), "ok");
    assert_non_null(strstr(flagged(document, "hardware_differs"), "more sizes)"));
    json_decref(document);
}

static void our_own_trouble_is_no_verdict(void **state)
{
    (void)state;
    play(1, FAILURE_HARNESS, STATUS_OK, false);
    json_t *document = grade_well(KERNEL("naive", "", GOOD), NULL);
    assert_null(gpu_run(lab_of(document, "naive")));
    assert_int_equal(stage.ran, 2);
    assert_non_null(strstr(flagged(document, "not_measured"),
                           "a.cu: the kernel could not be run on "
                           "NVIDIA Played: cannot allocate"));
    assert_string_equal(flagged(document, "hardware_differs"), "");
    json_decref(document);
    struct failure failure = {0};
    play(0, FAILURE_NONE, STATUS_OK, false);
    stage.unstarted = true;
    assert_null(grade(KERNEL("naive", "", GOOD), NULL, &failure));
    assert_non_null(strstr(failure.text, "no worker"));
    assert_int_equal(stage.closed, 1);
    failure = (struct failure){0};
    play(0, FAILURE_NONE, STATUS_OK, false);
    stage.unopened = true;
    assert_null(grade(KERNEL("naive", "", GOOD), NULL, &failure));
    assert_non_null(strstr(failure.text, "fell off"));
    assert_int_equal(stage.closed, 0);
}

static void refused_code_never_runs(void **state)
{
    (void)state;
    static const char *const files[] = {
        KERNEL("naive", "", GOOD " if (width < 0) printf(\"hello\");"),
        KERNEL("naive", "__device__ int kept;", GOOD " if (width < 0) kept++;")};
    static const char *const reasons[] = {"vprintf", "in global memory"};
    for (int i = 0; i < 2; i++) {
        play(-1, FAILURE_NONE, STATUS_OK, false);
        json_t *document = grade_well(files[i], NULL);
        json_t *lab = lab_of(document, "naive");
        assert_int_equal(stage.ran, 0);
        assert_int_equal(sizes_with(lab, "untrusted"),
                         json_array_size(json_object_get(lab, "sizes")));
        assert_string_equal(text(gpu_run(lab), "status"), "untrusted");
        assert_non_null(strstr(text(gpu_run(lab), "reason"), reasons[i]));
        assert_non_null(strstr(flagged(document, "hardware_differs"), reasons[i]));
        json_decref(document);
    }
}

static void bad_files_do_not_reach_it(void **state)
{
    (void)state;
    static const char *const files[] = {
        KERNEL("naive", "", "while (width) *(volatile float *)odata = 1;"), "no program at all",
        KERNEL("nonesuch", "", GOOD)};
    for (int i = 0; i < 3; i++) {
        play(-1, FAILURE_NONE, STATUS_OK, false);
        json_t *document = grade_well(files[i], NULL);
        assert_int_equal(stage.opened + stage.ran, 0);
        assert_string_equal(flagged(document, "hardware_differs"), "");
        json_decref(document);
    }
}

static void a_race_need_not_show(void **state)
{
    (void)state;
    play(-1, FAILURE_NONE, STATUS_OK, false);
    json_t *document = grade_well(
        KERNEL("naive", "", GOOD " odata[0] = threadIdx.x ? idata[0] : idata[1];"), NULL);
    json_t *lab = lab_of(document, "naive");
    assert_string_equal(text(lab, "status"), "race");
    assert_int_equal(sizes_with(lab, "ok"), json_array_size(json_object_get(lab, "sizes")));
    assert_string_equal(flagged(document, "hardware_differs"), "");
    json_decref(document);
    play(-1, FAILURE_NONE, STATUS_OK, false);
    document = grade_well(KERNEL("naive", "", "if (x < width && y < height) odata[0] = 1;"), NULL);
    assert_non_null(strstr(flagged(document, "hardware_differs"), "reports ok"));
    json_decref(document);
}

static void a_rubric_may_give_points_for_it(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        int at;
        double score; /* 73.5 is halfway from 60 to 90 on a logarithmic scale: 4 points */
        const char *result, *says;
    } cases[] = {
        {KERNEL("naive", "", GOOD), -1, 2, "partial", "73.5 % of the bandwidth of a copy"},
        {KERNEL("naive", "", GOOD), 0, 0, "failed", "not timed"},
        {KERNEL("naive", "", "odata[0] = 1;"), -1, 0, "skipped", "counts only if the result"},
    };
    static const char rubric[] =
        "{\"exercise\": \"naive\", \"title\": \"Naive\", \"points\": 5,"
        " \"published\": [[64, 96]], \"hidden\": [\"square\"],"
        " \"runs\": [{\"name\": \"counted\", \"device\": \"h200\", \"rows\": 64, \"cols\": 64}],"
        " \"checks\": [{\"id\": \"right\", \"kind\": \"correct\", \"title\": \"Right\","
        " \"points\": 1, \"all\": true, \"hint\": \"\"},"
        " {\"id\": \"fast\", \"kind\": \"ratio\", \"title\": \"Fast\", \"points\": 4,"
        " \"hint\": \"\", \"run\": \"gpu\", \"measure\": \"copy_pct\", \"full\": 90,"
        " \"zero\": 60}]}";
    char directory[] = "/tmp/hardware_rubric_XXXXXX", path[PATH_SIZE];
    struct failure failure = {0};
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/naive.json", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(rubric, file) >= 0);
    assert_int_equal(fclose(file), 0);
    const struct grade_options before = options;
    options.rubrics = directory;
    options.exercises = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        play(cases[i].at, FAILURE_STUDENT, STATUS_WRONG_RESULT, false);
        json_t *document = grade_well(cases[i].kernel, NULL), *lab = lab_of(document, "naive");
        const json_t *check = json_array_get(json_object_get(lab, "checks"), 1);
        assert_string_equal(text(check, "result"), cases[i].result);
        assert_non_null(strstr(text(check, "text"), cases[i].says));
        assert_true(json_number_value(json_object_get(check, "score")) == cases[i].score);
        assert_true(json_number_value(json_object_get(lab, "score")) ==
                    cases[i].score + (i < 2 ? 1 : 0));
        assert_true(json_number_value(json_object_get(document, "score")) ==
                    json_number_value(json_object_get(lab, "score")));
        json_decref(document);
    }
    options.gpu = NULL;
    assert_null(grade(KERNEL("naive", "", GOOD), NULL, &failure));
    assert_non_null(strstr(failure.text, "add --device gpu"));
    options = before;
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

static void no_gpu_is_explained(void **state)
{
    (void)state;
    struct hardware_device real;
    struct failure failure = {0};
    assert_int_equal(setenv("CUDA_VISIBLE_DEVICES", "", 1), 0);
    assert_false(hardware_find(&real, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    assert_non_null(strstr(failure.text, "--device gpu: "));
    failure = (struct failure){0};
    assert_false(sandbox_probe_machine(options.sandbox, 7, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    assert_non_null(strstr(failure.text, "sm_7"));
}

int main(int count, char **values)
{
    struct failure failure = {0};
    if (count > 1 && !strcmp(values[1], "compile-sandboxed"))
        return command_compile_sandboxed(count - 2, values + 2, &failure);
    if (!sandbox_probe_machine(options.sandbox = SANDBOX_BUBBLEWRAP, 80, &failure) &&
        !sandbox_probe_machine(options.sandbox = SANDBOX_WEAK, 80, &failure)) {
        printf("1..0 # SKIP %s\n", failure.text);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_kernel_is_run_everywhere_and_timed),
        cmocka_unit_test(points_do_not_depend_on_it),
        cmocka_unit_test(a_wrong_result_costs_its_size_and_the_timing),
        cmocka_unit_test(a_fault_ends_its_file_only),
        cmocka_unit_test(our_own_trouble_is_no_verdict),
        cmocka_unit_test(refused_code_never_runs),
        cmocka_unit_test(bad_files_do_not_reach_it),
        cmocka_unit_test(a_race_need_not_show),
        cmocka_unit_test(a_rubric_may_give_points_for_it),
        cmocka_unit_test(no_gpu_is_explained),
    };
    return cmocka_run_group_tests(tests, setup, remove_place);
}
