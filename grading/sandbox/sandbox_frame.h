/* sandbox_frame.h: the frame (process/frame.h) that the compiler's sandbox sends for each file: its
 * struct sandbox_compiled. The bytes are untrusted, because a compiler that was taken over could
 * write them.
 */
#ifndef SANDBOX_FRAME_H
#define SANDBOX_FRAME_H

#include "process/frame.h"
#include "sandbox/sandbox.h"

/* Too much PTX is the student's failure. */
enum {
    SANDBOX_PTX_MAX = 2 << 20,
    SANDBOX_WARNINGS_MAX = 1 << 16,
    SANDBOX_CUBIN_MAX = 8 << 20,
    /* bytes of a frame without PTX and machine code */
    SANDBOX_FRAME_MAX = SANDBOX_WARNINGS_MAX + 2 * FAILURE_TEXT_SIZE + 512
};

/* Write the frame of file `index`. A harness failure in `compiled` means that the machine may be at
 * fault, or that the file imitates such a fault. False: the pipe is closed. */
bool sandbox_frame_send(int output, uint32_t index, const struct sandbox_compiled *compiled);

/* Take the next frame of a stream. Free *compiled with sandbox_compiled_free. False: no well-formed
 * frame, or invalid contents: too long, with NULs, a verdict that compilers do not give, a
 * description without compiler or without the hash of the PTX; there is nothing to free then. */
bool sandbox_frame_take(struct frame_reader *stream, uint32_t *index,
                        struct sandbox_compiled *compiled);

#endif
