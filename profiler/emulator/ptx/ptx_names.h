/* ptx_names.h: names, and their meaning in the current scope.
 *
 * Every name of the text is interned once as an *atom*. A declaration *binds* an atom. An atom has
 * a stack of bindings, innermost scope first.
 *
 * `.reg .b32 %r<20>` declares %r0 to %r19 without creating these registers, because many of them
 * are not used. The prefix %r is bound to a *range*, and a register is created at its first use. */
#ifndef PTX_NAMES_H
#define PTX_NAMES_H

#include "emulator/ptx/ptx.h"
#include "emulator/ptx/ptx_arena.h"

enum ptx_binding_kind {
    PTX_BINDING_REGISTER, /* Uses `index` (register number) and `type`. */
    PTX_BINDING_RANGE,    /* Uses `count` and `type`. The atom is the prefix. */
    PTX_BINDING_VARIABLE, /* Uses `scope` and `index`. */
    PTX_BINDING_FUNCTION,
    PTX_BINDING_LABEL,     /* `index` is an instruction number. */
    PTX_BINDING_TARGETS,   /* `index` is the number of a .branchtargets list. */
    PTX_BINDING_PROTOTYPE, /* `index` is the number of a .callprototype. */
};

struct ptx_binding {
    enum ptx_binding_kind kind;
    enum ptx_scope scope;
    enum ptx_type type;
    int32_t index;
    uint32_t count;
    uint8_t vector; /* Number of elements of a vector register, or 0. */
    bool from_range;
    bool is_local; /* The name has module scope, but is visible only in its own text. */
    uint32_t line;
    uint32_t depth; /* Depth of the scope. The module has depth 0. */
    struct ptx_atom *atom;
    struct ptx_binding *outer;
    struct ptx_binding *older;
};

struct ptx_atom {
    const char *text; /* NUL-terminated, in the module's arena. */
    uint32_t length, hash;
    struct ptx_binding *binding; /* Innermost binding, or NULL if the atom is not declared. */
    struct ptx_binding *range;   /* Innermost range with this prefix. */
    uint64_t ranges_checked;     /* The range_generation in which the ranges were last searched. */
    bool was_local;
    struct ptx_mnemonic *mnemonic; /* Parsed form of an instruction's name (ptx_statement.c). */
    /* For a position of .loc: its latest location, and the number of that location's function. */
    int32_t location;
    uint32_t function;
};

/* Maximum number of open scopes, including those of the module and the function. */
enum { PTX_MAX_NESTING = 64 };

struct ptx_scope_bindings {
    struct ptx_binding *newest;
    bool has_ranges;
};

struct ptx_names {
    struct ptx_arena *texts;
    struct ptx_arena *scratch;
    struct ptx_atom **table;
    size_t atom_count, table_size; /* table_size is a power of two. */
    struct ptx_scope_bindings scopes[PTX_MAX_NESTING];
    uint32_t depth;
    uint64_t range_generation; /* Changes whenever the set of visible ranges changes. */
};

/* Open the module's scope. Returns false if memory is exhausted. */
bool ptx_names_start(struct ptx_names *names, struct ptx_arena *texts, struct ptx_arena *scratch);
void ptx_names_free(struct ptx_names *names);

/* Returns the atom of a text, or NULL if memory is exhausted. */
struct ptx_atom *ptx_names_intern(struct ptx_names *names, const char *text, size_t length);

/* Open a scope. Returns false if PTX_MAX_NESTING scopes are open. */
bool ptx_names_open(struct ptx_names *names);
void ptx_names_close(struct ptx_names *names);
/* At the end of a text, remove the names that are local to this text. */
void ptx_names_forget_local(struct ptx_names *names);

/* Bind an atom in the open scope at `depth`, in which the atom must not be bound yet. For a range,
 * the atom is the prefix. Returns NULL if memory is exhausted. */
struct ptx_binding *ptx_names_bind(struct ptx_names *names, struct ptx_atom *atom,
                                   enum ptx_binding_kind kind, uint32_t depth);

/* Returns the atom's binding in the open scope at `depth`, or NULL. */
struct ptx_binding *ptx_names_at(const struct ptx_atom *atom, uint32_t depth);

/* Returns the innermost range that declares the atom, or NULL. */
struct ptx_binding *ptx_names_find_range(const struct ptx_names *names,
                                         const struct ptx_atom *atom);

#endif
