/* prediction_fuzz.c: read arbitrary bytes as a worksheet, then answer, write and read it again. */
#include "record/prediction.h"
#include "tools/fuzz/fuzz.h"
#include "tools/fuzz/text_mutator.h"

#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return text_mutate(data, size, max_size, seed, NULL, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct record record;
    struct prediction_sheet sheet, again;
    struct failure failure = {0};
    const char *path = fuzz_file("predict.txt", data, size);
    bool read = prediction_read(path, &sheet, &failure);
    fuzz_demand_failure(read, &failure);
    FUZZ_DEMAND(failure.kind != FAILURE_STUDENT, "%s", failure.text);
    for (size_t i = 0; read && i < sheet.count; i++) {
        double value;
        FUZZ_DEMAND(!prediction_value(&sheet.predictions[i].quantity, &record, &value),
                    "%s is known", sheet.predictions[i].quantity.name);
        prediction_answer(&sheet.predictions[i], "?", &failure);
    }
    failure = (struct failure){0};
    if (read && prediction_write(&sheet, &failure)) {
        bool good = prediction_read(path, &again, &failure);
        FUZZ_DEMAND(good && again.count == sheet.count, "the written worksheet differs: %s",
                    failure.text);
        for (size_t i = 0; i < again.count; i++)
            FUZZ_DEMAND(!again.predictions[i].filled, "an answer is still filled: %s",
                        again.predictions[i].text);
        prediction_free(&again);
    }
    prediction_free(&sheet);
    return 0;
}
