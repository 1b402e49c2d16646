/* command_viva.c: tlab viva SUBMISSION...: questions for an oral exam. */
#include "base/wording.h"
#include "commands/command.h"
#include "process/allocate.h"
#include "process/child.h"
#include "run/target_options.h"
#include "view/viva.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
    "Prints three questions about a kernel for an oral exam: the element or bank that one thread\n"
    "accesses, the cost of an access and its reason, and the effect of a change. The answers are\n"
    "computed from runs of the kernel. SUBMISSION is a .cu file, a lab, or a folder of .cu\n"
    "files. The same file and seed give the same questions. Run the command twice: without\n"
    "--answers for the student's sheet, and with --answers for the examiner's sheet. With\n"
    "--quiz, you can prepare for the exam yourself.\n\n"
    "With --page, --id or --labs, SUBMISSION is a class, as for `tlab grade`: a folder or an\n"
    "archive of submissions, or a bulk download.\n";

static bool take_answer(void)
{
    char line[256];
    fputs("   Your answer: ", stdout);
    fflush(stdout);
    const bool more = fgets(line, sizeof line, stdin);
    if (!more || !isatty(STDIN_FILENO))
        putchar('\n');
    return more;
}

static void print_viva(const char *path, const struct viva *viva, const struct run_options *options,
                       uint64_t seed, bool answers, bool quiz)
{
    printf("%s, on %s, %" PRIu64 " x %" PRIu64 " (rows x columns; seed %" PRIu64 ")%s\n", path,
           options->device->title, viva->rows, viva->cols, seed, answers ? ": answers" : "");
    for (unsigned i = 0; i < viva->count; i++) {
        char label[16];
        snprintf(label, sizeof label, "%u. ", i + 1);
        putchar('\n');
        text_wrap(stdout, label, viva->questions[i].text, (int)strlen(label));
        if (quiz && !take_answer())
            return;
        if (answers || quiz)
            text_wrap(stdout, "   => ", viva->questions[i].answer, 6);
    }
    if (viva->count < VIVA_QUESTIONS)
        printf("\n(No further question applies to this kernel.)\n");
}

struct viva_command {
    struct target_options target;
    uint64_t seed;
    bool answers, quiz;
    const char *id, *labs, *page;
    unsigned printed;
    int status;
};

static bool ask_source(void *context, const char *path, struct failure *failure)
{
    struct viva_command *sheet = context;
    struct failure wrong = {0};
    struct viva *viva = allocate_checked(calloc(1, sizeof *viva));
    bool good = viva_ask(path, &sheet->target.run, sheet->seed, viva, &wrong, failure);
    if (good && sheet->printed++)
        putchar('\n');
    if (good && wrong.kind == FAILURE_STUDENT) {
        printf("%s: no questions, because the kernel is incorrect: %s\n%s\n", path,
               status_name(wrong.status), wrong.text);
        sheet->status = 1;
    } else if (good) {
        print_viva(path, viva, &sheet->target.run, sheet->seed, sheet->answers, sheet->quiz);
    }
    free(viva);
    return good;
}

/* Replace this process by the script that makes the sheets of a class. Returns false on failure. */
static bool ask_class(const struct viva_command *sheet, struct failure *failure)
{
    const struct word_list *targets = &sheet->target.targets;
    char script[PATH_SIZE], program[PATH_SIZE];
    struct arguments words = {0};
    if (targets->count != 1 || sheet->quiz)
        return failure_harness(failure, "--page, --id and --labs require exactly one class, and "
                                        "cannot be combined with --quiz");
    if (!paths_in_root("grading/viva_sheets", script, failure) ||
        !paths_of_program(NULL, program, failure))
        return false;
    ARGUMENTS_ADD(&words, script, program, targets->words[0], sheet->id ? sheet->id : "",
                  sheet->labs ? sheet->labs : "", sheet->page ? sheet->page : "", "--device",
                  sheet->target.device_name);
    arguments_add(&words, "--seed=%" PRIu64, sheet->seed);
    if (sheet->answers)
        arguments_add(&words, "--answers");
    execv(script, words.words);
    arguments_free(&words);
    return failure_harness(failure,
                           "a class requires the grader, which this installation does not contain");
}

int command_viva(int count, char **values, struct failure *failure)
{
    struct viva_command sheet = {.target = target_options_default(), .seed = 1};
    sheet.target.device_name = OPTIONS_DEFAULT_DEVICE;
    sheet.target.run.size.rows = VIVA_ROWS;
    sheet.target.run.size.cols = VIVA_COLS;
    const struct option_row rows[] = {
        FLAG_ROW("answers", &sheet.answers, "print the answers, too (the examiner's sheet)"),
        FLAG_ROW("quiz", &sheet.quiz,
                 "ask one question at a time, and print the correct answer after your answer.\n"
                 "An empty answer skips the question. Ctrl-D ends the quiz"),
        TEXT_ROW("page", "FILE", &sheet.page,
                 "write the sheets of a class to an HTML file, one printed page per student"),
        TEXT_ROW("id", "ID", &sheet.id, "only the sheet of this student of the class"),
        TEXT_ROW("labs", "A,B", &sheet.labs, "only questions on these exercises of the class"),
        NUMBER_ROW("seed", "S", &sheet.seed, 0, UINT64_MAX,
                   "seed that chooses the questions (default 1)"),
        TARGET_DEVICE_ROW(&sheet.target),
        TARGET_SIZES_ROWS(&sheet.target, "128", "default 256"),
    };
    const struct command_line line = {"viva", "SUBMISSION... [OPTION...]", about, ROWS(rows)};
    bool good = target_options_parse(&sheet.target, &line, count, values, failure);
    if (good && (sheet.page || sheet.id || sheet.labs))
        good = ask_class(&sheet, failure);
    good =
        good && target_options_take_usual(&sheet.target, &(struct usual_run){.rows = 0}, failure);
    for (size_t i = 0; good && i < sheet.target.targets.count; i++)
        good = exercise_visit_sources(sheet.target.targets.words[i], ask_source, &sheet, failure);
    target_options_free(&sheet.target);
    return good ? sheet.status : 2;
}
