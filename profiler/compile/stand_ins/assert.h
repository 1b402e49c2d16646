/* assert.h: a program may include this header again after a change of NDEBUG. */
#undef assert
#ifdef NDEBUG
#define assert(expression) ((void)0)
#elif defined(__CUDA_ARCH__)
#ifdef __CUDACC_RTC__
extern "C" __device__ void __assertfail(const char *message, const char *file, unsigned int line,
                                        const char *function, size_t char_size);
#endif
#define assert(expression)                                                                         \
    ((expression)                                                                                  \
         ? (void)0                                                                                 \
         : __assertfail(#expression, __FILE__, __LINE__, __PRETTY_FUNCTION__, sizeof(char)))
#else
#define assert(expression) ((void)(expression))
#endif
