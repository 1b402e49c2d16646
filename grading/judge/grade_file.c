/* grade_file.c: grades as files: written whole, and checked when read.
 *
 * The check is a table of fields with their types, for each object of the document, in the order of
 * grade.h.
 */
#include "base/whole_file.h"
#include "judge/grade.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GRADE_BYTES_MAX = 64 << 20 };

enum field_type {
    TEXT,
    TEXT_OR_NULL,
    NUMBER,
    NUMBER_OR_NULL,
    TRUTH,
    OBJECT,
    LIST,
    TEXTS,
    COUNTERS
};

struct field {
    const char *name;
    enum field_type type;
    const struct field *fields; /* of an OBJECT, or the objects of a LIST; ends with a NULL name */
};

static const struct field flag_fields[] = {{"kind", TEXT, NULL}, {"evidence", TEXT, NULL}, {0}};
static const struct field check_fields[] = {{"id", TEXT, NULL},
                                            {"title", TEXT, NULL},
                                            {"kind", TEXT, NULL},
                                            {"points", NUMBER, NULL},
                                            {"score", NUMBER, NULL},
                                            {"visible", TRUTH, NULL},
                                            {"result", TEXT, NULL},
                                            {"value", NUMBER_OR_NULL, NULL},
                                            {"full", NUMBER_OR_NULL, NULL},
                                            {"zero", NUMBER_OR_NULL, NULL},
                                            {"unit", TEXT, NULL},
                                            {"text", TEXT, NULL},
                                            {"instructor", TEXT, NULL},
                                            {"hint", TEXT, NULL},
                                            {0}};
static const struct field size_fields[] = {{"rows", NUMBER, NULL},  {"cols", NUMBER, NULL},
                                           {"hidden", TRUTH, NULL}, {"status", TEXT, NULL},
                                           {"reason", TEXT, NULL},  {0}};
static const struct field run_fields[] = {
    {"name", TEXT, NULL}, {"device", TEXT, NULL}, {"counters", COUNTERS, NULL}, {0}};
static const struct field line_fields[] = {{"line", NUMBER, NULL},
                                           {"space", TEXT, NULL},
                                           {"requests", NUMBER, NULL},
                                           {"used", NUMBER, NULL},
                                           {"ideal", NUMBER, NULL},
                                           {"time_share", NUMBER, NULL},
                                           {0}};
static const struct field lab_fields[] = {{"lab", TEXT, NULL},
                                          {"exercise", TEXT, NULL},
                                          {"title", TEXT, NULL},
                                          {"file", TEXT_OR_NULL, NULL},
                                          {"status", TEXT, NULL},
                                          {"reason", TEXT, NULL},
                                          {"score", NUMBER, NULL},
                                          {"points", NUMBER, NULL},
                                          {"checks", LIST, check_fields},
                                          {"sizes", LIST, size_fields},
                                          {"runs", LIST, run_fields},
                                          {"source", TEXT_OR_NULL, NULL},
                                          {"lines", LIST, line_fields},
                                          {"advice", TEXT, NULL},
                                          {"compiler", TEXT, NULL},
                                          {"rubric", TEXT, NULL},
                                          {0}};
static const struct field record_fields[] = {
    {"tlab", TEXT, NULL}, {"seed", TEXT, NULL}, {"seconds", NUMBER, NULL}, {0}};
static const struct field grade_fields[] = {{"format", TEXT, NULL},
                                            {"id", TEXT, NULL},
                                            {"name", TEXT, NULL},
                                            {"email", TEXT_OR_NULL, NULL},
                                            {"submitted", TRUTH, NULL},
                                            {"digest", TEXT, NULL},
                                            {"score", NUMBER, NULL},
                                            {"points", NUMBER, NULL},
                                            {"notes", TEXTS, NULL},
                                            {"flags", LIST, flag_fields},
                                            {"labs", LIST, lab_fields},
                                            {"record", OBJECT, record_fields},
                                            {0}};

/* ---- Checking ---- */

/* Where in the document: "labs[2].checks[0].points". */
struct place {
    const struct place *above;
    const char *name;
    size_t index; /* of the item, for a LIST; NO_INDEX */
};
#define NO_INDEX ((size_t)-1)

static size_t print_place(const struct place *place, char *text, size_t size)
{
    size_t length = place->above ? print_place(place->above, text, size) : 0;
    int more = snprintf(text + length, size - length, "%s%s", length ? "." : "", place->name);
    length += more < 0 ? 0 : (size_t)more;
    if (place->index != NO_INDEX && length < size) {
        more = snprintf(text + length, size - length, "[%zu]", place->index);
        length += more < 0 ? 0 : (size_t)more;
    }
    return length < size ? length : size - 1;
}

static bool place_failure(const struct place *place, const char *what, struct failure *failure)
{
    char text[256];
    print_place(place, text, sizeof text);
    return failure_harness(failure, "%s: %s", text, what);
}

static bool is_number(const json_t *value)
{
    return json_is_number(value) && isfinite(json_number_value(value));
}

static bool check_object(const json_t *object, const struct field *fields,
                         const struct place *above, struct failure *failure);

static bool check_list(const json_t *value, const struct field *field, const struct place *above,
                       struct failure *failure)
{
    size_t index;
    const json_t *item;
    if (!json_is_array(value))
        return place_failure(&(struct place){above, field->name, NO_INDEX}, "must be a list",
                             failure);
    json_array_foreach (value, index, item) {
        struct place place = {above, field->name, index};
        if (field->type == LIST && !check_object(item, field->fields, &place, failure))
            return false;
        if (field->type == TEXTS && !json_is_string(item))
            return place_failure(&place, "must be a text", failure);
    }
    return true;
}

static bool check_counters(const json_t *value, const struct place *place, struct failure *failure)
{
    const char *name;
    const json_t *counter;
    if (!json_is_object(value))
        return place_failure(place, "must be an object", failure);
    json_object_foreach ((json_t *)value, name, counter) {
        if (!is_number(counter) && !json_is_null(counter) && !json_is_string(counter))
            return place_failure(&(struct place){place, name, NO_INDEX},
                                 "must be a number, a text or null", failure);
    }
    return true;
}

static bool check_field(const json_t *value, const struct field *field, const struct place *above,
                        struct failure *failure)
{
    struct place place = {above, field->name, NO_INDEX};
    switch (field->type) {
    case TEXT:
        return json_is_string(value) || place_failure(&place, "must be a text", failure);
    case TEXT_OR_NULL:
        return json_is_string(value) || json_is_null(value) ||
               place_failure(&place, "must be a text or null", failure);
    case NUMBER:
        return is_number(value) || place_failure(&place, "must be a number", failure);
    case NUMBER_OR_NULL:
        return is_number(value) || json_is_null(value) ||
               place_failure(&place, "must be a number or null", failure);
    case TRUTH:
        return json_is_boolean(value) || place_failure(&place, "must be true or false", failure);
    case OBJECT:
        return check_object(value, field->fields, &place, failure);
    case COUNTERS:
        return check_counters(value, &place, failure);
    default:
        return check_list(value, field, above, failure);
    }
}

static bool check_object(const json_t *object, const struct field *fields,
                         const struct place *above, struct failure *failure)
{
    if (!json_is_object(object))
        return place_failure(above, "must be an object", failure);
    for (; fields->name; fields++)
        if (!check_field(json_object_get(object, fields->name), fields, above, failure))
            return false;
    return true;
}

bool grade_check(const json_t *grade, struct failure *failure)
{
    static const struct place top = {NULL, "grade", NO_INDEX};
    if (!check_object(grade, grade_fields, &top, failure))
        return false;
    const char *format = json_string_value(json_object_get(grade, "format"));
    const char *id = json_string_value(json_object_get(grade, "id"));
    if (strcmp(format, GRADE_FORMAT))
        return failure_harness(failure, "grade.format: must be \"" GRADE_FORMAT "\"");
    size_t safe = strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    return (*id && *id != '.' && *id != '-' && !id[safe] && safe < INTAKE_ID_SIZE) ||
           failure_harness(failure, "grade.id: must be a safe file name");
}

/* ---- Files ---- */

bool grade_save(const char *path, const json_t *document, struct failure *failure)
{
    struct whole_file file;
    if (!whole_file_open(&file, path, failure))
        return false;
    if (json_dumpf(document, file.stream,
                   JSON_SORT_KEYS | JSON_INDENT(2) | JSON_REAL_PRECISION(6)) ||
        putc('\n', file.stream) == EOF) {
        int error = errno;
        whole_file_drop(&file);
        return failure_harness(failure, "cannot write %s: %s", path, strerror(error));
    }
    return whole_file_keep(&file, failure);
}

json_t *grade_load(const char *path, struct failure *failure)
{
    json_error_t error;
    struct failure why = {0};
    FILE *file = fopen(path, "rbe");
    if (!file) {
        failure_harness(failure, "cannot open %s: %s", path, strerror(errno));
        return NULL;
    }
    json_t *grade = NULL;
    if (fseek(file, 0, SEEK_END) || ftell(file) > GRADE_BYTES_MAX || fseek(file, 0, SEEK_SET))
        failure_harness(failure, "%s: no file of at most %d MB", path, GRADE_BYTES_MAX >> 20);
    else if (!(grade = json_loadf(file, JSON_REJECT_DUPLICATES, &error)))
        failure_harness(failure, "%s:%d: %s", path, error.line, error.text);
    else if (!grade_check(grade, &why)) {
        failure_harness(failure, "%s: %s", path, why.text);
        json_decref(grade);
        grade = NULL;
    }
    fclose(file);
    return grade;
}
