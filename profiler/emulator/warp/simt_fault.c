/* simt_fault.c: fault messages, which contain the source location, kernel, thread and block. */
#include "base/wording.h"
#include "emulator/warp/simt_state.h"

bool simt_no_memory(struct simt_block *block)
{
    block->faulted = true;
    return failure_harness(&block->failure, "not enough memory to emulate a block");
}

bool simt_fault(const struct step *step, unsigned lane, enum status status, const char *format, ...)
{
    char what[1024], where[1024];
    FORMAT(what, sizeof what, format);
    struct simt_block *block = step->block;
    const struct emulator_launch *launch = block->launch;
    const uint32_t line = program_locate(launch->program, step->fragment->frame->function_index,
                                         step->instruction->number, where, sizeof where);
    const struct dimensions thread = dimensions_at(
        launch->block, step->warp->index * (uint32_t)launch->device->warp_lanes + lane);
    block->faulted = true;
    if (block->failure.kind == FAILURE_NONE)
        block->failure.line = line;
    return failure_student(
        &block->failure, status, "%s: in kernel %s, thread (%u, %u, %u) of block (%u, %u, %u) %s",
        where, launch->program->module->functions[launch->function].name, thread.x, thread.y,
        thread.z, block->index.x, block->index.y, block->index.z, what);
}
