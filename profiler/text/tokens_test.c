/* tokens_test.c: tests of the tokens in given texts, and of the bytes between tokens. */
#include "text/tokens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* For each token, `tokens` contains a letter for its kind, its text, and ~. A capital letter
 * denotes a token without an end. */
static const char kinds[] = ".wnsrchpd/";

static const struct {
    const char *text, *tokens, *lines; /* one digit per token */
} cases[] = {
    {"", "", ""},
    {"int x = 1'000;", "wint~wx~p=~n1'000~p;~", "11111"},
    {"0x1'0F'p+3-1e-5f .5 1.e+7 x.5", "n0x1'0F'p+3~p-~n1e-5f~n.5~n1.e+7~wx~n.5~", NULL},
    {"1'a'/*'", "n1'a~c'/*'~", NULL},
    {"1' '", "n1~c' '~", NULL},
    {"a//b\nc", "wa~///b~wc~", "112"},
    {"a/*b\n*/c/**/d", "wa~//*b\n*/~wc~//**/~wd~", "11222"},
    {"/*/ a */ /* b", "//*/ a */~?/* b~", NULL},
    {"\"/*\" '\"' \"\\\"//\" '\\''", "s\"/*\"~c'\"'~s\"\\\"//\"~c'\\''~", NULL},
    {"u8\"a\" L'b' uR\"(\\)\" xR\"(\" R (", "su8\"a\"~cL'b'~ruR\"(\\)\"~wxR~s\"(\"~wR~p(~", NULL},
    {"R\"x(\n)\" //)x\"; //", "rR\"x(\n)\" //)x\"~p;~///~", "122"},
    {"R\"(a", "RR\"(a~", NULL},
    {"R\"a b(c)a b\" d", "RR\"a b(c)a b\" d~", NULL},
    {"R\"0123456789abcdef(x)0123456789abcdef\"", "rR\"0123456789abcdef(x)0123456789abcdef\"~", "1"},
    {"R\"0123456789abcdefg(x)0123456789abcdefg\"", "RR\"0123456789abcdefg(x)0123456789abcdefg\"~",
     "1"},
    {"'a\n\"b\nc", "C'a~S\"b~wc~", "123"},
    {"\"a\\\nb\" c", "s\"a\\\nb\"~wc~", "12"},
    {"// a\\\nb\nc", "/// a\\\nb~wc~", "13"},
    {"ab\\\ncd\\\r\n\\ \n ef\\", "wab\\\ncd~wef~p\\~", "144"},
    {"/\\\n* */ /\\\n/ x", "//\\\n* */~//\\\n/ x~", "12"},
    {"a==b&&c->d<<=e%=f ##g", "wa~p==~wb~p&&~wc~p->~wd~p<<~p=~we~p%=~wf~p##~wg~", NULL},
    {"#define A \"x\" // y\n#", "d#~wdefine~wA~s\"x\"~/// y~d#~", "111112"},
    {" /* */ # include <a//b>\nx # y", "//* */~d#~winclude~h<a//b>~wx~p#~wy~", "1111222"},
    {"#include \"a\\\" //b", "d#~winclude~h\"a\\\"~///b~", NULL},
    {"%:inc\\\nlude_next/**/<a", "d%:~winc\\\nlude_next~//**/~H<a~", "1122"},
    {"#if __has_include(<a/*b>) && x < y /* */",
     "d#~wif~w__has_include~p(~h<a/*b>~p)~p&&~wx~p<~wy~"
     "//* */~",
     NULL},
    {"x = __has_include(<a>", "wx~p=~w__has_include~p(~p<~wa~p>~", NULL},
    {"#error don't\nx", "d#~werror~wdon~C't~wx~", NULL},
    {"#embed \"x\"\n#define F <a>", "d#~wembed~h\"x\"~d#~wdefine~wF~p<~wa~p>~", NULL},
    {"$a\xc3\xa4$ @`", "w$a\xc3\xa4$~p@~p`~", NULL},
    {"\"\\", "S\"\\~", NULL},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[512] = "", lines[64] = "";
        struct tokens tokens = tokens_of(cases[i].text, strlen(cases[i].text));
        for (struct token token; (token = tokens_next(&tokens)).kind;) {
            char kind = kinds[token.kind];
            if (token.is_open)
                kind = kind == '/' ? '?' : (char)(kind - 'a' + 'A');
            snprintf(said + strlen(said), sizeof said - strlen(said), "%c%.*s~", kind,
                     (int)token.length, token.text);
            lines[strlen(lines)] = (char)('0' + token.line);
        }
        if (strcmp(said, cases[i].tokens) || (cases[i].lines && strcmp(lines, cases[i].lines)))
            fail_msg("%s\ngives\n%s %s", cases[i].text, said, lines);
    }
}

static void test_flags(void **state)
{
    (void)state;
    static const char text[] = "a \\\nb\\\nc\n#d/**/e \\\nf\n+";
    static const struct {
        const char *text;
        bool in_directive, follows_blank;
    } expected[] = {{"a", false, true}, {"bc", false, true}, {"#", false, true}, {"d", true, false},
                    {"e", true, true},  {"f", true, true},   {"+", false, true}};
    struct tokens tokens = tokens_of(text, sizeof text - 1);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct token peeked = tokens_peek_code(&tokens), token = tokens_next_code(&tokens);
        char copy[8];
        assert_ptr_equal(peeked.text, token.text);
        assert_true(token_is(token, expected[i].text));
        assert_string_equal(token_copy(token, copy, sizeof copy), expected[i].text);
        assert_int_equal(token.in_directive, expected[i].in_directive);
        assert_int_equal(token.follows_blank, expected[i].follows_blank);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(tokens_next(&tokens).kind, TOKEN_END);
}

static void test_comparisons(void **state)
{
    (void)state;
    static const char *const words[] = {"ab", "abcd", NULL};
    struct tokens tokens = tokens_of("a\\\nbc abcd", 10);
    struct token joined = tokens_next(&tokens), plain = tokens_next(&tokens);
    char two[3];
    assert_true(token_is(joined, "abc"));
    assert_false(token_is(joined, "ab"));
    assert_false(token_is(joined, "abcd"));
    assert_false(token_is_one_of(joined, words));
    assert_true(token_is_one_of(plain, words));
    assert_string_equal(token_copy(plain, two, sizeof two), "ab");
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        unsigned long value;
    } numbers[] = {
        {"1'000u", true, 1000}, {"0x1'0ULL", true, 16}, {"010", true, 8},
        {"0", true, 0},         {"1.5", false, 0},      {"7f", false, 0},
        {"x1", false, 0},       {"1\\\n2", true, 12},   {"99999999999999999999", true, -1ul}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        unsigned long value;
        struct tokens tokens = tokens_of(numbers[i].text, strlen(numbers[i].text));
        bool good = token_number(tokens_next(&tokens), &value);
        if (good != numbers[i].good || (good && value != numbers[i].value))
            fail_msg("%s: %d %lu", numbers[i].text, good, value);
    }
}

static void test_any_bytes(void **state)
{
    (void)state;
    static const char alphabet[] = "#%:/*\"'\\\n\r \t\0R(x)1.e+<=>&u8L_\xc3";
    srand(1);
    for (int round = 0; round < 20000; round++) {
        size_t size = (size_t)rand() % 48;
        char *text = malloc(size + 1);
        assert_non_null(text);
        for (size_t i = 0; i < size; i++)
            text[i] = alphabet[(size_t)rand() % (sizeof alphabet - 1)];
        struct tokens tokens = tokens_of(text, size);
        const char *end = text;
        unsigned line = 1;
        for (struct token token = {.kind = TOKEN_WORD}; token.kind;) {
            token = tokens_next(&tokens);
            assert_true(token.text >= end && token.text + token.length <= text + size);
            assert_int_equal(token.length == 0, token.kind == TOKEN_END);
            for (; end < token.text; end++) {
                bool blank = !*end || strchr(" \t\n\r\\", *end);
                if (!blank)
                    fail_msg("a gap holds %d", *end);
                line += *end == '\n';
            }
            assert_int_equal(token.line, line);
            for (; end < token.text + token.length; end++)
                line += *end == '\n';
        }
        assert_ptr_equal(end, text + size);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),       cmocka_unit_test(test_flags),
        cmocka_unit_test(test_comparisons), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
