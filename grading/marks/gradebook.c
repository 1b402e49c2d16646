/* gradebook.c: theory of operation. roster.c reads the file for the line of each person, then
 * table.c for the position of each field. The file is copied; only cells of marks change. */
#include "marks/gradebook.h"

#include "base/whole_file.h"
#include "intake/json_text.h"
#include "intake/roster.h"
#include "intake/table.h"
#include "intake/text.h"
#include "process/allocate.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_SIZE = 600, NO_COLUMN = TABLE_COLUMNS_MAX, WHOLE = 10000 };

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

struct goal {
    const char *name, *title;
    double points;
    size_t column;
    int rank;
    double possible;
};

/* Returns the length of the goal's name or title in the header (the maximum of both), plus WHOLE if
 * the header contains nothing else; 0 if it contains neither. */
static int fit(const struct goal *goal, const char *header)
{
    char words[WORDS_SIZE];
    int best = 0;
    for (int by_title = 0; by_title < 2; by_title++) {
        fold_words(by_title ? goal->title : goal->name, words, sizeof words);
        int length = (int)strlen(words);
        if (length > 2 && strstr(header, words)) {
            int rank = length + (!strcmp(header, words) ? WHOLE : 0);
            best = rank > best ? rank : best;
        }
    }
    return best;
}

/* Write the words of a header, without Canvas's number at its end, such as " (8841)". */
static void header_words(const char *text, char words[WORDS_SIZE])
{
    char *clean = text_clean(text, strlen(text));
    char *open = strrchr(clean, '(');
    if (open && open > clean && strspn(open + 1, "0123456789") == strlen(open + 1) - 1 &&
        open[strlen(open) - 1] == ')' && open[1] != ')')
        *open = 0;
    fold_words(clean, words, WORDS_SIZE);
    free(clean);
}

struct filling {
    struct table table;
    struct goal *goals; /* the last goal is the total */
    size_t goal_count;
    char *possible[TABLE_COLUMNS_MAX]; /* Canvas's row of possible points; otherwise the last row */
    bool has_possible;
    bool zeros;
    struct failure *failure;
};

static double possible_points(const struct filling *filling, size_t column)
{
    char *end;
    const char *text =
        column < NO_COLUMN && filling->possible[column] ? filling->possible[column] : "";
    double points = strtod(text, &end);
    return end != text && points > 0 && isfinite(points) ? points : 0;
}

static void read_possible(struct filling *filling)
{
    struct table *table = &filling->table;
    char folded[64];
    while (!filling->has_possible && table_next(table)) {
        text_fold(table_field(table, 0), folded, sizeof folded);
        filling->has_possible = !strcmp(folded, "pointspossible");
        for (size_t c = 0; c < TABLE_COLUMNS_MAX; c++)
            filling->possible[c] = c < table->field_count ? table->fields[c] : NULL;
    }
}

static bool find_columns(struct filling *filling)
{
    const struct table *table = &filling->table;
    size_t found = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        char header[WORDS_SIZE];
        struct goal *best = NULL;
        int most = 0;
        header_words(table->headers[c], header);
        for (size_t g = 0; g < filling->goal_count; g++) {
            int rank = fit(&filling->goals[g], header);
            if (rank > most) {
                most = rank;
                best = &filling->goals[g];
            }
        }
        if (!best || (filling->has_possible && filling->possible[c] &&
                      strstr(filling->possible[c], "read only")))
            continue;
        if (best->column < NO_COLUMN && (most >= WHOLE) == (best->rank >= WHOLE))
            return failure_harness(
                filling->failure,
                "%s: `%.200s` and `%.200s` could both be for %s: remove one of these columns",
                table->file.path, table->headers[best->column], table->headers[c], best->name);
        if (best->column == NO_COLUMN || most > best->rank) {
            best->column = c;
            best->rank = most;
        }
    }
    for (size_t g = 0; g < filling->goal_count; g++) {
        struct goal *goal = &filling->goals[g];
        found += goal->column < NO_COLUMN;
        if (filling->has_possible)
            goal->possible = possible_points(filling, goal->column);
    }
    struct goal *sum = &filling->goals[filling->goal_count - 1];
    if (!found) { /* Moodle's grading worksheet */
        sum->column = table_column(table, "grade");
        sum->possible = possible_points(filling, table_column(table, "maximumgrade"));
    }
    return found || sum->column < NO_COLUMN ||
           failure_harness(filling->failure,
                           "%s: no column has the name of an exercise. Give each assignment the "
                           "title or the name of its exercise, such as `%s` or `%s`",
                           table->file.path, filling->goals[0].title, filling->goals[0].name);
}

/* Returns a malloc'd array: people[i] is the index of person i's submission, or list->count. */
static size_t *find_people(const struct roster *roster, const struct class_list *list)
{
    size_t *people = allocate_checked(calloc(roster->count + 1, sizeof *people));
    bool *placed = allocate_checked(calloc(list->count + 1, sizeof *placed));
    for (size_t i = 0; i < roster->count; i++)
        people[i] = list->count;
    for (int by = 0; by < 3; by++)
        for (size_t i = 0; i < list->count; i++) {
            const struct submission *submission = &list->submissions[i];
            const char *text = by == 0   ? submission->id
                               : by == 1 ? submission->email
                                         : submission->name;
            long found = text && !placed[i] ? roster_find(roster, text) : ROSTER_NOBODY;
            if (found == ROSTER_NOBODY || people[found] < list->count)
                continue;
            people[found] = i;
            placed[i] = true;
        }
    free(placed);
    return people;
}

static bool is_held(const json_t *exercise)
{
    return !strcmp(json_text_of(exercise, "status"), "unreadable") &&
           !*json_text_of(json_object_get(exercise, "by_hand"), "said");
}

/* Set *mark to the person's mark, scaled to the column. Returns false if the person has no mark. */
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
        *mark += json_number_of(exercise, "score");
    }
    if (goal->possible > 0 && goal->points > 0)
        *mark *= goal->possible / goal->points;
    return person && !json_is_true(json_object_get(person, "hold")) &&
           (filling->zeros || *mark > 0 || json_is_true(json_object_get(person, "submitted")));
}

/* Copy the file from *copied to a row's last mark, fill in the marks, and advance *copied. */
static void write_row(const struct filling *filling, const json_t *person, size_t *copied,
                      FILE *out)
{
    const struct table *table = &filling->table;
    for (size_t c = 0; c < table->field_count; c++)
        for (size_t g = 0; g < filling->goal_count; g++) {
            double mark;
            const struct csv_field *place = &table->places[c];
            if (filling->goals[g].column != c ||
                !mark_for(filling, &filling->goals[g], person, &mark))
                continue;
            table_copy(table, *copied, place->begin, out);
            fprintf(out, place->quoted ? "\"%.15g\"" : "%.15g", round(mark * 100) / 100);
            *copied = place->end;
        }
}

static void print_columns(const struct filling *filling, FILE *said)
{
    const char *path = filling->table.file.path;
    const bool has_sum = filling->goals[filling->goal_count - 1].column < NO_COLUMN;
    for (size_t g = 0; said && g < filling->goal_count; g++) {
        const struct goal *goal = &filling->goals[g];
        bool sum = g + 1 == filling->goal_count;
        if (goal->column == NO_COLUMN) {
            if (!sum && !has_sum)
                fprintf(said, "%s has no column for %s\n", path, goal->name);
            continue;
        }
        fprintf(said, "%s: `%.200s` receives %s", path, filling->table.headers[goal->column],
                sum ? "the total" : goal->name);
        if (goal->possible > 0 && fabs(goal->possible - goal->points) > 1e-9)
            fprintf(said, ", scaled from %g to %g points", goal->points, goal->possible);
        putc('\n', said);
    }
}

/* Fails if most submissions match no person, as in a gradebook of another class. */
static bool check_class(const struct filling *filling, const struct roster *roster,
                        const struct class_list *list, const size_t *people)
{
    size_t submitted = 0, found = 0;
    const char *lost = "";
    bool *placed = allocate_checked(calloc(list->count + 1, sizeof *placed));
    for (size_t i = 0; i < roster->count; i++)
        placed[people[i]] = true;
    for (size_t i = 0; i < list->count; i++) {
        bool there = list->submissions[i].path;
        submitted += there;
        found += there && placed[i];
        if (there && !placed[i] && !*lost)
            lost = list->submissions[i].id;
    }
    free(placed);
    return 2 * found >= submitted ||
           failure_harness(
               filling->failure,
               "%s: %zu of %zu submissions (for example %s) match no person in this file, so "
               "upload.csv is not written. Check that the file is the gradebook of this class, and "
               "give the names of the students with --roster",
               filling->table.file.path, submitted - found, submitted, lost);
}

static bool write_all(struct filling *filling, const char *out, const struct class_list *list,
                      const struct roster *roster, const size_t *people, const json_t *marks,
                      FILE *said)
{
    struct table *table = &filling->table;
    const char *path = table->file.path;
    struct whole_file file;
    size_t filled = 0, left = 0, copied = 0, next = 0;
    table_close(table);
    if (!table_open(table, path, filling->failure) ||
        !whole_file_open(&file, out, filling->failure))
        return false;
    while (table_next(table)) {
        const json_t *person = NULL;
        if (next < roster->count && roster->persons[next].line == table->line) {
            size_t submission = people[next++];
            if (submission < list->count)
                person = json_object_get(marks, list->submissions[submission].id);
        }
        filled += person != NULL;
        left += person && !filling->zeros && !json_is_true(json_object_get(person, "submitted"));
        write_row(filling, person, &copied, file.stream);
    }
    table_copy(table, copied, (size_t)(table->file.end - table->file.text), file.stream);
    if (said)
        fprintf(said, "%s: %zu of %zu people in the file have marks; %zu %s not in the file\n",
                path, filled - left, roster->count, list->count - filled,
                list->count - filled == 1 ? "person of this class is" : "people of this class are");
    if (said && left)
        fprintf(said,
                "%s: %zu %s no submission, so the corresponding cells do not change (--zeros "
                "writes 0)\n",
                path, left, left == 1 ? "person has" : "people have");
    return whole_file_keep(&file, filling->failure);
}

static bool fill(struct filling *filling, const char *path, const char *out,
                 const struct class_list *list, const json_t *marks, FILE *said)
{
    struct roster roster;
    if (!roster_read(path, &roster, filling->failure))
        return false;
    size_t *people = find_people(&roster, list);
    bool good = table_open(&filling->table, path, filling->failure);
    if (good)
        read_possible(filling);
    good = good && find_columns(filling) && check_class(filling, &roster, list, people);
    if (good && marks) {
        print_columns(filling, said);
        good = write_all(filling, out, list, &roster, people, marks, said);
    }
    table_close(&filling->table);
    free(people);
    roster_free(&roster);
    return good;
}

bool gradebook_fill(const char *path, const char *out, const struct class_list *list,
                    const struct rubric *rubrics, size_t rubric_count, const json_t *people,
                    bool zeros, FILE *said, struct failure *failure)
{
    struct filling filling = {.goals =
                                  allocate_checked(calloc(rubric_count + 1, sizeof *filling.goals)),
                              .goal_count = rubric_count + 1,
                              .zeros = zeros,
                              .failure = failure};
    struct goal *sum = &filling.goals[rubric_count];
    *sum = (struct goal){.name = "transpose_lab", .title = "Transpose Lab", .column = NO_COLUMN};
    for (size_t i = 0; i < rubric_count; i++) {
        filling.goals[i] = (struct goal){.name = rubrics[i].exercise.name,
                                         .title = rubrics[i].title,
                                         .points = rubrics[i].points,
                                         .column = NO_COLUMN};
        sum->points += rubrics[i].points;
    }
    bool good = fill(&filling, path, out, list, people, said);
    free(filling.goals);
    return good;
}
