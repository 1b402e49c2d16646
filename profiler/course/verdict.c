#include "course/verdict.h"

#include "base/wording.h"

#include <stdio.h>
#include <string.h>

bool report_add_at(struct report *report, enum finding_id id, uint32_t line, const char *format,
                   ...)
{
    size_t length = strlen(report->text);
    if (report->lines == REPORT_MAX_LINES)
        return true;
    if (report->lines++ && length + 1 < sizeof report->text)
        report->text[length++] = '\n';
    findings_add(&report->findings, id, length, line);
    FORMAT(report->text + length, sizeof report->text - length, format);
    return true;
}

void report_refine(struct report *report, enum finding_id id)
{
    const struct findings *all = &report->findings;
    if (all->count)
        findings_add(&report->findings, id, all->list[all->count - 1].at,
                     all->list[all->count - 1].line);
}

bool report_has_repair(const struct report *report)
{
    for (unsigned i = 0; i < report->findings.count; i++)
        if (report->findings.list[i].id == FINDING_REPAIR_TESTED)
            return true;
    return false;
}

bool report_add_repair(struct report *report, const char *format, ...)
{
    const size_t length = strlen(report->text) + 2;
    if (report->lines == REPORT_MAX_LINES || length >= sizeof report->text ||
        report_has_repair(report))
        return true;
    memcpy(report->text + length - 2, ". ", sizeof ". ");
    findings_add(&report->findings, FINDING_REPAIR_TESTED, length, 0);
    FORMAT(report->text + length, sizeof report->text - length, format);
    return true;
}

void report_join(struct report *report, const struct report *other)
{
    struct findings findings = other->findings;
    const size_t before = report->lines ? strlen(report->text) + 1 : 0;
    if (!other->lines || report->lines == REPORT_MAX_LINES)
        return;
    report_add(report, FINDING_NONE, "%s", other->text);
    for (unsigned i = 0; i < findings.count; i++)
        findings_add(&report->findings, findings.list[i].id, before + findings.list[i].at,
                     findings.list[i].line);
}

void report_append(const struct report *report, struct failure *failure)
{
    if (report->lines)
        failure_append(failure, &report->findings, "%s", report->text);
}

bool report_fail(const struct report *report, enum status status, struct failure *failure)
{
    if (failure->kind == FAILURE_NONE)
        failure->findings = report->findings;
    return failure_student(failure, status, "%s", report->text);
}
