/* cage_frame.c: see cage_frame.h. */
#define _GNU_SOURCE
#include "cage/cage_frame.h"
#include "base/child.h"
#include "compile/compile_backend.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct head {
    char mark[8];
    uint32_t index, outcome, status, compiler, machine_outcome, unused;
    uint64_t text_bytes, ptx_bytes, warnings_bytes, machine_text_bytes, cubin_bytes;
};
static const char head_mark[8] = "tlabcmp2";

bool cage_frame_send(int output, const struct cage_frame *frame)
{
    struct head head = {.index = frame->index,
                        .outcome = frame->outcome,
                        .status = frame->status,
                        .compiler = frame->compiler,
                        .text_bytes = frame->text_bytes,
                        .ptx_bytes = frame->ptx_bytes,
                        .warnings_bytes = frame->warnings_bytes,
                        .machine_outcome = frame->machine_outcome,
                        .machine_text_bytes = frame->machine_text_bytes,
                        .cubin_bytes = frame->cubin_bytes};
    memcpy(head.mark, head_mark, sizeof head.mark);
    return child_send(output, &head, sizeof head) &&
           child_send(output, frame->text, frame->text_bytes) &&
           child_send(output, frame->ptx, frame->ptx_bytes) &&
           child_send(output, frame->warnings, frame->warnings_bytes) &&
           child_send(output, frame->machine_text, frame->machine_text_bytes) &&
           child_send(output, frame->cubin, frame->cubin_bytes);
}

/* Take `claimed` bytes of any value from what is left. */
static bool bytes_take(const char **bytes, size_t *left, uint64_t claimed, size_t most,
                       const char **text, size_t *text_bytes)
{
    if (claimed > *left || claimed > most)
        return false;
    *text = *bytes;
    *text_bytes = (size_t)claimed;
    *bytes += claimed;
    *left -= (size_t)claimed;
    return true;
}

/* A text holds no NUL. */
static bool text_take(const char **bytes, size_t *left, uint64_t claimed, size_t most,
                      const char **text, size_t *text_bytes)
{
    return bytes_take(bytes, left, claimed, most, text, text_bytes) &&
           memchr(*text, '\0', *text_bytes) == NULL;
}

/* "nvrtc 13.0 ptx:HASH", of this compiler and this PTX? */
static bool description_fits(const struct cage_frame *frame)
{
    char *ptx = strndup(frame->ptx, frame->ptx_bytes), start[32], end[32];
    if (ptx == NULL)
        return false;
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

size_t cage_frame_take(const char *bytes, size_t count, struct cage_frame *frame)
{
    struct head head;
    if (count < sizeof head)
        return 0;
    memcpy(&head, bytes, sizeof head);
    size_t left = count - sizeof head;
    bytes += sizeof head;
    if (memcmp(head.mark, head_mark, sizeof head_mark) != 0 || head.outcome >= CAGE_OUTCOMES ||
        head.machine_outcome >= CAGE_OUTCOMES || head.status >= STATUS_COUNT ||
        head.compiler > COMPILER_CLANG)
        return 0;
    *frame = (struct cage_frame){.index = head.index,
                                 .outcome = (enum cage_outcome)head.outcome,
                                 .status = (enum status)head.status,
                                 .compiler = (enum compiler)head.compiler,
                                 .machine_outcome = (enum cage_outcome)head.machine_outcome};
    if (!text_take(&bytes, &left, head.text_bytes, FAILURE_TEXT_SIZE - 1, &frame->text,
                   &frame->text_bytes) ||
        !text_take(&bytes, &left, head.ptx_bytes, CAGE_PTX_MAX, &frame->ptx, &frame->ptx_bytes) ||
        !text_take(&bytes, &left, head.warnings_bytes, CAGE_WARNINGS_MAX, &frame->warnings,
                   &frame->warnings_bytes) ||
        !text_take(&bytes, &left, head.machine_text_bytes, FAILURE_TEXT_SIZE - 1,
                   &frame->machine_text, &frame->machine_text_bytes) ||
        !bytes_take(&bytes, &left, head.cubin_bytes, CAGE_CUBIN_MAX, &frame->cubin,
                    &frame->cubin_bytes))
        return 0;
    bool fits = frame->outcome == CAGE_COMPILED ? description_fits(frame)
                : frame->outcome == CAGE_REJECTED
                    ? frame->status == STATUS_COMPILE_ERROR || frame->status == STATUS_UNTRUSTED
                    : true;
    return fits ? count - left : 0;
}
