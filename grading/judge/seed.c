#define _GNU_SOURCE
#include "judge/seed.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { SEED_BYTES_MAX = 1 << 20 };

bool seed_read(const char *path, unsigned char secret[SEED_SECRET_SIZE], struct failure *failure)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return failure_harness(failure, "cannot open the seed %s: %s", path, strerror(errno));
    uint8_t chunk[4096];
    size_t size, total = 0;
    struct sha256_ctx hash;
    sha256_init(&hash);
    while (total <= SEED_BYTES_MAX && (size = fread(chunk, 1, sizeof chunk, file))) {
        sha256_update(&hash, size, chunk);
        total += size;
    }
    int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error)
        return failure_harness(failure, "cannot read the seed %s: %s", path, strerror(error));
    if (!total || total > SEED_BYTES_MAX)
        return failure_harness(failure, "the seed %s is %s", path,
                               total ? "larger than 1 MB" : "empty");
    sha256_digest(&hash, SEED_SECRET_SIZE, secret);
    return true;
}

/* Two graders may try at once: linking a complete file into place fails for all but one. */
bool seed_create(const char *path, bool *created, struct failure *failure)
{
    unsigned char random[32];
    char text[2 * sizeof random + 2], *temporary;
    *created = false;
    if (access(path, F_OK) == 0)
        return true;
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return failure_harness(failure, "no random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(text + 2 * i, 3, "%02x", random[i]);
    strcpy(text + 2 * sizeof random, "\n");
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
        return failure_harness(failure, "not enough memory");
    int descriptor = mkstemp(temporary); /* 0600 */
    bool good = descriptor >= 0 && write(descriptor, text, strlen(text)) == (ssize_t)strlen(text) &&
                fsync(descriptor) == 0;
    good = (descriptor < 0 || close(descriptor) == 0) && good;
    if (good) {
        *created = link(temporary, path) == 0;
        good = *created || errno == EEXIST;
    }
    if (!good)
        failure_harness(failure, "cannot write the seed %s: %s", path, strerror(errno));
    if (descriptor >= 0)
        unlink(temporary);
    free(temporary);
    return good;
}
