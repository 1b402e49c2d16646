/* conf.h: the one format of our parameter files (devices, lab manifests): lines of `key = value`,
 * `#` starts a comment, blank lines allowed, each key once. No sections, no quoting; a value may
 * hold spaces and loses them at its ends.
 */
#ifndef CONF_H
#define CONF_H

#include "base/failure.h"

#include <stddef.h>

struct conf_entry {
    const char *key, *value;
    unsigned line;
};

struct conf {
    const char *path;
    struct conf_entry *entries;
    size_t count;
    char *storage; /* owns path and all text */
};

/* Read a file (at most 1 MB, untrusted bytes). Harness failure "PATH:LINE: what" for a line without
 * `=`, an empty or repeated key, a NUL byte, an unreadable file. Free with conf_free. */
bool conf_read(const char *path, struct conf *conf, struct failure *failure);
void conf_free(struct conf *conf);

/* The entry of that key, or NULL. */
const struct conf_entry *conf_find(const struct conf *conf, const char *key);

/* Fails with the file, line and key of the first entry whose key is not among `known` (NULL-ended).
 */
bool conf_check_keys(const struct conf *conf, const char *const *known, struct failure *failure);

#endif
