/* command_watch.c: tlab watch TARGET: run a lab again each time its file is saved.
 *
 * inotify watches the directory, not the file: many editors write a new file and rename it. On a
 * terminal, each run overwrites the previous output; elsewhere, the outputs follow each other. The
 * settings of the terminal are never changed, so nothing must be restored at the end.
 */
#include "base/paths.h"
#include "base/wording.h"
#include "commands/command.h"
#include "course/exercise.h"
#include "run/target_options.h"
#include "view/changes.h"
#include "view/explain.h"
#include "view/lab_run.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

static const char about[] =
    "Runs a lab (a directory or a .cu file) and shows its goals and its most expensive line.\n"
    "Each time one of its files is saved, it runs again and shows the counters that changed.\n"
    "Ctrl-C ends it; the exit status is that of the last run.\n";

enum {
    SETTLE_MS = 30 /* an editor may save in several steps */
};

/* ---- The end ---- */

static volatile sig_atomic_t last_status;
static bool on_terminal;

/* A signal may arrive during a run: call only async-signal-safe functions. */
static void end(int signal)
{
    static const char clean[] = "\r\033[K\n";
    (void)signal;
    ssize_t written = on_terminal ? write(STDOUT_FILENO, clean, sizeof clean - 1) : 0;
    (void)written;
    _exit(last_status);
}

static void end_on_signals(void)
{
    const struct sigaction action = {.sa_handler = end};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/* ---- One run ---- */

struct watched {
    char *path;
    struct record before; /* the last correct run */
    bool has_before;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Print the advice and the line that it is about. */
static void print_advice(const struct lab_run *run, const struct device *device)
{
    struct advice advice;
    char line[256];
    if (run->lines.no_memory || !run->lines.lines)
        return;
    explain_lines(run->lines.lines, LINE_WATCH_LINES, device, &run->lines.time_goes, &advice);
    printf("\n%s\n", advice.text);
    if (text_quote_line(run->lines.path, advice.line, line, sizeof line))
        printf("    %s\n", line);
}

static void print_run(struct watched *watched, const struct lab_run *run,
                      const struct device *device, double took)
{
    const struct record *record = lab_run_record(run);
    char clock[16] = "";
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local))
        strftime(clock, sizeof clock, "%H:%M:%S", &local);
    if (on_terminal)
        fputs("\033[H\033[2J", stdout);
    printf("%s  %s, %" PRIu64 " x %" PRIu64 " on %s, %.2f s\n", clock, watched->path,
           record->values[COLUMN_rows].count, record->values[COLUMN_cols].count,
           record_text(record, COLUMN_device), took);
    lab_run_print_verdict(stdout, run);
    if (run->wrong.kind == FAILURE_NONE) {
        if (watched->has_before)
            changes_print(stdout, &watched->before, record);
        else
            printf("  %.4g us modelled, %.1f %% of a copy\n", record->values[COLUMN_time_us].real,
                   record->values[COLUMN_copy_pct].real);
        print_advice(run, device);
        watched->before = *record;
        watched->has_before = true;
    }
    fflush(stdout);
}

/* A harness failure, such as a file that is missing while an editor replaces it, is printed; the
 * next save may fix it. */
static void run_once(struct watched *watched, struct target_options *options)
{
    struct lab_run run;
    struct failure failure = {0};
    const double begin = seconds();
    if (lab_run_do(&run, watched->path, &options->run, &failure)) {
        last_status = failure_exit_status(&run.wrong);
        print_run(watched, &run, &options->device, seconds() - begin);
        history_add(watched->path, lab_run_record(&run));
    } else {
        last_status = 2;
        printf("%s\n", failure.text);
        fflush(stdout);
    }
    lab_run_free(&run);
}

/* ---- Saves ---- */

/* Set `saved` for each file that was saved. Returns false if the directory was removed. */
static bool read_events(int events, const struct watched *watched, size_t count, bool *saved)
{
    union {
        struct inotify_event event;
        char bytes[16384];
    } buffer;
    ssize_t length = read(events, &buffer, sizeof buffer);
    for (ssize_t at = 0; at < length;) {
        struct inotify_event event;
        memcpy(&event, buffer.bytes + at, sizeof event);
        const char *name = buffer.bytes + at + sizeof event;
        if (event.mask & (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF))
            return false;
        for (size_t i = 0; i < count; i++) /* after an overflow, any file may have changed */
            saved[i] |= event.mask & IN_Q_OVERFLOW ||
                        (event.len && !strcmp(name, path_basename(watched[i].path)));
        at += (ssize_t)(sizeof event + event.len);
    }
    return length > 0 || errno == EINTR;
}

/* Wait for a save, and then until no further event arrives. */
static bool wait_for_save(int events, const struct watched *watched, size_t count, bool *saved)
{
    struct pollfd wait = {.fd = events, .events = POLLIN};
    bool any = false;
    memset(saved, 0, count * sizeof *saved);
    for (;;) {
        int ready = poll(&wait, 1, any ? SETTLE_MS : -1);
        if (ready == 0)
            return true;
        if (ready > 0 && !read_events(events, watched, count, saved))
            return false;
        for (size_t i = 0; i < count; i++)
            any |= saved[i];
    }
}

static bool watch_sources(struct target_options *options, struct watched *watched, size_t count,
                          struct failure *failure)
{
    char directory[PATH_SIZE];
    bool *saved = calloc(count, sizeof *saved);
    snprintf(directory, sizeof directory, "%s", watched[0].path);
    char *slash = strrchr(directory, '/');
    snprintf(slash ? slash + (slash == directory) : directory, 2, "%s", slash ? "" : ".");
    int events = inotify_init1(IN_CLOEXEC);
    if (!saved || events < 0 ||
        inotify_add_watch(events, directory,
                          IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF) < 0) {
        failure_harness(failure, "cannot watch %s: %m", directory);
    } else {
        end_on_signals();
        memset(saved, true, count * sizeof *saved);
        do
            for (size_t i = 0; i < count; i++)
                if (saved[i])
                    run_once(&watched[i], options);
        while (wait_for_save(events, watched, count, saved));
        failure_harness(failure, "%s was removed", directory);
    }
    free(saved);
    close(events);
    return false;
}

static bool watch_target(struct target_options *options, struct failure *failure)
{
    char **sources;
    size_t count;
    if (!exercise_list_sources(options->targets.words[0], &sources, &count, failure))
        return false;
    struct watched *watched = calloc(count, sizeof *watched);
    for (size_t i = 0; watched && i < count; i++)
        watched[i].path = sources[i];
    bool good = watched ? watch_sources(options, watched, count, failure)
                        : failure_harness(failure, "not enough memory");
    free(watched);
    exercise_free_sources(sources, count);
    return good;
}

int command_watch(int count, char **values, struct failure *failure)
{
    struct target_options options = target_options_default();
    options.single = true;
    const struct option_row rows[] = {
        TARGET_DEVICE_ROW(&options),
        TARGET_SIZE_ROWS(&options, "the lab's, or 2048"),
    };
    const struct command_line line = {"watch", "TARGET [OPTION...]", about, ROWS(rows)};
    bool helped, good = target_options_parse(&options, &line, count, values, &helped, failure);
    on_terminal = isatty(STDOUT_FILENO);
    if (good && !helped)
        good = target_options_find_device(&options, failure) && watch_target(&options, failure);
    target_options_free(&options);
    return good ? 0 : 2;
}
