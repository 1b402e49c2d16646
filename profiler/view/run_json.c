/* run_json.c: see run_json.h. */
#include "view/run_json.h"

#include "text/code_text.h"

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
