/* hint.h: hints for a student in levels: a question, where to look, an idea, and the repair that
 * was tested, if there is one. No level repeats what `tlab run` prints.
 *
 * A hint has a *topic*, a mistake: its name and its place. The name is `start` (no code was written
 * yet), a finding of the failure (step-missing) or, for a mistake that is not recognized, its
 * verdict (race); for a correct kernel, a note (read-repeatedly) or the check of the rubric
 * with the largest loss (conflicts). The place is a line of the source, by its number or its text,
 * so that neither an edit of this line nor one above makes the mistake a new one.
 *
 * The levels that were given are saved beside the history of the runs (record_history.h). A run
 * that no longer has a mistake removes its levels: made again, the mistake is a new one.
 *
 * hints.conf has the texts (`step-missing.question = ...`). The lab's hints.txt takes precedence,
 * and in a lab of several exercises the entry of the exercise (`copy_shared.conflicts.idea`). The
 * lab's texts for a verdict apply to mistakes that are not recognized, and those of the topic
 * `right` to wrong results among them. A goal without a question in hints.txt has the rubric's, if
 * that is a question.
 */
#ifndef HINT_H
#define HINT_H

#include "record/record.h"
#include "view/goal_list.h"

#define HINT_FILE "hints.txt"
enum { HINT_QUESTION, HINT_WHERE, HINT_IDEA, HINT_REPAIR, HINT_LEVELS };

struct hint {
    bool is_empty;                   /* there is nothing to fix */
    char about[GOAL_LIST_TEXT + 64]; /* description of the topic */
    char *levels[HINT_LEVELS];       /* malloc'd; NULL if the level has no hint */
    unsigned given;                  /* levels that were given before */
};

/* Returns true if the student has not written any code yet. */
bool hint_is_untouched(const struct record *record);

/* Find the hint for the result of a run of the file `path`. `wrong` has the repair in its text
 * (report.repairs), which is the last level. Harness failure "PATH:LINE: what" for a file of hints
 * that cannot be read. Free the hint in any case. */
bool hint_find(const char *path, const struct record *record, const struct failure *wrong,
               const struct goal_list *goals, struct hint *hint, struct failure *failure);
void hint_free(struct hint *hint);

/* Save the number of levels that were given on the topic of a run, and remove the topics that the
 * run no longer has. `levels` 0: only remove. */
void hint_remember(const char *path, const struct failure *wrong, const struct goal_list *goals,
                   unsigned levels);

#endif
