/* sandbox_frame.h: the frame (process/frame.h) that the compiler's sandbox sends for each file. The
 * frame is untrusted, because a compiler may be compromised. */
#ifndef SANDBOX_FRAME_H
#define SANDBOX_FRAME_H

#include "process/frame.h"
#include "sandbox/sandbox.h"

/* Limits in bytes. Too much PTX is a failure of the student. */
enum {
    SANDBOX_PTX_MAX = 2 << 20,
    SANDBOX_WARNINGS_MAX = 1 << 16,
    SANDBOX_CUBIN_MAX = 8 << 20,
    /* limit of a frame without its PTX and machine code */
    SANDBOX_FRAME_MAX = SANDBOX_WARNINGS_MAX + 2 * FAILURE_TEXT_SIZE + 512
};

/* Write the frame of file `index`. A harness failure in `compiled` reports a fault of the machine,
 * which the file may have imitated. Returns false if the pipe is closed. */
bool sandbox_frame_send(int output, uint32_t index, const struct sandbox_compiled *compiled);

/* Read the next frame of a stream. Free *compiled with sandbox_compiled_free. Returns false, with
 * nothing to free, unless the frame is well formed: texts within their limits without NUL, a valid
 * verdict, and a description with the compiler and the hash of the PTX. */
bool sandbox_frame_take(struct frame_reader *stream, uint32_t *index,
                        struct sandbox_compiled *compiled);

#endif
