/* other_text.c: see other_text.h.
 *
 * Theory of operation. A small kernel is compiled and run in a fraction of a second, so a mistake
 * that is often made can be looked for by undoing it: where the result is right with another text,
 * that is the mistake. The text is read without understanding C++: what a change makes of it is
 * tried, not trusted.
 */
#define _GNU_SOURCE
#include "diagnose/other_text.h"

#include "base/paths.h"
#include "diagnose/hypotheses.h"
#include "text/code_text.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIALS_MAX = 6, /* of one time: each is compiled */
    PLACES_MAX = 4, /* at which a change is tried */
    GROUPS = 7,
};

/* A part of the text, and what to write in its place. */
struct change {
    const char *at, *end;
    char text[160];
};

/* The pattern's groups put into what was meant. */
static void fill_groups(const char *meant, const char *at, const regmatch_t groups[GROUPS],
                        struct change *change)
{
    size_t length = 0;
    *change = (struct change){.at = at + groups[0].rm_so, .end = at + groups[0].rm_eo};
    for (const char *c = meant; *c && length + 1 < sizeof change->text; c++) {
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
static unsigned find_places(const char *pattern, const char *meant, const char *code,
                            struct change places[PLACES_MAX])
{
    regex_t regex;
    regmatch_t groups[GROUPS];
    unsigned count = 0;
    if (regcomp(&regex, pattern, REG_EXTENDED))
        return 0;
    for (const char *at = code; count < PLACES_MAX && !regexec(&regex, at, GROUPS, groups, 0);
         at += groups[0].rm_eo)
        fill_groups(meant, at, groups, &places[count++]);
    regfree(&regex);
    return count;
}

/* Right with all these places changed, the last first, so that those before it stay where they
 * are? */
static bool is_right_with(const struct suspect *suspect, const struct change *places,
                          unsigned count)
{
    size_t bytes = strlen(suspect->code);
    char *text = code_replace(suspect->code, &bytes, 0, 0, "");
    for (unsigned i = count; text && i-- > 0;) {
        char *longer = code_replace(text, &bytes, (size_t)(places[i].at - suspect->code),
                                    (size_t)(places[i].end - places[i].at), places[i].text);
        free(text);
        text = longer;
    }
    const struct trial trial = {.code = text};
    const bool right = text && suspect->is_right(suspect->context, &trial, NULL);
    free(text);
    return right;
}

/* `elsewhere`: other places had to be changed as well. Always true. */
static bool tell(const struct suspect *suspect, const struct hypothesis *edit,
                 const struct change *change, bool elsewhere, struct report *report)
{
    const unsigned line = code_line(suspect->code, change->at);
    const int written = (int)strcspn(change->at, "\n"), length = (int)(change->end - change->at);
    return report_add_at(report, edit->finding, line,
                         "%s(%u): `%.*s`: %s. With `%.*s`%s the result is right",
                         path_basename(suspect->path), line, written < length ? written : length,
                         change->at, edit->text, (int)strcspn(change->text, "\n"), change->text,
                         elsewhere ? ", and the like elsewhere," : "");
}

/* Throughout; then, where there are several places, each alone. */
static bool try_edit(const struct suspect *suspect, const struct hypothesis *edit, int *trials,
                     struct report *report)
{
    struct change places[PLACES_MAX];
    const unsigned count = find_places(edit->pattern, edit->meant, suspect->code, places);
    if (count && (*trials)++ < TRIALS_MAX && is_right_with(suspect, places, count))
        return tell(suspect, edit, places, count > 1, report);
    for (unsigned i = 0; count > 1 && i < count && (*trials)++ < TRIALS_MAX; i++)
        if (is_right_with(suspect, &places[i], 1))
            return tell(suspect, edit, &places[i], false, report);
    return false;
}

/* What is odd, also where the result is not right without it. */
static void ask(const struct suspect *suspect, enum finding_id finding,
                const struct failure *failure, struct report *report)
{
    static const struct {
        enum finding_id after, finding;
        bool of_unwritten; /* asked where elements were never written */
        const char *pattern, *shown, *unless, *question;
    } questions[] = {
        /* An even number, or what is called no mask. */
        {FINDING_AND_FOR_REMAINDER, FINDING_AND_QUESTION, false,
         "([]A-Za-z0-9_]|[^*]\\))( & |&)([1-9][0-9]*[02468]|[2468]|[A-Za-z_]\\w*)\\>( *[^- ])",
         "& \\3", "mask", "is the bitwise and; the remainder of a division is %: which is meant?"},
        {FINDING_RETURN_TOO_EARLY, FINDING_RETURN_QUESTION, true, "\\<return[ \t]*;", "return;", "",
         "threads that return here write nothing after it: had they something to write?"},
    };
    for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
        struct change places[PLACES_MAX];
        if (questions[q].after != finding ||
            (questions[q].of_unwritten && !failure_has(failure, FINDING_UNWRITTEN)))
            continue;
        const unsigned count =
            find_places(questions[q].pattern, questions[q].shown, suspect->code, places);
        for (unsigned i = 0; i < count; i++) {
            const unsigned line = code_line(suspect->code, places[i].at);
            if (*questions[q].unless && strcasestr(places[i].text, questions[q].unless))
                continue;
            report_add_at(report, questions[q].finding, line, "%s(%u): `%.60s`: %s",
                          path_basename(suspect->path), line, places[i].text,
                          questions[q].question);
            return;
        }
    }
}

bool other_text_tell(const struct suspect *suspect, unsigned when, const struct failure *failure,
                     struct report *report)
{
    const struct hypothesis *edit = NULL;
    bool found = false;
    int trials = 0;
    while (suspect->code && (!found || when == ALWAYS) && (edit = hypothesis_next(BY_TEXT, edit))) {
        if (edit->where != when)
            continue;
        if (when == ALWAYS)
            trials = 0;
        const bool right = try_edit(suspect, edit, &trials, report);
        if (!right)
            ask(suspect, edit->finding, failure, report);
        found |= right;
    }
    return found;
}
