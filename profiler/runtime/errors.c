#include "runtime/errors.h"

#include <stddef.h>

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define X(number, name, text) {number, number ? "cudaError" #name : "cudaSuccess", text},
    RUNTIME_ERROR_LIST(X)
#undef X
};

static const char *find(int error, int wants_text)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == error)
            return wants_text ? errors[i].text : errors[i].name;
    return "unrecognized error code";
}

const char *runtime_error_name(int error)
{
    return find(error, 0);
}

const char *runtime_error_text(int error)
{
    return find(error, 1);
}
