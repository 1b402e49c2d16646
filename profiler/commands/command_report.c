/* command_report.c: tlab report TARGET: a page of what `tlab run`, `annotate` and `picture` say.
 *
 * Each kernel is run, and what came of it written as a JSON document; jq makes the page of these
 * (view/page.h), as it makes the grader's. Pictures come from `tlab picture`, in a child.
 */
#include "base/scratch.h"
#include "base/toolkit.h"
#include "base/whole_file.h"
#include "commands/command.h"
#include "course/exercise.h"
#include "run/target_options.h"
#include "view/goal_list.h"
#include "view/listing.h"
#include "view/page.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
    "Writes one HTML page of a lab or a .cu file, with nothing outside of it: the verdict, goals,\n"
    "what was counted, the source with the cost of its lines, and pictures of its accesses. Of a\n"
    "wrong kernel it has the diagnosis, and marks the lines that are named. Emulates; needs jq, "
    "and\n"
    "gnuplot for the pictures.\n";

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

static void write_text(FILE *file, const char *key, const char *text)
{
    write_key(file, key);
    page_write_text(file, text, strlen(text));
}

static void write_real(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, "%.6g", value);
    else
        fputs("null", file);
}

static void write_value(FILE *file, const struct record *record, enum column column)
{
    const struct record_value *value = &record->values[column];
    const enum record_type type = column_describe(column)->type;
    if (!value->known)
        fputs("null", file);
    else if (type == RECORD_TEXT)
        page_write_text(file, record_text(record, column), strlen(record_text(record, column)));
    else if (type == RECORD_REAL)
        write_real(file, value->real);
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
    fprintf(file, "%s{\"line\": %zu, \"space\": \"%s\", \"access\": \"%s\", \"requests\": ",
            *any ? ",\n" : "", line, space, access);
    write_real(file, sums->requests);
    fputs(", \"used\": ", file);
    write_real(file, used);
    fputs(", \"ideal\": ", file);
    write_real(file, ideal);
    fputs(", \"time_share\": ", file);
    write_real(file, sums->share);
    fputs("}", file);
    *any = true;
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
                       global->requests * listing_ideal_sectors(global, device), &any);
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
    const char *const fixed[] = {self,    "picture",  kind,
                                 "--out", svg,        "--data",
                                 data,    "--device", report->target.device_name};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        words[count++] = fixed[i];
    if (run->size.rows)
        words[count++] = "--rows", words[count++] = rows;
    if (run->size.cols)
        words[count++] = "--cols", words[count++] = cols;
    for (size_t i = 0; i < defines->count; i++)
        words[count++] = "-D", words[count++] = defines->words[i];
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
        fprintf(file, "%s{\"title\": \"%s\", \"svg\": ", any ? ",\n" : "", kinds[i].title);
        page_write_text(file, svg, size);
        fputs("}", file);
        free(svg);
        any = true;
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
    page_write_text(file, name, strlen(name));
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
    write_key(file, "facts");
    fputs("[", file);
    if (values[COLUMN_grid_x].known && values[COLUMN_block_x].known)
        fprintf(file,
                "\"grid %" PRIu64 " x %" PRIu64 " x %" PRIu64 ", block %" PRIu64 " x %" PRIu64
                " x %" PRIu64 "\"",
                values[COLUMN_grid_x].count, values[COLUMN_grid_y].count,
                values[COLUMN_grid_z].count, values[COLUMN_block_x].count,
                values[COLUMN_block_y].count, values[COLUMN_block_z].count);
    if (values[COLUMN_time_us].known && values[COLUMN_bandwidth_gbps].known)
        fprintf(file, "%s\"%.4g us and %.4g GB/s, modelled\"",
                values[COLUMN_grid_x].known ? ", " : "", values[COLUMN_time_us].real,
                values[COLUMN_bandwidth_gbps].real);
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
        const char *text = *item->text && !item->reached ? item->text : item->title;
        fprintf(file, "%s{\"reached\": %s, \"text\": ", any ? ",\n" : "",
                item->reached ? "true" : "false");
        page_write_text(file, text, strlen(text));
        fputs("}", file);
        any = true;
    }
    fputs("]", file);
    write_key(file, "notes");
    fputs("[", file);
    for (unsigned i = 0; i < list->note_count; i++) {
        fputs(i ? ", " : "", file);
        page_write_text(file, list->notes[i], strlen(list->notes[i]));
    }
    fputs("]", file);
}

/* Of a wrong kernel, too, the lines are shown: line_watch_inspect keeps the last launch. */
static void watch_wrong(void *context, const struct failure *wrong)
{
    (void)context, (void)wrong;
}

static bool report_kernel(void *context, const char *path, struct failure *failure)
{
    struct report *report = context;
    struct line_watch watch = {.path = path};
    struct run_options *options = &report->target.run;
    struct run_result *result = calloc(1, sizeof *result);
    struct failure wrong = {0};
    FILE *file = report->document;
    struct goal_watch *goals = calloc(1, sizeof *goals);
    bool good = (result && goals) || failure_harness(failure, "not enough memory");
    if (good) {
        goal_watch_attach(goals, options);
        goal_watch_begin(goals, &watch);
        options->watch.wrong = watch_wrong;
    }
    if (good && !run_source(path, options, result, &wrong))
        good = failure_harness(failure, "%s: %s", path, wrong.text);
    if (good) {
        const struct record *record = &result->records[0];
        bool right = wrong.kind != FAILURE_STUDENT;
        char advice[512] = "";
        write_title(file, record, path);
        write_text(file, "file", path);
        write_text(file, "status", record_text(record, COLUMN_status));
        write_text(file, "reason", right ? "" : wrong.text);
        write_text(file, "device", report->target.device.title);
        fprintf(file, ",\n\"rows\": %" PRIu64 ", \"cols\": %" PRIu64,
                record->values[COLUMN_rows].count, record->values[COLUMN_cols].count);
        write_facts(file, record);
        if (right && watch.lines) {
            write_text(file, "explanation", watch.explanation);
            listing_advise(watch.lines, LINE_WATCH_LINES, options->device, &watch.time_goes, advice,
                           sizeof advice);
            write_text(file, "advice", advice);
            write_counters(file, record);
            write_goals(file, &goals->list);
        }
        write_lines(file, watch.lines, options->device);
        write_pictures(file, report, path);
        good = write_source(file, path, failure);
        fputs("}\n", file);
        if (!right)
            report->status = 1;
    }
    free(watch.lines);
    free(goals);
    free(result);
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
