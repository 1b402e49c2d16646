#include "base/neutral_locale.h"

/* If memory is exhausted, the program's locale, which is usually also "C", stays in use. */
struct locale_scope locale_enter(void)
{
    struct locale_scope scope = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (scope.neutral)
        scope.previous = uselocale(scope.neutral);
    return scope;
}

void locale_leave(struct locale_scope scope)
{
    if (!scope.neutral)
        return;
    uselocale(scope.previous);
    freelocale(scope.neutral);
}
