/* plain_mistakes.c: see plain_mistakes.h. */
#include "diagnose/plain_mistakes.h"

#include "diagnose/hypotheses.h"
#include "diagnose/other_text.h"
#include "text/code_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAY_BYTES_MIN = 256 }; /* Smaller arrays are not reported. */

/* ---- Arrays ---- */

/* Report private arrays and global arrays in a kernel without shared memory. */
static void report_unshared_arrays(const struct suspect *suspect, struct report *report)
{
    const struct ptx_module *module = suspect->launch->program->module;
    const struct program_function *kernel =
        &suspect->launch->program->functions[suspect->launch->function];
    if (suspect->result->shared_bytes)
        return;
    if (kernel->local_bytes >= ARRAY_BYTES_MIN)
        report_add(report, FINDING_SHARED_MISSING,
                   "Each thread has a private array of %u bytes, and the kernel uses no shared "
                   "memory. Is __shared__ missing?",
                   kernel->local_bytes);
    for (size_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].space == PTX_GLOBAL && !module->variables[i].initial &&
            module->variables[i].bytes >= ARRAY_BYTES_MIN)
            report_add(report, FINDING_SHARED_MISSING,
                       "All blocks use the same array %s of %" PRIu64 " bytes, and the kernel uses "
                       "no shared memory. Is __shared__ missing?",
                       ptx_plain_name(module->variables[i].name),
                       (uint64_t)module->variables[i].bytes);
}

/* Report dynamic shared memory that LAB_LAUNCH does not request. */
static void report_dynamic_array(const struct suspect *suspect, struct report *report)
{
    const struct ptx_module *module = suspect->launch->program->module;
    for (size_t i = 0; i < module->variable_count && !suspect->launch->dynamic_shared; i++)
        if (module->variables[i].space == PTX_SHARED && module->variables[i].is_extern)
            report_add(report, FINDING_SHARED_UNREQUESTED,
                       "%s is extern __shared__, but LAB_LAUNCH requests no dynamic shared memory. "
                       "Return {grid, block, bytes}.",
                       ptx_plain_name(module->variables[i].name));
}

/* Returns true if the tile has fewer elements than a block moves. `report` may be NULL. */
static bool find_small_tile(const struct suspect *suspect, struct report *report)
{
    const struct array_shapes *declared = suspect->shapes;
    const struct dimensions *grid = &suspect->launch->grid;
    uint64_t elements = suspect->input.problem.rows * suspect->input.problem.cols,
             blocks = (uint64_t)grid->x * grid->y * grid->z;
    if (declared->count != 1 || declared->shapes[0].dimensions != 2 || !blocks)
        return false;
    const struct array_shape *shape = &declared->shapes[0];
    uint64_t each = elements / blocks, capacity = (uint64_t)shape->extent[0] * shape->extent[1];
    if (capacity < each && report)
        report_add(report, FINDING_TILE_TOO_SMALL,
                   "%s holds %" PRIu64 " elements (%" PRIu32 " x %" PRIu32
                   "), but a block moves %" PRIu64 " elements",
                   shape->name, capacity, shape->extent[0], shape->extent[1], each);
    return capacity < each;
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
        bool is_in_space = instruction->space == space ||
                           (space == PTX_GLOBAL && instruction->space == PTX_GENERIC);
        *loads = instruction->kind == SIMT_LOAD;
        if ((*loads || instruction->kind == SIMT_STORE) && is_in_space &&
            instruction->vector == 1 && instruction->bytes != 4)
            return instruction->bytes;
    }
    return 0;
}

static void report_element_width(const struct suspect *suspect, struct report *report)
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
                   "The kernel %s elements of %u byte%s%s, but the elements of %s have 4 bytes. "
                   "Is the declared type wrong?",
                   loads ? "loads" : "stores", bytes, bytes == 1 ? "" : "s", place,
                   loads ? suspect->input.input_name : suspect->input.output_name);
}

/* Report the first two warnings of the compiler. */
static void report_warnings(const struct suspect *suspect, struct report *report)
{
    const char *at = suspect->warnings;
    for (int reported = 0; at && *at && reported < 2;) {
        int length = (int)strcspn(at, "\n");
        char line[300];
        snprintf(line, sizeof line, "%.*s", length, at);
        if (strstr(line, "warning #") || strstr(line, "warning:")) {
            report_add(report, FINDING_COMPILER_WARNING, "The compiler warns: %s", line);
            reported++;
        }
        at += length + (at[length] == '\n');
    }
}

void plain_mistakes_report(const struct suspect *suspect, const struct failure *failure,
                           struct report *report)
{
    char comma[300];
    report_dynamic_array(suspect, report);
    find_small_tile(suspect, report);
    report_unshared_arrays(suspect, report);
    report_element_width(suspect, report);
    other_text_report(suspect, ALWAYS, failure, report);
    if (suspect->code && code_describe_comma(suspect->code, comma, sizeof comma))
        report_add(report, FINDING_COMMA_IN_INDEX, "%s", comma);
    report_warnings(suspect, report);
}
