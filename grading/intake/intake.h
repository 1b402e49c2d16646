/* intake.h: find the submissions in a folder or archive of student work, and read their files.
 *
 * The module accepts a folder per student, a folder of archives, and a single file. It also accepts
 * the bulk downloads of Canvas ("lastfirst_LATE_12345_67890_file.cu") and Moodle
 * ("Name_12345_assignsubmission_file_/"), and an archive of any of these forms. A roster (CSV) maps
 * names to people.
 *
 * The form of a submission costs no points. Files of the course are omitted (course_files.h). The
 * module also reads nested archives, kernels with unusual names (padded.cu.txt, .cpp, no ending),
 * cells of notebooks, and files in UTF-16 or Latin-1. For the instructor, the module lists files
 * that may be the required work but cannot be read.
 *
 * Each folder, archive, kernel, notebook or document directly in a class is a submission. Its name
 * is the file name without endings. Any other file is a submission if its name comes from Canvas or
 * Moodle, or is in the roster. All entries of one person, such as `alice/` and `alice.zip`, are one
 * submission. If `class.zip` contains only the folder `class`, the class is that folder.
 *
 * All input is untrusted. If a part of a submission is invalid, student and instructor get a note.
 * Harness failures concern only the class's folder or roster. If memory is full, the process ends.
 */
#ifndef INTAKE_H
#define INTAKE_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits of one submission. Files over a limit are omitted, with a note. */
enum {
    INTAKE_FILES_MAX = 64, /* graded source files; kernels of labs have priority */
    INTAKE_FILE_BYTES_MAX = 1 << 20,
    INTAKE_TOTAL_BYTES_MAX = 8 << 20, /* bytes of all graded source files */
    INTAKE_HELD_FILES_MAX = 2048, /* source files that are read, including those of the course */
    INTAKE_HELD_BYTES_MAX = 32 << 20,
    INTAKE_ENTRIES_MAX = 60000,
    INTAKE_DEPTH_MAX = 12,  /* levels of nested folders */
    INTAKE_NESTING_MAX = 3, /* levels of nested archives */
    INTAKE_ARCHIVE_BYTES_MAX = 512 << 20,
    /* Maximum bytes of an archive in an archive. At deeper levels, the maximum is a quarter. */
    INTAKE_INNER_BYTES_MAX = 64 << 20,
    INTAKE_NOTEBOOK_BYTES_MAX = 16 << 20,
    INTAKE_SCAN_BYTES_MAX = 512 << 20, /* unpacked bytes of all archives */
    INTAKE_NOTES_MAX = 32,
    INTAKE_UNREADABLE_MAX = 16,
    INTAKE_SECONDS = 25,
    INTAKE_MEMORY_BYTES = 256 << 20,
    INTAKE_ID_SIZE = 64,
    INTAKE_SUBMISSIONS_MAX = 1 << 16,
    INTAKE_CLASS_ENTRIES_MAX = 1 << 20,
};

/* Times are in seconds since 1970; 0 if unknown. */
struct upload {
    int64_t time; /* time in the folder or archive of the class */
    /* Time in the student's archive (untrusted); without an archive, equal to `time`. */
    int64_t modified;
    uint64_t number; /* Canvas's number, which increases with each upload; 0 if none */
    bool late;
};

enum standing { STANDING_NO_ROSTER, STANDING_IN_ROSTER, STANDING_STRANGER };

/* The submission of one person. Texts are in UTF-8, without control characters. */
struct submission {
    char id[INTAKE_ID_SIZE]; /* a safe file name [A-Za-z0-9._-]+, unique in the class */
    char *name;              /* name in the roster; otherwise the name of the folder or file */
    char *email;             /* address in the roster, or NULL */
    char *path;              /* folder, archive or file; NULL if there is no submission */
    char **members;          /* entries of `path` that belong to the person; NULL for all entries */
    size_t member_count;
    bool late; /* Canvas marks the submission as late */
    enum standing standing;
};

struct class_list {
    struct submission *submissions;
    size_t count;
};

/* List the submissions in `path`, without reading their files. `roster_path` may be NULL. For a
 * person in the roster without a submission, `path` is NULL. Order and ids depend only on names.
 * Returns false for a harness failure. Free the list with intake_list_free. */
bool intake_list(const char *path, const char *roster_path, struct class_list *list,
                 struct failure *failure);

/* List `path` as one submission with this name or, if `name` is NULL, the last part of `path`. */
bool intake_list_one(const char *path, const char *name, struct class_list *list,
                     struct failure *failure);

/* Make an id from a name. A name of lower-case letters, digits and ._- is its own id. Other names
 * become a safe text with four digits of a digest ("Ann_B-5c21"). */
void intake_id(const char *name, char id[INTAKE_ID_SIZE]);
void intake_list_free(struct class_list *list);

const struct submission *intake_find(const struct class_list *list, const char *id);

struct intake_file {
    char *name;           /* safe path in the submission (intake_name_make_safe) */
    unsigned char *bytes; /* text in UTF-8; a NUL follows */
    size_t size;
    struct upload upload;
    bool kernel; /* true if the file is compiled; false if it is a header */
};

/* A file that may be the required work but cannot be graded. The instructor must read it. */
struct intake_unreadable {
    char *name;
    char *why;
    bool document; /* a report or picture; relevant only if the submission has no kernel */
};

struct intake {
    struct intake_file *files;
    size_t count;
    char **notes;
    size_t note_count;
    struct intake_unreadable *unreadable;
    size_t unreadable_count;
    unsigned char digest[32];         /* digest of names, contents and unreadable files */
    unsigned char uploads_digest[32]; /* digest of names and times */
};

/* Read a submission without writing to disk or following links. A child process with limits parses
 * the untrusted bytes. If the child crashes or exceeds a limit, *intake has one unreadable file. If
 * the submission's path is NULL, *intake is empty. Returns false for a harness failure (no process,
 * a read error). Free the result with intake_free. */
bool intake_read(const struct submission *submission, struct intake *intake,
                 struct failure *failure);

/* Like intake_read, but in this process. */
bool intake_read_here(const struct submission *submission, struct intake *intake,
                      struct failure *failure);
void intake_free(struct intake *intake);

/* intake_send writes an intake to `output`. intake_receive reads an intake from untrusted bytes. It
 * returns false, with an empty *intake, if the bytes are not an intake within the limits. */
bool intake_send(const struct intake *intake, int output);
bool intake_receive(const char *bytes, size_t size, struct intake *intake);

/* Write the files to `directory`, which must be empty. Returns false for a harness failure. */
bool intake_stage(const struct intake *intake, const char *directory, struct failure *failure);

#endif
