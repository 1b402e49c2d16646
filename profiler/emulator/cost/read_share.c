/* read_share.c: see read_share.h.
 *
 * Each set of the L2 remembers two loads on their way for each GPC, one for each half of a line,
 * and the line that it asked DRAM for last. Two lines of a set that a GPC asks for at the same time
 * push each other out, which is rare: the H200's L2 has 30720 sets. (The kernels that numbers were
 * fitted to are those of testdata/difficult.cu.)
 */
#include "emulator/cost/read_share.h"

#include "emulator/cost/geometry.h"
#include "emulator/cost/table.h"

#include <stdlib.h>

enum {
    MOST_SHARED = 4, /* loads that become one */
    TPC_SMS = 2,     /* SMs that are always in the same GPC */
    ROUND_BITS = 9,
    TIME_BITS = 20, /* of a wave and a round: after 2048 waves times begin again */
    LINE_HALVES = 2,
    CERTAIN = 256,
    /* Rounds in which blocks that began together still are: all loads that wait for DRAM meet.
     * Fitted to `multiply_blocked`; the four rounds of `shared_stride` agree. */
    TOGETHER_ROUNDS = 8,
    /* Of 256 other loads that could meet, those that do. Fitted to `multiply`, 16 x 16. */
    LATER_CHANCE = 100,
    /* Of 256 loads that would join in a wave, those that still do so in the next: blocks of the
     * first wave start together, those of later waves when others end. Fitted to `shared_four`. */
    WAVE_CHANCE = 190,
};

struct waiting_load {
    uint64_t line : 37, sectors : 4, time : 20, count : 3; /* all 0: none */
};

struct waiting_set {
    struct waiting_load missed;  /* the last that was; its line and time */
    struct waiting_load loads[]; /* [group][half of the line that the load begins in] */
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

/* GPCs have as many TPCs as each other, or one more. */
static unsigned group_of(const struct read_share *share, unsigned sm)
{
    uint64_t tpcs = (share->sms + TPC_SMS - 1) / TPC_SMS;
    return (unsigned)(sm / TPC_SMS * share->groups / tpcs);
}

void read_share_prefetch(const struct read_share *share, size_t set, unsigned sm)
{
    const struct waiting_set *waiting_set = set_of(share, set);
    __builtin_prefetch(waiting_set);
    __builtin_prefetch(&waiting_set->loads[group_of(share, sm) * LINE_HALVES], 1);
}

/* The same for loads that may meet. */
static uint64_t time_of(const struct shared_load *load)
{
    return (load->wave << ROUND_BITS | load->round) & ((1 << TIME_BITS) - 1);
}

/* How many of 256 loads meet. */
static unsigned chance_of(const struct shared_load *load, bool is_miss)
{
    unsigned chance = is_miss && load->round < TOGETHER_ROUNDS ? CERTAIN : LATER_CHANCE;
    for (uint64_t wave = load->wave; wave > 0 && chance > 0; wave--)
        chance = chance * WAVE_CHANCE / CERTAIN;
    return chance;
}

/* A number below 256 that depends on the load. */
static unsigned dice(const struct shared_load *load)
{
    uint64_t number = (load->line << ROUND_BITS | load->round) * 4096 + load->sm;
    return hash_mix(number) >> 24;
}

bool read_share_join(struct read_share *share, size_t set, const struct shared_load *load)
{
    struct waiting_set *waiting_set = set_of(share, set);
    unsigned half = (load->sectors & 3) == 0, group = group_of(share, load->sm);
    struct waiting_load *waiting = &waiting_set->loads[group * LINE_HALVES + half];
    uint64_t time = time_of(load);
    bool is_miss = waiting_set->missed.line == load->line && waiting_set->missed.time == time;
    bool is_same =
        waiting->line == load->line && waiting->sectors == load->sectors && waiting->time == time;
    if (is_same && waiting->count < MOST_SHARED && dice(load) < chance_of(load, is_miss)) {
        waiting->count++;
        return true;
    }
    *waiting = (struct waiting_load){load->line, load->sectors & 15, time, 1};
    return false;
}

void read_share_missed(struct read_share *share, size_t set, const struct shared_load *load)
{
    struct waiting_set *waiting_set = set_of(share, set);
    waiting_set->missed = (struct waiting_load){.line = load->line, .time = time_of(load)};
}
