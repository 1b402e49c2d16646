/* sandbox_cubin_fuzz.c: check any bytes as a student's machine code. */
#include "sandbox/sandbox.h"
#include "tools/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct failure failure = {0};
    fuzz_demand_student(sandbox_cubin_check(data, size, &failure), &failure);
    return 0;
}
