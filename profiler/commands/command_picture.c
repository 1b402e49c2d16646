/* command_picture.c: tlab picture KIND TARGET... */
#include "commands/command.h"
#include "run/target_options.h"
#include "view/block_run.h"
#include "view/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Emulates a lab and draws what its memory accesses look like. KIND is\n"
    "  banks        which bank of shared memory each lane of a warp uses\n"
    "  sectors      which sectors of global memory each lane of a warp uses\n"
    "  tile         the way of a block's elements from idata through shared memory to odata\n"
    "  partitions   DRAM traffic by partition over time, a panel for each TARGET and device\n";

#define PARTITION_DEVICES "gtx280," OPTIONS_DEFAULT_DEVICE

enum { MAX_PARTITION_PANELS = 8 };

typedef bool picture_write(struct picture_file *file, struct picture_view *view,
                           const struct emulator_launch *launch,
                           const struct block_accesses *accesses, struct failure *failure);

static const struct kind {
    const char *name;
    picture_write *write; /* NULL: partitions */
} kinds[] = {{"banks", picture_banks},
             {"sectors", picture_sectors},
             {"tile", picture_tile},
             {"partitions", NULL}};

struct picture_command {
    const struct kind *kind;
    struct target_options target;
    uint32_t block[3];
    uint64_t line, warp, time;
    const char *out, *data; /* NULL: not given */
    char out_path[PATH_SIZE], data_path[PATH_SIZE];
    struct picture_file file;
    int status;
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
    if (!picture->kind)
        return failure_harness(
            failure, "there is no picture `%s`; KIND is banks, sectors, tile or partitions",
            words->words[0]);
    if (!--words->count)
        return failure_harness(failure, "tlab picture %s needs a lab directory or a .cu file",
                               picture->kind->name);
    memmove(words->words, words->words + 1, words->count * sizeof *words->words);
    if (picture->kind->write && words->count > 1)
        return failure_harness(failure, "tlab picture %s takes one lab, not also `%s`",
                               picture->kind->name, words->words[1]);
    if (!target->device_name)
        target->device_name = picture->kind->write ? OPTIONS_DEFAULT_DEVICE : PARTITION_DEVICES;
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
        TRIPLE_ROW("block", picture->block, 0, "block (default 0,0)"),
        NUMBER_ROW("warp", "W", &picture->warp, 0, INT32_MAX, "warp of the block (default 0)"),
        NUMBER_ROW("time", "K", &picture->time, 1, INT32_MAX,
                   "the warp's K-th access there (default 1)"),
        TEXT_ROW("device", "NAME[,NAME]", &target->device_name,
                 "device to emulate (default " OPTIONS_DEFAULT_DEVICE
                 ";\npartitions: " PARTITION_DEVICES ")"),
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
    *target = target_options_default();
    target->device_name = NULL;
    if (!target_options_parse(target, &line, count, values, helped, failure))
        return false;
    return *helped || (take_kind(picture, failure) &&
                       (!picture->out || picture_file_check(picture->out, failure)));
}

/* ---- Files ---- */

/* KIND-NAME.png here, unless given; the data beside it. All extensions have three letters. */
static bool choose_paths(struct picture_command *picture, const char *source,
                         struct failure *failure)
{
    const char *stem = path_basename(source);
    int length = (int)strcspn(stem, ".");
    int out = picture->out ? snprintf(picture->out_path, PATH_SIZE, "%s", picture->out)
                           : snprintf(picture->out_path, PATH_SIZE, "%s-%.*s.png",
                                      picture->kind->name, length, stem);
    int data = picture->data
                   ? snprintf(picture->data_path, PATH_SIZE, "%s", picture->data)
                   : snprintf(picture->data_path, PATH_SIZE, "%.*scsv", out - 3, picture->out_path);
    if (out >= PATH_SIZE || data >= PATH_SIZE)
        return failure_harness(failure, "path too long");
    return strcmp(picture->out_path, picture->data_path) ||
           failure_harness(failure, "--out and --data are the same file");
}

static bool finish(struct picture_command *picture, struct failure *failure)
{
    bool drawn;
    if (!picture_file_finish(&picture->file, picture->kind->name, picture->out_path,
                             picture->data_path, &drawn, failure))
        return false;
    if (drawn)
        printf("drew %s from %s\n", picture->out_path, picture->data_path);
    else
        printf("wrote %s; gnuplot, which would draw it, is not installed (on Debian: apt-get "
               "install gnuplot-nox)\n",
               picture->data_path);
    return true;
}

/* ---- Pictures of one block ---- */

static bool show(void *context, const struct emulator_launch *launch,
                 const struct emulator_result *result, const struct block_accesses *accesses,
                 struct failure *failure)
{
    struct picture_command *picture = context;
    const struct run_options *options = &picture->target.run;
    struct picture_view view = {
        .path = picture->target.targets.words[0],
        .line = (uint32_t)picture->line,
        .warp = (unsigned)picture->warp,
        .time = (unsigned)picture->time,
        .seed = options->size.seed,
        .rows = options->size.rows,
        .cols = options->size.cols,
    };
    (void)result;
    return picture_file_begin(&picture->file, picture->out_path, failure) &&
           picture->kind->write(&picture->file, &view, launch, accesses, failure) &&
           finish(picture, failure);
}

static bool draw_block(struct picture_command *picture, struct failure *failure)
{
    char *path = block_run_source(picture->target.targets.words[0], failure);
    if (!path)
        return false;
    picture->target.targets.words[0] = path;
    struct block_run wanted = {.path = path,
                               .options = picture->target.run,
                               .block = {picture->block[0], picture->block[1], picture->block[2]},
                               .show = show,
                               .context = picture};
    bool good =
        choose_paths(picture, path, failure) && block_run(&wanted, &picture->status, failure);
    free(path);
    return good;
}

/* ---- Partitions ---- */

/* One lab on one device. */
static bool draw_partitions_panel(struct picture_command *picture, const char *path,
                                  const struct device *device, unsigned panel,
                                  struct failure *failure)
{
    struct picture_partitions drawn = {.device = device};
    struct run_options options = picture->target.run;
    struct run_result *result = calloc(1, sizeof *result);
    struct failure wrong = {0};
    if (!result)
        return failure_harness(failure, "not enough memory");
    options.device = device;
    options.watch.history = &drawn.history;
    bool good = run_source(path, &options, result, &wrong) ||
                failure_harness(failure, "%s: %s", path, wrong.text);
    if (good && wrong.kind == FAILURE_STUDENT) {
        printf("%s: %s\n%s\n", path, status_name(wrong.status), wrong.text);
        picture->status = 1;
    } else if (good && !drawn.history.bytes) {
        good = failure_harness(failure, "not enough memory");
    } else if (good) {
        drawn.name = record_text(&result->records[0], COLUMN_variant);
        picture_partitions_panel(&picture->file, panel, &drawn);
    }
    free(drawn.history.bytes);
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
    for (size_t t = 0; t < target->targets.count && !picture->status; t++) {
        char *path = block_run_source(target->targets.words[t], failure);
        bool good = path != NULL;
        for (unsigned d = 0; d < device_count && good && !picture->status; d++)
            good = draw_partitions_panel(picture, path, &devices[d], ++panel, failure);
        free(path);
        if (!good)
            return false;
    }
    return picture->status || finish(picture, failure);
}

static bool draw_partitions(struct picture_command *picture, struct failure *failure)
{
    struct device *devices = calloc(MAX_PARTITION_PANELS, sizeof *devices);
    char *names = strdup(picture->target.device_name);
    unsigned count = 0;
    bool good = (devices && names) || failure_harness(failure, "not enough memory");
    good = good && find_devices(names, devices, &count, failure) &&
           choose_paths(picture, "order", failure) &&
           picture_file_begin(&picture->file, picture->out_path, failure) &&
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
    if (!picture->kind->write)
        return draw_partitions(picture, failure);
    return target_options_find_device(&picture->target, failure) && draw_block(picture, failure);
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
