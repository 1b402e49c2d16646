/* watch_screen.h: the full screen of `tlab watch`: the state of a lab and the keys. */
#ifndef WATCH_SCREEN_H
#define WATCH_SCREEN_H

#include "view/lab_run.h"

struct watched {
    char *path;
    struct record before; /* last correct run; valid if has_before */
    bool has_before;
    char *text; /* malloc'd output of the last run; NULL before the first run */
    struct record record;
    unsigned line;       /* source line for `tlab explain`; 0 if unknown */
    bool is_open;        /* true if the file is incorrect or misses goals */
    const char *picture; /* kind of the picture (`tlab picture`) that shows the problem */
};

void watch_screen_take(struct watched *watched, const struct lab_run *run,
                       const struct device *device);

enum watch_key { WATCH_SAVED, WATCH_NEXT, WATCH_QUIT };

void watch_screen_show_running(const char *lab);

/* Show the lab until `events` is readable, or the student requests the next lab or the end. */
enum watch_key watch_screen_wait(const char *lab, const struct watched *watched, size_t count,
                                 int events);

#endif
