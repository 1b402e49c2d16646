/* run.c: the path of one run. The back ends are run_emulated.c and run_gpu.c. */
#include "run/run.h"

#include "record/record_emulated.h"
#include "run/run_emulated.h"
#include "run/run_gpu.h"

#include <stdlib.h>

struct run {
    struct source source;
    struct source_size size;
    struct run_gpu *gpu;
    struct failure failure;
};

static struct source_size requested_size(const struct source *source)
{
    const struct run_options *options = source->options;
    uint64_t normal =
        options->gpu && run_gpu_takes(source) ? RUN_DEFAULT_SIZE_GPU : RUN_DEFAULT_SIZE;
    uint64_t rows = options->size.rows, cols = options->size.cols;
    if (source->exercise.one_row && cols && !rows)
        rows = 1;
    if (source->exercise.square)
        rows = rows ? rows : cols, cols = cols ? cols : rows;
    return source_size_of(
        source, (struct source_size){.rows = rows ? rows : normal, .cols = cols ? cols : normal});
}

static void record_begin(const struct source *source, struct source_size size,
                         struct record *record)
{
    record_clear(record);
    source_record(source, record);
    record_set_count(record, COLUMN_rows, size.rows);
    record_set_count(record, COLUMN_cols, size.cols);
}

/* A back end may have set a status because the counters of a correct run are not reliable. */
static void record_end(const struct run *work, struct failure *failure, struct record *record)
{
    char repair[FAILURE_TEXT_SIZE];
    if (!work->source.options->report.repairs)
        failure_take_repair(failure, repair, sizeof repair);
    if (failure->kind == FAILURE_NONE && record->values[COLUMN_status].known)
        return;
    record_set_verdict(record, failure);
}

static void emulate(struct run *work, const struct device *device, struct run_result *result,
                    struct failure *failure)
{
    const struct run_options *options = work->source.options;
    struct record *record = &result->records[result->count++];
    record_begin(&work->source, work->size, record);
    record_emulated_device(record, device);
    record_set_count(record, COLUMN_repeats,
                     options->build.loop_in_kernel ? options->build.repeats : 1);
    if (failure->kind == FAILURE_NONE) {
        source_find_machine_code(&work->source, device);
        run_emulated(&work->source, device, work->size, record, failure);
    }
    record_end(work, failure, record);
}

static void finish_on_gpu(struct run *work, struct run_result *result, struct failure *failure)
{
    struct record *record = &result->records[result->count++];
    bool counted = true;
    record_begin(&work->source, work->size, record);
    run_gpu_record(work->source.options, work->gpu, record);
    if (failure->kind == FAILURE_NONE)
        run_gpu_finish(work->gpu, record, &counted, result->note, sizeof result->note, failure);
    record_end(work, failure, record);
    if (failure->kind == FAILURE_NONE && !counted)
        emulate(work, run_gpu_twin(work->gpu), result, failure);
}

struct run *run_prepare(const char *path, const struct run_options *options)
{
    struct run *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    bool loaded = source_load(&work->source, path, options, &work->failure);
    work->size = requested_size(&work->source);
    if (loaded && source_check_size(&work->source, work->size, &work->failure) && options->gpu)
        run_gpu_prepare(&work->source, work->size, &work->gpu, &work->failure);
    return work;
}

void run_start(struct run *work)
{
    if (work->gpu && work->failure.kind == FAILURE_NONE && run_gpu_takes(&work->source))
        run_gpu_start(work->gpu, &work->failure);
}

void run_abandon(struct run *work)
{
    if (!work)
        return;
    run_gpu_free(work->gpu);
    source_free(&work->source);
    free(work);
}

bool run_finish(struct run *work, struct run_result *result, struct failure *failure)
{
    const struct run_options *options = work->source.options;
    result->count = 0;
    result->note[0] = 0;
    *failure = work->failure;
    if (work->gpu && !run_gpu_takes(&work->source)) {
        snprintf(
            result->note, sizeof result->note,
            "the reference of this exercise is a function, so the exercise is emulated, on the "
            "device most similar to this GPU. To use the GPU, compile the file as a program: "
            "nvcc -Iinclude %s, then ./a.out or tlab profile -- ./a.out",
            work->source.path);
        emulate(work, run_gpu_twin(work->gpu), result, failure);
    } else if (options->gpu)
        finish_on_gpu(work, result, failure);
    else
        emulate(work, options->device, result, failure);
    if (failure->kind != FAILURE_HARNESS && options->watch.done)
        options->watch.done(options->watch.context, &work->source, &result->records[0], failure);
    run_abandon(work);
    return failure->kind != FAILURE_HARNESS;
}

bool run_source(const char *path, const struct run_options *options, struct run_result *result,
                struct failure *failure)
{
    struct run *work = run_prepare(path, options);
    if (!work)
        return failure_harness(failure, "not enough memory");
    run_start(work);
    return run_finish(work, result, failure);
}

struct run_result *run_source_new(const char *path, const struct run_options *options,
                                  struct failure *wrong, struct failure *failure)
{
    struct run_result *result = calloc(1, sizeof *result);
    if (!result)
        failure_harness(failure, "not enough memory");
    else if (run_source(path, options, result, wrong))
        return result;
    else
        failure_harness(failure, "%s: %s", path, wrong->text);
    free(result);
    return NULL;
}
