/* grade_file.c: read, check and write grades. Each table lists the fields of an object. */
#include "base/whole_file.h"
#include "goals/json_fields.h"
#include "judge/grade.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRADE_BYTES_MAX = 64 << 20 };

static bool check_counters(const struct json_place *place, const json_t *value, void *target)
{
    const char *name;
    json_t *counter;
    (void)target;
    if (!json_is_object(value))
        return json_place_fail(place, "must be an object");
    json_object_foreach ((json_t *)value, name, counter)
        if (!json_is_number(counter) && !json_is_null(counter) && !json_is_string(counter))
            return json_field_fail(place, name, "must be a number, a string or null");
    return true;
}

static bool check_text(const struct json_place *place, const json_t *value, void *target)
{
    (void)target;
    return json_is_string(value) || json_place_fail(place, "must be a string");
}

#define FIELD(called, kind, ...)                                                                   \
    {                                                                                              \
        .name = called, .type = FIELD_##kind, __VA_ARGS__                                          \
    }
static const struct json_field flag_fields[] = {FIELD("kind", TEXT), FIELD("evidence", TEXT), {0}};
static const struct json_field check_fields[] = {FIELD("id", TEXT),
                                                 FIELD("title", TEXT),
                                                 FIELD("kind", TEXT),
                                                 FIELD("points", NUMBER),
                                                 FIELD("score", NUMBER),
                                                 FIELD("visible", TRUTH),
                                                 FIELD("result", TEXT),
                                                 FIELD("value", NUMBER, .or_null = true),
                                                 FIELD("full", NUMBER, .or_null = true),
                                                 FIELD("zero", NUMBER, .or_null = true),
                                                 FIELD("unit", TEXT),
                                                 FIELD("text", TEXT),
                                                 FIELD("instructor", TEXT),
                                                 FIELD("hint", TEXT),
                                                 {0}};
static const struct json_field size_fields[] = {FIELD("rows", NUMBER),  FIELD("cols", NUMBER),
                                                FIELD("hidden", TRUTH), FIELD("status", TEXT),
                                                FIELD("reason", TEXT),  {0}};
static const struct json_field run_fields[] = {FIELD("name", TEXT),
                                               FIELD("device", TEXT),
                                               FIELD("counters", ANY, .take = check_counters),
                                               {0}};
static const struct json_field line_fields[] = {FIELD("line", NUMBER),
                                                FIELD("space", TEXT),
                                                FIELD("requests", NUMBER),
                                                FIELD("used", NUMBER),
                                                FIELD("ideal", NUMBER),
                                                FIELD("time_share", NUMBER),
                                                {0}};
static const struct json_field upload_fields[] = {FIELD("time", NUMBER),
                                                  FIELD("modified", NUMBER),
                                                  FIELD("number", NUMBER),
                                                  FIELD("late", TRUTH),
                                                  {0}};
static const struct json_field lab_fields[] = {
    FIELD("lab", TEXT),
    FIELD("exercise", TEXT),
    FIELD("title", TEXT),
    FIELD("file", TEXT, .or_null = true),
    FIELD("status", TEXT),
    FIELD("reason", TEXT),
    FIELD("score", NUMBER),
    FIELD("points", NUMBER),
    FIELD("checks", LIST, .fields = check_fields),
    FIELD("sizes", LIST, .fields = size_fields),
    FIELD("runs", LIST, .fields = run_fields),
    FIELD("source", TEXT, .or_null = true),
    FIELD("lines", LIST, .fields = line_fields),
    FIELD("advice", TEXT),
    FIELD("compiler", TEXT),
    FIELD("rubric", TEXT),
    FIELD("upload", OBJECT, .fields = upload_fields, .optional = true),
    {0}};
static const struct json_field record_fields[] = {
    FIELD("tlab", TEXT), FIELD("seed", TEXT), FIELD("seconds", NUMBER), {0}};
static const struct json_field grade_fields[] = {
    FIELD("format", TEXT),
    FIELD("id", TEXT),
    FIELD("name", TEXT),
    FIELD("email", TEXT, .or_null = true),
    FIELD("submitted", TRUTH),
    FIELD("digest", TEXT),
    FIELD("score", NUMBER),
    FIELD("points", NUMBER),
    FIELD("notes", LIST, .take = check_text),
    FIELD("flags", LIST, .fields = flag_fields),
    FIELD("labs", LIST, .fields = lab_fields),
    FIELD("others", LIST, .fields = lab_fields, .optional = true),
    FIELD("record", OBJECT, .fields = record_fields),
    {0}};

bool grade_check(const json_t *grade, struct failure *failure)
{
    const struct json_place top = {NULL, "grade", JSON_NO_INDEX, failure};
    if (!json_fields_take(&top, grade, grade_fields, JSON_LEAVE_OTHERS, NULL))
        return false;
    const char *format = json_string_value(json_object_get(grade, "format"));
    const char *id = json_string_value(json_object_get(grade, "id"));
    if (strcmp(format, GRADE_FORMAT))
        return json_field_fail(&top, "format", "must be \"" GRADE_FORMAT "\"");
    size_t safe = strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    return (*id && *id != '.' && *id != '-' && !id[safe] && safe < INTAKE_ID_SIZE) ||
           json_field_fail(&top, "id", "must be a safe file name");
}

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
    size_t size;
    char *text = whole_file_read(path, GRADE_BYTES_MAX, &size, failure);
    if (!text)
        return NULL;
    json_t *grade = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!grade)
        failure_harness(failure, "%s:%d: %s", path, error.line, error.text);
    else if (!grade_check(grade, &why)) {
        failure_harness(failure, "%s: %s", path, why.text);
        json_decref(grade);
        grade = NULL;
    }
    return grade;
}
