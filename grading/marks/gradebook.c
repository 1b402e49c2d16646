/* gradebook.c: see gradebook.h.
 *
 * Theory of operation. roster.c reads the file as a roster, which says on which line each person
 * is. The bytes are then read once more, row by row, and copied, but for the cells to be filled.
 */
#include "marks/gradebook.h"

#include "base/whole_file.h"
#include "intake/roster.h"
#include "intake/table.h"
#include "intake/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 16 << 20, COLUMNS_MAX = 1024, WORDS_SIZE = 600, NOBODY = -1 };

/* ---- Rows of raw bytes ---- */

struct span {
    const char *begin, *end; /* with its quotes */
};

struct row {
    struct span fields[COLUMNS_MAX];
    size_t count;
    unsigned long line;
    const char *end; /* behind the line end */
};

struct bytes {
    char *text;
    const char *next, *end;
    char separator, line_end; /* '\n', or '\r' as on old Macs */
    unsigned long line;
};

/* The next row that is not empty. */
static bool next_row(struct bytes *bytes, struct row *row)
{
    const char *at = bytes->next;
    while (at < bytes->end && (*at == '\n' || *at == '\r'))
        bytes->line += *at++ == bytes->line_end;
    if (at == bytes->end)
        return false;
    row->line = bytes->line;
    row->count = 0;
    for (;;) {
        struct span field = {at, at};
        if (at < bytes->end && *at == '"') {
            for (at++; at < bytes->end; at++) {
                bytes->line += *at == bytes->line_end;
                if (*at == '"' && (at + 1 == bytes->end || at[1] != '"'))
                    break;
                at += *at == '"';
            }
            at += at < bytes->end;
        }
        while (at < bytes->end && *at != bytes->separator && *at != '\n' && *at != '\r')
            at++;
        field.end = at;
        if (row->count < COLUMNS_MAX)
            row->fields[row->count++] = field;
        if (at == bytes->end || *at != bytes->separator)
            break;
        at++;
    }
    if (at < bytes->end && *at == '\r' && bytes->line_end == '\n')
        at++;
    if (at < bytes->end && *at == bytes->line_end) {
        bytes->line++;
        at++;
    }
    bytes->next = row->end = at;
    return true;
}

static void unquote(const struct span *span, char *text, size_t size)
{
    size_t used = 0;
    bool quoted = span->begin < span->end && *span->begin == '"';
    for (const char *at = span->begin + quoted; at < span->end && used + 1 < size; at++) {
        if (quoted && *at == '"' && (++at == span->end || *at != '"'))
            break;
        text[used++] = *at;
    }
    text[used] = 0;
}

/* ---- Columns ---- */

/* " padded transpose ": the words of a text, folded, a blank before and behind each. */
static void fold_words(const char *text, char *words, size_t size)
{
    size_t used = 0;
    words[used++] = ' ';
    while (*text && used + 2 < size) {
        char word[WORDS_SIZE], folded[WORDS_SIZE];
        size_t length = 0;
        while (text[length] &&
               ((unsigned char)text[length] >= 0x80 || isalnum((unsigned char)text[length])))
            length++;
        snprintf(word, sizeof word, "%.*s", (int)(length < 500 ? length : 500), text);
        text += length + !length;
        text_fold(word, folded, sizeof folded);
        if (*folded && used + strlen(folded) + 2 < size)
            used += (size_t)snprintf(words + used, size - used, "%s ", folded);
    }
    words[used] = 0;
}

/* What a column may be for: an exercise, or all of them. */
struct goal {
    const char *name, *title;
    double points;
    size_t column; /* COLUMNS_MAX: none */
    int rank;      /* of that column */
    double possible;
};

/* How well the header fits: by title or name, which may be all of it. 0: not at all. */
static int fit(const struct goal *goal, const char *header)
{
    char words[WORDS_SIZE];
    int best = 0;
    for (int by_title = 0; by_title < 2; by_title++) {
        fold_words(by_title ? goal->title : goal->name, words, sizeof words);
        int length = (int)strlen(words);
        if (length > 2 && strstr(header, words)) {
            int rank = length + (!strcmp(header, words) ? 10000 : 0);
            best = rank > best ? rank : best;
        }
    }
    return best;
}

/* Canvas puts its number of the assignment behind the name. */
static void cut_number(char *header)
{
    char *open = strrchr(header, '(');
    if (open && open > header && strspn(open + 1, "0123456789") == strlen(open + 1) - 1 &&
        open[strlen(open) - 1] == ')' && open[1] != ')')
        *open = 0;
}

static void header_words(const struct span *span, char *words, size_t size)
{
    char text[WORDS_SIZE];
    unquote(span, text, sizeof text);
    char *clean = text_clean(text, strlen(text));
    if (clean)
        cut_number(clean);
    fold_words(clean ? clean : "", words, size);
    free(clean);
}

struct filling {
    const char *path;
    struct goal *goals; /* the last is the sum */
    size_t goal_count;
    struct row header, possible; /* Canvas's row of possible points; else somebody's */
    bool has_possible;
    struct failure *failure;
};

static bool read_only(const struct filling *filling, size_t column)
{
    char text[64];
    if (!filling->has_possible || column >= filling->possible.count)
        return false;
    unquote(&filling->possible.fields[column], text, sizeof text);
    return strstr(text, "read only");
}

/* What the row of possible points has in that column; 0: no number. */
static double possible_points(const struct filling *filling, size_t column)
{
    char text[64], *end;
    if (column >= filling->possible.count)
        return 0;
    unquote(&filling->possible.fields[column], text, sizeof text);
    double points = strtod(text, &end);
    return end != text && points > 0 && isfinite(points) ? points : 0;
}

/* Moodle's worksheet of one assignment: `Grade`, out of `Maximum grade`, which all rows have. */
static bool find_worksheet(struct filling *filling)
{
    struct goal *sum = &filling->goals[filling->goal_count - 1];
    for (size_t c = 0; c < filling->header.count; c++) {
        char header[WORDS_SIZE];
        header_words(&filling->header.fields[c], header, sizeof header);
        if (!strcmp(header, " grade "))
            sum->column = c;
        else if (!strcmp(header, " maximum grade "))
            sum->possible = possible_points(filling, c);
    }
    return sum->column < COLUMNS_MAX;
}

static bool find_columns(struct filling *filling)
{
    size_t found = 0;
    for (size_t c = 0; c < filling->header.count; c++) {
        char header[WORDS_SIZE];
        struct goal *best = NULL;
        int most = 0;
        header_words(&filling->header.fields[c], header, sizeof header);
        for (size_t g = 0; g < filling->goal_count; g++) {
            int rank = fit(&filling->goals[g], header);
            if (rank > most) {
                most = rank;
                best = &filling->goals[g];
            }
        }
        if (!best || read_only(filling, c))
            continue;
        if (best->column < COLUMNS_MAX && (most >= 10000) == (best->rank >= 10000)) {
            char one[200], other[200];
            unquote(&filling->header.fields[best->column], one, sizeof one);
            unquote(&filling->header.fields[c], other, sizeof other);
            return failure_harness(filling->failure,
                                   "%s: `%s` and `%s` could both be for %s: remove one of these "
                                   "columns",
                                   filling->path, one, other, best->name);
        }
        if (best->column == COLUMNS_MAX || most > best->rank) {
            best->column = c;
            best->rank = most;
        }
    }
    for (size_t g = 0; g < filling->goal_count; g++) {
        struct goal *goal = &filling->goals[g];
        found += goal->column < COLUMNS_MAX;
        if (filling->has_possible)
            goal->possible = possible_points(filling, goal->column);
    }
    return found || find_worksheet(filling) ||
           failure_harness(filling->failure,
                           "%s: no column is called like an exercise: name assignments by their "
                           "title or name, such as `%s` or `%s`",
                           filling->path, filling->goals[0].title, filling->goals[0].name);
}

/* ---- People ---- */

/* Who is on which line. */
struct place_of {
    unsigned long line;
    size_t person;
};

static int compare_places(const void *one, const void *other)
{
    const struct place_of *a = one, *b = other;
    return (a->line > b->line) - (a->line < b->line);
}

/* By ID, then by e-mail, a row for one person only. malloc'd. */
static struct place_of *find_people(const struct roster *roster, const struct class_list *list,
                                    size_t *count, struct failure *failure)
{
    struct place_of *places = calloc(list->count + 1, sizeof *places);
    bool *taken = calloc(roster->count + 1, sizeof *taken);
    bool *placed = calloc(list->count + 1, sizeof *placed);
    *count = 0;
    if (!places || !taken || !placed)
        failure_harness(failure, "not enough memory");
    for (int by_email = 0; places && taken && placed && by_email < 2; by_email++)
        for (size_t i = 0; i < list->count; i++) {
            const struct submission *submission = &list->submissions[i];
            const char *text = by_email ? submission->email : submission->id;
            long found = text && !placed[i] ? roster_find(roster, text) : ROSTER_NOBODY;
            if (found == ROSTER_NOBODY || taken[found])
                continue;
            taken[found] = placed[i] = true;
            places[(*count)++] = (struct place_of){roster->persons[found].line, i};
        }
    if (places)
        qsort(places, *count, sizeof *places, compare_places);
    free(taken);
    free(placed);
    return places;
}

/* ---- Filling ---- */

/* "7.5": at most two decimals. */
static void points_text(double points, char *text, size_t size)
{
    snprintf(text, size, "%.2f", points);
    size_t length = strlen(text);
    while (text[length - 1] == '0')
        text[--length] = 0;
    if (text[length - 1] == '.')
        text[--length] = 0;
}

/* Nobody could read what was handed in, and nobody has marked it by hand. */
static bool is_held(const json_t *exercise)
{
    const char *status = json_string_value(json_object_get(exercise, "status"));
    const char *said =
        json_string_value(json_object_get(json_object_get(exercise, "by_hand"), "said"));
    return status && !strcmp(status, "unreadable") && !(said && *said);
}

/* The person's mark. False: there is none. */
static bool mark_for(const struct filling *filling, const struct goal *goal, const json_t *person,
                     double *mark)
{
    const json_t *exercises = json_object_get(person, "exercises");
    bool sum = goal == &filling->goals[filling->goal_count - 1];
    *mark = 0;
    for (size_t g = 0; g + 1 < filling->goal_count; g++) {
        const json_t *exercise = json_object_get(exercises, filling->goals[g].name);
        if (!sum && &filling->goals[g] != goal)
            continue;
        if (!exercise || is_held(exercise))
            return false;
        *mark += json_number_value(json_object_get(exercise, "score"));
    }
    if (goal->possible > 0 && goal->points > 0)
        *mark *= goal->possible / goal->points;
    return person && !json_is_true(json_object_get(person, "hold"));
}

static void write_row(const struct filling *filling, const struct row *row, const json_t *person,
                      FILE *out)
{
    const char *from = row->fields[0].begin;
    for (size_t c = 0; c < row->count; c++)
        for (size_t g = 0; g < filling->goal_count; g++) {
            double mark;
            char text[64];
            const struct span *field = &row->fields[c];
            if (filling->goals[g].column != c ||
                !mark_for(filling, &filling->goals[g], person, &mark))
                continue;
            bool quoted = field->begin < field->end && *field->begin == '"';
            points_text(mark, text, sizeof text);
            fwrite(from, 1, (size_t)(field->begin - from), out);
            fprintf(out, "%s%s%s", quoted ? "\"" : "", text, quoted ? "\"" : "");
            from = field->end;
        }
    fwrite(from, 1, (size_t)(row->end - from), out);
}

static void tell_columns(const struct filling *filling, FILE *said)
{
    const bool has_sum = filling->goals[filling->goal_count - 1].column < COLUMNS_MAX;
    for (size_t g = 0; said && g < filling->goal_count; g++) {
        const struct goal *goal = &filling->goals[g];
        char header[200];
        bool sum = g + 1 == filling->goal_count;
        if (goal->column == COLUMNS_MAX) {
            if (!sum && !has_sum)
                fprintf(said, "%s: no column for %s\n", filling->path, goal->name);
            continue;
        }
        unquote(&filling->header.fields[goal->column], header, sizeof header);
        fprintf(said, "%s: `%s` takes %s", filling->path, header,
                sum ? "the sum of all" : goal->name);
        if (goal->possible > 0 && fabs(goal->possible - goal->points) > 1e-9)
            fprintf(said, ", scaled from %g to %g points", goal->points, goal->possible);
        putc('\n', said);
    }
}

static bool write_all(struct filling *filling, struct bytes bytes, const char *out,
                      const struct class_list *list, const struct roster *roster,
                      const json_t *people, FILE *said, struct row *row)
{
    struct whole_file file;
    size_t count, filled = 0;
    struct place_of *places = find_people(roster, list, &count, filling->failure);
    if (!places || !whole_file_open(&file, out, filling->failure)) {
        free(places);
        return false;
    }
    const char *from = bytes.text;
    while (next_row(&bytes, row)) {
        struct place_of key = {.line = row->line};
        const struct place_of *place = bsearch(&key, places, count, sizeof *places, compare_places);
        fwrite(from, 1, (size_t)(row->fields[0].begin - from), file.stream);
        from = row->end;
        const json_t *person =
            place ? json_object_get(people, list->submissions[place->person].id) : NULL;
        filled += person != NULL;
        write_row(filling, row, person, file.stream);
    }
    fwrite(from, 1, (size_t)(bytes.end - from), file.stream);
    free(places);
    if (said)
        fprintf(said,
                "%s: %zu of %zu people have their marks there; %zu of this class are not in "
                "the file\n",
                filling->path, filled, roster->count, list->count - filled);
    return whole_file_keep(&file, filling->failure);
}

static bool fill(struct filling *filling, struct bytes *bytes, const char *out,
                 const struct class_list *list, const struct roster *roster, const json_t *people,
                 FILE *said, struct row *row)
{
    char first[64], folded[64];
    if (bytes->end - bytes->next >= 3 && !memcmp(bytes->next, "\xef\xbb\xbf", 3))
        bytes->next += 3;
    bytes->separator = table_separator(bytes->next, bytes->end);
    bytes->line_end = memchr(bytes->text, '\n', (size_t)(bytes->end - bytes->text)) ? '\n' : '\r';
    struct bytes again = *bytes;
    if (!next_row(bytes, &filling->header))
        return failure_harness(filling->failure, "%s is empty", filling->path);
    while (!filling->has_possible && next_row(bytes, row)) {
        unquote(&row->fields[0], first, sizeof first);
        text_fold(first, folded, sizeof folded);
        filling->has_possible = !strcmp(folded, "pointspossible");
        filling->possible = *row;
    }
    if (!find_columns(filling))
        return false;
    if (!people)
        return true;
    tell_columns(filling, said);
    return write_all(filling, again, out, list, roster, people, said, row);
}

bool gradebook_fill(const char *path, const char *out, const struct class_list *list,
                    const struct rubric *rubrics, size_t rubric_count, const json_t *people,
                    FILE *said, struct failure *failure)
{
    struct roster roster = {0};
    struct bytes bytes = {.line = 1};
    struct filling *filling = calloc(1, sizeof *filling);
    struct row *row = calloc(1, sizeof *row);
    struct goal *goals = calloc(rubric_count + 1, sizeof *goals);
    size_t size = 0;
    bool good = (filling && row && goals) || failure_harness(failure, "not enough memory");
    good = good && roster_read(path, &roster, failure) &&
           (bytes.text = whole_file_read(path, FILE_BYTES_MAX, &size, failure));
    if (good) {
        *filling = (struct filling){
            .path = path, .goals = goals, .goal_count = rubric_count + 1, .failure = failure};
        goals[rubric_count] =
            (struct goal){.name = "transpose_lab", .title = "Transpose Lab", .column = COLUMNS_MAX};
        for (size_t i = 0; i < rubric_count; i++) {
            goals[i] = (struct goal){.name = rubrics[i].exercise.name,
                                     .title = rubrics[i].title,
                                     .points = rubrics[i].points,
                                     .column = COLUMNS_MAX};
            goals[rubric_count].points += rubrics[i].points;
        }
        bytes.next = bytes.text;
        bytes.end = bytes.text + size;
        good = fill(filling, &bytes, out, list, &roster, people, said, row);
    }
    free(bytes.text);
    free(filling);
    free(row);
    free(goals);
    roster_free(&roster);
    return good;
}
