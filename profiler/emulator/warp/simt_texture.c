/* simt_texture.c: texture fetches, surface accesses and queries (texture.h). */
#include "base/bits.h"
#include "emulator/warp/sink.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct texture_geometry geometries[] = {
    [GEOMETRY_1D] = {1, false, false},  [GEOMETRY_2D] = {2, false, false},
    [GEOMETRY_3D] = {3, false, false},  [GEOMETRY_A1D] = {1, true, false},
    [GEOMETRY_A2D] = {2, true, false},  [GEOMETRY_CUBE] = {3, false, true},
    [GEOMETRY_ACUBE] = {3, true, true},
};

static const char *use_name(enum texture_use use)
{
    return use == TEXTURE_SURFACE ? "surface" : "texture";
}

static const struct texture *find_object(const struct step *step, unsigned lane,
                                         enum texture_use required)
{
    const struct emulator_launch *launch = step->block->launch;
    uint64_t handle = step_source(step, 0, lane);
    const struct texture *found =
        handle - 1 < launch->texture_count ? &launch->textures[handle - 1] : NULL;
    if (found && found->use == required)
        return found;
    if (found)
        simt_fault(step, lane, STATUS_OUT_OF_BOUNDS, "uses a %s object%s", use_name(required),
                   found->use == TEXTURE_DESTROYED ? " that was destroyed"
                   : required == TEXTURE_SURFACE   ? ", but the handle names a texture object"
                                                   : ", but the handle names a surface object");
    else
        simt_fault(step, lane, STATUS_OUT_OF_BOUNDS,
                   "uses 0x%" PRIx64
                   " as a %s object, but no call of cudaCreate%sObject returned this handle",
                   handle, use_name(required), required == TEXTURE_SURFACE ? "Surface" : "Texture");
    return NULL;
}

/* Set *same to the lanes of *left that use the first lane's object, and remove these lanes from
 * *left. Returns the object, or NULL after a fault. */
static const struct texture *take_object(const struct step *step, enum texture_use use,
                                         uint32_t *left, uint32_t *same)
{
    unsigned first = (unsigned)__builtin_ctz(*left);
    uint64_t handle = step_source(step, 0, first);
    *same = 0;
    FOR_LANES (lane, *left)
        *same |= (uint32_t)(step_source(step, 0, lane) == handle) << lane;
    *left &= ~*same;
    return find_object(step, first, use);
}

static const struct operand *element(const struct step *step, unsigned number)
{
    return &step->fragment->frame->function->operands[step->instruction->extra + number];
}

/* Returns a lane's value of operand `number` of the operands that follow the vector. */
static uint32_t input(const struct step *step, unsigned number, unsigned lane)
{
    return (uint32_t)frame_lane(step->fragment->frame,
                                element(step, step->instruction->vector + number), lane);
}

static double number_of(uint32_t bits, bool is_float)
{
    return is_float ? (double)float_f32(bits) : (int32_t)bits;
}

static struct texture_at fetch_at(const struct step *step, const struct texture *texture,
                                  unsigned lane)
{
    struct texture_form form = texture_form(step->instruction);
    struct texture_geometry geometry = geometries[form.geometry];
    struct texture_at at = {.is_integer = !form.is_float};
    double slopes[2][3] = {{0}};
    unsigned next = 0;
    if (geometry.is_layered)
        at.layer = input(step, next++, lane);
    for (unsigned axis = 0; axis < geometry.axes; axis++)
        at.x[axis] = number_of(input(step, next++, lane), form.is_float);
    if (form.level == LEVEL_GIVEN)
        at.level = number_of(input(step, next, lane), form.is_float);
    if (form.level == LEVEL_GRADIENT) {
        for (unsigned i = 0; i < 2; i++)
            for (unsigned axis = 0; axis < geometry.axes; axis++)
                slopes[i][axis] = number_of(input(step, next++, lane), true);
        at.level = texture_gradient_level(texture, geometry.axes, slopes[0], slopes[1]);
    }
    return at;
}

struct fetch {
    struct texture_taps taps[LANES];
    unsigned char texels[LANES][TEXTURE_MAX_TAPS][16];
    uint64_t counted[LANES * TEXTURE_MAX_TAPS];
    size_t count;
};

static bool read_tap(const struct step *step, struct fetch *fetch, uint32_t mask, unsigned bytes,
                     unsigned number)
{
    uint64_t address[LANES] = {0};
    unsigned char *texel[LANES];
    uint32_t inside = 0;
    FOR_LANES (lane, mask) {
        const struct texture_tap *tap = &fetch->taps[lane].tap[number];
        if (number >= fetch->taps[lane].count || !tap->address)
            continue;
        inside |= 1u << lane;
        address[lane] = tap->address;
        texel[lane] = fetch->texels[lane][number];
        fetch->counted[fetch->count++] = tap->counted;
    }
    return !inside || simt_texel_read(step, inside, bytes, address, texel);
}

static bool fetch_lanes(const struct step *step, const struct texture *texture, uint32_t mask)
{
    struct frame *frame = step->fragment->frame;
    struct texture_form form = texture_form(step->instruction);
    struct texture_geometry geometry = geometries[form.geometry];
    unsigned bytes = texture_texel_bytes(texture), taps = 0;
    struct fetch fetch;
    fetch.count = 0;
    FOR_LANES (lane, mask) {
        struct texture_at at = fetch_at(step, texture, lane);
        (form.is_gather ? texture_aim_gather : texture_aim)(texture, geometry, &at,
                                                            &fetch.taps[lane]);
        taps = fetch.taps[lane].count > taps ? fetch.taps[lane].count : taps;
    }
    for (unsigned i = 0; i < taps; i++)
        if (!read_tap(step, &fetch, mask, bytes, i))
            return false;
    FOR_LANES (lane, mask) {
        const unsigned char(*texels)[16] = (const unsigned char(*)[16])fetch.texels[lane];
        uint32_t result[4];
        if (form.is_gather)
            texture_gather(texture, &fetch.taps[lane], texels, form.component, result);
        else
            texture_blend(texture, &fetch.taps[lane], texels, result);
        for (unsigned i = 0; i < 4; i++)
            frame_set_lane(frame, element(step, i), lane, result[i]);
    }
    return ASK(true, step->block, texels, step, ACCESS_LOAD, fetch.counted, fetch.count,
               (unsigned)__builtin_popcount(mask) * bytes);
}

bool simt_texture(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    step->warp->hands_over |= step->block->run->keeps_turns;
    for (uint32_t left = step->mask, same; left;) {
        const struct texture *texture = take_object(step, TEXTURE_OBJECT, &left, &same);
        if (!texture || !fetch_lanes(step, texture, same))
            return false;
    }
    if (instruction->destination2.used) /* All texels are resident: arrays are not sparse. */
        frame_set_predicate(step->fragment->frame, &instruction->destination2, step->mask, ~0u);
    return true;
}

static uint32_t query(const struct texture *texture, enum texture_query what)
{
    const struct texture_level *level = &texture->levels[0];
    switch (what) {
    case QUERY_WIDTH:
        return level->width;
    case QUERY_HEIGHT:
        return level->height;
    case QUERY_DEPTH:
    case QUERY_ARRAY_SIZE:
        return level->depth;
    case QUERY_LEVELS:
        return texture->level_count;
    default:
        return texture->is_normalised;
    }
}

bool simt_texture_query(const struct step *step)
{
    enum texture_query what = (enum texture_query)texture_form(step->instruction).query;
    enum texture_use use =
        step->instruction->opcode == PTX_OP_SUQ ? TEXTURE_SURFACE : TEXTURE_OBJECT;
    FOR_LANES (lane, step->mask) {
        const struct texture *texture = find_object(step, lane, use);
        if (!texture)
            return false;
        frame_set_lane(step->fragment->frame, &step->instruction->destination, lane,
                       query(texture, what));
    }
    return true;
}

static bool clamp_to(int64_t *x, int64_t places)
{
    int64_t given = *x;
    *x = given < 0 ? 0 : given >= places ? places - 1 : given;
    return *x == given;
}

static bool fault_outside(const struct step *step, unsigned lane, const int64_t at[3],
                          const struct texture_level *level, uint64_t row, unsigned bytes)
{
    return simt_fault(step, lane, STATUS_OUT_OF_BOUNDS,
                      "%s %u bytes out of bounds of a surface: byte %" PRId64 " of row %" PRId64
                      " in slice %" PRId64 ". The surface has %u rows of %" PRIu64
                      " bytes in each of %u slices",
                      step->instruction->kind == SIMT_SURFACE_LOAD ? "reads" : "writes", bytes,
                      at[0], at[1], at[2], level->height, row, level->depth);
}

/* Check and execute the accesses of lanes. The coordinate x counts bytes (PTX ISA, "suld"). */
static bool access_lanes(const struct step *step, const struct texture *surface, uint32_t mask)
{
    const struct instruction *instruction = step->instruction;
    struct texture_form form = texture_form(instruction);
    struct texture_geometry geometry = geometries[form.geometry];
    const struct texture_level *level = &surface->levels[0];
    bool loads = instruction->kind == SIMT_SURFACE_LOAD;
    bool adds = instruction->kind == SIMT_SURFACE_ATOMIC;
    unsigned bytes = (unsigned)instruction->bytes * (adds ? 1 : instruction->vector);
    uint64_t row = (uint64_t)level->width * texture_texel_bytes(surface);
    uint64_t address[LANES] = {0}, counted[LANES];
    uint32_t inside = 0;
    size_t count = 0;
    FOR_LANES (lane, mask) {
        int64_t at[3] = {0}, given[3];
        unsigned next = 0;
        if (geometry.is_layered)
            at[2] = (int32_t)input(step, next++, lane);
        for (unsigned axis = 0; axis < geometry.axes; axis++)
            at[axis] = (int32_t)input(step, next++, lane);
        memcpy(given, at, sizeof given);
        if (at[0] % bytes)
            return simt_fault(step, lane, STATUS_MISALIGNED,
                              "%s %u bytes of a surface's row at byte %" PRId64 ", which is not "
                              "a multiple of %u. The unit of the coordinate x is a byte",
                              loads ? "reads" : "writes", bytes, at[0], bytes);
        at[0] /= bytes;
        bool is_inside = clamp_to(&at[0], (int64_t)(row / bytes));
        is_inside &= clamp_to(&at[1], level->height);
        is_inside &= clamp_to(&at[2], level->depth);
        if (!is_inside && form.outside == SURFACE_TRAP)
            return fault_outside(step, lane, given, level, row, bytes);
        if (!is_inside && form.outside == SURFACE_ZERO)
            continue;
        uint64_t x = (uint64_t)at[0] * bytes, y = (uint64_t)at[1], z = (uint64_t)at[2];
        inside |= 1u << lane;
        address[lane] = level->base + z * level->slice + y * level->pitch + x;
        counted[count++] = texture_counted(surface, level, x, y, z);
    }
    for (unsigned i = 0; loads && i < instruction->vector; i++)
        FOR_LANES (lane, mask & ~inside)
            frame_set_lane(step->fragment->frame, element(step, i), lane, 0);
    enum access_kind kind = loads ? ACCESS_LOAD : adds ? ACCESS_ATOMIC : ACCESS_STORE;
    return (!inside || simt_surface_move(step, inside, address)) &&
           ASK(true, step->block, texels, step, kind, counted, count,
               (unsigned)__builtin_popcount(inside) * bytes);
}

bool simt_surface(const struct step *step)
{
    step->warp->hands_over |= step->block->run->keeps_turns;
    for (uint32_t left = step->mask, same; left;) {
        const struct texture *surface = take_object(step, TEXTURE_SURFACE, &left, &same);
        if (!surface || !access_lanes(step, surface, same))
            return false;
    }
    return true;
}
