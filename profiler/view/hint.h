/* hint.h: hints for a student in four levels: a question, where to look, an idea, and a tested
 * repair (if a repair is known).
 *
 * The *topic* of a hint is a mistake, identified by a name and a source line. For an incorrect
 * kernel, the name is `start` (no code was written yet) or a finding of the failure (step-missing).
 * If the mistake is not recognized, the name is the verdict (race). For a correct kernel, the name
 * is a note (read-repeatedly) or the check of the rubric with the largest loss (conflicts). Two
 * lines are equal if their numbers or their texts are equal. An edit of the line, or of a line
 * above, therefore does not change the topic. The number of levels that the student has seen is
 * saved beside the history of the runs (record_history.h). It is removed after a run that shows
 * that the student has repaired the mistake.
 *
 * hints.conf has the texts (`step-missing.question = ...`). The lab's hints.txt takes precedence,
 * and in this file, an entry of the exercise (`copy_shared.conflicts.idea`) takes precedence over
 * an entry of the lab. The lab's texts for a verdict apply to mistakes that are not recognized, and
 * to findings with many possible causes. For wrong results, the lab's texts of the topic `right`
 * replace missing texts. If hints.txt has no question about a goal, the rubric's hint for this goal
 * is used if it is a question. */
#ifndef HINT_H
#define HINT_H

#include "record/record.h"
#include "view/goal_list.h"

#define HINT_FILE "hints.txt"
enum { HINT_QUESTION, HINT_WHERE, HINT_IDEA, HINT_REPAIR, HINT_LEVELS };

struct hint {
    bool is_empty; /* True if there is nothing to fix. */
    char about[GOAL_LIST_TEXT + 64];
    char *levels[HINT_LEVELS]; /* Malloc'd; NULL if the level has no hint. */
    unsigned given;            /* Number of levels that the student has seen before. */
};

/* Find the hint for the result of a run of the file `path`. `wrong` is the student failure; its
 * kind is FAILURE_NONE for a correct kernel. The text of `wrong` contains the tested repair
 * (report.repairs), which is the last level. Returns false for an invalid file of hints (harness
 * failure "PATH:LINE: ..."). Always call hint_free. */
bool hint_find(const char *path, const struct record *record, const struct failure *wrong,
               const struct goal_list *goals, struct hint *hint, struct failure *failure);
void hint_free(struct hint *hint);

/* Save the number of levels that the student has seen for the topic of a run, unless `levels` is 0.
 * Remove the topics that the run shows to be repaired. */
void hint_remember(const char *path, const struct failure *wrong, const struct goal_list *goals,
                   unsigned levels);

#endif
