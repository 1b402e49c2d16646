/* course_files.h: find the course's own files in a submission. A folder is a folder of the
 * course if it contains include/lab.h, profiler/main.c or labs/NN_name/lab.conf. The path of a
 * file in this folder determines its owner, because contents differ between releases. Files in
 * profiler/, plots/ and grading/ belong to the course. Most other sources belong to the student.
 * A file in solutions/NN_name belongs to the course only if this release contains the same file. */
#ifndef COURSE_FILES_H
#define COURSE_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum { COURSE_FOLDERS_MAX = 16 };

struct course_folders {
    char *prefixes[COURSE_FOLDERS_MAX];
    size_t count;
};

/* If the path `name` identifies a folder of the course, add this folder. */
void course_folders_see(struct course_folders *folders, const char *name);
void course_folders_free(struct course_folders *folders);

enum course_share {
    COURSE_NOT,
    COURSE_OWN,
    COURSE_CHANGED, /* a file in solutions/NN_name that differs from this release */
};

/* Classify a file. `bytes` is NULL if the file is not a source. A file that is not a source belongs
 * to the course if it is in docs/, build/ or out/. It also belongs to the course if this release
 * contains a file with its path. */
enum course_share course_file_share(const struct course_folders *folders, const char *name,
                                    const void *bytes, size_t size);

#endif
