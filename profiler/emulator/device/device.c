/* device.c: read and write device files. A device that passes the checks in this file causes no
 * division by zero in the memory and time model, and fits in the model's data structures. */
#include "emulator/device/device.h"

#include "base/conf.h"
#include "base/paths.h"
#include "base/wording.h"
#include "text/spelling.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_SUFFIX ".conf"

enum field_type { FIELD_unsigned, FIELD_power, FIELD_number, FIELD_text, FIELD_choice };

enum { CHOICES_MAX = 3 };

static const struct field {
    const char *name;
    enum field_type type;
    size_t offset;
    double minimum, maximum;
    const char *words[CHOICES_MAX]; /* Words of a choice, in the order of its enumeration. */
} fields[] = {
/* clang-format off */
#define FIELD(type, field, minimum, maximum, ...)                                                  \
    {#field, FIELD_##type, offsetof(struct device, field), minimum, maximum, {__VA_ARGS__}},
#define X(type, field, minimum, maximum, unit, meaning) FIELD(type, field, minimum, maximum, NULL)
    FIELD(text, title, 1, sizeof((struct device *)0)->title - 1, NULL)
    FIELD(text, chip, 1, sizeof((struct device *)0)->chip - 1, NULL)
    FIELD(choice, partition_map, 0, 0, "linear", "hashed")
    FIELD(choice, coalescing, 0, 0, "sectors", "segments", "strict")
    DEVICE_FIELDS(X)
#undef X
    /* clang-format on */
};

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

_Static_assert(sizeof(enum partition_map) == sizeof(unsigned) &&
                   sizeof(enum coalescing) == sizeof(unsigned),
               "a choice is stored as an unsigned");

/* Parse `digits` or, if allowed, `digits.digits` with at most 18 digits, in any locale. */
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

static bool number_read(const struct field *field, const char *text, void *target, char *expected,
                        size_t size)
{
    uint64_t whole;
    double value;
    bool is_number = field->type == FIELD_number, is_power = field->type == FIELD_power;
    if (!decimal_parse(text, is_number, &whole, &value)) {
        snprintf(expected, size, "a %s number", is_number ? "decimal" : "whole");
        return false;
    }
    snprintf(expected, size, "%s%.15g to %.15g", is_power ? "a power of two, " : "", field->minimum,
             field->maximum);
    memcpy(target, is_number ? (void *)&value : (void *)&whole, sizeof whole);
    return value >= field->minimum && value <= field->maximum &&
           !(is_power && (whole & (whole - 1)) != 0);
}

static bool text_read(const struct field *field, const char *text, void *target, char *expected,
                      size_t size)
{
    size_t length = strlen(text);
    snprintf(expected, size, "1 to %.15g characters", field->maximum);
    if (length < 1 || (double)length > field->maximum)
        return false;
    memcpy(target, text, length + 1);
    return true;
}

static bool choice_read(const struct field *field, const char *text, void *target, char *expected,
                        size_t size)
{
    size_t used = 0;
    for (unsigned i = 0; i < CHOICES_MAX && field->words[i]; i++) {
        if (strcmp(field->words[i], text) == 0) {
            memcpy(target, &i, sizeof i);
            return true;
        }
        used += (size_t)snprintf(expected + used, size - used, "%s%s", i ? " or " : "",
                                 field->words[i]);
    }
    return false;
}

/* Defaults of parameters that older files do not contain: the values of a PCIe 4.0 x16 link, and
 * values of an H200 (sources: devices/h200.conf). */
static const struct pair {
    const char *key, *value;
} defaults[] = {
    {"l2_load_gbps", "0"},          {"memory_bus_bits", "256"},   {"link_gbps", "26"},
    {"link_latency_us", "2"},       {"atomic_slices", "64"},      {"atomic_sector_ns", "0.595"},
    {"atomic_integer_ns", "0.733"}, {"atomic_float_ns", "1.756"}, {"alu_per_clock", "64"},
    {"multiply_per_clock", "64"},   {"special_per_clock", "16"},  {"double_per_clock", "64"},
    {"shuffle_per_clock", "32"},    {"barrier_per_clock", "16"},  {"registers_per_sm", "65536"},
    {"register_unit", "256"},       {"register_files", "4"}};

static const struct pair groups[] = {
    {"compute_capability", "Execution"},
    {"max_threads_per_block", "Limits of a launch"},
    {"shared_per_sm", "Shared memory"},
    {"line_bytes", "Caches"},
    {"memory_bytes", "DRAM"},
    {"clock_mhz", "Rates and times"},
};

static const char *find(const struct pair *pairs, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(pairs[i].key, key))
            return pairs[i].value;
    return NULL;
}
#define FIND(pairs, key) find(pairs, sizeof(pairs) / sizeof *(pairs), key)

static bool field_read(const struct conf *conf, const struct field *field, struct device *device,
                       struct failure *failure)
{
    char expected[96], *target = (char *)device + field->offset;
    const struct conf_entry *entry = conf_find(conf, field->name);
    const char *value = entry ? entry->value : FIND(defaults, field->name);
    if (!value)
        return failure_harness(failure, "%s: `%s` is missing", conf->path, field->name);
    bool (*read)(const struct field *, const char *, void *, char *, size_t) =
        field->type == FIELD_text     ? text_read
        : field->type == FIELD_choice ? choice_read
                                      : number_read;
    return read(field, value, target, expected, sizeof expected) ||
           failure_harness(failure, "%s:%u: %s = %.60s: expected %s", conf->path,
                           entry ? entry->line : 0, field->name, value, expected);
}

#define RULE_LIST(X)                                                                               \
    X(sector_bytes,                                                                                \
      device->line_bytes % device->sector_bytes == 0 &&                                            \
          device->line_bytes / device->sector_bytes <= 4,                                          \
      "a line must have one to four sectors")                                                      \
    X(shared_lanes, device->warp_lanes % device->shared_lanes == 0, "must divide warp_lanes")      \
    X(shared_per_block, device->shared_per_block <= device->shared_per_block_optin,                \
      "must not be more than shared_per_block_optin")                                              \
    X(shared_per_block_optin, device->shared_per_block_optin <= device->shared_per_sm,             \
      "must not be more than shared_per_sm")                                                       \
    X(l1_bytes, device->l1_bytes == 0 || device->l1_bytes > device->shared_per_sm,                 \
      "L1 and shared memory together must be more than shared_per_sm")                             \
    X(line_bytes,                                                                                  \
      (device->l1_bytes == 0 && device->l2_bytes == 0) ||                                          \
          (device->line_bytes == 128 && device->sector_bytes == 32),                               \
      "caches must have 128-byte lines of 32-byte sectors")                                        \
    X(l2_bytes, device->l2_bytes == 0 || device->l2_bytes >= device->l2_ways * device->line_bytes, \
      "must not be less than one set of l2_ways lines")                                            \
    X(partition_bytes, device->partition_bytes >= device->line_bytes,                              \
      "must not be less than line_bytes")                                                          \
    X(max_threads_per_block, device->max_threads_per_block <= device->max_threads_per_sm,          \
      "must not be more than max_threads_per_sm")                                                  \
    X(coalescing,                                                                                  \
      device->coalescing == COALESCE_SECTORS ||                                                    \
          (device->line_bytes == 128 && device->sector_bytes == 32 && device->l2_bytes == 0 &&     \
           device->l1_bytes == 0),                                                                 \
      "devices of CC 1.x must have 128-byte lines, 32-byte sectors and no cache for global "       \
      "memory")

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

static bool name_set(const char *path, struct device *device, struct failure *failure)
{
    const char *name = path_basename(path);
    size_t length = strlen(name), suffix = strlen(DEVICE_SUFFIX);
    if (length > suffix && text_ends_with(name, DEVICE_SUFFIX))
        length -= suffix;
    if (length == 0 || length >= sizeof device->name)
        return failure_harness(failure, "%s: the name of a device must have 1 to %zu characters",
                               path, sizeof device->name - 1);
    memcpy(device->name, name, length);
    device->name[length] = '\0';
    return true;
}

static bool conf_to_device(const struct conf *conf, struct device *device, struct failure *failure)
{
    const char *known[FIELD_COUNT + 1] = {NULL};
    for (unsigned i = 0; i < FIELD_COUNT; i++)
        known[i] = fields[i].name;
    if (!name_set(conf->path, device, failure) || !conf_check_keys(conf, known, failure))
        return false;
    for (unsigned i = 0; i < FIELD_COUNT; i++)
        if (!field_read(conf, &fields[i], device, failure))
            return false;
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

static void number_print(double value, char text[32])
{
    int decimals = 0;
    for (double scaled = fabs(value); scaled > 0 && scaled < 1000 && decimals < 9; scaled *= 10)
        decimals++;
    int length = snprintf(text, 32, "%.*f", decimals, value);
    if (decimals)
        while (length > 1 && (text[length - 1] == '0' || text[length - 1] == '.')) {
            bool was_point = text[length - 1] == '.';
            text[--length] = '\0';
            if (was_point)
                break;
        }
}

static void value_print(const struct field *field, const struct device *device, char text[80])
{
    const char *from = (const char *)device + field->offset;
    uint64_t whole;
    double number;
    unsigned chosen;
    switch (field->type) {
    case FIELD_text:
        snprintf(text, 80, "%.79s", from);
        return;
    case FIELD_choice:
        memcpy(&chosen, from, sizeof chosen);
        snprintf(text, 80, "%s",
                 chosen < CHOICES_MAX && field->words[chosen] ? field->words[chosen] : "");
        return;
    case FIELD_number:
        memcpy(&number, from, sizeof number);
        number_print(number, text);
        return;
    default:
        memcpy(&whole, from, sizeof whole);
        snprintf(text, 80, "%llu", (unsigned long long)whole);
    }
}

bool device_write(FILE *file, const struct device *device, const char *about, device_source *source,
                  void *context)
{
    fprintf(file, "%s\n", about);
    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        char value[80];
        const char *heading = FIND(groups, fields[i].name), *why = source(context, fields[i].name);
        value_print(&fields[i], device, value);
        if (heading)
            fprintf(file, "\n# %s\n", heading);
        fprintf(file, *why ? "%-25s = %-14s # %s\n" : "%-25s = %s\n", fields[i].name, value, why);
    }
    return fflush(file) == 0 && !ferror(file);
}

enum { NAME_SIZE = sizeof((struct device *)0)->name };

static int is_device_file(const struct dirent *file)
{
    const char *name = file->d_name;
    size_t length = strlen(name), suffix = strlen(DEVICE_SUFFIX);
    return length > suffix && length - suffix < NAME_SIZE && name[0] != '.' &&
           text_ends_with(name, DEVICE_SUFFIX) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
               length;
}

static int name_compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

char **device_list(const char *directory, unsigned *count, struct failure *failure)
{
    struct dirent **files = NULL;
    int found = scandir(directory, &files, is_device_file, NULL);
    size_t entries = found < 0 ? 0 : (size_t)found;
    char **names = found < 0 ? NULL : calloc(entries + 1, sizeof *names + NAME_SIZE);
    if (!names)
        failure_harness(failure, "cannot list the devices in %s: %s", directory, strerror(errno));
    for (size_t i = 0; i < entries; i++) {
        size_t length = strlen(files[i]->d_name) - strlen(DEVICE_SUFFIX);
        if (names)
            names[i] =
                memcpy((char *)(names + entries + 1) + i * NAME_SIZE, files[i]->d_name, length);
        free(files[i]);
    }
    free(files);
    if (!names)
        return NULL;
    *count = (unsigned)entries;
    qsort(names, entries, sizeof *names, name_compare);
    return names;
}

static bool device_unknown(const char *directory, const char *name, char *const *names,
                           struct failure *failure)
{
    char list[1024] = "", advice[SPELLING_ADVICE];
    size_t count = 0;
    for (; names[count]; count++)
        APPEND(list, "%s%s", count ? ", " : "", names[count]);
    spelling_advise(name, "", (const char *const *)names, count, advice);
    return failure_harness(failure, "unknown device `%.60s`; available in %s: %s%s", name,
                           directory, count ? list : "none", advice);
}

bool device_find(const char *directory, const char *name, struct device *device,
                 struct failure *failure)
{
    unsigned count, i = 0;
    char path[PATH_SIZE], **names = device_list(directory, &count, failure);
    if (!names)
        return false;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    bool exists = i < count || device_unknown(directory, name, names, failure);
    free(names);
    return exists && path_format(path, failure, "%s/%s%s", directory, name, DEVICE_SUFFIX) &&
           device_read(path, device, failure);
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the number of blocks for which an SM has enough registers. Returns 0 if one block does
 * not fit after `warps` is rounded up to a multiple of register_files. */
static uint64_t register_blocks(const struct device *device, uint64_t warps, uint64_t registers)
{
    uint64_t files = device->register_files;
    uint64_t warp = round_up(registers * device->warp_lanes, device->register_unit);
    if (warp * round_up(warps, files) > device->registers_per_sm)
        return 0;
    return device->registers_per_sm / files / warp * files / warps;
}

unsigned device_resident_blocks(const struct device *device, unsigned threads_per_block,
                                uint64_t shared_bytes_per_block, unsigned registers_per_thread)
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
    if (registers_per_thread > 0)
        blocks = smaller(
            blocks, register_blocks(device, threads / device->warp_lanes, registers_per_thread));
    return (unsigned)blocks;
}
