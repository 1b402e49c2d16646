/* hardware.h: submissions on this machine's GPU, beside the emulator.
 *
 * Theory of operation. Verdicts come from the emulator, which is the same everywhere, and so do
 * points, except those that a rubric gives for the run "gpu" (judge_gpu). With `tlab grade --device
 * gpu` each file that was emulated also runs on the GPU: on every size of its rubric, and, if all
 * are right there, once more large, timed and counted. The results are information for people: a
 * run named "gpu" in the grade, a verdict beside each size, and a flag where hardware and emulator
 * disagree about what hardware can see.
 *
 * What is trusted: the launch shape comes from the interpreter in its sandbox, the machine code
 * from the compiler in its own, and only code whose ELF file holds nothing but the lab's kernels is
 * loaded (sandbox_cubin.h). A kernel owns the whole of the GPU's memory while it runs, so each
 * submission gets a process with a context of its own (gpu_runner.h), which it cannot outlive; a
 * launch may take ten seconds of wall clock; each size is a new load of the module, and lab_name,
 * the one variable in it, must not change. One submission of this user's has the GPU at a time (a
 * lock beside the runs that are kept, record_history.h), or times would be those of a crowd.
 */
#ifndef HARDWARE_H
#define HARDWARE_H

#include "hardware/gpu/gpu_runner.h"
#include "judge/measurement.h"
#include "run/source.h"
#include "sandbox/sandbox.h"

#include <jansson.h>

/* Rows and columns of the timed run, as `tlab run` has them on a GPU. Exercises whose tile does not
 * divide it are timed at the size of their first run. */
enum { HARDWARE_SIDE = 8192 };

/* A GPU, or a test's. */
struct hardware_device {
    struct gpu_facts facts;
    /* Have the GPU for oneself, in a fresh context, until it is closed. */
    bool (*open)(struct hardware_device *device, struct failure *failure);
    /* Run a job to its end. False: no worker could be started. */
    bool (*run)(struct hardware_device *device, const struct gpu_job *job, const void *image,
                struct gpu_result *result, struct failure *failure);
    void (*close)(struct hardware_device *device);
    struct gpu *gpu;
    int lock; /* file_lock's */
};

/* This machine's first GPU. A harness failure says why there is none. */
bool hardware_find(struct hardware_device *device, struct failure *failure);

/* How LAB_LAUNCH wants a file launched: at each size of the rubric, then at the timed one. */
struct hardware_shapes {
    struct {
        uint32_t known; /* 1: the rest is */
        struct source_shape shape;
    } shapes[RUBRIC_SIZES_MAX + 1];
};

/* Ask, in the interpreter's sandbox. What goes wrong in there leaves shapes unknown. */
bool hardware_ask(const struct measure_job *job, const struct rubric *rubric,
                  struct hardware_shapes *shapes, struct failure *failure);

/* What the GPU says of one file. */
struct hardware_result {
    struct measured_size sizes[RUBRIC_SIZES_MAX]; /* as in the rubric */
    struct record record;                         /* of the timed run, with status and reason */
    char trouble[FAILURE_TEXT_SIZE];              /* our own, with machine or compiler; or "" */
};

/* Run a compiled file on an open device. False: a harness failure after which nothing more can be
 * run there. */
bool hardware_measure(struct hardware_device *device, const struct rubric *rubric,
                      const struct sandbox_compiled *compiled, const struct hardware_shapes *shapes,
                      struct hardware_result *result, struct failure *failure);

#endif
