/* tokens.h: C++ and CUDA source text as tokens with their positions. The rules are those of C++17,
 * 5.1 to 5.4, without trigraphs. The text may contain any bytes. Every byte belongs to a token, to
 * a line continuation, or to the blanks between tokens. The time is linear in the size. */
#ifndef TOKENS_H
#define TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
    TOKEN_END,
    TOKEN_WORD, /* An identifier or keyword; bytes from 0x80 on and $ are letters. */
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_RAW_STRING, /* R"x(...)x" with prefix. */
    TOKEN_CHARACTER,
    TOKEN_HEADER,      /* "name" or <name> in a directive, without escapes. */
    TOKEN_PUNCTUATION, /* One character, or an operator of two characters, such as ==. */
    TOKEN_DIRECTIVE,   /* The # (or %:) of a directive; its name is the next token. */
    TOKEN_COMMENT
};

struct token {
    enum token_kind kind;
    const char *text; /* points into the source text; for TOKEN_END, to its end */
    size_t length;
    unsigned line;      /* line of the first character, from 1 */
    bool in_directive;  /* the token follows the # of a directive in its line */
    bool follows_blank; /* a blank, a comment, or the start of the text precedes the token */
    bool is_open;       /* the token is a comment or string without an end */
};

/* The position of a reader. A copy is an independent reader. */
struct tokens {
    const char *at, *end;
    unsigned line;
    bool is_fresh; /* the line contained only blanks and comments so far */
    bool in_directive;
    bool in_name; /* the last token was the # of a directive */
    bool takes_header;
};

struct tokens tokens_of(const char *text, size_t size);

/* Returns the next token; TOKEN_END at the end of the text. */
struct token tokens_next(struct tokens *tokens);

/* Returns the next token that is not a comment. tokens_peek_code does not advance. */
struct token tokens_next_code(struct tokens *tokens);
struct token tokens_peek_code(const struct tokens *tokens);

/* If the next characters, without line continuations, are `text`, skips `text` and returns true. */
bool tokens_take(struct tokens *tokens, const char *text);

/* Returns true if the token, without line continuations, equals the text. */
bool token_is(struct token token, const char *text);

/* Returns true if the token equals a text of the NULL-terminated list. */
bool token_is_one_of(struct token token, const char *const *texts);

/* Copy the token without line continuations, truncated to `size`. Returns `text`. */
char *token_copy(struct token token, char *text, size_t size);

/* If the token is an integer, returns true and sets *value to the integer, at most ULONG_MAX. */
bool token_number(struct token token, unsigned long *value);

#endif
