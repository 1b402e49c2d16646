/* intake_collect.h: reading one submission. The same functions process files from folders, archives
 * and notebooks.
 *
 * A file's name is made safe (reading_name). The name determines how many bytes are read
 * (reading_want). reading_take then stores the bytes of a source, or opens an archive or a
 * notebook. At the end, reading_finish drops the files of the course and applies the limits. Every
 * omitted file gets a note. Loops end after a harness failure (reading_failed).
 *
 * Each of these files calls only functions of the files that precede it in this list: intake_note.c
 * (notes), intake_repair.c, intake_collect.c (files found), intake_choose.c (files that count),
 * intake_walk.c (folders), intake_read.c (the separate process).
 */
#ifndef INTAKE_COLLECT_H
#define INTAKE_COLLECT_H

#include "intake/archive.h"
#include "intake/course_files.h"
#include "intake/intake.h"
#include "intake/intake_name.h"

struct held_file {
    struct intake_file file;
    size_t container; /* number of the archive or notebook; 0: the file is in a folder */
    size_t order;     /* index in the container; of all files with one name, the last file counts */
    const char *charset; /* original charset of a converted text; NULL: the text was UTF-8 */
    bool by_text;        /* only the content, not the name, shows that the file is a source */
};

/* A remark on a file. The remark is dropped if the file belongs to the course. */
struct remark {
    char *name;
    char *text; /* text of the note; NULL: no note */
    char *why;  /* reason that the file is unreadable; NULL: the file is readable */
    enum remark_kind {
        REMARK_WORK,     /* the file may be the required work */
        REMARK_DOCUMENT, /* a document (struct intake_unreadable) */
        REMARK_OTHER     /* an ignored file; one note lists all ignored files */
    } kind;
};

/* The state while a submission is read. */
struct reading {
    struct intake *intake;
    const struct submission *submission;
    struct upload upload; /* upload of the current file */
    struct held_file *held;
    size_t held_count, held_dropped;
    uint64_t held_bytes;
    struct course_folders course;
    struct archive_budget budget;
    size_t entries; /* number of folder entries that were read */
    size_t containers;
    struct remark *remarks;
    size_t remark_count;
    size_t noted; /* number of remarks with `text` or `why` */
    size_t notes_dropped;
    struct failure *failure;
};

struct place {
    struct reading *reading;
    const char *prefix; /* path of the folder in the submission; "": the top folder */
    size_t container;
    unsigned nesting; /* number of archives that contain the file, except the class's archive */
};

bool reading_failed(const struct reading *reading);

/* ---- intake_note.c ---- */

void reading_note(struct reading *reading, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add a note on an unreadable file that may be the required work, and list the file. */
void reading_unreadable(struct reading *reading, const char *name, const char *why);

/* Add a note on a link, a pipe or a protected file. List the file if it may be the work. */
void reading_refuse(struct reading *reading, const char *name, const char *why);

/* Add a remark (struct remark). The texts are copied. */
void reading_remark(struct reading *reading, const char *name, const char *text, const char *why,
                    enum remark_kind kind);

/* Move notes and unreadable files to the intake, up to its limits. */
void reading_move_remarks(struct reading *reading);

void remark_free(struct remark *remark);

/* ---- intake_repair.c ---- */

/* In the chosen files, repair characters of word processors and the names in #include. */
void reading_repair(struct reading *reading);

/* ---- intake_collect.c ---- */

/* Returns the malloc'd safe path in the submission of a file with the clean name `clean`. Returns
 * NULL if the file is ignored (INTAKE_JUNK), or if it is omitted with a note. */
char *reading_name(const struct place *place, const char *clean);

/* Returns the maximum number of bytes to read from the file `name`; 0: do not read the file. */
size_t reading_want(const struct place *place, const char *name);

/* Begin a file of the class: set reading->upload from the platform's file name, without times. */
void reading_begin_upload(struct reading *reading, const struct intake_name *parsed);

/* Process a file. Takes ownership of `name` and `bytes` (malloc'd; a NUL follows the bytes). */
void reading_take(const struct place *place, size_t order, char *name, unsigned char *bytes,
                  size_t size);

/* Process an archive: `size` bytes or, if `bytes` is NULL, the open file `descriptor`. */
void reading_take_archive(const struct place *place, const char *name, int descriptor,
                          const void *bytes, size_t size);

/* Add a remark that the file has more bytes than reading_want allows. */
void reading_too_large(const struct place *place, const char *name);

/* Process this submission's entries in the archive of the class, the open file `descriptor`. */
void reading_class_archive(struct reading *reading, int descriptor);

void held_free(struct held_file *held);
bool intake_file_same(const struct intake_file *a, const struct intake_file *b);

/* ---- intake_choose.c ---- */

/* Choose and repair the files that are graded, and move them and the remarks to reading->intake. */
void reading_finish(struct reading *reading);

/* ---- intake_walk.c ---- */

void reading_free(struct reading *reading);

/* Compute intake->digest and intake->uploads_digest. */
void intake_digest(struct intake *intake);

#endif
