/* tlab_scope.h: the thread scopes of libcu++. */
#ifndef TLAB_CUDA_SCOPE_H
#define TLAB_CUDA_SCOPE_H
namespace cuda
{
enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread = 10
};
} // namespace cuda
#endif
