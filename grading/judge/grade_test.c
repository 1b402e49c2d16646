/* grade_test.c: grades whole submissions with intake, sandboxes and judge. check: whole course */
#include "judge/grade.h"

#include "base/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <unistd.h>

static char place[] = "/tmp/grade_test_XXXXXX";
static char handed_in[sizeof place + 16], temporary[sizeof place + 16];
static char rubrics[PATH_SIZE];
static struct grade_options options = {.rubrics = rubrics,
                                       .secret = "a secret of thirty-two bytes..."};

static int setup(void **state)
{
    (void)state;
    struct failure failure = {0};
    if (!mkdtemp(place) || !paths_in_root("grading/rubrics", rubrics, &failure))
        return -1;
    snprintf(handed_in, sizeof handed_in, "%s/handed-in", place);
    snprintf(temporary, sizeof temporary, "%s/tmp", place);
    return mkdir(handed_in, 0700) || mkdir(temporary, 0700) || setenv("TMPDIR", temporary, 1);
}

static size_t clear(const char *directory, bool remove_them)
{
    DIR *stream = opendir(directory);
    size_t count = 0;
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));) {
        char path[PATH_SIZE];
        if (entry->d_name[0] == '.')
            continue;
        count++;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (remove_them && rmdir(path)) {
            if (errno == ENOTEMPTY)
                clear(path, true);
            assert_int_equal(remove(path), 0);
        }
    }
    closedir(stream);
    return count;
}

static int teardown(void **state)
{
    (void)state;
    clear(handed_in, true);
    return rmdir(handed_in) || rmdir(temporary) || rmdir(place);
}

static void hand_in(const char *name, const char *text)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", handed_in, name);
    if (strchr(name, '/')) {
        *strrchr(path, '/') = 0;
        assert_true(!mkdir(path, 0700) || errno == EEXIST);
        path[strlen(path)] = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    static const struct timespec noon[2] = {{.tv_sec = 1792584000}, {.tv_sec = 1792584000}};
    assert_int_equal(utimensat(AT_FDCWD, path, noon, 0), 0);
}

/* Submit a file of the course as `name`, with LAB(`exercise`) unless `exercise` is NULL. */
static void hand_in_lab(const char *relative, const char *name, const char *exercise)
{
    char path[PATH_SIZE], text[1 << 14], renamed[sizeof text + 80];
    struct failure failure = {0};
    assert_true(paths_in_root(relative, path, &failure));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    char *lab = strstr(text, "\nLAB(");
    assert_non_null(lab);
    if (exercise)
        snprintf(renamed, sizeof renamed, "%.*s\nLAB(%s)%s", (int)(lab - text), text, exercise,
                 strchr(lab, ')') + 1);
    hand_in(name, exercise ? renamed : text);
}

static json_t *grade(void)
{
    struct submission submission = {
        .id = "alice", .name = "Alice \xc3\x85ngstr\xc3\xb6m", .path = handed_in};
    struct failure failure = {0};
    json_t *document = grade_submission(&submission, &options, &failure);
    if (!document)
        fail_msg("%s", failure.text);
    assert_int_equal(clear(temporary, false), 0);
    clear(handed_in, true);
    return document;
}

static double number(const json_t *object, const char *field)
{
    return json_number_value(json_object_get(object, field));
}

static const char *text(const json_t *object, const char *field)
{
    const char *value = json_string_value(json_object_get(object, field));
    return value ? value : "(null)";
}

static const json_t *lab_of(const json_t *document, const char *exercise)
{
    size_t index;
    json_t *lab;
    json_array_foreach (json_object_get(document, "labs"), index, lab)
        if (!strcmp(text(lab, "exercise"), exercise))
            return lab;
    fail_msg("no lab %s", exercise);
    return NULL;
}

static char *list(const json_t *document, const char *field, const char *kind)
{
    static char all[8192];
    size_t index, used = 0;
    json_t *entry;
    all[0] = 0;
    json_array_foreach (json_object_get(document, field), index, entry) {
        const char *line = kind ? text(entry, "evidence") : json_string_value(entry);
        if (kind && strcmp(text(entry, "kind"), kind))
            continue;
        snprintf(all + used, sizeof all - used, "%s\n", line);
        used = strlen(all);
    }
    return all;
}

static void hand_in_solutions(void)
{
    hand_in_lab("solutions/00_copy/copy.cu", "copy.cu", NULL);
    hand_in_lab("solutions/00_copy/copy_shared.cu", "copy_shared.cu", NULL);
    hand_in_lab("solutions/01_naive/naive.cu", "naive.cu", NULL);
    hand_in_lab("solutions/02_coalesced/coalesced.cu", "coalesced.cu", NULL);
    hand_in_lab("solutions/03_padded/padded.cu", "padded.cu", NULL);
    hand_in_lab("solutions/04_fine_grained/fine_grained.cu", "fine_grained.cu", NULL);
    hand_in_lab("solutions/05_coarse_grained/coarse_grained.cu", "coarse_grained.cu", NULL);
    hand_in_lab("solutions/06_diagonal/diagonal.cu", "diagonal.cu", NULL);
}

static void test_all_solutions(void **state)
{
    (void)state;
    char *texts[2];
    for (int i = 0; i < 2; i++) {
        hand_in_solutions();
        json_t *document = grade();
        assert_true(number(document, "score") == 100 && number(document, "points") == 100);
        assert_string_equal(list(document, "notes", NULL), "");
        assert_int_equal(json_array_size(json_object_get(document, "flags")), 0);
        assert_string_equal(text(document, "name"), "Alice \xc3\x85ngstr\xc3\xb6m");
        assert_true(json_is_null(json_object_get(document, "email")));
        const json_t *record = json_object_get(document, "record");
        assert_int_equal(strlen(text(record, "seed")), 64);
        assert_int_equal(strlen(text(json_object_get(record, "devices"), "gtx280")), 64);
        const json_t *padded = lab_of(document, "padded");
        assert_non_null(strstr(text(padded, "source"), "LAB(padded);"));
        assert_true(json_array_size(json_object_get(padded, "lines")) >= 4);
        json_object_set_new(json_object_get(document, "record"), "seconds", json_real(0));
        texts[i] = json_dumps(document, JSON_SORT_KEYS | JSON_INDENT(2));
        json_decref(document);
    }
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

static void test_names_and_repeats(void **state)
{
    (void)state;
    hand_in_lab("solutions/03_padded/padded.cu", "my naive (final).cu", NULL);
    hand_in_lab("grading/honest/padded_syntax/padded.cu", "padded.cu", NULL);
    hand_in_lab("grading/honest/naive_copy/naive.cu", "01.cu", NULL);
    json_t *document = grade();
    const json_t *padded = lab_of(document, "padded");
    assert_string_equal(text(padded, "file"), "my naive (final).cu");
    assert_true(number(padded, "score") == 20 && number(document, "score") == 20);
    assert_string_equal(list(document, "flags", "exercise"), "");
    assert_string_equal(text(lab_of(document, "naive"), "file"), "01.cu");
    const char *notes = list(document, "notes", NULL);
    assert_non_null(strstr(notes, "my naive (final).cu declares LAB(padded) and counts for that "
                                  "exercise, although the file's name suggests naive"));
    const json_t *others = json_object_get(document, "others");
    assert_int_equal(json_array_size(others), 1);
    assert_string_equal(text(json_array_get(others, 0), "file"), "padded.cu");
    json_decref(document);
}

/* Each file has the LAB() of the previous lab. The name of the file or its folder is used instead,
 * unless another file has the correct LAB(). */
static void test_lab_left_as_it_was(void **state)
{
    (void)state;
    hand_in_lab("solutions/02_coalesced/coalesced.cu", "02_coalesced/kernel.cu", NULL);
    hand_in_lab("solutions/03_padded/padded.cu", "03_padded/kernel.cu", "coalesced");
    hand_in_lab("solutions/06_diagonal/diagonal.cu", "diagonal.cu", "naive");
    hand_in_lab("solutions/04_fine_grained/fine_grained.cu", "naive, then fine-grained.cu",
                "naive");
    json_t *document = grade();
    assert_string_equal(text(lab_of(document, "coalesced"), "file"), "02_coalesced/kernel.cu");
    assert_string_equal(text(lab_of(document, "padded"), "file"), "03_padded/kernel.cu");
    assert_true(number(lab_of(document, "padded"), "score") == 19);
    assert_string_equal(text(lab_of(document, "diagonal"), "file"), "diagonal.cu");
    assert_string_equal(text(lab_of(document, "naive"), "file"), "naive, then fine-grained.cu");
    const char *notes = list(document, "notes", NULL);
    assert_non_null(strstr(notes, "LAB(coalesced) is wrong here: it must be LAB(padded)"));
    assert_non_null(strstr(notes, "LAB(naive) is wrong here: it must be LAB(diagonal)"));
    json_decref(document);
}

static double score_of(const json_t *document, const char *exercise, const char *file)
{
    const json_t *lab = lab_of(document, exercise);
    assert_string_equal(text(lab, "file"), file);
    return number(lab, "score");
}

/* Each file has the LAB() of the previous lab. Only the first LAB() is correct. */
static void test_chains(void **state)
{
    (void)state;
    static const char *const names[] = {"copy",         "naive",          "coalesced", "padded",
                                        "fine_grained", "coarse_grained", "diagonal"};
    static const char *const folders[] = {"00_copy",    "01_naive",        "02_coalesced",
                                          "03_padded",  "04_fine_grained", "05_coarse_grained",
                                          "06_diagonal"};
    for (int kind = 0; kind < 4; kind++) { /* kinds 1 and 2: in folders; kind 3: without lab 00 */
        for (int i = kind == 3; i < 7; i++) {
            char path[PATH_SIZE], name[PATH_SIZE];
            snprintf(path, sizeof path, "solutions/%s/%s.cu", folders[i], names[i]);
            snprintf(name, sizeof name, kind % 3 ? "%s/%s" : "my %s%s.cu", folders[i],
                     kind % 3 ? "kernel.cu" : "");
            hand_in_lab(path, name, names[i ? i - 1 : 0]);
        }
        json_t *document = grade();
        for (int i = kind == 3; i < 7; i++) {
            const json_t *lab = lab_of(document, names[i]);
            assert_true(number(lab, "score") >= number(lab, "points") * (i ? 0.95 : 1) - 0.01);
        }
        assert_string_equal(list(document, "flags", "exercise"), "");
        json_decref(document);
    }
}

/* Two files with each other's LAB() do not move. A chain stops at a correct file. */
static void test_no_chains(void **state)
{
    (void)state;
    hand_in_lab("solutions/03_padded/padded.cu", "naive.cu", NULL);
    hand_in_lab("solutions/01_naive/naive.cu", "padded.cu", NULL);
    hand_in_lab("solutions/02_coalesced/coalesced.cu", "Kopie.cu", NULL);
    hand_in_lab("solutions/06_diagonal/diagonal.cu", "coalesced.cu", "diagonal");
    json_t *document = grade();
    assert_true(score_of(document, "padded", "naive.cu") == 20);
    assert_true(score_of(document, "naive", "padded.cu") == 10);
    assert_string_equal(text(lab_of(document, "coalesced"), "file"), "Kopie.cu");
    assert_string_equal(text(lab_of(document, "diagonal"), "file"), "coalesced.cu");
    json_decref(document);
}

static void test_other_exercises_of_the_release(void **state)
{
    (void)state;
    hand_in_lab("solutions/01_naive/naive.cu", "naive.cu", NULL);
    hand_in_lab("solutions/30_stencil_naive/stencil_naive.cu", "stencil_naive.cu", NULL);
    hand_in_lab("solutions/30_stencil_naive/stencil_naive.cu", "30_stencil_naive/naive.cu", NULL);
    hand_in_lab("solutions/20_sum_shared/sum_shared.cu", "my copy_shared sum.cu", NULL);
    hand_in_lab("solutions/10_record/record.cu", "transpose - Copy.cu", NULL);
    json_t *document = grade();
    assert_true(score_of(document, "naive", "naive.cu") == 10 && number(document, "score") == 10);
    assert_int_equal(json_array_size(json_object_get(document, "others")), 0);
    assert_non_null(strstr(list(document, "notes", NULL), "are for other exercises of the course"));
    assert_string_equal(list(document, "flags", "exercise"),
                        "my copy_shared sum.cu is not graded: it declares LAB(sum_shared), which "
                        "is not graded here, but the name of the file suggests copy_shared\n");
    json_decref(document);
    /* If LAB() wrongly names a graded exercise, the file does not replace that exercise's file. */
    hand_in_lab("solutions/01_naive/naive.cu", "naive.cu", NULL);
    hand_in_lab("solutions/30_stencil_naive/stencil_naive.cu", "stencil_naive.cu", "naive");
    hand_in_lab("solutions/20_sum_shared/sum_shared.cu", "sum_shared.cu", "naive");
    document = grade();
    assert_true(score_of(document, "naive", "naive.cu") == 10);
    assert_int_equal(json_array_size(json_object_get(document, "others")), 0);
    json_decref(document);
    /* The file's name is a graded exercise, but LAB() names an exercise that is not graded here. */
    hand_in_lab("solutions/01_naive/naive.cu", "naive.cu", "stencil_tiled");
    document = grade();
    assert_true(score_of(document, "naive", "naive.cu") == 9.5);
    json_decref(document);
}

static void test_chain_of_one_week(void **state)
{
    (void)state;
    static const char *const exercises[] = {"padded"};
    struct grade_options all = options;
    options.exercises = exercises;
    options.exercise_count = 1;
    hand_in_lab("solutions/03_padded/padded.cu", "my padded.cu", "coalesced");
    hand_in_lab("solutions/06_diagonal/diagonal.cu", "diagonal.cu", "padded");
    json_t *document = grade();
    assert_true(score_of(document, "padded", "my padded.cu") == 19);
    assert_int_equal(json_array_size(json_object_get(document, "others")), 0);
    json_decref(document);
    hand_in_lab("solutions/03_padded/padded.cu", "diagonal.cu", NULL);
    document = grade();
    options = all;
    assert_true(score_of(document, "padded", "diagonal.cu") == 20);
    json_decref(document);
}

static void test_several_kernels_in_one_file(void **state)
{
    (void)state;
    static const char *const parts[] = {"00_copy/copy", "01_naive/naive", "03_padded/padded"};
    char all[1 << 15] = "", path[PATH_SIZE], part[1 << 13];
    for (size_t i = 0; i < 3; i++) {
        struct failure failure = {0};
        snprintf(part, sizeof part, "solutions/%s.cu", parts[i]);
        assert_true(paths_in_root(part, path, &failure));
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        strncat(all, part, fread(part, 1, sizeof part - 1, file));
        fclose(file);
        strcat(all, "\n");
    }
    hand_in("everything.cu", all);
    json_t *document = grade();
    assert_true(score_of(document, "copy", "everything (copy).cu") == 5);
    assert_true(score_of(document, "naive", "everything (naive).cu") == 10);
    assert_true(score_of(document, "padded", "everything (padded).cu") == 20);
    assert_string_equal(list(document, "flags", "exercise"), "");
    json_decref(document);
    hand_in("everything.cu",
            "#include \"lab.h\"\n"
            "__global__ void naive(float *odata, const float *idata, int width, int height) {}\n"
            "__global__ void padded(float *odata, const float *idata, int width, int height) {}\n");
    document = grade();
    assert_true(number(document, "score") == 0);
    assert_string_equal(list(document, "flags", "exercise"),
                        "everything.cu has 2 kernels and earns no points: the file may contain "
                        "several exercises\n");
    json_decref(document);
}

static void test_doubtful_files(void **state)
{
    (void)state;
    hand_in_lab("solutions/03_padded/padded.cu", "padded.cu", NULL);
    hand_in_lab("solutions/01_naive/naive.cu", "naive.cu", NULL);
    hand_in_lab("solutions/01_naive/naive.cu", "z naive (old).cu", "padded");
    json_t *document = grade();
    assert_true(score_of(document, "padded", "padded.cu") == 20);
    assert_int_equal(json_array_size(json_object_get(document, "others")), 0);
    assert_string_equal(list(document, "flags", "exercise"),
                        "z naive (old).cu declares LAB(padded), but its name suggests naive: this "
                        "file is not graded, and padded.cu counts for padded\n");
    json_decref(document);
}

#define BROKEN "extern \"C\" __global__ void transpose(float *odata { }\n"

static void test_what_does_not_compile(void **state)
{
    (void)state;
    hand_in("homework.cu", "#include \"lab.h\"\nLAB(copy_shared);\n" BROKEN);
    hand_in("Lab 01 naive.cu", BROKEN);
    hand_in("helper.cu", BROKEN);
    hand_in("other.cu", "#include \"lab.h\"\nLAB(quilted);\n" BROKEN);
    json_t *document = grade();
    assert_true(number(document, "score") == 0);
    assert_string_equal(text(lab_of(document, "copy_shared"), "file"), "homework.cu");
    assert_string_equal(text(lab_of(document, "copy_shared"), "status"), "compile_error");
    assert_non_null(strstr(text(lab_of(document, "copy_shared"), "reason"), "homework.cu"));
    assert_string_equal(text(lab_of(document, "naive"), "file"), "Lab 01 naive.cu");
    assert_string_equal(text(lab_of(document, "copy"), "status"), "missing");
    const char *notes = list(document, "notes", NULL);
    assert_non_null(strstr(notes, "helper.cu is not graded: compile_error: "));
    assert_non_null(strstr(notes, "other.cu is not graded: compile_error: "));
    json_decref(document);
}

static void test_exercises_that_are_not_graded(void **state)
{
    (void)state;
    static const char *const exercises[] = {"naive"};
    struct grade_options all = options;
    options.exercises = exercises;
    options.exercise_count = 1;
    hand_in_lab("solutions/03_padded/padded.cu", "padded.cu", NULL);
    hand_in_lab("solutions/01_naive/naive.cu", "work.cu", "quilted");
    json_t *document = grade();
    options = all;
    assert_true(number(document, "points") == 10);
    assert_int_equal(json_array_size(json_object_get(document, "labs")), 1);
    const char *notes = list(document, "notes", NULL);
    assert_non_null(strstr(notes, "padded.cu is for other exercises of the course, which are not "
                                  "graded here"));
    assert_non_null(strstr(notes, "work.cu is not graded: LAB(quilted) is"));
    json_decref(document);
}

static void test_suspicions(void **state)
{
    (void)state;
    hand_in_lab("solutions/06_diagonal/diagonal.cu", "padded.cu", "padded");
    hand_in_lab("solutions/06_diagonal/diagonal.cu", "diagonal.cu", NULL);
    hand_in("naive.cu",
            "#include \"lab.h\"\nLAB(naive);\n"
            "extern \"C\" __global__ void transpose(float *odata, const float *idata, int width,\n"
            "                                     int height)\n{\n"
            "    asm volatile(\"\");\n"
            "    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y;\n"
            "    bool known = width == 96 || width == 77 || width == 65 || width == 161 ||\n"
            "                 width == 32 || width == 70 || width == 1 || width == 512;\n"
            "    if (x < width && known)\n"
            "        odata[(size_t)x * height + y] = idata[(size_t)y * width + x];\n}\n"
            "LAB_LAUNCH(width, height) { return {dim3((width + 31) / 32, height), dim3(32)}; }\n");
    json_t *document = grade();
    assert_string_equal(list(document, "flags", "same_file"),
                        "diagonal.cu (diagonal), padded.cu (padded): the files differ only in "
                        "LAB(), comments and white space\n");
    assert_string_equal(list(document, "flags", "suspicious_text"),
                        "naive.cu:6: inline PTX: asm volatile(\"\");\n");
    assert_string_equal(
        list(document, "flags", "hard_coded_sizes"),
        "naive.cu: correct at all published sizes, but incorrect at a hidden size of the kind "
        "square; numbers in comparisons may be sizes: 96 77 65 161 70 512\n");
    assert_true(number(lab_of(document, "naive"), "score") == 3);
    json_decref(document);
}

static void test_many_suspicions(void **state)
{
    (void)state;
    char many[4000] = "";
    for (int i = 0; i < 500; i++)
        memcpy(many + 4 * i, "asm\n", 5);
    hand_in("naive.cu", many);
    json_t *document = grade();
    assert_int_equal(json_array_size(json_object_get(document, "flags")), 21);
    assert_non_null(strstr(list(document, "flags", "suspicious_text"), "naive.cu: and 480 more"));
    json_decref(document);
}

static void test_nothing_handed_in(void **state)
{
    (void)state;
    struct submission submission = {
        .id = "bob", .name = "Bob", .email = "bob@example.org", .late = true};
    struct failure failure = {0};
    json_t *document = grade_submission(&submission, &options, &failure);
    assert_non_null(document);
    assert_true(json_is_false(json_object_get(document, "submitted")));
    assert_string_equal(text(document, "email"), "bob@example.org");
    assert_true(number(document, "score") == 0 && number(document, "points") == 100);
    assert_string_equal(text(lab_of(document, "diagonal"), "status"), "missing");
    assert_string_equal(list(document, "notes", NULL), "submitted late, according to Canvas\n");
    json_decref(document);
    hand_in("notes.txt", "nothing to see");
    document = grade();
    assert_true(json_is_true(json_object_get(document, "submitted")));
    assert_string_equal(text(lab_of(document, "diagonal"), "status"), "unreadable");
    assert_string_equal(text(lab_of(document, "diagonal"), "reason"),
                        "notes.txt is not CUDA source: an instructor must check it by hand");
    json_decref(document);
    document = grade();
    assert_string_equal(text(lab_of(document, "diagonal"), "status"), "missing");
    assert_non_null(strstr(list(document, "notes", NULL), "the submission has no .cu file"));
    json_decref(document);
}

static void test_bad_company(void **state)
{
    (void)state;
    hand_in("naive.cu",
            "#include \"lab.h\"\nLAB(naive);\n"
            "extern \"C\" __global__ void transpose(float *odata, const float *, int, int)\n"
            "{\n    while (true)\n        *(volatile float *)odata = 1;\n}\n"
            "LAB_LAUNCH(width, height) { return {dim3(100000), dim3(1024)}; }\n");
    hand_in_lab("solutions/00_copy/copy.cu", "copy.cu", NULL);
    json_t *document = grade();
    assert_true(number(document, "score") == 5);
    const json_t *naive = lab_of(document, "naive");
    assert_string_equal(text(naive, "status"), "timeout");
    json_decref(document);
}

static void test_harness_failures(void **state)
{
    (void)state;
    struct submission submission = {.id = "alice", .name = "Alice", .path = handed_in};
    struct grade_options broken = options;
    struct failure failure = {0};
    broken.rubrics = "/nonexistent";
    assert_null(grade_submission(&submission, &broken, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    hand_in_lab("solutions/00_copy/copy.cu", "copy.cu", NULL);
    failure = (struct failure){0};
    assert_int_equal(setenv("TMPDIR", "/nonexistent", 1), 0);
    assert_null(grade_submission(&submission, &options, &failure));
    assert_non_null(strstr(failure.text, "cannot make a directory in /nonexistent: "));
    assert_int_equal(setenv("TMPDIR", temporary, 1), 0);
    clear(handed_in, true);
}

int main(int count, char **values)
{
    /* The compiler's sandbox starts this program again in the sandbox. */
    struct failure failure = {0};
    if (count > 1 && !strcmp(values[1], "compile-sandboxed"))
        return command_compile_sandboxed(count - 2, values + 2, &failure);
    if (!sandbox_probe(options.sandbox = SANDBOX_BUBBLEWRAP, &failure) &&
        !sandbox_probe(options.sandbox = SANDBOX_WEAK, &failure)) {
        printf("1..0 # SKIP %s\n", failure.text);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_solutions),
        cmocka_unit_test(test_names_and_repeats),
        cmocka_unit_test(test_lab_left_as_it_was),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_no_chains),
        cmocka_unit_test(test_other_exercises_of_the_release),
        cmocka_unit_test(test_chain_of_one_week),
        cmocka_unit_test(test_doubtful_files),
        cmocka_unit_test(test_several_kernels_in_one_file),
        cmocka_unit_test(test_what_does_not_compile),
        cmocka_unit_test(test_exercises_that_are_not_graded),
        cmocka_unit_test(test_suspicions),
        cmocka_unit_test(test_many_suspicions),
        cmocka_unit_test(test_nothing_handed_in),
        cmocka_unit_test(test_bad_company),
        cmocka_unit_test(test_harness_failures),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
