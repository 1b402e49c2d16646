/* sandbox_interpret.c: theory of operation (see sandbox.h). child.h starts the process, limits its
 * time and memory, and collects its output. The filter is installed immediately before the
 * untrusted work, so that earlier steps may open files. The memory limit counts private memory. The
 * limit of the address space, which includes shared memory, is higher. */
#define _GNU_SOURCE
#include "process/allocate.h"
#include "process/child.h"
#include "process/frame.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_confine.h"

#include <signal.h>
#include <string.h>

struct work {
    bool (*function)(int output, void *context);
    void *context;
};

static bool interpreter_confine(bool executes, bool starts_others)
{
    return !executes && !starts_others && sandbox_confine_interpreter();
}

static int work_run(int output, void *context)
{
    const struct work *work = context;
    return work->function(output, work->context) ? 0 : 1;
}

bool sandbox_budget_fail(struct failure *failure)
{
    return failure_student(failure, STATUS_TIMEOUT,
                           "not run: the submission's budget of %d s of processor time is used up",
                           SANDBOX_BUDGET_SECONDS);
}

static bool end_judge(const struct child_result *child, double seconds,
                      const struct sandbox_limits *limits, void *answer, size_t answer_size,
                      struct failure *failure)
{
    struct frame_reader output = {child->output, child->output_bytes, false}, frame;
    if (child->end == CHILD_TIMED_OUT)
        return failure_student(
            failure, STATUS_TIMEOUT,
            "emulating this kernel takes longer than the limit of %.3g s%s", seconds,
            seconds < limits->seconds
                ? "; the submission's other files used the rest of the processor time"
                : "");
    if (child->end == CHILD_OUTGREW_MEMORY ||
        (child->end == CHILD_EXITED && child->code == ALLOCATE_EXIT_STATUS))
        return failure_student(failure, STATUS_UNTRUSTED,
                               "emulating this kernel takes more memory than the limit of %llu MiB",
                               (unsigned long long)(limits->memory_bytes >> 20));
    bool forbidden = child->end == CHILD_SIGNALLED && child->code == SIGSYS;
    if (child->end == CHILD_SIGNALLED && !forbidden)
        return failure_student(failure, STATUS_UNTRUSTED,
                               "this program crashed the emulator (signal %d, %s)", child->code,
                               strsignal(child->code));
    frame_next(&output, child->output_bytes, &frame);
    frame_object(&frame, answer, answer_size);
    const char *what = forbidden                       ? "try a forbidden system call"
                       : child->code != 0 || frame.bad ? "end without a verdict"
                       : child->output_cut || output.left > 0 || frame.left > 0
                           ? "return data in addition to the verdict"
                           : NULL;
    return what == NULL ||
           failure_student(failure, STATUS_UNTRUSTED, "this program made the emulator %s", what);
}

bool sandbox_interpret(bool (*function)(int output, void *context), void *context,
                       const struct sandbox_limits *limits, struct sandbox_budget *budget,
                       void *answer, size_t answer_size, struct failure *failure)
{
    struct work work = {.function = function, .context = context};
    double seconds =
        budget == NULL || budget->seconds > limits->seconds ? limits->seconds : budget->seconds;
    const struct child_limits bounds = {.seconds = SANDBOX_PATIENCE * limits->seconds,
                                        .tree_seconds = seconds,
                                        .memory_bytes = 2 * limits->memory_bytes,
                                        .output_bytes = answer_size + 64,
                                        .data_bytes = limits->memory_bytes,
                                        .confine = interpreter_confine};
    struct child_result child;
    if (seconds <= 0)
        return sandbox_budget_fail(failure);
    if (!child_run_function(work_run, &work, &bounds, &child, failure))
        return false;
    if (budget != NULL)
        budget->seconds -= child.processor_seconds;
    bool good = end_judge(&child, seconds, limits, answer, answer_size, failure);
    child_result_free(&child);
    return good;
}
