/* command_report.c: tlab report TARGET: an HTML page with the output of `tlab run`, `annotate` and
 * `picture`. jq makes the page from a JSON document for each kernel (view/page.h). */
#include "base/scratch.h"
#include "base/whole_file.h"
#include "commands/command.h"
#include "course/exercise.h"
#include "process/toolkit.h"
#include "run/target_options.h"
#include "view/explain.h"
#include "view/lab_run.h"
#include "view/page.h"
#include "view/run_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
    "Writes one self-contained HTML page of a lab or a .cu file: the verdict, the goals, the\n"
    "counters, the source with the cost of each line, and pictures of the accesses. For an\n"
    "incorrect kernel, the page has the diagnosis and a map of the output, and it marks the lines\n"
    "that the diagnosis names. On the page you can choose a warp, a request and a lane, and see\n"
    "the lane's banks or sectors. The lab is emulated. Requires jq, and gnuplot for the "
    "pictures.\n";

enum { SOURCE_BYTES = 1 << 20, PAGE_BYTES = 64 << 20, PICTURE_BYTES = 4 << 20 };

/* The SHA-256 of picker.js in base64, which report_test.sh checks. The page's policy allows only
 * this script. The digest is a constant because a tlab without rubrics has no SHA-256 library. */
#define PICKER_DIGEST "8018awWd5cB6YTaTJvAaLcjXN6hHnjd0Fc5uSECL8ms="

static const struct child_limits page_limits = {
    .seconds = 60, .memory_bytes = (uint64_t)4 << 30, .output_bytes = PAGE_BYTES};
/* There is no memory limit, because sanitizers require terabytes of address space. */
static const struct child_limits picture_limits = {
    .seconds = 120, .memory_bytes = UINT64_MAX, .output_bytes = 1 << 16, .starts_others = true};

struct report {
    struct target_options target;
    const char *out;
    bool plain;
    char scratch[PATH_SIZE];
    struct json_out document;
    int status;
};

static void write_lines(struct json_out *out, const struct line_counters *lines)
{
    json_out_open(out, "lines", '[');
    for (size_t line = 1; lines && line < LINE_WATCH_LINES; line++)
        for (unsigned a = 0; a < LINE_ACCESSES; a++) {
            const struct access_sums *sums = &lines[line].accesses[a];
            if (sums->requests > 0)
                json_out_format(out,
                                "{line: %zu, space: %s, access: %s, requests: %g, used: %g, "
                                "ideal: %g, time_share: %g}",
                                line, line_accesses[a].space, line_accesses[a].access,
                                sums->requests, sums->used, sums->ideal, sums->share);
        }
    json_out_close(out, ']');
}

static char *draw(const struct report *report, const char *source, const char *kind, size_t *size)
{
    char self[PATH_SIZE], svg[PATH_SIZE + 16], data[PATH_SIZE + 16], *text = NULL;
    const struct run_options *run = &report->target.run;
    const struct word_list *defines = &report->target.defines;
    struct arguments words = {0};
    struct child_result result;
    struct failure none = {0};
    if (!paths_of_program(NULL, self, &none))
        return NULL;
    snprintf(svg, sizeof svg, "%s/%s.svg", report->scratch, kind);
    snprintf(data, sizeof data, "%s/%s.csv", report->scratch, kind);
    ARGUMENTS_ADD(&words, self, "picture", kind, "--out", svg, "--data", data, "--device",
                  report->target.device_name);
    if (run->size.rows)
        arguments_add(&words, "--rows=%" PRIu64, run->size.rows);
    if (run->size.cols)
        arguments_add(&words, "--cols=%" PRIu64, run->size.cols);
    for (size_t i = 0; i < defines->count; i++)
        arguments_add(&words, "-D%s", defines->words[i]);
    ARGUMENTS_ADD(&words, "--", source);
    if (child_run_program((const char *const *)words.words, NULL, NULL, &picture_limits, &result,
                          &none)) {
        if (result.end == CHILD_EXITED && result.code <= 1)
            text = whole_file_read(svg, PICTURE_BYTES, size, &none);
        child_result_free(&result);
    }
    unlink(svg);
    arguments_free(&words);
    return text;
}

static void write_pictures(struct json_out *out, const struct report *report, const char *source)
{
    static const struct {
        const char *kind, *title;
    } kinds[] = {
        {"sectors", "Sectors of each lane, for the global access with the most excess sectors"},
        {"banks", "Banks of each lane, for the shared-memory access with the most conflicts"},
        {"tile", "Data movement of a block's tile from input to output"},
    };
    char gnuplot[PATH_SIZE];
    if (report->plain)
        return;
    if (!program_find("gnuplot", gnuplot, sizeof gnuplot)) {
        json_out_text(out, "pictures_absent",
                      "Pictures require gnuplot, which is not in PATH (Debian: apt-get install "
                      "gnuplot-nox).");
        return;
    }
    json_out_open(out, "pictures", '[');
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t size;
        char *svg = draw(report, source, kinds[i].kind, &size);
        if (!svg)
            continue;
        json_out_format(out, "{title: %s", kinds[i].title);
        json_out_bytes(out, "svg", svg, size);
        json_out_close(out, '}');
        free(svg);
    }
    json_out_close(out, ']');
}

static bool write_block(void *context, const struct emulator_launch *launch,
                        const struct block_accesses *accesses, struct failure *failure)
{
    struct report *report = context;
    (void)failure;
    json_out_format(&report->document, "accesses: {");
    run_json_write_block(&report->document, launch, accesses);
    json_out_close(&report->document, '}');
    return true;
}

/* Run the kernel again to record the accesses of one block. Its verdict is already on the page. */
static bool write_accesses(struct report *report, const char *path, struct failure *failure)
{
    int status;
    struct block_run run = {.path = path,
                            .options = report->target.run,
                            .block = {BLOCK_RUN_ANY, 0, 0},
                            .is_reported = true,
                            .show = write_block,
                            .context = report};
    /* Remove the callbacks of the first run, which expect another context. */
    memset(&run.options.watch, 0, sizeof run.options.watch);
    run.options.report.output = NULL;
    return block_run(&run, &status, failure);
}

static void write_title(struct json_out *out, const struct record *record, const char *path)
{
    char root[PATH_SIZE];
    struct exercise exercise;
    struct failure none = {0};
    const char *name = record_text(record, COLUMN_variant);
    bool found = paths_root(root, &none) && exercise_find(root, name, &exercise, &none);
    json_out_format(out, "exercise: %s, title: %s", name,
                    found ? exercise.title : path_basename(path));
}

static bool write_source(struct json_out *out, const char *path, struct failure *failure)
{
    size_t size;
    char *text = whole_file_read(path, SOURCE_BYTES, &size, failure);
    if (!text)
        return false;
    json_out_bytes(out, "source", text, size);
    free(text);
    return true;
}

static void write_facts(struct json_out *out, const struct record *record, bool right)
{
    const struct record_value *values = record->values;
    char shape[RECORD_SHAPE_SIZE], text[96];
    json_out_open(out, "facts", '[');
    if (*record_shape(record, shape))
        json_out_text(out, NULL, shape);
    if (right && values[COLUMN_time_us].known && values[COLUMN_bandwidth_gbps].known) {
        snprintf(text, sizeof text, "%.4g us and %.4g GB/s, modelled", values[COLUMN_time_us].real,
                 values[COLUMN_bandwidth_gbps].real);
        json_out_text(out, NULL, text);
    }
    if (right && values[COLUMN_copy_pct].known) {
        snprintf(text, sizeof text, "%.1f %% of the bandwidth of a copy",
                 values[COLUMN_copy_pct].real);
        json_out_text(out, NULL, text);
    }
    json_out_close(out, ']');
}

static void write_goals(struct json_out *out, const struct goal_list *list)
{
    json_out_open(out, "goals", '[');
    for (unsigned i = 0; i < list->count; i++) {
        const struct goal_item *item = &list->items[i];
        if (!item->is_goal || (item->redundant && !item->reached))
            continue;
        json_out_format(out, "{reached: %d, text: %s}", item->reached,
                        *item->text && !item->reached ? item->text : item->title);
    }
    json_out_close(out, ']');
    json_out_open(out, "notes", '[');
    for (unsigned i = 0; i < list->note_count; i++)
        json_out_text(out, NULL, list->notes[i].text);
    json_out_close(out, ']');
}

static uint32_t wrong_line(const struct failure *wrong)
{
    uint32_t line = wrong->line;
    for (unsigned i = 0; !line && i < wrong->findings.count; i++)
        line = wrong->findings.list[i].line;
    return line;
}

static bool report_kernel(void *context, const char *path, struct failure *failure)
{
    struct report *report = context;
    struct run_options *options = &report->target.run;
    struct json_out *out = &report->document;
    struct lab_run lab;
    options->watch.wrong = line_watch_wrong;
    bool good = lab_run_do(&lab, path, options, failure);
    if (good) {
        const struct record *record = &lab.result->records[0];
        const bool right = lab.wrong.kind != FAILURE_STUDENT;
        struct advice advice;
        json_out_format(out, "{");
        write_title(out, record, path);
        json_out_format(out, "file: %s, status: %s, reason: %s, map: %s, line: %u", path,
                        record_text(record, COLUMN_status), right ? "" : lab.wrong.text,
                        right ? "" : lab.wrong.map, right ? 0 : wrong_line(&lab.wrong));
        json_out_format(out, "device: %s, rows: %lu, cols: %lu", report->target.device.title,
                        record->values[COLUMN_rows].count, record->values[COLUMN_cols].count);
        write_facts(out, record, right);
        if (right && lab.lines.lines) {
            explain_lines(lab.lines.lines, LINE_WATCH_LINES, options->device, &lab.lines.time_goes,
                          &advice);
            json_out_format(out, "explanation: %s, advice: %s, runs: [{device: %s",
                            lab.lines.explanation, advice.text, record_text(record, COLUMN_device));
            run_json_write_record(out, "counters", record);
            json_out_format(out, "}]");
            write_goals(out, &lab.goals->list);
        }
        write_lines(out, lab.lines.lines);
        write_pictures(out, report, path);
        good = (report->plain || !lab.lines.lines || write_accesses(report, path, failure)) &&
               write_source(out, path, failure);
        json_out_close(out, '}');
        out->follows = false;
        report->status |= !right;
    }
    lab_run_free(&lab);
    return good;
}

static void default_out(const char *target, char out[PATH_SIZE])
{
    char name[PATH_SIZE];
    snprintf(name, sizeof name, "%.3000s", target);
    for (size_t length = strlen(name); length > 1 && name[length - 1] == '/';)
        name[--length] = 0;
    const char *base = path_basename(name);
    const size_t length = strlen(base) - (text_ends_with(base, ".cu") ? strlen(".cu") : 0);
    snprintf(out, PATH_SIZE, "report-%.*s.html", (int)length, base);
}

static bool save_page(const char *input, const char *out, struct failure *failure)
{
    const struct page_program program = {.path = "profiler/view/page/report.jq",
                                         .script = "profiler/view/page/picker.js",
                                         .digest = PICKER_DIGEST,
                                         .raw = true,
                                         .limits = &page_limits};
    struct child_result result;
    if (!page_run(&program, input, &result, failure))
        return false;
    const bool good = whole_file_write(out, result.output, result.output_bytes, false, failure);
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
    FILE *file = report->document.file = fopen(input, "we");
    bool good = file != NULL;
    for (size_t i = 0; good && i < report->target.targets.count; i++)
        good =
            exercise_visit_sources(report->target.targets.words[i], report_kernel, report, failure);
    if ((!file || fclose(file)) && failure->kind != FAILURE_HARNESS)
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
        TEXT_ROW("out", "FILE", &report.out, "path of the page (default report-NAME.html)"),
        FLAG_ROW("no-pictures", &report.plain, "do not draw pictures"),
        TARGET_ROWS(&report.target),
    };
    const struct command_line line = {"report", "TARGET... [OPTION...]", about, ROWS(rows)};
    const bool good = target_options_parse(&report.target, &line, count, values, failure) &&
                      target_options_find_device(&report.target, failure) &&
                      make_report(&report, failure);
    target_options_free(&report.target);
    return good ? report.status : 2;
}
