/* explain_access.c: print one access of one warp on the terminal. */
#include "base/wording.h"
#include "view/block_accesses.h"
#include "view/explain.h"
#include "view/lane_map.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16, MAPS_IN_A_ROW = 12, DESCRIPTION = 64 };

void explain_access_kind(const struct observed_access *access, char *text, size_t size)
{
    snprintf(text, size, "%s %s, %u bytes per lane", access->is_shared ? "shared" : "global",
             access->is_store ? "store" : "load", access->bytes);
}

struct lane_column {
    const char *title;
    char text[LANES][16];
};

static void bank_column(const struct bank_map *map, const struct observed_access *access,
                        struct lane_column *column)
{
    column->title = "bank";
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned bank = bank_of(map, access->address[lane]);
        if (map->lane_words > 1)
            snprintf(column->text[lane], sizeof *column->text, "%u-%u", bank,
                     bank + map->lane_words - 1);
        else
            snprintf(column->text[lane], sizeof *column->text, "%u", bank);
    }
}

/* Show the index of a sector in the array, or on CC 1.x the number of a transaction. */
static void sector_column(const struct emulator_launch *launch, const struct sector_map *map,
                          const struct observed_access *access, struct lane_column *column)
{
    const bool is_sector = launch->device->coalescing == COALESCE_SECTORS;
    column->title = sector_map_unit(launch->device);
    for (unsigned lane = 0; lane < LANES; lane++) {
        const struct memory_region *region = memory_find(launch->memory, access->address[lane]);
        uint64_t number = map->piece[lane] + 1u;
        if (is_sector)
            number = (access->address[lane] - (region ? region->base : 0)) /
                     launch->device->sector_bytes;
        snprintf(column->text[lane], sizeof *column->text, "%" PRIu64, number);
    }
}

static void print_lane(FILE *out, const struct emulator_launch *launch,
                       const struct observed_access *access, const struct lane_column *column,
                       unsigned lane)
{
    struct dimensions thread = block_access_thread(launch, access->warp, lane);
    char name[48], where[DESCRIPTION] = "-";
    bool active = access->mask >> lane & 1;
    if (launch->block.z > 1)
        snprintf(name, sizeof name, "(%u,%u,%u)", thread.x, thread.y, thread.z);
    else
        snprintf(name, sizeof name, "(%u,%u)", thread.x, thread.y);
    if (active)
        block_access_describe(launch, access, lane, where, sizeof where);
    fprintf(out, "%4u %-7s %-17.17s %7s", lane, name, where, active ? column->text[lane] : "off");
}

static void print_lanes(FILE *out, const struct emulator_launch *launch,
                        const struct observed_access *access, const struct lane_column *column)
{
    unsigned lanes = (unsigned)launch->device->warp_lanes;
    unsigned rows = lanes < ROWS ? lanes : ROWS;
    for (unsigned lane = 0; lane < lanes; lane += rows)
        fprintf(out, "%slane %-7s %-17s %7s", lane ? "   " : "", "thread",
                access->is_shared ? "shared memory" : "element", column->title);
    fputc('\n', out);
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned lane = row; lane < lanes; lane += rows) {
            if (lane > row)
                fputs("   ", out);
            print_lane(out, launch, access, column, lane);
        }
        fputc('\n', out);
    }
}

static void print_banks(FILE *out, const struct bank_map *map, const struct observed_access *access)
{
    fputs("\nbank", out);
    for (unsigned bank = 0; bank < map->banks; bank++)
        fprintf(out, "%3u", bank);
    fputc('\n', out);
    for (unsigned phase = 0; phase < map->phases; phase++) {
        unsigned first = phase * map->phase_lanes;
        uint64_t lanes = ((1ull << map->phase_lanes) - 1) << first;
        if (!(access->mask & lanes))
            continue;
        if (map->phases > 1)
            fprintf(out, "lanes %u to %u\n", first, first + map->phase_lanes - 1);
        fputs(" use", out);
        for (unsigned bank = 0; bank < map->banks; bank++)
            if (map->words[phase][bank])
                fprintf(out, "%3u", map->words[phase][bank]);
            else
                fputs("  .", out);
        fputc('\n', out);
    }
    fputs("(use: different words that the lanes access in the bank; a bank serves one word per "
          "wavefront)\n",
          out);
}

void explain_banks(const struct bank_map *map, char *text, size_t size)
{
    const unsigned conflicts = map->wavefronts - map->ideal;
    text_append(text, size, "%u wavefront%s, minimum %u: %u bank conflict%s", map->wavefronts,
                plural(map->wavefronts), map->ideal, conflicts, plural(conflicts));
    text_append_ways(map->wavefronts, map->ideal, text, size);
}

static unsigned lanes_at(const struct observed_access *access, uint64_t at, uint64_t size)
{
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        lanes += (access->mask >> lane & 1) && access->address[lane] < at + size &&
                 access->address[lane] + access->bytes > at;
    return lanes;
}

static void print_sectors(FILE *out, const struct device *device, const struct sector_map *map,
                          const struct observed_access *access)
{
    uint64_t line = device->line_bytes, sector = device->sector_bytes;
    bool is_sector = device->coalescing == COALESCE_SECTORS;
    unsigned printed = 0;
    fputc('\n', out);
    for (unsigned i = 0; i < map->count;) {
        uint64_t base = map->pieces[i].address / line * line;
        unsigned end = i + 1;
        while (is_sector && end < map->count && map->pieces[end].address < base + line)
            end++;
        fputs(printed++ % MAPS_IN_A_ROW ? " [" : printed > 1 ? "\n[" : "[", out);
        for (uint64_t at = base; at < base + line; at += sector) {
            bool moved = false;
            for (unsigned p = i; p < end; p++)
                moved |= at >= map->pieces[p].address &&
                         at < map->pieces[p].address + map->pieces[p].bytes;
            const int lanes = (int)lanes_at(access, at, sector);
            fputc(!moved ? '.' : !lanes ? '-' : lanes < 10 ? '0' + lanes : '+', out);
        }
        fputc(']', out);
        i = end;
    }
    fprintf(out,
            "\n([ ] line of %" PRIu64 " bytes, sectors of %" PRIu64
            "; digit: lanes that access it; - moved, not used; . not moved)\n",
            line, sector);
}

static void print_title(FILE *out, const struct emulator_launch *launch,
                        const struct block_access *observed)
{
    const struct observed_place *place = &observed->access.place;
    const struct ptx_function *function = &launch->program->module->functions[place->function];
    char kind[64];
    explain_access_kind(&observed->access, kind, sizeof kind);
    fprintf(out, "%s (%.40s)", kind, function->instructions[place->instruction].text);
    if (observed->times > 1)
        fprintf(out, ", access %u of %u at this line", observed->time, observed->times);
    fputs("\n\n", out);
}

void explain_access(FILE *out, const struct emulator_launch *launch,
                    const struct block_access *observed)
{
    const struct observed_access *access = &observed->access;
    const struct device *device = launch->device;
    struct lane_column column;
    char distance[96] = "", totals[96] = "";
    print_title(out, launch, observed);
    if (access->is_shared) {
        const struct bank_map map = bank_map_make(device, block_access_pattern(access));
        bank_column(&map, access, &column);
        print_lanes(out, launch, access, &column);
        print_banks(out, &map, access);
        explain_banks(&map, totals, sizeof totals);
        fprintf(out, "\n%s\n", totals);
    } else {
        const struct sector_map map = sector_map_make(device, block_access_pattern(access));
        sector_column(launch, &map, access, &column);
        print_lanes(out, launch, access, &column);
        print_sectors(out, device, &map, access);
        fprintf(out,
                "\n%u %s%s for %u different bytes, minimum %u. %u bytes are moved, and %.3g %% of "
                "them are used\n",
                map.count, column.title, plural(map.count), map.used_bytes, map.ideal,
                map.moved_bytes, 100.0 * map.used_bytes / (map.moved_bytes ? map.moved_bytes : 1));
    }
    explain_distance(access, 0, distance, sizeof distance);
    fprintf(out, "%c%s\n", toupper((unsigned char)*distance), distance + 1);
}
