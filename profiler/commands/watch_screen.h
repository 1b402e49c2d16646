/* watch_screen.h: the full screen of `tlab watch`: the state of a lab, and its keys. */
#ifndef WATCH_SCREEN_H
#define WATCH_SCREEN_H

#include "view/lab_run.h"

/* One file of the lab. */
struct watched {
    char *path;
    struct record before; /* the last correct run */
    bool has_before;
    /* The last run, for the screen. */
    char *text; /* malloc'd: goals, diagnosis, changes; NULL if it was never run */
    struct record record;
    unsigned line;       /* the line to explain; 0 if unknown */
    bool is_open;        /* it is incorrect, or misses goals */
    const char *picture; /* the kind of picture that shows its problem */
};

/* Write the text of a run. `advice` (a line, or 0) follows the goals. */
void watch_screen_take(struct watched *watched, const struct lab_run *run,
                       const struct device *device);

enum watch_key { WATCH_SAVED, WATCH_NEXT, WATCH_QUIT };

/* Show that the files are running. */
void watch_screen_show_running(const char *lab);

/* Show the lab and obey its keys until `events` can be read, or the next lab or the end is
 * requested. */
enum watch_key watch_screen_wait(const char *lab, const struct watched *watched, size_t count,
                                 int events);

#endif
