/* run_json.h: the result of one run as a JSON object for other programs (docs/json.md). */
#ifndef RUN_JSON_H
#define RUN_JSON_H

#include "base/json_out.h"
#include "view/block_accesses.h"
#include "view/goal_list.h"

/* Write the result of a run. `wrong` is the student failure; its kind is FAILURE_NONE for a correct
 * kernel. `points` is true if the points in `goals` are known. */
void run_json_write(struct json_out *out, const char *path, const struct record *record,
                    const struct failure *wrong, const struct goal_list *goals, bool points);

void run_json_write_record(struct json_out *out, const char *key, const struct record *record);

enum { RUN_JSON_REQUESTS = 1024 }; /* Maximum number of requests on a page. */

/* Write the fields of an open object:
 *   "block": [x, y, z], "threads": [x, y, z], "warp_lanes", "total" (requests of the block),
 *   "banks", "word_bytes", "line_bytes", "sector_bytes" (0 if segments are counted),
 *   "requests": [{"line", "space", "access", "warp", "time", "times", "bytes" (of a lane),
 *     "used" and "ideal" (wavefronts, sectors or segments),
 *     "phase" (lanes of a shared-memory phase), "pieces": [[address, bytes], ...] (global memory),
 *     "lanes": [[lane, address, index of the piece or first bank, element], ...]}, ...]
 * At most RUN_JSON_REQUESTS requests are written. Addresses are bytes. The accesses must be
 * arranged (block_accesses_arrange); `launch` must be the launch that made the accesses. */
void run_json_write_block(struct json_out *out, const struct emulator_launch *launch,
                          const struct block_accesses *accesses);

#endif
