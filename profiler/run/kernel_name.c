#include "run/kernel_name.h"

static const char kernel_name[] = "transpose";

static bool is_integer(const struct ptx_variable *parameter, uint64_t bytes)
{
    return parameter->bytes == bytes && parameter->type != PTX_F32 && parameter->type != PTX_F64;
}

static bool parameters_fit(const struct ptx_function *function)
{
    unsigned words = 0, longs = 0;
    for (size_t i = 0; i < function->parameter_count; i++) {
        words += is_integer(&function->parameters[i], 4);
        longs += is_integer(&function->parameters[i], 8);
    }
    return function->parameter_count == 4 && words + longs == 4 && longs >= 2;
}

const struct ptx_function *kernel_name_find(struct naming *naming, const struct ptx_module *module)
{
    const struct ptx_function *exact = ptx_find_function(module, kernel_name);
    const struct ptx_function *of_name = NULL, *of_form = NULL;
    unsigned of_names = 0, of_forms = 0;
    if (exact && exact->is_entry && !exact->is_declaration)
        return parameters_fit(exact) ? exact : NULL;
    for (size_t i = 0; i < module->function_count; i++) {
        const struct ptx_function *function = &module->functions[i];
        if (!function->is_entry || function->is_declaration || !parameters_fit(function))
            continue;
        of_form = function;
        of_forms++;
        if (token_is(naming_plain(function->name), kernel_name)) {
            of_name = function;
            of_names++;
        }
    }
    const struct ptx_function *found = of_names == 1 ? of_name : of_forms == 1 ? of_form : NULL;
    if (!found)
        return NULL;
    struct token plain = naming_plain(found->name);
    unsigned line = naming_kernel_line(naming, found->name);
    if (!token_is(plain, kernel_name))
        naming_add(naming, line, "the kernel is called %.*s: its name must be %s",
                   plain.length < 64 ? (int)plain.length : 64, plain.text, kernel_name);
    if (plain.text != found->name)
        naming_add(naming, line,
                   "the kernel is not declared extern \"C\" (its name in the module is %.64s)",
                   found->name);
    return found;
}
