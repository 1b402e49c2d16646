#include "base/conf.h"

#include "base/array.h"
#include "base/whole_file.h"

#include <stdlib.h>
#include <string.h>

enum { CONF_MAX_BYTES = 1 << 20 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static char *text_trim(char *begin, char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    while (begin < end && is_blank(end[-1]))
        end--;
    *end = '\0';
    return begin;
}

static bool line_parse(const struct conf *conf, char *line, unsigned number,
                       struct conf_entry *entry, struct failure *failure)
{
    char *equals = strchr(line, '=');
    if (!equals)
        return failure_harness(failure, "%s:%u: expected `key = value`, found `%.60s`", conf->path,
                               number, line);
    *entry = (struct conf_entry){
        .key = text_trim(line, equals),
        .value = text_trim(equals + 1, equals + 1 + strlen(equals + 1)),
        .line = number,
    };
    if (*entry->key == '\0')
        return failure_harness(failure, "%s:%u: no key before `=`", conf->path, number);
    return true;
}

static bool lines_parse(struct conf *conf, size_t size, struct failure *failure)
{
    char *text = conf->text;
    unsigned number = 0;
    for (char *line = text, *next; line <= text + size; line = next) {
        number++;
        char *end = memchr(line, '\n', (size_t)(text + size - line));
        if (!end)
            end = text + size;
        next = end + 1;
        if (memchr(line, '\0', (size_t)(end - line)))
            return failure_harness(failure, "%s:%u: a NUL byte: this is not a text file",
                                   conf->path, number);
        char *comment = memchr(line, '#', (size_t)(end - line));
        line = text_trim(line, comment ? comment : end);
        if (*line == '\0')
            continue;
        if (!array_make_room(&conf->entries, conf->count, sizeof *conf->entries))
            return failure_harness(failure, "not enough memory to read %s", conf->path);
        if (!line_parse(conf, line, number, &conf->entries[conf->count], failure))
            return false;
        conf->count++;
    }
    return true;
}

static int entry_compare(const void *left, const void *right)
{
    const struct conf_entry *a = *(const struct conf_entry *const *)left;
    const struct conf_entry *b = *(const struct conf_entry *const *)right;
    int order = strcmp(a->key, b->key);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

static bool keys_check_unique(const struct conf *conf, struct failure *failure)
{
    if (conf->count < 2)
        return true;
    const struct conf_entry **sorted = malloc(conf->count * sizeof(*sorted));
    if (!sorted)
        return failure_harness(failure, "not enough memory to read %s", conf->path);
    for (size_t i = 0; i < conf->count; i++)
        sorted[i] = &conf->entries[i];
    qsort(sorted, conf->count, sizeof(*sorted), entry_compare);
    bool unique = true;
    for (size_t i = 1; i < conf->count && unique; i++)
        if (strcmp(sorted[i]->key, sorted[i - 1]->key) == 0)
            unique =
                failure_harness(failure, "%s:%u: `%.60s` is given twice, first on line %u",
                                conf->path, sorted[i]->line, sorted[i]->key, sorted[i - 1]->line);
    free(sorted);
    return unique;
}

bool conf_read(const char *path, struct conf *conf, struct failure *failure)
{
    size_t size;
    *conf = (struct conf){.path = strdup(path)};
    if (!conf->path)
        return failure_harness(failure, "not enough memory to read %s", path);
    conf->text = whole_file_read(path, CONF_MAX_BYTES, &size, failure);
    bool done = conf->text && lines_parse(conf, size, failure) && keys_check_unique(conf, failure);
    if (!done)
        conf_free(conf);
    return done;
}

void conf_free(struct conf *conf)
{
    free(conf->entries);
    free(conf->text);
    free(conf->path);
    *conf = (struct conf){0};
}

const struct conf_entry *conf_find(const struct conf *conf, const char *key)
{
    for (size_t i = 0; i < conf->count; i++)
        if (strcmp(conf->entries[i].key, key) == 0)
            return &conf->entries[i];
    return NULL;
}

bool conf_check_keys(const struct conf *conf, const char *const *known, struct failure *failure)
{
    for (size_t i = 0; i < conf->count; i++) {
        size_t k = 0;
        while (known[k] && strcmp(known[k], conf->entries[i].key) != 0)
            k++;
        if (!known[k])
            return failure_harness(failure, "%s:%u: unknown key `%.60s`", conf->path,
                                   conf->entries[i].line, conf->entries[i].key);
    }
    return true;
}
