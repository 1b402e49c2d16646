/* command_watch.c: tlab watch TARGET: run a lab again each time its file is saved. inotify watches
 * the directory instead of the file, because many editors write a new file and rename it. */
#include "base/paths.h"
#include "commands/command.h"
#include "commands/screen.h"
#include "commands/watch_screen.h"
#include "course/exercise.h"
#include "course/target.h"
#include "process/child.h"
#include "run/target_options.h"

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
    "Each time one of its files is saved, tlab runs the lab again and shows the counters that\n"
    "changed. On a terminal, the output fills the screen, and keys show a hint, the accesses of\n"
    "the most expensive line, a picture, the report, or the next lab. q or Ctrl-C ends the\n"
    "command. The exit status is the status of the last run.\n";

enum { SETTLE_MS = 30 };

static volatile sig_atomic_t last_status;
static bool on_screen;

/* This handler may interrupt a run, so it calls only async-signal-safe functions. */
static void end(int signal)
{
    (void)signal;
    screen_restore();
    _exit(last_status);
}

static void end_on_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    const struct sigaction action = {.sa_handler = end};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

static void print_run(const struct watched *watched, double took)
{
    const struct record *record = &watched->record;
    char clock[16] = "";
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local))
        strftime(clock, sizeof clock, "%H:%M:%S", &local);
    printf("%s  %s, %" PRIu64 " x %" PRIu64 " on %s, %.2f s\n%s", clock, watched->path,
           record->values[COLUMN_rows].count, record->values[COLUMN_cols].count,
           record_text(record, COLUMN_device), took, watched->text ? watched->text : "");
    fflush(stdout);
}

/* Run a file. A harness failure is not fatal: an editor may be replacing the file. */
static void run_once(struct watched *watched, struct target_options *options)
{
    struct lab_run run;
    struct failure failure = {0};
    const double begin = clock_seconds();
    if (lab_run_do(&run, watched->path, &options->run, &failure)) {
        last_status = failure_exit_status(&run.wrong);
        watch_screen_take(watched, &run, &options->device);
        if (!on_screen)
            print_run(watched, clock_seconds() - begin);
        if (run.wrong.kind == FAILURE_NONE) {
            watched->before = *lab_run_record(&run);
            watched->has_before = true;
        }
        history_add(watched->path, lab_run_record(&run));
    } else if (on_screen) {
        last_status = 2;
        free(watched->text);
        watched->text = strdup(failure.text);
    } else {
        last_status = 2;
        printf("%s\n", failure.text);
        fflush(stdout);
    }
    lab_run_free(&run);
}

/* Set saved[i] for each saved file i. Returns false if the directory was removed or renamed. */
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

/* Wait until a file is saved, and then until SETTLE_MS have passed without an event. */
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

static bool watch_sources(struct target_options *options, const char *directory,
                          struct watched *watched, size_t count, enum watch_key *key,
                          struct failure *failure)
{
    const char *lab = path_basename(directory);
    bool *saved = calloc(count, sizeof *saved), good = false;
    int events = inotify_init1(IN_CLOEXEC);
    if (!saved || events < 0 ||
        inotify_add_watch(events, directory,
                          IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF) < 0) {
        failure_harness(failure, "cannot watch %s: %m", directory);
    } else {
        memset(saved, true, count * sizeof *saved);
        do {
            if (on_screen)
                watch_screen_show_running(lab);
            for (size_t i = 0; i < count; i++)
                if (saved[i])
                    run_once(&watched[i], options);
            *key = on_screen ? watch_screen_wait(lab, watched, count, events) : WATCH_SAVED;
            good = *key != WATCH_SAVED;
        } while (!good && wait_for_save(events, watched, count, saved));
        if (!good)
            failure_harness(failure, "%s was removed", directory);
    }
    free(saved);
    close(events);
    return good;
}

static void directory_of(const char *path, char directory[PATH_SIZE])
{
    snprintf(directory, PATH_SIZE, "%s", path);
    char *slash = strrchr(directory, '/');
    snprintf(slash ? slash + (slash == directory) : directory, 2, "%s", slash ? "" : ".");
}

static bool find_next(char lab[PATH_SIZE])
{
    char real[PATH_SIZE], parent[PATH_SIZE], manifest[PATH_SIZE];
    struct dirent **entries;
    bool found = false;
    if (!realpath(lab, real))
        return false;
    directory_of(real, parent);
    const int count = directory_list(parent, NULL, &entries);
    for (int i = 0; i < count && !found; i++)
        found = strcmp(entries[i]->d_name, path_basename(real)) > 0 &&
                target_manifest(parent, entries[i]->d_name, manifest) &&
                snprintf(lab, PATH_SIZE, "%s/%s", parent, entries[i]->d_name) < PATH_SIZE;
    if (count >= 0)
        directory_free(entries, count);
    return found;
}

static bool watch_target(struct target_options *options, const char *target, char next[PATH_SIZE],
                         enum watch_key *key, struct failure *failure)
{
    char **sources;
    size_t count;
    if (!exercise_list_sources(target, &sources, &count, failure))
        return false;
    struct watched *watched = calloc(count, sizeof *watched);
    for (size_t i = 0; watched && i < count; i++)
        watched[i].path = sources[i];
    directory_of(sources[0], next);
    bool good = watched ? watch_sources(options, next, watched, count, key, failure)
                        : failure_harness(failure, "not enough memory");
    for (size_t i = 0; watched && i < count; i++)
        free(watched[i].text);
    free(watched);
    exercise_free_sources(sources, count);
    return good;
}

static bool watch_labs(struct target_options *options, struct failure *failure)
{
    char next[PATH_SIZE];
    const char *target = options->targets.words[0];
    enum watch_key key = WATCH_QUIT;
    bool good;
    on_screen = screen_begin();
    end_on_signals();
    do {
        good = watch_target(options, target, next, &key, failure);
        if (good && key == WATCH_NEXT)
            find_next(next); /* `next` does not change after the last lab */
        target = next;
    } while (good && key == WATCH_NEXT);
    screen_end();
    return good;
}

int command_watch(int count, char **values, struct failure *failure)
{
    struct target_options options = target_options_default();
    options.single = true;
    const struct option_row rows[] = {
        TARGET_ROWS(&options),
    };
    const struct command_line line = {"watch", "TARGET [OPTION...]", about, ROWS(rows)};
    const bool good = target_options_parse(&options, &line, count, values, failure) &&
                      target_options_find_device(&options, failure) &&
                      watch_labs(&options, failure);
    target_options_free(&options);
    return good ? last_status : 2;
}
