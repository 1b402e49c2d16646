/* plain_mistakes.c: see plain_mistakes.h. */
#include "run/plain_mistakes.h"

#include "base/code_text.h"
#include "base/paths.h"
#include "base/scratch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    WORTH_TELLING = 256, /* bytes of an array */
    TRIALS_MAX = 3,      /* of another text: each is compiled */
    TRIAL_BUDGET = 4 << 20,
};

/* ---- Arrays ---- */

/* Arrays that each thread has to itself, or that all blocks share, and no shared memory. */
static void tell_unshared_arrays(const struct attempt *failed, struct report *report)
{
    const struct ptx_module *module = failed->launch.program->module;
    const struct program_function *kernel =
        &failed->launch.program->functions[failed->launch.function];
    if (failed->result.shared_bytes)
        return;
    if (kernel->local_bytes >= WORTH_TELLING)
        report_add(report,
                   "Each thread has an array of %u bytes to itself, and nothing is in shared "
                   "memory: is __shared__ missing?",
                   kernel->local_bytes);
    for (size_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].space == PTX_GLOBAL && !module->variables[i].initial &&
            module->variables[i].bytes >= WORTH_TELLING)
            report_add(report,
                       "There is one %s of %" PRIu64 " bytes for all blocks, and nothing is in "
                       "shared memory: is __shared__ missing?",
                       ptx_plain_name(module->variables[i].name),
                       (uint64_t)module->variables[i].bytes);
}

/* A tile with less room than a block has elements to move. */
static void tell_small_tile(const struct attempt *failed, struct report *report)
{
    const struct array_shapes *declared = &failed->source->shapes;
    const struct dimensions *grid = &failed->launch.grid;
    uint64_t elements = failed->size.rows * failed->size.cols,
             blocks = (uint64_t)grid->x * grid->y * grid->z;
    if (declared->count != 1 || declared->shapes[0].dimensions != 2 || !blocks)
        return;
    const struct array_shape *shape = &declared->shapes[0];
    uint64_t each = elements / blocks, room = (uint64_t)shape->extent[0] * shape->extent[1];
    if (room < each)
        report_add(report,
                   "%s has room for %" PRIu64 " elements (%" PRIu32 " x %" PRIu32
                   "); a block has %" PRIu64 " to move",
                   shape->name, room, shape->extent[0], shape->extent[1], each);
}

/* ---- Elements of another width ---- */

unsigned plain_odd_element(const struct emulator_launch *launch, enum ptx_space space, bool *loads)
{
    const struct program_function *kernel = &launch->program->functions[launch->function];
    for (size_t i = 0; i < kernel->code_count; i++) {
        const struct instruction *instruction = &kernel->code[i];
        bool there = instruction->space == space ||
                     (space == PTX_GLOBAL && instruction->space == PTX_GENERIC);
        *loads = instruction->kind == SIMT_LOAD;
        if ((*loads || instruction->kind == SIMT_STORE) && there && instruction->vector == 1 &&
            instruction->bytes != 4)
            return instruction->bytes;
    }
    return 0;
}

static void tell_odd_elements(const struct attempt *failed, struct report *report)
{
    const struct source *source = failed->source;
    bool loads;
    if (source->exercise.function >= 0)
        return;
    unsigned bytes = plain_odd_element(&failed->launch, PTX_GLOBAL, &loads);
    const char *place = bytes ? "" : " in shared memory";
    if (!bytes)
        bytes = plain_odd_element(&failed->launch, PTX_SHARED, &loads);
    if (bytes)
        report_add(report,
                   "The kernel %s elements of %u byte%s%s; those of %s have 4: is it declared with "
                   "another type?",
                   loads ? "loads" : "stores", bytes, bytes == 1 ? "" : "s", place,
                   source_parameter_name(source, loads));
}

/* ---- Another text ---- */

/* A part of the text, and what to write in its place. */
struct change {
    const char *at, *end;
    char text[80];
};

/* Is the result right with the change, at the size of the attempt? */
static bool is_right_changed(const struct attempt *failed, const struct change *change)
{
    const char *code = failed->source->code;
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
    bool written = file && fprintf(file, "%.*s%s%s", (int)(change->at - code), code, change->text,
                                   change->end) > 0;
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

/* ---- The compiler's warnings ---- */

/* The first two. */
static void tell_warnings(const struct attempt *failed, struct report *report)
{
    const char *at = failed->source->compiled.warnings;
    for (int told = 0; at && *at && told < 2;) {
        int length = (int)strcspn(at, "\n");
        char line[300];
        snprintf(line, sizeof line, "%.*s", length, at);
        if (strstr(line, "warning #") || strstr(line, "warning:")) {
            report_add(report, "The compiler warns: %s", line);
            told++;
        }
        at += length + (at[length] == '\n');
    }
}

/* ---- All together ---- */

void plain_mistakes_tell(const struct attempt *failed, const struct failure *failure,
                         struct report *report)
{
    char comma[300];
    tell_small_tile(failed, report);
    tell_unshared_arrays(failed, report);
    tell_odd_elements(failed, report);
    tell_and(failed, report);
    tell_returns(failed, failure, report);
    if (failed->source->code && code_tell_comma(failed->source->code, comma, sizeof comma))
        report_add(report, "%s", comma);
    tell_warnings(failed, report);
}
