/* neutral_locale.h: numbers look the same everywhere, whatever locale the program runs in.
 */
#ifndef NEUTRAL_LOCALE_H
#define NEUTRAL_LOCALE_H

#include <locale.h>

/* The calling thread works in the "C" locale from locale_enter to locale_leave. */
struct locale_scope {
    locale_t neutral, previous;
};

struct locale_scope locale_enter(void);
void locale_leave(struct locale_scope scope);

#endif
