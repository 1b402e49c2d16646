/* grade_absent.c: exercises without a graded file; see grade_work.h. */
#include "judge/grade.h"
#include "judge/grade_work.h"

#include "base/paths.h"
#include "base/whole_file.h"
#include "goals/digest.h"
#include "intake/intake_name.h"
#include "intake/json_text.h"
#include "judge/scan.h"
#include "process/allocate.h"
#include "text/code_text.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKELETON_BYTES_MAX = 1 << 20 };

static void add_known(struct grade_work *work, const char *name, const char *lab, size_t length)
{
    char path[PATH_SIZE];
    struct failure unused = {0};
    for (size_t i = 0; i < work->known_count; i++)
        if (!*name || !strcmp(work->known[i].name, name))
            return;
    allocate_room(&work->known, work->known_count, sizeof *work->known);
    struct grade_known *known = &work->known[work->known_count++];
    snprintf(known->name, sizeof known->name, "%s", name);
    snprintf(known->lab, sizeof known->lab, "%.*s", (int)length, lab);
    known->same_course = path_format(path, &unused, "%s/%s.json", work->options->rubrics, name) &&
                         !access(path, F_OK);
}

bool grade_read_skeletons(struct grade_work *work, struct failure *failure)
{
    for (size_t i = 0; i < work->rubric_count; i++) {
        const struct exercise *exercise = &work->rubrics[i].exercise;
        add_known(work, exercise->name, exercise->lab, strlen(exercise->lab));
    }
    char pattern[PATH_SIZE];
    glob_t files = {0};
    if (!paths_in_root("labs/*/*.cu", pattern, failure))
        return false;
    int status = glob(pattern, GLOB_NOSORT, NULL, &files);
    allocate_checked(status == GLOB_NOSPACE ? NULL : &files);
    size_t count = status ? 0 : files.gl_pathc;
    work->skeletons = allocate_checked(calloc(count + 1, sizeof *work->skeletons));
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        size_t size;
        char *text = whole_file_read(files.gl_pathv[i], SKELETON_BYTES_MAX, &size, failure);
        good = text != NULL;
        if (good) {
            char *code = allocate_checked(code_text((const unsigned char *)text, size));
            char name[64];
            const char *file = path_basename(files.gl_pathv[i]), *folder = file - 1;
            while (folder[-1] != '/')
                folder--;
            scan_lab_name(code, name);
            add_known(work, name, folder, (size_t)(file - 1 - folder));
            scan_digest(code, work->skeletons[work->skeleton_count++]);
            free(code);
        }
        free(text);
    }
    globfree(&files);
    return good;
}

bool grade_is_skeleton(const struct grade_work *work, const struct grade_entry *entry)
{
    for (size_t i = 0; i < work->skeleton_count; i++)
        if (!memcmp(work->skeletons[i], entry->digest, DIGEST_SIZE))
            return true;
    return false;
}

/* Returns true if the file's name contains this exercise or no exercise. A document with no
 * exercise in its name counts only if there is no kernel. */
static bool may_hold(const struct grade_work *work, const struct intake_unreadable *unreadable,
                     const struct rubric *rubric)
{
    const struct rubric *named = intake_name_kind(unreadable->name) == INTAKE_ARCHIVE
                                     ? NULL
                                     : grade_rubric_by_name(work, unreadable->name);
    return named ? named == rubric : !unreadable->document || !work->entry_count;
}

void grade_describe_absent(struct grade_work *work, size_t index, json_t *lab)
{
    char reason[1024];
    size_t count = 0;
    for (size_t i = 0; i < work->intake.unreadable_count; i++) {
        const struct intake_unreadable *one = &work->intake.unreadable[i];
        if (!may_hold(work, one, &work->rubrics[index]))
            continue;
        if (!count++)
            snprintf(reason, sizeof reason, "%.400s %.400s: an instructor must check it by hand",
                     one->name, one->why);
    }
    if (count > 1)
        snprintf(reason + strlen(reason), sizeof reason - strlen(reason), " (and %zu more)",
                 count - 1);
    const char *begun = work->skeleton_names[index];
    if (!count && begun)
        snprintf(reason, sizeof reason, "%.900s is unchanged, so the exercise has not been started",
                 begun);
    if (!count && !begun)
        return;
    json_object_set_new(lab, "status", json_string(count ? "unreadable" : "missing"));
    json_object_set_new(lab, "reason", json_text(reason, strlen(reason)));
}

void grade_flag_unreadable(struct grade_work *work)
{
    for (size_t i = 0; i < work->intake.unreadable_count; i++) {
        const struct intake_unreadable *one = &work->intake.unreadable[i];
        char exercises[512] = "";
        for (size_t r = 0; r < work->rubric_count; r++) {
            size_t used = strlen(exercises);
            if (!work->chosen[r] && may_hold(work, one, &work->rubrics[r]))
                snprintf(exercises + used, sizeof exercises - used, "%s%s", used ? ", " : "",
                         work->rubrics[r].exercise.name);
        }
        if (*exercises)
            grade_flag(work, GRADE_FLAG_UNREADABLE,
                       "%s %s: check this file by hand, because no other file can count for %s",
                       one->name, one->why, exercises);
    }
}
