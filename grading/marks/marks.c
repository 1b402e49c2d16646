#define _GNU_SOURCE
#include "marks/marks.h"

#include "base/paths.h"
#include "base/wording.h"
#include "intake/json_text.h"
#include "intake/text.h"
#include "marks/gradebook.h"
#include "process/allocate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_MAX = 16, CANDIDATES_MAX = 1024, FILES_NAMED = 4, NAME_SIZE = 256 };

static void fold_name(const struct class_list *list, size_t person, char folded[NAME_SIZE])
{
    const char *name = list->submissions[person].name;
    text_fold(name ? name : "", folded, NAME_SIZE);
}

static void list_names(struct marks *marks)
{
    char folded[NAME_SIZE];
    marks->names = json_object();
    for (size_t i = 0; i < marks->list->count; i++) {
        fold_name(marks->list, i, folded);
        if (!json_object_get(marks->names, folded)) /* the truncated name may be invalid UTF-8 */
            json_object_set_new_nocheck(marks->names, folded, json_array());
        json_array_append_new(json_object_get(marks->names, folded),
                              json_string(marks->list->submissions[i].id));
    }
}

static bool check_exercise(const struct marks *marks, const char *place,
                           const struct marks_course *course, const char *exercise,
                           struct failure *failure)
{
    static struct rubric rubric;
    static const unsigned char secret[32];
    struct failure unread = {0};
    return !*exercise || rubric_find(marks->rubrics, marks->rubric_count, exercise) ||
           rubric_read(course->directory, exercise, secret, &rubric, &unread) ||
           failure_harness(failure, "%s.exercise: there is no rubric for `%s`", place, exercise);
}

/* Check the policy's exercises and people. Replace each id or e-mail by the class list's id. */
static bool check_policy(struct marks *marks, const char *path, const struct marks_course *course,
                         struct failure *failure)
{
    const struct policy *policy = &marks->policy;
    char place[PATH_SIZE + 64];
    for (size_t i = 0; i < policy->exercise_count; i++) {
        snprintf(place, sizeof place, "%s: exercises[%zu]", path, i);
        if (!check_exercise(marks, place, course, policy->exercises[i].exercise, failure))
            return false;
    }
    for (size_t i = 0; i < policy->extension_count; i++) {
        struct policy_entry *entry = &policy->extensions[i];
        size_t person = adjust_find_person(marks->list, entry->id);
        snprintf(place, sizeof place, "%s: extensions[%zu]", path, i);
        if (person == marks->list->count)
            return failure_harness(failure, "%s.id: no student of this class has the id `%s`",
                                   place, entry->id);
        snprintf(entry->id, sizeof entry->id, "%s", marks->list->submissions[person].id);
        if (!check_exercise(marks, place, course, entry->exercise, failure))
            return false;
    }
    return true;
}

bool marks_open(struct marks *marks, const struct marks_files *files, const struct class_list *list,
                const char *rubrics, const char *const *exercises, size_t exercise_count,
                const unsigned char secret[32], struct failure *failure)
{
    *marks = (struct marks){.list = list};
    list_names(marks);
    if (!policy_read(files->policy, &marks->policy, failure))
        return false;
    const bool needed = files->policy || files->adjust || files->gradebook;
    if (needed)
        marks->rubrics = rubric_read_all(rubrics, exercises, exercise_count, secret,
                                         &marks->rubric_count, failure);
    const struct marks_course course = {list, marks->rubrics, marks->rubric_count, rubrics};
    if ((needed && !marks->rubrics) || !check_policy(marks, files->policy, &course, failure) ||
        (files->gradebook && !gradebook_fill(files->gradebook, NULL, list, marks->rubrics,
                                             marks->rubric_count, NULL, false, NULL, failure)))
        return false;
    if (files->pairs && !(marks->group_of = adjust_read_pairs(files->pairs, list, failure)))
        return false;
    return !files->adjust || adjust_read(files->adjust, &course, &marks->adjustments, failure);
}

void marks_close(struct marks *marks)
{
    policy_free(&marks->policy);
    adjust_free(&marks->adjustments);
    json_decref(marks->names);
    free(marks->group_of);
    free(marks->rubrics);
    json_decref(marks->left_out);
    *marks = (struct marks){.list = NULL};
}

struct candidate {
    const json_t *lab;
    struct upload upload;
    struct lateness lateness;
    double worth;
    size_t person;
};

enum order { BY_NUMBER, BY_TIME, BY_CHANGE, BY_NOTHING };
static const char *const order_words[] = {
    [BY_NUMBER] = "by the platform's attempt numbers",
    [BY_TIME] = "by the times of the files",
    [BY_CHANGE] = "by the times in the archive",
    [BY_NOTHING] = "the order of the files is unknown, so the better file counts"};

static struct upload upload_of(const json_t *lab)
{
    const json_t *upload = json_object_get(lab, "upload");
    return (struct upload){
        .time = json_integer_value(json_object_get(upload, "time")),
        .modified = json_integer_value(json_object_get(upload, "modified")),
        .number = (uint64_t)json_integer_value(json_object_get(upload, "number")),
        .late = json_is_true(json_object_get(upload, "late")),
    };
}

/* Returns 1 if `a` is later than `b`, -1 if earlier, 0 if unknown. *order is the criterion. */
static int compare_uploads(const struct upload *a, const struct upload *b, enum order *order)
{
    const int64_t of_a[] = {(int64_t)a->number, a->time, a->modified};
    const int64_t of_b[] = {(int64_t)b->number, b->time, b->modified};
    for (*order = BY_NUMBER; *order < BY_NOTHING; ++*order)
        if (of_a[*order] && of_b[*order] && of_a[*order] != of_b[*order])
            return of_a[*order] > of_b[*order] ? 1 : -1;
    return 0;
}

static bool is_preferred(const struct policy_rule *rule, const struct candidate *a,
                         const struct candidate *b)
{
    enum order order;
    int later = compare_uploads(&a->upload, &b->upload, &order);
    if (rule->counts == COUNTS_BEST)
        return a->worth > b->worth || (a->worth == b->worth && later > 0);
    if (a->lateness.late != b->lateness.late)
        return b->lateness.late;
    return later ? later > 0 : a->worth > b->worth;
}

static bool same_source(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "source"), json_object_get(b, "source"));
}

static json_t *choice_text(const struct marks *marks, const struct policy_rule *rule,
                           const struct candidate *candidates, size_t count, size_t chosen)
{
    char others[600] = "";
    size_t different = 0;
    bool any_late = false, all_late = true;
    enum order weakest = BY_NUMBER, order;
    for (size_t i = 0; i < count; i++) {
        any_late |= candidates[i].lateness.late;
        all_late &= candidates[i].lateness.late;
        if (i == chosen || same_source(candidates[i].lab, candidates[chosen].lab))
            continue;
        if (candidates[i].lateness.late == candidates[chosen].lateness.late) {
            compare_uploads(&candidates[i].upload, &candidates[chosen].upload, &order);
            weakest = order > weakest ? order : weakest;
        }
        bool partners = candidates[i].person != candidates[chosen].person;
        if (different++ < FILES_NAMED)
            APPEND(others, "%s%.100s%s%.60s", *others ? ", " : "",
                   json_text_of(candidates[i].lab, "file"), partners ? " of " : "",
                   partners ? marks->list->submissions[candidates[i].person].name : "");
    }
    if (!different)
        return json_string("");
    if (different > FILES_NAMED)
        APPEND(others, " and %zu more", different - FILES_NAMED);
    const char *file = json_text_of(candidates[chosen].lab, "file");
    if (rule->counts == COUNTS_BEST)
        return json_format(
            "%s counts, because it is the best file for this exercise; %s %s not count", file,
            others, different == 1 ? "does" : "do");
    return json_format("%s counts, because %s (%s); %s %s not count", file,
                       all_late   ? "all files are late, and it is the last file for this exercise"
                       : any_late ? "it is the last file for this exercise that is on time"
                                  : "it is the last file for this exercise",
                       order_words[weakest], others, different == 1 ? "does" : "do");
}

struct group {
    size_t persons[GROUP_MAX];
    const json_t *grades[GROUP_MAX];
    const char *ids[GROUP_MAX];
    size_t count, self;
};

static void add_candidates(const struct policy_rule *rule, const json_t *labs, const char *exercise,
                           size_t person, struct candidate *candidates, size_t *count)
{
    size_t index;
    const json_t *lab;
    json_array_foreach (labs, index, lab) {
        if (strcmp(json_text_of(lab, "exercise"), exercise) || *count == CANDIDATES_MAX ||
            !json_is_string(json_object_get(lab, "file")))
            continue;
        struct candidate *candidate = &candidates[(*count)++];
        *candidate = (struct candidate){lab, .upload = upload_of(lab), .person = person};
        candidate->lateness = policy_lateness(rule, &candidate->upload);
        double score = json_number_of(lab, "score");
        candidate->worth = score - policy_deduction(rule, score, json_number_of(lab, "points"),
                                                    &candidate->lateness);
    }
}

static void set_points(json_t *object, const char *field, double points)
{
    json_object_set_new(object, field, json_number(round(points * 100) / 100));
}

static void add_change(json_t *lab, const char *kind, double points, json_t *text)
{
    json_t *change = json_pack("{s:s, s:o}", "kind", kind, "text", text);
    set_points(change, "points", points);
    json_array_append_new(json_object_get(lab, "changes"), change);
    set_points(lab, "score", json_number_of(lab, "score") + points);
}

/* Returns the next manual mark from *next on, of a check or (`whole`) of the exercise; or NULL. */
static const struct adjustment *next_by_hand(const struct marks *marks, size_t person,
                                             const char *exercise, bool whole, size_t *next)
{
    while (*next < marks->adjustments.count) {
        const struct adjustment *item = &marks->adjustments.items[(*next)++];
        if (item->person == person && (item->check < 0) == whole &&
            !strcmp(marks->rubrics[item->rubric].exercise.name, exercise))
            return item;
    }
    return NULL;
}

static double adjusted(const struct adjustment *item, const json_t *object)
{
    double points = json_number_of(object, "points");
    double score = item->points + (item->adds ? json_number_of(object, "score") : 0);
    return score < 0 ? 0 : score > points ? points : score;
}

static json_t *by_hand_text(const struct adjustment *item, const char *before)
{
    return json_format("%smarked by hand%s%s", before, *item->reason ? ": " : "", item->reason);
}

static void adjust_checks(const struct marks *marks, size_t person, const char *exercise,
                          json_t *lab)
{
    const struct adjustment *item;
    for (size_t next = 0; (item = next_by_hand(marks, person, exercise, false, &next));) {
        json_t *check = json_array_get(json_object_get(lab, "checks"), (size_t)item->check);
        double score = adjusted(item, check), change = score - json_number_of(check, "score");
        if (!json_is_string(json_object_get(lab, "file"))) { /* reports then contain no checks */
            char title[256];
            snprintf(title, sizeof title, "%s: ", json_text_of(check, "title"));
            add_change(lab, "by_hand", change, by_hand_text(item, title));
            continue;
        }
        const char *result = score >= json_number_of(check, "points") ? "passed"
                             : score > 0                              ? "partial"
                                                                      : "failed";
        set_points(check, "score", score);
        json_object_update_new(check, json_pack("{s:s, s:o, s:s, s:b}", "result", result, "text",
                                                by_hand_text(item, ""), "hint", "", "by_hand", 1));
        set_points(lab, "score", json_number_of(lab, "score") + change);
    }
}

static double open_points(const json_t *lab)
{
    double open = 0;
    size_t index;
    const json_t *check;
    json_array_foreach (json_object_get(lab, "checks"), index, check)
        if (!strcmp(json_text_of(check, "result"), "open"))
            open += json_number_of(check, "points");
    return open;
}

static void add_flag(json_t *flags, const char *kind, json_t *evidence)
{
    json_array_append_new(flags, json_pack("{s:s, s:o}", "kind", kind, "evidence", evidence));
}

static void deduct(const struct policy_rule *rule, const struct candidate *chosen, json_t *lab,
                   json_t *flags)
{
    const struct lateness *lateness = &chosen->lateness;
    double amount = policy_deduction(rule, json_number_of(lab, "score"),
                                     json_number_of(lab, "points"), lateness);
    char when[POLICY_TIME_SIZE + 16] = "";
    if (*rule->deadline && !lateness->unsure && chosen->upload.time && !chosen->upload.number) {
        char time[POLICY_TIME_SIZE];
        policy_time_text(chosen->upload.time, time);
        json_object_set_new(lab, "handed_in", json_string(time));
        snprintf(when, sizeof when, " on %s", time);
    }
    json_object_set_new(lab, "late_days", json_integer((json_int_t)lateness->days));
    if (lateness->unsure && (amount > 0 || rule->extended))
        add_flag(flags, "late",
                 json_format("%s: Canvas reports that this file is late, but not how late: %s",
                             json_text_of(lab, "file"),
                             rule->extended ? "there is an extension, so nothing was deducted"
                                            : "the points for one late day were deducted"));
    if (!lateness->late)
        return;
    if (lateness->unsure)
        add_change(lab, "late", -amount, json_string("submitted late, according to Canvas"));
    else
        add_change(lab, "late", -amount,
                   json_format("submitted late%s: %d %s after %s%s", when, (int)lateness->days,
                               lateness->days == 1 ? "day" : "days", rule->deadline,
                               rule->most_days && lateness->days > rule->most_days
                                   ? "; a submission that is so late gets no points"
                                   : ""));
}

static void adjust_lab(const struct marks *marks, size_t person, const char *exercise, json_t *lab)
{
    const struct adjustment *item;
    for (size_t next = 0; (item = next_by_hand(marks, person, exercise, true, &next));) {
        if (!item->adds)
            json_object_set_new(lab, "open", json_integer(0));
        add_change(lab, "by_hand", adjusted(item, lab) - json_number_of(lab, "score"),
                   by_hand_text(item, ""));
    }
}

static void flag_both(const struct marks *marks, const struct candidate *candidates, size_t count,
                      size_t chosen, const char *exercise, json_t *flags)
{
    for (size_t i = 0; i < count; i++)
        if (candidates[i].person != candidates[chosen].person &&
            !same_source(candidates[i].lab, candidates[chosen].lab)) {
            add_flag(
                flags, "pair",
                json_format(
                    "%s: the partners submitted different files; the file of %s counts for both",
                    exercise, marks->list->submissions[candidates[chosen].person].id));
            return;
        }
}

static json_t *mark_lab(const struct marks *marks, const struct group *group, const json_t *own,
                        json_t *flags)
{
    const char *exercise = json_text_of(own, "exercise");
    const struct policy_rule rule =
        policy_rule_for(&marks->policy, exercise, group->ids, group->count);
    struct candidate *candidates = allocate_checked(calloc(CANDIDATES_MAX, sizeof *candidates));
    size_t count = 0, chosen = 0;
    for (size_t i = 0; i < group->count; i++) {
        add_candidates(&rule, json_object_get(group->grades[i], "labs"), exercise,
                       group->persons[i], candidates, &count);
        add_candidates(&rule, json_object_get(group->grades[i], "others"), exercise,
                       group->persons[i], candidates, &count);
    }
    for (size_t i = 1; i < count; i++)
        if (is_preferred(&rule, &candidates[i], &candidates[chosen]))
            chosen = i;
    json_t *lab = json_copy((json_t *)(count ? candidates[chosen].lab : own));
    size_t self = group->persons[group->self];
    json_object_del(lab, "upload");
    json_t *choice = count ? choice_text(marks, &rule, candidates, count, chosen) : json_string("");
    json_object_update_new(lab, json_pack("{s:o*, s:[], s:n, s:n, s:i, s:o, s:o}", "checks",
                                          json_deep_copy(json_object_get(lab, "checks")), "changes",
                                          "handed_in", "partner", "late_days", 0, "chosen", choice,
                                          "judged", json_number(json_number_of(lab, "score"))));
    adjust_checks(marks, self, exercise, lab);
    json_object_set_new(lab, "open", json_number(open_points(lab)));
    if (count) {
        if (candidates[chosen].person != self)
            json_object_set_new(
                lab, "partner",
                json_format("%s", marks->list->submissions[candidates[chosen].person].name));
        deduct(&rule, &candidates[chosen], lab, flags);
        flag_both(marks, candidates, count, chosen, exercise, flags);
    }
    adjust_lab(marks, self, exercise, lab);
    free(candidates);
    return lab;
}

bool marks_leave_out(const struct marks *marks, const char *exercise)
{
    size_t index;
    const json_t *name;
    json_array_foreach (marks->left_out, index, name)
        if (!strcmp(json_string_value(name), exercise))
            return true;
    return false;
}

static json_t *namesakes(const struct marks *marks, size_t person)
{
    char folded[NAME_SIZE];
    size_t index;
    json_t *ids = json_array(), *id;
    fold_name(marks->list, person, folded);
    json_array_foreach (json_object_get(marks->names, *folded ? folded : NULL), index, id)
        if (strcmp(json_string_value(id), marks->list->submissions[person].id))
            json_array_append(ids, id);
    return ids;
}

static json_t *partners(const struct marks *marks, const struct group *group)
{
    json_t *list = json_array();
    for (size_t i = 0; i < group->count; i++)
        if (i != group->self)
            json_array_append_new(
                list,
                json_pack("{s:s, s:o}", "id", group->ids[i], "name",
                          json_format("%s", marks->list->submissions[group->persons[i]].name)));
    return list;
}

static json_t *assemble(const struct marks *marks, const struct group *group, const json_t *grade)
{
    static const char *const standings[] = {[STANDING_NO_ROSTER] = "",
                                            [STANDING_IN_ROSTER] = "in_roster",
                                            [STANDING_STRANGER] = "stranger"};
    const size_t self = group->persons[group->self];
    json_t *marked = json_copy((json_t *)grade), *labs = json_array();
    json_t *flags = json_copy(json_object_get(grade, "flags"));
    json_t *record = json_copy(json_object_get(grade, "record"));
    double score = 0, open = 0, points = 0;
    bool submitted = false;
    size_t index;
    const json_t *lab;
    flags = flags ? flags : json_array();
    json_array_foreach (json_object_get(grade, "labs"), index, lab) {
        if (marks_leave_out(marks, json_text_of(lab, "exercise")))
            continue;
        json_t *marked_lab = mark_lab(marks, group, lab, flags);
        points += json_number_of(marked_lab, "points");
        score += json_number_of(marked_lab, "score");
        open += json_number_of(marked_lab, "open");
        json_array_append_new(labs, marked_lab);
    }
    for (size_t i = 0; i < group->count; i++)
        submitted |= json_is_true(json_object_get(group->grades[i], "submitted"));
    json_object_del(record, "uploads");
    json_object_del(record, "key");
    json_object_del(marked, "others");
    set_points(marked, "score", score);
    set_points(marked, "open", open);
    set_points(marked, "points", points);
    json_object_set_new(marked, "left_out",
                        marks->left_out ? json_copy(marks->left_out) : json_array());
    json_object_update_new(
        marked, json_pack("{s:o*, s:o, s:o, s:b, s:s, s:o, s:o}", "record", record, "flags", flags,
                          "labs", labs, "submitted", submitted, "standing",
                          standings[marks->list->submissions[self].standing], "namesakes",
                          namesakes(marks, self), "partners", partners(marks, group)));
    return marked;
}

json_t *marks_apply(const struct marks *marks, size_t index, const json_t *grade,
                    json_t *(*load)(void *context, size_t index, struct failure *failure),
                    void *context, struct failure *failure)
{
    struct group group = {.count = 0};
    json_t *loaded[GROUP_MAX] = {NULL}, *marked = NULL;
    bool good = true;
    for (size_t i = 0; i < marks->list->count && group.count < GROUP_MAX; i++) {
        if (i != index && (!marks->group_of || marks->group_of[i] != marks->group_of[index]))
            continue;
        if (i == index)
            group.self = group.count;
        else
            good = good && (loaded[group.count] = load(context, i, failure));
        group.persons[group.count] = i;
        group.ids[group.count] = marks->list->submissions[i].id;
        group.grades[group.count] = i == index ? grade : loaded[group.count];
        group.count++;
    }
    if (good)
        marked = assemble(marks, &group, grade);
    for (size_t i = 0; i < GROUP_MAX; i++)
        json_decref(loaded[i]);
    return marked;
}
