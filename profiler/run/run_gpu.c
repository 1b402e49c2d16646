/* run_gpu.c: run a source on the GPU. The emulator checks the launch configuration against the
 * limits that the driver reports, so both back ends print the same messages. NVRTC or nvcc
 * generates machine code; if neither supports this GPU, the driver compiles the PTX. The GPU does
 * not report the place of a fault, so the emulator runs the same size to find the place. */
#include "run/run_gpu.h"

#include "base/paths.h"
#include "emulator/emulator.h"
#include "hardware/gpu/gpu_runner.h"
#include "run/options.h"
#include "run/run_emulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run_gpu {
    const struct source *source;
    struct device twin;
    struct compile_result compiled; /* Owns the cubin, which may be missing. */
    const void *image;
    size_t image_bytes;
    char description[2 * sizeof((struct compile_result *)0)->description];
    struct gpu_job job;
    struct gpu_result result;
};

/* Returns 0 for equal names, UINT64_MAX for different compute capabilities, and otherwise 1 plus
 * the difference of the L2 sizes in bytes. */
static uint64_t difference(const struct device *device, const struct gpu_facts *facts)
{
    if (!strcmp(device->title, facts->name))
        return 0;
    if (device->compute_capability != facts->compute_capability)
        return UINT64_MAX;
    return 1 + (device->l2_bytes > facts->l2_bytes ? device->l2_bytes - facts->l2_bytes
                                                   : facts->l2_bytes - device->l2_bytes);
}

static bool twin_find(const struct gpu_facts *facts, struct device *twin, struct failure *failure)
{
    char directory[PATH_SIZE];
    unsigned count;
    char **names = paths_in_root("profiler/devices", directory, failure)
                       ? device_list(directory, &count, failure)
                       : NULL;
    if (!names)
        return false;
    bool good = true;
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < count && good; i++) {
        struct device device;
        good = device_find(directory, names[i], &device, failure);
        if (!good || difference(&device, facts) >= least)
            continue;
        least = difference(&device, facts);
        *twin = device;
    }
    free(names);
    return good &&
           (least < UINT64_MAX || device_find(directory, OPTIONS_DEFAULT_DEVICE, twin, failure));
}

/* Old drivers report some limits as 0. */
static void twin_take_limits(const struct gpu_facts *facts, struct device *twin)
{
    snprintf(twin->title, sizeof twin->title, "%s", facts->name);
#define X(field, attribute)                                                                        \
    if (facts->field)                                                                              \
        twin->field = facts->field;
    GPU_LIMITS(X)
#undef X
}

static bool job_add_size(struct gpu_job *job, struct source_asker *asker,
                         const struct source *source, struct source_size size,
                         struct failure *failure)
{
    struct source_shape shape;
    struct failure local = {0};
    struct emulator_launch check = {
        .program = &asker->program,
        .function = program_find_entry(&asker->program, source_kernel(source)),
        .device = asker->device,
    };
    if (!source_ask(asker, size, &shape, &local))
        return source_fail_at_size(size, &local, failure);
    check.grid = shape.grid;
    check.block = shape.block;
    check.dynamic_shared = shape.dynamic_shared;
    if (!emulator_check_launch(&check, &local))
        return source_fail_at_size(size, &local, failure);
    job->launches[job->launch_count++] = (struct gpu_launch){
        .rows = size.rows,
        .cols = size.cols,
        .grid = {shape.grid.x, shape.grid.y, shape.grid.z},
        .block = {shape.block.x, shape.block.y, shape.block.z},
        .dynamic_shared = shape.dynamic_shared,
    };
    return true;
}

static bool job_make(struct gpu_job *job, const struct source *source, const struct device *twin,
                     struct source_size size, struct failure *failure)
{
    const struct run_options *options = source->options;
    struct source_size sizes[SOURCE_SMALL_SIZES_MAX];
    struct source_asker asker;
    *job = (struct gpu_job){
        .reference = source->exercise.reference,
        .tile = source->tile,
        .seed = options->size.seed,
        .inner_repeats = options->build.loop_in_kernel ? options->build.repeats : 0,
        .samples = options->timing.samples,
        .warm = options->timing.warm,
        .threads = (unsigned)options->workers,
    };
    snprintf(job->kernel, sizeof job->kernel, "%s", source_kernel(source));
    bool good = source_asker_open(&asker, source, twin, failure);
    unsigned count = source_small_sizes(source, sizes);
    for (unsigned i = 0; i < count && good; i++)
        good = job_add_size(job, &asker, source, sizes[i], failure);
    good = good && job_add_size(job, &asker, source, size, failure);
    source_asker_close(&asker);
    return good;
}

static bool image_make(struct run_gpu *work, const struct gpu_facts *facts, struct failure *failure)
{
    struct failure local = {0};
    const struct compile_result *ptx = &work->source->compiled, *cubin = &work->compiled;
    if (source_compile_cubin(work->source, facts->compute_capability, &work->compiled, &local)) {
        work->image = cubin->cubin;
        work->image_bytes = cubin->cubin_bytes;
        snprintf(work->description, sizeof work->description, "%s", cubin->description);
        return true;
    }
    if (local.kind == FAILURE_STUDENT)
        return failure_pass(failure, &local);
    work->image = ptx->ptx;
    work->image_bytes = ptx->ptx_bytes + 1;
    snprintf(work->description, sizeof work->description, "%s, driver %u.%u", ptx->description,
             facts->driver_version / 1000, facts->driver_version % 1000 / 10);
    return true;
}

void run_gpu_record_result(const struct gpu_launch *launch, const struct gpu_result *result,
                           struct record *record)
{
    record_set_shape(record, launch->grid, launch->block);
    record_set_count(record, COLUMN_shared_bytes, result->shared_bytes);
    record_merge(record, &result->record);
}

static bool result_judge(const struct source *source, const struct device *twin,
                         const struct gpu_job *job, const struct gpu_result *result,
                         struct failure *failure)
{
    const struct gpu_launch *launch = &job->launches[result->launch];
    struct source_size size = {launch->rows, launch->cols};
    struct failure wrong = result->failure, emulated = {0}, local = {0};
    if (wrong.kind == FAILURE_NONE)
        return true;
    if (wrong.kind == FAILURE_STUDENT && result->in_kernel) {
        run_emulated_once(source, twin, size, &emulated);
        if (emulated.kind == FAILURE_STUDENT)
            failure_append(&wrong, &emulated.findings, "The emulator reports: %s", emulated.text);
        return source_fail_at_size(size, &wrong, failure);
    }
    source_fail_verification(source, &wrong, result->never_written, &local);
    return source_fail_at_size(size, &local, failure);
}

bool run_gpu_takes(const struct source *source)
{
    return source->exercise.function < 0;
}

bool run_gpu_prepare(const struct source *source, struct source_size size, struct run_gpu **out,
                     struct failure *failure)
{
    const struct gpu_facts *facts = gpu_describe(source->options->gpu);
    struct run_gpu *work = *out = calloc(1, sizeof *work);
    if (!work)
        return failure_harness(failure, "not enough memory");
    work->source = source;
    if (!twin_find(facts, &work->twin, failure))
        return false;
    twin_take_limits(facts, &work->twin);
    if (!run_gpu_takes(source))
        return true;
    if (!image_make(work, facts, failure) ||
        !job_make(&work->job, source, &work->twin, size, failure))
        return false;
    work->job.image_bytes = work->image_bytes;
    return true;
}

bool run_gpu_start(struct run_gpu *work, struct failure *failure)
{
    return gpu_start(work->source->options->gpu, &work->job, work->image, failure);
}

bool run_gpu_finish(struct run_gpu *work, struct record *record, bool *counted, char *note,
                    size_t note_size, struct failure *failure)
{
    const struct gpu_result *result = &work->result;
    gpu_finish(work->source->options->gpu, &work->result);
    *counted = result->counted;
    if (*result->no_counters)
        snprintf(note, note_size,
                 "%s\nThe rows of the GPU have times; the rows of the emulator have counters.",
                 result->no_counters);
    if (!result_judge(work->source, &work->twin, &work->job, result, failure))
        return false;
    run_gpu_record_result(&work->job.launches[work->job.launch_count - 1], result, record);
    return true;
}

void run_gpu_record(const struct run_options *options, const struct run_gpu *work,
                    struct record *record)
{
    record_set_text(record, COLUMN_device, "gpu");
    record_set_text(record, COLUMN_chip, "%s", gpu_describe(options->gpu)->name);
    record_set_text(record, COLUMN_cache, options->timing.warm ? "warm" : "cold");
    record_set_text(record, COLUMN_source, "cupti");
    if (work && *work->description)
        record_set_text(record, COLUMN_compiler, "%s", work->description);
    if (work && work->job.image_bytes) {
        const struct gpu_launch *last = &work->job.launches[work->job.launch_count - 1];
        record_set_shape(record, last->grid, last->block);
    }
}

const struct device *run_gpu_twin(const struct run_gpu *work)
{
    return &work->twin;
}

void run_gpu_free(struct run_gpu *work)
{
    if (work)
        compile_result_free(&work->compiled);
    free(work);
}
