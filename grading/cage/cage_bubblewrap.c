/* cage_bubblewrap.c: see cage_bubblewrap.h. */
#define _GNU_SOURCE
#include "cage/cage_bubblewrap.h"

#include <stdlib.h>
#include <string.h>

/* Everything that needs no value of ours. No /proc: nothing inside needs it, and containers often
 * forbid to mount one. */
static const char *const fixed[] = {"--unshare-all",
                                    "--die-with-parent",
                                    "--new-session",
                                    "--cap-drop",
                                    "ALL",
                                    "--clearenv",
                                    "--dev-bind",
                                    "/dev/null",
                                    "/dev/null",
                                    "--size",
                                    "67108864", /* of /tmp, where nvcc works */
                                    "--tmpfs",
                                    "/tmp",
                                    "--hostname",
                                    "cage",
                                    "--setenv",
                                    "TMPDIR",
                                    "/tmp",
                                    "--setenv",
                                    "HOME",
                                    "/",
                                    "--setenv",
                                    "LC_ALL",
                                    "C"};
enum { FIXED_COUNT = sizeof fixed / sizeof fixed[0] };

struct vector {
    const char **items;
    size_t count;
};

static void vector_add(struct vector *vector, const char *a, const char *b, const char *c)
{
    const char *words[] = {a, b, c};
    for (int i = 0; i < 3 && words[i] != NULL; i++)
        vector->items[vector->count++] = words[i];
    vector->items[vector->count] = NULL;
}

const char **cage_bubblewrap_arguments(const char *bubblewrap, const struct cage_view *view,
                                       const char *const program[])
{
    size_t words = 0;
    while (program[words] != NULL)
        words++;
    /* Behind the fixed ones: three a place, three a variable, and what is added one by one. */
    struct vector vector = {
        .items = calloc(1 + FIXED_COUNT + 3 * view->count + 3 * 3 + 8 + words, sizeof(char *))};
    if (vector.items == NULL)
        return NULL;
    vector_add(&vector, bubblewrap, NULL, NULL);
    for (int i = 0; i < FIXED_COUNT; i++)
        vector_add(&vector, fixed[i], NULL, NULL);
    for (size_t i = 0; i < view->count; i++) {
        const struct cage_place *place = &view->places[i];
        if (place->link[0] != '\0')
            vector_add(&vector, "--symlink", place->link, place->inside);
        else
            vector_add(&vector, "--ro-bind", place->source, place->inside);
    }
    const char *compiler = getenv("TLAB_COMPILER");
    vector_add(&vector, "--setenv", "PATH",
               view->search_path[0] != '\0' ? view->search_path : "/usr/bin:/bin");
    if (view->toolkit[0] != '\0')
        vector_add(&vector, "--setenv", "TLAB_CUDA", view->toolkit);
    if (compiler != NULL && compiler[0] != '\0')
        vector_add(&vector, "--setenv", "TLAB_COMPILER", compiler);
    vector_add(&vector, "--remount-ro", "/", NULL);
    vector_add(&vector, "--chdir", CAGE_SUBMISSION, "--");
    for (size_t i = 0; i < words; i++)
        vector_add(&vector, program[i], NULL, NULL);
    return vector.items;
}
