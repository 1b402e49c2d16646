/* rubric_fuzz.c: fuzz target that reads arbitrary bytes as a rubric of the exercise `padded`. */
#include "goals/rubric.h"
#include "tools/fuzz/fuzz.h"
#include "tools/fuzz/text_mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const char *const words[] = {
#define X(id, json, ...) json,
        RUBRIC_MEASURE_LIST(X) RUBRIC_MECHANISM_LIST(X) RUBRIC_SIZE_KIND_LIST(X)
#undef X
            "null",
        "true",
        "[]",
        "{}",
        "\"\\u0000\"",
    };
    return text_mutate(data, size, max_size, seed, words, sizeof words / sizeof *words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char secret[32] = {1, 2, 3};
    static struct rubric rubric;
    struct failure failure = {0};
    fuzz_file("padded.json", data, size);
    bool read = rubric_read(fuzz_directory(), "padded", secret, &rubric, &failure);
    fuzz_demand_failure(read, &failure);
    double points = 0;
    for (unsigned i = 0; read && i < rubric.check_count; i++) {
        const struct rubric_check *check = &rubric.checks[i];
        points += check->points;
        FUZZ_DEMAND(check->after < (int)i, "check %u comes after %d", i, check->after);
        FUZZ_DEMAND(check->kind == RUBRIC_CORRECT || check->run < rubric.run_count, "run %u",
                    check->run);
    }
    FUZZ_DEMAND(!read || (points - rubric.points < 1e-6 && rubric.points - points < 1e-6),
                "%g points, not %g", rubric.points, points);
    return 0;
}
