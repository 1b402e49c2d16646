/* prototypes.cc: compare the parameters and results of our functions with NVIDIA's headers. The
 * include path begins with the directory of generated files: structures.inc (our structures, by
 * their sizes), prototypes.inc (our functions) and pairs.inc (SAME(ours, theirs) for each common
 * function). The comparison covers how values are passed: the number of parameters, their sizes,
 * and which parameters are structures. */
#define __CUDA_API_VERSION_INTERNAL /* also CUDA's older versions, under their own names */
#include <cuda_runtime_api.h>

#include <cuda.h>
#include <cudaProfiler.h>
#include <cuda_profiler_api.h>

#include <type_traits>

namespace ours
{
#include "structures.inc"
#include "prototypes.inc"
} // namespace ours

template <typename T> struct passed {
    static const long value = sizeof(T) * 4 + std::is_class<T>::value * 2 + std::is_floating_point<T>::value;
};
template <> struct passed<void> {
    static const long value = 0;
};

template <typename F, typename G> struct alike {
    static const bool value = false;
};
template <typename R, typename S> struct alike<R(), S()> {
    static const bool value = passed<R>::value == passed<S>::value;
};
template <typename R, typename A, typename... As, typename S, typename B, typename... Bs>
struct alike<R(A, As...), S(B, Bs...)> {
    static const bool value = passed<A>::value == passed<B>::value && alike<R(As...), S(Bs...)>::value;
};

#define SAME(our, their) static_assert(alike<decltype(our), decltype(their)>::value, #our " differs from " #their);
#include "pairs.inc"
