/* picture_text.h: a picture of banks or sectors in characters, from its data. */
#ifndef PICTURE_TEXT_H
#define PICTURE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* Print the CSV of `tlab picture banks` or `sectors`: a column for each lane, and half a line for
 * each bank or sector. If `blocks` is false, prints ASCII. Returns false if the file has no such
 * data. */
bool picture_text_print(FILE *out, const char *path, bool blocks);

#endif
