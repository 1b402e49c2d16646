#include "slurm.h"
bool slurm_wait_for_earlier(const struct batch *batch, struct failure *failure)
{
    (void)batch;
    (void)failure;
    return true;
}
bool slurm_grade(struct batch *batch, const size_t *indices, size_t count, size_t *graded,
                 struct failure *failure)
{
    return batch_grade(batch, indices, count, batch->options->jobs, graded, failure);
}
