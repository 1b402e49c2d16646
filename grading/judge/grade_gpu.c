/* grade_gpu.c: what was judged, on a GPU; see grade_work.h and hardware.h. */
#include "judge/grade_work.h"

#include "judge/grade.h"
#include "judge/hardware.h"
#include "judge/judge.h"

#include <stdlib.h>

/* A file that was judged, on the GPU, which is open; its lab tells. */
static bool run_on_gpu(struct grade_work *work, const struct grade_entry *entry,
                       const struct cage_compiled *compiled, const struct hardware_shapes *shapes,
                       struct hardware_result *result, struct failure *failure)
{
    struct hardware_device *gpu = work->options->gpu;
    char evidence[900];
    if (!hardware_measure(gpu, entry->rubric, compiled, shapes, result, failure))
        return false;
    if (*result->trouble) {
        grade_flag(work, "not_measured", "%s: it could not be run on %s: %.700s", entry->file->name,
                   gpu->facts.name, result->trouble);
        return true;
    }
    hardware_report(gpu, result, entry->lab);
    if (hardware_disagrees(gpu, result, entry->lab, evidence, sizeof evidence))
        grade_flag(work, "hardware_differs", "%s: %s", entry->file->name, evidence);
    return judge_gpu(entry->rubric, &result->record, entry->lab) ||
           failure_harness(failure, "not enough memory");
}

/* Shapes are asked for before, while others may have the GPU. */
bool grade_run_on_gpu(struct grade_work *work, const struct cage_compiled *compiled,
                      struct failure *failure)
{
    struct hardware_device *gpu = work->options->gpu;
    struct hardware_shapes *shapes = calloc(work->entry_count, sizeof *shapes);
    struct hardware_result *result = calloc(1, sizeof *result);
    bool good = (shapes && result) || failure_harness(failure, "not enough memory"), any = false;
    for (size_t i = 0; i < work->entry_count && good; i++) {
        const struct grade_entry *entry = &work->entries[i];
        const struct measure_job job = grade_job(work, entry, &compiled[i]);
        if (!hardware_wants(entry->lab))
            continue;
        any = true;
        good = hardware_ask(&job, entry->rubric, &shapes[i], failure);
    }
    if (good && any && (good = gpu->open(gpu, failure))) {
        for (size_t i = 0; i < work->entry_count && good; i++)
            if (hardware_wants(work->entries[i].lab))
                good =
                    run_on_gpu(work, &work->entries[i], &compiled[i], &shapes[i], result, failure);
        gpu->close(gpu);
    }
    free(shapes);
    free(result);
    return good;
}
