/* viva.c: see viva.h. */
#define _GNU_SOURCE
#include "view/viva.h"

#include "base/hash.h"
#include "base/paths.h"
#include "base/scratch.h"
#include "base/whole_file.h"
#include "base/wording.h"
#include "text/code_text.h"
#include "text/tokens.h"
#include "view/block_accesses.h"
#include "view/explain.h"
#include "view/lane_map.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_BYTES = 1 << 20, CHANGES_MAX = 8, LINES_MAX = 64 };

struct asking {
    const char *path;
    struct run_options options;
    char *source, *code; /* the text; the same without comments */
    size_t source_bytes;
    uint64_t state; /* of the series of numbers */
    struct record record;
    const struct emulator_launch *launch; /* while it is shown, with */
    struct block_accesses accesses;       /* those of one block */
    struct viva *viva;
    uint32_t block[3];
    struct failure failure;
};

/* ---- Drawing ---- */

/* splitmix64: the next number of the series below `count`. */
static uint64_t draw(struct asking *asking, uint64_t count)
{
    uint64_t z = asking->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % (count ? count : 1);
}

#define say(text, ...) text_append(text, VIVA_TEXT, __VA_ARGS__)

static struct viva_question *new_question(struct asking *asking)
{
    struct viva_question *question = &asking->viva->questions[asking->viva->count++];
    *question = (struct viva_question){.text = ""};
    return question;
}

/* ---- Words ---- */

/* A line may make several accesses of one kind. */
static bool is_same_kind(const struct block_access *a, const struct block_access *b)
{
    return a->line == b->line && a->access.is_shared == b->access.is_shared &&
           a->access.is_store == b->access.is_store;
}

/* Are there several, by place in the source or by loop unrolled in parts? */
static bool has_several(const struct asking *asking, const struct block_access *one)
{
    for (size_t i = 0; i < asking->accesses.count; i++)
        if (is_same_kind(&asking->accesses.list[i], one) &&
            asking->accesses.list[i].group != one->group)
            return true;
    return false;
}

/* What a question says of an access and a lane of it. */
struct words {
    char block[40];   /* "block (1,0)" */
    char thread[40];  /* "thread (5,2)" */
    char access[128]; /* "the load from shared memory at line 25, the second of 4 there" */
    char where[64];   /* "tile[3][17]" */
    char quote[160];  /* the line, on a line of its own; or "" */
};

/* "block (1,0)": as many coordinates as the whole has. */
static void describe_place(char text[40], const char *what, const struct dimensions *whole,
                           uint32_t x, uint32_t y, uint32_t z)
{
    snprintf(text, 40,
             whole->z > 1   ? "%s (%u,%u,%u)"
             : whole->y > 1 ? "%s (%u,%u)"
                            : "%s %u",
             what, x, y, z);
}

static struct words words_of(const struct asking *asking, const struct block_access *one,
                             unsigned lane)
{
    static const char *const ordinals[] = {"first", "second", "third"};
    const struct emulator_launch *launch = asking->launch;
    const struct observed_access *access = &one->access;
    const struct dimensions thread = block_access_thread(launch, access->warp, lane);
    const uint32_t *block = asking->block;
    struct words words = {.where = ""};
    char line[121];
    unsigned number = 0, count = 0; /* of those of its warp, in the order of execution */
    for (size_t i = 0; i < asking->accesses.count; i++) {
        const struct block_access *other = &asking->accesses.list[i];
        bool counts = other->access.warp == access->warp && is_same_kind(other, one);
        count += counts;
        number += counts && other <= one;
    }
    describe_place(words.block, "block", &launch->grid, block[0], block[1], block[2]);
    describe_place(words.thread, "thread", &launch->block, thread.x, thread.y, thread.z);
    block_access_describe(launch, access, lane, words.where, sizeof words.where);
    APPEND(words.access, "the %s %s %s memory at line %u", access->is_store ? "store" : "load",
           access->is_store ? "to" : "from", access->is_shared ? "shared" : "global", one->line);
    if (count > 1 && number <= 3)
        APPEND(words.access, ", the %s of %u there", ordinals[number - 1], count);
    else if (count > 1)
        APPEND(words.access, ", number %u of %u there", number, count);
    if (text_quote_line(asking->path, one->line, line, sizeof line))
        APPEND(words.quote, "\n    %u: %s", one->line, line);
    return words;
}

/* ---- Where one thread goes ---- */

static unsigned draw_lane(struct asking *asking, uint32_t mask)
{
    unsigned wanted = (unsigned)draw(asking, (uint64_t)__builtin_popcount(mask)), lane = 0;
    while (!(mask >> lane & 1) || wanted--)
        lane++;
    return lane;
}

/* One of the accesses that `wanted` accepts, as likely at each place of the source as at any other.
 * NULL: there is none. */
typedef bool access_wanted(const struct asking *asking, size_t index);
static const struct block_access *draw_access(struct asking *asking, access_wanted *wanted)
{
    const struct block_accesses *all = &asking->accesses;
    size_t groups[LINES_MAX], group_count = 0, alone = 0, count = 0;
    for (size_t i = 0; i < all->count; i++) {
        size_t g = 0;
        if (!all->list[i].line || !all->list[i].access.mask || !wanted(asking, i))
            continue;
        while (g < group_count && groups[g] != all->list[i].group)
            g++;
        if (g < group_count || g == LINES_MAX)
            continue;
        /* Those that are alone of their kind at their line stand first, and are preferred. */
        bool is_alone = !has_several(asking, &all->list[i]);
        groups[group_count++] = groups[alone];
        groups[is_alone ? alone : group_count - 1] = all->list[i].group;
        alone += is_alone;
    }
    if (!group_count)
        return NULL;
    size_t group = groups[draw(asking, alone ? alone : group_count)];
    for (size_t i = 0; i < all->count; i++)
        count += all->list[i].group == group && wanted(asking, i);
    size_t chosen = draw(asking, count);
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].group == group && wanted(asking, i) && !chosen--)
            return &all->list[i];
    return NULL;
}

static bool is_shared(const struct asking *asking, size_t index)
{
    return asking->accesses.list[index].access.is_shared;
}

static bool is_global(const struct asking *asking, size_t index)
{
    const struct observed_access *access = &asking->accesses.list[index].access;
    return !access->is_shared &&
           memory_find(asking->launch->memory, access->address[__builtin_ctz(access->mask)]);
}

/* The store that put there what lane `lane` of access `index` reads from shared memory. False: the
 * block did not store it, or in parts. */
static bool find_giver(const struct asking *asking, size_t index, unsigned lane, size_t *giver,
                       unsigned *giver_lane)
{
    const struct observed_access *load = &asking->accesses.list[index].access;
    uint64_t low = load->address[lane], high = low + load->bytes;
    for (size_t i = index; i-- > 0;) {
        const struct observed_access *store = &asking->accesses.list[i].access;
        for (unsigned l = LANES; store->is_shared && store->is_store && l-- > 0;) {
            if (!(store->mask >> l & 1) || store->address[l] >= high ||
                store->address[l] + store->bytes <= low)
                continue;
            *giver = i;
            *giver_lane = l;
            return store->address[l] <= low && store->address[l] + store->bytes >= high;
        }
    }
    return false;
}

/* A load from shared memory of what another thread stored. */
static bool is_exchange(const struct asking *asking, size_t index)
{
    const struct observed_access *access = &asking->accesses.list[index].access;
    size_t giver;
    unsigned giver_lane, lane = (unsigned)__builtin_ctz(access->mask);
    if (!access->is_shared || access->is_store || asking->accesses.is_cut)
        return false;
    lane = 31 - (unsigned)__builtin_clz(access->mask); /* the first is often its own giver */
    return find_giver(asking, index, lane, &giver, &giver_lane) &&
           (asking->accesses.list[giver].access.warp != access->warp || giver_lane != lane);
}

static void ask_bank(struct asking *asking, const struct block_access *one)
{
    const struct observed_access *access = &one->access;
    struct warp_access pattern = block_access_pattern(access);
    struct bank_map map;
    unsigned lane = draw_lane(asking, access->mask);
    struct viva_question *question = new_question(asking);
    const struct words words = words_of(asking, one, lane);
    bank_map_make(asking->launch->device, &pattern, &map);
    uint64_t address = access->address[lane], word = address / map.word_bytes;
    say(question->text,
        "Which bank of shared memory does %s of %s touch with %s? There are %u banks of %u "
        "bytes.%s",
        words.thread, words.block, words.access, map.banks, map.word_bytes, words.quote);
    say(question->answer, "Bank %u", bank_of(&map, address));
    if (map.lane_words > 1)
        say(question->answer, " to %u", bank_of(&map, address + access->bytes - 1));
    say(question->answer,
        ". It touches %s, %" PRIu64 " bytes from the beginning of the block's shared memory: "
        "word %" PRIu64 ", and %" PRIu64 " mod %u is %u.",
        words.where, address, word, word, map.banks, bank_of(&map, address));
}

static void ask_element(struct asking *asking, const struct block_access *one)
{
    const struct observed_access *access = &one->access;
    unsigned lane = draw_lane(asking, access->mask);
    const struct memory_region *region = memory_find(asking->launch->memory, access->address[lane]);
    struct viva_question *question = new_question(asking);
    const struct words words = words_of(asking, one, lane);
    say(question->text, "Which element does %s of %s touch with %s, for ", words.thread,
        words.block, words.access);
    if (asking->viva->rows > 1)
        say(question->text, "a matrix of %" PRIu64 " rows and ", asking->viva->rows);
    say(question->text, "%" PRIu64 " %s?%s", asking->viva->cols,
        asking->viva->rows > 1 ? "columns" : "elements", words.quote);
    say(question->answer, "%s", words.where);
    if (region)
        say(question->answer, ", which is element %" PRIu64 " of %s, counted from 0",
            (access->address[lane] - region->base) / access->bytes, region->name);
    say(question->answer, ".");
}

static void ask_giver(struct asking *asking, const struct block_access *one)
{
    size_t giver, index = (size_t)(one - asking->accesses.list);
    unsigned giver_lane, lane = draw_lane(asking, one->access.mask);
    if (!find_giver(asking, index, lane, &giver, &giver_lane)) {
        lane = 31 - (unsigned)__builtin_clz(one->access.mask); /* for which is_exchange found one */
        find_giver(asking, index, lane, &giver, &giver_lane);
    }
    struct viva_question *question = new_question(asking);
    const struct words words = words_of(asking, one, lane),
                       from = words_of(asking, &asking->accesses.list[giver], giver_lane);
    say(question->text,
        "With %s, %s of %s reads a value. Which thread put it there, and at which line?%s",
        words.access, words.thread, words.block, words.quote);
    say(question->answer, "T%s, with %s: the value is %s.%s", from.thread + 1, from.access,
        words.where, from.quote);
}

static void ask_place(struct asking *asking)
{
    static const struct {
        access_wanted *wanted;
        void (*ask)(struct asking *, const struct block_access *);
    } kinds[] = {{is_shared, ask_bank}, {is_exchange, ask_giver}, {is_global, ask_element}};
    /* What shared memory is for comes first, where there is any. */
    bool any = draw_access(asking, is_shared) != NULL;
    for (size_t i = any ? draw(asking, 2) : 2; i < 3; i++) {
        const struct block_access *one = draw_access(asking, kinds[i].wanted);
        if (!one)
            continue;
        kinds[i].ask(asking, one);
        return;
    }
}

/* ---- What a warp's access costs ---- */

static bool is_conflict(const struct asking *asking, size_t index)
{
    const struct observed_access *access = &asking->accesses.list[index].access;
    return access->is_shared && lane_map_excess(asking->launch->device, access);
}

static bool is_scattered(const struct asking *asking, size_t index)
{
    return is_global(asking, index) &&
           lane_map_excess(asking->launch->device, &asking->accesses.list[index].access);
}

static void ask_wavefronts(struct asking *asking, const struct block_access *one)
{
    const struct observed_access *access = &one->access;
    struct warp_access pattern = block_access_pattern(access);
    struct bank_map map;
    struct viva_question *question = new_question(asking);
    const struct words words = words_of(asking, one, (unsigned)__builtin_ctz(access->mask));
    char *answer = question->answer;
    unsigned busy = 0, most = 0, lanes = (unsigned)__builtin_popcount(access->mask);
    bank_map_make(asking->launch->device, &pattern, &map);
    for (unsigned bank = 0; bank < map.banks; bank++) {
        bool used = false;
        for (unsigned phase = 0; phase < map.phases; phase++) {
            used |= map.words[phase][bank] > 0;
            most = map.words[phase][bank] > most ? map.words[phase][bank] : most;
        }
        busy += used;
    }
    say(question->text,
        "How many wavefronts does warp %u of %s take for %s, how many bank conflicts is that, and "
        "why?%s",
        access->warp, words.block, words.access, words.quote);
    say(answer, "%u wavefront%s where %u would do: %u conflict%s. ", map.wavefronts,
        plural(map.wavefronts), map.ideal, map.wavefronts - map.ideal,
        plural(map.wavefronts - map.ideal));
    say(answer,
        "Its %u lane%s use %u of the %u banks, and no bank is asked for more than %u "
        "different word%s at a time; ",
        lanes, plural(lanes), busy, map.banks, most, plural(most));
    explain_distance(access, map.word_bytes, answer, VIVA_TEXT);
    say(answer, ".");
}

static void ask_sectors(struct asking *asking, const struct block_access *one)
{
    const struct observed_access *access = &one->access;
    struct warp_access pattern = block_access_pattern(access);
    struct sector_map map;
    const bool is_sector = asking->launch->device->coalescing == COALESCE_SECTORS;
    struct viva_question *question = new_question(asking);
    const struct words words = words_of(asking, one, (unsigned)__builtin_ctz(access->mask));
    char *answer = question->answer;
    sector_map_make(asking->launch->device, &pattern, &map);
    say(question->text,
        "How many %s does warp %u of %s touch with %s, how many would do, and why?%s",
        is_sector ? "sectors" : "segments", access->warp, words.block, words.access, words.quote);
    say(answer, "%u; %u would do for %u different bytes. ", map.count, map.ideal, map.used_bytes);
    char *first = answer + strlen(answer);
    explain_distance(access, 0, answer, VIVA_TEXT);
    *first = (char)toupper((unsigned char)*first);
    say(answer, ": of %u bytes that are moved, %u are used.", map.moved_bytes, map.used_bytes);
}

static void ask_cost(struct asking *asking)
{
    const struct block_access *conflict = draw_access(asking, is_conflict);
    const struct block_access *scattered = draw_access(asking, is_scattered);
    const struct block_access *shared = draw_access(asking, is_shared);
    const struct block_access *global = draw_access(asking, is_global);
    bool heads = draw(asking, 2);
    if (conflict && (heads || !scattered))
        ask_wavefronts(asking, conflict);
    else if (scattered)
        ask_sectors(asking, scattered);
    else if (shared && (heads || !global))
        ask_wavefronts(asking, shared);
    else if (global)
        ask_sectors(asking, global);
}

/* ---- What would change ---- */

/* Run the file, or, in `directory`, another text in its place. False: it could not be run. */
static bool try_run(struct asking *asking, const char *text, const char *define, uint64_t rows,
                    uint64_t cols, struct record *record, char directory[PATH_SIZE])
{
    struct run_options options = asking->options;
    struct run_result *result = NULL;
    struct failure wrong = {0}, unseen = {0};
    char path[PATH_SIZE + 256];
    *directory = 0;
    const char **defines = calloc(options.build.define_count + 1, sizeof *defines);
    bool good = defines;
    memset(&options.watch, 0, sizeof options.watch);
    snprintf(path, sizeof path, "%s", asking->path);
    if (good && define) {
        for (size_t i = 0; i < options.build.define_count; i++)
            defines[i] = options.build.defines[i];
        defines[options.build.define_count++] = define;
        options.build.defines = defines;
    }
    if (good && text) {
        FILE *file = NULL;
        good = scratch_make(directory, "viva", &unseen);
        snprintf(path, sizeof path, "%s/%.200s", directory, path_basename(asking->path));
        good = good && (file = fopen(path, "we")) && fputs(text, file) >= 0;
        good = file && !fclose(file) && good;
    }
    options.size.rows = rows;
    options.size.cols = cols;
    if (good)
        result = run_source_new(path, &options, &wrong, &unseen);
    good = result;
    if (good)
        *record = result->records[0];
    if (*directory)
        scratch_remove(directory);
    free(defines);
    free(result);
    return good;
}

/* The verdict in words, without the directory in which the file was tried, and without the
 * guesses behind the first line, which look for mistakes in a kernel that had none. */
static void say_verdict(char *text, const struct record *record, const char *directory)
{
    const char *at = record_text(record, COLUMN_reason), *next;
    const char *end = at + strcspn(at, "\n");
    size_t length = strlen(directory);
    say(text, "%s: ", record_text(record, COLUMN_status));
    for (; length && (next = strstr(at, directory)) && next < end;
         at = next + length + (next[length] == '/'))
        say(text, "%.*s", (int)(next - at), at);
    if (at < end)
        say(text, "%.*s", (int)(end - at), at);
}

/* What is compared: a ratio of two columns, or one column. */
static const struct {
    const char *name;
    enum column of, per; /* per: COLUMN_COUNT: none */
} changes[CHANGES_MAX] = {
    {"threads of a block in x", COLUMN_block_x, COLUMN_COUNT},
    {"threads of a block in y", COLUMN_block_y, COLUMN_COUNT},
    {"shared memory of a block in bytes", COLUMN_shared_bytes, COLUMN_COUNT},
    {"sectors per load request", COLUMN_global_load_sectors, COLUMN_global_load_requests},
    {"sectors per store request", COLUMN_global_store_sectors, COLUMN_global_store_requests},
    {"conflicts per shared load", COLUMN_shared_load_conflicts, COLUMN_shared_load_requests},
    {"conflicts per shared store", COLUMN_shared_store_conflicts, COLUMN_shared_store_requests},
    {"requests for loads", COLUMN_global_load_requests, COLUMN_COUNT},
};

static void say_changes(char *answer, const struct record *before, const struct record *after)
{
    unsigned said = 0;
    for (size_t i = 0; i < CHANGES_MAX; i++) {
        double was, is;
        if (record_ratio(before, changes[i].of, changes[i].per, &was) &&
            record_ratio(after, changes[i].of, changes[i].per, &is) && was != is)
            say(answer, "%s%s: %.6g, and %.6g then", said++ ? "; " : "", changes[i].name, was, is);
    }
    if (!said)
        say(answer, "Block, sectors and conflicts stay as they are");
    say(answer,
        ". The grid is %" PRIu64 " x %" PRIu64 " x %" PRIu64 " then, instead of %" PRIu64
        " x %" PRIu64 " x %" PRIu64 ".",
        after->values[COLUMN_grid_x].count, after->values[COLUMN_grid_y].count,
        after->values[COLUMN_grid_z].count, before->values[COLUMN_grid_x].count,
        before->values[COLUMN_grid_y].count, before->values[COLUMN_grid_z].count);
}

/* A macro that can be set from outside: #ifndef NAME, then #define NAME with a number. */
static bool find_macro(struct asking *asking, char name[64], unsigned long *value)
{
    struct macro {
        struct token name;
        unsigned long value;
    } found[16];
    size_t count = 0;
    struct tokens tokens = tokens_of(asking->code, strlen(asking->code));
    for (struct token token; count < 16 && (token = tokens_next_code(&tokens)).kind;) {
        struct tokens ahead = tokens;
        struct macro *macro = &found[count];
        if (!token.in_directive || !token_is(token, "ifndef"))
            continue;
        macro->name = tokens_next_code(&ahead);
        token_copy(macro->name, name, 64);
        count += macro->name.length < 64 && tokens_next_code(&ahead).kind == TOKEN_DIRECTIVE &&
                 token_is(tokens_next_code(&ahead), "define") &&
                 token_is(tokens_next_code(&ahead), name) &&
                 token_number(tokens_next_code(&ahead), &macro->value) && macro->value >= 2 &&
                 macro->value <= 4096;
    }
    if (!count)
        return false;
    size_t chosen = draw(asking, count);
    token_copy(found[chosen].name, name, 64);
    *value = found[chosen].value;
    return true;
}

static bool ask_macro(struct asking *asking)
{
    char directory[PATH_SIZE];
    char name[64], define[128];
    unsigned long value;
    struct record after;
    if (!find_macro(asking, name, &value))
        return false;
    bool halves = draw(asking, 2);
    for (unsigned attempt = 0; attempt < 2; attempt++, halves = !halves) {
        unsigned long other = halves ? value / 2 : 2 * value;
        snprintf(define, sizeof define, "%s=%lu", name, other);
        if (!try_run(asking, NULL, define, asking->viva->rows, asking->viva->cols, &after,
                     directory) ||
            !record_is_right(&after))
            continue;
        struct viva_question *question = new_question(asking);
        say(question->text,
            "What changes if %s is %lu instead of %lu: the block, shared memory, sectors, "
            "conflicts?",
            name, other, value);
        say_changes(question->answer, &asking->record, &after);
        return true;
    }
    return false;
}

/* The barriers in the code: __syncthreads(); */
static bool ask_barrier(struct asking *asking)
{
    char directory[PATH_SIZE];
    struct token found[LINES_MAX];
    size_t count = 0, offset, bytes = asking->source_bytes;
    struct record after;
    struct tokens tokens = tokens_of(asking->code, strlen(asking->code));
    for (struct token token; count < LINES_MAX && (token = tokens_next_code(&tokens)).kind;) {
        struct tokens ahead = tokens;
        if (token_is(token, "__syncthreads") && token_is(tokens_next_code(&ahead), "(") &&
            token_is(tokens_next_code(&ahead), ")")) {
            token.length = (size_t)(ahead.at - token.text);
            found[count++] = token;
        }
    }
    if (!count || strlen(asking->source) != asking->source_bytes)
        return false;
    const struct token call = found[draw(asking, count)];
    offset = (size_t)(call.text - asking->code);
    char *text = code_replace(asking->source, &bytes, offset, call.length, "((void)0)");
    if (!text)
        return false;
    bool good =
        try_run(asking, text, NULL, asking->viva->rows, asking->viva->cols, &after, directory) &&
        strcmp(record_text(&after, COLUMN_status), "compile_error") != 0;
    free(text);
    if (!good)
        return false;
    struct viva_question *question = new_question(asking);
    say(question->text, "What happens without the __syncthreads() of line %u, and why?", call.line);
    if (record_is_right(&after))
        say(question->answer,
            "Nothing that a run shows: the result stays right, and no two threads "
            "race. Nothing that passes between threads needs this barrier.");
    else
        say_verdict(question->answer, &after, directory);
    return true;
}

static bool ask_grid(struct asking *asking)
{
    char directory[PATH_SIZE];
    static const uint64_t sizes[][2] = {{1000, 777}, {333, 1025}, {70, 2000}, {512, 96}};
    struct record after;
    size_t chosen = draw(asking, sizeof sizes / sizeof *sizes);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t *size = sizes[(chosen + i) % (sizeof sizes / sizeof *sizes)];
        if (!try_run(asking, NULL, NULL, size[0], size[1], &after, directory) ||
            !record_is_right(&after))
            continue;
        const struct record_value *v = after.values;
        uint64_t blocks = v[COLUMN_grid_x].count * v[COLUMN_grid_y].count * v[COLUMN_grid_z].count;
        uint64_t threads =
            v[COLUMN_block_x].count * v[COLUMN_block_y].count * v[COLUMN_block_z].count;
        struct viva_question *question = new_question(asking);
        say(question->text,
            "Which grid does LAB_LAUNCH return for %" PRIu64 " rows and %" PRIu64
            " columns, how many threads is that, and how many elements are there for each?",
            v[COLUMN_rows].count, v[COLUMN_cols].count);
        say(question->answer,
            "%" PRIu64 " x %" PRIu64 " x %" PRIu64 " blocks of %" PRIu64 " threads: %" PRIu64
            " threads, %.3g elements for each of %" PRIu64 ".",
            v[COLUMN_grid_x].count, v[COLUMN_grid_y].count, v[COLUMN_grid_z].count, threads,
            blocks * threads,
            (double)(v[COLUMN_rows].count * v[COLUMN_cols].count) / (double)(blocks * threads),
            v[COLUMN_rows].count * v[COLUMN_cols].count);
        return true;
    }
    return false;
}

static void ask_change(struct asking *asking)
{
    static bool (*const kinds[])(struct asking *) = {ask_macro, ask_barrier};
    size_t first = draw(asking, 2);
    if (!kinds[first](asking) && !kinds[!first](asking))
        ask_grid(asking);
}

/* ---- The runs ---- */

static void show(void *context, const struct emulator_launch *launch,
                 const struct emulator_result *result)
{
    struct asking *asking = context;
    (void)result;
    if (!block_accesses_arrange(&asking->accesses, launch->program->module, asking->path)) {
        failure_harness(&asking->failure, "not enough memory");
        return;
    }
    asking->launch = launch;
    ask_place(asking);
    ask_cost(asking);
}

/* A block of the grid, mostly not the first, and not behind the eighth in any direction. */
static void draw_block(struct asking *asking)
{
    static const enum column grid[3] = {COLUMN_grid_x, COLUMN_grid_y, COLUMN_grid_z};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t blocks = asking->record.values[grid[i]].count;
        asking->block[i] = (uint32_t)draw(asking, blocks < 8 ? blocks : 8);
    }
}

/* Run, with what is watched. The first record is kept. False: a harness failure. */
static bool run_once(struct asking *asking, struct failure *wrong, struct failure *failure)
{
    struct run_result *result = run_source_new(asking->path, &asking->options, wrong, failure);
    bool good = result;
    if (good)
        asking->record = result->records[0];
    free(result);
    return good;
}

/* Ask about the accesses of one block. */
static bool observe(struct asking *asking, struct failure *failure)
{
    struct failure wrong = {0};
    block_accesses_begin(&asking->accesses, asking->block[0], asking->block[1], asking->block[2]);
    asking->options.watch.observer = &asking->accesses.observer;
    asking->options.watch.inspect = show;
    asking->options.watch.context = asking;
    bool good = run_once(asking, &wrong, failure);
    if (good && asking->failure.kind != FAILURE_NONE)
        good = failure_harness(failure, "%s: %s", asking->path, asking->failure.text);
    block_accesses_free(&asking->accesses);
    return good;
}

bool viva_ask(const char *path, const struct run_options *options, uint64_t seed, struct viva *viva,
              struct failure *wrong, struct failure *failure)
{
    struct asking *asking = calloc(1, sizeof *asking);
    if (!asking)
        return failure_harness(failure, "not enough memory");
    *viva = (struct viva){.rows = options->size.rows ? options->size.rows : VIVA_ROWS,
                          .cols = options->size.cols ? options->size.cols : VIVA_COLS};
    asking->path = path;
    asking->options = *options;
    memset(&asking->options.watch, 0, sizeof asking->options.watch);
    asking->options.size.rows = viva->rows;
    asking->options.size.cols = viva->cols;
    asking->viva = viva;
    asking->source = whole_file_read(path, SOURCE_BYTES, &asking->source_bytes, failure);
    asking->code = asking->source
                       ? code_text((const unsigned char *)asking->source, asking->source_bytes)
                       : NULL;
    bool good = asking->source && (asking->code || failure_harness(failure, "not enough memory")) &&
                run_once(asking, wrong, failure);
    if (good && wrong->kind == FAILURE_NONE) {
        viva->rows = asking->record.values[COLUMN_rows].count;
        viva->cols = asking->record.values[COLUMN_cols].count;
        asking->state = seed ^ hash_bytes(HASH_START, asking->source, asking->source_bytes);
        draw_block(asking);
        good = observe(asking, failure);
        if (good)
            ask_change(asking);
    }
    free(asking->source);
    free(asking->code);
    free(asking);
    return good;
}
