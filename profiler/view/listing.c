/* listing.c: see listing.h. */
#include "view/listing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Ideals ---- */

double listing_ideal_sectors(const struct access_sums *sums, const struct device *device)
{
    bool is_sector = device->coalescing == COALESCE_SECTORS;
    double bytes = sums->bytes / sums->requests, each = sums->sectors / sums->requests;
    double ideal = is_sector ? fmax(1, bytes / (double)device->sector_bytes)
                             : fmax((double)device->warp_lanes / (double)device->shared_lanes,
                                    bytes / (double)device->line_bytes);
    return ideal < each ? ideal : each;
}

/* Sectors or wavefronts more than the ideal. */
static double excess(const struct access_sums *sums, bool shared, const struct device *device)
{
    if (!sums->requests)
        return 0;
    return shared ? sums->wavefronts - sums->ideal
                  : sums->sectors - sums->requests * listing_ideal_sectors(sums, device);
}

/* ---- Advice ---- */

static const char *const access_names[LINE_ACCESSES] = {"loads", "stores"};
static const char *const access_verbs[LINE_ACCESSES] = {"read", "write"};

/* "16 384": groups of three digits. At least 5 digits are needed to be worth it. */
static const char *group_digits(int64_t number, char text[32])
{
    int length = snprintf(text, 32, "%" PRId64, number < 0 ? -number : number);
    for (int at = length - 3; length > 4 && at > 0; at -= 3) {
        memmove(text + at + 1, text + at, strlen(text + at) + 1);
        text[at] = ' ';
    }
    return text;
}

static int state_sectors(const struct access_sums *sums, enum line_access access, size_t line,
                         const struct device *device, char *text, size_t size)
{
    const char *unit = device->coalescing == COALESCE_SECTORS ? "sectors" : "segments";
    return snprintf(text, size, "line %zu: %s touch %.3g %s per request, %.3g would do", line,
                    access_names[access], sums->sectors / sums->requests, unit,
                    listing_ideal_sectors(sums, device));
}

static void advise_global(const struct access_sums *sums, enum line_access access, size_t line,
                          const struct device *device, char *text, size_t size)
{
    char distance[32];
    int length = state_sectors(sums, access, line, device, text, size);
    if (length > 0 && (size_t)length < size && sums->distance)
        snprintf(text + length, size - (size_t)length, ": neighbouring threads %s %s bytes apart",
                 access_verbs[access], group_digits(sums->distance, distance));
}

static int state_conflicts(const struct access_sums *sums, enum line_access access, size_t line,
                           char *text, size_t size)
{
    return snprintf(text, size, "line %zu: shared-memory %s have %.3g bank conflicts per request",
                    line, access_names[access], (sums->wavefronts - sums->ideal) / sums->requests);
}

static void advise_shared(const struct access_sums *sums, enum line_access access, size_t line,
                          char *text, size_t size)
{
    char distance[32];
    int length = state_conflicts(sums, access, line, text, size);
    if (length > 0 && (size_t)length < size && sums->distance)
        snprintf(text + length, size - (size_t)length,
                 ": neighbouring threads %s %s bytes apart; how many different banks is that?",
                 access_verbs[access], group_digits(sums->distance, distance));
}

/* The accesses to global memory, since nothing tells loads that camp from stores that do. */
static void advise_partition(const struct line_counters *lines, size_t count, char *text,
                             size_t size)
{
    size_t most[LINE_ACCESSES] = {0};
    for (size_t line = 1; line < count; line++)
        for (unsigned access = 0; access < LINE_ACCESSES; access++)
            if (lines[line].global[access].sectors > lines[most[access]].global[access].sectors)
                most[access] = line;
    snprintf(text, size,
             "the busiest DRAM partition limits the time: to which partitions do blocks that start "
             "together go, when they load (line %zu), and when they store (line %zu)?",
             most[LINE_LOAD], most[LINE_STORE]);
}

/* What mending an access would gain, as a share of the time but the launch's own. What a line of
 * global accesses costs in time, it costs in proportion to its sectors. Where the launch is all
 * of the time, so that the work's bounds say nothing: the excess itself. */
static double gain_of(const struct access_sums *sums, bool shared, double conflicts,
                      const struct device *device, const struct time_goes *time_goes)
{
    double over = excess(sums, shared, device);
    if (over <= 0 || time_goes->to_launch)
        return over;
    return shared ? time_goes->conflict_share * over / conflicts
                  : sums->share * over / sums->sectors;
}

/* Conflicts of all lines. */
static double count_conflicts(const struct line_counters *lines, size_t count,
                              const struct device *device)
{
    double conflicts = 0;
    for (size_t line = 0; line < count; line++)
        for (unsigned access = 0; access < LINE_ACCESSES; access++)
            conflicts += excess(&lines[line].shared[access], true, device);
    return conflicts;
}

/* More than its bytes need, and no time to gain. */
static void advise_nothing(const struct access_sums *sums, bool shared, enum line_access access,
                           size_t line, const struct device *device,
                           const struct time_goes *time_goes, char *text, size_t size)
{
    int length = shared ? state_conflicts(sums, access, line, text, size)
                        : state_sectors(sums, access, line, device, text, size);
    if (length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length,
                 ", which costs next to no time here: %s limits it", time_goes->bound);
}

/* What is not worth a sentence: a few sectors more, from misaligned rows or ragged edges, are no
 * pattern to mend, and a few per cent of a modelled time are nothing. */
static bool is_pattern(const struct access_sums *sums, bool shared, const struct device *device)
{
    double over = excess(sums, shared, device);
    return shared ? 2 * over > sums->ideal : 3 * over > sums->sectors;
}
#define LEAST_GAIN 0.03

void listing_advise(const struct line_counters *lines, size_t count, const struct device *device,
                    const struct time_goes *time_goes, char *text, size_t size)
{
    double most = LEAST_GAIN, conflicts = count_conflicts(lines, count, device), idle = 0;
    snprintf(text, size, "no line touches more sectors or wavefronts than its bytes need");
    if (time_goes->to_partition)
        advise_partition(lines, count, text, size);
    for (size_t line = 1; line < count; line++)
        for (unsigned a = 0; a < LINE_ACCESSES; a++)
            for (unsigned shared = 0; shared < 2; shared++) {
                enum line_access access = (enum line_access)a;
                const struct access_sums *sums =
                    shared ? &lines[line].shared[a] : &lines[line].global[a];
                double over = excess(sums, shared, device);
                double gain = gain_of(sums, shared, conflicts, device, time_goes);
                if (!is_pattern(sums, shared, device))
                    continue;
                if (gain > most && shared)
                    advise_shared(sums, access, line, text, size);
                else if (gain > most)
                    advise_global(sums, access, line, device, text, size);
                else if (over > idle && most <= LEAST_GAIN && !time_goes->to_partition)
                    advise_nothing(sums, shared, access, line, device, time_goes, text, size);
                most = fmax(most, gain);
                idle = fmax(idle, over);
            }
}

/* ---- The listing ---- */

enum { SHARE_COLUMNS = 8, COUNTER_COLUMNS = 53 };

/* "global store      4096      32 of 4             -": each is sectors or wavefronts. */
static void print_counters(FILE *out, const char *what, const struct access_sums *sums, bool shared,
                           const struct device *device)
{
    double each = (shared ? sums->wavefronts : sums->sectors) / sums->requests;
    double ideal = shared ? sums->ideal / sums->requests : listing_ideal_sectors(sums, device);
    fprintf(out, "%-12s %10.0f %7.4g of %-7.4g ", what, sums->requests, each, ideal);
    if (shared)
        fprintf(out, "%9.4g ", each - ideal);
    else
        fprintf(out, "%9s ", "-");
}

static void print_share(FILE *out, double share)
{
    if (share >= 0.0005)
        fprintf(out, "%6.1f  ", 100 * share);
    else
        fprintf(out, "%*s", SHARE_COLUMNS, "");
}

/* Row r of a line: global loads and stores, shared loads and stores. */
enum { ROWS = 2 * LINE_ACCESSES };
static const char *const row_names[ROWS] = {"global load", "global store", "shared load",
                                            "shared store"};

static bool row_is_shared(unsigned row)
{
    return row >= LINE_ACCESSES;
}

static const struct access_sums *row_of(const struct line_counters *line, unsigned row)
{
    return row_is_shared(row) ? &line->shared[row - LINE_ACCESSES] : &line->global[row];
}

/* One line of source, with a row for each kind of access that it makes. The first also has the
 * share of the line's other instructions. */
static void print_line(FILE *out, size_t number, const char *text, const struct line_counters *line,
                       const struct device *device)
{
    double others = line->share;
    bool printed = false;
    for (unsigned row = 0; row < ROWS; row++)
        others -= row_of(line, row)->share;
    for (unsigned row = 0; row < ROWS; row++) {
        const struct access_sums *sums = row_of(line, row);
        if (!sums->requests)
            continue;
        print_counters(out, row_names[row], sums, row_is_shared(row), device);
        print_share(out, sums->share + (printed ? 0 : others));
        if (!printed)
            fprintf(out, "%5zu  %s", number, text);
        fputc('\n', out);
        printed = true;
    }
    if (printed)
        return;
    fprintf(out, "%*s", COUNTER_COLUMNS, "");
    print_share(out, line->share);
    fprintf(out, "%5zu  %s\n", number, text);
}

static bool has_accesses(const struct line_counters *line)
{
    double requests = 0;
    for (unsigned row = 0; row < ROWS; row++)
        requests += row_of(line, row)->requests;
    return requests > 0;
}

bool listing_print(FILE *out, const char *path, const struct line_counters *lines, size_t count,
                   const struct device *device)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    fprintf(out, "%-12s %10s %-18s %9s %6s  %5s\n", "access", "requests", "each (of ideal)",
            "conflicts", "% time", "line");
    char *text = NULL;
    size_t size = 0, number = 1;
    static const struct line_counters nothing;
    for (; getline(&text, &size, file) >= 0; number++) {
        text[strcspn(text, "\r\n")] = 0;
        print_line(out, number, text, number < count ? &lines[number] : &nothing, device);
    }
    if (has_accesses(&lines[0]))
        print_line(out, 0, "(called from no line of this file)", &lines[0], device);
    free(text);
    bool good = !ferror(file);
    fclose(file);
    return good;
}
