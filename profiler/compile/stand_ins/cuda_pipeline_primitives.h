/* cuda_pipeline_primitives.h: see CUDA C++ Programming Guide, "Pipeline Primitives Interface". */
#ifndef TLAB_CUDA_PIPELINE_PRIMITIVES_H
#define TLAB_CUDA_PIPELINE_PRIMITIVES_H
#include "tlab_device.h"
static TLAB_INLINE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                                size_t zfill = 0)
{
    tlab_copy_async(to, from, bytes, zfill);
}
static TLAB_INLINE void __pipeline_commit()
{
    tlab_copy_commit();
}
static TLAB_INLINE void __pipeline_wait_prior(size_t pending)
{
    tlab_copy_wait((unsigned)pending);
}
#endif
