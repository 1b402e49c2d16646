#include "view/explain.h"

#include "base/wording.h"
#include "emulator/sinks/observer.h"
#include "view/lane_map.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *explain_number(double number, char text[EXPLAIN_NUMBER_SIZE])
{
    bool whole = number >= 1000 || number == (double)(int64_t)number;
    snprintf(text, EXPLAIN_NUMBER_SIZE, whole ? "%.0f" : "%.3g", number);
    return text;
}

/* Write the magnitude of a number, with five or more digits in groups of three: "16 384". */
static const char *group_digits(int64_t number, char text[32])
{
    int length = snprintf(text, 32, "%" PRId64, number < 0 ? -number : number);
    for (int at = length - 3; length > 4 && at > 0; at -= 3) {
        memmove(text + at + 1, text + at, strlen(text + at) + 1);
        text[at] = ' ';
    }
    return text;
}

static double excess(const struct access_sums *sums)
{
    return sums->used - sums->ideal;
}

static void state_access(const struct access_sums *sums, const struct line_access_info *access,
                         size_t line, const struct device *device, struct advice *advice)
{
    const bool shared = access->is_shared;
    *advice = (struct advice){.about = shared ? ADVICE_CONFLICTS : ADVICE_SECTORS, .line = line};
    if (shared) {
        APPEND(advice->text, "line %zu: shared-memory %s have %.3g bank conflicts per request",
               line, access->accesses, excess(sums) / sums->requests);
        text_append_ways(sums->used, sums->ideal, advice->text, sizeof advice->text);
    } else {
        APPEND(advice->text, "line %zu: %s access %.3g %ss per request, the minimum is %.3g", line,
               access->accesses, sums->used / sums->requests, sector_map_unit(device),
               sums->ideal / sums->requests);
    }
}

/* Name the lines with the most loads and stores, because lines have no counters of partitions. */
static void advise_partition(const struct line_counters *lines, size_t count, struct advice *advice)
{
    size_t most[LINE_ACCESSES] = {0};
    for (size_t line = 1; line < count; line++)
        for (unsigned a = 0; a < LINE_ACCESSES; a++)
            if (lines[line].accesses[a].used > lines[most[a]].accesses[a].used)
                most[a] = line;
    *advice = (struct advice){.about = ADVICE_PARTITION};
    APPEND(advice->text,
           "the busiest DRAM partition limits the time. Consider blocks that start together: which "
           "partitions do these blocks load from (line %zu) and store to (line %zu)?",
           most[GLOBAL_LOAD], most[GLOBAL_STORE]);
}

/* Returns the share of the time, without the launch overhead, that a repair of the access saves.
 * The time of a global access is proportional to its sectors. If the launch overhead limits the
 * time, the time of the work is unknown, and the function returns the excess itself. */
static double gain_of(const struct access_sums *sums, bool shared, double conflicts,
                      const struct time_goes *time_goes)
{
    const double over = excess(sums);
    if (over <= 0 || time_goes->to_launch)
        return over;
    return shared ? time_goes->conflict_share * over / conflicts : sums->share * over / sums->used;
}

/* Returns false if misaligned rows or partial tiles can explain the excess. */
static bool is_pattern(const struct access_sums *sums, bool shared)
{
    return shared ? 2 * excess(sums) > sums->ideal : 3 * excess(sums) > sums->used;
}
#define LEAST_GAIN 0.03 /* Smaller shares of the modelled time are not reported. */

void explain_lines(const struct line_counters *lines, size_t count, const struct device *device,
                   const struct time_goes *time_goes, struct advice *advice)
{
    double most = LEAST_GAIN, conflicts = 0, idle = 0;
    char distance[32];
    *advice = (struct advice){.text = "no line needs more sectors or wavefronts than the minimum"};
    if (time_goes->to_partition)
        advise_partition(lines, count, advice);
    for (size_t line = 0; line < count; line++)
        for (unsigned a = SHARED_LOAD; a < LINE_ACCESSES; a++)
            conflicts += excess(&lines[line].accesses[a]);
    for (size_t line = 1; line < count; line++)
        for (unsigned a = 0; a < LINE_ACCESSES; a++) {
            const struct access_sums *sums = &lines[line].accesses[a];
            const struct line_access_info *access = &line_accesses[a];
            const double gain = gain_of(sums, access->is_shared, conflicts, time_goes);
            if (!is_pattern(sums, access->is_shared))
                continue;
            if (gain > most) {
                state_access(sums, access, line, device, advice);
                if (sums->distance)
                    APPEND(advice->text, "; neighbouring threads %s addresses %s bytes apart%s",
                           access->verb, group_digits(sums->distance, distance),
                           access->is_shared ? ". How many different banks do they access?" : "");
            } else if (excess(sums) > idle && most <= LEAST_GAIN && !time_goes->to_partition) {
                state_access(sums, access, line, device, advice);
                advice->about = ADVICE_NO_GAIN;
                APPEND(advice->text,
                       "; the excess costs almost no time here, because the time is limited by %s",
                       time_goes->bound);
            }
            most = fmax(most, gain);
            idle = fmax(idle, excess(sums));
        }
}

/* Append the conflicts per access. Returns false if conflicts are not the cause of the excess. */
static bool append_conflicts(const struct rubric_check *check, const struct measured_run *counted,
                             double value, char *text, size_t size)
{
    const struct record_value *values = counted->record.values;
    const bool ways = check->measure == RUBRIC_WAYS;
    if (!ways && check->measure != RUBRIC_CONFLICTS)
        return false;
    const bool store =
        values[COLUMN_shared_store_conflicts].count > values[COLUMN_shared_load_conflicts].count;
    /* The columns of stores follow the columns of loads, in the same order. */
    const struct record_value *of =
        &values[store ? COLUMN_shared_store_requests : COLUMN_shared_load_requests];
    const double requests = (double)of[0].count, wavefronts = (double)of[1].count,
                 ideal = (double)of[2].count, conflicts = (double)of[3].count,
                 over = (value - 1) * measured_matrix_bytes(counted) / 128;
    if (!(requests > 0) || (ways && conflicts < 0.9 * over))
        return false;
    text_append(text, size, "%.3g bank conflict%s per shared %s", conflicts / requests,
                plural(conflicts / requests), store ? "store" : "load");
    text_append_ways(wavefronts, ideal, text, size);
    text_append(text, size, ", expected 0");
    return true;
}

void explain_goal(const struct rubric_check *check, const struct measured_run *counted,
                  const struct measured_finding *found, char *text, size_t size)
{
    double scale;
    const char *phrase = goal_measure_phrase(check->measure, measured_needs(counted), &scale);
    const char *gap = strstr(phrase, "%s");
    *text = 0;
    if (!found->has_value)
        text_append(text, size, "%s: not counted in this run", check->title);
    else if (found->evasion)
        text_append(text, size, "%s", found->evasion);
    else if (found->without_shared)
        text_append(text, size, "the kernel does not use shared memory");
    else if (!append_conflicts(check, counted, found->value, text, size)) {
        const double bound = check->full * scale, whole = round(bound);
        text_append(text, size, "%.*s%.3g%s", (int)(gap - phrase), phrase, found->value * scale,
                    gap + 2);
        /* A bound slightly above a whole number includes a tolerance. Expect the whole number. */
        if (check->full > check->zero)
            text_append(text, size, ", expected at least %.3g", bound);
        else if (bound > whole && bound - whole <= 0.1 * whole)
            text_append(text, size, ", expected %.0f", whole);
        else
            text_append(text, size, ", expected at most %.3g", bound);
    }
}

static double megabytes(const struct explained_run *run, enum column column, unsigned unit)
{
    return (double)run->record->values[column].count * unit / 1e6;
}

static const struct access_sums *worst_line(const struct explained_run *run,
                                            enum line_access access, size_t *number)
{
    const struct access_sums *worst = NULL;
    for (size_t line = 1; run->watch && run->watch->lines && line < LINE_WATCH_LINES; line++) {
        const struct access_sums *sums = &run->watch->lines[line].accesses[access];
        if (sums->used > (worst ? worst->used : 0)) {
            worst = sums;
            *number = line;
        }
    }
    return worst;
}

static void explain_accesses(const struct explained_run *run, enum line_access access,
                             enum column column, char *text, size_t size)
{
    const struct device *device = run->device;
    const bool shared = line_accesses[access].is_shared,
               of_requests = column == line_accesses[access].requests;
    size_t line = 0;
    const struct access_sums *sums = worst_line(run, access, &line);
    if (!run->record->values[line_accesses[access].requests].count)
        text_append(text, size, "; the kernel makes no access of this kind");
    else if (of_requests && shared)
        text_append(text, size, "; a request is one access of one warp");
    else if (of_requests && sums)
        text_append(text, size,
                    "; a request is one access of one warp and moves %.4g bytes here (line %zu)",
                    sums->bytes / sums->requests, line);
    else {
        if (sums)
            text_append(text, size,
                        "; the addresses of neighbouring threads are %" PRId64
                        " bytes apart (line %zu)",
                        sums->distance < 0 ? -sums->distance : sums->distance, line);
        if (device && shared)
            text_append(text, size, ", and the banks repeat every %zu bytes",
                        (size_t)(device->shared_banks * device->shared_bank_bytes));
        else if (device && device->coalescing == COALESCE_SECTORS)
            text_append(text, size, ", and a sector has %zu bytes", (size_t)device->sector_bytes);
    }
}

void explain_column(const struct explained_run *run, enum column column, char *text, size_t size)
{
    static const unsigned sector = 32;
    const struct record_value *values = run->record->values;
    enum line_access access = 0;
    while (access < LINE_ACCESSES &&
           column - line_accesses[access].requests >= line_accesses[access].columns)
        access++;
    if (access < LINE_ACCESSES) {
        explain_accesses(run, access, column, text, size);
    } else if (column == COLUMN_l2_read_bytes || column == COLUMN_l2_write_bytes) {
        text_append(text, size,
                    "; the warps load %.4g MB of sectors and store %.4g MB; the L2 serves %.4g MB "
                    "of the loads and receives %.4g MB of the stores",
                    megabytes(run, COLUMN_global_load_sectors, sector),
                    megabytes(run, COLUMN_global_store_sectors, sector),
                    megabytes(run, COLUMN_l2_read_bytes, 1),
                    megabytes(run, COLUMN_l2_write_bytes, 1));
    } else if (column == COLUMN_dram_read_bytes || column == COLUMN_dram_write_bytes) {
        text_append(text, size,
                    "; the matrices have %.4g MB, and %.4g MB are moved between the SMs and the L2",
                    values[COLUMN_bandwidth_gbps].real * values[COLUMN_time_us].real / 1e3,
                    megabytes(run, COLUMN_l2_read_bytes, 1) +
                        megabytes(run, COLUMN_l2_write_bytes, 1));
    } else if (column >= COLUMN_grid_x && column <= COLUMN_block_z) {
        text_append(text, size,
                    "; LAB_LAUNCH requests %" PRIu64 " x %" PRIu64 " x %" PRIu64
                    " blocks of %" PRIu64 " x %" PRIu64 " x %" PRIu64 " threads",
                    values[COLUMN_grid_x].count, values[COLUMN_grid_y].count,
                    values[COLUMN_grid_z].count, values[COLUMN_block_x].count,
                    values[COLUMN_block_y].count, values[COLUMN_block_z].count);
    } else if (column == COLUMN_shared_bytes) {
        text_append(text, size,
                    "; %" PRIu64 " bytes are %" PRIu64 " words of 4 bytes, for %" PRIu64
                    " x %" PRIu64 " threads",
                    values[column].count, values[column].count / 4, values[COLUMN_block_x].count,
                    values[COLUMN_block_y].count);
    } else if (column == COLUMN_partition_imbalance) {
        text_append(text, size,
                    "; 1 means an even distribution; %zu means that one partition has all traffic",
                    run->device ? (size_t)run->device->partitions : 8);
    } else if (column != COLUMN_time_us && column != COLUMN_bandwidth_gbps &&
               column != COLUMN_copy_pct) {
        text_append(text, size, ": %s", column_describe(column)->meaning);
    } else if (run->watch && *run->watch->explanation) {
        text_append(text, size, "; %s", run->watch->explanation);
    }
}

void explain_distance(const struct observed_access *access, unsigned word_bytes, char *text,
                      size_t size)
{
    uint32_t pairs = access->mask & access->mask >> 1;
    int64_t distance = 0;
    bool known = false;
    for (unsigned lane = 0; lane + 1 < LANES; lane++) {
        if (!(pairs >> lane & 1))
            continue;
        int64_t here = llabs((int64_t)(access->address[lane + 1] - access->address[lane]));
        if (known && here != distance) {
            text_append(text, size, "the distances between neighbouring lanes differ");
            return;
        }
        distance = here;
        known = true;
    }
    if (!known)
        text_append(text, size, "no two neighbouring lanes are active");
    else if (!distance)
        text_append(text, size, "all neighbouring lanes use the same address");
    else if (word_bytes && distance % word_bytes == 0)
        text_append(text, size,
                    "neighbouring lanes are %" PRId64 " bytes (%" PRId64 " word%s) apart", distance,
                    distance / word_bytes, plural((double)(distance / word_bytes)));
    else
        text_append(text, size, "the addresses of neighbouring lanes are %" PRId64 " bytes apart",
                    distance);
}
