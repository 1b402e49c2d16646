/* conf.h: the format of parameter files (devices, lab manifests). A line is `key = value`. `#`
 * starts a comment, and a key must occur only once. There are no sections and no quotes. */
#ifndef CONF_H
#define CONF_H

#include "base/failure.h"

#include <stddef.h>

struct conf_entry {
    const char *key, *value;
    unsigned line;
};

struct conf {
    char *path;
    struct conf_entry *entries;
    size_t count;
    char *text; /* contains the keys and the values */
};

/* Read an untrusted file of at most 1 MiB. Returns false for a harness failure: an unreadable file,
 * an invalid line, or a repeated key. The caller must call conf_free in any case. */
bool conf_read(const char *path, struct conf *conf, struct failure *failure);
void conf_free(struct conf *conf);

/* Returns the entry of a key; NULL if there is none. `conf` owns the entry. */
const struct conf_entry *conf_find(const struct conf *conf, const char *key);

/* Returns false (a harness failure) if a key is not in the NULL-terminated list `known`. */
bool conf_check_keys(const struct conf *conf, const char *const *known, struct failure *failure);

#endif
