/* policy.h: deadlines, what is deducted after them, and which of several files counts, as data:
 * policy.json beside the rubrics, or `tlab grade --policy FILE`.
 *
 *   {
 *     "time_zone": "Europe/Berlin",             of all times here, and of archives that have none
 *     "deadline": "2026-11-20 23:59",           the last minute that is on time
 *     "grace_minutes": 10,
 *     "points_a_day": 2, "percent_a_day": 10,   of what the exercise is worth, for each day begun
 *     "most_percent": 50,                       deducted at most
 *     "most_days": 7,                           later than that earns nothing
 *     "counts": "last" | "best",                of several files: the last on time (default)
 *     "exercises": [{"exercise": "padded", "deadline": "2026-12-04 23:59", ...}],
 *     "extensions": [{"id": "alice", "exercise": "padded", "deadline": "2026-12-11 23:59"}]
 *   }
 *
 * All fields are optional, but a deadline needs a time zone. What an exercise does not say is as
 * said above it; either of points and per cent a day there replaces both. An extension without an
 * exercise is for all.
 */
#ifndef POLICY_H
#define POLICY_H

#include "goals/rubric.h"
#include "intake/intake.h"

enum { POLICY_LIST_MAX = 1024, POLICY_TIME_SIZE = 17 /* "2026-11-20 23:59" */ };

enum policy_counts { COUNTS_LAST, COUNTS_BEST };

/* What holds for an exercise. */
struct policy_rule {
    char deadline[POLICY_TIME_SIZE]; /* local time; "": none */
    double grace_minutes, points_a_day, percent_a_day, most_percent;
    uint64_t most_days; /* 0: no end */
    enum policy_counts counts;
    bool extended; /* somebody has an extension */
};

struct policy_entry {
    struct policy_rule rule;
    char id[INTAKE_ID_SIZE]; /* of an extension; else "" */
    char exercise[64];       /* of an extension: "" is all */
};

struct policy {
    struct policy_rule rule;
    char time_zone[64];
    struct policy_entry *exercises, *extensions;
    size_t exercise_count, extension_count;
};

/* Read it, or, when `path` is NULL, take the one that asks for nothing. Sets the time zone of this
 * process (TZ; UTC without one), so that files in archives have the same time on every machine. A
 * harness failure names file and field. Free it in any case. */
bool policy_read(const char *path, struct policy *policy, struct failure *failure);
void policy_free(struct policy *policy);

/* What holds for these people, who hand in together, in an exercise: the latest of their
 * deadlines. */
struct policy_rule policy_rule_for(const struct policy *policy, const char *exercise,
                                   const char *const *ids, size_t count);

/* How late it is. */
struct lateness {
    bool late;
    uint64_t days; /* begun; 0: on time */
    bool unsure;   /* the platform says late, and nothing says by how much: one day is taken, and
                      none of who has an extension, of which the platform may not know */
};

/* Where the platform says what is late (Canvas), its word counts; else the time of the file against
 * the deadline. Days are those of the calendar: due again at the same time of day, also when the
 * clocks change in between. */
struct lateness policy_lateness(const struct policy_rule *rule, const struct upload *upload);

/* What is deducted of `score` in an exercise of so many points; two decimals. */
double policy_deduction(const struct policy_rule *rule, double score, double points,
                        const struct lateness *lateness);

/* Local time as in a policy. */
void policy_time_text(int64_t time, char text[POLICY_TIME_SIZE]);

#endif
