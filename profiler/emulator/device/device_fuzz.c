/* device_fuzz.c: read any bytes as a device file. The smallest block must fit on an accepted
 * device, and occupancy must be computed without a division by zero. */
#include "emulator/device/device.h"
#include "tools/fuzz/fuzz.h"
#include "tools/fuzz/text_mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const char *const words[] = {
#define X(type, field, ...) #field,
        DEVICE_FIELDS(X)
#undef X
    };
    return text_mutate(data, size, max_size, seed, words, sizeof words / sizeof *words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct device device;
    struct failure failure = {0};
    bool read = device_read(fuzz_file("fuzz.conf", data, size), &device, &failure);
    fuzz_demand_failure(read, &failure);
    if (read)
        FUZZ_DEMAND(device_resident_blocks(&device, 1, 0, 0) > 0, "no block fits");
    return 0;
}
