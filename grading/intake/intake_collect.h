/* intake_collect.h: read one submission from folders, archives and notebooks.
 *
 * reading_name makes a file's name safe. The name's kind determines how many bytes are read
 * (reading_want). reading_take stores a source, or opens an archive or a notebook. At the end,
 * reading_finish drops the course's files and applies the limits. Every omitted file gets a note.
 *
 * Each file calls only functions of earlier files in this list: intake_note.c (notes),
 * intake_repair.c, intake_collect.c (all files), intake_choose.c (graded files), intake_walk.c
 * (folders), intake_read.c (the child process). */
#ifndef INTAKE_COLLECT_H
#define INTAKE_COLLECT_H

#include "intake/archive.h"
#include "intake/course_files.h"
#include "intake/intake.h"
#include "intake/intake_name.h"

struct held_file {
    struct intake_file file;
    size_t container; /* number of the archive or notebook; 0 for a folder */
    size_t order;     /* of files with the same name, the file with the highest `order` is used */
    const char *charset; /* original charset of a converted text; NULL if the text was UTF-8 */
    bool by_text;        /* true if the content, not the name, shows that the file is a source */
};

/* A remark on a file. Remarks on files of the course are dropped. */
struct remark {
    char *name;
    char *text;
    char *why;
    enum remark_kind {
        REMARK_WORK,
        REMARK_DOCUMENT,
        REMARK_OTHER /* one note lists all ignored files */
    } kind;
};

struct reading {
    struct intake *intake;
    const struct submission *submission;
    struct upload upload;
    struct held_file *held;
    size_t held_count, held_dropped;
    uint64_t held_bytes;
    struct course_folders course;
    struct archive_budget budget;
    size_t entries;
    size_t containers;
    struct remark *remarks;
    size_t remark_count;
    size_t noted;
    size_t notes_dropped;
    struct failure *failure;
};

struct place {
    struct reading *reading;
    const char *prefix;
    size_t container;
    unsigned nesting; /* number of archives that contain the file, except the class's archive */
};

bool reading_failed(const struct reading *reading);

void reading_note(struct reading *reading, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add a note that an instructor must check the file, and list the file as unreadable. */
void reading_unreadable(struct reading *reading, const char *name, const char *why);

/* Add a note on a link or special file. If the file may be a source, list it as unreadable. */
void reading_refuse(struct reading *reading, const char *name, const char *why);

void reading_remark(struct reading *reading, const char *name, const char *text, const char *why,
                    enum remark_kind kind);

void reading_move_remarks(struct reading *reading);

void remark_free(struct remark *remark);

void reading_repair(struct reading *reading);

/* Returns the malloc'd safe path of the file `clean` in `place`. Returns NULL if the file is junk
 * (INTAKE_JUNK), or if it is omitted with a note. */
char *reading_name(const struct place *place, const char *clean);

/* Returns the maximum number of bytes to read from the file; 0 if it is not needed. */
size_t reading_want(const struct place *place, const char *name);

/* Set reading->upload, except the times, from the platform's file name. */
void reading_begin_upload(struct reading *reading, const struct intake_name *parsed);

/* Takes ownership of `name` and of the malloc'd `bytes`; a NUL follows the bytes. */
void reading_take(const struct place *place, size_t order, char *name, unsigned char *bytes,
                  size_t size);

/* Read `size` bytes of an archive. If `bytes` is NULL, read the open file `descriptor`. */
void reading_take_archive(const struct place *place, const char *name, int descriptor,
                          const void *bytes, size_t size);

void reading_too_large(const struct place *place, const char *name);

void reading_class_archive(struct reading *reading, int descriptor);

void held_free(struct held_file *held);
bool intake_file_same(const struct intake_file *a, const struct intake_file *b);

/* Choose and repair the files to grade. Move them and the notes to reading->intake. */
void reading_finish(struct reading *reading);

void reading_free(struct reading *reading);

void intake_digest(struct intake *intake);

#endif
