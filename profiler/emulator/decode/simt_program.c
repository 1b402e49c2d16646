/* simt_program.c: lay out a module, with its global, constant and shared variables. */
#include "emulator/decode/decoding.h"

#include "base/paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_CONSTANT_BYTES = 4 << 20, /* The hardware has 64 KiB. */
    MAX_GLOBAL_BYTES = 1 << 30,
};

void program_take_shapes(struct program *program, struct guest_memory *memory,
                         const struct array_shapes *shapes)
{
    program->shapes = shapes;
    /* The PTX declares variables as bytes, but messages name their elements. */
    for (unsigned i = 0; i < memory->count; i++) {
        struct memory_region *region = &memory->regions[i];
        unsigned element = 4;
        const struct array_shape *shape =
            region->is_variable && !region->element_bytes
                ? array_shapes_find(shapes, region->name, region->bytes, &element)
                : NULL;
        if (!shape || shape->dimensions > 2)
            continue;
        region->element_bytes = element;
        region->row_elements = shape->dimensions == 2 ? shape->extent[1] : 0;
    }
}

static bool place_variables(struct program *program, uint64_t *offsets, uint64_t *shared,
                            unsigned char **bytes, struct failure *failure)
{
    const struct ptx_module *module = program->module;
    uint64_t globals = 0;
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct ptx_variable *variable = &module->variables[i];
        offsets[i] = UINT64_MAX;
        switch (variable->space) {
        case PTX_SHARED:
            if (variable->is_extern)
                break;
            *shared = align_up(*shared, variable->align);
            offsets[i] = *shared;
            *shared += variable->bytes;
            break;
        case PTX_CONST:
            program->constants_bytes = align_up(program->constants_bytes, variable->align);
            offsets[i] = program->constants_bytes;
            program->constants_bytes += variable->bytes;
            break;
        case PTX_GLOBAL: {
            if (variable->is_extern)
                break; /* Accesses to a variable of another module are not supported. */
            globals += variable->bytes;
            if (program->memory->count >= MEMORY_MAX_REGIONS / 2)
                return failure_student(failure, STATUS_UNSUPPORTED,
                                       "module variable %s: there are more than %d arrays and "
                                       "module variables",
                                       variable->name, MEMORY_MAX_REGIONS / 2);
            if (globals > MAX_GLOBAL_BYTES)
                return failure_student(failure, STATUS_UNSUPPORTED,
                                       "module variable %s: all module variables together exceed "
                                       "%d MiB",
                                       variable->name, MAX_GLOBAL_BYTES >> 20);
            bytes[i] = program_allocate(program, variable->bytes ? variable->bytes : 1, 1);
            uint64_t align = variable->align > 256 ? variable->align : 256;
            struct memory_region *region =
                bytes[i]
                    ? memory_map(program->memory, bytes[i], variable->bytes ? variable->bytes : 1,
                                 align, ptx_plain_name(variable->name))
                    : NULL;
            if (!region)
                return failure_harness(failure, "not enough memory for module variable %s",
                                       variable->name);
            /* Compilers declare arrays of any type as aligned bytes. */
            if (variable->type != PTX_B8 || variable->align == 1)
                region->element_bytes = ptx_type_bytes(variable->type);
            region->is_variable = true;
            offsets[i] = region->base;
            break;
        }
        default:
            break;
        }
    }
    if (program->constants_bytes > MAX_CONSTANT_BYTES)
        return failure_student(failure, STATUS_UNSUPPORTED,
                               "the module has %" PRIu64
                               " bytes of constant variables; the emulator supports "
                               "at most %d bytes",
                               program->constants_bytes, MAX_CONSTANT_BYTES);
    program->constants = program_allocate(program, program->constants_bytes, 1);
    if (!program->constants)
        return failure_harness(failure, "not enough memory for constant variables");
    for (size_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].space == PTX_CONST)
            bytes[i] = program->constants + offsets[i];
    return true;
}

static bool initialise_variables(struct program *program, const uint64_t *offsets,
                                 unsigned char **bytes, struct failure *failure)
{
    const struct ptx_module *module = program->module;
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct ptx_variable *variable = &module->variables[i];
        if (!bytes[i])
            continue;
        if (variable->initial)
            memcpy(bytes[i], variable->initial, variable->bytes);
        for (size_t k = 0; k < variable->address_count; k++) {
            const struct ptx_initial_address *address = &variable->addresses[k];
            const struct ptx_variable *target = ptx_find_variable(module, address->name);
            const struct ptx_function *function = ptx_find_function(module, address->name);
            uint64_t value = target     ? offsets[target - module->variables]
                             : function ? function_address((int32_t)(function - module->functions))
                                        : UINT64_MAX;
            if (value == UINT64_MAX || address->offset > variable->bytes ||
                address->bytes > variable->bytes - address->offset || address->bytes > 8)
                return failure_student(failure, STATUS_COMPILE_ERROR,
                                       "the initial value of %s names %s, which is not defined",
                                       variable->name, address->name);
            value += (uint64_t)address->addend;
            if (target && address->generic)
                value += space_window(target->space);
            memcpy(bytes[i] + address->offset, &value, address->bytes);
        }
    }
    return true;
}

static bool create_variables(struct program *program, struct failure *failure)
{
    const size_t count = program->module->variable_count + 1;
    uint64_t *offsets = program->variables = program_allocate(program, count, sizeof *offsets);
    unsigned char **bytes = calloc(count, sizeof *bytes);
    program->shared_module_bytes = program->constants_bytes = 0;
    bool done = offsets && bytes ? place_variables(program, offsets, &program->shared_module_bytes,
                                                   bytes, failure) &&
                                       initialise_variables(program, offsets, bytes, failure)
                                 : failure_harness(failure, "not enough memory to decode a module");
    free(bytes);
    return done;
}

static uint64_t function_shared(const struct ptx_function *function, uint64_t at)
{
    for (size_t i = 0; i < function->variable_count; i++) {
        const struct ptx_variable *variable = &function->variables[i];
        if (variable->space == PTX_SHARED && !variable->is_extern)
            at = align_up(at, variable->align) + variable->bytes;
    }
    return at;
}

static uint64_t device_functions_shared(const struct ptx_module *module, uint64_t at)
{
    for (size_t i = 0; i < module->function_count; i++)
        if (!module->functions[i].is_entry)
            at = function_shared(&module->functions[i], at);
    return at;
}

static uint64_t dynamic_align(const struct ptx_variable *variables, size_t count, uint64_t align)
{
    for (size_t i = 0; i < count; i++)
        if (variables[i].space == PTX_SHARED && variables[i].is_extern &&
            variables[i].align > align)
            align = variables[i].align;
    return align;
}

bool program_map_heap(struct program *program, struct failure *failure)
{
    struct guest_memory *memory = program->memory;
    bool uses_heap = false;
    for (size_t i = 0; i < program->call_count; i++)
        uses_heap |= program->calls[i].builtin == BUILTIN_MALLOC;
    if (!uses_heap || memory_find_heap(memory))
        return true;
    uint64_t bytes =
        device_heap_region_bytes(memory->heap_bytes ? memory->heap_bytes : HEAP_DEFAULT_BYTES);
    unsigned char *host = program_allocate(program, bytes, 1);
    struct memory_region *heap =
        host ? memory_map(memory, host, bytes, GUEST_GUARD_BYTES, "the heap of malloc()") : NULL;
    if (!heap)
        return failure_harness(failure, "not enough memory for the heap of malloc() in kernels");
    heap->is_heap = true;
    return true;
}

bool program_create(const struct ptx_module *module, struct guest_memory *memory,
                    struct program *program, struct failure *failure)
{
    *program = (struct program){.module = module, .memory = memory};
    program->functions =
        program_allocate(program, module->function_count + 1, sizeof *program->functions);
    bool done = program->functions
                    ? create_variables(program, failure)
                    : failure_harness(failure, "not enough memory to decode a module");

    /* Shared memory contains the variables of the module, then of device functions, then of the
     * kernel. Dynamic shared memory begins after the largest kernel's variables. */
    uint64_t shared = program->shared_module_bytes, kernels = 0, align = 16;
    uint64_t kernels_begin = device_functions_shared(module, shared);
    for (size_t i = 0; done && i < module->function_count; i++) {
        uint64_t end = function_shared(&module->functions[i], kernels_begin);
        if (end > kernels)
            kernels = end;
        align = dynamic_align(module->functions[i].variables, module->functions[i].variable_count,
                              align);
    }
    program->dynamic_shared =
        align_up(kernels, dynamic_align(module->variables, module->variable_count, align));

    for (size_t i = 0; done && i < module->function_count; i++) {
        const struct ptx_function *source = &module->functions[i];
        program->functions[i].source = source;
        program->functions[i].stats_base = program->instruction_count;
        program->instruction_count += (uint32_t)source->instruction_count;
        if (source->is_declaration)
            continue;
        done = decode_function(program, i, source->is_entry ? kernels_begin : shared, failure);
        if (!source->is_entry)
            shared = function_shared(source, shared);
    }
    done = done && (memory->has_late_heap || program_map_heap(program, failure));
    if (done &&
        !program_adopt(program, &program->calls, program->call_count * sizeof *program->calls))
        done = failure_harness(failure, "not enough memory to decode a module");
    if (!done) {
        free(program->calls);
        program_free(program);
    }
    return done;
}

bool program_copy(const struct program *decoded, struct guest_memory *memory,
                  struct program *program, struct failure *failure)
{
    if (decoded->has_addresses)
        return program_create(decoded->module, memory, program, failure);
    *program = *decoded;
    program->memory = memory;
    program->shapes = NULL;
    program->arena = NULL;
    bool done = create_variables(program, failure) &&
                (memory->has_late_heap || program_map_heap(program, failure));
    if (!done)
        program_free(program);
    return done;
}

int program_find_entry(const struct program *program, const char *name)
{
    for (size_t i = 0; i < program->module->function_count; i++) {
        const struct ptx_function *function = &program->module->functions[i];
        if (function->is_entry && !function->is_declaration && !strcmp(function->name, name))
            return (int)i;
    }
    return -1;
}

uint64_t program_shared_bytes(const struct program *program, int function)
{
    const struct ptx_module *module = program->module;
    uint64_t at = device_functions_shared(module, program->shared_module_bytes);
    return function_shared(&module->functions[function], at);
}

void program_reach(const struct program *program, int function, bool *reached)
{
    const struct program_function *caller = &program->functions[function];
    reached[function] = true;
    for (size_t i = 0; i < program->module->function_count && caller->calls_pointers; i++)
        if (!program->module->functions[i].is_entry && !reached[i])
            program_reach(program, (int)i, reached);
    for (size_t i = 0; i < caller->code_count; i++)
        if (caller->code[i].kind == SIMT_CALL) {
            int32_t callee = program->calls[caller->code[i].extra].function;
            if (callee >= 0 && !reached[callee])
                program_reach(program, callee, reached);
        }
}

static enum communication instruction_communicates(const struct program *program,
                                                   const struct instruction *instruction)
{
    bool is_commutative = (instruction->flags & SIMT_NO_RESULT) &&
                          !(instruction->flags & SIMT_FLOAT) &&
                          instruction->control != ATOMIC_EXCH && instruction->control != ATOMIC_CAS;
    switch (instruction->kind) {
    case SIMT_LOAD:
    case SIMT_STORE:
        if (!(instruction->flags & SIMT_VOLATILE))
            return COMMUNICATES_NOT;
        return instruction->space == PTX_GLOBAL || instruction->space == PTX_GENERIC
                   ? COMMUNICATES_ACROSS_BLOCKS
                   : COMMUNICATES_IN_BLOCK;
    case SIMT_ATOMIC:
        return is_commutative                     ? COMMUNICATES_NOT
               : instruction->space != PTX_SHARED ? COMMUNICATES_ACROSS_BLOCKS
                                                  : COMMUNICATES_IN_BLOCK;
    case SIMT_CALL_BUILTIN: /* All blocks share one heap. */
        return program->calls[instruction->extra].builtin >= BUILTIN_MALLOC
                   ? COMMUNICATES_ACROSS_BLOCKS
                   : COMMUNICATES_IN_BLOCK;
    case SIMT_MBARRIER:
    case SIMT_CLOCK:
        return COMMUNICATES_IN_BLOCK;
    default:
        return COMMUNICATES_NOT;
    }
}

enum communication program_communicates(const struct program *program, int function)
{
    enum communication most = COMMUNICATES_NOT;
    bool *reached = calloc(program->module->function_count + 1, sizeof *reached);
    if (!reached)
        return COMMUNICATES_ACROSS_BLOCKS;
    program_reach(program, function, reached);
    for (size_t f = 0; f < program->module->function_count; f++)
        for (size_t i = 0; reached[f] && i < program->functions[f].code_count; i++) {
            enum communication one =
                instruction_communicates(program, &program->functions[f].code[i]);
            most = one > most ? one : most;
        }
    free(reached);
    return most;
}

bool program_has(const struct program *program, int function, enum program_trait trait)
{
    bool *reached = calloc(program->module->function_count + 1, sizeof *reached), found = !reached;
    if (reached)
        program_reach(program, function, reached);
    for (size_t f = 0; f < program->module->function_count && !found; f++)
        found = reached[f] && (program->functions[f].traits & trait);
    free(reached);
    return found;
}

static const char *file_of(const struct ptx_module *module, const struct ptx_location *location)
{
    const char *file = location->file < module->file_count ? module->files[location->file] : NULL;
    return file ? file : "unknown file";
}

static const struct ptx_location *inlined_at(const struct ptx_module *module,
                                             const struct ptx_location *location)
{
    return location->inlined_at >= 0 && (size_t)location->inlined_at < module->location_count
               ? &module->locations[location->inlined_at]
               : NULL;
}

/* Returns NULL if the location is unknown. Line 0 marks code that belongs to a later line. */
static const struct ptx_location *location_of(const struct ptx_module *module, int function,
                                              uint32_t instruction)
{
    const struct ptx_function *source = &module->functions[function];
    const struct ptx_location *last = NULL;
    for (uint32_t at = instruction; at < source->instruction_count && !(last && last->line); at++) {
        int32_t index = source->instructions[at].location;
        last =
            index >= 0 && (size_t)index < module->location_count ? &module->locations[index] : NULL;
    }
    return last;
}

static bool is_library(const char *file)
{
    const char *base = path_basename(file);
    return !strstr(base, ".cu") &&
           (!strncmp(file, "/usr/", 5) || strstr(file, "/cuda") || !strncmp(base, "cuda", 4) ||
            !strncmp(base, "cooperative_groups", 18) || !strncmp(base, "sm_", 3));
}

enum { MAX_INLINED = 64 };

uint32_t program_locate(const struct program *program, int function, uint32_t instruction,
                        char *text, size_t size)
{
    const struct ptx_module *module = program->module;
    const struct ptx_function *source = &module->functions[function];
    const struct ptx_location *inner = location_of(module, function, instruction);
    if (!inner) {
        uint32_t line = instruction < source->instruction_count
                            ? source->instructions[instruction].ptx_line
                            : 0;
        snprintf(text, size, "line %u of the PTX", line);
        return 0;
    }
    const char *file = file_of(module, inner);
    const struct ptx_location *own = is_library(file) ? NULL : inner, *outer = inner, *caller;
    for (unsigned depth = 0; depth < MAX_INLINED && (caller = inlined_at(module, outer)); depth++) {
        outer = caller;
        own = own || is_library(file_of(module, outer)) ? own : outer;
    }
    if (outer == inner)
        snprintf(text, size, "%s:%u", file, inner->line);
    else if (own && own != inner)
        snprintf(text, size, "%s:%u (in %s:%u)", file_of(module, own), own->line, file,
                 inner->line);
    else
        snprintf(text, size, "%s:%u (inlined at %s:%u)", file, inner->line, file_of(module, outer),
                 outer->line);
    return outer->line;
}

/* Returns true if `query` holds for the lines of both instructions, or of their inlined calls. */
static bool query_source(const struct program *program, int function, uint32_t condition,
                         uint32_t guarded,
                         bool (*query)(const struct conditions *, uint32_t, uint32_t))
{
    const struct ptx_module *module = program->module;
    const struct array_shapes *shapes = program->shapes;
    const struct ptx_location *one = shapes ? location_of(module, function, condition) : NULL;
    for (unsigned depth = 0; one && depth < MAX_INLINED; depth++) {
        bool is_known = !shapes->path ||
                        !strcmp(path_basename(file_of(module, one)), path_basename(shapes->path));
        const struct ptx_location *other = location_of(module, function, guarded);
        for (unsigned i = 0; is_known && other && i < MAX_INLINED; i++) {
            if (one->file == other->file && query(&shapes->conditions, one->line, other->line))
                return true;
            other = inlined_at(module, other);
        }
        one = inlined_at(module, one);
    }
    return false;
}

bool program_guards(const struct program *program, int function, uint32_t condition,
                    uint32_t guarded)
{
    return query_source(program, function, condition, guarded, conditions_guard);
}

bool program_returns(const struct program *program, int function, uint32_t condition,
                     uint32_t other)
{
    return query_source(program, function, condition, other, conditions_return);
}

bool program_suits(const struct program *program, int function, const struct device *device,
                   struct failure *failure)
{
    const struct ptx_module *module = program->module;
    bool *reached = calloc(module->function_count + 1, sizeof *reached);
    uint64_t capability = device->warp_lanes < LANES ? UINT64_MAX : device->compute_capability;
    if (!reached)
        return failure_harness(failure, "not enough memory to check a kernel");
    program_reach(program, function, reached);
    size_t f = 0;
    while (f < module->function_count &&
           (!reached[f] || program->functions[f].capability <= capability))
        f++;
    free(reached);
    if (f == module->function_count)
        return true;
    uint32_t at = 0;
    const struct ptx_instruction *instructions = module->functions[f].instructions;
    while (ptx_capability(&instructions[at]) <= capability)
        at++;
    unsigned required = ptx_capability(&instructions[at]);
    char where[1024];
    program_locate(program, (int)f, at, where, sizeof where);
    return failure_student(failure, STATUS_UNSUPPORTED,
                           "%s: %s requires compute capability %u.%u; %s has %u.%u", where,
                           instructions[at].text, required / 10, required % 10, device->title,
                           (unsigned)capability / 10, (unsigned)capability % 10);
}
