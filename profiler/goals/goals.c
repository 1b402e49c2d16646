#include "goals/goals.h"

#include <math.h>

static const struct {
    const char *unit, *phrase;
    enum goal_form form;
    enum column first, second;
    double compulsory, scale;
    unsigned of;
} measures[RUBRIC_MEASURE_COUNT] = {
#define X(id, json, unit, form, first, second, compulsory, of, scale, phrase)                      \
    {unit, phrase, GOAL_##form, COLUMN_##first, COLUMN_##second, compulsory, scale, of},
    RUBRIC_MEASURE_LIST(X)
#undef X
};

static const char *const mechanisms[RUBRIC_MECHANISM_COUNT][2] = {
#define X(id, json, meaning, with, without) {without, with},
    RUBRIC_MECHANISM_LIST(X)
#undef X
};

static const char *const mistakes[RUBRIC_MISTAKE_COUNT] = {[RUBRIC_MISTAKE_NONE] = "",
#define X(id, json, phrase) [RUBRIC_MISTAKE_##id] = phrase,
                                                           RUBRIC_MISTAKE_LIST(X)
#undef X
};

const char *goal_mistake_phrase(enum rubric_mistake mistake)
{
    return mistakes[mistake];
}

unsigned goal_measure_of(enum rubric_measure measure)
{
    return measures[measure].of;
}

const char *goal_measure_unit(enum rubric_measure measure)
{
    return measures[measure].unit;
}

/* Returns the number n of RUBRIC_MEASURE_LIST; 0 if the size of the matrix is unknown. */
static double elements_of(enum rubric_measure measure, const struct record_value *values,
                          const struct goal_needs *needs)
{
    unsigned side = measures[measure].of & GOAL_OF_BOTH;
    if (!needs)
        return values[COLUMN_rows].known && values[COLUMN_cols].known
                   ? (double)values[COLUMN_rows].count * (double)values[COLUMN_cols].count
                   : 0;
    if (side == GOAL_OF_STORES)
        return needs->written / 4;
    if (side == GOAL_OF_LOADS || measure == RUBRIC_INSTRUCTIONS)
        return needs->read / 4;
    return (needs->read + needs->written) / 8;
}

const char *goal_measure_phrase(enum rubric_measure measure, const struct goal_needs *needs,
                                double *scale)
{
    *scale = measures[measure].scale;
    if (needs && measures[measure].form != GOAL_PLAIN)
        *scale *= elements_of(measure, NULL, needs) / (needs->read / 4);
    return measures[measure].phrase;
}

const char *goal_mechanism_phrase(enum rubric_mechanism mechanism, bool with)
{
    return mechanisms[mechanism][with];
}

static bool goal_amount(enum rubric_measure measure, const struct record_value *values,
                        double *amount)
{
    const struct record_value *first = &values[measures[measure].first];
    const struct record_value *second = &values[measures[measure].second];
    if (!first->known || !second->known)
        return false;
    switch (measures[measure].form) {
    case GOAL_SUM:
        *amount = (double)first->count + (first == second ? 0 : (double)second->count);
        return true;
    case GOAL_LARGER:
        *amount = (double)(first->count > second->count ? first->count : second->count);
        return true;
    case GOAL_SCALED:
        *amount = first->real * ((double)values[COLUMN_dram_read_bytes].count +
                                 (double)values[COLUMN_dram_write_bytes].count);
        return values[COLUMN_dram_read_bytes].known && values[COLUMN_dram_write_bytes].known;
    default:
        *amount = first->real;
        return true;
    }
}

bool goal_measure(enum rubric_measure measure, const struct record *record,
                  const struct goal_needs *needs, double *value)
{
    const struct record_value *values = record->values;
    double amount;
    if (!goal_amount(measure, values, &amount))
        return false;
    if (measures[measure].form == GOAL_PLAIN) {
        *value = amount;
        return true;
    }
    double elements = elements_of(measure, values, needs);
    *value = amount / (measures[measure].compulsory * elements);
    return elements > 0 && isfinite(*value);
}

double goal_share(double full, double zero, double value)
{
    bool smaller = full < zero;
    if (smaller ? value <= full : value >= full)
        return 1;
    if (smaller ? value >= zero : value <= zero)
        return 0;
    return log(zero / value) / log(zero / full);
}
