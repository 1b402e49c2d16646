/* json_fields.h: read untrusted JSON objects. A table contains the name, the type and the
 * destination of each field. A message contains the place and the requirement: "checks[2].full:
 * must be a number". */
#ifndef JSON_FIELDS_H
#define JSON_FIELDS_H

#include "base/failure.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct json_place {
    const struct json_place *above; /* The enclosing place; NULL for the document. */
    const char *name; /* Name of the field; for the document, its name in messages, or "". */
    size_t index;     /* Index of the item in a list; JSON_NO_INDEX outside of a list. */
    struct failure *failure;
};
#define JSON_NO_INDEX ((size_t)-1)

/* Set the harness failure "PLACE.FIELD: ..." or, without a field, "PLACE: ...". Returns false. */
bool json_field_fail(const struct json_place *place, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define json_place_fail(place, ...) json_field_fail(place, NULL, __VA_ARGS__)

enum json_field_type {
    FIELD_ANY,    /* Any value; `take` processes it. */
    FIELD_TEXT,   /* A text, which is not stored. */
    FIELD_LINE,   /* A text without control characters, shorter than `size`. */
    FIELD_NAME,   /* A FIELD_LINE that consists of letters, digits, `_` and `-`. */
    FIELD_NUMBER, /* A double in [low, high]; any finite number if low = high. */
    FIELD_WHOLE,  /* A uint64_t in [low, high]. */
    FIELD_PAIR,   /* A uint64_t[2] with both numbers in [low, high]; `form` is for messages. */
    FIELD_TRUTH,  /* A bool. */
    FIELD_WORD,   /* An unsigned or enum: the index of the text in `words`. */
    FIELD_OBJECT, /* An object with `fields`; its values are stored in the same target. */
    FIELD_LIST    /* A list of low to high items (any number if low = high). Each item is an
                     object with `fields` if `fields` is not NULL. */
};

/* A list of texts. Each text is the first member of a row of a table. */
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
    /* Called after the value was checked and stored; for a list, once per item. Returns false on
     * failure. */
    bool (*take)(const struct json_place *place, const json_t *value, void *target);
};
#define JSON_INTO(type, member)                                                                    \
    .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

enum json_others { JSON_REFUSE_OTHERS, JSON_LEAVE_OTHERS };

/* Read the fields of an object in the order of the table. With JSON_REFUSE_OTHERS, fields that are
 * not in the table are failures, also in nested objects. Returns false on failure. */
bool json_fields_take(const struct json_place *place, const json_t *object,
                      const struct json_field *fields, enum json_others others, void *target);

/* Read one value as `field` describes it; the name is ignored. Returns false for a failure. */
bool json_value_take(const struct json_place *place, const json_t *value,
                     const struct json_field *field, enum json_others others, void *target);

#endif
