#define _GNU_SOURCE
#include "sandbox/sandbox_frame.h"
#include "compile/compile_backend.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sandbox_compiled_free(struct sandbox_compiled *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        compile_result_free(&results[i].result);
        results[i] = (struct sandbox_compiled){0};
    }
}

static void failure_put(struct frame *message, const struct failure *failure)
{
    frame_put_number(message, failure->kind);
    frame_put_number(message, failure->status);
    frame_put_text(message, failure->text);
}

bool sandbox_frame_send(int output, uint32_t index, const struct sandbox_compiled *compiled)
{
    const struct compile_result *result = &compiled->result;
    struct frame message = {0};
    frame_put_number(&message, index);
    failure_put(&message, &compiled->failure);
    failure_put(&message, &compiled->no_cubin);
    frame_put_number(&message, result->compiler);
    frame_put_text(&message, result->description);
    frame_put_bytes(&message, result->ptx, result->ptx_bytes);
    frame_put_text(&message, result->warnings != NULL ? result->warnings : "");
    frame_put_bytes(&message, result->cubin, result->cubin_bytes);
    return frame_send(&message, output);
}

static void text_take(struct frame_reader *message, char *text, size_t size)
{
    size_t count;
    const char *bytes = frame_text(message, size - 1, &count);
    snprintf(text, size, "%.*s", (int)count, bytes != NULL ? bytes : "");
}

static void failure_take(struct frame_reader *message, struct failure *failure)
{
    failure->kind = (enum failure_kind)frame_number(message, FAILURE_HARNESS);
    failure->status = (enum status)frame_number(message, STATUS_COUNT - 1);
    text_take(message, failure->text, sizeof failure->text);
    message->bad |= failure->kind == FAILURE_STUDENT && failure->status != STATUS_COMPILE_ERROR &&
                    failure->status != STATUS_UNTRUSTED;
}

static char *copy_take(struct frame_reader *message, size_t most, size_t *count)
{
    char *text = frame_copy(message, most, count);
    message->bad |= text != NULL && strlen(text) != *count;
    return text;
}

static bool description_fits(const struct compile_result *result)
{
    char start[32], end[32];
    const char *text = result->description;
    size_t bytes = strlen(text);
    size_t before = (size_t)snprintf(start, sizeof start, "%s ", compiler_name(result->compiler));
    size_t after = (size_t)snprintf(end, sizeof end, " ptx:%016" PRIx64, ptx_hash(result->ptx));
    for (const char *at = text; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && strchr(" .:+~-_", *at) == NULL)
            return false;
    return bytes >= before + after && strncmp(text, start, before) == 0 &&
           strcmp(text + bytes - after, end) == 0;
}

bool sandbox_frame_take(struct frame_reader *stream, uint32_t *index,
                        struct sandbox_compiled *compiled)
{
    struct compile_result *result = &compiled->result;
    struct frame_reader message;
    size_t unused;
    *compiled = (struct sandbox_compiled){0};
    frame_next(stream, SANDBOX_FRAME_MAX + SANDBOX_PTX_MAX + SANDBOX_CUBIN_MAX, &message);
    *index = (uint32_t)frame_number(&message, UINT32_MAX);
    failure_take(&message, &compiled->failure);
    failure_take(&message, &compiled->no_cubin);
    result->compiler = (enum compiler)frame_number(&message, COMPILER_CLANG);
    text_take(&message, result->description, sizeof result->description);
    result->ptx = copy_take(&message, SANDBOX_PTX_MAX, &result->ptx_bytes);
    result->warnings = copy_take(&message, SANDBOX_WARNINGS_MAX, &unused);
    result->cubin = frame_copy(&message, SANDBOX_CUBIN_MAX, &result->cubin_bytes);
    if (result->cubin_bytes == 0 || compiled->no_cubin.kind != FAILURE_NONE) {
        free(result->cubin);
        result->cubin = NULL;
        result->cubin_bytes = 0;
    }
    compiled->compiled = compiled->failure.kind == FAILURE_NONE;
    bool good = frame_is_read(&message) && (!compiled->compiled || description_fits(result));
    if (!good)
        sandbox_compiled_free(compiled, 1);
    return good;
}
