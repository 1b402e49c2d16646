/* command_grade.c: tlab grade SUBMISSIONS --out DIR */
#include "command.h"

int command_grade(int count, char **values, struct failure *failure)
{
    (void)count;
    (void)values;
    failure_harness(failure, "grading is not complete in this version");
    return 2;
}
