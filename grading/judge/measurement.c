#include "judge/measurement.h"

#include <math.h>
#include <string.h>

void measured_size_set(struct measured_size *size, const struct failure *failure)
{
    size->status = failure->status;
    snprintf(size->reason, sizeof size->reason, "%.*s", RECORD_TEXT_SIZE - 1, failure->text);
}

static bool text_ends(const char *text, size_t size)
{
    return memchr(text, 0, size) != NULL;
}

/* An untrusted bool may contain any byte. Reading such a byte as a bool is undefined behaviour. */
static bool flag_is_good(const bool *flag)
{
    unsigned char byte;
    memcpy(&byte, flag, 1);
    return byte <= 1;
}

static bool enum_is_good(const void *value, unsigned count)
{
    unsigned number;
    memcpy(&number, value, sizeof number);
    return number < count;
}

static bool record_is_good(const struct record *record)
{
    if (!record_is_sound(record))
        return false;
    for (unsigned i = 0; i < COLUMN_COUNT; i++) {
        const struct record_value *value = &record->values[i];
        if (value->known && column_describe((enum column)i)->type == RECORD_COUNT &&
            value->count > INT64_MAX && i != COLUMN_seed)
            return false; /* JSON integers are signed 64-bit numbers */
    }
    return true;
}

bool measurement_is_whole(const struct rubric_size *size)
{
    return size->hidden && (size->kind == RUBRIC_SQUARE || size->kind == RUBRIC_OBLONG ||
                            size->kind == RUBRIC_HUGE);
}

static bool extent_is_good(const struct rubric *rubric, unsigned index, bool square, uint64_t rows,
                           uint64_t cols)
{
    const struct rubric_run *wanted = &rubric->runs[index];
    bool good = rows == wanted->rows && cols == (square ? wanted->rows : wanted->cols);
    for (unsigned i = 0; !good && index == rubric->runs[0].twin && i < rubric->size_count; i++)
        good = measurement_is_whole(&rubric->sizes[i]) && rows == rubric->sizes[i].rows &&
               cols == rubric->sizes[i].cols;
    return good;
}

static bool run_is_good(const struct measured_run *counted, const struct rubric *rubric,
                        unsigned index, bool square)
{
    const struct record_value *values = counted->record.values;
    const uint64_t rows = values[COLUMN_rows].count, cols = values[COLUMN_cols].count;
    if (!values[COLUMN_rows].known || !values[COLUMN_cols].known ||
        !extent_is_good(rubric, index, square, rows, cols))
        return false;
    const struct goal_needs needs = measured_needs_at(&rubric->exercise, rows, cols);
    return counted->spared_bytes <= MEASURE_MARGIN(rows, cols) &&
           !memcmp(&needs, &counted->needs, sizeof needs) && record_is_good(&counted->record) &&
           values[COLUMN_device].known &&
           !strcmp(record_text(&counted->record, COLUMN_device), rubric->runs[index].device.name) &&
           values[COLUMN_status].known && values[COLUMN_reason].known;
}

static bool line_is_good(const struct measured_line *line)
{
    return flag_is_good(&line->shared) && flag_is_good(&line->store) &&
           isfinite(line->time_share) && line->line < SOURCE_LINES_MAX &&
           line->requests <= INT64_MAX && line->used <= INT64_MAX && line->ideal <= INT64_MAX;
}

bool measurement_check(const struct measurement *m, const struct measure_job *job)
{
    if (!text_ends(m->exercise, sizeof m->exercise) || !flag_is_good(&m->has_rubric) ||
        !enum_is_good(&m->status, STATUS_COUNT) || !text_ends(m->reason, sizeof m->reason) ||
        !text_ends(m->naming, sizeof m->naming) || !text_ends(m->advice, sizeof m->advice) ||
        (job->repaired && strncmp(m->naming, job->repaired, strlen(job->repaired))) ||
        m->line_count > MEASURE_LINES_MAX)
        return false;
    const struct rubric *rubric = rubric_find(job->rubrics, job->rubric_count, m->exercise);
    if (m->has_rubric != (rubric != NULL))
        return false;
    bool measured = m->status == STATUS_OK;
    if (m->size_count != (measured && rubric ? rubric->size_count : 0) ||
        (m->run_count && (!measured || !rubric || m->run_count != rubric->run_count)) ||
        (measured && !rubric))
        return false;
    for (unsigned i = 0; i < m->size_count; i++)
        if (!enum_is_good(&m->sizes[i].status, STATUS_COUNT) ||
            !text_ends(m->sizes[i].reason, sizeof m->sizes[i].reason))
            return false;
    for (unsigned i = 0; i < m->run_count; i++)
        if (!run_is_good(&m->runs[i], rubric, i, false))
            return false;
    if (!enum_is_good(&m->mistake, RUBRIC_MISTAKE_COUNT) || (m->mistake && !m->size_count) ||
        !enum_is_good(&m->second_mistake, RUBRIC_MISTAKE_COUNT) ||
        !flag_is_good(&m->spares_margin) || !flag_is_good(&m->is_idle) ||
        !(m->busiest_share >= 0 && m->busiest_share <= 1))
        return false;
    const bool square =
        m->mistake == RUBRIC_MISTAKE_SQUARES || m->second_mistake == RUBRIC_MISTAKE_SQUARES;
    for (unsigned i = 0; m->mistake && i < rubric->run_count; i++)
        if (!run_is_good(&m->repaired[i], rubric, i, square))
            return false;
    for (unsigned i = 0; i < m->line_count; i++)
        if (!line_is_good(&m->lines[i]))
            return false;
    return true;
}
