#include "diagnose/plain_mistakes.h"

#include "diagnose/diagnosis.h"
#include "diagnose/hypotheses.h"
#include "diagnose/other_text.h"
#include "emulator/decode/shared_names.h"
#include "text/code_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the smallest reported array; maximum number of examined words of shared memory. */
enum { ARRAY_BYTES_MIN = 256, SHARED_WORDS = 64 << 10 };

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

bool plain_tile_is_small(const struct suspect *suspect, struct report *report)
{
    const struct array_shapes *declared = suspect->shapes;
    const struct dimensions *grid = &suspect->launch->grid;
    uint64_t elements = suspect->input.problem.rows * suspect->input.problem.cols,
             blocks = (uint64_t)grid->x * grid->y * grid->z;
    if (declared->count != 1 || declared->shapes[0].dimensions != 2 || !blocks ||
        suspect->input.problem.rows == 1) /* a row has no tile */
        return false;
    const struct array_shape *shape = &declared->shapes[0];
    uint64_t each = elements / blocks, capacity = (uint64_t)shape->extent[0] * shape->extent[1];
    const struct program *program = suspect->launch->program;
    const struct ptx_function *kernel = program->functions[suspect->launch->function].source;
    const struct {
        const struct ptx_variable *variables;
        size_t count;
    } scopes[] = {{program->module->variables, program->module->variable_count},
                  {kernel->variables, kernel->variable_count}};
    /* The elements of the tile may be wider than 4 bytes, such as float4. */
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < scopes[k].count; i++)
            if (!strcmp(ptx_plain_name(scopes[k].variables[i].name), shape->name) &&
                scopes[k].variables[i].bytes / 4 > capacity)
                capacity = scopes[k].variables[i].bytes / 4;
    if (capacity < each && report)
        report_add(report, FINDING_TILE_TOO_SMALL,
                   "%s holds %" PRIu64 " elements (%" PRIu32 " x %" PRIu32
                   "), but a block moves %" PRIu64 " elements",
                   shape->name, capacity, shape->extent[0], shape->extent[1], each);
    return capacity < each;
}

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

static uint32_t source_line(const struct ptx_module *module, const struct ptx_instruction *i)
{
    int32_t at = i->location;
    while (at >= 0 && module->locations[at].inlined_at >= 0)
        at = module->locations[at].inlined_at;
    return at < 0 ? 0 : module->locations[at].line;
}

/* Returns true for a conversion between a float and an integer. */
static bool converts(const struct ptx_instruction *i, bool to_float)
{
    const enum ptx_type real = i->types[!to_float], integer = i->types[to_float];
    return i->opcode == PTX_OP_CVT && i->type_count == 2 && real == PTX_F32 && integer >= PTX_U8 &&
           integer <= PTX_S64;
}

uint32_t plain_truncation_line(const struct ptx_module *module, const struct ptx_function *kernel)
{
    bool *truncated = calloc(kernel->register_count + 1, sizeof *truncated);
    uint32_t line = 0;
    bool found = false;
    for (bool grew = truncated; grew && !found;) {
        grew = false;
        for (size_t n = 0; n < kernel->instruction_count; n++) {
            const struct ptx_instruction *i = &kernel->instructions[n];
            bool is_result = converts(i, false);
            line = is_result && !line ? source_line(module, i) : line;
            for (unsigned o = 1; o < i->operand_count && i->opcode != PTX_OP_LD; o++)
                is_result |=
                    i->operands[o].kind == PTX_OPERAND_REGISTER && truncated[i->operands[o].index];
            found |= is_result && converts(i, true);
            if (!is_result || i->operands[0].kind != PTX_OPERAND_REGISTER)
                continue;
            grew |= !truncated[i->operands[0].index];
            truncated[i->operands[0].index] = true;
        }
    }
    free(truncated);
    return found ? line : 0;
}

static void report_conversion(const struct suspect *suspect, struct report *report)
{
    const struct ptx_module *module = suspect->launch->program->module;
    const struct ptx_function *kernel =
        suspect->launch->program->functions[suspect->launch->function].source;
    for (size_t i = 0; i < kernel->instruction_count; i++) {
        const struct ptx_instruction *at = &kernel->instructions[i];
        const enum ptx_type to = at->types[0], from = at->types[1];
        const bool loses = suspect->has_floats ? from == PTX_F32 && to != PTX_F64 && to != PTX_F32
                                               : to == PTX_F32 && ptx_type_bytes(from) == 4;
        if (at->opcode != PTX_OP_CVT || at->type_count != 2 || !loses)
            continue;
        const uint32_t line = source_line(module, at);
        report_add_at(report, FINDING_VALUE_CONVERTED, line,
                      "Line %" PRIu32 " converts %s to %s, which changes values.", line,
                      suspect->has_floats ? "float" : "an integer",
                      to == PTX_F16            ? "half precision"
                      : to == PTX_BF16         ? "bfloat16"
                      : to == PTX_F32          ? "float (24 significant bits)"
                      : ptx_type_is_signed(to) ? "a signed integer"
                                               : "an unsigned integer");
        return;
    }
}

void plain_return_report(const struct suspect *suspect, uint32_t line, struct report *report)
{
    const char *code = suspect->code ? suspect->code : "";
    struct code_definition found[32];
    const size_t count = code_definitions(code, strlen(code), found, 32);
    uint32_t last = 0, first = 0;
    for (size_t i = 0; i < count; i++)
        if (found[i].first <= line)
            first = found[i].first; /* the function of `line` */
    for (const char *at = code; (at = strstr(at, "return;")) && code_line(code, at) < line; at++)
        last = code_line(code, at);
    if (last > first)
        report_add_at(report, FINDING_RETURN_QUESTION, last,
                      "Threads that return in line %" PRIu32 " do not reach line %" PRIu32, last,
                      line);
}

struct stores {
    const struct ptx_module *module;
    uint64_t block;
    uint32_t missing;                /* 1 + first word that is loaded, but not stored; 0 if none */
    uint16_t line[SHARED_WORDS + 1]; /* line of the first store to word i - 1; 0 if none */
    bool is_missing[SHARED_WORDS + 1]; /* word i - 1 of this block is loaded, but not stored */
};

static void see_access(void *context, const struct observed_access *access)
{
    struct stores *s = context;
    const struct ptx_instruction *at =
        &s->module->functions[access->place.function].instructions[access->place.instruction];
    if (s->block != access->block && s->missing)
        return;
    if (s->block != access->block)
        memset(s->line, 0, sizeof s->line);
    s->block = access->block;
    for (unsigned i = 0; access->is_shared && i < LANES * OBSERVED_WORDS; i++) {
        const uint64_t byte = access->address[i % LANES] + i / LANES * 4, word = byte / 4 + 1;
        if (!(access->mask >> i % LANES & 1) || i / LANES * 4 >= access->bytes ||
            word > SHARED_WORDS || s->line[word] || s->is_missing[word])
            continue;
        if (at->opcode == PTX_OP_ST) {
            s->line[word] = (uint16_t)source_line(s->module, at);
        } else if (!access->is_store || at->opcode == PTX_OP_ATOM || at->opcode == PTX_OP_RED) {
            s->missing = s->missing ? s->missing : (uint32_t)word;
            s->is_missing[word] = true;
        }
    }
}

/* Words of shared memory. Words have numbers from 1. */
struct word_range {
    uint32_t count, first, last;
    char text[400];
};

static void add_word(struct word_range *range, uint32_t word, bool is_added)
{
    if (is_added && !range->count++)
        range->first = word;
    if (is_added)
        range->last = word;
}

static void describe_words(const struct suspect *suspect, struct word_range *range)
{
    const uint32_t ends[] = {range->first, range->last};
    char names[2][160] = {"", ""};
    for (int i = 0; i < 2 && range->count; i++)
        shared_describe(suspect->launch->program, suspect->launch->function, 4 * (ends[i] - 1), 4,
                        names[i], sizeof names[i]);
    snprintf(range->text, sizeof range->text,
             range->count > 1 ? "%u words%s: %s to %s" : "%u word%s: %s", range->count,
             range->count <= range->last - range->first ? " with gaps" : "", names[0], names[1]);
}

void plain_stores_report(const struct suspect *suspect, struct report *report)
{
    const struct program *program = suspect->launch->program;
    struct stores s = {.module = program->module};
    const struct observer observer = {.every_block = true, .access = see_access, .context = &s};
    const struct trial trial = {.is_lenient = true, .observer = &observer};
    const uint32_t pitch = suspect->shapes->count == 1 ? suspect->shapes->shapes[0].extent[1] : 0;
    const struct problem *problem = &suspect->input.problem;
    const bool has_edges = suspect->is_map && (problem->rows % suspect->whole != 0 ||
                                               problem->cols % suspect->whole != 0);
    struct word_range stored = {0}, missing = {0};
    suspect->is_correct(suspect->context, &trial, NULL);
    /* The line of the store to the word one row above, or to the closest smaller word. */
    uint32_t line = pitch < s.missing ? s.line[s.missing - pitch] : 0;
    for (uint32_t word = s.missing; word > 1 && !line;)
        line = s.line[--word];
    for (uint32_t word = 1; line && word <= SHARED_WORDS; word++) {
        add_word(&stored, word, s.line[word] == line);
        add_word(&missing, word, s.is_missing[word]);
    }
    describe_words(suspect, &stored);
    describe_words(suspect, &missing);
    if (stored.count)
        report_add_at(
            report, FINDING_STORE_INCOMPLETE, line,
            "Before this load, line %" PRIu32 " has stored %s. No thread has stored %s. %s", line,
            stored.text, missing.text,
            has_edges ? "If these words are positions outside of the matrix, the load needs a "
                        "bounds check. Otherwise, check the loop and the index of the store."
                      : "Which threads should store these words? Check the loop and the index of "
                        "the store.");
    plain_return_report(suspect, line, report);
}

struct overwritten {
    const struct ptx_module *module;
    uint64_t block;
    uint32_t load, store; /* lines of the load and of the earlier store; 0 if none */
    struct {
        uint64_t address;
        uint32_t line;
    } stores[SHARED_WORDS]; /* the block's last store to each word of the array */
};

static void see_global(void *context, const struct observed_access *access)
{
    struct overwritten *o = context;
    const uint32_t line = source_line(
        o->module,
        &o->module->functions[access->place.function].instructions[access->place.instruction]);
    if (o->block != access->block)
        memset(o->stores, 0, sizeof o->stores);
    o->block = access->block;
    for (unsigned i = 0; !access->is_shared && i < LANES * OBSERVED_WORDS && !o->load; i++) {
        const uint64_t address = access->address[i % LANES] + i / LANES * 4;
        const size_t at = address / 4 % SHARED_WORDS;
        if (!(access->mask >> i % LANES & 1) || i / LANES * 4 >= access->bytes)
            continue;
        if (access->is_store) {
            o->stores[at].address = address;
            o->stores[at].line = line;
        } else if (o->stores[at].address == address) {
            o->load = line;
            o->store = o->stores[at].line;
        }
    }
}

/* Report a load from global memory of an element that the same block has overwritten. */
static void report_overwritten(const struct suspect *suspect, struct report *report)
{
    struct overwritten *o = calloc(1, sizeof *o);
    const struct observer observer = {.every_block = true, .access = see_global, .context = o};
    const struct trial trial = {.is_lenient = true, .observer = &observer};
    if (!o)
        return;
    o->module = suspect->launch->program->module;
    suspect->is_correct(suspect->context, &trial, NULL);
    if (o->load)
        report_add_at(report, FINDING_STATEMENT_ORDER, o->load,
                      "The block loads elements in line %" PRIu32
                      " that it has already overwritten in line %" PRIu32
                      ", so their old values are lost. Load all elements of the block before the "
                      "first store.",
                      o->load, o->store);
    free(o);
}

void plain_find_specials(const struct ptx_module *module, const struct ptx_function *kernel,
                         bool used[PTX_SPECIAL_COUNT])
{
    for (size_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        if (function->is_entry && function != kernel)
            continue;
        for (size_t i = 0; i < function->instruction_count; i++)
            for (unsigned o = 0; o < function->instructions[i].operand_count; o++) {
                const struct ptx_operand *operand = &function->instructions[i].operands[o];
                if (operand->kind == PTX_OPERAND_SPECIAL && operand->index < PTX_SPECIAL_COUNT)
                    used[operand->index] = true;
            }
    }
}

bool plain_dimensions_report(const struct suspect *suspect, struct report *report)
{
    const struct program *program = suspect->launch->program;
    const struct dimensions *of[] = {&suspect->launch->block, &suspect->launch->grid};
    static const struct {
        const char *index, *container, *parts;
        enum ptx_special first;
    } kinds[] = {{"threadIdx", "block", "threads", PTX_SPECIAL_TID_X},
                 {"blockIdx", "grid", "blocks", PTX_SPECIAL_CTAID_X}};
    const unsigned before = report->lines;
    bool used[PTX_SPECIAL_COUNT] = {false};
    plain_find_specials(program->module, program->functions[suspect->launch->function].source,
                        used);
    for (unsigned kind = 0; kind < 2; kind++)
        for (unsigned axis = 0; axis < 3; axis++) {
            const uint32_t extents[] = {of[kind]->x, of[kind]->y, of[kind]->z};
            const bool is_used = used[kinds[kind].first + axis];
            if (extents[axis] > 1 && !is_used)
                report_add(report, FINDING_DIMENSION_UNUSED,
                           "The kernel does not use %s.%c, but the %s has %u %s in %c, so the "
                           "same work is done %u times",
                           kinds[kind].index, 'x' + (int)axis, kinds[kind].container, extents[axis],
                           kinds[kind].parts, 'x' + (int)axis, extents[axis]);
            else if (!kind && axis && extents[axis] == 1 && is_used)
                report_add(report, FINDING_DIMENSION_SINGLE,
                           "%s.%c is 0 in every thread, because the %s has %u x %u %s",
                           kinds[kind].index, 'x' + (int)axis, kinds[kind].container, extents[0],
                           extents[1], kinds[kind].parts);
        }
    return report->lines > before;
}

/* Report a kernel that uses blockIdx.y in a grid of one row that has a block for each tile. */
static void report_row_of_blocks(const struct suspect *suspect, struct report *report)
{
    const struct program *program = suspect->launch->program;
    const struct dimensions *grid = &suspect->launch->grid;
    const struct problem *problem = &suspect->input.problem;
    const uint64_t tile = problem->tile ? problem->tile : 1,
                   rows = (problem->rows + tile - 1) / tile,
                   tiles = rows * ((problem->cols + tile - 1) / tile);
    bool used[PTX_SPECIAL_COUNT] = {false};
    plain_find_specials(program->module, program->functions[suspect->launch->function].source,
                        used);
    if (rows > 1 && grid->x >= tiles && grid->y == 1 && grid->z == 1 &&
        used[PTX_SPECIAL_CTAID_X + 1])
        report_add(report, FINDING_DIMENSION_SINGLE,
                   "blockIdx.y is 0 in every block, because the grid has %u x 1 blocks. Compute "
                   "the row and the column of the tile from blockIdx.x",
                   grid->x);
}

bool plain_warning_next(const char **at, char *text, size_t size, uint32_t *line)
{
    /* Warnings are identified by their number (nvcc, NVRTC) or their option (clang). */
    static const struct {
        const char *number, *option, *meaning;
    } meanings[] = {
        {"#174-D", "-Wunused-value",
         ". This statement does nothing. Are parentheses missing, as in `__syncthreads();`?"},
        {"#177-D", "-Wunused-variable", ". Is this variable missing from an index or a condition?"},
        {"#550-D", "-Wunused-but-set", ". Is this variable missing from an index or a condition?"},
        {"#186-D", "-Wtautological", ". An unsigned number is never less than 0."},
        {"#187-D", "-Wparentheses", ". `=` stores a value; `==` compares."},
        {"#549-D", "-Wuninitialized", ". The variable has no value in this line."},
        {"#111-D", "-Wunreachable", ". These statements are never executed."},
    };
    while (**at) {
        const int length = (int)strcspn(*at, "\n");
        char message[300];
        snprintf(message, sizeof message, "%.*s", length, *at);
        *at += length + ((*at)[length] == '\n');
        const char *warning = strstr(message, "warning"),
                   *name = strpbrk(message, "(:"); /* file(12): or file:12: */
        if (!warning || !(strchr(" :", warning[7]) && warning[7]))
            continue;
        *line = name ? (uint32_t)strtoul(name + 1, NULL, 10) : 0;
        const char *meaning = "";
        for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
            if (strstr(warning, meanings[i].number) || strstr(warning, meanings[i].option))
                meaning = meanings[i].meaning;
        const char *said = strstr(warning, ": ");
        snprintf(text, size, "The compiler warns about line %" PRIu32 ": %s%s", *line,
                 said ? said + 2 : warning, meaning);
        return true;
    }
    return false;
}

uint32_t plain_macro_find(const char *code, char *name, size_t size)
{
    struct text_place macros[TEXT_PLACES_MAX], uses[TEXT_PLACES_MAX];
    const unsigned count =
        other_text_places("#define[ \t]+(\\w+)[ \t]+\\w+ ?[-+] ?\\w", "\\1", code, macros);
    for (unsigned m = 0; m < count; m++) {
        char use[1024];
        snprintf(use, sizeof use, "[])A-Za-z0-9_] ?[*/%%] ?%s\\>|\\<%s ?[*/%%]", macros[m].text,
                 macros[m].text);
        snprintf(name, size, "%s", macros[m].text);
        if (other_text_places(use, "", code, uses))
            return code_line(code, macros[m].at);
    }
    return 0;
}

void plain_warnings_report(const char *warnings, struct report *report)
{
    char text[400];
    uint32_t line, last = 0;
    for (const char *at = warnings;
         at && report->lines < 2 && plain_warning_next(&at, text, sizeof text, &line); last = line)
        if (line != last)
            report_add_at(report, FINDING_COMPILER_WARNING, line, "%s", text);
}

/* Examine a result in which exactly the last, partial group of the rows, the columns or the array
 * is missing. Report a division that rounds down, or a condition on a whole group of elements. */
static void report_remainder(const struct suspect *suspect, struct report *report)
{
    static const struct {
        const char *pattern, *meaning;
        unsigned base; /* 0: the number is the size of a group; 1: its last index; 2: its bits */
    } groups[] = {
        {"\\+ ?([1-9][0-9]*) ?(<|>=) ?[a-z]", "this condition excludes an incomplete group", 1},
        {">> ?([1-9])\\>", "this shift rounds down", 2},
        {"[^.A-Za-z0-9_][a-z]\\w* ?/ ?([0-9]+)\\>", "this division rounds down", 0},
        {"\\) ?/ ?([0-9]+)\\>", "this division rounds down", 0},
    };
    struct diagnosis d;
    bool is_open = diagnosis_make(&d, &suspect->input) && d.unwritten.count == d.wrong.count;
    const uint64_t rows = d.out_rows, cols = d.out_cols, lost = d.unwritten.count,
                   first = d.first[FOUND_UNWRITTEN];
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        struct text_place places[TEXT_PLACES_MAX];
        const unsigned count =
            is_open ? other_text_places(groups[g].pattern, "\\1", suspect->code, places) : 0;
        for (unsigned p = 0; p < count && is_open; p++) {
            const unsigned long number = strtoul(places[p].text, NULL, 10);
            const uint64_t size = groups[g].base == 2 ? 1u << number % 16 : number + groups[g].base,
                           rest = size > 1 ? size : 1;
            const char *of =
                lost == rows % rest * cols && first == rows * cols - lost     ? "rows"
                : lost == rows * (cols % rest) && first == cols - cols % rest ? "columns"
                : lost == rows * cols % rest && first == rows * cols - lost   ? "elements"
                                                                              : NULL;
            char text[200];
            if (!of)
                continue;
            snprintf(text, sizeof text,
                     "%s, so the last %s of %s are lost if their number is not a multiple of "
                     "%" PRIu64,
                     groups[g].meaning, of, suspect->input.output_name, size);
            other_text_report_change(suspect, FINDING_EXPRESSION, text, &places[p], 1, false,
                                     report);
            is_open = false;
        }
    }
    diagnosis_free(&d);
}

/* Report blocks that leave out a border of one or two elements: the border of a tile with a halo.
 * Returns false if the text of the failure does not describe such a result. */
static bool report_border(const char *text, struct report *report)
{
    unsigned first, last, pitch;
    const char *except = strstr(text, "everything except rows 0.."),
               *columns = strstr(text, "columns ");
    if (except && sscanf(except, "everything except rows 0..%u of every %u", &last, &pitch) == 2)
        first = last + 1;
    else if (!columns ||
             sscanf(columns, "columns %u..%u of every %u", &first, &last, &pitch) != 3 ||
             last + 1 != pitch)
        return false;
    return pitch > 4 && first < pitch && pitch - first <= 2 &&
           report_add(report, FINDING_BLOCK_OVERLAP,
                      "Blocks begin %u elements apart, but each block stores only %u of them. Two "
                      "neighbouring blocks must begin %u elements apart (the factor of the block "
                      "index), and the grid needs more blocks.",
                      pitch, first, first);
}

void plain_mistakes_report(const struct suspect *suspect, const struct failure *failure,
                           struct report *report)
{
    char comma[300];
    report_dynamic_array(suspect, report);
    plain_tile_is_small(suspect, report);
    report_row_of_blocks(suspect, report);
    report_unshared_arrays(suspect, report);
    report_element_width(suspect, report);
    if (suspect->code && suspect->is_map && failure_has(failure, FINDING_UNWRITTEN))
        report_remainder(suspect, report);
    if (failure->status == STATUS_WRONG_RESULT)
        report_overwritten(suspect, report);
    struct text_place quotient[TEXT_PLACES_MAX];
    if (suspect->code &&
        (failure_has(failure, FINDING_SUM_PARTIAL) ||
         failure_has(failure, FINDING_REFERENCE_MISTAKE)) &&
        other_text_places("= *count ?/ ?[^;]*;", "", suspect->code, quotient))
        other_text_report_change(suspect, FINDING_EXPRESSION,
                                 "this division rounds down, so elements are lost if count is not "
                                 "a multiple of the divisor",
                                 quotient, 1, false, report);
    if (!report_border(failure->text, report))
        other_text_report(suspect, ALWAYS, failure, report);
    if (suspect->code && code_describe_comma(suspect->code, comma, sizeof comma))
        report_add(report, FINDING_COMMA_IN_INDEX, "%s", comma);
    report_conversion(suspect, report);
}
