/* run_json.h: the result of one run as a JSON object for other programs. docs/json.md describes the
 * format.
 */
#ifndef RUN_JSON_H
#define RUN_JSON_H

#include "base/json_out.h"
#include "view/goal_list.h"

/* Write the object. `wrong` is the student failure, or none. `points`: the points of `goals` are
 * known. */
void run_json_write(struct json_out *out, const char *path, const struct record *record,
                    const struct failure *wrong, const struct goal_list *goals, bool points);

/* Write all columns of a record as an object. */
void run_json_write_record(struct json_out *out, const char *key, const struct record *record);

#endif
