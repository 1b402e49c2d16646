/* simt_builtin.c: printf, assert, malloc, free and cudaGraphSetConditional in device code. The
 * compiler replaces printf(format, ...) with vprintf(format, arguments). The arguments are packed
 * in local memory like a struct (CUDA Programming Guide, "Formatted Output"). Types of up to 32
 * bits have 4 aligned bytes, and 64-bit types have 8 aligned bytes. */
#include "base/bits.h"
#include "emulator/warp/sink.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_BYTES = 4096, CONVERSION_BYTES = 512 };

static const struct program_call *called(const struct step *step)
{
    return &step->block->launch->program->calls[step->instruction->extra];
}

static unsigned char *lane_params(const struct step *step, unsigned lane)
{
    const struct frame *frame = step->fragment->frame;
    return frame->params + (size_t)lane * frame->function->params_bytes;
}

static uint64_t argument(const struct step *step, unsigned index, unsigned lane)
{
    const struct program_call *call = called(step);
    uint64_t value = 0;
    memcpy(&value, lane_params(step, lane) + call->arguments[index],
           call->argument_bytes[index] < 8 ? call->argument_bytes[index] : 8);
    return value;
}

static bool read_string(const struct step *step, unsigned lane, uint64_t address, char *text,
                        size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        if (!simt_read_generic(step, lane, address + i, &text[i], 1))
            return false;
        if (!text[i])
            return true;
    }
    text[size - 1] = 0;
    return true;
}

static void output_append(struct simt_block *block, const char *text, size_t length)
{
    block->printed += length;
    if (!block->output && !(block->output = malloc(OUTPUT_BYTES)))
        return; /* Output may be lost, as on hardware. */
    size_t room = OUTPUT_BYTES - block->output_length;
    if (length > room)
        length = room;
    memcpy(block->output + block->output_length, text, length);
    block->output_length += length;
}

struct arguments {
    const struct step *step;
    unsigned lane;
    uint64_t address;
    bool good;
};

static uint64_t next_argument(struct arguments *arguments, unsigned bytes)
{
    uint64_t value = 0;
    arguments->address = (arguments->address + bytes - 1) / bytes * bytes;
    arguments->good &=
        simt_read_generic(arguments->step, arguments->lane, arguments->address, &value, bytes);
    arguments->address += bytes;
    return value;
}

/* Each format has one conversion, which was checked and matches the type of the argument. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

enum { SPECIFICATION_BYTES = 64, LETTERS_BYTES = 8 };

/* Copy the part before the conversion letter, such as "%-8.3", and return the letter's address.
 * *wide receives true if the value has 64 bits. */
static const char *read_specification(struct arguments *arguments, const char *at,
                                      char specification[SPECIFICATION_BYTES], bool *wide)
{
    size_t length = 1;
    *wide = false;
    specification[0] = '%';
    for (; *at && strchr("-+ #0123456789.*hlLqjzt", *at); at++) {
        if (*at == '*') {
            int width = (int)next_argument(arguments, 4);
            if (width > 200 || width < -200)
                width = 200;
            length +=
                (size_t)snprintf(specification + length, SPECIFICATION_BYTES - length, "%d", width);
        } else if (strchr("lLqjzt", *at)) {
            *wide = true;
        } else if (*at != 'h') {
            specification[length++] = *at;
        }
        if (length > SPECIFICATION_BYTES - LETTERS_BYTES)
            length = SPECIFICATION_BYTES - LETTERS_BYTES;
    }
    /* Discard a specification with more than 3 digits in a row: the result must fit its buffer. */
    for (size_t i = 1; i < length; i++) {
        specification[length] = 0;
        if (strspn(specification + i, "0123456789") > 3)
            length = 1;
    }
    specification[length] = 0;
    return at;
}

static const char *format_conversion(struct arguments *arguments, const char *at, char *out,
                                     size_t size)
{
    char specification[SPECIFICATION_BYTES];
    bool wide;
    at = read_specification(arguments, at, specification, &wide);
    const char conversion = *at;
    char *letters = specification + strlen(specification);
    out[0] = 0;
    if (!conversion)
        return at;
    switch (conversion) {
    case '%':
        snprintf(out, size, "%%");
        break;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
        uint64_t bits = next_argument(arguments, wide ? 8 : 4);
        if (!wide && (conversion == 'd' || conversion == 'i'))
            bits = (uint64_t)(int32_t)bits;
        snprintf(letters, LETTERS_BYTES, "l%c", conversion);
        snprintf(out, size, specification, (unsigned long)bits);
        break;
    }
    case 'c':
        snprintf(letters, LETTERS_BYTES, "c");
        snprintf(out, size, specification, (int)(unsigned char)next_argument(arguments, 4));
        break;
    case 'p':
        snprintf(out, size, "0x%" PRIx64, next_argument(arguments, 8));
        break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        snprintf(letters, LETTERS_BYTES, "%c", conversion);
        snprintf(out, size, specification, float_f64(next_argument(arguments, 8)));
        break;
    case 's': {
        char text[CONVERSION_BYTES];
        uint64_t address = next_argument(arguments, 8);
        arguments->good &=
            read_string(arguments->step, arguments->lane, address, text, sizeof text);
        arguments->step->block->printed +=
            arguments->good ? strlen(text) : 0; /* Counted even if the text is not printed. */
        snprintf(letters, LETTERS_BYTES, "s");
        snprintf(out, size, specification, arguments->good ? text : "(bad pointer)");
        break;
    }
    default:
        snprintf(out, size, "%%%c", conversion);
        break;
    }
    return at + 1;
}

static int32_t print_lane(struct arguments *arguments, const char *format)
{
    int32_t conversions = 0;
    for (const char *at = format; *at;) {
        char text[CONVERSION_BYTES + 256];
        size_t plain = strcspn(at, "%");
        output_append(arguments->step->block, at, plain);
        at += plain;
        if (!*at)
            break;
        conversions += at[1] != '%';
        at = format_conversion(arguments, at + 1, text, sizeof text);
        output_append(arguments->step->block, text, strlen(text));
    }
    return conversions;
}

static bool lane_vprintf(const struct step *step, unsigned lane, char *format, int32_t *conversions)
{
    struct simt_block *block = step->block;
    struct arguments arguments = {
        .step = step, .lane = lane, .address = argument(step, 1, lane), .good = true};
    *conversions = 0;
    if (block->printed >= (block->launch->output ? OUTPUT_BYTES : SILENT_BYTES))
        return true;
    if (!read_string(step, lane, argument(step, 0, lane), format, FORMAT_BYTES))
        return simt_fault(step, lane, STATUS_OUT_OF_BOUNDS,
                          "calls printf with an invalid format pointer");
    block->printed += strlen(format) + 1;
    *conversions = print_lane(&arguments, format);
    return arguments.good ||
           simt_fault(step, lane, STATUS_OUT_OF_BOUNDS,
                      "calls printf with fewer arguments than its format requires");
}

static bool builtin_vprintf(const struct step *step)
{
    const struct program_call *call = called(step);
    char *format = malloc(FORMAT_BYTES);
    if (!format)
        return simt_no_memory(step->block);
    bool good = true;
    FOR_LANES (lane, step->mask) {
        int32_t conversions;
        good = lane_vprintf(step, lane, format, &conversions);
        if (!good)
            break;
        if (call->return_count)
            memcpy(lane_params(step, lane) + call->returns[0], &conversions,
                   call->return_bytes[0] < 4 ? call->return_bytes[0] : 4);
    }
    free(format);
    return good;
}

static bool builtin_assertfail(const struct step *step)
{
    unsigned lane = (unsigned)__builtin_ctz(step->mask);
    char message[512], file[512];
    if (!read_string(step, lane, argument(step, 0, lane), message, sizeof message))
        strcpy(message, "?");
    if (!read_string(step, lane, argument(step, 1, lane), file, sizeof file))
        strcpy(file, "?");
    simt_fault(step, lane, STATUS_LAUNCH_ERROR, "fails the assertion `%s` (%s:%u)", message, file,
               (uint32_t)argument(step, 2, lane));
    failure_find(&step->block->failure, FINDING_ASSERTION_FAILED, 0);
    return false;
}

static bool builtin_malloc(const struct step *step)
{
    const struct memory_region *heap = memory_find_heap(step->block->launch->memory);
    FOR_LANES (lane, step->mask) {
        uint64_t bytes = argument(step, 0, lane);
        uint64_t offset = heap ? device_heap_allocate(memory_heap(heap), bytes) : 0;
        uint64_t address = offset ? heap->base + offset : 0;
        if (offset)
            EMIT(step->block, allocated, step, heap, offset,
                 (bytes + HEAP_ALIGN - 1) / HEAP_ALIGN * HEAP_ALIGN);
        memcpy(lane_params(step, lane) + called(step)->returns[0], &address, sizeof address);
    }
    return true;
}

static bool builtin_free(const struct step *step)
{
    const struct guest_memory *memory = step->block->launch->memory;
    FOR_LANES (lane, step->mask) {
        uint64_t address = argument(step, 0, lane);
        const struct memory_region *heap = memory_find(memory, address);
        uint64_t bytes = heap && heap->is_heap
                             ? device_heap_block_bytes(memory_heap(heap), address - heap->base)
                             : 0;
        if (bytes && !ASK(true, step->block, freed, step, lane, heap, address - heap->base, bytes))
            return false;
        if (!address || (bytes && device_heap_free(memory_heap(heap), address - heap->base)))
            continue;
        char where[256];
        memory_describe(memory, address, where, sizeof where);
        return simt_fault(step, lane, STATUS_LAUNCH_ERROR,
                          "calls free() with an address that no malloc() in a kernel has returned, "
                          "or that is already freed: %s",
                          where);
    }
    return true;
}

static bool builtin_set_condition(const struct step *step)
{
    FOR_LANES (lane, step->mask) {
        uint64_t handle = argument(step, 0, lane);
        const struct memory_region *region = memory_find(step->block->launch->memory, handle);
        uint32_t value = (uint32_t)argument(step, 1, lane);
        if (!region || region->is_guard || handle - region->base + sizeof value > region->bytes)
            return simt_fault(
                step, lane, STATUS_LAUNCH_ERROR,
                "calls cudaGraphSetConditional with 0x%" PRIx64
                ", but no call of cudaGraphConditionalHandleCreate returned this handle",
                handle);
        memory_note_write(step->block->launch->memory, region);
        __atomic_store_n((uint32_t *)(void *)(region->host + (handle - region->base)), value,
                         __ATOMIC_RELAXED);
    }
    return true;
}

bool simt_builtin_call(const struct step *step)
{
    static bool (*const builtins[])(const struct step *step) = {
        [BUILTIN_VPRINTF] = builtin_vprintf,
        [BUILTIN_ASSERTFAIL] = builtin_assertfail,
        [BUILTIN_MALLOC] = builtin_malloc,
        [BUILTIN_FREE] = builtin_free,
        [BUILTIN_SET_CONDITION] = builtin_set_condition,
    };
    return builtins[called(step)->builtin](step);
}
