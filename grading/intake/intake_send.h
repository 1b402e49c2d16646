/* intake_send.h: an intake from the process that read it to the one that wants it.
 */
#ifndef INTAKE_SEND_H
#define INTAKE_SEND_H

#include "intake/intake.h"

/* Write it to a descriptor. False: no memory, or nobody reads. */
bool intake_send(const struct intake *intake, int output);

/* Take it from the bytes that came. They are as untrusted as what that process read: false when
 * they are no intake within its limits, or no memory; *intake is empty then. */
bool intake_receive(const char *bytes, size_t size, struct intake *intake);

#endif
