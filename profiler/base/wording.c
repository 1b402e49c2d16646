#include "base/wording.h"

#include "base/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void text_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    FORMAT(text + used, size - used, format);
}

void text_append_ways(double wavefronts, double ideal, char *text, size_t size)
{
    const double ways = ideal > 0 ? wavefronts / ideal : 0;
    if (ways > 1.5 && fabs(ways - round(ways)) < 0.05)
        text_append(text, size, " (%.0f-way)", ways);
}

const char *plural(double count)
{
    return count == 1 ? "" : "s";
}

void text_wrap(FILE *out, const char *label, const char *text, int indent)
{
    const size_t terminal = terminal_width();
    struct fold fold = {.out = out,
                        .width = terminal && terminal < WORDING_WIDTH ? terminal : WORDING_WIDTH,
                        .indent = (size_t)indent};
    fold_write(&fold, label, strlen(label));
    do {
        const size_t line = strcspn(text, "\n");
        fold_write(&fold, text, line);
        fold_write(&fold, "\n", 1);
        text += line + (text[line] == '\n');
        fprintf(out, "%*s", *text ? indent : 0, "");
        fold.column = (size_t)indent;
    } while (*text);
}

void text_defuse(char *text, const char *allowed)
{
    for (unsigned char *p = (unsigned char *)text; *p; p++)
        if ((*p < ' ' && !strchr(allowed, *p)) || *p == 0x7f)
            *p = '?';
        else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
            p[0] = p[1] = '?';
}

bool text_quote_line(const char *path, size_t number, char *text, size_t size)
{
    char *line = NULL;
    size_t capacity = 0, at = 0;
    FILE *file = number ? fopen(path, "re") : NULL;
    while (file && at < number && getline(&line, &capacity, file) >= 0)
        at++;
    bool found = file && at == number;
    *text = 0;
    if (found) {
        line[strcspn(line, "\r\n")] = 0;
        for (char *c = line; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 0x7f)
                *c = ' ';
        snprintf(text, size, "%s", line + strspn(line, " "));
    }
    if (file)
        fclose(file);
    free(line);
    return found;
}
