#include "cuda/core/errors.h"

#include <stddef.h>

static const struct error_names errors[] = {
#define X(number, name, driver, text)                                                              \
    {number, number ? "cudaError" #name : "cudaSuccess", driver, text},
    RUNTIME_ERROR_LIST(X)
#undef X
};

const struct error_names *error_names(int error)
{
    static const struct error_names unknown = {-1, "unrecognized error code", NULL,
                                               "unrecognized error code"};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == error)
            return &errors[i];
    return &unknown;
}
