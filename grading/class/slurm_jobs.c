#define _GNU_SOURCE
#include "class/slurm_jobs.h"

#include "base/paths.h"
#include "base/wording.h"
#include "goals/digest.h"
#include "process/allocate.h"
#include "process/child.h"
#include "process/pool.h"
#include "process/toolkit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ALIVE_SECONDS = 12,    /* a heartbeat is due every 2 s, but file systems may be slow */
    SILENCE_SECONDS = 600, /* Slurm's controller can restart within this time */
    UNABLE_SECONDS = 120,  /* nodes can restart in this time; $TLAB_SLURM_WAIT replaces it */
    POLL_SECONDS_MAX = 3,
};

static const struct child_limits limits = {
    .seconds = 120, .memory_bytes = (uint64_t)4 << 30, .output_bytes = 1 << 20};

struct slurm_task {
    char id[40];
    off_t sign;
    time_t received;
    bool lost;
};

bool slurm_run(const char *const *arguments, struct child_result *result, struct failure *failure)
{
    char program[PATH_SIZE];
    const char *words[24] = {program};
    if (!program_find(arguments[0], program, sizeof program))
        return failure_harness(failure, "--engine slurm: there is no %s in PATH", arguments[0]);
    for (size_t i = 1; i < 23 && arguments[i]; i++)
        words[i] = arguments[i];
    return child_run_required(words, arguments[0], &limits, result, failure);
}

bool slurm_jobs_name(struct slurm_jobs *jobs, struct failure *failure)
{
    const char *out = jobs->batch->options->out;
    unsigned char digest[DIGEST_SIZE];
    char *path = realpath(out, NULL);
    if (!path)
        return failure_harness(failure, "cannot find %s: %m", out);
    digest_bytes(path, strlen(path), digest);
    free(path);
    strcpy(jobs->name, "tlab-");
    digest_text(digest, 6, jobs->name + strlen(jobs->name));
    return true;
}

void slurm_jobs_show(struct slurm_jobs *jobs, bool last)
{
    FILE *file = jobs->batch->options->progress;
    size_t done = 0;
    if (!file || !jobs->indices)
        return;
    bool terminal = isatty(fileno(file));
    for (size_t i = 0; i < jobs->count; i++)
        done += batch_is_graded(jobs->batch, jobs->indices[i]);
    if (!terminal && !last && !strcmp(jobs->state_shown, jobs->state) &&
        done < jobs->done_shown + 100)
        return;
    jobs->done_shown = done;
    memcpy(jobs->state_shown, jobs->state, sizeof jobs->state);
    fprintf(file, "%sgrading with Slurm: %zu of %zu (%s)%s", terminal ? "\r" : "", done,
            jobs->count, jobs->state, terminal && !last ? "    " : "\n");
    fflush(file);
}

bool slurm_jobs_sign(const char *out, const char *id, char path[PATH_SIZE], struct failure *failure)
{
    return path_format(path, failure, "%s/work/%s.alive", out, id);
}

/* Opens the file, because a network file system may otherwise report an old size. */
static off_t sign_size(const char *path)
{
    struct stat status = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    bool known = fstat(file, &status) == 0;
    close(file);
    return known ? status.st_size : 0;
}

static void cancel(const char *option, const char *word)
{
    const char *const arguments[] = {"scancel", option, word, NULL};
    struct child_result result = {0};
    struct failure unused = {0};
    if (slurm_run(arguments, &result, &unused))
        child_result_free(&result);
}

static struct slurm_task *find_task(struct slurm_jobs *jobs, const char *id, time_t now)
{
    for (size_t i = 0; i < jobs->task_count; i++)
        if (!strcmp(jobs->tasks[i].id, id))
            return &jobs->tasks[i];
    allocate_room(&jobs->tasks, jobs->task_count, sizeof *jobs->tasks);
    struct slurm_task *task = &jobs->tasks[jobs->task_count++];
    *task = (struct slurm_task){.received = now};
    snprintf(task->id, sizeof task->id, "%s", id);
    return task;
}

static bool look_at_task(struct slurm_jobs *jobs, const char *id, const char *node, time_t now,
                         struct failure *failure)
{
    char path[PATH_SIZE];
    struct slurm_task *task = find_task(jobs, id, now);
    if (!slurm_jobs_sign(jobs->batch->options->out, id, path, failure))
        return false;
    off_t sign = sign_size(path);
    if (sign && sign != task->sign) {
        task->sign = sign;
        task->received = now;
    }
    if (!task->lost &&
        now - task->received > (time_t)(task->sign ? ALIVE_SECONDS : jobs->start_seconds)) {
        task->lost = true;
        unlink(path);
        cancel("--", id);
        if (jobs->batch->options->progress)
            fprintf(jobs->batch->options->progress,
                    "task %s on node %s does not respond: the task is cancelled, and a new task "
                    "will grade the remaining submissions\n",
                    id, node);
    }
    jobs->working += !task->lost;
    return true;
}

/* Reasons why a job waits until a person acts (man squeue, "JOB REASON CODES"). */
static const char *const lasting_reasons[] = {
    "JobHeldAdmin",       "JobHeldUser",        "PartitionDown",     "PartitionInactive",
    "PartitionNodeLimit", "PartitionTimeLimit", "AccountNotAllowed", "QOSNotAllowed",
    "InvalidAccount",     "InvalidQOS",         "BadConstraints",    "DependencyNeverSatisfied",
    "ReservationDeleted", "AssociationJobLimit"};

static bool is_lasting(const char *reason)
{
    for (size_t i = 0; i < sizeof lasting_reasons / sizeof *lasting_reasons; i++)
        if (!strcmp(reason, lasting_reasons[i]))
            return true;
    return false;
}

struct nodes {
    bool able;
    char text[160]; /* nodes that accept no tasks: "n1 is drained (fan broken), ..." */
};

static void look_at_nodes(const char *partition, struct nodes *nodes)
{
    const char *const arguments[] = {"sinfo",   "--noheader", "--Node",   "--partition",
                                     partition, "--format",   "%N|%T|%E", NULL};
    static const char *const good[] = {"idle", "mixed", "allocated", "completing", "planned"};
    struct child_result result = {0};
    struct failure unused = {0};
    *nodes = (struct nodes){.able = true};
    if (!slurm_run(arguments, &result, &unused))
        return;
    char *next = NULL;
    nodes->able = false;
    for (char *line = strtok_r(result.output, "\n", &next); line;
         line = strtok_r(NULL, "\n", &next)) {
        char node[64] = "", state[32] = "", reason[64] = "";
        bool takes = false;
        sscanf(line, "%63[^|]|%31[^|]|%63[^\n]", node, state, reason);
        bool silent = strchr(state, '*') != NULL;
        for (size_t i = 0; i < sizeof good / sizeof *good; i++)
            takes = takes || !strcmp(state, good[i]);
        nodes->able |= takes;
        if (!takes)
            APPEND(nodes->text, "%s%s %s%s (%s)", *nodes->text ? ", " : "", node,
                   silent ? "does not respond" : "is ", silent ? "" : state, reason);
    }
    child_result_free(&result);
}

static void show_nodes(struct slurm_jobs *jobs, const struct nodes *nodes)
{
    FILE *file = jobs->batch->options->progress;
    if (file && jobs->indices && nodes->able && nodes->text[0] &&
        strcmp(nodes->text, jobs->nodes_shown))
        fprintf(file, "some nodes are unavailable: %s; all other nodes are used\n", nodes->text);
    snprintf(jobs->nodes_shown, sizeof jobs->nodes_shown, "%s", nodes->text);
}

static bool look(struct slurm_jobs *jobs, time_t now, bool *able, struct failure *failure)
{
    const char *const arguments[] = {"squeue",   "--noheader",        "--name", jobs->name,
                                     "--format", "%F_%K|%T|%N|%P|%r", NULL};
    struct child_result result = {0};
    char partition[64] = "", reason[128] = "", *next = NULL;
    bool good = true, lasting = false;
    if (!slurm_run(arguments, &result, failure))
        return false;
    jobs->working = jobs->waiting = 0;
    for (char *line = strtok_r(result.output, "\n", &next); good && line;
         line = strtok_r(NULL, "\n", &next)) {
        char *fields[5];
        for (unsigned i = 0; i < 5; i++)
            fields[i] = line ? strsep(&line, "|") : "";
        snprintf(partition, sizeof partition, "%s", fields[3]);
        if (!strcmp(fields[1], "PENDING")) {
            jobs->waiting++;
            snprintf(reason, sizeof reason, "%s", fields[4]);
            lasting = is_lasting(reason);
        } else if (strcmp(fields[1], "COMPLETING")) {
            good = look_at_task(jobs, fields[0], fields[2], now, failure);
        }
    }
    child_result_free(&result);
    struct nodes nodes = {.able = true};
    if (jobs->working || jobs->waiting)
        look_at_nodes(partition, &nodes);
    show_nodes(jobs, &nodes);
    *able = jobs->working || !jobs->waiting || (nodes.able && !lasting);
    if (jobs->working)
        snprintf(jobs->state, sizeof jobs->state, "at work");
    else if (lasting)
        snprintf(jobs->state, sizeof jobs->state, "no job can start: %s (see man squeue)", reason);
    else if (!nodes.able)
        snprintf(jobs->state, sizeof jobs->state, "no node is available: %s", nodes.text);
    else
        snprintf(jobs->state, sizeof jobs->state, "waiting: %s", reason);
    return good;
}

bool slurm_jobs_wait(struct slurm_jobs *jobs, struct failure *failure)
{
    const char *given = getenv("TLAB_SLURM_WAIT");
    time_t unable_seconds = given && atoi(given) > 0 ? atoi(given) : UNABLE_SECONDS;
    time_t answered = clock_seconds(), last_able = answered;
    for (unsigned seconds = 1;; seconds += seconds < POLL_SECONDS_MAX) {
        struct failure why = {0};
        time_t now = clock_seconds();
        bool able;
        if (look(jobs, now, &able, &why)) {
            answered = now;
            last_able = able ? now : last_able;
            if (!jobs->working && !jobs->waiting)
                return true;
            slurm_jobs_show(jobs, false);
        }
        if (now - answered > SILENCE_SECONDS)
            return failure_harness(failure, "%s", why.text);
        if (now - last_able > unable_seconds) {
            cancel("--name", jobs->name);
            return failure_harness(
                failure,
                "%s. This state did not change in %ld s. The finished grades are "
                "saved. Fix the problem, then run the same command again",
                jobs->state, (long)(now - last_able));
        }
        sleep(seconds);
    }
}

void slurm_jobs_free(struct slurm_jobs *jobs)
{
    free(jobs->tasks);
    jobs->tasks = NULL;
    jobs->task_count = 0;
}
