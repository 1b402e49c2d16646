/* grade.c: one submission, from its bytes to its grade.
 *
 * Every .cu file is compiled and measured, whatever it is called: LAB(name) says which exercise it
 * is. Where that cannot be asked, because the file does not compile, its text is searched for
 * LAB(name), and then its name for that of an exercise. Each exercise takes the best of its files.
 */

#include "judge/grade.h"

#include "base/paths.h"
#include "base/scratch.h"
#include "judge/hardware.h"
#include "judge/json_text.h"
#include "judge/judge.h"
#include "judge/scan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* Of the interpreter's cage, for one file. The budget of instructions ends a kernel long before the
 * seconds do, also on half a processor. */
static const struct cage_limits measure_limits = {.seconds = 120, .memory_bytes = 400ull << 20};

/* A .cu file and what became of it. */
struct entry {
    const struct intake_file *file;
    char *code; /* scan_code */
    unsigned char digest[32];
    const struct rubric *rubric; /* NULL: of no exercise */
    json_t *lab;                 /* judged; NULL without rubric */
    bool hard_coded;             /* right where sizes are published, and wrong where they are not */
};

struct work {
    const struct submission *submission;
    const struct grade_options *options;
    struct rubric *rubrics;
    size_t rubric_count;
    struct intake intake;
    struct entry *entries;
    size_t entry_count;
    const struct entry **chosen; /* of each rubric, or NULL */
    json_t *notes, *flags;
    size_t notes_dropped;
};

/* ---- Notes and flags ---- */

enum { NOTES_MAX = 50 }; /* on one submission */

static void note(struct work *work, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct work *work, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (json_array_size(work->notes) == NOTES_MAX) {
        work->notes_dropped++;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_array_append_new(work->notes, json_text(text, strlen(text)));
}

static void flag(struct work *work, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void flag(struct work *work, const char *kind, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_array_append_new(work->flags, json_pack("{s:s, s:o}", "kind", kind, "evidence",
                                                 json_text(text, strlen(text))));
}

/* ---- Which exercise is it? ---- */

static bool is_source(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && !strcasecmp(name + length - 3, ".cu");
}

static const struct rubric *rubric_named(const struct work *work, const char *exercise)
{
    for (size_t i = 0; i < work->rubric_count; i++)
        if (!strcmp(work->rubrics[i].exercise.name, exercise))
            return &work->rubrics[i];
    return NULL;
}

/* The exercise whose name, or else whose lab's, is part of the text; the longest such name, so that
 * copy_shared is not taken for copy. Letters and digits count, whatever their case. */
static const struct rubric *rubric_in_text(const struct work *work, const char *text)
{
    char plain[256];
    size_t used = 0, longest = 0;
    const struct rubric *found = NULL;
    for (; *text && used + 1 < sizeof plain; text++)
        if (isalnum((unsigned char)*text))
            plain[used++] = (char)tolower((unsigned char)*text);
    plain[used] = 0;
    for (size_t i = 0; i < work->rubric_count; i++)
        for (int lab = 0; lab < 2; lab++) {
            const struct exercise *exercise = &work->rubrics[i].exercise;
            char name[64];
            size_t length = 0;
            for (const char *c = lab ? exercise->lab : exercise->name; *c; c++)
                if (isalnum((unsigned char)*c))
                    name[length++] = (char)tolower((unsigned char)*c);
            name[length] = 0;
            if (length > longest && strstr(plain, name)) {
                longest = length;
                found = &work->rubrics[i];
            }
        }
    return found;
}

/* By the file's own name, else by the folder's that it lies in. */
static const struct rubric *rubric_by_name(const struct work *work, const char *path)
{
    const char *base = path_basename(path);
    const struct rubric *found = rubric_in_text(work, base);
    if (found || base == path)
        return found;
    char folder[PATH_SIZE];
    snprintf(folder, sizeof folder, "%.*s", (int)(base - path - 1), path);
    return rubric_in_text(work, path_basename(folder));
}

static const struct rubric *rubric_guessed(const struct work *work, const struct entry *entry)
{
    char name[64];
    scan_lab_name(entry->code, name);
    return *name ? rubric_named(work, name) : rubric_by_name(work, entry->file->name);
}

/* ---- One file ---- */

static void not_measured(struct measurement *measurement, const struct failure *failure)
{
    memset(measurement, 0, sizeof *measurement);
    measurement->status = failure->status;
    snprintf(measurement->reason, sizeof measurement->reason, "%s", failure->text);
}

static struct measure_job job_of(const struct work *work, const struct entry *entry,
                                 const struct cage_compiled *compiled)
{
    return (struct measure_job){.path = entry->file->name,
                                .text = entry->file->bytes,
                                .text_bytes = entry->file->size,
                                .compiled = &compiled->result,
                                .rubrics = work->rubrics,
                                .rubric_count = work->rubric_count};
}

/* Measure in the cage. What went wrong in there is the student's. */
static bool measure_file(const struct work *work, const struct entry *entry,
                         const struct cage_compiled *compiled, struct measurement *measurement,
                         struct failure *failure)
{
    struct failure wrong = {0};
    struct measure_job job = job_of(work, entry, compiled);
    size_t answered = 0;
    if (!cage_interpret(measure_caged, &job, &measure_limits, measurement, sizeof *measurement,
                        &answered, &wrong)) {
        if (wrong.kind == FAILURE_HARNESS)
            return failure_harness(failure, "%s: %s", entry->file->name, wrong.text);
        not_measured(measurement, &wrong);
    } else if (answered != sizeof *measurement || !measurement_check(measurement, &job)) {
        failure_student(&wrong, STATUS_UNTRUSTED,
                        "the interpreter's answer is malformed, as if the kernel had broken it");
        not_measured(measurement, &wrong);
    }
    return true;
}

/* Right on every published size, wrong on every hidden one that is not thin. */
static bool looks_hard_coded(const struct rubric *rubric, const struct measurement *measurement)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < measurement->size_count; i++) {
        bool good = measurement->sizes[i].status == STATUS_OK, hidden = rubric->sizes[i].hidden;
        bool telling = rubric->sizes[i].kind != RUBRIC_THIN && rubric->sizes[i].kind != RUBRIC_ONE;
        if (!hidden && !good)
            return false;
        if (hidden && telling && good)
            return false;
        wrong += hidden && telling;
    }
    return wrong > 0;
}

/* What the file is and is worth. */
static bool judge_file(struct work *work, struct entry *entry, const struct cage_compiled *compiled,
                       struct measurement *measurement, struct failure *failure)
{
    if (!compiled->compiled)
        not_measured(measurement, &compiled->failure);
    else if (!measure_file(work, entry, compiled, measurement, failure))
        return false;
    const char *name = entry->file->name;
    entry->rubric = measurement->has_rubric    ? rubric_named(work, measurement->exercise)
                    : measurement->exercise[0] ? NULL
                                               : rubric_guessed(work, entry);
    if (!entry->rubric) {
        note(work, "%s is not graded: %s: %.400s", name, status_name(measurement->status),
             measurement->reason);
        return true;
    }
    entry->hard_coded = looks_hard_coded(entry->rubric, measurement);
    entry->lab = judge_lab(entry->rubric, entry->file, measurement);
    if (!entry->lab)
        return failure_harness(failure, "not enough memory");
    const struct rubric *named = rubric_by_name(work, name);
    if (named && named != entry->rubric)
        note(work, "%s declares LAB(%s) and counts as that, although its name suggests %s", name,
             entry->rubric->exercise.name, named->exercise.name);
    return true;
}

/* ---- All files ---- */

static bool list_entries(struct work *work, struct failure *failure)
{
    work->entries = calloc(work->intake.count + 1, sizeof *work->entries);
    if (!work->entries)
        return failure_harness(failure, "not enough memory");
    for (size_t i = 0; i < work->intake.count; i++) {
        const struct intake_file *file = &work->intake.files[i];
        if (!is_source(file->name))
            continue;
        struct entry *entry = &work->entries[work->entry_count++];
        entry->file = file;
        entry->code = scan_code(file->bytes, file->size);
        if (!entry->code)
            return failure_harness(failure, "not enough memory");
        scan_digest(entry->code, entry->digest);
    }
    return true;
}

/* Compile all files in a private directory, which is gone afterwards. */
static bool compile_entries(const struct work *work, struct cage_compiled *compiled,
                            struct failure *failure)
{
    const struct hardware_device *gpu = work->options->gpu;
    char directory[PATH_SIZE];
    const char **names = calloc(work->entry_count, sizeof *names);
    if (!names)
        return failure_harness(failure, "not enough memory");
    if (!scratch_make(directory, "grade", failure)) {
        free(names);
        return false;
    }
    for (size_t i = 0; i < work->entry_count; i++)
        names[i] = work->entries[i].file->name;
    bool good = intake_stage(&work->intake, directory, failure) &&
                cage_compile_for(work->options->cage, gpu ? gpu->facts.compute_capability : 0,
                                 directory, names, work->entry_count, compiled, failure);
    free(names);
    if (!scratch_remove(directory) && good) {
        cage_compiled_free(compiled, work->entry_count);
        return failure_harness(failure, "cannot remove %s: %s", directory, strerror(errno));
    }
    return good;
}

/* ---- On a GPU ---- */

/* A file that was judged, on the GPU, which is open; its lab tells. */
static bool run_on_gpu(struct work *work, const struct entry *entry,
                       const struct cage_compiled *compiled, const struct hardware_shapes *shapes,
                       struct hardware_result *result, struct failure *failure)
{
    struct hardware_device *gpu = work->options->gpu;
    char evidence[900];
    if (!hardware_measure(gpu, entry->rubric, compiled, shapes, result, failure))
        return false;
    if (*result->trouble) {
        flag(work, "not_measured", "%s: it could not be run on %s: %.700s", entry->file->name,
             gpu->facts.name, result->trouble);
        return true;
    }
    hardware_report(gpu, result, entry->lab);
    if (hardware_disagrees(gpu, result, entry->lab, evidence, sizeof evidence))
        flag(work, "hardware_differs", "%s: %s", entry->file->name, evidence);
    return judge_gpu(entry->rubric, &result->record, entry->lab) ||
           failure_harness(failure, "not enough memory");
}

/* Shapes are asked for before, while others may have the GPU. */
static bool run_all_on_gpu(struct work *work, const struct cage_compiled *compiled,
                           struct failure *failure)
{
    struct hardware_device *gpu = work->options->gpu;
    struct hardware_shapes *shapes = calloc(work->entry_count, sizeof *shapes);
    struct hardware_result *result = calloc(1, sizeof *result);
    bool good = (shapes && result) || failure_harness(failure, "not enough memory"), any = false;
    for (size_t i = 0; i < work->entry_count && good; i++) {
        const struct entry *entry = &work->entries[i];
        const struct measure_job job = job_of(work, entry, &compiled[i]);
        if (!hardware_wants(entry->lab))
            continue;
        any = true;
        good = hardware_ask(&job, entry->rubric, &shapes[i], failure);
    }
    if (good && any && (good = gpu->open(gpu, failure))) {
        for (size_t i = 0; i < work->entry_count && good; i++)
            if (hardware_wants(work->entries[i].lab))
                good =
                    run_on_gpu(work, &work->entries[i], &compiled[i], &shapes[i], result, failure);
        gpu->close(gpu);
    }
    free(shapes);
    free(result);
    return good;
}

static bool judge_entries(struct work *work, struct failure *failure)
{
    size_t count = work->entry_count;
    if (!count)
        return true;
    struct cage_compiled *compiled = calloc(count, sizeof *compiled);
    struct measurement *measurement = calloc(1, sizeof *measurement);
    bool good = (compiled && measurement) || failure_harness(failure, "not enough memory");
    bool done = good && compile_entries(work, compiled, failure);
    good = done;
    for (size_t i = 0; i < count && good; i++)
        good = judge_file(work, &work->entries[i], &compiled[i], measurement, failure);
    if (good && work->options->gpu)
        good = run_all_on_gpu(work, compiled, failure);
    if (done)
        cage_compiled_free(compiled, count);
    free(compiled);
    free(measurement);
    return good;
}

/* The best file for each exercise; of equals, the first by name. */
static void choose(struct work *work)
{
    for (size_t i = 0; i < work->entry_count; i++) {
        const struct entry *entry = &work->entries[i];
        if (!entry->rubric)
            continue;
        const struct entry **best = &work->chosen[entry->rubric - work->rubrics];
        if (!*best) {
            *best = entry;
            continue;
        }
        double old = json_number_value(json_object_get((*best)->lab, "score"));
        double new = json_number_value(json_object_get(entry->lab, "score"));
        const struct entry *other = new > old ? *best : entry;
        *best = new > old ? entry : *best;
        note(work, "%s and %s are both for %s: %s counts", (*best)->file->name, other->file->name,
             entry->rubric->exercise.name, (*best)->file->name);
    }
}

/* ---- Suspicions, for a person to judge ---- */

static bool is_same_kernel(const struct entry *a, const struct entry *b)
{
    return a->rubric && b->rubric && !memcmp(a->digest, b->digest, sizeof a->digest);
}

/* One flag for each kernel that was handed in for several exercises. */
static void flag_same_files(struct work *work)
{
    for (size_t i = 0; i < work->entry_count; i++) {
        const struct entry *first = &work->entries[i];
        char files[800] = "";
        bool told = false, several = false;
        for (size_t j = 0; j < work->entry_count; j++) {
            const struct entry *entry = &work->entries[j];
            size_t used = strlen(files);
            if (!is_same_kernel(first, entry))
                continue;
            told |= j < i;
            several |= entry->rubric != first->rubric;
            snprintf(files + used, sizeof files - used, "%s%s (%s)", used ? ", " : "",
                     entry->file->name, entry->rubric->exercise.name);
        }
        if (several && !told)
            flag(work, "same_file", "%s: they differ in LAB(), comments and white space only",
                 files);
    }
}

enum { SUSPICIONS_MAX = 20 }; /* told of one file */

struct suspicion {
    struct work *work;
    const struct entry *entry;
    unsigned count;
};

static void flag_text(void *context, size_t line, const char *text, const char *why)
{
    struct suspicion *suspicion = context;
    if (suspicion->count++ < SUSPICIONS_MAX)
        flag(suspicion->work, "suspicious_text", "%s:%zu: %s: %s", suspicion->entry->file->name,
             line, why, text + strspn(text, " \t"));
}

/* Add a number to a list of them, once. */
static void add_number(char *numbers, size_t size, uint64_t number)
{
    char text[24];
    size_t used = strlen(numbers);
    snprintf(text, sizeof text, " %" PRIu64, number);
    const char *found = strstr(numbers, text);
    if (!found || isdigit((unsigned char)found[strlen(text)]))
        snprintf(numbers + used, size - used, "%s", text);
}

/* Numbers of published sizes that the code compares with. Tiles and ones are everybody's. */
static void flag_hard_coded(struct work *work, const struct entry *entry)
{
    const struct rubric *rubric = entry->rubric;
    char numbers[256] = "";
    for (unsigned i = 0; i < rubric->size_count && !rubric->sizes[i].hidden; i++)
        for (int side = 0; side < 2; side++) {
            uint64_t number = side ? rubric->sizes[i].cols : rubric->sizes[i].rows;
            if (number > 32 && scan_compares(entry->code, number))
                add_number(numbers, sizeof numbers, number);
        }
    for (unsigned i = 0; i < rubric->run_count && !rubric->runs[i].hidden; i++)
        for (int side = 0; side < 2; side++) {
            uint64_t number = side ? rubric->runs[i].rows : rubric->runs[i].cols;
            if (scan_compares(entry->code, number))
                add_number(numbers, sizeof numbers, number);
        }
    if (entry->hard_coded || *numbers)
        flag(work, "hard_coded_sizes", "%s: %s%s%s%s", entry->file->name,
             entry->hard_coded ? "right on all published sizes and wrong on the hidden ones" : "",
             entry->hard_coded && *numbers ? "; " : "",
             *numbers ? "compares with published sizes:" : "", numbers);
}

static void raise_flags(struct work *work)
{
    flag_same_files(work);
    for (size_t i = 0; i < work->entry_count; i++) {
        struct entry *entry = &work->entries[i];
        struct suspicion suspicion = {work, entry, 0};
        scan_suspicions(entry->code, flag_text, &suspicion);
        if (suspicion.count > SUSPICIONS_MAX)
            flag(work, "suspicious_text", "%s: and %u more", entry->file->name,
                 suspicion.count - SUSPICIONS_MAX);
        if (entry->rubric)
            flag_hard_coded(work, entry);
    }
}

/* ---- The grade ---- */

/* The devices of all runs, each with the digest of its parameters. */
static json_t *devices_json(const struct work *work, struct failure *failure)
{
    json_t *devices = json_object();
    for (size_t i = 0; i < work->rubric_count; i++)
        for (unsigned r = 0; r < work->rubrics[i].run_count; r++) {
            const char *name = work->rubrics[i].runs[r].device.name;
            char relative[128], path[PATH_SIZE], text[65];
            unsigned char bytes[4096];
            struct sha256_ctx hash;
            if (json_object_get(devices, name))
                continue;
            snprintf(relative, sizeof relative, "profiler/devices/%s.conf", name);
            FILE *file = paths_in_root(relative, path, failure) ? fopen(path, "rb") : NULL;
            if (!file) {
                json_decref(devices);
                failure_harness(failure, "cannot read %s", relative);
                return NULL;
            }
            sha256_init(&hash);
            for (size_t got; (got = fread(bytes, 1, sizeof bytes, file));)
                sha256_update(&hash, got, bytes);
            fclose(file);
            sha256_digest(&hash, 32, bytes);
            rubric_hexadecimal(bytes, text);
            json_object_set_new(devices, name, json_string(text));
        }
    return devices;
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static json_t *assemble(struct work *work, const struct timespec *start, struct failure *failure)
{
    const struct submission *submission = work->submission;
    json_t *labs = json_array();
    double score = 0, points = 0;
    char digest[65], seed[65];
    for (size_t i = 0; i < work->rubric_count; i++) {
        const struct entry *entry = work->chosen[i];
        json_t *lab = entry ? json_incref(entry->lab) : judge_lab(&work->rubrics[i], NULL, NULL);
        score += json_number_value(json_object_get(lab, "score"));
        points += work->rubrics[i].points;
        json_array_append_new(labs, lab);
    }
    rubric_hexadecimal(work->intake.digest, digest);
    rubric_hexadecimal(work->options->secret, seed);
    json_t *devices = devices_json(work, failure);
    if (!devices) {
        json_decref(labs);
        return NULL;
    }
    const char *email = submission->email;
    json_t *grade = json_pack(
        "{s:s, s:s, s:o, s:o, s:b, s:s, s:o, s:o, s:O, s:O, s:o, s:{s:s, s:s, s:o, s:o}}", "format",
        GRADE_FORMAT, "id", submission->id, "name",
        json_format("%s", submission->name ? submission->name : submission->id), "email",
        email ? json_format("%s", email) : json_null(), "submitted", submission->path != NULL,
        "digest", digest, "score", json_number(score), "points", json_number(points), "notes",
        work->notes, "flags", work->flags, "labs", labs, "record", "tlab", GRADE_VERSION, "seed",
        seed, "devices", devices, "seconds", json_number(seconds_since(start)));
    if (!grade)
        failure_harness(failure, "not enough memory");
    return grade;
}

static void work_free(struct work *work)
{
    for (size_t i = 0; i < work->entry_count; i++) {
        free(work->entries[i].code);
        json_decref(work->entries[i].lab);
    }
    free(work->entries);
    free(work->chosen);
    free(work->rubrics);
    json_decref(work->notes);
    json_decref(work->flags);
    intake_free(&work->intake);
}

/* Everything up to the grade itself. */
static bool grade_files(struct work *work, struct failure *failure)
{
    const struct grade_options *options = work->options;
    work->notes = json_array();
    work->flags = json_array();
    work->rubrics = rubric_read_all(options->rubrics, options->exercises, options->exercise_count,
                                    options->secret, &work->rubric_count, failure);
    for (size_t i = 0; work->rubrics && i < work->rubric_count; i++)
        if (work->rubrics[i].needs_gpu && !options->gpu)
            return failure_harness(failure,
                                   "grade with --device gpu: the rubric of %s gives points for "
                                   "what a GPU measures",
                                   work->rubrics[i].exercise.name);
    if (!work->rubrics || !intake_read(work->submission, &work->intake, failure))
        return false;
    work->chosen = calloc(work->rubric_count + 1, sizeof *work->chosen);
    if (!work->chosen || !work->notes || !work->flags)
        return failure_harness(failure, "not enough memory");
    for (size_t i = 0; i < work->intake.note_count; i++)
        note(work, "%s", work->intake.notes[i]);
    if (!list_entries(work, failure) || !judge_entries(work, failure))
        return false;
    if (!work->entry_count && work->submission->path)
        note(work, "there is no .cu file in it");
    choose(work);
    raise_flags(work);
    if (work->notes_dropped)
        json_array_append_new(work->notes,
                              json_format("and %zu more notes like these", work->notes_dropped));
    return true;
}

json_t *grade_submission(const struct submission *submission, const struct grade_options *options,
                         struct failure *failure)
{
    struct work work = {.submission = submission, .options = options};
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    json_t *grade = grade_files(&work, failure) ? assemble(&work, &start, failure) : NULL;
    work_free(&work);
    return grade;
}
