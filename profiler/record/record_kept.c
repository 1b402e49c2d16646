/* record_kept.c: see record_kept.h. */
#include "record/record_kept.h"

#include "base/hash.h"
#include "base/paths.h"
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Two runs at once: one waits a little for the other, and then does without. */
enum { LOCK_MILLISECONDS = 200 };

/* ---- Where ---- */

/* The directory; false: there is no such place. */
static bool kept_directory(char path[PATH_SIZE])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = state && *state == '/' ? snprintf(path, PATH_SIZE, "%s/transpose-lab", state)
                 : home && *home == '/'
                     ? snprintf(path, PATH_SIZE, "%s/.local/state/transpose-lab", home)
                     : -1;
    return length > 0 && length < PATH_SIZE;
}

/* DIRECTORY/padded-0123456789abcdef.csv: the name for people, the number (FNV-1a of the whole
 * path) for files of the same name. */
bool kept_path(const char *source, const char *kind, char path[PATH_SIZE])
{
    char real[PATH_MAX], directory[PATH_SIZE];
    if (!realpath(source, real) || !kept_directory(directory))
        return false;
    const char *name = path_basename(real);
    return snprintf(path, PATH_SIZE, "%s/%.*s-%016" PRIx64 ".%s", directory,
                    (int)strcspn(name, "."), name, hash_bytes(HASH_START, real, strlen(real)),
                    kind) < PATH_SIZE;
}

int kept_lock(const char *name, int milliseconds)
{
    char path[PATH_SIZE], directory[PATH_SIZE];
    errno = ENOENT;
    if (!kept_directory(directory) ||
        !path_format(path, &(struct failure){0}, "%s/%s", directory, name) ||
        !path_make_directories(path, 0700, &(struct failure){0}))
        return -1;
    return file_lock(path, 0600, milliseconds);
}

/* ---- Versions ---- */

/* The same question: what can be compared. */
static bool same_question(const struct record *a, const struct record *b)
{
    static const enum column columns[] = {COLUMN_variant, COLUMN_device, COLUMN_source,
                                          COLUMN_rows,    COLUMN_cols,   COLUMN_defines,
                                          COLUMN_loop,    COLUMN_cache};
    return record_same(a, b, columns, sizeof columns / sizeof *columns);
}

/* The same question of the same version. */
static bool same_version(const struct record *a, const struct record *b)
{
    static const enum column version = COLUMN_compiler;
    return same_question(a, b) && record_same(a, b, &version, 1);
}

const struct record *kept_before(const struct kept *kept, const struct record *now)
{
    for (size_t i = kept->count; i > 0; i--)
        if (same_question(&kept->records[i - 1], now) && !same_version(&kept->records[i - 1], now))
            return &kept->records[i - 1];
    return NULL;
}

const struct record *kept_best(const struct kept *kept, const struct record *now)
{
    const struct record *best = NULL;
    for (size_t i = 0; i < kept->count; i++) {
        const struct record *record = &kept->records[i];
        const struct record_value *share = &record->values[COLUMN_copy_pct];
        if (record_is_right(record) && share->known && same_question(record, now) &&
            (!best || share->real > best->values[COLUMN_copy_pct].real))
            best = record;
    }
    return best;
}

/* ---- Files ---- */

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

void kept_load(const char *source, struct kept *kept)
{
    char path[PATH_SIZE];
    struct failure damaged = {0};
    struct stat file, kept_file;
    *kept = (struct kept){0};
    if (!kept_path(source, "csv", path) || stat(source, &file) || stat(path, &kept_file) ||
        !S_ISREG(kept_file.st_mode) || !records_load(path, &kept->records, &kept->count, &damaged))
        kept->count = 0;
    else
        kept->is_current = is_later(&kept_file.st_mtim, &file.st_mtim) &&
                           is_later(&kept_file.st_mtim, &file.st_ctim);
    while (kept->count > KEPT_MAX) /* nobody but we writes more */
        kept->count--;
}

void kept_free(struct kept *kept)
{
    free(kept->records);
    *kept = (struct kept){0};
}

static void drop(struct kept *kept, size_t index)
{
    memmove(&kept->records[index], &kept->records[index + 1],
            (kept->count - index - 1) * sizeof *kept->records);
    kept->count--;
}

/* Make room for one more: drop what the new one takes the place of, else the oldest that is not
 * the best of its kind. */
static void make_room(struct kept *kept, const struct record *record)
{
    for (size_t i = 0; i < kept->count; i++)
        if (same_version(&kept->records[i], record)) {
            drop(kept, i);
            return;
        }
    for (size_t i = 0; kept->count >= KEPT_MAX; i++) {
        const struct record *old = &kept->records[i];
        if (i == kept->count - 1 || kept_best(kept, old) != old) {
            drop(kept, i);
            return;
        }
    }
}

static void save(const char *path, const struct kept *kept, const struct record *newest)
{
    struct whole_file file;
    struct failure unwritten = {0};
    if (!whole_file_open(&file, path, &unwritten))
        return;
    file.can_be_lost = true;
    record_write_header(file.stream);
    for (size_t i = 0; i < kept->count; i++)
        record_write(file.stream, &kept->records[i]);
    record_write(file.stream, newest);
    whole_file_keep(&file, &unwritten);
}

/* Does the newest say it all? Then it only becomes younger. */
static bool is_known(const struct kept *kept, const struct record *record)
{
    static const enum column verdict[] = {COLUMN_status, COLUMN_goals_reached, COLUMN_goals};
    const struct record *newest = kept->count ? &kept->records[kept->count - 1] : NULL;
    return newest && same_version(newest, record) && record_same(newest, record, verdict, 3);
}

void kept_add(const char *source, const struct record *record)
{
    char path[PATH_SIZE];
    struct kept kept;
    if (!record->values[COLUMN_compiler].known || !kept_path(source, "csv", path))
        return;
    int locked = kept_lock("lock", LOCK_MILLISECONDS);
    if (locked < 0)
        return;
    kept_load(source, &kept);
    if (is_known(&kept, record)) {
        utimensat(AT_FDCWD, path, NULL, 0);
    } else {
        make_room(&kept, record);
        save(path, &kept, record);
    }
    kept_free(&kept);
    close(locked);
}
