#include "picture/picture_file.h"

#include "base/scratch.h"
#include "base/whole_file.h"
#include "base/wording.h"
#include "process/child.h"
#include "process/toolkit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWING_SECONDS = 120, TEXT_SIZE = 512, MAX_BYTES = 1 << 30 };

static const char *extension_of(const char *path)
{
    const char *dot = strrchr(path_basename(path), '.');
    return dot ? dot + 1 : "";
}

bool picture_file_check(const char *path, struct failure *failure)
{
    const char *extension = extension_of(path);
    return !strcmp(extension, "png") || !strcmp(extension, "svg") || !strcmp(extension, "pdf") ||
           failure_harness(failure, "--out must name a .png, .svg or .pdf file, not `%s`", path);
}

static FILE *open_temporary(const struct picture_file *file, const char *name,
                            struct failure *failure)
{
    char path[PATH_SIZE];
    if (!path_format(path, failure, "%s/%s", file->directory, name))
        return NULL;
    FILE *stream = fopen(path, "w");
    if (!stream)
        failure_harness(failure, "cannot write %s: %s", path, strerror(errno));
    return stream;
}

bool picture_file_begin(struct picture_file *file, const char *path, struct failure *failure)
{
    *file = (struct picture_file){.data = NULL};
    int stem = (int)(path_basename(path) - path);
    int length =
        snprintf(file->directory, sizeof file->directory, "%.*s.picture.XXXXXX", stem, path);
    if (length < 0 || (size_t)length >= sizeof file->directory || !mkdtemp(file->directory)) {
        int error = length < PATH_SIZE ? errno : ENAMETOOLONG;
        file->directory[0] = 0;
        return failure_harness(failure, "cannot write next to %s: %s", path, strerror(error));
    }
    file->data = open_temporary(file, "data.csv", failure);
    file->settings = file->data ? open_temporary(file, "settings.gp", failure) : NULL;
    return file->settings != NULL;
}

void picture_file_arrays(struct picture_file *file, unsigned size, const char *names)
{
    for (size_t length; *names; names += length + (names[length] == ' ')) {
        length = strcspn(names, " ");
        fprintf(file->settings, "array %.*s[%u]\n", (int)length, names, size);
    }
}

void picture_file_set(struct picture_file *file, const char *name, unsigned index,
                      const char *format, ...)
{
    char text[TEXT_SIZE];
    FORMAT(text, sizeof text, format);
    fputs(name, file->settings);
    if (index)
        fprintf(file->settings, "[%u]", index);
    fputs(" = '", file->settings);
    for (const char *at = text; *at; at++) {
        if (*at == '\'')
            fputc('\'', file->settings);
        fputc((unsigned char)*at < ' ' || *at == 0x7f ? '?' : *at, file->settings);
    }
    fputs("'\n", file->settings);
}

static bool close_stream(FILE **stream, struct failure *failure)
{
    FILE *file = *stream;
    *stream = NULL;
    bool written = file && !ferror(file) && fflush(file) == 0;
    if (file && fclose(file))
        written = false;
    return written ||
           failure_harness(failure, "cannot write the picture's data: %s", strerror(errno));
}

/* Copy a file. The destination may be in another file system, where rename() fails. */
static bool place_file(const char *from, const char *to, struct failure *failure)
{
    size_t size;
    char *bytes = whole_file_read(from, MAX_BYTES, &size, failure);
    const bool good = bytes && whole_file_write(to, bytes, size, false, failure);
    free(bytes);
    return good;
}

static bool draw(const struct picture_file *file, const char *kind, const char *format,
                 struct failure *failure)
{
    char script[PATH_SIZE];
    if (!paths_in_root("plots/picture", script, failure))
        return false;
    const char *const arguments[] = {script, kind, format, file->directory, NULL};
    const struct child_limits limits = {
        .seconds = DRAWING_SECONDS, .memory_bytes = 4ull << 30, .output_bytes = 4096};
    struct child_result result;
    if (!child_run_required(arguments, "gnuplot could not draw the picture", &limits, &result,
                            failure))
        return false;
    child_result_free(&result);
    return true;
}

bool picture_paths_choose(struct picture_paths *paths, const char *kind, const char *source,
                          const char *out, const char *data, struct failure *failure)
{
    const char *stem = path_basename(source);
    int length = (int)strcspn(stem, ".");
    int out_length = out ? snprintf(paths->out, PATH_SIZE, "%s", out)
                         : snprintf(paths->out, PATH_SIZE, "%s-%.*s.png", kind, length, stem);
    /* All valid extensions have three letters. */
    int data_length = data
                          ? snprintf(paths->data, PATH_SIZE, "%s", data)
                          : snprintf(paths->data, PATH_SIZE, "%.*scsv", out_length - 3, paths->out);
    if (out_length >= PATH_SIZE || data_length >= PATH_SIZE)
        return failure_harness(failure, "the path of the picture or of its data is too long");
    return strcmp(paths->out, paths->data) ||
           failure_harness(failure, "--out and --data are the same file");
}

bool picture_file_finish(struct picture_file *file, const char *kind,
                         const struct picture_paths *paths, struct failure *failure)
{
    const char *extension = extension_of(paths->out);
    char gnuplot[PATH_SIZE], data[PATH_SIZE], picture[PATH_SIZE];
    bool has_gnuplot = program_find("gnuplot", gnuplot, sizeof gnuplot);
    if (!close_stream(&file->data, failure) || !close_stream(&file->settings, failure) ||
        (has_gnuplot && !draw(file, kind, extension, failure)) ||
        !path_format(data, failure, "%s/data.csv", file->directory) ||
        !path_format(picture, failure, "%s/picture.%s", file->directory, extension) ||
        !place_file(data, paths->data, failure) ||
        (has_gnuplot && !place_file(picture, paths->out, failure)))
        return false;
    if (has_gnuplot)
        printf("drew %s from %s\n", paths->out, paths->data);
    else
        printf("wrote %s; gnuplot, which draws the picture, is not installed (on Debian: apt-get "
               "install gnuplot-nox)\n",
               paths->data);
    return true;
}

void picture_file_free(struct picture_file *file)
{
    if (file->data)
        fclose(file->data);
    if (file->settings)
        fclose(file->settings);
    if (!file->directory[0])
        return;
    scratch_remove(file->directory);
}
