/* intake_fuzz.c: read any bytes as an archive, a notebook or a source. The intake must respect its
 * limits, and intake_receive must return what intake_send wrote. */
#include "base/whole_file.h"
#include "intake/intake.h"
#include "intake/text.h"
#include "tools/fuzz/fuzz.h"

static const char *name_for(const uint8_t *data, size_t size)
{
    if (size > 1 && data[0] == 'P' && data[1] == 'K')
        return "upload.zip";
    if (size > 1 && data[0] == '{')
        return "upload.ipynb";
    if (size > 1 && (data[0] >= 0xEF || data[0] == '#' || data[0] == '/'))
        return "upload.cu";
    return size > 1 && data[0] == 0x1f && data[1] == 0x8b ? "upload.tar.gz" : "upload.tar";
}

static void check_transfer(const struct intake *intake, size_t cut)
{
    struct intake received;
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = tmpfile();
    FUZZ_DEMAND(file && intake_send(intake, fileno(file)), "cannot send");
    rewind(file);
    FUZZ_DEMAND(whole_file_read_stream(file, SIZE_MAX >> 1, &bytes, &size), "cannot read");
    fclose(file);
    FUZZ_DEMAND(!intake_receive(bytes, cut % size, &received), "an incomplete intake was accepted");
    FUZZ_DEMAND(intake_receive(bytes, size, &received), "a complete intake was rejected");
    FUZZ_DEMAND(received.count == intake->count && received.note_count == intake->note_count &&
                    received.unreadable_count == intake->unreadable_count &&
                    !memcmp(received.digest, intake->digest, sizeof intake->digest),
                "the received intake differs");
    intake_free(&received);
    free(bytes);
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
    bool read = intake_read_here(&submission, &intake, &failure);
    FUZZ_DEMAND(read, "%s", failure.text);
    size_t total = 0;
    for (size_t i = 0; i < intake.count; i++) {
        const struct intake_file *file = &intake.files[i];
        check_name(file->name);
        FUZZ_DEMAND(file->size <= INTAKE_FILE_BYTES_MAX && file->bytes[file->size] == 0,
                    "%zu bytes", file->size);
        FUZZ_DEMAND(text_is_utf8((const char *)file->bytes, file->size), "no UTF-8");
        FUZZ_DEMAND(!i || strcmp(intake.files[i - 1].name, file->name) < 0, "order: %s",
                    file->name);
        total += file->size;
    }
    FUZZ_DEMAND(intake.count <= INTAKE_FILES_MAX && total <= INTAKE_TOTAL_BYTES_MAX &&
                    intake.note_count <= INTAKE_NOTES_MAX + 1 &&
                    intake.unreadable_count <= INTAKE_UNREADABLE_MAX,
                "beyond the limits");
    check_transfer(&intake, size);
    intake_free(&intake);
    return 0;
}
