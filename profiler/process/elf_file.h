/* elf_file.h: read an untrusted ELF file (64 bits, little-endian): a program or a cubin. */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
    const unsigned char *bytes; /* Owned by the caller; no alignment is required. */
    size_t size;
    Elf64_Ehdr header;
};

/* Read the header. Returns false if the file is not a 64-bit little-endian ELF file, or if its
 * section table extends past the end of the file. */
bool elf_open(struct elf_file *elf, const void *bytes, size_t size);

/* Copy section header `n`. Returns false if the section does not exist or is outside the file. */
bool elf_section(const struct elf_file *elf, unsigned n, Elf64_Shdr *section);

/* Find the section with the name `name` followed by `rest`, and copy its header to *section.
 * Returns the number of the section; 0 if it is not found. */
unsigned elf_find(const struct elf_file *elf, const char *name, const char *rest,
                  Elf64_Shdr *section);

/* Returns a string of the file's string table `table`; NULL if `offset` is outside the table. */
const char *elf_text(const struct elf_file *elf, const Elf64_Shdr *table, uint64_t offset);

const char *elf_name(const struct elf_file *elf, const Elf64_Shdr *section);

/* Copy entry `n` of the symbol table `table`. Returns the name of the symbol, or NULL. */
const char *elf_symbol(const struct elf_file *elf, const Elf64_Shdr *table, uint64_t n,
                       Elf64_Sym *symbol);

#endif
