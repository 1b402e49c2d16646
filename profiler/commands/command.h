/* command.h: the commands of tlab. A command's function receives the arguments after the name of
 * the command, and returns the exit status. The status is 0 for success, 1 if the student's program
 * is incorrect, and 2 for a harness failure, which main prints from `failure`. */
#ifndef COMMAND_H
#define COMMAND_H

#include "base/failure.h"

typedef int command(int count, char **values, struct failure *failure);

command command_annotate, command_calibrate, command_compare, command_compile_sandboxed,
    command_devices, command_doctor, command_emulate, command_exec, command_explain, command_grade,
    command_help, command_hint, command_metrics, command_new, command_nvcc, command_picture,
    command_predict, command_profile, command_report, command_run, command_stage, command_status,
    command_viva, command_watch;

/* Returns true if this machine can grade in bubblewrap. Otherwise, `failure` contains advice. */
bool grading_probe(struct failure *failure);

#endif
