/* other_text.c: see other_text.h. Theory of operation. Compiling and running a small kernel takes a
 * fraction of a second, so a common mistake can be found by undoing it. If the result of the
 * changed source is correct, the changed text was the mistake. The text is not parsed as C++: a
 * launch tests every change. */
#define _GNU_SOURCE
#include "diagnose/other_text.h"

#include "base/paths.h"
#include "base/wording.h"
#include "diagnose/hypotheses.h"
#include "text/code_text.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIALS_MAX = 12,      /* maximum number of compilations for FIRST or ALWAYS */
    TRIALS_MAX_LAST = 60, /* maximum number of compilations for LAST */
    GROUPS = 7,
};

static void fill_groups(const char *replacement, const char *at, const regmatch_t groups[GROUPS],
                        struct text_place *change)
{
    size_t length = 0;
    *change = (struct text_place){.at = at + groups[0].rm_so, .end = at + groups[0].rm_eo};
    for (const char *c = replacement; *c && length + 1 < sizeof change->text; c++) {
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
    /* Begin at the first line that changes. */
    const char *end;
    while ((end = strchr(change->text, '\n')) &&
           !strncmp(change->at, change->text, (size_t)(end + 1 - change->text))) {
        end += 1 + strspn(end + 1, " ");
        change->at += end - change->text;
        memmove(change->text, end, strlen(end) + 1);
    }
}

unsigned other_text_places(const char *pattern, const char *replacement, const char *code,
                           struct text_place places[TEXT_PLACES_MAX])
{
    regex_t regex;
    regmatch_t groups[GROUPS];
    unsigned count = 0;
    if (regcomp(&regex, pattern, REG_EXTENDED))
        return 0;
    for (const char *at = code; count < TEXT_PLACES_MAX && !regexec(&regex, at, GROUPS, groups, 0);
         at += groups[0].rm_eo)
        fill_groups(replacement, at, groups, &places[count++]);
    regfree(&regex);
    return count;
}

/* Returns true if the result is correct after a change at all `places`. The last place is changed
 * first, so that the offsets of earlier places stay valid. */
static bool is_correct_with(const struct suspect *suspect, const struct text_place *places,
                            unsigned count, bool at_one_size)
{
    size_t bytes = strlen(suspect->code);
    char *text = code_replace(suspect->code, &bytes, 0, 0, "");
    for (unsigned i = count; text && i-- > 0;) {
        char *longer = code_replace(text, &bytes, (size_t)(places[i].at - suspect->code),
                                    (size_t)(places[i].end - places[i].at), places[i].text);
        free(text);
        text = longer;
    }
    const struct trial trial = {.code = text, .at_one_size = at_one_size};
    const bool correct = text && suspect->is_correct(suspect->context, &trial, NULL);
    free(text);
    return correct;
}

bool other_text_is_constant(const struct suspect *suspect, const char *name)
{
    static const char *const names[] = {"blockIdx.y", "gridDim.y", "threadIdx.y", "blockDim.y"};
    const uint32_t extents[] = {suspect->launch->grid.y, suspect->launch->block.y};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i]) - 1))
            return extents[i / 2] == 1 && !strstr(suspect->code, names[i]);
    return false;
}

/* If the line of `code` at `at` contains `^`, returns another line with `^` and the operand `text`,
 * or the nearest other line with `^`; otherwise 0. */
static unsigned other_xor_line(const char *code, const char *at, const char *text)
{
    const unsigned line = code_line(code, at);
    bool is_here = false;
    unsigned nearest = 0, same = 0;
    for (const char *key = code; (key = strchr(key, '^')); key++) {
        const unsigned found = code_line(code, key);
        const int distance = abs((int)found - (int)line);
        is_here |= found == line;
        if (found == line)
            continue;
        if (*text && !strncmp(key + 1 + strspn(key + 1, " "), text, strlen(text)))
            same = found;
        if (!nearest || distance < abs((int)nearest - (int)line))
            nearest = found;
    }
    return !is_here ? 0 : same ? same : nearest;
}

bool other_text_report_change(const struct suspect *suspect, enum finding_id finding,
                              const char *meaning, const struct text_place *places, unsigned count,
                              bool is_repair, struct report *report)
{
    const char *code = suspect->code, *at = places[0].at, *start = at;
    char text[3 * sizeof places->text] = "";
    unsigned p = 0;
    while (start > code && start[-1] != '\n')
        start--;
    start += strspn(start, " \t");
    const unsigned line = code_line(code, at), other = other_xor_line(code, at, places[0].text);
    const char *stop = start + strcspn(start, "\n");
    while (stop > start && stop[-1] == ' ')
        stop--;
    char keys[160];
    if (other && suspect->is_map) {
        finding = FINDING_SWIZZLE_ONE_SIDED;
        snprintf(keys, sizeof keys,
                 "the operands of `^` are not the same numbers as in line %u, so an element is "
                 "stored in one place of the tile and loaded from another",
                 other);
        meaning = keys;
    }
    report_add_at(report, finding, line, "%s:%u: `%.*s`: %s", path_basename(suspect->path), line,
                  (int)(stop - start), start, meaning);
    for (at = start; p < count && places[p].at <= stop; at = places[p++].end) {
        const char *by = places[p].text, *last = strrchr(by, '\n');
        text_append(text, sizeof text, "%.*s%.*s%s%s", (int)(places[p].at - at), at,
                    (int)strcspn(by, "\n"), by, last ? "` and `" : "",
                    last ? last + strspn(last, " \n") : "");
    }
    text_append(text, sizeof text, "%.*s", (int)strcspn(at, "\n"), at);
    for (size_t length = strlen(text); length && text[length - 1] == ' ';)
        text[--length] = 0; /* blanks before a comment, which suspect->code does not contain */
    return !is_repair || report_add_repair(report, "The result is correct with `%s`%s", text,
                                           p < count ? " here and in similar places" : "");
}

static bool is_explained(const struct suspect *suspect, const struct failure *failure)
{
    const enum finding_id first = failure->findings.count ? failure->findings.list[0].id : 0;
    return !suspect->is_map && failure->status == STATUS_WRONG_RESULT && first != FINDING_NONE &&
           first != FINDING_WRONG_ELEMENTS && first != FINDING_UNWRITTEN;
}

/* Test a change. With ALWAYS, a change that is correct at only one size is reported without a
 * repair. */
static bool try_places(const struct suspect *suspect, const struct hypothesis *edit,
                       const struct text_place *places, unsigned count, struct report *report)
{
    const bool always = edit->where == ALWAYS;
    return is_correct_with(suspect, places, count, always) &&
           other_text_report_change(suspect, edit->finding, edit->text, places, count,
                                    !always || is_correct_with(suspect, places, count, false),
                                    report);
}

/* Test a change at all places together. If this fails, test each place alone. */
static bool try_edit(const struct suspect *suspect, const struct hypothesis *edit, int most,
                     int *trials, struct report *report)
{
    struct text_place places[TEXT_PLACES_MAX];
    const unsigned found =
        other_text_places(edit->pattern, edit->replacement, suspect->code, places);
    unsigned count = 0;
    for (unsigned i = 0; i < found; i++) { /* omit places at which the text does not change */
        const size_t length = (size_t)(places[i].end - places[i].at);
        if ((strlen(places[i].text) != length ||
             strncmp(places[i].text, places[i].at, length) != 0) &&
            !(edit->finding == FINDING_AXES_EXCHANGED && strstr(places[i].text, ".y") &&
              other_text_is_constant(suspect, places[i].text)))
            places[count++] = places[i];
    }
    if (count && (*trials)++ < most && try_places(suspect, edit, places, count, report))
        return true;
    for (unsigned i = 0; count > 1 && i < count && (*trials)++ < most; i++)
        if (try_places(suspect, edit, &places[i], 1, report))
            return true;
    return false;
}

/* Returns true if elements are unwritten without a known cause, and warps branch to the end. If the
 * unwritten rows or columns are periodic, a loop is the usual cause. */
static bool may_return_early(const struct suspect *suspect, const struct failure *failure)
{
    const struct program_function *kernel =
        &suspect->launch->program->functions[suspect->launch->function];
    const struct instruction_stats *stats = &suspect->result->stats[kernel->stats_base];
    const struct ptx_instruction *code = kernel->source->instructions;
    if (!failure_has(failure, FINDING_UNWRITTEN) || !suspect->result->stats ||
        failure_has(failure, FINDING_UNWRITTEN_PERIODIC) ||
        failure->findings.list[0].id != FINDING_UNWRITTEN)
        return false;
    for (size_t i = 0; i + 1 < kernel->source->instruction_count; i++) {
        const struct ptx_operand *to = &code[i].operands[0];
        if (code[i].opcode == PTX_OP_BRA && to->kind == PTX_OPERAND_LABEL &&
            (uint64_t)to->integer < kernel->source->instruction_count &&
            code[to->integer].opcode == PTX_OP_RET)
            return stats[i + 1].executed < stats[i].executed;
    }
    return true;
}

/* Report a question about the first suspicious text of a finding. This function is called if no
 * tried change of the text makes the result correct. */
static void ask(const struct suspect *suspect, enum finding_id finding,
                const struct failure *failure, struct report *report)
{
    static const struct {
        enum finding_id after, finding;
        bool of_unwritten; /* ask only if elements were never written */
        const char *pattern, *shown, *unless, *question;
    } questions[] = {
        /* The pattern matches an even number, or a name other than `mask`. */
        {FINDING_AND_FOR_REMAINDER, FINDING_AND_QUESTION, false,
         "([]A-Za-z0-9_]|[^*]\\))( & |&)([1-9][0-9]*[02468]|[2468]|[A-Za-z_]\\w*)\\>( *[^- ])",
         "& \\3", "mask",
         "`&` is bitwise AND; `%` is the remainder of a division. Which operator is required?"},
        {FINDING_ALWAYS_ZERO, FINDING_ALWAYS_ZERO, false,
         "((blockIdx|threadIdx)\\.([xyz]) / (gridDim|blockDim)\\.\\3)", "\\1", "",
         "an index divided by the number of indices is always 0. Which divisor is required?"},
        {FINDING_CHAINED_COMPARISON, FINDING_CHAINED_COMPARISON, false,
         "([A-Za-z0-9_.]+ *<=? *[^-<>=&|;,?:()]+[^- <>=&|;,?:()] *<=? *\\w+)", "\\1", "",
         "this compares a truth value with the last number. Join two comparisons with &&."},
        {FINDING_RETURN_TOO_EARLY, FINDING_RETURN_QUESTION, true, "\\<return[ \t]*;", "return;", "",
         "threads that return here store nothing afterwards. Do these threads still have elements "
         "to store?"},
    };
    for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
        struct text_place places[TEXT_PLACES_MAX];
        if (questions[q].after != finding ||
            (questions[q].of_unwritten && !(suspect->is_map && may_return_early(suspect, failure))))
            continue;
        const unsigned count =
            other_text_places(questions[q].pattern, questions[q].shown, suspect->code, places);
        for (unsigned i = 0; i < count; i++) {
            const unsigned line = code_line(suspect->code, places[i].at);
            if (*questions[q].unless && strcasestr(places[i].text, questions[q].unless))
                continue;
            report_add_at(report, questions[q].finding, line, "%s:%u: `%.60s`: %s",
                          path_basename(suspect->path), line, places[i].text,
                          questions[q].question);
            return;
        }
    }
}

bool other_text_report(const struct suspect *suspect, unsigned when, const struct failure *failure,
                       struct report *report)
{
    const struct hypothesis *edit = NULL;
    bool found = false;
    const int most = when == LAST && !is_explained(suspect, failure) ? TRIALS_MAX_LAST : TRIALS_MAX;
    int trials = 0;
    while (suspect->code && (!found || when == ALWAYS) && (edit = hypothesis_next(BY_TEXT, edit))) {
        if (edit->where != when)
            continue;
        if (when == ALWAYS)
            trials = 0;
        if (try_edit(suspect, edit, most, &trials, report))
            found = true;
        else
            ask(suspect, edit->finding, failure, report);
    }
    return found;
}
