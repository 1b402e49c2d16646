/* intake_name.h: person, file name and kind, from the name of an upload. No file is accessed. */
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
    const char *number; /* the platform's number of the person; NULL: none */
    size_t number_length;
    const char *upload; /* Canvas's number of the upload; NULL: none */
    const char *file;   /* the student's own name of the file; "" for a folder of Moodle's */
    bool late;
};

/*   Canvas  lastfirst_12345_67890_FILE, lastfirst_LATE_12345_67890_FILE
 *   Moodle  Full Name_12345_assignsubmission_file_FILE, and a folder without FILE */
void intake_name_parse(const char *name, struct intake_name *parsed);

/* The kind of a file, by its name. */
enum intake_file_kind {
    INTAKE_SOURCE,   /* .cu, .cuh, .h and the like */
    INTAKE_MAYBE,    /* padded.cu.txt, .cpp, .c, no ending: a kernel if its text has one */
    INTAKE_ARCHIVE,  /* archive_is_name */
    INTAKE_NOTEBOOK, /* .ipynb */
    INTAKE_PAGE,     /* a web page: a source if its text has a kernel, else a document */
    INTAKE_DOCUMENT, /* .pdf, .docx, a picture */
    INTAKE_JUNK,     /* hidden, or made by an operating system: dropped without a note */
    INTAKE_OTHER
};
enum intake_file_kind intake_name_kind(const char *path);

/* True if the name ends in .cu, in upper or lower case. */
bool intake_name_is_cu(const char *name);

/* Make a clean text (text_clean) a safe path in a submission, in place: '/'-separated, without
 * empty, "." or ".." parts, without parts that begin with '-' (a compiler option) or are too
 * long for a file system. False: the path leads outside, or is too long or deep. */
bool intake_name_make_safe(char *path);

#endif
