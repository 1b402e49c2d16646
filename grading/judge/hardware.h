/* hardware.h: run submissions on this machine's GPU, in addition to the emulator.
 *
 * Theory of operation. Points come from the emulator, except those for the run "gpu" of a rubric.
 * With `tlab grade --device gpu`, each emulated file also runs on the GPU at every size of the
 * rubric. If all results are correct, the file then runs at a large size, with timing and counters.
 * The grade contains a run named "gpu", the GPU's verdict for each size, and a flag if GPU and
 * emulator disagree.
 *
 * Security: launch configuration and machine code come from sandboxes. An ELF file is loaded only
 * if it contains only the lab's kernels (sandbox_cubin_check). A kernel can access all memory of
 * its context, so each submission has a separate process and context (gpu_runner.h). The module is
 * loaded again for each size, and its only variable, lab_name, must not change. A lock
 * (record_history.h) reserves the GPU for one submission of this user at a time. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include "hardware/gpu/gpu_runner.h"
#include "judge/measurement.h"
#include "run/source.h"
#include "sandbox/sandbox.h"

#include <jansson.h>

/* Rows and columns of the timed run. If the exercise needs whole tiles and its tile does not divide
 * this number, the size of the first run is used. */
enum { HARDWARE_SIDE = 8192 };

struct hardware_device {
    struct gpu_facts facts;
    /* Lock and open the GPU. `close` closes and unlocks it. */
    bool (*open)(struct hardware_device *device, struct failure *failure);
    bool (*run)(struct hardware_device *device, const struct gpu_job *job, const void *image,
                struct gpu_result *result, struct failure *failure);
    void (*close)(struct hardware_device *device);
    struct gpu *gpu;
    int lock;
};

/* Find the first GPU. Returns false for a harness failure with the reason. */
bool hardware_find(struct hardware_device *device, struct failure *failure);

/* Launch configurations from LAB_LAUNCH for each size of the rubric, then for the timed run. */
struct hardware_shapes {
    struct {
        uint32_t known;
        struct source_shape shape;
    } shapes[RUBRIC_SIZES_MAX + 1];
};

/* Compute the configurations in the sandbox. If LAB_LAUNCH fails at a size, `known` is 0. Returns
 * false for a harness failure. */
bool hardware_ask(const struct measure_job *job, const struct rubric *rubric,
                  struct hardware_shapes *shapes, struct failure *failure);

struct hardware_result {
    struct measured_size sizes[RUBRIC_SIZES_MAX];
    struct record record;
    char trouble[FAILURE_TEXT_SIZE]; /* failure of machine or compiler; "" if none */
};

/* Run a compiled file on an open device. If the result is false, the device is unusable. */
bool hardware_measure(struct hardware_device *device, const struct rubric *rubric,
                      const struct sandbox_compiled *compiled, const struct hardware_shapes *shapes,
                      struct hardware_result *result, struct failure *failure);

#endif
