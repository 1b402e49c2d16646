#include "goals/json_fields.h"

#include "base/wording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_place(const struct json_place *place, char *text, size_t size)
{
    *text = 0;
    if (place->above)
        print_place(place->above, text, size);
    text_append(text, size, "%s%s", *text ? "." : "", place->name);
    if (place->index != JSON_NO_INDEX)
        text_append(text, size, "[%zu]", place->index);
}

bool json_field_fail(const struct json_place *place, const char *field, const char *format, ...)
{
    const struct json_place inside = {place, field, JSON_NO_INDEX, place->failure};
    char where[256], what[768];
    print_place(field ? &inside : place, where, sizeof where);
    FORMAT(what, sizeof what, format);
    return failure_harness(place->failure, "%s%s%s", where, *where ? ": " : "", what);
}

static bool must_be(const struct json_place *place, const struct json_field *field,
                    const char *what)
{
    return json_place_fail(place, "must be %s%s", what, field->or_null ? " or null" : "");
}

static bool put(const struct json_field *field, const void *bytes, size_t size, void *target)
{
    if (field->size)
        memcpy((char *)target + field->offset, bytes, size);
    return true;
}

static bool take_line(const struct json_place *place, const json_t *value,
                      const struct json_field *field, void *target)
{
    static const char name_letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *text = json_string_value(value);
    size_t length = json_string_length(value);
    if (length >= field->size)
        return json_place_fail(place, "must be shorter than %zu bytes", field->size);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return json_place_fail(place, "must not contain control characters");
    if (field->type == FIELD_NAME && (!length || strspn(text, name_letters) != length))
        return json_place_fail(place, "must be made of letters, digits, `_` and `-`");
    return put(field, text, length + 1, target);
}

static bool take_word(const struct json_place *place, const json_t *value,
                      const struct json_field *field, void *target)
{
    char known[512] = "";
    for (unsigned i = 0; i < field->words->count; i++) {
        const char *word;
        memcpy(&word, (const char *)field->words->rows + i * field->words->row_bytes, sizeof word);
        if (!strcmp(word, json_string_value(value)))
            return put(field, &i, sizeof i, target);
        APPEND(known, "%s%s", *known ? ", " : "", word);
    }
    return json_place_fail(place, "`%s` is not one of %s", json_string_value(value), known);
}

static bool take_number(const struct json_place *place, const json_t *value,
                        const struct json_field *field, void *target)
{
    double number = json_number_value(value);
    if (!json_is_number(value) || !isfinite(number))
        return must_be(place, field, "a number");
    if (field->low < field->high && !(number >= field->low && number <= field->high))
        return json_place_fail(place, "must be a number from %g to %g", field->low, field->high);
    return put(field, &number, sizeof number, target);
}

static bool whole_number(const struct json_place *place, const json_t *value,
                         const struct json_field *field, uint64_t *number)
{
    json_int_t integer = json_integer_value(value);
    if (!json_is_integer(value) || (double)integer < field->low || (double)integer > field->high)
        return json_place_fail(place, "must be a whole number from %.0f to %.0f", field->low,
                               field->high);
    *number = (uint64_t)integer;
    return true;
}

static bool take_pair(const struct json_place *place, const json_t *value,
                      const struct json_field *field, void *target)
{
    uint64_t pair[2];
    if (!json_is_array(value) || json_array_size(value) != 2)
        return must_be(place, field, field->form);
    for (size_t i = 0; i < 2; i++)
        if (!whole_number(place, json_array_get(value, i), field, &pair[i]))
            return false;
    return put(field, pair, sizeof pair, target);
}

static bool take_list(const struct json_place *place, const json_t *value,
                      const struct json_field *field, enum json_others others, void *target)
{
    size_t count = json_array_size(value);
    struct json_place item = *place;
    if (!json_is_array(value))
        return must_be(place, field, "a list");
    if (field->low < field->high && ((double)count < field->low || (double)count > field->high))
        return json_place_fail(place, "must have %.0f to %.0f elements", field->low, field->high);
    for (item.index = 0; item.index < count; item.index++) {
        const json_t *each = json_array_get(value, item.index);
        if ((field->fields && !json_fields_take(&item, each, field->fields, others, target)) ||
            (field->take && !field->take(&item, each, target)))
            return false;
    }
    return true;
}

static bool take_typed(const struct json_place *place, const json_t *value,
                       const struct json_field *field, enum json_others others, void *target)
{
    uint64_t number;
    bool truth = json_is_true(value);
    switch (field->type) {
    case FIELD_TEXT:
        return json_is_string(value) || must_be(place, field, "a string");
    case FIELD_LINE:
    case FIELD_NAME:
        return json_is_string(value) ? take_line(place, value, field, target)
                                     : must_be(place, field, "a string");
    case FIELD_WORD:
        return json_is_string(value) ? take_word(place, value, field, target)
                                     : must_be(place, field, "a string");
    case FIELD_NUMBER:
        return take_number(place, value, field, target);
    case FIELD_WHOLE:
        return whole_number(place, value, field, &number) &&
               put(field, &number, sizeof number, target);
    case FIELD_PAIR:
        return take_pair(place, value, field, target);
    case FIELD_TRUTH:
        return json_is_boolean(value) ? put(field, &truth, sizeof truth, target)
                                      : must_be(place, field, "true or false");
    case FIELD_OBJECT:
        return json_fields_take(place, value, field->fields, others, target);
    default:
        return true;
    }
}

bool json_value_take(const struct json_place *place, const json_t *value,
                     const struct json_field *field, enum json_others others, void *target)
{
    if (field->or_null && json_is_null(value))
        return true;
    if (field->type == FIELD_LIST)
        return take_list(place, value, field, others, target);
    return take_typed(place, value, field, others, target) &&
           (!field->take || field->take(place, value, target));
}

static bool is_known(const char *name, const struct json_field *fields)
{
    while (fields->name && strcmp(fields->name, name))
        fields++;
    return fields->name;
}

bool json_fields_take(const struct json_place *place, const json_t *object,
                      const struct json_field *fields, enum json_others others, void *target)
{
    const char *name;
    json_t *value;
    if (!json_is_object(object))
        return json_place_fail(place, "must be an object");
    json_object_foreach ((json_t *)object, name, value)
        if (others == JSON_REFUSE_OTHERS && !is_known(name, fields))
            return json_field_fail(place, name, "is not a known field");
    for (; fields->name; fields++) {
        const struct json_place inside = {place, fields->name, JSON_NO_INDEX, place->failure};
        value = json_object_get(object, fields->name);
        if (!value && !fields->optional)
            return json_place_fail(&inside, "is missing");
        if (value && !json_value_take(&inside, value, fields, others, target))
            return false;
    }
    return true;
}
