/* run_json.c: see run_json.h. */
#include "view/run_json.h"

#include "text/code_text.h"
#include "view/lane_map.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void write_line(struct json_out *out, uint32_t line)
{
    if (line)
        json_out_count(out, "line", line);
    else
        json_out_word(out, "line", "null");
}

/* Write the numbers of a sentence in order, without the digits in names such as x2. */
static void write_numbers(struct json_out *out, const char *text, size_t length)
{
    char line[FAILURE_TEXT_SIZE], *end;
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    json_out_open(out, "numbers", '[');
    for (char *at = line; *at; at = end) {
        const bool in_name = at > line && code_is_word(at[-1]);
        end = at + 1;
        if (!isdigit((unsigned char)*at))
            continue;
        const double number = strtod(at, &end);
        if (!in_name)
            json_out_real(out, NULL, number);
    }
    json_out_close(out, ']');
}

static void write_verdict(struct json_out *out, const struct failure *wrong)
{
    json_out_text(out, "status", status_name(wrong->status));
    json_out_bool(out, "right", wrong->kind == FAILURE_NONE);
    write_line(out, wrong->line);
    if (wrong->rows) {
        json_out_open(out, "at", '{');
        json_out_count(out, "rows", wrong->rows);
        json_out_count(out, "cols", wrong->cols);
        json_out_close(out, '}');
    } else {
        json_out_word(out, "at", "null");
    }
    json_out_text(out, "text", wrong->text);
    json_out_text(out, "map", wrong->map);
    json_out_open(out, "findings", '[');
    for (unsigned i = 0; i < wrong->findings.count; i++) {
        const size_t length = strlen(wrong->text), begin = wrong->findings.list[i].at;
        const char *text = wrong->text + (begin < length ? begin : length);
        json_out_open(out, NULL, '{');
        json_out_text(out, "id", finding_name(wrong->findings.list[i].id));
        write_line(out, wrong->findings.list[i].line);
        write_numbers(out, text, strcspn(text, "\n"));
        json_out_bytes(out, "text", text, strcspn(text, "\n"));
        json_out_close(out, '}');
    }
    json_out_close(out, ']');
}

void run_json_write_record(struct json_out *out, const char *key, const struct record *record)
{
    json_out_open(out, key, '{');
    for (unsigned i = 0; i < COLUMN_COUNT; i++) {
        const struct record_value *value = &record->values[i];
        const struct column_info *column = column_describe((enum column)i);
        if (!value->known)
            json_out_word(out, column->name, "null");
        else if (column->type == RECORD_TEXT)
            json_out_text(out, column->name, record_text(record, (enum column)i));
        else if (column->type == RECORD_REAL)
            json_out_real(out, column->name, value->real);
        else
            json_out_count(out, column->name, value->count);
    }
    json_out_close(out, '}');
}

static void write_goals(struct json_out *out, const struct goal_list *goals, bool points)
{
    json_out_open(out, "goals", '[');
    for (unsigned i = 0; i < goals->count; i++) {
        const struct goal_item *item = &goals->items[i];
        json_out_open(out, NULL, '{');
        json_out_text(out, "id", item->id);
        json_out_bool(out, "reached", item->reached);
        write_line(out, item->line);
        json_out_real(out, "points", item->points);
        json_out_real(out, "earned", item->earned);
        json_out_text(out, "title", item->title);
        json_out_text(out, "text", item->reached ? "" : item->text);
        json_out_close(out, '}');
    }
    json_out_close(out, ']');
    if (points) {
        json_out_open(out, "points", '{');
        json_out_real(out, "published", goals->points);
        json_out_real(out, "earned", goals->earned);
        json_out_real(out, "hidden", goals->hidden_points);
        json_out_real(out, "by_person", goals->person_points);
        json_out_real(out, "on_gpu", goals->gpu_points);
        json_out_close(out, '}');
    }
    json_out_open(out, "notes", '[');
    for (unsigned i = 0; i < goals->note_count; i++) {
        json_out_open(out, NULL, '{');
        json_out_text(out, "id", finding_name(goals->notes[i].id));
        json_out_text(out, "text", goals->notes[i].text);
        json_out_close(out, '}');
    }
    json_out_close(out, ']');
}

void run_json_write(struct json_out *out, const char *path, const struct record *record,
                    const struct failure *wrong, const struct goal_list *goals, bool points)
{
    json_out_open(out, NULL, '{');
    json_out_text(out, "file", path);
    write_verdict(out, wrong);
    write_goals(out, goals, points);
    run_json_write_record(out, "record", record);
    json_out_close(out, '}');
}

/* ---- The accesses of one block ---- */

static void write_triple(struct json_out *out, const char *key, uint32_t x, uint32_t y, uint32_t z)
{
    json_out_open(out, key, '[');
    json_out_count(out, NULL, x);
    json_out_count(out, NULL, y);
    json_out_count(out, NULL, z);
    json_out_close(out, ']');
}

/* `index` has the piece or the bank of each active lane. */
static void write_lanes(struct json_out *out, const struct emulator_launch *launch,
                        const struct observed_access *access, const uint8_t index[LANES])
{
    char element[64];
    json_out_open(out, "lanes", '[');
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(access->mask >> lane & 1))
            continue;
        block_access_describe(launch, access, lane, element, sizeof element);
        json_out_open(out, NULL, '[');
        json_out_count(out, NULL, lane);
        json_out_count(out, NULL, access->address[lane]);
        json_out_count(out, NULL, index[lane]);
        json_out_text(out, NULL, element);
        json_out_close(out, ']');
    }
    json_out_close(out, ']');
}

static void write_shared(struct json_out *out, const struct emulator_launch *launch,
                         const struct observed_access *access)
{
    const struct warp_access pattern = block_access_pattern(access);
    struct bank_map map;
    uint8_t bank[LANES];
    bank_map_make(launch->device, &pattern, &map);
    for (unsigned lane = 0; lane < LANES; lane++)
        bank[lane] = (uint8_t)bank_of(&map, access->address[lane]);
    json_out_count(out, "used", map.wavefronts);
    json_out_count(out, "ideal", map.ideal);
    json_out_count(out, "phase", map.phase_lanes);
    write_lanes(out, launch, access, bank);
}

static void write_global(struct json_out *out, const struct emulator_launch *launch,
                         const struct observed_access *access)
{
    const struct warp_access pattern = block_access_pattern(access);
    struct sector_map map;
    sector_map_make(launch->device, &pattern, &map);
    json_out_count(out, "used", map.count);
    json_out_count(out, "ideal", map.ideal);
    json_out_open(out, "pieces", '[');
    for (unsigned i = 0; i < map.count; i++) {
        json_out_open(out, NULL, '[');
        json_out_count(out, NULL, map.pieces[i].address);
        json_out_count(out, NULL, map.pieces[i].bytes);
        json_out_close(out, ']');
    }
    json_out_close(out, ']');
    write_lanes(out, launch, access, map.piece);
}

static void write_request(struct json_out *out, const struct emulator_launch *launch,
                          const struct block_access *observed)
{
    const struct observed_access *access = &observed->access;
    json_out_open(out, NULL, '{');
    json_out_count(out, "line", observed->line);
    json_out_text(out, "space", access->is_shared ? "shared" : "global");
    json_out_text(out, "access", access->is_store ? "store" : "load");
    json_out_count(out, "warp", access->warp);
    json_out_count(out, "time", observed->time);
    json_out_count(out, "times", observed->times);
    json_out_count(out, "bytes", access->bytes);
    (access->is_shared ? write_shared : write_global)(out, launch, access);
    json_out_close(out, '}');
}

void run_json_write_block(struct json_out *out, const struct emulator_launch *launch,
                          const struct block_accesses *accesses)
{
    const struct device *device = launch->device;
    const uint32_t *block = accesses->observer.block;
    write_triple(out, "block", block[0], block[1], block[2]);
    write_triple(out, "threads", launch->block.x, launch->block.y, launch->block.z);
    json_out_count(out, "warp_lanes", device->warp_lanes);
    json_out_count(out, "total", accesses->count);
    json_out_count(out, "banks", device->shared_banks);
    json_out_count(out, "word_bytes", device->shared_bank_bytes);
    json_out_count(out, "line_bytes", device->line_bytes);
    json_out_count(out, "sector_bytes",
                   device->coalescing == COALESCE_SECTORS ? device->sector_bytes : 0);
    json_out_open(out, "requests", '[');
    for (size_t i = 0; i < accesses->count && i < RUN_JSON_REQUESTS; i++)
        write_request(out, launch, &accesses->list[i]);
    json_out_close(out, ']');
}
