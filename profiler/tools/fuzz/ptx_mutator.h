/* ptx_mutator.h: a custom mutator for libFuzzer that exchanges words of PTX, such as opcodes. */
#ifndef PTX_MUTATOR_H
#define PTX_MUTATOR_H

#include "emulator/ptx/ptx.h"
#include "tools/fuzz/text_mutator.h"

static const char *const ptx_words[] = {
#define X(id, text) text,
    PTX_MODIFIER_LIST(X) PTX_SPECIAL_LIST(X)
#undef X
#define X(id, text, number) text,
        PTX_OPCODE_LIST(X) PTX_TYPE_LIST(X)
#undef X
            "global",
    "shared",
    "local",
    "const",
    "param",
    "v2",
    "v4",
    "extern",
    "_",
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return text_mutate(data, size, max_size, seed, ptx_words, sizeof ptx_words / sizeof *ptx_words);
}

#endif
