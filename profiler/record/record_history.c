#define _GNU_SOURCE
#include "record/record_history.h"

#include "base/bits.h"
#include "base/paths.h"
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* INPUT_BYTES limits each hashed file. A run is not saved if the lock is not free in time. */
enum { LOCK_MILLISECONDS = 200, INPUT_BYTES = 1 << 20 };

static bool history_directory(char path[PATH_SIZE])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = state && *state == '/' ? snprintf(path, PATH_SIZE, "%s/transpose-lab", state)
                 : home && *home == '/'
                     ? snprintf(path, PATH_SIZE, "%s/.local/state/transpose-lab", home)
                     : -1;
    return length > 0 && length < PATH_SIZE;
}

/* The name contains a hash of the whole path, because several sources may have the same name. */
bool history_path(const char *source, const char *kind, char path[PATH_SIZE])
{
    char real[PATH_MAX], directory[PATH_SIZE];
    if (!realpath(source, real) || !history_directory(directory))
        return false;
    const char *name = path_basename(real);
    return snprintf(path, PATH_SIZE, "%s/%.*s-%016" PRIx64 ".%s", directory,
                    (int)strcspn(name, "."), name, hash_bytes(HASH_START, real, strlen(real)),
                    kind) < PATH_SIZE;
}

int history_lock(const char *name, int milliseconds)
{
    char path[PATH_SIZE], directory[PATH_SIZE];
    errno = ENOENT;
    if (!history_directory(directory) ||
        !path_format(path, &(struct failure){0}, "%s/%s", directory, name) ||
        !path_make_directories(path, 0700, &(struct failure){0}))
        return -1;
    return file_lock(path, 0600, milliseconds);
}

static bool is_comparable(const struct record *a, const struct record *b)
{
    static const enum column columns[] = {COLUMN_variant, COLUMN_device, COLUMN_source,
                                          COLUMN_rows,    COLUMN_cols,   COLUMN_defines,
                                          COLUMN_loop,    COLUMN_cache};
    return record_same(a, b, columns, sizeof columns / sizeof *columns);
}

static bool is_same_version(const struct record *a, const struct record *b)
{
    static const enum column version = COLUMN_compiler;
    return is_comparable(a, b) && record_same(a, b, &version, 1);
}

const struct record *history_previous(const struct run_history *history, const struct record *now)
{
    for (size_t i = history->count; i > 0; i--)
        if (is_comparable(&history->records[i - 1], now) &&
            !is_same_version(&history->records[i - 1], now))
            return &history->records[i - 1];
    return NULL;
}

const struct record *history_best(const struct run_history *history, const struct record *now)
{
    const struct record *best = NULL;
    for (size_t i = 0; i < history->count; i++) {
        const struct record *record = &history->records[i];
        const struct record_value *share = &record->values[COLUMN_copy_pct];
        if (record_is_right(record) && share->known && is_comparable(record, now) &&
            (!best || share->real > best->values[COLUMN_copy_pct].real))
            best = record;
    }
    return best;
}

static uint64_t add_file(uint64_t hash, const char *path)
{
    size_t size = 0;
    struct failure unread = {0};
    char *text = whole_file_read(path, INPUT_BYTES, &size, &unread);
    hash = hash_bytes(hash, &size, sizeof size);
    hash = hash_bytes(hash, text ? text : "", text ? size : 0);
    free(text);
    return hash;
}

static uint64_t hash_inputs(const char *source)
{
    char pattern[PATH_SIZE + 32];
    struct stat program = {0};
    glob_t files = {0};
    stat("/proc/self/exe", &program);
    uint64_t hash = hash_bytes(HASH_START, &program.st_mtim, sizeof program.st_mtim);
    hash = add_file(hash, source);
    snprintf(pattern, sizeof pattern, "%.*s{lab.conf,*.h,*.cuh}",
             (int)(path_basename(source) - source), source);
    glob(pattern, GLOB_BRACE, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++)
        hash = add_file(hash, files.gl_pathv[i]);
    globfree(&files);
    return hash;
}

static FILE *open_inputs(const char *source, const char *mode)
{
    char path[PATH_SIZE];
    return history_path(source, "inputs", path) ? fopen(path, mode) : NULL;
}

static bool is_newest(const char *source)
{
    uint64_t saved = 0;
    FILE *file = open_inputs(source, "re");
    const bool is_read = file && fscanf(file, "%" SCNx64, &saved) == 1;
    if (file)
        fclose(file);
    return is_read && saved == hash_inputs(source);
}

void history_load(const char *source, struct run_history *history)
{
    char path[PATH_SIZE];
    struct failure damaged = {0};
    struct stat history_file;
    *history = (struct run_history){0};
    if (!history_path(source, "csv", path) || stat(path, &history_file) ||
        !S_ISREG(history_file.st_mode) ||
        !records_load(path, &history->records, &history->count, &damaged))
        history->count = 0;
    else
        history->is_current = is_newest(source);
    if (history->count > HISTORY_MAX)
        history->count = HISTORY_MAX; /* Another program edited the file. */
}

void history_free(struct run_history *history)
{
    free(history->records);
    *history = (struct run_history){0};
}

static void drop(struct run_history *history, size_t index)
{
    memmove(&history->records[index], &history->records[index + 1],
            (history->count - index - 1) * sizeof *history->records);
    history->count--;
}

/* Drop the record of the same version. If there is none and the history is full, drop the oldest
 * record that is not the best of its comparable runs. */
static void make_room(struct run_history *history, const struct record *record)
{
    for (size_t i = 0; i < history->count; i++)
        if (is_same_version(&history->records[i], record)) {
            drop(history, i);
            return;
        }
    for (size_t i = 0; history->count >= HISTORY_MAX; i++) {
        const struct record *old = &history->records[i];
        if (i == history->count - 1 || history_best(history, old) != old) {
            drop(history, i);
            return;
        }
    }
}

static void save(const char *path, const struct run_history *history, const struct record *newest)
{
    struct whole_file file;
    struct failure unwritten = {0};
    if (!whole_file_open(&file, path, &unwritten))
        return;
    file.can_be_lost = true;
    record_write_header(file.stream);
    for (size_t i = 0; i < history->count; i++)
        record_write(file.stream, &history->records[i]);
    record_write(file.stream, newest);
    whole_file_keep(&file, &unwritten);
}

static bool is_saved(const struct run_history *history, const struct record *record)
{
    static const enum column verdict[] = {COLUMN_status, COLUMN_goals_reached, COLUMN_goals};
    const struct record *newest = history->count ? &history->records[history->count - 1] : NULL;
    return newest && is_same_version(newest, record) && record_same(newest, record, verdict, 3);
}

void history_add(const char *source, const struct record *record)
{
    char path[PATH_SIZE];
    struct run_history history;
    if (!record->values[COLUMN_compiler].known || !history_path(source, "csv", path))
        return;
    int locked = history_lock("lock", LOCK_MILLISECONDS);
    if (locked < 0)
        return;
    history_load(source, &history);
    if (!is_saved(&history, record)) {
        make_room(&history, record);
        save(path, &history, record);
    }
    FILE *inputs = open_inputs(source, "we");
    if (inputs) {
        fprintf(inputs, "%016" PRIx64 "\n", hash_inputs(source));
        fclose(inputs);
    }
    history_free(&history);
    close(locked);
}
