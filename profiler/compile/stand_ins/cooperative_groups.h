/* cooperative_groups.h: groups within a block (Programming Guide, "Cooperative Groups"). */
#ifndef TLAB_COOPERATIVE_GROUPS_H
#define TLAB_COOPERATIVE_GROUPS_H
#include "tlab_device.h"

#define TLAB_GET(type, name, ...) static TLAB_MEMBER_GET(type, name, (), __VA_ARGS__)

namespace cooperative_groups
{
static TLAB_MEMBER_GET(unsigned, tlab_thread, (),
                       (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
                           threadIdx.x) static TLAB_MEMBER_GET(unsigned, tlab_threads, (),
                                                               blockDim.x *blockDim.y *blockDim.z)

    /* A group is a whole block, or some lanes of a warp. */
    class thread_group
{
  protected:
    unsigned lanes; /* Mask of the group's lanes; 0 if the group is the block. */
    unsigned first; /* Lane of the thread with rank 0. */
    TLAB_INLINE thread_group(unsigned lanes_, unsigned first_) : lanes(lanes_), first(first_)
    {
    }
    friend TLAB_INLINE thread_group tiled_partition(const thread_group &, unsigned);

  public:
    TLAB_INLINE void sync() const
    {
        if (lanes == 0)
            __syncthreads();
        else
            __syncwarp(lanes);
    }
    TLAB_MEMBER_GET(unsigned, size, () const, lanes == 0 ? tlab_threads() : (unsigned)__popc(lanes))
    TLAB_MEMBER_GET(unsigned, num_threads, () const, size())
    TLAB_MEMBER_GET(unsigned, thread_rank, () const,
                    lanes == 0 ? tlab_thread()
                               : (unsigned)__popc(lanes & ((1u << tlab_lane()) - 1)))
    TLAB_MEMBER_GET(bool, is_valid, () const, true)
};

class thread_block : public thread_group
{
    TLAB_INLINE thread_block() : thread_group(0, 0)
    {
    }
    friend TLAB_INLINE thread_block this_thread_block();

  public:
    static TLAB_INLINE void sync()
    {
        __syncthreads();
    }
    TLAB_GET(unsigned, size, tlab_threads())
    TLAB_GET(unsigned, num_threads, tlab_threads())
    TLAB_GET(unsigned, thread_rank, tlab_thread())
    TLAB_GET(dim3, group_index, dim3(blockIdx.x, blockIdx.y, blockIdx.z))
    TLAB_GET(dim3, thread_index, dim3(threadIdx.x, threadIdx.y, threadIdx.z))
    TLAB_GET(dim3, group_dim, dim3(blockDim.x, blockDim.y, blockDim.z))
    TLAB_GET(dim3, dim_threads, group_dim())
};
TLAB_MEMBER_GET(thread_block, this_thread_block, (), thread_block())

/* This class has no sync(), because a barrier of all blocks requires a cooperative launch. */
class grid_group
{
  public:
    TLAB_GET(bool, is_valid, false)
    TLAB_GET(unsigned long long, block_rank,
             ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x)
    TLAB_GET(unsigned long long, num_blocks, 1ull * gridDim.x * gridDim.y * gridDim.z)
    TLAB_GET(unsigned long long, thread_rank, block_rank() * tlab_threads() + tlab_thread())
    TLAB_GET(unsigned long long, num_threads, num_blocks() * tlab_threads())
    TLAB_GET(unsigned long long, size, num_threads())
    TLAB_GET(dim3, block_index, dim3(blockIdx.x, blockIdx.y, blockIdx.z))
    TLAB_GET(dim3, dim_blocks, dim3(gridDim.x, gridDim.y, gridDim.z))
    TLAB_GET(dim3, group_dim, dim_blocks())
};
static TLAB_MEMBER_GET(grid_group, this_grid, (), grid_group())

    /* `Size` neighbouring lanes of a warp; `Size` divides 32. */
    template <unsigned Size, class Parent = void>
    class thread_block_tile : public thread_group
{
    static_assert(Size != 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");
    TLAB_GET(unsigned, mask,
             Size == 32 ? 0xffffffffu : ((1u << Size % 32) - 1) << (tlab_lane() & ~(Size - 1)))

  public:
    TLAB_INLINE thread_block_tile() : thread_group(mask(), tlab_lane() & ~(Size - 1))
    {
    }
    template <class Other>
    TLAB_INLINE thread_block_tile(const thread_block_tile<Size, Other> &) : thread_block_tile()
    {
    }
    static TLAB_INLINE void sync()
    {
        __syncwarp(mask());
    }
    TLAB_GET(constexpr unsigned, size, Size)
    TLAB_GET(constexpr unsigned, num_threads, Size)
    TLAB_GET(unsigned, thread_rank, tlab_lane() & (Size - 1))
    TLAB_GET(unsigned, meta_group_rank, tlab_thread() / Size)
    TLAB_GET(unsigned, meta_group_size, (tlab_threads() + Size - 1) / Size)
    template <class T>
    TLAB_MEMBER_GET(T, shfl, (T value, int rank) const, __shfl_sync(mask(), value, rank, Size))
    template <class T>
    TLAB_MEMBER_GET(T, shfl_up, (T value, unsigned distance) const,
                    __shfl_up_sync(mask(), value, distance, Size))
    template <class T>
    TLAB_MEMBER_GET(T, shfl_down, (T value, unsigned distance) const,
                    __shfl_down_sync(mask(), value, distance, Size))
    template <class T>
    TLAB_MEMBER_GET(T, shfl_xor, (T value, unsigned bits) const,
                    __shfl_xor_sync(mask(), value, (int)bits, Size))
    TLAB_MEMBER_GET(int, any, (int predicate) const, __any_sync(mask(), predicate))
        TLAB_MEMBER_GET(int, all, (int predicate) const, __all_sync(mask(), predicate))
            TLAB_MEMBER_GET(unsigned, ballot, (int predicate) const,
                            (__ballot_sync(mask(), predicate) & mask()) >>
                                (tlab_lane() & ~(Size - 1)))
};

template <unsigned Size, class Parent>
static TLAB_INLINE thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}
TLAB_INLINE thread_group tiled_partition(const thread_group &, unsigned size)
{
    unsigned from = tlab_lane() & ~(size - 1);
    return thread_group(size == 32 ? 0xffffffffu : ((1u << size) - 1) << from, from);
}

class coalesced_group : public thread_group
{
    TLAB_INLINE coalesced_group() : thread_group(__activemask(), 0)
    {
    }
    friend TLAB_INLINE coalesced_group coalesced_threads();

  public:
    TLAB_MEMBER_GET(int, any, (int predicate) const, __any_sync(lanes, predicate))
    TLAB_MEMBER_GET(int, all, (int predicate) const, __all_sync(lanes, predicate))
};
TLAB_MEMBER_GET(coalesced_group, coalesced_threads, (), coalesced_group())

template <class Group> static TLAB_INLINE void sync(const Group &group)
{
    group.sync();
}
template <class Group>
static TLAB_MEMBER_GET(unsigned, thread_rank, (const Group &group),
                       group.thread_rank()) template <class Group>
static TLAB_MEMBER_GET(unsigned, group_size, (const Group &group), group.size())
} // namespace cooperative_groups
#endif
