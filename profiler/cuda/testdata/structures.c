/* structures.c: compare our structures with the structures of NVIDIA's headers. */
#include <cuda_runtime_api.h>

#include <cuda.h>

#include "cuda/abi.h"

#define X(name, theirs, bytes) _Static_assert(sizeof(struct name) == sizeof(theirs), #name);
ABI_STRUCTURES(X)
#if CUDART_VERSION >= 13000
ABI_STRUCTURES_13(X)
_Static_assert(sizeof(struct cudaDeviceProp) == 1008, "properties");
#else
ABI_STRUCTURES_12(X)
_Static_assert(sizeof(struct cudaDeviceProp) == 1032, "properties");
#endif
#undef X
#define X(name, member, theirs, their_member, at)                                                  \
    _Static_assert(offsetof(struct name, member) == offsetof(theirs, their_member),                \
                   #name "." #member);
ABI_MEMBERS(X)
