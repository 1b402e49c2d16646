/* picture_tile.c: pictures of the data movement of a tile. */
#include "course/matrix.h"
#include "picture/picture.h"

#include <inttypes.h>

enum stage { STAGE_LOAD, STAGE_SHARED_STORE, STAGE_SHARED_LOAD, STAGE_STORE, STAGES };

enum { FOLLOWED_LANE = 12 };

static const char *const stage_names[STAGES] = {"global load", "shared store", "shared load",
                                                "global store"};
static const char *const stage_titles[STAGES] = {"loaded from idata", "stored to shared memory",
                                                 "loaded from shared memory", "stored to odata"};

/* The ranges of columns and rows in a stage. `note` describes the followed element's thread. */
struct extent {
    uint64_t low_x, high_x, low_y, high_y;
    bool used;
    char note[128];
};

struct followed {
    bool known;
    uint32_t element;
};

static enum stage stage_of(const struct observed_access *access)
{
    if (access->is_shared)
        return access->is_store ? STAGE_SHARED_STORE : STAGE_SHARED_LOAD;
    return access->is_store ? STAGE_STORE : STAGE_LOAD;
}

static void extend(struct extent *extent, uint64_t x, uint64_t y)
{
    if (!extent->used)
        *extent = (struct extent){x, x, y, y, true, ""};
    extent->low_x = x < extent->low_x ? x : extent->low_x;
    extent->high_x = x > extent->high_x ? x : extent->high_x;
    extent->low_y = y < extent->low_y ? y : extent->low_y;
    extent->high_y = y > extent->high_y ? y : extent->high_y;
}

/* Find the column (or bank) and row of a word. Returns false for a word outside of all matrices. */
static bool find_place(const struct emulator_launch *launch, const struct observed_access *access,
                       uint64_t address, uint64_t *x, uint64_t *y)
{
    uint64_t index = address / 4, columns = launch->device->shared_banks;
    if (!access->is_shared) {
        const struct memory_region *region = memory_find(launch->memory, address);
        if (!region || !region->row_elements)
            return false;
        index = (address - region->base) / 4;
        columns = region->row_elements;
    }
    *x = index % columns;
    *y = index / columns;
    return true;
}

/* The followed element is the first element that the last active lane up to FOLLOWED_LANE loads. */
static struct followed choose_followed(const struct picture_view *view,
                                       const struct block_accesses *accesses)
{
    for (size_t i = 0; i < accesses->count; i++) {
        const struct observed_access *access = &accesses->list[i].access;
        struct followed followed = {false, 0};
        if (stage_of(access) != STAGE_LOAD || access->warp != view->warp)
            continue;
        for (unsigned lane = 0; lane <= FOLLOWED_LANE; lane++)
            if (access->mask >> lane & 1)
                followed.known |= matrix_index(view->seed, access->words[lane][0],
                                               view->rows * view->cols, &followed.element);
        return followed;
    }
    return (struct followed){false, 0};
}

static void note_place(const struct observed_access *access, uint64_t x, uint64_t y,
                       struct dimensions thread, struct extent *extent)
{
    char place[48];
    if (access->is_shared)
        snprintf(place, sizeof place, "bank %" PRIu64, x);
    else
        snprintf(place, sizeof place, "[%" PRIu64 "][%" PRIu64 "]", y, x);
    snprintf(extent->note, sizeof extent->note, "dot: %s, thread (%u,%u) of warp %u", place,
             thread.x, thread.y, access->warp);
}

static void write_access(struct picture_file *file, const struct picture_view *view,
                         const struct emulator_launch *launch, const struct block_access *observed,
                         const struct followed *followed, struct extent *extents)
{
    const struct observed_access *access = &observed->access;
    enum stage stage = stage_of(access);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned w = 0; access->mask >> lane & 1 && w < access->bytes / 4; w++) {
            uint64_t x, y;
            uint32_t element;
            if (!matrix_index(view->seed, access->words[lane][w], view->rows * view->cols,
                              &element) ||
                !find_place(launch, access, access->address[lane] + 4 * w, &x, &y) ||
                (stage == STAGE_LOAD && element != y * view->cols + x))
                continue;
            struct dimensions thread = block_access_thread(launch, access->warp, lane);
            extend(&extents[stage], x, y);
            if (followed->known && followed->element == element && !*extents[stage].note)
                note_place(access, x, y, thread, &extents[stage]);
            fprintf(file->data,
                    "%d,%s,%u,%u,%u,%u,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                    stage + 1, stage_names[stage], observed->line, observed->time, access->warp,
                    lane, thread.x, thread.y, thread.z, x, y, element / view->cols,
                    element % view->cols);
        }
}

static void write_settings(struct picture_file *file, const struct extent *extents)
{
    unsigned panels = 0;
    picture_file_arrays(file, STAGES,
                        "panel_stage panel_text panel_note low_x high_x low_y high_y");
    for (unsigned stage = 0; stage < STAGES; stage++) {
        const struct extent *extent = &extents[stage];
        if (!extent->used)
            continue;
        panels++;
        picture_file_set(file, "panel_text", panels, "%u. %s", panels, stage_titles[stage]);
        picture_file_set(file, "panel_note", panels, "%s", extent->note);
        fprintf(file->settings,
                "panel_stage[%u] = %u\nlow_x[%u] = %" PRIu64 "\nhigh_x[%u] = %" PRIu64
                "\nlow_y[%u] = %" PRIu64 "\nhigh_y[%u] = %" PRIu64 "\n",
                panels, stage + 1, panels, extent->low_x, panels, extent->high_x, panels,
                extent->low_y, panels, extent->high_y);
    }
    fprintf(file->settings, "panels = %u\n", panels);
}

bool picture_tile(struct picture_file *file, struct picture_view *view,
                  const struct emulator_launch *launch, const struct block_accesses *accesses,
                  struct failure *failure)
{
    struct extent extents[STAGES] = {{.used = false}};
    const struct followed followed = choose_followed(view, accesses);
    const uint32_t *block = accesses->observer.block;
    fputs("stage,access,line,time,warp,lane,thread_x,thread_y,thread_z,x,y,input_row,input_col\n",
          file->data);
    for (size_t i = 0; i < accesses->count; i++)
        write_access(file, view, launch, &accesses->list[i], &followed, extents);
    if (!extents[STAGE_LOAD].used || !extents[STAGE_STORE].used)
        return failure_harness(failure,
                               "a tile cannot be followed: block %u,%u moves no elements from one "
                               "matrix to another. Draw the block with `tlab picture sectors`",
                               block[0], block[1]);
    picture_file_set(file, "title_text", 0, "%s: data movement of a tile through block %u,%u",
                     path_basename(view->path), block[0], block[1]);
    picture_file_set(file, "subtitle_text", 0,
                     "kernel %s on %s, %" PRIu64 " x %" PRIu64
                     "; the shade of an element shows its row in idata; a frame shows the first "
                     "access of warp %u",
                     launch->program->module->functions[launch->function].name,
                     launch->device->title, view->rows, view->cols, view->warp);
    fprintf(file->settings, "dot_row = %" PRIu64 "\ndot_col = %" PRIu64 "\n",
            followed.element / view->cols, followed.element % view->cols);
    fprintf(file->settings, "first_row = %" PRIu64 "\nlast_row = %" PRIu64 "\nwarp = %u\n",
            extents[STAGE_LOAD].low_y, extents[STAGE_LOAD].high_y, view->warp);
    write_settings(file, extents);
    return true;
}
