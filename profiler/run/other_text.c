/* other_text.c: see other_text.h.
 *
 * Theory of operation. A small kernel is compiled and run in a fraction of a second, so a mistake
 * that is often made can be looked for by undoing it: where the result is right with another text,
 * that is the mistake. The text is read without understanding C++: what a change makes of it is
 * tried, not trusted.
 */
#define _GNU_SOURCE
#include "run/other_text.h"

#include "base/code_text.h"
#include "base/paths.h"
#include "base/scratch.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    TRIALS_MAX = 3, /* of one kind: each is compiled */
    TRIAL_BUDGET = 4 << 20,
    PLACES_MAX = 4, /* at which an edit is tried */
    GROUPS = 3,
};

/* ---- Changes ---- */

/* A part of the text, and what to write in its place. */
struct change {
    const char *at, *end;
    char text[160];
};

/* Is the result right with another text, at the size of the attempt? */
static bool is_right_as(const struct attempt *failed, const char *code)
{
    struct failure failure = {0};
    struct source changed = {0};
    struct source_asker asker;
    char directory[PATH_SIZE], path[2 * PATH_SIZE];
    bool right = false;
    /* Where submissions are judged, the interpreter's cage has no files and no compiler. */
    if (failed->source->options->emulation.is_anonymous ||
        !scratch_make(directory, "change", &failure))
        return false;
    snprintf(path, sizeof path, "%s/%s", directory, path_basename(failed->source->path));
    FILE *file = fopen(path, "w");
    bool written = file && fputs(code, file) >= 0;
    if (file && !fclose(file) && written) {
        if (source_load(&changed, path, failed->source->options, &failure) &&
            source_asker_open(&asker, &changed, failed->asker->device, &failure)) {
            struct attempt attempt = {
                .source = &changed,
                .asker = &asker,
                .size = failed->size,
                .variation = {.is_silent = true, .block_budget = TRIAL_BUDGET}};
            right = attempt_launch(&attempt, false, &failure) &&
                    attempt_verify(&attempt, NULL, &failure);
            attempt_free(&attempt);
            source_asker_close(&asker);
        }
        source_free(&changed);
    }
    scratch_remove(directory);
    return right;
}

/* `code` with one change. malloc'd; NULL: no memory. */
static char *text_changed(const char *code, const struct change *change)
{
    char *text = NULL;
    if (asprintf(&text, "%.*s%s%s", (int)(change->at - code), code, change->text, change->end) < 0)
        return NULL;
    return text;
}

static bool is_right_changed(const struct attempt *failed, const struct change *change)
{
    char *text = text_changed(failed->source->code, change);
    bool right = text && is_right_as(failed, text);
    free(text);
    return right;
}

/* "diagonal.cu(28): " */
static int name_line(const struct attempt *failed, const char *at, char *text, size_t size)
{
    return snprintf(text, size, "%s(%u): ", path_basename(failed->source->path),
                    code_line(failed->source->code, at));
}

/* ---- & for % ---- */

/* The word at `at`, if it names a mask. */
static bool names_mask(const char *at)
{
    for (; code_is_word(*at); at++)
        if (!strncasecmp(at, "mask", 4))
            return true;
    return false;
}

/* A binary & with a name or a number behind it, perhaps less one, perhaps in brackets: `x & 32`,
 * `x & (TILE_DIM - 1)`. References, `float &x` or `float& x`, have a blank on one side only. */
struct remainder {
    const char *name;
    int length;
    bool less_one;
    struct change change; /* that makes it the remainder of a division by it */
};

static bool remainder_read(const char *code, const char *at, struct remainder *remainder)
{
    const char *before = at, *behind = at + 1;
    if (at == code || at[1] == '&' || at[1] == '=' || at[-1] == '&')
        return false;
    while (before > code && (before[-1] == ' ' || before[-1] == '\t'))
        before--;
    if (before > code + 1 && before[-1] == ')' && before[-2] == '*') /* an address is cast */
        return false;
    behind += strspn(behind, " \t");
    bool bracket = *behind == '(';
    const char *name = behind + bracket;
    if (before == code || !(code_is_word(before[-1]) || strchr(")]", before[-1])) ||
        !code_is_word(*name) || (before == at) != (behind == at + 1))
        return false;
    const char *end = name;
    while (code_is_word(*end))
        end++;
    *remainder = (struct remainder){.name = name, .length = (int)(end - name)};
    const char *less = end + strspn(end, " \t");
    if (*less == '-') {
        less += 1 + strspn(less + 1, " \t");
        remainder->less_one = *less == '1' && !code_is_word(less[1]) && less[1] != '.';
        end = remainder->less_one ? less + 1 : end;
    }
    if (bracket && (!remainder->less_one || *(end += strspn(end, " \t")) != ')'))
        return false;
    remainder->change = (struct change){.at = at, .end = end + bracket};
    snprintf(remainder->change.text, sizeof remainder->change.text, "%% %.*s", remainder->length,
             name);
    return true;
}

/* Is it asked about, where the remainder does not make the result right? No mask is. */
static bool is_odd(const struct remainder *remainder)
{
    char *end;
    unsigned long long number = strtoull(remainder->name, &end, 0);
    return !remainder->less_one &&
           (end != remainder->name ? number && !(number & 1) : !names_mask(remainder->name));
}

static void tell_and(const struct attempt *failed, struct report *report)
{
    const char *code = failed->source->code;
    char asked[200] = "", line[200];
    int trials = 0;
    for (const char *at = code; at && (at = strchr(at, '&')) && trials < TRIALS_MAX; at++) {
        struct remainder remainder;
        if (!remainder_read(code, at, &remainder))
            continue;
        name_line(failed, at, line, sizeof line);
        trials++;
        if (is_right_changed(failed, &remainder.change)) {
            report_add(report,
                       "%s`&` is the bitwise and. With the remainder of a division, `%s`, the "
                       "result is right",
                       line, remainder.change.text);
            return;
        }
        if (!*asked && is_odd(&remainder))
            snprintf(asked, sizeof asked,
                     "%.100s`& %.*s` is the bitwise and; the remainder of a division is %%: which "
                     "is meant?",
                     line, remainder.length > 40 ? 40 : remainder.length, remainder.name);
    }
    if (*asked)
        report_add(report, "%s", asked);
}

/* ---- Early returns ---- */

/* The next `return;` from `at` on, or NULL. */
static const char *find_return(const char *at, const char **end)
{
    for (; at && (at = strstr(at, "return")); at++) {
        *end = at + strlen("return");
        *end += strspn(*end, " \t");
        if (**end == ';' && !code_is_word(at[-1]))
            return at;
    }
    return NULL;
}

/* Without a return the result may be right, where accesses are guarded; else elements that nobody
 * wrote are worth a question. */
static void tell_returns(const struct attempt *failed, const struct failure *failure,
                         struct report *report)
{
    const char *code = failed->source->code, *end;
    char asked[200] = "", line[200];
    int trials = 0;
    for (const char *at = find_return(code ? code + 1 : NULL, &end); at && trials < TRIALS_MAX;
         at = find_return(end, &end), trials++) {
        struct change change = {.at = at, .end = end};
        name_line(failed, at, line, sizeof line);
        if (is_right_changed(failed, &change)) {
            report_add(report,
                       "%sthreads return here that have something left to do: without this return "
                       "the result is right",
                       line);
            return;
        }
        if (!*asked && strstr(failure->text, "never written"))
            snprintf(asked, sizeof asked,
                     "%.100sthreads that return here write nothing behind it: had they something "
                     "to write?",
                     line);
    }
    if (*asked)
        report_add(report, "%s", asked);
}

/* ---- Slips of the pen ---- */

/* What is often written, an extended regular expression; what was meant, with \1 and \2 for its
 * groups; and why, which ends before the text that makes the result right. `first`: it is tried
 * before other guesses, which would fit, too, and say less. */
static const struct edit {
    const char *pattern, *meant, *why;
    bool first;
} edits[] = {
    {"(if \\([^;{}]*\\)) *;", "\\1", "the semicolon ends the if, and what follows is always done",
     true},
    /* Not of a return, whose condition is the other way round. */
    {"\\|\\|([^;{}]*\\)[ \n]*(\\{|[a-qs-z]))", "&&\\1", "one of the two is not enough", true},
    {"\\* *(blockDim\\.y|BLOCK_ROWS)\\>", "* TILE_DIM",
     "a block covers TILE_DIM rows, of which a thread takes several", true},
    {"(blockIdx\\.[xy]|block_y|tile_[xy]) \\+ (threadIdx\\.[xy])", "\\1 * TILE_DIM + \\2",
     "a block's number counts tiles, not elements", true},
    {"= threadIdx\\.x;", "= blockIdx.x * TILE_DIM + threadIdx.x;", "that is the same in all blocks",
     true},
    {"= threadIdx\\.y;", "= blockIdx.y * TILE_DIM + threadIdx.y;", "that is the same in all blocks",
     true},
    {"([A-Za-z_]\\w* \\+ [A-Za-z_]\\w*) \\* (width|height)\\>", "(\\1) * \\2",
     "a product comes before a sum", false},
    {"\\* TILE_DIM \\+ (([a-z]+_)?(col|row))", "* width + \\1",
     "rows of the matrix are longer than those of a tile", false},
    {"\\* TILE_DIM \\+ (([a-z]+_)?(col|row))", "* height + \\1",
     "rows of the matrix are longer than those of a tile", false},
    {"(tile)\\[row( \\+ i)?\\]\\[col\\]", "\\1[threadIdx.y\\2][threadIdx.x]",
     "row and col count in the matrix, and a tile's rows and columns from its own corner", false},
    {"([-+]) height\\]", "\\1 width]", "rows of that matrix have width elements", false},
    {"\\* width \\+", "* height +", "rows of that matrix have height elements", false},
    {"\\* height \\+", "* width +", "rows of that matrix have width elements", false},
    {"<= (width|height)\\>", "< \\1",
     "the last row is number height - 1, the last column number width - 1", false},
    {"<=", "<", "that is true also where both are equal", false},
    /* Not of a declaration, as of a padded tile. */
    {"([a-zA-Z.]*[a-z]) [-+] 1\\]", "\\1]", "that is the element beside the one that is meant",
     false},
};

/* The pattern's groups put into what was meant. */
static void fill_groups(const struct edit *edit, const char *at, const regmatch_t groups[GROUPS],
                        struct change *change)
{
    size_t length = 0;
    *change = (struct change){.at = at + groups[0].rm_so, .end = at + groups[0].rm_eo};
    for (const char *c = edit->meant; *c && length + 1 < sizeof change->text; c++) {
        if (*c != '\\') {
            change->text[length++] = *c;
            continue;
        }
        const regmatch_t *group = &groups[*++c - '0'];
        const int bytes = group->rm_so < 0 ? 0 : (int)(group->rm_eo - group->rm_so);
        length += (size_t)snprintf(change->text + length, sizeof change->text - length, "%.*s",
                                   bytes, at + (bytes ? group->rm_so : 0));
        if (length >= sizeof change->text)
            length = sizeof change->text - 1;
    }
    change->text[length] = 0;
}

/* Where the pattern matches, from the top; how often, at most PLACES_MAX. */
static unsigned find_places(const struct edit *edit, const char *code,
                            struct change places[PLACES_MAX])
{
    regex_t regex;
    regmatch_t groups[GROUPS];
    unsigned count = 0;
    if (regcomp(&regex, edit->pattern, REG_EXTENDED))
        return 0;
    for (const char *at = code; count < PLACES_MAX && !regexec(&regex, at, GROUPS, groups, 0);
         at += groups[0].rm_eo)
        fill_groups(edit, at, groups, &places[count++]);
    regfree(&regex);
    return count;
}

/* Right with all places changed, the last first, so that those before it stay where they are? */
static bool is_right_throughout(const struct attempt *failed, const struct change *places,
                                unsigned count)
{
    char *text = strdup(failed->source->code);
    for (unsigned i = count; text && i-- > 0;) {
        const ptrdiff_t begin = places[i].at - failed->source->code,
                        end = places[i].end - failed->source->code;
        struct change change = {.at = text + begin, .end = text + end};
        memcpy(change.text, places[i].text, sizeof change.text);
        char *longer = text_changed(text, &change);
        free(text);
        text = longer;
    }
    bool right = text && is_right_as(failed, text);
    free(text);
    return right;
}

/* `elsewhere`: other places had to be changed as well. */
static void tell_edit(const struct attempt *failed, const struct edit *edit,
                      const struct change *change, bool elsewhere, struct report *report)
{
    char line[200];
    name_line(failed, change->at, line, sizeof line);
    const int written = (int)strcspn(change->at, "\n"), length = (int)(change->end - change->at);
    report_add(report, "%s`%.*s`: %s. With `%.*s`%s the result is right", line,
               written < length ? written : length, change->at, edit->why,
               (int)strcspn(change->text, "\n"), change->text,
               elsewhere ? ", and the like elsewhere," : "");
}

bool other_text_edits(const struct attempt *failed, bool first, struct report *report)
{
    const char *code = failed->source->code;
    int trials = 0;
    for (size_t e = 0; code && e < sizeof edits / sizeof *edits; e++) {
        struct change places[PLACES_MAX];
        const unsigned count = edits[e].first == first ? find_places(&edits[e], code, places) : 0;
        /* Throughout; then, where there are several, each alone. */
        for (unsigned i = 0; i <= count && count && trials < 2 * TRIALS_MAX; i++) {
            if (i == 1 && count == 1)
                break;
            trials++;
            if (i ? is_right_changed(failed, &places[i - 1])
                  : is_right_throughout(failed, places, count)) {
                tell_edit(failed, &edits[e], &places[i ? i - 1 : 0], !i && count > 1, report);
                return true;
            }
        }
    }
    return false;
}

/* ---- All together ---- */

void other_text_tell(const struct attempt *failed, const struct failure *failure,
                     struct report *report)
{
    tell_and(failed, report);
    tell_returns(failed, failure, report);
}
