/* toolkit.h: where this machine's CUDA Toolkit is.
 *
 * Toolkits differ in layout: NVIDIA's has include/ and lib64/, conda's targets/<machine>/include
 * and lib, Debian's is spread over /usr. This is the one place that knows.
 */
#ifndef TOOLKIT_H
#define TOOLKIT_H

#include <stdbool.h>
#include <stddef.h>

enum { TOOLKIT_PATH_SIZE = 1024 };

/* Paths; "" for what the toolkit does not have. */
struct toolkit {
    char root[TOOLKIT_PATH_SIZE];
    char include[TOOLKIT_PATH_SIZE]; /* holds cuda.h or cuda_fp16.h */
    char library[TOOLKIT_PATH_SIZE]; /* holds libnvrtc or libcudart */
    char nvcc[TOOLKIT_PATH_SIZE];    /* the program */
    char nvrtc[TOOLKIT_PATH_SIZE];   /* the shared library */
};

/* Find the toolkit: TLAB_CUDA (a path; nothing else is looked at), CUDA_HOME, CUDA_PATH,
 * /usr/local/cuda, the newest /usr/local/cuda-*, and the toolkit of an nvcc in PATH; the first that
 * holds nvcc or NVRTC. False with a reason in `why`: none, or hidden by TLAB_CUDA=none. */
bool toolkit_find(struct toolkit *toolkit, char *why, size_t why_size);

/* Is the toolkit hidden (TLAB_CUDA=none), the loader's own libraries included? */
bool toolkit_is_hidden(void);

/* Find a program in PATH, relative entries of PATH aside. */
bool program_find(const char *name, char *path, size_t path_size);

#endif
