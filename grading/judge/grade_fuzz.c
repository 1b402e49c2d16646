/* grade_fuzz.c: read any bytes as a grade. If the grade is valid, generate all reports from it. */
#include "judge/grade.h"
#include "report/report.h"
#include "tools/fuzz/fuzz.h"
#include "tools/fuzz/text_mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const char *const words[] = {"null", "true", "false", "[]", "{}", "\"\"", "1e300"};
    return text_mutate(data, size, max_size, seed, words, sizeof words / sizeof *words);
}

static json_t *load_grade(void *context, size_t index, struct failure *failure)
{
    (void)index;
    (void)failure;
    return json_incref(context);
}

static void report(json_t *grade)
{
    char directory[PATH_MAX];
    struct failure failure = {0};
    const struct report_class class = {.count = 2, .load = load_grade, .context = grade};
    snprintf(directory, sizeof directory, "%s/reports", fuzz_directory());
    FUZZ_DEMAND(report_submissions(&class, directory, &failure) &&
                    report_class(&class, directory, &failure),
                "%s", failure.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct failure failure = {0};
    json_t *grade = grade_load(fuzz_file("grade.json", data, size), &failure);
    fuzz_demand_failure(grade != NULL, &failure);
    if (!grade)
        return 0;
    report(grade);
    json_decref(grade);
    return 0;
}
