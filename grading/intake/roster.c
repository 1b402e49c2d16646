/* roster.c: see roster.h. */
#include "intake/roster.h"

#include "base/csv_file.h"
#include "intake/array.h"
#include "intake/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROSTER_BYTES_MAX = 16 << 20, COLUMNS_MAX = 256, KEY_SIZE = 256 };

enum kind { ID, NAME, FIRST_NAME, LAST_NAME, EMAIL, KIND_COUNT };
enum { HEADERS_MAX = 20 };

/* What columns are called (folded), by what they hold, in order of preference. */
static const char *const headers[KIND_COUNT][HEADERS_MAX] = {
    [ID] = {"sisloginid", "loginid", "login", "username", "netid", "githubusername", "sisuserid",
            "sisid", "sid", "studentid", "studentnumber", "idnumber", "matriculationnumber",
            "matrikelnummer", "orgdefinedid", "userid", "id", "identifier"},
    [NAME] = {"student", "studentname", "fullname", "name", "displayname"},
    [FIRST_NAME] = {"firstname", "givenname", "first"},
    [LAST_NAME] = {"lastname", "familyname", "surname", "last"},
    [EMAIL] = {"email", "emailaddress", "mail"},
};

/* The file being read, and one row of it. */
struct reader {
    struct csv_file file;
    char *fields[COLUMNS_MAX];
    size_t field_count;
};

/* ---- Rows ---- */

/* Spreadsheets also write Latin-1, and the line ends of old Macs. */
static bool make_usual(struct csv_file *file, struct failure *failure)
{
    size_t length = (size_t)(file->end - file->next);
    if (!text_is_utf8(file->next, length)) {
        char *text = text_from_latin1(file->next, length, &length);
        if (!text)
            return failure_harness(failure, "not enough memory");
        free(file->text);
        file->text = file->next = text;
        file->end = text + length;
    }
    if (!strchr(file->next, '\n'))
        for (char *c = file->next; (c = strchr(c, '\r'));)
            *c = '\n';
    return true;
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        text[--length] = 0;
    return text;
}

/* The next row. False: the end, or a failure. */
static bool read_row(struct reader *reader)
{
    struct csv_file *file = &reader->file;
    struct csv_field field = {.last_of_row = false};
    const unsigned long line = file->line;
    if (!csv_file_next_row(file))
        return false;
    for (reader->field_count = 0; !field.last_of_row; reader->field_count++) {
        if (!csv_file_read_field(file, &field))
            return false;
        if (reader->field_count == COLUMNS_MAX)
            return csv_file_fail(file, line, "more than %d columns", COLUMNS_MAX);
        reader->fields[reader->field_count] = trim(field.text);
    }
    return true;
}

/* The one of , ; and tab that the first line has most of. */
static char find_separator(const char *text)
{
    static const char separators[] = ",;\t";
    size_t best = 0, best_count = 0;
    for (size_t i = 0; i < sizeof separators - 1; i++) {
        size_t count = 0;
        for (const char *c = text; *c && *c != '\n' && *c != '\r'; c++)
            count += *c == separators[i];
        if (count > best_count) {
            best = i;
            best_count = count;
        }
    }
    return separators[best];
}

/* ---- People ---- */

/* The number of the column for each of `headers`; COLUMNS_MAX: none. */
struct columns {
    size_t of[KIND_COUNT][HEADERS_MAX];
};

static size_t find_column(const struct reader *reader, const char *header)
{
    char folded[KEY_SIZE];
    for (size_t i = 0; header && i < reader->field_count; i++) {
        text_fold(reader->fields[i], folded, sizeof folded);
        if (!strcmp(folded, header))
            return i;
    }
    return COLUMNS_MAX;
}

static bool find_columns(struct reader *reader, struct columns *columns)
{
    bool found = false;
    for (size_t kind = 0; kind < KIND_COUNT; kind++)
        for (size_t h = 0; h < HEADERS_MAX; h++) {
            columns->of[kind][h] = find_column(reader, headers[kind][h]);
            found |= columns->of[kind][h] < COLUMNS_MAX;
        }
    return found || csv_file_fail(&reader->file, 1,
                                  "no column that is known: the first line must name columns such "
                                  "as id, name, email");
}

/* The row's first non-empty field of a kind, in order of preference; NULL: none. */
static const char *field_of(const struct reader *reader, const struct columns *columns,
                            enum kind kind)
{
    for (size_t h = 0; h < HEADERS_MAX; h++) {
        size_t column = columns->of[kind][h];
        if (column < reader->field_count && *reader->fields[column])
            return reader->fields[column];
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
    char *clean = clean_copy(trim(joined));
    free(joined);
    return clean;
}

static char *person_name(const struct reader *reader, const struct columns *columns)
{
    const char *first = field_of(reader, columns, FIRST_NAME);
    const char *last = field_of(reader, columns, LAST_NAME);
    const char *name = field_of(reader, columns, NAME);
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
    const char *other = field_of(reader, columns, EMAIL);
    other = other ? other : field_of(reader, columns, ID);
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
static bool add_keys(struct roster *roster, const struct reader *reader,
                     const struct columns *columns, struct failure *failure)
{
    static const enum kind kinds[] = {ID, EMAIL};
    for (unsigned k = 0; k < 2; k++)
        for (size_t h = 0; h < HEADERS_MAX; h++) {
            size_t column = columns->of[kinds[k]][h];
            if (column >= reader->field_count)
                continue;
            const char *field = reader->fields[column];
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

static bool add_person(struct roster *roster, const struct reader *reader,
                       const struct columns *columns, struct failure *failure)
{
    if (!array_make_room(&roster->persons, roster->count, sizeof *roster->persons))
        return failure_harness(failure, "not enough memory");
    const char *email = field_of(reader, columns, EMAIL), *id = field_of(reader, columns, ID);
    struct roster_person person = {.name = person_name(reader, columns)};
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
    return add_keys(roster, reader, columns, failure);
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

static bool read_people(struct reader *reader, struct roster *roster, struct failure *failure)
{
    struct columns columns;
    const char *path = reader->file.path;
    reader->file.separator = find_separator(reader->file.next);
    reader->file.stray_quotes = true;
    if (!read_row(reader))
        return failure->kind == FAILURE_NONE && failure_harness(failure, "%s is empty", path);
    if (!find_columns(reader, &columns))
        return false;
    while (read_row(reader))
        if (!add_person(roster, reader, &columns, failure))
            return false;
    if (failure->kind != FAILURE_NONE)
        return false;
    if (roster->key_count)
        qsort(roster->keys, roster->key_count, sizeof *roster->keys, compare_keys);
    return check_ids(roster, path, failure);
}

bool roster_read(const char *path, struct roster *roster, struct failure *failure)
{
    *roster = (struct roster){0};
    struct reader reader = {.field_count = 0};
    bool good = csv_file_open(&reader.file, path, ROSTER_BYTES_MAX, failure) &&
                make_usual(&reader.file, failure) && read_people(&reader, roster, failure);
    csv_file_close(&reader.file);
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
