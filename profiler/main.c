/* main.c: tlab, the one program of the lab. It finds the command and translates failures into
 * messages and exit statuses; everything else is behind command.h.
 */
#include "base/paths.h"
#include "commands/command.h"
#include "text/spelling.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    command *run;
    const char *summary;
} commands[] = {
    {"run", command_run, "compile, run, verify and count labs"},
    {"annotate", command_annotate, "the source of a lab, with counters beside its lines"},
    {"report", command_report, "one HTML page of a lab: verdict, counters, source, pictures"},
    {"explain", command_explain, "one access of one warp: lane, address, bank, sector"},
    {"picture", command_picture, "draw banks, sectors, partitions, or the way of a tile"},
    {"hint", command_hint, "one hint on what a lab misses most; the next level each time"},
    {"predict", command_predict, "say what you expect of a lab before you run it"},
    {"status", command_status, "all labs: right, goals reached, what changed last"},
    {"watch", command_watch, "run a lab again whenever its file is saved"},
    {"emulate", command_emulate, "run any kernel of a .cu or .ptx file on an emulated GPU"},
    {"exec", command_exec, "run a CUDA program without a GPU, and count its kernels"},
    {"nvcc", command_nvcc, "nvcc, to build programs for `tlab exec`"},
    {"profile", command_profile, "count every kernel that a CUDA program launches on the GPU"},
    {"calibrate", command_calibrate, "measure this machine's GPU and write a device file for it"},
    {"compare", command_compare, "two kernels, a lab and its version before, or two CSV files"},
    {"grade", command_grade, "grade a folder of submissions"},
    {"viva", command_viva, "questions about a kernel for an oral exam, with their answers"},
    {"new", command_new, "make an exercise of one's own from one that there is"},
    {"devices", command_devices, "list the GPUs that can be emulated"},
    {"metrics", command_metrics,
     "list the columns of the CSV: unit, CUPTI metric, emulator source"},
    {"doctor", command_doctor, "say what this machine has and lacks, with the fix"},
    {"help", command_help, NULL},                           /* listed below the table */
    {"compile-sandboxed", command_compile_sandboxed, NULL}, /* for tlab itself */
};

#ifndef TLAB_VERSION
#define TLAB_VERSION "of unknown version"
#endif
#ifdef __clang__
#define TLAB_COMPILER "clang " __clang_version__
#else
#define TLAB_COMPILER "gcc " __VERSION__
#endif

static void print_help(FILE *file)
{
    fputs("usage: tlab COMMAND [ARGUMENT...]\n\n", file);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (commands[i].summary != NULL)
            fprintf(file, "  %-9s  %s\n", commands[i].name, commands[i].summary);
    fputs("\n`tlab COMMAND --help` lists the options of a command, `tlab help TERM` explains\n"
          "a term, `tlab --version` prints the version.\n"
          "Exit status: 0 all verified; 1 a program is wrong; 2 tlab could not do its job.\n",
          file);
}

/* What somebody who helps wants to know first. */
static void print_version(void)
{
    struct failure failure = {0};
    char root[PATH_SIZE];
    puts("tlab " TLAB_VERSION);
    printf("built by %s", TLAB_COMPILER);
    if (paths_root(root, &failure))
        printf(", for the labs in %s", root);
    puts("");
}

static int fail_unknown(const char *word)
{
    const char *names[sizeof commands / sizeof *commands];
    char advice[SPELLING_ADVICE];
    size_t known = 0;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (commands[i].summary != NULL)
            names[known++] = commands[i].name;
    spelling_advise(word, "", names, known, advice);
    fprintf(stderr, "tlab: there is no command `%s`%s%s `tlab help` lists them\n", word, advice,
            *advice ? "" : ";");
    return 2;
}

int main(int count, char **values)
{
    setlocale(LC_ALL, "C"); /* `.` decimals, whatever the user's locale */
    signal(SIGPIPE, SIG_IGN);
    if (count >= 2 && (!strcmp(values[1], "--help") || !strcmp(values[1], "-h") ||
                       (!strcmp(values[1], "help") && (count == 2 || *values[2] == '-')))) {
        print_help(stdout);
        return fflush(stdout) ? 2 : 0;
    }
    if (count >= 2 && (!strcmp(values[1], "--version") || !strcmp(values[1], "version"))) {
        print_version();
        return fflush(stdout) ? 2 : 0;
    }
    if (count < 2) {
        print_help(stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(values[1], commands[i].name))
            continue;
        struct failure failure = {0};
        int status = commands[i].run(count - 2, values + 2, &failure);
        errno = 0;
        bool unwritten = fflush(stdout) || ferror(stdout);
        if (unwritten && errno == EPIPE)
            return status; /* the reader, such as `head`, has seen enough */
        if (unwritten && failure.kind != FAILURE_HARNESS)
            failure_harness(&failure, "cannot write to standard output");
        if (failure.kind == FAILURE_HARNESS) {
            fprintf(stderr, "tlab: %s\n", failure.text);
            return 2;
        }
        return status;
    }
    return fail_unknown(values[1]);
}
