/* ptx_names.h: names and what they stand for in the scope at hand.
 *
 * Every name of the text is interned once as an *atom*. A declaration *binds* an atom: the atom
 * keeps the stack of its bindings, innermost scope first, so that looking a name up is reading one
 * pointer, and closing a scope pops what it bound.
 *
 * `.reg .b32 %r<20>` declares %r0 to %r19 without making them: the prefix %r is bound to a *range*,
 * and a register is made when it is first named. So a huge range costs nothing, and neither do the
 * registers that nobody uses.
 */
#ifndef PTX_NAMES_H
#define PTX_NAMES_H

#include "emulator/ptx/ptx.h"
#include "emulator/ptx/ptx_arena.h"

enum ptx_binding_kind {
    PTX_BINDING_REGISTER,  /* index: register number; type */
    PTX_BINDING_RANGE,     /* count registers of a type, of a prefix */
    PTX_BINDING_VARIABLE,  /* scope, index */
    PTX_BINDING_FUNCTION,  /* index */
    PTX_BINDING_LABEL,     /* index: instruction number */
    PTX_BINDING_TARGETS,   /* index of a .branchtargets list */
    PTX_BINDING_PROTOTYPE, /* index of a .callprototype */
};

struct ptx_binding {
    enum ptx_binding_kind kind;
    enum ptx_scope scope;
    enum ptx_type type;
    int32_t index;
    uint32_t count;  /* of a range */
    uint8_t vector;  /* elements of a vector register, else 0 */
    bool from_range; /* a register that a range declared */
    bool is_local;   /* of the module, known in its own text only */
    uint32_t line;   /* of the declaration */
    uint32_t depth;  /* of the scope: 0 is the module */
    struct ptx_atom *atom;
    struct ptx_binding *outer; /* the atom's binding in an outer scope */
    struct ptx_binding *older; /* of the same scope */
};

struct ptx_atom {
    const char *text; /* NUL-terminated, in the module's arena */
    uint32_t length, hash;
    struct ptx_binding *binding;   /* innermost, NULL: not declared */
    struct ptx_binding *range;     /* innermost range of which this is the prefix */
    uint64_t ranges_checked;       /* the generation of ranges that `binding` takes into account */
    bool was_local;                /* in a text before */
    struct ptx_mnemonic *mnemonic; /* of `ld.global.f32`: the parsed form, kept by the parser */
};

/* Nested `{ }`, the function's own included. */
enum { PTX_MAX_NESTING = 64 };

struct ptx_scope_bindings {
    struct ptx_binding *newest;
    bool has_ranges;
};

struct ptx_names {
    struct ptx_arena *texts;   /* the module's */
    struct ptx_arena *scratch; /* freed after parsing */
    struct ptx_atom **table;   /* open addressing; a power of two */
    size_t atom_count, table_size;
    struct ptx_scope_bindings scopes[PTX_MAX_NESTING];
    uint32_t depth;            /* of the innermost open scope */
    uint64_t range_generation; /* moves on whenever the ranges in force change */
};

/* False without memory. The module's scope is open. */
bool ptx_names_start(struct ptx_names *names, struct ptx_arena *texts, struct ptx_arena *scratch);
void ptx_names_free(struct ptx_names *names);

/* The atom of a text; NULL without memory. */
struct ptx_atom *ptx_names_intern(struct ptx_names *names, const char *text, size_t length);

/* Open a scope; false when PTX_MAX_NESTING are open. */
bool ptx_names_open(struct ptx_names *names);
void ptx_names_close(struct ptx_names *names);
/* Forget the module's local names, when the text that they belong to ends. */
void ptx_names_forget_local(struct ptx_names *names);

/* Bind an atom in the open scope of that depth. A range is bound to its prefix. The caller has
 * checked that the name is free there. NULL without memory. */
struct ptx_binding *ptx_names_bind(struct ptx_names *names, struct ptx_atom *atom,
                                   enum ptx_binding_kind kind, uint32_t depth);

/* The atom's binding in the open scope of that depth, or NULL. */
struct ptx_binding *ptx_names_at(const struct ptx_atom *atom, uint32_t depth);

/* The innermost range that declares the atom, or NULL. */
struct ptx_binding *ptx_names_find_range(const struct ptx_names *names,
                                         const struct ptx_atom *atom);

#endif
