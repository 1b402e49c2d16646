#include "hardware/calibrate/judge.h"

#include "base/paths.h"
#include "course/exercise.h"
#include "process/allocate.h"
#include "run/run.h"

#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MAX = 8, NAME_SIZE = 64 };

struct course_run {
    struct run_options options;
    struct judge_runs *runs;
    char *note;
};

static bool run_one(void *context, const char *path, struct failure *failure)
{
    const struct course_run *course = context;
    struct failure wrong = {0};
    struct run_result *result = run_source_new(path, &course->options, &wrong, failure);
    bool good = result;
    if (good && wrong.kind != FAILURE_NONE)
        good = failure_harness(failure, "%s: %s", path, wrong.text);
    if (good && *result->note && course->note)
        snprintf(course->note, FAILURE_TEXT_SIZE, "%s", result->note);
    if (good) { /* records[0] is the run on the GPU; without a GPU, the emulated run. */
        struct judge_runs *runs = course->runs;
        allocate_room(&runs->records, runs->count, sizeof *runs->records);
        runs->records[runs->count++] = result->records[0];
    }
    free(result);
    return good;
}

bool judge_run_course(const char *root, struct gpu *gpu, const struct device *device, uint64_t n,
                      uint64_t workers, struct judge_runs *runs, char *note,
                      struct failure *failure)
{
    struct course_run course = {.runs = runs,
                                .note = note,
                                .options = {
                                    .device = device,
                                    .gpu = gpu,
                                    .workers = workers,
                                    .size = {.rows = n, .cols = n, .seed = 1},
                                    .timing = {.samples = RUN_DEFAULT_SAMPLES},
                                }};
    char pattern[PATH_SIZE + 32];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/solutions/0[0-6]_*", root);
    if (glob(pattern, 0, NULL, &found)) {
        globfree(&found);
        return failure_harness(failure, "%s: the labs that validate a device file are missing",
                               pattern);
    }
    bool good = true;
    for (size_t i = 0; i < found.gl_pathc && good; i++)
        good = exercise_visit_sources(found.gl_pathv[i], run_one, &course, failure);
    globfree(&found);
    return good;
}

static uint64_t size_of(const struct record *record)
{
    return record->values[COLUMN_rows].known ? record->values[COLUMN_rows].count : 0;
}

static size_t sizes_of(const struct judge_runs *runs, uint64_t sizes[SIZES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        uint64_t size = size_of(&runs->records[i]);
        size_t at = 0;
        while (at < count && sizes[at] != size)
            at++;
        if (at == count && count < SIZES_MAX && size)
            sizes[count++] = size;
    }
    return count;
}

bool judge_emulate(const char *root, const struct judge_runs *measured, const struct device *device,
                   uint64_t workers, struct judge_runs *emulated, struct failure *failure)
{
    uint64_t sizes[SIZES_MAX];
    size_t count = sizes_of(measured, sizes);
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = judge_run_course(root, NULL, device, sizes[i], workers, emulated, NULL, failure);
    return good;
}

static const struct record *find(const struct judge_runs *runs, const char *lab,
                                 const char *variant, uint64_t size)
{
    for (size_t i = 0; i < runs->count; i++) {
        const struct record *record = &runs->records[i];
        if (size_of(record) == size && !strcmp(record_text(record, COLUMN_lab), lab) &&
            !strcmp(record_text(record, COLUMN_variant), variant))
            return record;
    }
    return NULL;
}

/* These counters depend only on addresses, so the hardware and the emulator must agree. */
static const enum column exact[] = {
    COLUMN_global_load_requests,         COLUMN_global_load_sectors,
    COLUMN_global_store_requests,        COLUMN_global_store_sectors,
    COLUMN_shared_load_ideal_wavefronts, COLUMN_shared_store_ideal_wavefronts,
};

static void print_counters(FILE *file, const struct judge_runs *measured,
                           const struct judge_runs *emulated)
{
    size_t compared = 0, differ = 0;
    for (size_t i = 0; i < measured->count; i++) {
        const struct record *a = &measured->records[i];
        const struct record *b =
            find(emulated, record_text(a, COLUMN_lab), record_text(a, COLUMN_variant), size_of(a));
        for (size_t c = 0; b && c < sizeof exact / sizeof *exact; c++) {
            const struct record_value *x = &a->values[exact[c]], *y = &b->values[exact[c]];
            if (!x->known || !y->known)
                continue;
            compared++;
            if (x->count == y->count)
                continue;
            differ++;
            fprintf(file,
                    "%s, %s, %" PRIu64 " x %" PRIu64 ": %s is %" PRIu64 " on the GPU, %" PRIu64
                    " emulated\n",
                    record_text(a, COLUMN_lab), record_text(a, COLUMN_variant), size_of(a),
                    size_of(a), column_describe(exact[c])->name, x->count, y->count);
        }
    }
    if (!compared)
        fputs("Counters were not compared: the GPU's counters could not be read.\n", file);
    else if (!differ)
        fprintf(file, "All %zu counts of requests, sectors and ideal wavefronts are equal.\n",
                compared);
    else
        fprintf(file, "%zu of %zu counts of requests, sectors and ideal wavefronts differ.\n",
                differ, compared);
}

void judge_print(FILE *file, const struct judge_runs *measured, const struct judge_runs *emulated)
{
    uint64_t sizes[SIZES_MAX];
    size_t count = sizes_of(measured, sizes), rows = 0;
    double worst = 0;
    fprintf(file, "%-32s", "time, us: measured, modelled");
    for (size_t i = 0; i < count; i++)
        fprintf(file, "  %8" PRIu64 " x %-8" PRIu64 "     ", sizes[i], sizes[i]);
    fputc('\n', file);
    for (size_t i = 0; i < measured->count; i++) {
        const char *lab = record_text(&measured->records[i], COLUMN_lab),
                   *variant = record_text(&measured->records[i], COLUMN_variant);
        if (size_of(&measured->records[i]) != sizes[0])
            continue;
        fprintf(file, "%.20s/%-*.20s", lab, (int)(31 - strnlen(lab, 20)), variant);
        for (size_t s = 0; s < count; s++) {
            const struct record *a = find(measured, lab, variant, sizes[s]),
                                *b = find(emulated, lab, variant, sizes[s]);
            if (!a || !b || !a->values[COLUMN_time_us].known || !b->values[COLUMN_time_us].known) {
                fprintf(file, "  %24s", "-");
                continue;
            }
            double x = a->values[COLUMN_time_us].real, y = b->values[COLUMN_time_us].real;
            double deviation = 100 * (y / x - 1);
            worst = fmax(worst, fabs(deviation));
            rows++;
            fprintf(file, "  %8.1f %8.1f %+5.1f %%", x, y, deviation);
        }
        fputc('\n', file);
    }
    fprintf(file, "In %zu comparisons of times, the largest deviation is %.1f %%.\n", rows, worst);
    print_counters(file, measured, emulated);
}
