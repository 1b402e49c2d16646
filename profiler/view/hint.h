/* hint.h: hints for a student in three levels: a question, a pointer to the line, an idea. A hint
 * never contains the solution.
 *
 * A hint has a *topic*: `start` (no code was written yet), a verdict (`race`), or the identifier of
 * a check of the rubric, the goal with the largest loss. The question and the idea of a topic are
 * in the lab's hints.txt (`conflicts.question = ...`). In a lab of several exercises, the entry of
 * the exercise (`copy_shared.conflicts.idea`) takes precedence. The entries of the topic `right`
 * are used for wrong results, and its idea also for wrong addresses. Without an entry, the rubric
 * has the question of a goal, and hint.c has question and idea of a verdict. The pointer is
 * computed from the run.
 */
#ifndef HINT_H
#define HINT_H

#include "course/exercise.h"
#include "view/lab_run.h"

#define HINT_FILE "hints.txt"
enum { HINT_LEVELS = 3, HINT_TOPIC_SIZE = 32 };

struct hint {
    char topic[HINT_TOPIC_SIZE];     /* "" if there is nothing to fix */
    char about[GOAL_LIST_TEXT + 64]; /* description of the topic */
    char *levels[HINT_LEVELS];       /* malloc'd; NULL if the level has no hint */
};

/* Returns true if the student has not written any code yet. Then `exercise` is set; its lab says
 * what to do first. */
bool hint_is_untouched(const struct record *record, struct exercise *exercise);

/* Find the hint for the result of a run of the file `path`. Harness failure "PATH:LINE: what" for a
 * hints.txt that cannot be read. Free the hint in any case. */
bool hint_find(const char *path, const struct lab_run *run, struct hint *hint,
               struct failure *failure);
void hint_free(struct hint *hint);

/* The number of levels of a topic that were given for a file. It is saved beside the history of the
 * runs (record_history.h) and is 0 if it cannot be read or written. */
unsigned hint_given(const char *path, const char *topic);
void hint_remember(const char *path, const char *topic, unsigned levels);

#endif
