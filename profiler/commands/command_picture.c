/* command_picture.c: tlab picture KIND TARGET...: pictures of memory accesses. */
#include "base/wording.h"
#include "commands/command.h"
#include "picture/picture.h"
#include "process/allocate.h"
#include "run/target_options.h"
#include "text/spelling.h"
#include "view/lab_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Emulates a lab and draws its memory accesses. KIND is\n"
    "  banks        the bank of shared memory that each lane of a warp accesses\n"
    "  sectors      the sectors of global memory that each lane of a warp accesses\n"
    "  tile         the data movement of a tile from idata through shared memory to odata\n"
    "  order        the block and the partition of each tile of idata and odata\n"
    "  partitions   DRAM traffic by partition over time, in one panel per TARGET and device\n"
    "For an incorrect kernel, tlab prints the verdict first, in one line. It still draws the\n"
    "picture, but omits accesses out of bounds.\n";

#define PARTITION_DEVICES "gtx280," OPTIONS_DEFAULT_DEVICE
#define ORDER_DEVICE "gtx280"

enum { MAX_PANELS = 8 };

typedef bool picture_write(struct picture_file *file, struct picture_view *view,
                           const struct emulator_launch *launch,
                           const struct block_accesses *accesses, struct failure *failure);

struct drawing;
typedef void show_blocks(struct drawing *drawing, const char *name,
                         const struct emulator_launch *launch);
static show_blocks show_order, show_partitions;

static const struct kind {
    const char *name;
    const char *device;
    unsigned panels, devices;
    picture_write *write; /* draws one block; NULL if each target has a panel */
    show_blocks *show;
    void (*begin)(struct picture_file *file, unsigned panels, unsigned across);
    void (*describe)(struct picture_file *file, const struct device *device, uint64_t rows,
                     uint64_t cols);
} kinds[] = {
    {"banks", OPTIONS_DEFAULT_DEVICE, 1, 1, .write = picture_banks},
    {"sectors", OPTIONS_DEFAULT_DEVICE, 1, 1, .write = picture_sectors},
    {"tile", OPTIONS_DEFAULT_DEVICE, 1, 1, .write = picture_tile},
    {"order", ORDER_DEVICE, 4, 1, NULL, show_order, picture_order_begin, picture_order_describe},
    {"partitions", PARTITION_DEVICES, MAX_PANELS, MAX_PANELS, NULL, show_partitions,
     picture_partitions_begin, picture_partitions_describe},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

enum outcome {
    OUTCOME_DRAWN,
    OUTCOME_UNDRAWN,   /* a kernel cannot be launched */
    OUTCOME_TOO_LARGE, /* a kernel does not fit on the default device of the picture's kind */
};

struct picture_command {
    const struct kind *kind;
    struct target_options target;
    uint32_t block[3];
    uint64_t line, warp, time;
    const char *out, *data;
    struct picture_paths paths;
    struct picture_file file;
    const struct block_run *run; /* NULL for a picture with panels */
    uint64_t rows, cols;
    int status;
    enum outcome outcome;
};

static bool take_kind(struct picture_command *picture, struct failure *failure)
{
    struct target_options *target = &picture->target;
    struct word_list *words = &target->targets;
    const char *names[KINDS];
    for (size_t i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
        if (!strcmp(words->words[0], kinds[i].name))
            picture->kind = &kinds[i];
    }
    if (!picture->kind) {
        char advice[SPELLING_ADVICE];
        spelling_advise(words->words[0], "", names, KINDS, advice);
        return failure_harness(failure,
                               "there is no picture `%s`; KIND is banks, sectors, tile, order or "
                               "partitions%s",
                               words->words[0], advice);
    }
    if (!--words->count)
        return failure_harness(failure, "tlab picture %s requires a lab directory or a .cu file",
                               picture->kind->name);
    memmove(words->words, words->words + 1, words->count * sizeof *words->words);
    if (picture->kind->panels == 1 && words->count > 1)
        return failure_harness(failure, "tlab picture %s accepts one target; remove `%s`",
                               picture->kind->name, words->words[1]);
    if (!target->device_name)
        target->device_name = picture->kind->device;
    return true;
}

static bool parse_arguments(struct picture_command *picture, int count, char **values,
                            struct failure *failure)
{
    struct target_options *target = &picture->target;
    const struct option_row rows[] = {
        TEXT_ROW("out", "FILE", &picture->out,
                 "path of the picture: .png, .svg or .pdf (default KIND-NAME.png)"),
        TEXT_ROW("data", "FILE", &picture->data,
                 "the data as CSV (default: the path of the picture, with .csv)"),
        NUMBER_ROW("line", "N", &picture->line, 1, INT32_MAX,
                   "banks, sectors: line of the .cu file (default: the line with the\n"
                   "most conflicts or excess sectors)"),
        TRIPLE_ROW("block", picture->block, 0,
                   "block (default 0,0; for tile: a block off the matrix's diagonal)"),
        NUMBER_ROW("warp", "W", &picture->warp, 0, INT32_MAX, "warp of the block (default 0)"),
        NUMBER_ROW("time", "K", &picture->time, 1, INT32_MAX,
                   "the warp's K-th access at that line (default 1)"),
        TEXT_ROW("device", "NAME[,NAME]", &target->device_name,
                 "device to emulate (default " OPTIONS_DEFAULT_DEVICE ";\norder: " ORDER_DEVICE
                 "; partitions: " PARTITION_DEVICES
                 ";\nif the kernel does not fit on these devices, the default)"),
        TARGET_SIZE_ROWS(target, "2048"),
    };
    const struct command_line line = {
        .command = "picture",
        .synopsis = "KIND TARGET... [OPTION...]",
        .about = about,
        ROWS(rows),
        .ending = "Drawing requires gnuplot; without it, only the data is written.\n"};
    if (!count)
        return failure_harness(failure, "tlab picture requires a KIND and a lab, such as "
                                        "`tlab picture banks labs/02_coalesced`");
    picture->time = 1;
    picture->block[0] = BLOCK_RUN_ANY;
    *target = target_options_default();
    return target_options_parse(target, &line, count, values, failure) &&
           take_kind(picture, failure) &&
           (!picture->out || picture_file_check(picture->out, failure));
}

/* A run of all blocks, which records the tiles of the blocks or the traffic of the partitions. */
struct drawing {
    struct picture_command *picture;
    const char *path;
    const struct device *device;
    unsigned panel;
    show_blocks *show;
    struct block_places places;
    struct partition_history history;
    bool is_reported, is_shown;
    struct failure failure;
};

/* Choose a block that loads a tile off the diagonal, because a transpose moves this tile. The tile
 * is below the first row of tiles, so that different orders of blocks are visible. */
static void find_tile(struct drawing *drawing, const char *name,
                      const struct emulator_launch *launch)
{
    const struct block_places *places = &drawing->places;
    const struct block_rectangle *at = block_places_of(places, 0, false);
    const struct memory_region *matrix = at ? memory_find(launch->memory, at->base) : NULL;
    const uint64_t first = matrix ? matrix->row_elements / (at->high_x - at->low_x + 1) + 2 : 0;
    uint32_t *index = drawing->picture->block;
    uint64_t found = 0;
    (void)name;
    for (uint64_t block = first < places->count ? first : 0; block < places->count && !found;
         block++)
        if ((at = block_places_of(places, block, false)) && at->low_x != at->low_y)
            found = block;
    index[0] = (uint32_t)(found % launch->grid.x);
    index[1] = (uint32_t)(found / launch->grid.x % launch->grid.y);
    index[2] = (uint32_t)(found / launch->grid.x / launch->grid.y);
}

static void show_order(struct drawing *drawing, const char *name,
                       const struct emulator_launch *launch)
{
    picture_order_panel(&drawing->picture->file, drawing->panel, name, launch, &drawing->places,
                        &drawing->failure);
}

static void show_partitions(struct drawing *drawing, const char *name,
                            const struct emulator_launch *launch)
{
    const struct picture_partitions drawn = {name, drawing->device, drawing->history};
    (void)launch;
    if (drawing->history.windows)
        picture_partitions_panel(&drawing->picture->file, drawing->panel, &drawn);
    else
        failure_harness(&drawing->failure, "the kernel accesses no DRAM partition");
}

static void watch_wrong(void *context, const struct failure *wrong)
{
    struct drawing *drawing = context;
    if (!drawing->is_reported)
        block_run_print_wrong(drawing->path, wrong);
    drawing->is_reported = true;
    block_places_free(&drawing->places);
    block_places_begin(&drawing->places);
    free(drawing->history.bytes);
    drawing->history = (struct partition_history){0};
}

static void watch_begin(void *context, const struct emulator_launch *launch)
{
    struct drawing *drawing = context;
    drawing->places.memory = launch->memory;
}

static void watch_launch(void *context, const struct emulator_launch *launch,
                         const struct emulator_result *result)
{
    struct drawing *drawing = context;
    const char *file = path_basename(drawing->path);
    char name[64];
    (void)result;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
    drawing->is_shown = true;
    drawing->show(drawing, name, launch);
}

static bool run_drawing(struct drawing *drawing, struct failure *failure)
{
    struct picture_command *picture = drawing->picture;
    struct run_options options = picture->target.run;
    struct failure wrong = {0};
    block_places_begin(&drawing->places);
    options.device = drawing->device;
    options.watch.wrong = watch_wrong;
    options.watch.inspect = watch_launch;
    options.watch.context = drawing;
    if (drawing->show == show_partitions) {
        options.watch.history = &drawing->history;
    } else {
        options.workers = 1;
        options.watch.observer = &drawing->places.observer;
        options.watch.begin = watch_begin;
    }
    struct run_result *result = run_source_new(drawing->path, &options, &wrong, failure);
    bool good = result;
    if (good && wrong.kind == FAILURE_STUDENT) {
        picture->status = 1;
        if (!drawing->is_shown && picture->target.device_name == picture->kind->device &&
            wrong.status == STATUS_LAUNCH_ERROR)
            picture->outcome = OUTCOME_TOO_LARGE;
        else if (!drawing->is_shown || drawing->failure.kind != FAILURE_NONE)
            picture->outcome = OUTCOME_UNDRAWN;
        if (picture->outcome == OUTCOME_UNDRAWN && drawing->is_shown)
            printf("%s\n", drawing->failure.text);
        else if (picture->outcome == OUTCOME_UNDRAWN && !drawing->is_reported)
            printf("%s: %s\n%s\n(on %s; --device chooses another device)\n", drawing->path,
                   status_name(wrong.status), wrong.text, drawing->device->name);
    } else if (good && drawing->failure.kind != FAILURE_NONE) {
        good = failure_harness(failure, "%s: %s", drawing->path, drawing->failure.text);
    }
    if (good) {
        picture->rows = result->records[0].values[COLUMN_rows].count;
        picture->cols = result->records[0].values[COLUMN_cols].count;
    }
    block_places_free(&drawing->places);
    free(drawing->history.bytes);
    free(result);
    return good;
}

static bool show(void *context, const struct emulator_launch *launch,
                 const struct block_accesses *accesses, struct failure *failure)
{
    struct picture_command *picture = context;
    struct picture_view view = {
        .path = picture->run->path,
        .line = (uint32_t)picture->line,
        .warp = (unsigned)picture->warp,
        .time = (unsigned)picture->time,
        .seed = picture->target.run.size.seed,
        .rows = picture->run->record->values[COLUMN_rows].count,
        .cols = picture->run->record->values[COLUMN_cols].count,
    };
    return picture_file_begin(&picture->file, picture->paths.out, failure) &&
           picture->kind->write(&picture->file, &view, launch, accesses, failure) &&
           picture_file_finish(&picture->file, picture->kind->name, &picture->paths, failure);
}

static bool draw_block(struct picture_command *picture, const struct device *device,
                       struct failure *failure)
{
    char *path = block_run_source(picture->target.targets.words[0], failure);
    struct drawing all = {.picture = picture, .path = path, .device = device, .show = find_tile};
    bool good = path != NULL;
    if (good && picture->block[0] == BLOCK_RUN_ANY && picture->kind->write == picture_tile)
        good = run_drawing(&all, failure);
    if (good && picture->outcome == OUTCOME_DRAWN) {
        struct block_run run = {.path = path,
                                .options = picture->target.run,
                                .block = {picture->block[0], picture->block[1], picture->block[2]},
                                .is_reported = all.is_reported,
                                .show = show,
                                .context = picture};
        run.options.device = device;
        picture->run = &run;
        good = picture_paths_choose(&picture->paths, picture->kind->name, path, picture->out,
                                    picture->data, failure) &&
               block_run(&run, &picture->status, failure);
    }
    free(path);
    return good;
}

static bool draw_target(struct picture_command *picture, const char *target, unsigned panel,
                        const struct device *devices, unsigned device_count,
                        struct failure *failure)
{
    char *path = block_run_source(target, failure);
    bool good = path != NULL, is_reported = false;
    for (unsigned d = 0; d < device_count && good && picture->outcome == OUTCOME_DRAWN; d++) {
        struct drawing drawing = {.picture = picture,
                                  .path = path,
                                  .device = &devices[d],
                                  .panel = panel + d + 1,
                                  .is_reported = is_reported,
                                  .show = picture->kind->show};
        good = run_drawing(&drawing, failure);
        is_reported = drawing.is_reported;
    }
    free(path);
    return good;
}

static bool draw_panels(struct picture_command *picture, const struct device *devices,
                        unsigned device_count, struct failure *failure)
{
    const struct word_list *targets = &picture->target.targets;
    const struct kind *kind = picture->kind;
    const unsigned panels = (unsigned)targets->count * device_count;
    const char *stem = kind->devices > 1 ? "order" : panels > 1 ? "blocks" : targets->words[0];
    if (panels > kind->panels)
        return failure_harness(failure, "%u panels do not fit in a picture: the limit is %u",
                               panels, kind->panels);
    if (!picture_paths_choose(&picture->paths, kind->name, stem, picture->out, picture->data,
                              failure) ||
        !picture_file_begin(&picture->file, picture->paths.out, failure))
        return false;
    kind->begin(&picture->file, panels, device_count);
    for (unsigned t = 0; t < targets->count && picture->outcome == OUTCOME_DRAWN; t++)
        if (!draw_target(picture, targets->words[t], t * device_count, devices, device_count,
                         failure))
            return false;
    kind->describe(&picture->file, devices, picture->rows, picture->cols);
    return picture->outcome != OUTCOME_DRAWN ||
           picture_file_finish(&picture->file, kind->name, &picture->paths, failure);
}

static bool find_devices(char *names, unsigned most, struct device *devices, unsigned *count,
                         struct failure *failure)
{
    for (*count = 0; names; (*count)++) {
        char *name = strsep(&names, ",");
        if (*count == most)
            return failure_harness(failure, "--device accepts at most %u device%s", most,
                                   plural(most));
        if (!options_device(name, &devices[*count], failure))
            return false;
    }
    return true;
}

static bool draw(struct picture_command *picture, struct failure *failure)
{
    struct device *devices = allocate_checked(calloc(MAX_PANELS, sizeof *devices));
    char *names = allocate_checked(strdup(picture->target.device_name));
    unsigned count = 0;
    bool good = find_devices(names, picture->kind->devices, devices, &count, failure) &&
                (picture->kind->write ? draw_block(picture, devices, failure)
                                      : draw_panels(picture, devices, count, failure));
    free(names);
    free(devices);
    return good;
}

static bool draw_with_fallback(struct picture_command *picture, struct failure *failure)
{
    if (!draw(picture, failure))
        return false;
    if (picture->outcome != OUTCOME_TOO_LARGE)
        return true;
    picture_file_free(&picture->file);
    picture->target.device_name = OPTIONS_DEFAULT_DEVICE;
    picture->outcome = OUTCOME_DRAWN;
    picture->status = 0;
    return draw(picture, failure);
}

int command_picture(int count, char **values, struct failure *failure)
{
    struct picture_command *picture = allocate_checked(calloc(1, sizeof *picture));
    const bool good =
        parse_arguments(picture, count, values, failure) && draw_with_fallback(picture, failure);
    int status = good ? picture->status : 2;
    picture_file_free(&picture->file);
    target_options_free(&picture->target);
    free(picture);
    return status;
}
