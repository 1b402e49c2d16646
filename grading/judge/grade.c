/* grade.c: compute the grade of one submission.
 *
 * Every kernel is compiled and measured; LAB(name) names its exercise. Unchanged skeletons of the
 * course are omitted. If a file does not compile, its exercise comes from LAB(name) in the text;
 * otherwise from the file's name. Wrong names with a clear meaning are repaired, for a small
 * deduction (naming.h). If an exercise has several files, the first file is in "labs", and the
 * others are in "others". marks/marks.h later selects the file that earns the points. */

#include "judge/grade.h"

#include "base/paths.h"
#include "base/sanitized.h"
#include "base/scratch.h"
#include "base/whole_file.h"
#include "goals/digest.h"
#include "intake/json_text.h"
#include "judge/grade_work.h"
#include "judge/hardware.h"
#include "judge/judge.h"
#include "judge/measure.h"
#include "judge/scan.h"
#include "process/allocate.h"
#include "process/child.h"
#include "text/code_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SANITIZER_TIMES = ADDRESS_SANITIZED ? 4 : 1 };
static const struct sandbox_limits measure_limits = {
    .seconds = SANITIZER_TIMES * SANDBOX_BUDGET_SECONDS,
    .memory_bytes = SANITIZER_TIMES * 384ull << 20};

enum { DEVICE_BYTES_MAX = 1 << 20, ELSEWHERE_NAMED = 3 };

static double score_of(const struct grade_entry *entry)
{
    return json_number_value(json_object_get(entry->lab, "score"));
}

static void not_measured(struct measurement *measurement, const struct failure *failure)
{
    memset(measurement, 0, sizeof *measurement);
    measurement->status = failure->status;
    snprintf(measurement->reason, sizeof measurement->reason, "%s", failure->text);
}

static struct measure_job job_of(const struct grade_work *work, const struct grade_entry *entry,
                                 const struct sandbox_compiled *compiled)
{
    return (struct measure_job){.path = entry->file->name,
                                .text = entry->file->bytes,
                                .text_bytes = entry->file->size,
                                .compiled = &compiled->result,
                                .rubrics = work->rubrics,
                                .rubric_count = work->rubric_count,
                                .suggested = entry->suggested,
                                .overrules = entry->overrules,
                                .repaired = entry->repaired ? entry->naming.text : NULL};
}

/* If the process in the sandbox crashes, this is a failure of the file, not of the grader. */
static bool measure_file(struct grade_work *work, struct grade_entry *entry,
                         const struct sandbox_compiled *compiled, struct measurement *measurement,
                         struct failure *failure)
{
    struct failure wrong = {0};
    entry->job = job_of(work, entry, compiled);
    if (!sandbox_interpret(measure_sandboxed, &entry->job, &measure_limits, &work->budget,
                           measurement, sizeof *measurement, &wrong)) {
        if (wrong.kind == FAILURE_HARNESS)
            return failure_harness(failure, "%s: %s", entry->file->name, wrong.text);
        not_measured(measurement, &wrong);
    } else if (!measurement_check(measurement, &entry->job)) {
        failure_student(
            &wrong, STATUS_UNTRUSTED,
            "the interpreter returned a malformed result; the kernel may have corrupted it");
        not_measured(measurement, &wrong);
    }
    return true;
}

/* Returns the first hidden size with an incorrect result; NULL if there is none, if a published
 * size is also incorrect, or if a known mistake (such as a missing barrier) is the cause. */
static const struct rubric_size *wrong_in_hiding(const struct rubric *rubric,
                                                 const struct measurement *measurement)
{
    const struct rubric_size *wrong = NULL;
    for (unsigned i = 0; i < measurement->size_count; i++) {
        if (measurement->sizes[i].status == STATUS_OK)
            continue;
        if (!rubric->sizes[i].hidden || measurement->mistake)
            return NULL;
        wrong = wrong ? wrong : &rubric->sizes[i];
    }
    return wrong;
}

static void flag_several_kernels(struct grade_work *work, const struct grade_entry *entry)
{
    unsigned kernels = 0;
    for (const char *at = entry->code; (at = strstr(at, "__global__")); at++)
        kernels++;
    if (kernels > 1 && (!entry->rubric || score_of(entry) <= 0))
        grade_flag(work, GRADE_FLAG_EXERCISE,
                   "%s has %u kernels and earns no points: the file may contain several exercises",
                   entry->file->name, kernels);
}

static bool judge_file(struct grade_work *work, struct grade_entry *entry,
                       const struct sandbox_compiled *compiled, struct measurement *measurement,
                       struct failure *failure)
{
    if (!compiled->compiled)
        not_measured(measurement, &compiled->failure);
    else if (!measure_file(work, entry, compiled, measurement, failure))
        return false;
    const char *name = entry->file->name;
    entry->rubric = measurement->has_rubric
                        ? rubric_find(work->rubrics, work->rubric_count, measurement->exercise)
                    : measurement->exercise[0] ? NULL
                                               : grade_rubric_guessed(work, entry);
    if (!entry->rubric) {
        if (compiled->compiled)
            grade_note(work, "%s is not graded: %.400s", name, measurement->reason);
        else
            grade_note(work, "%s is not graded: %s: %.400s", name, status_name(measurement->status),
                       measurement->reason);
        return true;
    }
    entry->hard_coded = wrong_in_hiding(entry->rubric, measurement);
    for (unsigned i = 0; i < measurement->run_count; i++)
        entry->impossible_loads |= measured_lacks_traffic(&measurement->runs[i]);
    grade_flag_measured(work, entry, compiled->compiled ? compiled->result.ptx : NULL, measurement);
    entry->lab = judge_lab(entry->rubric, entry->file, measurement);
    const struct upload *upload = &entry->file->upload;
    json_object_set_new(entry->lab, "upload",
                        json_pack("{s:I, s:I, s:I, s:b}", "time", (json_int_t)upload->time,
                                  "modified", (json_int_t)upload->modified, "number",
                                  (json_int_t)upload->number, "late", upload->late));
    for (const char *line = measurement->naming; *line;) {
        size_t length = strcspn(line, "\n");
        grade_note(work, "%.*s", (int)length, line);
        line += length + (line[length] != 0);
    }
    if (entry->named != GRADE_UNKNOWN &&
        strcmp(work->known[entry->named].name, entry->rubric->exercise.name))
        grade_note(work,
                   "%s declares LAB(%s) and counts for that exercise, although the file's name "
                   "suggests %s",
                   name, entry->rubric->exercise.name, work->known[entry->named].name);
    return true;
}

static void set_aside(struct grade_work *work, struct grade_entry *entry)
{
    char name[64];
    scan_lab_name(entry->code, name);
    const struct rubric *rubric = rubric_find(work->rubrics, work->rubric_count, name);
    if (rubric)
        work->skeleton_names[rubric - work->rubrics] = entry->file->name;
    work->skeletons_seen++;
    free(entry->code);
    entry->code = NULL;
}

static void entry_free(struct grade_entry *entry)
{
    free(entry->code);
    free(entry->repaired);
    json_decref(entry->lab);
}

/* Omit files for exercises that are not graded here. Flag files named like a graded exercise. */
static void leave_elsewhere(struct grade_work *work)
{
    char names[600] = "";
    size_t retained = 0, dropped = 0;
    for (size_t i = 0; i < work->entry_count; i++) {
        struct grade_entry *entry = &work->entries[i];
        size_t used = strlen(names);
        if (!entry->elsewhere) {
            work->entries[retained++] = *entry;
            continue;
        }
        if (entry->doubtful && entry->suggested)
            grade_flag(work, GRADE_FLAG_EXERCISE,
                       "%s is not graded: it declares LAB(%s), which is not graded here, but the "
                       "name of the file suggests %s",
                       entry->file->name, work->known[entry->said].name,
                       entry->suggested->exercise.name);
        if (dropped++ < ELSEWHERE_NAMED)
            snprintf(names + used, sizeof names - used, "%s%.150s", used ? ", " : "",
                     entry->file->name);
        entry_free(entry);
    }
    work->entry_count = retained;
    size_t used = strlen(names);
    if (dropped > ELSEWHERE_NAMED)
        snprintf(names + used, sizeof names - used, " and %zu more", dropped - ELSEWHERE_NAMED);
    if (dropped)
        grade_note(work, "%s %s for other exercises of the course, which are not graded here",
                   names, dropped == 1 ? "is" : "are");
    work->elsewhere_count = dropped;
}

static void list_entries(struct grade_work *work)
{
    work->entries = allocate_checked(calloc(work->intake.count + 1, sizeof *work->entries));
    for (size_t i = 0; i < work->intake.count; i++) {
        const struct intake_file *file = &work->intake.files[i];
        if (!file->kernel)
            continue;
        struct grade_entry *entry = &work->entries[work->entry_count];
        *entry = (struct grade_entry){.file = file,
                                      .code = allocate_checked(code_text(file->bytes, file->size))};
        scan_digest(entry->code, entry->digest);
        if (grade_is_skeleton(work, entry)) {
            set_aside(work, entry);
            continue;
        }
        work->entry_count++;
        entry->naming = (struct naming){.path = file->name, .code = entry->code};
        entry->repaired = naming_repair(&entry->naming, (const char *)file->bytes, file->size,
                                        &entry->repaired_bytes);
    }
    grade_suggest(work);
    leave_elsewhere(work);
}

static bool stage_repaired(const struct grade_work *work, const char *directory,
                           struct failure *failure)
{
    for (size_t i = 0; i < work->entry_count; i++) {
        const struct grade_entry *entry = &work->entries[i];
        char path[2 * PATH_SIZE];
        if (!entry->repaired)
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->file->name);
        if (!whole_file_write(path, entry->repaired, entry->repaired_bytes, true, failure))
            return false;
    }
    return true;
}

static bool compile_entries(struct grade_work *work, struct sandbox_compiled *compiled,
                            struct failure *failure)
{
    const struct hardware_device *gpu = work->options->gpu;
    char directory[PATH_SIZE];
    if (!scratch_make(directory, "grade", failure))
        return false;
    const char **names = allocate_checked(calloc(work->entry_count, sizeof *names));
    for (size_t i = 0; i < work->entry_count; i++)
        names[i] = work->entries[i].file->name;
    bool good =
        intake_stage(&work->intake, directory, failure) &&
        stage_repaired(work, directory, failure) &&
        sandbox_compile(work->options->sandbox, gpu ? gpu->facts.compute_capability : 0, directory,
                        names, work->entry_count, &work->budget, compiled, failure);
    free(names);
    if (!scratch_remove(directory) && good) {
        sandbox_compiled_free(compiled, work->entry_count);
        return failure_harness(failure, "cannot remove %s: %s", directory, strerror(errno));
    }
    return good;
}

static bool judge_entries(struct grade_work *work, struct failure *failure)
{
    size_t count = work->entry_count;
    if (!count)
        return true;
    struct sandbox_compiled *compiled = allocate_checked(calloc(count, sizeof *compiled));
    struct measurement *measurement = allocate_checked(calloc(1, sizeof *measurement));
    bool done = compile_entries(work, compiled, failure), good = done;
    for (size_t i = 0; i < count && good; i++)
        if ((good = judge_file(work, &work->entries[i], &compiled[i], measurement, failure)))
            flag_several_kernels(work, &work->entries[i]);
    if (good && work->options->gpu)
        good = grade_run_on_gpu(work, compiled, failure);
    if (done)
        sandbox_compiled_free(compiled, count);
    free(compiled);
    free(measurement);
    return good;
}

/* Omit a file with the name of another exercise if a correctly named file has more points. */
static void leave_doubtful(struct grade_work *work)
{
    for (size_t i = 0; i < work->entry_count; i++)
        for (size_t j = 0; j < work->entry_count && work->entries[i].doubtful; j++) {
            struct grade_entry *entry = &work->entries[i];
            const struct grade_entry *other = &work->entries[j];
            if (!entry->rubric || other->rubric != entry->rubric || other->doubtful ||
                score_of(other) <= score_of(entry))
                continue;
            grade_flag(work, GRADE_FLAG_EXERCISE,
                       "%s declares LAB(%s), but its name suggests %s: this file is not graded, "
                       "and %s counts for %s",
                       entry->file->name, entry->rubric->exercise.name,
                       work->known[entry->named].name, other->file->name,
                       entry->rubric->exercise.name);
            grade_note(work, "the name of %s suggests %s, so the file does not replace %s",
                       entry->file->name, work->known[entry->named].name, other->file->name);
            entry->rubric = NULL;
        }
}

static void choose(struct grade_work *work)
{
    for (size_t i = 0; i < work->entry_count; i++) {
        const struct grade_entry *entry = &work->entries[i];
        if (!entry->rubric)
            continue;
        const struct grade_entry **chosen = &work->chosen[entry->rubric - work->rubrics];
        *chosen = *chosen ? *chosen : entry;
    }
}

static json_t *device_digest(const char *name, struct failure *failure)
{
    char relative[128], path[PATH_SIZE], text[DIGEST_TEXT_SIZE];
    unsigned char digest[DIGEST_SIZE];
    size_t size;
    snprintf(relative, sizeof relative, "profiler/devices/%s.conf", name);
    char *bytes = paths_in_root(relative, path, failure)
                      ? whole_file_read(path, DEVICE_BYTES_MAX, &size, failure)
                      : NULL;
    if (!bytes)
        return NULL;
    digest_bytes(bytes, size, digest);
    digest_text(digest, sizeof digest, text);
    free(bytes);
    return json_string(text);
}

static json_t *devices_json(const struct grade_work *work, struct failure *failure)
{
    json_t *devices = json_object();
    for (size_t i = 0; i < work->rubric_count; i++)
        for (unsigned r = 0; r < work->rubrics[i].run_count; r++) {
            const char *name = work->rubrics[i].runs[r].device.name;
            if (json_object_get(devices, name))
                continue;
            if (json_object_set_new(devices, name, device_digest(name, failure))) {
                json_decref(devices);
                return NULL;
            }
        }
    return devices;
}

static json_t *assemble(struct grade_work *work, double start, struct failure *failure)
{
    const struct submission *submission = work->submission;
    json_t *labs = json_array(), *others = json_array();
    double score = 0, points = 0;
    char digest[DIGEST_TEXT_SIZE], uploads[DIGEST_TEXT_SIZE], seed[DIGEST_TEXT_SIZE];
    for (size_t i = 0; i < work->rubric_count; i++) {
        const struct grade_entry *entry = work->chosen[i];
        json_t *lab = entry ? json_incref(entry->lab) : judge_lab(&work->rubrics[i], NULL, NULL);
        if (!entry)
            grade_describe_absent(work, i, lab);
        score += json_number_value(json_object_get(lab, "score"));
        points += work->rubrics[i].points;
        json_array_append_new(labs, lab);
    }
    for (size_t i = 0; i < work->entry_count; i++) {
        const struct grade_entry *entry = &work->entries[i];
        if (entry->rubric && work->chosen[entry->rubric - work->rubrics] != entry)
            json_array_append(others, entry->lab);
    }
    digest_text(work->intake.digest, DIGEST_SIZE, digest);
    digest_text(work->intake.uploads_digest, DIGEST_SIZE, uploads);
    digest_text(work->options->secret, DIGEST_SIZE, seed);
    json_t *devices = devices_json(work, failure);
    if (!devices) {
        json_decref(labs);
        json_decref(others);
        return NULL;
    }
    const char *email = submission->email;
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:b, s:s, s:o, s:o, s:O, s:O, s:o, s:o, s:{s:s, s:s, s:s, s:o, s:o}}",
        "format", GRADE_FORMAT, "id", submission->id, "name",
        json_format("%s", submission->name ? submission->name : submission->id), "email",
        email ? json_format("%s", email) : json_null(), "submitted", submission->path != NULL,
        "digest", digest, "score", json_number(score), "points", json_number(points), "notes",
        work->notes, "flags", work->flags, "labs", labs, "others", others, "record", "tlab",
        GRADE_VERSION, "uploads", uploads, "seed", seed, "devices", devices, "seconds",
        json_number(clock_seconds() - start));
}

static void work_free(struct grade_work *work)
{
    for (size_t i = 0; i < work->entry_count; i++)
        entry_free(&work->entries[i]);
    free(work->entries);
    free(work->known);
    free(work->chosen);
    free(work->skeletons);
    free(work->skeleton_names);
    free(work->rubrics);
    json_decref(work->notes);
    json_decref(work->flags);
    intake_free(&work->intake);
}

static bool grade_files(struct grade_work *work, struct failure *failure)
{
    const struct grade_options *options = work->options;
    work->notes = json_array();
    work->flags = json_array();
    work->rubrics = rubric_read_all(options->rubrics, options->exercises, options->exercise_count,
                                    options->secret, &work->rubric_count, failure);
    for (size_t i = 0; work->rubrics && i < work->rubric_count; i++)
        if (work->rubrics[i].needs_gpu && !options->gpu)
            return failure_harness(failure,
                                   "the rubric of %s has checks that need a GPU: add --device gpu",
                                   work->rubrics[i].exercise.name);
    if (!work->rubrics || !intake_read(work->submission, &work->intake, failure))
        return false;
    work->chosen = allocate_checked(calloc(work->rubric_count + 1, sizeof *work->chosen));
    work->skeleton_names =
        allocate_checked(calloc(work->rubric_count + 1, sizeof *work->skeleton_names));
    for (size_t i = 0; i < work->intake.note_count; i++)
        grade_note(work, "%s", work->intake.notes[i]);
    if (!grade_read_skeletons(work, failure))
        return false;
    list_entries(work);
    if (!judge_entries(work, failure))
        return false;
    if (work->skeletons_seen)
        grade_note(work, "%zu %s", work->skeletons_seen,
                   work->skeletons_seen == 1
                       ? "file is unchanged, so its lab has not been started"
                       : "files are unchanged, so their labs have not been started");
    else if (!work->entry_count && !work->elsewhere_count && !work->intake.unreadable_count &&
             work->submission->path)
        grade_note(work, "the submission has no .cu file");
    leave_doubtful(work);
    choose(work);
    grade_flag_unreadable(work);
    grade_raise_flags(work);
    if (work->notes_dropped)
        json_array_append_new(work->notes, json_format("and %zu more note%s", work->notes_dropped,
                                                       work->notes_dropped == 1 ? "" : "s"));
    return true;
}

json_t *grade_submission(const struct submission *submission, const struct grade_options *options,
                         struct failure *failure)
{
    struct grade_work work = {
        .submission = submission,
        .options = options,
        .budget = {SANITIZER_TIMES * SANDBOX_BUDGET_SECONDS, SANDBOX_BUDGET_BYTES}};
    const double start = clock_seconds();
    json_t *grade = grade_files(&work, failure) ? assemble(&work, start, failure) : NULL;
    work_free(&work);
    return grade;
}
