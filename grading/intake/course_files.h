/* course_files.h: the course's own files in a submission, for students who packed the whole folder
 * of the course.
 *
 * A folder is the course's if it contains include/lab.h, profiler/main.c or labs/NN_name/lab.conf.
 * Releases differ, so files in such a folder are classified by path, not by content: sources in
 * profiler/, plots/ and grading/ are the course's. In solutions/NN_name, only the file of this
 * release is the course's; a different one may be a student's or an older release's. labs/,
 * include/ and everything else are the student's.
 */
#ifndef COURSE_FILES_H
#define COURSE_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum { COURSE_FOLDERS_MAX = 16 };

/* The folders of the course found so far, as prefixes: "", "hw3/transpose-lab/". */
struct course_folders {
    char *prefixes[COURSE_FOLDERS_MAX];
    size_t count;
};

/* Recognize a folder of the course by the name of one of its entries. */
void course_folders_see(struct course_folders *folders, const char *name);
void course_folders_free(struct course_folders *folders);

enum course_share {
    COURSE_NOT,     /* the student's */
    COURSE_OWN,     /* the course's */
    COURSE_CHANGED, /* a file of the course that differs from this release's */
};

/* Classify a file. `bytes` is NULL if it is not a source: then files with a name of this
 * release, and those in build/ and out/, are the course's. */
enum course_share course_file_share(const struct course_folders *folders, const char *name,
                                    const void *bytes, size_t size);

#endif
