/* intake_name.h: what the names of uploads say: whose, which file, which kind. No file is touched.
 */
#ifndef INTAKE_NAME_H
#define INTAKE_NAME_H

#include <stdbool.h>
#include <stddef.h>

enum intake_platform { INTAKE_PLAIN, INTAKE_CANVAS, INTAKE_MOODLE };

/* The parts of a name, pointing into it. */
struct intake_name {
    enum intake_platform platform;
    const char *person; /* "lastfirst", "Alice Ångström"; a plain name without its endings */
    size_t person_length;
    const char *number; /* the platform's number of the person; NULL: plain */
    size_t number_length;
    const char *upload; /* Canvas's number of the upload; NULL: none */
    const char *file;   /* the name that the student gave; "" for a folder of Moodle's */
    bool late;
};

/*   Canvas  lastfirst_12345_67890_FILE, lastfirst_LATE_12345_67890_FILE
 *   Moodle  Full Name_12345_assignsubmission_file_FILE, and a folder without FILE */
void intake_name_parse(const char *name, struct intake_name *parsed);

/* What a file is good for, by its name. */
enum intake_file_kind {
    INTAKE_SOURCE,   /* .cu, .cuh, .h and the like */
    INTAKE_MAYBE,    /* padded.cu.txt, .cpp, .c, no ending: a kernel where its text has one */
    INTAKE_ARCHIVE,  /* archive_is_name */
    INTAKE_NOTEBOOK, /* .ipynb */
    INTAKE_DOCUMENT, /* .pdf, .docx, a picture: a person may find work in it */
    INTAKE_JUNK,     /* hidden, or made by an operating system: dropped silently */
    INTAKE_OTHER
};
enum intake_file_kind intake_name_kind(const char *path);

/* Does it end in .cu, in any case? */
bool intake_name_is_cu(const char *name);

/* Make a clean text (text_clean) a safe path in a submission, in place: '/'-separated, no empty,
 * "." or ".." parts, none with '-' in front (no compiler shall take it for an option), none longer
 * than a file system takes. False: it leads outside, or is too long or deep, and cannot be. */
bool intake_name_make_safe(char *path);

#endif
