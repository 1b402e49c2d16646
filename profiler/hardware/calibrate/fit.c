/* Some numbers of a device, such as lines per clock, are quotients of one row's values. All others
 * are parameters of the time model (emulator/time/timing.c), fitted to the rows of the benchmark
 * that isolates the parameter. The fits are repeated, because the parameters depend slightly on
 * each other. The labs validate the result, so no number except beside_loads comes from a lab. */
#include "hardware/calibrate/fit.h"

#include "base/wording.h"
#include "emulator/time/timing.h"
#include "hardware/gpu/gpu_job.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t find_source(const struct fit *fit, const char *field)
{
    size_t i = 0;
    while (i < fit->count && strcmp(fit->sources[i].field, field))
        i++;
    return i;
}

__attribute__((format(printf, 3, 4))) static void set_source(struct fit *fit, const char *field,
                                                             const char *format, ...)
{
    size_t i = find_source(fit, field);
    if (i == FIT_SOURCES_MAX)
        return;
    fit->count += i == fit->count;
    fit->sources[i].field = field;
    FORMAT(fit->sources[i].text, sizeof fit->sources[i].text, format);
}

const char *fit_source(void *context, const char *field)
{
    const struct fit *fit = context;
    size_t i = find_source(fit, field);
    return i < fit->count ? fit->sources[i].text : fit->nearest;
}

static double attribute(const struct measurements *measurements, const char *name)
{
    const struct measurement *row = measurements_find(measurements, "attribute", name, -1, -1);
    return row ? row->work : 0;
}

static void take_attributes(const struct measurements *measurements, const struct device *nearest,
                            struct fit *fit)
{
    struct device *device = &fit->device;
    const struct measurement *name = measurements_find(measurements, "name", NULL, -1, -1);
    const struct {
        const char *attribute, *field;
        uint64_t *value;
    } whole[] = {{"compute_capability", "compute_capability", &device->compute_capability},
                 {"memory_bytes", "memory_bytes", &device->memory_bytes},
                 {"memory_bus_bits", "memory_bus_bits", &device->memory_bus_bits},
#define X(field, attribute) {#field, #field, &device->field},
                 GPU_LIMITS(X)
#undef X
    };
    if (name) {
        snprintf(device->title, sizeof device->title, "%.*s", (int)sizeof device->title - 1,
                 name->form);
        set_source(fit, "title", "reported by the driver");
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        double value = attribute(measurements, whole[i].attribute);
        if (value < 1)
            continue;
        *whole[i].value = (uint64_t)value;
        set_source(fit, whole[i].field, "reported by the driver");
    }
    double bits = (double)fit->device.memory_bus_bits / (double)nearest->memory_bus_bits;
    if (bits * (double)nearest->partitions >= 1 && bits != 1) {
        device->partitions = (uint64_t)(bits * (double)nearest->partitions);
        set_source(fit, "partitions", "same bus width per partition as in %s", nearest->name);
    }
    double khz = attribute(measurements, "clock_khz"), mbps = attribute(measurements, "dram_mbps");
    if (khz > 0) {
        device->clock_mhz = khz / 1e3;
        set_source(fit, "clock_mhz", "maximum SM clock, as reported by the driver");
    }
    if (mbps > 0) {
        device->dram_gbps = mbps / 1e3;
        set_source(fit, "dram_gbps", "memory clock x bus width x 2, as reported by the driver");
    }
}

/* Returns the traffic of a copy of bytes / 2 bytes. The L2 retains the last writes. */
static struct memory_counts whole_lines(const struct device *device, double bytes)
{
    double half = bytes / 2, retained = fmin(half, (double)device->l2_bytes / 2);
    return (struct memory_counts){
        .l2_read_bytes = (uint64_t)half,
        .l2_write_bytes = (uint64_t)half,
        .dram_read_bytes = (uint64_t)half,
        .dram_write_bytes = (uint64_t)half,
        .dram_flush_bytes = (uint64_t)retained,
        .busiest_partition_bytes = bytes,
        .partition_imbalance = 1,
        .lines = (uint64_t)(bytes / device->line_bytes),
        .l2_transactions = (uint64_t)(bytes / device->line_bytes),
        .l2_store_transactions = (uint64_t)(half / device->line_bytes),
        .has_l2 = true,
    };
}

enum { COPY_THREADS = 256, COPY_WARPS = 8 };

static unsigned most_resident(const struct device *device)
{
    return (unsigned)(device->max_threads_per_sm / COPY_THREADS);
}

/* Returns the modelled time of a copy by blocks of 256 threads. Each thread has `loads` loads of
 * `width` bytes: sequential if `in_turn`, otherwise concurrent. */
static double copy_us(const struct device *device, double bytes, double width, double loads,
                      unsigned resident, bool in_turn)
{
    double blocks = bytes / 2 / width / COPY_THREADS / loads;
    struct counters counters = {0};
    struct memory_counts memory = whole_lines(device, bytes);
    const struct timing_input input = {
        .blocks = (uint64_t)blocks,
        .threads_per_block = COPY_THREADS,
        .resident_blocks = resident,
        .launches = 1,
        .code.load_rounds = (uint64_t)(blocks * COPY_WARPS * (in_turn ? loads : 1)),
        .code.issue_slots = (uint64_t)(blocks * COPY_WARPS * (8 + 6 * loads)),
        .scatter = SCATTER_NONE,
        .counters = &counters,
        .memory = &memory,
    };
    return timing_estimate(device, &input).time_us;
}

static double copy_row_us(const struct device *device, const struct measurement *row)
{
    const char *digits = strpbrk(row->form, "0123456789");
    double width = digits ? strtod(digits, NULL) : 0;
    if (width < 1 || row->a < 1 || row->b < 1)
        return NAN;
    return copy_us(device, row->work, width, (double)row->a, (unsigned)row->b,
                   !strncmp(row->form, "in_turn", 7));
}

static double tiles_row_us(const struct device *device, const struct measurement *row,
                           unsigned side)
{
    double blocks = (double)row->a * (double)row->a / side / side,
           accesses = blocks * side * side / 32;
    double warps = blocks * side / 4;
    if (strcmp(row->form, "copy_cartesian") || row->a < side || row->b < 1)
        return NAN;
    struct counters counters = {
        .barriers = (uint64_t)warps,
        .shared_load_wavefronts = (uint64_t)accesses,
        .shared_load_ideal_wavefronts = (uint64_t)accesses,
        .shared_store_wavefronts = (uint64_t)accesses,
        .shared_store_ideal_wavefronts = (uint64_t)accesses,
    };
    struct memory_counts memory = whole_lines(device, row->work);
    const struct timing_input input = {
        .blocks = (uint64_t)blocks,
        .threads_per_block = side * 8,
        .resident_blocks = (unsigned)row->b,
        .launches = 1,
        .code.load_rounds = (uint64_t)warps,
        .code.barrier_waits = (uint64_t)warps,
        .code.issue_slots = (uint64_t)(accesses * 25),
        .scatter = SCATTER_NONE,
        .counters = &counters,
        .memory = &memory,
    };
    return timing_estimate(device, &input).time_us;
}

/* Returns the measured time of unpermuted pieces, multiplied by the modelled slowdown of pieces
 * that are permuted within row->a MiB. Permuted accesses are scattered over pages of 2 MiB. The
 * model considers at most 241 pages. */
static double pages_row_us(const struct device *device, const struct measurements *measurements,
                           const struct measurement *row)
{
    const struct measurement *alone = measurements_find(measurements, "pieces", "neither", -1, -1);
    double pages = fmax(2, fmin((double)row->a / 2, 241));
    struct counters counters = {0};
    struct memory_counts memory = whole_lines(device, row->work);
    struct timing_input input = {.blocks = 1,
                                 .launches = 1,
                                 .scatter = SCATTER_NONE,
                                 .counters = &counters,
                                 .memory = &memory};
    double plain = timing_estimate(device, &input).bound_us[BOUND_DRAM];
    if (strcmp(row->form, "writes"))
        input.scatter.pages[0] = pages;
    if (strcmp(row->form, "reads"))
        input.scatter.pages[1] = pages;
    return alone ? alone->us * timing_estimate(device, &input).bound_us[BOUND_DRAM] / plain : NAN;
}

double fit_model_us(const struct device *device, const struct measurements *measurements,
                    const struct measurement *row)
{
    if (!strcmp(row->what, "launch"))
        return device->launch_us;
    if (!strcmp(row->what, "copy"))
        return copy_row_us(device, row);
    if (!strcmp(row->what, "tiles"))
        return tiles_row_us(device, row, 32);
    if (!strcmp(row->what, "tiles64"))
        return tiles_row_us(device, row, 64);
    if (!strcmp(row->what, "pieces") && !strcmp(row->form, "neither"))
        return copy_us(device, row->work, 16, 1, most_resident(device), false);
    if (!strcmp(row->what, "pages"))
        return pages_row_us(device, measurements, row);
    return NAN;
}

enum fitted_rows {
    /* Copies with as many blocks as are resident. The copies are much larger than the L2, so that
     * the lines that the L2 retains have little effect. */
    ROWS_LARGE_COPIES,
    ROWS_LOADS_IN_TURN,
    ROWS_ONE_LOAD,
    ROWS_READ_PAGES,
    ROWS_WRITTEN_PAGES,
    ROWS_LAUNCHES, /* An empty kernel with few blocks per SM. */
};

static bool has_row(enum fitted_rows rows, const struct device *device,
                    const struct measurement *row)
{
    const bool alone = !strcmp(row->what, "copy") && row->b == 1;
    switch (rows) {
    case ROWS_LARGE_COPIES:
        return (!strcmp(row->what, "pieces") && !strcmp(row->form, "neither")) ||
               (!strcmp(row->what, "copy") && !strncmp(row->form, "restrict", 8) &&
                row->b == most_resident(device) && row->work >= 8 * (double)device->l2_bytes);
    case ROWS_LOADS_IN_TURN:
        return alone && (!strcmp(row->form, "in_turn_4B_4") || !strcmp(row->form, "in_turn_4B_8"));
    case ROWS_ONE_LOAD:
        return alone && !strcmp(row->form, "in_turn_4B_1");
    case ROWS_READ_PAGES:
        return !strcmp(row->what, "pages") && !strcmp(row->form, "reads");
    case ROWS_WRITTEN_PAGES:
        return !strcmp(row->what, "pages") && !strcmp(row->form, "writes");
    case ROWS_LAUNCHES:
        return !strcmp(row->what, "launch") && row->a == 1056;
    }
    return false;
}

#define FIELD(name) #name, offsetof(struct device, name)
static const struct fitted {
    const char *field;
    size_t offset;
    double smallest, largest;
    enum fitted_rows rows;
    const char *source;
} fitted[] = {
    {FIELD(dram_efficiency), 0.05, 1, ROWS_LARGE_COPIES,
     "large copies, with as many resident blocks as possible"},
    {FIELD(dram_crowding), 0, 0.2, ROWS_LARGE_COPIES,
     "large copies, with 4 to 64 bytes in flight per thread"},
    {FIELD(latency_ns), 20, 5000, ROWS_LOADS_IN_TURN,
     "copies with one resident block, four and eight sequential loads"},
    {FIELD(block_overhead_ns), 0, 5000, ROWS_ONE_LOAD, "copies with one resident block, one load"},
    {FIELD(launch_us), 0, 200, ROWS_LAUNCHES, "an empty kernel of 1056 blocks"},
    {FIELD(dram_read_scatter), 0, 0.5, ROWS_READ_PAGES,
     "copies of pieces of 4 KiB, reads permuted over 2 to 512 MiB"},
    {FIELD(dram_write_scatter), 0, 0.5, ROWS_WRITTEN_PAGES,
     "copies of pieces of 4 KiB, writes permuted over 2 to 512 MiB"},
};
#undef FIELD
enum { FITTED_COUNT = sizeof fitted / sizeof *fitted };

/* Returns the sum of squared logarithms of modelled over measured time if the parameter has this
 * `value`. *rows receives the number of rows. */
static double error_with(const struct measurements *measurements, const struct fitted *parameter,
                         struct device *device, double value, unsigned *rows)
{
    double sum = 0;
    *(double *)((char *)device + parameter->offset) = value;
    *rows = 0;
    for (size_t i = 0; i < measurements->count; i++) {
        const struct measurement *row = &measurements->rows[i];
        if (!has_row(parameter->rows, device, row) || row->us <= 0)
            continue;
        double us = fit_model_us(device, measurements, row);
        if (!isfinite(us) || us <= 0)
            continue;
        sum += log(us / row->us) * log(us / row->us);
        ++*rows;
    }
    return sum;
}

/* Minimize the error, which has one minimum, by golden-section search. Returns the number of
 * rows. */
static unsigned fit_one(const struct measurements *measurements, const struct fitted *parameter,
                        struct device *device)
{
    enum { STEPS = 60 };
    const double golden = 0.6180339887498949;
    double low = parameter->smallest, high = parameter->largest;
    double *value = (double *)((char *)device + parameter->offset), before = *value;
    unsigned rows;
    error_with(measurements, parameter, device, before, &rows);
    if (!rows)
        return 0;
    for (int i = 0; i < STEPS; i++) {
        double left = high - golden * (high - low), right = low + golden * (high - low);
        if (error_with(measurements, parameter, device, left, &rows) <=
            error_with(measurements, parameter, device, right, &rows))
            high = right;
        else
            low = left;
    }
    *value = (low + high) / 2;
    return rows;
}

static bool fit_parameters(const struct measurements *measurements, struct fit *fit,
                           struct failure *failure)
{
    enum { ROUNDS = 30 };
    unsigned rows[FITTED_COUNT] = {0};
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < FITTED_COUNT; i++)
            rows[i] = fit_one(measurements, &fitted[i], &fit->device);
    for (size_t i = 0; i < FITTED_COUNT; i++) {
        if (!rows[i])
            return failure_harness(failure, "the measurements have no row for %s: %s",
                                   fitted[i].field, fitted[i].source);
        set_source(fit, fitted[i].field, "measured: %s (%u rows)", fitted[i].source, rows[i]);
    }
    return true;
}

static bool find_row(const struct measurements *measurements, const char *what, const char *form,
                     long a, const struct measurement **row, struct failure *failure)
{
    *row = measurements_find(measurements, what, form, a, -1);
    return (*row && (*row)->us > 0 && (*row)->work > 0) ||
           failure_harness(failure, "the measurements have no row %s,%s,%ld", what, form, a);
}

static double per_clock(const struct device *device, const struct measurement *row, double sms)
{
    double us = fmax(row->us - device->launch_us, row->us / 2);
    return row->work / (sms * device->clock_mhz * us);
}

static bool take_rates(const struct measurements *measurements, struct fit *fit,
                       struct failure *failure)
{
    /* beside_loads: the rate of stores in a kernel that also loads, divided by the rate in a
     * kernel without loads (naive kernel: 0.93 on an H200, 0.83 on an H100). missing_share is
     * used if the row `stores_missing` is absent: the rate of stores that miss the L2, divided
     * by the rate of stores that stay in the L2 (from an H200). */
    const double beside_loads = 0.88, missing_share = 0.9;
    struct device *device = &fit->device;
    const struct measurement *loads, *stores, *bytes_loaded, *bytes_stored, *banks;
    double sms = (double)device->multiprocessors;
    if (!find_row(measurements, "l2_lines", "loads", 32, &loads, failure) ||
        !find_row(measurements, "l2_lines", "stores", 32, &stores, failure) ||
        !find_row(measurements, "l2_lines", "loads", 1, &bytes_loaded, failure) ||
        !find_row(measurements, "l2_lines", "stores", 1, &bytes_stored, failure) ||
        !find_row(measurements, "banks", "loads", 32, &banks, failure))
        return false;
    device->l2_loads_per_clock = per_clock(device, loads, sms);
    set_source(fit, "l2_loads_per_clock", "measured: %.3g one-sector lines from the L2 in %.0f us",
               loads->work, loads->us);
    const struct measurement *missing =
        measurements_find(measurements, "l2_lines", "stores_missing", -1, -1);
    if (missing && missing->us > 0) {
        device->l2_stores_per_clock = beside_loads * per_clock(device, missing, sms);
        set_source(fit, "l2_stores_per_clock",
                   "%.2f of the measured rate, because kernels load, too. Measured: %.3g one-word "
                   "lines, down columns with a pitch of %ld words, in %.0f us",
                   beside_loads, missing->work, missing->a, missing->us);
    } else {
        device->l2_stores_per_clock = missing_share * per_clock(device, stores, sms);
        set_source(fit, "l2_stores_per_clock",
                   "%.1f of the measured rate. Measured: %.3g one-word lines to the L2 in %.0f us",
                   missing_share, stores->work, stores->us);
    }
    double load_gbps = bytes_loaded->work * (double)device->line_bytes / bytes_loaded->us / 1e3,
           store_gbps = bytes_stored->work * (double)device->line_bytes / bytes_stored->us / 1e3;
    device->l2_gbps = 2 / (1 / load_gbps + 1 / store_gbps);
    device->l2_load_gbps = load_gbps;
    set_source(fit, "l2_load_gbps", "measured, see l2_gbps");
    set_source(fit, "l2_gbps",
               "measured with data in the L2: loads at %.0f GB/s, stores at %.0f GB/s; the "
               "value is their harmonic mean",
               load_gbps, store_gbps);
    device->lsu_wavefronts_per_clock = per_clock(device, banks, 1);
    set_source(fit, "lsu_wavefronts_per_clock", "measured: %.3g wavefronts per SM in %.0f us",
               banks->work, banks->us);
    return true;
}

static void round_fitted(struct device *device)
{
    double *const values[] = {&device->l2_loads_per_clock, &device->l2_stores_per_clock,
                              &device->l2_gbps, &device->l2_load_gbps,
                              &device->lsu_wavefronts_per_clock};
    for (size_t i = 0; i < FITTED_COUNT + sizeof values / sizeof *values; i++) {
        double *value = i < FITTED_COUNT ? (double *)((char *)device + fitted[i].offset)
                                         : values[i - FITTED_COUNT];
        double unit = *value > 0 ? pow(10, floor(log10(*value)) - 2) : 1;
        *value = round(*value / unit) * unit;
    }
}

bool fit_device(const struct measurements *measurements, const struct device *nearest,
                struct fit *fit, struct failure *failure)
{
    *fit = (struct fit){.device = *nearest};
    snprintf(fit->nearest, sizeof fit->nearest, "copied from %s", nearest->name);
    take_attributes(measurements, nearest, fit);
    if (!(attribute(measurements, "multiprocessors") >= 1))
        return failure_harness(
            failure,
            "the measurements have no row attribute,multiprocessors with a positive number of SMs");
    /* Compute the rates before the fits, because those of `nearest` could limit the fits, and again
     * after the fits, with the fitted launch time. */
    if (!take_rates(measurements, fit, failure) || !fit_parameters(measurements, fit, failure) ||
        !take_rates(measurements, fit, failure))
        return false;
    round_fitted(&fit->device);
    return true;
}

/* Returns the distance of two compute capabilities: at least 1000 for different major versions. */
static unsigned distance(unsigned a, unsigned b)
{
    return (a > b ? a - b : b - a) + (a / 10 != b / 10 ? 1000 : 0);
}

bool fit_find_nearest(const char *directory, const struct measurements *measurements,
                      struct device *nearest, struct failure *failure)
{
    const struct measurement *name = measurements_find(measurements, "name", NULL, -1, -1);
    unsigned capability = (unsigned)attribute(measurements, "compute_capability");
    unsigned count, best = UINT_MAX;
    char **names = device_list(directory, &count, failure);
    bool good = names != NULL;
    for (unsigned i = 0; i < count && good; i++) {
        struct device device;
        good = device_find(directory, names[i], &device, failure);
        if (!good || device.coalescing != COALESCE_SECTORS || device.warp_lanes != 32 ||
            (name && !strcmp(device.title, name->form)) ||
            distance((unsigned)device.compute_capability, capability) >= best)
            continue;
        best = distance((unsigned)device.compute_capability, capability);
        *nearest = device;
    }
    free(names);
    if (good && best == UINT_MAX)
        return failure_harness(failure,
                               "calibration requires a device file with the caches of CC 7 or "
                               "later; %s contains no such file",
                               directory);
    return good;
}
