/* json_fields.h: read untrusted JSON objects, with a table of the name, type and destination of
 * each field. A failure has the form "checks[2].full: must be a number". */
#ifndef JSON_FIELDS_H
#define JSON_FIELDS_H

#include "base/failure.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct json_place {
    const struct json_place *above; /* The enclosing place; NULL for the document. */
    const char *name; /* Name of the field. For the document: its name in messages, or "". */
    size_t index;     /* Index of a list item; JSON_NO_INDEX for other places. */
    struct failure *failure;
};
#define JSON_NO_INDEX ((size_t)-1)

/* Set the harness failure "PLACE.FIELD: ..."; "PLACE: ..." if `field` is NULL. Returns false. */
bool json_field_fail(const struct json_place *place, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define json_place_fail(place, ...) json_field_fail(place, NULL, __VA_ARGS__)

enum json_field_type {
    FIELD_ANY,    /* Any value, which only `take` reads. */
    FIELD_TEXT,   /* A string, which is not stored. */
    FIELD_LINE,   /* A string without control characters, shorter than `size`. */
    FIELD_NAME,   /* A FIELD_LINE that consists of letters, digits, `_` and `-`. */
    FIELD_NUMBER, /* A double in [low, high]; any finite number if low = high. */
    FIELD_WHOLE,  /* A uint64_t in [low, high]. */
    FIELD_PAIR,   /* A uint64_t[2] with both numbers in [low, high]. Messages contain `form`. */
    FIELD_TRUTH,  /* A bool. */
    FIELD_WORD,   /* An unsigned or an enum: the index of the string in `words`. */
    FIELD_OBJECT, /* An object with `fields`, which are stored in the same target. */
    FIELD_LIST    /* A list of `low` to `high` items; any number of items if low = high. Each
                     item is an object if `fields` is not NULL. */
};

/* A list of strings. Each string is the first member of a row of a table. */
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
    const char *name; /* NULL in the last row of a table. */
    enum json_field_type type;
    bool optional, or_null;
    size_t offset, size; /* Place in the target; if `size` is 0, the value is not stored. */
    double low, high;
    const char *form;
    const struct json_words *words;
    const struct json_field *fields;
    /* Called after the value was checked and stored; called once per item of a list. Returns false
     * after setting a failure. May be NULL. */
    bool (*take)(const struct json_place *place, const json_t *value, void *target);
};
#define JSON_INTO(type, member)                                                                    \
    .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

enum json_others { JSON_REFUSE_OTHERS, JSON_LEAVE_OTHERS };

/* Read the fields of an object in the order of the table. With JSON_REFUSE_OTHERS, a field that is
 * not in the table is a failure, also in nested objects. Returns false on failure. */
bool json_fields_take(const struct json_place *place, const json_t *object,
                      const struct json_field *fields, enum json_others others, void *target);

/* Read one value as `field` describes it. Ignores the field's name. Returns false on failure. */
bool json_value_take(const struct json_place *place, const json_t *value,
                     const struct json_field *field, enum json_others others, void *target);

#endif
