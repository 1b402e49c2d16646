/* intake_collect.h: reading one submission, for intake_read.c: whatever a file comes from, it goes
 * through here.
 *
 * A file's name is made clean and safe (reading_name) and decides how many bytes are wanted of it
 * (reading_want); the bytes, when there are no more of them, are then taken (reading_take), which
 * holds a source, opens an archive or a notebook. In the end what the course ships is dropped, and
 * the limits choose among the rest (reading_finish). What is left out becomes a note. Functions
 * that return bool fail for harness failures only, which are in reading->failure.
 */
#ifndef INTAKE_COLLECT_H
#define INTAKE_COLLECT_H

#include "intake/archive.h"
#include "intake/course_files.h"
#include "intake/intake.h"
#include "intake/intake_name.h"

/* A source that was found. */
struct held_file {
    struct intake_file file;
    size_t container;    /* folders, or one of the archives */
    size_t order;        /* in that: of two of one name the later one counts */
    const char *charset; /* that it was converted from; NULL: none */
    bool by_text;        /* its name says no source: what is in it tells */
};

/* Something to tell of a file, unless that turns out to be the course's. */
struct pending_note {
    char *name, *text;
    char *why; /* of what is unreadable; else NULL */
    bool document;
};

/* The intake in the making. */
struct reading {
    struct intake *intake;
    const struct submission *submission;
    struct upload upload; /* of the file being taken */
    struct held_file *held;
    size_t held_count;
    uint64_t held_bytes;
    size_t held_dropped;
    struct course_folders course;
    struct archive_budget budget;
    size_t entries; /* of folders, so far */
    size_t containers;
    char **others; /* files that are neither source nor archive */
    size_t other_count;
    struct pending_note *pending;
    size_t pending_count;
    size_t notes_dropped;
    struct failure *failure;
};

/* Where a file was found. */
struct place {
    struct reading *reading;
    const char *prefix; /* path of what it is in: "" or "folder" */
    size_t container;
    unsigned nesting; /* archives around it, but for the class's */
};

/* Records that, and returns false. */
bool reading_no_memory(struct reading *reading);

/* Note something about a file. */
bool reading_note(struct reading *reading, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A file may hold work, and cannot be read: note it, and remember it for a person. */
bool reading_unreadable(struct reading *reading, const char *name, const char *why);

/* A link, a pipe, a closed file: the same where its name promises work, else a note only. */
bool reading_refuse(struct reading *reading, const char *name, const char *why);

/* The safe path in the submission of a file with that clean name, malloc'd. NULL: it is dropped, is
 * left out with a note, or no memory (reading->failure). */
char *reading_name(const struct place *place, const char *clean);

/* Bytes wanted at most of a file of that safe name; 0: none, which is noted where it should be. */
size_t reading_want(const struct place *place, const char *name);

/* What a platform's name says of the file that is taken next; its time is set apart. */
void reading_begin_upload(struct reading *reading, const struct intake_name *parsed);

/* Take a file, its name and bytes (both malloc'd, NUL behind the last byte). */
bool reading_take(const struct place *place, size_t order, char *name, unsigned char *bytes,
                  size_t size);

/* Take an archive that `descriptor` is open for. */
bool reading_take_archive(const struct place *place, const char *name, int descriptor);

/* Note that there are more bytes than wanted. */
bool reading_too_large(const struct place *place, const char *name);

/* Take what of the class's archive, which `descriptor` is open for, is the submission's. */
bool reading_class_archive(struct reading *reading, int descriptor);

/* Mend what was chosen: characters of word processors, and names in #include that find nothing. */
bool reading_mend(struct reading *reading);

/* Choose what counts. */
bool reading_finish(struct reading *reading);
void reading_free(struct reading *reading);

#endif
