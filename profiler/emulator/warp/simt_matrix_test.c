/* Tests of the matrix instructions, compared with products in C. The positions of mma's fragments
 * are written here independently of decode/matrix.h, figure by figure as in the PTX ISA (9.7.14.5).
 * Values are small integers, so that sums are exact in every type. */
#include "emulator/launch_test.h"

#include <math.h>

enum { WORDS = 64 /* Words of a lane. */, EDGE = 64, MATRIX_BYTES = 8192 };

static struct device h200;
static struct bench bench;

static int open_device(void **state)
{
    (void)state;
    bench_device("h200", &h200);
    return 0;
}

static int close_bench(void **state)
{
    (void)state;
    bench_close(&bench);
    return 0;
}

struct type {
    const char *name;
    unsigned bits, exponent, fraction;
    int low, high;
};

static const struct type f16 = {"f16", 16, 5, 10, -4, 4}, bf16 = {"bf16", 16, 8, 7, -4, 4},
                         tf32 = {"tf32", 32, 8, 23, -99, 99}, f32 = {"f32", 32, 8, 23, -99, 99},
                         f64 = {"f64", 64, 11, 52, -999, 999}, s8 = {"s8", 8, 0, 0, -128, 127},
                         u8 = {"u8", 8, 0, 0, 0, 255}, s4 = {"s4", 4, 0, 0, -8, 7},
                         u4 = {"u4", 4, 0, 0, 0, 15}, s32 = {"s32", 32, 0, 0, -99, 99},
                         b1 = {"b1", 1, 0, 0, 0, 1};

static uint64_t encode(const struct type *type, int value)
{
    if (!type->exponent)
        return (uint64_t)(int64_t)value & (type->bits < 64 ? (1ull << type->bits) - 1 : ~0ull);
    if (value == 0)
        return 0;
    unsigned magnitude = (unsigned)abs(value);
    unsigned top = 31 - (unsigned)__builtin_clz(magnitude);
    uint64_t fraction = (uint64_t)magnitude << (type->fraction - top);
    uint64_t bias = (1u << (type->exponent - 1)) - 1;
    return (value < 0 ? 1ull << (type->bits - 1) : 0) |
           (((top + bias) << type->fraction) + fraction - (1ull << type->fraction));
}

static unsigned char *bytes_of(int *words)
{
    return (unsigned char *)words;
}

static void put(unsigned char *to, const struct type *type, uint64_t index, int value)
{
    uint64_t bits = encode(type, value);
    for (unsigned b = 0; b < type->bits; b++) {
        uint64_t at = index * type->bits + b;
        to[at / 8] =
            (unsigned char)((to[at / 8] & ~(1u << at % 8)) | (unsigned)(bits >> b & 1) << at % 8);
    }
}

static uint64_t get(const unsigned char *from, const struct type *type, uint64_t index)
{
    uint64_t bits = 0;
    for (unsigned b = 0; b < type->bits; b++) {
        uint64_t at = index * type->bits + b;
        bits |= (uint64_t)(from[at / 8] >> at % 8 & 1) << b;
    }
    return bits;
}

struct matrices {
    int a[EDGE][256], b[256][EDGE], c[EDGE][EDGE], d[EDGE][EDGE];
};

static uint32_t random_state = 1;

static int random_between(int low, int high)
{
    random_state = random_state * 1664525u + 1013904223u;
    return low + (int)((random_state >> 8) % (unsigned)(high - low + 1));
}

enum { ADDS_PRODUCTS, COUNTS_AND, COUNTS_XOR };

static void fill(struct matrices *x, unsigned m, unsigned n, unsigned k, const struct type *a,
                 const struct type *b, const struct type *c, int how)
{
    for (unsigned i = 0; i < m; i++)
        for (unsigned j = 0; j < k; j++)
            x->a[i][j] = random_between(a->low, a->high);
    for (unsigned i = 0; i < k; i++)
        for (unsigned j = 0; j < n; j++)
            x->b[i][j] = random_between(b->low, b->high);
    for (unsigned i = 0; i < m; i++)
        for (unsigned j = 0; j < n; j++) {
            int sum = x->c[i][j] = random_between(c->low, c->high);
            for (unsigned l = 0; l < k; l++)
                sum += how == COUNTS_XOR ? x->a[i][l] ^ x->b[l][j] : x->a[i][l] * x->b[l][j];
            x->d[i][j] = sum;
        }
}

static void expect_bits(const char *what, const struct type *type, const unsigned char *from,
                        uint64_t index, int wanted, unsigned row, unsigned column)
{
    if (get(from, type, index) != encode(type, wanted))
        fail_msg("%s: element (%u, %u) is %llx, not %d", what, row, column,
                 (unsigned long long)get(from, type, index), wanted);
}

static void run_kernel(const char *what)
{
    struct bench_launch launch = {.kernel = "k", .device = &h200, .block = {32, 1, 1}};
    bench_expect_good(&bench, bench_run(&bench, &launch), what);
}

static void open_text(const char *text, size_t out_words, size_t in_words)
{
    bench_close(&bench);
    bench_parse(&bench, text, strlen(text), "matrix");
    bench_arrays(&bench, out_words, in_words, 2);
}

struct text {
    char at[8192];
    size_t length;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text->length += (size_t)vsnprintf(text->at + text->length, sizeof text->at - text->length,
                                      format, arguments);
    va_end(arguments);
    assert_true(text->length < sizeof text->at);
}

/* Begin a kernel. %in and %out point to the arrays, and %mine and %back to this lane's words. */
static void begin(struct text *text)
{
    text->length = 0;
    add(text, ".version 8.0\n.target sm_80\n.address_size 64\n"
              ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 n)\n{\n"
              ".reg .pred %%p;\n.reg .b32 %%lane, %%row, %%s, %%t;\n"
              ".reg .b64 %%in, %%out, %%mine, %%back;\n"
              ".reg .b32 %%d<8>, %%a<8>, %%b<8>, %%c<8>;\n"
              ".reg .f64 %%D<8>, %%A<8>, %%B<8>, %%C<8>;\n"
              ".shared .align 128 .b8 tile[16384];\n"
              "ld.param.u64 %%out, [o];\nld.param.u64 %%in, [i];\n"
              "mov.u32 %%lane, %%laneid;\n");
    add(text, "mad.wide.u32 %%mine, %%lane, %d, %%in;\n", 4 * WORDS);
    add(text, "mad.wide.u32 %%back, %%lane, %d, %%out;\n", 4 * WORDS);
}

static void add_vector(struct text *text, char letter, unsigned count, const struct type *type)
{
    if (type->bits == 64)
        letter = (char)(letter - 'a' + 'A');
    for (unsigned i = 0; i < count; i++)
        add(text, "%s%%%c%u", i ? ", " : "{", letter, i);
    add(text, "}");
}

static void add_moves(struct text *text, char letter, unsigned count, const struct type *type,
                      unsigned at)
{
    bool wide = type->bits == 64;
    for (unsigned i = 0; i < count; i++) {
        unsigned offset = 4 * at + (wide ? 8 : 4) * i;
        const char *bits = wide ? "f64" : "b32";
        char name = (char)(wide ? letter - 'a' + 'A' : letter);
        if (letter == 'd')
            add(text, "st.global.%s [%%back+%u], %%%c%u;\n", bits, offset, name, i);
        else
            add(text, "ld.global.%s %%%c%u, [%%mine+%u];\n", bits, name, i, offset);
    }
}

struct place {
    unsigned row, column;
};

typedef struct place figure(unsigned g, unsigned t, unsigned i);
#define FIGURE(name, row_is, column_is)                                                            \
    static struct place name(unsigned g, unsigned t, unsigned i)                                   \
    {                                                                                              \
        (void)g, (void)t, (void)i;                                                                 \
        return (struct place){row_is, column_is};                                                  \
    }
FIGURE(a_m8n8k4_f64, g, t)
FIGURE(a_m16n8k4_tf32, i == 0 ? g : g + 8, t)
FIGURE(a_m16n8k8_tf32, i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4)
FIGURE(a_m16n8k8_f16, i < 2 ? g : g + 8, t * 2 + (i & 1))
FIGURE(a_m16n8k16_f16, i < 2 || (4 <= i && i < 6) ? g : g + 8,
       i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8)
FIGURE(a_m8n8k16_s8, g, t * 4 + i)
FIGURE(a_m16n8k16_s8, i < 4 ? g : g + 8, t * 4 + (i & 3))
FIGURE(a_m16n8k32_s8, i < 4 || (8 <= i && i < 12) ? g : g + 8,
       i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16)
FIGURE(a_m8n8k32_s4, g, t * 8 + i)
FIGURE(a_m16n8k32_s4, i < 8 ? g : g + 8, t * 8 + (i & 7))
FIGURE(a_m16n8k64_s4, i < 8 || (16 <= i && i < 24) ? g : g + 8,
       i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32)
FIGURE(a_m8n8k128_b1, g, t * 32 + i)
FIGURE(a_m16n8k128_b1, i < 32 ? g : g + 8, t * 32 + (i & 31))
FIGURE(a_m16n8k256_b1, i < 32 || (64 <= i && i < 96) ? g : g + 8,
       i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128)
FIGURE(b_one, t, g)
FIGURE(b_m16n8k8_tf32, i == 0 ? t : t + 4, g)
FIGURE(b_two, t * 2 + (i & 1), g)
FIGURE(b_m16n8k16_f16, i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g)
FIGURE(b_four, t * 4 + (i & 3), g)
FIGURE(b_m16n8k32_s8, i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g)
FIGURE(b_eight, t * 8 + (i & 7), g)
FIGURE(b_m16n8k64_s4, i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g)
FIGURE(b_bits, t * 32 + i, g)
FIGURE(b_m16n8k256_b1, i < 32 ? t * 32 + i : t * 32 + (i & 31) + 128, g)
FIGURE(c_m8, g, t * 2 + i)
FIGURE(c_m16, i < 2 ? g : g + 8, t * 2 + (i & 1))

static const struct mma {
    const char *shape;
    unsigned m, n, k;
    const struct type *a, *b, *c;
    figure *place_a, *place_b;
    const char *before, *after;
    int how;
} multiplications[] = {
    {"m8n8k4", 8, 8, 4, &f64, &f64, &f64, a_m8n8k4_f64, b_one, "", "", 0},
    {"m16n8k4", 16, 8, 4, &tf32, &tf32, &f32, a_m16n8k4_tf32, b_one, "", "", 0},
    {"m16n8k8", 16, 8, 8, &tf32, &tf32, &f32, a_m16n8k8_tf32, b_m16n8k8_tf32, "", "", 0},
    {"m16n8k8", 16, 8, 8, &f16, &f16, &f32, a_m16n8k8_f16, b_two, "", "", 0},
    {"m16n8k8", 16, 8, 8, &f16, &f16, &f16, a_m16n8k8_f16, b_two, "", "", 0},
    {"m16n8k8", 16, 8, 8, &bf16, &bf16, &f32, a_m16n8k8_f16, b_two, "", "", 0},
    {"m16n8k16", 16, 8, 16, &f16, &f16, &f32, a_m16n8k16_f16, b_m16n8k16_f16, "", "", 0},
    {"m16n8k16", 16, 8, 16, &f16, &f16, &f16, a_m16n8k16_f16, b_m16n8k16_f16, "", "", 0},
    {"m16n8k16", 16, 8, 16, &bf16, &bf16, &f32, a_m16n8k16_f16, b_m16n8k16_f16, "", "", 0},
    {"m8n8k16", 8, 8, 16, &s8, &u8, &s32, a_m8n8k16_s8, b_four, "", "", 0},
    {"m16n8k16", 16, 8, 16, &s8, &s8, &s32, a_m16n8k16_s8, b_four, "", "", 0},
    {"m16n8k32", 16, 8, 32, &u8, &s8, &s32, a_m16n8k32_s8, b_m16n8k32_s8, ".satfinite", "", 0},
    {"m8n8k32", 8, 8, 32, &s4, &s4, &s32, a_m8n8k32_s4, b_eight, "", "", 0},
    {"m16n8k32", 16, 8, 32, &u4, &s4, &s32, a_m16n8k32_s4, b_eight, "", "", 0},
    {"m16n8k64", 16, 8, 64, &s4, &u4, &s32, a_m16n8k64_s4, b_m16n8k64_s4, "", "", 0},
    {"m8n8k128", 8, 8, 128, &b1, &b1, &s32, a_m8n8k128_b1, b_bits, "", ".xor.popc", COUNTS_XOR},
    {"m16n8k128", 16, 8, 128, &b1, &b1, &s32, a_m16n8k128_b1, b_bits, "", ".and.popc", COUNTS_AND},
    {"m16n8k256", 16, 8, 256, &b1, &b1, &s32, a_m16n8k256_b1, b_m16n8k256_b1, "", ".xor.popc",
     COUNTS_XOR},
};

static unsigned registers_of(unsigned elements, const struct type *type)
{
    return type->bits == 64 ? elements : elements * type->bits / 32;
}

static void check_mma(const struct mma *x)
{
    static struct matrices values;
    struct text text;
    char what[128];
    unsigned in_a = x->m * x->k / 32, in_b = x->k * x->n / 32, in_c = x->m * x->n / 32;
    unsigned a = registers_of(in_a, x->a), b = registers_of(in_b, x->b),
             c = registers_of(in_c, x->c);
    snprintf(what, sizeof what, "%s.%s.%s.%s", x->shape, x->c->name, x->a->name, x->b->name);
    begin(&text);
    add_moves(&text, 'a', a, x->a, 0);
    add_moves(&text, 'b', b, x->b, 16);
    add_moves(&text, 'c', c, x->c, 32);
    add(&text, "mma.sync.aligned.%s.row.col%s.%s.%s.%s.%s%s ", x->shape, x->before, x->c->name,
        x->a->name, x->b->name, x->c->name, x->after);
    const struct type *types[] = {x->c, x->a, x->b, x->c};
    const unsigned counts[] = {c, a, b, c};
    for (unsigned i = 0; i < 4; i++) {
        add(&text, i ? ", " : "");
        add_vector(&text, "dabc"[i], counts[i], types[i]);
    }
    add(&text, ";\n");
    add_moves(&text, 'd', c, x->c, 0);
    add(&text, "ret;\n}\n");
    open_text(text.at, 32 * WORDS, 32 * WORDS);
    fill(&values, x->m, x->n, x->k, x->a, x->b, x->c, x->how);
    figure *place_c = x->m == 8 ? c_m8 : c_m16;
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned char *words = bytes_of(bench.in + lane * WORDS);
        unsigned g = lane >> 2, t = lane % 4;
        for (unsigned i = 0; i < in_a; i++) {
            struct place p = x->place_a(g, t, i);
            put(words, x->a, i, values.a[p.row][p.column]);
        }
        for (unsigned i = 0; i < in_b; i++) {
            struct place p = x->place_b(g, t, i);
            put(words + 64, x->b, i, values.b[p.row][p.column]);
        }
        for (unsigned i = 0; i < in_c; i++) {
            struct place p = place_c(g, t, i);
            put(words + 128, x->c, i, values.c[p.row][p.column]);
        }
    }
    run_kernel(what);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < in_c; i++) {
            struct place p = place_c(lane >> 2, lane % 4, i);
            expect_bits(what, x->c, bytes_of(bench.out + lane * WORDS), i,
                        values.d[p.row][p.column], p.row, p.column);
        }
}

static void test_mma(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof multiplications / sizeof *multiplications; i++)
        check_mma(&multiplications[i]);
}

static const struct wmma {
    const char *shape;
    unsigned m, n, k;
    const struct type *a, *c;
    unsigned in_a, in_b, in_c; /* Number of registers of each fragment, from the ISA. */
} fragments[] = {
    {"m16n16k16", 16, 16, 16, &f16, &f32, 8, 8, 8},  {"m32n8k16", 32, 8, 16, &f16, &f32, 8, 8, 8},
    {"m8n32k16", 8, 32, 16, &f16, &f32, 8, 8, 8},    {"m16n16k16", 16, 16, 16, &f16, &f16, 8, 8, 4},
    {"m32n8k16", 32, 8, 16, &f16, &f16, 8, 8, 4},    {"m8n32k16", 8, 32, 16, &f16, &f16, 8, 8, 4},
    {"m16n16k16", 16, 16, 16, &bf16, &f32, 4, 4, 8}, {"m32n8k16", 32, 8, 16, &bf16, &f32, 8, 2, 8},
    {"m8n32k16", 8, 32, 16, &bf16, &f32, 2, 8, 8},   {"m16n16k16", 16, 16, 16, &s8, &s32, 2, 2, 8},
    {"m32n8k16", 32, 8, 16, &u8, &s32, 4, 1, 8},     {"m8n32k16", 8, 32, 16, &s8, &s32, 1, 4, 8},
    {"m16n16k8", 16, 16, 8, &tf32, &f32, 4, 4, 8},   {"m8n8k4", 8, 8, 4, &f64, &f64, 1, 1, 2},
    {"m8n8k32", 8, 8, 32, &s4, &s32, 1, 1, 2},       {"m8n8k128", 8, 8, 128, &b1, &s32, 1, 1, 2},
};

enum { A_BY_ROWS = 1, B_BY_ROWS = 2, C_BY_ROWS = 4, D_BY_ROWS = 8, BY_SHARED = 16, LAYOUTS = 32 };

static const char *major(bool by_rows)
{
    return by_rows ? "row" : "col";
}

static unsigned distance(unsigned rows, unsigned columns, bool by_rows, const struct type *type)
{
    unsigned padding = type->bits < 8 ? 128 / type->bits : 128 / type->bits + 8;
    return (by_rows ? columns : rows) + padding / 8 * 8;
}

static void check_wmma(const struct wmma *x, unsigned layout)
{
    static struct matrices values;
    struct text text;
    char what[128];
    const char *space = layout & BY_SHARED ? ".shared" : ".global";
    unsigned lda = distance(x->m, x->k, layout & A_BY_ROWS, x->a);
    unsigned ldb = distance(x->k, x->n, layout & B_BY_ROWS, x->a);
    unsigned ldc = distance(x->m, x->n, layout & C_BY_ROWS, x->c);
    unsigned ldd = distance(x->m, x->n, layout & D_BY_ROWS, x->c);
    snprintf(what, sizeof what, "%s.%s.%s, layouts %u", x->shape, x->c->name, x->a->name, layout);
    begin(&text);
    add(&text, "mov.u64 %%mine, tile;\nmov.u32 %%s, %%lane;\n"
               "copy: mad.wide.u32 %%back, %%s, 4, %%in;\nld.global.b32 %%t, [%%back];\n"
               "mad.wide.u32 %%back, %%s, 4, %%mine;\nst.shared.b32 [%%back], %%t;\n"
               "add.u32 %%s, %%s, 32;\nsetp.lt.u32 %%p, %%s, 4096;\n@%%p bra copy;\n"
               "bar.sync 0;\n");
    if (!(layout & BY_SHARED))
        add(&text, "mov.u64 %%mine, %%in;\n");
    struct {
        char letter;
        const struct type *type;
        unsigned count, distance;
        bool by_rows;
    } loads[] = {{'a', x->a, x->in_a, lda, layout & A_BY_ROWS},
                 {'b', x->a, x->in_b, ldb, layout & B_BY_ROWS},
                 {'c', x->c, x->in_c, ldc, layout & C_BY_ROWS}};
    for (unsigned i = 0; i < 3; i++) {
        add(&text, "wmma.load.%c.sync.aligned.%s.%s%s.%s ", loads[i].letter,
            major(loads[i].by_rows), x->shape, i < 2 ? space : ".global", loads[i].type->name);
        add_vector(&text, loads[i].letter, loads[i].count, loads[i].type);
        if (i < 2)
            add(&text, ", [%%mine+%u], %u;\n", i * MATRIX_BYTES, loads[i].distance);
        else
            add(&text, ", [%%in+%u], %u;\n", i * MATRIX_BYTES, loads[i].distance);
    }
    add(&text, "wmma.mma%s.sync.aligned.%s.%s.%s.%s", x->a == &b1 ? ".xor.popc" : "",
        major(layout & A_BY_ROWS), major(layout & B_BY_ROWS), x->shape, x->c->name);
    if (x->a != &f16)
        add(&text, ".%s.%s", x->a->name, x->a->name);
    add(&text, ".%s ", x->c->name);
    const struct type *types[] = {x->c, x->a, x->a, x->c};
    const unsigned counts[] = {x->in_c, x->in_a, x->in_b, x->in_c};
    for (unsigned i = 0; i < 4; i++) {
        add(&text, i ? ", " : "");
        add_vector(&text, "dabc"[i], counts[i], types[i]);
    }
    add(&text, ";\nwmma.store.d.sync.aligned.%s.%s.global.%s [%%out], ", major(layout & D_BY_ROWS),
        x->shape, x->c->name);
    add_vector(&text, 'd', x->in_c, x->c);
    add(&text, ", %u;\nret;\n}\n", ldd);
    open_text(text.at, 4096, 3 * MATRIX_BYTES / 4);
    fill(&values, x->m, x->n, x->k, x->a, x->a, x->c, x->a == &b1 ? COUNTS_XOR : ADDS_PRODUCTS);
    unsigned char *at = bytes_of(bench.in);
    for (unsigned i = 0; i < x->m; i++)
        for (unsigned k = 0; k < x->k; k++)
            put(at, x->a, layout & A_BY_ROWS ? i * lda + k : k * lda + i, values.a[i][k]);
    for (unsigned k = 0; k < x->k; k++)
        for (unsigned j = 0; j < x->n; j++)
            put(at + MATRIX_BYTES, x->a, layout & B_BY_ROWS ? k * ldb + j : j * ldb + k,
                values.b[k][j]);
    for (unsigned i = 0; i < x->m; i++)
        for (unsigned j = 0; j < x->n; j++)
            put(at + 2 * MATRIX_BYTES, x->c, layout & C_BY_ROWS ? i * ldc + j : j * ldc + i,
                values.c[i][j]);
    run_kernel(what);
    for (unsigned i = 0; i < x->m; i++)
        for (unsigned j = 0; j < x->n; j++)
            expect_bits(what, x->c, bytes_of(bench.out),
                        layout & D_BY_ROWS ? i * ldd + j : j * ldd + i, values.d[i][j], i, j);
}

static void test_wmma(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fragments / sizeof *fragments; i++)
        for (unsigned layout = 0; layout < LAYOUTS; layout++) {
            bool packed = fragments[i].a->bits < 8; /* A by rows, B by columns. */
            if (!packed || (layout & (A_BY_ROWS | B_BY_ROWS)) == A_BY_ROWS)
                check_wmma(&fragments[i], layout);
        }
}

/* Returns a[0][0] * b[0][0] + c[0][0], which is lane 0's first element. a and b are f16. */
static uint32_t one_product(const char *c_type, uint32_t a, uint32_t b, uint32_t c)
{
    struct text text;
    bool narrow = strcmp(c_type, "f16") == 0;
    begin(&text);
    add_moves(&text, 'a', 2, &f16, 0);
    add_moves(&text, 'b', 1, &f16, 16);
    add_moves(&text, 'c', narrow ? 2 : 4, &f32, 32);
    add(&text, "mma.sync.aligned.m16n8k8.row.col.%s.f16.f16.%s ", c_type, c_type);
    add(&text, narrow ? "{%%d0, %%d1}, {%%a0, %%a1}, {%%b0}, {%%c0, %%c1};\n"
                      : "{%%d0, %%d1, %%d2, %%d3}, {%%a0, %%a1}, {%%b0}, {%%c0, %%c1, %%c2, "
                        "%%c3};\n");
    add_moves(&text, 'd', 1, &f32, 0);
    add(&text, "ret;\n}\n");
    open_text(text.at, 32 * WORDS, 32 * WORDS);
    memset(bench.in, 0, 32 * WORDS * sizeof *bench.in);
    bench.in[0] = (int)a;
    bench.in[16] = (int)b;
    bench.in[32] = (int)c;
    run_kernel(c_type);
    return (uint32_t)bench.out[0] & (narrow ? 0xffff : ~0u);
}

static void test_rounding(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        uint32_t a, b, c, wanted;
    } rows[] = {
        {"f32", 0x0001, 0x0001, 0, 0x27800000},          /* 2^-24 squared is exact */
        {"f32", 0x3c01, 0x3c01, 0, 0x3f804008},          /* (1 + 2^-10)^2 is exact */
        {"f32", 0x7bff, 0x7bff, 0x3f800000, 0x4f7fc004}, /* 65504^2 + 1, rounded */
        {"f32", 0x7c00, 0x3c00, 0, 0x7f800000},          /* infinite */
        {"f32", 0x7c00, 0x0000, 0, 0x7fffffff},          /* the canonical NaN */
        {"f16", 0x3c00, 0x3c00, 0x6800, 0x6800},         /* 2048 + 1, rounded to even */
        {"f16", 0x3c00, 0x3e00, 0x6801, 0x6802},         /* 2050 + 1.5 */
        {"f16", 0x7bff, 0x4000, 0, 0x7c00},              /* 65504 * 2 overflows */
        {"f16", 0xfe01, 0x3c00, 0, 0x7fff},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t found = one_product(rows[i].type, rows[i].a, rows[i].b, rows[i].c);
        if (found != rows[i].wanted)
            fail_msg("row %zu: %08x instead of %08x", i, found, rows[i].wanted);
    }
}

static void test_overflow(void **state)
{
    (void)state;
    for (unsigned saturates = 0; saturates < 2; saturates++) {
        struct text text;
        begin(&text);
        add(&text,
            "mov.b32 %%a0, 0x7f7f7f7f;\nmov.b32 %%c0, 0x7fffffff;\n"
            "mma.sync.aligned.m8n8k16.row.col%s.s32.s8.s8.s32 {%%d0, %%d1}, {%%a0}, {%%a0}, "
            "{%%c0, %%c0};\n",
            saturates ? ".satfinite" : "");
        add_moves(&text, 'd', 1, &s32, 0);
        add(&text, "ret;\n}\n");
        open_text(text.at, 32 * WORDS, 32 * WORDS);
        run_kernel("overflow");
        assert_int_equal((uint32_t)bench.out[0],
                         saturates ? 0x7fffffff : 0x7fffffffu + 16 * 127 * 127);
    }
}

/* Begin a kernel. 16-bit element h of the tile has the value h. Rows are `pitch` bytes apart. */
static void begin_tile(struct text *text, unsigned pitch, const char *between)
{
    begin(text);
    add(text,
        "mov.u32 %%s, %%lane;\nmov.u32 %%row, tile;\n"
        "fill: mul.lo.u32 %%t, %%s, 0x20002;\nadd.u32 %%t, %%t, 0x10000;\n"
        "mad.lo.u32 %%d0, %%s, 4, %%row;\nst.shared.b32 [%%d0], %%t;\nadd.u32 %%s, %%s, 32;\n"
        "setp.lt.u32 %%p, %%s, 4096;\n@%%p bra fill;\n%s\n"
        "mad.lo.u32 %%row, %%lane, %u, %%row;\n",
        between, pitch);
}

static unsigned wanted_half(unsigned core, unsigned lane, unsigned part, unsigned pitch, bool trans)
{
    unsigned row = lane / 4, column = lane % 4 * 2 + part;
    unsigned from = trans ? column : row, at = trans ? row : column;
    return (8 * core + from) * pitch / 2 + at;
}

static const struct instruction_stats *stats_of(const char *opcode)
{
    const struct ptx_function *function = ptx_find_function(&bench.module, "k");
    for (size_t i = 0; i < function->instruction_count; i++)
        if (strncmp(function->instructions[i].text, opcode, strlen(opcode)) == 0)
            return &bench.stats[i];
    fail_msg("no %s", opcode);
    return NULL;
}

static void test_ldmatrix(void **state)
{
    (void)state;
    static const struct {
        unsigned count, pitch;
        bool trans;
        const char *space;
        unsigned wavefronts; /* Expected: 1 per core matrix if there are no bank conflicts. */
    } rows[] = {{1, 16, false, ".shared", 1},   {2, 16, true, ".shared::cta", 2},
                {4, 144, false, ".shared", 4},  {4, 144, true, ".shared", 4},
                {4, 128, false, ".shared", 32}, {2, 128, true, ".shared", 16},
                {4, 32, false, "", 8},          {1, 64, true, "", 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text;
        begin_tile(&text, rows[i].pitch, "bar.warp.sync -1;");
        add(&text, "mov.u64 %%mine, 0;\ncvt.u64.u32 %%mine, %%row;\n");
        if (!*rows[i].space)
            add(&text, "cvta.shared.u64 %%mine, %%mine;\n");
        add(&text, "ldmatrix.sync.aligned.m8n8.x%u%s%s.b16 ", rows[i].count,
            rows[i].trans ? ".trans" : "", rows[i].space);
        add_vector(&text, 'a', rows[i].count, &f32);
        add(&text, ", [%%mine];\n");
        for (unsigned r = 0; r < rows[i].count; r++)
            add(&text, "st.global.b32 [%%back+%u], %%a%u;\n", 4 * r, r);
        add(&text, "ret;\n}\n");
        open_text(text.at, 32 * WORDS, 16);
        run_kernel("ldmatrix");
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned h = 0; h < 2 * rows[i].count; h++)
                if (((uint32_t)bench.out[lane * WORDS + h / 2] >> h % 2 * 16 & 0xffff) !=
                    wanted_half(h / 2, lane, h % 2, rows[i].pitch, rows[i].trans))
                    fail_msg("row %zu: lane %u, half %u: %x", i, lane, h,
                             bench.out[lane * WORDS + h / 2]);
        const struct instruction_stats *stats = stats_of("ldmatrix");
        assert_int_equal(stats->requests, 1);
        assert_int_equal(stats->wavefronts, rows[i].wavefronts);
        assert_int_equal(stats->ideal, rows[i].count);
        assert_int_equal(stats->bytes, 128 * rows[i].count);
    }
}

/* The kernel first transposes one core matrix twice with movmatrix, which restores the matrix. */
static void test_stmatrix(void **state)
{
    (void)state;
    for (unsigned trans = 0; trans < 2; trans++) {
        struct text text;
        begin_tile(&text, 16, "bar.warp.sync -1;");
        add(&text,
            "shl.b32 %%t, %%lane, 17;\nadd.u32 %%t, %%t, 0x10000;\n"
            "mad.lo.u32 %%t, %%lane, 2, %%t;\nadd.u32 %%s, %%t, 0x01000100;\n"
            "movmatrix.sync.aligned.m8n8.trans.b16 %%t, %%t;\n"
            "movmatrix.sync.aligned.m8n8.trans.b16 %%t, %%t;\n"
            "stmatrix.sync.aligned.m8n8.x2%s.shared.b16 [%%row], {%%t, %%s};\n"
            "bar.warp.sync -1;\nmov.u32 %%row, tile;\nmad.lo.u32 %%row, %%lane, 8, %%row;\n"
            "ld.shared.b32 %%d0, [%%row];\nld.shared.b32 %%d1, [%%row+4];\n",
            trans ? ".trans" : "");
        add_moves(&text, 'd', 2, &f32, 0);
        add(&text, "ret;\n}\n");
        open_text(text.at, 32 * WORDS, 16);
        run_kernel("stmatrix");
        for (unsigned at = 0; at < 128; at++) {
            unsigned core = at / 64, row = at % 64 / 8, column = at % 8;
            unsigned wanted = (trans ? 8 * column + row : 8 * row + column) + 0x100 * core;
            uint32_t word = (uint32_t)bench.out[at / 4 * WORDS + at % 4 / 2];
            assert_int_equal(word >> at % 2 * 16 & 0xffff, wanted);
        }
        assert_int_equal(stats_of("stmatrix")->wavefronts, 2);
    }
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *between, *code;
        enum status status;
        const char *parts[3];
    } rows[] = {
        {"bar.warp.sync -1;",
         "setp.lt.u32 %p, %lane, 5;\n@%p movmatrix.sync.aligned.m8n8.trans.b16 "
         "%t, %t;\n",
         STATUS_DEADLOCK,
         {"executes movmatrix", "5 lanes of its warp: all 32"}},
        {"bar.warp.sync -1;",
         "add.u32 %row, %row, 8;\n"
         "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a0}, [%row];\n",
         STATUS_MISALIGNED,
         {"reads 16 bytes", "not a multiple of 16"}},
        {"bar.warp.sync -1;",
         "add.u32 %row, %row, 16384;\n"
         "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, "
         "[%row];\n",
         STATUS_OUT_OF_BOUNDS,
         {"reads 16 bytes out of bounds"}},
        {"",
         "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a0}, [%row+16];\n",
         STATUS_RACE,
         {"__syncwarp()"}},
        {"bar.warp.sync -1;",
         "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row], {%t};\n"
         "ld.shared.b32 %d0, [tile];\n",
         STATUS_RACE,
         {"reads"}},
        {"",
         "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%a0, %a1, %a2, %a3, %b0, %b1, %b2, "
         "%b3}, [tile], 24;\n",
         STATUS_RACE,
         {"reads"}},
        {"",
         "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%a0, %a1, %a2, %a3, %b0, %b1, %b2, "
         "%b3}, [%in], 16;\n",
         STATUS_OUT_OF_BOUNDS,
         {"reads 8 bytes out of bounds", "in"}},
        {"",
         "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, "
         "%d7}, {%a0, %a1}, {%b0, %b1}, {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7};\n",
         STATUS_UNSUPPORTED,
         {"mma.sync.aligned.m8n8k4"}},
        {"",
         "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, "
         "%a2, %a3}, {%b0, %b1}, {%c0, %c1, %c2, %c3};\n",
         STATUS_UNSUPPORTED,
         {"e4m3"}},
        {"",
         "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0, %d1}, {%a0, %a1}, {%b0}, "
         "{%c0, %c1};\n",
         STATUS_UNSUPPORTED,
         {"m16n8k8"}},
        {"", "wgmma.fence.sync.aligned;\n", STATUS_UNSUPPORTED, {"wgmma.fence"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text;
        struct bench_launch launch = {.kernel = "k", .device = &h200, .block = {32, 1, 1}};
        begin_tile(&text, 16, rows[i].between);
        add(&text, "%s", rows[i].code);
        add_moves(&text, 'd', 1, &f32, 0);
        add(&text, "ret;\n}\n");
        open_text(text.at, 32 * WORDS, 16);
        bench_expect_failure(&bench, bench_run(&bench, &launch), rows[i].status, rows[i].parts);
    }
}

/* Only some rows and columns of the result depend on the uninitialized word. */
static void test_undefined(void **state)
{
    (void)state;
    static const struct {
        const char *load;
        unsigned lane, stored;
        bool is_used;
    } rows[] = {
        {"@%p ld.shared.b32 %a0, [tile];\n", 13, 0, true},  /* Row 3 is in lanes 12 to 15. */
        {"@%p ld.shared.b32 %a0, [tile];\n", 13, 2, false}, /* Row 11 is in these lanes, too. */
        {"@%p ld.shared.b32 %a1, [tile];\n", 13, 2, true},
        {"@%p ld.shared.b32 %b0, [tile];\n", 13, 0, false},
        {"@%p ld.shared.b32 %b0, [tile];\n", 13, 1, true}, /* Column 3 is in lanes 1, 5, ... */
        {"@%p ld.shared.b32 %c1, [tile];\n", 13, 0, false},
        {"@%p ld.shared.b32 %c1, [tile];\n", 13, 1, true},
        {"@%p ld.shared.b32 %t, [tile];\nmovmatrix.sync.aligned.m8n8.trans.b16 %a0, %t;\n", 13, 0,
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text;
        struct bench_launch launch = {.kernel = "k", .device = &h200, .block = {32, 1, 1}};
        begin(&text);
        add(&text,
            "mov.b32 %%a0, 0;\nmov.b32 %%a1, 0;\nmov.b32 %%b0, 0;\nmov.b32 %%c0, 0;\n"
            "mov.b32 %%c1, 0;\nmov.b32 %%t, 0;\nsetp.eq.u32 %%p, %%lane, %u;\n%s"
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%%d0, %%d1, %%d2, %%d3}, "
            "{%%a0, %%a1}, {%%b0}, {%%c0, %%c1, %%c0, %%c0};\n"
            "st.global.b32 [%%back], %%d%u;\nret;\n}\n",
            rows[i].lane, rows[i].load, rows[i].stored);
        open_text(text.at, 32 * WORDS, 16);
        bool good = bench_run(&bench, &launch);
        if (!rows[i].is_used && !good)
            fail_msg("row %zu: %s", i, bench.failure.text);
        if (rows[i].is_used)
            bench_expect_failure(
                &bench, good, STATUS_UNINITIALISED,
                (const char *[]){"which no thread of the block has written", NULL});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mma),      cmocka_unit_test(test_wmma),
        cmocka_unit_test(test_rounding), cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_ldmatrix), cmocka_unit_test(test_stmatrix),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_undefined),
    };
    return cmocka_run_group_tests(tests, open_device, close_bench);
}
