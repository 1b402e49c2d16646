/* sandbox_frame_fuzz.c: read any bytes as frames (first byte even), or send any texts and a cubin,
 * which must arrive unchanged or be rejected (first byte odd). */
#include "compile/compile_backend.h"
#include "sandbox/sandbox_frame.h"
#include "tools/fuzz/fuzz.h"

#include <inttypes.h>

static void take_all(const char *bytes, size_t count)
{
    struct frame_reader stream = {bytes, count, false};
    struct sandbox_compiled compiled;
    uint32_t index;
    while (sandbox_frame_take(&stream, &index, &compiled)) {
        FUZZ_DEMAND(strlen(compiled.result.ptx) == compiled.result.ptx_bytes &&
                        !compiled.result.cubin == !compiled.result.cubin_bytes,
                    "texts of other lengths");
        sandbox_compiled_free(&compiled, 1);
    }
}

static bool take(const char *bytes, size_t count, struct sandbox_compiled *compiled)
{
    struct frame_reader stream = {bytes, count, false};
    uint32_t index;
    return sandbox_frame_take(&stream, &index, compiled);
}

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
    struct sandbox_compiled sent = {.result.compiler = COMPILER_NVRTC}, taken;
    struct compile_result *result = &sent.result;
    size_t bytes_of_text, unused;
    char *text = text_of(&at, end, &bytes_of_text);
    result->ptx = text_of(&at, end, &result->ptx_bytes);
    result->warnings = text_of(&at, end, &unused);
    snprintf(result->description, sizeof result->description, "nvrtc %.20s ptx:%016" PRIx64, text,
             ptx_hash(result->ptx));
    result->cubin_bytes = (size_t)(end - at);
    result->cubin = (char *)at;
    FILE *file = fopen(fuzz_file("frame", NULL, 0), "w+b");
    FUZZ_DEMAND(file && sandbox_frame_send(fileno(file), 7, &sent), "cannot write");
    fseek(file, 0, SEEK_END);
    size_t count = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(count);
    FUZZ_DEMAND(bytes && fread(bytes, 1, count, file) == count, "cannot read");
    fclose(file);
    if (take(bytes, count, &taken)) {
        FUZZ_DEMAND(taken.result.ptx_bytes == result->ptx_bytes &&
                        memcmp(taken.result.ptx, result->ptx, result->ptx_bytes) == 0 &&
                        strcmp(taken.result.warnings, result->warnings) == 0 &&
                        taken.result.cubin_bytes == result->cubin_bytes &&
                        (!taken.result.cubin ||
                         memcmp(taken.result.cubin, result->cubin, result->cubin_bytes) == 0),
                    "another frame");
        sandbox_compiled_free(&taken, 1);
    }
    for (size_t cut = 0; cut < count && cut < 128; cut++)
        FUZZ_DEMAND(!take(bytes, cut, &taken), "half a frame");
    free(bytes);
    free(result->warnings);
    free(result->ptx);
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
