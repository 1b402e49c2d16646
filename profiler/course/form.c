#include "course/form.h"

#include "base/wording.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[FORM_TYPE_COUNT] = {"float", "unsigned", "int"};
static const char *const extent_names[FORM_EXTENT_COUNT] = {
#define X(id, name, value) name,
    FORM_EXTENT_LIST(X)
#undef X
};

static int find_name(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

/* Read a name, a number, or a single character. Returns false at the end of the text. */
static bool read_word(const char **text, char word[FORM_NAME])
{
    const char *at = *text;
    size_t length = 0;
    while (*at == ' ')
        at++;
    if (!*at)
        return false;
    do
        word[length++] = *at++;
    while (length + 1 < FORM_NAME && (isalnum((unsigned char)*at) || *at == '_') &&
           (isalnum((unsigned char)word[0]) || word[0] == '_'));
    word[length] = 0;
    *text = at;
    return true;
}

static bool is_identifier(const char *word)
{
    return isalpha((unsigned char)*word) || *word == '_';
}

static int find_extent(const char *word)
{
    int extent = find_name(extent_names, FORM_EXTENT_COUNT, word);
    size_t digits = strspn(word, "0123456789");
    if (extent < 0 && *word != '0' && digits && digits <= FORM_DIGITS_MAX && !word[digits])
        extent = FORM_EXTENT_COUNT + atoi(word);
    return extent;
}

static bool parse_extents(const char **text, struct form_parameter *array, struct failure *failure)
{
    char open[FORM_NAME], word[FORM_NAME], close[FORM_NAME];
    const char *ahead = *text;
    unsigned count = 0;
    for (; read_word(&ahead, open) && !strcmp(open, "["); *text = ahead, count++) {
        int extent = read_word(&ahead, word) && read_word(&ahead, close) && !strcmp(close, "]")
                         ? find_extent(word)
                         : -1;
        if (extent < 0 || count == 3)
            return failure_harness(failure,
                                   "%s needs one to three sizes, each in brackets: width, "
                                   "height, count, matrices or a number below 100000",
                                   array->name);
        array->planes = array->rows;
        array->rows = count ? array->cols : FORM_ONE;
        array->cols = (enum form_extent)extent;
    }
    array->zeroed = !strcmp(open, "zeroed") && array->role == FORM_OUTPUT && count;
    if (array->zeroed)
        *text = ahead;
    return count ||
           failure_harness(failure, "%s needs a size, as in %s[count]", array->name, array->name);
}

static bool parse_parameter(const char **text, struct form_parameter *parameter,
                            struct failure *failure)
{
    char word[FORM_NAME] = "";
    *parameter = (struct form_parameter){.role = FORM_SCALAR, .type = FORM_INT};
    read_word(text, word);
    static const char *const roles[] = {"in", "out", "inout"};
    int role = find_name(roles, 3, word);
    if (role < 0) {
        int value = find_name(extent_names, FORM_EXTENT_COUNT, word);
        if (value <= FORM_ONE)
            return failure_harness(failure,
                                   "a parameter must be width, height, count or matrices, or an "
                                   "array that begins with in, out or inout, not %s",
                                   word);
        parameter->cols = (enum form_extent)value;
        memcpy(parameter->name, word, sizeof word);
        return true;
    }
    parameter->role = (enum form_role)(FORM_INPUT + role);
    int type = read_word(text, word) ? find_name(type_names, FORM_TYPE_COUNT, word) : -1;
    if (type < 0)
        return failure_harness(failure, "an array holds float, unsigned or int, not %s", word);
    parameter->type = (enum form_type)type;
    if (!read_word(text, parameter->name) || !is_identifier(parameter->name))
        return failure_harness(failure, "an array needs a name");
    return parse_extents(text, parameter, failure);
}

bool form_parse(const char *kernel, const char *parameters, struct form *form,
                struct failure *failure)
{
    char comma[FORM_NAME] = ",";
    const char *rest = kernel;
    bool output = false;
    *form = (struct form){.matrices = 1};
    if (!read_word(&rest, form->kernel) || *rest || !is_identifier(form->kernel))
        return failure_harness(failure, "`%s` is not a kernel's name", kernel);
    do {
        if (strcmp(comma, ",") || form->count == FORM_PARAMETERS_MAX)
            return failure_harness(failure,
                                   "a kernel has at most %d parameters, separated by commas",
                                   FORM_PARAMETERS_MAX);
        struct form_parameter *parameter = &form->parameters[form->count++];
        if (!parse_parameter(&parameters, parameter, failure))
            return false;
        output |= form_writes(parameter);
    } while (read_word(&parameters, comma));
    return output ||
           failure_harness(failure, "an exercise needs an array of results (out or inout)");
}

void form_prototype(const struct form *form, char text[FORM_PROTOTYPE])
{
    snprintf(text, FORM_PROTOTYPE, "extern \"C\" __global__ void %s(", form->kernel);
    for (unsigned i = 0; i < form->count; i++) {
        const struct form_parameter *p = &form->parameters[i];
        text_append(text, FORM_PROTOTYPE, "%s%s%s %s%s%s", i ? ", " : "",
                    p->role == FORM_INPUT ? "const " : "", type_names[p->type],
                    p->role == FORM_SCALAR ? "" : "*", p->name, i + 1 == form->count ? ")" : "");
    }
}

bool form_reads(const struct form_parameter *parameter)
{
    return parameter->role == FORM_INPUT || parameter->role == FORM_INOUT;
}

bool form_writes(const struct form_parameter *parameter)
{
    return parameter->role == FORM_OUTPUT || parameter->role == FORM_INOUT;
}

bool form_is_batch(const struct form *form)
{
    bool batch = false;
    for (unsigned i = 0; i < form->count; i++)
        batch |= form->parameters[i].planes == FORM_MATRICES ||
                 form->parameters[i].rows == FORM_MATRICES ||
                 form->parameters[i].cols == FORM_MATRICES;
    return batch;
}

uint64_t form_extent(const struct form *form, enum form_extent extent, uint64_t rows, uint64_t cols)
{
    switch (extent) {
#define X(id, name, value)                                                                         \
    case FORM_##id:                                                                                \
        return value;
        FORM_EXTENT_LIST(X)
#undef X
    default:
        return (uint64_t)extent - FORM_EXTENT_COUNT;
    }
}

uint64_t form_elements(const struct form *form, const struct form_parameter *array, uint64_t rows,
                       uint64_t cols)
{
    return form_extent(form, array->planes, rows, cols) *
           form_extent(form, array->rows, rows, cols) * form_extent(form, array->cols, rows, cols);
}

uint64_t form_bytes(const struct form *form, enum form_role role, uint64_t rows, uint64_t cols)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < form->count; i++)
        if (role == FORM_INPUT ? form_reads(&form->parameters[i])
                               : form_writes(&form->parameters[i]))
            bytes += sizeof(uint32_t) * form_elements(form, &form->parameters[i], rows, cols);
    return bytes;
}

uint64_t form_compulsory_bytes(const struct form *form, uint64_t rows, uint64_t cols)
{
    return form_bytes(form, FORM_INPUT, rows, cols) + form_bytes(form, FORM_OUTPUT, rows, cols);
}
