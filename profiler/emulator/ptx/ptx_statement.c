/* ptx_statement.c: instructions (PTX ISA 9.1-9.4).
 *
 * The opcode with its modifiers is the *mnemonic*. Each mnemonic is parsed once and then cached,
 * because a module has thousands of instructions but only about a hundred mnemonics.
 *
 * An instruction with an unknown opcode or modifier is *opaque*: its operands, which follow no
 * common pattern, are skipped. An opaque instruction is an error only when execution reaches it. */
#include "emulator/ptx/ptx_parser.h"

#include <stdio.h>
#include <string.h>

enum { MAX_MNEMONIC = 255, MAX_ENVIRONMENT_REGISTER = 31 };

struct ptx_mnemonic {
    struct ptx_instruction form; /* An instruction without guard and operands. */
    bool is_opaque;
};

static const char *const opcode_names[PTX_OP_COUNT] = {
#define X(id, text, capability) text,
    PTX_OPCODE_LIST(X)
#undef X
};

static const char *const modifier_names[PTX_MOD_COUNT] = {
#define X(id, text) text,
    PTX_MODIFIER_LIST(X)
#undef X
};

static const char *const special_names[PTX_SPECIAL_COUNT] = {
#define X(id, text) text,
    PTX_SPECIAL_LIST(X)
#undef X
};

/* Opcodes with operand forms that the parser does not support. */
static const uint16_t opaque_opcodes[] = {
    PTX_OP_UNKNOWN,
    PTX_OP_MULTIMEM,
    PTX_OP_WGMMA,
};

static uint16_t find_word(const char *const *names, size_t count, const char *text, size_t length)
{
    for (size_t i = 1; i < count; i++)
        if (names[i][0] == text[0] && strlen(names[i]) == length &&
            memcmp(names[i], text, length) == 0)
            return (uint16_t)i;
    return 0;
}

/* Add a state space, a type or a modifier. Anything else becomes an unknown modifier. */
static void add_part(struct ptx_mnemonic *mnemonic, const char *text, size_t length)
{
    struct ptx_instruction *form = &mnemonic->form;
    struct ptx_token word = {.kind = PTX_TOKEN_WORD, .start = text, .length = length};
    enum ptx_space space;
    enum ptx_type type;
    if (ptx_parse_space(&word, &space) && !form->space2) {
        *(form->space ? &form->space2 : &form->space) = (uint8_t)space;
        return;
    }
    if (ptx_parse_type(&word, &type) && form->type_count < sizeof form->types) {
        form->types[form->type_count++] = (uint8_t)type;
        return;
    }
    if (length == 3 && memcmp(text, "NaN", 3) == 0)
        text = "nan"; /* min.NaN and setp.nan have the same modifier. */
    uint16_t modifier = find_word(modifier_names, PTX_MOD_COUNT, text, length);
    if (modifier == PTX_MOD_UNKNOWN)
        mnemonic->is_opaque = true;
    if (form->modifier_count < PTX_MAX_MODIFIERS) {
        form->modifiers[form->modifier_count++] = modifier;
    } else {
        form->modifiers[PTX_MAX_MODIFIERS - 1] = PTX_MOD_UNKNOWN;
        mnemonic->is_opaque = true;
    }
}

static struct ptx_mnemonic *parse_mnemonic(struct ptx_parser *parser, const struct ptx_atom *atom)
{
    struct ptx_mnemonic *mnemonic = ptx_arena_allocate(parser->scratch, sizeof *mnemonic);
    if (!mnemonic)
        return NULL;
    const char *part = atom->text;
    size_t length = strcspn(part, ".");
    mnemonic->form.text = part;
    mnemonic->form.opcode = find_word(opcode_names, PTX_OP_COUNT, part, length);
    for (size_t i = 0; i < sizeof opaque_opcodes / sizeof *opaque_opcodes; i++)
        mnemonic->is_opaque |= mnemonic->form.opcode == opaque_opcodes[i];
    for (part += length; *part == '.'; part += length) {
        part++;
        length = strcspn(part, ".");
        add_part(mnemonic, part, length);
    }
    return mnemonic;
}

/* Parse the opcode `first` and modifiers, with optional blanks. Returns NULL after a failure. */
static const struct ptx_mnemonic *read_mnemonic(struct ptx_parser *parser,
                                                const struct ptx_token *first)
{
    char text[MAX_MNEMONIC + 1];
    size_t length = first->length;
    if (length > MAX_MNEMONIC) {
        ptx_fail_at(parser, first->line, "an instruction's name is too long");
        return NULL;
    }
    memcpy(text, first->start, length);
    while (parser->token.kind == PTX_TOKEN_WORD) {
        if (parser->token.length >= MAX_MNEMONIC - length) {
            ptx_fail(parser, "an instruction's name is too long");
            return NULL;
        }
        text[length++] = '.';
        memcpy(text + length, parser->token.start, parser->token.length);
        length += parser->token.length;
        if (!ptx_advance(parser))
            return NULL;
    }
    struct ptx_atom *atom = ptx_names_intern(&parser->names, text, length);
    if (atom && !atom->mnemonic)
        atom->mnemonic = parse_mnemonic(parser, atom);
    if (!atom || !atom->mnemonic)
        ptx_fail_memory(parser);
    return atom ? atom->mnemonic : NULL;
}

static bool undefined(struct ptx_parser *parser, const struct ptx_atom *atom, uint32_t line)
{
    parser->is_name_at_fault = true;
    return ptx_fail_at(parser, line, "%.60s is not defined", atom->text);
}

static bool resolve(struct ptx_parser *parser, struct ptx_atom *atom, struct ptx_binding **binding)
{
    parser->is_name_at_fault = !ptx_resolve(parser, atom, binding);
    return !parser->is_name_at_fault;
}

/* Parse an optional component such as `.x`. *index receives the number of the selected register,
 * and *count receives 0. Without a component, the operand is *count registers from *index. */
static bool parse_component(struct ptx_parser *parser, const struct ptx_binding *binding,
                            int32_t *index, uint8_t *count)
{
    static const char letters[] = "xyzwrgba";
    *index = binding->index;
    *count = binding->vector;
    if (!binding->vector || parser->token.kind != PTX_TOKEN_WORD)
        return true;
    const char *letter =
        parser->token.length == 1 ? memchr(letters, *parser->token.start, 8) : NULL;
    if (!letter || (letter - letters) % 4 >= binding->vector)
        return ptx_fail_expected(parser, "an element of a vector");
    *index += (int32_t)(letter - letters) % 4;
    *count = 0;
    return ptx_advance(parser);
}

static bool parse_register(struct ptx_parser *parser, bool predicate, int32_t *number)
{
    uint32_t line = parser->token.line;
    struct ptx_atom *atom;
    struct ptx_binding *binding;
    if (!ptx_expect_atom(parser, &atom) || !resolve(parser, atom, &binding))
        return false;
    if (!binding)
        return undefined(parser, atom, line);
    if (binding->kind != PTX_BINDING_REGISTER)
        return ptx_fail_at(parser, line, "%.60s is not a register", atom->text);
    if (predicate && binding->type != PTX_PRED)
        return ptx_fail_at(parser, line, "%.60s is not a predicate", atom->text);
    uint8_t count;
    if (!parse_component(parser, binding, number, &count))
        return false;
    return !count || ptx_fail_at(parser, line, "%.60s is a vector register", atom->text);
}

static bool is_environment_register(const char *text, int64_t *number)
{
    static const char prefix[] = "%envreg";
    const char *digits = text + sizeof prefix - 1;
    if (strncmp(text, prefix, sizeof prefix - 1) != 0)
        return false;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 2 || digits[count] || (digits[0] == '0' && count > 1))
        return false;
    *number = count == 1 ? digits[0] - '0' : 10 * (digits[0] - '0') + (digits[1] - '0');
    return *number <= MAX_ENVIRONMENT_REGISTER;
}

/* Returns true if a name may be a special register that is not in the list. Except for %pm<N>,
 * these names do not end in a digit, but names of compilers' registers do. */
static bool may_be_special(const char *text, size_t length)
{
    return text[0] == '%' && length > 1 &&
           (strncmp(text, "%pm", 3) == 0 || text[length - 1] < '0' || text[length - 1] > '9');
}

/* Parse an undeclared name, which may be a special register such as %tid.x. The part after the dot
 * is a separate token. Without this part, %tid, %ntid, %ctaid and %nctaid are vectors. */
static bool parse_special(struct ptx_parser *parser, const struct ptx_atom *atom, uint32_t line,
                          struct ptx_operand *operand)
{
    char text[32];
    bool has_word = parser->token.kind == PTX_TOKEN_WORD;
    size_t shown = parser->token.length < sizeof text ? parser->token.length : sizeof text;
    int length = snprintf(text, sizeof text, "%s%s%.*s", atom->text, has_word ? "." : "",
                          has_word ? (int)shown : 0, parser->token.start);
    int special = 0;
    while (special < PTX_SPECIAL_COUNT &&
           (length >= (int)sizeof text || strcmp(special_names[special], text) != 0))
        special++;
    for (int first = PTX_SPECIAL_TID_X; first <= PTX_SPECIAL_NCTAID_X && !has_word; first += 3)
        if (strncmp(special_names[first], text, (size_t)length) == 0 &&
            special_names[first][length] == '.') {
            special = first;
            operand->vector_count = 4;
        }
    if (special == PTX_SPECIAL_ENVREG ||
        (special == PTX_SPECIAL_COUNT && !may_be_special(atom->text, atom->length))) {
        if (!is_environment_register(atom->text, &operand->integer))
            return undefined(parser, atom, line);
        special = PTX_SPECIAL_ENVREG;
    }
    operand->kind = PTX_OPERAND_SPECIAL;
    operand->index = special;
    return special == PTX_SPECIAL_ENVREG || !has_word || ptx_advance(parser);
}

static bool parse_name(struct ptx_parser *parser, struct ptx_operand *operand)
{
    uint32_t line = parser->token.line;
    struct ptx_atom *atom;
    struct ptx_binding *binding;
    if (!ptx_expect_atom(parser, &atom) || !resolve(parser, atom, &binding))
        return false;
    if (!binding)
        return parse_special(parser, atom, line, operand);
    operand->index = binding->index;
    switch (binding->kind) {
    case PTX_BINDING_REGISTER:
        operand->kind = PTX_OPERAND_REGISTER;
        return parse_component(parser, binding, &operand->index, &operand->vector_count);
    case PTX_BINDING_VARIABLE:
        operand->kind = PTX_OPERAND_VARIABLE;
        operand->scope = binding->scope;
        return ptx_parse_offset(parser, &operand->integer);
    case PTX_BINDING_FUNCTION:
        operand->kind = PTX_OPERAND_FUNCTION;
        return true;
    default:
        return ptx_fail_at(parser, line, "%.60s cannot be an operand here", atom->text);
    }
}

static bool parse_constant(struct ptx_parser *parser,
                           bool (*parse)(struct ptx_parser *, struct ptx_constant *),
                           struct ptx_operand *operand)
{
    struct ptx_constant constant;
    if (!parse(parser, &constant))
        return false;
    operand->float_bytes = constant.float_bytes;
    if (constant.float_bytes) {
        operand->kind = PTX_OPERAND_FLOAT;
        operand->bits = constant.bits;
    } else {
        operand->kind = PTX_OPERAND_INTEGER;
        operand->integer = (int64_t)constant.bits;
    }
    return true;
}

static bool parse_negation(struct ptx_parser *parser, struct ptx_operand *operand)
{
    if (parser->token.kind == PTX_TOKEN_NAME && !ptx_at_name(parser, "WARP_SZ")) {
        operand->kind = PTX_OPERAND_REGISTER;
        operand->negated = true;
        return parse_register(parser, true, &operand->index);
    }
    return parse_constant(parser, ptx_parse_constant_not, operand);
}

static bool parse_scalar(struct ptx_parser *parser, struct ptx_operand *operand)
{
    if (ptx_at_name(parser, "_")) {
        operand->kind = PTX_OPERAND_SINK;
        return ptx_advance(parser);
    }
    if (ptx_accept(parser, '!'))
        return parse_negation(parser, operand);
    if (parser->token.kind == PTX_TOKEN_NAME && !ptx_at_name(parser, "WARP_SZ"))
        return parse_name(parser, operand);
    return parse_constant(parser, ptx_parse_constant, operand);
}

static bool expand_vector(struct ptx_parser *parser, struct ptx_operand *operand)
{
    struct ptx_operand element = *operand;
    if (operand->kind != PTX_OPERAND_REGISTER || operand->vector_count == 0)
        return true;
    operand->kind = PTX_OPERAND_VECTOR;
    operand->index = (int32_t)parser->vector_operands.count;
    element.vector_count = 0;
    for (unsigned i = 0; i < operand->vector_count; i++, element.index++)
        if (!ptx_append(parser, &parser->vector_operands, &element))
            return false;
    return true;
}

static bool check_scalar(struct ptx_parser *parser, const struct ptx_operand *operand)
{
    return operand->kind != PTX_OPERAND_REGISTER || operand->vector_count == 0 ||
           ptx_fail(parser, "a vector register cannot be an operand here");
}

static bool parse_elements(struct ptx_parser *parser, enum ptx_operand_kind kind,
                           struct ptx_operand *operand)
{
    bool is_vector = kind == PTX_OPERAND_VECTOR;
    char closing = is_vector ? '}' : ')';
    unsigned limit = is_vector ? PTX_MAX_VECTOR : PTX_MAX_ARGUMENTS;
    size_t first = parser->vector_operands.count;
    if (is_vector || !ptx_at(parser, closing)) {
        do {
            struct ptx_operand element = {.second = PTX_SECOND_NONE};
            if (parser->vector_operands.count - first == limit)
                return ptx_fail(parser, "a list has more than %u operands", limit);
            if (!parse_scalar(parser, &element) || (is_vector && !check_scalar(parser, &element)))
                return false;
            if (!ptx_append(parser, &parser->vector_operands, &element))
                return false;
        } while (ptx_accept(parser, ','));
    }
    operand->kind = kind;
    operand->index = (int32_t)first;
    operand->vector_count = (uint8_t)(parser->vector_operands.count - first);
    return ptx_expect(parser, closing);
}

static bool parse_address(struct ptx_parser *parser, struct ptx_operand *operand)
{
    int64_t offset;
    uint32_t line = parser->token.line;
    struct ptx_operand base = {0};
    if (parser->token.kind == PTX_TOKEN_NAME ? !parse_name(parser, &base)
                                             : !parse_constant(parser, ptx_parse_constant, &base))
        return false;
    if (base.kind != PTX_OPERAND_REGISTER && base.kind != PTX_OPERAND_VARIABLE &&
        base.kind != PTX_OPERAND_INTEGER)
        return ptx_fail_at(parser, line, "an address must be a register, a variable or an integer");
    if (!check_scalar(parser, &base) || !ptx_parse_offset(parser, &offset))
        return false;
    operand->kind = PTX_OPERAND_ADDRESS;
    operand->address_kind = base.kind;
    operand->scope = base.scope;
    operand->index = base.index;
    operand->integer = (int64_t)((uint64_t)base.integer + (uint64_t)offset);
    return true;
}

static bool parse_second(struct ptx_parser *parser, struct ptx_operand *operand)
{
    if ((operand->kind != PTX_OPERAND_REGISTER && operand->kind != PTX_OPERAND_SINK &&
         operand->kind != PTX_OPERAND_VECTOR) ||
        operand->negated || !ptx_accept(parser, '|'))
        return true;
    if (ptx_at_name(parser, "_")) {
        operand->second = PTX_SECOND_SINK;
        return ptx_advance(parser);
    }
    return parse_register(parser, false, &operand->second);
}

static bool parse_value(struct ptx_parser *parser, struct ptx_operand *operand)
{
    bool is_vector = ptx_accept(parser, '{');
    return (is_vector ? parse_elements(parser, PTX_OPERAND_VECTOR, operand)
                      : parse_scalar(parser, operand) && expand_vector(parser, operand)) &&
           parse_second(parser, operand);
}

/* Parse `.b0`, `.h1` or `.b310` after a register of a video instruction. In a source operand such
 * as `.b7430`, each digit selects a part of one of the two source registers. */
static bool parse_part(struct ptx_parser *parser, struct ptx_operand *operand)
{
    const char *text = parser->token.start;
    size_t count = parser->token.length - 1;
    unsigned set = 0, digits = 0, limit = *text == 'h' ? 2 : 4;
    bool is_set = true;
    if (count < 1 || (*text != 'b' && *text != 'h'))
        return ptx_fail_expected(parser, "a part of a register");
    for (size_t i = 1; i <= count; i++) {
        unsigned digit = (unsigned)text[i] - '0';
        if (digit >= (count > 1 ? 2 * limit : limit) || count > limit)
            return ptx_fail_expected(parser, "parts of one register");
        is_set = is_set && digit < limit && !(set >> digit & 1);
        set |= 1u << digit;
        digits = digits << 4 | digit;
    }
    if (count == 1)
        operand->integer = (*text == 'b' ? PTX_PART_B0 : PTX_PART_H0) + digits;
    else
        operand->integer = PTX_PART_SET + (is_set ? set : 0) + (digits << PTX_PART_DIGITS) +
                           ((count == limit ? limit : 0) << PTX_PART_COUNT);
    return ptx_advance(parser);
}

static bool parse_video(struct ptx_parser *parser, bool may_be_negated, struct ptx_operand *operand)
{
    bool negated = may_be_negated && ptx_accept(parser, '-');
    if (!parse_value(parser, operand))
        return false;
    if (operand->kind == PTX_OPERAND_REGISTER && parser->token.kind == PTX_TOKEN_WORD &&
        !parse_part(parser, operand))
        return false;
    if (negated && operand->kind == PTX_OPERAND_INTEGER)
        operand->integer = -operand->integer;
    else if (negated)
        operand->integer |= PTX_PART_NEGATED;
    return true;
}

static struct ptx_operand *next_operand(struct ptx_parser *parser,
                                        struct ptx_instruction *instruction)
{
    if (instruction->operand_count == PTX_MAX_OPERANDS) {
        ptx_fail(parser, "%s has more than %d operands", instruction->text, PTX_MAX_OPERANDS);
        return NULL;
    }
    struct ptx_operand *operand = &instruction->operands[instruction->operand_count++];
    operand->second = PTX_SECOND_NONE;
    return operand;
}

static bool append_instruction(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    if (++parser->instruction_total > PTX_MAX_INSTRUCTIONS)
        return ptx_fail_at(parser, instruction->ptx_line,
                           "the module has more than %d instructions", PTX_MAX_INSTRUCTIONS);
    return ptx_append(parser, &parser->instructions, instruction);
}

/* Create an operand of `count` new registers. A `count` of 0 creates one scalar register. */
static bool new_registers(struct ptx_parser *parser, enum ptx_type type, uint8_t count,
                          struct ptx_operand *operand)
{
    static const char name[] = "%added";
    struct ptx_binding binding = {.type = type, .vector = count};
    binding.atom = ptx_names_intern(&parser->names, name, sizeof name - 1);
    if (!binding.atom)
        return ptx_fail_memory(parser);
    bool made = ptx_make_register(parser, &binding);
    *operand = (struct ptx_operand){
        .kind = PTX_OPERAND_REGISTER, .index = binding.index, .second = PTX_SECOND_NONE};
    return made;
}

static bool add_instruction(struct ptx_parser *parser, const struct ptx_instruction *at,
                            enum ptx_opcode opcode, enum ptx_type type, unsigned operand_count,
                            const struct ptx_operand *operands)
{
    struct ptx_instruction added = *at;
    added.opcode = opcode;
    added.text = opcode_names[opcode];
    added.modifier_count = 0;
    if (opcode == PTX_OP_SETP)
        added.modifiers[added.modifier_count++] = PTX_MOD_NE;
    added.space = added.space2 = PTX_GENERIC;
    added.type_count = 1;
    added.types[0] = (uint8_t)type;
    added.operand_count = (uint8_t)operand_count;
    memcpy(added.operands, operands, operand_count * sizeof *operands);
    return append_instruction(parser, &added);
}

/* Parse `%r + 4`, the value of a store, and add an instruction that computes the sum. */
static bool parse_sum(struct ptx_parser *parser, const struct ptx_instruction *store,
                      struct ptx_operand *value)
{
    struct ptx_operand operands[3] = {
        [1] = *value, [2] = {.kind = PTX_OPERAND_INTEGER, .second = PTX_SECOND_NONE}};
    const struct ptx_register *registers = parser->registers.items;
    unsigned bytes = ptx_type_bytes(registers[value->index].type);
    enum ptx_type type = bytes == 8 ? PTX_S64 : bytes == 4 ? PTX_S32 : PTX_S16;
    return ptx_parse_offset(parser, &operands[2].integer) &&
           new_registers(parser, type, 0, &operands[0]) &&
           add_instruction(parser, store, PTX_OP_ADD, type, 3, operands) &&
           (*value = operands[0], true);
}

/* Parse one operand. For `[texture, {x, y}]`, also parse the operands that follow the address. */
static bool parse_operand(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
    struct ptx_operand *operand = next_operand(parser, instruction);
    const uint16_t opcode = instruction->opcode;
    bool is_video = opcode >= PTX_OP_VABSDIFF && opcode <= PTX_OP_VSUB4 && opcode != PTX_OP_VOTE;
    if (!operand || !ptx_accept(parser, '['))
        return operand &&
               (is_video ? parse_video(parser, opcode == PTX_OP_VMAD, operand)
                         : parse_value(parser, operand)) &&
               (opcode != PTX_OP_ST || operand->kind != PTX_OPERAND_REGISTER ||
                !(ptx_at(parser, '+') || ptx_at(parser, '-')) ||
                parse_sum(parser, instruction, operand));
    if (!parse_address(parser, operand))
        return false;
    while (ptx_accept(parser, ',')) {
        operand = next_operand(parser, instruction);
        if (!operand || !parse_value(parser, operand))
            return false;
    }
    return ptx_expect(parser, ']');
}

static bool parse_operands(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
    if (ptx_at(parser, ';'))
        return true;
    do
        if (!parse_operand(parser, instruction))
            return false;
    while (ptx_accept(parser, ','));
    return ptx_at(parser, ';') || ptx_fail_expected(parser, "';'");
}

static bool skip_operands(struct ptx_parser *parser)
{
    while (!ptx_at(parser, ';')) {
        if (parser->token.kind == PTX_TOKEN_END || parser->token.kind == PTX_TOKEN_BAD ||
            ptx_at(parser, ')') || ptx_at(parser, ']') || ptx_at(parser, '}'))
            return ptx_fail_expected(parser, "';'");
        bool is_bracket = ptx_at(parser, '(') || ptx_at(parser, '[') || ptx_at(parser, '{');
        if (is_bracket ? !ptx_skip_brackets(parser) : !ptx_advance(parser))
            return false;
    }
    return true;
}

/* Parse the operands. If their form is unknown, skip them and make the instruction opaque. */
static bool parse_or_skip_operands(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
    struct failure *failure = parser->failure, problem, unended;
    const struct ptx_lexer lexer = parser->lexer;
    const struct ptx_token token = parser->token;
    size_t vector_operands = parser->vector_operands.count;
    problem.kind = unended.kind = FAILURE_NONE;
    parser->failure = &problem;
    parser->is_name_at_fault = false;
    bool done = parse_operands(parser, instruction);
    if (!done && problem.kind == FAILURE_STUDENT && !parser->is_name_at_fault) {
        parser->failure = &unended;
        parser->lexer = lexer;
        parser->token = token;
        parser->vector_operands.count = vector_operands;
        instruction->opcode = PTX_OP_UNKNOWN;
        instruction->operand_count = 0;
        instruction->problem = ptx_arena_text(parser->arena, problem.text, strlen(problem.text));
        done = instruction->problem && skip_operands(parser);
    }
    parser->failure = failure;
    if (done)
        return true;
    return problem.kind == FAILURE_HARNESS
               ? failure_harness(failure, "%s", problem.text)
               : failure_student(failure, problem.status, "%s", problem.text);
}

static bool parse_branch(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
    struct ptx_operand *operand = next_operand(parser, instruction);
    if (!operand)
        return false;
    operand->kind = PTX_OPERAND_LABEL;
    return ptx_use_label(parser, false, parser->instructions.count);
}

static bool parse_reference(struct ptx_parser *parser, enum ptx_binding_kind kind,
                            enum ptx_operand_kind operand_kind, const char *what,
                            struct ptx_instruction *instruction)
{
    uint32_t line = parser->token.line;
    struct ptx_atom *atom;
    struct ptx_operand *operand = next_operand(parser, instruction);
    if (!operand || !ptx_expect_atom(parser, &atom))
        return false;
    if (!atom->binding)
        return undefined(parser, atom, line);
    if (atom->binding->kind != kind)
        return ptx_fail_at(parser, line, "%.60s is not %s", atom->text, what);
    operand->kind = operand_kind;
    operand->index = atom->binding->index;
    return true;
}

static bool parse_indexed_branch(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
    struct ptx_operand *operand = next_operand(parser, instruction);
    return operand && parse_scalar(parser, operand) && check_scalar(parser, operand) &&
           ptx_expect(parser, ',') &&
           parse_reference(parser, PTX_BINDING_TARGETS, PTX_OPERAND_TARGETS,
                           "a .branchtargets list", instruction);
}

/* Parse `call (returns), callee, (arguments), prototype`. Only the callee is required. */
static bool parse_call(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
    uint32_t line = parser->token.line;
    struct ptx_operand *operand = next_operand(parser, instruction);
    if (!operand)
        return false;
    if (ptx_accept(parser, '(')) {
        if (!parse_elements(parser, PTX_OPERAND_LIST, operand) || !ptx_expect(parser, ','))
            return false;
        operand = next_operand(parser, instruction);
    }
    if (!operand || !parse_scalar(parser, operand) || !check_scalar(parser, operand))
        return false;
    bool is_indirect = operand->kind == PTX_OPERAND_REGISTER;
    if (!is_indirect && operand->kind != PTX_OPERAND_FUNCTION)
        return ptx_fail_at(parser, line, "only functions and registers can be called");
    bool more = ptx_accept(parser, ',');
    if (more && ptx_accept(parser, '(')) {
        operand = next_operand(parser, instruction);
        if (!operand || !parse_elements(parser, PTX_OPERAND_LIST, operand))
            return false;
        more = ptx_accept(parser, ',');
    }
    if (more)
        return parse_reference(parser, PTX_BINDING_PROTOTYPE, PTX_OPERAND_PROTOTYPE,
                               "a .callprototype or .calltargets list", instruction);
    return !is_indirect || ptx_fail_at(parser, line, "an indirect call has no prototype");
}

/* In a parsed module, arguments and results are passed only in .param variables. For parameters in
 * registers, the parser adds copies between these variables and the registers. */

static bool add_copies(struct ptx_parser *parser, const struct ptx_instruction *at, bool is_load,
                       enum ptx_type type, struct ptx_operand value, struct ptx_operand variable)
{
    static const uint8_t types[] = {[1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    unsigned count = value.vector_count ? value.vector_count : 1, bytes = ptx_type_bytes(type);
    struct ptx_operand flag[4] = {[1] = value, [2] = {.kind = PTX_OPERAND_INTEGER}};
    struct ptx_instruction copy = *at;
    if (type == PTX_PRED) { /* A predicate is passed as a byte, which is 1 for true. */
        flag[1] = (struct ptx_operand){.kind = PTX_OPERAND_INTEGER, .integer = 1};
        flag[3] = value;
        bytes = 1;
        if (!new_registers(parser, PTX_B16, 0, &flag[0]) ||
            (!is_load && !add_instruction(parser, at, PTX_OP_SELP, PTX_B16, 4, flag)))
            return false;
        value = flag[0];
    }
    copy.opcode = is_load ? PTX_OP_LD : PTX_OP_ST;
    copy.text = is_load ? "ld.param" : "st.param";
    copy.modifier_count = 0;
    copy.type_count = 1;
    copy.types[0] = bytes < sizeof types ? types[bytes] : PTX_NONE;
    copy.space = PTX_PARAM;
    copy.operand_count = 2;
    value.vector_count = 0;
    variable.kind = PTX_OPERAND_ADDRESS;
    variable.address_kind = PTX_OPERAND_VARIABLE;
    variable.second = PTX_SECOND_NONE;
    for (unsigned i = 0; i < count; i++, value.index++, variable.integer += bytes) {
        copy.operands[is_load ? 0 : 1] = value;
        copy.operands[is_load ? 1 : 0] = variable;
        if (!append_instruction(parser, &copy))
            return false;
    }
    if (type != PTX_PRED || !is_load)
        return true;
    struct ptx_operand test[3] = {flag[3], flag[0], flag[2]};
    return add_instruction(parser, at, PTX_OP_SETP, PTX_B16, 3, test);
}

bool ptx_copy_parameters(struct ptx_parser *parser, enum ptx_scope scope,
                         const struct ptx_instruction *at)
{
    const struct ptx_function *function = parser->function;
    bool is_load = scope == PTX_SCOPE_PARAMETER;
    const struct ptx_variable *variables = is_load ? function->parameters : function->returns;
    size_t count = is_load ? function->parameter_count : function->return_count;
    for (size_t i = 0; i < count; i++) {
        const char *name = variables[i].name;
        if (!variables[i].in_register || strcmp(name, "_") == 0)
            continue;
        struct ptx_atom *atom = ptx_names_intern(&parser->names, name, strlen(name));
        if (!atom)
            return ptx_fail_memory(parser);
        struct ptx_binding *binding = ptx_names_at(atom, PTX_FUNCTION_DEPTH);
        if (function->is_entry)
            return ptx_fail_at(parser, at->ptx_line, "a kernel parameter must not be a register");
        if (binding->index < 0 && !ptx_make_register(parser, binding))
            return false;
        struct ptx_operand value = {.kind = PTX_OPERAND_REGISTER,
                                    .index = binding->index,
                                    .second = PTX_SECOND_NONE,
                                    .vector_count = binding->vector};
        struct ptx_operand variable = {.scope = scope, .index = (int32_t)i};
        if (!add_copies(parser, at, is_load, variables[i].type, value, variable))
            return false;
    }
    return true;
}

/* Replace each element of a list of registers or constants by a .param variable, and add the
 * instructions that copy the values. An element that does not fit its parameter is not replaced, so
 * the decoder rejects the call. */
static bool pass_list(struct ptx_parser *parser, const struct ptx_instruction *call,
                      const struct ptx_operand *list, bool is_load,
                      const struct ptx_variable *formals, size_t count)
{
    const struct ptx_register *registers = parser->registers.items;
    for (size_t i = 0; list->kind == PTX_OPERAND_LIST && i < list->vector_count && i < count; i++) {
        struct ptx_operand *element =
            (struct ptx_operand *)parser->vector_operands.items + list->index + i;
        struct ptx_operand value = *element;
        unsigned bytes = ptx_type_bytes(formals[i].type);
        bool fits = value.kind == PTX_OPERAND_REGISTER
                        ? ptx_type_bytes(registers[value.index].type) == bytes
                        : value.kind == PTX_OPERAND_INTEGER || value.kind == PTX_OPERAND_FLOAT ||
                              (is_load && value.kind == PTX_OPERAND_SINK);
        bytes += formals[i].type == PTX_PRED;
        if (!fits || value.negated || bytes == 0 ||
            formals[i].bytes != bytes * (value.vector_count ? value.vector_count : 1u))
            continue;
        *element = (struct ptx_operand){.kind = PTX_OPERAND_VARIABLE,
                                        .scope = PTX_SCOPE_FUNCTION,
                                        .index = (int32_t)parser->locals.count};
        if (!ptx_append(parser, &parser->locals, &formals[i]) ||
            (value.kind != PTX_OPERAND_SINK &&
             !add_copies(parser, call, is_load, formals[i].type, value, *element)))
            return false;
    }
    return true;
}

static bool append_call(struct ptx_parser *parser, const struct ptx_instruction *call)
{
    unsigned at = call->operands[0].kind == PTX_OPERAND_LIST;
    const struct ptx_operand *callee = &call->operands[at];
    const struct ptx_operand *last = &call->operands[call->operand_count - 1];
    struct ptx_prototype shape =
        callee->kind == PTX_OPERAND_FUNCTION
            ? ptx_function_shape((struct ptx_function *)parser->functions.items + callee->index)
            : ((const struct ptx_prototype *)parser->prototypes.items)[last->index];
    return pass_list(parser, call, callee + 1, false, shape.parameters, shape.parameter_count) &&
           append_instruction(parser, call) &&
           pass_list(parser, call, call->operands, true, shape.returns, shape.return_count);
}

/* Append a mov. Copy `mov.v2.u32 {a, b}, {c, d}` through new registers, because a may be d. */
static bool append_move(struct ptx_parser *parser, const struct ptx_instruction *move)
{
    const struct ptx_operand to = move->operands[0], from = move->operands[1];
    struct ptx_operand pair[2], between;
    if (move->operand_count != 2 || move->modifier_count != 1 || to.kind != PTX_OPERAND_VECTOR ||
        from.kind != PTX_OPERAND_VECTOR || to.vector_count != from.vector_count ||
        move->modifiers[0] != (to.vector_count == 2 ? PTX_MOD_V2 : PTX_MOD_V4) ||
        move->type_count != 1)
        return append_instruction(parser, move);
    if (!new_registers(parser, move->types[0], to.vector_count, &between))
        return false;
    for (int i = 0; i < 2 * to.vector_count; i++) {
        const struct ptx_operand *elements = parser->vector_operands.items;
        int element = i % to.vector_count;
        pair[0] = pair[1] = between;
        pair[0].index = pair[1].index = between.index + element;
        if (i < to.vector_count) {
            pair[1] = elements[from.index + element];
        } else {
            pair[0] = elements[to.index + element];
        }
        if (!add_instruction(parser, move, PTX_OP_MOV, move->types[0], 2, pair))
            return false;
    }
    return true;
}

static bool parse_guard(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
    instruction->guarded = true;
    if (!ptx_expect(parser, '@'))
        return false;
    instruction->guard_negated = ptx_accept(parser, '!');
    return parse_register(parser, true, &instruction->guard);
}

static bool parse_body(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
    switch (instruction->opcode) {
    case PTX_OP_BRA:
        return parse_branch(parser, instruction);
    case PTX_OP_BRX:
        return parse_indexed_branch(parser, instruction);
    case PTX_OP_CALL:
        return parse_call(parser, instruction);
    default:
        return parse_or_skip_operands(parser, instruction);
    }
}

bool ptx_parse_instruction(struct ptx_parser *parser, const struct ptx_token *first)
{
    struct ptx_instruction guard = {0};
    struct ptx_token opcode;
    if (!first) {
        if (!parse_guard(parser, &guard))
            return false;
        opcode = parser->token;
        first = &opcode;
        if (opcode.kind != PTX_TOKEN_NAME)
            return ptx_fail_expected(parser, "an instruction");
        if (!ptx_advance(parser))
            return false;
    }
    const struct ptx_mnemonic *mnemonic = read_mnemonic(parser, first);
    if (!mnemonic)
        return false;
    struct ptx_instruction instruction = mnemonic->form;
    instruction.guarded = guard.guarded;
    instruction.guard_negated = guard.guard_negated;
    instruction.guard = guard.guard;
    instruction.location = parser->lines.current;
    instruction.ptx_line = first->line;
    if (!(mnemonic->is_opaque ? skip_operands(parser) : parse_body(parser, &instruction)) ||
        !ptx_expect(parser, ';'))
        return false;
    switch (instruction.opcode) {
    case PTX_OP_CALL:
        if (!mnemonic->is_opaque)
            return append_call(parser, &instruction);
        break;
    case PTX_OP_MOV:
        return append_move(parser, &instruction);
    case PTX_OP_RET:
        if (!ptx_copy_parameters(parser, PTX_SCOPE_RETURN, &instruction))
            return false;
        break;
    }
    return append_instruction(parser, &instruction);
}
