#define _GNU_SOURCE
#include "view/viva.h"

#include "base/bits.h"
#include "base/paths.h"
#include "base/scratch.h"
#include "base/whole_file.h"
#include "base/wording.h"
#include "process/allocate.h"
#include "text/code_text.h"
#include "text/tokens.h"
#include "view/block_accesses.h"
#include "view/changes.h"
#include "view/explain.h"
#include "view/lab_run.h"
#include "view/lane_map.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_BYTES = 1 << 20, LINES_MAX = 64 };

struct asking {
    const char *path;
    struct run_options options;
    char *source, *code; /* Text of the file, with and without comments. */
    size_t source_bytes;
    uint64_t state;
    struct record record;
    const struct emulator_launch *launch; /* Valid only while the accesses are shown. */
    const struct block_accesses *accesses;
    struct viva *viva;
    struct viva_question *question; /* Receives the text of question() and answer(). */
    uint32_t block[3];
};

static uint64_t draw(struct asking *asking, uint64_t count)
{
    uint64_t z = asking->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % (count ? count : 1);
}

static void begin_question(struct asking *asking)
{
    asking->question = &asking->viva->questions[asking->viva->count++];
    *asking->question = (struct viva_question){.text = ""};
}
#define question(...) text_append(asking->question->text, VIVA_TEXT, __VA_ARGS__)
#define answer(...) text_append(asking->question->answer, VIVA_TEXT, __VA_ARGS__)

static bool is_same_kind(const struct block_access *a, const struct block_access *b)
{
    return a->line == b->line && a->access.is_shared == b->access.is_shared &&
           a->access.is_store == b->access.is_store;
}

struct words {
    char block[40];
    char thread[40];
    char access[128]; /* "the load from shared memory at line 25 (the second of 4 at that line)" */
    char where[64];
    char quote[160]; /* The source line, after a line break; or "". */
};

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
    static const char *const ordinals[] = {"first", "second", "third", "fourth"};
    const struct emulator_launch *launch = asking->launch;
    const struct observed_access *access = &one->access;
    const struct dimensions thread = block_access_thread(launch, access->warp, lane);
    const uint32_t *block = asking->block;
    struct words words = {.where = ""};
    char line[121];
    unsigned number = 0, count = 0;
    for (size_t i = 0; i < asking->accesses->count; i++) {
        const struct block_access *other = &asking->accesses->list[i];
        bool counts = other->access.warp == access->warp && is_same_kind(other, one);
        count += counts;
        number += counts && other <= one;
    }
    describe_place(words.block, "block", &launch->grid, block[0], block[1], block[2]);
    describe_place(words.thread, "thread", &launch->block, thread.x, thread.y, thread.z);
    block_access_describe(launch, access, lane, words.where, sizeof words.where);
    APPEND(words.access, "the %s %s %s memory at line %u", access->is_store ? "store" : "load",
           access->is_store ? "to" : "from", access->is_shared ? "shared" : "global", one->line);
    if (count > 1 && number <= 4)
        APPEND(words.access, " (the %s of %u at that line)", ordinals[number - 1], count);
    else if (count > 1)
        APPEND(words.access, " (number %u of %u at that line)", number, count);
    if (text_quote_line(asking->path, one->line, line, sizeof line))
        APPEND(words.quote, "\n    %u: %s", one->line, line);
    return words;
}

static unsigned draw_lane(struct asking *asking, uint32_t mask)
{
    unsigned skipped = (unsigned)draw(asking, (uint64_t)__builtin_popcount(mask)), lane = 0;
    while (!(mask >> lane & 1) || skipped--)
        lane++;
    return lane;
}

/* Returns a random access for which `accept` is true; NULL if there is none. A place
 * (block_accesses.h) is preferred if its line has no other place of the same memory space and
 * direction. All preferred places have the same probability. */
typedef bool accept_access(const struct asking *asking, size_t index);
static const struct block_access *draw_access(struct asking *asking, accept_access *accept)
{
    const struct block_accesses *all = asking->accesses;
    size_t groups[LINES_MAX], group_count = 0, unique = 0, count = 0;
    for (size_t i = 0; i < all->count; i++) {
        size_t g = 0;
        if (!all->list[i].line || !all->list[i].access.mask || !accept(asking, i))
            continue;
        while (g < group_count && groups[g] != all->list[i].group)
            g++;
        if (g < group_count || g == LINES_MAX)
            continue;
        bool is_unique = true;
        for (size_t k = 0; k < all->count; k++)
            is_unique &= !is_same_kind(&all->list[k], &all->list[i]) ||
                         all->list[k].group == all->list[i].group;
        groups[group_count++] = groups[unique];
        groups[is_unique ? unique : group_count - 1] = all->list[i].group;
        unique += is_unique;
    }
    if (!group_count)
        return NULL;
    size_t group = groups[draw(asking, unique ? unique : group_count)];
    for (size_t i = 0; i < all->count; i++)
        count += all->list[i].group == group && accept(asking, i);
    size_t chosen = draw(asking, count);
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].group == group && accept(asking, i) && !chosen--)
            return &all->list[i];
    return NULL;
}

static bool is_shared(const struct asking *asking, size_t index)
{
    return asking->accesses->list[index].access.is_shared;
}

static bool is_global(const struct asking *asking, size_t index)
{
    const struct observed_access *access = &asking->accesses->list[index].access;
    return !access->is_shared &&
           memory_find(asking->launch->memory, access->address[__builtin_ctz(access->mask)]);
}

/* Find the store of the shared-memory value that lane `lane` of access `index` loads. Returns false
 * if no store of the block wrote the whole value. */
static bool find_writer(const struct asking *asking, size_t index, unsigned lane, size_t *writer,
                        unsigned *writer_lane)
{
    const struct observed_access *load = &asking->accesses->list[index].access;
    uint64_t low = load->address[lane], high = low + load->bytes;
    for (size_t i = index; i-- > 0;) {
        const struct observed_access *store = &asking->accesses->list[i].access;
        for (unsigned l = LANES; store->is_shared && store->is_store && l-- > 0;) {
            if (!(store->mask >> l & 1) || store->address[l] >= high ||
                store->address[l] + store->bytes <= low)
                continue;
            *writer = i;
            *writer_lane = l;
            return store->address[l] <= low && store->address[l] + store->bytes >= high;
        }
    }
    return false;
}

/* Returns true if another thread stored the shared-memory value that the last lane loads. */
static bool is_exchange(const struct asking *asking, size_t index)
{
    const struct observed_access *access = &asking->accesses->list[index].access;
    size_t writer;
    /* The first lane often loads its own value. */
    unsigned writer_lane, lane = 31 - (unsigned)__builtin_clz(access->mask);
    return access->is_shared && !access->is_store && !asking->accesses->is_cut &&
           find_writer(asking, index, lane, &writer, &writer_lane) &&
           (asking->accesses->list[writer].access.warp != access->warp || writer_lane != lane);
}

static void ask_bank(struct asking *asking, const struct block_access *one)
{
    const struct observed_access *access = &one->access;
    const struct bank_map map = bank_map_make(asking->launch->device, block_access_pattern(access));
    unsigned lane = draw_lane(asking, access->mask);
    const struct words words = words_of(asking, one, lane);
    uint64_t address = access->address[lane], word = address / map.word_bytes;
    question("Which bank of shared memory does %s of %s access with %s? There are %u banks, and "
             "each word has %u bytes.%s",
             words.thread, words.block, words.access, map.banks, map.word_bytes, words.quote);
    answer("Bank %u", bank_of(&map, address));
    if (map.lane_words > 1)
        answer(" to %u", bank_of(&map, address + access->bytes - 1));
    answer(". The thread accesses %s, at byte %" PRIu64
           " of the block's shared memory. This is word %" PRIu64 ", and %" PRIu64 " mod %u is %u.",
           words.where, address, word, word, map.banks, bank_of(&map, address));
}

static void ask_element(struct asking *asking, const struct block_access *one)
{
    const struct observed_access *access = &one->access;
    unsigned lane = draw_lane(asking, access->mask);
    const struct memory_region *region = memory_find(asking->launch->memory, access->address[lane]);
    const struct words words = words_of(asking, one, lane);
    question("Which element does %s of %s access with %s, for ", words.thread, words.block,
             words.access);
    if (asking->viva->rows > 1)
        question("a matrix of %" PRIu64 " rows and ", asking->viva->rows);
    question("%" PRIu64 " %s?%s", asking->viva->cols,
             asking->viva->rows > 1 ? "columns" : "elements", words.quote);
    answer("%s", words.where);
    if (region)
        answer(", which is element %" PRIu64 " of %s (counted from 0)",
               (access->address[lane] - region->base) / access->bytes, region->name);
    answer(".");
}

static void ask_writer(struct asking *asking, const struct block_access *one)
{
    size_t writer, index = (size_t)(one - asking->accesses->list);
    unsigned writer_lane, lane = draw_lane(asking, one->access.mask);
    if (!find_writer(asking, index, lane, &writer, &writer_lane)) {
        lane = 31 - (unsigned)__builtin_clz(
                        one->access.mask); /* is_exchange found a writer for this lane. */
        find_writer(asking, index, lane, &writer, &writer_lane);
    }
    const struct words words = words_of(asking, one, lane),
                       from = words_of(asking, &asking->accesses->list[writer], writer_lane);
    question(
        "With %s, %s of %s loads a value. Which thread stored this value, and at which line?%s",
        words.access, words.thread, words.block, words.quote);
    answer("The value is in %s. It was stored by %s, with %s.%s", words.where, from.thread,
           from.access, from.quote);
}

static void ask_place(struct asking *asking)
{
    static const struct {
        accept_access *accept;
        void (*ask)(struct asking *, const struct block_access *);
    } kinds[] = {{is_shared, ask_bank}, {is_exchange, ask_writer}, {is_global, ask_element}};
    bool any = draw_access(asking, is_shared) != NULL;
    for (size_t i = any ? draw(asking, 2) : 2; i < 3; i++) {
        const struct block_access *one = draw_access(asking, kinds[i].accept);
        if (!one)
            continue;
        begin_question(asking);
        kinds[i].ask(asking, one);
        return;
    }
}

static bool is_conflict(const struct asking *asking, size_t index)
{
    const struct observed_access *access = &asking->accesses->list[index].access;
    return access->is_shared && lane_map_excess(asking->launch->device, access);
}

static bool is_scattered(const struct asking *asking, size_t index)
{
    return is_global(asking, index) &&
           lane_map_excess(asking->launch->device, &asking->accesses->list[index].access);
}

static void ask_wavefronts(struct asking *asking, const struct block_access *one)
{
    const struct observed_access *access = &one->access;
    const struct bank_map map = bank_map_make(asking->launch->device, block_access_pattern(access));
    const struct words words = words_of(asking, one, (unsigned)__builtin_ctz(access->mask));
    unsigned busy = 0, most = 0, lanes = (unsigned)__builtin_popcount(access->mask);
    for (unsigned bank = 0; bank < map.banks; bank++) {
        bool used = false;
        for (unsigned phase = 0; phase < map.phases; phase++) {
            used |= map.words[phase][bank] > 0;
            most = map.words[phase][bank] > most ? map.words[phase][bank] : most;
        }
        busy += used;
    }
    question("How many wavefronts does warp %u of %s need for %s? How many bank conflicts occur, "
             "and why?%s",
             access->warp, words.block, words.access, words.quote);
    explain_banks(&map, asking->question->answer, VIVA_TEXT);
    answer(". The %u active lane%s use%s %u of the %u banks, and at most %u different word%s of "
           "one bank at a time; ",
           lanes, plural(lanes), lanes == 1 ? "s" : "", busy, map.banks, most, plural(most));
    explain_distance(access, map.word_bytes, asking->question->answer, VIVA_TEXT);
    answer(".");
}

static void ask_sectors(struct asking *asking, const struct block_access *one)
{
    const struct observed_access *access = &one->access;
    const struct device *device = asking->launch->device;
    const struct sector_map map = sector_map_make(device, block_access_pattern(access));
    const struct words words = words_of(asking, one, (unsigned)__builtin_ctz(access->mask));
    question("How many %ss does warp %u of %s access with %s? What is the minimum, and why?%s",
             sector_map_unit(device), access->warp, words.block, words.access, words.quote);
    answer("%u; the minimum for %u different bytes is %u. ", map.count, map.used_bytes, map.ideal);
    char *text = asking->question->answer, *first = text + strlen(text);
    explain_distance(access, 0, text, VIVA_TEXT);
    *first = (char)toupper((unsigned char)*first);
    answer(". Of %u bytes that are moved, %u are used.", map.moved_bytes, map.used_bytes);
}

static void ask_cost(struct asking *asking)
{
    const struct block_access *conflict = draw_access(asking, is_conflict);
    const struct block_access *scattered = draw_access(asking, is_scattered);
    const struct block_access *shared = draw_access(asking, is_shared);
    const struct block_access *global = draw_access(asking, is_global);
    const bool heads = draw(asking, 2);
    const struct block_access *one = conflict && (heads || !scattered) ? conflict
                                     : scattered                       ? scattered
                                     : shared && (heads || !global)    ? shared
                                                                       : global;
    if (!one)
        return;
    begin_question(asking);
    (one->access.is_shared ? ask_wavefronts : ask_sectors)(asking, one);
}

static bool try_run(struct asking *asking, const char *text, const char *define, uint64_t rows,
                    uint64_t cols, struct record *record, char directory[PATH_SIZE])
{
    struct run_options options = asking->options;
    struct run_result *result = NULL;
    struct failure wrong = {0}, unseen = {0};
    char path[PATH_SIZE + 256];
    *directory = 0;
    const char **defines =
        allocate_checked(calloc(options.build.define_count + 1, sizeof *defines));
    bool good = true;
    memset(&options.watch, 0, sizeof options.watch);
    snprintf(path, sizeof path, "%s", asking->path);
    if (define) {
        for (size_t i = 0; i < options.build.define_count; i++)
            defines[i] = options.build.defines[i];
        defines[options.build.define_count++] = define;
        options.build.defines = defines;
    }
    if (text) {
        good = scratch_make(directory, "viva", &unseen);
        snprintf(path, sizeof path, "%s/%.200s", directory, path_basename(asking->path));
        good = good && whole_file_write(path, text, strlen(text), true, &unseen);
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

/* Append the first line of the verdict, without the temporary directory. The next lines describe
 * possible mistakes, but the kernel was correct before the change. */
static void answer_verdict(struct asking *asking, const struct record *record,
                           const char *directory)
{
    const char *at = record_text(record, COLUMN_reason), *next;
    const char *end = at + strcspn(at, "\n");
    size_t length = strlen(directory);
    answer("%s: ", record_text(record, COLUMN_status));
    for (; length && (next = strstr(at, directory)) && next < end;
         at = next + length + (next[length] == '/'))
        answer("%.*s", (int)(next - at), at);
    if (at < end)
        answer("%.*s", (int)(end - at), at);
}

static void answer_changes(struct asking *asking, const struct record *after)
{
    const struct record_value *old = asking->record.values, *new = after->values;
    changes_append(&asking->record, after, asking->question->answer, VIVA_TEXT);
    if (!*asking->question->answer)
        answer("The block, the sectors and the bank conflicts do not change");
    answer(". The grid has %" PRIu64 " x %" PRIu64 " x %" PRIu64
           " blocks before the change and %" PRIu64 " x %" PRIu64 " x %" PRIu64
           " blocks after the change.",
           old[COLUMN_grid_x].count, old[COLUMN_grid_y].count, old[COLUMN_grid_z].count,
           new[COLUMN_grid_x].count, new[COLUMN_grid_y].count, new[COLUMN_grid_z].count);
}

/* Find a macro that -D can set: `#ifndef NAME`, then `#define NAME` with a number. */
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
        begin_question(asking);
        question("What changes if %s is %lu instead of %lu? Consider the block, the shared memory, "
                 "the sectors and the bank conflicts.",
                 name, other, value);
        answer_changes(asking, &after);
        return true;
    }
    return false;
}

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
    begin_question(asking);
    question("What happens without the __syncthreads() at line %u, and why?", call.line);
    if (record_is_right(&after))
        answer("A run shows no difference: the result stays correct, and there is no race. No "
               "value that passes between threads depends on this barrier.");
    else
        answer_verdict(asking, &after, directory);
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
        const uint64_t blocks = record_blocks(&after), threads = record_threads(&after);
        begin_question(asking);
        question("Which grid does LAB_LAUNCH return for %" PRIu64 " rows and %" PRIu64
                 " columns? How many threads does this grid have, and how many elements are there "
                 "per thread?",
                 v[COLUMN_rows].count, v[COLUMN_cols].count);
        answer("%" PRIu64 " x %" PRIu64 " x %" PRIu64 " blocks of %" PRIu64 " threads: %" PRIu64
               " threads, %.3g elements per thread for %" PRIu64 " elements.",
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

static bool show(void *context, const struct emulator_launch *launch,
                 const struct block_accesses *accesses, struct failure *failure)
{
    struct asking *asking = context;
    (void)failure;
    asking->launch = launch;
    asking->accesses = accesses;
    ask_place(asking);
    ask_cost(asking);
    return true;
}

static bool observe(struct asking *asking, struct failure *failure)
{
    static const enum column grid[3] = {COLUMN_grid_x, COLUMN_grid_y, COLUMN_grid_z};
    uint32_t *block = asking->block;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t blocks = asking->record.values[grid[i]].count;
        block[i] = (uint32_t)draw(asking, blocks < 8 ? blocks : 8);
    }
    struct block_run run = {.path = asking->path,
                            .options = asking->options,
                            .block = {block[0], block[1], block[2]},
                            .is_reported = true,
                            .show = show,
                            .context = asking};
    int status;
    return block_run(&run, &status, failure);
}

bool viva_ask(const char *path, const struct run_options *options, uint64_t seed, struct viva *viva,
              struct failure *wrong, struct failure *failure)
{
    struct asking *asking = allocate_checked(calloc(1, sizeof *asking));
    *viva = (struct viva){.rows = options->size.rows ? options->size.rows : VIVA_ROWS,
                          .cols = options->size.cols ? options->size.cols : VIVA_COLS};
    asking->path = path;
    asking->options = *options;
    memset(&asking->options.watch, 0, sizeof asking->options.watch);
    asking->options.size.rows = viva->rows;
    asking->options.size.cols = viva->cols;
    asking->viva = viva;
    asking->source = whole_file_read(path, SOURCE_BYTES, &asking->source_bytes, failure);
    if (asking->source)
        asking->code = allocate_checked(
            code_text((const unsigned char *)asking->source, asking->source_bytes));
    struct run_result *result =
        asking->source ? run_source_new(path, &asking->options, wrong, failure) : NULL;
    bool good = result;
    if (good && wrong->kind == FAILURE_NONE) {
        asking->record = result->records[0];
        viva->rows = asking->record.values[COLUMN_rows].count;
        viva->cols = asking->record.values[COLUMN_cols].count;
        asking->state = seed ^ hash_bytes(HASH_START, asking->source, asking->source_bytes);
        good = observe(asking, failure);
        if (good)
            ask_change(asking);
    }
    free(result);
    free(asking->source);
    free(asking->code);
    free(asking);
    return good;
}
