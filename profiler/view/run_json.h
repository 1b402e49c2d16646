/* run_json.h: what `tlab run` says of one run, as a JSON object for other programs. docs/json.md
 * describes it.
 */
#ifndef RUN_JSON_H
#define RUN_JSON_H

#include "base/json_out.h"
#include "view/goal_list.h"

/* `wrong`: the student's failure, or none. `points`: the points of `goals` are known. */
void run_json_write(struct json_out *out, const char *path, const struct record *record,
                    const struct failure *wrong, const struct goal_list *goals, bool points);

#endif
