/* grade_flags.c: notes and flags; see grade_work.h. */
#include "judge/grade_work.h"

#include "base/wording.h"
#include "intake/json_text.h"
#include "judge/scan.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NOTES_MAX = 50 };

void grade_note(struct grade_work *work, const char *format, ...)
{
    char text[1024];
    if (json_array_size(work->notes) == NOTES_MAX) {
        work->notes_dropped++;
        return;
    }
    FORMAT(text, sizeof text, format);
    json_array_append_new(work->notes, json_text(text, strlen(text)));
}

const char *grade_flag_name(enum grade_flag flag)
{
    static const char *const names[] = {
#define X(id, name) name,
        GRADE_FLAGS(X)
#undef X
    };
    return names[flag];
}

void grade_flag(struct grade_work *work, enum grade_flag flag, const char *format, ...)
{
    char text[1024];
    FORMAT(text, sizeof text, format);
    json_array_append_new(work->flags, json_pack("{s:s, s:o}", "kind", grade_flag_name(flag),
                                                 "evidence", json_text(text, strlen(text))));
}

static bool is_same_kernel(const struct grade_entry *a, const struct grade_entry *b)
{
    return a->rubric && b->rubric && !memcmp(a->digest, b->digest, sizeof a->digest);
}

static void flag_same_files(struct grade_work *work)
{
    for (size_t i = 0; i < work->entry_count; i++) {
        const struct grade_entry *first = &work->entries[i];
        char files[800] = "";
        bool reported = false, several = false;
        for (size_t j = 0; j < work->entry_count; j++) {
            const struct grade_entry *entry = &work->entries[j];
            size_t used = strlen(files);
            if (!is_same_kernel(first, entry))
                continue;
            reported |= j < i;
            several |= entry->rubric != first->rubric;
            snprintf(files + used, sizeof files - used, "%s%s (%s)", used ? ", " : "",
                     entry->file->name, entry->rubric->exercise.name);
        }
        if (several && !reported)
            grade_flag(work, GRADE_FLAG_SAME_FILE,
                       "%s: the files differ only in LAB(), comments and white space", files);
    }
}

enum { SUSPICIONS_MAX = 20 };

struct suspicion {
    struct grade_work *work;
    const struct grade_entry *entry;
    unsigned count;
};

static void flag_text(void *context, size_t line, const char *text, const char *why)
{
    struct suspicion *suspicion = context;
    if (suspicion->count++ < SUSPICIONS_MAX)
        grade_flag(suspicion->work, GRADE_FLAG_SUSPICIOUS_TEXT, "%s:%zu: %s: %s",
                   suspicion->entry->file->name, line, why, text + strspn(text, " \t"));
}

struct compared {
    const struct rubric *rubric;
    char numbers[256];
};

static bool is_published(const struct rubric *rubric, uint64_t number)
{
    bool found = false;
    for (unsigned i = 0; i < rubric->size_count; i++)
        found |= !rubric->sizes[i].hidden &&
                 (rubric->sizes[i].rows == number || rubric->sizes[i].cols == number);
    for (unsigned i = 0; i < rubric->run_count; i++)
        found |= !rubric->runs[i].hidden &&
                 (rubric->runs[i].rows == number || rubric->runs[i].cols == number);
    return found;
}

/* Add a number that may be a size: a number above the maximum number of threads of a block, or a
 * published size above the side of a tile that is compared for equality. */
static void add_compared(void *context, unsigned long number, bool for_equality)
{
    enum { TILE = 32, THREADS = 1024 };
    struct compared *compared = context;
    char text[24];
    size_t used = strlen(compared->numbers);
    snprintf(text, sizeof text, " %lu", number);
    const char *found = strstr(compared->numbers, text);
    if ((number > THREADS ||
         (for_equality && number > TILE && is_published(compared->rubric, number))) &&
        (!found || isdigit((unsigned char)found[strlen(text)])))
        snprintf(compared->numbers + used, sizeof compared->numbers - used, "%s", text);
}

static void flag_hard_coded(struct grade_work *work, const struct grade_entry *entry)
{
    struct compared compared = {.rubric = entry->rubric};
    scan_compared(entry->code, add_compared, &compared);
    if (entry->hard_coded || *compared.numbers)
        grade_flag(
            work, GRADE_FLAG_HARD_CODED_SIZES, "%s: %s%s%s%s%s", entry->file->name,
            entry->hard_coded
                ? "correct at all published sizes, but incorrect at a hidden size of the kind "
                : "",
            entry->hard_coded ? rubric_size_kind_name(entry->hard_coded->kind) : "",
            entry->hard_coded && *compared.numbers ? "; " : "",
            *compared.numbers ? "numbers in comparisons may be sizes:" : "", compared.numbers);
}

/* Returns true if the run uses the mechanism at all. For RUBRIC_USES_LAYOUT, returns true if the
 * run uses shared memory, but exchanges too few elements for a check of RUBRIC_USES_EXCHANGE. */
static bool leaves_trace(enum rubric_mechanism mechanism, const struct measured_run *run)
{
    return mechanism == RUBRIC_USES_LAYOUT ? measured_uses(RUBRIC_USES_SHARED, true, run) &&
                                                 !measured_uses(RUBRIC_USES_EXCHANGE, false, run)
                                           : measured_uses(mechanism, true, run);
}

static void flag_for_show(struct grade_work *work, const struct grade_entry *entry,
                          const struct measurement *measurement)
{
    for (unsigned i = 0; i < entry->rubric->check_count; i++) {
        const struct rubric_check *check = &entry->rubric->checks[i];
        const struct measured_run *runs =
            measurement->mistake ? measurement->repaired : measurement->runs;
        const struct measured_run *run = &runs[check->run];
        if (check->kind == RUBRIC_MECHANISM && !check->forbid &&
            check->run < measurement->run_count &&
            measured_status(&runs[entry->rubric->runs[check->run].twin]) == STATUS_OK &&
            measured_status(run) == STATUS_OK && leaves_trace(check->mechanism, run) &&
            measured_judge(check, run).share <= 0)
            grade_flag(work, GRADE_FLAG_FOR_SHOW,
                       "%s: \"%s\": too few elements of the result depend on the instructions for "
                       "this check",
                       entry->file->name, check->title);
    }
}

void grade_flag_measured(struct grade_work *work, const struct grade_entry *entry, const char *ptx,
                         const struct measurement *measurement)
{
    const struct rubric *rubric = entry->rubric;
    struct suspicion suspicion = {work, entry, 0};
    scan_inline_ptx(ptx, entry->file->name, entry->code, flag_text, &suspicion);
    flag_for_show(work, entry, measurement);
    if (measurement->untried_line)
        grade_flag(work, GRADE_FLAG_HARD_CODED_SIZES,
                   "%s:%" PRIu32 ": a condition depends only on the size, and it had the same "
                   "result at all tested sizes",
                   entry->file->name, measurement->untried_line);
    for (unsigned i = 0; i < measurement->run_count; i++) {
        const struct record_value *values = measurement->runs[i].record.values;
        if (values[COLUMN_rows].count != rubric->runs[i].rows ||
            values[COLUMN_cols].count != rubric->runs[i].cols)
            grade_flag(work, GRADE_FLAG_OTHER_CODE,
                       "%s: at %" PRIu64 " x %" PRIu64
                       ", the instructions that do the work differ from the instructions at the "
                       "counted size, or they require more sectors and wavefronts",
                       entry->file->name, values[COLUMN_rows].count, values[COLUMN_cols].count);
    }
}

void grade_raise_flags(struct grade_work *work)
{
    flag_same_files(work);
    for (size_t i = 0; i < work->entry_count; i++) {
        struct grade_entry *entry = &work->entries[i];
        struct suspicion suspicion = {work, entry, 0};
        scan_suspicions(entry->code, flag_text, &suspicion);
        if (suspicion.count > SUSPICIONS_MAX)
            grade_flag(work, GRADE_FLAG_SUSPICIOUS_TEXT, "%s: and %u more", entry->file->name,
                       suspicion.count - SUSPICIONS_MAX);
        if (entry->impossible_loads)
            grade_flag(work, GRADE_FLAG_IMPOSSIBLE_LOADS,
                       "%s: the result is correct, but the kernel loaded fewer bytes than the "
                       "input elements have",
                       entry->file->name);
        if (entry->rubric)
            flag_hard_coded(work, entry);
    }
}
