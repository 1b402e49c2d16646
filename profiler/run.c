/* run.c: the path of one source, top to bottom; the back ends are run_emulated.c and run_gpu.c. */
#include "run.h"

#include "record_emulated.h"
#include "run_emulated.h"
#include "run_gpu.h"

static struct source_size wanted_size(const struct run_options *options)
{
    uint64_t normal = options->gpu ? RUN_DEFAULT_SIZE_GPU : RUN_DEFAULT_SIZE;
    return (struct source_size){.rows = options->rows ? options->rows : normal,
                                .cols = options->cols ? options->cols : normal};
}

/* What is known before anything runs. */
static void record_begin(const struct source *source, struct source_size size,
                         struct record *record)
{
    record_clear(record);
    source_record(source, record);
    record_set_count(record, COLUMN_rows, size.rows);
    record_set_count(record, COLUMN_cols, size.cols);
}

/* The verdict; a back end that does not trust its counters has given one already. */
static void record_end(const struct failure *failure, struct record *record)
{
    if (failure->kind == FAILURE_NONE && record->values[COLUMN_status].known)
        return;
    record_set_text(record, COLUMN_status, "%s", status_name(failure->status));
    record_set_text(record, COLUMN_reason, "%s", failure->text);
}

static void run_on_emulator(const struct source *source, const struct device *device,
                            struct source_size size, bool loaded, struct run_result *result,
                            struct failure *failure)
{
    const struct run_options *options = source->options;
    struct record *record = &result->records[result->count++];
    record_begin(source, size, record);
    record_emulated_device(record, device);
    record_set_count(record, COLUMN_repeats, options->loop_in_kernel ? options->repeats : 1);
    if (loaded)
        run_emulated(source, device, size, record, failure);
    record_end(failure, record);
}

/* Where the counters of the GPU cannot be read, the emulator's follow in a second record. */
static void run_on_gpu(const struct source *source, struct source_size size, bool loaded,
                       struct run_result *result, struct failure *failure)
{
    struct record *record = &result->records[result->count++];
    struct device twin;
    bool counted = true;
    record_begin(source, size, record);
    run_gpu_record_device(source->options, record);
    if (loaded)
        run_gpu(source, size, &twin, record, &counted, result->note, sizeof result->note, failure);
    record_end(failure, record);
    if (failure->kind == FAILURE_NONE && !counted)
        run_on_emulator(source, &twin, size, true, result, failure);
}

bool run_source(const char *path, const struct run_options *options, struct run_result *result,
                struct failure *failure)
{
    struct source source;
    struct source_size size = wanted_size(options);
    result->count = 0;
    result->note[0] = 0;
    bool loaded =
        source_load(&source, path, options, failure) && source_check_size(&source, size, failure);
    if (options->gpu)
        run_on_gpu(&source, size, loaded, result, failure);
    else
        run_on_emulator(&source, options->device, size, loaded, result, failure);
    source_free(&source);
    return failure->kind != FAILURE_HARNESS;
}
