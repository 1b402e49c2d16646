/* hint.h: hints for a student in levels: a question, where to look, an idea, and a tested repair,
 * if there is one. No level repeats the output of `tlab run`.
 *
 * The *topic* of a hint is a mistake, identified by a name and a place. For an incorrect kernel,
 * the name is `start` (no code was written yet), a finding of the failure (step-missing) or, for a
 * mistake that is not recognized, the verdict (race). For a correct kernel, the name is a note
 * (read-repeatedly) or the check of the rubric with the largest loss (conflicts). The place is a
 * source line that matches by number or by text. So the topic remains the same after an edit of
 * this line, or of a line above it.
 *
 * The levels that were given are saved beside the history of the runs (record_history.h). If a run
 * no longer has a mistake, its levels are removed, and a later occurrence is a new mistake.
 *
 * hints.conf has the texts (`step-missing.question = ...`). The lab's hints.txt takes precedence.
 * In a lab of several exercises, an entry of the exercise (`copy_shared.conflicts.idea`) takes
 * precedence over an entry of the lab. The lab's texts for a verdict apply to mistakes that are not
 * recognized; for wrong results, the texts of the topic `right` apply. If hints.txt has no question
 * on a goal, and the rubric's hint is a question, this hint is used.
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
    unsigned given;                  /* number of levels that were given before */
};

/* Returns true if the student has not written any code yet. */
bool hint_is_untouched(const struct record *record);

/* Find the hint for the result of a run of the file `path`. The text of `wrong` contains the repair
 * (report.repairs), which is the last level. For an invalid file of hints, the harness failure is
 * "PATH:LINE: what". Free the hint in any case. */
bool hint_find(const char *path, const struct record *record, const struct failure *wrong,
               const struct goal_list *goals, struct hint *hint, struct failure *failure);
void hint_free(struct hint *hint);

/* Save the number of levels that were given on the topic of a run, and remove the topics that the
 * run no longer has. If `levels` is 0, only remove topics. */
void hint_remember(const char *path, const struct failure *wrong, const struct goal_list *goals,
                   unsigned levels);

#endif
