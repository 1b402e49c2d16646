#define _GNU_SOURCE
#include "judge/hardware.h"

#include "base/whole_file.h"
#include "compile/compile_backend.h"
#include "emulator/emulator.h"
#include "process/allocate.h"
#include "process/frame.h"
#include "process/parallel.h"
#include "record/record_history.h"
#include "run/run_gpu.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool real_open(struct hardware_device *device, struct failure *failure)
{
    const struct gpu_options options = {.ordinal = 0};
    device->lock = history_lock("gpu.lock", -1);
    if (device->lock < 0)
        return failure_harness(
            failure,
            "cannot lock the GPU with a file in $XDG_STATE_HOME/transpose-lab or "
            "~/.local/state/transpose-lab: %s",
            strerror(errno));
    if (gpu_open(&options, &device->gpu, failure))
        return true;
    file_unlock(device->lock);
    return false;
}

static bool real_run(struct hardware_device *device, const struct gpu_job *job, const void *image,
                     struct gpu_result *result, struct failure *failure)
{
    if (!gpu_start(device->gpu, job, image, failure))
        return false;
    gpu_finish(device->gpu, result);
    return true;
}

static void real_close(struct hardware_device *device)
{
    gpu_close(device->gpu);
    device->gpu = NULL;
    file_unlock(device->lock);
}

bool hardware_find(struct hardware_device *device, struct failure *failure)
{
    struct failure why = {0};
    *device = (struct hardware_device){.open = real_open, .run = real_run, .close = real_close};
    if (!device->open(device, &why))
        return failure_harness(
            failure, "--device gpu: %s; without this option, labs are graded on the emulator",
            why.text);
    device->facts = *gpu_describe(device->gpu);
    device->close(device);
    return true;
}

/* Returns the size with this index in the rubric; index size_count selects the timed size. */
static struct source_size size_at(const struct rubric *rubric, unsigned index)
{
    if (index < rubric->size_count)
        return (struct source_size){rubric->sizes[index].rows, rubric->sizes[index].cols};
    if (rubric->exercise.whole_tiles && HARDWARE_SIDE % rubric->exercise.tile)
        return (struct source_size){rubric->runs[0].rows, rubric->runs[0].cols};
    return (struct source_size){HARDWARE_SIDE, HARDWARE_SIDE};
}

struct question {
    const struct measure_job *job;
    const struct rubric *rubric;
};

static bool ask_sandboxed(int output, void *context)
{
    const struct question *question = context;
    const struct compile_result *compiled = question->job->compiled;
    const struct run_options options = {.workers = 1};
    struct source source = {.path = question->job->path, .options = &options};
    struct hardware_shapes shapes = {0};
    struct naming naming = {.path = question->job->path};
    struct source_asker asker;
    struct failure failure = {0};
    char name[64];
    /* Memory is not freed, because this process ends after the work. */
    if (!source_parse(&source, compiled->ptx, compiled->ptx_bytes, name, sizeof name, &failure) ||
        !source_pose(&source, &question->rubric->exercise, &naming, false, &failure) ||
        !source_asker_open(&asker, &source, &question->rubric->runs[0].device, &failure))
        return false;
    for (unsigned i = 0; i <= question->rubric->size_count; i++) {
        struct failure unanswered = {0};
        shapes.shapes[i].known =
            source_ask(&asker, size_at(question->rubric, i), &shapes.shapes[i].shape, &unanswered);
    }
    struct frame frame = {0};
    frame_put_bytes(&frame, &shapes, sizeof shapes);
    return frame_send(&frame, output);
}

bool hardware_ask(const struct measure_job *job, const struct rubric *rubric,
                  struct hardware_shapes *shapes, struct failure *failure)
{
    static const struct sandbox_limits limits = {.seconds = 10, .memory_bytes = 256ull << 20};
    struct question question = {job, rubric};
    struct failure wrong = {0};
    bool requested =
        sandbox_interpret(ask_sandboxed, &question, &limits, NULL, shapes, sizeof *shapes, &wrong);
    if (wrong.kind == FAILURE_HARNESS)
        return failure_harness(failure, "%s: %s", job->path, wrong.text);
    if (!requested)
        *shapes = (struct hardware_shapes){0};
    return true;
}

struct work {
    struct hardware_device *device;
    const struct rubric *rubric;
    const struct sandbox_compiled *compiled;
    const struct hardware_shapes *shapes;
    struct hardware_result *result;
    struct gpu_result *answer;
    bool lost; /* the kernel failed in a way that makes further runs useless */
};

static void job_make(const struct work *work, unsigned index, struct gpu_job *job)
{
    const struct rubric *rubric = work->rubric;
    const struct source_size size = size_at(rubric, index);
    bool timed = index == rubric->size_count;
    *job = (struct gpu_job){
        .image_bytes = work->compiled->result.cubin_bytes,
        .kernel = "transpose",
        .constant = "lab_name",
        .reference = rubric->exercise.reference,
        .tile = rubric->exercise.tile,
        .seed = timed ? rubric->runs[0].seed : rubric->sizes[index].seed,
        .launch_count = 1,
        .samples = timed ? RUN_DEFAULT_SAMPLES : 0,
        .threads = timed ? parallel_processors() : 1,
    };
    struct gpu_launch *launch = &job->launches[0];
    launch->rows = size.rows;
    launch->cols = size.cols;
    const struct source_shape *shape = &work->shapes->shapes[index].shape;
    launch->dynamic_shared = shape->dynamic_shared;
    memcpy(launch->grid, &shape->grid, sizeof launch->grid);
    memcpy(launch->block, &shape->block, sizeof launch->block);
}

/* Run at one size. `wrong` receives a student failure. Returns false for a harness failure. */
static bool run_one(struct work *work, unsigned index, struct failure *wrong,
                    struct failure *failure)
{
    struct gpu_job job;
    if (work->lost)
        return !failure_student(wrong, STATUS_LAUNCH_ERROR,
                                "not run, because the kernel failed at an earlier size");
    if (!work->shapes->shapes[index].known)
        return !failure_student(wrong, STATUS_LAUNCH_ERROR,
                                "LAB_LAUNCH returns no launch configuration");
    job_make(work, index, &job);
    if (!work->device->run(work->device, &job, work->compiled->result.cubin, work->answer, failure))
        return false;
    const struct failure *said = &work->answer->failure;
    if (said->kind == FAILURE_HARNESS) {
        snprintf(work->result->trouble, sizeof work->result->trouble, "%s", said->text);
        failure_student(wrong, STATUS_LAUNCH_ERROR, "not run: %.400s", said->text);
    } else if (said->kind == FAILURE_STUDENT)
        failure_pass(wrong, said);
    work->lost |= said->kind == FAILURE_HARNESS || work->answer->context_lost ||
                  (said->kind == FAILURE_STUDENT && said->status == STATUS_UNTRUSTED);
    return true;
}

static bool run_sizes(struct work *work, bool *correct, struct failure *failure)
{
    *correct = true;
    for (unsigned i = 0; i < work->rubric->size_count; i++) {
        struct failure wrong = {0};
        if (!run_one(work, i, &wrong, failure))
            return false;
        measured_size_set(&work->result->sizes[i], &wrong);
        *correct &= wrong.kind == FAILURE_NONE;
    }
    return true;
}

static bool run_timed(struct work *work, bool correct, struct failure *failure)
{
    const unsigned index = work->rubric->size_count;
    const struct source_size size = size_at(work->rubric, index);
    const struct compile_result *compiled = &work->compiled->result;
    struct record *record = &work->result->record;
    struct failure wrong = {0};
    struct gpu_job job;
    job_make(work, index, &job);
    record_set_count(record, COLUMN_rows, size.rows);
    record_set_count(record, COLUMN_cols, size.cols);
    record_set_text(record, COLUMN_device, "gpu");
    record_set_text(record, COLUMN_chip, "%s", work->device->facts.name);
    record_set_text(record, COLUMN_compiler, "%s, sm_%u cubin:%016" PRIx64, compiled->description,
                    work->device->facts.compute_capability,
                    cubin_hash(compiled->cubin, compiled->cubin_bytes));
    if (!correct)
        failure_student(&wrong, STATUS_WRONG_RESULT,
                        "not timed, because the result is not correct at every size");
    else if (!run_one(work, index, &wrong, failure))
        return false;
    else if (wrong.kind == FAILURE_NONE && !work->lost)
        run_gpu_record_result(&job.launches[0], work->answer, record);
    if (record->values[COLUMN_status].known)
        return true;
    record_set_verdict(record, &wrong);
    return true;
}

static bool code_is_good(const struct sandbox_compiled *compiled, struct failure *failure)
{
    if (!compiled->result.cubin)
        return compiled->no_cubin.kind == FAILURE_STUDENT
                   ? failure_student(failure, compiled->no_cubin.status, "%s",
                                     compiled->no_cubin.text)
                   : failure_harness(failure, "there is no machine code: %s",
                                     compiled->no_cubin.text);
    return sandbox_cubin_check(compiled->result.cubin, compiled->result.cubin_bytes, failure);
}

bool hardware_measure(struct hardware_device *device, const struct rubric *rubric,
                      const struct sandbox_compiled *compiled, const struct hardware_shapes *shapes,
                      struct hardware_result *result, struct failure *failure)
{
    struct work work = {.device = device,
                        .rubric = rubric,
                        .compiled = compiled,
                        .shapes = shapes,
                        .result = result};
    struct failure wrong = {0};
    bool correct;
    memset(result, 0, sizeof *result);
    record_clear(&result->record);
    if (!code_is_good(compiled, &wrong) && wrong.kind == FAILURE_HARNESS) {
        snprintf(result->trouble, sizeof result->trouble, "%s", wrong.text);
        return true;
    }
    if (wrong.kind == FAILURE_STUDENT) {
        for (unsigned i = 0; i < rubric->size_count; i++)
            measured_size_set(&result->sizes[i], &wrong);
        record_set_verdict(&result->record, &wrong);
        return true;
    }
    work.answer = allocate_checked(calloc(1, sizeof *work.answer));
    bool good = run_sizes(&work, &correct, failure) && run_timed(&work, correct, failure);
    free(work.answer);
    return good;
}
