/* source.h: a lab file, up to the point where it is run: compiled, parsed, known as the exercise
 * that it says it is. Nothing here depends on where the kernel will run.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include "compile/compile.h"
#include "course/exercise.h"
#include "emulator/warp/simt.h"
#include "record/record.h"
#include "run/run_options.h"
#include "text/naming.h"

struct source {
    const char *path;
    const struct run_options *options;
    struct compile_result compiled; /* PTX */
    struct ptx_module module;
    const struct ptx_function *kernel;   /* what stands for the exercise's */
    unsigned char order[4], declared[4]; /* of its parameters (naming.h): called, and in the text */
    bool declares_other_order;
    struct exercise exercise;
    struct array_shapes shapes; /* of its shared arrays, for messages */
    char *code;                 /* its text without comments (code_text.h), for messages, or NULL */
    /* -D TILE_DIM=... sweeps the width of the exercise's tile; -D MATRICES=... the number of
     * matrices of a batch, in the exercise's form. */
    uint32_t tile;
    uint64_t few_matrices; /* of a batch at small sizes: not as many as the run has */
};

/* The same source, asked for few matrices. */
struct source source_of_few(const struct source *source);

/* Compile to PTX, parse, find the exercise, and see that the kernels are there with the right
 * parameters. A failed source can be recorded and must be freed, too. `path` and `options` must
 * outlive it. */
bool source_load(struct source *source, const char *path, const struct run_options *options,
                 struct failure *failure);
void source_free(struct source *source);

/* What source_load does behind the compiler, in two steps and without reading a file, for who has
 * the PTX already. `source` has its path and options, and all else zero. source_parse also says
 * which exercise the source names (`size` bytes; printable ASCII; "": none). source_pose takes a
 * copy of the exercise and sees that the kernels are there. A kernel of another name or with other
 * types is a failure, unless `repair`: then it is taken all the same, and `naming` says so. */
bool source_parse(struct source *source, const char *ptx, size_t bytes, char *name, size_t size,
                  struct failure *failure);
bool source_pose(struct source *source, const struct exercise *exercise, struct naming *naming,
                 bool repair, struct failure *failure);
/* Says that LAB() is not there. Returns false. */
bool source_fail_unnamed(const struct source *source, struct failure *failure);

/* Compile again, to machine code of a GPU; `architecture` is 90 for sm_90. */
bool source_compile_cubin(const struct source *source, unsigned architecture,
                          struct compile_result *result, struct failure *failure);

/* The kernel to launch: the exercise's, or the one that repeats it. */
const char *source_kernel(const struct source *source);

/* Lay out what it is called with as its parameter buffer. values[i] is that of parameter i of the
 * exercise's form: an address, or a scalar. */
enum { SOURCE_PARAMETER_BYTES = 8 * (FORM_PARAMETERS_MAX + 1) };
void source_lay_parameters(const struct source *source, const uint64_t *values,
                           unsigned char bytes[SOURCE_PARAMETER_BYTES]);

struct source_size {
    uint64_t rows, cols;
};

/* What that size becomes for the source's exercise (exercise_size). */
struct source_size source_size_of(const struct source *source, struct source_size size);

/* The small and ragged sizes on which every source is verified first. `sizes` has room for
 * SOURCE_SMALL_SIZES_MAX; returns how many there are. */
enum { SOURCE_SMALL_SIZES_MAX = 9 };
unsigned source_small_sizes(const struct source *source, struct source_size *sizes);

/* A harness failure when the exercise cannot be posed at that size. */
bool source_check_size(const struct source *source, struct source_size size,
                       struct failure *failure);

/* What LAB_LAUNCH answers. */
struct source_shape {
    struct dimensions grid, block;
    uint32_t dynamic_shared;
};

/* Asks LAB_LAUNCH, by interpreting lab_launch_shape, a kernel of one thread. The harness believes
 * the interpreter on every back end: no host code of a student runs. */
struct source_asker {
    const struct device *device;
    const struct source *source;
    struct guest_memory memory;
    struct program program;
    uint32_t words[7];
    uint64_t address; /* of the words, for the kernel */
    bool is_anonymous;
};

/* `source` and the device must outlive the asker, which must be closed, also when it failed. */
bool source_asker_open(struct source_asker *asker, const struct source *source,
                       const struct device *device, struct failure *failure);
/* Student failures are those of the code in LAB_LAUNCH. */
bool source_ask(struct source_asker *asker, struct source_size size, struct source_shape *shape,
                struct failure *failure);
void source_asker_close(struct source_asker *asker);

/* Pass a wrong result on: when nothing was written at all, with what the exercise says to do first.
 * Returns false. */
bool source_fail_verification(const struct source *source, struct failure *wrong,
                              bool never_written, struct failure *failure);
/* Pass a failure on; a student's says at which size. Returns false. */
bool source_fail_at_size(struct source_size size, struct failure *wrong, struct failure *failure);

/* What a parameter is called in messages: as in the exercise, or as the kernel's text has it
 * where that declares another order and is called all the same. */
const char *source_parameter_name(const struct source *source, unsigned i);

/* Add to a student's failure that the text declares the parameters in another order than they are
 * given in, if it does. */
void source_tell_order(const struct source *source, struct failure *failure);

/* The columns that say what was run: lab, variant, kernel, defines, loop, seed, compiler. */
void source_record(const struct source *source, struct record *record);

#endif
