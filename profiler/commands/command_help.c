/* command_help.c: tlab help TERM: print an entry of docs/glossary.md. */
#include "base/paths.h"
#include "base/whole_file.h"
#include "commands/command.h"
#include "text/spelling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { GLOSSARY_BYTES_MAX = 1 << 20, TERMS_MAX = 512, TERM_SIZE = 128 };

/* Print the glossary entry `## TERM`. If it does not exist, `advice` receives the nearest term. */
static bool print_entry(char *glossary, const char *wanted, char advice[SPELLING_ADVICE])
{
    const char *terms[TERMS_MAX];
    size_t count = 0;
    for (char *entry = strstr(glossary, "\n## "), *next; entry && count < TERMS_MAX; entry = next) {
        char *term = entry + strlen("\n## "), *text = term + strcspn(term, "\n");
        next = strstr(term, "\n## ");
        if (next)
            *next = 0;
        if (*text)
            *text++ = 0;
        if (!strcasecmp(term, wanted)) {
            printf("%s\n%s", term, text);
            return true;
        }
        terms[count++] = term;
    }
    spelling_advise(wanted, "", terms, count, advice);
    return false;
}

int command_help(int count, char **values, struct failure *failure)
{
    char wanted[TERM_SIZE] = "", path[PATH_SIZE], advice[SPELLING_ADVICE];
    size_t length = 0, size;
    for (int i = 0; i < count && length < sizeof wanted; i++)
        length += (size_t)snprintf(wanted + length, sizeof wanted - length, "%s%s", i ? " " : "",
                                   values[i]);
    char *glossary = paths_in_root("docs/glossary.md", path, failure)
                         ? whole_file_read(path, GLOSSARY_BYTES_MAX, &size, failure)
                         : NULL;
    if (!glossary)
        return 2;
    if (!print_entry(glossary, wanted, advice))
        failure_harness(failure, "the glossary has no term `%s`%s", wanted,
                        *advice ? advice : "; docs/glossary.md lists the terms");
    free(glossary);
    return failure->kind == FAILURE_HARNESS ? 2 : 0;
}
