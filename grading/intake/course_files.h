/* course_files.h: what of a submission is the course's own, where a student packed the whole folder
 * of the course.
 *
 * A folder is the course's when it holds include/lab.h, profiler/main.c or labs/NN_name/lab.conf,
 * which its entries' names tell. Releases differ, so what lies in such a folder is told by the
 * course's layout, not by its bytes: sources in profiler/, plots/ and grading/ are never a
 * student's work. In solutions/NN_name the file of the release that grades is the course's; another
 * one may be a student's, who has edited it, or a former release's. labs/, include/ and everything
 * else are the student's.
 */
#ifndef COURSE_FILES_H
#define COURSE_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum { COURSE_FOLDERS_MAX = 16 };

/* The folders of the course that were seen, as prefixes: "", "hw3/transpose-lab/". */
struct course_folders {
    char *prefixes[COURSE_FOLDERS_MAX];
    size_t count;
};

/* See the name of an entry, whatever it is. False: no memory. */
bool course_folders_see(struct course_folders *folders, const char *name);
void course_folders_free(struct course_folders *folders);

enum course_share {
    COURSE_NOT,     /* the student's */
    COURSE_OWN,     /* the course's */
    COURSE_CHANGED, /* where the course keeps its own, but not what this release has there */
};

/* Whose is the file? `bytes` is NULL for what is no source: then what this release has under that
 * name is the course's, and what make puts into build/ and out/. */
enum course_share course_file_share(const struct course_folders *folders, const char *name,
                                    const void *bytes, size_t size);

#endif
