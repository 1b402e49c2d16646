/* command_picture.c: tlab picture KIND TARGET... */
#include "base/spelling.h"
#include "commands/command.h"
#include "picture/picture.h"
#include "run/target_options.h"
#include "view/block_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Emulates a lab and draws what its memory accesses look like. KIND is\n"
    "  banks        which bank of shared memory each lane of a warp uses\n"
    "  sectors      which sectors of global memory each lane of a warp uses\n"
    "  tile         the way of a block's elements from idata through shared memory to odata\n"
    "  order        which block takes which tile of idata and odata, and in which partition\n"
    "  partitions   DRAM traffic by partition over time, a panel for each TARGET and device\n"
    "A wrong kernel is drawn, too, behind its verdict in a line, without what it accesses out of "
    "bounds.\n";

#define PARTITION_DEVICES "gtx280," OPTIONS_DEFAULT_DEVICE
#define ORDER_DEVICE "gtx280"

enum { MAX_PARTITION_PANELS = 8, MAX_ORDER_PANELS = 4 };

struct picture_command;

typedef bool picture_write(struct picture_file *file, struct picture_view *view,
                           const struct emulator_launch *launch,
                           const struct block_accesses *accesses, struct failure *failure);

static bool draw_block(struct picture_command *picture, struct failure *failure);
static bool draw_order(struct picture_command *picture, struct failure *failure);
static bool draw_partitions(struct picture_command *picture, struct failure *failure);

static const struct kind {
    const char *name;
    bool (*draw)(struct picture_command *picture, struct failure *failure);
    picture_write *write; /* of one block of one target; NULL: several targets stand in it */
    const char *device;   /* the default */
} kinds[] = {{"banks", draw_block, picture_banks, OPTIONS_DEFAULT_DEVICE},
             {"sectors", draw_block, picture_sectors, OPTIONS_DEFAULT_DEVICE},
             {"tile", draw_block, picture_tile, OPTIONS_DEFAULT_DEVICE},
             {"order", draw_order, NULL, ORDER_DEVICE},
             {"partitions", draw_partitions, NULL, PARTITION_DEVICES}};

struct picture_command {
    const struct kind *kind;
    struct target_options target;
    uint32_t block[3];
    uint64_t line, warp, time;
    const char *out, *data; /* NULL: not given */
    struct picture_paths paths;
    struct picture_file file;
    const struct block_run *run; /* of one block's kinds */
    int status;
    bool told;      /* the verdict on the kernel in hand was printed */
    bool undrawn;   /* a kernel was too wrong to be launched */
    bool too_large; /* for the device that the KIND has by default */
};

/* ---- Arguments ---- */

/* The first operand is the KIND, the others are targets. */
static bool take_kind(struct picture_command *picture, struct failure *failure)
{
    struct target_options *target = &picture->target;
    struct word_list *words = &target->targets;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(words->words[0], kinds[i].name))
            picture->kind = &kinds[i];
    if (!picture->kind) {
        const char *names[sizeof kinds / sizeof *kinds];
        char advice[SPELLING_ADVICE];
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            names[i] = kinds[i].name;
        spelling_advise(words->words[0], "", names, sizeof kinds / sizeof *kinds, advice);
        return failure_harness(failure,
                               "there is no picture `%s`; KIND is banks, sectors, tile, order or "
                               "partitions%s",
                               words->words[0], advice);
    }
    if (!--words->count)
        return failure_harness(failure, "tlab picture %s needs a lab directory or a .cu file",
                               picture->kind->name);
    memmove(words->words, words->words + 1, words->count * sizeof *words->words);
    if (picture->kind->write && words->count > 1)
        return failure_harness(failure, "tlab picture %s takes one lab, not also `%s`",
                               picture->kind->name, words->words[1]);
    if (!target->device_name)
        target->device_name = picture->kind->device;
    return true;
}

static bool parse_arguments(struct picture_command *picture, int count, char **values, bool *helped,
                            struct failure *failure)
{
    struct target_options *target = &picture->target;
    const struct option_row rows[] = {
        TEXT_ROW("out", "FILE", &picture->out,
                 "the picture, .png, .svg or .pdf (default KIND-NAME.png)"),
        TEXT_ROW("data", "FILE", &picture->data,
                 "its data as CSV (default: beside the picture, .csv)"),
        NUMBER_ROW("line", "N", &picture->line, 1, INT32_MAX,
                   "banks, sectors: line of the .cu file (default: the worst)"),
        TRIPLE_ROW("block", picture->block, 0,
                   "block (default 0,0; tile: one off the matrix's diagonal)"),
        NUMBER_ROW("warp", "W", &picture->warp, 0, INT32_MAX, "warp of the block (default 0)"),
        NUMBER_ROW("time", "K", &picture->time, 1, INT32_MAX,
                   "the warp's K-th access there (default 1)"),
        TEXT_ROW("device", "NAME[,NAME]", &target->device_name,
                 "device to emulate (default " OPTIONS_DEFAULT_DEVICE ";\norder: " ORDER_DEVICE
                 "; partitions: " PARTITION_DEVICES ";\nwhere a kernel fits on these)"),
        TARGET_SIZE_ROWS(target, "2048"),
    };
    const struct command_line line = {
        .command = "picture",
        .synopsis = "KIND TARGET... [OPTION...]",
        .about = about,
        ROWS(rows),
        .ending = "Drawing needs gnuplot; without it there is only the data.\n"};
    if (!count)
        return failure_harness(failure, "tlab picture needs a KIND and a lab, such as "
                                        "`tlab picture banks labs/02_coalesced`");
    picture->time = 1;
    picture->block[0] = BLOCK_RUN_ANY;
    *target = target_options_default();
    target->device_name = NULL;
    if (!target_options_parse(target, &line, count, values, helped, failure))
        return false;
    return *helped || (take_kind(picture, failure) &&
                       (!picture->out || picture_file_check(picture->out, failure)));
}

/* ---- Files ---- */

static bool choose_paths(struct picture_command *picture, const char *source,
                         struct failure *failure)
{
    return picture_paths_choose(&picture->paths, picture->kind->name, source, picture->out,
                                picture->data, failure);
}

static bool finish(struct picture_command *picture, struct failure *failure)
{
    return picture_file_finish(&picture->file, picture->kind->name, &picture->paths, failure);
}

/* Say that a kernel is wrong, once. */
static void tell_wrong(struct picture_command *picture, const char *path,
                       const struct failure *wrong)
{
    if (!picture->told)
        block_run_say_wrong(path, wrong);
    picture->told = true;
}

/* The kernel needs another GPU than that which the KIND has by default, such as one with more
 * shared memory: then it is drawn on the default of all commands. */
static bool needs_another(struct picture_command *picture, const struct failure *wrong)
{
    picture->too_large |= picture->target.device_name == picture->kind->device &&
                          wrong->status == STATUS_LAUNCH_ERROR;
    return picture->too_large;
}

/* ---- Where all blocks load and store ---- */

struct places_run {
    struct block_places places;
    bool (*show)(struct places_run *all, const struct emulator_launch *launch);
    struct failure failure; /* of show */
    struct picture_command *picture;
    unsigned panel;
    char name[64];
    uint64_t block; /* what find_tile found */
    const char *path;
    bool is_shown; /* the kernel was launched to be looked at, right or wrong */
};

static void wrong_places(void *context, const struct failure *wrong)
{
    struct places_run *all = context;
    tell_wrong(all->picture, all->path, wrong);
    block_places_free(&all->places);
    block_places_begin(&all->places);
}

static void begin_places(void *context, const struct emulator_launch *launch)
{
    struct places_run *all = context;
    all->places.memory = launch->memory;
}

static void inspect_places(void *context, const struct emulator_launch *launch,
                           const struct emulator_result *result)
{
    struct places_run *all = context;
    (void)result;
    all->is_shown = true;
    all->show(all, launch);
}

/* Run a lab with all its blocks observed. */
static bool run_places(struct places_run *all, const char *path, struct failure *failure)
{
    struct run_options options = all->picture->target.run;
    struct run_result *result = calloc(1, sizeof *result);
    struct failure wrong = {0};
    if (!result)
        return failure_harness(failure, "not enough memory");
    block_places_begin(&all->places);
    options.workers = 1;
    options.watch.observer = &all->places.observer;
    options.watch.begin = begin_places;
    options.watch.inspect = inspect_places;
    options.watch.wrong = wrong_places;
    all->path = path;
    options.watch.context = all;
    snprintf(all->name, sizeof all->name, "%.*s", (int)strcspn(path_basename(path), "."),
             path_basename(path));
    bool good = run_source(path, &options, result, &wrong) ||
                failure_harness(failure, "%s: %s", path, wrong.text);
    if (good && wrong.kind == FAILURE_STUDENT) {
        if (!all->is_shown && !needs_another(all->picture, &wrong))
            printf("%s: %s\n%s\n(on %s; --device names another)\n", path, status_name(wrong.status),
                   wrong.text, all->picture->target.device_name);
        else if (all->failure.kind != FAILURE_NONE)
            printf("%s\n", all->failure.text);
        all->picture->undrawn |= !all->is_shown || all->failure.kind != FAILURE_NONE;
        all->picture->status = 1;
    } else if (good && all->failure.kind != FAILURE_NONE) {
        good = failure_harness(failure, "%s: %s", path, all->failure.text);
    }
    block_places_free(&all->places);
    free(result);
    return good;
}

/* ---- Pictures of one block ---- */

/* A block that loads from off the diagonal, where a transpose moves its tile elsewhere; and
 * beyond the first row of tiles, so that orders of blocks differ, too. */
static bool find_tile(struct places_run *all, const struct emulator_launch *launch)
{
    const struct block_rectangle *at = block_places_of(&all->places, 0, false);
    const uint64_t first =
        at ? all->picture->target.run.size.cols / (at->high_x - at->low_x + 1) + 2 : 0;
    for (uint64_t block = first < all->places.count ? first : 0;
         block < all->places.count && !all->block; block++)
        if ((at = block_places_of(&all->places, block, false)) && at->low_x != at->low_y)
            all->block = block;
    uint32_t *index = all->picture->block;
    index[0] = (uint32_t)(all->block % launch->grid.x);
    index[1] = (uint32_t)(all->block / launch->grid.x % launch->grid.y);
    index[2] = (uint32_t)(all->block / launch->grid.x / launch->grid.y);
    return true;
}

/* The block that is drawn where none was named. */
static bool choose_block(struct picture_command *picture, const char *path, struct failure *failure)
{
    if (picture->block[0] != BLOCK_RUN_ANY)
        return true;
    struct places_run all = {.picture = picture, .show = find_tile};
    return picture->kind->write != picture_tile || run_places(&all, path, failure);
}

static bool show(void *context, const struct emulator_launch *launch,
                 const struct emulator_result *result, const struct block_accesses *accesses,
                 struct failure *failure)
{
    struct picture_command *picture = context;
    struct picture_view view = {
        .path = picture->target.targets.words[0],
        .line = (uint32_t)picture->line,
        .warp = (unsigned)picture->warp,
        .time = (unsigned)picture->time,
        .seed = picture->target.run.size.seed,
        .rows = picture->run->record->values[COLUMN_rows].count,
        .cols = picture->run->record->values[COLUMN_cols].count,
    };
    (void)result;
    return picture_file_begin(&picture->file, picture->paths.out, failure) &&
           picture->kind->write(&picture->file, &view, launch, accesses, failure) &&
           finish(picture, failure);
}

static bool draw_block(struct picture_command *picture, struct failure *failure)
{
    if (!target_options_find_device(&picture->target, failure))
        return false;
    char *path = block_run_source(picture->target.targets.words[0], failure);
    if (!path)
        return false;
    picture->target.targets.words[0] = path;
    bool chosen = choose_block(picture, path, failure);
    if (!chosen || picture->undrawn) {
        free(path);
        return chosen;
    }
    struct block_run wanted = {.path = path,
                               .options = picture->target.run,
                               .block = {picture->block[0], picture->block[1], picture->block[2]},
                               .is_told = picture->told,
                               .show = show,
                               .context = picture};
    picture->run = &wanted;
    bool good =
        choose_paths(picture, path, failure) && block_run(&wanted, &picture->status, failure);
    free(path);
    return good;
}

/* ---- Order ---- */

static bool show_order(struct places_run *all, const struct emulator_launch *launch)
{
    return picture_order_panel(&all->picture->file, all->panel, all->name, launch, &all->places,
                               &all->failure);
}

static bool draw_order(struct picture_command *picture, struct failure *failure)
{
    const struct target_options *target = &picture->target;
    unsigned panels = (unsigned)target->targets.count;
    if (panels > MAX_ORDER_PANELS)
        return failure_harness(failure, "%u kernels do not fit on a picture: at most %d", panels,
                               MAX_ORDER_PANELS);
    if (!target_options_find_device(&picture->target, failure) ||
        !choose_paths(picture, panels > 1 ? "blocks" : target->targets.words[0], failure) ||
        !picture_file_begin(&picture->file, picture->paths.out, failure))
        return false;
    picture_order_begin(&picture->file, panels, target->run.device, target->run.size.rows,
                        target->run.size.cols);
    for (unsigned panel = 1; panel <= panels && !picture->undrawn; panel++) {
        struct places_run all = {.picture = picture, .show = show_order, .panel = panel};
        char *path = block_run_source(target->targets.words[panel - 1], failure);
        picture->told = false;
        bool good = path && run_places(&all, path, failure);
        free(path);
        if (!good)
            return false;
    }
    return picture->undrawn || finish(picture, failure);
}

/* ---- Partitions ---- */

struct partitions_run {
    struct picture_partitions drawn;
    struct picture_command *picture;
    const char *path;
};

static void wrong_partitions(void *context, const struct failure *wrong)
{
    struct partitions_run *drawing = context;
    tell_wrong(drawing->picture, drawing->path, wrong);
    free(drawing->drawn.history.bytes);
    drawing->drawn.history = (struct partition_history){0};
}

/* One lab on one device. */
static bool draw_partitions_panel(struct picture_command *picture, const char *path,
                                  const struct device *device, unsigned panel,
                                  struct failure *failure)
{
    struct partitions_run drawing = {.drawn = {.device = device}, .picture = picture, .path = path};
    struct run_options options = picture->target.run;
    struct run_result *result = calloc(1, sizeof *result);
    struct failure wrong = {0};
    if (!result)
        return failure_harness(failure, "not enough memory");
    options.device = device;
    options.watch.history = &drawing.drawn.history;
    options.watch.wrong = wrong_partitions;
    options.watch.context = &drawing;
    bool good = run_source(path, &options, result, &wrong) ||
                failure_harness(failure, "%s: %s", path, wrong.text);
    if (good && wrong.kind == FAILURE_STUDENT) {
        picture->status = 1;
        picture->undrawn |= !drawing.drawn.history.windows; /* it accesses nothing */
        if (!picture->told && !needs_another(picture, &wrong))
            printf("%s: %s\n%s\n", path, status_name(wrong.status), wrong.text);
    } else if (good && !drawing.drawn.history.bytes) {
        good = failure_harness(failure, "not enough memory");
    }
    if (good && drawing.drawn.history.bytes && !picture->undrawn) {
        drawing.drawn.name = record_text(&result->records[0], COLUMN_variant);
        picture_partitions_panel(&picture->file, panel, &drawing.drawn);
    }
    free(drawing.drawn.history.bytes);
    free(result);
    return good;
}

/* The devices of a list "gtx280,h200". */
static bool find_devices(char *names, struct device *devices, unsigned *count,
                         struct failure *failure)
{
    for (*count = 0; names; (*count)++) {
        char *name = strsep(&names, ",");
        if (*count == MAX_PARTITION_PANELS)
            return failure_harness(failure, "--device: at most %d devices", MAX_PARTITION_PANELS);
        if (!options_device(name, &devices[*count], failure))
            return false;
    }
    return true;
}

static bool draw_panels(struct picture_command *picture, const struct device *devices,
                        unsigned device_count, struct failure *failure)
{
    const struct target_options *target = &picture->target;
    unsigned panels = (unsigned)target->targets.count * device_count, panel = 0;
    if (panels > MAX_PARTITION_PANELS)
        return failure_harness(failure, "%u panels do not fit on a picture: at most %d", panels,
                               MAX_PARTITION_PANELS);
    picture_partitions_begin(&picture->file, panels, device_count, target->run.size.rows,
                             target->run.size.cols);
    for (size_t t = 0; t < target->targets.count && !picture->undrawn; t++) {
        char *path = block_run_source(target->targets.words[t], failure);
        picture->told = false;
        bool good = path != NULL;
        for (unsigned d = 0; d < device_count && good && !picture->undrawn; d++)
            good = draw_partitions_panel(picture, path, &devices[d], ++panel, failure);
        free(path);
        if (!good)
            return false;
    }
    return picture->undrawn || finish(picture, failure);
}

static bool draw_partitions(struct picture_command *picture, struct failure *failure)
{
    struct device *devices = calloc(MAX_PARTITION_PANELS, sizeof *devices);
    char *names = strdup(picture->target.device_name);
    unsigned count = 0;
    bool good = (devices && names) || failure_harness(failure, "not enough memory");
    good = good && find_devices(names, devices, &count, failure) &&
           choose_paths(picture, "order", failure) &&
           picture_file_begin(&picture->file, picture->paths.out, failure) &&
           draw_panels(picture, devices, count, failure);
    free(names);
    free(devices);
    return good;
}

/* ---- The command ---- */

static bool draw_picture(struct picture_command *picture, struct failure *failure)
{
    struct run_options *options = &picture->target.run;
    options->size.rows = options->size.rows ? options->size.rows : RUN_DEFAULT_SIZE;
    options->size.cols = options->size.cols ? options->size.cols : RUN_DEFAULT_SIZE;
    bool good = picture->kind->draw(picture, failure);
    if (!good || !picture->too_large)
        return good;
    picture_file_free(&picture->file);
    picture->target.device_name = OPTIONS_DEFAULT_DEVICE;
    picture->undrawn = picture->too_large = false;
    picture->status = 0;
    return picture->kind->draw(picture, failure);
}

int command_picture(int count, char **values, struct failure *failure)
{
    struct picture_command *picture = calloc(1, sizeof *picture);
    if (!picture) {
        failure_harness(failure, "not enough memory");
        return 2;
    }
    bool helped = false, good = parse_arguments(picture, count, values, &helped, failure);
    if (good && !helped)
        good = draw_picture(picture, failure);
    int status = good ? picture->status : 2;
    picture_file_free(&picture->file);
    target_options_free(&picture->target);
    free(picture);
    return status;
}
