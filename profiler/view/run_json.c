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

/* Write the numbers in the text as "numbers", without digits in names such as x2. */
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
    json_out_format(out, "status: %s, right: %d", status_name(wrong->status),
                    wrong->kind == FAILURE_NONE);
    write_line(out, wrong->line);
    if (wrong->rows)
        json_out_format(out, "at: {rows: %lu, cols: %lu}", wrong->rows, wrong->cols);
    else
        json_out_word(out, "at", "null");
    json_out_format(out, "text: %s, map: %s, findings: [", wrong->text, wrong->map);
    for (unsigned i = 0; i < wrong->findings.count; i++) {
        const size_t length = strlen(wrong->text), begin = wrong->findings.list[i].at;
        const char *text = wrong->text + (begin < length ? begin : length);
        json_out_format(out, "{id: %s", finding_name(wrong->findings.list[i].id));
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
        json_out_format(out, "{id: %s, reached: %d", item->id, item->reached);
        write_line(out, item->line);
        json_out_format(out, "points: %g, earned: %g, title: %s, text: %s}", item->points,
                        item->earned, item->title, item->reached ? "" : item->text);
    }
    json_out_close(out, ']');
    if (points)
        json_out_format(
            out, "points: {published: %g, earned: %g, hidden: %g, by_person: %g, on_gpu: %g}",
            goals->points, goals->earned, goals->hidden_points, goals->person_points,
            goals->gpu_points);
    json_out_open(out, "notes", '[');
    for (unsigned i = 0; i < goals->note_count; i++)
        json_out_format(out, "{id: %s, text: %s}", finding_name(goals->notes[i].id),
                        goals->notes[i].text);
    json_out_close(out, ']');
}

void run_json_write(struct json_out *out, const char *path, const struct record *record,
                    const struct failure *wrong, const struct goal_list *goals, bool points)
{
    json_out_format(out, "{file: %s", path);
    write_verdict(out, wrong);
    write_goals(out, goals, points);
    run_json_write_record(out, "record", record);
    json_out_close(out, '}');
}

/* Write the list of lanes. `index` has the index of each lane's piece or first bank. */
static void write_lanes(struct json_out *out, const struct emulator_launch *launch,
                        const struct observed_access *access, const uint8_t index[LANES])
{
    char element[64];
    json_out_open(out, "lanes", '[');
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(access->mask >> lane & 1))
            continue;
        block_access_describe(launch, access, lane, element, sizeof element);
        json_out_format(out, "[%u, %lu, %u, %s]", lane, access->address[lane], index[lane],
                        element);
    }
    json_out_close(out, ']');
}

static void write_shared(struct json_out *out, const struct emulator_launch *launch,
                         const struct observed_access *access)
{
    const struct bank_map map = bank_map_make(launch->device, block_access_pattern(access));
    uint8_t bank[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        bank[lane] = (uint8_t)bank_of(&map, access->address[lane]);
    json_out_format(out, "used: %u, ideal: %u, phase: %u", map.wavefronts, map.ideal,
                    map.phase_lanes);
    write_lanes(out, launch, access, bank);
}

static void write_global(struct json_out *out, const struct emulator_launch *launch,
                         const struct observed_access *access)
{
    const struct sector_map map = sector_map_make(launch->device, block_access_pattern(access));
    json_out_format(out, "used: %u, ideal: %u, pieces: [", map.count, map.ideal);
    for (unsigned i = 0; i < map.count; i++)
        json_out_format(out, "[%lu, %u]", map.pieces[i].address, map.pieces[i].bytes);
    json_out_close(out, ']');
    write_lanes(out, launch, access, map.piece);
}

static void write_request(struct json_out *out, const struct emulator_launch *launch,
                          const struct block_access *observed)
{
    const struct observed_access *access = &observed->access;
    json_out_format(out,
                    "{line: %u, space: %s, access: %s, warp: %u, time: %u, times: %u, bytes: %u",
                    observed->line, access->is_shared ? "shared" : "global",
                    access->is_store ? "store" : "load", access->warp, observed->time,
                    observed->times, access->bytes);
    (access->is_shared ? write_shared : write_global)(out, launch, access);
    json_out_close(out, '}');
}

void run_json_write_block(struct json_out *out, const struct emulator_launch *launch,
                          const struct block_accesses *accesses)
{
    const struct device *device = launch->device;
    const uint32_t *block = accesses->observer.block;
    json_out_format(out, "block: [%u, %u, %u], threads: [%u, %u, %u]", block[0], block[1], block[2],
                    launch->block.x, launch->block.y, launch->block.z);
    json_out_format(out,
                    "warp_lanes: %lu, total: %zu, banks: %lu, word_bytes: %lu, line_bytes: %lu, "
                    "sector_bytes: %lu, requests: [",
                    device->warp_lanes, accesses->count, device->shared_banks,
                    device->shared_bank_bytes, device->line_bytes,
                    device->coalescing == COALESCE_SECTORS ? device->sector_bytes : 0);
    for (size_t i = 0; i < accesses->count && i < RUN_JSON_REQUESTS; i++)
        write_request(out, launch, &accesses->list[i]);
    json_out_close(out, ']');
}
