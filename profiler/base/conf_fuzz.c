/* conf_fuzz.c: fuzz target that reads arbitrary bytes as a lab's manifest. */
#include "base/conf.h"
#include "course/exercise.h"
#include "tools/fuzz/fuzz.h"
#include "tools/fuzz/text_mutator.h"

#include <sys/stat.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return text_mutate(data, size, max_size, seed, NULL, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char lab[PATH_MAX];
    struct failure failure = {0};
    struct conf conf;
    struct exercise exercise;
    snprintf(lab, sizeof lab, "%s/labs", fuzz_directory());
    mkdir(lab, 0700);
    strcat(lab, "/01_fuzz");
    mkdir(lab, 0700);
    const char *path = fuzz_file("labs/01_fuzz/lab.conf", data, size);
    bool read = conf_read(path, &conf, &failure);
    fuzz_demand_failure(read, &failure);
    for (size_t i = 0; read && i < conf.count; i++)
        FUZZ_DEMAND(conf_find(&conf, conf.entries[i].key) == &conf.entries[i], "key %s",
                    conf.entries[i].key);
    if (read)
        conf_free(&conf);
    failure = (struct failure){0};
    bool found = exercise_find(fuzz_directory(), "naive", &exercise, &failure);
    fuzz_demand_failure(found, &failure);
    FUZZ_DEMAND(!found || strcmp(exercise.name, "naive") == 0, "found %s", exercise.name);
    return 0;
}
