/* sandbox_cubin.c: check a student's machine code before a GPU runs it.
 *
 * A cubin is an ELF file (64 bits, little-endian; CUDA Binary Utilities guide, "cuobjdump"). A lab
 * needs its kernels, shared memory, and the name that LAB() stores.
 */
#define _GNU_SOURCE
#include "sandbox/sandbox.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

/* Bytes of LAB_NAME; far more than any name has. */
enum { NAME_BYTES_MAX = 64 };

static const char *const kernels[] = {"transpose", "lab_launch_shape", "lab_loop", NULL};

/* Sections by the beginning of their names: X of "X" or "X.FUNCTION". */
static const char *const harmless_sections[] = {".shstrtab",     ".strtab",
                                                ".symtab",       ".symtab_shndx",
                                                ".debug",        ".nv_debug",
                                                ".note.nv",      ".nv.info",
                                                ".nv.compat",    ".nv.callgraph",
                                                ".nv.prototype", ".nv.rel",
                                                ".rel",          ".rela",
                                                ".text",         ".nv.constant0",
                                                ".nv.constant2", ".nv.constant4",
                                                ".nv.shared",    ".nv.merc",
                                                ".nv.capmerc",   NULL};

struct cubin {
    const unsigned char *bytes;
    size_t count;
    Elf64_Ehdr head;
    uint64_t name_bytes; /* of lab_name, if it exists */
};

static bool malformed(struct failure *failure, const char *what)
{
    return failure_student(failure, STATUS_UNTRUSTED,
                           "the machine code is not a well-formed cubin: %s", what);
}

/* True if `size` bytes at `offset` are within the file. */
static bool cubin_has(const struct cubin *cubin, uint64_t offset, uint64_t size)
{
    return offset <= cubin->count && size <= cubin->count - offset;
}

static Elf64_Shdr cubin_section(const struct cubin *cubin, unsigned index)
{
    Elf64_Shdr section;
    memcpy(&section, cubin->bytes + cubin->head.e_shoff + (size_t)index * sizeof section,
           sizeof section);
    return section;
}

/* A string of a string table; NULL if it is not terminated there. */
static const char *cubin_text(const struct cubin *cubin, const Elf64_Shdr *table, uint64_t offset)
{
    if (table->sh_type != SHT_STRTAB || !cubin_has(cubin, table->sh_offset, table->sh_size) ||
        offset >= table->sh_size)
        return NULL;
    const char *text = (const char *)cubin->bytes + table->sh_offset + offset;
    return memchr(text, '\0', (size_t)(table->sh_size - offset)) != NULL ? text : NULL;
}

static bool head_read(struct cubin *cubin, struct failure *failure)
{
    Elf64_Ehdr *head = &cubin->head;
    if (!cubin_has(cubin, 0, sizeof *head))
        return malformed(failure, "it is too short");
    memcpy(head, cubin->bytes, sizeof *head);
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_ident[EI_DATA] != ELFDATA2LSB || head->e_machine != EM_CUDA ||
        head->e_type != ET_EXEC)
        return malformed(failure, "it is not a GPU program");
    if (head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shnum == 0 ||
        head->e_shstrndx >= head->e_shnum ||
        !cubin_has(cubin, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
        return malformed(failure, "its section table is outside the file");
    return true;
}

/* True if `name` is the kind, or the kind followed by a dot or an underscore. */
static bool section_is(const char *name, const char *kind)
{
    size_t length = strlen(kind);
    return strncmp(name, kind, length) == 0 && strchr("._", name[length]) != NULL;
}

/* Variables are in .nv.global (initially zero), .nv.global.init and the user's constant bank,
 * .nv.constant3. Only the lab's name may be there. */
static bool section_check(const struct cubin *cubin, const Elf64_Shdr *section, const char *name,
                          struct failure *failure)
{
    if (strcmp(name, ".nv.global.init") == 0 && section->sh_size == cubin->name_bytes)
        return true;
    if (section_is(name, ".nv.global") || section_is(name, ".nv.constant3"))
        return section->sh_size == 0 ||
               failure_student(failure, STATUS_UNTRUSTED,
                               "the machine code has variables in %s memory (%s), which keep their "
                               "values from one launch to the next",
                               section_is(name, ".nv.global") ? "global" : "constant", name);
    for (const char *const *kind = harmless_sections; *kind != NULL; kind++)
        if (section_is(name, *kind))
            return true;
    return failure_student(failure, STATUS_UNTRUSTED,
                           "the machine code contains %s, which labs do not need", name);
}

static bool name_is_kernel(const char *name)
{
    for (const char *const *kernel = kernels; *kernel != NULL; kernel++)
        if (strcmp(name, *kernel) == 0)
            return true;
    return false;
}

/* Symbols of the compiler: reserved shared memory. */
static bool name_is_reserved(const char *name)
{
    return strncmp(name, ".nv.reservedSmem.", 17) == 0 ||
           strncmp(name, "__nv_reservedSMEM_", 18) == 0;
}

static bool symbol_check(struct cubin *cubin, const Elf64_Sym *symbol, const char *name,
                         struct failure *failure)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    bool local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
    bool entry = (symbol->st_other & 0x10) != 0; /* STO_CUDA_ENTRY */
    if (name_is_reserved(name) || type == STT_SECTION || type == STT_FILE)
        return true;
    if (symbol->st_shndx == SHN_UNDEF)
        return name[0] == '\0' ||
               failure_student(failure, STATUS_UNTRUSTED,
                               "this program calls %s, a function of the device's runtime, which "
                               "grading does not allow",
                               name);
    if (type == STT_FUNC ? (!local || entry) && !name_is_kernel(name) : !local)
        return failure_student(
            failure, STATUS_UNTRUSTED,
            "the machine code contains %s, which is not one of the lab's kernels", name);
    if (strcmp(name, "lab_name") == 0 && type == STT_OBJECT && symbol->st_size <= NAME_BYTES_MAX)
        cubin->name_bytes = symbol->st_size;
    return true;
}

static bool symbols_check(struct cubin *cubin, const Elf64_Shdr *table, struct failure *failure)
{
    if (table->sh_entsize != sizeof(Elf64_Sym) || table->sh_link >= cubin->head.e_shnum ||
        !cubin_has(cubin, table->sh_offset, table->sh_size))
        return malformed(failure, "its symbol table is outside the file");
    Elf64_Shdr names = cubin_section(cubin, table->sh_link);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, cubin->bytes + table->sh_offset + at, sizeof symbol);
        const char *name = cubin_text(cubin, &names, symbol.st_name);
        if (name == NULL)
            return malformed(failure, "a symbol has no name");
        if (!symbol_check(cubin, &symbol, name, failure))
            return false;
    }
    return true;
}

bool sandbox_cubin_check(const void *bytes, size_t count, struct failure *failure)
{
    struct cubin cubin = {.bytes = bytes, .count = count};
    unsigned tables = 0;
    if (!head_read(&cubin, failure))
        return false;
    for (unsigned i = 0; i < cubin.head.e_shnum; i++) {
        Elf64_Shdr section = cubin_section(&cubin, i);
        if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM)
            continue;
        tables++;
        if (!symbols_check(&cubin, &section, failure))
            return false;
    }
    if (tables != 1)
        return malformed(failure, "it does not have exactly one symbol table");
    Elf64_Shdr names = cubin_section(&cubin, cubin.head.e_shstrndx);
    for (unsigned i = 1; i < cubin.head.e_shnum; i++) {
        Elf64_Shdr section = cubin_section(&cubin, i);
        const char *name = cubin_text(&cubin, &names, section.sh_name);
        if (name == NULL)
            return malformed(failure, "a section has no name");
        if (section.sh_type != SHT_NOBITS && !cubin_has(&cubin, section.sh_offset, section.sh_size))
            return malformed(failure, "a section lies outside");
        if (!section_check(&cubin, &section, name, failure))
            return false;
    }
    return true;
}
