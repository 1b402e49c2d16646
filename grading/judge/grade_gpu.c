/* grade_gpu.c: what was judged, on a GPU, as part of a grade; see grade_work.h and hardware.h. */
#include "judge/grade_work.h"

#include "intake/json_text.h"
#include "judge/grade.h"
#include "judge/hardware.h"
#include "judge/judge.h"
#include "judge/judge_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Write what the GPU said into the "labs" entry of the file (grade.h). */
static void report(const struct hardware_device *device, const struct hardware_result *result,
                   json_t *lab)
{
    const struct record *record = &result->record;
    size_t index;
    json_t *size;
    json_array_foreach (json_object_get(lab, "sizes"), index, size) {
        json_object_set_new(size, "gpu_status",
                            json_string(status_name(result->sizes[index].status)));
        json_object_set_new(size, "gpu_reason", json_format("%s", result->sizes[index].reason));
    }
    json_array_append_new(json_object_get(lab, "runs"),
                          json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", "gpu", "device",
                                    "gpu", "chip", json_format("%s", device->facts.name), "status",
                                    json_format("%s", record_text(record, COLUMN_status)), "reason",
                                    json_format("%s", record_text(record, COLUMN_reason)),
                                    "compiler",
                                    json_format("%s", record_text(record, COLUMN_compiler)),
                                    "counters", judge_counters(record)));
}

/* Verdicts of the emulator that right results on a GPU do not contradict: what was read out of
 * bounds, in a race, or before it was written may happen to be right, and a barrier that not all
 * threads reach may let them pass. */
static bool may_happen_to_be_right(const char *emulated)
{
    static const enum status unseen[] = {STATUS_OUT_OF_BOUNDS, STATUS_RACE, STATUS_UNINITIALISED,
                                         STATUS_DEADLOCK};
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        if (!strcmp(emulated, status_name(unseen[i])))
            return true;
    return false;
}

static bool differs(const char *emulated, enum status measured)
{
    bool emulated_ok = !strcmp(emulated, status_name(STATUS_OK)), ok = measured == STATUS_OK;
    return emulated_ok != ok && !(ok && may_happen_to_be_right(emulated));
}

/* Do GPU and emulator disagree about a size, though not about what hardware need not show (a race,
 * a read out of bounds)? Then `text` has the evidence. */
static bool disagrees(const struct hardware_device *device, const struct hardware_result *result,
                      const json_t *lab, char *text, size_t size)
{
    size_t index, count = 0;
    const json_t *entry;
    json_array_foreach (json_object_get(lab, "sizes"), index, entry) {
        const struct measured_size *measured = &result->sizes[index];
        const int length = (int)strcspn(measured->reason, "\n"); /* of its first line */
        if (!differs(json_text_of(entry, "status"), measured->status) || count++)
            continue;
        snprintf(text, size,
                 "at %" JSON_INTEGER_FORMAT " x %" JSON_INTEGER_FORMAT
                 " the emulator reports %s, but %s reports %s%s%.*s",
                 json_integer_value(json_object_get(entry, "rows")),
                 json_integer_value(json_object_get(entry, "cols")), json_text_of(entry, "status"),
                 device->facts.name, status_name(measured->status), length ? ": " : "",
                 length < 600 ? length : 600, measured->reason);
    }
    size_t used = count ? strlen(text) : 0;
    if (count > 1 && used < size)
        snprintf(text + used, size - used, " (and at %zu more sizes)", count - 1);
    return count;
}

/* Is a judged file to be run? Not when nothing of it was emulated, or when it ran away there. */
static bool is_wanted(const json_t *lab)
{
    size_t index;
    const json_t *entry, *sizes = json_object_get(lab, "sizes");
    json_array_foreach (sizes, index, entry) {
        const char *status = json_text_of(entry, "status");
        if (!strcmp(status, status_name(STATUS_TIMEOUT)) ||
            !strcmp(status, status_name(STATUS_DEADLOCK)))
            return false;
    }
    return json_array_size(sizes) > 0;
}

/* A file that was judged, on the GPU, which is open; its lab tells. */
static bool run_on_gpu(struct grade_work *work, const struct grade_entry *entry,
                       const struct sandbox_compiled *compiled,
                       const struct hardware_shapes *shapes, struct hardware_result *result,
                       struct failure *failure)
{
    struct hardware_device *gpu = work->options->gpu;
    char evidence[900];
    if (!hardware_measure(gpu, entry->rubric, compiled, shapes, result, failure))
        return false;
    if (*result->trouble) {
        grade_flag(work, GRADE_FLAG_NOT_MEASURED, "%s: the kernel could not be run on %s: %.700s",
                   entry->file->name, gpu->facts.name, result->trouble);
        return true;
    }
    report(gpu, result, entry->lab);
    if (disagrees(gpu, result, entry->lab, evidence, sizeof evidence))
        grade_flag(work, GRADE_FLAG_HARDWARE_DIFFERS, "%s: %s", entry->file->name, evidence);
    return judge_gpu(entry->rubric, &result->record, entry->lab) ||
           failure_harness(failure, "not enough memory");
}

/* Shapes are asked for before, while others may have the GPU. */
bool grade_run_on_gpu(struct grade_work *work, const struct sandbox_compiled *compiled,
                      struct failure *failure)
{
    struct hardware_device *gpu = work->options->gpu;
    struct hardware_shapes *shapes = calloc(work->entry_count, sizeof *shapes);
    struct hardware_result *result = calloc(1, sizeof *result);
    bool good = (shapes && result) || failure_harness(failure, "not enough memory"), any = false;
    for (size_t i = 0; i < work->entry_count && good; i++) {
        const struct grade_entry *entry = &work->entries[i];
        if (!is_wanted(entry->lab))
            continue;
        any = true;
        good = hardware_ask(&entry->job, entry->rubric, &shapes[i], failure);
    }
    if (good && any && (good = gpu->open(gpu, failure))) {
        for (size_t i = 0; i < work->entry_count && good; i++)
            if (is_wanted(work->entries[i].lab))
                good =
                    run_on_gpu(work, &work->entries[i], &compiled[i], &shapes[i], result, failure);
        gpu->close(gpu);
    }
    free(shapes);
    free(result);
    return good;
}
