/* report_feedback.c: see report_feedback.h. */
#include "report/report_feedback.h"
#include "report/report_text.h"

#include <stdlib.h>
#include <string.h>

/* Text with the lines after its first indented. */
static void write_indented(FILE *stream, const char *indent, const char *text)
{
    fputs(indent, stream);
    for (; *text; text++) {
        putc(*text, stream);
        if (*text == '\n' && text[1])
            fputs(indent, stream);
    }
    putc('\n', stream);
}

char *feedback_check(const json_t *check)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fputs(report_string(check, "text"), stream);
    if (report_has(check, "hint") && *report_string(check, "hint"))
        fprintf(stream, "%sHint: %s", *report_string(check, "text") ? "\n" : "",
                report_string(check, "hint"));
    fclose(stream);
    return text;
}

char *feedback_lab(const json_t *lab)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    if (!report_has(lab, "file"))
        fputs("Nothing was handed in for this exercise.", stream);
    else if (strcmp(report_string(lab, "status"), "ok"))
        fprintf(stream, "%s: %s", report_string(lab, "status"), report_string(lab, "reason"));
    else if (*report_string(lab, "advice"))
        fputs(report_string(lab, "advice"), stream);
    fclose(stream);
    return text;
}

static void write_check(FILE *stream, const json_t *check)
{
    char score[32], points[32];
    char *text = feedback_check(check);
    fprintf(stream, "  %-11s %s of %s  %s\n", report_result(check),
            report_points(report_number(check, "score"), score),
            report_points(report_number(check, "points"), points), report_string(check, "title"));
    if (text && *text)
        write_indented(stream, "              ", text);
    free(text);
}

static void write_lab(FILE *stream, const json_t *lab)
{
    char score[32], points[32];
    size_t index;
    const json_t *check;
    fprintf(stream, "\n%s (%s): %s of %s points\n", report_string(lab, "title"),
            report_string(lab, "exercise"), report_points(report_number(lab, "score"), score),
            report_points(report_number(lab, "points"), points));
    if (report_has(lab, "file"))
        fprintf(stream, "  your file: %s\n", report_string(lab, "file"));
    char *text = feedback_lab(lab);
    if (text && *text)
        write_indented(stream, "  ", text);
    free(text);
    if (!report_has(lab, "file"))
        return;
    json_array_foreach (json_object_get(lab, "checks"), index, check)
        write_check(stream, check);
    const json_t *hidden = json_object_get(lab, "hidden");
    if (hidden)
        fprintf(stream, "  %lld checks that are not shown: %s of %s points\n",
                (long long)json_integer_value(json_object_get(hidden, "checks")),
                report_points(report_number(hidden, "score"), score),
                report_points(report_number(hidden, "points"), points));
}

void feedback_write(FILE *stream, const json_t *grade)
{
    char score[32], points[32];
    size_t index;
    const json_t *lab, *note;
    fprintf(stream, "%s: %s of %s points\n", report_string(grade, "name"),
            report_points(report_number(grade, "score"), score),
            report_points(report_number(grade, "points"), points));
    if (!report_true(grade, "submitted"))
        fputs("Nothing was handed in.\n", stream);
    json_array_foreach (json_object_get(grade, "notes"), index, note)
        write_indented(stream, "  note: ", json_string_value(note) ? json_string_value(note) : "");
    json_array_foreach (json_object_get(grade, "labs"), index, lab)
        write_lab(stream, lab);
}
