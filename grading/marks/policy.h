/* policy.h: deadlines, deductions, and which of several files is marked. The policy is the FILE of
 * `tlab grade --policy FILE` (default: policy.json in the folder of rubrics):
 *
 *   {
 *     "time_zone": "Europe/Berlin",             for all times in this file and in archives
 *     "deadline": "2026-11-20 23:59",           the last minute that is on time
 *     "grace_minutes": 10,
 *     "points_a_day": 2, "percent_a_day": 10,   per started day; per cent of the exercise's points
 *     "most_percent": 50,                       the largest deduction
 *     "most_days": 7,                           later submissions have no points
 *     "counts": "last" | "best",                which file counts: the last on time (default)
 *     "exercises": [{"exercise": "padded", "deadline": "2026-12-04 23:59", ...}],
 *     "extensions": [{"id": "alice", "exercise": "padded", "deadline": "2026-12-11 23:59"}]
 *   }
 *
 * All fields are optional, but a deadline needs a time zone. An exercise inherits missing fields,
 * but its "points_a_day" or "percent_a_day" replaces both inherited fields. An extension without
 * "exercise" is for all exercises. */
#ifndef POLICY_H
#define POLICY_H

#include "goals/rubric.h"
#include "intake/intake.h"

enum { POLICY_LIST_MAX = 1024, POLICY_TIME_SIZE = 17 /* "2026-11-20 23:59" */ };

enum policy_counts { COUNTS_LAST, COUNTS_BEST };

struct policy_rule {
    char deadline[POLICY_TIME_SIZE]; /* local time; "" if there is no deadline */
    double grace_minutes, points_a_day, percent_a_day, most_percent;
    uint64_t most_days; /* 0 if there is no limit */
    enum policy_counts counts;
    bool extended;
};

struct policy_entry {
    struct policy_rule rule;
    char id[INTAKE_ID_SIZE]; /* person of an extension; otherwise "" */
    char exercise[64];       /* in an extension, "" means all exercises */
};

struct policy {
    struct policy_rule rule;
    char time_zone[64];
    struct policy_entry *exercises, *extensions;
    size_t exercise_count, extension_count;
};

/* Read a policy. If `path` is NULL, the policy has no deadlines. Sets the time zone of this process
 * (TZ; default UTC), so that files in archives have the same time on every machine. Returns false
 * for a harness failure. Call policy_free even then. */
bool policy_read(const char *path, struct policy *policy, struct failure *failure);
void policy_free(struct policy *policy);

/* Returns the rule for an exercise and a group of people; the latest of their deadlines counts. */
struct policy_rule policy_rule_for(const struct policy *policy, const char *exercise,
                                   const char *const *ids, size_t count);

struct lateness {
    bool late;
    uint64_t days; /* started days after the deadline; 0 if on time */
    bool unsure;   /* the platform reports that the file is late, but not how late */
};

/* Returns the lateness from the platform (Canvas); otherwise from the file's time. Each late day
 * ends at the deadline's time of day, even if the clocks change during the day. */
struct lateness policy_lateness(const struct policy_rule *rule, const struct upload *upload);

/* Returns the deduction (two decimals), at most `score`. `points` is the exercise's maximum. */
double policy_deduction(const struct policy_rule *rule, double score, double points,
                        const struct lateness *lateness);

void policy_time_text(int64_t time, char text[POLICY_TIME_SIZE]);

#endif
