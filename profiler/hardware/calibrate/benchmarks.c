/* Each row is the median time of REPEATS launches, measured by events. A memset and a read sweep
 * flush the L2 before each launch, unless the data must stay in the L2. The host does not wait for
 * the flush, so that the GPU is not idle between the first event and the kernel. */
#include "hardware/calibrate/benchmarks.h"

#include "base/whole_file.h"
#include "hardware/calibrate/measurements.h"
#include "hardware/gpu/gpu_session.h"
#include "process/child.h"
#include "process/frame.h"

#include <errno.h>
#include <string.h>

enum {
    REPEATS = 15,
    THREADS = 256,
    TILE_ROWS = 8,      /* Rows of threads per tile, as in benchmarks.cu. */
    BANK_ROUNDS = 2000, /* Iterations of the loop in the bank kernels, as in benchmarks.cu. */
    CHASE_STEPS = 20000,
    L2_WORDS = 1 << 22, /* Maximum size, in words, of an array that stays in the L2. */
    SWEEP_BLOCKS = 1024,
    SHARED_SPARE = 8192,
    FEW_RESIDENT_MAX = 16
};

/* Maximum bytes of each buffer. Buffers are smaller on a GPU with little memory. */
static const size_t buffer_most = (size_t)1 << 30, flush_most = (size_t)512 << 20;

struct bench {
    const struct gpu_facts *facts;
    const void *image;
    struct driver driver;
    driver_context context;
    driver_module module;
    driver_address in, out, flush;
    driver_event begin, end;
    size_t buffer, flush_bytes;
    FILE *csv, *progress;
    struct failure *failure;
};

struct shot {
    const char *kernel;
    unsigned blocks, block_x, block_y, shared;
    void *parameters[6];
};

#define SHOT(name, grid, block, ...)                                                               \
    {                                                                                              \
        .kernel = name, .blocks = grid, .block_x = block, .parameters = { __VA_ARGS__ }            \
    }

#define BENCH_TRY(call, what) driver_check(&bench->driver, bench->driver.call, what, bench->failure)

static bool find(struct bench *bench, const struct shot *shot, driver_function *function)
{
    char what[96];
    snprintf(what, sizeof what, "find the microbenchmark %s", shot->kernel);
    return BENCH_TRY(module_function(function, bench->module, shot->kernel), what) &&
           (!shot->shared || BENCH_TRY(function_set(*function, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED,
                                                    (int)shot->shared),
                                       "request dynamic shared memory"));
}

static bool start(struct bench *bench, driver_function function, const struct shot *shot)
{
    char what[96];
    snprintf(what, sizeof what, "launch the microbenchmark %s", shot->kernel);
    return BENCH_TRY(launch(function, shot->blocks, 1, 1, shot->block_x,
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
    struct shot sweep = SHOT("sweep", SWEEP_BLOCKS, THREADS, &bench->flush, &quads, &bench->flush);
    return BENCH_TRY(fill_words(bench->flush, 0, bench->flush_bytes / 4), "flush the L2") &&
           launch(bench, &sweep);
}

static bool time_shot(struct bench *bench, const struct shot *shot, bool cold, double *us)
{
    double times[REPEATS + 1];
    float milliseconds = 0;
    driver_function function;
    if (!find(bench, shot, &function))
        return false;
    for (int i = 0; i <= REPEATS; i++) {
        if ((cold && !flush(bench)) ||
            !BENCH_TRY(event_record(bench->begin, NULL), "record an event") ||
            !start(bench, function, shot) ||
            !BENCH_TRY(event_record(bench->end, NULL), "record an event") ||
            !BENCH_TRY(synchronize(), "run a microbenchmark") ||
            !BENCH_TRY(event_elapsed(&milliseconds, bench->begin, bench->end),
                       "read the time between events"))
            return false;
        times[i] = 1e3 * (double)milliseconds;
    }
    *us = gpu_quantile(times + 1, REPEATS, 0.5);
    return true;
}

static bool has_failed(const struct bench *bench)
{
    return bench->failure->kind != FAILURE_NONE;
}

static struct measurement row_of(const char *what, const char *form, long a, long b, double work)
{
    struct measurement row = {.a = a, .b = b, .work = work};
    snprintf(row.what, sizeof row.what, "%s", what);
    snprintf(row.form, sizeof row.form, "%s", form);
    return row;
}

static void write_row(struct bench *bench, struct measurement row)
{
    if (!has_failed(bench) && !measurement_write(bench->csv, &row))
        failure_harness(bench->failure, "cannot write the measurements: %s", strerror(errno));
}

static void measure(struct bench *bench, const struct shot *shot, bool cold, struct measurement row)
{
    if (!has_failed(bench) && time_shot(bench, shot, cold, &row.us))
        write_row(bench, row);
}

static void measure_facts(struct bench *bench)
{
    const struct gpu_facts *facts = bench->facts;
    char name[sizeof facts->name];
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
    snprintf(name, sizeof name, "%.*s", (int)strcspn(facts->name, ",\"\r\n"), facts->name);
    write_row(bench, row_of("name", name, 0, 0, 0));
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        write_row(bench, row_of("attribute", attributes[i].name, 0, 0, attributes[i].value));
}

static void measure_launches(struct bench *bench)
{
    static const unsigned blocks[] = {1056, 65536, 262144};
    struct shot shot = SHOT("empty", 1, 32, NULL);
    measure(bench, &shot, false, row_of("launch", "empty", 1, 1, 0));
    measure(bench, &shot, true, row_of("launch", "empty", 1, 1, 0));
    shot.block_x = THREADS;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        shot.blocks = blocks[i];
        measure(bench, &shot, true, row_of("launch", "empty", blocks[i], 8, blocks[i]));
    }
}

/* Measure a chain of loads. Data of at most a third of the L2's size stay in the L2. */
static void measure_latency(struct bench *bench, size_t bytes)
{
    uint64_t lines = bytes / 128, quads = bytes / 16;
    int steps = CHASE_STEPS;
    bool resident = bytes <= bench->facts->l2_bytes / 3;
    struct shot chain = SHOT("chain", SWEEP_BLOCKS, THREADS, &bench->in, &lines),
                sweep = SHOT("sweep", SWEEP_BLOCKS, THREADS, &bench->in, &quads, &bench->out),
                chase = SHOT("chase", 1, 1, &bench->in, &steps, &bench->out);
    if (bytes <= bench->buffer && !has_failed(bench) && launch(bench, &chain) &&
        (!resident || launch(bench, &sweep)))
        measure(bench, &chase, !resident,
                row_of("latency", resident ? "l2" : "dram", (long)(bytes >> 20), 1, CHASE_STEPS));
}

/* Returns the bytes of dynamic shared memory that limit an SM to `resident` blocks; 0 if no limit
 * is necessary. `fixed` is the static shared memory of a block in bytes. */
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

static void measure_copy(struct bench *bench, const struct copy_form *form, bool in_turn,
                         unsigned resident, size_t bytes)
{
    char kernel[80] = "copy_", *name = kernel + strlen("copy_");
    snprintf(name, sizeof kernel - strlen("copy_"), "%s_%uB_%u", in_turn ? "in_turn" : "restrict",
             form->bytes, form->loads);
    struct shot shot = SHOT(kernel, (unsigned)(bytes / form->bytes / THREADS / form->loads),
                            THREADS, &bench->out, &bench->in);
    shot.shared = shared_for(bench, resident, THREADS, 0);
    measure(bench, &shot, true, row_of("copy", name, form->loads, resident, 2.0 * (double)bytes));
}

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

static void measure_copies(struct bench *bench)
{
    const size_t bytes = bench->buffer < ((size_t)256 << 20) ? bench->buffer : (size_t)256 << 20;
    unsigned list[FEW_RESIDENT_MAX], count = residents(bench, THREADS, list);
    for (unsigned i = 0; i < count; i++)
        for (size_t form = 0; form < sizeof copy_forms / sizeof *copy_forms; form++)
            for (int in_turn = 1; in_turn >= 0; in_turn--)
                measure_copy(bench, &copy_forms[form], in_turn, list[i], bytes);
    /* Of these copies, the fit uses those that are much larger than the L2. */
    for (size_t size = (size_t)16 << 20; size <= bench->buffer; size *= 2)
        if (size != bytes)
            measure_copy(bench, &copy_forms[5], false, list[count - 1], size);
}

static const char *const order_names[] = {"cartesian", "swapped",  "diagonal",
                                          "squares4",  "squares8", "squares16"};
enum { ORDERS = sizeof order_names / sizeof *order_names };

static void measure_tiles(struct bench *bench, int n, int side, int order, bool copy,
                          unsigned resident)
{
    const char *kind = copy ? "copy" : "transpose";
    const unsigned blocks = (unsigned)(n / side) * (unsigned)(n / side);
    char kernel[80], form[80];
    snprintf(form, sizeof form, "%s_%s", kind, order_names[order]);
    snprintf(kernel, sizeof kernel, "tiles_%s_%d", kind, side);
    struct shot shot = SHOT(kernel, blocks, (unsigned)side, &bench->out, &bench->in, &n, &order);
    shot.block_y = TILE_ROWS;
    shot.shared =
        shared_for(bench, resident, (unsigned)side * TILE_ROWS, (unsigned)(side * (side + 1)) * 4);
    if (4.0 * n * n <= (double)bench->buffer)
        measure(bench, &shot, true,
                row_of(side == 32 ? "tiles" : "tiles64", form, n, resident, 8.0 * n * n));
}

static void measure_all_tiles(struct bench *bench)
{
    unsigned list[FEW_RESIDENT_MAX], count = residents(bench, THREADS, list),
                                     most = list[count - 1];
    unsigned most64 = (unsigned)(bench->facts->max_threads_per_sm / 512);
    for (int n = 2048; n <= 16384; n *= 2)
        for (int order = 0; order < ORDERS; order++)
            for (int copy = 0; copy < 2; copy++)
                measure_tiles(bench, n, 32, order, copy, most);
    for (int n = 4096; n <= 16384; n *= 2)
        for (int order = 0; order < 2; order++)
            for (int copy = 0; copy < 2; copy++)
                measure_tiles(bench, n, 64, order, copy, most64);
    for (unsigned i = 0; i + 1 < count; i++)
        for (int copy = 0; copy < 2; copy++)
            measure_tiles(bench, 8192, 32, 0, copy, list[i]);
}

static void measure_piece(struct bench *bench, unsigned bytes, int permute, size_t span)
{
    static const char *const forms[] = {"neither", "reads", "writes", "both"};
    bool all = span == bench->buffer;
    int shift = 0;
    while (16u << shift < bytes)
        shift++;
    uint64_t mask = (span / 16 >> shift) - 1;
    struct shot shot = SHOT("pieces", (unsigned)(bench->buffer / 16 / THREADS), THREADS,
                            &bench->out, &bench->in, &shift, &mask, &permute);
    measure(bench, &shot, true,
            row_of(all ? "pieces" : "pages", forms[permute], all ? (long)bytes : (long)(span >> 20),
                   8, 2.0 * (double)bench->buffer));
}

static void measure_pieces(struct bench *bench)
{
    for (unsigned bytes = 128; bytes <= 4 << 20; bytes *= 2)
        for (int permute = 1; permute < 4; permute++)
            measure_piece(bench, bytes, permute, bench->buffer);
    measure_piece(bench, 128, 0, bench->buffer);
    for (size_t mb = 2; mb << 20 < bench->buffer; mb *= 4)
        for (int permute = 1; permute < 4; permute++)
            measure_piece(bench, 4096, permute, mb << 20);
}

/* Measure reads and writes alone. No parameter is fitted to these rows. */
static void measure_one_way(struct bench *bench)
{
    uint64_t quads = bench->buffer / 16;
    struct shot read = SHOT("sweep", (unsigned)(32 * bench->facts->multiprocessors), THREADS,
                            &bench->in, &quads, &bench->out),
                fill = SHOT("fill", (unsigned)(quads / THREADS), THREADS, &bench->out);
    measure(bench, &read, true, row_of("dram", "read", 16, 8, (double)bench->buffer));
    measure(bench, &fill, true, row_of("dram", "write", 16, 8, (double)bench->buffer));
}

/* Measure bank conflicts. Column `b` receives the clock cycles of block 0. */
static void measure_banks(struct bench *bench)
{
    enum { RESIDENT = 4 };
    const double work = (double)BANK_ROUNDS * RESIDENT * (THREADS / 32);
    for (int stride = 0; stride <= 32; stride = stride ? 2 * stride : 1) {
        struct shot shot = SHOT("banks", (unsigned)(bench->facts->multiprocessors * RESIDENT),
                                THREADS, &stride, &bench->out, &bench->in);
        struct measurement row = row_of("banks", "loads", stride, 0, work * (stride ? stride : 1));
        int64_t clocks = 0;
        if (has_failed(bench) || !time_shot(bench, &shot, true, &row.us) ||
            !BENCH_TRY(copy_out(&clocks, bench->in, sizeof clocks), "read the clocks"))
            return;
        row.b = (long)clocks;
        write_row(bench, row);
    }
}

static void measure_columns(struct bench *bench, unsigned pitch)
{
    size_t most = bench->buffer < ((size_t)256 << 20) ? bench->buffer : (size_t)256 << 20;
    unsigned down = (unsigned)(most / (32 * 4 * (size_t)pitch));
    struct shot columns = SHOT("columns", down * (pitch / 8), THREADS, &bench->out, &pitch);
    measure(bench, &columns, true,
            row_of("l2_lines", "stores_missing", (long)pitch, 8, 32.0 * 8 * columns.blocks));
}

static void measure_l2(struct bench *bench)
{
    unsigned words = L2_WORDS, blocks = (unsigned)(8 * bench->facts->multiprocessors);
    while (words * 4 > bench->facts->l2_bytes / 3)
        words /= 2;
    for (int stride = 1; stride <= 64; stride *= 2)
        for (int store = 0; store < 2; store++) {
            int rounds = stride > 1 ? 128 : 1024;
            struct shot shot =
                SHOT("strided", blocks, THREADS, &bench->out, &stride, &rounds, &store, &words);
            measure(bench, &shot, false,
                    row_of("l2_lines", store ? "stores" : "loads", stride, 8,
                           (double)blocks * 8 * rounds * (stride >= 32 ? 32 : stride)));
        }
    measure_columns(bench, 20000);
    measure_columns(bench, 8192);
}

static const struct {
    const char *name;
    void (*measure)(struct bench *);
} parts[] = {
    {"device attributes", measure_facts},
    {"launches", measure_launches},
    {"copies, by bytes in flight", measure_copies},
    {"tiles, by block order", measure_all_tiles},
    {"DRAM, by address order", measure_pieces},
    {"DRAM, only reads or only writes", measure_one_way},
    {"shared memory", measure_banks},
    {"L2", measure_l2},
};

static bool measure_all(struct bench *bench)
{
    enum { SMALLEST_MB = 1, LARGEST_MB = 512 };
    if (!measurements_write_header(bench->csv))
        failure_harness(bench->failure, "cannot write the measurements: %s", strerror(errno));
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !has_failed(bench); i++) {
        if (bench->progress)
            fprintf(bench->progress, "measuring: %s\n", parts[i].name);
        parts[i].measure(bench);
    }
    for (size_t mb = SMALLEST_MB; mb <= LARGEST_MB; mb *= 2)
        measure_latency(bench, mb << 20);
    return !has_failed(bench);
}

static bool allocate(struct bench *bench)
{
    bench->buffer = buffer_most;
    bench->flush_bytes = flush_most;
    while (2 * bench->buffer + bench->flush_bytes > bench->facts->memory_bytes / 4 * 3) {
        bench->buffer /= 2;
        bench->flush_bytes /= 2;
    }
    driver_address *const buffers[] = {&bench->in, &bench->out, &bench->flush};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        size_t bytes = buffers[i] == &bench->flush ? bench->flush_bytes : bench->buffer;
        if (!BENCH_TRY(allocate(buffers[i], bytes), "allocate GPU memory") ||
            !BENCH_TRY(fill_words(*buffers[i], 0, bytes / 4), "fill GPU memory"))
            return false;
    }
    return BENCH_TRY(event_create(&bench->begin, 0), "create an event") &&
           BENCH_TRY(event_create(&bench->end, 0), "create an event");
}

static bool drive(struct bench *bench)
{
    driver_device device;
    return driver_open(&bench->driver, bench->failure) &&
           driver_start(&bench->driver, bench->facts->ordinal, &device, bench->failure) &&
           BENCH_TRY(context_retain(&bench->context, device), "create a context on the GPU") &&
           BENCH_TRY(context_set(bench->context), "use the GPU") &&
           BENCH_TRY(module_load(&bench->module, bench->image, 0, NULL, NULL),
                     "load the microbenchmarks") &&
           allocate(bench) && measure_all(bench);
}

static int child_main(int channel, void *context)
{
    struct bench *bench = context;
    struct failure failure = {0};
    struct frame frame = {0};
    bench->failure = &failure;
    if ((!drive(bench) || fflush(bench->csv)) && failure.kind == FAILURE_NONE)
        failure_harness(&failure, "cannot write the measurements: %s", strerror(errno));
    frame_put_text(&frame, failure.text);
    return !frame_send(&frame, channel);
}

static bool await(struct child *child, struct failure *failure)
{
    struct frame frame = {0};
    struct frame_reader reader;
    size_t length = 0;
    const char *text = NULL;
    char fault[CHILD_FAULT_SIZE];
    if (frame_receive(child->channel, 2 * FAILURE_TEXT_SIZE, &frame, &reader))
        text = frame_text(&reader, FAILURE_TEXT_SIZE, &length);
    const char *end = child_fault(child_end(child, false), fault);
    if (!text)
        failure_harness(failure, "the process that runs the microbenchmarks %s",
                        end ? end : "ended early");
    else if (length)
        failure_harness(failure, "%.*s", (int)length, text);
    frame_free(&frame);
    return text && !length;
}

bool benchmarks_run(const struct gpu_facts *facts, const void *image, FILE *progress,
                    const char *path, struct failure *failure)
{
    struct bench bench = {.facts = facts, .image = image, .progress = progress};
    struct whole_file file;
    struct child child;
    if (!whole_file_open(&file, path, failure))
        return false;
    bench.csv = file.stream;
    if (child_start(&child, child_main, &bench, failure) && await(&child, failure))
        return whole_file_keep(&file, failure);
    whole_file_drop(&file);
    return false;
}
