/* simt_fragment.c: divergence, reconvergence and turns of fragments (simt.h). */
#include "emulator/warp/simt_state.h"

#include <stdlib.h>
#include <string.h>

int node_create(struct warp *warp, uint32_t reconverge, uint32_t expected, int parent,
                struct frame *frame)
{
    if (warp->free_node < 0) {
        unsigned capacity = warp->node_capacity ? 2 * warp->node_capacity : 32;
        if (capacity > MAX_NODES)
            return NODE_NONE;
        struct node *nodes = realloc(warp->nodes, capacity * sizeof *nodes);
        if (!nodes)
            return NODE_NONE;
        warp->nodes = nodes;
        for (unsigned i = capacity; i-- > warp->node_capacity;) {
            nodes[i].parent = warp->free_node;
            warp->free_node = (int)i;
        }
        warp->node_capacity = capacity;
    }
    int index = warp->free_node;
    warp->free_node = warp->nodes[index].parent;
    warp->nodes[index] = (struct node){
        .reconverge = reconverge, .expected = expected, .parent = parent, .frame = frame};
    return index;
}

void node_release(struct warp *warp, int index)
{
    warp->nodes[index].parent = warp->free_node;
    warp->free_node = index;
}

void fragment_remove(struct warp *warp, unsigned index)
{
    warp->fragment_count--;
    memmove(&warp->fragments[index], &warp->fragments[index + 1],
            (warp->fragment_count - index) * sizeof warp->fragments[0]);
}

static struct fragment fragment_after(const struct node *node)
{
    const bool is_call = node->reconverge == NODE_CALL;
    return (struct fragment){.pc = is_call ? node->frame->return_pc : node->reconverge,
                             .mask = node->arrived,
                             .frame = is_call ? node->frame->parent : node->frame,
                             .node = node->parent,
                             .way = PC_NEVER};
}

void node_settle(struct warp *warp, int index)
{
    while (index != NODE_NONE) {
        const struct node node = warp->nodes[index];
        if (node.arrived != (node.expected & ~warp->exited))
            return;
        const struct fragment next = fragment_after(&node);
        node_release(warp, index);
        if (node.reconverge == NODE_CALL) {
            frame_unlink(warp, node.frame);
            simt_frame_free(node.frame);
        }
        if (node.arrived) {
            warp->fragments[warp->fragment_count++] = next;
            return;
        }
        index = node.parent; /* All lanes have exited, so the parent may be complete now. */
    }
}

void fragment_arrive(struct warp *warp, unsigned index)
{
    int node = warp->fragments[index].node;
    warp->nodes[node].arrived |= warp->fragments[index].mask;
    fragment_remove(warp, index);
    node_settle(warp, node);
}

void fragment_exit(struct simt_block *block, struct warp *warp, unsigned index, uint32_t mask)
{
    struct fragment *fragment = &warp->fragments[index];
    int node = fragment->node;
    warp->exited |= mask;
    block->threads_alive -= (unsigned)__builtin_popcount(mask);
    fragment->mask &= ~mask;
    if (fragment->mask)
        return;
    fragment_remove(warp, index);
    node_settle(warp, node);
}

void fragment_divide(struct warp *warp, struct fragment *fragment, uint32_t mask, uint32_t pc)
{
    struct fragment other = *fragment;
    other.mask = mask;
    other.pc = pc;
    fragment->mask &= ~mask;
    warp->fragments[warp->fragment_count++] = other;
}

bool fragment_split(struct warp *warp, struct fragment *fragment, uint32_t taken, uint32_t target,
                    uint32_t reconverge)
{
    /* Lanes do not reconverge at an exit, because a barrier may wait until they have exited. */
    const struct instruction *next = &fragment->frame->function->code[reconverge];
    if (next->kind == SIMT_EXIT && !next->guard.used) {
        fragment_divide(warp, fragment, taken, target);
        return true;
    }
    uint32_t here = fragment->node == NODE_NONE ? PC_NEVER : warp->nodes[fragment->node].reconverge;
    /* All divergent branches of a loop reconverge at one point and share a node. */
    if (here != reconverge || warp->nodes[fragment->node].frame != fragment->frame) {
        int node = node_create(warp, reconverge, fragment->mask, fragment->node, fragment->frame);
        if (node == NODE_NONE)
            return false;
        fragment->node = node;
    }
    if (target == reconverge) {
        warp->nodes[fragment->node].arrived |= taken;
        fragment->mask &= ~taken;
    } else {
        fragment_divide(warp, fragment, taken, target);
    }
    return true;
}

bool warp_choose_fragment(struct warp *warp)
{
    if (warp->current < warp->fragment_count &&
        warp->fragments[warp->current].state == FRAGMENT_READY)
        return true;
    /* Prefer the newest fragment, so that inner divergent code finishes before outer code. */
    for (unsigned index = warp->fragment_count; index-- > 0;)
        if (warp->fragments[index].state == FRAGMENT_READY) {
            warp->current = index;
            return true;
        }
    return false;
}

void warp_rotate(struct warp *warp)
{
    for (unsigned i = 1; i < warp->fragment_count; i++) {
        unsigned index = (warp->current + i) % warp->fragment_count;
        if (warp->fragments[index].state == FRAGMENT_READY) {
            warp->current = index;
            return;
        }
    }
}

void warp_loosen(struct warp *warp)
{
    unsigned running = warp->fragment_count;
    for (unsigned i = 0; i < running; i++)
        for (int n = warp->fragments[i].node; n != NODE_NONE; n = warp->nodes[n].parent) {
            struct node *node = &warp->nodes[n];
            if (!node->arrived)
                continue;
            warp->fragments[warp->fragment_count++] = fragment_after(node);
            node->expected &= ~node->arrived;
            node->arrived = 0;
            warp->is_loosened = true;
        }
}

uint32_t simt_skip_jumps(const struct program_function *function, uint32_t at)
{
    for (unsigned hops = 0; hops < 64; hops++) {
        const struct instruction *instruction = &function->code[at];
        if (instruction->kind == SIMT_BRANCH && !instruction->guard.used)
            at = instruction->target;
        else if (instruction->kind == SIMT_NOP)
            at++;
        else
            break;
    }
    return at;
}

bool exits_skip(const struct simt_block *block, const struct warp *warp, uint32_t lanes,
                const struct fragment *waiting)
{
    const struct program *program = block->launch->program;
    const struct frame *frame = waiting->frame;
    uint32_t pc = waiting->pc;
    for (; frame->parent; frame = frame->parent)
        pc = frame->return_pc - 1;
    const struct instruction *code = frame->function->code;
    for (unsigned i = 0; i < warp->early_count; i++)
        if ((warp->early[i].lanes & lanes) &&
            program_guards(program, frame->function_index, code[warp->early[i].condition].number,
                           code[pc].number))
            return true;
    return false;
}
