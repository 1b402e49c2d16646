/* hardware_report.c: what a GPU said, as part of a grade; see hardware.h. */
#include "judge/hardware.h"

#include "intake/json_text.h"
#include "judge/judge_json.h"

#include <stdio.h>
#include <string.h>

void hardware_report(const struct hardware_device *device, const struct hardware_result *result,
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

/* The first line of a reason, without the size, which stands before it already. */
static const char *first_line(const char *reason, int *length)
{
    const char *behind = strncmp(reason, "at ", 3) ? NULL : strstr(reason, ": ");
    const char *start = behind ? behind + 2 : reason;
    *length = (int)strcspn(start, "\n");
    return start;
}

bool hardware_disagrees(const struct hardware_device *device, const struct hardware_result *result,
                        const json_t *lab, char *text, size_t size)
{
    size_t index, count = 0;
    const json_t *entry;
    json_array_foreach (json_object_get(lab, "sizes"), index, entry) {
        const struct measured_size *measured = &result->sizes[index];
        int length;
        const char *reason = first_line(measured->reason, &length);
        if (!differs(json_text_of(entry, "status"), measured->status) || count++)
            continue;
        snprintf(text, size,
                 "at %" JSON_INTEGER_FORMAT " x %" JSON_INTEGER_FORMAT
                 " the emulator says %s, and %s says %s%s%.*s",
                 json_integer_value(json_object_get(entry, "rows")),
                 json_integer_value(json_object_get(entry, "cols")), json_text_of(entry, "status"),
                 device->facts.name, status_name(measured->status), length ? ": " : "",
                 length < 600 ? length : 600, reason);
    }
    size_t used = count ? strlen(text) : 0;
    if (count > 1 && used < size)
        snprintf(text + used, size - used, " (and at %zu more sizes)", count - 1);
    return count;
}

bool hardware_wants(const json_t *lab)
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
