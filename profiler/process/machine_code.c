#include "process/machine_code.h"

#include "base/scratch.h"
#include "base/whole_file.h"
#include "process/child.h"
#include "process/elf_file.h"
#include "process/toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Attributes of .nv.info (`cuobjdump -elf` prints their names). A record contains a format, an
 * attribute, and two bytes: the size of its data or, in some formats, the value. */
enum {
    FORMAT_SIZED = 4,
    FRAME_SIZE = 0x11, /* Symbol number of a function, and the bytes of its stack frame. */
    STACK_SIZE = 0x12, /* Like FRAME_SIZE, including the frames of non-recursive callees. */
    REGISTERS = 0x2f,  /* Symbol number of a function, and its registers per thread. */
};

/* Since CC 9.0, .nv.shared.KERNEL includes the shared memory that the system reserves. */
enum { RESERVED_SHARED = 1024 };

/* Instruction format since CC 7.0. Bits 9 to 11 of the second word are the width of an access. */
enum { INSTRUCTION_BYTES = 16, OPCODE_BITS = 0xfff, NOP = 0x918, LOCAL_STORE = 0x387 };
enum { LOCAL_LOAD = 0x983 };
static const uint8_t width_bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0};

static void read_info(const struct elf_file *elf, uint32_t symbol, struct machine_code *code)
{
    Elf64_Shdr info;
    if (!elf_find(elf, ".nv.info", "", &info) || info.sh_type == SHT_NOBITS)
        return;
    const unsigned char *at = elf->bytes + info.sh_offset, *end = at + info.sh_size;
    uint32_t value[2];
    for (size_t size; end - at >= 4; at += 4 + size) {
        size = at[0] == FORMAT_SIZED ? at[2] | (size_t)at[3] << 8 : 0;
        if (size > (size_t)(end - at) - 4)
            return;
        if (size < sizeof value)
            continue;
        memcpy(value, at + 4, sizeof value);
        if (value[0] != symbol)
            continue;
        if (at[1] == REGISTERS)
            code->registers = value[1];
        else if ((at[1] == FRAME_SIZE || at[1] == STACK_SIZE) && value[1] > code->local_bytes)
            code->local_bytes = value[1];
    }
}

static void read_text(const struct elf_file *elf, const Elf64_Shdr *text, struct machine_code *code)
{
    const unsigned char *first = elf->bytes + text->sh_offset;
    for (uint64_t i = 0; i < text->sh_size / INSTRUCTION_BYTES; i++) {
        uint64_t words[2];
        memcpy(words, first + i * INSTRUCTION_BYTES, sizeof words);
        const unsigned opcode = words[0] & OPCODE_BITS, width = width_bytes[words[1] >> 9 & 7];
        if (opcode != NOP)
            code->instructions = i + 1;
        if (opcode == LOCAL_STORE)
            code->local_stored += width;
        if (opcode == LOCAL_LOAD)
            code->local_loaded += width;
    }
}

static uint32_t find_function(const struct elf_file *elf, const char *name)
{
    Elf64_Shdr table;
    Elf64_Sym symbol;
    if (!elf_find(elf, ".symtab", "", &table))
        return 0;
    for (uint32_t i = 1; i < table.sh_size / sizeof symbol; i++) {
        const char *text = elf_symbol(elf, &table, i, &symbol);
        if (text && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && !strcmp(text, name))
            return i;
    }
    return 0;
}

bool machine_code_read(const void *cubin, size_t bytes, const char *kernel,
                       struct machine_code *code)
{
    struct elf_file elf;
    Elf64_Shdr text, shared, reserved;
    *code = (struct machine_code){0};
    if (!elf_open(&elf, cubin, bytes) || elf.header.e_machine != EM_CUDA)
        return false;
    uint32_t symbol = find_function(&elf, kernel);
    if (!symbol || !elf_find(&elf, ".text.", kernel, &text) || text.sh_type == SHT_NOBITS)
        return false;
    read_info(&elf, symbol, code);
    read_text(&elf, &text, code);
    if (elf_find(&elf, ".nv.shared.", kernel, &shared))
        code->shared_bytes = shared.sh_size;
    if (code->shared_bytes >= RESERVED_SHARED &&
        elf_find(&elf, ".nv.shared.reserved.0", "", &reserved))
        code->shared_bytes -= RESERVED_SHARED;
    if (code->registers == 0)
        *code = (struct machine_code){0};
    return code->registers > 0;
}

static const struct child_limits limits = {
    .seconds = 10, .memory_bytes = 4ull << 30, .output_bytes = 64 << 20};

void *machine_code_assemble(const char *ptx, size_t length, unsigned architecture, size_t *bytes)
{
    char directory[PATH_SIZE], file[PATH_SIZE + 16], target[32], *cubin = NULL;
    struct toolkit toolkit;
    struct failure failure = {0};
    struct child_result child;
    if (!toolkit_find(&toolkit) || !toolkit.ptxas[0] || !scratch_make(directory, "ptxas", &failure))
        return NULL;
    snprintf(file, sizeof file, "%s/unit.ptx", directory);
    snprintf(target, sizeof target, "-arch=sm_%u", architecture);
    const char *const words[] = {toolkit.ptxas, target, file, "-o", "/dev/stdout", NULL};
    if (whole_file_write(file, ptx, length, true, &failure) &&
        child_run_required(words, "ptxas", &limits, &child, &failure)) {
        cubin = child.output;
        child.output = NULL;
        *bytes = child.output_bytes;
        child_result_free(&child);
    }
    scratch_remove(directory);
    return cubin;
}

bool machine_code_of_ptx(const char *ptx, size_t length, unsigned architecture, const char *kernel,
                         struct machine_code *code)
{
    size_t bytes = 0;
    void *cubin = machine_code_assemble(ptx, length, architecture, &bytes);
    bool known = cubin && machine_code_read(cubin, bytes, kernel, code);
    free(cubin);
    return known;
}
