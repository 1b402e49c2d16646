/* command_nvcc.c: tlab nvcc ARGS..., nvcc with what `tlab exec` needs: PTX for the architecture
 * that is emulated, lines, and the shared runtime.
 */
#include "base/toolkit.h"
#include "commands/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
    "usage: tlab nvcc ARGUMENT...\n\n"
    "Runs nvcc to build a program for `tlab exec`: with PTX for compute_80 instead of whatever\n"
    "architecture was asked for, line numbers, and the shared CUDA runtime. All other arguments "
    "are\n"
    "nvcc's own, so `make NVCC=\"tlab nvcc\"` builds most programs. Arguments left out:\n"
    "  -arch -gencode -code -cudart -G --device-debug --compress-mode, -lcudart_static\n";

/* What is put in front. */
static const char *const added[] = {"-cudart",     "shared",
                                    "-gencode",    "arch=compute_80,code=compute_80",
                                    "-lineinfo",   "-Wno-deprecated-gpu-targets",
                                    "-no-compress"};

/* What is left out: an option with its value, which stands behind `=` or is the next argument. */
static const struct {
    const char *name;
    bool has_value;
} dropped[] = {
    {"-arch", true},
    {"--gpu-architecture", true},
    {"-gencode", true},
    {"--generate-code", true},
    {"-code", true},
    {"--gpu-code", true},
    {"-cudart", true},
    {"--cudart", true},
    {"-compress-mode", true},
    {"--compress-mode", true},
    {"-G", false},
    {"--device-debug", false},
    {"-lineinfo", false},
    {"--generate-line-info", false},
    {"-lcudart_static", false},
    {"-no-compress", false},
    {"--no-compress", false},
};

/* How many arguments, from this one on, are left out. */
static int drop(char *const *at, int left)
{
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
        size_t length = strlen(dropped[i].name);
        if (strncmp(at[0], dropped[i].name, length) != 0)
            continue;
        if (!at[0][length])
            return dropped[i].has_value && left > 1 ? 2 : 1;
        if (dropped[i].has_value && at[0][length] == '=')
            return 1;
    }
    return 0;
}

int command_nvcc(int count, char **values, struct failure *failure)
{
    enum { ADDED = sizeof added / sizeof *added };
    struct toolkit toolkit;
    char why[256];
    if (count == 1 && (!strcmp(values[0], "--help") || !strcmp(values[0], "-h"))) {
        fputs(about, stdout);
        return 0;
    }
    if (!toolkit_find(&toolkit, why, sizeof why) || !*toolkit.nvcc) {
        failure_harness(failure,
                        "tlab nvcc needs nvcc, of a CUDA Toolkit 12 or 13, which needs no GPU: %s",
                        *toolkit.nvcc ? why : "none was found");
        return 2;
    }
    const char **arguments = calloc((size_t)count + ADDED + 2, sizeof *arguments);
    if (!arguments) {
        failure_harness(failure, "not enough memory");
        return 2;
    }
    int used = 0;
    arguments[used++] = toolkit.nvcc;
    for (int i = 0; i < ADDED; i++)
        arguments[used++] = added[i];
    for (int i = 0; i < count;) {
        int skip = drop(&values[i], count - i);
        if (!skip)
            arguments[used++] = values[i];
        i += skip ? skip : 1;
    }
    union {
        const char **in;
        char *const *out;
    } same = {arguments};
    execv(toolkit.nvcc, same.out);
    failure_harness(failure, "cannot run %s: %s", toolkit.nvcc, strerror(errno));
    free(arguments);
    return 2;
}
