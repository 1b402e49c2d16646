/* command_info.c: tlab devices and tlab metrics: lists of the devices and of the CSV columns. */
#include "base/paths.h"
#include "commands/command.h"
#include "emulator/device/device.h"
#include "record/record.h"
#include "run/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parse the arguments. Returns false if the command ends here, with its exit status in *status. */
static bool begin(const char *name, const char *about, struct option_row flag, int count,
                  char **values, int *status, struct failure *failure)
{
    const struct command_line line = {name, flag.name ? "[OPTION]" : "", about, .rows = &flag,
                                      .row_count = flag.name ? 1 : 0};
    const bool good = command_line_parse(&line, count, values, failure);
    *status = good ? 0 : 2;
    return good;
}

int command_devices(int count, char **values, struct failure *failure)
{
    int status;
    if (!begin("devices", "Lists the GPUs that --device can name.\n", (struct option_row){0}, count,
               values, &status, failure))
        return status;
    char directory[PATH_SIZE];
    unsigned names_count;
    char **names = paths_in_root("profiler/devices", directory, failure)
                       ? device_list(directory, &names_count, failure)
                       : NULL;
    if (!names)
        return 2;
    printf("%-10s %-26s %-7s %4s %5s %10s %9s %10s\n", "name", "device", "chip", "CC", "SMs",
           "DRAM GB/s", "L2 MiB", "partitions");
    bool good = true;
    for (unsigned i = 0; i < names_count && good; i++) {
        struct device device;
        good = device_find(directory, names[i], &device, failure);
        if (good)
            printf("%-10s %-26s %-7s %2" PRIu64 ".%" PRIu64 " %5" PRIu64 " %10.1f %9.1f %6" PRIu64
                   " %s\n",
                   device.name, device.title, device.chip, device.compute_capability / 10,
                   device.compute_capability % 10, device.multiprocessors, device.dram_gbps,
                   (double)device.l2_bytes / (1 << 20), device.partitions,
                   device.partition_map == PARTITION_HASHED ? "hashed" : "linear");
    }
    free(names);
    if (good)
        printf(
            "\nEach device is a file of parameters in %s. --device also accepts the path of your "
            "own device file.\n",
            directory);
    return good ? 0 : 2;
}

int command_metrics(int count, char **values, struct failure *failure)
{
    static const char about[] =
        "Lists the columns of the CSV with their unit, CUPTI metric and source in the emulator.\n";
    bool markdown = false;
    int status;
    if (begin("metrics", about,
              (struct option_row)FLAG_ROW("markdown", &markdown, "print a Markdown page"), count,
              values, &status, failure))
        columns_print(stdout, markdown);
    return status;
}
