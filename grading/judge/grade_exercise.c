/* grade_exercise.c: which exercise a file is for; see grade_work.h. */
#include "judge/grade_work.h"

#include "base/paths.h"
#include "judge/scan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Letters and digits, small. */
static void plain_text(const char *text, char *plain, size_t size)
{
    size_t used = 0;
    for (; *text && used + 1 < size; text++)
        if (isalnum((unsigned char)*text))
            plain[used++] = (char)tolower((unsigned char)*text);
    plain[used] = 0;
}

/* How many letters of the exercise's name, or of its lab's, are part of the text; 0: it is not. */
static size_t exercise_in_text(const struct exercise *exercise, const char *text)
{
    char plain[256], name[64];
    size_t longest = 0;
    plain_text(text, plain, sizeof plain);
    for (int lab = 0; lab < 2; lab++) {
        plain_text(lab ? exercise->lab : exercise->name, name, sizeof name);
        if (strlen(name) > longest && strstr(plain, name))
            longest = strlen(name);
    }
    return longest;
}

/* The exercise that is part of the text; the longest such name, so that copy_shared is not taken
 * for copy. */
static const struct rubric *rubric_in_text(const struct grade_work *work, const char *text)
{
    size_t longest = 0;
    const struct rubric *found = NULL;
    for (size_t i = 0; i < work->rubric_count; i++) {
        size_t length = exercise_in_text(&work->rubrics[i].exercise, text);
        if (length > longest) {
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
    const struct rubric *said = rubric_find(work->rubrics, work->rubric_count, name);
    return said && !entry->overrules ? said : entry->suggested;
}

/* ---- What names suggest ---- */

static bool same_folder(const char *a, const char *b)
{
    size_t length = (size_t)(path_basename(a) - a);
    return length == (size_t)(path_basename(b) - b) && !strncmp(a, b, length);
}

static bool is_alone_in_folder(const struct grade_work *work, const struct grade_entry *entry)
{
    unsigned files = 0;
    for (size_t i = 0; i < work->entry_count; i++)
        files += same_folder(work->entries[i].file->name, entry->file->name);
    return files == 1;
}

static const struct rubric *rubric_said(const struct grade_work *work,
                                        const struct grade_entry *entry)
{
    char name[64];
    scan_lab_name(entry->code, name);
    return rubric_find(work->rubrics, work->rubric_count, name);
}

static bool said_elsewhere(const struct grade_work *work, const struct rubric *rubric)
{
    for (size_t i = 0; i < work->entry_count; i++)
        if (rubric_said(work, &work->entries[i]) == rubric)
            return true;
    return false;
}

static void suggest(const struct grade_work *work, struct grade_entry *entry)
{
    const char *name = entry->file->name;
    const struct rubric *said = rubric_said(work, entry);
    const struct rubric *by_file = rubric_in_text(work, path_basename(name));
    entry->suggested =
        by_file || is_alone_in_folder(work, entry) ? grade_rubric_by_name(work, name) : NULL;
    if (!entry->suggested && work->entry_count == 1 && work->rubric_count == 1)
        entry->suggested = work->rubrics;
    entry->overrules = said && entry->suggested && said != entry->suggested &&
                       !exercise_in_text(&said->exercise, name) &&
                       !said_elsewhere(work, entry->suggested);
}

void grade_suggest(struct grade_work *work)
{
    for (size_t i = 0; i < work->entry_count; i++)
        suggest(work, &work->entries[i]);
}
