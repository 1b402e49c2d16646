/* marks_fuzz.c: read bytes as a policy (first byte p), manual marks (a), pairs (g) or gradebook. */
#include "marks/gradebook.h"
#include "marks/marks.h"
#include "tools/fuzz/fuzz.h"
#include "tools/fuzz/text_mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const char *const words[] = {"deadline",
                                        "\"2026-10-25 02:30\"",
                                        "time_zone",
                                        "extensions",
                                        "exercises",
                                        "padded",
                                        "padded/why",
                                        "alice",
                                        "ben",
                                        "id",
                                        "points",
                                        "change",
                                        "grace_minutes",
                                        "most_days",
                                        "Points Possible",
                                        "(12)",
                                        "\"",
                                        ";"};
    return text_mutate(data, size, max_size, seed, words, sizeof words / sizeof *words);
}

static struct submission people[] = {{.id = "alice", .name = "Alice", .email = "a@b"},
                                     {.id = "ben", .name = "alice"}};
static const struct class_list list = {people, 2};

static json_t *load(void *context, size_t index, struct failure *failure)
{
    (void)index;
    (void)failure;
    return json_incref(context);
}

static void mark_all(const struct marks *marks)
{
    json_t *grade =
        json_pack("{s:s, s:b, s:[{s:s, s:s, s:i, s:i, s:[{s:s, s:i, s:i, s:s}], s:{s:I, "
                  "s:I, s:I, s:b}}]}",
                  "id", "alice", "submitted", 1, "labs", "exercise", "padded", "file", "a.cu",
                  "score", 5, "points", 20, "checks", "id", "right", "points", 16, "score", 5,
                  "result", "partial", "upload", "time", (json_int_t)1793000000, "modified",
                  (json_int_t)0, "number", (json_int_t)0, "late", 0);
    for (size_t i = 0; i < list.count; i++) {
        struct failure failure = {0};
        json_t *marked = marks_apply(marks, i, grade, load, grade, &failure);
        FUZZ_DEMAND(marked, "%s", failure.text);
        double score = json_number_value(json_object_get(marked, "score"));
        FUZZ_DEMAND(score >= 0 && score <= 20, "%g points", score);
        json_decref(marked);
    }
    json_decref(grade);
}

static void fill(const char *path, const uint8_t *data, size_t size)
{
    static struct rubric rubric = {
        .exercise.name = "padded", .title = "Padded transpose", .points = 20};
    char upload[128];
    struct failure failure = {0};
    snprintf(upload, sizeof upload, "%s/upload.csv", fuzz_directory());
    json_t *marks = json_pack("{s:{s:b, s:{s:{s:f}}}}", "alice", "hold", 0, "exercises", "padded",
                              "score", 12.5);
    bool done = gradebook_fill(path, upload, &list, &rubric, 1, marks, false, NULL, &failure);
    fuzz_demand_failure(done, &failure);
    json_decref(marks);
    FILE *file = done ? fopen(upload, "rb") : NULL;
    size_t same = 0;
    for (int c; file && (c = getc(file)) != EOF && same < size && c == data[same];)
        same++;
    if (file)
        fclose(file);
    FUZZ_DEMAND(!done || same > 0 || size == 0, "no byte is unchanged");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char secret[32] = {1};
    static const char rubric[] =
        "{\"exercise\": \"padded\", \"title\": \"T\", \"points\": 20, \"published\": [[64, 96]], "
        "\"hidden\": [], \"runs\": [{\"name\": \"c\", \"device\": \"h200\", \"rows\": 64, "
        "\"cols\": "
        "64}], \"checks\": [{\"id\": \"right\", \"kind\": \"correct\", \"title\": \"R\", "
        "\"points\": 16}, {\"id\": \"why\", \"kind\": \"explanation\", \"title\": \"W\", "
        "\"points\": 4}]}";
    struct failure failure = {0};
    struct marks marks;
    if (!size)
        return 0;
    const char *path = fuzz_file("given", data + 1, size - 1);
    if (!strchr("pag", data[0])) {
        fill(path, data + 1, size - 1);
        return 0;
    }
    char directory[PATH_MAX], given[PATH_MAX];
    snprintf(given, sizeof given, "%s", path);
    snprintf(directory, sizeof directory, "%s", fuzz_directory());
    char name[PATH_MAX + 16];
    snprintf(name, sizeof name, "%s/padded.json", directory);
    FILE *file = fopen(name, "w");
    FUZZ_DEMAND(file && fputs(rubric, file) >= 0 && !fclose(file), "no rubric");
    const struct marks_files files = {.policy = data[0] == 'p' ? given : NULL,
                                      .adjust = data[0] == 'a' ? given : NULL,
                                      .pairs = data[0] == 'g' ? given : NULL};
    static const char *const exercises[] = {"padded"};
    bool opened = marks_open(&marks, &files, &list, directory, exercises, 1, secret, &failure);
    fuzz_demand_failure(opened, &failure);
    if (opened)
        mark_all(&marks);
    marks_close(&marks);
    return 0;
}
