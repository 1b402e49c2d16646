/* picture_order.c: the order in which blocks take the tiles. See picture.h. */
#include "emulator/memory/dram.h"
#include "picture/picture.h"

#include <inttypes.h>

enum { TILES_SHOWN = 8 }; /* of each side: further ones would only repeat them */

void picture_order_begin(struct picture_file *file, unsigned panels, const struct device *device,
                         uint64_t rows, uint64_t cols)
{
    fprintf(file->settings,
            "panels = %u\npartitions = %" PRIu64 "\narray panel_text[%u]\narray across[%u]\n"
            "array down[%u]\narray most_partition[%u]\n",
            panels, device->partitions, 2 * panels, 2 * panels, 2 * panels, 2 * panels);
    picture_file_set(file, "title_text", 0, "Which block takes which tile, and in which partition");
    picture_file_set(file, "subtitle_text", 0,
                     "the first corner of %" PRIu64 " x %" PRIu64 " floats on %s: %" PRIu64
                     " partitions of %" PRIu64 " bytes, addresses %s",
                     rows, cols, device->title, device->partitions, device->partition_bytes,
                     device->partition_map == PARTITION_HASHED ? "hashed" : "in turn");
    fputs("panel,kernel,matrix,block,x,y,width,height,tile_x,tile_y,partition\n", file->data);
}

static bool is_shown(const struct block_rectangle *at, uint64_t width, uint64_t height)
{
    return at->low_x / width < TILES_SHOWN && at->low_y / height < TILES_SHOWN;
}

/* The tiles of one matrix. False: no block does anything of the kind. */
static bool write_matrix(struct picture_file *file, unsigned panel, const char *name,
                         const struct emulator_launch *launch, const struct block_places *places,
                         bool is_store)
{
    const struct partition_geometry geometry = partition_geometry_of(launch->device);
    struct block_rectangle first, at;
    uint64_t begin = 0;
    while (begin < places->count &&
           !block_places_rectangle(places, launch->memory, begin, is_store, &first))
        begin++;
    if (begin == places->count)
        return false;
    uint64_t width = first.high_x - first.low_x + 1, height = first.high_y - first.low_y + 1;
    uint64_t across = 1, down = 1;
    unsigned most = 0;
    for (uint64_t block = 0; block < places->count; block++) {
        if (!block_places_rectangle(places, launch->memory, block, is_store, &at) ||
            !is_shown(&at, width, height))
            continue;
        uint64_t x = at.low_x / width, y = at.low_y / height;
        across = x + 1 > across ? x + 1 : across;
        down = y + 1 > down ? y + 1 : down;
        unsigned partition = partition_of(&geometry, at.address);
        most = partition > most ? partition : most;
        fprintf(file->data,
                "%u,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%" PRIu64 ",%u\n",
                panel, name, is_store ? "odata" : "idata", block, at.low_x, at.low_y,
                at.high_x - at.low_x + 1, at.high_y - at.low_y + 1, x, y, partition);
    }
    picture_file_set(file, "panel_text", panel, "%s: %s", name,
                     is_store ? "stored to odata" : "loaded from idata");
    fprintf(file->settings,
            "across[%u] = %" PRIu64 "\ndown[%u] = %" PRIu64 "\nmost_partition[%u] = %u\n", panel,
            across, panel, down, panel, most);
    return true;
}

bool picture_order_panel(struct picture_file *file, unsigned panel, const char *name,
                         const struct emulator_launch *launch, const struct block_places *places,
                         struct failure *failure)
{
    if (places->no_memory)
        return failure_harness(failure, "not enough memory");
    return (write_matrix(file, 2 * panel - 1, name, launch, places, false) &&
            write_matrix(file, 2 * panel, name, launch, places, true)) ||
           failure_harness(failure, "%s: no block moves a tile of a matrix", name);
}
