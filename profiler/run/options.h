/* options.h: the command line, for all commands alike. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/failure.h"
#include "emulator/device/device.h"

#include <stdint.h>

/* Walks over arguments: options first or mixed with operands, `--name value` or `--name=value`. */
struct arguments {
    int count;
    char **values;
    int at;
};

/* If the current argument is the option (`--name`), move past it and its value: 1, and *value is
 * set. 0: it is another argument. -1: its value is missing (failure set). A `short_name` such as
 * 'D' also takes -DVALUE and -D VALUE. */
int arguments_option(struct arguments *arguments, const char *name, char short_name,
                     const char **value, struct failure *failure);

/* A decimal number within [low, high], or a failure that names the option. */
bool options_number(const char *option, const char *text, uint64_t low, uint64_t high,
                    uint64_t *value, struct failure *failure);

/* If the current argument is that option, take its number, low to INT32_MAX. As arguments_option,
 * -1 also for a wrong number. */
int options_take_number(struct arguments *arguments, const char *name, uint64_t low,
                        uint64_t *number, struct failure *failure);

/* A block's index, "X", "X,Y" or "X,Y,Z"; what is left out is 0. */
bool options_block(const char *text, uint32_t block[3], struct failure *failure);

/* The emulated device of that name ("h200"), or a file of parameters ("./my.conf"). */
bool options_device(const char *name, struct device *device, struct failure *failure);

/* The device when none is named. */
#define OPTIONS_DEFAULT_DEVICE "h200"

#endif
