/* device.c: reading device files.
 *
 * A device file has one line for each field of DEVICE_FIELDS and four more: title, chip,
 * partition_map and coalescing. Each field has a range here, and a few rules tie fields together;
 * what passes can be used by the memory and time model without looking again (no division by zero,
 * no line longer than a run can hold, no cache set that its metadata cannot describe).
 */
#include "emulator/device/device.h"

#include "base/conf.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_SUFFIX ".conf"

enum field_type { FIELD_unsigned, FIELD_number };

enum field_index {
#define X(type, field, unit, meaning) INDEX_##field,
    DEVICE_FIELDS(X)
#undef X
        FIELD_COUNT
};

static const struct field {
    const char *name;
    enum field_type type;
    size_t offset;
} fields[FIELD_COUNT] = {
#define X(type, field, unit, meaning) {#field, FIELD_##type, offsetof(struct device, field)},
    DEVICE_FIELDS(X)
#undef X
};

/* What a field may hold. Most upper ends are generous; those of lanes, lines, sectors and ways are
 * what the model's bit masks can hold. */
static const struct range {
    double minimum, maximum;
    bool power_of_two;
} ranges[FIELD_COUNT] = {
    [INDEX_compute_capability] = {1, 999, false},
    [INDEX_multiprocessors] = {1, 4096, false},
    [INDEX_warp_lanes] = {1, 32, true},
    [INDEX_max_threads_per_block] = {1, 1024, false},
    [INDEX_max_block_x] = {1, 1024, false},
    [INDEX_max_block_y] = {1, 1024, false},
    [INDEX_max_block_z] = {1, 1024, false},
    [INDEX_max_grid_x] = {1, 0x7fffffff, false},
    [INDEX_max_grid_y] = {1, 0x7fffffff, false},
    [INDEX_max_grid_z] = {1, 0x7fffffff, false},
    [INDEX_max_threads_per_sm] = {1, 65536, false},
    [INDEX_max_blocks_per_sm] = {1, 1024, false},
    [INDEX_shared_per_sm] = {0, 1 << 24, false},
    [INDEX_shared_per_block] = {0, 1 << 24, false},
    [INDEX_shared_per_block_optin] = {0, 1 << 24, false},
    [INDEX_shared_reserved_per_block] = {0, 1 << 20, false},
    [INDEX_shared_unit_bytes] = {1, 1 << 16, true},
    [INDEX_shared_banks] = {1, 64, true},
    [INDEX_shared_bank_bytes] = {4, 16, true},
    [INDEX_shared_lanes] = {1, 32, true},
    [INDEX_line_bytes] = {16, 128, true},
    [INDEX_sector_bytes] = {16, 32, true},
    [INDEX_l1_bytes] = {0, 1 << 24, false},
    [INDEX_l1_ways] = {1, 16, false},
    [INDEX_l2_bytes] = {0, 1 << 30, false},
    [INDEX_l2_ways] = {1, 16, false},
    [INDEX_l2_read_groups] = {0, 64, false},
    [INDEX_memory_bytes] = {1 << 20, 1ull << 43, false},
    [INDEX_partitions] = {1, DEVICE_PARTITIONS_MAX, false},
    [INDEX_partition_bytes] = {16, 1 << 20, true},
    [INDEX_clock_mhz] = {1, 100000, false},
    [INDEX_dram_gbps] = {0.001, 1e6, false},
    [INDEX_dram_efficiency] = {0.01, 1, false},
    [INDEX_dram_scatter] = {0, 100, false},
    [INDEX_issue_slots_per_conflict] = {0, 100, false},
    [INDEX_barrier_efficiency] = {0.01, 1, false},
    [INDEX_partition_efficiency] = {0.01, 1, false},
    [INDEX_l2_gbps] = {0, 1e6, false},
    [INDEX_l2_loads_per_clock] = {0, 1e3, false},
    [INDEX_l2_stores_per_clock] = {0, 1e3, false},
    [INDEX_lsu_wavefronts_per_clock] = {0.001, 1e3, false},
    [INDEX_issue_per_clock] = {0.001, 1e3, false},
    [INDEX_latency_ns] = {0, 1e6, false},
    [INDEX_launch_us] = {0, 1e6, false},
    [INDEX_block_overhead_ns] = {0, 1e6, false},
};

static const char *const partition_maps[] = {
    [PARTITION_LINEAR] = "linear",
    [PARTITION_HASHED] = "hashed",
};
static const char *const coalescings[] = {
    [COALESCE_SECTORS] = "sectors",
    [COALESCE_SEGMENTS] = "segments",
    [COALESCE_STRICT] = "strict",
};

/* ---- values ---- */

static bool value_bad(const struct conf *conf, const struct conf_entry *entry, const char *wanted,
                      struct failure *failure)
{
    return failure_harness(failure, "%s:%u: %s = %.60s: expected %s", conf->path, entry->line,
                           entry->key, entry->value, wanted);
}

/* `digits` or `digits.digits`, at most 18 digits in all, whatever the locale; nothing else. */
static bool decimal_parse(const char *text, bool allow_fraction, uint64_t *whole, double *value)
{
    uint64_t all = 0;
    double scale = 1;
    unsigned digits = 0;
    bool in_fraction = false;
    *whole = 0;
    for (; *text; text++) {
        if (*text == '.' && allow_fraction && !in_fraction && digits > 0 && text[1] != '\0') {
            in_fraction = true;
            continue;
        }
        if (*text < '0' || *text > '9' || ++digits > 18)
            return false;
        all = all * 10 + (uint64_t)(*text - '0');
        if (in_fraction)
            scale *= 10;
    }
    *whole = all;
    *value = (double)all / scale;
    return digits > 0;
}

static bool field_read(const struct conf *conf, const struct conf_entry *entry, unsigned index,
                       struct device *device, struct failure *failure)
{
    const struct range *range = &ranges[index];
    bool is_number = fields[index].type == FIELD_number;
    char *target = (char *)device + fields[index].offset;
    uint64_t whole;
    double value;
    if (!decimal_parse(entry->value, is_number, &whole, &value))
        return value_bad(conf, entry, is_number ? "a decimal number" : "a whole number", failure);
    if (value < range->minimum || value > range->maximum ||
        (range->power_of_two && (whole & (whole - 1)) != 0)) {
        char wanted[96];
        snprintf(wanted, sizeof wanted, "%s%.15g to %.15g",
                 range->power_of_two ? "a power of two, " : "", range->minimum, range->maximum);
        return value_bad(conf, entry, wanted, failure);
    }
    if (is_number)
        memcpy(target, &value, sizeof value);
    else
        memcpy(target, &whole, sizeof whole);
    return true;
}

/* The entry of a key that must be there. */
static const struct conf_entry *entry_require(const struct conf *conf, const char *key,
                                              struct failure *failure)
{
    const struct conf_entry *entry = conf_find(conf, key);
    if (!entry)
        failure_harness(failure, "%s: `%s` is missing", conf->path, key);
    return entry;
}

static bool text_read(const struct conf *conf, const char *key, char *text, size_t size,
                      struct failure *failure)
{
    const struct conf_entry *entry = entry_require(conf, key, failure);
    if (!entry)
        return false;
    if (*entry->value == '\0' || strlen(entry->value) >= size) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "1 to %zu characters", size - 1);
        return value_bad(conf, entry, wanted, failure);
    }
    strcpy(text, entry->value);
    return true;
}

/* One of `count` words; *choice becomes its index. */
static bool choice_read(const struct conf *conf, const char *key, const char *const *words,
                        unsigned count, unsigned *choice, struct failure *failure)
{
    const struct conf_entry *entry = entry_require(conf, key, failure);
    if (!entry)
        return false;
    char wanted[96] = "";
    for (*choice = 0; *choice < count; ++*choice) {
        if (strcmp(words[*choice], entry->value) == 0)
            return true;
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s%s",
                 *choice == 0 ? "" : " or ", words[*choice]);
    }
    return value_bad(conf, entry, wanted, failure);
}

/* ---- rules that tie fields together ---- */

#define RULE_LIST(X)                                                                               \
    X(sector_bytes,                                                                                \
      device->line_bytes % device->sector_bytes == 0 &&                                            \
          device->line_bytes / device->sector_bytes <= 4,                                          \
      "a line is one to four sectors")                                                             \
    X(shared_lanes, device->warp_lanes % device->shared_lanes == 0,                                \
      "lanes served together divide the warp")                                                     \
    X(shared_per_block, device->shared_per_block <= device->shared_per_block_optin,                \
      "more than shared_per_block_optin")                                                          \
    X(shared_per_block_optin, device->shared_per_block_optin <= device->shared_per_sm,             \
      "more than shared_per_sm")                                                                   \
    X(l1_bytes, device->l1_bytes == 0 || device->l1_bytes > device->shared_per_sm,                 \
      "L1 and shared memory together are more than shared_per_sm alone")                           \
    X(line_bytes,                                                                                  \
      (device->l1_bytes == 0 && device->l2_bytes == 0) ||                                          \
          (device->line_bytes == 128 && device->sector_bytes == 32),                               \
      "caches have 128-byte lines of 32-byte sectors")                                             \
    X(l2_bytes, device->l2_bytes == 0 || device->l2_bytes >= device->l2_ways * device->line_bytes, \
      "less than one set of l2_ways lines")                                                        \
    X(partition_bytes, device->partition_bytes >= device->line_bytes, "narrower than a line")      \
    X(max_threads_per_block, device->max_threads_per_block <= device->max_threads_per_sm,          \
      "more than max_threads_per_sm")                                                              \
    X(coalescing,                                                                                  \
      device->coalescing == COALESCE_SECTORS ||                                                    \
          (device->line_bytes == 128 && device->sector_bytes == 32 && device->l2_bytes == 0 &&     \
           device->l1_bytes == 0),                                                                 \
      "CC 1.x has 128-byte lines, 32-byte sectors and no cache for global memory")

static bool rules_check(const struct conf *conf, const struct device *device,
                        struct failure *failure)
{
#define X(key, holds, text)                                                                        \
    if (!(holds)) {                                                                                \
        const struct conf_entry *entry = conf_find(conf, #key);                                    \
        return failure_harness(failure, "%s:%u: %s = %.60s: %s", conf->path,                       \
                               entry ? entry->line : 0, #key, entry ? entry->value : "", text);    \
    }
    RULE_LIST(X)
#undef X
    return true;
}

/* ---- files ---- */

/* The file's name without directory and suffix. */
static bool name_set(const char *path, struct device *device, struct failure *failure)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(name), suffix = strlen(DEVICE_SUFFIX);
    if (length > suffix && strcmp(name + length - suffix, DEVICE_SUFFIX) == 0)
        length -= suffix;
    if (length == 0 || length >= sizeof device->name)
        return failure_harness(failure, "%s: a device's name has 1 to %zu characters", path,
                               sizeof device->name - 1);
    memcpy(device->name, name, length);
    device->name[length] = '\0';
    return true;
}

static bool conf_to_device(const struct conf *conf, struct device *device, struct failure *failure)
{
    static const char *const known[] = {
#define X(type, field, unit, meaning) #field,
        DEVICE_FIELDS(X)
#undef X
            "title",
        "chip", "partition_map", "coalescing", NULL};
    unsigned map, coalescing;
    if (!name_set(conf->path, device, failure) || !conf_check_keys(conf, known, failure) ||
        !text_read(conf, "title", device->title, sizeof device->title, failure) ||
        !text_read(conf, "chip", device->chip, sizeof device->chip, failure) ||
        !choice_read(conf, "partition_map", partition_maps, 2, &map, failure) ||
        !choice_read(conf, "coalescing", coalescings, 3, &coalescing, failure))
        return false;
    device->partition_map = (enum partition_map)map;
    device->coalescing = (enum coalescing)coalescing;
    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        const struct conf_entry *entry = entry_require(conf, fields[i].name, failure);
        if (!entry || !field_read(conf, entry, i, device, failure))
            return false;
    }
    return rules_check(conf, device, failure);
}

bool device_read(const char *path, struct device *device, struct failure *failure)
{
    *device = (struct device){0};
    struct conf conf;
    if (!conf_read(path, &conf, failure))
        return false;
    bool done = conf_to_device(&conf, device, failure);
    conf_free(&conf);
    return done;
}

/* Letters, digits, `_`, `-` and inner dots: a name, and no path out of the directory. */
static bool is_device_name(const char *name, size_t length)
{
    if (length == 0 || length >= sizeof((struct device *)0)->name || name[0] == '.')
        return false;
    for (size_t i = 0; i < length; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", name[i]))
            return false;
    return true;
}

/* Length of the device name in a directory entry, or 0. */
static size_t device_name_length(const char *file)
{
    size_t length = strlen(file), suffix = strlen(DEVICE_SUFFIX);
    if (length <= suffix || strcmp(file + length - suffix, DEVICE_SUFFIX) != 0)
        return 0;
    return is_device_name(file, length - suffix) ? length - suffix : 0;
}

static int name_compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* All names as consecutive strings in one malloc'd block; NULL with errno set. */
static char *names_collect(const char *directory, unsigned *count, size_t *size)
{
    DIR *dir = opendir(directory);
    if (!dir)
        return NULL;
    char *text = malloc(1);
    *count = 0;
    *size = 0;
    const struct dirent *file;
    for (errno = 0; text && (file = readdir(dir)) != NULL; errno = 0) {
        size_t length = device_name_length(file->d_name);
        if (length == 0)
            continue;
        char *grown = realloc(text, *size + length + 1);
        if (!grown)
            break;
        text = grown;
        memcpy(text + *size, file->d_name, length);
        text[*size + length] = '\0';
        *size += length + 1;
        ++*count;
    }
    int error = errno;
    closedir(dir);
    if (error) {
        free(text);
        text = NULL;
    }
    errno = error;
    return text;
}

char **device_list(const char *directory, unsigned *count, struct failure *failure)
{
    size_t size;
    char *text = names_collect(directory, count, &size);
    char **names = text ? malloc((*count + 1) * sizeof *names + size) : NULL;
    if (!names) {
        failure_harness(failure, "cannot list the devices in %s: %s", directory, strerror(errno));
        free(text);
        return NULL;
    }
    char *at = (char *)(names + *count + 1);
    memcpy(at, text, size);
    free(text);
    for (unsigned i = 0; i < *count; i++) {
        names[i] = at;
        at += strlen(at) + 1;
    }
    names[*count] = NULL;
    qsort(names, *count, sizeof *names, name_compare);
    return names;
}

/* "unknown device `x`: there are a100, gtx280, ..." */
static bool device_unknown(const char *directory, const char *name, char *const *names,
                           struct failure *failure)
{
    char list[1024] = "none";
    size_t used = 0;
    for (; *names && used < sizeof list; names++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *names);
    return failure_harness(failure, "unknown device `%.60s`; in %s there are: %s", name, directory,
                           list);
}

static bool is_listed(const char *name, char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

bool device_find(const char *directory, const char *name, struct device *device,
                 struct failure *failure)
{
    unsigned count;
    char **names = device_list(directory, &count, failure);
    if (!names)
        return false;
    bool exists = is_listed(name, names) || device_unknown(directory, name, names, failure);
    free(names);
    if (!exists)
        return false;
    size_t size = strlen(directory) + strlen(name) + sizeof "/" DEVICE_SUFFIX;
    char *path = malloc(size);
    if (!path)
        return failure_harness(failure, "out of memory");
    snprintf(path, size, "%s/%s%s", directory, name, DEVICE_SUFFIX);
    bool done = device_read(path, device, failure);
    free(path);
    return done;
}

/* ---- occupancy ---- */

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

unsigned device_resident_blocks(const struct device *device, unsigned threads_per_block,
                                uint64_t shared_bytes_per_block)
{
    if (threads_per_block == 0 || threads_per_block > device->max_threads_per_block ||
        shared_bytes_per_block > device->shared_per_block_optin)
        return 0;
    uint64_t threads = round_up(threads_per_block, device->warp_lanes);
    uint64_t shared = round_up(shared_bytes_per_block + device->shared_reserved_per_block,
                               device->shared_unit_bytes);
    uint64_t blocks = smaller(device->max_blocks_per_sm, device->max_threads_per_sm / threads);
    if (shared > 0)
        blocks = smaller(blocks, device->shared_per_sm / shared);
    return (unsigned)blocks;
}
