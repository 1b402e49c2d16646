#include "run/options.h"

#include "base/paths.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int arguments_option(struct arguments *arguments, const char *name, char short_name,
                     const char **value, struct failure *failure)
{
    const char *argument = arguments->values[arguments->at];
    size_t length = strlen(name);
    if (!strncmp(argument, name, length) && argument[length] == '=') {
        *value = argument + length + 1;
        arguments->at++;
        return 1;
    }
    bool is_short = short_name && argument[0] == '-' && argument[1] == short_name;
    if (is_short && argument[2]) {
        *value = argument + 2;
        arguments->at++;
        return 1;
    }
    if (strcmp(argument, name) && !is_short)
        return 0;
    if (arguments->at + 1 >= arguments->count) {
        failure_harness(failure, "%s needs a value", argument);
        return -1;
    }
    *value = arguments->values[arguments->at + 1];
    arguments->at += 2;
    return 1;
}

bool options_number(const char *option, const char *text, uint64_t low, uint64_t high,
                    uint64_t *value, struct failure *failure)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || number < low || number > high)
        return failure_harness(
            failure, "%s must be a whole number from %" PRIu64 " to %" PRIu64 ", not `%s`", option,
            low, high, text);
    *value = number;
    return true;
}

int options_take_number(struct arguments *arguments, const char *name, uint64_t low,
                        uint64_t *number, struct failure *failure)
{
    const char *value;
    int found = arguments_option(arguments, name, 0, &value, failure);
    if (found > 0 && !options_number(name, value, low, INT32_MAX, number, failure))
        return -1;
    return found;
}

bool options_block(const char *text, uint32_t block[3], struct failure *failure)
{
    const char *at = text;
    block[0] = block[1] = block[2] = 0;
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        unsigned long long number = strtoull(at, &end, 10);
        if (*at < '0' || *at > '9' || errno || number > UINT32_MAX)
            break;
        block[i] = (uint32_t)number;
        if (!*end)
            return true;
        if (*end != ',')
            break;
        at = end + 1;
    }
    return failure_harness(failure, "--block must be X,Y, such as 1,0, not `%s`", text);
}

bool options_device(const char *name, struct device *device, struct failure *failure)
{
    if (strchr(name, '/'))
        return device_read(name, device, failure);
    if (!strcmp(name, "gpu"))
        return failure_harness(failure, "--device gpu: this command only emulates; `tlab devices` "
                                        "lists the devices that can be emulated");
    char directory[PATH_SIZE];
    return paths_in_root("profiler/devices", directory, failure) &&
           device_find(directory, name, device, failure);
}
