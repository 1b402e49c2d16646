/* record_fuzz.c: read arbitrary bytes as a CSV of records, print and write the records, and read
 * them again. A second write must produce the same bytes. */
#include "record/record.h"
#include "tools/fuzz/fuzz.h"
#include "tools/fuzz/text_mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const char *const words[] = {
#define X(type, name, ...) #name,
        COLUMN_LIST(X)
#undef X
            "NA",
        "\"",
        "\"\"",
        ",",
    };
    return text_mutate(data, size, max_size, seed, words, sizeof words / sizeof *words);
}

static char *csv_of(const struct record *records, size_t count, size_t *bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, bytes);
    FUZZ_DEMAND(stream && record_write_header(stream), "no memory");
    for (size_t i = 0; i < count; i++)
        FUZZ_DEMAND(record_write(stream, &records[i]), "no memory");
    FUZZ_DEMAND(fclose(stream) == 0, "no memory");
    return text;
}

static void print(const struct record *records, size_t count)
{
    FILE *nowhere = fopen("/dev/null", "w");
    FUZZ_DEMAND(nowhere != NULL, "/dev/null");
    records_print(nowhere, records, count);
    fclose(nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record *records, *again;
    size_t count, count_again, bytes, bytes_again;
    struct failure failure = {0};
    bool loaded = records_load(fuzz_file("fuzz.csv", data, size), &records, &count, &failure);
    fuzz_demand_failure(loaded, &failure);
    if (!loaded)
        return 0;
    print(records, count);
    char *text = csv_of(records, count, &bytes);
    FUZZ_DEMAND(records_load(fuzz_file("again.csv", text, bytes), &again, &count_again, &failure),
                "%s\n%s", failure.text, text);
    char *text_again = csv_of(again, count_again, &bytes_again);
    FUZZ_DEMAND(count == count_again && bytes == bytes_again && !memcmp(text, text_again, bytes),
                "written\n%sread as\n%s", text, text_again);
    free(text_again);
    free(text);
    free(again);
    free(records);
    return 0;
}
