/* roster.h: read the people of a class from a CSV (table.h).
 *
 * Columns are found by their headers ("SIS Login ID", "E-mail address", "Last name", "Student").
 * The case and punctuation of the headers, and columns with unknown headers, are ignored.
 */
#ifndef ROSTER_H
#define ROSTER_H

#include "base/failure.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct roster_person {
    char *id;    /* the login; otherwise the SIS ID, student number, e-mail address or name */
    char *name;  /* "Alice Ångström", even if the roster has "Ångström, Alice" */
    char *email; /* NULL: unknown */
    unsigned long line;
};

struct roster {
    struct roster_person *persons; /* people in the order of their lines */
    size_t count;
    json_t *keys; /* {folded text (text_fold): [person, rank]} */
};

/* Read a roster of at most 16 MiB. Returns false for a harness failure, which names file and line:
 * no known header, an ID that occurs twice, a quote that is not closed. */
bool roster_read(const char *path, struct roster *roster, struct failure *failure);
void roster_free(struct roster *roster);

enum { ROSTER_NOBODY = -1 };

/* Returns the index of the person that the text identifies; ROSTER_NOBODY for none or several. */
long roster_find(const struct roster *roster, const char *text);

#endif
