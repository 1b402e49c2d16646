/* command_nvcc.c: tlab nvcc ARGS...: run nvcc with the options that `tlab exec` requires: PTX for
 * the emulated architecture, line numbers, and the shared runtime. */
#define _GNU_SOURCE /* memfd_create */
#include "base/paths.h"
#include "commands/command.h"
#include "process/allocate.h"
#include "process/child.h"
#include "process/toolkit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char about[] =
    "usage: tlab nvcc ARGUMENT...\n\n"
    "Runs nvcc to build a program for `tlab exec`: with PTX for compute_80 instead of the\n"
    "requested architecture, with line numbers, and with the shared CUDA runtime. All other\n"
    "arguments are passed to nvcc, so `make NVCC=\"tlab nvcc\"` builds most programs. These\n"
    "arguments are removed from the command line, from the files of -optf, and from\n"
    "NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS:\n"
    "  -arch -gencode -code -cudart -dlto -G --device-debug --compress-mode, -lcudart_static\n"
    "With -cubin, nvcc makes a fat binary with PTX under the name of the cubin.\n";

static const char *const added[] = {"-cudart",      "shared",
                                    "-gencode",     "arch=compute_80,code=compute_80",
                                    "-lineinfo",    "-Wno-deprecated-gpu-targets",
                                    "-no-compress", NULL};

/* Options to remove. The value of an option follows after `=` or is the next argument. */
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
    {"-dlto", false},
    {"--dlink-time-opt", false},
    {"-G", false},
    {"--device-debug", false},
    {"-lineinfo", false},
    {"--generate-line-info", false},
    {"-lcudart_static", false},
    {"-no-compress", false},
    {"--no-compress", false},
};

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
    return text_ends_with(at[0], "/libcudart_static.a");
}

/* Returns the next word, or NULL. As in nvcc, words end at white space outside double quotes. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t\r\n"), *end = word;
    for (bool is_quoted = false; *end && (is_quoted || !strchr(" \t\r\n", *end)); end++)
        is_quoted ^= *end == '"';
    *rest = *end ? end + 1 : end;
    *end = 0;
    return *word ? word : NULL;
}

static char *filter_text(const char *given)
{
    size_t length = strlen(given), count = 0;
    char *text = allocate_checked(strdup(given)), *rest = text;
    char **words = allocate_checked(calloc(length / 2 + 2, sizeof *words));
    char *filtered = allocate_checked(calloc(length + 2, 1));
    while ((words[count] = next_word(&rest)))
        count++;
    for (size_t i = 0; i < count;) {
        size_t skip = (size_t)drop(&words[i], (int)(count - i));
        if (!skip)
            strcat(strcat(filtered, *filtered ? " " : ""), words[i]);
        i += skip ? skip : 1;
    }
    free(text);
    free(words);
    return filtered;
}

static void filter_variable(const char *variable)
{
    const char *value = getenv(variable);
    char *filtered = value ? filter_text(value) : NULL;
    if (filtered && setenv(variable, filtered, 1))
        allocate_checked(NULL);
    free(filtered);
}

/* Set `path` to a copy in memory of an option file, without the options to remove. */
static bool filter_file(const char *name, char *path, size_t path_size)
{
    FILE *file = fopen(name, "r");
    char *text = NULL, *filtered = NULL;
    size_t capacity = 0;
    int memory = -1;
    ssize_t read = file ? getdelim(&text, &capacity, 0, file) : -1;
    bool good = file && !ferror(file) && (filtered = filter_text(read < 0 ? "" : text)) &&
                (memory = memfd_create("arguments", 0)) >= 0 &&
                write(memory, filtered, strlen(filtered)) == (ssize_t)strlen(filtered);
    snprintf(path, path_size, "/proc/self/fd/%d", memory);
    if (file)
        fclose(file);
    free(text);
    free(filtered);
    return good;
}

static char *filter_files(const char *names)
{
    enum { PATH_LENGTH = 32 };
    char *copy = allocate_checked(strdup(names)), *rest = copy, path[PATH_LENGTH];
    char *list = allocate_checked(calloc(strlen(names) + 1, PATH_LENGTH + 1));
    bool good = true;
    for (char *name; good && (name = strsep(&rest, ","));) {
        good = filter_file(name, path, sizeof path);
        strcat(strcat(list, *list ? "," : ""), path);
    }
    free(copy);
    if (good)
        return list;
    free(list);
    return NULL;
}

/* If at[0] is an --options-file option, set *files to its value, and return the number of words of
 * the option, 1 or 2. Otherwise, return 0. */
static int argument_files(char *const *at, int left, const char **files)
{
    static const char *const names[] = {"-optf", "--options-file"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(at[0], names[i], length) != 0)
            continue;
        *files = at[0][length] == '=' ? at[0] + length + 1 : left > 1 ? at[1] : "";
        if (at[0][length] == '=' || (!at[0][length] && left > 1))
            return at[0][length] ? 1 : 2;
    }
    return 0;
}

/* Returns nvcc's name for a cubin; NULL if the arguments name an output or contain no source. */
static char *cubin_name(char *const *values, int count)
{
    const char *source = NULL;
    for (int i = 0; i < count; i++) {
        if (!strncmp(values[i], "-o", 2) || !strncmp(values[i], "--output", 8))
            return NULL;
        if (text_ends_with(values[i], ".cu") && *values[i] != '-')
            source = values[i];
    }
    const char *base = source ? strrchr(source, '/') : NULL;
    base = base ? base + 1 : source;
    return source ? allocate_format("%.*s.cubin", (int)(strlen(base) - strlen(".cu")), base) : NULL;
}

static bool add_filtered(int count, char **values, struct arguments *arguments,
                         struct failure *failure)
{
    bool is_named = false;
    for (int i = 0, skip; i < count; i += skip ? skip : 1) {
        const char *names;
        if ((skip = drop(&values[i], count - i)))
            continue;
        if ((skip = argument_files(&values[i], count - i, &names))) {
            char *files = filter_files(names);
            if (!files)
                return failure_harness(failure, "cannot read %s, an argument file of -optf", names);
            ARGUMENTS_ADD(arguments, "-optf", files);
            free(files);
        } else if (!strcmp(values[i], "-cubin") || !strcmp(values[i], "--cubin")) {
            char *name = is_named ? NULL : cubin_name(values, count);
            arguments_add(arguments, "-fatbin");
            if (name)
                ARGUMENTS_ADD(arguments, "-o", name);
            is_named = true;
            free(name);
        } else {
            arguments_add(arguments, "%s", values[i]);
        }
    }
    return true;
}

int command_nvcc(int count, char **values, struct failure *failure)
{
    struct toolkit toolkit;
    if (count == 1 && (!strcmp(values[0], "--help") || !strcmp(values[0], "-h"))) {
        fputs(about, stdout);
        return 0;
    }
    const bool found = toolkit_find(&toolkit);
    if (!*toolkit.nvcc) {
        failure_harness(
            failure, "tlab nvcc requires nvcc from a CUDA Toolkit 12 or 13 (no GPU required): %s%s",
            found ? toolkit.root : toolkit.why, found ? " has no bin/nvcc" : "");
        return 2;
    }
    struct arguments arguments = {0};
    filter_variable("NVCC_PREPEND_FLAGS");
    filter_variable("NVCC_APPEND_FLAGS");
    arguments_add(&arguments, "%s", toolkit.nvcc);
    arguments_add_all(&arguments, added);
    if (add_filtered(count, values, &arguments, failure)) {
        execv(toolkit.nvcc, arguments.words);
        failure_harness(failure, "cannot run %s: %s", toolkit.nvcc, strerror(errno));
    }
    arguments_free(&arguments);
    return 2;
}
