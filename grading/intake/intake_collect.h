/* intake_collect.h: reading one submission. The same functions process files from folders, archives
 * and notebooks.
 *
 * A file's name is made safe (reading_name). The name determines how many bytes are read
 * (reading_want). reading_take then stores the bytes of a source, or opens an archive or a
 * notebook. At the end, reading_finish drops the files of the course and applies the limits. Every
 * file that is left out becomes a note. A harness failure is stored in reading->failure; loops
 * check it (reading_failed).
 *
 * Each of these files calls functions only of the files that precede it: intake_note.c (notes),
 * intake_repair.c, intake_collect.c (files found), intake_choose.c (files that count),
 * intake_walk.c (folders), intake_read.c (the process that reads).
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
    size_t container;    /* number of the archive or notebook; 0: the file is in a folder */
    size_t order;        /* place in the container; if two names are equal, the later file counts */
    const char *charset; /* charset from which the text was converted; NULL: the text was UTF-8 */
    bool by_text;        /* the content, not the name, shows that the file is a source */
};

/* A remark on a file. The remark is dropped if the file belongs to the course. */
struct remark {
    char *name;
    char *text; /* the note; NULL: none */
    char *why;  /* why the file is unreadable; NULL: the file is readable */
    enum remark_kind {
        REMARK_WORK,     /* the file may be the required work */
        REMARK_DOCUMENT, /* a document (struct intake_unreadable) */
        REMARK_OTHER     /* one of the other files, which a single note names */
    } kind;
};

/* The intake while it is read. */
struct reading {
    struct intake *intake;
    const struct submission *submission;
    struct upload upload; /* upload of the current file */
    struct held_file *held;
    size_t held_count, held_dropped;
    uint64_t held_bytes;
    struct course_folders course;
    struct archive_budget budget;
    size_t entries; /* number of entries of folders that were read so far */
    size_t containers;
    struct remark *remarks;
    size_t remark_count;
    size_t noted; /* number of remarks with a note or a reason */
    size_t notes_dropped;
    struct failure *failure;
};

/* Where a file was found. */
struct place {
    struct reading *reading;
    const char *prefix; /* path of the folder in the submission; "": the top */
    size_t container;
    unsigned nesting; /* number of archives around the file, without the archive of the class */
};

/* Returns true after a harness failure. */
bool reading_failed(const struct reading *reading);

/* ---- intake_note.c ---- */

void reading_note(struct reading *reading, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Note that a file may be work but cannot be read, and list it for the instructor. */
void reading_unreadable(struct reading *reading, const char *name, const char *why);

/* Note a link, a pipe or a protected file. List the file for the instructor if it may be work. */
void reading_refuse(struct reading *reading, const char *name, const char *why);

/* Add a remark of any kind. The texts are copied. */
void reading_remark(struct reading *reading, const char *name, const char *text, const char *why,
                    enum remark_kind kind);

/* Move notes and unreadable files to the intake, up to its limits. */
void reading_move_remarks(struct reading *reading);

void remark_free(struct remark *remark);

/* ---- intake_repair.c ---- */

/* Repair the chosen files: characters of word processors, and names in #include that do not exist.
 */
void reading_repair(struct reading *reading);

/* ---- intake_collect.c ---- */

/* Returns the safe path in the submission, malloc'd, of a file with the name `clean`. NULL: the
 * file is dropped, or left out with a note. */
char *reading_name(const struct place *place, const char *clean);

/* Returns the largest number of bytes to read of the file `name`; 0: none. May add a remark. */
size_t reading_want(const struct place *place, const char *name);

/* Begin a file: set the upload from the file name of the platform. The time is set later. */
void reading_begin_upload(struct reading *reading, const struct intake_name *parsed);

/* Take a file. Takes ownership of its name and bytes (both malloc'd; a NUL follows the bytes). */
void reading_take(const struct place *place, size_t order, char *name, unsigned char *bytes,
                  size_t size);

/* Take an archive: `size` bytes, or, if `bytes` is NULL, the open file `descriptor`. */
void reading_take_archive(const struct place *place, const char *name, int descriptor,
                          const void *bytes, size_t size);

/* Note that the file has more bytes than reading_want allows. */
void reading_too_large(const struct place *place, const char *name);

/* Take the part of this submission from the archive of the class, the open file `descriptor`. */
void reading_class_archive(struct reading *reading, int descriptor);

void held_free(struct held_file *held);
bool intake_file_same(const struct intake_file *a, const struct intake_file *b);

/* ---- intake_choose.c ---- */

/* Choose the files that count. */
void reading_finish(struct reading *reading);

/* ---- intake_walk.c ---- */

void reading_free(struct reading *reading);

/* Compute the digests. */
void intake_digest(struct intake *intake);

#endif
