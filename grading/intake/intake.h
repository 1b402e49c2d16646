/* intake.h: find the submissions in a folder or archive of student work, and read their files.
 *
 * The module accepts a folder per student, a folder of .zip, .tar, .tar.gz, .7z or .rar uploads,
 * the bulk downloads of Canvas ("lastfirst_LATE_12345_67890_file.cu") and Moodle
 * ("Name_12345_assignsubmission_file_/"), an archive of these, and a single file. A roster (CSV)
 * maps names to people.
 *
 * The form of a submission costs no points. Files of the course are omitted (course_files.h). The
 * module also reads nested archives, kernels with unusual names (padded.cu.txt, .cpp, no ending),
 * cells of notebooks, and files in UTF-16 or Latin-1. For the instructor, the module lists files
 * that may be the required work but cannot be read.
 *
 * Each folder, archive, kernel, notebook or document directly in a class is a submission. The
 * submission's name is the file name without endings. A file of any kind is a submission if its
 * name comes from Canvas or Moodle, or is in the roster. Entries of one person, such as `alice/`
 * and `alice.zip`, are one submission. If `class.zip` contains only the folder `class`, the class
 * is that folder.
 *
 * All input is untrusted. If a part of a submission is invalid, a note is shown to student and
 * instructor, and the batch continues. Harness failures concern only the folder itself or the
 * roster. If memory is full, the process ends (process/allocate.h).
 */
#ifndef INTAKE_H
#define INTAKE_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits of one submission. Files over a limit are omitted, with a note. */
enum {
    INTAKE_FILES_MAX = 64,            /* graded source files; kernels of labs have priority */
    INTAKE_FILE_BYTES_MAX = 1 << 20,  /* bytes of one source file */
    INTAKE_TOTAL_BYTES_MAX = 8 << 20, /* bytes of all source files that are graded, unpacked */
    INTAKE_HELD_FILES_MAX = 2048, /* source files that are read, including files of the course */
    INTAKE_HELD_BYTES_MAX = 32 << 20,
    INTAKE_ENTRIES_MAX = 60000,           /* entries in all folders and archives */
    INTAKE_DEPTH_MAX = 12,                /* levels of nested folders */
    INTAKE_NESTING_MAX = 3,               /* levels of nested archives */
    INTAKE_ARCHIVE_BYTES_MAX = 512 << 20, /* bytes of an archive on disk */
    INTAKE_INNER_BYTES_MAX = 64 << 20,    /* bytes of a nested archive (deeper levels: 1/4) */
    INTAKE_NOTEBOOK_BYTES_MAX = 16 << 20,
    INTAKE_SCAN_BYTES_MAX = 512 << 20, /* bytes that are unpacked from all archives */
    INTAKE_NOTES_MAX = 32,
    INTAKE_UNREADABLE_MAX = 16,
    INTAKE_SECONDS = 25, /* time limit of the process that reads the submission */
    INTAKE_MEMORY_BYTES = 256 << 20,
    INTAKE_ID_SIZE = 64,
    INTAKE_SUBMISSIONS_MAX = 1 << 16,
    INTAKE_CLASS_ENTRIES_MAX = 1 << 20, /* entries of the folder or archive of a class */
};

/* The time at which a file was submitted. Times are in seconds since 1970; 0: unknown. */
struct upload {
    int64_t time;     /* time of the file in the folder or archive of the class */
    int64_t modified; /* time in the student's archive (untrusted); `time` without an archive */
    uint64_t number;  /* the platform's number, which increases with each upload; 0: none */
    bool late;        /* true if the platform reports that the upload was late */
};

enum standing { STANDING_NO_ROSTER, STANDING_IN_ROSTER, STANDING_STRANGER };

/* The submission of one person. Texts are UTF-8 without control characters. */
struct submission {
    char id[INTAKE_ID_SIZE]; /* [A-Za-z0-9._-], unique in the class, a safe file name */
    char *name;              /* name in the roster; otherwise the folder's or file's name */
    char *email;             /* the person's address in the roster; NULL: none */
    char *path;              /* folder, archive or file; NULL: the person submitted nothing */
    char **members;          /* entries of `path` that belong to this person; NULL: all entries */
    size_t member_count;
    bool late; /* true if Canvas reports that the submission was late */
    enum standing standing;
};

struct class_list {
    struct submission *submissions; /* ascending by id */
    size_t count;
};

/* List the submissions in `path`, without reading their files. `roster_path` may be NULL. A person
 * of the roster without a submission is listed with path NULL. A submission that matches no person
 * of the roster has the standing STANDING_STRANGER. Order and ids depend only on names, not on the
 * file system. Free the list with intake_list_free. Returns false for a harness failure. */
bool intake_list(const char *path, const char *roster_path, struct class_list *list,
                 struct failure *failure);

/* List everything in `path` as one submission named `name`; NULL: the last component of `path`. */
bool intake_list_one(const char *path, const char *name, struct class_list *list,
                     struct failure *failure);

/* Make an id from the name of a person that has no ID in a roster or platform. If the name has only
 * lower-case letters, digits and ._-, the name is the id. Any other name becomes a safe text
 * (text_id) with four digits of its digest ("Ann_B-5c21"). Ids do not depend on other names. */
void intake_id(const char *name, char id[INTAKE_ID_SIZE]);
void intake_list_free(struct class_list *list);

/* Returns the submission with this id, or NULL. */
const struct submission *intake_find(const struct class_list *list, const char *id);

struct intake_file {
    char *name;           /* safe path (intake_name_make_safe) in the submission */
    unsigned char *bytes; /* text in UTF-8, followed by a NUL */
    size_t size;
    struct upload upload;
    bool kernel; /* true: the file is compiled (.cu, or its text is a kernel); false: a header */
};

/* A file that may be the required work, and that an instructor must read. */
struct intake_unreadable {
    char *name;
    char *why;     /* reason why the file cannot be graded, such as "is encrypted" */
    bool document; /* a report or picture, which matters only if there is no kernel */
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

/* Read a submission. If the submission's path is NULL, *intake is empty. The call writes nothing to
 * disk, follows no links, and respects the limits. Because libraries parse untrusted bytes, a
 * separate process with limits of time and memory reads the submission. If that process crashes or
 * exceeds a limit, the whole submission becomes an unreadable file of *intake. Returns false for a
 * harness failure (a process cannot be started, a read error). Free the result with intake_free. */
bool intake_read(const struct submission *submission, struct intake *intake,
                 struct failure *failure);

/* Like intake_read, but in this process. */
bool intake_read_here(const struct submission *submission, struct intake *intake,
                      struct failure *failure);
void intake_free(struct intake *intake);

/* intake_send writes an intake to the descriptor `output`. intake_receive reads an intake from the
 * written bytes, which are untrusted. If the bytes are not an intake within the limits,
 * intake_receive returns false, and *intake is empty. */
bool intake_send(const struct intake *intake, int output);
bool intake_receive(const char *bytes, size_t size, struct intake *intake);

/* Write the files to `directory`, which must be empty. Returns false for a harness failure. */
bool intake_stage(const struct intake *intake, const char *directory, struct failure *failure);

#endif
