/* goal_list.h: how far a kernel that is right is from what its rubric asks for.
 *
 * The goals are the rubric's ratios and mechanisms; they are judged by the same functions as points
 * are (goals/measured.h). What they need beyond the run itself is run here: a rubric's counted run
 * on another device or size, and a small one that follows elements through shared memory. Besides
 * them things are noted that no rubric names: elements that are moved several times, or have
 * another width in shared memory; blocks without work, and a grid that does not follow the size.
 */
#ifndef GOAL_LIST_H
#define GOAL_LIST_H

#include "goals/measured.h"
#include "run/run_options.h"
#include "view/line_counters.h"

#include <stdio.h>

enum { GOAL_LIST_TEXT = 512, GOAL_LIST_NOTES = 6, GOAL_LIST_LINES = 512 };

/* One check of the rubric. */
struct goal_item {
    char id[32], title[RUBRIC_TEXT], hint[RUBRIC_TEXT];
    char text[GOAL_LIST_TEXT]; /* "31 conflicts per shared load, wanted 0 (line 18)" */
    unsigned line;             /* of the source, that it is about most; 0: none */
    double points, earned;
    bool is_goal; /* a ratio or mechanism; else sizes on which the result must be right */
    bool reached;
    bool untold; /* another one says it */
};

struct goal_list {
    struct goal_item items[RUBRIC_CHECKS_MAX];       /* goals first, the worst first */
    unsigned count, goals, reached;                  /* items; goals among them; of these */
    double points, earned;                           /* of all items */
    double hidden_points, person_points, gpu_points; /* of checks that are no items */
    struct {
        enum finding_id id;
        char text[GOAL_LIST_TEXT];
    } notes[GOAL_LIST_NOTES];
    unsigned note_count;
    struct failure absent; /* why there are no items */
};

/* Watches runs, one after the other. */
struct goal_watch {
    bool points; /* judge everything that is published, as grading does */
    bool right;  /* the last run was; `list` is of it */
    struct goal_list list;
    /* Of the run at hand. */
    struct line_watch *lines_seen; /* shows them, too */
    struct measured_run seen;
    struct measured_line lines[GOAL_LIST_LINES];
    unsigned line_count;
    bool has_seen;
    unsigned odd_shared; /* bytes of the elements in shared memory, where they are not 4 */
    /* At the smallest size: its grid, of which x is 0 while it is unknown; instructions. */
    struct dimensions smallest_grid;
    uint64_t smallest_rows, smallest_cols, smallest_work;
};

/* Watch the runs with these options: sets options->watch. Judging also sets the columns `goals` and
 * `goals_reached` of the record. */
void goal_watch_attach(struct goal_watch *watch, struct run_options *options);
/* To be called before each run: forgets the one before. `lines` has the path of its file. */
void goal_watch_begin(struct goal_watch *watch, struct line_watch *lines);

/* "NAME: right; not yet: ...", and what follows it, each on a line of its own. */
void goal_list_print(FILE *out, const char *name, const struct goal_list *list);
/* The points of everything that is published. */
void goal_list_print_points(FILE *out, const char *name, const struct goal_list *list);

#endif
