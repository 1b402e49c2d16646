#include "text/spelling.h"

#include "text/code_text.h"

#include <stdio.h>
#include <string.h>

enum { SHORTEST_WORD = 3, SHORT_WORD = 4 };

static const char *only_beginning(const char *word, const char *const *known, size_t count)
{
    const char *only = NULL;
    size_t length = strlen(word);
    for (size_t i = 0; length >= 2 && i < count; i++)
        if (!strncmp(word, known[i], length)) {
            if (only)
                return NULL;
            only = known[i];
        }
    return only;
}

const char *spelling_nearest(const char *word, const char *const *known, size_t count)
{
    size_t length = strlen(word);
    const char *only = only_beginning(word, known, count);
    unsigned most = length > SHORT_WORD ? 2 : length >= SHORTEST_WORD ? 1 : 0;
    for (unsigned away = 0; !only && away <= most; away++)
        for (size_t i = 0; !only && i < count; i++)
            if (code_word_is_like(word, length, known[i], away))
                only = known[i];
    return only;
}

const char *spelling_advise(const char *word, const char *mark, const char *const *known,
                            size_t count, char advice[SPELLING_ADVICE])
{
    const char *nearest = spelling_nearest(word, known, count);
    *advice = 0;
    if (nearest)
        snprintf(advice, SPELLING_ADVICE, "; did you mean `%s%.80s`?", mark, nearest);
    return advice;
}
