/* scan.h: search a source without compiling it. The results are evidence for instructors, never a
 * verdict. `code` is a copy without comments, made by code_text (code_text.h).
 */
#ifndef SCAN_H
#define SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* The name in the first LAB(name) of the code; "": none. */
void scan_lab_name(const char *code, char name[64]);

/* The SHA-256 of the code without white space and LAB(name): equal for equal kernels. */
void scan_digest(const char *code, unsigned char digest[32]);

/* Call `found` for each suspicious place, with its line (from 1), the line's text (cut at 120
 * bytes) and the reason. */
void scan_suspicions(const char *code,
                     void (*found)(void *context, size_t line, const char *text, const char *why),
                     void *context);

/* The same for inline PTX in a compiled file (NULL: none), which the code may hide by macros and
 * line splices. Not for lines with functions of CUDA's headers, which contain inline PTX. */
void scan_inline_ptx(const char *ptx, const char *file, const char *code,
                     void (*found)(void *context, size_t line, const char *text, const char *why),
                     void *context);

/* Call `found` for each number that the code compares something with: for equality, also by a case
 * label, or for order. */
void scan_compared(const char *code,
                   void (*found)(void *context, unsigned long number, bool for_equality),
                   void *context);

#endif
