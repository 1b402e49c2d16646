/* intake_collect.h: reading one submission, for intake_read.c: whatever a file comes from, it goes
 * through here.
 *
 * A file's name is made clean and safe (reading_name) and decides how many bytes are wanted of it
 * (reading_want); the bytes, when there are no more of them, are then taken (reading_take), which
 * keeps a source and opens an archive. What is left out becomes a note. Functions that return bool
 * fail for harness failures only, which are in reading->failure.
 */
#ifndef INTAKE_COLLECT_H
#define INTAKE_COLLECT_H

#include "intake/intake.h"
#include "intake/intake_name.h"

enum { INTAKE_OTHERS_SHOWN = 3 };

/* The intake in the making. */
struct reading {
    struct intake *intake;
    const struct submission *submission;
    struct upload upload; /* of the file being taken */
    uint64_t total_bytes;
    size_t entries; /* of folders, so far */
    size_t others;  /* files that are neither source nor archive; the first names of them: */
    char *other_names[INTAKE_OTHERS_SHOWN];
    size_t notes_dropped;
    struct failure *failure;
};

/* Where a file was found. */
struct place {
    struct reading *reading;
    const char *prefix; /* path of what it is in: "" or "folder" */
    bool in_archive;    /* of the submission: archives there stay closed */
};

/* Records that, and returns false. */
bool reading_no_memory(struct reading *reading);

/* Add a note, or count it when there are INTAKE_NOTES_MAX. */
bool reading_note(struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The last notes, which say what was not noted one by one. */
bool reading_summarise(struct reading *reading);

/* The safe path in the submission of a file with that clean name, malloc'd. NULL: it is dropped, is
 * left out with a note, or no memory (reading->failure). */
char *reading_name(const struct place *place, const char *clean);

/* Bytes wanted at most of a file of that safe name; 0: none, which is noted where it should be. */
size_t reading_want(const struct place *place, const char *name);

/* What a platform's name says of the file that is taken next; its time is set apart. */
void reading_begin_upload(struct reading *reading, const struct intake_name *parsed);

/* Take a file, its name and bytes (both malloc'd, NUL behind the last byte). */
bool reading_take(struct reading *reading, char *name, unsigned char *bytes, size_t size);

/* Note that there are more bytes than wanted. */
bool reading_too_large(struct reading *reading, const char *name);

/* Take what of the class's archive is the submission's. */
bool reading_class_archive(struct reading *reading);

#endif
