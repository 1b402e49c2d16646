/* program_file_fuzz.c: read arbitrary bytes as a program (ELF) and as a fat binary. */
#include "cuda/exec/fatbin.h"
#include "cuda/exec/program_file.h"
#include "tools/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct failure failure = {0}, refused = {0};
    struct fatbin_ptx ptx;
    bool runs = program_bytes_check("fuzz", data, size, &refused);
    fuzz_demand_failure(runs, &refused);
    FUZZ_DEMAND(fatbin_bytes(data, size) <= size, "the fat binary ends past the end of the file");
    bool found = fatbin_read(data, size, 80, &ptx, &failure);
    fuzz_demand_failure(found, &failure);
    FUZZ_DEMAND(found == (ptx.text != NULL), "the result does not match the text");
    free(ptx.text);
    return 0;
}
