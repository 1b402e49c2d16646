#include "cuda/exec/fatbin.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LZ4
#include <lz4.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum {
    FATBIN_MAGIC = (int)0xba55ed50,
    HEADER_BYTES = 16,
    ENTRY_BYTES = 64,
    ENTRY_PTX = 1,
    ENTRY_CUBIN = 2,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    TEXT_MAX = 64 << 20,
};

struct header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
};

struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t padded_bytes; /* Distance from the payload to the next entry. */
    uint32_t packed_bytes;
    uint32_t options;
    uint16_t minor, major;
    uint32_t architecture;
    uint32_t name, name_bytes;
    uint64_t flags;
    uint64_t reserved;
    uint64_t unpacked_bytes; /* 0 if the payload is not compressed. */
};

size_t fatbin_bytes(const void *bytes, size_t size)
{
    struct header header;
    if (size < HEADER_BYTES)
        return 0;
    memcpy(&header, bytes, sizeof header);
    if (header.magic != (uint32_t)FATBIN_MAGIC || header.header_bytes < HEADER_BYTES ||
        header.bytes > (uint64_t)1 << 40 || header.header_bytes + header.bytes > size)
        return 0;
    return (size_t)(header.header_bytes + header.bytes);
}

static bool unpack(const struct entry *entry, const unsigned char *payload, char *text)
{
    size_t length = entry->unpacked_bytes;
    (void)payload, (void)text, (void)length;
#ifdef HAVE_LZ4
    if (entry->flags & FLAG_LZ4)
        return LZ4_decompress_safe((const char *)payload, text, (int)entry->packed_bytes,
                                   (int)length) == (int)length;
#endif
#ifdef HAVE_ZSTD
    if (entry->flags & FLAG_ZSTD)
        return ZSTD_decompress(text, length, payload, entry->packed_bytes) == length;
#endif
    return false;
}

static uint32_t suitability(uint32_t architecture, uint32_t wanted)
{
    return architecture <= wanted ? UINT32_MAX - (wanted - architecture)
                                  : UINT32_MAX / 2 - architecture;
}

static bool take(const struct entry *entry, const unsigned char *payload, struct fatbin_ptx *ptx,
                 struct failure *failure)
{
    bool packed = entry->flags & (FLAG_LZ4 | FLAG_ZSTD);
    uint64_t length = packed ? entry->unpacked_bytes : entry->padded_bytes;
    if (length > TEXT_MAX || (packed && entry->packed_bytes > entry->padded_bytes))
        return failure_harness(failure, "the program's fat binary is damaged");
    ptx->text = malloc(length + 1);
    if (!ptx->text)
        return failure_harness(failure, "not enough memory for the program's PTX");
    if (!packed)
        memcpy(ptx->text, payload, length);
    else if (!unpack(entry, payload, ptx->text)) {
        free(ptx->text);
        ptx->text = NULL;
        return failure_harness(failure,
                               "this tlab cannot decompress the program's PTX. Build the program "
                               "with `tlab nvcc`, which does not compress PTX");
    }
    ptx->length = length;
    ptx->architecture = entry->architecture;
    return true;
}

/* Returns the payload of the most suitable entry of a kind, and its header in *best. Returns NULL
 * if no entry is suitable, or with *failure set if the fat binary is damaged. */
static const unsigned char *find_entry(const void *bytes, size_t size, uint16_t kind,
                                       unsigned wanted, struct entry *best, struct failure *failure)
{
    size_t total = fatbin_bytes(bytes, size);
    const unsigned char *at = bytes, *end = at + total, *payload = NULL;
    struct header header = {0};
    if (total)
        memcpy(&header, bytes, sizeof header);
    else
        failure_harness(failure, "the program's fat binary is damaged");
    for (at += header.header_bytes; (size_t)(end - at) >= ENTRY_BYTES && total;) {
        struct entry entry;
        memcpy(&entry, at, sizeof entry);
        if (entry.header_bytes < ENTRY_BYTES || entry.header_bytes > (size_t)(end - at) ||
            entry.padded_bytes > (size_t)(end - at) - entry.header_bytes) {
            failure_harness(failure, "the program's fat binary is damaged");
            return NULL;
        }
        bool runs = kind == ENTRY_PTX ||
                    (entry.architecture / 10 == wanted / 10 && entry.architecture <= wanted);
        if (entry.kind == kind && runs &&
            (!payload ||
             suitability(entry.architecture, wanted) > suitability(best->architecture, wanted))) {
            *best = entry;
            payload = at + entry.header_bytes;
        }
        at += entry.header_bytes + entry.padded_bytes;
    }
    return payload;
}

bool fatbin_read_cubin(const void *bytes, size_t size, unsigned wanted, struct fatbin_ptx *cubin)
{
    struct failure unused = {0};
    struct entry entry;
    const unsigned char *payload = find_entry(bytes, size, ENTRY_CUBIN, wanted, &entry, &unused);
    *cubin = (struct fatbin_ptx){0};
    return payload && take(&entry, payload, cubin, &unused);
}

bool fatbin_read(const void *bytes, size_t size, unsigned wanted, struct fatbin_ptx *ptx,
                 struct failure *failure)
{
    struct entry entry;
    const unsigned char *payload = find_entry(bytes, size, ENTRY_PTX, wanted, &entry, failure);
    *ptx = (struct fatbin_ptx){0};
    if (!payload)
        return failure->kind == FAILURE_NONE &&
               failure_harness(failure, "the program contains machine code but no PTX, and tlab "
                                        "executes only PTX. Build the program with `tlab nvcc`, or "
                                        "with nvcc -arch=compute_80 -cudart shared");
    if (!take(&entry, payload, ptx, failure))
        return false;
    ptx->length = strnlen(ptx->text, ptx->length); /* zeros pad the text */
    return true;
}
