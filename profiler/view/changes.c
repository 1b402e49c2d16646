/* changes.c: see changes.h. */
#include "view/changes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum better { NEITHER, SMALLER, LARGER };

/* What is shown: a column, divided by another one or by a unit. */
static const struct figure {
    const char *name;
    enum column column, per; /* per COLUMN_COUNT: divided by `unit` */
    double unit;
    enum better better;
} figures[] = {
    {"goals reached", COLUMN_goals_reached, COLUMN_COUNT, 1, LARGER},
    {"time, us", COLUMN_time_us, COLUMN_COUNT, 1, SMALLER},
    {"% of a copy", COLUMN_copy_pct, COLUMN_COUNT, 1, LARGER},
    {"sectors per load", COLUMN_global_load_sectors, COLUMN_global_load_requests, 1, SMALLER},
    {"sectors per store", COLUMN_global_store_sectors, COLUMN_global_store_requests, 1, SMALLER},
    {"conflicts per shared load", COLUMN_shared_load_conflicts, COLUMN_shared_load_requests, 1,
     SMALLER},
    {"conflicts per shared store", COLUMN_shared_store_conflicts, COLUMN_shared_store_requests, 1,
     SMALLER},
    {"loads of global memory", COLUMN_global_load_requests, COLUMN_COUNT, 1, SMALLER},
    {"stores to global memory", COLUMN_global_store_requests, COLUMN_COUNT, 1, SMALLER},
    {"loads of shared memory", COLUMN_shared_load_requests, COLUMN_COUNT, 1, SMALLER},
    {"stores to shared memory", COLUMN_shared_store_requests, COLUMN_COUNT, 1, SMALLER},
    {"L2 read, MB", COLUMN_l2_read_bytes, COLUMN_COUNT, 1e6, SMALLER},
    {"L2 written, MB", COLUMN_l2_write_bytes, COLUMN_COUNT, 1e6, SMALLER},
    {"DRAM read, MB", COLUMN_dram_read_bytes, COLUMN_COUNT, 1e6, SMALLER},
    {"DRAM written, MB", COLUMN_dram_write_bytes, COLUMN_COUNT, 1e6, SMALLER},
    {"busiest partition / mean", COLUMN_partition_imbalance, COLUMN_COUNT, 1, SMALLER},
    {"warp instructions", COLUMN_ptx_warp_instructions, COLUMN_COUNT, 1, SMALLER},
    {"shared memory, bytes", COLUMN_shared_bytes, COLUMN_COUNT, 1, NEITHER},
};
enum { FIGURES = sizeof figures / sizeof *figures };

/* False: unknown, or a ratio of nothing. */
static bool figure_of(const struct figure *figure, const struct record *record, double *value)
{
    bool known = record_ratio(record, figure->column, figure->per, value);
    *value /= figure->unit;
    return known;
}

static void show(bool known, double value, char text[24])
{
    const bool whole = fabs(value) < 1e12 && value == floor(value);
    snprintf(text, 24, !known ? "-" : whole ? "%.0f" : "%.4g", value);
}

/* "-93 %", "x 8": by how much. */
static void tell_ratio(double before, double after, char text[24])
{
    *text = 0;
    if (before > 0 && after >= 10 * before)
        snprintf(text, 24, "x %.3g", after / before);
    else if (before > 0)
        snprintf(text, 24, "%+.3g %%", 100 * (after - before) / before);
}

/* How one figure changed. */
struct step {
    bool differs, known[2];
    double value[2];
    const char *verdict;
};

static struct step step_of(const struct figure *figure, const struct record *before,
                           const struct record *after)
{
    struct step step = {.verdict = ""};
    step.known[0] = figure_of(figure, before, &step.value[0]);
    step.known[1] = figure_of(figure, after, &step.value[1]);
    if (!step.known[0] || !step.known[1]) {
        step.differs = step.known[0] != step.known[1];
        return step;
    }
    /* Both as they are printed. */
    char text[2][24];
    show(true, step.value[0], text[0]);
    show(true, step.value[1], text[1]);
    step.differs = strcmp(text[0], text[1]);
    if (step.differs && figure->better != NEITHER)
        step.verdict =
            (step.value[1] < step.value[0]) == (figure->better == SMALLER) ? "better" : "worse";
    return step;
}

static bool text_differs(const struct record *before, const struct record *after,
                         enum column column)
{
    return strcmp(record_text(before, column), record_text(after, column)) != 0;
}

static const char *text_or_dash(const struct record *record, enum column column)
{
    const char *text = record_text(record, column);
    return *text ? text : "-";
}

static unsigned print_text(FILE *out, const char *name, const struct record *before,
                           const struct record *after, enum column column)
{
    const bool differs = text_differs(before, after, column);
    if (differs)
        fprintf(out, "  %-28s %12s -> %-12s\n", name, text_or_dash(before, column),
                text_or_dash(after, column));
    return differs;
}

/* Of different labs: "1 of 2 -> 3 of 3", and nothing is better or worse. False: they have as
 * many goals. */
static bool print_other_goals(FILE *out, const struct record *before, const struct record *after)
{
    const struct record *of[] = {before, after};
    char text[2][48];
    if (!before->values[COLUMN_goals].known || !after->values[COLUMN_goals].known ||
        before->values[COLUMN_goals].count == after->values[COLUMN_goals].count)
        return false;
    for (int i = 0; i < 2; i++)
        snprintf(text[i], sizeof text[i], "%" PRIu64 " of %" PRIu64,
                 of[i]->values[COLUMN_goals_reached].count, of[i]->values[COLUMN_goals].count);
    fprintf(out, "  %-28s %12s -> %-12s\n", figures[0].name, text[0], text[1]);
    return true;
}

unsigned changes_print(FILE *out, const struct record *before, const struct record *after)
{
    unsigned differ = print_text(out, "verdict", before, after, COLUMN_status);
    const unsigned other_goals = print_other_goals(out, before, after);
    differ += other_goals;
    for (unsigned i = other_goals; i < FIGURES; i++) { /* goals are the first */
        const struct step step = step_of(&figures[i], before, after);
        char text[3][24] = {"", "", ""};
        if (!step.differs)
            continue;
        show(step.known[0], step.value[0], text[0]);
        show(step.known[1], step.value[1], text[1]);
        if (step.known[0] && step.known[1])
            tell_ratio(step.value[0], step.value[1], text[2]);
        fprintf(out, "  %-28s %12s -> %-12s %9s  %s\n", figures[i].name, text[0], text[1], text[2],
                step.verdict);
        differ++;
    }
    return differ + print_text(out, "bound", before, after, COLUMN_bound);
}

void changes_tell(const struct record *before, const struct record *after, char *text, size_t size)
{
    double most = 0;
    *text = 0;
    if (text_differs(before, after, COLUMN_status)) {
        snprintf(text, size, "%s -> %s", record_text(before, COLUMN_status),
                 record_text(after, COLUMN_status));
        return;
    }
    for (unsigned i = 0; i < FIGURES; i++) {
        const struct step step = step_of(&figures[i], before, after);
        if (!step.differs || !step.known[0] || !step.known[1])
            continue;
        const double ratio = fabs(log((step.value[1] + 1) / (step.value[0] + 1)));
        if (ratio <= most && i > 0)
            continue;
        most = i ? ratio : INFINITY; /* goals tell the most */
        snprintf(text, size, "%s %.4g -> %.4g", figures[i].name, step.value[0], step.value[1]);
    }
}
