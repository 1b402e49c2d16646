/* ptx_lines.c: `.file` and `.loc`, the source positions of instructions (PTX ISA 11.6.2, 11.6.4).
 *
 * Inlined code has `.loc F L C, function_name N, inlined_at F' L' C'`. The position of the inlined
 * call, F' L' C', is in an earlier .loc of the same PTX function. For each position, an atom refers
 * to the latest struct ptx_location, so that the parser finds the chain of calls.
 *
 * nvcc writes `.file` at the end of the module, so file numbers are checked at the end. */
#include "emulator/ptx/ptx_parser.h"

#include <string.h>

enum { MAX_FILE_NUMBER = 65535 };

/* Returns the atom with the bytes of a position as its text, or NULL after a failure. A name with
 * the same bytes may share the atom, because names and positions use different fields. */
static struct ptx_atom *intern_position(struct ptx_parser *parser,
                                        const struct ptx_location *location)
{
    const uint32_t position[] = {location->file, location->line, location->column};
    struct ptx_atom *atom =
        ptx_names_intern(&parser->names, (const char *)position, sizeof position);
    if (!atom)
        ptx_fail_memory(parser);
    return atom;
}

static bool add_location(struct ptx_parser *parser, const struct ptx_location *location,
                         int32_t *index)
{
    struct ptx_lines *lines = &parser->lines;
    struct ptx_atom *atom = intern_position(parser, location);
    if (!atom)
        return false;
    const struct ptx_location *known = lines->locations.items;
    if (!atom->function || known[atom->location].inlined_at != location->inlined_at) {
        if (!ptx_append(parser, &lines->locations, location))
            return false;
        atom->location = (int32_t)lines->locations.count - 1;
    }
    atom->function = lines->function;
    *index = atom->location;
    return true;
}

static bool parse_position(struct ptx_parser *parser, struct ptx_location *location)
{
    uint64_t file, line, column;
    if (!ptx_expect_count(parser, MAX_FILE_NUMBER, "a file number", &file) ||
        !ptx_expect_count(parser, UINT32_MAX, "a line number", &line) ||
        !ptx_expect_count(parser, UINT32_MAX, "a column", &column))
        return false;
    location->file = (uint32_t)(parser->lines.first_file + file);
    location->line = (uint32_t)line;
    location->column = (uint32_t)column;
    location->inlined_at = -1;
    return true;
}

static bool parse_call_position(struct ptx_parser *parser, int32_t *index)
{
    const struct ptx_lines *lines = &parser->lines;
    struct ptx_location call;
    if (!parse_position(parser, &call))
        return false;
    const struct ptx_atom *atom = intern_position(parser, &call);
    if (!atom || !lines->function || atom->function != lines->function)
        return atom && add_location(parser, &call, index);
    *index = atom->location;
    return true;
}

bool ptx_parse_location(struct ptx_parser *parser)
{
    struct ptx_location location;
    if (!parse_position(parser, &location))
        return false;
    while (ptx_accept(parser, ',')) {
        struct ptx_atom *label;
        int64_t offset;
        if (ptx_at_name(parser, "function_name")) {
            if (!ptx_advance(parser) || !ptx_expect_atom(parser, &label) ||
                !ptx_parse_offset(parser, &offset))
                return false;
        } else if (ptx_at_name(parser, "inlined_at")) {
            if (!ptx_advance(parser) || !parse_call_position(parser, &location.inlined_at))
                return false;
        } else {
            return ptx_fail_expected(parser, "function_name or inlined_at");
        }
    }
    if (!parser->lines.function) /* Positions outside functions are ignored. */
        return true;
    return add_location(parser, &location, &parser->lines.current);
}

/* Returns a copy of a path, or NULL if memory is exhausted. Escapes lose their backslashes. Control
 * characters, which would affect a terminal, become `?`. A relative path follows `directory`. */
static const char *copy_path(struct ptx_parser *parser, const char *directory,
                             const struct ptx_token *string)
{
    bool relative = string->length == 0 || string->start[0] != '/';
    size_t prefix = directory && relative ? strlen(directory) : 0;
    char *path = ptx_arena_allocate(parser->arena, prefix + string->length + 2);
    if (!path)
        return NULL;
    char *out = path;
    if (prefix) {
        memcpy(out, directory, prefix);
        out += prefix;
        *out++ = '/';
    }
    for (size_t i = 0; i < string->length; i++) {
        if (string->start[i] == '\\' && i + 1 < string->length)
            i++;
        unsigned char c = (unsigned char)string->start[i];
        *out++ = c < ' ' || c == 0x7f ? '?' : (char)c;
    }
    return path;
}

static bool parse_path(struct ptx_parser *parser, const char *directory, const char **path)
{
    if (parser->token.kind != PTX_TOKEN_STRING)
        return ptx_fail_expected(parser, "a file name in quotes");
    *path = copy_path(parser, directory, &parser->token);
    return *path ? ptx_advance(parser) : ptx_fail_memory(parser);
}

/* Parse `.file N "path"` or `.file N "directory" "name"`, with or without `, time, size`. */
bool ptx_parse_file(struct ptx_parser *parser)
{
    struct ptx_vector *files = &parser->lines.files;
    uint64_t number, ignored;
    const char *path;
    if (!ptx_expect_count(parser, MAX_FILE_NUMBER, "a file number", &number) ||
        !parse_path(parser, NULL, &path))
        return false;
    if (parser->token.kind == PTX_TOKEN_STRING && !parse_path(parser, path, &path))
        return false;
    while (ptx_accept(parser, ','))
        if (!ptx_expect_count(parser, UINT64_MAX, "a file's time or size", &ignored))
            return false;
    number += parser->lines.first_file;
    if (number >= files->count && !ptx_vector_extend(files, (size_t)number + 1 - files->count))
        return ptx_fail_memory(parser);
    ((const char **)files->items)[number] = path;
    return true;
}

void ptx_lines_enter_function(struct ptx_parser *parser)
{
    parser->lines.function++;
    parser->lines.current = -1;
}

bool ptx_lines_finish(struct ptx_parser *parser)
{
    struct ptx_lines *lines = &parser->lines;
    struct ptx_module *module = parser->module;
    module->file_count = lines->files.count;
    module->location_count = lines->locations.count;
    module->files = ptx_vector_move(&lines->files, parser->arena);
    module->locations = ptx_vector_move(&lines->locations, parser->arena);
    if (!module->files || !module->locations)
        return ptx_fail_memory(parser);
    for (size_t i = 0; i < module->location_count; i++) {
        struct ptx_location *location = &module->locations[i];
        if (location->file >= module->file_count || !module->files[location->file])
            location->file = PTX_NO_FILE;
    }
    return true;
}
