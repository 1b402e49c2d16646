#include "view/changes.h"

#include "base/wording.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum better { NEITHER, SMALLER, LARGER };

enum { DERIVABLE = 1 }; /* Flag: a student can derive the value from the source. */

static const struct figure {
    const char *name;
    enum column column, per; /* `per` is COLUMN_COUNT if the column is divided by `unit`. */
    double unit;
    enum better better;
    bool is_derivable;
} figures[] = {
    {"goals reached", COLUMN_goals_reached, COLUMN_COUNT, 1, LARGER, 0},
    {"time, us", COLUMN_time_us, COLUMN_COUNT, 1, SMALLER, 0},
    {"% of a copy", COLUMN_copy_pct, COLUMN_COUNT, 1, LARGER, 0},
    {"sectors per load", COLUMN_global_load_sectors, COLUMN_global_load_requests, 1, SMALLER,
     DERIVABLE},
    {"sectors per store", COLUMN_global_store_sectors, COLUMN_global_store_requests, 1, SMALLER,
     DERIVABLE},
    {"conflicts per shared load", COLUMN_shared_load_conflicts, COLUMN_shared_load_requests, 1,
     SMALLER, DERIVABLE},
    {"conflicts per shared store", COLUMN_shared_store_conflicts, COLUMN_shared_store_requests, 1,
     SMALLER, DERIVABLE},
    {"loads of global memory", COLUMN_global_load_requests, COLUMN_COUNT, 1, SMALLER, DERIVABLE},
    {"stores to global memory", COLUMN_global_store_requests, COLUMN_COUNT, 1, SMALLER, 0},
    {"loads of shared memory", COLUMN_shared_load_requests, COLUMN_COUNT, 1, SMALLER, 0},
    {"stores to shared memory", COLUMN_shared_store_requests, COLUMN_COUNT, 1, SMALLER, 0},
    {"L2 read, MB", COLUMN_l2_read_bytes, COLUMN_COUNT, 1e6, SMALLER, 0},
    {"L2 written, MB", COLUMN_l2_write_bytes, COLUMN_COUNT, 1e6, SMALLER, 0},
    {"DRAM read, MB", COLUMN_dram_read_bytes, COLUMN_COUNT, 1e6, SMALLER, 0},
    {"DRAM written, MB", COLUMN_dram_write_bytes, COLUMN_COUNT, 1e6, SMALLER, 0},
    {"busiest partition / mean", COLUMN_partition_imbalance, COLUMN_COUNT, 1, SMALLER, 0},
    {"warp instructions", COLUMN_ptx_warp_instructions, COLUMN_COUNT, 1, SMALLER, 0},
    {"shared memory, bytes", COLUMN_shared_bytes, COLUMN_COUNT, 1, NEITHER, DERIVABLE},
    {"threads per block in x", COLUMN_block_x, COLUMN_COUNT, 1, NEITHER, DERIVABLE},
    {"threads per block in y", COLUMN_block_y, COLUMN_COUNT, 1, NEITHER, DERIVABLE},
};
enum { FIGURES = sizeof figures / sizeof *figures };

struct change {
    bool differs, known;
    double value[2];
    char text[2][24];
    const char *verdict;
};

static struct change change_of(const struct figure *figure, const struct record *before,
                               const struct record *after)
{
    struct change change = {.known = true, .verdict = ""};
    for (int i = 0; i < 2; i++) {
        double *value = &change.value[i];
        const bool known = record_ratio(i ? after : before, figure->column, figure->per, value);
        *value /= figure->unit;
        const bool whole = fabs(*value) < 1e12 && *value == floor(*value);
        snprintf(change.text[i], 24, !known ? "-" : whole ? "%.0f" : "%.4g", *value);
        change.known &= known;
    }
    change.differs = strcmp(change.text[0], change.text[1]) != 0;
    if (change.known && change.differs && figure->better != NEITHER)
        change.verdict =
            (change.value[1] < change.value[0]) == (figure->better == SMALLER) ? "better" : "worse";
    return change;
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

/* Print "1 of 2 -> 3 of 3" for different numbers of goals; for equal numbers, return false. */
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
    for (unsigned i = other_goals; i < FIGURES; i++) {
        const struct change change = change_of(&figures[i], before, after);
        const double old = change.value[0], new = change.value[1];
        char ratio[24] = "";
        if (!change.differs)
            continue;
        if (change.known && old > 0 && new >= 10 * old)
            snprintf(ratio, sizeof ratio, "x %.3g", new / old);
        else if (change.known && old > 0)
            snprintf(ratio, sizeof ratio, "%+.3g %%", 100 * (new - old) / old);
        fprintf(out, "  %-28s %12s -> %-12s %9s  %s\n", figures[i].name, change.text[0],
                change.text[1], ratio, change.verdict);
        differ++;
    }
    return differ + print_text(out, "bound", before, after, COLUMN_bound);
}

void changes_append(const struct record *before, const struct record *after, char *text,
                    size_t size)
{
    const char *separator = "";
    for (unsigned i = 0; i < FIGURES; i++) {
        const struct change change = change_of(&figures[i], before, after);
        if (!figures[i].is_derivable || !change.differs || !change.known)
            continue;
        text_append(text, size, "%s%s changes from %s to %s", separator, figures[i].name,
                    change.text[0], change.text[1]);
        separator = "; ";
    }
}

void changes_summarize(const struct record *before, const struct record *after, char *text,
                       size_t size)
{
    double most = -1;
    *text = 0;
    if (text_differs(before, after, COLUMN_status)) {
        snprintf(text, size, "%s -> %s", record_text(before, COLUMN_status),
                 record_text(after, COLUMN_status));
        return;
    }
    for (unsigned i = 0; i < FIGURES; i++) {
        const struct change change = change_of(&figures[i], before, after);
        if (!change.differs || !change.known)
            continue;
        const double ratio = i == 0 ? INFINITY
                             : figures[i].better == NEITHER
                                 ? 0
                                 : fabs(log((change.value[1] + 1) / (change.value[0] + 1)));
        if (ratio <= most)
            continue;
        most = ratio;
        snprintf(text, size, "%s %.4g -> %.4g", figures[i].name, change.value[0], change.value[1]);
    }
}
