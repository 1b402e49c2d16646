/* grade_exercise.c: which exercise a file is for; see grade_work.h. */
#include "judge/grade_work.h"

#include "base/paths.h"
#include "judge/scan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The exercise whose name, or else whose lab's, is part of the text; the longest such name, so that
 * copy_shared is not taken for copy. Letters and digits count, whatever their case. */
static const struct rubric *rubric_in_text(const struct grade_work *work, const char *text)
{
    char plain[256];
    size_t used = 0, longest = 0;
    const struct rubric *found = NULL;
    for (; *text && used + 1 < sizeof plain; text++)
        if (isalnum((unsigned char)*text))
            plain[used++] = (char)tolower((unsigned char)*text);
    plain[used] = 0;
    for (size_t i = 0; i < work->rubric_count; i++)
        for (int lab = 0; lab < 2; lab++) {
            const struct exercise *exercise = &work->rubrics[i].exercise;
            char name[64];
            size_t length = 0;
            for (const char *c = lab ? exercise->lab : exercise->name; *c; c++)
                if (isalnum((unsigned char)*c))
                    name[length++] = (char)tolower((unsigned char)*c);
            name[length] = 0;
            if (length > longest && strstr(plain, name)) {
                longest = length;
                found = &work->rubrics[i];
            }
        }
    return found;
}

const struct rubric *grade_rubric_by_name(const struct grade_work *work, const char *path)
{
    const char *base = path_basename(path);
    const struct rubric *found = rubric_in_text(work, base);
    if (found || base == path)
        return found;
    char folder[PATH_SIZE];
    snprintf(folder, sizeof folder, "%.*s", (int)(base - path - 1), path);
    return rubric_in_text(work, path_basename(folder));
}

const struct rubric *grade_rubric_guessed(const struct grade_work *work,
                                          const struct grade_entry *entry)
{
    char name[64];
    scan_lab_name(entry->code, name);
    return *name ? rubric_find(work->rubrics, work->rubric_count, name)
                 : grade_rubric_by_name(work, entry->file->name);
}
