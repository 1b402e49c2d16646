/* memcpy_async.h: copies by a group (CUDA C++ Programming Guide, "memcpy_async"). */
#ifndef TLAB_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define TLAB_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"
namespace cooperative_groups
{
template <class Group, class T>
static TLAB_INLINE void memcpy_async(const Group &group, T *to, const T *from, size_t bytes)
{
    tlab_copy_together(group.thread_rank(), group.size(), to, from, bytes);
    tlab_copy_commit();
}
template <unsigned Pending, class Group> static TLAB_INLINE void wait_prior(const Group &group)
{
    tlab_copy_wait(Pending);
    group.sync();
}
template <class Group> static TLAB_INLINE void wait(const Group &group)
{
    wait_prior<0>(group);
}
} // namespace cooperative_groups
#endif
