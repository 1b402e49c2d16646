/* scan_fuzz.c: scan any bytes as a source. Reported lines must exist. */
#include "judge/scan.h"
#include "text/code_text.h"
#include "tools/fuzz/fuzz.h"
#include "tools/fuzz/text_mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const char *const words[] = {"#include", "/*",  "*/", "//",   "\"",  "\\\n", "asm",
                                        "LAB",      "R\"", "%:", "?\?=", "../", "'",    "case"};
    return text_mutate(data, size, max_size, seed, words, sizeof words / sizeof *words);
}

static void found(void *context, size_t line, const char *text, const char *why)
{
    const size_t *lines = context;
    FUZZ_DEMAND(line >= 1 && line <= *lines, "line %zu of %zu", line, *lines);
    FUZZ_DEMAND(strlen(text) <= 120 && why[0], "%s", text);
}

static void compared(void *context, unsigned long number, bool for_equality)
{
    (void)context;
    (void)number;
    (void)for_equality;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *code = code_text(data, size), name[64];
    unsigned char digest[32];
    size_t lines = 1;
    FUZZ_DEMAND(code && strlen(code) == size, "a copy of another length");
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    scan_lab_name(code, name);
    scan_digest(code, digest);
    scan_suspicions(code, found, &lines);
    scan_compared(code, compared, &lines);
    free(code);
    return 0;
}
