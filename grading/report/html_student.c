/* html_student.c: the page of one submission. */
#include "report/html.h"
#include "report/report_feedback.h"
#include "report/report_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *result_class(const json_t *check)
{
    const char *result = report_string(check, "result");
    return !strcmp(result, "passed")    ? "good"
           : !strcmp(result, "partial") ? "part"
           : !strcmp(result, "failed")  ? "bad"
                                        : "soft";
}

/* ---- Charts ---- */

enum { CHART_WIDTH = 320, BAR_HEIGHT = 18, BAR_STEP = 44 };

/* A bar with a mark where the ideal is: "stores  31.9 (ideal 4)". */
struct bar {
    const char *name;
    double value, ideal;
    const char *unit;
};

static void write_bar(FILE *stream, const struct bar *bar, double top, double scale)
{
    double width = bar->value * scale, ideal = bar->ideal * scale;
    report_markup(stream, "<text x=\"0\" y=\"%.1f\">%s: %.4g %s (ideal %.4g)</text>\n", top + 13,
                  bar->name, bar->value, bar->unit, bar->ideal);
    fprintf(stream,
            "<rect x=\"0\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"var(--bar)\"/>\n"
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"3\" height=\"%d\" fill=\"var(--ink)\"/>\n",
            top + 18, width > 1 ? width : 1, BAR_HEIGHT, ideal, top + 15, BAR_HEIGHT + 6);
}

static void write_chart(FILE *stream, const char *title, const struct bar *bars, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fmax(bars[i].value, bars[i].ideal));
    if (largest <= 0)
        return;
    report_markup(stream, "<figure><figcaption>%s</figcaption>\n", title);
    fprintf(stream, "<svg viewBox=\"0 0 %d %zu\" role=\"img\"><title>", CHART_WIDTH,
            count * BAR_STEP + 4);
    for (size_t i = 0; i < count; i++)
        report_markup(stream, "%s%s %.4g %s, ideal %.4g", i ? "; " : "", bars[i].name,
                      bars[i].value, bars[i].unit, bars[i].ideal);
    fputs("</title>\n", stream);
    for (size_t i = 0; i < count; i++)
        write_bar(stream, &bars[i], (double)(i * BAR_STEP), (CHART_WIDTH - 6) / largest);
    fputs("</svg></figure>\n", stream);
}

static double per_request(const json_t *counters, const char *work, const char *requests)
{
    double count = report_number(counters, requests);
    return count > 0 ? report_number(counters, work) / count : 0;
}

/* Counters of the first run against what the matrix alone would need. */
static void write_charts(FILE *stream, const json_t *run)
{
    const json_t *counters = json_object_get(run, "counters");
    double rows = report_number(counters, "rows"), cols = report_number(counters, "cols");
    double megabytes = 4 * rows * cols / 1e6;
    if (megabytes <= 0)
        return;
    struct bar sectors[] = {
        {"loads", per_request(counters, "global_load_sectors", "global_load_requests"),
         ceil(4 * rows * cols / 32) / fmax(1, report_number(counters, "global_load_requests")),
         "sectors"},
        {"stores", per_request(counters, "global_store_sectors", "global_store_requests"),
         ceil(4 * rows * cols / 32) / fmax(1, report_number(counters, "global_store_requests")),
         "sectors"},
    };
    struct bar shared[] = {
        {"loads", per_request(counters, "shared_load_wavefronts", "shared_load_requests"),
         per_request(counters, "shared_load_ideal_wavefronts", "shared_load_requests"),
         "wavefronts"},
        {"stores", per_request(counters, "shared_store_wavefronts", "shared_store_requests"),
         per_request(counters, "shared_store_ideal_wavefronts", "shared_store_requests"),
         "wavefronts"},
    };
    struct bar bytes[] = {
        {"read", report_number(counters, "l2_read_bytes") / 1e6, megabytes, "MB"},
        {"written", report_number(counters, "l2_write_bytes") / 1e6, megabytes, "MB"},
    };
    report_markup(stream, "<h3>Counted at %.0f × %.0f on %s</h3>\n<div class=\"charts\">\n", rows,
                  cols, report_string(run, "device"));
    write_chart(stream, "Global memory, per request of a warp", sectors, 2);
    if (report_number(counters, "shared_load_requests") +
            report_number(counters, "shared_store_requests") >
        0)
        write_chart(stream, "Shared memory, per request of a warp", shared, 2);
    if (report_has(counters, "l2_read_bytes"))
        write_chart(stream, "Traffic with the L2", bytes, 2);
    fputs("</div>\n", stream);
}

/* A GPU, which runs beside the emulator for information (hardware.h). */
static bool is_of_gpu(const json_t *run)
{
    return !strcmp(report_string(run, "device"), "gpu");
}

static void write_measured(FILE *stream, const json_t *run)
{
    const json_t *counters = json_object_get(run, "counters");
    if (!report_has(counters, "bandwidth_gbps"))
        return;
    report_markup(stream,
                  "<h3>Measured on %s</h3>\n<p>At %.0f × %.0f: %.4g µs, %.4g GB/s, %.3g %% of the "
                  "bandwidth of a copy. Where no check above asks for it, this is information and "
                  "gives no points.</p>\n",
                  report_string(run, "chip"), report_number(counters, "rows"),
                  report_number(counters, "cols"), report_number(counters, "time_us"),
                  report_number(counters, "bandwidth_gbps"), report_number(counters, "copy_pct"));
}

/* The first emulated run in pictures; what a GPU measured in words. */
static void write_runs(FILE *stream, const json_t *runs)
{
    size_t index;
    const json_t *run;
    json_array_foreach (runs, index, run) {
        if (is_of_gpu(run))
            write_measured(stream, run);
        else if (index == 0)
            write_charts(stream, run);
    }
}

/* ---- Source ---- */

/* The costs of line `number`; true when there are any, and then *share is the largest. */
static bool line_cost(const json_t *lines, size_t number, FILE *cost, double *share)
{
    size_t index;
    const json_t *line;
    bool found = false;
    json_array_foreach (lines, index, line) {
        if (report_number(line, "line") != (double)number)
            continue;
        bool shared = !strcmp(report_string(line, "space"), "shared");
        double requests = fmax(1, report_number(line, "requests"));
        fputs(found ? "<br>" : "", cost);
        report_markup(cost, "%.3g %s (%.3g)", report_number(line, "used") / requests,
                      shared ? "wavefronts" : "sectors", report_number(line, "ideal") / requests);
        *share = fmax(*share, report_number(line, "used") - report_number(line, "ideal"));
        found = true;
    }
    return found;
}

/* The line whose accesses take most beyond their ideal; 0: none does. */
static size_t worst_line(const json_t *lines)
{
    double most = 0;
    size_t worst = 0, index;
    const json_t *line;
    json_array_foreach (lines, index, line) {
        double excess = report_number(line, "used") - report_number(line, "ideal");
        if (excess > most) {
            most = excess;
            worst = (size_t)report_number(line, "line");
        }
    }
    return worst;
}

static void write_source(FILE *stream, const json_t *lab)
{
    const char *at = report_string(lab, "source");
    const json_t *lines = json_object_get(lab, "lines");
    size_t worst = worst_line(lines);
    if (!*at)
        return;
    report_markup(
        stream,
        "<h3>Your source, with what its accesses cost</h3>\n<div class=\"box source\" "
        "tabindex=\"0\" role=\"region\" aria-label=\"Source of %s\">\n<table>\n<caption>%s: what "
        "a request of a warp costs, and in brackets what would do</caption>\n<thead><tr><th "
        "scope=\"col\">Line</th><th scope=\"col\">Cost</th><th scope=\"col\">Source</th></tr>"
        "</thead>\n<tbody>\n",
        report_string(lab, "file"), report_string(lab, "file"));
    for (size_t number = 1; *at; number++) {
        size_t length = strcspn(at, "\n"), cost_size;
        char *text = strndup(at, length), *cost = NULL;
        FILE *cost_stream = open_memstream(&cost, &cost_size);
        double share = 0;
        if (cost_stream) {
            line_cost(lines, number, cost_stream, &share);
            fclose(cost_stream);
        }
        fprintf(stream, "<tr%s><td class=\"line\">%zu</td><td class=\"cost\">%s%s</td><td>",
                number == worst ? " class=\"worst\"" : "", number, cost ? cost : "",
                number == worst ? "<br>the worst line" : "");
        report_escape(stream, text ? text : "");
        fputs("</td></tr>\n", stream);
        free(text);
        free(cost);
        at += length + (at[length] == '\n');
    }
    fputs("</tbody>\n</table>\n</div>\n", stream);
}

/* ---- The page ---- */

static void write_check(FILE *stream, const json_t *check)
{
    char score[32], points[32];
    report_markup(stream, "<div class=\"check\">\n<h3 class=\"%s\">%s: %s of %s, %s</h3>\n",
                  result_class(check), report_string(check, "title"),
                  report_points(report_number(check, "score"), score),
                  report_points(report_number(check, "points"), points), report_result(check));
    if (*report_string(check, "text"))
        report_markup(stream, "<p class=\"said\">%s</p>\n", report_string(check, "text"));
    if (*report_string(check, "hint"))
        report_markup(stream, "<p class=\"said\"><strong>Hint:</strong> %s</p>\n",
                      report_string(check, "hint"));
    fputs("</div>\n", stream);
}

static void write_lab(FILE *stream, const json_t *lab)
{
    char score[32], points[32];
    size_t index;
    const json_t *check;
    report_markup(stream, "<section>\n<h2 id=\"%s\">%s: %s of %s points</h2>\n",
                  report_string(lab, "exercise"), report_string(lab, "title"),
                  report_points(report_number(lab, "score"), score),
                  report_points(report_number(lab, "points"), points));
    if (report_has(lab, "file"))
        report_markup(stream, "<p class=\"soft\">Your file: %s</p>\n", report_string(lab, "file"));
    char *said = feedback_lab(lab);
    if (said && *said)
        report_markup(stream, "<p class=\"said\">%s</p>\n", said);
    free(said);
    if (report_has(lab, "file")) {
        json_array_foreach (json_object_get(lab, "checks"), index, check)
            write_check(stream, check);
        const json_t *hidden = json_object_get(lab, "hidden");
        if (hidden)
            report_markup(stream, "<p>Checks that are not shown: %s of %s points.</p>\n",
                          report_points(report_number(hidden, "score"), score),
                          report_points(report_number(hidden, "points"), points));
        write_runs(stream, json_object_get(lab, "runs"));
        write_source(stream, lab);
    }
    fputs("</section>\n", stream);
}

static void write_contents(FILE *stream, const json_t *grade)
{
    char score[32], points[32];
    size_t index;
    const json_t *lab;
    fputs("<nav aria-label=\"Exercises\"><ul>\n", stream);
    json_array_foreach (json_object_get(grade, "labs"), index, lab)
        report_markup(stream, "<li><a href=\"#%s\">%s</a>: %s of %s</li>\n",
                      report_string(lab, "exercise"), report_string(lab, "title"),
                      report_points(report_number(lab, "score"), score),
                      report_points(report_number(lab, "points"), points));
    fputs("</ul></nav>\n", stream);
}

void html_student(FILE *stream, const json_t *grade)
{
    char score[32], points[32];
    size_t index;
    const json_t *lab, *note;
    html_begin(stream, report_string(grade, "name"), NULL);
    report_markup(stream, "<header><h1>%s: %s of %s points</h1></header>\n<main>\n",
                  report_string(grade, "name"), report_points(report_number(grade, "score"), score),
                  report_points(report_number(grade, "points"), points));
    if (!report_true(grade, "submitted"))
        fputs("<p>Nothing was handed in.</p>\n", stream);
    json_array_foreach (json_object_get(grade, "notes"), index, note)
        report_markup(stream, "<p class=\"said\">Note: %s</p>\n",
                      json_string_value(note) ? json_string_value(note) : "");
    write_contents(stream, grade);
    json_array_foreach (json_object_get(grade, "labs"), index, lab)
        write_lab(stream, lab);
    html_end(stream, NULL);
}
