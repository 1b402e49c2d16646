/* json_fields.h: JSON objects of files that anybody may have written, taken by tables of their
 * fields: each row says what a field is called, what it must be, and where it goes.
 *
 * A message names the place and what was expected there: "checks[2].full: must be a number".
 */
#ifndef JSON_FIELDS_H
#define JSON_FIELDS_H

#include "base/failure.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Where in the document. */
struct json_place {
    const struct json_place *above; /* NULL: the document */
    const char *name; /* of the field; of the document, what messages call it, or "" */
    size_t index;     /* of the item, if the field is a list; else JSON_NO_INDEX */
    struct failure *failure;
};
#define JSON_NO_INDEX ((size_t)-1)

/* Fail with "PLACE: ...", a harness failure. Always false. */
bool json_place_fail(const struct json_place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same of a field of the object at the place. */
bool json_field_fail(const struct json_place *place, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum json_field_type {
    FIELD_ANY,    /* what `take` makes of it */
    FIELD_TEXT,   /* any text; it goes nowhere */
    FIELD_LINE,   /* a text without control characters, shorter than `size` */
    FIELD_NAME,   /* the same, of letters, digits, `_` and `-` */
    FIELD_NUMBER, /* double, from `low` to `high`; any that is finite when these are equal */
    FIELD_WHOLE,  /* uint64_t, from `low` to `high` */
    FIELD_PAIR,   /* uint64_t[2], each from `low` to `high`, as messages call it: `form` */
    FIELD_TRUTH,  /* bool */
    FIELD_WORD,   /* unsigned (or an enum): the number of the text in `words` */
    FIELD_OBJECT, /* with these `fields`, of the same target */
    FIELD_LIST    /* of `low` to `high` items (any number when these are equal); each is an object
                     with these `fields`, if there are any */
};

/* Texts, each of which is the first member of a row of a table. */
struct json_words {
    const void *rows;
    size_t row_bytes;
    unsigned count;
};
#define JSON_WORDS(table)                                                                          \
    {                                                                                              \
        table, sizeof *(table), sizeof(table) / sizeof *(table)                                    \
    }

struct json_field {
    const char *name; /* NULL ends a table */
    enum json_field_type type;
    bool optional, or_null;
    size_t offset, size; /* in the target; size 0: it goes nowhere */
    double low, high;
    const char *form;
    const struct json_words *words;
    const struct json_field *fields;
    /* Called when the value is good and in its place; for a list, with each of its items. */
    bool (*take)(const struct json_place *place, const json_t *value, void *target);
};
/* The offset and size of a row. */
#define JSON_INTO(type, member)                                                                    \
    .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

enum json_others { JSON_REFUSE_OTHERS, JSON_LEAVE_OTHERS };

/* Take an object's fields, in the order of the table. With JSON_REFUSE_OTHERS it must have no
 * others, nor must the objects in it. False: the first mistake, in place->failure. */
bool json_fields_take(const struct json_place *place, const json_t *object,
                      const struct json_field *fields, enum json_others others, void *target);

/* Take one value, as that row says but for its name. */
bool json_value_take(const struct json_place *place, const json_t *value,
                     const struct json_field *field, enum json_others others, void *target);

#endif
