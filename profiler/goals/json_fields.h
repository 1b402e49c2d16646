/* json_fields.h: read untrusted JSON objects by tables of their fields: the name, the type and the
 * destination of each field.
 *
 * A message names the place and the requirement: "checks[2].full: must be a number".
 */
#ifndef JSON_FIELDS_H
#define JSON_FIELDS_H

#include "base/failure.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* A place in the document. */
struct json_place {
    const struct json_place *above; /* The enclosing place; NULL for the document. */
    const char *name; /* The field's name; for the document, its name in messages or "". */
    size_t index;     /* The item's index in a list, or JSON_NO_INDEX. */
    struct failure *failure;
};
#define JSON_NO_INDEX ((size_t)-1)

/* Fail with "PLACE.FIELD: ..." (field NULL: "PLACE: ..."), a harness failure. Returns false. */
bool json_field_fail(const struct json_place *place, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define json_place_fail(place, ...) json_field_fail(place, NULL, __VA_ARGS__)

enum json_field_type {
    FIELD_ANY,    /* Handled by `take`. */
    FIELD_TEXT,   /* Any text; not stored. */
    FIELD_LINE,   /* A text without control characters, shorter than `size`. */
    FIELD_NAME,   /* A line of letters, digits, `_` and `-`. */
    FIELD_NUMBER, /* A double in [low, high]; any finite number if low = high. */
    FIELD_WHOLE,  /* A uint64_t in [low, high]. */
    FIELD_PAIR,   /* A uint64_t[2], each in [low, high]; `form` is its name in messages. */
    FIELD_TRUTH,  /* A bool. */
    FIELD_WORD,   /* An unsigned or enum: the index of the text in `words`. */
    FIELD_OBJECT, /* An object with `fields`, stored in the same target. */
    FIELD_LIST    /* A list of low to high items (any number if low = high). Each item is an
                     object with `fields` if `fields` is not NULL. */
};

/* A list of texts: the first member of each row of a table. */
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
    const char *name; /* NULL ends a table. */
    enum json_field_type type;
    bool optional, or_null;
    size_t offset, size; /* Place in the target; size 0: not stored. */
    double low, high;
    const char *form;
    const struct json_words *words;
    const struct json_field *fields;
    /* Called after the value was checked and stored; for a list, once for each item. */
    bool (*take)(const struct json_place *place, const json_t *value, void *target);
};
/* The offset and size of a member. */
#define JSON_INTO(type, member)                                                                    \
    .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

enum json_others { JSON_REFUSE_OTHERS, JSON_LEAVE_OTHERS };

/* Read an object's fields in the order of the table. With JSON_REFUSE_OTHERS, the object and the
 * objects in it may have no other fields. Returns false if place->failure has a mistake. */
bool json_fields_take(const struct json_place *place, const json_t *object,
                      const struct json_field *fields, enum json_others others, void *target);

/* Read one value by a row of a table. The name in the row is ignored. */
bool json_value_take(const struct json_place *place, const json_t *value,
                     const struct json_field *field, enum json_others others, void *target);

#endif
