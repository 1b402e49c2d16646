/* intake_collect.h: reading one submission: whatever a file comes from, it goes through here.
 *
 * A file's name is made clean and safe (reading_name) and decides how many bytes are wanted of it
 * (reading_want); the bytes, when there are no more of them, are then taken (reading_take), which
 * holds a source, opens an archive or a notebook. In the end what the course ships is dropped, and
 * the limits choose among the rest (reading_finish). What is left out becomes a note. A harness
 * failure stays in reading->failure, and whoever has a loop asks for it (reading_failed).
 *
 * The files, each of which calls only those before it: intake_note.c what is said of files,
 * intake_repair.c, intake_collect.c what is found, intake_choose.c what counts, intake_walk.c
 * folders, intake_read.c the process in which all this is done.
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

/* What is remarked of a file, unless that turns out to be the course's. */
struct remark {
    char *name;
    char *text; /* the note; NULL: none */
    char *why;  /* of what is unreadable; else NULL */
    enum remark_kind {
        REMARK_WORK,     /* the file may be what was asked for */
        REMARK_DOCUMENT, /* see struct intake_unreadable */
        REMARK_OTHER     /* the same; it is named in one note with all like it */
    } kind;
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
    struct remark *remarks;
    size_t remark_count;
    size_t noted; /* of them, those with a note or a reason */
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

/* Has a harness failure happened? */
bool reading_failed(const struct reading *reading);
void reading_no_memory(struct reading *reading);

/* ---- intake_note.c ---- */

/* Note something about a file. */
void reading_note(struct reading *reading, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A file may hold work, and cannot be read: note it, and remember it for a person. */
void reading_unreadable(struct reading *reading, const char *name, const char *why);

/* A link, a pipe, a closed file: the same where its name promises work, else a note only. */
void reading_refuse(struct reading *reading, const char *name, const char *why);

/* A remark of any kind. The texts are copied. */
void reading_remark(struct reading *reading, const char *name, const char *text, const char *why,
                    enum remark_kind kind);

/* Move notes and what is unreadable to the intake, as far as there is room. */
void reading_tell(struct reading *reading);

void remark_free(struct remark *remark);

/* ---- intake_repair.c ---- */

/* Repair what was chosen: characters of word processors, and names in #include that find
 * nothing. */
void reading_repair(struct reading *reading);

/* ---- intake_collect.c ---- */

/* The safe path in the submission of a file with that clean name, malloc'd. NULL: it is dropped, is
 * left out with a note, or no memory. */
char *reading_name(const struct place *place, const char *clean);

/* Bytes wanted at most of a file of that safe name; 0: none, which is noted where it should be. */
size_t reading_want(const struct place *place, const char *name);

/* What a platform's name says of the file that is taken next; its time is set apart. */
void reading_begin_upload(struct reading *reading, const struct intake_name *parsed);

/* Take a file, its name and bytes (both malloc'd, NUL behind the last byte). */
void reading_take(const struct place *place, size_t order, char *name, unsigned char *bytes,
                  size_t size);

/* Take an archive: that which `descriptor` is open for when `bytes` is NULL. */
void reading_take_archive(const struct place *place, const char *name, int descriptor,
                          const void *bytes, size_t size);

/* Note that there are more bytes than wanted. */
void reading_too_large(const struct place *place, const char *name);

/* Take what of the class's archive, which `descriptor` is open for, is the submission's. */
void reading_class_archive(struct reading *reading, int descriptor);

void held_free(struct held_file *held);
bool intake_file_same(const struct intake_file *a, const struct intake_file *b);

/* ---- intake_choose.c ---- */

/* Choose what counts. */
void reading_finish(struct reading *reading);

/* ---- intake_walk.c ---- */

void reading_free(struct reading *reading);

/* Fill in the digests. */
void intake_digest(struct intake *intake);

#endif
