/* report.c: the files that are made of one grade. */
#include "report/report.h"
#include "report/html.h"
#include "report/report_feedback.h"
#include "report/report_files.h"
#include "report/report_formats.h"

static bool save_text(const char *directory, const char *name,
                      void (*write)(FILE *stream, const json_t *grade), const json_t *grade,
                      struct failure *failure)
{
    struct whole_file file;
    if (!report_open(&file, directory, name, failure))
        return false;
    write(file.stream, grade);
    return whole_file_keep(&file, failure);
}

static bool save_json(const char *directory, const char *name,
                      json_t *(*format)(const json_t *grade), const json_t *grade, size_t flags,
                      struct failure *failure)
{
    struct whole_file file;
    json_t *document = format(grade);
    if (!document)
        return failure_harness(failure, "not enough memory");
    bool good = report_open(&file, directory, name, failure);
    if (good) {
        json_dumpf(document, file.stream, flags); /* whole_file_keep finds what went wrong */
        putc('\n', file.stream);
        good = whole_file_keep(&file, failure);
    }
    json_decref(document);
    return good;
}

bool report_submission(const json_t *grade, const char *directory, struct failure *failure)
{
    json_t *own = report_for_student(grade);
    if (!own)
        return failure_harness(failure, "not enough memory");
    size_t flags = JSON_INDENT(2) | JSON_SORT_KEYS | JSON_REAL_PRECISION(6);
    bool good =
        report_directory(directory, failure) &&
        save_text(directory, "feedback.txt", feedback_write, own, failure) &&
        save_text(directory, "index.html", html_student, own, failure) &&
        save_json(directory, "results.json", format_gradescope, own, flags, failure) &&
        save_json(directory, "prairielearn.json", format_prairielearn, own, flags, failure) &&
        save_json(directory, "github.json", format_github, own, flags, failure) &&
        save_json(directory, "autolab.json", format_autolab, own,
                  JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(6), failure);
    json_decref(own);
    return good;
}
