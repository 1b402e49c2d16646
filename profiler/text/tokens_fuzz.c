/* tokens_fuzz.c: read arbitrary bytes as source text. The tokens must be in order, with only blanks
 * and line continuations between them. All readers of tokens are called. */
#include "text/array_shapes.h"
#include "text/code_text.h"
#include "text/includes.h"
#include "text/naming.h"
#include "text/tokens.h"
#include "tools/fuzz/fuzz.h"
#include "tools/fuzz/text_mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const char *const words[] = {
        "#include <", "/*",      "*/", "//", "\"",         "\\\n", "R\"x(", ")x\"",       "1'0",
        "'",          "#define", "%:", "u8", "__shared__", "[",    "]",     "int a[1'0]", ","};
    return text_mutate(data, size, max_size, seed, words, sizeof words / sizeof *words);
}

static unsigned pass(const char *from, const char *to, bool gap)
{
    unsigned lines = 0;
    for (; from < to; from++) {
        FUZZ_DEMAND(!gap || !*from || strchr(" \t\n\v\f\r\\", *from), "%d in a gap", *from);
        lines += *from == '\n';
    }
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *end = text;
    struct tokens tokens = tokens_of(text, size);
    unsigned line = 1;
    for (struct token token = {.kind = TOKEN_WORD}; token.kind;) {
        token = tokens_next(&tokens);
        FUZZ_DEMAND(token.text >= end && !token.length == !token.kind, "an empty token");
        line += pass(end, token.text, true);
        FUZZ_DEMAND(token.line == line, "line %u, not %u", token.line, line);
        end = token.text + token.length;
        line += pass(token.text, end, false);
    }
    FUZZ_DEMAND(end == text + size, "the end of the text is not reached");

    struct array_shapes shapes;
    char *code = code_text(data, size), message[200];
    FUZZ_DEMAND(code && strlen(code) == size, "a copy of another length");
    if (code_describe_comma(code, message, sizeof message))
        FUZZ_DEMAND(strchr(message, ','), "%s", message);
    FUZZ_DEMAND(code_find_uninitialized(code, message, sizeof message) <= line,
                "line past the end");
    array_shapes_parse(text, size, NULL, 0, &shapes);
    FUZZ_DEMAND(shapes.count <= ARRAY_SHAPES_MAX, "%u shapes", shapes.count);
    for (int possible = 0; possible < 2; possible++) {
        struct include include;
        tokens = tokens_of(code, size);
        while (possible ? includes_next_possible(&tokens, &include)
                        : includes_next(&tokens, &include))
            FUZZ_DEMAND(include.operand.text >= code &&
                            include.operand.text + include.operand.length <= code + size &&
                            include.line >= 1 && include.line <= line,
                        "a directive outside the text");
    }
    free(code);

    struct naming naming = {.path = "a.cu"};
    size_t repaired_bytes;
    char *repaired = naming_repair(&naming, text, size, &repaired_bytes);
    FUZZ_DEMAND(!repaired == !naming.text[0], "%s", naming.text);
    free(repaired);
    return 0;
}
