/* policy.h: deadlines, deductions, and which of several files counts: policy.json in the folder of
 * rubrics, or `tlab grade --policy FILE`.
 *
 *   {
 *     "time_zone": "Europe/Berlin",             of all times in this file and in archives
 *     "deadline": "2026-11-20 23:59",           the last minute that is on time
 *     "grace_minutes": 10,
 *     "points_a_day": 2, "percent_a_day": 10,   for each started day, of the exercise's points
 *     "most_percent": 50,                       the largest deduction
 *     "most_days": 7,                           later submissions have no points
 *     "counts": "last" | "best",                of several files: the last on time (default)
 *     "exercises": [{"exercise": "padded", "deadline": "2026-12-04 23:59", ...}],
 *     "extensions": [{"id": "alice", "exercise": "padded", "deadline": "2026-12-11 23:59"}]
 *   }
 *
 * All fields are optional, but a deadline needs a time zone. An exercise inherits missing fields
 * from the top; its points or per cent a day replace both. An extension without an exercise is for
 * all exercises.
 */
#ifndef POLICY_H
#define POLICY_H

#include "goals/rubric.h"
#include "intake/intake.h"

enum { POLICY_LIST_MAX = 1024, POLICY_TIME_SIZE = 17 /* "2026-11-20 23:59" */ };

enum policy_counts { COUNTS_LAST, COUNTS_BEST };

/* The rule for an exercise. */
struct policy_rule {
    char deadline[POLICY_TIME_SIZE]; /* local time; "": none */
    double grace_minutes, points_a_day, percent_a_day, most_percent;
    uint64_t most_days; /* 0: no end */
    enum policy_counts counts;
    bool extended; /* a person of the group has an extension */
};

struct policy_entry {
    struct policy_rule rule;
    char id[INTAKE_ID_SIZE]; /* the person of an extension; else "" */
    char exercise[64];       /* in an extension, "" means all exercises */
};

struct policy {
    struct policy_rule rule;
    char time_zone[64];
    struct policy_entry *exercises, *extensions;
    size_t exercise_count, extension_count;
};

/* Read a policy; if `path` is NULL, use one without deadlines. Sets the time zone of this
 * process (TZ; default UTC), so that files in archives have the same time on every machine. A
 * harness failure names file and field. Call policy_free in any case. */
bool policy_read(const char *path, struct policy *policy, struct failure *failure);
void policy_free(struct policy *policy);

/* The rule for a group of people in an exercise: the latest of their deadlines. */
struct policy_rule policy_rule_for(const struct policy *policy, const char *exercise,
                                   const char *const *ids, size_t count);

/* The lateness of a submission. */
struct lateness {
    bool late;
    uint64_t days; /* started days; 0: on time */
    bool unsure; /* late by an unknown time, according to the platform: counts as one day, or as on
                      time with an extension, which may be missing on the platform */
};

/* If the platform reports lateness (Canvas), it counts; else the file's time. A day ends at the
 * deadline's time of day, also if clocks change in between. */
struct lateness policy_lateness(const struct policy_rule *rule, const struct upload *upload);

/* The deduction from `score` in an exercise with `points`; two decimals. */
double policy_deduction(const struct policy_rule *rule, double score, double points,
                        const struct lateness *lateness);

/* Local time as in a policy. */
void policy_time_text(int64_t time, char text[POLICY_TIME_SIZE]);

#endif
