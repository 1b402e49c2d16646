/* program.c: memory of a decoded program, and the check that calls match the called functions. */
#include "emulator/decode/decoding.h"

#include <stdlib.h>
#include <string.h>

struct block {
    struct block *next;
    uint64_t padding[7]; /* Aligns the payload to 64 bytes. */
};

void *program_allocate(struct program *program, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2 - sizeof(struct block)) / size)
        return NULL;
    size_t bytes = sizeof(struct block) + count * size;
    void *memory; /* No padding follows, so that AddressSanitizer finds overruns. */
    if (posix_memalign(&memory, 64, bytes))
        return NULL;
    struct block *block = memory;
    memset(block, 0, bytes);
    block->next = program->arena;
    program->arena = block;
    return block + 1;
}

void program_free(struct program *program)
{
    for (struct block *block = program->arena, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    memset(program, 0, sizeof *program);
}

bool program_adopt(struct program *program, void *pointer_to_array, size_t bytes)
{
    void *array;
    memcpy(&array, pointer_to_array, sizeof array);
    void *copy = program_allocate(program, bytes + 1, 1);
    if (copy && bytes)
        memcpy(copy, array, bytes);
    free(array);
    memcpy(pointer_to_array, &copy, sizeof copy);
    return copy != NULL;
}

static bool same_bytes(const struct ptx_variable *variables, size_t count, const uint32_t *bytes,
                       uint32_t byte_count)
{
    bool same = count == byte_count;
    for (size_t i = 0; same && i < count; i++)
        same = variables[i].bytes == bytes[i];
    return same;
}

bool program_call_fits(const struct program_call *call, const struct ptx_function *callee)
{
    return !callee->is_entry &&
           same_bytes(callee->parameters, callee->parameter_count, call->argument_bytes,
                      call->argument_count) &&
           same_bytes(callee->returns, callee->return_count, call->return_bytes,
                      call->return_count);
}
