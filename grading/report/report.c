#define _GNU_SOURCE
#include "report/report.h"

#include "base/paths.h"
#include "base/scratch.h"
#include "base/whole_file.h"
#include "goals/digest.h"
#include "process/child.h"
#include "view/page.h"

#include <errno.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct child_limits class_limits = {
    .seconds = 300, .memory_bytes = (uint64_t)16 << 30, .output_bytes = 1 << 29};
/* The largest possible report takes 5 MB and 1 s (judge_source). The reports of 24 typical
 * students take a third of both. */
static const struct child_limits student_limits = {.seconds = 120,
                                                   .memory_bytes = (uint64_t)1 << 30,
                                                   .data_bytes = 256 << 20,
                                                   .output_bytes = 32 << 20};

#define SCRIPT "grading/report/sort.js"
enum { SCRIPT_BYTES_MAX = 1 << 20 };
enum { JSON_FLAGS = JSON_INDENT(2) | JSON_SORT_KEYS | JSON_REAL_PRECISION(6) };

bool report_probe(struct failure *failure)
{
    char program[PATH_SIZE];
    return page_find_jq(program, failure);
}

static bool open_file(struct whole_file *file, const char *directory, const char *name,
                      struct failure *failure)
{
    char path[PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= PATH_SIZE)
        return failure_harness(failure, "the name of %s is too long", directory);
    bool good = whole_file_open(file, path, failure);
    file->can_be_lost = true;
    return good;
}

static bool make_directory(const char *path, struct failure *failure)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           failure_harness(failure, "cannot create %s: %m", path);
}

static bool run_jq(const char *program, const char *input, const struct child_limits *limits,
                   struct child_result *result, struct failure *failure)
{
    /* The SHA-256 of the page's script in base64. The page's security policy allows this script. */
    char text[BASE64_ENCODE_RAW_LENGTH(DIGEST_SIZE) + 1] = "", path[PATH_SIZE];
    unsigned char digest[DIGEST_SIZE];
    size_t size;
    char *script = paths_in_root(SCRIPT, path, failure)
                       ? whole_file_read(path, SCRIPT_BYTES_MAX, &size, failure)
                       : NULL;
    if (!script)
        return false;
    digest_bytes(script, size, digest);
    free(script);
    base64_encode_raw(text, sizeof digest, digest);
    const struct page_program page = {
        .path = program, .script = SCRIPT, .digest = text, .limits = limits};
    return page_run(&page, input, result, failure);
}

static bool save_files(json_t *files, const char *directory, struct failure *failure)
{
    const char *name;
    json_t *content;
    json_object_foreach (files, name, content) {
        struct whole_file file;
        if (!open_file(&file, directory, name, failure))
            return false;
        if (json_is_string(content)) {
            fwrite(json_string_value(content), 1, json_string_length(content), file.stream);
        } else {
            json_dumpf(content, file.stream, JSON_FLAGS);
            putc('\n', file.stream);
        }
        if (!whole_file_keep(&file, failure))
            return false;
    }
    return true;
}

/* Write the files in a line from jq: {"id", "files"} to DIRECTORY/ID, {"files"} to DIRECTORY. */
static bool save_line(const char *line, size_t length, const char *directory,
                      struct failure *failure)
{
    char path[PATH_SIZE];
    json_t *said = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    const char *id = json_string_value(json_object_get(said, "id"));
    bool good = said != NULL || failure_harness(failure, "the output of jq is not JSON");
    if (good && id &&
        (!*id || *id == '.' || strchr(id, '/') ||
         snprintf(path, sizeof path, "%s/%s", directory, id) >= PATH_SIZE))
        good =
            failure_harness(failure, "%s cannot have a directory with the name %s", directory, id);
    good = good && (!id || make_directory(path, failure)) &&
           save_files(json_object_get(said, "files"), id ? path : directory, failure);
    json_decref(said);
    return good;
}

/* Write one grade per line to `lines`, then a line with the changes unless `all` is NULL. Also
 * write all grades to `all` (grade.json). */
static bool write_grades(const struct report_class *class, FILE *lines, FILE *all,
                         struct failure *failure)
{
    bool good = true;
    if (all)
        fputs("{\n\"format\": \"transpose-lab-class-1\",\n\"grades\": [", all);
    for (size_t i = 0; good && i < class->count; i++) {
        json_t *grade = class->load(class->context, i, failure);
        if (!grade)
            return false;
        bool dumped = !json_dumpf(grade, lines, JSON_COMPACT) && putc('\n', lines) != EOF;
        if (all) {
            fputs(i ? ",\n" : "\n", all);
            dumped = (!json_dumpf(grade, all, JSON_FLAGS) || ferror(all)) && dumped;
        }
        json_decref(grade);
        good = dumped || failure_harness(failure, "cannot pass grades to jq: no memory, or no "
                                                  "room in the directory of temporary files");
    }
    if (all)
        fputs("\n]\n}\n", all);
    if (good && all && class->changes) {
        json_t *last = json_pack("{s:o}", "changed", class->changes(class->context));
        good = (last && !json_dumpf(last, lines, JSON_COMPACT) && putc('\n', lines) != EOF) ||
               failure_harness(failure, "cannot pass changes to jq");
        json_decref(last);
    }
    return good;
}

static bool make_files(const char *program, const struct child_limits *limits,
                       const struct report_class *class, FILE *all, const char *directory,
                       struct failure *failure)
{
    char scratch[PATH_SIZE], input[PATH_SIZE + 16];
    struct child_result result;
    if (!scratch_make(scratch, "report", failure))
        return false;
    snprintf(input, sizeof input, "%s/grades", scratch);
    FILE *lines = fopen(input, "we");
    bool good = lines != NULL && write_grades(class, lines, all, failure);
    if ((!lines || fclose(lines)) && failure->kind != FAILURE_HARNESS)
        good = failure_harness(failure, "cannot write %s: %m", input);
    if (good && (good = run_jq(program, input, limits, &result, failure))) {
        for (char *line = result.output, *end; good && (end = strchr(line, '\n')); line = end + 1)
            good = save_line(line, (size_t)(end - line), directory, failure);
        child_result_free(&result);
    }
    scratch_remove(scratch);
    return good;
}

bool report_submissions(const struct report_class *class, const char *students,
                        struct failure *failure)
{
    return make_directory(students, failure) &&
           make_files("grading/report/student.jq", &student_limits, class, NULL, students, failure);
}

bool report_class(const struct report_class *class, const char *directory, struct failure *failure)
{
    struct whole_file file;
    if (!open_file(&file, directory, "grade.json", failure))
        return false;
    if (make_files("grading/report/class.jq", &class_limits, class, file.stream, directory,
                   failure))
        return whole_file_keep(&file, failure);
    whole_file_drop(&file);
    return false;
}
