/* ptx_parser.h: declarations that only the parts of the PTX parser share. Each part calls only
 * parts that are before it in this list: ptx_tokens.c, ptx_scope.c, ptx_lines.c, ptx_declare.c,
 * ptx_statement.c, ptx_parse.c. A function that fails records the failure and returns false, and
 * its caller also returns false. No error path frees memory, because struct ptx_parser or the
 * module's arena owns all memory. */
#ifndef PTX_PARSER_H
#define PTX_PARSER_H

#include "emulator/ptx/ptx_lexer.h"
#include "emulator/ptx/ptx_names.h"

/* A use of a label, which is resolved when the label's scope closes. */
struct ptx_label_use {
    struct ptx_atom *atom;
    uint32_t line;
    bool in_targets; /* True for targets_pool[index]; false for instructions[index]. */
    size_t index;
};

struct ptx_lines {
    struct ptx_vector files;     /* Items are const char *. */
    size_t first_file;           /* Index of file number 0 of the text being parsed. */
    struct ptx_vector locations; /* Items are struct ptx_location. */
    uint32_t function;           /* Number of the function being parsed, from 1. */
    int32_t current;             /* Location of the next instruction, or -1. */
};

/* Growing arrays. Columns: name, item type. PTX_FUNCTION_VECTORS are empty between functions. */
#define PTX_FUNCTION_VECTORS(X)                                                                    \
    X(registers, struct ptx_register)                                                              \
    X(locals, struct ptx_variable)                                                                 \
    X(instructions, struct ptx_instruction)                                                        \
    X(vector_operands, struct ptx_operand)                                                         \
    X(targets, struct ptx_targets)                                                                 \
    X(prototypes, struct ptx_prototype)                                                            \
    X(targets_pool, uint32_t)                                                                      \
    X(label_uses, struct ptx_label_use)
#define PTX_MODULE_VECTORS(X)                                                                      \
    X(variables, struct ptx_variable)                                                              \
    X(functions, struct ptx_function)                                                              \
    X(aliases, struct ptx_alias)                                                                   \
    X(list, struct ptx_variable)                                                                   \
    X(initial, unsigned char)                                                                      \
    X(initial_addresses, struct ptx_initial_address)                                               \
    X(lines.files, const char *)                                                                   \
    X(lines.locations, struct ptx_location)

struct ptx_alias {
    struct ptx_atom *name, *target;
    uint32_t line;
};

struct ptx_parser {
    const char *name;
    struct failure *failure;
    struct ptx_lexer lexer;
    struct ptx_token token; /* The next token, which is not yet consumed. */
    struct ptx_module *module;
    struct ptx_arena *arena;   /* Owned by the module. */
    struct ptx_arena *scratch; /* Freed after parsing. */
    struct ptx_names names;
    struct ptx_lines lines;

    struct ptx_vector variables, functions, aliases;
    uint64_t variable_bytes;
    uint64_t initial_bytes;
    size_t instruction_total;
    bool has_version, has_target;
    bool is_extern;
    bool is_weak; /* The declaration has `.weak` or `.common`. */
    bool is_local;
    bool is_name_at_fault; /* An undeclared name or a name conflict caused the failure. */
    size_t first_variable;

    struct ptx_atom *function_name;
    const struct ptx_function *function; /* Function being parsed, with an incomplete body. */
    struct ptx_vector registers, locals, instructions, vector_operands, targets, prototypes;
    struct ptx_vector targets_pool, label_uses;
    size_t scope_uses[PTX_MAX_NESTING]; /* Index of the first label use of each open scope. */

    struct ptx_vector list, initial, initial_addresses;
};

enum { PTX_FUNCTION_DEPTH = 1 }; /* Depth of the scope with a function's parameters and body. */

/* Record a student failure "NAME:LINE: text". All ptx_fail functions return false. */
bool ptx_fail_with(struct ptx_parser *parser, enum status status, uint32_t line, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));
/* Report malformed PTX in the given line or, without `_at`, in the line of the next token. */
#define ptx_fail_at(parser, line, ...)                                                             \
    ptx_fail_with(parser, STATUS_COMPILE_ERROR, line, __VA_ARGS__)
#define ptx_fail(parser, ...) ptx_fail_at(parser, (parser)->token.line, __VA_ARGS__)
/* Report correct PTX that this parser does not support. */
#define ptx_fail_unsupported(parser, ...)                                                          \
    ptx_fail_with(parser, STATUS_UNSUPPORTED, (parser)->token.line, __VA_ARGS__)
bool ptx_fail_memory(struct ptx_parser *parser);
bool ptx_fail_expected(struct ptx_parser *parser, const char *what);

bool ptx_append(struct ptx_parser *parser, struct ptx_vector *vector, const void *item);

bool ptx_advance(struct ptx_parser *parser);
bool ptx_at_name(const struct ptx_parser *parser, const char *text);
bool ptx_at_word(const struct ptx_parser *parser, const char *text);
static inline bool ptx_at(const struct ptx_parser *parser, char punctuation)
{
    return parser->token.kind == PTX_TOKEN_PUNCTUATION && parser->token.punctuation == punctuation;
}
/* Consume the next token if it matches; otherwise return false. ptx_expect also records a
 * failure. */
bool ptx_accept(struct ptx_parser *parser, char punctuation);
bool ptx_accept_word(struct ptx_parser *parser, const char *text);
bool ptx_expect(struct ptx_parser *parser, char punctuation);
bool ptx_expect_atom(struct ptx_parser *parser, struct ptx_atom **atom);
bool ptx_expect_count(struct ptx_parser *parser, uint64_t limit, const char *what, uint64_t *value);

bool ptx_parse_type(const struct ptx_token *token, enum ptx_type *type);
bool ptx_parse_space(const struct ptx_token *token, enum ptx_space *space);

/* A constant expression (PTX ISA 4.6): integers in wrapping 64-bit arithmetic, or one
 * floating-point number with an optional sign. */
struct ptx_constant {
    uint64_t bits;       /* The integer, or the bits of a number of float_bytes bytes. */
    uint8_t float_bytes; /* 0 for an integer. */
};
bool ptx_parse_constant(struct ptx_parser *parser, struct ptx_constant *constant);
/* Like ptx_parse_constant, for an integer after `!`, which is consumed. */
bool ptx_parse_constant_not(struct ptx_parser *parser, struct ptx_constant *constant);
/* Parse zero or more signed terms after a symbol or register, as in `+4-8`. */
bool ptx_parse_offset(struct ptx_parser *parser, int64_t *value);
/* Skip from an opening bracket past the end of the matching closing bracket. */
bool ptx_skip_brackets(struct ptx_parser *parser);

/* Bind a name in the open scope at `depth`, and set *binding. Fails if the scope has the name. */
bool ptx_declare(struct ptx_parser *parser, struct ptx_atom *atom, enum ptx_binding_kind kind,
                 uint32_t depth, uint32_t line, struct ptx_binding **binding);
/* Set *binding to the innermost visible binding, or NULL. Creates a register at its first use. */
bool ptx_resolve(struct ptx_parser *parser, struct ptx_atom *atom, struct ptx_binding **binding);
/* Create the registers of a binding. binding->index receives the number of the first register. */
bool ptx_make_register(struct ptx_parser *parser, struct ptx_binding *binding);
bool ptx_open_scope(struct ptx_parser *parser);
bool ptx_close_scope(struct ptx_parser *parser);
/* Record a use of the label that the next token names. */
bool ptx_use_label(struct ptx_parser *parser, bool in_targets, size_t index);

/* Parse registers or variables. The caller has consumed the state space, such as `.global`. */
bool ptx_parse_registers(struct ptx_parser *parser);
bool ptx_parse_variables(struct ptx_parser *parser, enum ptx_space space);
/* Parse the parameters or returns `(...)` of a function into the arena, and bind their names. With
 * PTX_SCOPE_MODULE, the names belong to a prototype and are ignored. */
bool ptx_parse_parameters(struct ptx_parser *parser, enum ptx_scope scope,
                          struct ptx_variable **variables, size_t *count);

static inline struct ptx_prototype ptx_function_shape(const struct ptx_function *function)
{
    return (struct ptx_prototype){.returns = function->returns,
                                  .return_count = function->return_count,
                                  .parameters = function->parameters,
                                  .parameter_count = function->parameter_count};
}

/* Parse an instruction. `first` is the consumed opcode, or NULL if the next token is `@`. */
bool ptx_parse_instruction(struct ptx_parser *parser, const struct ptx_token *first);

/* Add copies between .param variables and the registers that replace them. With
 * PTX_SCOPE_PARAMETER, the copies load the parameters at the start of the body. With
 * PTX_SCOPE_RETURN, the copies store the returned values, with the guard of `at`. */
bool ptx_copy_parameters(struct ptx_parser *parser, enum ptx_scope scope,
                         const struct ptx_instruction *at);

/* Parse a directive. The caller has consumed `.file` or `.loc`. */
bool ptx_parse_file(struct ptx_parser *parser);
bool ptx_parse_location(struct ptx_parser *parser);
void ptx_lines_enter_function(struct ptx_parser *parser);
bool ptx_lines_finish(struct ptx_parser *parser);

#endif
