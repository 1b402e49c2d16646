/* guest_argument_fuzz.c: parse any text as an argument, and allocate small arrays. */
#include "run/guest_argument.h"
#include "tools/fuzz/fuzz.h"

enum { COUNT_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct guest_argument argument;
    struct guest_memory memory;
    struct failure failure = {0};
    char *text = strndup((const char *)data, size);
    FUZZ_DEMAND(text != NULL, "no memory");
    bool parsed = guest_argument_parse(text, 1, &argument, &failure);
    fuzz_demand_failure(parsed, &failure);
    if (parsed && argument.count <= COUNT_MAX && !argument.file) {
        memory_init(&memory);
        FUZZ_DEMAND(guest_argument_create(&argument, 1, &memory, &failure), "%s", failure.text);
        guest_argument_free(&argument);
        memory_free(&memory);
    }
    free(text);
    return 0;
}
