/* neutral_locale.h: number formats that do not depend on the locale of the program. */
#ifndef NEUTRAL_LOCALE_H
#define NEUTRAL_LOCALE_H

#include <locale.h>

/* The state of a section from locale_enter to locale_leave, in which the thread's locale is "C". */
struct locale_scope {
    locale_t neutral, previous;
};

struct locale_scope locale_enter(void);
void locale_leave(struct locale_scope scope);

#endif
