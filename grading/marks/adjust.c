#define _GNU_SOURCE
#include "marks/adjust.h"

#include "base/paths.h"
#include "intake/table.h"
#include "intake/text.h"
#include "process/allocate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

size_t adjust_find_person(const struct class_list *list, const char *id)
{
    char safe[INTAKE_ID_SIZE];
    const struct submission *found = intake_find(list, id);
    if (!found && *id) {
        text_id(id, safe, sizeof safe);
        found = intake_find(list, safe);
        intake_id(id, safe);
        found = found ? found : intake_find(list, safe);
    }
    for (size_t i = 0; !found && i < list->count; i++)
        if (list->submissions[i].email && !strcasecmp(list->submissions[i].email, id))
            found = &list->submissions[i];
    return found ? (size_t)(found - list->submissions) : list->count;
}

static bool find_person(const struct table *table, const struct class_list *list, const char *id,
                        size_t *person)
{
    *person = adjust_find_person(list, id);
    return *person < list->count ||
           table_fail(table, "no student of this class has the id `%.80s`", id);
}

static bool take_points(const struct table *table, struct adjustment *item)
{
    const char *points = table_field_of(table, "points");
    const char *change = table_field_of(table, "change");
    if (*points && *change)
        return table_fail(table,
                          "`points` and `change` both have a value: remove one of the two values");
    const char *field = *change ? change : points;
    item->adds = *change || *field == '+' || *field == '-';
    char text[32];
    snprintf(text, sizeof text, "%s", field);
    for (char *comma = text; (comma = strchr(comma, ','));)
        *comma = '.';
    return (strlen(field) < sizeof text && !strpbrk(field, "eE") &&
            csv_file_number(text, &item->points)) ||
           table_fail(table, "`%.40s` is not a number of points", field);
}

/* Sets *skip to true if the exercise has a rubric but is not graded in this run. */
static bool find_exercise(const struct table *table, const struct marks_course *course,
                          const char *field, struct adjustment *item, bool *skip)
{
    char path[PATH_SIZE];
    size_t length = strcspn(field, "/");
    *skip = false;
    for (item->rubric = 0; item->rubric < course->rubric_count; item->rubric++) {
        const char *name = course->rubrics[item->rubric].exercise.name;
        if (strlen(name) == length && !strncmp(name, field, length))
            break;
    }
    if (item->rubric == course->rubric_count) {
        bool plain =
            length && length < 64 &&
            strspn(field, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                length;
        snprintf(path, sizeof path, "%s/%.*s.json", course->directory, plain ? (int)length : 0,
                 field);
        *skip = plain && !access(path, F_OK) &&
                (length + 5 != strlen(RUBRIC_POLICY) || strncmp(field, RUBRIC_POLICY, length));
        return *skip || table_fail(table, "there is no exercise `%.80s`", field);
    }
    const struct rubric *rubric = &course->rubrics[item->rubric];
    item->check = -1;
    if (!field[length])
        return true;
    for (item->check = 0; item->check < (int)rubric->check_count; item->check++)
        if (!strcmp(rubric->checks[item->check].id, field + length + 1))
            return true;
    return table_fail(table, "%s has no check `%.80s`", rubric->exercise.name, field + length + 1);
}

static bool check_limits(const struct table *table, const struct marks_course *course,
                         const struct adjustment *item)
{
    const struct rubric *rubric = &course->rubrics[item->rubric];
    double most = item->check < 0 ? rubric->points : rubric->checks[item->check].points;
    double least = item->adds ? -most : 0;
    return (item->points >= least && item->points <= most) ||
           table_fail(table, "%s%s%s has at most %g points, not %g", rubric->exercise.name,
                      item->check < 0 ? "" : "/",
                      item->check < 0 ? "" : rubric->checks[item->check].id, most, item->points);
}

static bool check_twice(const struct table *table, const struct adjustments *adjustments,
                        const struct adjustment *item, const char *id)
{
    for (size_t i = 0; i < adjustments->count; i++) {
        const struct adjustment *other = &adjustments->items[i];
        if (other->person == item->person && other->rubric == item->rubric &&
            other->check == item->check)
            return table_fail(table, "%.80s, %s: the same entry is already in line %lu", id,
                              table_field_of(table, "exercise"), other->line);
    }
    return true;
}

static bool take_line(struct table *table, const struct marks_course *course,
                      struct adjustments *adjustments)
{
    const char *id = table_field_of(table, "id"), *reason = table_field_of(table, "reason");
    struct adjustment item = {.line = table->line};
    bool skip;
    for (size_t i = table->column_count; i < table->field_count; i++)
        if (*table->fields[i])
            return table_fail(table,
                              "`%.80s` belongs to no column: if a text contains a comma or "
                              "semicolon, put the text in quotes",
                              table->fields[i]);
    if (!find_person(table, course->list, id, &item.person) ||
        !find_exercise(table, course, table_field_of(table, "exercise"), &item, &skip) ||
        !take_points(table, &item))
        return false;
    adjustments->skipped += skip;
    if (skip)
        return true;
    if (!check_limits(table, course, &item) || !check_twice(table, adjustments, &item, id))
        return false;
    item.reason = text_clean(reason, strlen(reason));
    allocate_room(&adjustments->items, adjustments->count, sizeof item);
    adjustments->items[adjustments->count++] = item;
    return true;
}

bool adjust_read(const char *path, const struct marks_course *course,
                 struct adjustments *adjustments, struct failure *failure)
{
    struct table table;
    *adjustments = (struct adjustments){0};
    bool good = table_open(&table, path, failure) &&
                ((table_column(&table, "id") < TABLE_COLUMNS_MAX &&
                  table_column(&table, "exercise") < TABLE_COLUMNS_MAX &&
                  (table_column(&table, "points") < TABLE_COLUMNS_MAX ||
                   table_column(&table, "change") < TABLE_COLUMNS_MAX)) ||
                 table_fail(&table, "the first line must name the columns id, exercise, points (or "
                                    "change), reason"));
    while (good && table_next(&table))
        good = take_line(&table, course, adjustments);
    table_close(&table);
    if (good && failure->kind == FAILURE_NONE)
        return true;
    adjust_free(adjustments);
    return false;
}

void adjust_free(struct adjustments *adjustments)
{
    for (size_t i = 0; i < adjustments->count; i++)
        free(adjustments->items[i].reason);
    free(adjustments->items);
    *adjustments = (struct adjustments){0};
}

/* Combine the people of a row into a group: for each member p, set of[p] to the group's smallest
 * index and lines[p] to the row's line. Several rows may contain the same group. */
static bool take_group(const struct table *table, const struct class_list *list, size_t *of,
                       unsigned long *lines)
{
    size_t members[TABLE_COLUMNS_MAX], count = 0, first = list->count, known = 0, size = 0;
    for (size_t i = 0; i < table->field_count; i++) {
        if (!*table->fields[i])
            continue;
        if (!find_person(table, list, table->fields[i], &members[count]))
            return false;
        for (size_t j = 0; j < count; j++)
            if (members[j] == members[count])
                return table_fail(table, "`%.80s` occurs twice", table->fields[i]);
        first = members[count] < first ? members[count] : first;
        known += lines[members[count]] != 0;
        count++;
    }
    for (size_t i = 0; known && i < list->count; i++)
        size += lines[i] && of[i] == of[members[0]];
    for (size_t i = 0; i < count; i++)
        if (lines[members[i]] && (known != count || size != count || of[members[i]] != first))
            return table_fail(table, "`%s` is already in another group, in line %lu",
                              list->submissions[members[i]].id, lines[members[i]]);
    for (size_t i = 0; i < count; i++) {
        of[members[i]] = first;
        lines[members[i]] = table->line;
    }
    return true;
}

static bool names_people(const struct table *table, const struct class_list *list)
{
    for (size_t i = 0; i < table->field_count; i++)
        if (adjust_find_person(list, table->fields[i]) < list->count)
            return true;
    return false;
}

size_t *adjust_read_pairs(const char *path, const struct class_list *list, struct failure *failure)
{
    struct table table;
    size_t *of = allocate_checked(calloc(list->count + 1, sizeof *of));
    unsigned long *lines = allocate_checked(calloc(list->count + 1, sizeof *lines));
    for (size_t i = 0; i < list->count; i++)
        of[i] = i;
    bool good = table_open(&table, path, failure) &&
                (!names_people(&table, list) || take_group(&table, list, of, lines));
    while (good && table_next(&table))
        good = take_group(&table, list, of, lines);
    table_close(&table);
    free(lines);
    if (good && failure->kind == FAILURE_NONE)
        return of;
    free(of);
    return NULL;
}
