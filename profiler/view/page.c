#include "view/page.h"

#include "process/toolkit.h"

#include <stdio.h>
#include <string.h>

#define SHARED "profiler/view/page"

bool page_find_jq(char program[PATH_SIZE], struct failure *failure)
{
    return program_find("jq", program, PATH_SIZE) ||
           failure_harness(failure, "reports require jq, which is not in PATH (Debian: apt-get "
                                    "install jq)");
}

bool page_run(const struct page_program *program, const char *input, struct child_result *result,
              struct failure *failure)
{
    char jq[PATH_SIZE], module[PATH_SIZE], shared[PATH_SIZE], path[PATH_SIZE], style[PATH_SIZE];
    char script[PATH_SIZE] = "/dev/null";
    if (!page_find_jq(jq, failure) || !paths_in_root(SHARED, shared, failure) ||
        !paths_in_root(program->path, path, failure) ||
        !paths_in_root(SHARED "/style.css", style, failure) ||
        (program->script && !paths_in_root(program->script, script, failure)))
        return false;
    snprintf(module, sizeof module, "%.*s", (int)(path_basename(path) - path), path);
    struct arguments words = {0};
    ARGUMENTS_ADD(&words, jq, "--null-input", program->raw ? "--raw-output" : "--compact-output");
    ARGUMENTS_ADD(&words, "-L", module, "-L", shared, "--rawfile", "style", style);
    ARGUMENTS_ADD(&words, "--rawfile", "script", script, "--arg", "digest",
                  program->digest ? program->digest : "", "--from-file", path, input);
    const bool good = child_run_required((const char *const *)words.words, path, program->limits,
                                         result, failure);
    arguments_free(&words);
    return good;
}
