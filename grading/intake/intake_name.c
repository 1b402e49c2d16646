#define _GNU_SOURCE
#include "intake/intake_name.h"

#include "base/paths.h"
#include "intake/archive.h"
#include "intake/intake.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { PART_MAX = 255, NAME_MAX_BYTES = 1023 };

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);
    return length > end_length && !strcasecmp(name + length - end_length, end);
}

static const struct {
    const char *ending;
    enum intake_file_kind kind;
} endings[] = {
    {".cu", INTAKE_SOURCE},     {".cuh", INTAKE_SOURCE},      {".h", INTAKE_SOURCE},
    {".hpp", INTAKE_SOURCE},    {".hh", INTAKE_SOURCE},       {".hxx", INTAKE_SOURCE},
    {".inl", INTAKE_SOURCE},    {".txt", INTAKE_MAYBE},       {".text", INTAKE_MAYBE},
    {".cpp", INTAKE_MAYBE},     {".cc", INTAKE_MAYBE},        {".cxx", INTAKE_MAYBE},
    {".c++", INTAKE_MAYBE},     {".c", INTAKE_MAYBE},         {".ipynb", INTAKE_NOTEBOOK},
    {".pdf", INTAKE_DOCUMENT},  {".doc", INTAKE_DOCUMENT},    {".docx", INTAKE_DOCUMENT},
    {".odt", INTAKE_DOCUMENT},  {".rtf", INTAKE_DOCUMENT},    {".pages", INTAKE_DOCUMENT},
    {".html", INTAKE_PAGE},     {".htm", INTAKE_PAGE},        {".pptx", INTAKE_DOCUMENT},
    {".png", INTAKE_DOCUMENT},  {".jpg", INTAKE_DOCUMENT},    {".jpeg", INTAKE_DOCUMENT},
    {".heic", INTAKE_DOCUMENT}, {".webp", INTAKE_DOCUMENT},   {".gif", INTAKE_DOCUMENT},
    {".gdoc", INTAKE_DOCUMENT}, {".webloc", INTAKE_DOCUMENT}, {".url", INTAKE_DOCUMENT},
    {".lnk", INTAKE_DOCUMENT},
};

bool intake_name_is_cu(const char *name)
{
    return ends_with(name, ".cu");
}

static size_t number_between(const char *text)
{
    size_t length = *text == '_' ? strspn(text + 1, "0123456789") : 0;
    return length && text[1 + length] == '_' ? length : 0;
}

static bool parse_moodle(const char *name, struct intake_name *parsed)
{
    static const char *const marks[] = {"_assignsubmission_file", "_assignsubmission_onlinetext"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *mark = strstr(name, marks[i]);
        if (!mark)
            continue;
        const char *number = mark;
        while (number > name && number[-1] >= '0' && number[-1] <= '9')
            number--;
        const char *file = mark + strlen(marks[i]);
        if (number == mark || number - name < 2 || number[-1] != '_' || (*file && *file != '_'))
            continue;
        *parsed = (struct intake_name){.platform = INTAKE_MOODLE,
                                       .person = name,
                                       .person_length = (size_t)(number - 1 - name),
                                       .number = number,
                                       .number_length = (size_t)(mark - number),
                                       .file = *file ? file + 1 : file};
        return true;
    }
    return false;
}

static bool parse_canvas(const char *name, struct intake_name *parsed)
{
    static const char late_mark[] = "_LATE";
    size_t person = strcspn(name, "_");
    const char *next = name + person;
    bool late =
        !strncmp(next, late_mark, strlen(late_mark)) && number_between(next + strlen(late_mark));
    next += late ? strlen(late_mark) : 0;
    size_t number = number_between(next);
    if (!person || !number)
        return false;
    const char *attempt = next + 1 + number;
    size_t attempt_length = number_between(attempt);
    bool typed = !strcmp(attempt, "_text.html") || !strcmp(attempt, "_link.html");
    if (!typed && (!attempt_length || !attempt[attempt_length + 2]))
        return false;
    *parsed = (struct intake_name){.platform = INTAKE_CANVAS,
                                   .person = name,
                                   .person_length = person,
                                   .number = next + 1,
                                   .number_length = number,
                                   .upload = typed ? NULL : attempt + 1,
                                   .file = typed ? attempt + 1 : attempt + attempt_length + 2,
                                   .late = late};
    return true;
}

void intake_name_parse(const char *name, struct intake_name *parsed)
{
    if (parse_moodle(name, parsed) || parse_canvas(name, parsed))
        return;
    size_t length = archive_stem(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length == strlen(name) && ends_with(name, endings[i].ending))
            length -= strlen(endings[i].ending);
    if (length > 3 && !strncasecmp(name + length - 3, ".cu", 3))
        length -= strlen(".cu");
    *parsed = (struct intake_name){
        .platform = INTAKE_PLAIN, .person = name, .person_length = length, .file = name};
}

static bool is_junk(const char *part, size_t length)
{
    static const char *const names[] = {"__MACOSX", "Thumbs.db", "desktop.ini"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length == strlen(names[i]) && !strncasecmp(part, names[i], length))
            return true;
    return part[0] == '.' && length > 1 && strncmp(part, "..", length);
}

/* Returns true for names of copies, such as "padded.cu (1)", "padded.cu_" or "padded.cu.". */
static bool is_cu_with_more(const char *base)
{
    for (const char *at = base; (at = strcasestr(at, ".cu")); at++)
        if (at > base && at[3] && !isalnum((unsigned char)at[3]) && (at[3] != '.' || !at[4]) &&
            at[3] != '~')
            return true;
    return false;
}

enum intake_file_kind intake_name_kind(const char *path)
{
    for (const char *part = path; *part;) {
        size_t length = strcspn(part, "/");
        if (is_junk(part, length))
            return INTAKE_JUNK;
        part += length + (part[length] == '/');
    }
    const char *base = path_basename(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(base, endings[i].ending))
            return endings[i].kind;
    if (archive_is_name(base))
        return INTAKE_ARCHIVE;
    return !strchr(base, '.') || is_cu_with_more(base) ? INTAKE_MAYBE : INTAKE_OTHER;
}

bool intake_name_make_safe(char *path)
{
    char *out = path;
    size_t depth = 0;
    if (*path == '/')
        return false;
    for (const char *part = path; *part;) {
        size_t length = strcspn(part, "/");
        const char *next = part + length + (part[length] == '/');
        bool keep = length && !(length == 1 && *part == '.');
        if ((length == 2 && !strncmp(part, "..", 2)) || length > PART_MAX ||
            (keep && depth++ > INTAKE_DEPTH_MAX))
            return false;
        if (keep) {
            if (out != path)
                *out++ = '/';
            memmove(out, part, length);
            if (*out == '-')
                *out = '_';
            out += length;
        }
        part = next;
    }
    *out = 0;
    return out > path && out - path <= NAME_MAX_BYTES;
}
