/* sandbox_frame.c: see sandbox_frame.h. */
#define _GNU_SOURCE
#include "sandbox/sandbox_frame.h"
#include "compile/compile_backend.h"
#include "process/allocate.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sandbox_frame_send(int output, const struct sandbox_frame *frame)
{
    struct frame message = {0};
    frame_put_number(&message, frame->index);
    frame_put_number(&message, frame->outcome);
    frame_put_number(&message, frame->status);
    frame_put_number(&message, frame->compiler);
    frame_put_number(&message, frame->machine_outcome);
    frame_put_bytes(&message, frame->text, frame->text_bytes);
    frame_put_bytes(&message, frame->ptx, frame->ptx_bytes);
    frame_put_bytes(&message, frame->warnings, frame->warnings_bytes);
    frame_put_bytes(&message, frame->machine_text, frame->machine_text_bytes);
    frame_put_bytes(&message, frame->cubin, frame->cubin_bytes);
    return frame_send(&message, output);
}

/* "nvrtc 13.0 ptx:HASH", of this compiler and this PTX? */
static bool description_fits(const struct sandbox_frame *frame)
{
    char *ptx = allocate_checked(strndup(frame->ptx, frame->ptx_bytes)), start[32], end[32];
    int before = snprintf(start, sizeof start, "%s ", compiler_name(frame->compiler));
    int behind = snprintf(end, sizeof end, " ptx:%016" PRIx64, ptx_hash(ptx));
    free(ptx);
    size_t bytes = frame->text_bytes, both = (size_t)before + (size_t)behind;
    for (size_t i = 0; i < bytes; i++)
        if (!isalnum((unsigned char)frame->text[i]) && strchr(" .:+~-_", frame->text[i]) == NULL)
            return false;
    return bytes >= both && bytes < sizeof(struct compile_result){0}.description &&
           memcmp(frame->text, start, (size_t)before) == 0 &&
           memcmp(frame->text + bytes - behind, end, (size_t)behind) == 0;
}

bool sandbox_frame_take(struct frame_reader *stream, struct sandbox_frame *frame)
{
    struct frame_reader message;
    frame_next(stream, SANDBOX_FRAME_MAX + SANDBOX_PTX_MAX + SANDBOX_CUBIN_MAX, &message);
    *frame = (struct sandbox_frame){.index = (uint32_t)frame_number(&message, UINT32_MAX)};
    frame->outcome = (enum sandbox_outcome)frame_number(&message, SANDBOX_OUTCOMES - 1);
    frame->status = (enum status)frame_number(&message, STATUS_COUNT - 1);
    frame->compiler = (enum compiler)frame_number(&message, COMPILER_CLANG);
    frame->machine_outcome = (enum sandbox_outcome)frame_number(&message, SANDBOX_OUTCOMES - 1);
    frame->text = frame_text(&message, FAILURE_TEXT_SIZE - 1, &frame->text_bytes);
    frame->ptx = frame_text(&message, SANDBOX_PTX_MAX, &frame->ptx_bytes);
    frame->warnings = frame_text(&message, SANDBOX_WARNINGS_MAX, &frame->warnings_bytes);
    frame->machine_text = frame_text(&message, FAILURE_TEXT_SIZE - 1, &frame->machine_text_bytes);
    frame->cubin = frame_bytes(&message, SANDBOX_CUBIN_MAX, &frame->cubin_bytes);
    if (!frame_is_read(&message))
        return false;
    if (frame->outcome == SANDBOX_COMPILED)
        return description_fits(frame);
    return frame->outcome != SANDBOX_REJECTED || frame->status == STATUS_COMPILE_ERROR ||
           frame->status == STATUS_UNTRUSTED;
}
