/* texture_test.c: compare fetches with an NVIDIA H200 in all cases of testdata/texture_cases.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/guest/texture.h"

#include "emulator/testdata/texture_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BASE = 0x10000, STORE_BYTES = 1 << 16 };
static unsigned char store[STORE_BYTES];

static void make_level(const struct texture_case *c, int number, struct texture *texture,
                       uint64_t base)
{
    struct texture_level *level = &texture->levels[number];
    uint32_t bytes = texture_texel_bytes(texture);
    *level = (struct texture_level){.base = base,
                                    .width = (uint32_t)case_extent(c, 0) >> number,
                                    .height = (uint32_t)case_extent(c, 1) >> number,
                                    .depth = (uint32_t)case_extent(c, 2)};
    level->height += !level->height;
    level->pitch = 256;
    level->slice = level->pitch * level->height;
    uint32_t index = 0;
    for (uint32_t z = 0; z < level->depth; z++)
        for (uint32_t y = 0; y < level->height; y++)
            for (uint32_t x = 0; x < level->width; x++, index++)
                for (uint32_t k = 0; k < texture->channels; k++) {
                    uint32_t bits = case_texel(c, number, index, k);
                    memcpy(&store[base - BASE + z * level->slice + y * level->pitch + x * bytes +
                                  k * texture->bits / 8],
                           &bits, texture->bits / 8);
                }
}

static void make_texture(const struct texture_case *c, struct texture *texture)
{
    *texture = (struct texture){.use = TEXTURE_OBJECT,
                                .memory = c->geometry == CASE_LINEAR  ? TEXTURE_LINEAR
                                          : c->geometry == CASE_PITCH ? TEXTURE_PITCHED
                                                                      : TEXTURE_ARRAY,
                                .kind = (enum texture_kind)c->kind,
                                .bits = (uint8_t)c->bits,
                                .channels = (uint8_t)c->channels,
                                .is_linear = c->is_linear,
                                .is_normalised = c->is_normalised,
                                .reads_float = c->reads_float,
                                .is_srgb = c->is_srgb,
                                .levels_linear = c->level_filter,
                                .level_max = 99,
                                .level_count = c->levels ? (uint32_t)c->levels : 1};
    memset(texture->address, c->address, sizeof texture->address);
    memcpy(texture->border, case_border, sizeof texture->border);
    for (int i = 0; i < (int)texture->level_count; i++)
        make_level(c, i, texture, BASE + 0x4000 * (uint64_t)i);
}

static struct texture_geometry geometry_of(const struct texture_case *c)
{
    static const struct texture_geometry geometries[] = {
        [CASE_LINEAR] = {1, 0, 0}, [CASE_1D] = {1, 0, 0},   [CASE_2D] = {2, 0, 0},
        [CASE_PITCH] = {2, 0, 0},  [CASE_3D] = {3, 0, 0},   [CASE_A1D] = {1, 1, 0},
        [CASE_A2D] = {2, 1, 0},    [CASE_CUBE] = {3, 0, 1}, [CASE_ACUBE] = {3, 1, 1},
    };
    return geometries[c->geometry];
}

static void fetch(const struct texture_case *c, const struct texture *texture, int number,
                  uint32_t result[4])
{
    struct texture_at at = {.layer = (uint32_t)case_layer((uint32_t)number)};
    struct texture_taps taps;
    unsigned char texels[TEXTURE_MAX_TAPS][16];
    for (int axis = 0; axis < 3; axis++)
        at.x[axis] = (double)case_coordinate(c, (uint32_t)number, axis);
    double w = (double)case_coordinate(c, (uint32_t)number, 3);
    if (c->geometry == CASE_LINEAR) {
        at.is_integer = true;
        at.x[0] = number - 20;
    }
    at.level = w;
    if (c->operation == CASE_GRADIENT)
        at.level = texture_gradient_level(texture, 2, (double[3]){w / 8}, (double[3]){0, w / 16});
    if (c->operation == CASE_GATHER)
        texture_aim_gather(texture, geometry_of(c), &at, &taps);
    else
        texture_aim(texture, geometry_of(c), &at, &taps);
    for (unsigned i = 0; i < taps.count; i++)
        if (taps.tap[i].address)
            memcpy(texels[i], &store[taps.tap[i].address - BASE], texture_texel_bytes(texture));
    if (c->operation == CASE_GATHER)
        texture_gather(texture, &taps, (const unsigned char(*)[16])texels, (unsigned)c->component,
                       result);
    else
        texture_blend(texture, &taps, (const unsigned char(*)[16])texels, result);
}

/* Returns the allowed difference between a channel and the GPU's result. */
static double tolerance(const struct texture_case *c)
{
    if (c->is_srgb) /* The sRGB table has 7 bits of fraction. */
        return 1.0 / 256;
    if (c->kind == CASE_SIGNED && c->bits == 8 && c->is_linear) /* The GPU differs for -128. */
        return 0.001;
    if (c->level_filter) /* The GPU blends two levels differently. */
        return 0.02;
    return 0;
}

static bool is_as_measured(const struct texture_case *c, uint32_t want, uint32_t got)
{
    float a, b;
    memcpy(&a, &want, sizeof a);
    memcpy(&b, &got, sizeof b);
    return want == got || fabs((double)a - (double)b) <= tolerance(c);
}

/* In volumes that wrap or mirror, the GPU's weights of these fetches are not known. */
static const struct {
    int number, index;
} exceptions[] = {{58, 57}, {58, 61}, {62, 57}, {62, 61}};

static bool is_exception(const struct texture_case *c, int number, int index)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (exceptions[i].number == number && exceptions[i].index == index)
            return true;
    /* The first directions of a cube have infinite, huge or zero components. */
    return c->geometry >= CASE_CUBE && index < 20;
}

static void test_like_gpu(void **state)
{
    (void)state;
    FILE *file = fopen("profiler/emulator/testdata/texture_h200.csv", "r");
    struct texture_case c;
    struct texture texture;
    int number, index, last = -1, wrong = 0, compared = 0;
    char line[100];
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        uint32_t want[4] = {0}, got[4];
        assert_true(sscanf(line, "%d,%d,%x,%x,%x,%x", &number, &index, want, want + 1, want + 2,
                           want + 3) >= 3);
        if (number != last) {
            assert_int_equal(texture_case_get(number, &c), 1);
            make_texture(&c, &texture);
            last = number;
        }
        fetch(&c, &texture, index, got);
        compared++;
        for (int i = 0; i < 4 && !is_exception(&c, number, index); i++)
            if (!is_as_measured(&c, want[i], got[i]) && wrong++ < 10)
                print_error("case %d, fetch %d, channel %d: %08x on the GPU, %08x here\n", number,
                            index, i, want[i], got[i]);
    }
    fclose(file);
    assert_int_equal(texture_case_get(last + 1, &c), 0);
    assert_true(compared > 10000);
    assert_int_equal(wrong, 0);
}

static void test_layout(void **state)
{
    (void)state;
    struct texture texture = {.memory = TEXTURE_ARRAY};
    struct texture_level level = {
        .width = 40, .height = 13, .depth = 2, .pitch = 192, .slice = 192 * 16};
    static unsigned char seen[192 * 32];
    memset(seen, 0, sizeof seen);
    for (uint64_t z = 0; z < 2; z++)
        for (uint64_t y = 0; y < 16; y++)
            for (uint64_t x = 0; x < 192; x++) {
                uint64_t at = texture_counted(&texture, &level, x, y, z);
                assert_true(at < sizeof seen && !seen[at]);
                seen[at] = 1;
            }
    uint64_t first = texture_counted(&texture, &level, 80, 6, 1);
    assert_int_equal(first % 32, 0);
    assert_int_equal(texture_counted(&texture, &level, 95, 7, 1), first + 31);
}

/* The lanes of a warp fetch `columns` columns of texels, `step` texels apart, from an array of 64 x
 * 64 floats. On an H200, `sectors` sectors reached the L2 (testdata/measure_textures.sh). */
static void test_sectors(void **state)
{
    (void)state;
    static const struct {
        uint32_t columns, step;
        int sectors;
    } measured[] = {{1, 1, 16}, {1, 2, 32}, {2, 1, 8},  {2, 2, 16},  {4, 1, 4},  {4, 2, 16},
                    {8, 1, 4},  {8, 2, 16}, {16, 1, 4}, {16, 2, 16}, {32, 1, 8}, {32, 2, 16}};
    const struct texture texture = {.memory = TEXTURE_ARRAY};
    const struct texture_level level = {
        .width = 64, .height = 64, .depth = 1, .pitch = 256, .slice = 256 * 64};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        bool seen[256 * 64 / 32] = {false};
        int sectors = 0;
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint64_t x = lane % measured[i].columns * measured[i].step;
            uint64_t y = lane / measured[i].columns * measured[i].step;
            bool *sector = &seen[texture_counted(&texture, &level, 4 * x, y, 0) / 32];
            sectors += !*sector;
            *sector = true;
        }
        assert_int_equal(sectors, measured[i].sectors);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_gpu),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_sectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
