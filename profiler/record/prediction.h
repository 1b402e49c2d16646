/* prediction.h: the prediction worksheet predict.txt beside the files of a lab, in the format of
 * base/conf.h. A student fills it in before the first run.
 *
 *   device = h200               # the run: device, rows, cols and defines; the defaults are
 *   rows = 2048                 # those of `tlab run` without options
 *   sectors_per_store = ?       # a quantity to predict; `?` or nothing: not filled in
 *   copy_shared.bound = shared  # a quantity of one exercise, in a lab with several
 *   against = faster            # compared with the previous lab,
 *   before = 03_padded          # or with this lab
 *
 * A quantity is a numeric column of the CSV, `bound`, `against`, or a shorthand of prediction.c. */
#ifndef PREDICTION_H
#define PREDICTION_H

#include "base/failure.h"
#include "base/paths.h"
#include "record/record.h"

enum prediction_how {
    PREDICTION_COLUMN,    /* first */
    PREDICTION_QUOTIENT,  /* first / second */
    PREDICTION_MEGABYTES, /* (first + second) / 1e6 */
    PREDICTION_PRODUCT,   /* product of all columns from first to second */
    PREDICTION_BOUND,     /* a word: the column `bound` */
    PREDICTION_AGAINST    /* a word: the time, compared with another lab */
};

struct prediction_quantity {
    enum prediction_how how;
    enum column first, second;
    char name[40], title[160];
};

enum { PREDICTION_TEXT_SIZE = 40, PREDICTIONS_MAX = 64, PREDICTION_WORDS_MAX = 24 };

struct prediction {
    unsigned line;
    char exercise[64]; /* the name before the quantity; "" if there is none */
    struct prediction_quantity quantity;
    bool filled;
    char text[PREDICTION_TEXT_SIZE]; /* the answer of the student: a number or a valid word */
    double number;                   /* value of `text` for a numeric answer */
};

struct prediction_sheet {
    char path[PATH_SIZE];
    char device[64], defines[256]; /* device "": any device; defines "": no macros */
    uint64_t rows, cols;           /* 0: the default of a run */
    char before[64];               /* "": the previous lab */
    struct prediction *predictions;
    size_t count;
};

#define PREDICTION_FILE "predict.txt"

/* Read the worksheet beside a lab's file, or in its directory. Without a worksheet, `sheet` has no
 * predictions and no path. Returns false for a harness failure, which lists each mistake as
 * "PATH:LINE: what"; the correct lines are still read. Always call prediction_free. */
bool prediction_find(const char *target, struct prediction_sheet *sheet, struct failure *failure);
bool prediction_read(const char *path, struct prediction_sheet *sheet, struct failure *failure);
void prediction_free(struct prediction_sheet *sheet);

/* Returns true if the prediction is for `exercise`. `first`: true for the lab's first exercise. */
bool prediction_is_for(const struct prediction *prediction, const char *exercise, bool first);

/* Set the answer of a prediction; "?" and "" remove the answer. The digits of a number may be
 * separated by blanks or `_`, and K, M or G (1e3, 1e6, 1e9) may follow. Returns false for a
 * failure, which describes the expected answer; the prediction is then unchanged. */
bool prediction_answer(struct prediction *prediction, const char *text, struct failure *failure);

/* Write the answers to the file of the worksheet. Comments and the order of lines do not change.
 * Returns false for a harness failure. */
bool prediction_write(const struct prediction_sheet *sheet, struct failure *failure);

/* Compute the value of a numeric quantity from a record. Returns false if the value is unknown. */
bool prediction_value(const struct prediction_quantity *quantity, const struct record *record,
                      double *value);

/* Returns true if the predicted number is within 2 % of `value`. */
bool prediction_is_right(const struct prediction *prediction, double value);

/* Returns true if the answer must be a word; `words` then receives the valid words and a NULL. */
bool prediction_has_words(enum prediction_how how, const char *words[PREDICTION_WORDS_MAX]);

/* Returns a static text, one line per shorthand: "  sectors_per_load     sectors ...". */
const char *prediction_shorthands(void);

#endif
