/* tokens.h: C++ and CUDA source text as tokens with their places: the one reader of source text.
 *
 * The rules are those of C++17, 5.1 to 5.4: line continuations, comments, raw strings, digit
 * separators (1'000), directives and the names of headers in them. Trigraphs are not known. Any
 * bytes can be read: every byte belongs to one token, to a continuation, or to the blanks between
 * tokens (NUL is one). The time is proportional to the size of the text.
 */
#ifndef TOKENS_H
#define TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,        /* an identifier or keyword; bytes from 0x80 on and $ are letters */
    TOKEN_NUMBER,      /* a preprocessing number */
    TOKEN_STRING,      /* with its prefix and quotation marks */
    TOKEN_RAW_STRING,  /* R"x(...)x", with its prefix */
    TOKEN_CHARACTER,   /* with its prefix and quotation marks */
    TOKEN_HEADER,      /* "name" or <name> in a directive, where a backslash is no escape */
    TOKEN_PUNCTUATION, /* one character, or two that are one operator, as == */
    TOKEN_DIRECTIVE,   /* the # (or %:) that begins one; its name is the next token */
    TOKEN_COMMENT
};

struct token {
    enum token_kind kind;
    const char *text; /* in the source, at its end for TOKEN_END */
    size_t length;
    unsigned line;      /* of its first character, from 1 */
    bool in_directive;  /* in a directive, after its # */
    bool follows_blank; /* a blank or a comment is before it, or nothing */
    bool follows_joint; /* a line continuation is between it and the token before it */
    bool is_joined;     /* a line continuation is in it */
    bool is_open;       /* a comment or a string without its end */
};

/* Where a reader of tokens stands. A copy reads on from there by itself. */
struct tokens {
    const char *at, *end;
    unsigned line;
    bool is_fresh;     /* nothing but blanks and comments since the line began */
    bool in_directive; /* since the last # that began one, up to the line's end */
    bool in_name;      /* that # was the last token */
    bool takes_header; /* the name of a header may be next */
    bool joined;       /* a line continuation was read since this was cleared */
};

struct tokens tokens_of(const char *text, size_t size);

/* The next token; TOKEN_END for ever at the end. */
struct token tokens_next(struct tokens *tokens);

/* The next token that is no comment; the second leaves it to be read again. */
struct token tokens_next_code(struct tokens *tokens);
struct token tokens_peek_code(const struct tokens *tokens);

/* Pass over these characters, line continuations left out, if they are next. */
bool tokens_take(struct tokens *tokens, const char *text);

/* Is the token, without its line continuations, that text? */
bool token_is(struct token token, const char *text);

/* Is it one of the texts, which a NULL ends? */
bool token_is_one_of(struct token token, const char *const *texts);

/* The token without its line continuations, cut to fit. Returns `text`. */
char *token_copy(struct token token, char *text, size_t size);

/* Is it an integer? *value becomes its value, ULONG_MAX if that is larger. */
bool token_number(struct token token, unsigned long *value);

#endif
