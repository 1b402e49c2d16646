/* ptx_declare.c: variables with their initial bytes, parameters, and registers (PTX ISA 5).
 * Addresses in an initializer go into a separate list, because the module has no layout yet. */
#include "emulator/ptx/ptx_parser.h"

#include <stdio.h>
#include <string.h>

enum {
    MAX_DIMENSIONS = 8,
    MAX_ALIGNMENT = 1 << 16,
    MAX_INITIAL_ADDRESS_BYTES = 8,
};

struct declaration {
    enum ptx_space space;
    enum ptx_type type;
    uint32_t line;
    uint64_t vector; /* Number of elements of .v2, .v4 or .v8, otherwise 1. */
    uint64_t align;  /* 0 if the declaration has no .align. */
    struct ptx_atom *name;
    /* Array sizes, outermost first. The last size may be a vector's element count. */
    uint64_t dimensions[MAX_DIMENSIONS + 1];
    unsigned dimension_count;
    bool open_ended; /* True for `[]`: the initializer determines the first size. */
    uint64_t bytes;
};

static bool parse_register(struct ptx_parser *parser, enum ptx_type type, uint8_t vector)
{
    uint32_t line = parser->token.line;
    uint32_t depth = parser->names.depth;
    struct ptx_binding *binding;
    struct ptx_atom *atom;
    if (!ptx_expect_atom(parser, &atom))
        return false;
    if (ptx_accept(parser, '<')) {
        uint64_t count;
        if (!ptx_expect_count(parser, UINT32_MAX, "a number of registers", &count) ||
            !ptx_expect(parser, '>') ||
            !ptx_declare(parser, atom, PTX_BINDING_RANGE, depth, line, &binding))
            return false;
        binding->count = (uint32_t)count;
    } else {
        if (!ptx_declare(parser, atom, PTX_BINDING_REGISTER, depth, line, &binding))
            return false;
        binding->index = -1; /* ptx_resolve creates the register at its first use. */
    }
    binding->type = type;
    binding->vector = vector;
    return true;
}

bool ptx_parse_registers(struct ptx_parser *parser)
{
    enum ptx_type type;
    uint8_t vector = ptx_accept_word(parser, "v2") ? 2 : ptx_accept_word(parser, "v4") ? 4 : 0;
    if (!ptx_parse_type(&parser->token, &type))
        return ptx_fail_expected(parser, "a register's type");
    if (!ptx_advance(parser))
        return false;
    do
        if (!parse_register(parser, type, vector))
            return false;
    while (ptx_accept(parser, ','));
    return ptx_expect(parser, ';');
}

static bool parse_alignment(struct ptx_parser *parser, uint64_t *align)
{
    if (!ptx_expect_count(parser, MAX_ALIGNMENT, "an alignment", align))
        return false;
    if (*align == 0 || (*align & (*align - 1)))
        return ptx_fail(parser, "an alignment must be a power of two");
    return true;
}

static bool parse_pointer_attributes(struct ptx_parser *parser)
{
    enum ptx_space space;
    uint64_t align;
    if (ptx_parse_space(&parser->token, &space) && !ptx_advance(parser))
        return false;
    return !ptx_accept_word(parser, "align") || parse_alignment(parser, &align);
}

static bool parse_attributes(struct ptx_parser *parser, struct declaration *declaration)
{
    declaration->vector = 1;
    while (parser->token.kind == PTX_TOKEN_WORD) {
        if (ptx_accept_word(parser, "v2")) {
            declaration->vector = 2;
        } else if (ptx_accept_word(parser, "v4")) {
            declaration->vector = 4;
        } else if (ptx_accept_word(parser, "v8")) {
            declaration->vector = 8;
        } else if (ptx_accept_word(parser, "align")) {
            if (!parse_alignment(parser, &declaration->align))
                return false;
        } else if (ptx_accept_word(parser, "ptr")) {
            if (!parse_pointer_attributes(parser))
                return false;
        } else if (ptx_accept_word(parser, "attribute")) {
            if (!ptx_skip_brackets(parser))
                return false;
        } else if (ptx_parse_type(&parser->token, &declaration->type)) {
            if (!ptx_advance(parser))
                return false;
        } else {
            return ptx_fail_expected(parser, "a type");
        }
    }
    if (declaration->type == PTX_NONE)
        return ptx_fail_expected(parser, "a type");
    if (declaration->type == PTX_PRED && declaration->space != PTX_REG)
        return ptx_fail(parser, "only registers can be .pred");
    return true;
}

/* Compute `bytes`. Sizes after a size of 0 are also checked, so that strides do not overflow. */
static bool compute_bytes(struct ptx_parser *parser, struct declaration *declaration)
{
    uint64_t bytes = ptx_type_bytes(declaration->type);
    bool is_empty = false;
    for (unsigned i = 0; i < declaration->dimension_count; i++) {
        uint64_t size = declaration->dimensions[i];
        is_empty |= size == 0;
        if (__builtin_mul_overflow(bytes, size ? size : 1, &bytes) ||
            bytes > PTX_MAX_VARIABLE_BYTES)
            return ptx_fail_at(parser, declaration->line, "%s is larger than %d MiB",
                               declaration->name->text, PTX_MAX_VARIABLE_BYTES >> 20);
    }
    declaration->bytes = is_empty ? 0 : bytes;
    return true;
}

/* Parse `[2][3]` after a name. The elements of a vector become the innermost size. */
static bool parse_dimensions(struct ptx_parser *parser, struct declaration *declaration)
{
    declaration->dimension_count = 0;
    declaration->open_ended = false;
    while (ptx_accept(parser, '[')) {
        uint64_t *size = &declaration->dimensions[declaration->dimension_count];
        if (declaration->dimension_count == MAX_DIMENSIONS)
            return ptx_fail(parser, "an array has more than %d dimensions", MAX_DIMENSIONS);
        *size = 0;
        if (declaration->dimension_count == 0 && ptx_at(parser, ']')) {
            declaration->open_ended = true;
        } else {
            struct ptx_constant constant;
            if (!ptx_parse_constant(parser, &constant))
                return false;
            if (constant.float_bytes || constant.bits > PTX_MAX_VARIABLE_BYTES)
                return ptx_fail(parser, "an array's size is not between 0 and %d",
                                PTX_MAX_VARIABLE_BYTES);
            *size = constant.bits;
        }
        declaration->dimension_count++;
        if (!ptx_expect(parser, ']'))
            return false;
    }
    if (declaration->vector > 1)
        declaration->dimensions[declaration->dimension_count++] = declaration->vector;
    return compute_bytes(parser, declaration);
}

static bool fail_initial_size(struct ptx_parser *parser)
{
    return ptx_fail(parser, "the initial values exceed %d MiB", PTX_MAX_INITIAL_BYTES >> 20);
}

static unsigned char *initial_place(struct ptx_parser *parser, uint64_t offset, unsigned count)
{
    struct ptx_vector *initial = &parser->initial;
    if (offset + count > PTX_MAX_INITIAL_BYTES) {
        fail_initial_size(parser);
        return NULL;
    }
    if (offset + count > initial->count &&
        !ptx_vector_extend(initial, (size_t)(offset + count - initial->count))) {
        ptx_fail_memory(parser);
        return NULL;
    }
    return (unsigned char *)initial->items + offset;
}

/* Write a constant to the initial bytes at `offset`. Integers are truncated. Floating-point numbers
 * are allowed in .f32, .f64, .b32 and .b64. */
static bool initialise_number(struct ptx_parser *parser, const struct declaration *declaration,
                              uint64_t offset, const struct ptx_constant *constant)
{
    enum ptx_type type = declaration->type;
    unsigned bytes = ptx_type_bytes(type);
    bool takes_float = type == PTX_F32 || type == PTX_F64 || type == PTX_B32 || type == PTX_B64;
    bool takes_integer = type < PTX_F16 && type != PTX_B128;
    if (constant->float_bytes ? !takes_float : !takes_integer)
        return ptx_fail(parser, "an initial value does not fit the type .%s of %s",
                        ptx_type_name(type), declaration->name->text);
    uint64_t bits = constant->bits;
    if (constant->float_bytes)
        bits = ptx_float_bits(bits, constant->float_bytes, bytes);
    unsigned char *place = initial_place(parser, offset, bytes);
    if (!place)
        return false;
    for (unsigned i = 0; i < bytes; i++)
        place[i] = (unsigned char)(bits >> (8 * i));
    return true;
}

static bool parse_symbol(struct ptx_parser *parser, struct ptx_initial_address *address)
{
    struct ptx_atom *atom;
    if (!ptx_expect_atom(parser, &atom))
        return false;
    if (strcmp(atom->text, "generic") == 0 && ptx_accept(parser, '(')) {
        address->generic = true;
        if (!ptx_expect_atom(parser, &atom) || !ptx_expect(parser, ')'))
            return false;
    }
    address->name = atom->text;
    return ptx_parse_offset(parser, &address->addend);
}

static bool initialise_address(struct ptx_parser *parser, const struct declaration *declaration,
                               uint64_t offset)
{
    struct ptx_initial_address address = {.offset = offset,
                                          .bytes = ptx_type_bytes(declaration->type)};
    if (declaration->type >= PTX_F16 || (address.bytes != 4 && address.bytes != 8))
        return ptx_fail(parser, "%s of type .%s cannot hold an address", declaration->name->text,
                        ptx_type_name(declaration->type));
    return initial_place(parser, offset, address.bytes) && parse_symbol(parser, &address) &&
           ptx_append(parser, &parser->initial_addresses, &address);
}

/* Parse one byte of an address, such as `0xFF00(x)`. Consecutive bytes are merged into one entry.
 * check_addresses rejects an entry that does not contain all bytes. */
static bool initialise_address_byte(struct ptx_parser *parser,
                                    const struct declaration *declaration, uint64_t offset,
                                    uint64_t mask)
{
    struct ptx_initial_address address = {.offset = offset, .bytes = 1};
    struct ptx_vector *addresses = &parser->initial_addresses;
    if (ptx_type_bytes(declaration->type) != 1)
        return ptx_fail(parser, "an initial byte of an address requires elements of 1 byte");
    if (!initial_place(parser, offset, 1) || !ptx_expect(parser, '(') ||
        !parse_symbol(parser, &address) || !ptx_expect(parser, ')'))
        return false;
    if (mask == 0xff)
        return ptx_append(parser, addresses, &address);
    struct ptx_initial_address *last = addresses->items;
    last = addresses->count ? last + addresses->count - 1 : NULL;
    if (!last || last->bytes >= MAX_INITIAL_ADDRESS_BYTES || mask != 0xffull << 8 * last->bytes ||
        last->offset + last->bytes != offset || last->generic != address.generic ||
        last->name != address.name || last->addend != address.addend)
        return ptx_fail_unsupported(parser, "the bytes of an address in %s are not in order",
                                    declaration->name->text);
    last->bytes++;
    return true;
}

static bool initialise_scalar(struct ptx_parser *parser, const struct declaration *declaration,
                              uint64_t offset)
{
    struct ptx_constant constant;
    if (parser->token.kind == PTX_TOKEN_NAME && !ptx_at_name(parser, "WARP_SZ"))
        return initialise_address(parser, declaration, offset);
    if (!ptx_parse_constant(parser, &constant))
        return false;
    if (!constant.float_bytes && ptx_at(parser, '('))
        return initialise_address_byte(parser, declaration, offset, constant.bits);
    return initialise_number(parser, declaration, offset, &constant);
}

static bool initialise_dimension(struct ptx_parser *parser, struct declaration *declaration,
                                 unsigned dimension, uint64_t offset)
{
    if (dimension == declaration->dimension_count)
        return initialise_scalar(parser, declaration, offset);
    if (!ptx_expect(parser, '{'))
        return false;
    uint64_t stride = ptx_type_bytes(declaration->type);
    for (unsigned i = dimension + 1; i < declaration->dimension_count; i++)
        stride *= declaration->dimensions[i];
    bool open_ended = dimension == 0 && declaration->open_ended;
    uint64_t count = 0;
    if (!ptx_at(parser, '}')) {
        do {
            if (!open_ended && count == declaration->dimensions[dimension])
                return ptx_fail(parser, "%s has more initial values than elements",
                                declaration->name->text);
            if (count * stride > PTX_MAX_INITIAL_BYTES)
                return fail_initial_size(parser);
            if (!initialise_dimension(parser, declaration, dimension + 1, offset + count * stride))
                return false;
            count++;
        } while (ptx_accept(parser, ','));
    }
    if (open_ended)
        declaration->dimensions[0] = count;
    return ptx_expect(parser, '}');
}

static bool check_addresses(struct ptx_parser *parser, const struct declaration *declaration)
{
    const struct ptx_initial_address *addresses = parser->initial_addresses.items;
    for (size_t i = 0; i < parser->initial_addresses.count; i++)
        if (addresses[i].bytes != 4 && addresses[i].bytes != 8)
            return ptx_fail_unsupported(parser, "%s is initialized with only part of an address",
                                        declaration->name->text);
    return true;
}

static bool parse_initialiser(struct ptx_parser *parser, struct declaration *declaration,
                              struct ptx_variable *variable)
{
    if (declaration->space != PTX_GLOBAL && declaration->space != PTX_CONST)
        return ptx_fail(parser, "%s cannot have initial values in its state space",
                        declaration->name->text);
    parser->initial.count = parser->initial_addresses.count = 0;
    if (!initialise_dimension(parser, declaration, 0, 0) || !compute_bytes(parser, declaration) ||
        !check_addresses(parser, declaration))
        return false;
    const unsigned char *bytes = parser->initial.items;
    size_t count = parser->initial.count;
    bool is_zero = !count || (!bytes[0] && !memcmp(bytes, bytes + 1, count - 1));
    if (is_zero && parser->initial_addresses.count == 0)
        return true;
    parser->initial_bytes += declaration->bytes;
    if (parser->initial_bytes > PTX_MAX_INITIAL_BYTES)
        return fail_initial_size(parser);
    variable->initial = ptx_arena_allocate(parser->arena, (size_t)declaration->bytes);
    if (!variable->initial)
        return ptx_fail_memory(parser);
    memcpy(variable->initial, bytes, count);
    variable->address_count = parser->initial_addresses.count;
    variable->addresses = ptx_vector_move(&parser->initial_addresses, parser->arena);
    return variable->addresses || ptx_fail_memory(parser);
}

static bool parse_declarator(struct ptx_parser *parser, struct declaration *declaration,
                             bool is_extern, struct ptx_variable *variable)
{
    declaration->line = parser->token.line;
    if (!ptx_expect_atom(parser, &declaration->name) || !parse_dimensions(parser, declaration))
        return false;
    if (ptx_accept(parser, '=')) {
        if (!parse_initialiser(parser, declaration, variable))
            return false;
    } else if (declaration->open_ended && !is_extern) {
        return ptx_fail_at(parser, declaration->line, "the array %s has no size",
                           declaration->name->text);
    }
    parser->variable_bytes += declaration->bytes;
    if (parser->variable_bytes > PTX_MAX_VARIABLE_BYTES)
        return ptx_fail_at(parser, declaration->line, "all variables together exceed %d MiB",
                           PTX_MAX_VARIABLE_BYTES >> 20);
    variable->name = declaration->name->text;
    variable->space = declaration->space;
    variable->type = declaration->type;
    variable->align =
        (uint32_t)(declaration->align ? declaration->align
                                      : ptx_type_bytes(declaration->type) * declaration->vector);
    variable->bytes = declaration->bytes;
    variable->is_extern = is_extern;
    return true;
}

static bool qualify_name(struct ptx_parser *parser, struct ptx_variable *variable)
{
    size_t size = parser->function_name->length + strlen(variable->name) + 3;
    char *name = ptx_arena_allocate(parser->arena, size);
    if (!name)
        return ptx_fail_memory(parser);
    snprintf(name, size, "%s::%s", parser->function_name->text, variable->name);
    variable->name = name;
    return true;
}

/* Add a variable. A repeated declaration of a module variable (`.extern`, then the definition)
 * completes the first declaration. Of several weak definitions, the first definition is used. */
static bool add_variable(struct ptx_parser *parser, const struct declaration *declaration,
                         struct ptx_variable *variable)
{
    bool in_function = parser->names.depth > 0;
    bool of_module = !in_function || variable->space == PTX_GLOBAL || variable->space == PTX_CONST;
    struct ptx_vector *vector = of_module ? &parser->variables : &parser->locals;
    struct ptx_binding *known = declaration->name->binding;
    if (!in_function && known && known->kind == PTX_BINDING_VARIABLE) {
        struct ptx_variable *earlier = (struct ptx_variable *)vector->items + known->index;
        bool adds_nothing = variable->is_extern || (parser->is_weak && !earlier->is_extern);
        if (earlier->space == variable->space && (earlier->is_extern || adds_nothing)) {
            if (!adds_nothing)
                *earlier = *variable;
            return true;
        }
    }
    struct ptx_binding *binding;
    if (!ptx_declare(parser, declaration->name, PTX_BINDING_VARIABLE, parser->names.depth,
                     declaration->line, &binding))
        return false;
    if (in_function && of_module && !qualify_name(parser, variable))
        return false;
    if (!ptx_append(parser, vector, variable))
        return false;
    binding->is_local = !in_function && parser->is_local;
    binding->scope = of_module ? PTX_SCOPE_MODULE : PTX_SCOPE_FUNCTION;
    binding->index = (int32_t)vector->count - 1;
    return true;
}

bool ptx_parse_variables(struct ptx_parser *parser, enum ptx_space space)
{
    struct declaration declaration = {.space = space};
    if (!parse_attributes(parser, &declaration))
        return false;
    do {
        struct ptx_variable variable = {0};
        if (!parse_declarator(parser, &declaration, parser->is_extern, &variable) ||
            !add_variable(parser, &declaration, &variable))
            return false;
    } while (ptx_accept(parser, ','));
    return ptx_expect(parser, ';');
}

static bool parse_parameter(struct ptx_parser *parser, enum ptx_scope scope)
{
    bool in_register = ptx_accept_word(parser, "reg");
    struct declaration declaration = {.space = in_register ? PTX_REG : PTX_PARAM};
    struct ptx_variable variable = {0};
    struct ptx_binding *binding;
    if (!in_register && !ptx_accept_word(parser, "param"))
        return ptx_fail_expected(parser, ".param");
    if (parser->list.count == PTX_MAX_ARGUMENTS)
        return ptx_fail(parser, "a list has more than %d parameters", PTX_MAX_ARGUMENTS);
    if (!parse_attributes(parser, &declaration) ||
        !parse_declarator(parser, &declaration, false, &variable))
        return false;
    bool is_vector = declaration.vector > 1;
    if (in_register && (declaration.dimension_count > is_vector || declaration.vector > 4))
        return ptx_fail(parser, "the parameter %.60s does not fit a register", variable.name);
    variable.in_register = in_register;
    variable.space = PTX_PARAM;
    variable.align += !variable.align; /* A predicate is passed as a byte. */
    variable.bytes += !variable.bytes;
    if (!ptx_append(parser, &parser->list, &variable))
        return false;
    if (scope == PTX_SCOPE_MODULE || strcmp(variable.name, "_") == 0)
        return true;
    if (!ptx_declare(parser, declaration.name,
                     in_register ? PTX_BINDING_REGISTER : PTX_BINDING_VARIABLE, parser->names.depth,
                     declaration.line, &binding))
        return false;
    binding->scope = scope;
    binding->type = declaration.type;
    binding->vector = is_vector ? (uint8_t)declaration.vector : 0;
    binding->index = in_register ? -1 : (int32_t)parser->list.count - 1;
    return true;
}

bool ptx_parse_parameters(struct ptx_parser *parser, enum ptx_scope scope,
                          struct ptx_variable **variables, size_t *count)
{
    parser->list.count = 0;
    if (!ptx_expect(parser, '('))
        return false;
    if (!ptx_at(parser, ')'))
        do
            if (!parse_parameter(parser, scope))
                return false;
        while (ptx_accept(parser, ','));
    if (!ptx_expect(parser, ')'))
        return false;
    *count = parser->list.count;
    *variables = ptx_vector_move(&parser->list, parser->arena);
    return *variables || ptx_fail_memory(parser);
}
