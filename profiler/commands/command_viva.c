/* command_viva.c: tlab viva SUBMISSION... */
#include "commands/command.h"
#include "course/exercise.h"
#include "run/target_options.h"
#include "view/viva.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Asks three questions about a kernel, for an oral exam, whose answers follow from its own "
    "runs:\n"
    "where one thread goes, what an access costs and why, and what would change if something were\n"
    "otherwise. SUBMISSION is a .cu file, a lab, or a folder of .cu files. Without --answers the\n"
    "sheet has the questions alone: print both. The same file and seed give the same questions.\n";

enum { WIDTH = 96 };

/* Print a text, wrapped behind `label`; lines that begin with blanks stay. */
static void print_wrapped(const char *label, const char *text)
{
    int indent = (int)strlen(label), at = indent;
    fputs(label, stdout);
    while (*text) {
        size_t word = strcspn(text, " \n");
        if (at > indent && at + 1 + (int)word > WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            putchar(' ');
            at++;
        }
        at += printf("%.*s", (int)word, text);
        text += word;
        if (*text == '\n') { /* a line of the source */
            size_t line = strcspn(text + 1, "\n");
            printf("\n%*s%.*s", indent, "", (int)line, text + 1);
            text += 1 + line;
            at = WIDTH;
        } else if (*text) {
            text++;
        }
    }
    putchar('\n');
}

static void print_viva(const char *path, const struct viva *viva, const struct run_options *options,
                       uint64_t seed, bool answers)
{
    printf("%s, on %s, %" PRIu64 " x %" PRIu64 " (rows x columns; seed %" PRIu64 ")%s\n", path,
           options->device->title, viva->rows, viva->cols, seed, answers ? ": answers" : "");
    for (unsigned i = 0; i < viva->count; i++) {
        char label[16];
        snprintf(label, sizeof label, "%u. ", i + 1);
        putchar('\n');
        print_wrapped(label, viva->questions[i].text);
        if (answers)
            print_wrapped("   => ", viva->questions[i].answer);
    }
    if (viva->count < VIVA_QUESTIONS)
        printf("\n(The kernel gives no occasion for more questions.)\n");
}

struct viva_command {
    struct target_options target;
    uint64_t seed;
    bool answers;
    unsigned printed;
    int status;
};

static bool ask_source(void *context, const char *path, struct failure *failure)
{
    struct viva_command *sheet = context;
    struct failure wrong = {0};
    struct viva *viva = calloc(1, sizeof *viva);
    if (!viva)
        return failure_harness(failure, "not enough memory");
    bool good = viva_ask(path, &sheet->target.run, sheet->seed, viva, &wrong, failure);
    if (good && sheet->printed++)
        putchar('\n');
    if (good && wrong.kind == FAILURE_STUDENT) {
        printf("%s: no questions, for the kernel is not right: %s\n%s\n", path,
               status_name(wrong.status), wrong.text);
        sheet->status = 1;
    } else if (good) {
        print_viva(path, viva, &sheet->target.run, sheet->seed, sheet->answers);
    }
    free(viva);
    return good;
}

int command_viva(int count, char **values, struct failure *failure)
{
    struct viva_command sheet = {.target = target_options_default(), .seed = 1};
    const struct option_row rows[] = {
        FLAG_ROW("answers", &sheet.answers, "the sheet for the examiner: answers, too"),
        NUMBER_ROW("seed", "S", &sheet.seed, 0, UINT64_MAX, "other questions (default 1)"),
        TEXT_ROW("device", "NAME", &sheet.target.device_name,
                 "device to emulate (default " OPTIONS_DEFAULT_DEVICE "); `tlab devices` lists "
                 "them"),
        NUMBER_ROW("rows", "R", &sheet.target.run.size.rows, 1, INT32_MAX,
                   "rows of the input matrix (default 128)"),
        NUMBER_ROW("cols", "C", &sheet.target.run.size.cols, 1, INT32_MAX,
                   "its columns (default 256)"),
        LIST_ROW("D", "NAME=VALUE", &sheet.target.defines, "define a macro; may be repeated"),
    };
    const struct command_line line = {"viva", "SUBMISSION... [OPTION...]", about, ROWS(rows)};
    bool helped;
    bool good = target_options_parse(&sheet.target, &line, count, values, &helped, failure);
    good = good && (helped || target_options_find_device(&sheet.target, failure));
    for (size_t t = 0; good && !helped && t < sheet.target.targets.count; t++)
        good = exercise_visit_sources(sheet.target.targets.words[t], ask_source, &sheet, failure);
    target_options_free(&sheet.target);
    return good ? sheet.status : 2;
}
