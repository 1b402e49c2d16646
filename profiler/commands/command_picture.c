/* command_picture.c: tlab picture KIND TARGET... */
#include "commands/command.h"
#include "run/target_options.h"
#include "view/block_run.h"
#include "view/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tlab picture KIND TARGET... [OPTION...]\n"
    "\n"
    "Emulates a lab and draws what its memory accesses look like. KIND is\n"
    "  banks        which bank of shared memory each lane of a warp uses\n"
    "  sectors      which sectors of global memory each lane of a warp uses\n"
    "  tile         the way of a block's elements from idata through shared memory to odata\n"
    "  partitions   DRAM traffic by partition over time, a panel for each TARGET and device\n"
    "\n"
    "  --out FILE            the picture, .png, .svg or .pdf (default KIND-NAME.png)\n"
    "  --data FILE           its data as CSV (default: beside the picture, .csv)\n"
    "  --line N              banks, sectors: line of the .cu file (default: the worst)\n"
    "  --block X[,Y[,Z]]     block (default 0,0)\n"
    "  --warp W              warp of the block (default 0)\n"
    "  --time K              the warp's K-th access there (default 1)\n"
    "  --device NAME[,NAME]  device to emulate (default " OPTIONS_DEFAULT_DEVICE
    "; partitions: gtx280," OPTIONS_DEFAULT_DEVICE ")\n"
    "  --rows R, --cols C    size of the input matrix (default 2048 x 2048)\n"
    "  -D NAME=VALUE         define a macro; may be repeated\n"
    "\n"
    "Drawing needs gnuplot; without it there is only the data.\n";

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

static bool parse_argument(struct picture_command *picture, struct arguments *arguments,
                           struct failure *failure)
{
    const char *value;
    int found;
    if ((found = options_take_number(arguments, "--line", 1, &picture->line, failure)) ||
        (found = options_take_number(arguments, "--warp", 0, &picture->warp, failure)) ||
        (found = options_take_number(arguments, "--time", 1, &picture->time, failure)) ||
        (found = arguments_option(arguments, "--out", 0, &picture->out, failure)) ||
        (found = arguments_option(arguments, "--data", 0, &picture->data, failure)))
        return found > 0;
    if ((found = arguments_option(arguments, "--block", 0, &value, failure)))
        return found > 0 && options_block(value, picture->block, failure);
    return target_options_parse(&picture->target, arguments, failure);
}

static bool find_kind(struct picture_command *picture, const char *name, struct failure *failure)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(name, kinds[i].name))
            picture->kind = &kinds[i];
    return picture->kind ||
           failure_harness(failure,
                           "there is no picture `%s`; KIND is banks, sectors, tile or partitions",
                           name);
}

static bool parse_arguments(struct picture_command *picture, int count, char **values,
                            struct failure *failure)
{
    struct arguments arguments = {.count = count, .values = values, .at = 1};
    picture->time = 1;
    if (!count)
        return failure_harness(failure, "tlab picture needs a KIND and a lab, such as "
                                        "`tlab picture banks labs/02_coalesced`");
    if (!target_options_begin(&picture->target, "picture", count, failure) ||
        !find_kind(picture, values[0], failure))
        return false;
    if (!picture->kind->write)
        picture->target.device_name = "gtx280," OPTIONS_DEFAULT_DEVICE;
    while (arguments.at < count)
        if (!parse_argument(picture, &arguments, failure))
            return false;
    if (picture->out && !picture_file_check(picture->out, failure))
        return false;
    if (picture->kind->write && picture->target.target_count > 1)
        return failure_harness(failure, "tlab picture %s takes one lab, not also `%s`",
                               picture->kind->name, picture->target.targets[1]);
    return true;
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
        .path = picture->target.targets[0],
        .line = (uint32_t)picture->line,
        .warp = (unsigned)picture->warp,
        .time = (unsigned)picture->time,
        .seed = options->seed,
        .rows = options->rows,
        .cols = options->cols,
    };
    (void)result;
    return picture_file_begin(&picture->file, picture->out_path, failure) &&
           picture->kind->write(&picture->file, &view, launch, accesses, failure) &&
           finish(picture, failure);
}

static bool draw_block(struct picture_command *picture, struct failure *failure)
{
    char *path = block_run_source(picture->target.targets[0], failure);
    if (!path)
        return false;
    picture->target.targets[0] = path;
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
    options.history = &drawn.history;
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
    unsigned panels = (unsigned)target->target_count * device_count, panel = 0;
    if (panels > MAX_PARTITION_PANELS)
        return failure_harness(failure, "%u panels do not fit on a picture: at most %d", panels,
                               MAX_PARTITION_PANELS);
    picture_partitions_begin(&picture->file, panels, device_count, target->run.rows,
                             target->run.cols);
    for (size_t t = 0; t < target->target_count && !picture->status; t++) {
        char *path = block_run_source(target->targets[t], failure);
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
    options->rows = options->rows ? options->rows : RUN_DEFAULT_SIZE;
    options->cols = options->cols ? options->cols : RUN_DEFAULT_SIZE;
    if (!picture->kind->write)
        return target_options_check(&picture->target, failure) && draw_partitions(picture, failure);
    return target_options_end(&picture->target, failure) && draw_block(picture, failure);
}

int command_picture(int count, char **values, struct failure *failure)
{
    if (target_options_help(count, values)) {
        fputs(usage, stdout);
        return 0;
    }
    struct picture_command *picture = calloc(1, sizeof *picture);
    if (!picture) {
        failure_harness(failure, "not enough memory");
        return 2;
    }
    bool good = parse_arguments(picture, count, values, failure) && draw_picture(picture, failure);
    int status = good ? picture->status : 2;
    picture_file_free(&picture->file);
    target_options_free(&picture->target);
    free(picture);
    return status;
}
