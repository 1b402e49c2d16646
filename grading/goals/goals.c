/* goals.c: see goals.h. */
#include "goals/goals.h"

#include <math.h>

static const struct {
    const char *unit, *phrase;
    enum column first, second;
    double compulsory, scale;
    unsigned of;
} measures[RUBRIC_MEASURE_COUNT] = {
#define X(id, json, unit, first, second, compulsory, of, scale, phrase)                            \
    {unit, phrase, COLUMN_##first, COLUMN_##second, compulsory, scale, of},
    RUBRIC_MEASURE_LIST(X)
#undef X
};

static const char *const mechanisms[RUBRIC_MECHANISM_COUNT][2] = {
#define X(id, json, meaning, with, without) {without, with},
    RUBRIC_MECHANISM_LIST(X)
#undef X
};

unsigned goal_measure_of(enum rubric_measure measure)
{
    return measures[measure].of;
}

const char *goal_measure_unit(enum rubric_measure measure)
{
    return measures[measure].unit;
}

const char *goal_measure_phrase(enum rubric_measure measure, double *scale)
{
    *scale = measures[measure].scale;
    return measures[measure].phrase;
}

const char *goal_mechanism_phrase(enum rubric_mechanism mechanism, bool with)
{
    return mechanisms[mechanism][with];
}

bool goal_measure(enum rubric_measure measure, const struct record *record, double *value)
{
    enum column first = measures[measure].first, second = measures[measure].second;
    const struct record_value *values = record->values;
    if (!values[first].known || !values[second].known)
        return false;
    if (column_describe(first)->type == RECORD_REAL) {
        *value = values[first].real;
        return true;
    }
    if (!values[COLUMN_rows].known || !values[COLUMN_cols].known)
        return false;
    double sum = (double)values[first].count;
    if (second != first)
        sum += (double)values[second].count;
    *value = sum / (measures[measure].compulsory * (double)values[COLUMN_rows].count *
                    (double)values[COLUMN_cols].count);
    return isfinite(*value);
}
