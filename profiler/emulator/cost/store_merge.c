#include "emulator/cost/store_merge.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* With N warps on an SM, the next store comes from the same block in STAYING_WARPS of N cases,
     * but in at most MOST_STAYS of STAY_CASES cases. */
    STAYING_WARPS = 11,
    MOST_STAYS = 3,
    STAY_CASES = 4,
    FEW_OTHERS = 7, /* With fewer other blocks, the queue is sometimes emptied. */
    /* Maximum distance, in PTX instructions, of two consecutive stores of a warp that join. */
    JOIN_DISTANCE = 64,
    JOIN_WARPS = 16, /* With more warps in a block, fewer stores join. */
};

struct waiting {
    uint64_t line;
    unsigned sectors;
};

struct queue {
    struct waiting lines[STORE_MERGE_LINES];
    unsigned count;
};

static struct waiting *queue_find(struct queue *queue, uint64_t line)
{
    for (unsigned i = queue->count; i-- > 0;)
        if (queue->lines[i].line == line)
            return &queue->lines[i];
    return NULL;
}

static void queue_add(struct queue *queue, uint64_t line, unsigned sectors)
{
    if (queue->count == STORE_MERGE_LINES)
        memmove(queue->lines, queue->lines + 1, --queue->count * sizeof *queue->lines);
    queue->lines[queue->count++] = (struct waiting){line, sectors};
}

static bool request_waits(const trace_run *runs, size_t count)
{
    unsigned lines = 0;
    uint64_t last = ~0ull;
    if (run_kind(runs[0]) == ACCESS_COLUMN)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t line = run_line(runs[i]);
        lines += line != last;
        last = line;
        if (((run_address(runs[i]) | run_length(runs[i])) & 3) != 0)
            return false;
    }
    return lines <= STORE_MERGE_LINES;
}

static void queue_store(struct queue *queue, trace_run *runs, size_t count)
{
    if (!request_waits(runs, count)) {
        queue->count = 0;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t line = run_line(runs[i]);
        unsigned sectors = run_sectors(runs[i]);
        struct waiting *waiting = queue_find(queue, line);
        if (waiting && (waiting->sectors & sectors) == sectors)
            runs[i] = run_with_kind(runs[i], ACCESS_MERGED);
        else if (waiting)
            waiting->sectors |= sectors;
        else
            queue_add(queue, line, sectors);
    }
}

struct writer {
    struct trace *trace;
    size_t next;
};

static bool is_store(trace_run r)
{
    return run_kind(r) == ACCESS_STORE || run_kind(r) == ACCESS_COLUMN;
}

static bool writer_store(struct writer *writer, struct queue *queue)
{
    const struct trace *trace = writer->trace;
    size_t begin = writer->next, end;
    while (begin < trace->count && !is_store(trace->runs[begin]))
        begin++;
    if (begin == trace->count)
        return false;
    for (end = begin + 1; end < trace->count && !run_first(trace->runs[end]);)
        end++;
    writer->next = end;
    queue_store(queue, trace->runs + begin, end - begin);
    return true;
}

static uint32_t chance_next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static bool chance_stays(uint32_t *state, unsigned warps)
{
    if (warps * MOST_STAYS < STAYING_WARPS * STAY_CASES)
        return chance_next(state) % STAY_CASES < MOST_STAYS;
    return chance_next(state) % warps < STAYING_WARPS;
}

bool store_merge(struct trace *traces, size_t count, unsigned sm)
{
    size_t live = 0, current = 0;
    unsigned warps = 0;
    struct writer *writers = malloc((count + 1) * sizeof *writers);
    if (!writers)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (traces[i].sm != sm || traces[i].count == 0)
            continue;
        warps += traces[i].warps;
        if (traces[i].may_merge)
            writers[live++] = (struct writer){&traces[i], 0};
    }
    struct queue queue = {.count = 0};
    uint32_t chance = sm + 1;
    while (live > 0) {
        if (!writer_store(&writers[current], &queue)) {
            live--;
            memmove(writers + current, writers + current + 1, (live - current) * sizeof *writers);
            current = live > 0 ? chance_next(&chance) % live : 0;
        } else if (!chance_stays(&chance, warps)) {
            size_t others = live - 1, cases = others > FEW_OTHERS ? others : FEW_OTHERS;
            size_t other = chance_next(&chance) % cases;
            if (other >= others) {
                queue.count = 0; /* Enough time has passed to empty the queue. */
                other = chance_next(&chance) % live;
            }
            current = (current + 1 + other) % live;
        }
    }
    free(writers);
    return true;
}

/* Measured on an H200 with 2 to 8 consecutive stores of 4 bytes, distances of 8 to 32 bytes between
 * lanes, and 64 warps on an SM. With 2 to 8 lines per store and 8 warps per block, 100, 99, 65, 78,
 * 52, 25 and 10 % of the second and later stores merge with the previous store. With 32 warps per
 * block, 97, 63, 16, 25, 12, 3 and 1 % merge. After a barrier, when the warps of a block
 * continue together, 75 % merge instead of 100 %. After a load from global memory, or in the next
 * iteration of a loop, 0 to 11 % merge. */
bool store_joins(const struct last_store *last, const struct last_store *now, unsigned lines,
                 unsigned warps, bool has_barriers)
{
    /* The chance to join, out of 100. The index is the number of lines of a store. */
    static const uint8_t chances[] = {100, 100, 100, 100, 60, 60, 50, 25, 10};
    /* In the next iteration of a loop, the difference wraps and is very large. */
    const uint32_t distance = now->number - last->number;
    if (last->sectors != now->sectors || last->first != now->first || last->end != now->end ||
        last->lanes != now->lanes || distance == 0 || distance > JOIN_DISTANCE)
        return false;
    lines += warps > JOIN_WARPS;
    if (lines >= sizeof chances)
        return false;
    unsigned chance = has_barriers ? chances[lines] * 3u / 4 : chances[lines];
    return hash_mix(now->first + distance) % 100 < chance;
}
