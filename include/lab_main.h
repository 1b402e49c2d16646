/* lab_main.h: the main() of a lab file that nvcc builds as a standalone CUDA program.
 *
 *     nvcc -Iinclude labs/03_padded/padded.cu -o padded
 *     ./padded [rows [cols [matrices]]]
 *
 * The program fills the input with different values, poisons the output, and launches the kernel
 * with the configuration that LAB_LAUNCH returns. Then it compares the result with the reference,
 * and measures the time on a warm GPU. The program also runs under ncu, compute-sanitizer and
 * cuda-gdb. `tlab run` measures more precisely and also reports counters.
 *
 * Exit status: 0 if the result is correct; 1 if the result is incorrect or the kernel failed; 2 if
 * the program failed for another reason (no GPU, no memory, invalid arguments). */
#ifndef LAB_MAIN_H
#define LAB_MAIN_H

#ifndef __CUDACC__
#error "this file contains a CUDA kernel: build it with nvcc -Iinclude, or run it with tlab"
#endif

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lab_references.h"

/* lab_kernel returns lab_loop if LAB_LOOP is defined, otherwise the kernel of the exercise. */
extern const char lab_exercise[];
static __host__ __device__ lab_shape lab_launch(int width, int height, int matrices);
static const void *lab_kernel();
#ifdef LAB_LOOP
extern "C" LAB_KERNEL void lab_loop(float *odata, const float *idata, int width, int height,
                                    int repeats);
#define LAB_HOST_KERNEL(kernel, parameters)                                                        \
    static const void *lab_kernel()                                                                \
    {                                                                                              \
        return (const void *)lab_loop;                                                             \
    }
#else
#define LAB_HOST_KERNEL(kernel, parameters)                                                        \
    extern "C" LAB_KERNEL void kernel parameters;                                                  \
    static const void *lab_kernel()                                                                \
    {                                                                                              \
        return (const void *)kernel;                                                               \
    }
#endif

/* Expands to with(A, B) if lab_references.h has defined `made` as `~, A, B`. Otherwise expands to
 * with(...), in which ... stands for the arguments after `made`. */
#define LAB_CHOOSE(with, made, ...) LAB_CHOOSE_AFTER(with, made, __VA_ARGS__, )
#define LAB_CHOOSE_AFTER(...) LAB_CHOOSE_AFTER_(__VA_ARGS__)
#define LAB_CHOOSE_AFTER_(with, first, second, third, ...) with(second, third)

enum { LAB_EXIT_WRONG = 1, LAB_EXIT_CANNOT = 2 };
#define LAB_FAIL(...) (fprintf(stderr, __VA_ARGS__), exit(LAB_EXIT_CANNOT))

/* LAB_TRY is for failures of the machine, LAB_TRY_KERNEL for failures that the kernel can cause. */
#define LAB_TRY(call) lab_check(call, #call, __FILE__, __LINE__, LAB_EXIT_CANNOT)
#define LAB_TRY_KERNEL(call) lab_check(call, #call, __FILE__, __LINE__, LAB_EXIT_WRONG)

static void lab_check(cudaError_t error, const char *call, const char *file, int line, int status)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
    if (status == LAB_EXIT_WRONG)
        fprintf(stderr, "The kernel failed. Run the program under compute-sanitizer to find the "
                        "cause.\n");
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver)
        fprintf(stderr, "This program needs an NVIDIA GPU and its driver. Without a GPU, run "
                        "build/tlab run FILE.cu --device h200\n");
    exit(status);
}

/* A batch of `matrices` matrices with rows x cols elements each. */
struct lab_size {
    size_t rows, cols, matrices;
};

/* Defines lab_source_NAME, which returns the index of the input element that belongs at row r,
 * column c of the output. `in` is the size of the input, `t` the side of a tile. */
#define LAB_REFERENCE(name, keeps_shape, row, col)                                                 \
    static inline size_t lab_source_##name(lab_size in, size_t t, size_t r, size_t c)              \
    {                                                                                              \
        (void)t;                                                                                   \
        return (row)*in.cols + (col);                                                              \
    }                                                                                              \
    enum { lab_keeps_shape_##name = keeps_shape };

LAB_REFERENCE(copy, true, r, c)
LAB_REFERENCE(transpose, false, c, r)
LAB_REFERENCE(tile_transpose, true, r / t * t + c % t, c / t * t + r % t)
LAB_REFERENCE(tile_move, false, c / t * t + r % t, r / t * t + c % t)
LAB_REFERENCE(rotate90, false, in.rows - 1 - c, r)
LAB_REFERENCE(antitranspose, false, in.rows - 1 - c, in.cols - 1 - r)

/* All elements of arrays have 4 bytes. */
enum lab_role { lab_scalar, lab_in, lab_out, lab_inout };
enum lab_type { lab_float, lab_unsigned, lab_int };
/* The extent of an array is a positive number or one of these constants. */
enum { lab_size_width = -4, lab_size_height, lab_size_count, lab_size_matrices };
struct lab_parameter {
    const char *name;
    lab_role role;
    lab_type type;
    bool zeroed;            /* true if filled with 0, not poison */
    int planes, rows, cols; /* extents of an array; for a scalar, `cols` is its value */
};
enum { LAB_PARAMETERS_MAX = 8 };

static size_t lab_extent_of(int extent, lab_size size)
{
    return extent == lab_size_width      ? size.cols
           : extent == lab_size_height   ? size.rows
           : extent == lab_size_count    ? size.rows * size.cols
           : extent == lab_size_matrices ? size.matrices
                                         : (size_t)extent;
}

static size_t lab_elements(const lab_parameter &array, lab_size size)
{
    return lab_extent_of(array.planes, size) * lab_extent_of(array.rows, size) *
           lab_extent_of(array.cols, size);
}

enum lab_sizes { lab_sizes_any, lab_sizes_tiles, lab_sizes_line, lab_sizes_square };

/* The reference is a map of the matrix (`source`) or a function of the arrays (`compute`, with
 * mistake 0 for the correct result). */
struct lab_rule {
    const char *exercise, *reference;
    size_t (*source)(lab_size in, size_t t, size_t r, size_t c);
    bool keeps_shape;
    lab_sizes sizes;
    size_t tile, matrices; /* side of a tile; default number of matrices in a batch */
    void (*compute)(void *const *arrays, long long width, long long height, long long matrices,
                    int mistake);
    lab_parameter parameters[LAB_PARAMETERS_MAX]; /* a parameter without a name ends the list */
};
#define LAB_TRANSPOSE_PARAMETERS                                                                   \
    {"odata", lab_out, lab_float, false, 1, lab_size_height, lab_size_width},                      \
    {"idata", lab_in, lab_float, false, 1, lab_size_height, lab_size_width},                       \
    {"width", lab_scalar, lab_int, false, 1, 1, lab_size_width},                                   \
    {"height", lab_scalar, lab_int, false, 1, 1, lab_size_height}
#define LAB_RULE(exercise, reference, sizes, tile)                                                 \
    {exercise, #reference, lab_source_##reference, lab_keeps_shape_##reference,                    \
     lab_sizes_##sizes, tile, 1, nullptr, {LAB_TRANSPOSE_PARAMETERS}},
#define LAB_FORM(exercise, reference, sizes, matrices, ...)                                        \
    {exercise, #reference, nullptr, true, lab_sizes_##sizes, 1, matrices, reference_##reference,   \
     {__VA_ARGS__}},
static const lab_rule lab_rules[] = {LAB_REFERENCES(LAB_RULE) LAB_FORMS(LAB_FORM)};

/* Returns the side of a tile: TILE_DIM if it is defined, otherwise the value in the manifest. */
#ifdef TILE_DIM
static size_t lab_tile(const lab_rule &)
{
    return TILE_DIM;
}
#else
static size_t lab_tile(const lab_rule &rule)
{
    return rule.tile;
}
#endif

static const lab_rule &lab_find_rule(const char *exercise)
{
    for (const lab_rule &rule : lab_rules)
        if (strcmp(rule.exercise, exercise) == 0)
            return rule;
    fprintf(stderr, "LAB(%s) names no exercise of this course. The exercises are:", exercise);
    for (const lab_rule &rule : lab_rules)
        fprintf(stderr, " %s", rule.exercise);
    fprintf(stderr, "\n");
    exit(LAB_EXIT_CANNOT);
}

/* If the reference is a map, input element i is the float with the bits LAB_FIRST + i. All elements
 * are different and none is a NaN, so an incorrect output element identifies an input element. */
static const uint32_t LAB_FIRST = 0x00800000;
static const size_t LAB_MAX_ELEMENTS = 0x7f800000 - LAB_FIRST;
/* Returns the bits of an input element. If the reference is a function, the value is pseudo-random.
 * Values of type lab_unsigned can be any number. Other values are integers of magnitude up to 2^18,
 * so that sums are exact in float. */
static uint32_t lab_value(const lab_rule &rule, lab_type type, unsigned array, size_t index)
{
    if (!rule.compute)
        return LAB_FIRST + (uint32_t)index;
    uint32_t bits = ((uint32_t)index + array * 0x10000001u) * 2654435761u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    if (type == lab_unsigned)
        return bits;
    int32_t whole = (int32_t)bits >> 13;
    float real = (float)whole;
    memcpy(&bits, type == lab_float ? (const void *)&real : &whole, sizeof bits);
    return bits;
}

/* The output is filled with this value before the launch. As a float, it is a NaN. */
static const uint32_t LAB_POISON = 0xffffffff;

static size_t lab_read_size(const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || *end || end == text || value < 1 || (unsigned long long)value > LAB_MAX_ELEMENTS)
        LAB_FAIL("invalid number of rows, columns or matrices: '%s'\n", text);
    return (size_t)value;
}

static lab_size lab_read_arguments(int argc, char **argv, const lab_rule &rule)
{
    const bool batch = rule.matrices > 1;
    if (argc > 3 + batch)
        LAB_FAIL("usage: %s [rows [cols%s]]\n", argv[0], batch ? " [matrices]" : "");
    lab_size size = {8192, 8192, rule.matrices};
    if (argc > 1)
        size.rows = size.cols = lab_read_size(argv[1]);
    if (argc > 2)
        size.cols = lab_read_size(argv[2]);
    if (rule.sizes == lab_sizes_line)
        size = {1, argc == 2 ? size.cols : size.rows * size.cols, 1};
    /* tlab may choose a smaller square that consists of whole tiles. */
    if (rule.sizes == lab_sizes_square)
        for (size_t count = size.rows * size.cols, side = size.rows = size.cols = 1;
             side <= count / side; side++)
            size.rows = size.cols = side;
    if (argc > 3)
        size.matrices = lab_read_size(argv[3]);
    if (size.rows > LAB_MAX_ELEMENTS / size.cols ||
        size.matrices > LAB_MAX_ELEMENTS / (size.rows * size.cols))
        LAB_FAIL("%zu x %zu elements are too many: this program checks at most %zu elements\n",
                 size.rows * size.matrices, size.cols, LAB_MAX_ELEMENTS);
    if (rule.sizes == lab_sizes_tiles &&
        (size.rows % lab_tile(rule) || size.cols % lab_tile(rule)))
        LAB_FAIL("%s requires whole tiles: rows and columns must be multiples of %zu\n",
                 lab_exercise, lab_tile(rule));
    return size;
}

struct lab_arrays {
    void *device[LAB_PARAMETERS_MAX];
    uint32_t *host[LAB_PARAMETERS_MAX];
};

static const lab_parameter *lab_array(const lab_rule &rule, int i)
{
    const lab_parameter &parameter = rule.parameters[i];
    return parameter.name && parameter.role != lab_scalar ? &parameter : nullptr;
}

static uint32_t *lab_allocate(size_t bytes)
{
    uint32_t *words = (uint32_t *)calloc(1, bytes);
    if (!words)
        LAB_FAIL("not enough memory for an array of %zu bytes\n", bytes);
    return words;
}

static void lab_reset(const lab_parameter &array, void *device, const uint32_t *host, size_t bytes)
{
    if (array.role == lab_in || array.role == lab_inout)
        LAB_TRY(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    else
        LAB_TRY(cudaMemset(device, array.zeroed ? 0 : 0xff, bytes));
}

/* Allocates and fills all arrays. Returns the bytes that any kernel for this exercise must move. */
static size_t lab_make_arrays(const lab_rule &rule, lab_size size, lab_arrays &arrays)
{
    size_t compulsory = 0;
    for (int i = 0; i < LAB_PARAMETERS_MAX; i++) {
        const lab_parameter *array = lab_array(rule, i);
        if (!array)
            continue;
        size_t count = lab_elements(*array, size), bytes = count * sizeof(uint32_t);
        arrays.host[i] = lab_allocate(bytes);
        for (size_t e = 0; array->role != lab_out && e < count; e++)
            arrays.host[i][e] = lab_value(rule, array->type, (unsigned)i, e);
        LAB_TRY(cudaMalloc(&arrays.device[i], bytes));
        lab_reset(*array, arrays.device[i], arrays.host[i], bytes);
        compulsory += array->role == lab_inout ? 2 * bytes : bytes;
    }
    return compulsory;
}

static void lab_fetch_outputs(const lab_rule &rule, lab_size size, lab_arrays &arrays)
{
    for (int i = 0; i < LAB_PARAMETERS_MAX; i++)
        if (lab_array(rule, i) && rule.parameters[i].role != lab_in)
            LAB_TRY(cudaMemcpy(arrays.host[i], arrays.device[i],
                               lab_elements(rule.parameters[i], size) * sizeof(uint32_t),
                               cudaMemcpyDeviceToHost));
}

static void lab_free_arrays(lab_arrays &arrays)
{
    for (int i = 0; i < LAB_PARAMETERS_MAX; i++) {
        LAB_TRY(cudaFree(arrays.device[i]));
        free(arrays.host[i]);
    }
}

static void lab_start(const lab_rule &rule, const lab_shape &shape, lab_arrays &arrays,
                      lab_size size, int repeats)
{
    int scalars[LAB_PARAMETERS_MAX];
    void *arguments[LAB_PARAMETERS_MAX + 1];
    int count = 0;
    for (; count < LAB_PARAMETERS_MAX && rule.parameters[count].name; count++) {
        scalars[count] = (int)lab_extent_of(rule.parameters[count].cols, size);
        arguments[count] = lab_array(rule, count) ? (void *)&arrays.device[count] : &scalars[count];
    }
    arguments[count] = &repeats;
#ifdef LAB_LOOP
    int launches = 1;
#else
    int launches = repeats;
#endif
    for (int i = 0; i < launches; i++)
        LAB_TRY_KERNEL(cudaLaunchKernel(lab_kernel(), shape.grid, shape.block, arguments,
                                        shape.shared_bytes, (cudaStream_t)0));
}

static void lab_allow_shared(const lab_shape &shape)
{
    if (shape.shared_bytes > 48 * 1024)
        LAB_TRY_KERNEL(cudaFuncSetAttribute(
            lab_kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shape.shared_bytes));
}

static void lab_describe(uint32_t bits, lab_size in)
{
    size_t index = (size_t)bits - LAB_FIRST;
    if (bits == LAB_POISON)
        printf("was never written\n");
    else if (bits >= LAB_FIRST && index < in.rows * in.cols)
        printf("holds idata[%zu][%zu]\n", index / in.cols, index % in.cols);
    else
        printf("holds the bits %08x, which do not occur in idata\n", bits);
}

static bool lab_count_wrong(const lab_rule &rule, size_t wrong, size_t total)
{
    if (wrong)
        printf("%s: INCORRECT: %zu of %zu elements differ from the reference '%s'\n", lab_exercise,
               wrong, total, rule.reference);
    return wrong == 0;
}

/* Returns true if the output equals the reference. Otherwise prints the first incorrect element. */
static bool lab_verify(const lab_rule &rule, lab_size in, const uint32_t *output)
{
    lab_size out = rule.keeps_shape ? in : lab_size{in.cols, in.rows, 1};
    size_t wrong = 0;
    for (size_t r = 0; r < out.rows; r++) {
        for (size_t c = 0; c < out.cols; c++) {
            size_t source = rule.source(in, lab_tile(rule), r, c);
            uint32_t found = output[r * out.cols + c];
            if (found == LAB_FIRST + (uint32_t)source)
                continue;
            if (wrong++ == 0) {
                printf("odata[%zu][%zu] should be idata[%zu][%zu], but ", r, c, source / in.cols,
                       source % in.cols);
                lab_describe(found, in);
            }
        }
    }
    return lab_count_wrong(rule, wrong, in.rows * in.cols);
}

static double lab_number(lab_type type, uint32_t bits)
{
    float real;
    memcpy(&real, &bits, sizeof real);
    return type == lab_float ? real : type == lab_int ? (int32_t)bits : (double)bits;
}

static bool lab_verify_function(const lab_rule &rule, lab_size size, const lab_arrays &arrays)
{
    void *bound[LAB_PARAMETERS_MAX] = {};
    uint32_t *expected[LAB_PARAMETERS_MAX] = {};
    size_t wrong = 0, total = 0;
    int count = 0;
    for (int i = 0; i < LAB_PARAMETERS_MAX; i++) {
        const lab_parameter *array = lab_array(rule, i);
        if (array && array->role != lab_in)
            expected[i] = lab_allocate(lab_elements(*array, size) * sizeof(uint32_t));
        for (size_t e = 0; array && array->role == lab_inout && e < lab_elements(*array, size); e++)
            expected[i][e] = lab_value(rule, array->type, (unsigned)i, e);
        if (array)
            bound[count++] = expected[i] ? expected[i] : arrays.host[i];
    }
    rule.compute(bound, (long long)size.cols, (long long)size.rows, (long long)size.matrices, 0);
    for (int i = 0; i < LAB_PARAMETERS_MAX; i++) {
        if (!expected[i])
            continue;
        const lab_parameter &array = rule.parameters[i];
        size_t elements = lab_elements(array, size), cols = lab_extent_of(array.cols, size);
        for (size_t e = 0; e < elements; e++) {
            double right = lab_number(array.type, expected[i][e]);
            double found = lab_number(array.type, arrays.host[i][e]);
            if (right != found && wrong++ == 0)
                printf("%s[%zu][%zu] should be %.9g, but is %.9g\n", array.name, e / cols, e % cols,
                       right, found);
        }
        total += elements;
        free(expected[i]);
    }
    return lab_count_wrong(rule, wrong, total);
}

/* LAB_ROUNDS is the number of time measurements, LAB_REPEATS the launches per measurement. */
#ifndef LAB_ROUNDS
#define LAB_ROUNDS 11
#endif
#ifndef LAB_REPEATS
#define LAB_REPEATS 10
#endif

static double lab_time(const lab_rule &rule, const lab_shape &shape, lab_arrays &arrays,
                       lab_size size)
{
    cudaEvent_t start, stop;
    double seconds[LAB_ROUNDS];

    LAB_TRY(cudaEventCreate(&start));
    LAB_TRY(cudaEventCreate(&stop));
    for (int round = 0; round < LAB_ROUNDS; round++) {
        float milliseconds;
        LAB_TRY(cudaEventRecord(start));
        lab_start(rule, shape, arrays, size, LAB_REPEATS);
        LAB_TRY(cudaEventRecord(stop));
        LAB_TRY_KERNEL(cudaEventSynchronize(stop));
        LAB_TRY(cudaEventElapsedTime(&milliseconds, start, stop));
        seconds[round] = milliseconds / 1e3 / LAB_REPEATS;
    }
    LAB_TRY(cudaEventDestroy(start));
    LAB_TRY(cudaEventDestroy(stop));
    std::sort(seconds, seconds + LAB_ROUNDS);
    return seconds[LAB_ROUNDS / 2];
}

int main(int argc, char **argv)
{
    const lab_rule &rule = lab_find_rule(lab_exercise);
    lab_size size = lab_read_arguments(argc, argv, rule);
    lab_arrays arrays = {};
    cudaDeviceProp device;

    LAB_TRY(cudaGetDeviceProperties(&device, 0));
    size_t compulsory = lab_make_arrays(rule, size, arrays);
    lab_shape shape = lab_launch((int)size.cols, (int)size.rows, (int)size.matrices);
    lab_allow_shared(shape);
    lab_start(rule, shape, arrays, size, 1);
    LAB_TRY_KERNEL(cudaDeviceSynchronize());
    lab_fetch_outputs(rule, size, arrays);
    bool right = rule.compute ? lab_verify_function(rule, size, arrays)
                              : lab_verify(rule, size, arrays.host[0]);
    if (right) {
        double seconds = lab_time(rule, shape, arrays, size);
        printf("%s: correct, %zu x %zu on %s: %.1f us, %.1f GB/s\n", lab_exercise, size.rows,
               size.cols, device.name, seconds * 1e6, (double)compulsory / seconds / 1e9);
    }
    lab_free_arrays(arrays);
    return right ? 0 : LAB_EXIT_WRONG;
}

#endif
