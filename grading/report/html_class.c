/* html_class.c: the class page. It is a plain table without script; the script only sorts it. */
#include "report/html.h"
#include "report/report_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sort by the column whose button was pressed, the other way when it is pressed again. A cell's
 * sort key is its data-key, a number, or its text. */
static const char script[] =
    "document.querySelectorAll('th button').forEach(function(button){"
    "button.addEventListener('click',function(){"
    "var head=button.closest('th'),body=head.closest('table').tBodies[0],"
    "column=head.cellIndex,up=head.getAttribute('aria-sort')==='descending'||"
    "(!head.hasAttribute('aria-sort')&&column===0),sign=up?1:-1;"
    "head.parentNode.querySelectorAll('th').forEach(function(other){"
    "other.removeAttribute('aria-sort')});"
    "head.setAttribute('aria-sort',up?'ascending':'descending');"
    "function key(row){var cell=row.cells[column];"
    "return cell.dataset.key===undefined?cell.textContent:Number(cell.dataset.key)}"
    "Array.from(body.rows).sort(function(a,b){var x=key(a),y=key(b);"
    "return sign*(typeof x==='number'?x-y:x.localeCompare(y))})"
    ".forEach(function(row){body.appendChild(row)})})});";

/* ---- Distribution ---- */

enum {
    BINS = 11,
    BIN_WIDTH = 28,
    CHART_HEIGHT = 90,
    CHART_TOP = 16
}; /* 0, <10 %, ... <100 %, 100 % */

/* 0 for nothing, 10 for everything, 1..9 in tenths between. */
static unsigned bin_of(double share)
{
    if (share <= 0)
        return 0;
    if (share >= 1 - 1e-9)
        return BINS - 1;
    double bin = floor(share * (BINS - 1));
    return bin < 1 ? 1 : (unsigned)bin;
}

/* A histogram of shares; `names` of its ends are in the labels below. */
static void write_histogram(FILE *stream, const char *title, const unsigned counts[BINS])
{
    unsigned most = 1;
    for (unsigned b = 0; b < BINS; b++)
        most = counts[b] > most ? counts[b] : most;
    report_markup(stream, "<figure><figcaption>%s</figcaption>\n", title);
    fprintf(stream, "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>", BINS * BIN_WIDTH,
            CHART_TOP + CHART_HEIGHT + 20);
    fprintf(stream, "%u with nothing, %u with full points", counts[0], counts[BINS - 1]);
    for (unsigned b = 1; b + 1 < BINS; b++)
        if (counts[b])
            fprintf(stream, ", %u from %u %% to %u %%", counts[b], b == 1 ? 0 : b * 10,
                    b * 10 + 10);
    fputs("</title>\n", stream);
    for (unsigned b = 0; b < BINS; b++) {
        double height = (double)counts[b] / most * CHART_HEIGHT;
        double x = b * BIN_WIDTH, y = CHART_TOP + CHART_HEIGHT - height;
        if (counts[b])
            fprintf(stream,
                    "<rect x=\"%.0f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" "
                    "fill=\"var(--bar)\"/>\n<text x=\"%.0f\" y=\"%.1f\" "
                    "text-anchor=\"middle\">%u</text>\n",
                    x + 2, y, BIN_WIDTH - 4, height, x + BIN_WIDTH / 2, y - 3, counts[b]);
    }
    fprintf(stream,
            "<text x=\"2\" y=\"%d\">0</text><text x=\"%d\" y=\"%d\" "
            "text-anchor=\"middle\">50 %%</text><text x=\"%d\" y=\"%d\" "
            "text-anchor=\"end\">100 %%</text>\n</svg></figure>\n",
            CHART_TOP + CHART_HEIGHT + 16, BINS * BIN_WIDTH / 2, CHART_TOP + CHART_HEIGHT + 16,
            BINS * BIN_WIDTH - 2, CHART_TOP + CHART_HEIGHT + 16);
}

static void write_distribution(FILE *stream, const struct html_class *class)
{
    fputs("<section>\n<h2>Distribution</h2>\n<p class=\"soft\">How many got which share of the "
          "points of an exercise.</p>\n<div class=\"charts\">\n",
          stream);
    for (size_t lab = 0; lab < class->lab_count; lab++) {
        unsigned counts[BINS] = {0};
        for (size_t row = 0; row < class->row_count; row++)
            counts[bin_of(report_share(class->rows[row].scores[lab], class->labs[lab].points))]++;
        write_histogram(stream, class->labs[lab].title, counts);
    }
    fputs("</div>\n</section>\n", stream);
}

/* ---- Table ---- */

static bool is_complete(const struct html_class *class, const struct html_row *row, size_t lab)
{
    return row->scores[lab] >= class->labs[lab].points - 1e-9;
}

static void write_table_row(FILE *stream, const struct html_class *class,
                            const struct html_row *row)
{
    char text[32];
    report_markup(stream, "<tr><th scope=\"row\"><a href=\"students/%s/index.html\">%s</a></th>",
                  row->id, row->name);
    for (size_t lab = 0; lab < class->lab_count; lab++) {
        bool ok = !strcmp(row->statuses[lab], "ok");
        report_markup(stream, "<td class=\"number\" data-key=\"%g\">%s%s</td>", row->scores[lab],
                      report_points(row->scores[lab], text),
                      !ok                            ? " !"
                      : is_complete(class, row, lab) ? ""
                                                     : " …");
    }
    report_markup(stream, "<td class=\"number\" data-key=\"%g\">%s</td></tr>\n", row->score,
                  report_points(row->score, text));
}

static void write_table(FILE *stream, const struct html_class *class)
{
    double total = 0;
    char text[32];
    fputs("<section>\n<h2>Points</h2>\n<p class=\"soft\">A name leads to the page that its student "
          "gets. <strong>!</strong> did not work or was not handed in, <strong>…</strong> works, "
          "but not for full points.</p>\n<div class=\"box\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"Points\">\n<table>\n<caption>Points of everybody; the buttons in the head "
          "sort</caption>\n<thead><tr><th scope=\"col\"><button "
          "type=\"button\">Name</button></th>",
          stream);
    for (size_t lab = 0; lab < class->lab_count; lab++) {
        total += class->labs[lab].points;
        report_markup(stream,
                      "<th scope=\"col\" class=\"number\"><button type=\"button\">%s</button> of "
                      "%s</th>",
                      class->labs[lab].exercise, report_points(class->labs[lab].points, text));
    }
    report_markup(stream,
                  "<th scope=\"col\" class=\"number\"><button type=\"button\">Total</button> of "
                  "%s</th></tr></thead>\n<tbody>\n",
                  report_points(total, text));
    for (size_t row = 0; row < class->row_count; row++)
        write_table_row(stream, class, &class->rows[row]);
    fputs("</tbody>\n</table>\n</div>\n</section>\n", stream);
}

/* ---- Who failed what, what looks suspicious ---- */

static void write_failures(FILE *stream, const struct html_class *class)
{
    fputs("<section>\n<h2>Who failed what</h2>\n", stream);
    for (size_t lab = 0; lab < class->lab_count; lab++) {
        size_t failed = 0;
        for (size_t row = 0; row < class->row_count; row++)
            failed += strcmp(class->rows[row].statuses[lab], "ok") != 0;
        report_markup(stream, "<details><summary>%s: %zu of %zu</summary>\n<ul>\n",
                      class->labs[lab].exercise, failed, class->row_count);
        for (size_t row = 0; row < class->row_count; row++)
            if (strcmp(class->rows[row].statuses[lab], "ok"))
                report_markup(stream, "<li><a href=\"students/%s/index.html#%s\">%s</a>: %s</li>\n",
                              class->rows[row].id, class->labs[lab].exercise, class->rows[row].name,
                              class->rows[row].statuses[lab]);
        fputs("</ul></details>\n", stream);
    }
    fputs("</section>\n", stream);
}

static void write_flags(FILE *stream, const struct html_class *class)
{
    fputs("<section>\n<h2>For a person to look at</h2>\n<p class=\"soft\">None of this changed a "
          "mark.</p>\n<ul>\n",
          stream);
    size_t count = 0;
    for (size_t row = 0; row < class->row_count; row++)
        for (size_t flag = 0; flag < class->rows[row].flag_count; flag++, count++)
            report_markup(stream, "<li><a href=\"students/%s/index.html\">%s</a>: %s</li>\n",
                          class->rows[row].id, class->rows[row].name, class->rows[row].flags[flag]);
    if (!count)
        fputs("<li>Nothing.</li>\n", stream);
    fputs("</ul>\n</section>\n", stream);
}

void html_class(FILE *stream, const struct html_class *class)
{
    html_begin(stream, "Class", script);
    report_markup(stream, "<header><h1>%zu submissions</h1></header>\n<main>\n", class->row_count);
    write_distribution(stream, class);
    write_table(stream, class);
    write_failures(stream, class);
    write_flags(stream, class);
    html_end(stream, script);
}
