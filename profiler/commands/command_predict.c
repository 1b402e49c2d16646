/* command_predict.c: tlab predict LAB */
#include "commands/command.h"
#include "course/exercise.h"
#include "course/target.h"
#include "record/prediction.h"
#include "run/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Before you run a lab, say what you expect of it. LAB is its directory (labs/01_naive), in "
    "which\n"
    "the sheet " PREDICTION_FILE
    " lies: lines of `key = answer`, which may as well be filled in with an\n"
    "editor; `?` is a question that is still open. On a terminal this command asks for each "
    "answer:\n"
    "Enter keeps what stands there, ? skips, Ctrl-D ends. With FILE, a filled sheet of any name, "
    "it\n"
    "takes the answers from there. Afterwards `tlab run` shows what was\n"
    "predicted beside what was counted, and why they differ.\n";

static const char *ending(void)
{
    static char text[4096];
    snprintf(
        text, sizeof text,
        "Keys are the columns of the CSV that are numbers (`tlab metrics`), and\n%s"
        "An exercise of a lab with several is named before them: copy_shared.bound. Numbers are\n"
        "right within 2 %%, and may be written as 131 072 or 16.8M. `device`, `rows`, `cols`,\n"
        "`defines` and `before` (the lab to compare with) say which run is meant.\n",
        prediction_shorthands());
    return text;
}

/* One question, again until the answer is one. False: the answers are over. */
static bool ask(struct prediction *prediction)
{
    const char *words[PREDICTION_WORDS_MAX];
    char line[256], *answer;
    for (;;) {
        struct failure wrong = {0};
        printf("%s%s%s", *prediction->exercise ? prediction->exercise : "",
               *prediction->exercise ? ": " : "", prediction->quantity.title);
        if (prediction_has_words(prediction->quantity.how, words))
            for (size_t i = 0; words[i]; i++)
                printf("%s%s", i ? ", " : " (", words[i]);
        printf("%s [%s] ", prediction_has_words(prediction->quantity.how, words) ? ")" : "",
               prediction->filled ? prediction->text : "?");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
            return false;
        line[strcspn(line, "\r\n")] = 0;
        for (answer = line; *answer == ' ' || *answer == '\t';)
            answer++;
        for (size_t end = strlen(answer);
             end && (answer[end - 1] == ' ' || answer[end - 1] == '\t');)
            answer[--end] = 0;
        if (!*answer || prediction_answer(prediction, answer, &wrong))
            return true;
        printf("%s\n", wrong.text);
    }
}

static size_t count_filled(const struct prediction_sheet *sheet)
{
    size_t filled = 0;
    for (size_t i = 0; i < sheet->count; i++)
        filled += sheet->predictions[i].filled;
    return filled;
}

/* What to type now: the run that the sheet is about. Macros stand in it as in the CSV, A=1 B=2. */
static void print_next(const char *lab, const struct prediction_sheet *sheet)
{
    char defines[sizeof sheet->defines];
    printf("%s: %zu of %zu filled in; now: build/tlab run %s%s%s", sheet->path, count_filled(sheet),
           sheet->count, lab, *sheet->device ? " --device " : "", sheet->device);
    if (sheet->rows)
        printf(" --rows %" PRIu64, sheet->rows);
    if (sheet->cols)
        printf(" --cols %" PRIu64, sheet->cols);
    memcpy(defines, sheet->defines, sizeof defines);
    for (char *rest, *one = strtok_r(defines, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        printf(" -D %s", one);
    putchar('\n');
}

/* Take the answers of another sheet, to the questions that the lab's asks. */
static bool take_answers(const char *path, struct prediction_sheet *sheet, struct failure *failure)
{
    struct prediction_sheet answers = {0};
    bool good = prediction_read(path, &answers, failure);
    for (size_t i = 0; good && i < answers.count; i++) {
        const struct prediction *answer = &answers.predictions[i];
        struct prediction *question = NULL;
        for (size_t j = 0; j < sheet->count && !question; j++)
            if (!strcmp(sheet->predictions[j].quantity.name, answer->quantity.name) &&
                !strcmp(sheet->predictions[j].exercise, answer->exercise))
                question = &sheet->predictions[j];
        if (!question)
            good = failure_harness(failure, "%s:%u: %s asks for no %s%s%s", path, answer->line,
                                   sheet->path, answer->exercise, *answer->exercise ? "." : "",
                                   answer->quantity.name);
        else if (answer->filled)
            good = prediction_answer(question, answer->text, failure);
    }
    prediction_free(&answers);
    return good;
}

static bool predict(const char *lab, const char *file, bool only_check, struct failure *failure)
{
    struct prediction_sheet sheet = {0};
    char **sources = NULL, path[PATH_SIZE];
    size_t source_count = 0;
    bool good = target_find_here(lab, path, failure) &&
                exercise_list_sources(path, &sources, &source_count, failure) &&
                prediction_find(sources[0], &sheet, failure);
    if (good && !*sheet.path)
        good = failure_harness(failure,
                               "there is no " PREDICTION_FILE " in %s: this lab asks for no "
                               "predictions",
                               lab);
    if (good && file)
        good = take_answers(file, &sheet, failure);
    const bool asks = good && !file && !only_check;
    if (asks)
        printf("Enter keeps what stands in [ ], ? leaves it open, Ctrl-D ends.\n");
    for (size_t i = 0; asks && i < sheet.count && ask(&sheet.predictions[i]);)
        i++;
    if (good && !only_check) {
        fputs(file ? "" : "\n", stdout);
        good = prediction_write(&sheet, failure);
    }
    if (good)
        print_next(lab, &sheet);
    prediction_free(&sheet);
    exercise_free_sources(sources, source_count);
    return good;
}

int command_predict(int count, char **values, struct failure *failure)
{
    struct word_list labs = {0};
    bool helped, only_check = false;
    const struct option_row rows[] = {
        FLAG_ROW("check", &only_check, "ask nothing: say whether the sheet can be read"),
    };
    const struct command_line line = {"predict",  "LAB [FILE] [--check]", about,
                                      ROWS(rows), .ending = ending(),     .operands = &labs};
    bool good = command_line_parse(&line, count, values, &helped, failure);
    if (good && !helped && (labs.count < 1 || labs.count > 2))
        good = failure_harness(failure, "tlab predict needs one lab, such as labs/01_naive, and "
                                        "takes one file of answers");
    else if (good && !helped)
        good = predict(labs.words[0], labs.count > 1 ? labs.words[1] : NULL, only_check, failure);
    free(labs.words);
    return good ? 0 : 2;
}
