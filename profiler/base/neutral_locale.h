/* neutral_locale.h: number formats that do not depend on the locale of the program. */
#ifndef NEUTRAL_LOCALE_H
#define NEUTRAL_LOCALE_H

#include <locale.h>

/* Between locale_enter and locale_leave, the locale of the thread is "C". */
struct locale_scope {
    locale_t neutral, previous;
};

struct locale_scope locale_enter(void);
void locale_leave(struct locale_scope scope);

#endif
