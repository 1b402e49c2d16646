/* ptx_parser.h: what the parts of the PTX parser share. Private to them; each calls only parts that
 * stand before it in this list:
 *
 *   ptx_tokens.c     tokens, failures, types, constants
 *   ptx_scope.c      what names mean here; labels
 *   ptx_lines.c      source positions
 *   ptx_declare.c    variables, parameters, registers
 *   ptx_statement.c  instructions
 *   ptx_parse.c      modules and functions
 *
 * Functions return false once the parse has failed, with the failure recorded; callers pass it on.
 * Nothing is freed on the way: all memory belongs to struct ptx_parser or the module's arena.
 */
#ifndef PTX_PARSER_H
#define PTX_PARSER_H

#include "emulator/ptx/ptx_lexer.h"
#include "emulator/ptx/ptx_names.h"

/* A label's use, to be filled in when its scope closes. */
struct ptx_label_use {
    struct ptx_atom *atom;
    uint32_t line;
    bool in_targets; /* where: targets_pool[index], or instructions[index].operands[0] */
    size_t index;
};

/* The source position of a .loc, its most recent location in a function: see ptx_lines.c. */
struct ptx_position {
    uint32_t file, line, column;
    uint32_t function; /* number of the function of the text, from 1; 0: empty place */
    int32_t location;
};

struct ptx_lines {
    struct ptx_vector files;     /* const char * */
    size_t first_file;           /* place of file number 0 of the text being parsed */
    struct ptx_vector locations; /* struct ptx_location */
    struct ptx_position *table;  /* open addressing; a power of two */
    size_t position_count, table_size;
    uint32_t function;
    int32_t current; /* location of the next instruction, -1 */
};

struct ptx_alias {
    struct ptx_atom *name, *target;
    uint32_t line;
};

struct ptx_parser {
    const char *name; /* of the text, in messages */
    struct failure *failure;
    struct ptx_lexer lexer;
    struct ptx_token token; /* the next one, not consumed yet */
    struct ptx_module *module;
    struct ptx_arena *arena;   /* the module's */
    struct ptx_arena *scratch; /* freed after parsing */
    struct ptx_names names;
    struct ptx_lines lines;

    /* The module's */
    struct ptx_vector variables; /* struct ptx_variable */
    struct ptx_vector functions; /* struct ptx_function */
    struct ptx_vector aliases;   /* struct ptx_alias */
    uint64_t variable_bytes;     /* declared so far */
    uint64_t initial_bytes;      /* initialised so far */
    size_t instruction_total;
    bool has_version, has_target;
    bool is_extern;        /* the declaration being parsed has `.extern` in front, */
    bool is_weak;          /* `.weak` or `.common`, */
    bool is_local;         /* or neither these nor `.visible` */
    bool is_name_at_fault; /* the failure is a name that nobody declared, or one too many */
    size_t first_variable; /* of the text being parsed */

    /* The function's being parsed; empty in between */
    struct ptx_atom *function_name;
    const struct ptx_function *function; /* Its parameters and returns. */
    struct ptx_vector registers, locals, instructions, vector_operands, targets, prototypes;
    struct ptx_vector targets_pool; /* uint32_t: the lists of `targets` one after the other */
    struct ptx_vector label_uses;
    size_t scope_uses[PTX_MAX_NESTING]; /* first label use of each open scope */

    struct ptx_vector list;    /* variables of a parameter list */
    struct ptx_vector initial; /* bytes of an initialiser */
    struct ptx_vector initial_addresses;
};

enum { PTX_FUNCTION_DEPTH = 1 }; /* the scope of a function's parameters and body */

/* ---- ptx_tokens.c ---- */

/* Failures; all return false. Positions are the next token's, or the given line. */
bool ptx_fail(struct ptx_parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool ptx_fail_at(struct ptx_parser *parser, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Correct PTX that this front end does not take: STATUS_UNSUPPORTED. */
bool ptx_fail_unsupported(struct ptx_parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool ptx_fail_memory(struct ptx_parser *parser);
/* "expected WHAT but found 'token'" */
bool ptx_fail_expected(struct ptx_parser *parser, const char *what);

/* Append a copy of an item; false, with the failure recorded, without memory. */
bool ptx_append(struct ptx_parser *parser, struct ptx_vector *vector, const void *item);

/* Tokens. */
bool ptx_advance(struct ptx_parser *parser);
bool ptx_at_name(const struct ptx_parser *parser, const char *text);
bool ptx_at_word(const struct ptx_parser *parser, const char *text);
static inline bool ptx_at(const struct ptx_parser *parser, char punctuation)
{
    return parser->token.kind == PTX_TOKEN_PUNCTUATION && parser->token.punctuation == punctuation;
}
/* Whether a token of the kind is next and was consumed. */
bool ptx_accept(struct ptx_parser *parser, char punctuation);
bool ptx_accept_word(struct ptx_parser *parser, const char *text);
bool ptx_expect(struct ptx_parser *parser, char punctuation);
bool ptx_expect_atom(struct ptx_parser *parser, struct ptx_atom **atom);
/* A non-negative integer up to `limit`. */
bool ptx_expect_count(struct ptx_parser *parser, uint64_t limit, const char *what, uint64_t *value);

bool ptx_parse_type(const struct ptx_token *token, enum ptx_type *type);
bool ptx_parse_space(const struct ptx_token *token, enum ptx_space *space);

/* A constant expression (PTX ISA 4.6): integers, in 64-bit wrapping arithmetic, or one
 * floating-point number with or without a sign. */
struct ptx_constant {
    uint64_t bits;       /* the integer's, or the number's of float_bytes bytes */
    uint8_t float_bytes; /* 0: an integer */
};
bool ptx_parse_constant(struct ptx_parser *parser, struct ptx_constant *constant);
/* The same behind a `!` that the caller has consumed. */
bool ptx_parse_constant_not(struct ptx_parser *parser, struct ptx_constant *constant);
/* `+4-8` and the like behind a symbol or register: 0 or more signed terms. */
bool ptx_parse_offset(struct ptx_parser *parser, int64_t *value);
/* Skip from an opening bracket to behind the one that closes it. */
bool ptx_skip_brackets(struct ptx_parser *parser);

/* ---- ptx_scope.c ---- */

/* Declaring fails for a name that the scope of that depth has already. */
bool ptx_declare(struct ptx_parser *parser, struct ptx_atom *atom, enum ptx_binding_kind kind,
                 uint32_t depth, uint32_t line, struct ptx_binding **binding);
/* What an atom stands for here, NULL when it was not declared. */
bool ptx_resolve(struct ptx_parser *parser, struct ptx_atom *atom, struct ptx_binding **binding);
/* Give a register's binding its number, or a vector register's the first of its elements'. */
bool ptx_make_register(struct ptx_parser *parser, struct ptx_binding *binding);
bool ptx_open_scope(struct ptx_parser *parser);
bool ptx_close_scope(struct ptx_parser *parser);
/* The next token names a label, which is known when its scope closes: note where its number goes
 * (see struct ptx_label_use). */
bool ptx_use_label(struct ptx_parser *parser, bool in_targets, size_t index);

/* ---- ptx_declare.c ---- */

/* `.reg` was consumed. */
bool ptx_parse_registers(struct ptx_parser *parser);
/* `.global`, `.shared` and so on were consumed: a statement of one or more variables. */
bool ptx_parse_variables(struct ptx_parser *parser, enum ptx_space space);
/* `(...)`: parameters or returns of a function or prototype, into the arena. Names are bound when
 * `scope` says where (PTX_SCOPE_PARAMETER or PTX_SCOPE_RETURN), and free with PTX_SCOPE_MODULE. */
bool ptx_parse_parameters(struct ptx_parser *parser, enum ptx_scope scope,
                          struct ptx_variable **variables, size_t *count);

/* ---- ptx_statement.c ---- */

static inline struct ptx_prototype ptx_function_shape(const struct ptx_function *function)
{
    return (struct ptx_prototype){.returns = function->returns,
                                  .return_count = function->return_count,
                                  .parameters = function->parameters,
                                  .parameter_count = function->parameter_count};
}

/* An instruction whose first token is `@` or, given as `first` and consumed already, the opcode. */
bool ptx_parse_instruction(struct ptx_parser *parser, const struct ptx_token *first);

/* Copy the function's register parameters from their .param variables (PTX_SCOPE_PARAMETER, where
 * its body starts), or its register returns to theirs (PTX_SCOPE_RETURN, under the guard of `at`).
 */
bool ptx_copy_parameters(struct ptx_parser *parser, enum ptx_scope scope,
                         const struct ptx_instruction *at);

/* ---- ptx_lines.c ---- */

/* `.file` and `.loc` were consumed. */
bool ptx_parse_file(struct ptx_parser *parser);
bool ptx_parse_location(struct ptx_parser *parser);
void ptx_lines_enter_function(struct ptx_parser *parser);
bool ptx_lines_finish(struct ptx_parser *parser);

#endif
