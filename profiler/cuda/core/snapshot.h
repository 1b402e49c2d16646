/* snapshot.h: a snapshot of device memory before a launch, to undo the launch or to find its
 * changes. Theory of operation. Most kernels access only a part of the memory. Therefore large
 * device and managed arrays are divided into chunks and write-protected during the launch. The
 * first write to a chunk causes a page fault, and the handler saves the chunk. All other memory is
 * saved immediately. Only one snapshot exists at a time. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

struct snapshot;

/* Returns NULL for a failure. The regions of runtime.memory must not change until snapshot_free. */
struct snapshot *snapshot_take(void);

/* Returns false if old bytes could not be saved. In this case, call only snapshot_free. */
bool snapshot_is_whole(const struct snapshot *snapshot);

/* Restore the saved chunks. Recording continues after this call. */
void snapshot_restore(struct snapshot *snapshot);

/* Stop recording after the launch. Returns snapshot_is_whole. */
bool snapshot_end(struct snapshot *snapshot);

/* Copy the bytes [begin, end) of a region, as they were before the launch, to `to`. */
void snapshot_copy(const struct snapshot *snapshot, unsigned region, uint64_t begin, uint64_t end,
                   unsigned char *to);
bool snapshot_differs(const struct snapshot *snapshot, unsigned region, uint64_t begin,
                      uint64_t end);

uint64_t snapshot_saved(const struct snapshot *snapshot);

/* Stop recording if necessary, and free the snapshot, which may be NULL. */
void snapshot_free(struct snapshot *snapshot);

#endif
