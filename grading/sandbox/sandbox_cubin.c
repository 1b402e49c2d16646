/* sandbox_cubin.c: check a student's machine code before a GPU runs it. A cubin is an ELF file (64
 * bits, little-endian; CUDA Binary Utilities guide, "cuobjdump"). */
#define _GNU_SOURCE
#include "sandbox/sandbox.h"

#include "process/elf_file.h"

#include <string.h>

enum { NAME_BYTES_MAX = 64 };

static const char *const kernels[] = {"transpose", "lab_launch_shape", "lab_loop", NULL};

/* X means the names "X", "X.FUNCTION" and "X_..." (section_is). */
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
    struct elf_file elf;
    uint64_t name_bytes;
};

static bool malformed(struct failure *failure, const char *what)
{
    return failure_student(failure, STATUS_UNTRUSTED,
                           "the machine code is not a well-formed cubin: %s", what);
}

static bool section_is(const char *name, const char *kind)
{
    size_t length = strlen(kind);
    return strncmp(name, kind, length) == 0 && strchr("._", name[length]) != NULL;
}

/* Variables are in .nv.global, .nv.global.init and .nv.constant3. Only lab_name is allowed. */
static bool section_check(const struct cubin *cubin, const Elf64_Shdr *section, const char *name,
                          struct failure *failure)
{
    if (strcmp(name, ".nv.global.init") == 0 && section->sh_size == cubin->name_bytes)
        return true;
    if (section_is(name, ".nv.global") || section_is(name, ".nv.constant3"))
        return section->sh_size == 0 ||
               failure_student(failure, STATUS_UNTRUSTED,
                               "the machine code has variables in %s memory (%s), which retain "
                               "their values from one launch to the next",
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

static bool symbol_check(struct cubin *cubin, const Elf64_Sym *symbol, const char *name,
                         struct failure *failure)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    bool local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
    bool entry = (symbol->st_other & 0x10) != 0; /* STO_CUDA_ENTRY */
    if (type == STT_SECTION || type == STT_FILE || strncmp(name, ".nv.reservedSmem.", 17) == 0 ||
        strncmp(name, "__nv_reservedSMEM_", 18) == 0)
        return true;
    if (symbol->st_shndx == SHN_UNDEF)
        return name[0] == '\0' ||
               failure_student(failure, STATUS_UNTRUSTED,
                               "this program calls %s, a function of the CUDA device runtime, "
                               "which grading does not allow",
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
    if (table->sh_entsize != sizeof(Elf64_Sym))
        return malformed(failure, "its symbol table has an unknown format");
    for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym symbol;
        const char *name = elf_symbol(&cubin->elf, table, i, &symbol);
        if (name == NULL)
            return malformed(failure, "a symbol has no name");
        if (!symbol_check(cubin, &symbol, name, failure))
            return false;
    }
    return true;
}

bool sandbox_cubin_check(const void *bytes, size_t count, struct failure *failure)
{
    struct cubin cubin = {0};
    const struct elf_file *elf = &cubin.elf;
    Elf64_Shdr section;
    unsigned tables = 0;
    if (!elf_open(&cubin.elf, bytes, count))
        return malformed(failure, "it is not an ELF file or its section table is outside the file");
    if (elf->header.e_machine != EM_CUDA || elf->header.e_type != ET_EXEC)
        return malformed(failure, "it is not a GPU program");
    if (elf->header.e_shstrndx >= elf->header.e_shnum)
        return malformed(failure, "its sections have no names");
    for (unsigned i = 0; i < elf->header.e_shnum; i++) {
        if (!elf_section(elf, i, &section))
            return malformed(failure, "a section is outside the file");
        if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM)
            continue;
        tables++;
        if (!symbols_check(&cubin, &section, failure))
            return false;
    }
    if (tables != 1)
        return malformed(failure, "it does not have exactly one symbol table");
    for (unsigned i = 1; elf_section(elf, i, &section); i++) {
        const char *name = elf_name(elf, &section);
        if (name == NULL)
            return malformed(failure, "a section has no name");
        if (!section_check(&cubin, &section, name, failure))
            return false;
    }
    return true;
}
