/* ptx_lexer.h: convert PTX text to tokens (PTX ISA 4.2-4.5). The lexer returns one token at a time
 * and allocates no memory, because a token points into the text. */
#ifndef PTX_LEXER_H
#define PTX_LEXER_H

#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_BAD,  /* Invalid text, described by `problem`. The lexer does not advance. */
    PTX_TOKEN_NAME, /* %r1, transpose, $L__BB0_1, _ */
    PTX_TOKEN_WORD, /* .global, .L2::128B. The text omits the first dot. */
    PTX_TOKEN_INTEGER,
    PTX_TOKEN_FLOAT,       /* `value` contains the bits of float_bytes bytes. */
    PTX_TOKEN_STRING,      /* The text omits the quotes. Escapes are unchanged. */
    PTX_TOKEN_PUNCTUATION, /* `punctuation` is the character, or one of the two constants below. */
};

enum { PTX_SHIFT_LEFT = 1, PTX_SHIFT_RIGHT = 2 };

struct ptx_token {
    enum ptx_token_kind kind;
    char punctuation;
    uint8_t float_bytes; /* 4 for the PTX_TOKEN_FLOAT 0fXXXXXXXX, otherwise 8. */
    uint32_t line;
    const char *start; /* First character of the token, which is not NUL-terminated. */
    size_t length;
    uint64_t value;
    const char *problem; /* Sentence for the message. Set for PTX_TOKEN_BAD. */
};

struct ptx_lexer {
    const char *text, *next, *end;
    uint32_t line;
};

void ptx_lexer_start(struct ptx_lexer *lexer, const char *text, size_t length);
struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer);

#endif
