/* finding.c: see finding.h. */
#include "base/finding.h"

const char *finding_name(enum finding_id finding)
{
    static const char *const names[FINDING_COUNT] = {"",
#define X(id, name) name,
                                                     FINDING_LIST(X)
#undef X
    };
    return (unsigned)finding < FINDING_COUNT ? names[finding] : "";
}
