#include "commands/watch_screen.h"

#include "base/terminal.h"
#include "base/wording.h"
#include "commands/screen.h"
#include "course/exercise.h"
#include "picture/picture.h"
#include "process/child.h"
#include "process/toolkit.h"
#include "view/changes.h"
#include "view/explain.h"

#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_COLUMNS = 24, OUTPUT_BYTES = 1 << 20, QUOTED_LINES = 4 };

static const char keys[] = "h hint  e explain  p picture  r report  n next lab  q quit";

extern char **environ;

static void print_source(FILE *out, const char *path, unsigned line)
{
    char text[256];
    if (text_quote_line(path, line, text, sizeof text))
        fprintf(out, "%5u | %s\n", line, text);
}

static void print_goals(FILE *out, const struct goal_list *list)
{
    const char *plain = terminal_paint(TERMINAL_PLAIN);
    const unsigned full = list->goals ? BAR_COLUMNS * list->reached / list->goals : BAR_COLUMNS;
    fprintf(out, "goals [%s", terminal_paint(TERMINAL_GOOD));
    for (unsigned i = 0; i < BAR_COLUMNS; i++)
        putc(i < full ? '#' : '.', out);
    fprintf(out, "%s] %u of %u reached\n", plain, list->reached, list->goals);
    for (unsigned i = 0; i < list->count; i++) {
        const struct goal_item *item = &list->items[i];
        if (item->is_goal && !(item->redundant && !item->reached))
            fprintf(out, "  %s%s%s  %s\n",
                    terminal_paint(item->reached ? TERMINAL_GOOD : TERMINAL_PART),
                    item->reached ? "ok" : "--", plain,
                    item->reached || !*item->text ? item->title : item->text);
    }
    for (unsigned i = 0; i < list->note_count; i++)
        fprintf(out, "  note: %s\n", list->notes[i].text);
}

/* Print a diagnosis, and the source lines that it names. Returns the first of these lines, or 0. */
static unsigned print_wrong(FILE *out, const char *path, const struct failure *wrong)
{
    unsigned first = wrong->line, quoted = 0;
    fprintf(out, "%s%s%s\n%s\n", terminal_paint(TERMINAL_BAD), status_name(wrong->status),
            terminal_paint(TERMINAL_PLAIN), wrong->text);
    if (wrong->line)
        print_source(out, path, wrong->line);
    for (unsigned i = 0; i < wrong->findings.count && quoted < QUOTED_LINES; i++) {
        const unsigned line = wrong->findings.list[i].line;
        if (!line || line == wrong->line)
            continue;
        print_source(out, path, line);
        first = first ? first : line;
        quoted++;
    }
    fputs(wrong->map, out);
    return first;
}

static void print_right(FILE *out, struct watched *watched, const struct lab_run *run,
                        const struct device *device)
{
    struct advice advice = {.about = ADVICE_NONE};
    const struct goal_list *list = &run->goals->list;
    print_goals(out, list);
    watched->is_open = list->reached < list->goals;
    fprintf(out, "\n%.4g us modelled, %.1f %% of the bandwidth of a copy\n",
            watched->record.values[COLUMN_time_us].real,
            watched->record.values[COLUMN_copy_pct].real);
    if (watched->has_before)
        changes_print(out, &watched->before, &watched->record);
    if (run->lines.lines) {
        explain_lines(run->lines.lines, LINE_WATCH_LINES, device, &run->lines.time_goes, &advice);
        fprintf(out, "\n%s\n", advice.text);
        print_source(out, watched->path, (unsigned)advice.line);
    }
    watched->line = (unsigned)advice.line;
    for (unsigned i = 0; i < list->count && !watched->line; i++)
        watched->line = list->items[i].line;
    watched->picture = advice.about == ADVICE_CONFLICTS ? "banks" : "sectors";
}

void watch_screen_take(struct watched *watched, const struct lab_run *run,
                       const struct device *device)
{
    size_t size;
    free(watched->text);
    watched->text = NULL;
    watched->record = *lab_run_record(run);
    watched->is_open = true;
    watched->picture = "sectors";
    FILE *out = open_memstream(&watched->text, &size);
    if (!out)
        return;
    if (run->wrong.kind == FAILURE_NONE)
        print_right(out, watched, run, device);
    else
        watched->line = print_wrong(out, watched->path, &run->wrong);
    fclose(out);
}

/* Run `tlab WORD...` with the size and device of the last run. Returns malloc'd output or NULL. */
static char *run_command(const struct watched *watched, const char *const *words)
{
    static const struct child_limits limits = {.seconds = 120,
                                               .memory_bytes = UINT64_MAX,
                                               .output_bytes = OUTPUT_BYTES,
                                               .starts_others = true};
    const struct record_value *values = watched->record.values;
    char self[PATH_SIZE], *text = NULL;
    struct arguments line = {0};
    struct child_result result;
    struct failure failure = {0};
    size_t size;
    if (!paths_of_program(NULL, self, &failure))
        return NULL;
    arguments_add(&line, "%s", self);
    arguments_add_all(&line, words);
    if (values[COLUMN_rows].count) {
        arguments_add(&line, "--rows=%" PRIu64, values[COLUMN_rows].count);
        arguments_add(&line, "--cols=%" PRIu64, values[COLUMN_cols].count);
        arguments_add(&line, "--device=%s", record_text(&watched->record, COLUMN_device));
    }
    const bool good =
        child_run_program((const char *const *)line.words, NULL, NULL, &limits, &result, &failure);
    arguments_free(&line);
    if (!good)
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        fwrite(result.output, 1, result.output_bytes, out);
        fwrite(result.messages, 1, result.messages_bytes, out);
        fclose(out);
    }
    child_result_free(&result);
    return text;
}

static bool open_on_desktop(const char *path)
{
    char program[PATH_SIZE];
    char *const words[] = {program, (char *)path, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    if ((!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) || access(path, R_OK) ||
        !program_find("xdg-open", program, sizeof program) ||
        posix_spawn_file_actions_init(&actions))
        return false;
    for (int descriptor = 0; descriptor < 3; descriptor++)
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
    const bool good = !posix_spawn(&pid, program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return good;
}

static void stem_of(const char *path, char stem[PATH_SIZE])
{
    snprintf(stem, PATH_SIZE, "%s", path_basename(path));
    if (text_ends_with(stem, ".cu"))
        stem[strlen(stem) - 3] = 0;
}

static char *draw(const struct watched *watched)
{
    char stem[PATH_SIZE], image[2 * PATH_SIZE], data[2 * PATH_SIZE], *text = NULL;
    size_t size;
    stem_of(watched->path, stem);
    snprintf(image, sizeof image, "%s-%s.png", watched->picture, stem);
    snprintf(data, sizeof data, "%s-%s.csv", watched->picture, stem);
    unlink(image);
    unlink(data);
    const char *const words[] = {"picture", watched->picture, watched->path, NULL};
    char *said = run_command(watched, words);
    FILE *out = open_memstream(&text, &size);
    if (out) {
        if (open_on_desktop(image))
            fprintf(out, "opened %s\n", image);
        else
            picture_text_print(out, data, screen_has_blocks());
        fprintf(out, "\n%s", said ? said : "");
        fclose(out);
    }
    free(said);
    return text;
}

static char *explain(const struct watched *watched)
{
    char line[16];
    const char *const words[] = {"explain", watched->path, "--line", line, NULL};
    snprintf(line, sizeof line, "%u", watched->line);
    return watched->line
               ? run_command(watched, words)
               : strdup("There is no access to explain: no single line causes the problem.\n");
}

static char *report(const struct watched *watched)
{
    char stem[PATH_SIZE], page[2 * PATH_SIZE];
    const char *const words[] = {"report", watched->path, NULL};
    char *said = run_command(watched, words);
    stem_of(watched->path, stem);
    snprintf(page, sizeof page, "report-%s.html", stem);
    open_on_desktop(page);
    return said;
}

static const struct {
    int key;
    const char *title;
    char *(*make)(const struct watched *watched); /* NULL to run the command `title` */
} actions[] = {{'h', "hint", NULL},
               {'e', "explain", explain},
               {'p', "picture", draw},
               {'r', "report", report}};

/* Returns the file that the keys apply to: the first unfinished file, or else the first file. */
static const struct watched *subject_of(const struct watched *watched, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (watched[i].is_open)
            return &watched[i];
    return &watched[0];
}

static void make_title(const char *lab, const struct watched *subject, char *title, size_t size)
{
    const struct record *record = &subject->record;
    char root[PATH_SIZE], clock[16] = "";
    struct exercise exercise;
    struct failure none = {0};
    time_t now = time(NULL);
    struct tm local;
    const bool found = paths_root(root, &none) &&
                       exercise_find(root, record_text(record, COLUMN_variant), &exercise, &none);
    if (localtime_r(&now, &local))
        strftime(clock, sizeof clock, "%H:%M:%S", &local);
    snprintf(title, size, "%s  %s  %" PRIu64 " x %" PRIu64 " on %s, %s", lab,
             found ? exercise.title : "", record->values[COLUMN_rows].count,
             record->values[COLUMN_cols].count, record_text(record, COLUMN_device), clock);
}

void watch_screen_show_running(const char *lab)
{
    struct screen_page page = {.title = lab, .text = "running ...\n", .keys = "Ctrl-C quit"};
    screen_show(&page);
}

static char *make_home(const struct watched *watched, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < count; i++)
        if (count > 1)
            fprintf(out, "%s%s\n%s", i ? "\n" : "", path_basename(watched[i].path),
                    watched[i].text ? watched[i].text : "");
        else
            fputs(watched[i].text ? watched[i].text : "", out);
    if (out)
        fclose(out);
    return text;
}

static bool act(size_t action, const struct watched *subject, int events)
{
    struct screen_page page = {
        .title = actions[action].title, .text = "running ...\n", .keys = "any other key: back"};
    screen_show(&page);
    const char *const words[] = {actions[action].title, subject->path, NULL};
    char *text = actions[action].make ? actions[action].make(subject) : run_command(subject, words);
    page.text =
        text ? text
             : "The command failed: there is not enough memory, or there are too many processes.\n";
    const bool saved = screen_wait(&page, events) == 0;
    free(text);
    return saved;
}

enum watch_key watch_screen_wait(const char *lab, const struct watched *watched, size_t count,
                                 int events)
{
    const struct watched *subject = subject_of(watched, count);
    char title[1024], *text = make_home(watched, count);
    struct screen_page page = {.title = title, .text = text ? text : "", .keys = keys};
    enum watch_key result = WATCH_SAVED;
    make_title(lab, subject, title, sizeof title);
    for (int key; (key = screen_wait(&page, events)) != 0;) {
        size_t action = 0;
        while (action < sizeof actions / sizeof *actions && actions[action].key != key)
            action++;
        if (action < sizeof actions / sizeof *actions) {
            if (act(action, subject, events))
                break;
        } else if (key == 'n' || key == 'q') {
            result = key == 'n' ? WATCH_NEXT : WATCH_QUIT;
            break;
        }
    }
    free(text);
    return result;
}
