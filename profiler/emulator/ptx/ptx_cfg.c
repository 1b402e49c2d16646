/* ptx_cfg.c: basic blocks, and reconvergence points of branches: immediate post-dominators.
 *
 * A virtual exit follows every exit of the function (ret, exit and the text's end). A trap is not
 * an exit, because it ends the whole launch. If a trap were an exit, a trap in a loop would prevent
 * the loop's lanes from reconverging. Block A post-dominates block B if every path from B
 * to the exit contains A. Lanes that take different paths from a branch reconverge at the branch's
 * immediate post-dominator.
 *
 * Post-dominators are the dominators of the reversed graph, from the exit. The algorithm is
 * Lengauer and Tarjan's ("A fast algorithm for finding dominators in a flowgraph", TOPLAS 1, 1979).
 * With simple path compression, it takes O(m log n) for any graph, even an untrusted one. For the
 * same reason, no function recurses.
 *
 * A list of .branchtargets is one node, which contains no instruction. All branches that use the
 * list share the node, so that the number of edges is proportional to the text. If this node is the
 * immediate post-dominator of a branch, the branch reconverges at the node's own post-dominator. */
#include "emulator/ptx/ptx_cfg.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = 0xffffffffu };

struct graph {
    const struct ptx_function *function;
    struct ptx_blocks blocks;
    uint32_t node_count; /* Number of blocks and target lists, plus one for the exit. */
    uint32_t exit;
    uint32_t *successors; /* Successors of node n begin at index successor_start[n]. */
    uint32_t *successor_start;
    uint32_t *predecessors, *predecessor_start;
};

/* The arrays of Lengauer and Tarjan, in one allocation that begins at `vertex`. Vertices are nodes.
 * Semidominators are depth-first numbers. */
struct dominators {
    uint32_t count;
    uint32_t *vertex;
    uint32_t *number; /* Depth-first number of each node. NONE if no path leads to the exit. */
    uint32_t *parent;
    uint32_t *semi;
    uint32_t *ancestor; /* Parent in the forest of processed vertices. NONE for a root. */
    uint32_t *label;
    uint32_t *bucket; /* For each vertex: the first vertex that it semidominates. */
    uint32_t *bucket_next;
    uint32_t *dominator;
    uint32_t *stack;
};

struct ptx_flow ptx_flow_at(const struct ptx_function *function, size_t number)
{
    const struct ptx_instruction *instruction = &function->instructions[number];
    struct ptx_flow flow = {.falls = true};
    switch (instruction->opcode) {
    case PTX_OP_BRA:
    case PTX_OP_BRX:
    case PTX_OP_RET:
    case PTX_OP_EXIT:
    case PTX_OP_TRAP:
    case PTX_OP_BRKPT:
        break;
    default:
        return flow;
    }
    flow.ends_block = true;
    flow.falls = instruction->guarded;
    if (instruction->operand_count >= 1 && instruction->operands[0].kind == PTX_OPERAND_LABEL) {
        flow.jumps = true;
        flow.target = (uint32_t)instruction->operands[0].integer;
    } else if (instruction->operand_count >= 2 &&
               instruction->operands[1].kind == PTX_OPERAND_TARGETS) {
        flow.table = &function->targets[instruction->operands[1].index];
    } else {
        flow.leaves = instruction->opcode != PTX_OP_TRAP && instruction->opcode != PTX_OP_BRKPT;
    }
    return flow;
}

void ptx_blocks_free(struct ptx_blocks *blocks)
{
    free(blocks->first_of);
    free(blocks->block_of);
    *blocks = (struct ptx_blocks){0};
}

bool ptx_blocks_find(struct ptx_blocks *blocks, const struct ptx_function *function)
{
    size_t count = function->instruction_count;
    *blocks = (struct ptx_blocks){.block_of = calloc(count + 1, sizeof(uint32_t)),
                                  .first_of = calloc(count + 1, sizeof(uint32_t))};
    if (!blocks->block_of || !blocks->first_of)
        return false;
    uint32_t *begins = blocks->block_of; /* Until the last loop: 1 at the start of each block. */
    begins[0] = 1;
    for (size_t i = 0; i < count; i++) {
        struct ptx_flow flow = ptx_flow_at(function, i);
        if (flow.ends_block)
            begins[i + 1] = 1;
        if (flow.jumps)
            begins[flow.target] = 1;
    }
    for (size_t t = 0; t < function->target_count; t++)
        for (size_t i = 0; i < function->targets[t].count; i++)
            begins[function->targets[t].instructions[i]] = 1;
    for (size_t i = 0; i < count; i++) {
        if (begins[i])
            blocks->first_of[blocks->count++] = (uint32_t)i;
        blocks->block_of[i] = blocks->count - 1;
    }
    blocks->first_of[blocks->count] = (uint32_t)count;
    blocks->block_of[count] = blocks->count;
    return true;
}

void ptx_blocks_reaching(const struct ptx_blocks *blocks, const struct ptx_function *function,
                         uint32_t goal, bool *reaches)
{
    memset(reaches, 0, (blocks->count + 1) * sizeof *reaches);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t block = blocks->count; block-- > 0;) {
            struct ptx_flow flow = ptx_block_flow(blocks, function, block);
            uint32_t next = block + 1, target = flow.jumps ? blocks->block_of[flow.target] : 0;
            bool reach = (flow.falls && (next == goal || reaches[next])) ||
                         (flow.jumps && (target == goal || reaches[target]));
            for (size_t t = 0; flow.table && t < flow.table->count && !reach; t++) {
                target = blocks->block_of[flow.table->instructions[t]];
                reach = target == goal || reaches[target];
            }
            changed |= reach && !reaches[block];
            reaches[block] |= reach;
        }
    }
}

static uint32_t node_of(const struct graph *graph, uint64_t instruction)
{
    return instruction < graph->function->instruction_count ? graph->blocks.block_of[instruction]
                                                            : graph->exit;
}

static unsigned block_successors(const struct graph *graph, uint32_t block, uint32_t *out)
{
    const struct ptx_function *function = graph->function;
    struct ptx_flow flow = ptx_block_flow(&graph->blocks, function, block);
    unsigned count = 0;
    if (flow.falls)
        out[count++] = node_of(graph, graph->blocks.first_of[block + 1]);
    if (flow.jumps)
        out[count++] = node_of(graph, flow.target);
    if (flow.table)
        out[count++] = graph->blocks.count + (uint32_t)(flow.table - function->targets);
    if (flow.leaves)
        out[count++] = graph->exit;
    return count;
}

static void graph_free(struct graph *graph)
{
    ptx_blocks_free(&graph->blocks);
    free(graph->successors);
    free(graph->successor_start);
    free(graph->predecessors);
    free(graph->predecessor_start);
}

static bool connect_successors(struct graph *graph)
{
    const struct ptx_function *function = graph->function;
    graph->exit = graph->blocks.count + (uint32_t)function->target_count;
    graph->node_count = graph->exit + 1;
    size_t most = 2 * (size_t)graph->blocks.count;
    for (size_t t = 0; t < function->target_count; t++)
        most += function->targets[t].count;
    graph->successors = calloc(most + 1, sizeof(uint32_t));
    graph->successor_start = calloc((size_t)graph->node_count + 1, sizeof(uint32_t));
    if (!graph->successors || !graph->successor_start)
        return false;
    uint32_t at = 0;
    for (uint32_t block = 0; block < graph->blocks.count; block++) {
        graph->successor_start[block] = at;
        at += block_successors(graph, block, graph->successors + at);
    }
    for (size_t t = 0; t < function->target_count; t++) {
        graph->successor_start[graph->blocks.count + t] = at;
        for (size_t i = 0; i < function->targets[t].count; i++)
            graph->successors[at++] = node_of(graph, function->targets[t].instructions[i]);
    }
    graph->successor_start[graph->exit] = graph->successor_start[graph->node_count] = at;
    return true;
}

static bool connect_predecessors(struct graph *graph)
{
    uint32_t edges = graph->successor_start[graph->node_count];
    graph->predecessors = calloc((size_t)edges + 1, sizeof(uint32_t));
    graph->predecessor_start = calloc((size_t)graph->node_count + 2, sizeof(uint32_t));
    if (!graph->predecessors || !graph->predecessor_start)
        return false;
    uint32_t *start = graph->predecessor_start;
    for (uint32_t e = 0; e < edges; e++)
        start[graph->successors[e] + 2]++;
    for (uint32_t n = 2; n <= graph->node_count; n++)
        start[n] += start[n - 1];
    for (uint32_t n = 0; n < graph->node_count; n++)
        for (uint32_t e = graph->successor_start[n]; e < graph->successor_start[n + 1]; e++)
            graph->predecessors[start[graph->successors[e] + 1]++] = n;
    return true;
}

static bool dominators_allocate(struct dominators *d, uint32_t nodes)
{
    uint32_t **const arrays[] = {&d->vertex,    &d->number, &d->parent, &d->semi,
                                 &d->ancestor,  &d->label,  &d->bucket, &d->bucket_next,
                                 &d->dominator, &d->stack};
    size_t count = sizeof arrays / sizeof *arrays;
    uint32_t *memory = malloc(count * nodes * sizeof *memory);
    if (!memory)
        return false;
    memset(memory, 0xff, count * nodes * sizeof *memory);
    for (size_t i = 0; i < count; i++)
        *arrays[i] = memory + i * nodes;
    return true;
}

/* Number the nodes depth-first from the exit. For nodes in `stack`, `semi` is the next edge. */
static void number_nodes(const struct graph *graph, struct dominators *d)
{
    uint32_t depth = 0;
    uint32_t *next_edge = d->semi;
    d->stack[depth++] = graph->exit;
    d->number[graph->exit] = d->count;
    d->vertex[d->count++] = graph->exit;
    next_edge[graph->exit] = graph->predecessor_start[graph->exit];
    while (depth) {
        uint32_t node = d->stack[depth - 1];
        if (next_edge[node] == graph->predecessor_start[node + 1]) {
            depth--;
            continue;
        }
        uint32_t next = graph->predecessors[next_edge[node]++];
        if (d->number[next] != NONE)
            continue;
        d->number[next] = d->count;
        d->vertex[d->count++] = next;
        d->parent[next] = node;
        next_edge[next] = graph->predecessor_start[next];
        d->stack[depth++] = next;
    }
}

/* Returns the vertex with the least semidominator on the path from v to the root of its tree,
 * without the root. */
static uint32_t evaluate(struct dominators *d, uint32_t v)
{
    if (d->ancestor[v] == NONE)
        return v;
    uint32_t depth = 0;
    for (uint32_t u = v; d->ancestor[d->ancestor[u]] != NONE; u = d->ancestor[u])
        d->stack[depth++] = u;
    while (depth) {
        uint32_t u = d->stack[--depth], above = d->ancestor[u];
        if (d->semi[d->label[above]] < d->semi[d->label[u]])
            d->label[u] = d->label[above];
        d->ancestor[u] = d->ancestor[above];
    }
    return d->label[v];
}

static void empty_bucket(struct dominators *d, uint32_t v)
{
    for (uint32_t w = d->bucket[v]; w != NONE; w = d->bucket_next[w]) {
        uint32_t u = evaluate(d, w);
        d->dominator[w] = d->semi[u] < d->semi[w] ? u : v;
    }
    d->bucket[v] = NONE;
}

static void find_dominators(const struct graph *graph, struct dominators *d)
{
    number_nodes(graph, d);
    for (uint32_t i = 0; i < d->count; i++) {
        d->semi[d->vertex[i]] = i;
        d->label[d->vertex[i]] = d->vertex[i];
    }
    for (uint32_t i = d->count; i-- > 1;) {
        uint32_t w = d->vertex[i];
        for (uint32_t e = graph->successor_start[w]; e < graph->successor_start[w + 1]; e++) {
            uint32_t v = graph->successors[e];
            if (d->number[v] == NONE)
                continue;
            uint32_t u = evaluate(d, v);
            if (d->semi[u] < d->semi[w])
                d->semi[w] = d->semi[u];
        }
        uint32_t semidominator = d->vertex[d->semi[w]];
        d->bucket_next[w] = d->bucket[semidominator];
        d->bucket[semidominator] = w;
        d->ancestor[w] = d->parent[w];
        empty_bucket(d, d->parent[w]);
    }
    for (uint32_t i = 1; i < d->count; i++) {
        uint32_t w = d->vertex[i];
        if (d->dominator[w] != d->vertex[d->semi[w]])
            d->dominator[w] = d->dominator[d->dominator[w]];
    }
}

static uint32_t find_reconvergence(const struct graph *graph, const struct dominators *d,
                                   uint32_t node)
{
    uint32_t end = (uint32_t)graph->function->instruction_count;
    if (d->number[node] == NONE)
        return end;
    do
        node = d->dominator[node];
    while (node >= graph->blocks.count && node != graph->exit);
    return node == graph->exit ? end : graph->blocks.first_of[node];
}

static void set_reconvergence(const struct graph *graph, const struct dominators *d,
                              struct ptx_function *function)
{
    for (size_t i = 0; i < function->instruction_count; i++) {
        struct ptx_instruction *instruction = &function->instructions[i];
        instruction->reconverge = ptx_flow_at(function, i).ends_block
                                      ? find_reconvergence(graph, d, graph->blocks.block_of[i])
                                      : (uint32_t)function->instruction_count;
    }
}

bool ptx_cfg_analyse(struct ptx_function *function)
{
    struct graph graph = {.function = function};
    struct dominators dominators = {0};
    if (function->instruction_count == 0)
        return true;
    bool done = ptx_blocks_find(&graph.blocks, function) && connect_successors(&graph) &&
                connect_predecessors(&graph) && dominators_allocate(&dominators, graph.node_count);
    if (done) {
        find_dominators(&graph, &dominators);
        set_reconvergence(&graph, &dominators, function);
    }
    free(dominators.vertex);
    graph_free(&graph);
    return done;
}
