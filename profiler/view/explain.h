/* explain.h: counters in sentences: what a line wastes, how far a goal is, what a counter is made
 * of.
 */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "view/line_counters.h"

struct block_access;
struct emulator_launch;
struct observed_access;

/* What a piece of advice is about. Decide on this, not on the text. */
enum advice_about {
    ADVICE_NONE,      /* no line does more than its bytes need */
    ADVICE_SECTORS,   /* more sectors of global memory */
    ADVICE_CONFLICTS, /* bank conflicts */
    ADVICE_NO_GAIN,   /* either, but it costs next to no time */
    ADVICE_PARTITION, /* the busiest DRAM partition limits the time */
};

struct advice {
    enum advice_about about;
    size_t line; /* 0: none */
    char text[512];
};

/* One sentence on the access whose repair would gain the most time, or that there is none: what
 * happens there, and what to ask oneself, not what to do. */
void explain_lines(const struct line_counters *lines, size_t count, const struct device *device,
                   const struct time_goes *time_goes, struct advice *advice);

/* What a run comes to in a ratio check, and what is required: "31 conflicts per shared load, wanted
 * 0". */
void explain_goal(const struct rubric_check *check, const struct measured_run *counted,
                  const struct measured_finding *found, char *text, size_t size);

/* A run, to explain its counters. */
struct explained_run {
    const struct record *record;
    const struct line_watch *watch; /* NULL: nothing is known of lines */
    const struct device *device;    /* emulated; NULL: a GPU */
};
/* Append what the number in a column is made of: "; neighbouring threads are 4 bytes apart (line
 * 33), and a sector has 32". */
void explain_column(const struct explained_run *run, enum column column, char *text, size_t size);

/* Append how far apart neighbouring active lanes are; words, too, where `word_bytes` is not 0. */
void explain_distance(const struct observed_access *access, unsigned word_bytes, char *text,
                      size_t size);

/* "global store, 4 bytes a lane" */
void explain_access_kind(const struct observed_access *access, char *text, size_t size);
/* Print one access of one warp of an emulated launch: lane by lane, as a map (lane_map.h), and what
 * it comes to. */
void explain_access(FILE *out, const struct emulator_launch *launch,
                    const struct block_access *observed);

/* As tables have numbers: three or four digits, counts whole. */
enum { EXPLAIN_NUMBER_SIZE = 40 };
const char *explain_number(double number, char text[EXPLAIN_NUMBER_SIZE]);

#endif
