/* hint.c: see hint.h. */
#include "view/hint.h"

#include "base/conf.h"
#include "base/paths.h"
#include "base/whole_file.h"
#include "base/wording.h"
#include "course/exercise.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- The topic ---- */

/* Returns the goal with the largest loss; NULL if there is none. */
static const struct goal_item *worst_goal(const struct goal_list *list)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->items[i].is_goal && !list->items[i].reached && !list->items[i].redundant)
            return &list->items[i];
    return NULL;
}

bool hint_is_untouched(const struct record *record, struct exercise *exercise)
{
    char root[PATH_SIZE];
    struct failure unknown = {0};
    return record_has(record, FINDING_NOT_BEGUN) && paths_root(root, &unknown) &&
           exercise_find(root, record_text(record, COLUMN_variant), exercise, &unknown);
}

/* The hints for an incorrect kernel if the lab's hints.txt has none for the verdict. `of_result`:
 * the lab's idea for a wrong result (topic `right`) also applies. */
static const struct verdict_words {
    enum status status;
    bool of_result;
    const char *question, *idea;
} verdicts[] = {
    {STATUS_COMPILE_ERROR, false,
     "Read only the first message: which line is it about, and what does the compiler not accept "
     "there?",
     "Fix the first error and run again: later errors are often consequences of the first one."},
    {STATUS_LAUNCH_ERROR, false,
     "Which grid and block does LAB_LAUNCH return at this size, and what are the limits of the "
     "device?",
     "The grid counts blocks, and the block counts threads. Multiply the dimensions of each by "
     "hand, for the size in the message."},
    {STATUS_WRONG_RESULT, true,
     "Take one wrong element. From which input element should its value come, and from which one "
     "did it come?",
     NULL},
    {STATUS_OUT_OF_BOUNDS, true,
     "Which thread accesses memory past the end, and at which size? Which guard should exclude "
     "that "
     "thread?",
     NULL},
    {STATUS_MISALIGNED, true,
     "In which rows is the address a multiple of the number of bytes of one access?", NULL},
    {STATUS_RACE, false,
     "Which two threads access the same element, and what makes one of them wait for the other?",
     "Are the two threads in the same block? Then a barrier between the two accesses orders them. "
     "Are they in different blocks? Blocks cannot wait for each other. Let one thread own the "
     "element, or let both threads update it with atomic operations."},
    {STATUS_UNINITIALISED, false,
     "Which thread should write the value before it is read, and has it done so by then?",
     "For each element, write down which thread stores it and which thread loads it. A guard, a "
     "loop that ends early, or a border may leave elements unwritten that are read later."},
    {STATUS_DEADLOCK, false,
     "Which threads of the block never reach that barrier, and which path do they take?",
     "A thread that has nothing to load or store must still reach the barrier. It may skip only "
     "the work before and after the barrier."},
    {STATUS_TIMEOUT, false, "Which condition ends the loop, and does every thread reach it?",
     "Follow one thread on paper: what are the loop counter and its limit after the first "
     "iteration, and after the second? Does the number of iterations grow with the matrix?"},
};

static const struct verdict_words *find_words(enum status status)
{
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (verdicts[i].status == status)
            return &verdicts[i];
    return NULL;
}

/* ---- The texts ---- */

/* Copy the text; NULL and "" become NULL. Returns false if there is not enough memory. */
static bool set_level(struct hint *hint, unsigned level, const char *text)
{
    free(hint->levels[level]);
    hint->levels[level] = text && *text ? strdup(text) : NULL;
    return !text || !*text || hint->levels[level];
}

/* Returns the lab's text for a topic: of the exercise, or else of the lab; NULL if there is
 * none. */
static const char *lab_text(const struct conf *conf, const char *exercise, const char *topic,
                            const char *what)
{
    char key[2 * HINT_TOPIC_SIZE + 128];
    snprintf(key, sizeof key, "%s.%s.%s", exercise, topic, what);
    const struct conf_entry *entry = conf_find(conf, key);
    snprintf(key, sizeof key, "%s.%s", topic, what);
    entry = entry ? entry : conf_find(conf, key);
    return entry ? entry->value : NULL;
}

/* Check that each key is TOPIC.question or TOPIC.idea. */
static bool check_keys(const struct conf *conf, struct failure *failure)
{
    for (size_t i = 0; i < conf->count; i++) {
        const char *point = strrchr(conf->entries[i].key, '.');
        if (!point || point == conf->entries[i].key ||
            (strcmp(point, ".question") != 0 && strcmp(point, ".idea") != 0))
            return failure_harness(failure,
                                   "%s:%u: `%.60s` is neither TOPIC.question nor TOPIC.idea",
                                   conf->path, conf->entries[i].line, conf->entries[i].key);
    }
    return true;
}

/* Read the hints.txt beside a lab's file. A missing file is not an error. */
static bool read_hints(const char *path, struct conf *conf, struct failure *failure)
{
    char file[PATH_SIZE];
    struct stat status;
    *conf = (struct conf){0};
    if (snprintf(file, sizeof file, "%.*s" HINT_FILE, (int)(path_basename(path) - path), path) >=
        (int)sizeof file)
        return failure_harness(failure, "the path %.60s... is too long", path);
    if (stat(file, &status) && errno == ENOENT)
        return true;
    return conf_read(file, conf, failure) && check_keys(conf, failure);
}

static bool fill(const char *path, const struct lab_run *run, const struct conf *conf,
                 struct hint *hint)
{
    static struct exercise exercise;
    const struct goal_item *goal = worst_goal(&run->goals->list);
    const struct verdict_words *words = NULL;
    const char *question = NULL, *name = record_text(lab_run_record(run), COLUMN_variant);
    char pointer[FAILURE_TEXT_SIZE + 512] = "", line[512];
    if (run->wrong.kind == FAILURE_STUDENT && hint_is_untouched(lab_run_record(run), &exercise)) {
        snprintf(hint->topic, sizeof hint->topic, "start");
        snprintf(hint->about, sizeof hint->about, "no code is written yet");
        snprintf(pointer, sizeof pointer, "%s", exercise.first_step);
    } else if (run->wrong.kind == FAILURE_STUDENT) {
        words = find_words(run->wrong.status);
        snprintf(hint->topic, sizeof hint->topic, "%s", status_name(run->wrong.status));
        snprintf(hint->about, sizeof hint->about, "%s", status_name(run->wrong.status));
        snprintf(pointer, sizeof pointer, "%s", run->wrong.text);
        question = words ? words->question : NULL;
    } else if (goal) {
        snprintf(hint->topic, sizeof hint->topic, "%s", goal->id);
        snprintf(hint->about, sizeof hint->about, "the goal is not reached: %s", goal->title);
        APPEND(pointer, "%s", goal->text);
        if (text_quote_line(path, goal->line, line, sizeof line))
            APPEND(pointer, "\nline %u: %s", goal->line, line);
        question = goal->hint;
    } else {
        return true;
    }
    const char *own = lab_text(conf, name, hint->topic, "question"),
               *idea = lab_text(conf, name, hint->topic, "idea");
    if (words && words->status == STATUS_WRONG_RESULT && !own)
        own = lab_text(conf, name, "right", "question");
    if (words && words->of_result && !idea)
        idea = lab_text(conf, name, "right", "idea");
    return set_level(hint, 0, own ? own : question) && set_level(hint, 1, pointer) &&
           set_level(hint, 2, idea || !words ? idea : words->idea);
}

bool hint_find(const char *path, const struct lab_run *run, struct hint *hint,
               struct failure *failure)
{
    struct conf conf;
    *hint = (struct hint){0};
    bool good = read_hints(path, &conf, failure);
    if (good && !fill(path, run, &conf, hint))
        good = failure_harness(failure, "not enough memory");
    conf_free(&conf);
    return good;
}

void hint_free(struct hint *hint)
{
    for (unsigned i = 0; i < HINT_LEVELS; i++)
        free(hint->levels[i]);
}

/* ---- The levels that were given ---- */

static bool read_given(const char *path, char file[PATH_SIZE], struct conf *conf)
{
    struct failure ignored = {0};
    *conf = (struct conf){0};
    return history_path(path, "hints", file) && conf_read(file, conf, &ignored);
}

unsigned hint_given(const char *path, const char *topic)
{
    char file[PATH_SIZE];
    struct conf conf;
    const struct conf_entry *entry = read_given(path, file, &conf) ? conf_find(&conf, topic) : NULL;
    unsigned long given = entry ? strtoul(entry->value, NULL, 10) : 0;
    conf_free(&conf);
    return given > HINT_LEVELS ? HINT_LEVELS : (unsigned)given;
}

void hint_remember(const char *path, const char *topic, unsigned levels)
{
    char file[PATH_SIZE];
    struct conf conf;
    struct whole_file written;
    struct failure ignored = {0};
    read_given(path, file, &conf);
    if (history_path(path, "hints", file) &&
        path_make_directories(file, 0700, &(struct failure){0}) &&
        whole_file_open(&written, file, &ignored)) {
        written.can_be_lost = true;
        for (size_t i = 0; i < conf.count; i++)
            if (strcmp(conf.entries[i].key, topic) != 0)
                fprintf(written.stream, "%s = %s\n", conf.entries[i].key, conf.entries[i].value);
        fprintf(written.stream, "%s = %u\n", topic, levels);
        whole_file_keep(&written, &ignored);
    }
    conf_free(&conf);
}
