#include "intake/roster.h"

#include "intake/text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROSTER_BYTES_MAX = 16 << 20, COLUMNS_MAX = 256, KEY_SIZE = 256 };

/* What a column holds. Those of one kind are in order of preference. */
enum kind { IGNORED, ID, NAME, FIRST_NAME, LAST_NAME, EMAIL };

static const struct {
    const char *header; /* folded */
    enum kind kind;
} headers[] = {{"sisloginid", ID},
               {"loginid", ID},
               {"login", ID},
               {"username", ID},
               {"netid", ID},
               {"githubusername", ID},
               {"sisuserid", ID},
               {"sisid", ID},
               {"sid", ID},
               {"studentid", ID},
               {"studentnumber", ID},
               {"idnumber", ID},
               {"matriculationnumber", ID},
               {"matrikelnummer", ID},
               {"orgdefinedid", ID},
               {"userid", ID},
               {"id", ID},
               {"identifier", ID},
               {"student", NAME},
               {"studentname", NAME},
               {"fullname", NAME},
               {"name", NAME},
               {"displayname", NAME},
               {"firstname", FIRST_NAME},
               {"givenname", FIRST_NAME},
               {"first", FIRST_NAME},
               {"lastname", LAST_NAME},
               {"familyname", LAST_NAME},
               {"surname", LAST_NAME},
               {"last", LAST_NAME},
               {"email", EMAIL},
               {"emailaddress", EMAIL},
               {"mail", EMAIL}};
enum { HEADER_COUNT = sizeof headers / sizeof *headers };

/* The file being read, and one row of it. */
struct reader {
    const char *path;
    char *text, *next, *end;
    unsigned line, row_line; /* of next; of the row's first field */
    char separator;
    char *fields[COLUMNS_MAX]; /* NUL-ended, in place */
    size_t field_count;
    struct failure *failure;
};

/* ---- Bytes ---- */

/* Latin-1 to UTF-8. */
static char *from_latin1(const char *bytes, size_t size, size_t *length)
{
    char *text = malloc(2 * size + 1), *end = text;
    for (size_t i = 0; text && i < size; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (byte >= 0x80)
            *end++ = (char)(0xC0 | byte >> 6);
        *end++ = (char)(byte < 0x80 ? byte : 0x80 | (byte & 0x3F));
    }
    if (text)
        *end = 0;
    *length = (size_t)(end - text);
    return text;
}

static bool read_text(struct reader *reader, FILE *file)
{
    char *bytes = malloc(ROSTER_BYTES_MAX + 1);
    if (!bytes)
        return failure_harness(reader->failure, "not enough memory");
    size_t size = fread(bytes, 1, ROSTER_BYTES_MAX + 1, file);
    const char *problem = ferror(file)              ? strerror(errno)
                          : size > ROSTER_BYTES_MAX ? "larger than 16 MB"
                          : memchr(bytes, 0, size)  ? "holds NUL bytes: save it as CSV in UTF-8"
                                                    : NULL;
    size_t bom = !problem && size >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3) ? 3 : 0;
    size_t length = size - bom;
    if (!problem) {
        if (text_is_utf8(bytes + bom, length)) {
            reader->text = malloc(length + 1);
            if (reader->text)
                memcpy(reader->text, bytes + bom, length);
        } else {
            reader->text = from_latin1(bytes, size, &length);
        }
    }
    free(bytes);
    if (problem)
        return failure_harness(reader->failure, "%s: %s", reader->path, problem);
    if (!reader->text)
        return failure_harness(reader->failure, "not enough memory");
    reader->text[length] = 0;
    reader->next = reader->text;
    reader->end = reader->text + length;
    return true;
}

/* ---- Rows ---- */

static bool row_failure(const struct reader *reader, const char *what)
{
    return failure_harness(reader->failure, "%s:%u: %s", reader->path, reader->row_line, what);
}

static void skip_line_end(struct reader *reader)
{
    if (*reader->next == '\r')
        reader->next++;
    if (*reader->next == '\n')
        reader->next++;
    reader->line++;
}

/* The quoted field at next, unquoted in place. */
static bool read_quoted(struct reader *reader, char **field)
{
    char *out = *field = reader->next;
    for (char *c = reader->next + 1; c < reader->end; c++) {
        if (*c == '"' && c[1] != '"') {
            reader->next = c + 1;
            *out = 0;
            return true;
        }
        c += *c == '"';
        reader->line += *c == '\n';
        *out++ = *c;
    }
    return row_failure(reader, "a quote that does not end");
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
    if (reader->next >= reader->end)
        return false;
    reader->field_count = 0;
    reader->row_line = reader->line;
    for (;;) {
        char *field = reader->next;
        if (*reader->next == '"' && !read_quoted(reader, &field))
            return false;
        char stops[] = {reader->separator, '\r', '\n', 0};
        char *stop = reader->next + strcspn(reader->next, stops);
        char found = *stop;
        reader->next = stop;
        if (reader->field_count == COLUMNS_MAX)
            return row_failure(reader, "more than 256 columns");
        reader->fields[reader->field_count++] = field;
        if (found != reader->separator || !found) {
            skip_line_end(reader);
            *stop = 0;
            break;
        }
        *stop = 0;
        reader->next = stop + 1;
    }
    for (size_t i = 0; i < reader->field_count; i++)
        reader->fields[i] = trim(reader->fields[i]);
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

/* Which column holds what: by the preference of `headers`. */
struct columns {
    size_t of[HEADER_COUNT]; /* COLUMNS_MAX: none */
};

static bool find_columns(struct reader *reader, struct columns *columns)
{
    bool found = false;
    for (size_t h = 0; h < HEADER_COUNT; h++) {
        columns->of[h] = COLUMNS_MAX;
        for (size_t i = 0; i < reader->field_count; i++) {
            char folded[KEY_SIZE];
            text_fold(reader->fields[i], folded, sizeof folded);
            if (columns->of[h] == COLUMNS_MAX && !strcmp(folded, headers[h].header))
                columns->of[h] = i;
        }
        found |= columns->of[h] < COLUMNS_MAX;
    }
    return found || failure_harness(reader->failure,
                                    "%s:1: no column that is known: the first line must name "
                                    "columns such as id, name, email",
                                    reader->path);
}

/* The row's first non-empty field of a kind, in order of preference; NULL: none. */
static const char *field_of(const struct reader *reader, const struct columns *columns,
                            enum kind kind)
{
    for (size_t h = 0; h < HEADER_COUNT; h++)
        if (headers[h].kind == kind && columns->of[h] < reader->field_count &&
            *reader->fields[columns->of[h]])
            return reader->fields[columns->of[h]];
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
    if ((roster->key_count & (roster->key_count + 1)) == 0) { /* grow at 2^n - 1 */
        struct roster_key *more = realloc(roster->keys, (2 * roster->key_count + 2) * sizeof *more);
        if (!more)
            return failure_harness(failure, "not enough memory");
        roster->keys = more;
    }
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
    for (size_t h = 0; h < HEADER_COUNT; h++) {
        if (columns->of[h] >= reader->field_count)
            continue;
        const char *field = reader->fields[columns->of[h]];
        enum kind kind = headers[h].kind;
        if ((kind == ID || kind == EMAIL) &&
            !add_key(roster, field, strlen(field), kind == EMAIL, failure))
            return false;
        if ((kind == ID || kind == EMAIL) && strchr(field, '@') &&
            !add_key(roster, field, strcspn(field, "@"), 1, failure))
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
    if ((roster->count & (roster->count + 1)) == 0) {
        struct roster_person *more =
            realloc(roster->persons, (2 * roster->count + 2) * sizeof *more);
        if (!more)
            return failure_harness(failure, "not enough memory");
        roster->persons = more;
    }
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
    reader->separator = find_separator(reader->text);
    if (!read_row(reader))
        return failure->kind != FAILURE_NONE
                   ? false
                   : failure_harness(failure, "%s is empty", reader->path);
    if (!find_columns(reader, &columns))
        return false;
    while (read_row(reader))
        if (!add_person(roster, reader, &columns, failure))
            return false;
    if (failure->kind != FAILURE_NONE)
        return false;
    if (roster->key_count)
        qsort(roster->keys, roster->key_count, sizeof *roster->keys, compare_keys);
    return check_ids(roster, reader->path, failure);
}

bool roster_read(const char *path, struct roster *roster, struct failure *failure)
{
    *roster = (struct roster){0};
    struct reader reader = {.path = path, .line = 1, .failure = failure};
    FILE *file = fopen(path, "rbe");
    if (!file)
        return failure_harness(failure, "cannot open %s: %s", path, strerror(errno));
    bool good = read_text(&reader, file) && read_people(&reader, roster, failure);
    fclose(file);
    free(reader.text);
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
