/* intake.h: find the submissions in a folder or archive of student work, and read their files.
 *
 * Accepted: a folder per student; a folder of .zip, .tar, .tar.gz, .7z, .rar uploads; the bulk
 * downloads of Canvas ("lastfirst_LATE_12345_67890_file.cu") and Moodle
 * ("Name_12345_assignsubmission_file_/"); an archive of any of these; a single file. A roster (CSV)
 * maps names to people.
 *
 * No points are lost for the form of a submission. The course's own files are recognized and left
 * out (course_files.h). The module also reads nested archives, kernels with other names
 * (padded.cu.txt, .cpp, no ending), cells of notebooks, and files in UTF-16 or Latin-1. For the
 * instructor, it lists files that may be work but cannot be read.
 *
 * Each folder, archive, kernel, notebook or document directly in a class is a submission. The
 * submission's name is the file name without endings. Every file with a name from Canvas, Moodle or
 * the roster is a submission, too. Entries of one person, such as `alice/` and `alice.zip`, are one
 * submission. If `class.zip` contains only the folder `class`, the class is that folder.
 *
 * All input is untrusted: names, archives, links, sizes. A bad part of a submission does not end
 * the batch: a note on it is shown to student and instructor. Harness failures concern only the
 * folder itself or the roster. Memory: see process/allocate.h.
 */
#ifndef INTAKE_H
#define INTAKE_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits of one submission. Files over a limit are left out, with a note. */
enum {
    INTAKE_FILES_MAX = 64,            /* source files that count; kernels of labs come first */
    INTAKE_FILE_BYTES_MAX = 1 << 20,  /* bytes of one file */
    INTAKE_TOTAL_BYTES_MAX = 8 << 20, /* bytes of all files, unpacked */
    INTAKE_HELD_FILES_MAX = 2048, /* source files that are read, including files of the course */
    INTAKE_HELD_BYTES_MAX = 32 << 20,
    INTAKE_ENTRIES_MAX = 60000,           /* entries in all folders and archives */
    INTAKE_DEPTH_MAX = 12,                /* nested folders */
    INTAKE_NESTING_MAX = 3,               /* nested archives */
    INTAKE_ARCHIVE_BYTES_MAX = 512 << 20, /* size of an archive on disk */
    INTAKE_INNER_BYTES_MAX = 64 << 20,    /* bytes of a nested archive; a quarter if nested twice */
    INTAKE_NOTEBOOK_BYTES_MAX = 16 << 20,
    INTAKE_SCAN_BYTES_MAX = 512 << 20, /* bytes that are unpacked from all archives */
    INTAKE_NOTES_MAX = 32,
    INTAKE_UNREADABLE_MAX = 16,
    INTAKE_SECONDS = 25, /* time limit of the process that reads */
    INTAKE_MEMORY_BYTES = 256 << 20,
    INTAKE_ID_SIZE = 64,
    INTAKE_SUBMISSIONS_MAX = 1 << 16,
    INTAKE_CLASS_ENTRIES_MAX = 1 << 20, /* entries of the folder or archive of a class */
};

/* When a file was submitted. Times are in seconds since 1970; 0: unknown. */
struct upload {
    int64_t time;     /* time of the file in the folder or archive of the class */
    int64_t modified; /* time of the file in the student's archive (untrusted), else `time` */
    uint64_t number;  /* the platform's number, which increases with each upload; 0: none */
    bool late;        /* true if the platform reports that the upload was late */
};

enum standing { STANDING_NO_ROSTER, STANDING_IN_ROSTER, STANDING_STRANGER };

/* The submission of one person. Texts are UTF-8 without control characters. */
struct submission {
    char id[INTAKE_ID_SIZE]; /* [A-Za-z0-9._-], unique in the class, a safe file name */
    char *name;              /* the person's name: from the roster, else from the folder or file */
    char *email;             /* the person's address in the roster; NULL: none */
    char *path;              /* path of the folder, archive or file; NULL: nothing submitted */
    char **members;          /* the names in `path` that belong to this person; NULL: all names */
    size_t member_count;
    bool late; /* true if Canvas reports that the submission was late */
    enum standing standing;
};

struct class_list {
    struct submission *submissions; /* ascending by id */
    size_t count;
};

/* List the submissions in `path`, without reading their files. `roster_path` may be NULL. A person
 * of the roster without a submission is listed with path NULL. A submission without a person in the
 * roster keeps its own name. Order and ids depend on names only, not on the file system. */
bool intake_list(const char *path, const char *roster_path, struct class_list *list,
                 struct failure *failure);

/* List everything in `path` as one submission named `name`; NULL: the name of the path. */
bool intake_list_one(const char *path, const char *name, struct class_list *list,
                     struct failure *failure);

/* Make an id from the name of a person for whom no roster or platform has an ID. A name of small
 * letters, digits and ._- is its own id. Any other name becomes a safe text with four digits of the
 * name's digest ("Ann_B-5c21"). So the id does not depend on other names of the class. */
void intake_id(const char *name, char id[INTAKE_ID_SIZE]);
void intake_list_free(struct class_list *list);

/* Returns the submission with that id, or NULL. */
const struct submission *intake_find(const struct class_list *list, const char *id);

/* The files of one submission, in memory. */
struct intake_file {
    char *name; /* path of the file in the submission: '/'-separated, without "..", leading '/' and
                   control characters; valid UTF-8 (other bytes are replaced) */
    unsigned char *bytes; /* text in UTF-8, followed by a NUL */
    size_t size;
    struct upload upload;
    bool kernel; /* true if the file is compiled (.cu, or a kernel by its text); false: a header */
};

/* A file that may be work and that an instructor must read. */
struct intake_unreadable {
    char *name;
    char *why;     /* "is encrypted" */
    bool document; /* a report or picture, which matters only if a kernel is missing */
};

struct intake {
    struct intake_file *files; /* ascending by name */
    size_t count;
    char **notes; /* texts for student and instructor: "padded.cu is a symbolic link: left out" */
    size_t note_count;
    struct intake_unreadable *unreadable;
    size_t unreadable_count;
    unsigned char digest[32];         /* digest of names, bytes and unreadable files */
    unsigned char uploads_digest[32]; /* digest of names and uploads */
};

/* Read a submission; read nothing if its path is NULL. Writes nothing to disk, follows no links,
 * and stays below the limits whatever an archive claims. Libraries parse untrusted bytes, so a
 * process with limits of time and memory reads the submission. If that process dies, the whole
 * submission is unreadable. Returns false for a harness failure (no process, a read error). */
bool intake_read(const struct submission *submission, struct intake *intake,
                 struct failure *failure);

/* Read a submission in this process. */
bool intake_read_here(const struct submission *submission, struct intake *intake,
                      struct failure *failure);
void intake_free(struct intake *intake);

/* Send an intake, and receive it in the other process. The bytes are untrusted. If they are not an
 * intake within the limits, returns false, and *intake is empty. */
bool intake_send(const struct intake *intake, int output);
bool intake_receive(const char *bytes, size_t size, struct intake *intake);

/* Write the files to the empty `directory`, for the compiler. */
bool intake_stage(const struct intake *intake, const char *directory, struct failure *failure);

#endif
