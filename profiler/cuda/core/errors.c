#include "cuda/core/errors.h"

#include <stddef.h>

static const struct error {
    int number;
    const char *name, *driver, *text;
} errors[] = {
#define X(number, name, driver, text)                                                              \
    {number, number ? "cudaError" #name : "cudaSuccess", driver, text},
    RUNTIME_ERROR_LIST(X)
#undef X
};

static const struct error *find(int error)
{
    static const struct error unknown = {-1, "unrecognized error code", NULL,
                                         "unrecognized error code"};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == error)
            return &errors[i];
    return &unknown;
}

const char *runtime_error_name(int error)
{
    return find(error)->name;
}

const char *runtime_error_text(int error)
{
    return find(error)->text;
}

const char *driver_error_name(int error)
{
    return find(error)->driver;
}
