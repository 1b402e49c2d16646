/* measure_work.h: the state during the measurement of a file; only for measure*.c. */
#ifndef MEASURE_WORK_H
#define MEASURE_WORK_H

#include "judge/measurement.h"
#include "run/source.h"

/* A branch with a condition that depends only on the size. */
struct measure_condition {
    uint32_t at;
    uint32_t loop; /* index of the loop's first instruction; 0 if `at` ends no loop */
    bool was_true, was_false;
};
enum { MEASURE_CONDITIONS = 32 };
struct measure_conditions {
    struct measure_condition list[MEASURE_CONDITIONS];
    unsigned count;
    bool is_known;
    bool is_hidden;     /* a condition on the size has no visible results */
    bool limits_blocks; /* a block index is compared with a number that depends on no size */
    bool is_closed;     /* ignore later launches, because they may repair the kernel */
};

struct measure_work {
    const struct measure_job *job;
    const struct rubric *rubric;
    struct measurement *measurement;
    struct run_options options; /* each launch sets seed and budget */
    struct source source;
    struct source_asker asker; /* for the first run's device; `source` is NULL if closed */
    struct measured_work counted;
    /* Hidden size of whole tiles at which the instructions differ from the first run; or 0 x 0. */
    struct source_size elsewhere;
    bool ran_away;
    bool wrong_in_hiding;
    bool is_right_at_huge; /* a repaired kernel need not be verified at the huge size */
    bool whole_only;       /* the mistake has no effect at sizes of whole tiles; use only these */
    bool square_only;      /* the mistake has no effect at square sizes; use only these */
    bool unchecked;
    bool samples_nearly; /* run a sample of the blocks (SAMPLES_NEARLY) */
    uint64_t matrices;   /* number of matrices of the next launch; if 0, set_batch computes it */
    struct measure_conditions conditions;
    /* Blocks at the last size; most elements per block at a size that was checked for races. */
    uint64_t last_blocks, per_block;
    /* First failure at a published size or run. After a failure, large hidden sizes are skipped. */
    enum status published;
};

/* Change a harness failure to a student failure, because only the kernel can exhaust memory. */
void measure_blame_student(struct failure *failure);

/* Returns true for a large hidden size. There, the kernel runs only if it is correct at the
 * published sizes, and usually without checks for races. */
bool measure_takes_long(const struct rubric_size *size);

/* Run the kernel at a size on the first run's device. Returns true if the result is correct. */
bool measure_size(struct measure_work *work, const struct rubric_size *size,
                  struct measured_size *measured);
/* Like measure_size, but the measurement does not change. */
bool measure_tries(struct measure_work *work, const struct rubric_size *size);

/* Call this after all hidden sizes. If a condition on the size had the same result at all sizes,
 * run the kernel at sizes of other kinds. A failure there becomes the result of the huge size. If a
 * condition still has only one result, store its line in the measurement. */
void measure_further_sizes(struct measure_work *work);
void measure_conditions_note(struct measure_work *work, const struct emulator_launch *launch,
                             const struct emulator_result *result);
/* Returns true if a condition on the size had one result at all sizes, or has no visible results.
 * *line receives the source line of the first condition with one result; 0 if unknown. */
bool measure_conditions_open(const struct measure_work *work, uint32_t *line);

/* Returns true and sets the failure if no launch may follow: an earlier launch did not end or, with
 * `in_vain`, the kernel is incorrect at a published size. */
bool measure_refuses(const struct measure_work *work, bool in_vain, struct failure *failure);
void measure_verify(struct measure_work *work, const struct rubric_size *size,
                    enum launch_mode mode, struct failure *failure);
/* Returns the number of blocks that LAB_LAUNCH requests at a size; 0 if the request is invalid. */
uint64_t measure_blocks(struct measure_work *work, struct source_size size);
/* Count run `index` of the rubric. If `square`, use a square matrix. */
void measure_run(struct measure_work *work, unsigned index, bool square,
                 struct measured_run *counted);
/* For each run with a twin, copy the data movement that was observed at the twin. */
void measure_twins(const struct rubric *rubric, struct measured_run *runs);

/* Call this after all sizes if the result is incorrect at a size. Find the one or two mistakes
 * without which the kernel is correct, and measure the runs with these mistakes repaired. If the
 * kernel is incorrect only at hidden sizes, consider only a missing barrier. */
void measure_mistake(struct measure_work *work);

#endif
