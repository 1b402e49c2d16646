/* tlab_more.h: further parts of libcu++, such as arrays, views of memory and function objects. */
#ifndef TLAB_CUDA_STD_MORE
#define TLAB_CUDA_STD_MORE
#include "../../limits.h"
#include "cstdint"
#include "utility"
namespace cuda
{
namespace std
{

template <class T, size_t N> struct array {
    T elements[N ? N : 1];
    typedef T value_type;
    TLAB_CONSTANT(T &, operator[], (size_t i), elements[i])
    TLAB_CONSTANT(const T &, operator[], (size_t i) const, elements[i])
    TLAB_CONSTANT(T *, data, (), elements)
    TLAB_CONSTANT(const T *, data, () const, elements)
    TLAB_CONSTANT(T *, begin, (), elements)
    TLAB_CONSTANT(const T *, begin, () const, elements)
    TLAB_CONSTANT(T *, end, (), elements + N)
    TLAB_CONSTANT(const T *, end, () const, elements + N)
    TLAB_CONSTANT(T &, front, (), elements[0])
    TLAB_CONSTANT(T &, back, (), elements[N - 1])
    TLAB_EVERYWHERE constexpr void fill(const T &value)
    {
        for (size_t i = 0; i < N; i++)
            elements[i] = value;
    }
    static TLAB_CONSTANT(size_t, size, (), N) static TLAB_CONSTANT(bool, empty, (), !N)
};

constexpr size_t dynamic_extent = ~(size_t)0;
template <class T, size_t Extent = dynamic_extent> class span
{
    T *first;
    size_t count;

  public:
    TLAB_EVERYWHERE constexpr span(T *pointer, size_t elements) : first(pointer), count(elements)
    {
    }
    template <size_t N> TLAB_EVERYWHERE constexpr span(T (&all)[N]) : first(all), count(N)
    {
    }
    TLAB_CONSTANT(T &, operator[], (size_t i) const, first[i])
    TLAB_CONSTANT(T *, data, () const, first)
    TLAB_CONSTANT(T *, begin, () const, first)
    TLAB_CONSTANT(T *, end, () const, first + count)
    TLAB_CONSTANT(size_t, size, () const, count)
    TLAB_CONSTANT(bool, empty, () const, !count)
    TLAB_CONSTANT(span<T>, subspan, (size_t at, size_t elements) const,
                  span<T>(first + at, elements))
};

template <class Index, size_t... Extents> struct extents {
    static constexpr size_t rank()
    {
        return sizeof...(Extents);
    }
    typedef Index index_type;
};
template <class Index, size_t Rank, size_t... Extents>
struct tlab_dextents : tlab_dextents<Index, Rank - 1, dynamic_extent, Extents...> {
};
template <class Index, size_t... Extents> struct tlab_dextents<Index, 0, Extents...> {
    typedef extents<Index, Extents...> type;
};
template <class Index, size_t Rank> using dextents = typename tlab_dextents<Index, Rank>::type;

/* A row-major view (layout_right), constructed from all extents or from the dynamic extents. */
template <class T, class Extents> class mdspan;
template <class T, class Index, size_t... Extents> class mdspan<T, extents<Index, Extents...>>
{
    T *first;
    Index sides[sizeof...(Extents)];

  public:
    template <class... Sides>
    TLAB_EVERYWHERE constexpr mdspan(T *pointer, Sides... given) : first(pointer), sides()
    {
        const Index all[] = {(Index)given..., 0};
        const size_t fixed[] = {Extents...};
        const bool each = sizeof...(Sides) == sizeof...(Extents);
        for (size_t i = 0, k = 0; i < sizeof...(Extents); i++)
            sides[i] = each ? all[i] : fixed[i] == dynamic_extent ? all[k++] : (Index)fixed[i];
    }
    template <class... Indices> TLAB_EVERYWHERE constexpr T &operator()(Indices... indices) const
    {
        const size_t at[] = {(size_t)indices...};
        size_t offset = 0;
        for (size_t i = 0; i < sizeof...(Extents); i++)
            offset = offset * (size_t)sides[i] + at[i];
        return first[offset];
    }
    TLAB_CONSTANT(Index, extent, (size_t i) const, sides[i])
    TLAB_CONSTANT(T *, data_handle, () const, first)
};

template <class... Types> struct tuple {
};
template <class First, class... Rest> struct tuple<First, Rest...> {
    First first;
    tuple<Rest...> rest;
    tuple() = default;
    TLAB_EVERYWHERE constexpr tuple(First value, Rest... values) : first(value), rest(values...)
    {
    }
};
template <size_t N, class First, class... Rest>
TLAB_EVERYWHERE constexpr auto &get(tuple<First, Rest...> &all)
{
    if constexpr (N == 0)
        return all.first;
    else
        return get<N - 1>(all.rest);
}
template <size_t N, class First, class... Rest>
TLAB_EVERYWHERE constexpr const auto &get(const tuple<First, Rest...> &all)
{
    if constexpr (N == 0)
        return all.first;
    else
        return get<N - 1>(all.rest);
}
template <class... Types> TLAB_EVERYWHERE constexpr tuple<Types...> make_tuple(Types... values)
{
    return tuple<Types...>(values...);
}

template <class T> TLAB_EVERYWHERE constexpr int popcount(T x)
{
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}
template <class T>
TLAB_CONSTANT(bool, has_single_bit, (T x), x && !(x & (x - 1)))
template <class T>
TLAB_EVERYWHERE constexpr int bit_width(T x)
{
    int n = 0;
    for (; x; x >>= 1)
        n++;
    return n;
}
template <class T>
TLAB_CONSTANT(int, countl_zero, (T x), (int)(8 * sizeof x) - bit_width(x))
template <class T>
TLAB_CONSTANT(int, countr_zero, (T x), x ? popcount((T)((x & (~x + 1)) - 1)) : (int)(8 * sizeof x))
template <class To, class From>
TLAB_CONSTANT(To, bit_cast, (const From &from), __builtin_bit_cast(To, from))
template <class Iterator, class T>
TLAB_EVERYWHERE constexpr T accumulate(Iterator at, Iterator end, T sum)
{
    for (; at != end; ++at)
        sum = sum + *at;
    return sum;
}
#define TLAB_FUNCTION(name, expression)                                                            \
    template <class T = void> struct name {                                                        \
        TLAB_CONSTANT(auto, operator(), (const T &a, const T &b) const, expression)                \
    };                                                                                             \
    template <> struct name<void> {                                                                \
        template <class A, class B>                                                                \
        TLAB_CONSTANT(auto, operator(), (const A &a, const B &b) const, expression)                \
    };
TLAB_FUNCTION(plus, a + b)
TLAB_FUNCTION(minus, a - b)
TLAB_FUNCTION(multiplies, a *b)
TLAB_FUNCTION(divides, a / b)
TLAB_FUNCTION(modulus, a % b)
TLAB_FUNCTION(bit_and, a &b)
TLAB_FUNCTION(bit_or, a | b)
TLAB_FUNCTION(bit_xor, a ^ b)
TLAB_FUNCTION(less, a < b)
TLAB_FUNCTION(greater, a > b)
TLAB_FUNCTION(equal_to, a == b)
#define TLAB_MATH(name)                                                                            \
    TLAB_MEMBER_GET(float, name, (float x), ::name##f(x))                                          \
    TLAB_MEMBER_GET(double, name, (double x), ::name(x))
TLAB_MATH(sqrt)
TLAB_MATH(floor)
TLAB_MATH(ceil)
TLAB_MATH(fabs)
#undef TLAB_MATH
} // namespace std

template <class T, class U>
TLAB_CONSTANT(T, ceil_div, (T a, U b), (T)(a / b + (a % b != 0)))
template <class T, class U>
TLAB_CONSTANT(T, round_up, (T a, U b), (T)(ceil_div(a, b) * b))
namespace tlab_functions
{
    TLAB_FUNCTION(maximum, a < b ? b : a)
    TLAB_FUNCTION(minimum, b < a ? b : a)
}
using tlab_functions::maximum;
using tlab_functions::minimum;
#undef TLAB_FUNCTION
} // namespace cuda
#endif
