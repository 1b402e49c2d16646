/* screen.h: a full-screen view of a text on the terminal, drawn by ncurses. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stddef.h>

bool screen_is_built(void);

/* Begin to draw on the terminal. Returns false if standard input or output is not a terminal that
 * can show a screen, or if tlab was built without ncurses. */
bool screen_begin(void);
void screen_end(void);
/* Restore the terminal if a screen is shown. This function is async-signal-safe. */
void screen_restore(void);

bool screen_has_blocks(void);

/* screen_show folds the lines of `text`, which may contain colours of terminal_paint. */
struct screen_page {
    const char *title, *text, *keys;
    size_t top; /* index of the first visible line of the folded text */
};
void screen_show(struct screen_page *page);

/* Show a page and scroll it. Returns the first key that does not scroll, 'q' if the terminal is
 * closed, or 0 if the file descriptor `events` is readable. */
int screen_wait(struct screen_page *page, int events);

#endif
