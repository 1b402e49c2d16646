#include "process/elf_file.h"

#include <string.h>

static bool contains(const struct elf_file *elf, uint64_t offset, uint64_t bytes)
{
    return offset <= elf->size && bytes <= elf->size - offset;
}

bool elf_open(struct elf_file *elf, const void *bytes, size_t size)
{
    Elf64_Ehdr *header = &elf->header;
    *elf = (struct elf_file){.bytes = bytes, .size = size};
    if (size < sizeof *header)
        return false;
    memcpy(header, bytes, sizeof *header);
    return !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_shentsize == sizeof(Elf64_Shdr) &&
           contains(elf, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr));
}

bool elf_section(const struct elf_file *elf, unsigned n, Elf64_Shdr *section)
{
    if (n >= elf->header.e_shnum)
        return false;
    memcpy(section, elf->bytes + elf->header.e_shoff + n * sizeof *section, sizeof *section);
    return section->sh_type == SHT_NOBITS || contains(elf, section->sh_offset, section->sh_size);
}

const char *elf_text(const struct elf_file *elf, const Elf64_Shdr *table, uint64_t offset)
{
    if (table->sh_type != SHT_STRTAB || offset >= table->sh_size)
        return NULL;
    const char *text = (const char *)elf->bytes + table->sh_offset + offset;
    return memchr(text, 0, (size_t)(table->sh_size - offset)) ? text : NULL;
}

const char *elf_name(const struct elf_file *elf, const Elf64_Shdr *section)
{
    Elf64_Shdr names;
    return elf_section(elf, elf->header.e_shstrndx, &names)
               ? elf_text(elf, &names, section->sh_name)
               : NULL;
}

unsigned elf_find(const struct elf_file *elf, const char *name, const char *rest,
                  Elf64_Shdr *section)
{
    size_t length = strlen(name);
    for (unsigned n = 0; n < elf->header.e_shnum; n++) {
        const char *text = elf_section(elf, n, section) ? elf_name(elf, section) : NULL;
        if (text && !strncmp(text, name, length) && !strcmp(text + length, rest))
            return n;
    }
    return 0;
}

const char *elf_symbol(const struct elf_file *elf, const Elf64_Shdr *table, uint64_t n,
                       Elf64_Sym *symbol)
{
    Elf64_Shdr names;
    if (table->sh_type == SHT_NOBITS || n >= table->sh_size / sizeof *symbol ||
        !elf_section(elf, table->sh_link, &names))
        return NULL;
    memcpy(symbol, elf->bytes + table->sh_offset + n * sizeof *symbol, sizeof *symbol);
    return elf_text(elf, &names, symbol->st_name);
}
