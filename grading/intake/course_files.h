/* course_files.h: find the course's own files in a submission. Some students submit the whole
 * folder of the course.
 *
 * A folder is a folder of the course if it contains include/lab.h, profiler/main.c or
 * labs/NN_name/lab.conf. Because releases differ, a file in this folder is classified by its path
 * instead of its content. Files in profiler/, plots/ and grading/ belong to the course. A file in
 * solutions/NN_name belongs to the course only if this release has the same file, because any other
 * file may come from the student or an older release. Sources elsewhere belong to the student.
 */
#ifndef COURSE_FILES_H
#define COURSE_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum { COURSE_FOLDERS_MAX = 16 };

/* The folders of the course that were found, as prefixes: "", "hw3/transpose-lab/". */
struct course_folders {
    char *prefixes[COURSE_FOLDERS_MAX];
    size_t count;
};

/* If the file name `name` identifies a folder of the course, add this folder. */
void course_folders_see(struct course_folders *folders, const char *name);
void course_folders_free(struct course_folders *folders);

enum course_share {
    COURSE_NOT,     /* a file of the student */
    COURSE_OWN,     /* a file of the course */
    COURSE_CHANGED, /* a file in solutions/NN_name that this release does not have in this form */
};

/* Classify a file. `bytes` is NULL if the file is not a source. Then the file also belongs to the
 * course if it is in docs/, build/ or out/, or if this release has a file with its path. */
enum course_share course_file_share(const struct course_folders *folders, const char *name,
                                    const void *bytes, size_t size);

#endif
