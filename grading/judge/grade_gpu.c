/* grade_gpu.c: run judged files on a GPU; see grade_work.h and hardware.h. */
#include "judge/grade_work.h"

#include "intake/json_text.h"
#include "judge/grade.h"
#include "judge/hardware.h"
#include "judge/judge.h"
#include "process/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Returns true for a failure in the emulator that a GPU may hide by chance. For example, a barrier
 * that not all threads reach may not cause a deadlock on a GPU. */
static bool may_happen_to_be_right(const char *emulated)
{
    static const enum status unseen[] = {STATUS_OUT_OF_BOUNDS, STATUS_RACE, STATUS_UNINITIALISED,
                                         STATUS_DEADLOCK};
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        if (!strcmp(emulated, status_name(unseen[i])))
            return true;
    return false;
}

/* Returns true if a GPU may hide a failure at a size, so that correct results prove nothing. */
static bool has_hidden_mistake(const json_t *lab)
{
    size_t index;
    const json_t *entry;
    json_array_foreach (json_object_get(lab, "sizes"), index, entry)
        if (may_happen_to_be_right(json_text_of(entry, "status")))
            return true;
    return false;
}

static bool differs(const json_t *lab, const char *emulated, enum status measured)
{
    bool emulated_ok = !strcmp(emulated, status_name(STATUS_OK)), ok = measured == STATUS_OK;
    return emulated_ok != ok && !(ok && has_hidden_mistake(lab));
}

static bool disagrees(const struct hardware_device *device, const struct hardware_result *result,
                      const json_t *lab, char *text, size_t size)
{
    size_t index, count = 0;
    const json_t *entry;
    json_array_foreach (json_object_get(lab, "sizes"), index, entry) {
        const struct measured_size *measured = &result->sizes[index];
        const int length = (int)strcspn(measured->reason, "\n");
        if (!differs(lab, json_text_of(entry, "status"), measured->status) || count++)
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
        snprintf(text + used, size - used, " (and at %zu more %s)", count - 1,
                 count == 2 ? "size" : "sizes");
    return count;
}

static bool runs_on_gpu(const json_t *lab)
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
    judge_gpu(entry->rubric, &result->record, entry->lab);
    return true;
}

/* To hold the lock briefly, compute the launch configurations before the GPU is locked. */
bool grade_run_on_gpu(struct grade_work *work, const struct sandbox_compiled *compiled,
                      struct failure *failure)
{
    struct hardware_device *gpu = work->options->gpu;
    struct hardware_shapes *shapes = allocate_checked(calloc(work->entry_count, sizeof *shapes));
    struct hardware_result *result = allocate_checked(calloc(1, sizeof *result));
    bool good = true, any = false;
    for (size_t i = 0; i < work->entry_count && good; i++) {
        const struct grade_entry *entry = &work->entries[i];
        if (!runs_on_gpu(entry->lab))
            continue;
        any = true;
        good = hardware_ask(&entry->job, entry->rubric, &shapes[i], failure);
    }
    if (good && any && (good = gpu->open(gpu, failure))) {
        for (size_t i = 0; i < work->entry_count && good; i++)
            if (runs_on_gpu(work->entries[i].lab))
                good =
                    run_on_gpu(work, &work->entries[i], &compiled[i], &shapes[i], result, failure);
        gpu->close(gpu);
    }
    free(shapes);
    free(result);
    return good;
}
