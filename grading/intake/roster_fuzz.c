/* roster_fuzz.c: read any bytes as a roster. Ids and names must be valid UTF-8. */
#include "intake/roster.h"
#include "intake/text.h"
#include "tools/fuzz/fuzz.h"
#include "tools/fuzz/text_mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const char *const words[] = {"login", "email", "name", "ID", "\"", "\"\"", ";", "\t"};
    return text_mutate(data, size, max_size, seed, words, sizeof words / sizeof *words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct roster roster = {0};
    struct failure failure = {0};
    bool read = roster_read(fuzz_file("roster.csv", data, size), &roster, &failure);
    fuzz_demand_failure(read, &failure);
    for (size_t i = 0; read && i < roster.count; i++) {
        const struct roster_person *person = &roster.persons[i];
        FUZZ_DEMAND(text_is_utf8(person->id, strlen(person->id)) &&
                        text_is_utf8(person->name, strlen(person->name)),
                    "person %zu", i);
        roster_find(&roster, person->id);
    }
    if (read)
        roster_free(&roster);
    return 0;
}
