/* frame_fuzz.c: read arbitrary bytes as a frame. Each field must be within the bytes, and no field
 * may be read after the first invalid field. The first bytes select the kinds of fields. */
#include "process/frame.h"
#include "tools/fuzz/fuzz.h"

enum { MOST = 1 << 12 };

static void field_read(struct frame_reader *reader, unsigned kind)
{
    const char *start = reader->at, *end = reader->at + reader->left, *bytes = NULL;
    const bool was_bad = reader->bad;
    size_t count = 0;
    char object[16];
    char *copy = NULL;
    struct frame_reader inner;
    switch (kind % 6) {
    case 0:
        FUZZ_DEMAND(frame_number(reader, MOST) <= MOST, "too large");
        break;
    case 1:
        bytes = frame_bytes(reader, MOST, &count);
        break;
    case 2:
        bytes = frame_text(reader, MOST, &count);
        FUZZ_DEMAND(!bytes || !memchr(bytes, 0, count), "a text with a NUL");
        break;
    case 3:
        copy = frame_copy(reader, MOST, &count);
        FUZZ_DEMAND(!copy || !copy[count], "no NUL after %zu bytes", count);
        break;
    case 4:
        frame_object(reader, object, sizeof object);
        break;
    default:
        if (frame_next(reader, MOST, &inner)) {
            FUZZ_DEMAND(inner.at >= start && inner.at + inner.left <= end, "outside");
            *reader = inner;
        }
    }
    FUZZ_DEMAND(count <= MOST && (!bytes || (bytes >= start && bytes + count <= end)), "outside");
    FUZZ_DEMAND(!was_bad || (reader->bad && !bytes && !copy && reader->at == start),
                "a field was read after an invalid field");
    FUZZ_DEMAND(reader->bad || reader->at + reader->left <= end, "outside");
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t choices = size > 0 ? data[0] : 0;
    if (size < 1 + choices)
        return 0;
    struct frame_reader reader = {(const char *)data + 1 + choices, size - 1 - choices, false};
    for (size_t i = 0; i < choices; i++)
        field_read(&reader, data[1 + i]);
    return 0;
}
