/* course_files.h: find the course's own files in a submission. Some students submit the whole
 * folder of the course.
 *
 * A folder belongs to the course if it contains include/lab.h, profiler/main.c or
 * labs/NN_name/lab.conf. Because releases differ, the path of a file in such a folder decides, not
 * the content. Files in profiler/, plots/ and grading/ belong to the course. In solutions/NN_name,
 * only a file that is identical in this release surely belongs to the course: a different file may
 * be a student's, or from an older release. Sources in all other folders belong to the student.
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

/* Add the folder of the course that contains the file `name`, if the name shows that it is one. */
void course_folders_see(struct course_folders *folders, const char *name);
void course_folders_free(struct course_folders *folders);

enum course_share {
    COURSE_NOT,     /* a file of the student */
    COURSE_OWN,     /* a file of the course */
    COURSE_CHANGED, /* a file in solutions/NN_name that this release does not have in this form */
};

/* Classify a file. If the file is not a source, `bytes` is NULL; then the file also belongs to the
 * course if this release has a file with its path, or if the file is in docs/, build/ or out/. */
enum course_share course_file_share(const struct course_folders *folders, const char *name,
                                    const void *bytes, size_t size);

#endif
