#include "base/failure.h"

#include "base/wording.h"

#include <stdio.h>
#include <string.h>

const char *status_name(enum status status)
{
    static const char *const names[STATUS_COUNT] = {
#define X(id, text) text,
        STATUS_LIST(X)
#undef X
    };
    return (unsigned)status < STATUS_COUNT ? names[status] : "unknown";
}

const char *finding_name(enum finding_id finding)
{
    static const char *const names[FINDING_COUNT] = {"",
#define X(id, name) name,
                                                     FINDING_LIST(X)
#undef X
    };
    return (unsigned)finding < FINDING_COUNT ? names[finding] : "";
}

bool failure_student(struct failure *failure, enum status status, const char *format, ...)
{
    if (failure->kind != FAILURE_NONE)
        return false;
    failure->kind = FAILURE_STUDENT;
    failure->status = status;
    FORMAT(failure->text, sizeof failure->text, format);
    return false;
}

bool failure_harness(struct failure *failure, const char *format, ...)
{
    if (failure->kind == FAILURE_HARNESS)
        return false;
    failure->kind = FAILURE_HARNESS;
    failure->status = STATUS_OK;
    FORMAT(failure->text, sizeof failure->text, format);
    return false;
}

void findings_add(struct findings *findings, enum finding_id id, size_t at, uint32_t line)
{
    for (unsigned i = 0; i < findings->count; i++)
        if (findings->list[i].id == id)
            return;
    if (id == FINDING_NONE || findings->count == FINDINGS_MAX)
        return;
    findings->list[findings->count].id = id;
    findings->list[findings->count].at = at;
    findings->list[findings->count++].line = line;
}

void failure_find(struct failure *failure, enum finding_id id, uint32_t line)
{
    if (failure->kind == FAILURE_STUDENT)
        findings_add(&failure->findings, id, 0, line);
}

bool failure_has(const struct failure *failure, enum finding_id id)
{
    for (unsigned i = 0; i < failure->findings.count; i++)
        if (failure->findings.list[i].id == id)
            return true;
    return false;
}

bool failure_pass(struct failure *failure, const struct failure *from)
{
    if (from->kind == FAILURE_HARNESS)
        return failure_harness(failure, "%s", from->text);
    if (from->kind == FAILURE_STUDENT && failure->kind == FAILURE_NONE)
        *failure = *from;
    return from->kind == FAILURE_NONE;
}

void failure_prepend(struct failure *failure, const char *format, ...)
{
    char before[FAILURE_TEXT_SIZE];
    if (failure->kind != FAILURE_STUDENT)
        return;
    FORMAT(before, sizeof before, format);
    const size_t length = strlen(before), old = strlen(failure->text),
                 room = sizeof failure->text - 1 - length, left = old < room ? old : room;
    memmove(failure->text + length, failure->text, left);
    memcpy(failure->text, before, length);
    failure->text[length + left] = 0;
    for (unsigned i = 0; i < failure->findings.count; i++)
        failure->findings.list[i].at += length;
}

void failure_append(struct failure *failure, const struct findings *findings, const char *format,
                    ...)
{
    size_t length = strlen(failure->text);
    if (failure->kind != FAILURE_STUDENT || length + 1 >= sizeof failure->text)
        return;
    failure->text[length++] = '\n';
    FORMAT(failure->text + length, sizeof failure->text - length, format);
    for (unsigned i = 0; findings && i < findings->count; i++)
        findings_add(&failure->findings, findings->list[i].id, length + findings->list[i].at,
                     findings->list[i].line);
}

void failure_take_repair(struct failure *failure, char *repair, size_t size)
{
    const size_t length = strlen(failure->text);
    *repair = 0;
    for (unsigned i = 0; i < failure->findings.count; i++) {
        const size_t at = failure->findings.list[i].at;
        if (failure->findings.list[i].id != FINDING_REPAIR_TESTED || at < 2 || at >= length)
            continue;
        const size_t end = at + strcspn(failure->text + at, "\n");
        snprintf(repair, size, "%.*s", (int)(end - at), failure->text + at);
        memmove(failure->text + at - 2, failure->text + end, length - end + 1);
        for (unsigned j = 0; j < failure->findings.count; j++)
            if (failure->findings.list[j].at >= at)
                failure->findings.list[j].at -= j == i ? 2 : end - at + 2;
        return;
    }
}

int failure_exit_status(const struct failure *failure)
{
    return failure->kind == FAILURE_HARNESS ? 2 : failure->kind == FAILURE_STUDENT ? 1 : 0;
}
