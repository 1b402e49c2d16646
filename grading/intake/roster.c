#define _GNU_SOURCE
#include "intake/roster.h"

#include "intake/table.h"
#include "intake/text.h"
#include "process/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SIZE = 256 };

enum kind { ID, NAME, FIRST_NAME, LAST_NAME, EMAIL, KIND_COUNT };
enum { HEADERS_MAX = 20 };

/* Folded headers (text_fold), preferred first. Moodle's German, French and Spanish come last. */
static const char *const headers[KIND_COUNT][HEADERS_MAX] = {
    [ID] = {"sisloginid",
            "loginid",
            "login",
            "username",
            "netid",
            "githubusername",
            "sisuserid",
            "sisid",
            "sid",
            "studentid",
            "studentnumber",
            "idnumber",
            "matriculationnumber",
            "matrikelnummer",
            "orgdefinedid",
            "rosteridentifier",
            "userid",
            "id",
            "identifier",
            "idnummer"},
    [NAME] = {"student", "studentname", "fullname", "name", "displayname", "vollstandigername",
              "nomcomplet", "nombrecompleto"},
    [FIRST_NAME] = {"firstname", "givenname", "first", "vorname", "prenom", "nombre"},
    [LAST_NAME] = {"lastname", "familyname", "surname", "last", "nachname", "nomdefamille", "nom",
                   "apellidos"},
    [EMAIL] = {"email", "emailaddress", "mail", "emailadresse", "adressedecourriel",
               "direccionemail", "direcciondecorreo"},
};

struct reading {
    struct roster *roster;
    struct table table;
    size_t columns[KIND_COUNT][HEADERS_MAX];
};

static bool find_columns(struct reading *reading)
{
    bool found = false;
    for (size_t kind = 0; kind < KIND_COUNT; kind++)
        for (size_t h = 0; h < HEADERS_MAX; h++) {
            size_t column = headers[kind][h] ? table_column(&reading->table, headers[kind][h])
                                             : TABLE_COLUMNS_MAX;
            reading->columns[kind][h] = column;
            found |= column < TABLE_COLUMNS_MAX;
        }
    return found ||
           table_fail(&reading->table,
                      "no known column: the first line must name columns such as id, name, email");
}

static const char *field_of(const struct reading *reading, enum kind kind)
{
    for (size_t h = 0; h < HEADERS_MAX; h++) {
        const char *field = table_field(&reading->table, reading->columns[kind][h]);
        if (*field)
            return field;
    }
    return NULL;
}

static char *clean_copy(const char *text)
{
    return text_clean(text, strlen(text));
}

static char *join_names(const char *first, const char *last, size_t last_length)
{
    char *joined = allocate_format("%s %.*s", first, (int)last_length, last);
    size_t blank = strspn(joined, " "), end = strlen(joined);
    while (end > blank && joined[end - 1] == ' ')
        end--;
    char *clean = text_clean(joined + blank, end - blank);
    free(joined);
    return clean;
}

static char *person_name(const struct reading *reading)
{
    const char *name = field_of(reading, NAME);
    const char *comma = name ? strchr(name, ',') : NULL;
    if (comma && !strchr(comma + 1, ','))
        return join_names(comma + 1, name, (size_t)(comma - name));
    const char *first = field_of(reading, FIRST_NAME), *last = field_of(reading, LAST_NAME);
    if (!name && (first || last))
        return join_names(first ? first : "", last ? last : "", last ? strlen(last) : 0);
    name = name ? name : field_of(reading, EMAIL);
    name = name ? name : field_of(reading, ID);
    return clean_copy(name ? name : "");
}

/* If the same text is a key of several kinds, the kind with the lower rank is used. */
enum rank { RANK_ID, RANK_EMAIL, RANK_NAME };

static json_int_t key_value(const json_t *key, bool rank)
{
    return json_integer_value(json_array_get(key, rank));
}

/* Add `text` as a key of the last person. A key of two people with equal ranks finds no person. */
static void add_key(struct roster *roster, const char *text, enum rank rank)
{
    char folded[KEY_SIZE];
    const json_int_t person = (json_int_t)roster->count - 1;
    text_fold(text, folded, sizeof folded);
    json_t *key = json_object_get(roster->keys, folded);
    if (!*folded)
        return;
    if (!key || rank < key_value(key, true)) /* the truncated text may be invalid UTF-8 */
        json_object_set_new_nocheck(roster->keys, folded, json_pack("[I, i]", person, (int)rank));
    else if (rank == key_value(key, true) && person != key_value(key, false))
        json_array_set_new(key, 0, json_integer(ROSTER_NOBODY));
}

/* Add each rotation of the words as a key. One key of "Ana Maria Silva" is "silvaanamaria". */
static void add_name_keys(struct roster *roster, const char *name)
{
    for (size_t start = 0; name[start]; start++) {
        if (start && name[start - 1] != ' ')
            continue;
        char *rotated = join_names(name + start, name, start);
        add_key(roster, rotated, RANK_NAME);
        free(rotated);
    }
}

static void add_keys(struct reading *reading)
{
    static const enum kind kinds[] = {[RANK_ID] = ID, [RANK_EMAIL] = EMAIL};
    for (enum rank k = RANK_ID; k <= RANK_EMAIL; k++)
        for (size_t h = 0; h < HEADERS_MAX; h++) {
            char user[KEY_SIZE];
            const char *field = table_field(&reading->table, reading->columns[kinds[k]][h]);
            snprintf(user, sizeof user, "%.*s", (int)strcspn(field, "@"), field);
            add_key(reading->roster, field, k);
            if (strchr(field, '@'))
                add_key(reading->roster, user, RANK_EMAIL);
        }
    add_name_keys(reading->roster, reading->roster->persons[reading->roster->count - 1].name);
}

/* Returns false for Canvas's row of possible points and Canvas's test student. */
static bool is_person(const char *name)
{
    char folded[KEY_SIZE];
    text_fold(name, folded, sizeof folded);
    return *folded && strcmp(folded, "pointspossible") && strcmp(folded, "teststudent");
}

static void add_person(struct reading *reading)
{
    struct roster *roster = reading->roster;
    const char *email = field_of(reading, EMAIL), *id = field_of(reading, ID);
    struct roster_person person = {.name = person_name(reading), .line = reading->table.line};
    if (!is_person(person.name)) {
        free(person.name);
        return;
    }
    person.id = clean_copy(id ? id : email ? email : person.name);
    person.email = email ? clean_copy(email) : NULL;
    allocate_room(&roster->persons, roster->count, sizeof person);
    roster->persons[roster->count++] = person;
    add_keys(reading);
}

bool roster_read(const char *path, struct roster *roster, struct failure *failure)
{
    struct reading reading = {.roster = roster};
    *roster = (struct roster){.keys = json_object()};
    bool good = table_open(&reading.table, path, failure) && find_columns(&reading);
    while (good && table_next(&reading.table))
        add_person(&reading);
    good = good && failure->kind == FAILURE_NONE;
    table_close(&reading.table);
    for (size_t i = 0; i < roster->count && good; i++)
        if (roster_find(roster, roster->persons[i].id) == ROSTER_NOBODY)
            good = failure_harness(failure, "%s: the ID `%s` occurs twice", path,
                                   roster->persons[i].id);
    if (!good)
        roster_free(roster);
    return good;
}

void roster_free(struct roster *roster)
{
    for (size_t i = 0; i < roster->count; i++) {
        free(roster->persons[i].id);
        free(roster->persons[i].name);
        free(roster->persons[i].email);
    }
    free(roster->persons);
    json_decref(roster->keys);
    *roster = (struct roster){0};
}

long roster_find(const struct roster *roster, const char *text)
{
    char folded[KEY_SIZE];
    text_fold(text, folded, sizeof folded);
    const json_t *key = json_object_get(roster->keys, folded);
    return key ? (long)key_value(key, false) : ROSTER_NOBODY;
}
