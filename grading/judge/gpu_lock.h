/* gpu_lock.h: one grader of this user has the GPU at a time, or times would be those of a crowd.
 *
 * Theory of operation. What is locked (flock) is an empty directory of this user's that nobody else
 * can open: DIRECTORY/tlab-gpu-UID-XXXXXX. A file of a known name in /tmp would not do, because
 * anybody can make it first, or lock it and never let go; nor would /dev/nvidia0, which everybody
 * who may use the GPU can open and lock. The name ends in chance, so nobody else can take it;
 * graders find it by looking for directories that begin so and are this user's alone, and take the
 * first.
 *
 * Graders of different users are not kept apart: whoever may use the GPU can disturb times anyway.
 * Where that matters, an administrator gives the GPU to one process (nvidia-smi -c
 * EXCLUSIVE_PROCESS).
 */
#ifndef GPU_LOCK_H
#define GPU_LOCK_H

#include "base/failure.h"

/* Wait for the lock in that directory (/tmp, or a test's). *descriptor holds it until
 * gpu_lock_release. A harness failure says why there is none. */
bool gpu_lock_take(const char *directory, int *descriptor, struct failure *failure);
void gpu_lock_release(int descriptor);

#endif
