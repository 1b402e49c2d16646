/* grade_exercise.c: find the exercise of each file; see grade_work.h.
 *
 * Theory of operation. A student may copy the file of a lab to the next lab, edit the kernel and
 * forget LAB(). Therefore, LAB() and the names of all files are considered together. If the name of
 * a file contradicts its LAB(), the file *moves* to the exercise in its name, unless another file
 * stays there. If two files have each other's LAB(), neither moves, because the student probably
 * exchanged the files. Exercises that are not graded here are also considered. */
#define _GNU_SOURCE
#include "judge/grade_work.h"

#include "base/paths.h"
#include "judge/scan.h"
#include "process/allocate.h"
#include "text/code_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void plain_text(const char *text, char *plain, size_t size)
{
    size_t used = 0;
    for (; *text && used + 1 < size; text++)
        if (isalnum((unsigned char)*text))
            plain[used++] = (char)tolower((unsigned char)*text);
    plain[used] = 0;
}

static size_t exercise_in_text(const struct grade_known *known, const char *text)
{
    char plain[256], name[64];
    size_t longest = 0;
    plain_text(text, plain, sizeof plain);
    for (int lab = 0; lab < 2; lab++) {
        plain_text(lab ? known->lab : known->name, name, sizeof name);
        if (strlen(name) > longest && strstr(plain, name))
            longest = strlen(name);
    }
    return longest;
}

/* Returns the index in work->known of the exercise with the longest name in the text (copy_shared,
 * not copy); or GRADE_UNKNOWN. Ignores "copy" in names such as "Copy of padded.cu". */
static int known_in_text(const struct grade_work *work, const char *text)
{
    static const char *const added[] = {"copy of ", " copy", "copy ("};
    bool second = false;
    size_t longest = 0;
    int found = GRADE_UNKNOWN;
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        second |= strcasestr(text, added[i]) != NULL;
    for (size_t i = 0; i < work->known_count; i++) {
        size_t length = exercise_in_text(&work->known[i], text);
        if (length > longest && !(second && !strcmp(work->known[i].name, "copy"))) {
            longest = length;
            found = (int)i;
        }
    }
    return found;
}

static const struct rubric *rubric_of(const struct grade_work *work, int known)
{
    return known >= 0 && (size_t)known < work->rubric_count ? &work->rubrics[known] : NULL;
}

const struct rubric *grade_rubric_by_name(const struct grade_work *work, const char *path)
{
    const char *base = path_basename(path);
    int found = known_in_text(work, base);
    if (found != GRADE_UNKNOWN || base == path)
        return rubric_of(work, found);
    char folder[PATH_SIZE];
    snprintf(folder, sizeof folder, "%.*s", (int)(base - path - 1), path);
    return rubric_of(work, known_in_text(work, path_basename(folder)));
}

const struct rubric *grade_rubric_guessed(const struct grade_work *work,
                                          const struct grade_entry *entry)
{
    const struct rubric *said = rubric_of(work, entry->said);
    return said && !entry->overrules ? said : entry->suggested;
}

static bool is_alone_in_folder(const struct grade_work *work, const char *path, size_t length)
{
    unsigned files = 0;
    for (size_t i = 0; i < work->entry_count; i++)
        files += !strncmp(work->entries[i].file->name, path, length);
    return files == 1;
}

/* Returns the index of the exercise in the file's name, or in the nearest folder's name if no other
 * kernel is in that folder. *exact becomes true if that name is only the name of the exercise or of
 * its lab. */
static int known_by_name(const struct grade_work *work, const char *path, bool *exact)
{
    size_t end = strlen(path);
    while (end) {
        size_t begin = end;
        char part[PATH_SIZE], plain[PATH_SIZE], name[64], lab[64];
        while (begin && path[begin - 1] != '/')
            begin--;
        if (path[end] && !is_alone_in_folder(work, path, end + 1))
            break;
        snprintf(part, sizeof part, "%.*s", (int)(end - begin), path + begin);
        int found = known_in_text(work, part);
        if (found != GRADE_UNKNOWN) {
            if (!path[end] && strrchr(part, '.'))
                *strrchr(part, '.') = 0;
            plain_text(part, plain, sizeof plain);
            plain_text(work->known[found].name, name, sizeof name);
            plain_text(work->known[found].lab, lab, sizeof lab);
            *exact = !strcmp(plain, name) || !strcmp(plain, lab);
            return found;
        }
        end = begin ? begin - 1 : 0;
    }
    return GRADE_UNKNOWN;
}

static int known_said(const struct grade_work *work, const struct grade_entry *entry)
{
    char name[64];
    scan_lab_name(entry->code, name);
    for (size_t i = 0; *name && i < work->known_count; i++)
        if (code_word_is_like(name, strlen(name), work->known[i].name, 0))
            return (int)i;
    return GRADE_UNKNOWN;
}

static int target(const struct grade_entry *entry)
{
    return entry->said == GRADE_UNKNOWN || entry->moves ? entry->named : entry->said;
}

/* Returns true if another file that does not move is for exercise `known`; with `any`, any file. */
static bool is_held(const struct grade_work *work, const struct grade_entry *self, int known,
                    bool any)
{
    for (size_t i = 0; i < work->entry_count; i++)
        if (&work->entries[i] != self && (any || !work->entries[i].moves) &&
            target(&work->entries[i]) == known)
            return true;
    return false;
}

/* Returns true if the file's name contains the exercise in LAB(), or the reverse. */
static bool are_compatible(const struct grade_work *work, const struct grade_entry *entry)
{
    const struct grade_known *said = &work->known[entry->said], *named = &work->known[entry->named];
    return exercise_in_text(said, path_basename(entry->file->name)) ||
           exercise_in_text(named, said->name);
}

static bool may_move(const struct grade_work *work, const struct grade_entry *entry, bool exact)
{
    if (entry->said == GRADE_UNKNOWN || entry->named == GRADE_UNKNOWN ||
        entry->said == entry->named)
        return false;
    if (!work->known[entry->said].same_course && !exact)
        return false;
    return !are_compatible(work, entry) || is_held(work, entry, entry->said, false);
}

static bool is_on_cycle(const struct grade_work *work, const struct grade_entry *entry)
{
    int at = entry->said;
    for (size_t step = 0; step < work->entry_count; step++) {
        size_t i = 0;
        while (i < work->entry_count && (!work->entries[i].moves || work->entries[i].named != at))
            i++;
        if (i == work->entry_count)
            return false;
        if (&work->entries[i] == entry)
            return true;
        at = work->entries[i].said;
    }
    return false;
}

static bool stop_one(struct grade_work *work)
{
    for (size_t i = 0; i < work->entry_count; i++) {
        struct grade_entry *entry = &work->entries[i];
        if (entry->moves &&
            (is_held(work, entry, entry->named, false) || is_on_cycle(work, entry) ||
             (!rubric_of(work, entry->named) && !is_held(work, entry, entry->said, true)))) {
            entry->moves = false;
            return true;
        }
    }
    return false;
}

void grade_suggest(struct grade_work *work)
{
    bool *exact = allocate_checked(calloc(work->entry_count + 1, sizeof *exact));
    for (size_t i = 0; i < work->entry_count; i++) {
        struct grade_entry *entry = &work->entries[i];
        entry->said = known_said(work, entry);
        entry->named = known_by_name(work, entry->file->name, &exact[i]);
    }
    for (size_t i = 0; i < work->entry_count; i++)
        work->entries[i].moves = may_move(work, &work->entries[i], exact[i]);
    free(exact);
    while (stop_one(work))
        continue;
    for (size_t i = 0; i < work->entry_count; i++) {
        struct grade_entry *entry = &work->entries[i];
        int known = target(entry);
        entry->suggested = rubric_of(work, entry->named);
        entry->overrules = entry->moves && entry->suggested;
        entry->elsewhere = known != GRADE_UNKNOWN && !rubric_of(work, known);
        entry->doubtful = entry->said != GRADE_UNKNOWN && entry->named != GRADE_UNKNOWN &&
                          entry->said != entry->named && !entry->moves &&
                          !are_compatible(work, entry);
        if (known == GRADE_UNKNOWN && work->entry_count == 1 && work->rubric_count == 1)
            entry->suggested = work->rubrics;
    }
}
