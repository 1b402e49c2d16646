/* machine_code_fuzz.c: read kernels from arbitrary bytes as if the bytes were a cubin. */
#include "process/machine_code.h"
#include "tools/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const kernels[] = {"transpose", "k", ""};
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct machine_code code;
        bool is_read = machine_code_read(data, size, kernels[i], &code);
        FUZZ_DEMAND(is_read == (code.registers > 0), "registers without a kernel");
        FUZZ_DEMAND(code.instructions <= size / 16, "more instructions than bytes");
        FUZZ_DEMAND(code.local_stored <= size && code.local_loaded <= size, "too many bytes");
    }
    return 0;
}
