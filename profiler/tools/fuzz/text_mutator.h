/* text_mutator.h: a custom mutator for libFuzzer that exchanges words and lines of a text. Most
 * parsers reject a text with random bytes at once, but accept many texts with exchanged words. */
#ifndef TEXT_MUTATOR_H
#define TEXT_MUTATOR_H

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer defines this function. In a replay, which never mutates, it is NULL. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

struct text_piece {
    size_t at, bytes;
};

static inline unsigned mutator_random(uint64_t *state, size_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return below ? (unsigned)((*state >> 33) % below) : 0;
}

static inline struct text_piece mutator_line(const uint8_t *data, size_t size, uint64_t *state)
{
    size_t at = mutator_random(state, size), end = at;
    while (at > 0 && data[at - 1] != '\n')
        at--;
    while (end < size && data[end] != '\n')
        end++;
    return (struct text_piece){at, end - at + (end < size)};
}

static inline bool mutator_in_word(uint8_t byte)
{
    return isalnum(byte) || byte == '_' || byte == '%' || byte == '$';
}

static inline struct text_piece mutator_word(const uint8_t *data, size_t size, uint64_t *state)
{
    size_t at = mutator_random(state, size), end = at;
    while (at > 0 && mutator_in_word(data[at]) && mutator_in_word(data[at - 1]))
        at--;
    while (end < size && mutator_in_word(data[end]))
        end++;
    return (struct text_piece){at, end > at ? end - at : 1};
}

/* Replace a piece by `count` bytes, which may be part of `data`. Returns the new size. */
static inline size_t mutator_replace(uint8_t *data, size_t size, size_t max_size,
                                     struct text_piece piece, const void *bytes, size_t count)
{
    if (size - piece.bytes + count > max_size)
        return size;
    uint8_t *copy = malloc(count ? count : 1);
    if (!copy)
        return size;
    memcpy(copy, bytes, count);
    memmove(data + piece.at + count, data + piece.at + piece.bytes, size - piece.at - piece.bytes);
    memcpy(data + piece.at, copy, count);
    free(copy);
    return size - piece.bytes + count;
}

/* Apply one to four changes to a text. A new word is a copy of a word of the text, a number at the
 * limit of a type, or a keyword of the format (`words`). Returns the new size. */
static inline size_t text_mutate(uint8_t *data, size_t size, size_t max_size, unsigned seed,
                                 const char *const *words, size_t word_count)
{
    static const char *const numbers[] = {"0",          "1",          "-1",
                                          "2",          "31",         "32",
                                          "64",         "255",        "4096",
                                          "65536",      "0x7fffffff", "0x80000000",
                                          "4294967295", "4294967296", "9223372036854775807",
                                          "1e308",      "nan",        "18446744073709551615"};
    uint64_t state = seed;
    if (size == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (unsigned rounds = 1 + mutator_random(&state, 4); rounds > 0 && size > 0; rounds--) {
        struct text_piece word = mutator_word(data, size, &state);
        struct text_piece line = mutator_line(data, size, &state);
        struct text_piece other = mutator_line(data, size, &state), from;
        const char *text;
        switch (mutator_random(&state, 8)) {
        case 0:
            size = LLVMFuzzerMutate(data, size, max_size);
            break;
        case 1:
            size = mutator_replace(data, size, max_size, line, data, 0);
            break;
        case 2:
            size = mutator_replace(data, size, max_size, (struct text_piece){other.at, 0},
                                   data + line.at, line.bytes);
            break;
        case 3:
            size = mutator_replace(data, size, max_size, other, data + line.at, line.bytes);
            break;
        case 4:
            text = numbers[mutator_random(&state, sizeof numbers / sizeof *numbers)];
            size = mutator_replace(data, size, max_size, word, text, strlen(text));
            break;
        case 5:
            if (word_count > 0) {
                text = words[mutator_random(&state, word_count)];
                size = mutator_replace(data, size, max_size, word, text, strlen(text));
                break;
            }
            /* fall through */
        default: /* insert a word of the text */
            from = mutator_word(data, size, &state);
            size = mutator_replace(data, size, max_size, word, data + from.at, from.bytes);
        }
    }
    return size;
}

#endif
