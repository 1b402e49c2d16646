/* picture_access.c: pictures of the banks and the sectors of single accesses. */
#include "base/wording.h"
#include "emulator/decode/shared_names.h"
#include "picture/picture.h"
#include "view/explain.h"
#include "view/lane_map.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_PANELS = 6 };

static bool is_candidate(const struct picture_view *view, const struct block_access *one,
                         bool shared)
{
    return one->access.is_shared == shared && one->access.warp == view->warp && one->line &&
           one->time == view->time;
}

static bool choose_line(struct picture_view *view, const struct device *device,
                        const struct block_accesses *accesses, bool shared)
{
    unsigned worst = 0;
    for (size_t i = 0; i < accesses->count; i++) {
        const struct block_access *one = &accesses->list[i];
        if (!is_candidate(view, one, shared))
            continue;
        unsigned over = lane_map_excess(device, &one->access);
        if (view->line && over <= worst)
            continue;
        view->line = one->line;
        worst = over;
    }
    return view->line;
}

static bool fail_nothing(const struct picture_view *view, bool shared, struct failure *failure)
{
    const char *space = shared ? "shared" : "global";
    if (!view->line)
        return failure_harness(failure, "warp %u of the block makes no access to %s memory",
                               view->warp, space);
    return failure_harness(
        failure,
        "warp %u of the block makes no access to %s memory at line %u (--time %u); "
        "`tlab annotate` shows the lines with accesses",
        view->warp, space, view->line, view->time);
}

static void set_titles(struct picture_file *file, const struct picture_view *view,
                       const struct emulator_launch *launch, const uint32_t block[3],
                       const char *what)
{
    const struct ptx_module *module = launch->program->module;
    picture_file_set(file, "title_text", 0, "%s, line %u: %s", path_basename(view->path),
                     view->line, what);
    char size[64] = "";
    if (view->rows)
        snprintf(size, sizeof size, ", %" PRIu64 " x %" PRIu64, view->rows, view->cols);
    picture_file_set(file, "subtitle_text", 0, "kernel %s on %s%s; block %u,%u, warp %u",
                     module->functions[launch->function].name, launch->device->title, size,
                     block[0], block[1], view->warp);
}

static const char lane_header[] =
    "panel,access,line,time,warp,lane,thread_x,thread_y,thread_z,element";

static void write_lane(FILE *out, const struct emulator_launch *launch,
                       const struct block_access *observed, unsigned panel, unsigned lane)
{
    const struct observed_access *access = &observed->access;
    struct dimensions thread = block_access_thread(launch, access->warp, lane);
    char element[64];
    block_access_describe(launch, access, lane, element, sizeof element);
    fprintf(out, "%u,%s %s,%u,%u,%u,%u,%u,%u,%u,%s", panel, access->is_shared ? "shared" : "global",
            access->is_store ? "store" : "load", observed->line, observed->time, access->warp, lane,
            thread.x, thread.y, thread.z, element);
}

static void describe_access(const struct block_access *observed, char *text, size_t size)
{
    explain_access_kind(&observed->access, text, size);
    if (observed->times > 1)
        text_append(text, size, " (access %u of %u)", observed->time, observed->times);
}

/* Append the panels of one access; `panels` panels exist. Returns the new number of panels. */
typedef unsigned write_panels(struct picture_file *file, const struct emulator_launch *launch,
                              const struct block_accesses *accesses,
                              const struct block_access *observed, unsigned panels);

static bool write_picture(struct picture_file *file, struct picture_view *view,
                          const struct emulator_launch *launch,
                          const struct block_accesses *accesses, bool shared, const char *title,
                          const char *columns, write_panels *write, struct failure *failure)
{
    unsigned panels = 0;
    if (!view->line && !choose_line(view, launch->device, accesses, shared))
        return fail_nothing(view, shared, failure);
    set_titles(file, view, launch, accesses->observer.block, title);
    fprintf(file->data, "%s,%s\n", lane_header, columns);
    for (size_t i = 0; i < accesses->count; i++)
        if (is_candidate(view, &accesses->list[i], shared) && accesses->list[i].line == view->line)
            panels = write(file, launch, accesses, &accesses->list[i], panels);
    fprintf(file->settings, "panels = %u\n", panels < MAX_PANELS ? panels : MAX_PANELS);
    return panels || fail_nothing(view, shared, failure);
}

enum { GRID_MAX_ROWS = 40, GRID_MAX_COLUMNS = 66, GRID_ELEMENT_BYTES = 4 };

struct shared_grid {
    uint64_t base;
    unsigned rows, columns;
    char name[64];
};

static bool find_grid(const struct emulator_launch *launch, uint64_t offset,
                      struct shared_grid *grid)
{
    const struct array_shapes *shapes = launch->program->shapes;
    uint64_t byte;
    if (!shapes || !shared_find_array(launch->program, launch->function, offset, grid->name,
                                      sizeof grid->name, &byte))
        return false;
    for (unsigned i = 0; i < shapes->count; i++) {
        const struct array_shape *shape = &shapes->shapes[i];
        if (strcmp(shape->name, grid->name) != 0 || shape->dimensions != 2 ||
            shape->extent[0] > GRID_MAX_ROWS || shape->extent[1] > GRID_MAX_COLUMNS)
            continue;
        grid->base = offset - byte;
        grid->rows = shape->extent[0];
        grid->columns = shape->extent[1];
        return true;
    }
    return false;
}

static void write_place(FILE *out, const struct emulator_launch *launch, uint64_t address)
{
    struct shared_grid grid;
    uint64_t word = 0;
    bool known =
        find_grid(launch, address, &grid) &&
        (word = (address - grid.base) / GRID_ELEMENT_BYTES) < (uint64_t)grid.rows * grid.columns;
    if (known)
        fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", word / grid.columns, word % grid.columns);
    else
        fputs(",NaN,NaN\n", out);
}

/* Returns the number of columns up to the last accessed column. Further columns are padding. */
static unsigned used_columns(const struct block_accesses *accesses, const struct shared_grid *grid)
{
    uint64_t used = 0;
    for (size_t i = 0; i < accesses->count; i++) {
        const struct observed_access *access = &accesses->list[i].access;
        for (unsigned lane = 0; access->is_shared && lane < LANES; lane++) {
            uint64_t word = (access->address[lane] - grid->base) / GRID_ELEMENT_BYTES;
            if (access->mask >> lane & 1 && access->address[lane] >= grid->base &&
                word / grid->columns < grid->rows)
                used = word % grid->columns + 1 > used ? word % grid->columns + 1 : used;
        }
    }
    return (unsigned)used;
}

static void write_grid(struct picture_file *file, const struct emulator_launch *launch,
                       const struct block_accesses *accesses, const struct observed_access *access,
                       const struct bank_map *map)
{
    struct shared_grid grid = {.name = ""};
    bool known = access->mask && map->word_bytes == 4 &&
                 find_grid(launch, access->address[__builtin_ctz(access->mask)], &grid);
    if (!known)
        grid.rows = grid.columns = 0;
    picture_file_set(file, "grid_name", 0, "%s[%u][%u]", grid.name, grid.rows, grid.columns);
    fprintf(file->settings, "grid_rows = %u\ngrid_columns = %u\ngrid_used = %u\ngrid_bank = %u\n",
            grid.rows, grid.columns, known ? used_columns(accesses, &grid) : 0,
            known ? bank_of(map, grid.base) : 0);
}

static void write_bank_lanes(struct picture_file *file, const struct emulator_launch *launch,
                             const struct block_access *observed, const struct bank_map *map,
                             unsigned phase, unsigned panel)
{
    const struct observed_access *access = &observed->access;
    unsigned first = phase * map->phase_lanes;
    for (unsigned lane = first; lane < first + map->phase_lanes && lane < LANES; lane++)
        for (unsigned w = 0; access->mask >> lane & 1 && w < map->lane_words; w++) {
            unsigned bank = (bank_of(map, access->address[lane]) + w) % map->banks;
            write_lane(file->data, launch, observed, panel, lane);
            fprintf(file->data, ",%u,%" PRIu64 ",%u,%u,%u", phase,
                    access->address[lane] + w * map->word_bytes, bank, map->words[phase][bank],
                    lane - first);
            write_place(file->data, launch, access->address[lane] + w * map->word_bytes);
        }
}

static unsigned write_banks(struct picture_file *file, const struct emulator_launch *launch,
                            const struct block_accesses *accesses,
                            const struct block_access *observed, unsigned panels)
{
    const struct bank_map map =
        bank_map_make(launch->device, block_access_pattern(&observed->access));
    if (!panels)
        write_grid(file, launch, accesses, &observed->access, &map);
    for (unsigned phase = 0; phase < map.phases; phase++) {
        unsigned first = phase * map.phase_lanes, last = first + map.phase_lanes - 1;
        if (!map.phase_wavefronts[phase])
            continue;
        panels++;
        write_bank_lanes(file, launch, observed, &map, phase, panels);
        if (panels > MAX_PANELS)
            continue; /* The access is in the data, but not drawn. */
        char kind[96], lanes[48] = "";
        describe_access(observed, kind, sizeof kind);
        if (map.phases > 1)
            snprintf(lanes, sizeof lanes, ", lanes %u to %u", first, last);
        picture_file_set(file, "panel_text", panels, "%s%s: %u wavefront%s", kind, lanes,
                         map.phase_wavefronts[phase],
                         map.phase_wavefronts[phase] == 1 ? ", no conflict" : "s, minimum 1");
        fprintf(file->settings, "phase_lanes[%u] = %u\nfirst_lane[%u] = %u\n", panels,
                map.phase_lanes, panels, first);
    }
    return panels;
}

bool picture_banks(struct picture_file *file, struct picture_view *view,
                   const struct emulator_launch *launch, const struct block_accesses *accesses,
                   struct failure *failure)
{
    fprintf(file->settings, "banks = %" PRIu64 "\n", launch->device->shared_banks);
    picture_file_arrays(file, MAX_PANELS, "panel_text phase_lanes first_lane");
    return write_picture(file, view, launch, accesses, true, "banks of shared memory",
                         "phase,byte,bank,words_in_bank,place,row,column", write_banks, failure);
}

struct touched_lines {
    uint64_t base[COALESCE_MAX_RUNS * 2];
    unsigned count;
};

static void find_lines(const struct sector_map *map, uint64_t line_bytes,
                       struct touched_lines *lines)
{
    lines->count = 0;
    for (unsigned i = 0; i < map->count; i++) {
        uint64_t base = map->pieces[i].address / line_bytes * line_bytes;
        unsigned at = 0;
        while (at < lines->count && lines->base[at] < base)
            at++;
        if (at < lines->count && lines->base[at] == base)
            continue;
        memmove(lines->base + at + 1, lines->base + at, (lines->count - at) * sizeof *lines->base);
        lines->base[at] = base;
        lines->count++;
    }
}

/* Write the number of the lane; "" if an earlier lane accesses the same element. */
static void lane_label(const struct observed_access *access, unsigned lane, char *text, size_t size)
{
    unsigned sharers = 0;
    for (unsigned other = 0; other < LANES; other++) {
        if (!(access->mask >> other & 1) || access->address[other] != access->address[lane])
            continue;
        if (other < lane) {
            *text = 0;
            return;
        }
        sharers++;
    }
    snprintf(text, size, sharers > 1 ? "%u+" : "%u", lane);
}

static unsigned write_sectors(struct picture_file *file, const struct emulator_launch *launch,
                              const struct block_accesses *accesses,
                              const struct block_access *observed, unsigned panels)
{
    const unsigned panel = panels + 1;
    (void)accesses;
    const struct observed_access *access = &observed->access;
    const struct device *device = launch->device;
    const struct sector_map map = sector_map_make(device, block_access_pattern(access));
    struct touched_lines lines;
    find_lines(&map, device->line_bytes, &lines);
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(access->mask >> lane & 1))
            continue;
        const struct access_piece *piece = &map.pieces[map.piece[lane]];
        unsigned row = 0;
        char label[8];
        while (row + 1 < lines.count && lines.base[row + 1] <= access->address[lane])
            row++;
        lane_label(access, lane, label, sizeof label);
        write_lane(file->data, launch, observed, panel, lane);
        fprintf(file->data, ",%u,%" PRIu64 ",%u,%" PRIu64 ",%u,%s\n", row,
                access->address[lane] - lines.base[row], access->bytes,
                piece->address - lines.base[row], piece->bytes, label);
    }
    if (panel > MAX_PANELS)
        return panel;
    char kind[96];
    describe_access(observed, kind, sizeof kind);
    picture_file_set(file, "panel_text", panel,
                     "%s: %u %s%s, minimum %u; %.3g %% of the moved bytes are used", kind,
                     map.count, sector_map_unit(device), plural(map.count), map.ideal,
                     100.0 * map.used_bytes / map.moved_bytes);
    fprintf(file->settings, "line_count[%u] = %u\n", panel, lines.count);
    for (unsigned row = 0; row < lines.count; row++) {
        char where[64];
        memory_describe(launch->memory, lines.base[row], where, sizeof where);
        picture_file_set(file, "line_text", panels * COALESCE_MAX_RUNS + row + 1, "%s", where);
    }
    return panel;
}

bool picture_sectors(struct picture_file *file, struct picture_view *view,
                     const struct emulator_launch *launch, const struct block_accesses *accesses,
                     struct failure *failure)
{
    const struct device *device = launch->device;
    fprintf(file->settings, "line_bytes = %" PRIu64 "\nsector_bytes = %" PRIu64 "\n",
            device->line_bytes, device->sector_bytes);
    picture_file_arrays(file, MAX_PANELS, "panel_text line_count");
    picture_file_arrays(file, MAX_PANELS * COALESCE_MAX_RUNS, "line_text");
    char title[32];
    snprintf(title, sizeof title, "%ss of global memory", sector_map_unit(device));
    return write_picture(file, view, launch, accesses, false, title,
                         "row,byte,bytes,moved_from,moved_bytes,label", write_sectors, failure);
}
