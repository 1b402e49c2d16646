/* prediction.h: the worksheet predict.txt of a lab, in the format of base/conf.h.
 *
 *   device = h200               # the predicted run: device, rows, cols and defines; the
 *   rows = 2048                 # defaults are those of `tlab run`
 *   sectors_per_store = ?       # a quantity to predict; `?` or nothing: no answer
 *   copy_shared.bound = shared  # a quantity of one exercise in a lab with several exercises
 *   against = faster            # the time, compared with the previous lab,
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
    char exercise[64]; /* Name before the quantity; "" if there is none. */
    struct prediction_quantity quantity;
    bool filled;
    char text[PREDICTION_TEXT_SIZE]; /* Answer of the student: a number or a valid word. */
    double number;                   /* Value of a numeric answer. */
};

struct prediction_sheet {
    char path[PATH_SIZE];
    char device[64], defines[256]; /* "" for any device, and for no macros. */
    uint64_t rows, cols;           /* 0 for the default of a run. */
    char before[64];               /* Name of the lab to compare with; "" for the previous lab. */
    struct prediction *predictions;
    size_t count;
};

#define PREDICTION_FILE "predict.txt"

/* Read the worksheet in the directory of `target`, which is a lab's file or the directory itself.
 * Without a worksheet, `sheet` is all zero. Returns false for a harness failure, which lists each
 * mistake as "PATH:LINE: what". Always call prediction_free. */
bool prediction_find(const char *target, struct prediction_sheet *sheet, struct failure *failure);
bool prediction_read(const char *path, struct prediction_sheet *sheet, struct failure *failure);
void prediction_free(struct prediction_sheet *sheet);

/* Returns true if the prediction is for `exercise`. `first` is true for its first exercise. */
bool prediction_is_for(const struct prediction *prediction, const char *exercise, bool first);

/* Set the answer of a prediction; "?" and "" remove the answer. Blanks or `_` may separate the
 * digits of a number, and K, M or G (1e3, 1e6, 1e9) may follow. Returns false for a failure, which
 * describes the expected answer; the prediction is then unchanged. */
bool prediction_answer(struct prediction *prediction, const char *text, struct failure *failure);

/* Write the answers to the worksheet, and nothing else. Returns false for a harness failure. */
bool prediction_write(const struct prediction_sheet *sheet, struct failure *failure);

/* Compute a numeric quantity of a record. Returns false if the value is unknown. */
bool prediction_value(const struct prediction_quantity *quantity, const struct record *record,
                      double *value);

bool prediction_is_right(const struct prediction *prediction, double value);

/* If the answer must be a word, returns true, and `words` receives the valid words and a NULL. */
bool prediction_has_words(enum prediction_how how, const char *words[PREDICTION_WORDS_MAX]);

/* Returns a static string, one line per shorthand: "  sectors_per_load     sectors ...". */
const char *prediction_shorthands(void);

#endif
