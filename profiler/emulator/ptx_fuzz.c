/* ptx_fuzz.c: the PTX parser under libFuzzer. Not part of the normal build:
 *   clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -Iprofiler \
 *       profiler/emulator/ptx*.c profiler/failure.c -o ptx_fuzz    (without ptx_test.c)
 *   ./ptx_fuzz -max_len=65536 CORPUS profiler/emulator/testdata
 */
#include "ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_module module;
    struct failure failure = {0};
    if (ptx_parse((const char *)data, size, "fuzz.ptx", &module, &failure))
        ptx_module_free(&module);
    return 0;
}
