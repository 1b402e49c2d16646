/* read_share.c: loads of several SMs that reach the L2 as one request. Each set of the L2 records
 * two outstanding loads per GPC, one for each half of a line, and the last load that missed. If a
 * GPC loads two lines of a set at the same time, the second load replaces the first. This is rare,
 * because an H200 has 30720 sets. */
#include "emulator/cost/read_share.h"

#include "emulator/cost/geometry.h"
#include "emulator/cost/table.h"

#include <stdlib.h>

enum {
    MOST_SHARED = 4,
    TPC_SMS = 2, /* Consecutive SMs that always belong to one GPC. */
    ROUND_BITS = 8,
    TIME_BITS =
        15, /* The 7 high bits of a time are the wave; the ROUND_BITS low bits are the round. */
    SLOT_BITS = 5,
    LINE_HALVES = 2,
    WHOLE_LINE = 15,
    /* Chances, out of 256, that a load joins an outstanding load. For loads of one slot
     * (read_share.h), the chance was measured on an H200 with 128 threads per block that load
     * the same lines of the L2 repeatedly. If 4 consecutive blocks, 8 consecutive blocks or all
     * blocks share the lines, 64, 72 or 74 % of the loads join, with 1 to 16 loads in flight. At
     * most 75 % can join. In the first rounds, all loads that wait for DRAM join
     * (`multiply_blocked`). Fewer loads join if they hit the L2. */
    CERTAIN = 256,
    SLOT_CHANCE = 244, /* Fitted to `multiply_tiled`. */
    EARLY_ROUNDS = 8,
    EARLY_CHANCE = 128,
    /* The chance to join a load of a different slot. In the same measurement, 2 to 18 % join if an
     * SM has eight blocks and the sharing blocks are 66 apart. */
    OTHER_SLOT_CHANCE = 36,
    /* The chance of a load of only part of a line in a crowded round. Measured on an H200 as 1 -
     * lts__t_sectors_srcunit_tex_op_read / l1tex__m_xbar2l1tex_read_sectors, for 512 x 512
     * products with 16 x 16 threads per block. With 16 to 64 loads in flight, 11 to 17 % of the
     * loads join. With 2, 4 or 8 loads in flight, 50, 45 or 33 % join if an SM has eight blocks,
     * and 15 to 20 % if it has one block. */
    CROWDED_CHANCE = 42,
    /* The chance is multiplied by WAVE_CHANCE / 256 for each wave after the first, because the
     * blocks of a later wave start one by one. Fitted to `shared_four`. */
    WAVE_CHANCE = 190,
};

struct waiting_load {
    /* All fields are 0 if there is no load. */
    uint64_t line : 37, sectors : 4, time : TIME_BITS, slot : SLOT_BITS, count : 3;
};

struct waiting_set {
    struct waiting_load missed;  /* Line and time of the last load that missed. */
    struct waiting_load loads[]; /* [group][half of the line in which the load begins] */
};

struct read_share {
    unsigned groups, set_bytes;
    uint64_t sms, set_count;
    unsigned char *sets;
};

struct read_share *read_share_create(const struct device *device, uint64_t sets)
{
    struct read_share *share = calloc(1, sizeof *share);
    if (!share)
        return NULL;
    share->groups = (unsigned)device->l2_read_groups;
    share->set_bytes = (unsigned)(sizeof(struct waiting_set) +
                                  share->groups * LINE_HALVES * sizeof(struct waiting_load));
    share->sms = device->multiprocessors;
    share->set_count = sets;
    share->sets = table_create(sets * share->set_bytes);
    if (!share->sets) {
        free(share);
        return NULL;
    }
    return share;
}

void read_share_free(struct read_share *share)
{
    if (share)
        table_free(share->sets, share->set_count * share->set_bytes);
    free(share);
}

static struct waiting_set *set_of(const struct read_share *share, size_t set)
{
    return (struct waiting_set *)(void *)(share->sets + set * share->set_bytes);
}

/* Returns the GPC of a block. The TPC counts of GPCs differ by at most one. If there are fewer
 * blocks than SMs, all GPCs get equal shares of the blocks. */
static unsigned group_of(const struct read_share *share, unsigned place, unsigned places)
{
    uint64_t tpcs = (share->sms + TPC_SMS - 1) / TPC_SMS;
    uint64_t sm = places < share->sms ? place * share->sms / places : place % share->sms;
    return (unsigned)(sm / TPC_SMS * share->groups / tpcs);
}

static unsigned slot_of(const struct read_share *share, const struct shared_load *load)
{
    return (unsigned)(load->place / share->sms) & ((1 << SLOT_BITS) - 1);
}

void read_share_prefetch(const struct read_share *share, size_t set, unsigned place,
                         unsigned places)
{
    const struct waiting_set *waiting_set = set_of(share, set);
    __builtin_prefetch(waiting_set);
    __builtin_prefetch(&waiting_set->loads[group_of(share, place, places) * LINE_HALVES], 1);
}

static uint64_t time_of(const struct shared_load *load)
{
    return (load->wave << ROUND_BITS | load->round) & ((1 << TIME_BITS) - 1);
}

static unsigned chance_of(const struct shared_load *load, bool is_same_slot, bool is_miss)
{
    unsigned chance = is_same_slot ? SLOT_CHANCE : OTHER_SLOT_CHANCE;
    if (is_same_slot && load->round < EARLY_ROUNDS)
        chance = is_miss ? CERTAIN : EARLY_CHANCE;
    else if (load->is_crowded && (load->sectors & WHOLE_LINE) != WHOLE_LINE)
        chance = CROWDED_CHANCE;
    for (uint64_t wave = load->wave; wave > 0 && chance > 0; wave--)
        chance = chance * WAVE_CHANCE / CERTAIN;
    return chance;
}

static unsigned dice(const struct shared_load *load)
{
    uint64_t number = (load->line << ROUND_BITS | load->round) * 4096 + load->place;
    return hash_mix(number) >> 24;
}

bool read_share_join(struct read_share *share, size_t set, const struct shared_load *load)
{
    struct waiting_set *waiting_set = set_of(share, set);
    unsigned half = (load->sectors & 3) == 0, group = group_of(share, load->place, load->places),
             slot = slot_of(share, load);
    struct waiting_load *waiting = &waiting_set->loads[group * LINE_HALVES + half];
    uint64_t time = time_of(load);
    bool is_miss = waiting_set->missed.line == load->line && waiting_set->missed.time == time;
    bool is_same =
        waiting->line == load->line && waiting->sectors == load->sectors && waiting->time == time;
    if (is_same && waiting->count < MOST_SHARED &&
        dice(load) < chance_of(load, waiting->slot == slot, is_miss)) {
        waiting->count++;
        return true;
    }
    *waiting = (struct waiting_load){load->line, load->sectors & WHOLE_LINE, time, slot, 1};
    return false;
}

void read_share_missed(struct read_share *share, size_t set, const struct shared_load *load)
{
    struct waiting_set *waiting_set = set_of(share, set);
    waiting_set->missed = (struct waiting_load){.line = load->line, .time = time_of(load)};
}
