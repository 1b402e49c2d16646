/* class_test.c: tests that each submission of a class is graded exactly once, even if processes are
 * killed. The test's grader obeys words in the submission's file ("die", "fail", ...). It logs each
 * start, and "TWICE" if the submission already has a grade.
 * check: whole */
#define _GNU_SOURCE
#include "class/class.h"

#include "class/batch.h"
#include "class/slurm_jobs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64];

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int enter(void **state)
{
    (void)state;
    strcpy(root, "/tmp/class_test_XXXXXX");
    if (!mkdtemp(root) || chdir(root) || mkdir("class", 0700) || mkdir("rubrics", 0700))
        return -1;
    put("rubrics/padded.json", "{}");
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static int leave(void **state)
{
    (void)state;
    return chdir("/") || nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void log_line(const char *word, const char *id)
{
    char line[128];
    int length = snprintf(line, sizeof line, "%s %s\n", word, id);
    int descriptor = open("log", O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (descriptor < 0 || write(descriptor, line, (size_t)length) != length)
        abort();
    close(descriptor);
}

static bool has(const struct intake *intake, const char *word)
{
    return intake->count && strstr((const char *)intake->files[0].bytes, word);
}

static json_t *test_grade(const struct submission *submission, const struct grade_options *options,
                          struct failure *failure)
{
    struct intake intake;
    char path[PATH_MAX], digest[65] = "", uploads[65] = "";
    snprintf(path, sizeof path, "out/work/%s.json", submission->id);
    log_line(access(path, F_OK) ? "start" : "TWICE", submission->id);
    if (!intake_read(submission, &intake, failure))
        return NULL;
    for (size_t i = 0; i < 32; i++) {
        snprintf(digest + 2 * i, 3, "%02x", intake.digest[i]);
        snprintf(uploads + 2 * i, 3, "%02x", intake.uploads_digest[i]);
    }
    if (has(&intake, "sleep"))
        usleep(20000);
    if (has(&intake, "long"))
        usleep(250000);
    if (has(&intake, "die once") && access("died", F_OK)) {
        put("died", "");
        raise(SIGKILL);
    }
    if (has(&intake, "die always"))
        raise(SIGKILL);
    if (has(&intake, "exit"))
        _exit(3);
    struct stat sign;
    if (has(&intake, "take the sign")) {
        while (stat("sign", &sign) || sign.st_size < 2)
            usleep(20000);
        unlink("sign");
        pause();
    }
    bool fails = has(&intake, "fail");
    intake_free(&intake);
    if (fails) {
        failure_harness(failure, "no room for \xFF staging");
        return NULL;
    }
    return json_pack("{s:s, s:s, s:s, s:s?, s:b, s:s, s:i, s:i, s:[], s:[], s:[{s:s, s:s, s:s, "
                     "s:s?, s:s, s:s, s:f, s:i, s:[], s:[], s:[], s:n, s:[], s:s, s:s, s:s}], "
                     "s:{s:s, s:s, s:s, s:f}}",
                     "format", GRADE_FORMAT, "id", submission->id, "name", submission->name,
                     "email", submission->email, "submitted", submission->path != NULL, "digest",
                     digest, "score", 3, "points", 4, "notes", "flags", "labs", "lab", "03_padded",
                     "exercise", "padded", "title", "Padded", "file",
                     submission->path ? "padded.cu" : NULL, "status",
                     submission->path ? "ok" : "missing", "reason", "", "score",
                     submission->path ? 2.5 : 0, "points", 4, "checks", "sizes", "runs", "source",
                     "lines", "advice", "", "compiler", "", "rubric", "", "record", "tlab", "x",
                     "uploads", uploads, "seed", options->secret[0] ? "b" : "a", "seconds", 0.1);
}

/* Ids of students: reports of `too_large` fail with sources or among others, `impossible`
 * always. */
static const char *too_large = "", *impossible = "";

static bool report_fails(const json_t *grade, size_t count)
{
    const char *id = json_string_value(json_object_get(grade, "id"));
    bool whole = json_array_size(json_object_get(grade, "notes")) == 0;
    return !strcmp(id, impossible) || (!strcmp(id, too_large) && (count > 1 || whole));
}

static bool test_report(const struct report_class *class, const char *students,
                        struct failure *failure)
{
    for (size_t i = 0; i < class->count; i++) {
        char path[PATH_MAX];
        json_t *grade = class->load(class->context, i, failure);
        assert_non_null(grade);
        const char *id = json_string_value(json_object_get(grade, "id"));
        if (report_fails(grade, class->count)) {
            json_decref(grade);
            return failure_harness(failure, "jq: \xFF too large");
        }
        snprintf(path, sizeof path, "%s/%s", students, id);
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/%s/report", students, id);
        if (json_dump_file(grade, path, JSON_SORT_KEYS))
            return failure_harness(failure, "%s: %s", path, strerror(errno));
        json_decref(grade);
    }
    return true;
}

static const struct class_steps steps = {test_grade, test_report};

static struct class_options options_for(unsigned jobs)
{
    return (struct class_options){.grade = {.rubrics = "rubrics"},
                                  .submissions = "class",
                                  .out = "out",
                                  .jobs = jobs,
                                  .steps = &steps};
}

static void submit(const char *id, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "class/%s.cu", id);
    put(path, text);
}

static void submit_many(unsigned count, const char *text)
{
    for (unsigned i = 0; i < count; i++) {
        char id[16];
        snprintf(id, sizeof id, "s%03u", i);
        submit(id, text);
    }
}

static void assert_grades(const struct class_options *options, struct class_summary *summary)
{
    struct failure failure = {0};
    if (!class_grade(options, summary, &failure))
        fail_msg("%s", failure.text);
}

static size_t logged(const char *word)
{
    char line[128];
    size_t count = 0;
    FILE *file = fopen("log", "r");
    while (file && fgets(line, sizeof line, file))
        count += !strncmp(line, word, strlen(word));
    if (file)
        fclose(file);
    return count;
}

static void assert_says(const struct failure *failure, const char *words)
{
    assert_int_equal(failure->kind, FAILURE_HARNESS);
    if (!strstr(failure->text, words))
        fail_msg("`%s` does not contain `%s`", failure->text, words);
}

static void test_grades_once(void **state)
{
    (void)state;
    struct class_options options = options_for(3);
    struct class_summary summary;
    submit_many(9, "x");
    put("roster.csv", "id\ns003\nnobody\n");
    options.roster = "roster.csv";
    assert_grades(&options, &summary);
    assert_int_equal(summary.count, 10);
    assert_int_equal(summary.handed_in, 9);
    assert_int_equal(summary.graded_now, 10);
    assert_int_equal(summary.not_graded, 0);
    assert_int_equal(summary.lab_count, 1);
    assert_string_equal(summary.labs[0].exercise, "padded");
    assert_int_equal(summary.labs[0].handed_in, 9);
    assert_true(summary.labs[0].score == 22.5 && summary.labs[0].points == 36);
    assert_int_equal(access("out/grade.json", F_OK), 0);
    assert_int_equal(access("out/students/nobody/report", F_OK), 0);
    assert_int_equal(system("grep -q '\"key\"' out/work/s001.json"), 0);
    assert_int_not_equal(system("grep -rq '\"key\"' out/students out/grade.json"), 0);
    assert_grades(&options, &summary);
    assert_int_equal(summary.graded_now, 0);
    assert_int_equal(summary.count, 10);
    assert_int_equal(logged("start"), 10);
}

static void test_stale_grades(void **state)
{
    (void)state;
    struct class_options options = options_for(2);
    struct class_summary summary;
    submit_many(5, "x");
    assert_grades(&options, &summary);
    submit("s001", "y");
    assert_grades(&options, &summary);
    assert_int_equal(summary.graded_now, 1);
    assert_int_equal(truncate("out/work/s002.json", 40), 0);
    put("out/work/s003.json", "[]");
    put("out/work/s004.json.77-0.tmp", "{");
    put("out/grade.json.77-0.tmp", "{");
    put("out/students/s004/index.html.77-12.tmp", "<");
    put("out/work/10_2.alive", "1");
    static const char *const retained[] = {"out/notes.tmp",
                                           "out/work/7-0.tmp",
                                           "out/draft.7-.tmp",
                                           "out/a.-0.tmp",
                                           "out/students/s004/mine.77.tmp",
                                           "elsewhere/x.77-0.tmp"};
    assert_int_equal(mkdir("elsewhere", 0700), 0);
    for (size_t i = 0; i < sizeof retained / sizeof *retained; i++)
        put(retained[i], "mine");
    assert_int_equal(
        system("mv out/students/s002 moved && ln -s ../../elsewhere out/students/s002"), 0);
    assert_grades(&options, &summary);
    assert_int_equal(summary.graded_now, 2);
    assert_int_not_equal(access("out/work/s004.json.77-0.tmp", F_OK), 0);
    assert_int_not_equal(access("out/grade.json.77-0.tmp", F_OK), 0);
    assert_int_not_equal(access("out/students/s004/index.html.77-12.tmp", F_OK), 0);
    assert_int_not_equal(access("out/work/10_2.alive", F_OK), 0);
    for (size_t i = 0; i < sizeof retained / sizeof *retained; i++)
        assert_int_equal(access(retained[i], F_OK), 0);
    assert_int_equal(unlink("out/students/s002"), 0);
    put("roster.csv", "id,name\ns000,Zoe\ns001,s001\n");
    options.roster = "roster.csv";
    assert_grades(&options, &summary);
    assert_int_equal(summary.graded_now, 1);
    options.grade.secret[0] = 1;
    assert_grades(&options, &summary);
    assert_int_equal(summary.graded_now, 5);
    put("rubrics/padded.json", "{ }");
    assert_grades(&options, &summary);
    assert_int_equal(summary.graded_now, 5);
    options.grade.sandbox = SANDBOX_WEAK;
    assert_grades(&options, &summary);
    assert_int_equal(summary.graded_now, 5);
    assert_int_equal(setenv("TLAB_COMPILER", "clang", 1), 0);
    assert_grades(&options, &summary);
    assert_int_equal(unsetenv("TLAB_COMPILER"), 0);
    assert_int_equal(summary.graded_now, 5);
    assert_int_equal(logged("TWICE"), 0);
}

static void test_dying_graders(void **state)
{
    (void)state;
    struct class_options options = options_for(2);
    struct class_summary summary;
    struct failure failure = {0};
    submit_many(10, "x");
    submit("s004", "die always");
    submit("s005", "die once");
    submit("s006", "exit");
    submit("s007", "fail");
    assert_false(class_grade(&options, &summary, &failure));
    assert_says(&failure, "3 of 10 submissions could not be graded (s004: the process was killed");
    assert_int_equal(summary.count, 10);
    assert_int_equal(summary.not_graded, 3);
    assert_int_equal(summary.graded_now, 7);
    assert_int_equal(logged("start s004"), 2);
    assert_int_equal(logged("start s005"), 2);
    assert_int_equal(logged("start s006"), 2);
    assert_int_equal(logged("start s007"), 1);
    assert_int_equal(system("grep -q 'NOT GRADED' out/students/s004/report"), 0);
    assert_int_equal(system("grep -q 'process ended with exit status 3' out/students/s006/report"),
                     0);
    assert_int_equal(system("grep -q 'no room for' out/students/s007/report"), 0);
    assert_int_equal(system("grep -q '03_padded' out/students/s007/report"), 0);
    submit("s004", "x");
    submit("s006", "x");
    submit("s007", "x");
    assert_grades(&options, &summary);
    assert_int_equal(summary.graded_now, 3);
    assert_int_not_equal(system("grep -rq 'NOT GRADED' out"), 0);
    assert_int_not_equal(access("out/work/s004.problem", F_OK), 0);
}

static void test_failed_pages(void **state)
{
    (void)state;
    struct class_options options = options_for(2);
    struct class_summary summary;
    struct failure failure = {0};
    submit_many(50, "x");
    too_large = "s030";
    assert_grades(&options, &summary);
    assert_int_equal(summary.graded_now, 50);
    assert_int_equal(system("test $(ls out/students/*/report | wc -l) = 50"), 0);
    assert_int_equal(system("test \"$(grep -l 'no sources and no charts.*too large' "
                            "out/students/*/report)\" = out/students/s030/report"),
                     0);
    impossible = "s003";
    assert_int_equal(system("rm -r out/students/*"), 0);
    assert_false(class_grade(&options, &summary, &failure));
    assert_says(&failure, "the reports of s003: jq");
    assert_int_equal(system("test $(ls out/students/*/report | wc -l) = 49"), 0);
    assert_int_equal(access("out/index.html", F_OK), 0);
    too_large = impossible = "";
    assert_grades(&options, &summary);
    assert_int_equal(summary.graded_now, 0);
    assert_int_equal(system("grep -q 'lacks sources' out/students/*/report"), 256);
}

static void test_gives_up_when_nothing_works(void **state)
{
    (void)state;
    struct class_options options = options_for(2);
    struct class_summary summary;
    struct failure failure = {0};
    submit_many(30, "fail");
    assert_false(class_grade(&options, &summary, &failure));
    assert_says(&failure, "none of the first 8 submissions could be graded: no room");
    assert_true(logged("start") < 12);
    assert_int_equal(summary.count, 0);
}

static void test_jobs_make_no_difference(void **state)
{
    (void)state;
    struct class_options options = options_for(1);
    struct class_summary summary;
    submit_many(12, "x");
    assert_grades(&options, &summary);
    assert_int_equal(rename("out", "one"), 0);
    options.jobs = 5;
    assert_grades(&options, &summary);
    assert_int_equal(system("diff -r one out"), 0);
}

static pid_t grade_in_child(const struct class_options *options)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct class_summary summary;
        struct failure failure = {0};
        _exit(class_grade(options, &summary, &failure) ? 0
              : strstr(failure.text, "another")        ? 2
                                                       : 3);
    }
    return child;
}

static int status_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void test_killed_at_any_moment(void **state)
{
    (void)state;
    enum { COUNT = 60, JOBS = 3 };
    struct class_options options = options_for(JOBS);
    submit_many(COUNT, "sleep");
    unsigned kills = 0;
    int window = 100000;
    srand(7);
    for (;; kills++) {
        assert_true(kills < 60);
        pid_t child = grade_in_child(&options);
        usleep((useconds_t)(20000 + rand() % window));
        window += window / 8; /* on a busy machine, a fixed time might never be long enough */
        kill(child, SIGKILL);
        int status = status_of(child);
        if (status == 0)
            break;
        assert_int_equal(status, -SIGKILL);
    }
    assert_true(kills > 2);
    assert_int_equal(logged("TWICE"), 0);
    assert_true(logged("start") >= COUNT && logged("start") <= COUNT + JOBS * kills);
    struct class_summary summary;
    size_t before = logged("start");
    assert_grades(&options, &summary);
    assert_int_equal(summary.count, COUNT);
    assert_int_equal(logged("start"), before);
    assert_int_equal(system("ls out/work | grep -q tmp"), 256);
}

static int grade_with_sign(void)
{
    const struct class_options options = options_for(1);
    const size_t first = 0;
    pid_t child = fork();
    if (!child) {
        struct batch batch;
        struct failure failure = {0};
        size_t graded = 0;
        bool good = batch_lock(&batch, &options, &failure) && batch_open(&batch, &failure);
        batch.sign = "sign";
        good = good && batch_grade(&batch, &first, 1, 1, &graded, &failure) && graded == 1;
        batch_close(&batch);
        _exit(good ? 0 : 1);
    }
    return status_of(child);
}

static void test_a_task_without_its_sign_ends(void **state)
{
    (void)state;
    submit("a", "take the sign");
    assert_int_equal(grade_with_sign(), -SIGKILL);
    assert_int_not_equal(access("out/work/a.json", F_OK), 0);
    submit("a", "x");
    assert_int_equal(grade_with_sign(), 0);
    assert_int_equal(access("out/work/a.json", F_OK), 0);
    assert_int_not_equal(access("sign", F_OK), 0);
}

static void test_two_graders(void **state)
{
    (void)state;
    struct class_options options = options_for(1);
    submit_many(20, "long");
    pid_t first = grade_in_child(&options);
    while (!logged("start"))
        usleep(5000);
    kill(first, SIGSTOP);
    assert_int_equal(status_of(grade_in_child(&options)), 2);
    kill(first, SIGKILL);
    assert_int_equal(status_of(first), -SIGKILL);
    options.jobs = 8;
    assert_int_equal(status_of(grade_in_child(&options)), 0);
    assert_int_equal(logged("TWICE"), 0);
}

static void test_full_disk(void **state)
{
    (void)state;
    struct class_options options = options_for(2);
    struct class_summary summary;
    submit_many(5, "x");
    pid_t child = fork();
    if (!child) {
        struct rlimit limit = {300, 300};
        struct failure failure = {0};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        bool good = class_grade(&options, &summary, &failure);
        _exit(good ? 1 : strstr(failure.text, "File too large") ? 0 : 2);
    }
    assert_int_equal(status_of(child), 0);
    assert_int_equal(system("ls out/work out out/students | grep -E 'json|tmp'"), 256);
    assert_grades(&options, &summary);
    assert_int_equal(summary.graded_now, 5);
}

static void test_unwritable(void **state)
{
    (void)state;
    struct class_options options = options_for(2);
    struct class_summary summary;
    struct failure failure = {0};
    submit("a", "x");
    put("file", "");
    options.out = "file";
    assert_false(class_grade(&options, &summary, &failure));
    assert_says(&failure, "cannot make the directory file/");
    failure = (struct failure){0};
    options.out = "/proc/nowhere/x";
    assert_false(class_grade(&options, &summary, &failure));
    assert_says(&failure, "/proc/nowhere");
    options.out = "out";
    put("keep", "");
    assert_int_equal(mkdir("out", 0755) | chmod(root, 0755), 0);
    pid_t child = fork();
    if (!child) { /* root could write to every file, so the child drops root's rights */
        if (!getuid() && setuid(65534))
            _exit(3);
        failure = (struct failure){0};
        if (getuid() == 65534 || !chmod("out", 0500))
            class_grade(&options, &summary, &failure);
        _exit(strstr(failure.text, "Permission denied") ? 0 : 1);
    }
    assert_int_equal(status_of(child), 0);
    assert_int_equal(chmod("out", 0755), 0);
}

static void test_deep_output(void **state)
{
    (void)state;
    struct class_options options = options_for(1);
    struct class_summary summary;
    struct failure failure = {0};
    submit("a", "x");
    options.out = "a/b/c/";
    assert_grades(&options, &summary);
    assert_int_equal(access("a/b/c/grade.json", F_OK), 0);
    options.grade.rubrics = "nowhere";
    assert_false(class_grade(&options, &summary, &failure));
    assert_says(&failure, "nowhere");
}

static void test_one(void **state)
{
    (void)state;
    struct class_options options = options_for(1);
    struct class_summary summary;
    submit_many(3, "x");
    options.one = "submission";
    assert_grades(&options, &summary);
    assert_int_equal(summary.count, 1);
    assert_int_equal(access("out/students/submission/report", F_OK), 0);
}

static void test_name_of_jobs(void **state)
{
    (void)state;
    const struct {
        const char *out;
        bool is_class;
    } cases[] = {{"class", true}, {"./class/", true}, {"link", true}, {"rubrics", false}};
    char of_class[32] = "";
    assert_int_equal(symlink("class", "link"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct class_options options = {.out = cases[i].out, .jobs = (unsigned)i};
        const struct batch batch = {.options = &options};
        struct slurm_jobs jobs = {.batch = &batch};
        struct failure failure = {0};
        assert_true(slurm_jobs_name(&jobs, &failure));
        assert_int_equal(failure.kind, FAILURE_NONE);
        assert_memory_equal(jobs.name, "tlab-", 5);
        assert_int_equal(strspn(jobs.name + 5, "0123456789abcdef"), 12);
        assert_int_equal(strlen(jobs.name), 17);
        if (!i)
            strcpy(of_class, jobs.name);
        assert_int_equal(!strcmp(jobs.name, of_class), cases[i].is_class);
    }
    struct class_options options = {.out = "nowhere"};
    const struct batch batch = {.options = &options};
    struct slurm_jobs jobs = {.batch = &batch};
    struct failure failure = {0};
    assert_false(slurm_jobs_name(&jobs, &failure));
    assert_says(&failure, "nowhere");
    assert_int_equal(*jobs.name, 0);
}

static void test_programs_of_slurm(void **state)
{
    (void)state;
    char path[128], old[PATH_MAX];
    snprintf(old, sizeof old, "%s", getenv("PATH"));
    snprintf(path, sizeof path, "%s/bin:/usr/bin:/bin", root);
    assert_int_equal(mkdir("bin", 0700) | setenv("PATH", path, 1), 0);
    put("bin/sbatch", "#!/bin/sh\necho $# \"$@\"\n[ \"$1\" != bad ]\n");
    assert_int_equal(chmod("bin/sbatch", 0700), 0);
    const char *words[25] = {"sbatch", "a b", "c"};
    struct child_result result;
    struct failure failure = {0};
    assert_true(slurm_run(words, &result, &failure));
    assert_string_equal(result.output, "2 a b c\n");
    child_result_free(&result);
    for (int i = 1; i < 24; i++)
        words[i] = "w";
    words[22] = "last";
    assert_true(slurm_run(words, &result, &failure));
    assert_non_null(strstr(result.output, "w last\n"));
    assert_memory_equal(result.output, "22 ", 3);
    child_result_free(&result);
    assert_int_equal(failure.kind, FAILURE_NONE);
    assert_false(slurm_run((const char *[]){"sbatch", "bad", NULL}, &result, &failure));
    assert_says(&failure, "sbatch");
    failure = (struct failure){0};
    assert_false(slurm_run((const char *[]){"absent-program", NULL}, &result, &failure));
    assert_says(&failure, "absent-program");
    assert_int_equal(setenv("PATH", old, 1), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_grades_once),
        TEST(test_stale_grades),
        TEST(test_dying_graders),
        TEST(test_failed_pages),
        TEST(test_gives_up_when_nothing_works),
        TEST(test_jobs_make_no_difference),
        TEST(test_killed_at_any_moment),
        TEST(test_a_task_without_its_sign_ends),
        TEST(test_two_graders),
        TEST(test_full_disk),
        TEST(test_unwritable),
        TEST(test_deep_output),
        TEST(test_one),
        TEST(test_name_of_jobs),
        TEST(test_programs_of_slurm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
