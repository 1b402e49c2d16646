/* hint.h: what to tell a student next, in levels, and never the answer: a question, a pointer to
 * the line, an idea.
 *
 * A hint is on a *topic*: `start` (nothing was written yet), a verdict (`race`), or the id of a
 * check of the rubric, the worst goal that a right kernel misses. The question and the idea of a
 * topic stand in the lab's hints.txt (`conflicts.question = ...`; in a lab of several exercises an
 * exercise's own, `copy_shared.conflicts.idea`, goes first). Those of `right` serve wrong results,
 * the idea also wrong addresses. Without them the question is the rubric's, or question and idea
 * fit the verdict. The pointer is computed from the run.
 */
#ifndef HINT_H
#define HINT_H

#include "course/exercise.h"
#include "view/lab_run.h"

#define HINT_FILE "hints.txt"
enum { HINT_LEVELS = 3, HINT_TOPIC_SIZE = 32 };

struct hint {
    char topic[HINT_TOPIC_SIZE];     /* "": there is nothing to repair */
    char about[GOAL_LIST_TEXT + 64]; /* what the topic is, in words */
    char *levels[HINT_LEVELS];       /* malloc'd; NULL: there is none of that level */
};

/* Has nothing been written yet? Then the exercise is found, whose lab says what to do first. */
bool hint_is_untouched(const struct record *record, struct exercise *exercise);

/* The hint for what a run of the file `path` left. Harness failure for a hints.txt that cannot
 * be read: "PATH:LINE: what". Free it in any case. */
bool hint_find(const char *path, const struct lab_run *run, struct hint *hint,
               struct failure *failure);
void hint_free(struct hint *hint);

/* How many levels of a topic were given for that file: remembered beside the runs
 * (record_kept.h), and like them as if there were none where that cannot be read or written. */
unsigned hint_given(const char *path, const char *topic);
void hint_remember(const char *path, const char *topic, unsigned levels);

#endif
