#include "marks/changes.h"

#include "base/whole_file.h"
#include "base/wording.h"
#include "goals/digest.h"
#include "intake/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANGES_FORMAT "transpose-lab-marks-1"

enum { FILE_BYTES_MAX = 256 << 20, WHY_SIZE = 1500 };

static json_t *stored_field(const json_t *stored, const char *name, json_type type)
{
    json_t *field = json_object_get(stored, name);
    if (field && json_typeof(field) == type)
        return json_incref(field);
    return type == JSON_OBJECT ? json_object() : json_array();
}

void changes_open(struct changes *changes, const char *path)
{
    struct failure unread = {0};
    size_t size;
    char *text = whole_file_read(path, FILE_BYTES_MAX, &size, &unread);
    json_t *file = text ? json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const json_t *stored = strcmp(json_text_of(file, "format"), CHANGES_FORMAT) ? NULL : file;
    *changes = (struct changes){.before = stored_field(stored, "people", JSON_OBJECT),
                                .now = json_object(),
                                .list = json_array(),
                                .last = stored_field(stored, "changes", JSON_ARRAY)};
    json_decref(file);
    free(text);
}

void changes_close(struct changes *changes)
{
    json_decref(changes->before);
    json_decref(changes->now);
    json_decref(changes->list);
    json_decref(changes->last);
    *changes = (struct changes){.before = NULL};
}

static json_t *digest_of(const char *source)
{
    unsigned char digest[DIGEST_SIZE];
    char text[DIGEST_TEXT_SIZE];
    digest_bytes(source, strlen(source), digest);
    digest_text(digest, 8, text);
    return json_string(text);
}

__attribute__((format(printf, 2, 3))) static void add_why(char *why, const char *format, ...)
{
    if (*why)
        text_append(why, WHY_SIZE, "; ");
    size_t used = strlen(why);
    FORMAT(why + used, WHY_SIZE - used, format);
}

static json_t *changes_of_kind(const json_t *lab, const char *kind)
{
    double points = 0;
    char said[WHY_SIZE] = "";
    size_t index;
    const json_t *change;
    json_array_foreach (json_object_get(lab, "changes"), index, change) {
        if (strcmp(json_text_of(change, "kind"), kind))
            continue;
        points += json_number_of(change, "points");
        add_why(said, "%s", json_text_of(change, "text"));
    }
    return json_pack("{s:o, s:o}", "points", json_number(points), "said", json_format("%s", said));
}

static json_t *marked_checks(const json_t *lab)
{
    json_t *marked = json_object();
    size_t index;
    const json_t *check;
    json_array_foreach (json_object_get(lab, "checks"), index, check)
        if (json_is_true(json_object_get(check, "by_hand")))
            json_object_set_new(
                marked, json_text_of(check, "id"),
                json_format("%g, %s", json_number_of(check, "score"), json_text_of(check, "text")));
    return marked;
}

static json_t *mark_of(const json_t *lab)
{
    return json_pack("{s:o, s:o, s:o, s:O?, s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:s}", "score",
                     json_number(json_number_of(lab, "score")), "points",
                     json_number(json_number_of(lab, "points")), "judged",
                     json_number(json_number_of(lab, "judged")), "file",
                     json_object_get(lab, "file"), "status", json_text_of(lab, "status"), "source",
                     digest_of(json_text_of(lab, "source")), "rubric", json_text_of(lab, "rubric"),
                     "compiler", json_text_of(lab, "compiler"), "late",
                     changes_of_kind(lab, "late"), "by_hand", changes_of_kind(lab, "by_hand"),
                     "checks", marked_checks(lab), "partner", json_text_of(lab, "partner"));
}

static bool differs(const json_t *old, const json_t *new, const char *field)
{
    return !json_equal(json_object_get(old, field), json_object_get(new, field));
}

static void explain_grader(const json_t *old_person, const json_t *person, const json_t *old,
                           const json_t *new, char *why)
{
    size_t before = strlen(why);
    if (differs(old, new, "rubric"))
        add_why(why, "the rubric has changed");
    if (differs(old_person, person, "seed"))
        add_why(why, "the seed has changed");
    if (differs(old, new, "compiler"))
        add_why(why, "the compiler produced different code");
    if (strlen(why) == before)
        add_why(why, "the grader has changed");
}

static void explain_change(const json_t *old_person, const json_t *person, const json_t *old,
                           const json_t *new, char *why)
{
    const char *before = json_text_of(old, "file"), *after = json_text_of(new, "file");
    if (!*before && *after)
        add_why(why, "%.200s was submitted", after);
    else if (*before && !*after)
        add_why(why, "%.200s was removed", before);
    else if (strcmp(before, after))
        add_why(why, "%.200s counts instead of %.200s", after, before);
    else if (differs(old, new, "source"))
        add_why(why, "%.200s has changed", after);
    else if (differs(old, new, "judged") || differs(old, new, "points"))
        explain_grader(old_person, person, old, new, why);
    if (differs(old, new, "partner") && *after)
        add_why(why,
                *json_text_of(new, "partner") ? "submitted by %.100s"
                                              : "the file is no longer submitted by a partner%s",
                json_text_of(new, "partner"));
    const json_t *late = json_object_get(new, "late"), *hand = json_object_get(new, "by_hand");
    if (differs(json_object_get(old, "late"), late, "points"))
        add_why(why, "%.200s",
                *json_text_of(late, "said") ? json_text_of(late, "said")
                                            : "the file is no longer late");
    if (differs(json_object_get(old, "by_hand"), hand, "points") ||
        differs(json_object_get(old, "by_hand"), hand, "said"))
        add_why(why, "%.400s",
                *json_text_of(hand, "said") ? json_text_of(hand, "said")
                                            : "the exercise is no longer marked by hand");
    if (differs(old, new, "checks"))
        add_why(why, "checks were marked by hand");
    if (!*why)
        add_why(why, "deadlines or manual marks have changed");
}

static void add_change(struct changes *changes, const char *id, const char *name,
                       const char *exercise, double old, json_t *new, const char *why)
{
    json_array_append_new(changes->list,
                          json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "id", id, "name", name,
                                    "exercise", exercise, "old", json_number(old), "new", new,
                                    "why", json_format("%s", why)));
}

static void compare(struct changes *changes, const char *id, const json_t *person,
                    const char *exercise, const json_t *mark)
{
    const json_t *old_person = json_object_get(changes->before, id);
    const json_t *old = json_object_get(json_object_get(old_person, "exercises"), exercise);
    double change = json_number_of(mark, "score") - json_number_of(old, "score");
    char why[WHY_SIZE] = "";
    if (!old || fabs(change) < 1e-9)
        return;
    explain_change(old_person, person, old, mark, why);
    add_change(changes, id, json_text_of(person, "name"), exercise, json_number_of(old, "score"),
               json_number(json_number_of(mark, "score")), why);
}

void changes_add(struct changes *changes, const json_t *marked)
{
    const json_t *record = json_object_get(marked, "record");
    const char *id = json_text_of(marked, "id");
    bool held = false;
    size_t index;
    const json_t *entry;
    json_array_foreach (json_object_get(marked, "flags"), index, entry)
        held |= !strcmp(json_text_of(entry, "kind"), "not_graded");
    json_t *person =
        json_pack("{s:s, s:s, s:s, s:b, s:b, s:{}}", "name", json_text_of(marked, "name"), "seed",
                  json_text_of(record, "seed"), "tlab", json_text_of(record, "tlab"), "hold", held,
                  "submitted", json_is_true(json_object_get(marked, "submitted")), "exercises");
    json_array_foreach (json_object_get(marked, "labs"), index, entry) {
        json_t *mark = mark_of(entry);
        const char *exercise = json_text_of(entry, "exercise");
        compare(changes, id, person, exercise, mark);
        json_object_set_new(json_object_get(person, "exercises"), exercise, mark);
    }
    json_object_set_new(changes->now, id, person);
}

static void add_removed_people(struct changes *changes)
{
    const char *id, *exercise;
    json_t *person, *mark;
    changes->ended = true;
    json_object_foreach (changes->before, id, person) {
        if (json_object_get(changes->now, id))
            continue;
        json_object_foreach (json_object_get(person, "exercises"), exercise, mark)
            if (json_number_of(mark, "score") > 0)
                add_change(changes, id, json_text_of(person, "name"), exercise,
                           json_number_of(mark, "score"), json_null(),
                           "this person is no longer in the class");
    }
}

const json_t *changes_since(struct changes *changes, bool *new_ones)
{
    if (!changes->ended)
        add_removed_people(changes);
    *new_ones = json_array_size(changes->list) > 0;
    return *new_ones ? changes->list : changes->last;
}

bool changes_save(const struct changes *changes, const char *path, struct failure *failure)
{
    struct whole_file file;
    const json_t *list = json_array_size(changes->list) ? changes->list : changes->last;
    json_t *state = json_pack("{s:s, s:O, s:O}", "format", CHANGES_FORMAT, "people", changes->now,
                              "changes", list);
    bool good = whole_file_open(&file, path, failure);
    if (good) {
        json_dumpf(state, file.stream, JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(6));
        putc('\n', file.stream);
        good = whole_file_keep(&file, failure);
    }
    json_decref(state);
    return good;
}
