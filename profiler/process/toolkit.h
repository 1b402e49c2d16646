/* toolkit.h: the search for this machine's CUDA Toolkit (layout of NVIDIA, conda or Debian). */
#ifndef TOOLKIT_H
#define TOOLKIT_H

#include <stdbool.h>
#include <stddef.h>

enum { TOOLKIT_PATH_SIZE = 1024 };

/* The paths of a toolkit; "" for a part that does not exist. */
struct toolkit {
    char root[TOOLKIT_PATH_SIZE];
    char include[TOOLKIT_PATH_SIZE]; /* Contains cuda.h or cuda_fp16.h. */
    char library[TOOLKIT_PATH_SIZE]; /* Contains libnvrtc or libcudart. */
    char nvcc[TOOLKIT_PATH_SIZE];
    char ptxas[TOOLKIT_PATH_SIZE];
    char nvrtc[TOOLKIT_PATH_SIZE];
    char why[256];
};

/* Find the first toolkit with nvcc or NVRTC. The search covers CUDA_HOME, CUDA_PATH,
 * /usr/local/cuda, the newest /usr/local/cuda-*, and the toolkit of an nvcc in PATH. If TLAB_CUDA
 * contains a path, only that path is searched. Returns false and sets toolkit->why if there is no
 * toolkit or if TLAB_CUDA is "none". */
bool toolkit_find(struct toolkit *toolkit);

/* Find the first match of a NULL-ended list of glob patterns under `root`. If one pattern has
 * several matches, prefer a name that ends with `plain_suffix` (".so"), then the last name in
 * alphabetical order. Returns false and sets `path` to "" if there is no match. */
bool toolkit_find_file(const char *root, const char *const *patterns, const char *plain_suffix,
                       char path[TOOLKIT_PATH_SIZE]);

/* Returns true if TLAB_CUDA=none hides the toolkit and the libraries of the loader. */
bool toolkit_is_hidden(void);

/* Find a program in the absolute directories of PATH. Returns false if it does not exist. */
bool program_find(const char *name, char *path, size_t path_size);

#endif
