/* measure_sizes.c: measure the sizes of a rubric, and larger sizes; see measure_work.h. Theory of
 * operation. A kernel may be correct only up to a limit that exceeds all sizes of a rubric. A limit
 * is visible as a constant in a comparison of the PTX, or as a grid that stops growing. It may
 * limit a side, the number of elements, or the number of blocks. The kernel is verified at sizes
 * that exceed each limit, unless these sizes have too many elements. */
#include "judge/measure_work.h"

#include "course/arrays.h"

#include <math.h>
#include <string.h>

enum {
    UNIT = 64, /* A multiple of common tile sides, so that blocks can be sampled. */
    TILE = 32,
    BLOCK = 256,
    LIMITS_MAX = 64,
    LIMIT_LEAST = 65, /* Smallest limit, because the huge size has 64 x 64 tiles. */
    BYTES = 4,
    SIDE_LEAST = 1024,   /* Smallest limit of a side: the largest number of threads of a block. */
    SIDE_MOST = 4160,    /* Largest side: the sandbox has memory for about 17 million elements. */
    IDLE_TILES = 8192,   /* Cost of idle blocks at a size, in tiles. */
    LENGTH_LEAST = 65535 /* The rubric's far sizes exceed limits up to this length. */
};
static const uint64_t area_least = 2048 * 2048, area_most = SIDE_MOST * SIDE_MOST,
                      length_most = 1 << 18,
                      tiles_most = 100000; /* Limit for the sum of all sizes, in tiles. */

struct beyond {
    struct measure_work *work;
    const struct rubric_size *from;
    uint64_t limits[LIMITS_MAX];
    unsigned count;
    uint64_t tiles;
    struct failure *failure;
};

/* Round a size up to a size that the exercise allows, and verify the kernel there unless the size
 * is too large. For RUBRIC_FAR, only a sample of the blocks runs. */
static void verify(struct beyond *beyond, uint64_t rows, uint64_t cols, enum rubric_size_kind kind)
{
    const struct exercise *exercise = &beyond->work->rubric->exercise;
    const bool whole = exercise->whole_tiles || beyond->work->whole_only;
    const uint64_t tile = whole ? exercise->tile : 1;
    struct rubric_size size = *beyond->from;
    size.kind = kind;
    size.rows = (rows + tile - 1) / tile * tile;
    size.cols = beyond->work->square_only ? size.rows : (cols + tile - 1) / tile * tile;
    exercise_size(exercise, &size.rows, &size.cols);
    beyond->tiles += exercise->one_row ? MEASURE_TILES(size.cols) / TILE
                                       : MEASURE_TILES(size.rows) * MEASURE_TILES(size.cols);
    beyond->tiles += beyond->work->measurement->is_idle ? IDLE_TILES : 0;
    if (beyond->failure->status == STATUS_OK && size.rows * size.cols <= area_most &&
        beyond->tiles <= tiles_most)
        measure_verify(beyond->work, &size, LAUNCH_COMPUTE, beyond->failure);
}

static void verify_strips(struct beyond *beyond, uint64_t length, uint64_t width, uint64_t widest)
{
    for (; width <= widest && length <= length_most; width += width + 1 - width % 2) {
        verify(beyond, width, length, RUBRIC_FAR);
        verify(beyond, length, width, RUBRIC_FAR);
    }
}

static uint64_t constant_of(const struct ptx_operand *operand)
{
    double number = 0;
    float single;
    if (operand->kind == PTX_OPERAND_INTEGER)
        return operand->integer < 0 ? -(uint64_t)operand->integer : (uint64_t)operand->integer;
    if (operand->kind == PTX_OPERAND_FLOAT && operand->float_bytes == sizeof number)
        memcpy(&number, &operand->bits, sizeof number);
    if (operand->kind == PTX_OPERAND_FLOAT && operand->float_bytes == sizeof single) {
        memcpy(&single, &operand->bits, sizeof single);
        number = single;
    }
    return number > 0 && number <= (double)(BYTES * area_most) ? (uint64_t)number : 0;
}

static bool is_mask(uint64_t number)
{
    return !(number & (number + 1));
}

/* Add constants that may be limits of a kernel: operands of comparisons, subtracted constants (for
 * comparisons with a range), and large masks and single bits (for multiples of powers of two).
 * Factors are also added, except powers of two, which occur in addresses. A constant that is too
 * large for a number of elements is used as a number of bytes. */
static void add_limits(struct beyond *beyond, const struct ptx_instruction *instruction)
{
    const unsigned opcode = instruction->opcode;
    const bool compares = opcode == PTX_OP_SETP || opcode == PTX_OP_SET || opcode == PTX_OP_MIN ||
                          opcode == PTX_OP_MAX;
    for (unsigned k = 1; k < instruction->operand_count; k++) {
        const struct ptx_operand *operand = &instruction->operands[k];
        const uint64_t constant = constant_of(operand),
                       limit = constant > area_most ? constant / BYTES : constant;
        unsigned same = 0;
        while (same < beyond->count && beyond->limits[same] != limit)
            same++;
        if (same == beyond->count && same < LIMITS_MAX && limit >= LIMIT_LEAST &&
            limit <= area_most &&
            (compares || (opcode == PTX_OP_ADD && operand->integer < 0) ||
             ((opcode == PTX_OP_MUL || opcode == PTX_OP_MAD) && TILE * limit < SIDE_MOST &&
              !is_mask(limit - 1)) ||
             (opcode == PTX_OP_AND && limit > SIDE_LEAST &&
              (is_mask(limit) || is_mask(limit - 1)))))
            beyond->limits[beyond->count++] = limit;
    }
}

static void find_limits(struct beyond *beyond)
{
    const struct ptx_module *module = &beyond->work->source.module;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++)
            add_limits(beyond, &module->functions[f].instructions[i]);
}

static void exceed_side(struct beyond *beyond, double limit, uint64_t least)
{
    const uint64_t side = ((uint64_t)limit / UNIT + 1) * UNIT;
    if (limit >= (double)least && side <= SIDE_MOST)
        verify(beyond, side, side, RUBRIC_FAR);
}

static void exceed(struct beyond *beyond, uint64_t limit)
{
    const double root = sqrt((double)limit);
    const uint64_t least = beyond->from->rows;
    if (least == 1) {
        for (uint64_t each = 1; each <= BLOCK; each *= BLOCK)
            if (limit * each >= area_least)
                verify(beyond, 1, (limit + 1) * each + 1, RUBRIC_FAR);
        return;
    }
    exceed_side(beyond, (double)limit, SIDE_LEAST);
    /* Exceed the limit by a quarter, so that many blocks are past the limit. */
    if (TILE * (limit + 1) < SIDE_MOST)
        exceed_side(beyond, fmin(1.25 * TILE * (double)limit, SIDE_MOST - 1), least);
    exceed_side(beyond, root, least);
    exceed_side(beyond, TILE * (root + 1), least);
    if (limit >= LENGTH_LEAST / TILE)
        verify_strips(beyond, TILE * (limit + 2) + 1, 1, 1);
    if (beyond->work->rubric->exercise.form.matrices > 1) {
        const bool few = limit < LENGTH_LEAST;
        beyond->work->matrices = limit + 1;
        verify(beyond, few ? 3 : 1, few ? 5 : 1, RUBRIC_ONE);
        beyond->work->matrices = 1;
    }
    if (limit < SIDE_LEAST)
        return;
    verify_strips(beyond, (limit + TILE) | 1, 1, limit < LENGTH_LEAST ? 3 * TILE : 1);
    if (is_mask(limit))
        verify_strips(beyond, limit + 1, TILE, TILE);
}

static uint64_t blocks_at(const struct beyond *beyond, uint64_t rows, uint64_t cols)
{
    return measure_blocks(beyond->work, (struct source_size){rows, cols});
}

/* If the grid stops growing with a line's length, verify a line that is too long for the grid. */
static void exceed_grid(struct beyond *beyond, bool tall)
{
    enum { LENGTH = 1 << 16, TIMES = 64 };
    const uint64_t unit = beyond->work->rubric->exercise.tile, more = TIMES * LENGTH,
                   less = blocks_at(beyond, tall ? LENGTH : unit, tall ? unit : LENGTH),
                   most = blocks_at(beyond, tall ? more : unit, tall ? unit : more);
    const uint64_t length = less ? most * LENGTH / less * 5 / 4 : 0;
    if (length && 2 * most < TIMES * less && length <= length_most)
        verify(beyond, tall ? length : 1, tall ? 1 : length, RUBRIC_FAR);
}

/* A grid that does not grow may be large enough for the huge size. Therefore, verify a size with
 * UNIT x UNIT elements per block, and with LEAST to MOST times the elements of the huge size. */
static void exceed_blocks(struct beyond *beyond)
{
    enum { TIMES = 64, LEAST = 2, MOST = 4 };
    const bool line = beyond->from->rows == 1;
    const uint64_t rows = beyond->from->rows, cols = beyond->from->cols,
                   blocks = blocks_at(beyond, rows, cols),
                   most = blocks_at(beyond, line ? 1 : rows * 8, cols * (line ? TIMES : 8));
    const double elements = (double)(rows * cols),
                 area = fmin(fmax(UNIT * UNIT * (double)blocks, LEAST * elements), MOST * elements);
    const uint64_t side = line ? (uint64_t)area : (uint64_t)ceil(sqrt(area) / TILE) * TILE;
    if (2 * most < TIMES * blocks)
        verify(beyond, line ? 1 : side, side, RUBRIC_FAR);
}

/* If the kernel may compute a limit of the block index, verify the largest odd and even sizes. If
 * no condition depends on the size, verify only one of the two; the secret seed selects it. */
static void exceed_unknown(struct beyond *beyond)
{
    static const struct source_size sizes[] = {{4097, 4099}, {4156, 4158}};
    const bool line = beyond->from->rows == 1;
    const struct measure_conditions *conditions = &beyond->work->conditions;
    if (!conditions->limits_blocks)
        return;
    beyond->work->samples_nearly = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (conditions->count || conditions->is_hidden || beyond->from->seed % 2 == i)
            verify(beyond, line ? 1 : sizes[i].rows, (line ? sizes[i].rows : 1) * sizes[i].cols,
                   RUBRIC_FAR);
    beyond->work->samples_nearly = false;
}

/* A grid may have one block per matrix, or one block per group of a few matrices. `exceed` tests
 * constant limits later. */
static void exceed_batch(struct beyond *beyond)
{
    enum { USUAL = 260, MANY = 4100 };
    const uint64_t blocks = blocks_at(beyond, 1, 1);
    if (beyond->work->rubric->exercise.form.matrices < 2 || blocks > area_most)
        return;
    beyond->work->matrices = blocks + 1;
    verify(beyond, 1, 1, RUBRIC_ONE);
    beyond->work->matrices = beyond->work->conditions.limits_blocks ? MANY : USUAL;
    verify(beyond, 3, 5, RUBRIC_ONE);
    beyond->work->matrices = 1;
}

/* A kernel's counter may be too small for many equal values, so verify with repeated values. */
static void exceed_values(struct beyond *beyond)
{
    enum { LENGTH = 300001, SIDE = 576 };
    struct run_options *options = &beyond->work->options;
    const struct exercise *exercise = &beyond->work->rubric->exercise;
    const bool has = exercise->function >= 0 && exercise->form.parameters[0].type == FORM_UNSIGNED;
    for (unsigned k = 1; k < VALUES_COUNT && has; k++) {
        options->size.values = k;
        verify(beyond, exercise->one_row ? 1 : SIDE, exercise->one_row ? LENGTH : SIDE,
               RUBRIC_LARGE);
    }
    options->size.values = VALUES_RANDOM;
}

static void verify_beyond(struct measure_work *work, const struct rubric_size *huge,
                          struct failure *failure)
{
    enum { LONG = 1920, SHORT = 960 };
    struct beyond beyond = {.work = work, .from = huge, .failure = failure};
    const bool tall = huge->seed % 2;
    work->matrices = 1; /* with several matrices, this size takes too long */
    verify(&beyond, tall ? LONG : SHORT, tall ? SHORT : LONG, RUBRIC_FAR);
    exceed_blocks(&beyond);
    exceed_unknown(&beyond);
    exceed_batch(&beyond);
    exceed_values(&beyond);
    if (huge->rows > 1 && !work->rubric->exercise.square && !work->square_only) {
        exceed_grid(&beyond, false);
        exceed_grid(&beyond, true);
    }
    find_limits(&beyond);
    for (unsigned i = 0; i < beyond.count; i++)
        exceed(&beyond, beyond.limits[i]);
    work->matrices = 0;
}

/* The kernel may be correct only for wide matrices or odd widths, so exchange rows and columns.
 * After a large size, also verify a map at an odd square. */
static void verify_turned(struct measure_work *work, const struct rubric_size *size,
                          struct failure *failure)
{
    const uint64_t odd = 1027 + size->seed % 32 * 2;
    const bool large = size->kind == RUBRIC_LARGE;
    struct beyond beyond = {.work = work, .from = size, .failure = failure};
    if (size->rows == 1 || size->rows == size->cols)
        return;
    work->samples_nearly = large && !work->rubric->exercise.whole_tiles;
    verify(&beyond, size->cols, size->rows, large ? RUBRIC_FAR : size->kind);
    if (large && work->rubric->exercise.function < 0)
        verify(&beyond, odd, odd, RUBRIC_FAR);
    work->samples_nearly = false;
}

void measure_further_sizes(struct measure_work *work)
{
    /* Squares, sides of whole tiles, multiples of 7, 11 and 13, powers of two, long and thin sizes.
     * Lines: multiples of 100, of small primes and of large powers of two. */
    static const struct source_size sizes[] = {
        {1000, 1000}, {1024, 1000}, {1000, 1024}, {1001, 1155}, {1155, 1020}, {1024, 1024},
        {1024, 2048}, {2048, 1024}, {900, 300},   {300, 900},   {255, 1020},  {1020, 255},
        {2, 3000},    {3000, 2},    {90, 9600},   {9600, 90},   {1295, 1295}, {4096, 4096},
        {1, 100000},  {1, 99950},   {1, 510510},  {1, 1 << 20}, {1, 3 << 20}, {1, 1234567}};
    static const struct batch {
        uint64_t matrices, rows, cols;
    } batches[] = {{9, 520, 512}, {100, 64, 70}, {205, 33, 47}, {4096, 5, 3}};
    const struct exercise *exercise = &work->rubric->exercise;
    struct failure failure = {0};
    unsigned huge = 0;
    uint32_t line = 0;
    while (huge < work->rubric->size_count && work->rubric->sizes[huge].kind != RUBRIC_HUGE)
        huge++;
    if (huge < work->rubric->size_count && work->published == STATUS_OK && !work->ran_away &&
        !work->wrong_in_hiding && measure_conditions_open(work, &line)) {
        struct beyond beyond = {
            .work = work, .from = &work->rubric->sizes[huge], .failure = &failure};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && failure.status == STATUS_OK &&
                           measure_conditions_open(work, &line);
             i++) {
            work->matrices = 1;
            const bool sampled = sizes[i].rows % UNIT == 0 && sizes[i].cols % UNIT == 0;
            if ((sizes[i].rows == 1) == exercise->one_row)
                verify(&beyond, sizes[i].rows, sizes[i].cols, sampled ? RUBRIC_FAR : RUBRIC_LARGE);
        }
        for (size_t i = 0; i < sizeof batches / sizeof *batches && exercise->form.matrices > 1 &&
                           measure_conditions_open(work, &line);
             i++) {
            work->matrices = batches[i].matrices;
            verify(&beyond, batches[i].rows, batches[i].cols, RUBRIC_LARGE);
        }
        work->matrices = 0;
        /* A timeout at a further size costs a slow kernel no points. */
        if (failure.status == STATUS_OK || failure.status == STATUS_TIMEOUT) {
            work->ran_away = false;
            if (measure_conditions_open(work, &line))
                work->measurement->untried_line = line;
        } else {
            measured_size_set(&work->measurement->sizes[huge], &failure);
            work->wrong_in_hiding = true;
        }
    }
    work->conditions.is_closed = true;
}

bool measure_takes_long(const struct rubric_size *size)
{
    enum { TILES_MOST = 25 };
    return size->hidden && MEASURE_TILES(size->rows) * MEASURE_TILES(size->cols) > TILES_MOST;
}

bool measure_size(struct measure_work *work, const struct rubric_size *size,
                  struct measured_size *measured)
{
    enum { SEVERAL = 2 };
    const bool takes_long = measure_takes_long(size), huge = size->kind == RUBRIC_HUGE;
    const uint64_t elements = size->rows * size->cols;
    struct failure failure = {0};
    if (huge && work->wrong_in_hiding)
        failure_student(&failure, STATUS_WRONG_RESULT,
                        "not run, because the kernel already fails at another hidden size");
    else if (!measure_refuses(work, takes_long, &failure)) {
        /* Large sizes are checked for races and uninitialized values only if a block processes more
         * elements there than at the smaller sizes. */
        measure_verify(work, size, takes_long ? LAUNCH_COMPUTE : LAUNCH_CHECK, &failure);
        if (takes_long && !huge && failure.status == STATUS_OK && work->last_blocks &&
            elements / work->last_blocks >= SEVERAL * work->per_block)
            measure_verify(work, size, LAUNCH_CHECK, &failure);
        if (huge && failure.status == STATUS_OK)
            verify_beyond(work, size, &failure);
        if (size->kind == RUBRIC_LARGE || size->kind == RUBRIC_LONG)
            verify_turned(work, size, &failure);
    }
    measured_size_set(measured, &failure);
    work->wrong_in_hiding |= size->hidden && measured->status != STATUS_OK;
    return measured->status == STATUS_OK;
}
