/* simt_frame.c: create frames, which contain the registers and parameters of a function. */
#include "emulator/warp/simt_state.h"

#include <stdlib.h>
#include <string.h>

/* Columns: register, section of the PTX ISA, true if blocks have different values, value in a lane.
 * `bit` is the lane's bit in a mask. Unlisted registers are 0 (%gridid) or clocks (SIMT_CLOCK). */
/* clang-format off */
#define SPECIAL_LIST(X)                                                                            \
    X(TID_X, 10.1, false, thread % launch->block.x)                                                \
    X(TID_Y, 10.1, false, thread / launch->block.x % launch->block.y)                              \
    X(TID_Z, 10.1, false, thread / launch->block.x / launch->block.y)                              \
    X(NTID_X, 10.2, false, launch->block.x)                                                        \
    X(NTID_Y, 10.2, false, launch->block.y)                                                        \
    X(NTID_Z, 10.2, false, launch->block.z)                                                        \
    X(LANEID, 10.3, false, lane)                                                                   \
    X(WARPID, 10.4, false, warp->index)                                                            \
    X(NWARPID, 10.5, false, block->warp_count)                                                     \
    X(CTAID_X, 10.6, true, block->index.x)                                                         \
    X(CTAID_Y, 10.6, true, block->index.y)                                                         \
    X(CTAID_Z, 10.6, true, block->index.z)                                                         \
    X(NCTAID_X, 10.7, false, launch->grid.x)                                                       \
    X(NCTAID_Y, 10.7, false, launch->grid.y)                                                       \
    X(NCTAID_Z, 10.7, false, launch->grid.z)                                                       \
    X(SMID, 10.8, true, launch->is_anonymous ? 0 : block->sm)                                      \
    X(NSMID, 10.9, false, launch->is_anonymous ? 1 : (uint32_t)launch->device->multiprocessors)    \
    X(LANEMASK_EQ, 10.18, false, bit)                                                              \
    X(LANEMASK_LE, 10.19, false, bit | (bit - 1))                                                  \
    X(LANEMASK_LT, 10.20, false, bit - 1)                                                          \
    X(LANEMASK_GE, 10.21, false, ~(bit - 1))                                                       \
    X(LANEMASK_GT, 10.22, false, ~(bit | (bit - 1)))                                               \
    X(TOTAL_SMEM_SIZE, 10.30, false, (uint32_t)(static_shared + launch->dynamic_shared))           \
    X(DYNAMIC_SMEM_SIZE, 10.32, false, (uint32_t)launch->dynamic_shared)                           \
    X(RESERVED_SMEM_BEGIN, 10.33, false, (uint32_t)block->reserved)                                \
    X(RESERVED_SMEM_END, 10.33, false, (uint32_t)(block->reserved + RESERVED_SMEM_BYTES))          \
    X(RESERVED_SMEM_CAP, 10.33, false, RESERVED_SMEM_BYTES)                                        \
    X(RESERVED_SMEM_0, 10.33, false, (uint32_t)block->reserved)                                    \
    X(RESERVED_SMEM_1, 10.33, false, (uint32_t)block->reserved + RESERVED_SMEM_BYTES / 4)          \
    X(ENVREG1, 10.28, false, (uint32_t)(launch->grid_workspace >> 32))                             \
    X(ENVREG2, 10.28, false, (uint32_t)launch->grid_workspace)
/* clang-format on */

typedef void fill_special(const struct simt_block *block, const struct warp *warp, uint32_t *lanes);

#define X(id, section, varies, value)                                                              \
    static void fill_##id(const struct simt_block *block, const struct warp *warp,                 \
                          uint32_t *lanes)                                                         \
    {                                                                                              \
        const struct emulator_launch *const launch = block->launch;                                \
        const uint32_t first = warp->index * (uint32_t)launch->device->warp_lanes;                 \
        const uint64_t static_shared = block->shared_static_end;                                   \
        for (uint32_t lane = 0; lane < LANES; lane++) {                                            \
            const uint32_t thread = first + lane, bit = 1u << lane;                                \
            (void)thread, (void)bit, (void)static_shared;                                          \
            lanes[lane] = value;                                                                   \
        }                                                                                          \
    }
SPECIAL_LIST(X)
#undef X

static const struct {
    fill_special *fill;
    bool varies;
} specials[PTX_SPECIAL_COUNT] = {
#define X(id, section, varies, value) [PTX_SPECIAL_##id] = {fill_##id, varies},
    SPECIAL_LIST(X)
#undef X
};

void frame_begin(const struct simt_block *block, const struct warp *warp, struct frame *frame)
{
    const struct program_function *function = frame->function;
    memset(frame->registers, 0, FRAME_SCRATCH);
    if (!frame->begun || function->reads_early)
        memset(frame->registers + function->registers_begin, 0,
               (frame->begun ? function->invariant_begin : function->frame_bytes) -
                   function->registers_begin);
    for (unsigned lane = 0; !frame->begun && lane < LANES; lane++)
        memcpy(frame->registers + FRAME_LOCAL_BASE + 8 * lane, &frame->local_base,
               sizeof frame->local_base);
    for (size_t i = 0; i < function->special_count; i++) {
        enum ptx_special special = function->specials[i].special;
        uint32_t *lanes = (uint32_t *)(void *)(frame->registers + function->specials[i].offset);
        if (frame->begun && !specials[special].varies)
            continue;
        if (specials[special].fill)
            specials[special].fill(block, warp, lanes);
        else
            memset(lanes, 0, LANES * sizeof *lanes);
    }
    frame->begun = true;
}

struct frame *frame_create(const struct emulator_launch *launch, int function_index)
{
    const struct program_function *function = &launch->program->functions[function_index];
    struct frame *frame = calloc(1, sizeof *frame);
    if (!frame)
        return NULL;
    frame->function = function;
    frame->function_index = function_index;
    frame->registers = aligned_alloc(64, function->frame_bytes);
    frame->params = calloc(LANES, function->params_bytes ? function->params_bytes : 1);
    if (!frame->registers || !frame->params) {
        simt_frame_free(frame);
        return NULL;
    }
    return frame;
}

void simt_frame_free(struct frame *frame)
{
    if (!frame)
        return;
    free(frame->registers);
    free(frame->params);
    free(frame);
}

static uint64_t frame_bytes(const struct frame *frame)
{
    return frame->function->frame_bytes + (uint64_t)LANES * frame->function->params_bytes;
}

void frame_link(struct warp *warp, struct frame *frame)
{
    frame->next = warp->calls;
    if (frame->next)
        frame->next->previous = frame;
    warp->calls = frame;
    warp->call_bytes += frame_bytes(frame);
}

void frame_unlink(struct warp *warp, struct frame *frame)
{
    if (frame->next)
        frame->next->previous = frame->previous;
    if (frame->previous)
        frame->previous->next = frame->next;
    else
        warp->calls = frame->next;
    warp->call_bytes -= frame_bytes(frame);
}
