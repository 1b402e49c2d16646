/* tlab_std.h: a part of the C++ library, included between TLAB_STD_BEGIN and TLAB_STD_END. */
TLAB_STD_BEGIN
template <class T> struct remove_reference {
    typedef T type;
};
template <class T> struct remove_reference<T &> {
    typedef T type;
};
template <class T> struct remove_reference<T &&> {
    typedef T type;
};
template <class T> using remove_reference_t = typename remove_reference<T>::type;
#ifndef TLAB_STD_HAS_MOVE
template <class T>
TLAB_EVERYWHERE constexpr typename remove_reference<T>::type &&move(T &&value) noexcept
{
    return static_cast<typename remove_reference<T>::type &&>(value);
}
template <class T>
TLAB_EVERYWHERE constexpr T &&forward(typename remove_reference<T>::type &value) noexcept
{
    return static_cast<T &&>(value);
}
#endif
template <class T> TLAB_EVERYWHERE constexpr void swap(T &a, T &b)
{
    T old = static_cast<T &&>(a);
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(old);
}
template <class T>
TLAB_CONSTANT(const T &, min, (const T &a, const T &b), b < a ? b : a)
template <class T>
TLAB_CONSTANT(const T &, max, (const T &a, const T &b), a < b ? b : a)
template <class T, T Value>
struct integral_constant {
    static constexpr T value = Value;
    typedef T value_type;
    TLAB_CONSTANT(operator, T, () const, Value)
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <class A, class B> struct is_same : false_type {
};
template <class A> struct is_same<A, A> : true_type {
};
template <class A, class B> constexpr bool is_same_v = is_same<A, B>::value;
template <bool, class T = void> struct enable_if {
};
template <class T> struct enable_if<true, T> {
    typedef T type;
};
template <bool Wanted, class T = void> using enable_if_t = typename enable_if<Wanted, T>::type;
template <bool, class A, class B> struct conditional {
    typedef A type;
};
template <class A, class B> struct conditional<false, A, B> {
    typedef B type;
};
template <bool First, class A, class B>
using conditional_t = typename conditional<First, A, B>::type;

template <class T> struct numeric_limits;
/* clang-format off */
#define TLAB_LIMITS(type, least, most, smallest)                                                   \
    template <> struct numeric_limits<type> {                                                      \
        static constexpr bool is_specialized = true;                                               \
        static TLAB_CONSTANT(type, min, (), smallest)                                              \
        static TLAB_CONSTANT(type, max, (), most)                                                  \
        static TLAB_CONSTANT(type, lowest, (), least)                                              \
    };
/* clang-format on */
TLAB_LIMITS(int, -2147483647 - 1, 2147483647, -2147483647 - 1)
TLAB_LIMITS(unsigned, 0, 4294967295u, 0)
TLAB_LIMITS(long long, -9223372036854775807ll - 1, 9223372036854775807ll,
            -9223372036854775807ll - 1)
TLAB_LIMITS(unsigned long long, 0, 18446744073709551615ull, 0)
TLAB_LIMITS(float, -3.40282346638528859812e+38f, 3.40282346638528859812e+38f,
            1.17549435082228750797e-38f)
#undef TLAB_LIMITS
TLAB_STD_END
