/* snapshot.h: device memory as it was before a launch.
 *
 * Theory of operation. A launch with checks may have to be undone and run again, and some checks
 * compare memory before and after it. Copying all memory for that would cost time in proportion to
 * arrays that the kernel never touches. Large arrays are therefore write-protected while the launch
 * runs, and divided into chunks; the first write to a chunk is a page fault, whose handler saves
 * the chunk and allows writes to it. Small arrays, and memory that does not begin on a page, are
 * saved at once. One snapshot exists at a time.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

struct snapshot;

/* Begin to record the regions of runtime.memory, none of which may be mapped or unmapped until
 * snapshot_free. NULL: there is too little memory. */
struct snapshot *snapshot_take(void);

/* False: the launch has written more than could be saved. Then only snapshot_free may follow. */
bool snapshot_is_whole(const struct snapshot *snapshot);

/* Write back what has changed. Recording goes on. */
void snapshot_restore(struct snapshot *snapshot);

/* The launch is over: stop recording. False: see snapshot_is_whole. */
bool snapshot_end(struct snapshot *snapshot);

/* Bytes [begin, end) of region `region` as they were, into `to`; and whether they are different
 * now. */
void snapshot_copy(const struct snapshot *snapshot, unsigned region, uint64_t begin, uint64_t end,
                   unsigned char *to);
bool snapshot_differs(const struct snapshot *snapshot, unsigned region, uint64_t begin,
                      uint64_t end);

/* Bytes that were saved, for tests. */
uint64_t snapshot_saved(const struct snapshot *snapshot);

/* End it if it has not ended, and free it; it may be NULL. */
void snapshot_free(struct snapshot *snapshot);

#endif
