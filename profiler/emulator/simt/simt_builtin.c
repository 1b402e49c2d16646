/* simt_builtin.c: the functions that CUDA provides to device code: printf and assert.
 *
 * The compiler turns printf(format, ...) into vprintf(format, arguments), the arguments packed in
 * local memory like a struct (CUDA Programming Guide, "Formatted Output"; 32-bit and smaller types
 * take 4 bytes, 64-bit ones 8, aligned).
 */
#include "emulator/simt/simt_block.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_BYTES = 4096, CONVERSION_BYTES = 512 };

static uint64_t argument(const struct simt_block *block, const struct frame *frame,
                         const struct instruction *instruction, unsigned index, unsigned lane)
{
    const struct program_call *call = &block->launch->program->calls[instruction->extra];
    uint64_t value = 0;
    memcpy(&value,
           frame->params + (size_t)lane * frame->function->params_bytes + call->arguments[index],
           call->argument_bytes[index] < 8 ? call->argument_bytes[index] : 8);
    return value;
}

/* A guest string of at most size - 1 bytes. */
static bool read_string(struct simt_block *block, struct warp *warp,
                        const struct fragment *fragment, unsigned lane, uint64_t address,
                        char *text, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        if (!simt_read_generic(block, warp, fragment, lane, address + i, &text[i], 1))
            return false;
        if (!text[i])
            return true;
    }
    text[size - 1] = 0;
    return true;
}

static void output_append(struct simt_block *block, const char *text, size_t length)
{
    if (!block->output && !(block->output = malloc(OUTPUT_BYTES)))
        return; /* printf is best effort, as on the hardware, whose buffer also drops */
    size_t room = OUTPUT_BYTES - block->output_length;
    if (length > room)
        length = room;
    memcpy(block->output + block->output_length, text, length);
    block->output_length += length;
}

/* The arguments of one lane, read in order. */
struct arguments {
    struct simt_block *block;
    struct warp *warp;
    const struct fragment *fragment;
    unsigned lane;
    uint64_t address;
    bool good;
};

static uint64_t next_argument(struct arguments *arguments, unsigned bytes)
{
    uint64_t value = 0;
    arguments->address = (arguments->address + bytes - 1) / bytes * bytes;
    arguments->good &= simt_read_generic(arguments->block, arguments->warp, arguments->fragment,
                                         arguments->lane, arguments->address, &value, bytes);
    arguments->address += bytes;
    return value;
}

/* The formats below are the guest's, checked character by character: only one conversion, of the
 * type that is passed. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* One conversion, beginning behind its `%`; returns the character behind it. */
static const char *format_conversion(struct arguments *arguments, const char *at, char *out,
                                     size_t size)
{
    char specification[64] = "%";
    size_t length = 1;
    bool wide = false;
    out[0] = 0;
    for (; *at && strchr("-+ #0123456789.*hlLqjzt", *at); at++) {
        if (*at == '*') {
            int width = (int)next_argument(arguments, 4);
            if (width > 200 || width < -200)
                width = 200;
            length += (size_t)snprintf(specification + length, sizeof specification - length, "%d",
                                       width);
        } else if (strchr("lLqjzt", *at)) {
            wide = true;
        } else if (*at != 'h') {
            specification[length++] = *at;
        }
        if (length > sizeof specification - 8)
            length = sizeof specification - 8;
    }
    /* Absurd widths are dropped: a conversion must fit its buffer. */
    for (size_t i = 1; i < length; i++) {
        specification[length] = 0;
        if (strspn(specification + i, "0123456789") > 3)
            length = 1;
    }
    char conversion = *at;
    if (!conversion)
        return at;
    specification[length] = 0;
    char *tail = specification + length;
    switch (conversion) {
    case '%':
        snprintf(out, size, "%%");
        break;
    case 'd':
    case 'i': {
        uint64_t bits = next_argument(arguments, wide ? 8 : 4);
        snprintf(tail, 8, "%s", PRId64);
        snprintf(out, size, specification, wide ? (int64_t)bits : (int64_t)(int32_t)bits);
        break;
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
        uint64_t bits = next_argument(arguments, wide ? 8 : 4);
        snprintf(tail, 8, "l%c", conversion);
        snprintf(out, size, specification, (unsigned long)bits);
        break;
    }
    case 'c':
        snprintf(tail, 8, "c");
        snprintf(out, size, specification, (int)(unsigned char)next_argument(arguments, 4));
        break;
    case 'p': {
        uint64_t bits = next_argument(arguments, 8);
        snprintf(out, size, "0x%" PRIx64, bits);
        break;
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
        uint64_t bits = next_argument(arguments, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        snprintf(tail, 8, "%c", conversion);
        snprintf(out, size, specification, value);
        break;
    }
    case 's': {
        char text[CONVERSION_BYTES];
        uint64_t address = next_argument(arguments, 8);
        arguments->good &= read_string(arguments->block, arguments->warp, arguments->fragment,
                                       arguments->lane, address, text, sizeof text);
        snprintf(tail, 8, "s");
        snprintf(out, size, specification, arguments->good ? text : "(bad pointer)");
        break;
    }
    default:
        snprintf(out, size, "%%%c", conversion);
        break;
    }
    return at + 1;
}

static bool builtin_vprintf(struct simt_block *block, struct warp *warp, struct fragment *fragment,
                            const struct instruction *instruction, uint32_t mask)
{
    struct frame *frame = fragment->frame;
    const struct program_call *call = &block->launch->program->calls[instruction->extra];
    char *format = malloc(FORMAT_BYTES);
    if (!format)
        return simt_no_memory(block);
    FOR_LANES (lane, mask) {
        uint64_t address = argument(block, frame, instruction, 0, lane);
        struct arguments arguments = {.block = block,
                                      .warp = warp,
                                      .fragment = fragment,
                                      .lane = lane,
                                      .address = argument(block, frame, instruction, 1, lane),
                                      .good = true};
        if (!read_string(block, warp, fragment, lane, address, format, FORMAT_BYTES)) {
            free(format);
            return simt_fault(block, warp, fragment, instruction->number, lane,
                              STATUS_OUT_OF_BOUNDS, "calls printf with a bad format pointer");
        }
        int32_t conversions = 0;
        for (const char *at = format; *at;) {
            const char *percent = strchr(at, '%');
            size_t plain = percent ? (size_t)(percent - at) : strlen(at);
            output_append(block, at, plain);
            at += plain;
            if (!percent)
                break;
            char text[CONVERSION_BYTES + 256];
            conversions += percent[1] != '%';
            at = format_conversion(&arguments, percent + 1, text, sizeof text);
            output_append(block, text, strlen(text));
        }
        if (!arguments.good) {
            free(format);
            return simt_fault(block, warp, fragment, instruction->number, lane,
                              STATUS_OUT_OF_BOUNDS,
                              "calls printf with fewer arguments than its format names");
        }
        if (call->return_count)
            memcpy(frame->params + (size_t)lane * frame->function->params_bytes + call->returns[0],
                   &conversions, call->return_bytes[0] < 4 ? call->return_bytes[0] : 4);
    }
    free(format);
    return true;
}

static bool builtin_assertfail(struct simt_block *block, struct warp *warp,
                               struct fragment *fragment, const struct instruction *instruction,
                               uint32_t mask)
{
    struct frame *frame = fragment->frame;
    unsigned lane = (unsigned)__builtin_ctz(mask);
    char message[512], file[512];
    if (!read_string(block, warp, fragment, lane, argument(block, frame, instruction, 0, lane),
                     message, sizeof message))
        strcpy(message, "?");
    if (!read_string(block, warp, fragment, lane, argument(block, frame, instruction, 1, lane),
                     file, sizeof file))
        strcpy(file, "?");
    uint32_t line = (uint32_t)argument(block, frame, instruction, 2, lane);
    return simt_fault(block, warp, fragment, instruction->number, lane, STATUS_LAUNCH_ERROR,
                      "fails the assertion `%s` (%s:%u)", message, file, line);
}

bool simt_builtin_call(struct simt_block *block, struct warp *warp, struct fragment *fragment,
                       const struct instruction *instruction, uint32_t mask)
{
    const struct program_call *call = &block->launch->program->calls[instruction->extra];
    return call->builtin == BUILTIN_VPRINTF
               ? builtin_vprintf(block, warp, fragment, instruction, mask)
               : builtin_assertfail(block, warp, fragment, instruction, mask);
}
