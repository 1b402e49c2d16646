/* sandbox_frame_fuzz.c: any bytes as a frame from the compiler's sandbox; and texts of any bytes,
 * which the sandbox sends: they arrive unchanged, or are rejected. The first byte of an input
 * selects: if it is even, the rest are frames; if odd, the rest are four texts, each up to a byte
 * 0xff, and a cubin. */
#include "compile/compile_backend.h"
#include "sandbox/sandbox_frame.h"
#include "tools/fuzz/fuzz.h"

#include <inttypes.h>

static size_t sum; /* so that texts are read completely */

static void take_all(const char *bytes, size_t count)
{
    struct frame_reader stream = {bytes, count, false};
    struct sandbox_frame frame;
    while (sandbox_frame_take(&stream, &frame)) {
        for (size_t i = 0; i < frame.text_bytes; i++)
            sum += (unsigned char)frame.text[i];
        for (size_t i = 0; i < frame.ptx_bytes; i++)
            sum += (unsigned char)frame.ptx[i];
        for (size_t i = 0; i < frame.warnings_bytes; i++)
            sum += (unsigned char)frame.warnings[i];
        for (size_t i = 0; i < frame.machine_text_bytes; i++)
            sum += (unsigned char)frame.machine_text[i];
        for (size_t i = 0; i < frame.cubin_bytes; i++)
            sum += (unsigned char)frame.cubin[i];
    }
}

static bool take(const char *bytes, size_t count, struct sandbox_frame *frame)
{
    struct frame_reader stream = {bytes, count, false};
    return sandbox_frame_take(&stream, frame);
}

/* The next text of the input. */
static char *text_of(const char **at, const char *end, size_t *bytes)
{
    const char *stop = memchr(*at, 0xff, (size_t)(end - *at));
    *bytes = (size_t)((stop ? stop : end) - *at);
    char *text = malloc(*bytes + 1);
    FUZZ_DEMAND(text != NULL, "no memory");
    memcpy(text, *at, *bytes);
    text[*bytes] = '\0';
    *at = stop ? stop + 1 : end;
    return text;
}

static void send_and_take(const char *at, const char *end)
{
    struct sandbox_frame sent = {.index = 7, .compiler = COMPILER_NVRTC}, taken;
    char description[96];
    char *text = text_of(&at, end, &sent.text_bytes), *ptx = text_of(&at, end, &sent.ptx_bytes);
    char *warnings = text_of(&at, end, &sent.warnings_bytes);
    char *machine = text_of(&at, end, &sent.machine_text_bytes);
    snprintf(description, sizeof description, "nvrtc %.20s ptx:%016" PRIx64, text, ptx_hash(ptx));
    sent.text = description;
    sent.text_bytes = strlen(description);
    sent.ptx = ptx;
    sent.warnings = warnings;
    sent.machine_text = machine;
    sent.cubin_bytes = (size_t)(end - at); /* the rest, any bytes */
    sent.cubin = at;
    FILE *file = fopen(fuzz_file("frame", NULL, 0), "w+b");
    FUZZ_DEMAND(file && sandbox_frame_send(fileno(file), &sent), "cannot write");
    fseek(file, 0, SEEK_END);
    size_t count = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(count);
    FUZZ_DEMAND(bytes && fread(bytes, 1, count, file) == count, "cannot read");
    fclose(file);
    if (take(bytes, count, &taken))
        FUZZ_DEMAND(taken.ptx_bytes == sent.ptx_bytes &&
                        taken.warnings_bytes == sent.warnings_bytes &&
                        memcmp(taken.ptx, ptx, sent.ptx_bytes) == 0 &&
                        memcmp(taken.warnings, warnings, sent.warnings_bytes) == 0 &&
                        taken.cubin_bytes == sent.cubin_bytes &&
                        memcmp(taken.cubin, sent.cubin, sent.cubin_bytes) == 0,
                    "another frame");
    for (size_t cut = 0; cut < count && cut < 128; cut++)
        FUZZ_DEMAND(!take(bytes, cut, &taken), "half a frame");
    free(bytes);
    free(machine);
    free(warnings);
    free(ptx);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    if (size > 0 && data[0] % 2)
        send_and_take(bytes + 1, bytes + size);
    else if (size > 0)
        take_all(bytes + 1, size - 1);
    return 0;
}
