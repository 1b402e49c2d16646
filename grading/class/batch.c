#define _GNU_SOURCE
#include "class/batch.h"

#include "base/paths.h"
#include "base/whole_file.h"
#include "compile/compile.h"
#include "goals/digest.h"
#include "judge/hardware.h"

#include <dirent.h>
#include <errno.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool batch_make_directories(const char *out, struct failure *failure)
{
    char students[PATH_SIZE], work[PATH_SIZE];
    return path_format(students, failure, "%s/students/", out) &&
           path_format(work, failure, "%s/work/", out) &&
           path_make_directories(students, 0777, failure) &&
           path_make_directories(work, 0777, failure);
}

/* Time to wait for the lock, which the children of a killed grader hold until they end. */
enum { LOCK_MILLISECONDS = 3000 };

bool batch_lock(struct batch *batch, const struct class_options *options, struct failure *failure)
{
    char path[PATH_SIZE];
    *batch = (struct batch){.options = options, .lock = -1};
    if (!batch_make_directories(options->out, failure) ||
        !path_format(path, failure, "%s/work/lock", options->out))
        return false;
    batch->lock = file_lock(path, 0666, LOCK_MILLISECONDS);
    if (batch->lock < 0 && errno == EWOULDBLOCK)
        return failure_harness(failure,
                               "another `tlab grade` is running in %s: wait until it ends, or "
                               "choose another directory for --out",
                               options->out);
    return batch->lock >= 0 || failure_harness(failure, "cannot write %s: %m", path);
}

bool batch_path(const struct batch *batch, size_t index, const char *ending, char *path,
                struct failure *failure)
{
    return path_format(path, failure, "%s/work/%s%s", batch->options->out,
                       batch->list.submissions[index].id, ending);
}

bool batch_is_graded(const struct batch *batch, size_t index)
{
    struct failure unused = {0};
    char path[PATH_SIZE];
    return batch_path(batch, index, ".json", path, &unused) && access(path, F_OK) == 0;
}

static void hash_text(struct sha256_ctx *hash, const char *text)
{
    digest_add_part(hash, text ? text : "", text ? strlen(text) : 0);
}

enum { HASHED_BYTES_MAX = 1 << 28 };

static bool hash_file(struct sha256_ctx *hash, const char *path, struct failure *failure)
{
    size_t size;
    char *bytes = whole_file_read(path, HASHED_BYTES_MAX, &size, failure);
    if (bytes)
        sha256_update(hash, size, (const uint8_t *)bytes);
    free(bytes);
    return bytes != NULL;
}

static bool hash_tree(struct sha256_ctx *hash, const char *directory, struct failure *failure)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, NULL, alphasort);
    if (count < 0)
        return failure_harness(failure, "cannot read %s: %m", directory);
    bool good = true;
    for (int i = 0; i < count; i++) {
        char path[PATH_SIZE];
        struct stat status;
        const char *name = entries[i]->d_name;
        int length = snprintf(path, sizeof path, "%s/%s", directory, name);
        if (good && name[0] != '.' && strcmp(name, RUBRIC_POLICY) && length < PATH_SIZE &&
            !stat(path, &status)) {
            hash_text(hash, name);
            if (S_ISDIR(status.st_mode))
                good = hash_tree(hash, path, failure);
            else if (S_ISREG(status.st_mode))
                good = hash_file(hash, path, failure);
        }
        free(entries[i]);
    }
    free(entries);
    return good;
}

static void hash_compilers(struct sha256_ctx *hash)
{
    static const enum compiler compilers[] = {COMPILER_NVRTC, COMPILER_NVCC, COMPILER_CLANG};
    hash_text(hash, getenv("TLAB_COMPILER"));
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        struct compiler_found found;
        hash_text(hash, compiler_probe(compilers[i], &found) ? found.version : "");
    }
}

static bool make_key(struct batch *batch, struct failure *failure)
{
    static const char *const parts[] = {"include", "profiler/devices",
                                        "profiler/compile/stand_ins"};
    const struct grade_options *grade = &batch->options->grade;
    char path[PATH_SIZE];
    struct sha256_ctx hash;
    sha256_init(&hash);
    hash_text(&hash, GRADE_FORMAT);
    digest_add_part(&hash, grade->secret, sizeof grade->secret);
    hash_text(&hash, grade->sandbox == SANDBOX_WEAK ? "weak" : "bubblewrap");
    hash_text(&hash, grade->gpu ? grade->gpu->facts.name : NULL);
    for (size_t i = 0; i < grade->exercise_count; i++)
        hash_text(&hash, grade->exercises[i]);
    hash_compilers(&hash);
    if (!hash_file(&hash, "/proc/self/exe", failure) ||
        !hash_tree(&hash, grade->rubrics, failure) ||
        !paths_in_root("profiler/compile/clang_cuda.h", path, failure) ||
        !hash_file(&hash, path, failure))
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!paths_in_root(parts[i], path, failure) || !hash_tree(&hash, path, failure))
            return false;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(&hash, sizeof digest, digest);
    digest_text(digest, sizeof digest, batch->key);
    return true;
}

bool batch_open(struct batch *batch, struct failure *failure)
{
    const struct class_options *options = batch->options;
    if (options->one ? !intake_list_one(options->submissions, options->one, &batch->list, failure)
                     : !intake_list(options->submissions, options->roster, &batch->list, failure))
        return false;
    return make_key(batch, failure);
}

void batch_close(struct batch *batch)
{
    intake_list_free(&batch->list);
    if (batch->lock >= 0)
        close(batch->lock);
    batch->lock = -1;
}
