/* judge_json.c: the sizes and checks of a grade as JSON; see judge.h. */
#include "judge/judge.h"

#include "intake/json_text.h"

#include <string.h>

json_t *judge_sizes(const struct rubric *rubric, const struct measurement *measurement)
{
    json_t *sizes = json_array();
    for (unsigned i = 0; measurement && i < measurement->size_count; i++) {
        const struct rubric_size *size = &rubric->sizes[i];
        const struct measured_size *measured = &measurement->sizes[i];
        json_array_append_new(sizes, json_pack("{s:I, s:I, s:b, s:s, s:s, s:o}", "rows",
                                               (json_int_t)size->rows, "cols",
                                               (json_int_t)size->cols, "hidden", size->hidden,
                                               "kind", rubric_size_kind_name(size->kind), "status",
                                               status_name(measured->status), "reason",
                                               json_format("%s", measured->reason)));
    }
    return sizes;
}

json_t *judge_counters(const struct record *record)
{
    json_t *counters = json_object();
    for (unsigned i = 0; i < COLUMN_COUNT; i++) {
        const struct column_info *info = column_describe((enum column)i);
        const struct record_value *value = &record->values[i];
        if ((info->type == RECORD_TEXT && i != COLUMN_bound) || i == COLUMN_seed ||
            i == COLUMN_passes)
            continue;
        json_t *copy = !value->known ? json_null()
                       : info->type == RECORD_TEXT
                           ? json_format("%s", record_text(record, (enum column)i))
                       : info->type == RECORD_REAL ? json_number(value->real)
                                                   : json_integer((json_int_t)value->count);
        json_object_set_new(counters, info->name, copy);
    }
    return counters;
}

json_t *judge_runs(const struct rubric *rubric, const struct measurement *measurement)
{
    json_t *runs = json_array();
    for (unsigned i = 0; measurement && i < measurement->run_count; i++) {
        const struct record *record = &measurement->runs[i].record;
        json_array_append_new(
            runs, json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "name", rubric->runs[i].name,
                            "device", rubric->runs[i].device.name, "hidden", rubric->runs[i].hidden,
                            "status", json_format("%s", record_text(record, COLUMN_status)),
                            "reason", json_format("%s", record_text(record, COLUMN_reason)),
                            "counters", judge_counters(record)));
    }
    return runs;
}

json_t *judge_lines(const struct measurement *measurement)
{
    json_t *lines = json_array();
    for (unsigned i = 0; measurement && i < measurement->line_count; i++) {
        const struct measured_line *line = &measurement->lines[i];
        json_array_append_new(
            lines, json_pack("{s:I, s:s, s:s, s:I, s:I, s:I, s:o}", "line", (json_int_t)line->line,
                             "space", line->shared ? "shared" : "global", "access",
                             line->store ? "store" : "load", "requests", (json_int_t)line->requests,
                             "used", (json_int_t)line->used, "ideal", (json_int_t)line->ideal,
                             "time_share", json_number(line->time_share)));
    }
    return lines;
}

/* Truncates the source between lines, unless a single line exceeds the limit. */
json_t *judge_source(const struct intake_file *file)
{
    size_t end = 0, lines = 0, more = 0;
    if (!file || !file->size)
        return json_null();
    const char *text = (const char *)file->bytes;
    while (end < file->size && lines < JUDGE_SOURCE_LINES) {
        const char *line_end = memchr(text + end, '\n', file->size - end);
        size_t next = line_end ? (size_t)(line_end - text) + 1 : file->size;
        if (next > JUDGE_SOURCE_BYTES) {
            end = end ? end : JUDGE_SOURCE_BYTES;
            break;
        }
        end = next;
        lines++;
    }
    json_t *shown = json_text(text, end);
    if (end == file->size || !shown)
        return shown;
    for (size_t i = end; i < file->size; i++)
        more += text[i] == '\n';
    json_t *cut = json_sprintf("%s%s... (%zu KiB in %zu more lines are not shown)\n",
                               json_string_value(shown), text[end - 1] == '\n' ? "" : "\n",
                               (file->size - end + 1023) / 1024, more);
    json_decref(shown);
    return cut;
}

json_t *judge_compiler(const struct measurement *measurement)
{
    if (!measurement || !measurement->run_count)
        return json_string("");
    return json_format("%s", record_text(&measurement->runs[0].record, COLUMN_compiler));
}
