/* roster.h: read the people of a class from a CSV (table.h). Headers such as "SIS Login ID",
 * "E-mail address" or "Last name" identify columns; case and unknown headers are ignored. */
#ifndef ROSTER_H
#define ROSTER_H

#include "base/failure.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct roster_person {
    char *id;   /* the login; otherwise an SIS ID, student number, e-mail address or name */
    char *name; /* first name first, as in "Alice Ångström" */
    char *email;
    unsigned long line;
};

struct roster {
    struct roster_person *persons;
    size_t count;
    json_t *keys; /* {folded text (text_fold): [person, rank]} */
};

/* Read a roster of at most 16 MiB. Returns false for a harness failure, such as a repeated ID. */
bool roster_read(const char *path, struct roster *roster, struct failure *failure);
void roster_free(struct roster *roster);

enum { ROSTER_NOBODY = -1 };

/* Returns the index of a person by ID, e-mail address or name; ROSTER_NOBODY if not unique. */
long roster_find(const struct roster *roster, const char *text);

#endif
