/* roster.c: see roster.h. */
#include "intake/roster.h"

#include "base/array.h"
#include "intake/table.h"
#include "intake/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SIZE = 256 };

enum kind { ID, NAME, FIRST_NAME, LAST_NAME, EMAIL, KIND_COUNT };
enum { HEADERS_MAX = 20 };

/* What columns are called (folded), by what they hold, in order of preference; last what Moodle
 * says in German, French and Spanish. */
static const char *const headers[KIND_COUNT][HEADERS_MAX] = {
    [ID] = {"sisloginid", "loginid", "login", "username", "netid", "githubusername", "sisuserid",
            "sisid", "sid", "studentid", "studentnumber", "idnumber", "matriculationnumber",
            "matrikelnummer", "orgdefinedid", "userid", "id", "identifier", "idnummer"},
    [NAME] = {"student", "studentname", "fullname", "name", "displayname", "vollstandigername",
              "nomcomplet", "nombrecompleto"},
    [FIRST_NAME] = {"firstname", "givenname", "first", "vorname", "prenom", "nombre"},
    [LAST_NAME] = {"lastname", "familyname", "surname", "last", "nachname", "nomdefamille", "nom",
                   "apellidos"},
    [EMAIL] = {"email", "emailaddress", "mail", "emailadresse", "adressedecourriel",
               "direccionemail", "direcciondecorreo"},
};

/* ---- People ---- */

/* The number of the column for each of `headers`; TABLE_COLUMNS_MAX: none. */
struct columns {
    size_t of[KIND_COUNT][HEADERS_MAX];
};

static bool find_columns(const struct table *table, struct columns *columns)
{
    bool found = false;
    for (size_t kind = 0; kind < KIND_COUNT; kind++)
        for (size_t h = 0; h < HEADERS_MAX; h++) {
            columns->of[kind][h] =
                headers[kind][h] ? table_column(table, headers[kind][h]) : TABLE_COLUMNS_MAX;
            found |= columns->of[kind][h] < TABLE_COLUMNS_MAX;
        }
    return found || table_fail(table, "no column that is known: the first line must name columns "
                                      "such as id, name, email");
}

/* The row's first non-empty field of a kind, in order of preference; NULL: none. */
static const char *field_of(const struct table *table, const struct columns *columns,
                            enum kind kind)
{
    for (size_t h = 0; h < HEADERS_MAX; h++) {
        const char *field = table_field(table, columns->of[kind][h]);
        if (*field)
            return field;
    }
    return NULL;
}

static char *clean_copy(const char *text)
{
    return text_clean(text, strlen(text));
}

/* "Last, First" turned round; or first and last name joined. Clean, malloc'd. */
static char *join_names(const char *first, size_t first_length, const char *last,
                        size_t last_length)
{
    char *joined = malloc(first_length + last_length + 2);
    if (!joined)
        return NULL;
    memcpy(joined, first, first_length);
    joined[first_length] = ' ';
    memcpy(joined + first_length + 1, last, last_length);
    joined[first_length + 1 + last_length] = 0;
    size_t blank = strspn(joined, " ");
    size_t end = strlen(joined);
    while (end > blank && joined[end - 1] == ' ')
        end--;
    char *clean = text_clean(joined + blank, end - blank);
    free(joined);
    return clean;
}

static char *person_name(const struct table *table, const struct columns *columns)
{
    const char *first = field_of(table, columns, FIRST_NAME);
    const char *last = field_of(table, columns, LAST_NAME);
    const char *name = field_of(table, columns, NAME);
    if (name) {
        const char *comma = strchr(name, ',');
        if (!comma || strchr(comma + 1, ','))
            return clean_copy(name);
        const char *given = comma + 1 + strspn(comma + 1, " ");
        return join_names(given, strlen(given), name, (size_t)(comma - name));
    }
    if (first || last)
        return join_names(first ? first : "", first ? strlen(first) : 0, last ? last : "",
                          last ? strlen(last) : 0);
    const char *other = field_of(table, columns, EMAIL);
    other = other ? other : field_of(table, columns, ID);
    return clean_copy(other ? other : "");
}

static bool add_key(struct roster *roster, const char *text, size_t length, unsigned rank,
                    struct failure *failure)
{
    char folded[KEY_SIZE], *part = strndup(text, length);
    if (!part)
        return failure_harness(failure, "not enough memory");
    text_fold(part, folded, sizeof folded);
    free(part);
    if (!*folded)
        return true;
    if (!array_make_room(&roster->keys, roster->key_count, sizeof *roster->keys))
        return failure_harness(failure, "not enough memory");
    struct roster_key key = {strdup(folded), roster->count - 1, rank};
    if (!key.text)
        return failure_harness(failure, "not enough memory");
    roster->keys[roster->key_count++] = key;
    return true;
}

/* All rotations of the name's words: "Ana Maria Silva" is also "silvaanamaria". */
static bool add_name_keys(struct roster *roster, const char *name, struct failure *failure)
{
    size_t length = strlen(name);
    for (size_t start = 0; start < length; start++) {
        if (start && name[start - 1] != ' ')
            continue;
        char *rotated = join_names(name + start, length - start, name, start);
        bool good = rotated ? add_key(roster, rotated, strlen(rotated), 2, failure)
                            : failure_harness(failure, "not enough memory");
        free(rotated);
        if (!good)
            return false;
    }
    return true;
}

/* All that the last person is known by. */
static bool add_keys(struct roster *roster, const struct table *table,
                     const struct columns *columns, struct failure *failure)
{
    static const enum kind kinds[] = {ID, EMAIL};
    for (unsigned k = 0; k < 2; k++)
        for (size_t h = 0; h < HEADERS_MAX; h++) {
            const char *field = table_field(table, columns->of[kinds[k]][h]);
            if (!add_key(roster, field, strlen(field), k, failure) ||
                (strchr(field, '@') && !add_key(roster, field, strcspn(field, "@"), 1, failure)))
                return false;
        }
    return add_name_keys(roster, roster->persons[roster->count - 1].name, failure);
}

/* Canvas adds a line of points and a test student. */
static bool is_person(const char *name)
{
    char folded[KEY_SIZE];
    text_fold(name, folded, sizeof folded);
    return *folded && strcmp(folded, "pointspossible") && strcmp(folded, "teststudent");
}

static bool add_person(struct roster *roster, const struct table *table,
                       const struct columns *columns, struct failure *failure)
{
    if (!array_make_room(&roster->persons, roster->count, sizeof *roster->persons))
        return failure_harness(failure, "not enough memory");
    const char *email = field_of(table, columns, EMAIL), *id = field_of(table, columns, ID);
    struct roster_person person = {.name = person_name(table, columns), .line = table->line};
    bool wanted = person.name && is_person(person.name);
    if (person.name && !wanted) {
        free(person.name);
        return true;
    }
    id = id ? id : email ? email : person.name;
    person.id = id ? clean_copy(id) : NULL;
    person.email = email ? clean_copy(email) : NULL;
    roster->persons[roster->count++] = person;
    if (!person.name || !person.id || (email && !person.email))
        return failure_harness(failure, "not enough memory");
    return add_keys(roster, table, columns, failure);
}

/* ---- Keys ---- */

static int compare_keys(const void *one, const void *other)
{
    const struct roster_key *a = one, *b = other;
    int order = strcmp(a->text, b->text);
    if (!order)
        order = (a->rank > b->rank) - (a->rank < b->rank);
    return order ? order : (a->person > b->person) - (a->person < b->person);
}

/* Two people of the same ID are two lines of the same person (in two sections), or a mistake. */
static bool check_ids(struct roster *roster, const char *path, struct failure *failure)
{
    for (size_t i = 0; i < roster->count; i++) {
        long found = roster_find(roster, roster->persons[i].id);
        if (found == ROSTER_NOBODY)
            return failure_harness(failure, "%s: the ID `%s` is there twice", path,
                                   roster->persons[i].id);
    }
    return true;
}

static bool read_people(struct table *table, struct roster *roster, struct failure *failure)
{
    struct columns columns;
    if (!find_columns(table, &columns))
        return false;
    while (table_next(table))
        if (!add_person(roster, table, &columns, failure))
            return false;
    if (failure->kind != FAILURE_NONE)
        return false;
    if (roster->key_count)
        qsort(roster->keys, roster->key_count, sizeof *roster->keys, compare_keys);
    return check_ids(roster, table->file.path, failure);
}

bool roster_read(const char *path, struct roster *roster, struct failure *failure)
{
    *roster = (struct roster){0};
    struct table *table = malloc(sizeof *table);
    if (!table)
        return failure_harness(failure, "not enough memory");
    bool good = table_open(table, path, failure) && read_people(table, roster, failure);
    table_close(table);
    free(table);
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
    for (size_t i = 0; i < roster->key_count; i++)
        free(roster->keys[i].text);
    free(roster->persons);
    free(roster->keys);
    *roster = (struct roster){0};
}

long roster_find(const struct roster *roster, const char *text)
{
    char folded[KEY_SIZE];
    text_fold(text, folded, sizeof folded);
    size_t low = 0, high = roster->key_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(roster->keys[middle].text, folded) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == roster->key_count || strcmp(roster->keys[low].text, folded))
        return ROSTER_NOBODY;
    const struct roster_key *first = &roster->keys[low];
    for (size_t i = low + 1; i < roster->key_count && !strcmp(roster->keys[i].text, folded) &&
                             roster->keys[i].rank == first->rank;
         i++)
        if (roster->keys[i].person != first->person)
            return ROSTER_NOBODY;
    return (long)first->person;
}
