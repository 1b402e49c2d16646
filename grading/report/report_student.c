/* report_student.c: what a student may see of a grade.
 *
 * Fields are copied by name, never removed by name: what somebody adds to the grade tomorrow stays
 * hidden until it is listed here.
 */
#include "report/report.h"
#include "report/report_text.h"

#include <string.h>

static void copy_fields(json_t *to, const json_t *from, const char *const *fields)
{
    for (; *fields; fields++)
        if (json_object_get(from, *fields))
            json_object_set(to, *fields, json_object_get(from, *fields));
}

/* The checks that are visible, and what the others came to. */
static void copy_checks(json_t *to, const json_t *from)
{
    static const char *const fields[] = {"id",     "title", "kind",    "points", "score",
                                         "result", "value", "full",    "zero",   "unit",
                                         "text",   "hint",  "visible", NULL};
    json_t *checks = json_array();
    double score = 0, points = 0;
    size_t index;
    json_int_t hidden = 0;
    const json_t *check;
    json_array_foreach (json_object_get(from, "checks"), index, check) {
        if (report_true(check, "visible")) {
            json_t *copy = json_object();
            copy_fields(copy, check, fields);
            json_array_append_new(checks, copy);
        } else {
            hidden++;
            score += report_number(check, "score");
            points += report_number(check, "points");
        }
    }
    json_object_set_new(to, "checks", checks);
    if (hidden)
        json_object_set_new(
            to, "hidden",
            json_pack("{s:I,s:f,s:f}", "checks", hidden, "score", score, "points", points));
}

/* Sizes that are published. */
static void copy_sizes(json_t *to, const json_t *from)
{
    static const char *const fields[] = {"rows", "cols", "status", "reason", NULL};
    json_t *sizes = json_array();
    size_t index;
    const json_t *size;
    json_array_foreach (json_object_get(from, "sizes"), index, size) {
        if (report_true(size, "hidden"))
            continue;
        json_t *copy = json_object();
        copy_fields(copy, size, fields);
        json_array_append_new(sizes, copy);
    }
    json_object_set_new(to, "sizes", sizes);
}

/* Runs of published sizes with the counters that a student sees at home; the seed is not among
 * them. */
static void copy_runs(json_t *to, const json_t *from)
{
    static const char *const fields[] = {"name", "device", "chip", NULL};
    static const char *const counters[] = {"rows",
                                           "cols",
                                           "time_us",
                                           "bandwidth_gbps",
                                           "copy_pct",
                                           "bound",
                                           "global_load_requests",
                                           "global_load_sectors",
                                           "global_store_requests",
                                           "global_store_sectors",
                                           "l2_read_bytes",
                                           "l2_write_bytes",
                                           "shared_load_requests",
                                           "shared_load_wavefronts",
                                           "shared_load_ideal_wavefronts",
                                           "shared_load_conflicts",
                                           "shared_store_requests",
                                           "shared_store_wavefronts",
                                           "shared_store_ideal_wavefronts",
                                           "shared_store_conflicts",
                                           "dram_read_bytes",
                                           "dram_write_bytes",
                                           "partition_imbalance",
                                           NULL};
    json_t *runs = json_array();
    size_t index;
    const json_t *run;
    json_array_foreach (json_object_get(from, "runs"), index, run) {
        if (report_true(run, "hidden"))
            continue;
        json_t *copy = json_object(), *values = json_object();
        copy_fields(copy, run, fields);
        copy_fields(values, json_object_get(run, "counters"), counters);
        json_object_set_new(copy, "counters", values);
        json_array_append_new(runs, copy);
    }
    json_object_set_new(to, "runs", runs);
}

json_t *report_for_student(const json_t *grade)
{
    static const char *const fields[] = {"format", "id",     "name",  "email", "submitted",
                                         "score",  "points", "notes", NULL};
    static const char *const lab_fields[] = {"lab",    "exercise", "title",  "file",
                                             "status", "reason",   "score",  "points",
                                             "source", "lines",    "advice", NULL};
    json_t *copy = json_object(), *labs = json_array();
    size_t index;
    const json_t *lab;
    copy_fields(copy, grade, fields);
    json_array_foreach (json_object_get(grade, "labs"), index, lab) {
        json_t *shown = json_object();
        copy_fields(shown, lab, lab_fields);
        copy_checks(shown, lab);
        copy_sizes(shown, lab);
        copy_runs(shown, lab);
        json_array_append_new(labs, shown);
    }
    json_object_set_new(copy, "labs", labs);
    /* Only fresh copies reach students: a later change of the grade must not show. */
    json_t *own = json_deep_copy(copy);
    json_decref(copy);
    return own;
}
