/* plain_mistakes.c: see plain_mistakes.h. */
#include "diagnose/plain_mistakes.h"

#include "diagnose/hypotheses.h"
#include "diagnose/other_text.h"
#include "text/code_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORTH_TELLING = 256 }; /* bytes of an array */

/* ---- Arrays ---- */

/* Arrays that each thread has to itself, or that all blocks share, and no shared memory. */
static void tell_unshared_arrays(const struct suspect *suspect, struct report *report)
{
    const struct ptx_module *module = suspect->launch->program->module;
    const struct program_function *kernel =
        &suspect->launch->program->functions[suspect->launch->function];
    if (suspect->result->shared_bytes)
        return;
    if (kernel->local_bytes >= WORTH_TELLING)
        report_add(report, FINDING_SHARED_MISSING,
                   "Each thread has an array of %u bytes to itself, and nothing is in shared "
                   "memory: is __shared__ missing?",
                   kernel->local_bytes);
    for (size_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].space == PTX_GLOBAL && !module->variables[i].initial &&
            module->variables[i].bytes >= WORTH_TELLING)
            report_add(report, FINDING_SHARED_MISSING,
                       "There is one %s of %" PRIu64 " bytes for all blocks, and nothing is in "
                       "shared memory: is __shared__ missing?",
                       ptx_plain_name(module->variables[i].name),
                       (uint64_t)module->variables[i].bytes);
}

/* An array whose size LAB_LAUNCH must say, and does not. */
static void tell_dynamic(const struct suspect *suspect, struct report *report)
{
    const struct ptx_module *module = suspect->launch->program->module;
    for (size_t i = 0; i < module->variable_count && !suspect->launch->dynamic_shared; i++)
        if (module->variables[i].space == PTX_SHARED && module->variables[i].is_extern)
            report_add(report, FINDING_SHARED_UNREQUESTED,
                       "%s is extern __shared__, and LAB_LAUNCH asks for no bytes of it: return "
                       "{grid, block, bytes}",
                       ptx_plain_name(module->variables[i].name));
}

/* A tile with less room than a block has elements to move, told where there is a report. */
static bool find_small_tile(const struct suspect *suspect, struct report *report)
{
    const struct array_shapes *declared = suspect->shapes;
    const struct dimensions *grid = &suspect->launch->grid;
    uint64_t elements = suspect->input.problem.rows * suspect->input.problem.cols,
             blocks = (uint64_t)grid->x * grid->y * grid->z;
    if (declared->count != 1 || declared->shapes[0].dimensions != 2 || !blocks)
        return false;
    const struct array_shape *shape = &declared->shapes[0];
    uint64_t each = elements / blocks, room = (uint64_t)shape->extent[0] * shape->extent[1];
    if (room < each && report)
        report_add(report, FINDING_TILE_TOO_SMALL,
                   "%s has room for %" PRIu64 " elements (%" PRIu32 " x %" PRIu32
                   "); a block has %" PRIu64 " to move",
                   shape->name, room, shape->extent[0], shape->extent[1], each);
    return room < each;
}

bool plain_tile_is_small(const struct suspect *suspect)
{
    return find_small_tile(suspect, NULL);
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

static void tell_odd_elements(const struct suspect *suspect, struct report *report)
{
    bool loads;
    if (!suspect->is_map)
        return;
    unsigned bytes = plain_odd_element(suspect->launch, PTX_GLOBAL, &loads);
    const char *place = bytes ? "" : " in shared memory";
    if (!bytes)
        bytes = plain_odd_element(suspect->launch, PTX_SHARED, &loads);
    if (bytes)
        report_add(report, FINDING_ELEMENT_WIDTH,
                   "The kernel %s elements of %u byte%s%s; those of %s have 4: is it declared with "
                   "another type?",
                   loads ? "loads" : "stores", bytes, bytes == 1 ? "" : "s", place,
                   loads ? suspect->input.input_name : suspect->input.output_name);
}

/* ---- The compiler's warnings ---- */

/* The first two. */
static void tell_warnings(const struct suspect *suspect, struct report *report)
{
    const char *at = suspect->warnings;
    for (int told = 0; at && *at && told < 2;) {
        int length = (int)strcspn(at, "\n");
        char line[300];
        snprintf(line, sizeof line, "%.*s", length, at);
        if (strstr(line, "warning #") || strstr(line, "warning:")) {
            report_add(report, FINDING_COMPILER_WARNING, "The compiler warns: %s", line);
            told++;
        }
        at += length + (at[length] == '\n');
    }
}

/* ---- All together ---- */

void plain_mistakes_tell(const struct suspect *suspect, const struct failure *failure,
                         struct report *report)
{
    char comma[300];
    tell_dynamic(suspect, report);
    find_small_tile(suspect, report);
    tell_unshared_arrays(suspect, report);
    tell_odd_elements(suspect, report);
    other_text_tell(suspect, ALWAYS, failure, report);
    if (suspect->code && code_tell_comma(suspect->code, comma, sizeof comma))
        report_add(report, FINDING_COMMA_IN_INDEX, "%s", comma);
    tell_warnings(suspect, report);
}
