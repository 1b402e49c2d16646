/* main.c: the program tlab: finds the command, and converts failures to messages and statuses. */
#include "base/paths.h"
#include "base/terminal.h"
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
    {"run", command_run, "compile, run, verify and profile labs"},
    {"annotate", command_annotate, "print the kernel of a lab with counters beside each line"},
    {"report", command_report, "write an HTML page of a lab: verdict, counters, source, pictures"},
    {"explain", command_explain, "show one access of one warp: lane, address, bank, sector"},
    {"picture", command_picture, "draw banks, sectors, partitions, or the data movement of a tile"},
    {"hint", command_hint, "give a hint on the largest problem of a lab, one level per call"},
    {"predict", command_predict, "write down what you predict for a lab before you run it"},
    {"status", command_status, "list all labs: verdict, goals reached, last change"},
    {"watch", command_watch, "run a lab again each time its file is saved"},
    {"emulate", command_emulate, "run any kernel of a .cu or .ptx file on an emulated GPU"},
    {"exec", command_exec, "run a CUDA program without a GPU and profile its kernels"},
    {"nvcc", command_nvcc, "run nvcc with the options that `tlab exec` requires"},
    {"profile", command_profile, "profile every kernel that a CUDA program launches on the GPU"},
    {"calibrate", command_calibrate, "measure this machine's GPU and write a device file for it"},
    {"compare", command_compare, "compare two kernels, two versions of a lab, or two CSV files"},
    {"grade", command_grade, "grade a folder of submissions"},
    {"viva", command_viva, "print oral exam questions about a kernel, and optionally the answers"},
    {"new", command_new, "create an exercise from an existing exercise"},
    {"devices", command_devices, "list the GPUs that can be emulated"},
    {"metrics", command_metrics, "list the CSV columns: unit, CUPTI metric, emulator source"},
    {"doctor", command_doctor, "list installed and missing software, and how to install it"},
    {"help", command_help, NULL},
    {"compile-sandboxed", command_compile_sandboxed, NULL}, /* started by tlab itself */
    {"stage-submissions", command_stage, NULL},             /* started by grading/viva_sheets */
};
enum { COMMANDS = sizeof commands / sizeof *commands };

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
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].summary != NULL)
            fprintf(file, "  %-9s  %s\n", commands[i].name, commands[i].summary);
    fputs("\n`tlab COMMAND --help` describes a command, `tlab help TERM` explains\n"
          "a term, and `tlab --version` prints the version.\n"
          "Exit status: 0 if every program is correct, 1 if a program is incorrect, 2 if tlab "
          "failed.\n",
          file);
}

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
    const char *names[COMMANDS];
    char advice[SPELLING_ADVICE];
    size_t known = 0;
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].summary != NULL)
            names[known++] = commands[i].name;
    spelling_advise(word, "", names, known, advice);
    fprintf(stderr, "tlab: there is no command `%s`%s%s `tlab help` lists the commands\n", word,
            advice, *advice ? "" : ";");
    return 2;
}

int main(int count, char **values)
{
    setlocale(LC_ALL, "C"); /* print decimal points in every locale */
    signal(SIGPIPE, SIG_IGN);
    terminal_begin();
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
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(values[1], commands[i].name))
            continue;
        struct failure failure = {0};
        int status = commands[i].run(count - 2, values + 2, &failure);
        errno = 0;
        bool unwritten = fflush(stdout) || ferror(stdout);
        if (unwritten && errno == EPIPE)
            return status; /* the reader, such as `head`, has closed the pipe */
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
