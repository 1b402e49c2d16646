/* lab_main.h: makes a lab file that nvcc builds by itself a complete CUDA program.
 *
 *     nvcc -Iinclude labs/03_padded/padded.cu -o padded
 *     ./padded [rows [cols]]
 *
 * It fills the input with values that are all different, poisons the output, launches the kernel
 * with the shape that LAB_LAUNCH asks for, compares with the lab's reference, and only then takes
 * the time. Nothing is hidden from the tools: run it under ncu, compute-sanitizer or cuda-gdb. The
 * times are those of a warm GPU; `tlab run` measures with more care, and counts.
 *
 * Exit status: 0 the result is right, 1 it is wrong or the kernel failed, 2 the program could not
 * do its work (no GPU, no memory, bad arguments).
 */
#ifndef LAB_MAIN_H
#define LAB_MAIN_H

#ifndef __CUDACC__
#error "this file holds a CUDA kernel: build it with nvcc -Iinclude, or run it with tlab"
#endif

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lab_references.h"

/* What the lab file defines. */
extern const char lab_exercise[];
static __host__ __device__ lab_shape lab_launch(int width, int height);
#ifdef LAB_LOOP
extern "C" LAB_KERNEL void lab_loop(float *odata, const float *idata, int width, int height,
                                    int repeats);
#else
extern "C" LAB_KERNEL void transpose(float *odata, const float *idata, int width, int height);
#endif

enum { LAB_EXIT_WRONG = 1, LAB_EXIT_CANNOT = 2 };

/* Every CUDA call is checked, and a failure says where. LAB_TRY is for the machine's failures,
 * LAB_TRY_KERNEL for those that the kernel brings about. */
#define LAB_TRY(call) lab_check(call, #call, __FILE__, __LINE__, LAB_EXIT_CANNOT)
#define LAB_TRY_KERNEL(call) lab_check(call, #call, __FILE__, __LINE__, LAB_EXIT_WRONG)

static void lab_check(cudaError_t error, const char *call, const char *file, int line, int status)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
    if (status == LAB_EXIT_WRONG)
        fprintf(stderr, "The kernel failed: compute-sanitizer names the access and the thread.\n");
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver)
        fprintf(stderr, "This program needs an NVIDIA GPU and its driver. Without one: "
                        "build/tlab run FILE.cu --device h200\n");
    exit(status);
}

/* The matrices: rows x cols on the way in; the reference decides the shape of the output. */
struct lab_size {
    size_t rows, cols;
};

/* References: where the element that belongs at row r, column c of the output comes from, as an
 * index into the input. `in` is the input's size, t the side of a tile. */
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

/* What each exercise must compute: from the labs' manifests. */
struct lab_rule {
    const char *exercise, *reference;
    size_t (*source)(lab_size in, size_t t, size_t r, size_t c);
    bool keeps_shape, whole_tiles;
    size_t tile;
};
enum { lab_sizes_any = false, lab_sizes_tiles = true };
#define LAB_RULE(exercise, reference, sizes, tile)                                                 \
    {exercise,          #reference, lab_source_##reference, lab_keeps_shape_##reference,           \
     lab_sizes_##sizes, tile},
static const lab_rule lab_rules[] = {LAB_REFERENCES(LAB_RULE)};

/* The side of a tile: the manifest's, unless -DTILE_DIM=... asks for another. */
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
    fprintf(stderr, "LAB(%s) names no exercise of this course. There are:", exercise);
    for (const lab_rule &rule : lab_rules)
        fprintf(stderr, " %s", rule.exercise);
    fprintf(stderr, "\n");
    exit(LAB_EXIT_CANNOT);
}

/* Input element i is the float whose bits are LAB_FIRST + i: all different, none a NaN, and a wrong
 * element of the output tells where it came from. */
static const uint32_t LAB_FIRST = 0x00800000;
static const size_t LAB_MAX_ELEMENTS = 0x7f800000 - LAB_FIRST;
/* The output starts with all bits set, which is a NaN. */
static const uint32_t LAB_POISON = 0xffffffff;

static size_t lab_read_size(const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || *end || end == text || value < 1 || (unsigned long long)value > LAB_MAX_ELEMENTS) {
        fprintf(stderr, "not a number of rows or columns: '%s'\n", text);
        exit(LAB_EXIT_CANNOT);
    }
    return (size_t)value;
}

static lab_size lab_read_arguments(int argc, char **argv, const lab_rule &rule)
{
    if (argc > 3) {
        fprintf(stderr, "usage: %s [rows [cols]]\n", argv[0]);
        exit(LAB_EXIT_CANNOT);
    }
    lab_size size = {8192, 8192};
    if (argc > 1)
        size.rows = size.cols = lab_read_size(argv[1]);
    if (argc > 2)
        size.cols = lab_read_size(argv[2]);
    if (size.rows > LAB_MAX_ELEMENTS / size.cols) {
        fprintf(stderr, "%zu x %zu is more than the %zu elements that this program checks\n",
                size.rows, size.cols, LAB_MAX_ELEMENTS);
        exit(LAB_EXIT_CANNOT);
    }
    if (rule.whole_tiles && (size.rows % lab_tile(rule) || size.cols % lab_tile(rule))) {
        fprintf(stderr, "%s takes whole tiles: rows and columns must be multiples of %zu\n",
                lab_exercise, lab_tile(rule));
        exit(LAB_EXIT_CANNOT);
    }
    return size;
}

/* Start the kernel `repeats` times; with LAB_LOOP, once, with the repetition inside. */
static void lab_start(const lab_shape &shape, float *odata, const float *idata, lab_size size,
                      int repeats)
{
    int width = (int)size.cols, height = (int)size.rows;
#ifdef LAB_LOOP
    lab_loop<<<shape.grid, shape.block, shape.shared_bytes>>>(odata, idata, width, height, repeats);
#else
    for (int i = 0; i < repeats; i++)
        transpose<<<shape.grid, shape.block, shape.shared_bytes>>>(odata, idata, width, height);
#endif
    LAB_TRY_KERNEL(cudaGetLastError());
}

/* More than 48 KB of dynamic shared memory must be asked for. */
static void lab_allow_shared(const lab_shape &shape)
{
    if (shape.shared_bytes <= 48 * 1024)
        return;
#ifdef LAB_LOOP
    const void *kernel = (const void *)lab_loop;
#else
    const void *kernel = (const void *)transpose;
#endif
    LAB_TRY_KERNEL(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)shape.shared_bytes));
}

static void lab_describe(uint32_t bits, lab_size in)
{
    size_t index = (size_t)bits - LAB_FIRST;
    if (bits == LAB_POISON)
        printf("was never written\n");
    else if (bits >= LAB_FIRST && index < in.rows * in.cols)
        printf("holds idata[%zu][%zu]\n", index / in.cols, index % in.cols);
    else
        printf("holds bits %08x, which are nowhere in idata\n", bits);
}

/* True if the output is what the reference asks for; else says what the first wrong element is. */
static bool lab_verify(const lab_rule &rule, lab_size in, const uint32_t *output)
{
    lab_size out = rule.keeps_shape ? in : lab_size{in.cols, in.rows};
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
    if (wrong)
        printf("%s: WRONG: %zu of %zu elements differ from the reference '%s'\n", lab_exercise,
               wrong, in.rows * in.cols, rule.reference);
    return wrong == 0;
}

/* Median time of one run, in seconds. */
static double lab_time(const lab_shape &shape, float *odata, const float *idata, lab_size size)
{
    enum { ROUNDS = 11, REPEATS = 10 };
    cudaEvent_t start, stop;
    double seconds[ROUNDS];

    LAB_TRY(cudaEventCreate(&start));
    LAB_TRY(cudaEventCreate(&stop));
    for (int round = 0; round < ROUNDS; round++) {
        float milliseconds;
        LAB_TRY(cudaEventRecord(start));
        lab_start(shape, odata, idata, size, REPEATS);
        LAB_TRY(cudaEventRecord(stop));
        LAB_TRY_KERNEL(cudaEventSynchronize(stop));
        LAB_TRY(cudaEventElapsedTime(&milliseconds, start, stop));
        seconds[round] = milliseconds / 1e3 / REPEATS;
    }
    LAB_TRY(cudaEventDestroy(start));
    LAB_TRY(cudaEventDestroy(stop));
    std::sort(seconds, seconds + ROUNDS);
    return seconds[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    const lab_rule &rule = lab_find_rule(lab_exercise);
    lab_size size = lab_read_arguments(argc, argv, rule);
    size_t count = size.rows * size.cols, bytes = count * sizeof(float);
    cudaDeviceProp device;
    float *odata, *idata;

    LAB_TRY(cudaGetDeviceProperties(&device, 0));
    uint32_t *host = (uint32_t *)malloc(bytes);
    if (!host) {
        fprintf(stderr, "no memory for a matrix of %zu bytes\n", bytes);
        return LAB_EXIT_CANNOT;
    }
    for (size_t i = 0; i < count; i++)
        host[i] = LAB_FIRST + (uint32_t)i;
    LAB_TRY(cudaMalloc(&idata, bytes));
    LAB_TRY(cudaMalloc(&odata, bytes));
    LAB_TRY(cudaMemcpy(idata, host, bytes, cudaMemcpyHostToDevice));
    LAB_TRY(cudaMemset(odata, 0xff, bytes));

    lab_shape shape = lab_launch((int)size.cols, (int)size.rows);
    lab_allow_shared(shape);
    lab_start(shape, odata, idata, size, 1);
    LAB_TRY_KERNEL(cudaDeviceSynchronize());
    LAB_TRY(cudaMemcpy(host, odata, bytes, cudaMemcpyDeviceToHost));
    bool right = lab_verify(rule, size, host);
    if (right) {
        double seconds = lab_time(shape, odata, idata, size);
        printf("%s: right, %zu x %zu on %s: %.1f us, %.1f GB/s\n", lab_exercise, size.rows,
               size.cols, device.name, seconds * 1e6, 2.0 * (double)bytes / seconds / 1e9);
    }
    LAB_TRY(cudaFree(odata));
    LAB_TRY(cudaFree(idata));
    free(host);
    return right ? 0 : LAB_EXIT_WRONG;
}

#endif
