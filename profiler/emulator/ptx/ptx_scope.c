/* ptx_scope.c: name lookup, registers that are created at first use, and labels. A label may be
 * used before it is declared, and an inner scope may declare a label of the same name. So each use
 * is recorded. When a scope closes, uses of the scope's labels are resolved. All other uses remain
 * for the enclosing scope. */
#include "emulator/ptx/ptx_parser.h"

bool ptx_make_register(struct ptx_parser *parser, struct ptx_binding *binding)
{
    size_t count = binding->vector ? binding->vector : 1;
    if (parser->registers.count + count > PTX_MAX_REGISTERS)
        return ptx_fail(parser, "a function uses more than %d registers", PTX_MAX_REGISTERS);
    struct ptx_register *added = ptx_vector_extend(&parser->registers, count);
    if (!added)
        return ptx_fail_memory(parser);
    for (size_t i = 0; i < count; i++)
        added[i] = (struct ptx_register){.name = binding->atom->text, .type = binding->type};
    binding->index = (int32_t)(parser->registers.count - count);
    return true;
}

static bool bind_from_range(struct ptx_parser *parser, struct ptx_atom *atom)
{
    const struct ptx_binding *range = ptx_names_find_range(&parser->names, atom);
    if (!range)
        return true;
    const struct ptx_binding *known = ptx_names_at(atom, range->depth);
    if (known)
        return known->from_range || ptx_fail(parser, "%.60s is declared twice, in lines %u and %u",
                                             atom->text, known->line, range->line);
    struct ptx_binding *binding =
        ptx_names_bind(&parser->names, atom, PTX_BINDING_REGISTER, range->depth);
    if (!binding)
        return ptx_fail_memory(parser);
    binding->type = range->type;
    binding->vector = range->vector;
    binding->line = range->line;
    binding->from_range = true;
    binding->index = -1;
    return true;
}

bool ptx_resolve(struct ptx_parser *parser, struct ptx_atom *atom, struct ptx_binding **binding)
{
    if (atom->ranges_checked != parser->names.range_generation) {
        if (!bind_from_range(parser, atom))
            return false;
        atom->ranges_checked = parser->names.range_generation;
    }
    *binding = atom->binding;
    return !*binding || (*binding)->kind != PTX_BINDING_REGISTER || (*binding)->index >= 0 ||
           ptx_make_register(parser, *binding);
}

bool ptx_declare(struct ptx_parser *parser, struct ptx_atom *atom, enum ptx_binding_kind kind,
                 uint32_t depth, uint32_t line, struct ptx_binding **binding)
{
    const struct ptx_binding *known = ptx_names_at(atom, depth);
    if (kind == PTX_BINDING_RANGE)
        known = atom->range && atom->range->depth == depth ? atom->range : NULL;
    if (known)
        return ptx_fail_at(parser, line, "%.60s is declared twice, first in line %u", atom->text,
                           known->line);
    *binding = ptx_names_bind(&parser->names, atom, kind, depth);
    if (!*binding)
        return ptx_fail_memory(parser);
    (*binding)->line = line;
    return true;
}

bool ptx_use_label(struct ptx_parser *parser, bool in_targets, size_t index)
{
    struct ptx_label_use use = {
        .line = parser->token.line, .in_targets = in_targets, .index = index};
    return ptx_expect_atom(parser, &use.atom) && ptx_append(parser, &parser->label_uses, &use);
}

bool ptx_open_scope(struct ptx_parser *parser)
{
    if (!ptx_names_open(&parser->names))
        return ptx_fail(parser, "braces are nested more than %d deep", PTX_MAX_NESTING - 1);
    parser->scope_uses[parser->names.depth] = parser->label_uses.count;
    return true;
}

static void resolve_label(struct ptx_parser *parser, const struct ptx_label_use *use,
                          int32_t instruction)
{
    if (use->in_targets)
        ((uint32_t *)parser->targets_pool.items)[use->index] = (uint32_t)instruction;
    else
        ((struct ptx_instruction *)parser->instructions.items)[use->index].operands[0].integer =
            instruction;
}

bool ptx_close_scope(struct ptx_parser *parser)
{
    uint32_t depth = parser->names.depth;
    struct ptx_label_use *uses = parser->label_uses.items;
    size_t unresolved = parser->scope_uses[depth];
    for (size_t i = unresolved; i < parser->label_uses.count; i++) {
        const struct ptx_binding *binding = ptx_names_at(uses[i].atom, depth);
        if (binding && binding->kind == PTX_BINDING_LABEL)
            resolve_label(parser, &uses[i], binding->index);
        else if (depth == PTX_FUNCTION_DEPTH)
            return ptx_fail_at(parser, uses[i].line, "%.60s is not a label of this function",
                               uses[i].atom->text);
        else
            uses[unresolved++] = uses[i];
    }
    parser->label_uses.count = unresolved;
    ptx_names_close(&parser->names);
    return true;
}
