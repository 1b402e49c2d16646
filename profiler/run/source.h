/* source.h: a lab file before it runs: compiled, parsed, and assigned to its exercise. */
#ifndef SOURCE_H
#define SOURCE_H

#include "compile/compile.h"
#include "course/exercise.h"
#include "emulator/warp/simt.h"
#include "process/machine_code.h"
#include "record/record.h"
#include "run/run_options.h"
#include "text/naming.h"

struct source {
    const char *path;
    const struct run_options *options;
    struct compile_result compiled;
    /* Machine code of source_kernel for the device; zero if unknown. */
    struct machine_code machine;
    struct ptx_module module;
    const struct ptx_function *kernel;
    /* Order of the kernel's parameters (naming.h) in the call, and as declared in the text. */
    unsigned char order[4], declared[4];
    bool declares_other_order;
    struct exercise exercise;
    struct array_shapes shapes; /* Shapes of the kernel's arrays in shared memory, for messages. */
    char *code;                 /* Text of the file without comments (code_text.h), or NULL. */
    uint32_t tile;              /* Side of the exercise's tile, or the value of -D TILE_DIM. */
    uint64_t few_matrices;      /* Number of matrices per batch at small sizes. */
};

/* Compile to PTX, parse, find the exercise, and check the kernels and their parameters. Returns
 * false for a failure. Always call source_free; before this call, a failed source can be recorded.
 * `path` and `options` must outlive the source. */
bool source_load(struct source *source, const char *path, const struct run_options *options,
                 struct failure *failure);
void source_free(struct source *source);

/* The steps of source_load after compilation. The caller sets path and options; all other fields
 * are zero. source_parse also writes the name of the exercise (at most `size` bytes of printable
 * ASCII; "" if there is none). source_pose copies the exercise and checks the kernels. With
 * `repair`, a kernel with another name or other types is accepted and reported in `naming`. */
bool source_parse(struct source *source, const char *ptx, size_t bytes, char *name, size_t size,
                  struct failure *failure);
bool source_pose(struct source *source, const struct exercise *exercise, struct naming *naming,
                 bool repair, struct failure *failure);
bool source_fail_unnamed(const struct source *source, struct failure *failure);

/* Compile to machine code; `architecture` 90 means sm_90. Returns false for a failure. */
bool source_compile_cubin(const struct source *source, unsigned architecture,
                          struct compile_result *result, struct failure *failure);

/* Find the machine code of the kernel for a device. If the device is older than the architecture of
 * the PTX, do nothing. Uses ptxas, or NVRTC if the toolkit has no ptxas. */
void source_find_machine_code(struct source *source, const struct device *device);

/* Returns the name of the kernel to launch: the exercise's kernel, or lab_loop (--loop kernel). */
const char *source_kernel(const struct source *source);

/* Write the kernel's parameter buffer. values[i] is the address or scalar of form parameter i. */
enum { SOURCE_PARAMETER_BYTES = 8 * (FORM_PARAMETERS_MAX + 1) };
void source_lay_parameters(const struct source *source, const uint64_t *values,
                           unsigned char bytes[SOURCE_PARAMETER_BYTES]);

struct source_size {
    uint64_t rows, cols;
};

/* Returns the size that the exercise uses instead of a requested size (exercise_size). */
struct source_size source_size_of(const struct source *source, struct source_size size);

/* Set `sizes` to the small sizes at which every source is verified first. Returns their number. */
enum { SOURCE_SMALL_SIZES_MAX = 11 };
unsigned source_small_sizes(const struct source *source, struct source_size *sizes);

/* Check that the exercise supports a size. Returns false for a harness failure. */
bool source_check_size(const struct source *source, struct source_size size,
                       struct failure *failure);

struct source_shape {
    struct dimensions grid, block;
    uint32_t dynamic_shared;
};

enum { SOURCE_WASTEFUL_THREADS = 8 };
static inline uint64_t source_shape_threads(const struct source_shape *shape)
{
    return (uint64_t)shape->grid.x * shape->grid.y * shape->grid.z * shape->block.x *
           shape->block.y * shape->block.z;
}

/* The asker interprets lab_launch_shape (LAB_LAUNCH), so that no student code runs on the host. */
struct source_asker {
    const struct device *device;
    const struct source *source;
    struct guest_memory memory;
    struct program program;
    uint32_t words[7];
    uint64_t address;
    bool is_anonymous;
    bool has_printed; /* True after the printf output of one launch was shown. */
};

/* Prepare to evaluate LAB_LAUNCH. Returns false for a failure. `source` and `device` must outlive
 * the asker. Always call source_asker_close. */
bool source_asker_open(struct source_asker *asker, const struct source *source,
                       const struct device *device, struct failure *failure);
/* Evaluate LAB_LAUNCH for a size. Returns false for a failure, such as a fault in its code. */
bool source_ask(struct source_asker *asker, struct source_size size, struct source_shape *shape,
                struct failure *failure);
/* Returns true if no variable of the module was changed and the heap was not used. The next
 * evaluation then has the same result as with a new asker. */
bool source_asker_is_new(const struct source_asker *asker);
void source_asker_close(struct source_asker *asker);

/* Set the failure of a wrong result, with advice if nothing was written. Returns false. */
bool source_fail_verification(const struct source *source, struct failure *wrong,
                              bool never_written, struct failure *failure);
/* Set `failure` to `wrong`, and add the size to a student failure. Returns false. */
bool source_fail_at_size(struct source_size size, struct failure *wrong, struct failure *failure);

/* Returns a parameter's name for messages: the exercise's, or the kernel's if its order differs. */
const char *source_parameter_name(const struct source *source, unsigned i);

/* If the kernel declares its parameters in another order, add this fact to a student failure. */
void source_report_order(const struct source *source, struct failure *failure);

/* Set the columns that describe the source: lab, variant, kernel, defines, loop, seed, compiler. */
void source_record(const struct source *source, struct record *record);

#endif
