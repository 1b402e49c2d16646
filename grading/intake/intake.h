/* intake.h: a folder of student work, as it really comes, becomes a list of submissions.
 *
 * Accepted: a folder per student; a folder of .zip, .tar, .tar.gz, .7z, .rar uploads; the bulk
 * downloads of Canvas ("lastfirst_LATE_12345_67890_file.cu") and Moodle
 * ("Name_12345_assignsubmission_file_/"); an archive of any of these; a single file. A roster (CSV)
 * maps names to people.
 *
 * Packaging costs nobody points. What the course ships is recognised and left out first
 * (course_files.h). What can be read is read: archives in archives, whatever their names are;
 * kernels under other names (padded.cu.txt, .cpp, no ending at all), by what is in them; cells of
 * notebooks; UTF-16 and Latin-1. What cannot be read and may hold work is listed as unreadable, for
 * a person to look at.
 *
 * The rule: each folder, archive, kernel, notebook or document directly in a class is one
 * submission, named as it is without the endings, and what Canvas or Moodle say belongs to one
 * person is one submission; what the roster knows is one in any case.
 * `alice/` and `alice.zip` are one, too. (An archive made of one folder of its own name is opened
 * at that folder.) Files of other kinds there are no submissions, unless Canvas or Moodle named
 * them.
 *
 * Everything here is untrusted: names, archives, links, sizes. A bad part of a submission becomes a
 * note of that submission (the student's failure, shown to both sides), never a crash and never the
 * end of the batch. Only the folder itself or the roster can fail (harness).
 */
#ifndef INTAKE_H
#define INTAKE_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits of one submission. What is beyond is left out, with a note. */
enum {
    INTAKE_FILES_MAX = 64,            /* sources kept: kernels of labs first */
    INTAKE_FILE_BYTES_MAX = 1 << 20,  /* of one file */
    INTAKE_TOTAL_BYTES_MAX = 8 << 20, /* of all its files, unpacked */
    INTAKE_HELD_FILES_MAX = 2048,     /* sources looked at, those of the course included */
    INTAKE_HELD_BYTES_MAX = 32 << 20,
    INTAKE_ENTRIES_MAX = 60000,           /* looked at in all its folders and archives */
    INTAKE_DEPTH_MAX = 12,                /* folders in folders */
    INTAKE_NESTING_MAX = 3,               /* archives in archives */
    INTAKE_ARCHIVE_BYTES_MAX = 512 << 20, /* of one archive, as it is, on disk; */
    INTAKE_INNER_BYTES_MAX = 64 << 20,    /* in the class's, and a quarter of that in others */
    INTAKE_NOTEBOOK_BYTES_MAX = 16 << 20,
    INTAKE_SCAN_BYTES_MAX = 512 << 20, /* unpacked in looking for files in all archives */
    INTAKE_NOTES_MAX = 32,
    INTAKE_UNREADABLE_MAX = 16,
    INTAKE_SECONDS = 25, /* for all that; and beyond what the process has: */
    INTAKE_MEMORY_BYTES = 256 << 20,
    INTAKE_ID_SIZE = 64,
    INTAKE_SUBMISSIONS_MAX = 1 << 16,
    INTAKE_CLASS_ENTRIES_MAX = 1 << 20, /* in the folder or archive of a class */
};

/* When a file was handed in, as far as anything says so. In seconds since 1970; 0: unknown. */
struct upload {
    int64_t time;     /* as the folder or the class's archive has it */
    int64_t modified; /* the same, of a file in the student's own archive: what its student says */
    uint64_t number;  /* the platform's, which grows from upload to upload; 0: none */
    bool late;        /* the platform says so */
};

/* Is somebody in the roster? */
enum standing { STANDING_NO_ROSTER, STANDING_IN_ROSTER, STANDING_STRANGER };

/* Who handed in what. Texts are UTF-8 without control characters. */
struct submission {
    char id[INTAKE_ID_SIZE]; /* [A-Za-z0-9._-], unique in the class, a safe file name */
    char *name;              /* the person, from the roster, else as the folder or file says it */
    char *email;             /* from the roster; may be NULL */
    char *path; /* of the folder, archive or file; NULL: in the roster, handed in nothing */
    /* What of it is this person's: folders, archives and files, by their names within `path`.
     * NULL: all of it. */
    char **members;
    size_t member_count;
    bool late; /* Canvas says so */
    enum standing standing;
};

struct class_list {
    struct submission *submissions; /* ascending by id */
    size_t count;
};

/* List the submissions below `path`, without reading their files. `roster_path` may be NULL.
 * Someone in the roster with no submission is in the list with path NULL; a submission of nobody in
 * the roster keeps its own name. The order and ids depend only on names, not on the file system. */
bool intake_list(const char *path, const char *roster_path, struct class_list *list,
                 struct failure *failure);

/* The same, where all of `path` is one submission, of that name (NULL: the path's). */
bool intake_list_one(const char *path, const char *name, struct class_list *list,
                     struct failure *failure);
void intake_list_free(struct class_list *list);

/* The files of one submission, in memory. */
struct intake_file {
    char *name; /* its path in the submission: '/'-separated, no "..", no leading '/', no control
                   characters, valid UTF-8 (other bytes are replaced) */
    unsigned char *bytes; /* text in UTF-8, with a NUL behind the last */
    size_t size;
    struct upload upload;
    bool kernel; /* to be compiled: a .cu file, or a kernel under another name; else a header */
};

/* Something that may hold work, and that only a person can read. */
struct intake_unreadable {
    char *name;
    char *why;     /* "is encrypted" */
    bool document; /* a report, a picture: of interest only where a kernel is missing */
};

struct intake {
    struct intake_file *files; /* ascending by name */
    size_t count;
    char **notes; /* sentences for both sides: "padded.cu is a symbolic link: left out" */
    size_t note_count;
    struct intake_unreadable *unreadable;
    size_t unreadable_count;
    /* Over names, bytes and what is unreadable: the same whatever archive they came in. */
    unsigned char digest[32];
    unsigned char uploads_digest[32]; /* over names and uploads */
};

/* Read a submission: the folder, archive or file (nothing, when path is NULL). Never writes to
 * disk, follows no links out, and stays below the limits whatever the archive claims. A process of
 * its own does it, with limits of time and memory: libraries that parse archives see foreign bytes.
 * When that process dies, all of the submission is unreadable. False: harness failure (no process,
 * a read error of this machine). */
bool intake_read(const struct submission *submission, struct intake *intake,
                 struct failure *failure);

/* The same in this process. */
bool intake_read_here(const struct submission *submission, struct intake *intake,
                      struct failure *failure);
void intake_free(struct intake *intake);

/* How the two processes pass it on. The bytes that come are as untrusted as what was read: false
 * when they are no intake within its limits, or no memory; *intake is empty then. */
bool intake_send(const struct intake *intake, int output);
bool intake_receive(const char *bytes, size_t size, struct intake *intake);

/* Write the files below `directory` (which exists and is empty), for the compiler. */
bool intake_stage(const struct intake *intake, const char *directory, struct failure *failure);

#endif
