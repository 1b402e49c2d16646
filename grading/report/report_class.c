/* report_class.c: the files that are made of a class.
 *
 * One pass over the grades writes grade.json, gradebook.csv and junit.xml side by side and keeps a
 * summary of each, from which the class page is made.
 */
#include "report/html.h"
#include "report/report.h"
#include "report/report_files.h"
#include "report/report_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct summary {
    struct html_class class;
    struct html_lab *labs;
    struct html_row *rows;
    size_t row_capacity;
};

static void summary_free(struct summary *summary)
{
    for (size_t i = 0; i < summary->class.row_count; i++) {
        struct html_row *row = &summary->rows[i];
        for (size_t lab = 0; row->statuses && lab < summary->class.lab_count; lab++)
            free((char *)row->statuses[lab]);
        for (size_t flag = 0; row->flags && flag < row->flag_count; flag++)
            free((char *)row->flags[flag]);
        free((char *)row->id);
        free((char *)row->name);
        free((double *)row->scores);
        free((char **)row->statuses);
        free((char **)row->flags);
    }
    for (size_t lab = 0; lab < summary->class.lab_count; lab++) {
        free((char *)summary->labs[lab].exercise);
        free((char *)summary->labs[lab].title);
    }
    free(summary->rows);
    free(summary->labs);
}

/* The exercises, from the first grade: all grades of a class have the same. */
static bool summary_labs(struct summary *summary, const json_t *grade)
{
    const json_t *labs = json_object_get(grade, "labs"), *lab;
    size_t index;
    summary->labs = calloc(json_array_size(labs) + 1, sizeof *summary->labs);
    summary->class.labs = summary->labs;
    if (!summary->labs)
        return false;
    json_array_foreach (labs, index, lab) {
        summary->labs[index] =
            (struct html_lab){strdup(report_string(lab, "exercise")),
                              strdup(report_string(lab, "title")), report_number(lab, "points")};
        summary->class.lab_count++;
        if (!summary->labs[index].exercise || !summary->labs[index].title)
            return false;
    }
    return true;
}

static const json_t *find_lab(const json_t *grade, const char *exercise)
{
    size_t index;
    const json_t *lab;
    json_array_foreach (json_object_get(grade, "labs"), index, lab)
        if (!strcmp(report_string(lab, "exercise"), exercise))
            return lab;
    return NULL;
}

/* Whether all is right, in the word that the class page shows: the status, or "wrong on some size"
 * when the file runs but a correctness check failed. */
static const char *lab_verdict(const json_t *lab)
{
    size_t index;
    const json_t *size;
    if (strcmp(report_string(lab, "status"), "ok"))
        return report_string(lab, "status");
    json_array_foreach (json_object_get(lab, "sizes"), index, size)
        if (strcmp(report_string(size, "status"), "ok"))
            return report_string(size, "status");
    return "ok";
}

static bool summary_row(struct summary *summary, const json_t *grade)
{
    size_t labs = summary->class.lab_count, flag_index;
    const json_t *flags = json_object_get(grade, "flags"), *flag;
    if (summary->class.row_count == summary->row_capacity) {
        size_t capacity = summary->row_capacity ? 2 * summary->row_capacity : 64;
        struct html_row *rows = realloc(summary->rows, capacity * sizeof *rows);
        if (!rows)
            return false;
        summary->rows = rows;
        summary->class.rows = rows;
        summary->row_capacity = capacity;
    }
    double *scores = calloc(labs + 1, sizeof *scores);
    char **statuses = calloc(labs + 1, sizeof *statuses);
    char **evidence = calloc(json_array_size(flags) + 1, sizeof *evidence);
    struct html_row *row = &summary->rows[summary->class.row_count++];
    *row = (struct html_row){.id = strdup(report_string(grade, "id")),
                             .name = strdup(report_string(grade, "name")),
                             .score = report_number(grade, "score"),
                             .points = report_number(grade, "points"),
                             .scores = scores,
                             .statuses = (const char *const *)statuses,
                             .flag_count = json_array_size(flags),
                             .flags = (const char *const *)evidence};
    if (!row->id || !row->name || !scores || !statuses || !evidence)
        return false;
    bool good = true;
    for (size_t i = 0; i < labs; i++) {
        const json_t *lab = find_lab(grade, summary->labs[i].exercise);
        scores[i] = report_number(lab, "score");
        statuses[i] = strdup(lab ? lab_verdict(lab) : "missing");
        good = good && statuses[i];
    }
    json_array_foreach (flags, flag_index, flag) {
        evidence[flag_index] = strdup(report_string(flag, "evidence"));
        good = good && evidence[flag_index];
    }
    return good;
}

/* A field of the grade book, as RFC 4180 wants it, and never a formula for a spreadsheet. */
static void write_csv_text(FILE *stream, const char *text)
{
    putc('"', stream);
    if (*text && strchr("=+-@\t\r", *text))
        putc('\'', stream);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', stream);
        putc(*text, stream);
    }
    putc('"', stream);
}

static void write_gradebook_head(FILE *stream, const struct html_class *class)
{
    fputs("id,name,email", stream);
    for (size_t lab = 0; lab < class->lab_count; lab++) {
        putc(',', stream);
        write_csv_text(stream, class->labs[lab].exercise);
    }
    fputs(",total,points,notes\n", stream);
}

enum { GRADEBOOK_NOTES_MAX = 5 }; /* of one submission; its page has all */

static void write_gradebook_row(FILE *stream, const struct html_class *class, const json_t *grade)
{
    char text[32];
    size_t index;
    const json_t *note;
    const struct html_row *row = &class->rows[class->row_count - 1];
    write_csv_text(stream, row->id);
    putc(',', stream);
    write_csv_text(stream, row->name);
    putc(',', stream);
    write_csv_text(stream, report_string(grade, "email"));
    for (size_t lab = 0; lab < class->lab_count; lab++)
        fprintf(stream, ",%s", report_points(row->scores[lab], text));
    fprintf(stream, ",%s", report_points(row->score, text));
    fprintf(stream, ",%s,", report_points(row->points, text));
    char *notes = NULL;
    size_t size;
    FILE *memory = open_memstream(&notes, &size);
    if (memory) {
        const json_t *list = json_object_get(grade, "notes");
        json_array_foreach (list, index, note) {
            if (index == GRADEBOOK_NOTES_MAX) {
                fprintf(memory, "; and %zu more", json_array_size(list) - index);
                break;
            }
            fprintf(memory, "%s%s", index ? "; " : "",
                    json_string_value(note) ? json_string_value(note) : "");
        }
        fclose(memory);
    }
    write_csv_text(stream, notes ? notes : "");
    free(notes);
    putc('\n', stream);
}

/* A suite per student, a case per exercise; what does not get full points is a failure. */
static void write_junit_suite(FILE *stream, const json_t *grade)
{
    size_t index, check_index, failures = 0;
    const json_t *labs = json_object_get(grade, "labs"), *lab, *check;
    json_array_foreach (labs, index, lab)
        failures += report_number(lab, "score") < report_number(lab, "points");
    report_markup(stream, "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\">\n",
                  report_string(grade, "id"), json_array_size(labs), failures);
    json_array_foreach (labs, index, lab) {
        report_markup(stream, "    <testcase classname=\"%s\" name=\"%s\"",
                      report_string(grade, "id"), report_string(lab, "exercise"));
        if (report_number(lab, "score") >= report_number(lab, "points")) {
            fputs("/>\n", stream);
            continue;
        }
        report_markup(stream, ">\n      <failure message=\"%g of %g points\" type=\"%s\">",
                      report_number(lab, "score"), report_number(lab, "points"), lab_verdict(lab));
        json_array_foreach (json_object_get(lab, "checks"), check_index, check)
            if (strcmp(report_string(check, "result"), "passed"))
                report_markup(stream, "%s: %s\n", report_string(check, "title"),
                              report_string(check, "text"));
        fputs("</failure>\n    </testcase>\n", stream);
    }
    fputs("  </testsuite>\n", stream);
}

struct class_files {
    struct whole_file grades, gradebook, junit;
};

static bool open_class_files(struct class_files *files, const char *directory,
                             struct failure *failure)
{
    if (!report_open(&files->grades, directory, "grade.json", failure))
        return false;
    if (!report_open(&files->gradebook, directory, "gradebook.csv", failure)) {
        whole_file_drop(&files->grades);
        return false;
    }
    if (!report_open(&files->junit, directory, "junit.xml", failure)) {
        whole_file_drop(&files->grades);
        whole_file_drop(&files->gradebook);
        return false;
    }
    return true;
}

static bool write_grade(struct class_files *files, struct summary *summary, const json_t *grade,
                        size_t index, const char *students, struct failure *failure)
{
    char directory[PATH_MAX];
    if ((!index && !summary_labs(summary, grade)) || !summary_row(summary, grade))
        return failure_harness(failure, "not enough memory");
    if (!index)
        write_gradebook_head(files->gradebook.stream, &summary->class);
    write_gradebook_row(files->gradebook.stream, &summary->class, grade);
    write_junit_suite(files->junit.stream, grade);
    fputs(index ? ",\n" : "\n", files->grades.stream);
    if (json_dumpf(grade, files->grades.stream,
                   JSON_INDENT(2) | JSON_SORT_KEYS | JSON_REAL_PRECISION(6)) != 0 &&
        !ferror(files->grades.stream))
        return failure_harness(failure, "not enough memory");
    if (snprintf(directory, sizeof directory, "%s/%s", students, report_string(grade, "id")) >=
        (int)sizeof directory)
        return failure_harness(failure, "the name of %s is too long", students);
    return report_submission(grade, directory, failure);
}

static bool write_grades(struct class_files *files, struct summary *summary,
                         const struct report_class *class, const char *students,
                         struct failure *failure)
{
    fputs("{\n\"format\": \"transpose-lab-class-1\",\n\"grades\": [", files->grades.stream);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"grades\">\n",
          files->junit.stream);
    for (size_t i = 0; i < class->count; i++) {
        json_t *grade = class->load(class->context, i, failure);
        if (!grade)
            return false;
        bool good = write_grade(files, summary, grade, i, students, failure);
        json_decref(grade);
        if (!good)
            return false;
    }
    fputs("\n]\n}\n", files->grades.stream);
    fputs("</testsuites>\n", files->junit.stream);
    return true;
}

static bool save_class_page(const struct html_class *class, const char *directory,
                            struct failure *failure)
{
    struct whole_file file;
    if (!report_open(&file, directory, "index.html", failure))
        return false;
    html_class(file.stream, class);
    return whole_file_keep(&file, failure);
}

bool report_class(const struct report_class *class, const char *directory, struct failure *failure)
{
    char students[PATH_MAX];
    if (snprintf(students, sizeof students, "%s/students", directory) >= (int)sizeof students)
        return failure_harness(failure, "the name of %s is too long", directory);
    struct class_files files;
    if (!report_directory(students, failure) || !open_class_files(&files, directory, failure))
        return false;
    struct summary summary = {0};
    bool good = write_grades(&files, &summary, class, students, failure);
    if (!good) {
        whole_file_drop(&files.grades);
        whole_file_drop(&files.gradebook);
        whole_file_drop(&files.junit);
    } else {
        good = whole_file_keep(&files.gradebook, failure);
        good = whole_file_keep(&files.junit, failure) && good;
        good = whole_file_keep(&files.grades, failure) && good;
        good = good && save_class_page(&summary.class, directory, failure);
    }
    summary_free(&summary);
    return good;
}
