/* conf.h: the format of parameter files (devices, lab manifests): lines of `key = value`. `#`
 * starts a comment, blank lines are allowed, and each key occurs once. There are no sections and no
 * quotes. A value may contain blanks; blanks at its ends are removed.
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

/* Read a file of at most 1 MB of untrusted bytes. A line without `=`, an empty or repeated key, a
 * NUL byte or an unreadable file is a harness failure "PATH:LINE: what". Call conf_free in the
 * end. */
bool conf_read(const char *path, struct conf *conf, struct failure *failure);
void conf_free(struct conf *conf);

/* Returns the entry of a key, or NULL. */
const struct conf_entry *conf_find(const struct conf *conf, const char *key);

/* Harness failure for the first key that is not in `known`, a list that ends with NULL. */
bool conf_check_keys(const struct conf *conf, const char *const *known, struct failure *failure);

#endif
