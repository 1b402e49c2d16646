/* intake_note.c: notes, and the list of unreadable files. */
#define _GNU_SOURCE
#include "intake/intake_collect.h"

#include "base/wording.h"
#include "intake/text.h"
#include "process/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE_SIZE = 1500, NOTED_MAX = 1024 };

bool reading_failed(const struct reading *reading)
{
    return reading->failure->kind == FAILURE_HARNESS;
}

void remark_free(struct remark *remark)
{
    free(remark->name);
    free(remark->text);
    free(remark->why);
}

void reading_remark(struct reading *reading, const char *name, const char *text, const char *why,
                    enum remark_kind kind)
{
    bool full = (text || why) && reading->noted == NOTED_MAX;
    reading->notes_dropped += full;
    if (full && kind != REMARK_OTHER)
        return;
    if (full)
        text = why = NULL;
    reading->noted += text || why;
    allocate_room(&reading->remarks, reading->remark_count, sizeof *reading->remarks);
    reading->remarks[reading->remark_count++] = (struct remark){
        allocate_checked(strdup(name)), text ? text_clean(text, strlen(text)) : NULL,
        why ? allocate_checked(strdup(why)) : NULL, kind};
}

void reading_note(struct reading *reading, const char *name, const char *format, ...)
{
    char text[NOTE_SIZE];
    FORMAT(text, sizeof text, format);
    reading_remark(reading, name, text, NULL, REMARK_WORK);
}

void reading_unreadable(struct reading *reading, const char *name, const char *why)
{
    char text[NOTE_SIZE];
    snprintf(text, sizeof text, "%.1000s %.300s: an instructor must check it by hand", name, why);
    reading_remark(reading, name, text, why, REMARK_WORK);
}

void reading_refuse(struct reading *reading, const char *name, const char *why)
{
    enum intake_file_kind kind = intake_name_kind(name);
    if (kind == INTAKE_OTHER || kind == INTAKE_DOCUMENT || kind == INTAKE_PAGE ||
        kind == INTAKE_JUNK)
        reading_note(reading, name, "%s %s, so it is left out", name, why);
    else
        reading_unreadable(reading, name, why);
}

void reading_move_remarks(struct reading *reading)
{
    struct intake *intake = reading->intake;
    intake->notes = allocate_checked(calloc(INTAKE_NOTES_MAX + 1, sizeof *intake->notes));
    intake->unreadable =
        allocate_checked(calloc(INTAKE_UNREADABLE_MAX, sizeof *intake->unreadable));
    for (size_t i = 0; i < reading->remark_count; i++) {
        struct remark *remark = &reading->remarks[i];
        if (remark->text && intake->note_count < INTAKE_NOTES_MAX) {
            intake->notes[intake->note_count++] = remark->text;
            remark->text = NULL;
        }
        reading->notes_dropped += remark->text != NULL;
        if (remark->why && intake->unreadable_count < INTAKE_UNREADABLE_MAX) {
            intake->unreadable[intake->unreadable_count++] =
                (struct intake_unreadable){remark->name, remark->why, remark->kind != REMARK_WORK};
            remark->name = remark->why = NULL;
        }
    }
    if (reading->notes_dropped)
        intake->notes[intake->note_count++] = allocate_format(
            "and %zu more note%s", reading->notes_dropped, plural((double)reading->notes_dropped));
}
