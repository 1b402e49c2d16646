#define _GNU_SOURCE
#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANDOM_LENGTH = 6 };

struct held {
    struct held *next;
    int lock;
    char path[PATH_SIZE];
};
static struct held *all_held;
static pthread_mutex_t held_mutex = PTHREAD_MUTEX_INITIALIZER;

static const char *parent_directory(void)
{
    const char *parent = getenv("TMPDIR");
    return parent && parent[0] == '/' && strlen(parent) <= PATH_SIZE / 2 && text_is_plain(parent)
               ? parent
               : "/tmp";
}

static void lock_directory(const char *path, const char *name)
{
    struct held *held = malloc(sizeof *held);
    if (!held)
        return;
    held->lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (held->lock < 0 || flock(held->lock, LOCK_EX | LOCK_NB)) {
        if (held->lock >= 0)
            close(held->lock);
        free(held);
        return;
    }
    snprintf(held->path, sizeof held->path, "%s", name);
    pthread_mutex_lock(&held_mutex);
    held->next = all_held;
    all_held = held;
    pthread_mutex_unlock(&held_mutex);
}

static void unlock_directory(const char *path)
{
    pthread_mutex_lock(&held_mutex);
    for (struct held **at = &all_held; *at; at = &(*at)->next)
        if (!strcmp((*at)->path, path)) {
            struct held *held = *at;
            *at = held->next;
            close(held->lock);
            free(held);
            break;
        }
    pthread_mutex_unlock(&held_mutex);
}

bool scratch_make(char path[PATH_SIZE], const char *purpose, struct failure *failure)
{
    const char *parent = parent_directory();
    char unlocked[PATH_SIZE];
    path[0] = 0;
    snprintf(unlocked, sizeof unlocked, "%s/tlab-new-XXXXXX", parent);
    if (!mkdtemp(unlocked))
        return failure_harness(failure, "cannot make a directory in %s: %s", parent,
                               strerror(errno));
    snprintf(path, PATH_SIZE, "%s/tlab-%s-%s", parent, purpose,
             unlocked + strlen(unlocked) - RANDOM_LENGTH);
    lock_directory(unlocked, path);
    if (!rename(unlocked, path))
        return true;
    failure_harness(failure, "cannot make the directory %s: %s", path, strerror(errno));
    unlock_directory(path);
    rmdir(unlocked);
    path[0] = 0;
    return false;
}

void scratch_sweep(const char *purpose)
{
    const char *parent = parent_directory();
    char beginning[64], path[PATH_SIZE];
    int length = snprintf(beginning, sizeof beginning, "tlab-%s-", purpose);
    DIR *directory = opendir(parent);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        struct stat status;
        if (strncmp(entry->d_name, beginning, (size_t)length) ||
            strlen(entry->d_name) != (size_t)length + RANDOM_LENGTH ||
            snprintf(path, sizeof path, "%s/%s", parent, entry->d_name) >= PATH_SIZE)
            continue;
        int lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (lock < 0)
            continue;
        if (!fstat(lock, &status) && status.st_uid == geteuid() && !flock(lock, LOCK_EX | LOCK_NB))
            scratch_remove(path);
        close(lock);
    }
    if (directory)
        closedir(directory);
}

/* Continue after errors, to remove as much as possible. The top directory then remains, too. */
static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    int error = remove(path);
    return place->level == 0 ? error : 0;
}

bool scratch_remove(const char *path)
{
    enum { DESCRIPTORS = 16 };
    bool removed = nftw(path, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0;
    int error = errno;
    unlock_directory(path);
    errno = error;
    return removed;
}
