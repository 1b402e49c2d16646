/* command.h: the commands of tlab. Each takes its arguments (without the program's and its own
 * name), prints its results, and returns the exit status of the contract: 0 all well, 1 the
 * student's program is wrong, 2 the harness could not do its job (the reason is then in `failure`,
 * which main prints).
 */
#ifndef COMMAND_H
#define COMMAND_H

#include "base/failure.h"

typedef int command(int count, char **values, struct failure *failure);

command command_annotate, command_calibrate, command_compare, command_compile_sandboxed,
    command_devices, command_doctor, command_emulate, command_exec, command_explain, command_grade,
    command_help, command_hint, command_metrics, command_new, command_nvcc, command_picture,
    command_predict, command_profile, command_report, command_run, command_status, command_viva,
    command_watch;

/* Can submissions be graded here, with the stronger sandbox? A harness failure says what is missing
 * and what to do. For `tlab doctor`. */
bool grading_probe(struct failure *failure);

#endif
