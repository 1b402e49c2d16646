/* goal_list.h: the goals of a rubric (ratios and mechanisms) that a correct kernel does not reach.
 * A goal may require a run on another device or at another size, or a small run that follows
 * elements through shared memory. This module then starts the run. Notes are observations that no
 * rubric checks, for example blocks without work. */
#ifndef GOAL_LIST_H
#define GOAL_LIST_H

#include "goals/measured.h"
#include "run/run_options.h"
#include "view/line_counters.h"

#include <stdio.h>

enum { GOAL_LIST_TEXT = 512, GOAL_LIST_NOTES = 6, GOAL_LIST_LINES = 512 };

struct goal_item {
    char id[32], title[RUBRIC_TEXT], hint[RUBRIC_TEXT];
    char text[GOAL_LIST_TEXT]; /* "31 bank conflicts per shared load (32-way), expected 0" */
    unsigned line;             /* Source line that contributes most to the counter; 0 if none. */
    double points, earned;
    bool is_goal; /* True for a ratio or mechanism; false for correctness at a list of sizes. */
    bool reached;
    bool redundant; /* True if another item reports the same problem. */
    bool narrow;    /* True if the goal is only missed because sectors are not used completely. */
};

struct goal_list {
    struct goal_item items[RUBRIC_CHECKS_MAX]; /* Sorted by by_loss (goal_list.c). */
    unsigned count, goals, reached;
    double points, earned;
    double hidden_points, person_points, gpu_points; /* Points of checks that are not items. */
    struct {
        enum finding_id id;
        char text[GOAL_LIST_TEXT];
    } notes[GOAL_LIST_NOTES];
    unsigned note_count;
    struct failure absent; /* Reason, if the rubric cannot be read. */
};

struct goal_watch {
    bool points; /* True to judge all published checks, as grading does. */
    bool right;  /* True if the last run was correct; `list` describes this run. */
    struct goal_list list;
    struct line_watch *lines_seen;
    struct measured_run seen;
    struct measured_line lines[GOAL_LIST_LINES];
    unsigned line_count;
    bool has_seen;
    /* Line of all stores to global memory (0 if several), and executed stores per warp. */
    uint32_t store_line;
    double store_runs;
    uint32_t barrier_line; /* Line of a barrier that only some warps of a block execute; or 0. */
    unsigned odd_shared;   /* Bytes per element in shared memory; 0 for the usual 4. */
    /* Values of the run at the smallest size; smallest_grid.x is 0 before this run. */
    struct dimensions smallest_grid;
    uint64_t smallest_rows, smallest_cols, smallest_work;
};

/* Attach the watch to the runs that use these options (sets options->watch). After a correct run,
 * the columns `goals` and `goals_reached` of its record are filled. */
void goal_watch_attach(struct goal_watch *watch, struct run_options *options);
/* Reset the watch before a run. `lines->path` must be the path of the lab file. */
void goal_watch_begin(struct goal_watch *watch, struct line_watch *lines);

/* Print "NAME: correct; goal not reached: ...", then one line per further goal and per note. */
void goal_list_print(FILE *out, const char *name, const struct goal_list *list);
void goal_list_print_points(FILE *out, const char *name, const struct goal_list *list);

#endif
