/* replay.c: run a fuzz target without libFuzzer, on files and on all files in directories:
 *
 *   build/fuzz/TARGET_fuzz FILE-OR-DIRECTORY...
 *
 * Prints the number of inputs as TAP. Fails if there are no inputs. */
#include "tools/fuzz/fuzz.h"

#include <errno.h>
#include <sys/stat.h>

static unsigned inputs;

static bool replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file || fstat(fileno(file), &status) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    /* The buffer has the size of the input, so that the sanitizer detects overruns. */
    size_t size = (size_t)status.st_size;
    uint8_t *data = malloc(size ? size : 1);
    bool good = data && fread(data, 1, size, file) == size;
    fclose(file);
    if (good) {
        fprintf(stderr, "%s\n", path); /* after a crash, the last line names the input */
        LLVMFuzzerTestOneInput(data, size);
        inputs++;
    } else {
        fprintf(stderr, "%s: cannot be read\n", path);
    }
    free(data);
    return good;
}

static bool replay_directory(const char *path, DIR *directory)
{
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(directory));) {
        char inside[PATH_MAX];
        if (entry->d_name[0] == '.')
            continue;
        good = snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) < (int)sizeof inside &&
               replay_file(inside);
    }
    closedir(directory);
    return good;
}

int main(int count, char **paths)
{
    bool good = true;
    for (int i = 1; good && i < count; i++) {
        DIR *directory = opendir(paths[i]);
        good = directory ? replay_directory(paths[i], directory) : replay_file(paths[i]);
    }
    good = good && inputs > 0;
    printf("1..1\n%sok 1 - %u inputs\n", good ? "" : "not ", inputs);
    return good ? 0 : 1;
}
