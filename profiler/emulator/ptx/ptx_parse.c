/* ptx_parse.c: modules and functions (PTX ISA 4.2, 5.1, 7, 11), by recursive descent with one token
 * of lookahead. The parser counts nested `{ }` and does not recurse for them. A program of several
 * objects (nvcc -rdc=true) is one module of several texts. A `.visible`, `.extern` or `.weak` name
 * has one meaning in all texts. Any other name is local to its text. */
#include "emulator/ptx/ptx_cfg.h"
#include "emulator/ptx/ptx_parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_version(struct ptx_parser *parser)
{
    const struct ptx_token *token = &parser->token;
    char text[16] = "";
    int end = 0;
    if (parser->has_version)
        return ptx_fail(parser, "the module has a second .version");
    if (token->kind == PTX_TOKEN_FLOAT && token->length < sizeof text) {
        memcpy(text, token->start, token->length);
        sscanf(text, "%*4[0-9].%*4[0-9]%n", &end);
    }
    if (!end || text[end])
        return ptx_fail_expected(parser, "a version such as 8.0");
    parser->has_version = true;
    return ptx_advance(parser);
}

static bool parse_target(struct ptx_parser *parser)
{
    struct ptx_atom *atom;
    if (parser->has_target)
        return ptx_fail(parser, "the module has a second .target");
    if (!ptx_expect_atom(parser, &atom))
        return false;
    if (atom->length >= sizeof parser->module->target)
        return ptx_fail(parser, "the target's name is too long");
    memcpy(parser->module->target, atom->text, atom->length + 1);
    parser->has_target = true;
    while (ptx_accept(parser, ',')) /* Ignore debug and texmode_independent. */
        if (!ptx_expect_atom(parser, &atom))
            return false;
    return true;
}

static bool parse_address_size(struct ptx_parser *parser)
{
    uint64_t bits;
    if (!ptx_expect_count(parser, 64, "an address size", &bits))
        return false;
    if (bits != 32 && bits != 64)
        return ptx_fail(parser, "an address size must be 32 or 64");
    return true;
}

static bool parse_section(struct ptx_parser *parser)
{
    if (parser->token.kind != PTX_TOKEN_WORD && parser->token.kind != PTX_TOKEN_NAME)
        return ptx_fail_expected(parser, "a section's name");
    return ptx_advance(parser) && ptx_skip_brackets(parser);
}

static bool parse_pragma(struct ptx_parser *parser)
{
    do {
        if (parser->token.kind != PTX_TOKEN_STRING)
            return ptx_fail_expected(parser, "a string");
        if (!ptx_advance(parser))
            return false;
    } while (ptx_accept(parser, ','));
    return ptx_expect(parser, ';');
}

static bool parse_alias(struct ptx_parser *parser)
{
    struct ptx_alias alias = {.line = parser->token.line};
    if (!ptx_expect_atom(parser, &alias.name) || !ptx_expect(parser, ',') ||
        !ptx_expect_atom(parser, &alias.target) || !ptx_expect(parser, ';'))
        return false;
    return ptx_append(parser, &parser->aliases, &alias);
}

static bool parse_branch_targets(struct ptx_parser *parser, struct ptx_binding *binding)
{
    struct ptx_targets *targets = ptx_vector_push(&parser->targets);
    if (!targets)
        return ptx_fail_memory(parser);
    binding->kind = PTX_BINDING_TARGETS;
    binding->index = (int32_t)parser->targets.count - 1;
    do {
        if (!ptx_use_label(parser, true, parser->targets_pool.count))
            return false;
        if (!ptx_vector_push(&parser->targets_pool))
            return ptx_fail_memory(parser);
        targets->count++;
    } while (ptx_accept(parser, ','));
    return true;
}

static bool add_prototype(struct ptx_parser *parser, struct ptx_binding *binding,
                          struct ptx_prototype prototype)
{
    binding->kind = PTX_BINDING_PROTOTYPE;
    binding->index = (int32_t)parser->prototypes.count;
    return ptx_append(parser, &parser->prototypes, &prototype);
}

/* Parse `(.param .b32 _) _ (.param .b64 _, ...)`. Both lists are optional. */
static bool parse_call_prototype(struct ptx_parser *parser, struct ptx_binding *binding)
{
    struct ptx_prototype prototype = {0};
    struct ptx_atom *ignored;
    if (ptx_at(parser, '(') && !ptx_parse_parameters(parser, PTX_SCOPE_MODULE, &prototype.returns,
                                                     &prototype.return_count))
        return false;
    if (!ptx_expect_atom(parser, &ignored))
        return false;
    if (ptx_at(parser, '(') &&
        !ptx_parse_parameters(parser, PTX_SCOPE_MODULE, &prototype.parameters,
                              &prototype.parameter_count))
        return false;
    ptx_accept_word(parser, "noreturn");
    return add_prototype(parser, binding, prototype);
}

/* Parse the possible callees of an indirect call, which have equal signatures. */
static bool parse_call_targets(struct ptx_parser *parser, struct ptx_binding *binding)
{
    struct ptx_prototype prototype = {0};
    bool is_first = true;
    do {
        struct ptx_atom *atom;
        if (!ptx_expect_atom(parser, &atom))
            return false;
        if (!atom->binding || atom->binding->kind != PTX_BINDING_FUNCTION)
            return ptx_fail(parser, "%.60s is not a function", atom->text);
        if (is_first)
            prototype = ptx_function_shape((struct ptx_function *)parser->functions.items +
                                           atom->binding->index);
        is_first = false;
    } while (ptx_accept(parser, ','));
    return add_prototype(parser, binding, prototype);
}

static const struct {
    const char *word;
    bool (*parse)(struct ptx_parser *parser, struct ptx_binding *binding);
} labelled_lists[] = {
    {"branchtargets", parse_branch_targets},
    {"callprototype", parse_call_prototype},
    {"calltargets", parse_call_targets},
};

static bool parse_label(struct ptx_parser *parser, const struct ptx_token *name)
{
    struct ptx_binding *binding;
    struct ptx_atom *atom = ptx_names_intern(&parser->names, name->start, name->length);
    if (!atom)
        return ptx_fail_memory(parser);
    if (!ptx_declare(parser, atom, PTX_BINDING_LABEL, parser->names.depth, name->line, &binding))
        return false;
    for (size_t i = 0; i < sizeof labelled_lists / sizeof *labelled_lists; i++)
        if (ptx_accept_word(parser, labelled_lists[i].word))
            return labelled_lists[i].parse(parser, binding) && ptx_expect(parser, ';');
    binding->index = (int32_t)parser->instructions.count;
    return true;
}

static bool parse_max_threads(struct ptx_parser *parser, struct ptx_function *function,
                              const uint64_t *sizes, bool is_required)
{
    uint64_t product = 1;
    for (unsigned i = 0; i < 3; i++)
        if (__builtin_mul_overflow(product, sizes[i], &product) || product > UINT32_MAX)
            return ptx_fail(parser, "a block size is too large");
    function->max_threads = (uint32_t)product;
    for (unsigned i = 0; is_required && i < 3; i++)
        function->required_block[i] = (uint32_t)sizes[i];
    return true;
}

/* Parse one attribute. Columns: attribute, maximum and minimum number of values after it. */
static bool parse_function_attribute(struct ptx_parser *parser, struct ptx_function *function)
{
    static const struct {
        const char *word;
        unsigned most, least;
    } attributes[] = {
        {"maxntid", 3, 1},           {"reqntid", 3, 1},           {"minnctapersm", 1, 1},
        {"maxnctapersm", 1, 1},      {"maxnreg", 1, 1},           {"noreturn", 0, 0},
        {"maxclusterrank", 1, 1},    {"reqnctapercluster", 3, 1}, {"explicitcluster", 0, 0},
        {"blocksareclusters", 0, 0}, {"abi_preserve", 1, 1},      {"abi_preserve_control", 1, 1},
    };
    size_t a = 0;
    while (a < sizeof attributes / sizeof *attributes && !ptx_at_word(parser, attributes[a].word))
        a++;
    if (a == sizeof attributes / sizeof *attributes)
        return ptx_fail_expected(parser, "'{' or ';'");
    if (!ptx_advance(parser))
        return false;
    uint64_t sizes[3] = {1, 1, 1};
    for (unsigned i = 0; i < attributes[a].most; i++) {
        if (i >= attributes[a].least && !ptx_accept(parser, ','))
            break;
        if (!ptx_expect_count(parser, UINT32_MAX, "a number", &sizes[i]))
            return false;
    }
    bool is_required = strcmp(attributes[a].word, "reqntid") == 0;
    if (!is_required && strcmp(attributes[a].word, "maxntid") != 0)
        return true;
    return parse_max_threads(parser, function, sizes, is_required);
}

static bool parse_function_attributes(struct ptx_parser *parser, struct ptx_function *function)
{
    while (parser->token.kind == PTX_TOKEN_WORD) {
        if (ptx_accept_word(parser, "pragma")) {
            if (!parse_pragma(parser))
                return false;
        } else if (!parse_function_attribute(parser, function)) {
            return false;
        }
    }
    return true;
}

static bool same_shape(const struct ptx_variable *a, size_t a_count, const struct ptx_variable *b,
                       size_t b_count)
{
    bool same = a_count == b_count;
    for (size_t i = 0; same && i < a_count; i++)
        same = a[i].bytes == b[i].bytes;
    return same;
}

/* Add a function, or complete its earlier declaration. *number receives the function's index. */
static bool enter_function(struct ptx_parser *parser, struct ptx_atom *atom, uint32_t line,
                           const struct ptx_function *function, int32_t *number)
{
    struct ptx_binding *binding = ptx_names_at(atom, 0);
    struct ptx_function *functions = parser->functions.items;
    if (binding && binding->kind == PTX_BINDING_FUNCTION) {
        struct ptx_function *known = &functions[binding->index];
        if (known->is_entry != function->is_entry ||
            !same_shape(known->parameters, known->parameter_count, function->parameters,
                        function->parameter_count) ||
            !same_shape(known->returns, known->return_count, function->returns,
                        function->return_count))
            return ptx_fail_at(parser, line, "%.60s is declared differently in line %u", atom->text,
                               binding->line);
        if (!known->is_declaration && !function->is_declaration && parser->is_weak) {
            *number = (int32_t)parser->functions.count; /* Ignored, like every later definition. */
            return ptx_append(parser, &parser->functions, function);
        }
        if (!known->is_declaration && !function->is_declaration)
            return ptx_fail_at(parser, line, "%.60s is defined twice, first in line %u", atom->text,
                               binding->line);
        if (known->is_declaration)
            *known = *function;
    } else {
        if (!ptx_declare(parser, atom, PTX_BINDING_FUNCTION, 0, line, &binding))
            return false;
        if (!ptx_append(parser, &parser->functions, function))
            return false;
        binding->index = (int32_t)parser->functions.count - 1;
        binding->is_local = parser->is_local;
    }
    *number = binding->index;
    return true;
}

static bool finish_function(struct ptx_parser *parser, struct ptx_function *function)
{
    struct ptx_arena *arena = parser->arena;
    function->register_count = parser->registers.count;
    function->variable_count = parser->locals.count;
    function->instruction_count = parser->instructions.count;
    function->vector_operand_count = parser->vector_operands.count;
    function->target_count = parser->targets.count;
    function->prototype_count = parser->prototypes.count;
    uint32_t *pool = ptx_vector_move(&parser->targets_pool, arena);
    function->registers = ptx_vector_move(&parser->registers, arena);
    function->variables = ptx_vector_move(&parser->locals, arena);
    function->instructions = ptx_vector_move(&parser->instructions, arena);
    function->vector_operands = ptx_vector_move(&parser->vector_operands, arena);
    function->targets = ptx_vector_move(&parser->targets, arena);
    function->prototypes = ptx_vector_move(&parser->prototypes, arena);
    if (!pool || !function->registers || !function->variables || !function->instructions ||
        !function->vector_operands || !function->targets || !function->prototypes)
        return ptx_fail_memory(parser);
    for (size_t i = 0; i < function->target_count; i++) {
        function->targets[i].instructions = pool;
        pool += function->targets[i].count;
    }
    return ptx_cfg_analyse(function) || ptx_fail_memory(parser);
}

static bool parse_directive(struct ptx_parser *parser);

static bool parse_statement(struct ptx_parser *parser)
{
    if (ptx_at(parser, '@'))
        return ptx_parse_instruction(parser, NULL);
    if (parser->token.kind == PTX_TOKEN_WORD)
        return parse_directive(parser);
    if (parser->token.kind != PTX_TOKEN_NAME)
        return ptx_fail_expected(parser, "an instruction");
    struct ptx_token name = parser->token;
    if (!ptx_advance(parser))
        return false;
    return ptx_accept(parser, ':') ? parse_label(parser, &name)
                                   : ptx_parse_instruction(parser, &name);
}

static bool parse_body(struct ptx_parser *parser)
{
    for (;;) {
        if (ptx_accept(parser, '{')) {
            if (!ptx_open_scope(parser))
                return false;
        } else if (ptx_accept(parser, '}')) {
            bool is_end = parser->names.depth == PTX_FUNCTION_DEPTH;
            const struct ptx_instruction end = {.ptx_line = parser->token.line, .location = -1};
            if (is_end && !ptx_copy_parameters(parser, PTX_SCOPE_RETURN, &end))
                return false;
            if (!ptx_close_scope(parser))
                return false;
            if (is_end)
                return true;
        } else if (!parse_statement(parser)) {
            return false;
        }
    }
}

/* Parse a kernel or a function. Without a body, it is a declaration, even without `.extern`. */
static bool parse_callable(struct ptx_parser *parser, bool is_entry)
{
    struct ptx_function function = {.is_entry = is_entry};
    struct ptx_atom *atom;
    int32_t number = 0;
    if (!ptx_open_scope(parser))
        return false;
    if (ptx_accept_word(parser, "attribute") && !ptx_skip_brackets(parser))
        return false;
    if (!is_entry && ptx_at(parser, '(') &&
        !ptx_parse_parameters(parser, PTX_SCOPE_RETURN, &function.returns, &function.return_count))
        return false;
    uint32_t line = parser->token.line;
    if (!ptx_expect_atom(parser, &atom))
        return false;
    if (ptx_at(parser, '(') &&
        !ptx_parse_parameters(parser, PTX_SCOPE_PARAMETER, &function.parameters,
                              &function.parameter_count))
        return false;
    if (!parse_function_attributes(parser, &function))
        return false;

    function.name = atom->text;
    function.is_declaration = !ptx_at(parser, '{');
    if (!enter_function(parser, atom, line, &function, &number))
        return false;
    if (function.is_declaration)
        return ptx_expect(parser, ';') && ptx_close_scope(parser);
    parser->function_name = atom;
#define X(name, type) parser->name.count = 0;
    PTX_FUNCTION_VECTORS(X)
#undef X
    ptx_lines_enter_function(parser);
    parser->function = &function;
    const struct ptx_instruction start = {.ptx_line = line, .location = -1};
    return ptx_expect(parser, '{') && ptx_copy_parameters(parser, PTX_SCOPE_PARAMETER, &start) &&
           parse_body(parser) &&
           finish_function(parser, (struct ptx_function *)parser->functions.items + number);
}

static bool parse_entry(struct ptx_parser *parser)
{
    return parse_callable(parser, true);
}

static bool parse_function(struct ptx_parser *parser)
{
    return parse_callable(parser, false);
}

enum { IN_MODULE = 1, IN_FUNCTION = 2, ANYWHERE = 3, LINKABLE = 4 };

/* Columns: word, parser after the word (NULL: variables), allowed places, state space. */
static const struct {
    const char *word;
    bool (*parse)(struct ptx_parser *parser);
    unsigned where;
    enum ptx_space space;
} directives[] = {
    {"loc", ptx_parse_location, ANYWHERE, 0},
    {"reg", ptx_parse_registers, IN_FUNCTION, 0},
    {"param", NULL, IN_FUNCTION, PTX_PARAM},
    {"local", NULL, IN_FUNCTION, PTX_LOCAL},
    {"shared", NULL, ANYWHERE | LINKABLE, PTX_SHARED},
    {"global", NULL, ANYWHERE | LINKABLE, PTX_GLOBAL},
    {"const", NULL, ANYWHERE | LINKABLE, PTX_CONST},
    {"func", parse_function, IN_MODULE | LINKABLE, 0},
    {"entry", parse_entry, IN_MODULE | LINKABLE, 0},
    {"pragma", parse_pragma, ANYWHERE, 0},
    {"file", ptx_parse_file, ANYWHERE, 0},
    {"section", parse_section, ANYWHERE, 0},
    {"alias", parse_alias, IN_MODULE, 0},
    {"version", parse_version, IN_MODULE, 0},
    {"target", parse_target, IN_MODULE, 0},
    {"address_size", parse_address_size, IN_MODULE, 0},
};

static bool parse_linkage(struct ptx_parser *parser, bool *is_linked)
{
    *is_linked = false;
    parser->is_extern = parser->is_weak = false;
    for (;;) {
        bool names_extern = ptx_at_word(parser, "extern");
        bool names_weak = ptx_at_word(parser, "weak") || ptx_at_word(parser, "common");
        parser->is_local = !*is_linked;
        if (!names_extern && !names_weak && !ptx_at_word(parser, "visible"))
            return true;
        *is_linked = true;
        parser->is_extern |= names_extern;
        parser->is_weak |= names_weak;
        if (!ptx_advance(parser))
            return false;
    }
}

static bool parse_directive(struct ptx_parser *parser)
{
    bool is_linked;
    unsigned here = parser->names.depth ? IN_FUNCTION : IN_MODULE;
    if (!parse_linkage(parser, &is_linked))
        return false;
    if (!parser->has_version && !ptx_at_word(parser, "version"))
        return ptx_fail_expected(parser, ".version");
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        if (!ptx_at_word(parser, directives[i].word))
            continue;
        if (!(directives[i].where & here) || (is_linked && !(directives[i].where & LINKABLE)))
            return ptx_fail(parser, ".%s is not allowed here", directives[i].word);
        return ptx_advance(parser) &&
               (directives[i].parse ? directives[i].parse(parser)
                                    : ptx_parse_variables(parser, directives[i].space));
    }
    if (parser->token.kind != PTX_TOKEN_WORD)
        return ptx_fail_expected(parser, "a directive");
    return ptx_fail_unsupported(parser, "the directive .%.*s is not supported",
                                parser->token.length < 60 ? (int)parser->token.length : 60,
                                parser->token.start);
}

static bool apply_aliases(struct ptx_parser *parser)
{
    const struct ptx_alias *aliases = parser->aliases.items;
    struct ptx_function *functions = parser->functions.items;
    for (size_t i = 0; i < parser->aliases.count; i++) {
        const struct ptx_binding *name = aliases[i].name->binding;
        const struct ptx_binding *target = aliases[i].target->binding;
        if (!name || name->kind != PTX_BINDING_FUNCTION || !target ||
            target->kind != PTX_BINDING_FUNCTION || !functions[name->index].is_declaration ||
            functions[target->index].is_declaration || functions[target->index].is_entry)
            return ptx_fail_at(parser, aliases[i].line,
                               "%.60s cannot be an alias of %.60s: an alias must be declared "
                               "without a body, and its target must be a defined .func",
                               aliases[i].name->text, aliases[i].target->text);
        functions[name->index] = functions[target->index];
        functions[name->index].name = aliases[i].name->text;
    }
    parser->aliases.count = 0;
    return true;
}

/* Check that all names in initial values are defined. They may be defined later in the module. */
static bool check_initial_names(struct ptx_parser *parser)
{
    const struct ptx_module *module = parser->module;
    for (size_t i = 0; i < module->variable_count; i++)
        for (size_t j = 0; j < module->variables[i].address_count; j++) {
            const char *name = module->variables[i].addresses[j].name;
            if (!ptx_find_variable(module, name) && !ptx_find_function(module, name))
                return failure_student(parser->failure, STATUS_COMPILE_ERROR,
                                       "%s: %.60s, in the initial value of %.60s, is not defined",
                                       parser->name, name, module->variables[i].name);
        }
    return true;
}

static bool finish_module(struct ptx_parser *parser)
{
    struct ptx_module *module = parser->module;
    if (!ptx_lines_finish(parser))
        return false;
    module->variable_count = parser->variables.count;
    module->function_count = parser->functions.count;
    module->variables = ptx_vector_move(&parser->variables, parser->arena);
    module->functions = ptx_vector_move(&parser->functions, parser->arena);
    if (!module->variables || !module->functions || !ptx_index_names(module))
        return ptx_fail_memory(parser);
    return check_initial_names(parser);
}

static bool rename_local(struct ptx_parser *parser, size_t number)
{
    struct ptx_variable *variables = parser->variables.items;
    struct ptx_function *functions = parser->functions.items;
    for (const struct ptx_binding *at = parser->names.scopes[0].newest; at; at = at->older) {
        if (!at->is_local || !at->atom->was_local)
            continue;
        char *name = ptx_arena_allocate(parser->arena, at->atom->length + 24);
        if (!name)
            return ptx_fail_memory(parser);
        snprintf(name, at->atom->length + 24, "%s@%zu", at->atom->text, number);
        *(at->kind == PTX_BINDING_FUNCTION ? &functions[at->index].name
                                           : &variables[at->index].name) = name;
    }
    for (size_t i = parser->first_variable; i < parser->variables.count; i++)
        for (size_t j = 0; j < variables[i].address_count; j++) {
            const char **name = &variables[i].addresses[j].name;
            struct ptx_atom *atom = ptx_names_intern(&parser->names, *name, strlen(*name));
            if (!atom)
                return ptx_fail_memory(parser);
            if (atom->binding && atom->binding->is_local)
                *name = atom->binding->kind == PTX_BINDING_FUNCTION
                            ? functions[atom->binding->index].name
                            : variables[atom->binding->index].name;
        }
    ptx_names_forget_local(&parser->names);
    return true;
}

static bool parse_text(struct ptx_parser *parser, const struct ptx_text *text)
{
    ptx_lexer_start(&parser->lexer, text->text, text->length);
    parser->has_version = parser->has_target = false;
    parser->first_variable = parser->variables.count;
    parser->lines.first_file = parser->lines.files.count;
    parser->token = ptx_lexer_next(&parser->lexer);
    while (parser->token.kind == PTX_TOKEN_WORD)
        if (!parse_directive(parser))
            return false;
    if (parser->token.kind != PTX_TOKEN_END || !parser->has_version)
        return ptx_fail_expected(parser, parser->has_version ? "a directive" : ".version");
    if (!parser->has_target)
        return ptx_fail(parser, "the module has no .target");
    return apply_aliases(parser);
}

static void free_scratch(struct ptx_parser *parser)
{
#define X(name, type) free(parser->name.items);
    PTX_FUNCTION_VECTORS(X)
    PTX_MODULE_VECTORS(X)
#undef X
    ptx_names_free(&parser->names);
    ptx_arena_free(parser->scratch);
}

bool ptx_parse(const char *text, size_t length, const char *name, struct ptx_module *module,
               struct failure *failure)
{
    return ptx_parse_linked(&(struct ptx_text){text, length}, 1, name, module, failure);
}

bool ptx_parse_linked(const struct ptx_text *texts, size_t count, const char *name,
                      struct ptx_module *module, struct failure *failure)
{
    size_t length = 0;
    struct ptx_parser parser = {.name = name,
                                .failure = failure,
                                .module = module,
                                .lines.current = -1,
#define X(name, type) .name.item_bytes = sizeof(type),
                                PTX_FUNCTION_VECTORS(X) PTX_MODULE_VECTORS(X)
#undef X
    };
    memset(module, 0, sizeof *module);
    for (size_t i = 0; i < count; i++)
        length += texts[i].length;
    if (length > PTX_MAX_TEXT)
        return failure_student(failure, STATUS_COMPILE_ERROR, "%s is larger than %d MiB", name,
                               PTX_MAX_TEXT >> 20);
    parser.arena = module->arena = ptx_arena_create();
    parser.scratch = ptx_arena_create();
    bool done = (parser.arena && parser.scratch &&
                 ptx_names_start(&parser.names, parser.arena, parser.scratch)) ||
                ptx_fail_memory(&parser);
    for (size_t i = 0; done && i < count; i++)
        done = parse_text(&parser, &texts[i]) && rename_local(&parser, i + 1);
    done = done && finish_module(&parser);
    free_scratch(&parser);
    if (!done)
        ptx_module_free(module);
    return done;
}
