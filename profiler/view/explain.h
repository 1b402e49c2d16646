/* explain.h: sentences about the counters of source lines, of goals and of columns. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "view/line_counters.h"

struct bank_map;
struct block_access;
struct emulator_launch;
struct observed_access;

/* Code branches on this value, not on the text of an advice. */
enum advice_about {
    ADVICE_NONE,    /* Every line is at or near the minimum for its bytes. */
    ADVICE_SECTORS, /* Too many sectors of global memory. */
    ADVICE_CONFLICTS,
    ADVICE_NO_GAIN,   /* Excess sectors or conflicts that cost almost no time. */
    ADVICE_PARTITION, /* The busiest DRAM partition limits the time. */
};

struct advice {
    enum advice_about about;
    size_t line; /* 0 if the advice names no line. */
    char text[512];
};

/* Describe the access for which a repair saves the most time, or state that no line needs a repair.
 * The text describes the problem and may ask a question, but does not give the repair. */
void explain_lines(const struct line_counters *lines, size_t count, const struct device *device,
                   const struct time_goes *time_goes, struct advice *advice);

/* Write the result of a ratio check: "31 bank conflicts per shared load (32-way), expected 0". */
void explain_goal(const struct rubric_check *check, const struct measured_run *counted,
                  const struct measured_finding *found, char *text, size_t size);

struct explained_run {
    const struct record *record;
    const struct line_watch *watch; /* NULL if the counters of the lines are unknown. */
    const struct device *device;    /* The emulated device; NULL for a GPU. */
};

/* Append an explanation of a column's value: "; neighbouring threads are 4 bytes apart". */
void explain_column(const struct explained_run *run, enum column column, char *text, size_t size);

/* Append the distance between neighbouring active lanes in bytes and, if word_bytes > 0, words. */
void explain_distance(const struct observed_access *access, unsigned word_bytes, char *text,
                      size_t size);

/* Append "32 wavefronts, minimum 1: 31 bank conflicts (32-way)". */
void explain_banks(const struct bank_map *map, char *text, size_t size);

void explain_access_kind(const struct observed_access *access, char *text, size_t size);
/* Print one access of one warp: a table of its lanes, a map (lane_map.h), and the totals. */
void explain_access(FILE *out, const struct emulator_launch *launch,
                    const struct block_access *observed);

/* Write a number for a table, with at most three significant digits. A whole number, or a number of
 * 1000 or more, is written with all its digits and without decimals. Returns `text`. */
enum { EXPLAIN_NUMBER_SIZE = 40 };
const char *explain_number(double number, char text[EXPLAIN_NUMBER_SIZE]);

#endif
