/* command_predict.c: tlab predict LAB: fill in the prediction worksheet. */
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
    "Records your predictions for a lab before you run it. LAB is its directory\n"
    "(labs/01_naive). The worksheet is " PREDICTION_FILE
    " in that directory: lines of `key = answer`, which\n"
    "you can also fill in with an editor; `?` is an open question. On a terminal, this command\n"
    "asks for each answer. Enter accepts the answer in brackets, ? leaves the question open,\n"
    "and Ctrl-D ends the questions. If FILE (another worksheet) is given, its answers are copied. "
    "Afterwards,\n"
    "`tlab run` prints predicted and counted values side by side and explains each difference.\n";

static const char *ending(void)
{
    static char text[4096];
    snprintf(
        text, sizeof text,
        "Keys are the numeric columns of the CSV (`tlab metrics`), and\n%s"
        "In a lab with several exercises, the exercise precedes the key: copy_shared.bound. A\n"
        "number is correct within 2 %%, and may be written as 131 072 or 16.8M. `device`, `rows`,\n"
        "`cols`, `defines` and `before` (the lab to compare with) specify the run.\n",
        prediction_shorthands());
    return text;
}

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

static void print_next(const char *lab, const struct prediction_sheet *sheet)
{
    char defines[sizeof sheet->defines];
    size_t filled = 0;
    for (size_t i = 0; i < sheet->count; i++)
        filled += sheet->predictions[i].filled;
    printf("%s: %zu of %zu answers filled in; next: build/tlab run %s%s%s", sheet->path, filled,
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

static bool copy_answers(const char *path, struct prediction_sheet *sheet, struct failure *failure)
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
            good = failure_harness(failure, "%s:%u: %s has no question %s%s%s", path, answer->line,
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
    bool good = target_find(lab, true, path, failure) &&
                exercise_list_sources(path, &sources, &source_count, failure) &&
                prediction_find(sources[0], &sheet, failure);
    if (good && !*sheet.path)
        good = failure_harness(failure,
                               "there is no " PREDICTION_FILE " in %s: this lab has no prediction "
                               "worksheet",
                               lab);
    if (good && file)
        good = copy_answers(file, &sheet, failure);
    const bool asks = good && !file && !only_check;
    if (asks)
        printf("Enter keeps the answer in [ ], ? leaves the question open, Ctrl-D ends.\n");
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
    bool only_check = false;
    const struct option_row rows[] = {
        FLAG_ROW("check", &only_check, "only check the worksheet; do not ask questions"),
    };
    const struct command_line line = {"predict",  "LAB [FILE] [--check]", about,
                                      ROWS(rows), .ending = ending(),     .operands = &labs};
    bool good = command_line_parse(&line, count, values, failure);
    if (good && (labs.count < 1 || labs.count > 2))
        good = failure_harness(failure, "tlab predict requires one lab, such as labs/01_naive, and "
                                        "accepts one file of answers");
    else if (good)
        good = predict(labs.words[0], labs.count > 1 ? labs.words[1] : NULL, only_check, failure);
    free(labs.words);
    return good ? 0 : 2;
}
