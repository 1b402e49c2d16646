/* reduce.h: reductions over a tile, such as sums (CUDA C++ Programming Guide, "reduce"). */
#ifndef TLAB_COOPERATIVE_GROUPS_REDUCE_H
#define TLAB_COOPERATIVE_GROUPS_REDUCE_H
#include "../cooperative_groups.h"
namespace cooperative_groups
{
#define TLAB_OPERATION(name, expression)                                                           \
    template <class T> struct name {                                                               \
        TLAB_MEMBER_GET(T, operator(), (T a, T b) const, expression)                               \
    };
TLAB_OPERATION(plus, a + b)
TLAB_OPERATION(less, b < a ? b : a)
TLAB_OPERATION(greater, a < b ? b : a)
TLAB_OPERATION(bit_and, a &b)
TLAB_OPERATION(bit_or, a | b)
TLAB_OPERATION(bit_xor, a ^ b)
#undef TLAB_OPERATION
template <unsigned Size, class Parent, class T, class Operation>
static TLAB_INLINE T reduce(const thread_block_tile<Size, Parent> &tile, T value,
                            Operation operation)
{
    for (unsigned bits = Size / 2; bits != 0; bits /= 2)
        value = operation(value, tile.shfl_xor(value, bits));
    return value;
}
} // namespace cooperative_groups
#endif
