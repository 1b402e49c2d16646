/* hint.c: each lab file has a file of saved topics, with one line per topic: `NAME = LEVELS LINE
 * HASH STAGE`. LEVELS is the number of levels that the student has seen. HASH is the hash of the
 * text of source line LINE. STAGE is the last stage that the run reached. A later run that fails at
 * an earlier stage does not show whether the student has repaired this mistake. */
#include "view/hint.h"

#include "base/bits.h"
#include "base/conf.h"
#include "base/paths.h"
#include "base/whole_file.h"
#include "base/wording.h"
#include "process/allocate.h"
#include "record/record_history.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_SIZE = 48 };

struct hint_topic {
    char name[NAME_SIZE]; /* "" if there is nothing to fix. */
    uint32_t line;
    bool is_general; /* True for a symptom with many possible causes. */
    const struct goal_item *goal;
    const char *about; /* The state of a correct kernel that has a note. */
};

static bool is_remark(enum finding_id id)
{
    return id == FINDING_LAUNCHED || id == FINDING_EDGES_ONLY || id == FINDING_REPAIR_TESTED ||
           id == FINDING_COMPILER_WARNING || id == FINDING_NOT_BEGUN;
}

/* Returns true for a finding with many possible causes. Specific findings have priority. */
static bool is_general(enum finding_id id)
{
    switch (id) {
    case FINDING_UNWRITTEN:
    case FINDING_UNWRITTEN_PERIODIC:
    case FINDING_UNWRITTEN_END:
    case FINDING_UNWRITTEN_TILES:
    case FINDING_FOREIGN:
    case FINDING_MISPLACED:
    case FINDING_WRONG_ELEMENTS:
    case FINDING_STORED_REPEATEDLY:
    case FINDING_GUARD_MISSING:
    case FINDING_RACE_SAME_LINE:
    case FINDING_RACE_NO_BARRIER:
    case FINDING_AND_QUESTION:
    case FINDING_RETURN_QUESTION:
        return true;
    default:
        return false;
    }
}

static bool is_cause(enum finding_id id)
{
    return id == FINDING_READ_REPEATEDLY || id == FINDING_BLOCK_OVERLAP ||
           id == FINDING_PADDING_MISPLACED || id == FINDING_WRITTEN_REPEATEDLY ||
           id == FINDING_LOOP_TOO_LONG || id == FINDING_PRECEDENCE || id == FINDING_BLOCKS_IDLE ||
           id == FINDING_GRID_EXPENSIVE;
}

/* Set the topic to the finding that a tested repair removes, unless that finding is
 * FINDING_EXPRESSION, which has general hints. Otherwise, set it to the first specific finding;
 * without specific findings, to the first finding. */
static void take_finding(const struct failure *wrong, struct hint_topic *topic)
{
    const struct findings *all = &wrong->findings;
    unsigned best = FINDINGS_MAX;
    for (unsigned i = 0; i < all->count; i++) {
        if (all->list[i].id == FINDING_REPAIR_TESTED && i && !is_remark(all->list[i - 1].id)) {
            if (all->list[i - 1].id != FINDING_EXPRESSION)
                best = i - 1;
            break;
        }
        if (!is_remark(all->list[i].id) &&
            (best == FINDINGS_MAX ||
             (is_general(all->list[best].id) && !is_general(all->list[i].id))))
            best = i;
    }
    if (best == FINDINGS_MAX)
        return;
    /* The next finding of the same sentence is more precise (report_refine). */
    if (best + 1 < all->count && all->list[best + 1].at == all->list[best].at &&
        (all->list[best].id == FINDING_REFERENCE_MISTAKE ||
         (all->list[best + 1].id >= FINDING_UNWRITTEN_PERIODIC &&
          all->list[best + 1].id <= FINDING_UNWRITTEN_TILES)))
        best++;
    snprintf(topic->name, sizeof topic->name, "%s", finding_name(all->list[best].id));
    topic->is_general = is_general(all->list[best].id);
    if (all->list[best].line)
        topic->line = all->list[best].line;
}

static void find_topic(const struct failure *wrong, const struct goal_list *goals,
                       struct hint_topic *topic)
{
    *topic = (struct hint_topic){.line = wrong->line};
    if (failure_has(wrong, FINDING_NOT_BEGUN)) {
        *topic = (struct hint_topic){.name = "start"};
    } else if (wrong->kind == FAILURE_STUDENT) {
        snprintf(topic->name, sizeof topic->name, "%s", status_name(wrong->status));
        topic->is_general = true;
        take_finding(wrong, topic);
    } else {
        for (unsigned i = 0; i < goals->count; i++) {
            const struct goal_item *item = &goals->items[i];
            if (item->is_goal && !item->reached && !item->redundant &&
                (!topic->goal || (topic->goal->narrow && !item->narrow)))
                topic->goal = item;
        }
        for (unsigned i = 0; i < goals->note_count; i++)
            if ((!*topic->name || goals->notes[i].id == FINDING_BLOCK_OVERLAP) &&
                goals->notes[i].id != FINDING_OTHER_SIZE &&
                goals->notes[i].id != FINDING_GOALS_UNKNOWN &&
                (!topic->goal || is_cause(goals->notes[i].id)))
                snprintf(topic->name, sizeof topic->name, "%s", finding_name(goals->notes[i].id));
        if (*topic->name) {
            topic->about = !strcmp(topic->name, finding_name(FINDING_WRONG_BEYOND))
                               ? "incorrect at larger sizes"
                           : topic->goal ? "a goal is not reached"
                                         : "a note on a correct kernel";
            topic->goal = NULL;
        } else if (topic->goal) {
            snprintf(topic->name, sizeof topic->name, "%s", topic->goal->id);
            topic->line = topic->goal->line;
        }
    }
}

enum { STAGE_COMPILED = 1, STAGE_LAUNCHED, STAGE_CORRECT };

struct place {
    unsigned levels, stage;
    uint32_t line;
    uint64_t hash;
};

static unsigned stage_of(const struct failure *wrong)
{
    return wrong->kind == FAILURE_NONE             ? STAGE_CORRECT
           : wrong->status == STATUS_COMPILE_ERROR ? 0
           : wrong->status == STATUS_LAUNCH_ERROR  ? STAGE_COMPILED
                                                   : STAGE_LAUNCHED;
}

static uint64_t hash_of_line(const char *path, uint32_t line)
{
    char text[512] = "";
    text_quote_line(path, line, text, sizeof text);
    return hash_bytes(HASH_START, text, strlen(text));
}

static bool read_place(const struct conf_entry *entry, struct place *place)
{
    *place = (struct place){0};
    return entry && sscanf(entry->value, "%u %" SCNu32 " %" SCNx64 " %u", &place->levels,
                           &place->line, &place->hash, &place->stage) == 4;
}

static bool read_memory(const char *path, char file[PATH_SIZE], struct conf *conf)
{
    struct failure ignored = {0};
    *conf = (struct conf){0};
    return history_path(path, "hints", file) && conf_read(file, conf, &ignored);
}

static unsigned count_given(const char *path, const struct hint_topic *topic)
{
    char file[PATH_SIZE];
    struct conf conf;
    struct place place = {0};
    if (read_memory(path, file, &conf) && read_place(conf_find(&conf, topic->name), &place) &&
        place.line != topic->line && place.hash != hash_of_line(path, topic->line))
        place.levels = 0;
    conf_free(&conf);
    return place.levels;
}

/* Returns true if the kernel may still contain a saved mistake after a run that reached `stage`. */
static bool is_open(const struct place *place, const char *name, unsigned stage,
                    const struct goal_list *goals)
{
    bool open = place->stage > stage;
    for (unsigned i = 0; i < goals->count && stage == STAGE_CORRECT; i++)
        open |=
            place->stage == stage && !goals->items[i].reached && !strcmp(goals->items[i].id, name);
    return open;
}

void hint_remember(const char *path, const struct failure *wrong, const struct goal_list *goals,
                   unsigned levels)
{
    char file[PATH_SIZE];
    struct conf conf;
    struct whole_file written;
    struct hint_topic topic;
    struct failure ignored = {0};
    const unsigned stage = stage_of(wrong);
    find_topic(wrong, goals, &topic);
    const bool any = read_memory(path, file, &conf) && conf.count;
    const unsigned given = levels || !any ? levels : count_given(path, &topic);
    if ((any || levels) && history_path(path, "hints", file) &&
        path_make_directories(file, 0700, &ignored) && whole_file_open(&written, file, &ignored)) {
        written.can_be_lost = true;
        for (size_t i = 0; i < conf.count; i++) {
            struct place place;
            if (strcmp(conf.entries[i].key, topic.name) != 0 &&
                read_place(&conf.entries[i], &place) &&
                is_open(&place, conf.entries[i].key, stage, goals))
                fprintf(written.stream, "%s = %s\n", conf.entries[i].key, conf.entries[i].value);
        }
        if (given)
            fprintf(written.stream, "%s = %u %" PRIu32 " %" PRIx64 " %u\n", topic.name, given,
                    topic.line, hash_of_line(path, topic.line), stage);
        whole_file_keep(&written, &ignored);
    }
    conf_free(&conf);
}

static const char *const kinds[] = {"question", "where", "idea"};

struct hint_search {
    struct conf lab, general;
    const char *exercise, *path;
    const struct failure *wrong;
    struct hint_topic topic;
};

static const char *find_in(const struct conf *conf, const char *exercise, const char *topic,
                           const char *kind)
{
    char key[256];
    snprintf(key, sizeof key, "%s.%s.%s", exercise, topic, kind);
    const struct conf_entry *entry = conf_find(conf, key);
    snprintf(key, sizeof key, "%s.%s", topic, kind);
    entry = entry ? entry : conf_find(conf, key);
    return entry ? entry->value : NULL;
}

static const char *find_text(const struct hint_search *search, const char *kind)
{
    const struct hint_topic *topic = &search->topic;
    const char *verdict = status_name(search->wrong->status),
               *text = find_in(&search->lab, search->exercise, topic->name, kind);
    const bool failed = search->wrong->kind == FAILURE_STUDENT && strcmp(topic->name, "start");
    if (!text && failed && topic->is_general)
        text = find_in(&search->lab, search->exercise, verdict, kind);
    if (!text && failed && topic->is_general && search->wrong->status == STATUS_WRONG_RESULT)
        text = find_in(&search->lab, search->exercise, "right", kind);
    if (!text && topic->goal && !strcmp(kind, kinds[0]) && text_ends_with(topic->goal->hint, "?"))
        text = topic->goal->hint;
    if (!text)
        text = find_in(&search->general, "", topic->name, kind);
    return text || !failed ? text : find_in(&search->general, "", verdict, kind);
}

/* Set a level. Replace {file} and {line}; if the line is unknown, omit sentences with {line}. */
static void set_level(const struct hint_search *search, struct hint *hint, unsigned level,
                      const char *text)
{
    char whole[FAILURE_TEXT_SIZE] = "";
    size_t sentence = 0;
    for (const char *at = text ? text : ""; *at; at++) {
        if (!strncmp(at, "{file}", 6)) {
            APPEND(whole, "%s", search->path);
            at += 5;
        } else if (!strncmp(at, "{line}", 6) && search->topic.line) {
            APPEND(whole, "%" PRIu32, search->topic.line);
            at += 5;
        } else if (!strncmp(at, "{line}", 6)) {
            whole[sentence] = 0;
            at += strcspn(at, ".?");
            at += at[0] && at[1] == ' ';
        } else {
            APPEND(whole, "%c", *at);
        }
        if (!*at)
            break;
        if (at > text + 1 && *at == ' ' && strchr(".?", at[-1]))
            sentence = strlen(whole);
    }
    hint->levels[level] = *whole ? allocate_checked(strdup(whole)) : NULL;
}

static bool check_keys(const struct conf *conf, struct failure *failure)
{
    for (size_t i = 0; i < conf->count; i++) {
        const char *point = strrchr(conf->entries[i].key, '.');
        bool known = false;
        for (unsigned k = 0; point && k < sizeof kinds / sizeof *kinds; k++)
            known |= point > conf->entries[i].key && !strcmp(point + 1, kinds[k]);
        if (!known)
            return failure_harness(
                failure, "%s:%u: `%.60s` is not TOPIC.question, TOPIC.where or TOPIC.idea",
                conf->path, conf->entries[i].line, conf->entries[i].key);
    }
    return true;
}

static bool read_hints(struct hint_search *search, struct failure *failure)
{
    char file[PATH_SIZE];
    struct stat status;
    const int length = (int)(path_basename(search->path) - search->path);
    if (!path_format(file, failure, "%.*s" HINT_FILE, length, search->path) ||
        (!(stat(file, &status) && errno == ENOENT) &&
         !(conf_read(file, &search->lab, failure) && check_keys(&search->lab, failure))))
        return false;
    return paths_in_root("profiler/view/hints.conf", file, failure) &&
           conf_read(file, &search->general, failure);
}

static void fill(const struct hint_search *search, struct hint *hint)
{
    const struct goal_item *goal = search->topic.goal;
    char repair[FAILURE_TEXT_SIZE];
    struct failure wrong = *search->wrong;
    failure_take_repair(&wrong, repair, sizeof repair);
    snprintf(hint->about, sizeof hint->about, "%s%s",
             !strcmp(search->topic.name, "start") ? "no code is written yet"
             : goal                               ? "the goal is not reached: "
             : wrong.kind == FAILURE_STUDENT      ? status_name(wrong.status)
                                                  : search->topic.about,
             goal ? goal->title : "");
    for (unsigned i = 0; i < HINT_REPAIR; i++)
        set_level(search, hint, i, find_text(search, kinds[i]));
    set_level(search, hint, HINT_REPAIR, repair);
}

bool hint_find(const char *path, const struct record *record, const struct failure *wrong,
               const struct goal_list *goals, struct hint *hint, struct failure *failure)
{
    struct hint_search search = {
        .path = path, .wrong = wrong, .exercise = record_text(record, COLUMN_variant)};
    *hint = (struct hint){.is_empty = true};
    find_topic(wrong, goals, &search.topic);
    bool good = read_hints(&search, failure);
    hint->is_empty = !*search.topic.name;
    if (good && !hint->is_empty) {
        hint->given = count_given(path, &search.topic);
        fill(&search, hint);
    }
    conf_free(&search.lab);
    conf_free(&search.general);
    return good;
}

void hint_free(struct hint *hint)
{
    for (unsigned i = 0; i < HINT_LEVELS; i++)
        free(hint->levels[i]);
}
