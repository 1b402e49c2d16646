#define _GNU_SOURCE
#include "goals/seed.h"

#include "base/whole_file.h"
#include "goals/digest.h"
#include "process/allocate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { SEED_BYTES_MAX = 1 << 20 };

bool seed_read(const char *path, unsigned char secret[SEED_SECRET_SIZE], struct failure *failure)
{
    size_t size;
    struct failure why = {0};
    if (access(path, R_OK))
        return failure_harness(failure, "cannot open the seed %s: %s", path, strerror(errno));
    char *text = whole_file_read(path, SEED_BYTES_MAX, &size, &why);
    if (!text)
        return failure_harness(failure, "the seed: %s", why.text);
    if (size)
        digest_bytes(text, size, secret);
    free(text);
    return size || failure_harness(failure, "the seed %s is empty", path);
}

/* link() fails if the file exists, so only one of several processes creates the file. */
bool seed_create(const char *path, bool *created, struct failure *failure)
{
    unsigned char random[32];
    char text[2 * sizeof random + 2], *temporary;
    *created = false;
    if (access(path, F_OK) == 0)
        return true;
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return failure_harness(failure, "cannot get random numbers: %s", strerror(errno));
    digest_text(random, sizeof random, text);
    strcpy(text + 2 * sizeof random, "\n");
    temporary = allocate_format("%s.XXXXXX", path);
    int descriptor = mkstemp(temporary); /* mkstemp creates the file with mode 0600. */
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
