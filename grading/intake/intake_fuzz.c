/* intake_fuzz.c: any bytes as an uploaded archive (what kind, its first bytes say). Whatever is in
 * it, the intake keeps its limits, and its names are safe.
 */
#include "intake/intake.h"
#include "intake/text.h"
#include "tools/fuzz/fuzz.h"

static const char *name_for(const uint8_t *data, size_t size)
{
    if (size > 1 && data[0] == 'P' && data[1] == 'K')
        return "upload.zip";
    return size > 1 && data[0] == 0x1f && data[1] == 0x8b ? "upload.tar.gz" : "upload.tar";
}

static void check_name(const char *name)
{
    FUZZ_DEMAND(name[0] && name[0] != '/' && text_is_utf8(name, strlen(name)), "name %s", name);
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        FUZZ_DEMAND(strncmp(part, "..", 2) != 0 || (part[2] && part[2] != '/'), "name %s", name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct intake intake = {0};
    struct failure failure = {0};
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", fuzz_file(name_for(data, size), data, size));
    struct submission submission = {.id = "fuzz", .path = path};
    bool read = intake_read(&submission, &intake, &failure);
    FUZZ_DEMAND(read, "%s", failure.text);
    size_t total = 0;
    for (size_t i = 0; i < intake.count; i++) {
        const struct intake_file *file = &intake.files[i];
        check_name(file->name);
        FUZZ_DEMAND(file->size <= INTAKE_FILE_BYTES_MAX && file->bytes[file->size] == 0,
                    "%zu bytes", file->size);
        FUZZ_DEMAND(!i || strcmp(intake.files[i - 1].name, file->name) < 0, "order: %s",
                    file->name);
        total += file->size;
    }
    FUZZ_DEMAND(intake.count <= INTAKE_FILES_MAX && total <= INTAKE_TOTAL_BYTES_MAX &&
                    intake.note_count <= INTAKE_NOTES_MAX,
                "beyond the limits");
    intake_free(&intake);
    return 0;
}
