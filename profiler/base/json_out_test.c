/* json_out_test.c: tests of brackets, commas and values, with and without json_out_format. */
#include "base/json_out.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct document {
    struct json_out out;
    char *text;
    size_t size;
};

static void begin(struct document *document)
{
    *document = (struct document){.text = NULL};
    document->out.file = open_memstream(&document->text, &document->size);
    assert_non_null(document->out.file);
}

static void expect(struct document *document, const char *text)
{
    fclose(document->out.file);
    assert_string_equal(document->text, text);
    free(document->text);
}

static void test_values(void **state)
{
    struct document document;
    (void)state;
    begin(&document);
    json_out_open(&document.out, NULL, '{');
    json_out_text(&document.out, "quote", "\"\\\n");
    json_out_bytes(&document.out, "nul", "a\0b", 3);
    json_out_real(&document.out, "nan", NAN);
    json_out_word(&document.out, "no", "false");
    json_out_word(&document.out, "nothing", "null");
    json_out_close(&document.out, '}');
    expect(&document, "{\"quote\": \"\\\"\\\\\\u000a\",\n\"nul\": \"a\\ufffdb\",\n\"nan\": null,\n"
                      "\"no\": false,\n\"nothing\": null}");
}

static void test_format(void **state)
{
    struct document document;
    (void)state;
    begin(&document);
    json_out_format(&document.out, "[{line: %u, name: %s, all: [%zu, %g], right: %d}", 7u, "a: {b}",
                    (size_t)1 << 40, 0.5, 1);
    json_out_format(&document.out, "{}, [%lu, %s]", UINT64_MAX, "");
    json_out_count(&document.out, NULL, 3);
    json_out_format(&document.out, "]");
    expect(&document, "[{\"line\": 7,\n\"name\": \"a: {b}\",\n\"all\": [1099511627776,\n0.5],\n"
                      "\"right\": true},\n{},\n[18446744073709551615,\n\"\"],\n3]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
