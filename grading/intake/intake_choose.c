/* intake_choose.c: choose the files to grade. */
#define _GNU_SOURCE
#include "intake/intake_collect.h"

#include "base/paths.h"
#include "intake/text.h"
#include "process/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OTHERS_SHOWN = 3, UNREADABLE_OTHERS_MAX = 4 };

static void drop_course(struct reading *reading)
{
    size_t retained = 0, dropped = 0;
    for (size_t i = 0; i < reading->remark_count; i++) {
        struct remark *remark = &reading->remarks[i];
        if (course_file_share(&reading->course, remark->name, NULL, 0) == COURSE_NOT) {
            reading->remarks[retained++] = *remark;
            continue;
        }
        reading->noted -= remark->text || remark->why;
        remark_free(remark);
    }
    reading->remark_count = retained;
    retained = 0;
    for (size_t i = 0; i < reading->held_count; i++) {
        struct held_file *held = &reading->held[i];
        const struct intake_file *file = &held->file;
        enum course_share share =
            course_file_share(&reading->course, file->name, file->bytes, file->size);
        if (share == COURSE_NOT) {
            reading->held[retained++] = *held;
            continue;
        }
        if (share == COURSE_CHANGED && source_text_has_lab(file->bytes, file->size))
            reading_unreadable(reading, file->name,
                               "is in the course's folder of solutions, but differs from the "
                               "course's file, so it is not graded");
        held_free(held);
        dropped++;
    }
    reading->held_count = retained;
    if (dropped)
        reading_note(reading, "", "%zu source %s left out", dropped,
                     dropped == 1 ? "file of the course is" : "files of the course are");
}

static bool is_near_kernel(const struct reading *reading, const struct held_file *held)
{
    size_t folder = (size_t)(path_basename(held->file.name) - held->file.name);
    for (size_t i = 0; i < reading->held_count; i++) {
        const struct intake_file *file = &reading->held[i].file;
        if (file->kernel && (size_t)(path_basename(file->name) - file->name) == folder &&
            !strncmp(file->name, held->file.name, folder))
            return true;
    }
    return false;
}

static size_t rank(const struct reading *reading, const struct held_file *held)
{
    const struct intake_file *file = &held->file;
    if (file->kernel)
        return source_text_has_lab(file->bytes, file->size) ? 0 : 1;
    return is_near_kernel(reading, held) ? 2 : 3;
}

static int compare_held(const void *one, const void *other)
{
    const struct held_file *a = one, *b = other;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    int order = strcmp(a->file.name, b->file.name);
    return order ? order : a->container < b->container ? -1 : a->container > b->container;
}

static bool paths_clash(const char *one, const char *other)
{
    size_t i = 0;
    while (one[i] && one[i] == other[i])
        i++;
    return (!one[i] && (!other[i] || other[i] == '/')) || (!other[i] && one[i] == '/');
}

/* Returns true if the file is graded. Otherwise, adds a note, except for copies of chosen files. */
static bool check_file(struct reading *reading, const struct intake_file *file, uint64_t total)
{
    const struct intake *intake = reading->intake;
    char why[64];
    for (size_t i = 0; i < intake->count; i++)
        if (paths_clash(intake->files[i].name, file->name)) {
            if (strcmp(intake->files[i].name, file->name) ||
                !intake_file_same(&intake->files[i], file))
                reading_unreadable(reading, file->name, "has the same name as another file");
            return false;
        }
    if (intake->count == INTAKE_FILES_MAX)
        snprintf(why, sizeof why, "exceeds the limit of %d files", INTAKE_FILES_MAX);
    else if (total + file->size > INTAKE_TOTAL_BYTES_MAX)
        snprintf(why, sizeof why, "exceeds the limit of %d MiB for all files",
                 INTAKE_TOTAL_BYTES_MAX >> 20);
    else
        return true;
    if (source_text_has_lab(file->bytes, file->size))
        reading_unreadable(reading, file->name, why);
    else
        reading_note(reading, file->name, "%s %s, so it is left out", file->name, why);
    return false;
}

static void choose(struct reading *reading)
{
    struct intake *intake = reading->intake;
    uint64_t total = 0;
    for (size_t i = 0; i < reading->held_count; i++)
        reading->held[i].order = rank(reading, &reading->held[i]);
    intake->files = allocate_checked(calloc(INTAKE_FILES_MAX, sizeof *intake->files));
    if (reading->held_count)
        qsort(reading->held, reading->held_count, sizeof *reading->held, compare_held);
    bool kernels = reading->held_count && reading->held->file.kernel;
    for (size_t i = 0; i < reading->held_count; i++) {
        struct held_file *held = &reading->held[i];
        const char *name = held->file.name;
        /* If there are no .cu files, headers with LAB() are compiled. */
        if (!kernels && source_text_has_lab(held->file.bytes, held->file.size))
            held->file.kernel = held->by_text = true;
        if (!check_file(reading, &held->file, total))
            continue;
        if (held->charset)
            reading_note(reading, name, "%s was converted from %s to UTF-8", name, held->charset);
        if (held->by_text)
            reading_note(reading, name, "%s is read as CUDA source because of its content", name);
        total += held->file.size;
        intake->files[intake->count++] = held->file;
        held->file = (struct intake_file){0};
    }
}

/* If there is no kernel, the ignored files may be the required work, so list them as unreadable. */
static void suspect_others(struct reading *reading)
{
    const struct intake *intake = reading->intake;
    for (size_t i = 0; i < intake->count; i++)
        if (intake->files[i].kernel)
            return;
    const size_t count = reading->remark_count;
    for (size_t i = 0, others = 0; i < count && others < UNREADABLE_OTHERS_MAX; i++) {
        const struct remark *remark = &reading->remarks[i];
        if (remark->kind != REMARK_OTHER)
            continue;
        others++;
        if (intake_name_kind(remark->name) != INTAKE_DOCUMENT &&
            intake_name_kind(remark->name) != INTAKE_PAGE)
            reading_remark(reading, remark->name, NULL, "is not CUDA source", REMARK_DOCUMENT);
    }
}

static void summarise_others(struct reading *reading)
{
    const char *names[OTHERS_SHOWN] = {"", "", ""};
    size_t count = 0;
    char tail[64] = "";
    for (size_t i = 0; i < reading->remark_count; i++)
        if (reading->remarks[i].kind == REMARK_OTHER && count++ < OTHERS_SHOWN)
            names[count - 1] = reading->remarks[i].name;
    if (count > OTHERS_SHOWN)
        snprintf(tail, sizeof tail, " and %zu more", count - OTHERS_SHOWN);
    if (count)
        reading_note(
            reading, "", "files other than CUDA sources are left out: %.400s%s%.400s%s%.400s%s",
            names[0], count > 1 ? ", " : "", names[1], count > 2 ? ", " : "", names[2], tail);
    if (reading->held_dropped)
        reading_note(reading, "", "%zu more source %s left out: the submission exceeds a limit",
                     reading->held_dropped, reading->held_dropped == 1 ? "file is" : "files are");
}

void reading_finish(struct reading *reading)
{
    drop_course(reading);
    choose(reading);
    reading_repair(reading);
    suspect_others(reading);
    summarise_others(reading);
    reading_move_remarks(reading);
}
