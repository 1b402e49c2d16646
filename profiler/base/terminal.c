#define _GNU_SOURCE
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TAB = 8, BUFFER = 1 << 16 };

static bool has_colours;

size_t terminal_columns(const char *text, size_t size)
{
    size_t columns = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\033') { /* a colour: ESC [ ... m */
            while (i < size && text[i] != 'm')
                i++;
            continue;
        }
        columns += text[i] == '\t' ? TAB : ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return columns;
}

static size_t span(const char *text, size_t size, const char *set, bool without)
{
    size_t length = 0;
    while (length < size && (memchr(set, text[length], strlen(set)) == NULL) == without)
        length++;
    return length;
}

void fold_write(struct fold *fold, const char *text, size_t size)
{
    while (size) {
        const size_t blanks = span(text, size, " ", false);
        const size_t word = span(text + blanks, size - blanks, " \r\n", true);
        const size_t columns = terminal_columns(text + blanks, word);
        size_t used = blanks + word;
        if (!fold->has_word) {
            const size_t own = fold->column + blanks;
            fold->hanging = fold->indent ? fold->indent : own < fold->width / 2 ? own + 2 : 2;
        }
        if (fold->has_word && blanks && columns && fold->column + blanks + columns > fold->width) {
            fprintf(fold->out, "\n%*s", (int)fold->hanging, "");
            fold->column = fold->hanging;
        } else {
            fprintf(fold->out, "%*s", (int)blanks, "");
            fold->column += blanks;
        }
        fwrite(text + blanks, 1, word, fold->out);
        fold->column += columns;
        fold->has_word |= columns > 0;
        if (used < size && text[used] != ' ') {
            putc(text[used++], fold->out);
            fold->column = 0;
            fold->has_word = false;
        }
        text += used;
        size -= used;
    }
}

static size_t width_of(int descriptor)
{
    struct winsize window = {0};
    size_t width = 0;
    if (!isatty(descriptor))
        return 0;
    if (!ioctl(descriptor, TIOCGWINSZ, &window))
        width = window.ws_col;
    if (!width && getenv("COLUMNS"))
        width = strtoul(getenv("COLUMNS"), NULL, 10);
    if (!width)
        width = TERMINAL_DEFAULT_WIDTH;
    return width < TERMINAL_LEAST_WIDTH ? TERMINAL_LEAST_WIDTH : width;
}

size_t terminal_width(void)
{
    return width_of(STDOUT_FILENO);
}

#ifdef __GLIBC__ /* in glibc, stdout and stderr can be assigned */
static ssize_t write_folded(void *context, const char *text, size_t size)
{
    struct fold *fold = context;
    fold_write(fold, text, size);
    return fflush(fold->out) ? -1 : (ssize_t)size;
}

static void fold_stream(FILE **stream, int descriptor, struct fold *fold)
{
    FILE *folded;
    *fold = (struct fold){.out = *stream, .width = width_of(descriptor)};
    if (!fold->width)
        return;
    folded = fopencookie(fold, "w", (cookie_io_functions_t){.write = write_folded});
    if (!folded)
        return;
    setvbuf(folded, NULL, _IOLBF, BUFFER);
    *stream = folded;
}
#endif

void terminal_begin(void)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    has_colours = isatty(STDOUT_FILENO) && (!none || !*none) && term && strcmp(term, "dumb") != 0;
#ifdef __GLIBC__
    static struct fold output, errors;
    fold_stream(&stdout, STDOUT_FILENO, &output);
    fold_stream(&stderr, STDERR_FILENO, &errors);
#endif
}

const char *terminal_paint(enum terminal_colour colour)
{
    static const char *const sequences[] = {
        [TERMINAL_PLAIN] = "\033[0m",
        [TERMINAL_GOOD] = "\033[32m",
        [TERMINAL_PART] = "\033[33m",
        [TERMINAL_BAD] = "\033[1;31m",
    };
    return has_colours ? sequences[colour] : "";
}
