#include "annotate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- From instructions to lines -----------------------------------------------------------------
 */

/* The line of `path` that an instruction belongs to, or 0. */
static uint32_t line_of(const struct ptx_module *module, int32_t location, const char *path)
{
    for (unsigned depth = 0; depth < 64 && location >= 0; depth++) {
        if ((size_t)location >= module->location_count)
            return 0;
        const struct ptx_location *at = &module->locations[location];
        const char *file = at->file < module->file_count ? module->files[at->file] : NULL;
        if (file && at->line && !strcmp(file, path))
            return at->line;
        location = at->inlined_at;
    }
    return 0;
}

static uint64_t excess(const struct annotate_sums *sums, unsigned sector_bytes)
{
    uint64_t ideal = (sums->bytes + sector_bytes - 1) / sector_bytes;
    return (sums->sectors > ideal ? sums->sectors - ideal : 0) + sums->wavefronts - sums->ideal;
}

static void add_access(struct annotate_sums *sums, const struct instruction_stats *stats,
                       unsigned sector_bytes)
{
    struct annotate_sums one = {stats->requests, stats->sectors, stats->wavefronts,
                                stats->ideal,    stats->bytes,   stats->distance};
    if (!sums->requests || excess(&one, sector_bytes) > excess(sums, sector_bytes))
        sums->distance = one.distance;
    sums->requests += one.requests;
    sums->sectors += one.sectors;
    sums->wavefronts += one.wavefronts;
    sums->ideal += one.ideal;
    sums->bytes += one.bytes;
}

void annotate_gather(const struct emulator_launch *launch, const struct emulator_result *result,
                     const char *path, struct annotate_line *lines, size_t count)
{
    const struct ptx_module *module = launch->program->module;
    unsigned sector_bytes = (unsigned)launch->device->sector_bytes;
    for (size_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        const struct instruction_stats *stats =
            result->stats + launch->program->functions[f].stats_base;
        for (size_t i = 0; i < function->instruction_count; i++) {
            const struct ptx_instruction *instruction = &function->instructions[i];
            uint32_t number = line_of(module, instruction->location, path);
            struct annotate_line *line = &lines[number < count ? number : 0];
            enum annotate_access access =
                instruction->opcode == PTX_OP_ST || instruction->opcode == PTX_OP_RED
                    ? ANNOTATE_STORE
                    : ANNOTATE_LOAD;
            line->executed += stats[i].executed;
            if (stats[i].sectors)
                add_access(&line->global[access], &stats[i], sector_bytes);
            else if (stats[i].wavefronts)
                add_access(&line->shared[access], &stats[i], sector_bytes);
        }
    }
}

/* ---- Advice
 * --------------------------------------------------------------------------------------- */

static const char *const access_names[ANNOTATE_ACCESSES] = {"loads", "stores"};
static const char *const access_verbs[ANNOTATE_ACCESSES] = {"read", "write"};

/* Sectors that the bytes of an average request need. */
static double ideal_sectors(const struct annotate_sums *sums, const struct device *device)
{
    double sectors = (double)sums->bytes / (double)sums->requests / (double)device->sector_bytes;
    return sectors < 1 ? 1 : sectors;
}

static void advise_global(const struct annotate_sums *sums, enum annotate_access access,
                          size_t line, const struct device *device, char *text, size_t size)
{
    int length =
        snprintf(text, size, "line %zu: %s touch %.3g sectors per request, %.3g would do", line,
                 access_names[access], (double)sums->sectors / (double)sums->requests,
                 ideal_sectors(sums, device));
    if (length > 0 && (size_t)length < size && sums->distance)
        snprintf(text + length, size - (size_t)length,
                 ": neighbouring threads %s %" PRId64 " bytes apart", access_verbs[access],
                 sums->distance < 0 ? -sums->distance : sums->distance);
}

static void advise_shared(const struct annotate_sums *sums, enum annotate_access access,
                          size_t line, const struct device *device, char *text, size_t size)
{
    uint64_t conflicts = sums->wavefronts - sums->ideal;
    uint64_t row = device->shared_banks * device->shared_bank_bytes;
    int length =
        snprintf(text, size, "line %zu: shared-memory %s have %.3g bank conflicts per request",
                 line, access_names[access], (double)conflicts / (double)sums->requests);
    if (length <= 0 || (size_t)length >= size || !sums->distance)
        return;
    uint64_t distance = (uint64_t)(sums->distance < 0 ? -sums->distance : sums->distance);
    snprintf(text + length, size - (size_t)length,
             distance % row ? ": neighbouring threads %s %" PRIu64 " bytes apart"
                            : ": neighbouring threads %s %" PRIu64
                              " bytes apart, which is the same bank; lengthen the rows by one word",
             access_verbs[access], distance);
}

void annotate_advise(const struct annotate_line *lines, size_t count, const struct device *device,
                     char *text, size_t size)
{
    uint64_t worst = 0;
    snprintf(text, size, "no line touches more sectors or wavefronts than its bytes need");
    for (size_t line = 1; line < count; line++)
        for (unsigned access = 0; access < ANNOTATE_ACCESSES; access++) {
            const struct annotate_sums *global = &lines[line].global[access];
            const struct annotate_sums *shared = &lines[line].shared[access];
            /* A few sectors more, from misaligned rows or ragged edges, are no pattern to mend. */
            bool poor = global->requests && (double)global->sectors / (double)global->requests >
                                                1.5 * ideal_sectors(global, device);
            uint64_t over = excess(global, (unsigned)device->sector_bytes);
            if (poor && over > worst) {
                worst = over;
                advise_global(global, (enum annotate_access)access, line, device, text, size);
            }
            over = shared->wavefronts - shared->ideal;
            if (over > worst && 2 * over > shared->ideal) {
                worst = over;
                advise_shared(shared, (enum annotate_access)access, line, device, text, size);
            }
        }
}

/* ---- The listing
 * ---------------------------------------------------------------------------------- */

enum { COUNTER_COLUMNS = 46 };

static void print_counters(FILE *out, const char *what, const struct annotate_sums *sums,
                           const struct device *device)
{
    double requests = (double)sums->requests;
    if (sums->sectors)
        fprintf(out, "%-12s %10" PRIu64 " %7.4g of %-7.4g", what, sums->requests,
                (double)sums->sectors / requests, ideal_sectors(sums, device));
    else
        fprintf(out, "%-12s %10" PRIu64 " %7.4g of %-7.4g", what, sums->requests,
                (double)sums->wavefronts / requests, (double)sums->ideal / requests);
    fputs("    ", out);
}

/* One line of source, with a row for each kind of access that it makes. */
static void print_line(FILE *out, size_t number, const char *text, const struct annotate_line *line,
                       const struct device *device)
{
    static const char *const names[2][ANNOTATE_ACCESSES] = {{"global load", "global store"},
                                                            {"shared load", "shared store"}};
    bool printed = false;
    for (unsigned space = 0; space < 2; space++)
        for (unsigned access = 0; access < ANNOTATE_ACCESSES; access++) {
            const struct annotate_sums *sums =
                space ? &line->shared[access] : &line->global[access];
            if (!sums->requests)
                continue;
            print_counters(out, names[space][access], sums, device);
            if (!printed)
                fprintf(out, "%5zu  %s", number, text);
            fputc('\n', out);
            printed = true;
        }
    if (!printed)
        fprintf(out, "%*s%5zu  %s\n", COUNTER_COLUMNS - 2, "", number, text);
}

bool annotate_print(FILE *out, const char *path, const struct annotate_line *lines, size_t count,
                    const struct device *device)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    fprintf(out, "%-12s %10s %-18s %6s\n", "access", "requests", "each (of ideal)", "  line");
    char *text = NULL;
    size_t size = 0, number = 1;
    static const struct annotate_line nothing;
    for (; getline(&text, &size, file) >= 0; number++) {
        text[strcspn(text, "\r\n")] = 0;
        print_line(out, number, text, number < count ? &lines[number] : &nothing, device);
    }
    free(text);
    bool good = !ferror(file);
    fclose(file);
    return good;
}
