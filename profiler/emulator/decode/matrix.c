#include "emulator/decode/matrix.h"

enum { CORE_ROWS = 8, LANES_OF_ROW = 4 };

static const struct matrix_shape shapes[] = {
    {PTX_MOD_M8N8K4, 8, 8, 4},       {PTX_MOD_M8N8K16, 8, 8, 16},     {PTX_MOD_M8N8K32, 8, 8, 32},
    {PTX_MOD_M8N8K128, 8, 8, 128},   {PTX_MOD_M16N8K4, 16, 8, 4},     {PTX_MOD_M16N8K8, 16, 8, 8},
    {PTX_MOD_M16N8K16, 16, 8, 16},   {PTX_MOD_M16N8K32, 16, 8, 32},   {PTX_MOD_M16N8K64, 16, 8, 64},
    {PTX_MOD_M16N8K128, 16, 8, 128}, {PTX_MOD_M16N8K256, 16, 8, 256}, {PTX_MOD_M16N16K8, 16, 16, 8},
    {PTX_MOD_M16N16K16, 16, 16, 16}, {PTX_MOD_M32N8K16, 32, 8, 16},   {PTX_MOD_M8N32K16, 8, 32, 16},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

const struct matrix_shape *matrix_shape_find(const struct ptx_instruction *instruction)
{
    for (unsigned i = 0; i < SHAPES; i++)
        if (ptx_has(instruction, (enum ptx_modifier)shapes[i].modifier))
            return &shapes[i];
    return NULL;
}

const struct matrix_shape *matrix_shape_at(unsigned number)
{
    return &shapes[number < SHAPES ? number : 0];
}

unsigned matrix_shape_number(const struct matrix_shape *shape)
{
    return (unsigned)(shape - shapes);
}

static unsigned type_bits(enum ptx_type type)
{
    switch (type) {
    case PTX_S4:
    case PTX_U4:
        return 4;
    case PTX_B1:
        return 32;
    default:
        return 8 * ptx_type_bytes(type);
    }
}

bool matrix_map_make(const struct matrix_shape *shape, enum matrix_role role, enum ptx_type type,
                     struct matrix_map *map)
{
    unsigned bits = type_bits(type), inner = shape->k;
    if (type == PTX_B1)
        inner /= 32;
    if (bits < 4 || bits > 64)
        return false;
    unsigned per_register = bits < 32 ? 32 / bits : 1, run = role == MATRIX_C ? 2 : per_register;
    unsigned rows = role == MATRIX_B ? inner : shape->m;
    unsigned columns = role == MATRIX_A ? inner : shape->n;
    /* Length of the matrix in the direction of a run, in elements. */
    unsigned along = role == MATRIX_B ? rows : columns;
    unsigned elements = rows * columns / LANES;
    if (rows > MATRIX_MAX_EDGE || columns > MATRIX_MAX_EDGE || along % (LANES_OF_ROW * run) ||
        elements % per_register)
        return false;
    *map = (struct matrix_map){
        .rows = (uint16_t)rows,
        .columns = (uint16_t)columns,
        .bits = (uint8_t)bits,
        .per_register = (uint8_t)per_register,
        .run = (uint8_t)run,
        .elements = (uint8_t)elements,
        .registers = (uint8_t)(elements / per_register),
        .high = (uint8_t)(rows / (role == MATRIX_B ? LANES_OF_ROW * run : CORE_ROWS)),
        .is_turned = role == MATRIX_B,
        .type = type,
    };
    return elements && map->high;
}

struct matrix_place matrix_place(const struct matrix_map *map, unsigned lane, unsigned element,
                                 bool swaps)
{
    unsigned core = element / map->run, width = LANES_OF_ROW * map->run;
    unsigned across = lane / LANES_OF_ROW;
    unsigned along = lane % LANES_OF_ROW * map->run + element % map->run;
    unsigned below = core % map->high, beside = core / map->high;
    struct matrix_place place = {below * (map->is_turned ? width : CORE_ROWS),
                                 beside * (map->is_turned ? CORE_ROWS : width)};
    bool turned = map->is_turned != swaps;
    place.row += turned ? along : across;
    place.column += turned ? across : along;
    return place;
}

void matrix_maps_find(uint32_t control, struct matrix_map maps[MATRIX_FRAGMENTS])
{
    static const enum matrix_role roles[] = {MATRIX_C, MATRIX_A, MATRIX_B, MATRIX_C};
    const struct matrix_shape *shape = matrix_shape_at(control & ((1 << MATRIX_TYPES) - 1));
    for (unsigned i = 0; i < MATRIX_FRAGMENTS; i++)
        matrix_map_make(shape, roles[i], matrix_type(control, i), &maps[i]);
}
