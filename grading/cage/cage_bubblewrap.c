/* cage_bubblewrap.c: see cage_bubblewrap.h. */
#define _GNU_SOURCE
#include "cage/cage_bubblewrap.h"

#include <stdlib.h>
#include <string.h>

/* Room for all words but those of the places and of the program. */
enum { FIXED_WORDS_MAX = 64 };

struct vector {
    const char **items;
    size_t count;
};

static void vector_add(struct vector *vector, const char *a, const char *b, const char *c)
{
    const char *words[] = {a, b, c};
    for (int i = 0; i < 3 && words[i] != NULL; i++)
        vector->items[vector->count++] = words[i];
}

/* What needs no value of ours. No /proc: nothing inside needs it, and containers often forbid to
 * mount one. */
static void vector_add_walls(struct vector *vector)
{
    vector_add(vector, "--unshare-all", "--die-with-parent", "--new-session");
    vector_add(vector, "--cap-drop", "ALL", "--clearenv");
    vector_add(vector, "--dev-bind", "/dev/null", "/dev/null");
    vector_add(vector, "--size", "67108864", NULL); /* of /tmp, where nvcc works */
    vector_add(vector, "--tmpfs", "/tmp", NULL);
    vector_add(vector, "--hostname", "cage", NULL);
    vector_add(vector, "--setenv", "TMPDIR", "/tmp");
    vector_add(vector, "--setenv", "HOME", "/");
    vector_add(vector, "--setenv", "LC_ALL", "C");
}

const char **cage_bubblewrap_arguments(const char *bubblewrap, const struct cage_view *view,
                                       const char *const program[])
{
    size_t words = 0;
    while (program[words] != NULL)
        words++;
    struct vector vector = {.items =
                                calloc(FIXED_WORDS_MAX + 3 * view->count + words, sizeof(char *))};
    if (vector.items == NULL)
        return NULL;
    vector_add(&vector, bubblewrap, NULL, NULL);
    vector_add_walls(&vector);
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
