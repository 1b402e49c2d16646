/* prediction.h: what a student expects of a kernel before it runs: the sheet predict.txt beside the
 * lab's files, in the format of base/conf.h.
 *
 *   device = h200               # of the run that is meant; also rows, cols and defines, which are
 *   rows = 2048                 # those of a plain `tlab run` where the sheet does not say them
 *   sectors_per_store = ?       # a figure to predict; `?`, or nothing: not filled in
 *   copy_shared.bound = shared  # of that exercise, in a lab of several
 *   against = faster            # than the lab before,
 *   before = 03_padded          # or than this one
 *
 * A figure is a column of the CSV that is a number, `bound`, `against`, or a shorthand of
 * PREDICTION_LIST.
 */
#ifndef PREDICTION_H
#define PREDICTION_H

#include "base/failure.h"
#include "base/paths.h"
#include "record/record.h"

/* Shorthands: X(name, how, first column, second column, "what it is called") */
#define PREDICTION_LIST(X)                                                                         \
    X(sectors_per_load, QUOTIENT, global_load_sectors, global_load_requests,                       \
      "sectors per global load of a warp")                                                         \
    X(sectors_per_store, QUOTIENT, global_store_sectors, global_store_requests,                    \
      "sectors per global store of a warp")                                                        \
    X(conflicts_per_load, QUOTIENT, shared_load_conflicts, shared_load_requests,                   \
      "bank conflicts per shared load of a warp")                                                  \
    X(conflicts_per_store, QUOTIENT, shared_store_conflicts, shared_store_requests,                \
      "bank conflicts per shared store of a warp")                                                 \
    X(l2_mb, MEGABYTES, l2_read_bytes, l2_write_bytes, "MB between the SMs and the L2")            \
    X(dram_mb, MEGABYTES, dram_read_bytes, dram_write_bytes, "MB read from and written to DRAM")   \
    X(blocks, PRODUCT, grid_x, grid_z, "blocks of the grid")                                       \
    X(threads, PRODUCT, block_x, block_z, "threads of a block")

enum prediction_how {
    PREDICTION_COLUMN,    /* first */
    PREDICTION_QUOTIENT,  /* first / second */
    PREDICTION_MEGABYTES, /* (first + second) / 1e6 */
    PREDICTION_PRODUCT,   /* of all columns from first to second */
    PREDICTION_BOUND,     /* a word: the column `bound` */
    PREDICTION_AGAINST    /* a word: the time, against that of another lab */
};

struct prediction_quantity {
    enum prediction_how how;
    enum column first, second;
    char name[40], title[160];
};

enum { PREDICTION_TEXT_SIZE = 40, PREDICTIONS_MAX = 64, PREDICTION_WORDS_MAX = 16 };

/* One line of the sheet. */
struct prediction {
    unsigned line;
    char exercise[64]; /* "": the first of the lab */
    struct prediction_quantity quantity;
    bool filled;
    char text[PREDICTION_TEXT_SIZE]; /* what was written; of a word, one that is known */
    double number;                   /* unless it is a word */
};

struct prediction_sheet {
    char path[PATH_SIZE];
    char device[64], defines[256]; /* "": any device; no macros */
    uint64_t rows, cols;           /* 0: what a plain run takes */
    char before[64];               /* "": the lab before */
    struct prediction *predictions;
    size_t count;
};

#define PREDICTION_FILE "predict.txt"

/* The sheet that lies beside a lab's file, or in a lab's directory. Without one, `sheet` has no
 * predictions and no path. Harness failure "PATH:LINE: what" for a sheet that cannot be read as
 * one: untrusted bytes. Free it in any case. */
bool prediction_find(const char *target, struct prediction_sheet *sheet, struct failure *failure);
bool prediction_read(const char *path, struct prediction_sheet *sheet, struct failure *failure);
void prediction_free(struct prediction_sheet *sheet);

/* Is that prediction, if it is filled in, for this exercise of the lab? */
bool prediction_is_for(const struct prediction *prediction, const char *exercise, bool first);

/* Take an answer to a prediction: "?" and "" leave it open. A number may have blanks or `_` between
 * its digits, and K, M or G (1e3, 1e6, 1e9) behind it. False: the failure says what is wanted; the
 * prediction is as it was. */
bool prediction_answer(struct prediction *prediction, const char *text, struct failure *failure);

/* Write the sheet again with its answers. Everything else stays as it is: comments, order,
 * blanks. */
bool prediction_write(const struct prediction_sheet *sheet, struct failure *failure);

/* The value of a quantity that is a number. False: the record does not know it. */
bool prediction_value(const struct prediction_quantity *quantity, const struct record *record,
                      double *value);

/* Is that what was predicted? Numbers within 2 %, the rounding of a head. */
bool prediction_is_right(const struct prediction *prediction, double value);

/* Is its answer a word? Then *words are those that it can be, NULL-ended. */
bool prediction_has_words(enum prediction_how how, const char *words[PREDICTION_WORDS_MAX]);

/* "  sectors_per_load     sectors ...": a line for each shorthand, in a text that stays. */
const char *prediction_shorthands(void);

#endif
