/* picture_partitions.c: pictures of the traffic of DRAM partitions over time. */
#include "picture/picture.h"

#include <inttypes.h>

enum {
    MAX_COLUMNS = 160,
    ENOUGH_LINES = 32, /* Minimum number of lines per partition in a column. */
};

void picture_partitions_begin(struct picture_file *file, unsigned panels, unsigned across)
{
    fprintf(file->settings, "panels = %u\nacross = %u\n", panels, across);
    picture_file_arrays(file, panels, "panel_text last_step partitions");
    picture_file_set(file, "title_text", 0, "DRAM partitions over time");
    fputs("panel,kernel,device,first_step,steps,partition,bytes,share\n", file->data);
}

void picture_partitions_describe(struct picture_file *file, const struct device *device,
                                 uint64_t rows, uint64_t cols)
{
    (void)device;
    picture_file_set(file, "subtitle_text", 0,
                     "%" PRIu64 " x %" PRIu64
                     " floats; dark: the partition has more traffic than its share",
                     rows, cols);
}

/* Returns the end of the smallest column from `window` on that is wide enough and has enough
 * traffic; 0 if the remaining windows have too little traffic. */
static size_t gather(const struct partition_history *history, const struct device *device,
                     size_t window)
{
    size_t least = (history->windows + MAX_COLUMNS - 1) / MAX_COLUMNS, end = window;
    uint64_t enough = ENOUGH_LINES * history->partitions * device->line_bytes, bytes = 0;
    while (end < history->windows && (end - window < least || bytes < enough)) {
        for (unsigned p = 0; p < history->partitions; p++)
            bytes += history->bytes[end * history->partitions + p];
        end++;
    }
    return bytes < enough ? 0 : end;
}

static void write_column(struct picture_file *file, unsigned panel,
                         const struct picture_partitions *drawn, size_t window, size_t end)
{
    const struct partition_history *history = &drawn->history;
    unsigned partitions = history->partitions;
    uint64_t total = 0;
    for (size_t at = window * partitions; at < end * partitions; at++)
        total += history->bytes[at];
    for (unsigned p = 0; p < partitions; p++) {
        uint64_t bytes = 0;
        for (size_t w = window; w < end; w++)
            bytes += history->bytes[w * partitions + p];
        fprintf(file->data, "%u,%s,%s,%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",%.4g\n", panel,
                drawn->name, drawn->device->name, window * history->steps,
                (end - window) * history->steps, p, bytes,
                total ? (double)bytes * partitions / (double)total : 0);
    }
}

void picture_partitions_panel(struct picture_file *file, unsigned panel,
                              const struct picture_partitions *drawn)
{
    const struct partition_history *history = &drawn->history;
    for (size_t window = 0, end; window < history->windows; window = end) {
        end = gather(history, drawn->device, window);
        /* The last column includes the remaining windows if they have too little traffic. */
        if (!end || !gather(history, drawn->device, end))
            end = history->windows;
        write_column(file, panel, drawn, window, end);
    }
    picture_file_set(file, "panel_text", panel, "%s on %s: %u partitions, addresses %s",
                     drawn->name, drawn->device->title, history->partitions,
                     drawn->device->partition_map == PARTITION_HASHED ? "hashed" : "in turn");
    fprintf(file->settings, "last_step[%u] = %" PRIu64 "\npartitions[%u] = %u\n", panel,
            history->windows * history->steps, panel, history->partitions);
}
