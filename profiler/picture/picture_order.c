/* picture_order.c: pictures of the order in which blocks process the tiles. */
#include "emulator/cost/dram.h"
#include "picture/picture.h"

#include <inttypes.h>

enum { TILES_SHOWN = 8 }; /* Tiles per side; more tiles would only repeat the order. */

void picture_order_begin(struct picture_file *file, unsigned panels, unsigned devices)
{
    (void)devices;
    fprintf(file->settings, "panels = %u\n", panels);
    picture_file_arrays(file, 2 * panels, "panel_text across down most_partition");
    picture_file_set(file, "title_text", 0, "Tiles by block, and their DRAM partitions");
    fputs("panel,kernel,matrix,block,x,y,width,height,tile_x,tile_y,partition\n", file->data);
}

void picture_order_describe(struct picture_file *file, const struct device *device, uint64_t rows,
                            uint64_t cols)
{
    picture_file_set(file, "subtitle_text", 0,
                     "%" PRIu64 " x %" PRIu64 " floats (at most 8 x 8 tiles shown) on %s: %" PRIu64
                     " partitions of %" PRIu64 " bytes, addresses %s",
                     rows, cols, device->title, device->partitions, device->partition_bytes,
                     device->partition_map == PARTITION_HASHED ? "hashed" : "interleaved");
}

static const struct block_rectangle *first_tile(const struct block_places *places, bool is_store)
{
    const struct block_rectangle *first = NULL;
    for (uint64_t block = 0; block < places->count && !first; block++)
        first = block_places_of(places, block, is_store);
    return first;
}

static bool write_matrix(struct picture_file *file, unsigned panel, const char *name,
                         const struct emulator_launch *launch, const struct block_places *places,
                         bool is_store)
{
    const struct partition_geometry geometry = partition_geometry_of(launch->device);
    const struct block_rectangle *first = first_tile(places, is_store);
    const struct memory_region *matrix = first ? memory_find(launch->memory, first->base) : NULL;
    if (!matrix)
        return false;
    uint32_t width = first->high_x - first->low_x + 1, height = first->high_y - first->low_y + 1;
    uint32_t across = 1, down = 1;
    unsigned most = 0;
    for (uint64_t block = 0; block < places->count; block++) {
        const struct block_rectangle *at = block_places_of(places, block, is_store);
        for (unsigned i = 0; at && i < BLOCK_RECTANGLES; i++, at++) {
            const uint32_t x = at->low_x / width, y = at->low_y / height;
            if (at->base != matrix->base || x >= TILES_SHOWN || y >= TILES_SHOWN)
                continue;
            across = x + 1 > across ? x + 1 : across;
            down = y + 1 > down ? y + 1 : down;
            const uint64_t element = at->low_y * matrix->row_elements + at->low_x;
            unsigned partition =
                partition_of(&geometry, matrix->base + element * matrix->element_bytes);
            most = partition > most ? partition : most;
            fprintf(file->data, "%u,%s,%s,%" PRIu64 ",%u,%u,%u,%u,%u,%u,%u\n", panel, name,
                    matrix->name, block, at->low_x, at->low_y, at->high_x - at->low_x + 1,
                    at->high_y - at->low_y + 1, x, y, partition);
        }
    }
    picture_file_set(file, "panel_text", panel, "%s: %s %s", name,
                     is_store ? "stored to" : "loaded from", matrix->name);
    fprintf(file->settings, "across[%u] = %u\ndown[%u] = %u\nmost_partition[%u] = %u\n", panel,
            across, panel, down, panel, most);
    return true;
}

bool picture_order_panel(struct picture_file *file, unsigned panel, const char *name,
                         const struct emulator_launch *launch, const struct block_places *places,
                         struct failure *failure)
{
    return (write_matrix(file, 2 * panel - 1, name, launch, places, false) &&
            write_matrix(file, 2 * panel, name, launch, places, true)) ||
           failure_harness(failure, "%s: no block moves a tile of a matrix", name);
}
