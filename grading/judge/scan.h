/* scan.h: search a source without compiling it. The results are evidence for instructors, never a
 * verdict. `code` is a copy without comments (code_text.h). */
#ifndef SCAN_H
#define SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* Write the name in the first LAB(name) to `name`; "" if there is none. */
void scan_lab_name(const char *code, char name[64]);

/* Compute the SHA-256 of the code without white space and without the first LAB(name). */
void scan_digest(const char *code, unsigned char digest[32]);

/* Call `found` for each suspicious line: its number (from 1), text (at most 120 bytes), reason. */
void scan_suspicions(const char *code,
                     void (*found)(void *context, size_t line, const char *text, const char *why),
                     void *context);

/* Like scan_suspicions, for inline PTX that macros or line splices hide. `ptx` (may be NULL) is the
 * PTX of the source `file`. Inline PTX of CUDA's headers is not reported. */
void scan_inline_ptx(const char *ptx, const char *file, const char *code,
                     void (*found)(void *context, size_t line, const char *text, const char *why),
                     void *context);

/* Call `found` for each number that is compared, for equality (==, != or a case label) or order. */
void scan_compared(const char *code,
                   void (*found)(void *context, unsigned long number, bool for_equality),
                   void *context);

#endif
