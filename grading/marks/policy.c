#define _GNU_SOURCE
#include "marks/policy.h"

#include "base/paths.h"
#include "base/whole_file.h"
#include "goals/json_fields.h"
#include "process/allocate.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TIME_FORMAT "%Y-%m-%d %H:%M"

enum { FILE_BYTES_MAX = 1 << 20, DAY_SECONDS = 86400, DAYS_MAX = 100000 };

/* Returns the time `days_later` days after a local time ("2026-11-20 23:59"); -1 if invalid. */
static time_t local_time(const char *text, uint64_t days_later)
{
    struct tm date = {.tm_isdst = -1};
    char again[POLICY_TIME_SIZE];
    const char *end = strptime(text, TIME_FORMAT, &date);
    if (!end || *end || !strftime(again, sizeof again, TIME_FORMAT, &date) || strcmp(again, text))
        return -1;
    const int day = date.tm_mday;
    date.tm_mday += (int)days_later;
    time_t time = mktime(&date);
    return days_later || date.tm_mday == day ? time : -1; /* mktime changes 30 February to March */
}

void policy_time_text(int64_t time, char text[POLICY_TIME_SIZE])
{
    struct tm date;
    time_t seconds = (time_t)time;
    if (!localtime_r(&seconds, &date) || !strftime(text, POLICY_TIME_SIZE, TIME_FORMAT, &date))
        snprintf(text, POLICY_TIME_SIZE, "?");
}

static bool check_zone(const struct json_place *place, const json_t *value, void *target)
{
    const char *zone = ((struct policy *)target)->time_zone;
    char path[PATH_SIZE];
    (void)value;
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", zone);
    if (strcmp(zone, "UTC") != 0 &&
        (!*zone || *zone == '/' || *zone == '.' || strstr(zone, "..") || access(path, R_OK)))
        return json_place_fail(place,
                               "unknown time zone `%s`; an example is Europe/Berlin "
                               "(Debian: apt-get install tzdata)",
                               zone);
    if (setenv("TZ", zone, 1))
        return json_place_fail(place, "%m");
    tzset();
    return true;
}

static bool take_time(const struct json_place *place, const json_t *value, void *target)
{
    struct policy_rule *rule = target; /* a rule is the first member of every target */
    const char *text = json_string_value(value);
    if (local_time(text, 0) == -1)
        return json_place_fail(place, "must be a local time such as \"2026-11-20 23:59\"");
    memcpy(rule->deadline, text, sizeof rule->deadline);
    return true;
}

static const char *const counts_names[] = {[COUNTS_LAST] = "last", [COUNTS_BEST] = "best"};
static const struct json_words counts_words = JSON_WORDS(counts_names);

#define RULE_FIELDS(type)                                                                          \
    {"deadline", FIELD_TEXT, .optional = true, .take = take_time},                                 \
        {"grace_minutes",  FIELD_NUMBER, JSON_INTO(type, rule.grace_minutes),                      \
         .optional = true, .low = 0,     .high = 1440},                                            \
        {"points_a_day",   FIELD_NUMBER, JSON_INTO(type, rule.points_a_day),                       \
         .optional = true, .low = 0,     .high = 1e6},                                             \
        {"percent_a_day",  FIELD_NUMBER, JSON_INTO(type, rule.percent_a_day),                      \
         .optional = true, .low = 0,     .high = 100},                                             \
        {"most_percent",   FIELD_NUMBER, JSON_INTO(type, rule.most_percent),                       \
         .optional = true, .low = 0,     .high = 100},                                             \
        {"most_days",      FIELD_WHOLE, JSON_INTO(type, rule.most_days),                           \
         .optional = true, .low = 1,    .high = 10000},                                            \
    {                                                                                              \
        "counts", FIELD_WORD, JSON_INTO(type, rule.counts), .optional = true,                      \
                                                            .words = &counts_words                 \
    }

static const struct json_field exercise_fields[] = {
    {"exercise", FIELD_NAME, JSON_INTO(struct policy_entry, exercise)},
    RULE_FIELDS(struct policy_entry),
    {0}};
static const struct json_field extension_fields[] = {
    {"id", FIELD_LINE, JSON_INTO(struct policy_entry, id)},
    {"exercise", FIELD_NAME, JSON_INTO(struct policy_entry, exercise), .optional = true},
    {"deadline", FIELD_TEXT, .take = take_time},
    {0}};

static bool take_exercise(const struct json_place *place, const json_t *value, void *target)
{
    struct policy *policy = target;
    struct policy_entry entry = {.rule = policy->rule};
    if (json_object_get(value, "points_a_day") || json_object_get(value, "percent_a_day"))
        entry.rule.points_a_day = entry.rule.percent_a_day = 0;
    if (!json_fields_take(place, value, exercise_fields, JSON_REFUSE_OTHERS, &entry))
        return false;
    for (size_t i = 0; i < policy->exercise_count; i++)
        if (!strcmp(policy->exercises[i].exercise, entry.exercise))
            return json_field_fail(place, "exercise", "`%s` occurs twice", entry.exercise);
    policy->exercises[policy->exercise_count++] = entry;
    return true;
}

static bool take_extension(const struct json_place *place, const json_t *value, void *target)
{
    struct policy *policy = target;
    struct policy_entry entry = {.rule = {.grace_minutes = 0}};
    if (!json_fields_take(place, value, extension_fields, JSON_REFUSE_OTHERS, &entry))
        return false;
    policy->extensions[policy->extension_count++] = entry;
    return true;
}

/* The order is important: times need the time zone, and exercises inherit earlier fields. */
static const struct json_field policy_fields[] = {
    {"time_zone", FIELD_LINE, JSON_INTO(struct policy, time_zone), .optional = true,
     .take = check_zone},
    RULE_FIELDS(struct policy),
    {"exercises", FIELD_LIST, .optional = true, .low = 0, .high = POLICY_LIST_MAX,
     .take = take_exercise},
    {"extensions", FIELD_LIST, .optional = true, .low = 0, .high = POLICY_LIST_MAX,
     .take = take_extension},
    {0}};

static bool check_deadlines(const struct json_place *top, const struct policy *policy)
{
    bool any = *policy->rule.deadline || policy->extension_count;
    for (size_t i = 0; i < policy->exercise_count; i++)
        any |= *policy->exercises[i].rule.deadline;
    return !any || *policy->time_zone ||
           json_field_fail(top, "time_zone", "is missing: deadlines require a time zone");
}

static bool take_policy(const char *path, struct policy *policy, struct failure *failure)
{
    size_t size;
    json_error_t error;
    struct failure why = {0};
    char *text = whole_file_read(path, FILE_BYTES_MAX, &size, failure);
    if (!text)
        return false;
    json_t *document = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!document)
        return failure_harness(failure, "%s:%d: %s", path, error.line, error.text);
    const struct json_place top = {NULL, "", JSON_NO_INDEX, &why};
    bool good = (json_fields_take(&top, document, policy_fields, JSON_REFUSE_OTHERS, policy) &&
                 check_deadlines(&top, policy)) ||
                failure_harness(failure, "%s: %s", path, why.text);
    json_decref(document);
    return good;
}

bool policy_read(const char *path, struct policy *policy, struct failure *failure)
{
    *policy = (struct policy){.rule = {.most_percent = 100}};
    policy->exercises = allocate_checked(calloc(POLICY_LIST_MAX, sizeof *policy->exercises));
    policy->extensions = allocate_checked(calloc(POLICY_LIST_MAX, sizeof *policy->extensions));
    allocate_checked(setenv("TZ", "UTC", 1) ? NULL : policy);
    tzset();
    return !path || take_policy(path, policy, failure);
}

void policy_free(struct policy *policy)
{
    free(policy->exercises);
    free(policy->extensions);
    *policy = (struct policy){.exercises = NULL};
}

struct policy_rule policy_rule_for(const struct policy *policy, const char *exercise,
                                   const char *const *ids, size_t count)
{
    struct policy_rule rule = policy->rule;
    for (size_t i = 0; i < policy->exercise_count; i++)
        if (!strcmp(policy->exercises[i].exercise, exercise))
            rule = policy->exercises[i].rule;
    for (size_t i = 0; i < policy->extension_count; i++) {
        const struct policy_entry *extension = &policy->extensions[i];
        bool theirs = !*extension->exercise || !strcmp(extension->exercise, exercise);
        bool known = false;
        for (size_t j = 0; j < count; j++)
            known |= !strcmp(ids[j], extension->id);
        /* in this format, texts have the order of their times */
        if (!theirs || !known || strcmp(extension->rule.deadline, rule.deadline) <= 0)
            continue;
        rule.extended = true;
        if (*rule.deadline)
            memcpy(rule.deadline, extension->rule.deadline, sizeof rule.deadline);
    }
    return rule;
}

/* Returns the number of started days after the deadline. Days end at the deadline's time of day. */
static uint64_t days_late(const struct policy_rule *rule, int64_t time)
{
    const double grace = rule->grace_minutes * 60;
    double since = (double)time - (double)local_time(rule->deadline, 0) - grace;
    if (since <= 0)
        return 0;
    if (since >= (double)DAYS_MAX * DAY_SECONDS)
        return DAYS_MAX;
    uint64_t days = (uint64_t)(since / DAY_SECONDS); /* a day may have 23 hours; corrected below */
    days -= days > 0;
    while ((double)time > (double)local_time(rule->deadline, days) + grace)
        days++;
    return days;
}

struct lateness policy_lateness(const struct policy_rule *rule, const struct upload *upload)
{
    const bool late = upload->late && !rule->extended;
    struct lateness lateness = {.late = late, .days = late, .unsure = upload->late};
    if (upload->number || upload->late || !upload->time || !*rule->deadline)
        return lateness;
    lateness.days = days_late(rule, upload->time);
    lateness.late = lateness.days > 0;
    return lateness;
}

double policy_deduction(const struct policy_rule *rule, double score, double points,
                        const struct lateness *lateness)
{
    double days = (double)lateness->days;
    double wanted = days * (rule->points_a_day + rule->percent_a_day / 100 * points);
    double most = rule->most_percent / 100 * points;
    wanted = wanted < most ? wanted : most;
    if (rule->most_days && lateness->days > rule->most_days)
        wanted = score;
    return round((wanted < score ? wanted : score) * 100) / 100;
}
