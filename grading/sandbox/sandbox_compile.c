/* sandbox_compile.c: start the compiler's sandbox and check its answers. Theory of operation. One
 * process compiles all files of a submission (sandbox_inside.h) and sends frames (sandbox_frame.h).
 * The frame of a file may be missing or malformed, or may report a machine fault. In this case, a
 * harmless file, the *control*, is compiled in the same way. If the control compiles, the student's
 * file is at fault. */
#define _GNU_SOURCE
#include "base/sanitized.h"
#include "base/scratch.h"
#include "base/whole_file.h"
#include "process/allocate.h"
#include "process/child.h"
#include "process/toolkit.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_confine.h"
#include "sandbox/sandbox_frame.h"
#include "sandbox/sandbox_inside.h"
#include "sandbox/sandbox_view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory limit of the whole sandbox. One compiler runs at a time, in up to four processes (nvcc),
 * which need less memory, even for <cuda/pipeline> and <mma.h>. Between two measurements of memory,
 * NVRTC may allocate 100 MB more. The address sanitizer retains freed memory. */
#define TREE_BYTES ((ADDRESS_SANITIZED ? 544ull : 272ull) << 20)

/* Estimated processor time of bubblewrap in seconds; it is not measured. */
static const double unseen_seconds = 0.02;

struct batch {
    enum sandbox sandbox;
    unsigned architecture;
    const char *directory;
    const char *const *files;
    size_t count;
    struct sandbox_budget *budget;
};

struct answer {
    struct child_result child;
    bool ready;
    bool doubtful; /* the result of a file is missing for the reason `why` */
    char why[FAILURE_TEXT_SIZE];
};

static struct child_limits batch_limits(const struct batch *batch)
{
    /* The process in the sandbox limits address space and data of each compiler. */
    return (struct child_limits){.seconds = SANDBOX_PATIENCE * SANDBOX_BUDGET_SECONDS,
                                 .memory_bytes = UINT64_MAX,
                                 .tree_bytes = TREE_BYTES,
                                 .tree_seconds = batch->budget->seconds,
                                 .output_bytes = 4096 + batch->count * SANDBOX_FRAME_MAX +
                                                 batch->budget->bytes};
}

static bool bubblewrap_run(const struct batch *batch, const struct sandbox_view *view,
                           struct child_result *child, struct failure *failure)
{
    char bubblewrap[PATH_SIZE];
    const struct child_limits limits = batch_limits(batch);
    struct arguments words = {0};
    if (!program_find("bwrap", bubblewrap, sizeof bubblewrap))
        return failure_harness(failure, "bubblewrap is not installed: apt-get install bubblewrap");
    sandbox_view_arguments(bubblewrap, view, &words);
    ARGUMENTS_ADD(&words, SANDBOX_PROGRAM, "compile-sandboxed");
    arguments_add(&words, "%u", batch->architecture);
    arguments_add(&words, "%zu", batch->budget->bytes);
    for (size_t i = 0; i < batch->count; i++)
        arguments_add(&words, "%s", batch->files[i]);
    bool done =
        child_run_program((const char *const *)words.words, NULL, "/", &limits, child, failure);
    arguments_free(&words);
    return done;
}

struct weak {
    const struct batch *batch;
    const struct sandbox_view *view;
    const char *temporary; /* the only directory in which the compiler can write */
};

static bool environment_reduce(const struct weak *weak)
{
    static const char *const retained[] = {"PATH",      "TLAB_CUDA", "TLAB_COMPILER",
                                           "CUDA_HOME", "CUDA_PATH", NULL};
    char *values[sizeof retained / sizeof retained[0]] = {NULL};
    bool done = true;
    for (int i = 0; retained[i] != NULL; i++)
        if (getenv(retained[i]) != NULL)
            values[i] = allocate_checked(strdup(getenv(retained[i])));
    clearenv();
    for (int i = 0; retained[i] != NULL; i++)
        if (values[i] != NULL)
            done = setenv(retained[i], values[i], 1) == 0 && done;
    if (weak->view->toolkit[0] != '\0')
        done = setenv("TLAB_CUDA", weak->view->toolkit, 1) == 0 && done;
    return setenv("TMPDIR", weak->temporary, 1) == 0 && setenv("LC_ALL", "C", 1) == 0 && done;
}

static bool files_confine(const struct weak *weak, bool *isolated)
{
    static const char *const shared[] = {"/dev/null", "/dev/urandom", "/etc/ld.so.cache"};
    enum { SHARED = sizeof shared / sizeof shared[0] };
    const char *readable[SANDBOX_PLACES_MAX + SHARED];
    size_t count = 0;
    for (size_t i = 0; i < weak->view->count; i++)
        readable[count++] = weak->view->places[i].source;
    for (size_t i = 0; i < SHARED; i++)
        readable[count++] = shared[i];
    return sandbox_confine_files(readable, count, weak->temporary, isolated);
}

static int weak_compile(int output, void *context)
{
    const struct weak *weak = context;
    const struct sandbox_view *view = weak->view;
    const struct batch *batch = weak->batch;
    struct sandbox_inside inside = {.submission = view->submission,
                                    .include = view->include,
                                    .support = view->support,
                                    .architecture = batch->architecture,
                                    .bytes = batch->budget->bytes};
    if (chdir(inside.submission) != 0 || !environment_reduce(weak) ||
        !files_confine(weak, &inside.isolated) || !sandbox_confine_privileges()) {
        fprintf(stderr, "cannot make the sandbox of seccomp and limits: %s\n", strerror(errno));
        return 2;
    }
    return sandbox_inside_compile(&inside, batch->files, batch->count, output) ? 0 : 2;
}

static bool weak_run(const struct batch *batch, const struct sandbox_view *view,
                     struct child_result *child, struct failure *failure)
{
    char temporary[PATH_SIZE];
    const struct child_limits limits = batch_limits(batch);
    struct weak weak = {.batch = batch, .view = view, .temporary = temporary};
    if (!scratch_make(temporary, "sandbox", failure))
        return false;
    bool done = child_run_function(weak_compile, &weak, &limits, child, failure);
    scratch_remove(temporary);
    return done;
}

static void answer_explain(const struct batch *batch, struct answer *answer)
{
    const struct child_limits limits = batch_limits(batch);
    char end[128];
    child_describe_end(&answer->child, &limits, end, sizeof end);
    const char *said = answer->child.messages;
    size_t length = strcspn(said, "\n");
    snprintf(answer->why, sizeof answer->why, "%.*s%s(%s)", (int)(length < 1000 ? length : 1000),
             said, length > 0 ? " " : "", end);
}

static bool batch_run(const struct batch *batch, struct answer *answer, struct failure *failure)
{
    *answer = (struct answer){0};
    struct sandbox_view *view = allocate_checked(malloc(sizeof *view));
    bool done = sandbox_view_make(batch->directory, view, failure);
    if (done && batch->sandbox == SANDBOX_BUBBLEWRAP)
        done = bubblewrap_run(batch, view, &answer->child, failure);
    else if (done)
        done = weak_run(batch, view, &answer->child, failure);
    free(view);
    if (done) {
        answer_explain(batch, answer);
        batch->budget->seconds -= answer->child.processor_seconds + unseen_seconds;
    }
    return done;
}

/* Returns the number of files with a result. If a result is missing, answer->why may be set. */
static size_t frames_take(const struct batch *batch, struct answer *answer,
                          struct sandbox_compiled *results)
{
    struct frame_reader stream = {answer->child.output, answer->child.output_bytes, false};
    struct sandbox_budget *budget = batch->budget;
    uint32_t index;
    size_t taken = 0;
    answer->ready = sandbox_frame_take(&stream, &index, results) && index == SANDBOX_READY;
    sandbox_compiled_free(results, 1);
    for (; answer->ready && taken < batch->count; taken++) {
        struct sandbox_compiled *compiled = &results[taken];
        bool good = sandbox_frame_take(&stream, &index, compiled) && index == taken;
        answer->doubtful = good && compiled->failure.kind == FAILURE_HARNESS;
        if (answer->doubtful)
            snprintf(answer->why, sizeof answer->why, "%s", compiled->failure.text);
        if (!good || answer->doubtful) {
            sandbox_compiled_free(compiled, 1);
            return taken;
        }
        size_t bytes = compiled->result.ptx_bytes + compiled->result.cubin_bytes;
        budget->bytes -= bytes < budget->bytes ? bytes : budget->bytes;
    }
    return taken;
}

static const char control_source[] =
    "extern \"C\" __global__ void control(int *word) { *word = 1; }\n";

static bool control_stage(char directory[PATH_SIZE], struct failure *failure)
{
    char path[PATH_SIZE + 16];
    if (!scratch_make(directory, "sandbox", failure))
        return false;
    snprintf(path, sizeof path, "%s/control.cu", directory);
    if (whole_file_write(path, control_source, strlen(control_source), true, failure))
        return true;
    scratch_remove(directory);
    return false;
}

static const struct {
    const char *phrase, *advice;
} bubblewrap_advice[] = {
    {"not installed", ""},
    {"namespace", "user namespaces are disabled on this machine; its administrator can enable them "
                  "(sysctl kernel.unprivileged_userns_clone=1, on Ubuntu also "
                  "kernel.apparmor_restrict_unprivileged_userns=0; in Docker, add --security-opt "
                  "seccomp=unconfined)"},
    {"uid map", "user namespaces are disabled on this machine; on Ubuntu its administrator can "
                "enable them: sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
    {"Unknown option", "bubblewrap 0.7 or newer is needed"},
    {"mount", "mounting in user namespaces is forbidden on this machine (a container?); in Docker, "
              "add --security-opt seccomp=unconfined --security-opt apparmor=unconfined"},
};

static bool control_fail(enum sandbox sandbox, const char *why, struct failure *failure)
{
    if (sandbox == SANDBOX_WEAK)
        return failure_harness(failure, "the sandbox of seccomp and limits does not work here: %s",
                               why);
    const char *advice = "";
    for (size_t i = sizeof bubblewrap_advice / sizeof *bubblewrap_advice; i-- > 0;)
        if (strstr(why, bubblewrap_advice[i].phrase) != NULL)
            advice = bubblewrap_advice[i].advice;
    return failure_harness(failure,
                           "bubblewrap does not work here: %s%s%s. To select the weaker sandbox of "
                           "seccomp and limits, use --sandbox seccomp",
                           why, *advice ? "; " : "", advice);
}

/* Compile a harmless file with a separate budget to PTX and, unless `architecture` is 0, to machine
 * code. Its seconds are deducted from `charged` (may be NULL). */
static bool control_compile(enum sandbox sandbox, unsigned architecture,
                            struct sandbox_budget *charged, struct failure *failure)
{
    const char *const files[] = {"control.cu"};
    char directory[PATH_SIZE];
    struct sandbox_budget budget = SANDBOX_BUDGET;
    struct batch batch = {.sandbox = sandbox,
                          .architecture = architecture,
                          .directory = directory,
                          .files = files,
                          .count = 1,
                          .budget = &budget};
    struct sandbox_compiled compiled = {0};
    struct answer answer = {0};
    struct failure inner = {0};
    size_t taken = 0;
    if (!control_stage(directory, failure))
        return false;
    bool done = batch_run(&batch, &answer, &inner);
    if (done)
        taken = frames_take(&batch, &answer, &compiled);
    scratch_remove(directory);
    if (charged != NULL)
        charged->seconds -= SANDBOX_BUDGET_SECONDS - budget.seconds;
    bool works = done && taken == 1 && compiled.compiled;
    const char *why = !done ? inner.text : taken == 1 ? compiled.failure.text : answer.why;
    if (!works && answer.ready && taken == 0)
        failure_harness(failure, "nothing can be compiled in the sandbox: %s", why);
    else if (!works)
        control_fail(sandbox, why, failure);
    else if (architecture != 0 && compiled.result.cubin == NULL)
        works =
            failure_harness(failure, "no installed compiler produces machine code for sm_%u: %s",
                            architecture, compiled.no_cubin.text);
    compile_result_free(&compiled.result);
    child_result_free(&answer.child);
    return works;
}

static bool say_ready(int output, void *context)
{
    struct frame frame = {0};
    (void)context;
    frame_put_bytes(&frame, "ready", 5);
    return frame_send(&frame, output);
}

bool sandbox_probe(enum sandbox sandbox, struct failure *failure)
{
    const struct sandbox_limits limits = {.seconds = 10, .memory_bytes = 64 << 20};
    struct failure inner = {0};
    char answer[5];
    if (!sandbox_interpret(say_ready, NULL, &limits, NULL, answer, sizeof answer, &inner))
        return failure_harness(
            failure,
            "the emulator cannot be sandboxed here (%s); the sandbox requires a Linux kernel with "
            "seccomp filters, and a container that allows these filters",
            inner.text);
    return control_compile(sandbox, 0, NULL, failure);
}

bool sandbox_probe_machine(enum sandbox sandbox, unsigned architecture, struct failure *failure)
{
    return control_compile(sandbox, architecture, NULL, failure);
}

static void result_blame(const struct batch *batch, size_t index, const struct answer *answer,
                         struct sandbox_compiled *compiled)
{
    const char *file = batch->files[index];
    if (!answer->doubtful &&
        (answer->child.end == CHILD_TIMED_OUT || answer->child.end == CHILD_OUTGREW_MEMORY))
        failure_student(&compiled->failure, STATUS_COMPILE_ERROR,
                        "%s: error: the compilation exceeds the submission's limit of %s", file,
                        answer->child.end == CHILD_TIMED_OUT
                            ? "time"
                            : "memory (large headers, such as the headers of CUB, can cause this)");
    else if (answer->doubtful)
        failure_student(&compiled->failure, STATUS_COMPILE_ERROR,
                        "%s: error: the compiler failed: %s", file, answer->why);
    else
        failure_student(&compiled->failure, STATUS_UNTRUSTED,
                        "%s: this file crashed the process that compiled it", file);
}

static bool batch_continue(const struct batch *all, size_t first, struct sandbox_compiled *results,
                           size_t *next, struct failure *failure)
{
    struct batch batch = *all;
    struct answer answer;
    batch.files += first;
    batch.count -= first;
    bool done = batch_run(&batch, &answer, failure);
    size_t taken = done ? frames_take(&batch, &answer, results + first) : 0;
    if (done && taken < batch.count) {
        done = control_compile(batch.sandbox, 0, batch.budget, failure);
        if (done)
            result_blame(&batch, taken, &answer, &results[first + taken]);
        taken++;
    }
    child_result_free(&answer.child);
    *next = first + taken;
    return done;
}

bool sandbox_compile(enum sandbox sandbox, unsigned architecture, const char *directory,
                     const char *const *files, size_t count, struct sandbox_budget *budget,
                     struct sandbox_compiled *results, struct failure *failure)
{
    const struct batch batch = {.sandbox = sandbox,
                                .architecture = architecture,
                                .directory = directory,
                                .files = files,
                                .count = count,
                                .budget = budget};
    memset(results, 0, count * sizeof *results);
    for (size_t next = 0; next < count;)
        if (budget->seconds <= 0)
            sandbox_budget_fail(&results[next++].failure);
        else if (!batch_continue(&batch, next, results, &next, failure)) {
            sandbox_compiled_free(results, count);
            return false;
        }
    return true;
}
