/* source_line.c: see source_line.h. */
#include "view/source_line.h"

#include <string.h>

enum { MAX_INLINE_DEPTH = 64 };

/* The innermost line of `path` at a location or where it was inlined. */
static uint32_t line_at(const struct ptx_module *module, int32_t location, const char *path)
{
    for (unsigned depth = 0; depth < MAX_INLINE_DEPTH && location >= 0; depth++) {
        if ((size_t)location >= module->location_count)
            return 0;
        const struct ptx_location *at = &module->locations[location];
        const char *file = at->file < module->file_count ? module->files[at->file] : NULL;
        if (file && at->line && !strcmp(file, path))
            return at->line;
        location = at->inlined_at;
    }
    return 0;
}

uint32_t source_line(const struct ptx_module *module, const struct ptx_function *function,
                     size_t instruction, const char *path)
{
    uint32_t line = 0;
    for (size_t i = instruction + 1; !line && i-- > 0;)
        line = line_at(module, function->instructions[i].location, path);
    return line;
}

uint32_t source_line_of_access(const struct ptx_module *module,
                               const struct observed_access *access, const char *path)
{
    const struct observed_place *place = &access->place;
    for (unsigned depth = 0;; place = &access->callers[depth++]) {
        uint32_t line =
            source_line(module, &module->functions[place->function], place->instruction, path);
        if (line || depth == access->caller_count)
            return line;
    }
}
