/* sandbox_frame.h: the frame (process/frame.h) that the compiler's sandbox sends for each file. The
 * bytes are untrusted, because a compiler that was taken over could write them.
 */
#ifndef SANDBOX_FRAME_H
#define SANDBOX_FRAME_H

#include "compile/compile.h"
#include "process/frame.h"

/* SANDBOX_DOUBTFUL: the machine may be at fault, or the file imitates that. */
enum sandbox_outcome { SANDBOX_COMPILED, SANDBOX_REJECTED, SANDBOX_DOUBTFUL, SANDBOX_OUTCOMES };

/* Texts are cut to these sizes. Too much PTX is the student's failure. */
enum {
    SANDBOX_PTX_MAX = 2 << 20,
    SANDBOX_WARNINGS_MAX = 1 << 16,
    SANDBOX_CUBIN_MAX = 8 << 20,
    /* without PTX and machine code */
    SANDBOX_FRAME_MAX = SANDBOX_WARNINGS_MAX + 2 * FAILURE_TEXT_SIZE + 128
};

struct sandbox_frame {
    uint32_t index; /* of the file */
    enum sandbox_outcome outcome;
    enum status status;     /* of a rejected file */
    enum compiler compiler; /* of a compiled one */
    const char *text;       /* compile_result's description, or the reason */
    const char *ptx, *warnings;
    size_t text_bytes, ptx_bytes, warnings_bytes;
    /* The machine code of a compiled file, if requested. Without it, machine_text is the reason,
     * which is the student's if machine_outcome is SANDBOX_REJECTED. */
    enum sandbox_outcome machine_outcome;
    const char *machine_text, *cubin;
    size_t machine_text_bytes, cubin_bytes;
};

/* Write a frame. False: the pipe is closed. */
bool sandbox_frame_send(int output, const struct sandbox_frame *frame);

/* Take the next frame of a stream. Its texts point into the stream and are not NUL-terminated.
 * False: no well-formed frame, or invalid texts: too long, with NULs, a description without
 * compiler or without the hash of the PTX. */
bool sandbox_frame_take(struct frame_reader *stream, struct sandbox_frame *frame);

#endif
