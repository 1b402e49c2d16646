/* scan.h: what can be read off a source without compiling it: evidence for people, never a verdict.
 * Sources come without their comments, as copies that code_text (code_text.h) made.
 */
#ifndef SCAN_H
#define SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* The name in the first LAB(name) of such a copy, "" when there is none. */
void scan_lab_name(const char *code, char name[64]);

/* SHA-256 of the copy without white space and without LAB(name): the same for the same kernel,
 * whatever it claims to be. */
void scan_digest(const char *code, unsigned char digest[32]);

/* Call `found` for each place in the copy that people should look at, with its line (from 1), the
 * line's text (cut at 120 bytes) and why. */
void scan_suspicions(const char *code,
                     void (*found)(void *context, size_t line, const char *text, const char *why),
                     void *context);

/* Is the number compared with something (==, !=, or a case label) in the copy? */
bool scan_compares(const char *code, unsigned long number);

#endif
