/* screen.h: a full-screen view of a text on the terminal, by ncurses. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* False if tlab was built without ncurses. */
bool screen_is_built(void);

/* Take over the terminal. False: standard input or output is no terminal that can show a screen, or
 * tlab was built without ncurses. */
bool screen_begin(void);
void screen_end(void);
/* Restore the terminal from a signal handler, if it was taken over. Async-signal-safe. */
void screen_restore(void);

/* True if the terminal can show the characters of half blocks. */
bool screen_has_blocks(void);

/* A page: a line of title, a text whose lines are folded, and a line that lists the keys. The text
 * may have the colours of terminal_paint. */
struct screen_page {
    const char *title, *text, *keys;
    size_t top; /* The first line that is shown. */
};
void screen_show(struct screen_page *page);

/* Show a page until a key other than those that scroll is pressed, and return it; 'q' if the
 * terminal is gone. 0: the descriptor `events` can be read. */
int screen_wait(struct screen_page *page, int events);

#endif
