/* page.h: HTML pages, which jq makes of JSON documents. What they share is in view/page/: fields,
 * numbers, escaped markup and the frame of a page (text.jq), what was counted of a lab (lab.jq),
 * and style.css.
 */
#ifndef PAGE_H
#define PAGE_H

#include "base/paths.h"
#include "process/child.h"

#include <stdio.h>

/* Where jq is. False: a harness failure, which says how to install it. */
bool page_find_jq(char program[PATH_SIZE], struct failure *failure);

struct page_program {
    const char *path;   /* of the jq program, below the root; what it includes may lie beside it */
    const char *script; /* a page's only script, below the root, which is $script; NULL: none */
    const char *digest; /* $digest, by which the page's policy allows it; NULL: none */
    bool raw;           /* a text is what comes out; else lines of JSON */
    const struct child_limits *limits;
};

/* Run it on the file `input`. What it wrote is the result's, to be freed with child_result_free.
 * False: a harness failure. */
bool page_run(const struct page_program *program, const char *input, struct child_result *result,
              struct failure *failure);

/* Write a text as a JSON string; bytes that are no UTF-8 are left to the reader, a NUL becomes
 * U+FFFD. */
void page_write_text(FILE *file, const char *text, size_t length);

#endif
