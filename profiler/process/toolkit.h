/* toolkit.h: the search for the CUDA Toolkit of this machine.
 *
 * The layouts of toolkits differ: NVIDIA's has include/ and lib64/, conda's
 * targets/<machine>/include and lib, and Debian's is spread over /usr. Only this module depends on
 * the layout.
 */
#ifndef TOOLKIT_H
#define TOOLKIT_H

#include <stdbool.h>
#include <stddef.h>

enum { TOOLKIT_PATH_SIZE = 1024 };

/* The paths of a toolkit; "" for a part that it does not have. */
struct toolkit {
    char root[TOOLKIT_PATH_SIZE];
    char include[TOOLKIT_PATH_SIZE]; /* Directory of cuda.h or cuda_fp16.h. */
    char library[TOOLKIT_PATH_SIZE]; /* Directory of libnvrtc or libcudart. */
    char nvcc[TOOLKIT_PATH_SIZE];    /* Path of the program. */
    char ptxas[TOOLKIT_PATH_SIZE];   /* Path of the program. */
    char nvrtc[TOOLKIT_PATH_SIZE];   /* Path of the shared library. */
    char why[256];                   /* Reason if there is no toolkit; otherwise "". */
};

/* Find the first toolkit with nvcc or NVRTC in TLAB_CUDA (a path, which excludes all others),
 * CUDA_HOME, CUDA_PATH, /usr/local/cuda, the newest /usr/local/cuda-*, and the toolkit of an
 * nvcc in PATH. Returns false if there is none or if TLAB_CUDA is "none". */
bool toolkit_find(struct toolkit *toolkit);

/* Find the first match of a NULL-ended list of glob patterns under `root`. If one pattern has
 * several matches, prefer a name that ends with `plain_suffix` (".so"), then the highest version.
 * Returns false and an empty path if there is no match. */
bool toolkit_find_file(const char *root, const char *const *patterns, const char *plain_suffix,
                       char path[TOOLKIT_PATH_SIZE]);

/* Returns true if TLAB_CUDA=none hides the toolkit and the libraries of the loader. */
bool toolkit_is_hidden(void);

/* Find a program in PATH. Relative entries of PATH are ignored. */
bool program_find(const char *name, char *path, size_t path_size);

#endif
