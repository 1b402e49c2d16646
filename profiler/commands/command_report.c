/* command_report.c: tlab report TARGET: a page of what `tlab run`, `annotate` and `picture` say.
 *
 * Each kernel is run, and what came of it written as a JSON document; jq makes the page of these
 * (view/page.h), as it makes the grader's. Pictures come from `tlab picture`, in a child.
 */
#include "base/scratch.h"
#include "base/whole_file.h"
#include "commands/command.h"
#include "course/exercise.h"
#include "process/toolkit.h"
#include "run/target_options.h"
#include "view/explain.h"
#include "view/lab_run.h"
#include "view/page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
    "Writes one HTML page of a lab or a .cu file, with nothing outside of it: the verdict,\n"
    "goals, what was counted, the source with the cost of its lines, and pictures of its\n"
    "accesses. Of a wrong kernel it has the diagnosis, and marks the lines that are named.\n"
    "Emulates; needs jq, and gnuplot for the pictures.\n";

enum { SOURCE_BYTES = 1 << 20, PAGE_BYTES = 64 << 20, PICTURE_BYTES = 4 << 20 };

static const struct child_limits page_limits = {
    .seconds = 60, .memory_bytes = (uint64_t)4 << 30, .output_bytes = PAGE_BYTES};
/* This program again, which with sanitizers takes terabytes of address space. */
static const struct child_limits picture_limits = {
    .seconds = 120, .memory_bytes = UINT64_MAX, .output_bytes = 1 << 16, .starts_others = true};

struct report {
    struct target_options target;
    const char *out;
    bool plain; /* no pictures */
    char scratch[PATH_SIZE];
    FILE *document;
    int status;
};

/* ---- JSON ---- */

static void write_key(FILE *file, const char *key)
{
    fprintf(file, ",\n\"%s\": ", key);
}

static void write_string(FILE *file, const char *text)
{
    page_write_text(file, text, strlen(text));
}

static void write_text(FILE *file, const char *key, const char *text)
{
    write_key(file, key);
    write_string(file, text);
}

/* A list, of which `any` item was written. */
static void next_item(FILE *file, bool *any)
{
    fputs(*any ? ",\n" : "", file);
    *any = true;
}

static void write_value(FILE *file, const struct record *record, enum column column)
{
    const struct record_value *value = &record->values[column];
    const enum record_type type = column_describe(column)->type;
    if (!value->known)
        fputs("null", file);
    else if (type == RECORD_TEXT)
        write_string(file, record_text(record, column));
    else if (type == RECORD_REAL)
        fprintf(file, "%.6g", value->real); /* which is finite */
    else
        fprintf(file, "%" PRIu64, value->count);
}

static void write_counters(FILE *file, const struct record *record)
{
    write_key(file, "runs");
    fputs("[{\"device\": ", file);
    write_value(file, record, COLUMN_device);
    fputs(", \"counters\": {", file);
    for (unsigned i = 0; i < COLUMN_COUNT; i++) {
        fprintf(file, "%s\"%s\": ", i ? ", " : "", column_describe((enum column)i)->name);
        write_value(file, record, (enum column)i);
    }
    fputs("}}]", file);
}

static void write_line(FILE *file, const char *space, const char *access, size_t line,
                       const struct access_sums *sums, double used, double ideal, bool *any)
{
    if (!(sums->requests > 0))
        return;
    next_item(file, any);
    fprintf(file,
            "{\"line\": %zu, \"space\": \"%s\", \"access\": \"%s\", \"requests\": %.6g, "
            "\"used\": %.6g, \"ideal\": %.6g, \"time_share\": %.6g}",
            line, space, access, sums->requests, used, ideal, sums->share);
}

static void write_lines(FILE *file, const struct line_counters *lines, const struct device *device)
{
    static const char *const accesses[LINE_ACCESSES] = {"load", "store"};
    bool any = false;
    write_key(file, "lines");
    fputs("[", file);
    for (size_t i = 1; lines && i < LINE_WATCH_LINES; i++)
        for (unsigned a = 0; a < LINE_ACCESSES; a++) {
            const struct access_sums *global = &lines[i].global[a], *shared = &lines[i].shared[a];
            write_line(file, "global", accesses[a], i, global, global->sectors,
                       global->requests * line_ideal_sectors(global, device), &any);
            write_line(file, "shared", accesses[a], i, shared, shared->wavefronts, shared->ideal,
                       &any);
        }
    fputs("]", file);
}

/* ---- Pictures ---- */

/* Draw one kind into the scratch directory, in a process of its own, as SVG. NULL: there is nothing
 * of that kind to draw. malloc'd. */
static char *draw(const struct report *report, const char *source, const char *kind, size_t *size)
{
    char self[PATH_SIZE], svg[PATH_SIZE + 16], data[PATH_SIZE + 16], rows[24], cols[24];
    const struct run_options *run = &report->target.run;
    const struct word_list *defines = &report->target.defines;
    struct child_result result;
    struct failure none = {0};
    const char **words = calloc(16 + 2 * defines->count, sizeof *words), *const *argv = words;
    char *text = NULL;
    size_t count = 0;
    if (!words || !paths_of_program(NULL, self, &none)) {
        free(words);
        return NULL;
    }
    snprintf(svg, sizeof svg, "%s/%s.svg", report->scratch, kind);
    snprintf(data, sizeof data, "%s/%s.csv", report->scratch, kind);
    snprintf(rows, sizeof rows, "%" PRIu64, run->size.rows);
    snprintf(cols, sizeof cols, "%" PRIu64, run->size.cols);
    const char *const options[][2] = {{"--out", svg},
                                      {"--data", data},
                                      {"--device", report->target.device_name},
                                      {"--rows", run->size.rows ? rows : NULL},
                                      {"--cols", run->size.cols ? cols : NULL}};
    words[count++] = self;
    words[count++] = "picture";
    words[count++] = kind;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        for (size_t k = 0; options[i][1] && k < 2; k++)
            words[count++] = options[i][k];
    for (size_t i = 0; i < 2 * defines->count; i++)
        words[count++] = i % 2 ? defines->words[i / 2] : "-D";
    words[count++] = "--";
    words[count++] = source;
    if (child_run_program(argv, NULL, NULL, &picture_limits, &result, &none)) {
        if (result.end == CHILD_EXITED && result.code <= 1)
            text = whole_file_read(svg, PICTURE_BYTES, size, &none);
        child_result_free(&result);
    }
    unlink(svg);
    free(words);
    return text;
}

static void write_pictures(FILE *file, const struct report *report, const char *source)
{
    static const struct {
        const char *kind, *title;
    } kinds[] = {
        {"sectors", "Sectors of the global access that wastes most, lane by lane"},
        {"banks", "Banks of the shared-memory access that conflicts most, lane by lane"},
        {"tile", "The way of a block's elements from input to output"},
    };
    char gnuplot[PATH_SIZE];
    if (report->plain)
        return;
    if (!program_find("gnuplot", gnuplot, sizeof gnuplot)) {
        write_text(file, "pictures_absent",
                   "Pictures need gnuplot, which is not in PATH (Debian: apt-get install "
                   "gnuplot-nox).");
        return;
    }
    bool any = false;
    write_key(file, "pictures");
    fputs("[", file);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t size;
        char *svg = draw(report, source, kinds[i].kind, &size);
        if (!svg)
            continue;
        next_item(file, &any);
        fprintf(file, "{\"title\": \"%s\", \"svg\": ", kinds[i].title);
        page_write_text(file, svg, size);
        fputs("}", file);
        free(svg);
    }
    fputs("]", file);
}

/* ---- A kernel ---- */

/* The exercise's title; or the file's name where it names none. */
static void write_title(FILE *file, const struct record *record, const char *path)
{
    char root[PATH_SIZE];
    struct exercise exercise;
    struct failure none = {0};
    const char *name = record_text(record, COLUMN_variant);
    bool found = paths_root(root, &none) && exercise_find(root, name, &exercise, &none);
    fputs("{\"exercise\": ", file);
    write_string(file, name);
    write_text(file, "title", found ? exercise.title : path_basename(path));
}

static bool write_source(FILE *file, const char *path, struct failure *failure)
{
    size_t size;
    char *text = whole_file_read(path, SOURCE_BYTES, &size, failure);
    if (!text)
        return false;
    write_key(file, "source");
    page_write_text(file, text, size);
    free(text);
    return true;
}

static void write_facts(FILE *file, const struct record *record)
{
    const struct record_value *values = record->values;
    char shape[RECORD_SHAPE_SIZE];
    bool any = false;
    write_key(file, "facts");
    fputs("[", file);
    if (*record_shape(record, shape)) {
        next_item(file, &any);
        write_string(file, shape);
    }
    if (values[COLUMN_time_us].known && values[COLUMN_bandwidth_gbps].known) {
        next_item(file, &any);
        fprintf(file, "\"%.4g us and %.4g GB/s, modelled\"", values[COLUMN_time_us].real,
                values[COLUMN_bandwidth_gbps].real);
    }
    fputs("]", file);
}

static void write_goals(FILE *file, const struct goal_list *list)
{
    bool any = false;
    write_key(file, "goals");
    fputs("[", file);
    for (unsigned i = 0; i < list->count; i++) {
        const struct goal_item *item = &list->items[i];
        if (!item->is_goal || (item->untold && !item->reached))
            continue;
        next_item(file, &any);
        fprintf(file, "{\"reached\": %s, \"text\": ", item->reached ? "true" : "false");
        write_string(file, *item->text && !item->reached ? item->text : item->title);
        fputs("}", file);
    }
    fputs("]", file);
    write_key(file, "notes");
    fputs("[", file);
    any = false;
    for (unsigned i = 0; i < list->note_count; i++) {
        next_item(file, &any);
        write_string(file, list->notes[i].text);
    }
    fputs("]", file);
}

static bool report_kernel(void *context, const char *path, struct failure *failure)
{
    struct report *report = context;
    struct run_options *options = &report->target.run;
    FILE *file = report->document;
    struct lab_run lab;
    options->watch.wrong = line_watch_wrong;
    bool good = lab_run_do(&lab, path, options, failure);
    if (good) {
        const struct record *record = &lab.result->records[0];
        const bool right = lab.wrong.kind != FAILURE_STUDENT;
        struct advice advice;
        write_title(file, record, path);
        write_text(file, "file", path);
        write_text(file, "status", record_text(record, COLUMN_status));
        write_text(file, "reason", right ? "" : lab.wrong.text);
        write_text(file, "device", report->target.device.title);
        fprintf(file, ",\n\"rows\": %" PRIu64 ", \"cols\": %" PRIu64,
                record->values[COLUMN_rows].count, record->values[COLUMN_cols].count);
        write_facts(file, record);
        if (right && lab.lines.lines) {
            write_text(file, "explanation", lab.lines.explanation);
            explain_lines(lab.lines.lines, LINE_WATCH_LINES, options->device, &lab.lines.time_goes,
                          &advice);
            write_text(file, "advice", advice.text);
            write_counters(file, record);
            write_goals(file, &lab.goals->list);
        }
        write_lines(file, lab.lines.lines, options->device);
        write_pictures(file, report, path);
        good = write_source(file, path, failure);
        fputs("}\n", file);
        report->status |= !right;
    }
    lab_run_free(&lab);
    return good;
}

/* ---- The page ---- */

/* report-NAME.html, after the last part of the target. */
static void default_out(const char *target, char out[PATH_SIZE])
{
    char name[PATH_SIZE];
    snprintf(name, sizeof name, "%.3000s", target);
    for (size_t length = strlen(name); length > 1 && name[length - 1] == '/';)
        name[--length] = 0;
    const char *base = path_basename(name);
    size_t length = strlen(base);
    if (length > 3 && !strcmp(base + length - 3, ".cu"))
        length -= 3;
    snprintf(out, PATH_SIZE, "report-%.*s.html", (int)length, base);
}

static bool save_page(const char *input, const char *out, struct failure *failure)
{
    const struct page_program program = {
        .path = "profiler/view/page/report.jq", .raw = true, .limits = &page_limits};
    struct child_result result;
    struct whole_file file;
    if (!page_run(&program, input, &result, failure))
        return false;
    bool good = whole_file_open(&file, out, failure);
    if (good) {
        fwrite(result.output, 1, result.output_bytes, file.stream);
        good = whole_file_keep(&file, failure);
    }
    child_result_free(&result);
    return good;
}

static bool make_report(struct report *report, struct failure *failure)
{
    char input[PATH_SIZE + 16], out[PATH_SIZE], jq[PATH_SIZE];
    const char *target = report->target.targets.words[0];
    default_out(target, out);
    if (!page_find_jq(jq, failure) || !scratch_make(report->scratch, "report", failure))
        return false;
    snprintf(input, sizeof input, "%s/kernels", report->scratch);
    report->document = fopen(input, "we");
    bool good = report->document != NULL;
    for (size_t i = 0; good && i < report->target.targets.count; i++)
        good =
            exercise_visit_sources(report->target.targets.words[i], report_kernel, report, failure);
    if ((!report->document || fclose(report->document)) && failure->kind != FAILURE_HARNESS)
        good = failure_harness(failure, "cannot write %s: %s", input, strerror(errno));
    const char *to = report->out ? report->out : out;
    good = good && save_page(input, to, failure);
    scratch_remove(report->scratch);
    if (good)
        printf("wrote %s\n", to);
    return good;
}

int command_report(int count, char **values, struct failure *failure)
{
    struct report report = {.target = target_options_default()};
    const struct option_row rows[] = {
        TEXT_ROW("out", "FILE", &report.out, "the page (default report-NAME.html)"),
        FLAG_ROW("no-pictures", &report.plain, "leave the pictures out"),
        TARGET_ROWS(&report.target),
    };
    const struct command_line line = {"report", "TARGET... [OPTION...]", about, ROWS(rows)};
    bool helped;
    bool good = target_options_parse(&report.target, &line, count, values, &helped, failure);
    if (good && !helped)
        good = target_options_find_device(&report.target, failure) && make_report(&report, failure);
    target_options_free(&report.target);
    return good ? report.status : 2;
}
