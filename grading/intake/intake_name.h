/* intake_name.h: find the person and the kind of a file in the name of an upload. */
#ifndef INTAKE_NAME_H
#define INTAKE_NAME_H

#include <stdbool.h>
#include <stddef.h>

enum intake_platform { INTAKE_PLAIN, INTAKE_CANVAS, INTAKE_MOODLE };

/* The parts of a name. The pointers point into the name. */
struct intake_name {
    enum intake_platform platform;
    const char *person; /* "lastfirst" (Canvas), "Alice Smith" (Moodle), or the name's stem */
    size_t person_length;
    const char *number; /* the platform's number of the person, or NULL */
    size_t number_length;
    const char *upload; /* Canvas's number of the upload, or NULL */
    const char *file;   /* the student's file name; "" for a folder from Moodle */
    bool late;
};

/* Split a name:
 *   Canvas  lastfirst_12345_67890_FILE, lastfirst_LATE_12345_67890_FILE
 *   Moodle  Full Name_12345_assignsubmission_file_FILE; a folder has no FILE */
void intake_name_parse(const char *name, struct intake_name *parsed);

enum intake_file_kind {
    INTAKE_SOURCE,
    INTAKE_MAYBE, /* a source if the content is a kernel: padded.cu.txt, .cpp, .c, no ending */
    INTAKE_ARCHIVE,
    INTAKE_NOTEBOOK,
    INTAKE_PAGE, /* a web page: a source if the content is a kernel, otherwise a document */
    INTAKE_DOCUMENT,
    INTAKE_JUNK, /* hidden, or created by an operating system: ignored without a note */
    INTAKE_OTHER
};
enum intake_file_kind intake_name_kind(const char *path);

bool intake_name_is_cu(const char *name);

/* Make a clean text (text_clean) a safe path in place: no component is empty, "." or "..", or
 * begins with '-'. Returns false if the path is absolute, too long or too deep, or if it leads out
 * of the submission. */
bool intake_name_make_safe(char *path);

#endif
