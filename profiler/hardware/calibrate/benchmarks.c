/* benchmarks.c: see benchmarks.h.
 *
 * Theory of operation. Each row is the median time of REPEATS launches between two events. Before
 * each, the L2 is flushed by a memset and a read sweep, except where the data are meant to stay in
 * it; neither is waited for, so the GPU does not idle between event and kernel. A child drives the
 * GPU, so that this process never initialises CUDA and may go on to fork (gpu/gpu_runner.h); it
 * reports why it failed through a pipe.
 */
#define _GNU_SOURCE
#include "calibrate/benchmarks.h"

#include "base/whole_file.h"
#include "calibrate/measurements.h"
#include "gpu/driver.h"
#include "gpu/gpu_kernels.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    REPEATS = 15,
    THREADS = 256,      /* of a block, where nothing else is said */
    TILE_ROWS = 8,      /* rows of threads of a tile's block, as in benchmarks.cu */
    BANK_ROUNDS = 2000, /* likewise */
    CHASE_STEPS = 20000,
    L2_WORDS = 1 << 22, /* 16 MB that stay in the L2, where it is larger than that */
    SWEEP_BLOCKS = 1024,
    /* Of shared memory that is handed out to let few blocks be resident: not all, or one would
     * not fit. */
    SHARED_SPARE = 8192,
    FEW_RESIDENT_MAX = 16
};

/* Of the two large buffers; less where memory is small. */
static const size_t buffer_most = (size_t)1 << 30, flush_most = (size_t)512 << 20;

struct bench {
    const struct gpu_facts *facts;
    struct driver driver;
    driver_context context;
    driver_module module;
    driver_address in, out, flush;
    driver_event begin, end;
    size_t buffer, flush_bytes; /* `in` and `out` have as many bytes each */
    FILE *csv, *progress;
    struct failure *failure;
};

/* A launch, with the addresses of its arguments. */
struct shot {
    const char *kernel;
    unsigned blocks, block_x, block_y, shared;
    void *parameters[6];
};

static bool check(struct bench *bench, int code, const char *what)
{
    return driver_check(&bench->driver, code, what, bench->failure);
}

/* ---- one row ---- */

static bool find(struct bench *bench, const struct shot *shot, driver_function *function)
{
    const struct driver *driver = &bench->driver;
    char what[96];
    snprintf(what, sizeof what, "find the microbenchmark %s", shot->kernel);
    return check(bench, driver->module_function(function, bench->module, shot->kernel), what) &&
           (!shot->shared ||
            check(bench,
                  driver->function_set(*function, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED,
                                       (int)shot->shared),
                  "ask for dynamic shared memory"));
}

static bool start(struct bench *bench, driver_function function, const struct shot *shot)
{
    char what[96];
    snprintf(what, sizeof what, "launch the microbenchmark %s", shot->kernel);
    return check(bench,
                 bench->driver.launch(function, shot->blocks, 1, 1, shot->block_x,
                                      shot->block_y ? shot->block_y : 1, 1, shot->shared, NULL,
                                      (void **)shot->parameters, NULL),
                 what);
}

static bool launch(struct bench *bench, const struct shot *shot)
{
    driver_function function;
    return find(bench, shot, &function) && start(bench, function, shot);
}

static bool flush(struct bench *bench)
{
    uint64_t quads = bench->flush_bytes / 16;
    struct shot sweep = {.kernel = "sweep",
                         .blocks = SWEEP_BLOCKS,
                         .block_x = THREADS,
                         .parameters = {&bench->flush, &quads, &bench->flush}};
    return check(bench, bench->driver.fill_words(bench->flush, 0, bench->flush_bytes / 4),
                 "flush the L2") &&
           launch(bench, &sweep);
}

static int compare_times(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

/* The median of REPEATS launches, behind one that warms up. */
static bool time_shot(struct bench *bench, const struct shot *shot, bool cold, double *us)
{
    const struct driver *driver = &bench->driver;
    float times[REPEATS + 1];
    driver_function function;
    if (!find(bench, shot, &function))
        return false;
    for (int i = 0; i <= REPEATS; i++)
        if ((cold && !flush(bench)) ||
            !check(bench, driver->event_record(bench->begin, NULL), "record an event") ||
            !start(bench, function, shot) ||
            !check(bench, driver->event_record(bench->end, NULL), "record an event") ||
            !check(bench, driver->synchronize(), "run a microbenchmark") ||
            !check(bench, driver->event_elapsed(&times[i], bench->begin, bench->end),
                   "read the time between events"))
            return false;
    qsort(times + 1, REPEATS, sizeof *times, compare_times);
    *us = 1e3 * (double)times[1 + REPEATS / 2];
    return true;
}

static bool write_row(struct bench *bench, const struct measurement *row)
{
    return measurement_write(bench->csv, row) ||
           failure_harness(bench->failure, "cannot write the measurements: %s", strerror(errno));
}

/* Time a launch, and write its row. */
static bool measure(struct bench *bench, const struct shot *shot, bool cold, struct measurement row)
{
    return time_shot(bench, shot, cold, &row.us) && write_row(bench, &row);
}

/* ---- the microbenchmarks ---- */

static bool measure_facts(struct bench *bench)
{
    const struct gpu_facts *facts = bench->facts;
    struct measurement row = {.what = "name"};
    snprintf(row.form, sizeof row.form, "%.*s", (int)strcspn(facts->name, ",\"\r\n"), facts->name);
    const struct {
        const char *name;
        double value;
    } attributes[] = {{"compute_capability", facts->compute_capability},
                      {"driver_version", facts->driver_version},
                      {"memory_bytes", (double)facts->memory_bytes},
                      {"memory_bus_bits", facts->memory_bus_bits},
                      {"clock_khz", 1e3 * facts->clock_mhz},
                      {"dram_mbps", 1e3 * facts->dram_gbps},
#define X(field, attribute) {#field, (double)facts->field},
                      GPU_LIMITS(X)
#undef X
    };
    if (!write_row(bench, &row))
        return false;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        row = (struct measurement){.what = "attribute", .work = attributes[i].value};
        snprintf(row.form, sizeof row.form, "%s", attributes[i].name);
        if (!write_row(bench, &row))
            return false;
    }
    return true;
}

static bool measure_launches(struct bench *bench)
{
    struct shot shot = {.kernel = "empty", .blocks = 1, .block_x = 32};
    struct measurement row = {.what = "launch", .form = "empty", .a = 1, .b = 1};
    static const unsigned blocks[] = {1056, 65536, 262144};
    if (!measure(bench, &shot, false, row) || !measure(bench, &shot, true, row))
        return false;
    shot.block_x = THREADS;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        row.a = shot.blocks = blocks[i];
        row.b = 8;
        row.work = blocks[i];
        if (!measure(bench, &shot, true, row))
            return false;
    }
    return true;
}

/* One thread's chain through so much memory; in the L2 where that is at most a third of it. */
static bool measure_latency(struct bench *bench, size_t bytes)
{
    uint64_t lines = bytes / 128, quads = bytes / 16;
    int steps = CHASE_STEPS;
    bool resident = bytes <= bench->facts->l2_bytes / 3;
    struct shot chain = {.kernel = "chain",
                         .blocks = SWEEP_BLOCKS,
                         .block_x = THREADS,
                         .parameters = {&bench->in, &lines}},
                sweep = {.kernel = "sweep",
                         .blocks = SWEEP_BLOCKS,
                         .block_x = THREADS,
                         .parameters = {&bench->in, &quads, &bench->out}},
                chase = {.kernel = "chase",
                         .blocks = 1,
                         .block_x = 1,
                         .parameters = {&bench->in, &steps, &bench->out}};
    struct measurement row = {
        .what = "latency", .a = (long)(bytes >> 20), .b = 1, .work = CHASE_STEPS};
    snprintf(row.form, sizeof row.form, "%s", resident ? "l2" : "dram");
    return bytes > bench->buffer ||
           (launch(bench, &chain) && (!resident || launch(bench, &sweep)) &&
            measure(bench, &chase, !resident, row));
}

/* How much dynamic shared memory lets so many blocks of `fixed` bytes be on an SM together; 0:
 * no more than these anyhow. */
static unsigned shared_for(const struct bench *bench, unsigned resident, unsigned threads,
                           unsigned fixed)
{
    const struct gpu_facts *facts = bench->facts;
    uint64_t most = facts->max_threads_per_sm / threads;
    uint64_t each = (facts->shared_per_sm - SHARED_SPARE) / resident;
    uint64_t taken = facts->shared_reserved_per_block + fixed;
    uint64_t bytes = each > taken ? each - taken : 0;
    return resident >= most ? 0
                            : (unsigned)(bytes < facts->shared_per_block_optin - fixed
                                             ? bytes
                                             : facts->shared_per_block_optin - fixed);
}

static const struct copy_form {
    unsigned bytes, loads;
} copy_forms[] = {{4, 1}, {4, 2}, {4, 4}, {4, 8}, {8, 1}, {16, 1}, {16, 2}, {16, 4}};

static bool measure_copy(struct bench *bench, const struct copy_form *form, bool in_turn,
                         unsigned resident, size_t bytes)
{
    struct measurement row = {
        .what = "copy", .a = form->loads, .b = resident, .work = 2.0 * (double)bytes};
    char kernel[80];
    snprintf(row.form, sizeof row.form, "%s_%uB_%u", in_turn ? "in_turn" : "restrict", form->bytes,
             form->loads);
    snprintf(kernel, sizeof kernel, "copy_%s", row.form);
    struct shot shot = {.kernel = kernel,
                        .blocks = (unsigned)(bytes / form->bytes / THREADS / form->loads),
                        .block_x = THREADS,
                        .shared = shared_for(bench, resident, THREADS, 0),
                        .parameters = {&bench->out, &bench->in}};
    return measure(bench, &shot, true, row);
}

/* How many blocks of so many threads are to be resident: a few, and as many as fit. */
static unsigned residents(const struct bench *bench, unsigned threads,
                          unsigned list[FEW_RESIDENT_MAX])
{
    static const unsigned few[] = {1, 2, 4, 6};
    unsigned most = (unsigned)(bench->facts->max_threads_per_sm / threads), count = 0;
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        if (few[i] < most)
            list[count++] = few[i];
    list[count++] = most;
    return count;
}

static bool measure_copies(struct bench *bench)
{
    const size_t bytes = bench->buffer < ((size_t)256 << 20) ? bench->buffer : (size_t)256 << 20;
    unsigned list[FEW_RESIDENT_MAX], count = residents(bench, THREADS, list);
    for (unsigned i = 0; i < count; i++)
        for (size_t form = 0; form < sizeof copy_forms / sizeof *copy_forms; form++)
            for (int in_turn = 1; in_turn >= 0; in_turn--)
                if (!measure_copy(bench, &copy_forms[form], in_turn, list[i], bytes))
                    return false;
    /* The same copy of less and more, which tells what a launch costs. */
    for (size_t size = (size_t)16 << 20; size <= bench->buffer; size *= 2)
        if (size != bytes && !measure_copy(bench, &copy_forms[5], false, list[count - 1], size))
            return false;
    return true;
}

static const char *const order_names[] = {"cartesian", "swapped",  "diagonal",
                                          "squares4",  "squares8", "squares16"};
enum { ORDERS = sizeof order_names / sizeof *order_names };

static bool measure_tiles(struct bench *bench, int n, int side, int order, bool copy,
                          unsigned resident)
{
    struct measurement row = {.a = n, .b = resident, .work = 8.0 * n * n};
    char kernel[80];
    snprintf(row.what, sizeof row.what, "%s", side == 32 ? "tiles" : "tiles64");
    snprintf(row.form, sizeof row.form, "%s_%s", copy ? "copy" : "transpose", order_names[order]);
    snprintf(kernel, sizeof kernel, "tiles_%s_%d", copy ? "copy" : "transpose", side);
    struct shot shot = {.kernel = kernel,
                        .blocks = (unsigned)(n / side) * (unsigned)(n / side),
                        .block_x = (unsigned)side,
                        .block_y = TILE_ROWS,
                        .shared = shared_for(bench, resident, (unsigned)side * TILE_ROWS,
                                             (unsigned)(side * (side + 1)) * 4),
                        .parameters = {&bench->out, &bench->in, &n, &order}};
    return 4.0 * n * n > (double)bench->buffer || measure(bench, &shot, true, row);
}

static bool measure_all_tiles(struct bench *bench)
{
    unsigned list[FEW_RESIDENT_MAX], count = residents(bench, THREADS, list),
                                     most = list[count - 1];
    unsigned most64 = (unsigned)(bench->facts->max_threads_per_sm / 512);
    for (int n = 2048; n <= 16384; n *= 2)
        for (int order = 0; order < ORDERS; order++)
            for (int copy = 0; copy < 2; copy++)
                if (!measure_tiles(bench, n, 32, order, copy, most))
                    return false;
    for (int n = 4096; n <= 16384; n *= 2)
        for (int order = 0; order < 2; order++)
            for (int copy = 0; copy < 2; copy++)
                if (!measure_tiles(bench, n, 64, order, copy, most64))
                    return false;
    for (unsigned i = 0; i + 1 < count; i++)
        for (int copy = 0; copy < 2; copy++)
            if (!measure_tiles(bench, 8192, 32, 0, copy, list[i]))
                return false;
    return true;
}

/* Pieces of so many bytes, permuted over so much memory. */
static bool measure_piece(struct bench *bench, unsigned bytes, int permute, size_t span)
{
    static const char *const forms[] = {"neither", "reads", "writes", "both"};
    bool all = span == bench->buffer;
    int shift = 0;
    while (16u << shift < bytes)
        shift++;
    uint64_t mask = (span / 16 >> shift) - 1;
    struct measurement row = {
        .a = all ? (long)bytes : (long)(span >> 20), .b = 8, .work = 2.0 * (double)bench->buffer};
    snprintf(row.what, sizeof row.what, "%s", all ? "pieces" : "pages");
    snprintf(row.form, sizeof row.form, "%s", forms[permute]);
    struct shot shot = {.kernel = "pieces",
                        .blocks = (unsigned)(bench->buffer / 16 / THREADS),
                        .block_x = THREADS,
                        .parameters = {&bench->out, &bench->in, &shift, &mask, &permute}};
    return measure(bench, &shot, true, row);
}

static bool measure_pieces(struct bench *bench)
{
    for (unsigned bytes = 128; bytes <= 4 << 20; bytes *= 2)
        for (int permute = 1; permute < 4; permute++)
            if (!measure_piece(bench, bytes, permute, bench->buffer))
                return false;
    if (!measure_piece(bench, 128, 0, bench->buffer))
        return false;
    for (size_t mb = 2; mb << 20 < bench->buffer; mb *= 4)
        for (int permute = 1; permute < 4; permute++)
            if (!measure_piece(bench, 4096, permute, mb << 20))
                return false;
    return true;
}

/* Reads alone and writes alone; nothing is fitted to them. */
static bool measure_one_way(struct bench *bench)
{
    uint64_t quads = bench->buffer / 16;
    struct shot read = {.kernel = "sweep",
                        .blocks = (unsigned)(32 * bench->facts->multiprocessors),
                        .block_x = THREADS,
                        .parameters = {&bench->in, &quads, &bench->out}},
                fill = {.kernel = "fill",
                        .blocks = (unsigned)(quads / THREADS),
                        .block_x = THREADS,
                        .parameters = {&bench->out}};
    struct measurement row = {
        .what = "dram", .form = "read", .a = 16, .b = 8, .work = (double)bench->buffer};
    if (!measure(bench, &read, true, row))
        return false;
    snprintf(row.form, sizeof row.form, "write");
    return measure(bench, &fill, true, row);
}

/* Wavefronts of one SM; the clocks of block 0 stand in the fourth column. */
static bool measure_banks(struct bench *bench)
{
    enum { RESIDENT = 4 };
    for (int stride = 0; stride <= 32; stride = stride ? 2 * stride : 1) {
        struct measurement row = {
            .what = "banks",
            .form = "loads",
            .a = stride,
            .work = (double)BANK_ROUNDS * RESIDENT * (THREADS / 32) * (stride ? stride : 1),
        };
        struct shot shot = {.kernel = "banks",
                            .blocks = (unsigned)(bench->facts->multiprocessors * RESIDENT),
                            .block_x = THREADS,
                            .parameters = {&stride, &bench->out, &bench->in}};
        int64_t clocks = 0;
        if (!time_shot(bench, &shot, true, &row.us) ||
            !check(bench, bench->driver.copy_out(&clocks, bench->in, sizeof clocks),
                   "read the clocks"))
            return false;
        row.b = (long)clocks;
        if (!write_row(bench, &row))
            return false;
    }
    return true;
}

/* Words stored down the columns of rows of so many words, 256 MB in all. */
static bool measure_columns(struct bench *bench, unsigned pitch)
{
    size_t most = bench->buffer < ((size_t)256 << 20) ? bench->buffer : (size_t)256 << 20;
    unsigned down = (unsigned)(most / (32 * 4 * (size_t)pitch));
    struct shot columns = {.kernel = "columns",
                           .blocks = down * (pitch / 8),
                           .block_x = THREADS,
                           .parameters = {&bench->out, &pitch}};
    struct measurement row = {.what = "l2_lines",
                              .form = "stores_missing",
                              .a = (long)pitch,
                              .b = 8,
                              .work = 32.0 * 8 * columns.blocks};
    return measure(bench, &columns, true, row);
}

static bool measure_l2(struct bench *bench)
{
    unsigned words = L2_WORDS, blocks = (unsigned)(8 * bench->facts->multiprocessors);
    while (words * 4 > bench->facts->l2_bytes / 3)
        words /= 2;
    for (int stride = 1; stride <= 64; stride *= 2)
        for (int store = 0; store < 2; store++) {
            int rounds = stride > 1 ? 128 : 1024;
            struct shot shot = {.kernel = "strided",
                                .blocks = blocks,
                                .block_x = THREADS,
                                .parameters = {&bench->out, &stride, &rounds, &store, &words}};
            struct measurement row = {
                .what = "l2_lines",
                .a = stride,
                .b = 8,
                .work = (double)blocks * 8 * rounds * (stride >= 32 ? 32 : stride),
            };
            snprintf(row.form, sizeof row.form, "%s", store ? "stores" : "loads");
            if (!measure(bench, &shot, false, row))
                return false;
        }
    return measure_columns(bench, 20000) && measure_columns(bench, 8192);
}

static const struct {
    const char *name;
    bool (*measure)(struct bench *);
} parts[] = {
    {"attributes of the driver", measure_facts},
    {"launches", measure_launches},
    {"copies, by bytes in flight", measure_copies},
    {"tiles, by their order", measure_all_tiles},
    {"DRAM, by the order of addresses", measure_pieces},
    {"DRAM, reads and writes alone", measure_one_way},
    {"shared memory", measure_banks},
    {"L2", measure_l2},
};

static bool measure_all(struct bench *bench)
{
    enum { SMALLEST_MB = 1, LARGEST_MB = 512 };
    if (!measurements_write_header(bench->csv))
        return failure_harness(bench->failure, "cannot write the measurements: %s",
                               strerror(errno));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (bench->progress)
            fprintf(bench->progress, "measuring: %s\n", parts[i].name);
        if (!parts[i].measure(bench))
            return false;
    }
    for (size_t mb = SMALLEST_MB; mb <= LARGEST_MB; mb *= 2)
        if (!measure_latency(bench, mb << 20))
            return false;
    return true;
}

/* ---- the device ---- */

static bool allocate(struct bench *bench)
{
    const struct driver *driver = &bench->driver;
    bench->buffer = buffer_most;
    bench->flush_bytes = flush_most;
    while (2 * bench->buffer + bench->flush_bytes > bench->facts->memory_bytes / 4 * 3) {
        bench->buffer /= 2;
        bench->flush_bytes /= 2;
    }
    return check(bench, driver->allocate(&bench->in, bench->buffer),
                 "allocate memory of the GPU") &&
           check(bench, driver->allocate(&bench->out, bench->buffer),
                 "allocate memory of the GPU") &&
           check(bench, driver->allocate(&bench->flush, bench->flush_bytes),
                 "allocate memory of the GPU") &&
           check(bench, driver->fill_words(bench->in, 0, bench->buffer / 4),
                 "fill memory of the GPU") &&
           check(bench, driver->fill_words(bench->out, 0, bench->buffer / 4),
                 "fill memory of the GPU") &&
           check(bench, driver->event_create(&bench->begin, 0), "make an event") &&
           check(bench, driver->event_create(&bench->end, 0), "make an event");
}

/* In the child, whose end releases everything. */
static bool drive(struct bench *bench, const struct benchmarks_image *image)
{
    const struct driver *driver = &bench->driver;
    driver_device device;
    return driver_open(&bench->driver, bench->failure) &&
           driver_start(&bench->driver, bench->facts->ordinal, &device, bench->failure) &&
           check(bench, driver->context_retain(&bench->context, device),
                 "make a context on the GPU") &&
           check(bench, driver->context_set(bench->context), "use the GPU") &&
           check(bench, driver->module_load(&bench->module, image->bytes, 0, NULL, NULL),
                 "load the microbenchmarks") &&
           allocate(bench) && measure_all(bench);
}

static _Noreturn void child_main(struct bench *bench, const struct benchmarks_image *image,
                                 int report, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    struct failure failure = {0};
    bench->failure = &failure;
    bool good = drive(bench, image) && fflush(bench->csv) == 0;
    if (!good && failure.kind == FAILURE_NONE)
        failure_harness(&failure, "cannot write the measurements: %s", strerror(errno));
    size_t length = strlen(failure.text);
    _exit(write(report, failure.text, length) == (ssize_t)length && good ? 0 : 1);
}

/* Wait for the child: what it reported, or how it ended. */
static bool await(pid_t child, int report, struct failure *failure)
{
    char text[FAILURE_TEXT_SIZE];
    size_t length = 0;
    ssize_t got;
    while (length + 1 < sizeof text &&
           ((got = read(report, text + length, sizeof text - 1 - length)) > 0 ||
            (got < 0 && errno == EINTR)))
        length += got > 0 ? (size_t)got : 0;
    text[length] = '\0';
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (length)
        return failure_harness(failure, "%s", text);
    if (WIFSIGNALED(status))
        return failure_harness(
            failure, "the process that runs the microbenchmarks was ended by signal %d (%s)",
            WTERMSIG(status), strsignal(WTERMSIG(status)));
    return status == 0 ||
           failure_harness(failure, "the process that runs the microbenchmarks ended early");
}

bool benchmarks_run(const struct gpu_facts *facts, const struct benchmarks_image *image,
                    FILE *progress, const char *path, struct failure *failure)
{
    struct bench bench = {.facts = facts, .progress = progress};
    struct whole_file file;
    int report[2];
    if (!whole_file_open(&file, path, failure))
        return false;
    if (pipe2(report, O_CLOEXEC)) {
        whole_file_drop(&file);
        return failure_harness(failure, "cannot make a pipe: %s", strerror(errno));
    }
    bench.csv = file.stream;
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (!child)
        child_main(&bench, image, report[1], parent);
    int error = errno;
    close(report[1]);
    bool good = child < 0 ? failure_harness(failure, "cannot start a process: %s", strerror(error))
                          : await(child, report[0], failure);
    close(report[0]);
    if (good)
        return whole_file_keep(&file, failure);
    whole_file_drop(&file);
    return false;
}
