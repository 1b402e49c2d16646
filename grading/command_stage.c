/* command_stage.c: write the kernels of a class to a directory, for grading/viva_sheets. */
#include "base/paths.h"
#include "commands/command.h"
#include "intake/intake.h"
#include "judge/scan.h"
#include "process/allocate.h"
#include "text/code_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Write the files of a submission to DIRECTORY/ID. Print ID, NAME, EXERCISE and FILE for each
 * kernel, separated by tabs. Without a kernel, print one line with empty EXERCISE and FILE. */
static bool stage(const struct submission *one, const char *directory, struct failure *failure)
{
    char to[PATH_SIZE], lab[64];
    struct intake intake = {0};
    bool any = false;
    bool good = path_format(to, failure, "%s/%s", directory, one->id) &&
                (!mkdir(to, 0700) || failure_harness(failure, "cannot make %s: %m", to)) &&
                intake_read(one, &intake, failure) && intake_stage(&intake, to, failure);
    for (size_t i = 0; good && i < intake.count; i++) {
        const struct intake_file *file = &intake.files[i];
        if (!file->kernel)
            continue;
        char *code = allocate_checked(code_text(file->bytes, file->size));
        scan_lab_name(code, lab);
        free(code);
        printf("%s\t%s\t%s\t%s\n", one->id, one->name, lab, file->name);
        any = true;
    }
    if (good && !any)
        printf("%s\t%s\t\t\n", one->id, one->name);
    intake_free(&intake);
    return good;
}

/* Returns true if `text` is empty, or is the name, the id, or LOGIN in the id `transpose-LOGIN`. */
static bool is_named(const struct submission *one, const char *text)
{
    const size_t length = strlen(text), of_id = strlen(one->id);
    const char *end = one->id + (of_id > length ? of_id - length : 0);
    return !length || !strcmp(text, one->id) || !strcmp(text, one->name) ||
           (end > one->id && end[-1] == '-' && !strcmp(text, end));
}

int command_stage(int count, char **values, struct failure *failure)
{
    struct class_list list = {0};
    bool good = count == 3 ? intake_list(values[0], NULL, &list, failure)
                           : failure_harness(failure, "usage: tlab stage SUBMISSIONS DIR ID"),
         any = false;
    for (size_t i = 0; good && i < list.count; i++)
        if (is_named(&list.submissions[i], values[2])) {
            good = stage(&list.submissions[i], values[1], failure);
            any = true;
        }
    if (good && !any)
        good = failure_harness(failure, "no submission in %s has the id or name `%s`", values[0],
                               values[2]);
    intake_list_free(&list);
    return good ? 0 : 2;
}
