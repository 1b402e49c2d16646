/* intake_list.c: whose submissions are in a class's folder or archive.
 *
 * Theory of operation. The names directly in the class (its *entries*) are sorted, so that nothing
 * depends on the file system, and grouped: entries that the platform's numbers or their own names
 * say are one person's become one *group*. The roster then gives groups to people: whose login,
 * number, e-mail or name it is. Several groups of one person are one submission.
 */
#define _GNU_SOURCE
#include "base/paths.h"
#include "intake/archive.h"
#include "intake/intake.h"
#include "intake/intake_name.h"
#include "intake/roster.h"
#include "intake/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Something directly in the class. */
struct class_entry {
    char *name;  /* as it is found again: raw in a folder, clean in an archive */
    char *clean; /* text_clean */
    bool folder, link;
    char *key;  /* entries with the same are one person's */
    long owner; /* in the roster, or ROSTER_NOBODY */
};

struct listing {
    const char *path;
    bool archive;
    char *wrapper; /* "hw3/": the folder in the archive that holds the class; or "" */
    struct class_entry *entries;
    size_t count;
    struct failure *failure;
};

static bool no_memory(struct listing *listing)
{
    return failure_harness(listing->failure, "not enough memory");
}

/* ---- Entries ---- */

static bool add_entry(struct listing *listing, const char *name, size_t length, bool folder,
                      bool link)
{
    if (listing->count == INTAKE_CLASS_ENTRIES_MAX)
        return failure_harness(listing->failure, "%s holds more than %d files", listing->path,
                               INTAKE_CLASS_ENTRIES_MAX);
    if ((listing->count & (listing->count + 1)) == 0) {
        struct class_entry *more =
            realloc(listing->entries, (2 * listing->count + 2) * sizeof *more);
        if (!more)
            return no_memory(listing);
        listing->entries = more;
    }
    struct class_entry entry = {.name = strndup(name, length),
                                .clean = text_clean(name, length),
                                .folder = folder,
                                .link = link,
                                .owner = ROSTER_NOBODY};
    listing->entries[listing->count++] = entry;
    return (entry.name && entry.clean) || no_memory(listing);
}

static bool list_folder(struct listing *listing)
{
    DIR *folder = opendir(listing->path);
    if (!folder)
        return failure_harness(listing->failure, "cannot open %s: %s", listing->path,
                               strerror(errno));
    bool good = true;
    struct dirent *entry;
    errno = 0;
    while (good && (entry = readdir(folder))) {
        struct stat status;
        if (entry->d_name[0] != '.' &&
            !fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW))
            good = add_entry(listing, entry->d_name, strlen(entry->d_name), S_ISDIR(status.st_mode),
                             S_ISLNK(status.st_mode));
        errno = 0;
    }
    if (good && errno)
        good =
            failure_harness(listing->failure, "cannot read %s: %s", listing->path, strerror(errno));
    closedir(folder);
    return good;
}

static int compare_entries(const void *one, const void *other)
{
    const struct class_entry *a = one, *b = other;
    int order = strcmp(a->clean, b->clean);
    order = order ? order : strcmp(a->name, b->name);
    return order ? order : (int)b->folder - (int)a->folder;
}

/* Sort; of entries of one name (an archive's folder, once for each file in it) the first stays. */
static void sort_entries(struct listing *listing)
{
    size_t kept = 0;
    if (listing->count)
        qsort(listing->entries, listing->count, sizeof *listing->entries, compare_entries);
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        if (kept && !strcmp(listing->entries[kept - 1].name, entry->name)) {
            free(entry->name);
            free(entry->clean);
        } else {
            listing->entries[kept++] = *entry;
        }
    }
    listing->count = kept;
}

/* ---- A class in an archive ---- */

/* All names of files, to begin with. */
static size_t list_archive_item(void *context, const struct archive_item *item)
{
    struct listing *listing = context;
    const char *name = item->name;
    while (!strncmp(name, "./", 2))
        name += 2;
    size_t length = strlen(name);
    while (length && name[length - 1] == '/')
        length--;
    if (length && item->kind != ARCHIVE_FOLDER && listing->failure->kind == FAILURE_NONE)
        add_entry(listing, name, length, false, item->kind == ARCHIVE_LINK);
    return 0;
}

static bool in_wrapper(const struct listing *listing, const char *name, size_t length)
{
    for (size_t i = 0; i < listing->count; i++) {
        const char *entry = listing->entries[i].name;
        if (intake_name_kind(entry) != INTAKE_JUNK &&
            (strncmp(entry, name, length) || entry[length] != '/'))
            return false;
    }
    return listing->count > 0;
}

/* From the names of all files to the first part of each, below the folder of the archive's own name
 * when all is in that. */
static bool keep_top(struct listing *listing)
{
    const char *base = strrchr(listing->path, '/');
    base = base ? base + 1 : listing->path;
    size_t skip = archive_stem(base);
    skip = in_wrapper(listing, base, skip) ? skip + 1 : 0;
    listing->wrapper = strndup(base, skip);
    if (!listing->wrapper)
        return no_memory(listing);
    if (skip)
        listing->wrapper[skip - 1] = '/';
    size_t kept = 0;
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        if (intake_name_kind(entry->name) == INTAKE_JUNK) {
            free(entry->name);
            free(entry->clean);
            continue;
        }
        size_t length = skip + strcspn(entry->name + skip, "/");
        entry->folder = entry->name[length] == '/';
        entry->link &= !entry->folder;
        entry->name[length] = 0;
        free(entry->clean);
        entry->clean = text_clean(entry->name + skip, length - skip);
        listing->entries[kept++] = *entry;
        if (!entry->clean)
            return no_memory(listing);
    }
    listing->count = kept;
    return true;
}

static bool list_archive(struct listing *listing)
{
    static const struct archive_limits limits = {INTAKE_CLASS_ENTRIES_MAX, UINT64_MAX >> 1};
    const struct archive_visitor visitor = {listing, list_archive_item, NULL};
    const char *problem;
    if (!archive_walk(listing->path, NULL, 0, &limits, &visitor, &problem, listing->failure) ||
        listing->failure->kind != FAILURE_NONE)
        return false;
    if (problem)
        return failure_harness(listing->failure, "%s %s", listing->path, problem);
    listing->archive = true;
    return keep_top(listing);
}

/* ---- Groups ---- */

/* Is the entry somebody's submission, or something that lies about? */
static bool is_submission(const struct class_entry *entry, const struct intake_name *parsed)
{
    enum intake_file_kind kind = intake_name_kind(entry->clean);
    size_t length = strlen(entry->clean);
    if (kind == INTAKE_JUNK)
        return false;
    if (parsed->platform != INTAKE_PLAIN || entry->folder || entry->link)
        return true;
    return kind == INTAKE_ARCHIVE || (length > 3 && !strcasecmp(entry->clean + length - 3, ".cu"));
}

static bool add_key(struct listing *listing, struct class_entry *entry)
{
    struct intake_name parsed;
    intake_name_parse(entry->clean, &parsed);
    if (!is_submission(entry, &parsed))
        return true;
    size_t person = entry->folder && parsed.platform == INTAKE_PLAIN ? strlen(entry->clean)
                                                                     : parsed.person_length;
    int length =
        asprintf(&entry->key, "%.*s%s%.*s", (int)person, entry->clean, parsed.number ? "_" : "",
                 (int)parsed.number_length, parsed.number ? parsed.number : "");
    if (length < 0) {
        entry->key = NULL;
        return no_memory(listing);
    }
    return true;
}

/* Whose is it? By number, then by name. */
static long find_owner(const struct roster *roster, const struct class_entry *entry)
{
    struct intake_name parsed;
    intake_name_parse(entry->clean, &parsed);
    char text[512];
    long owner = ROSTER_NOBODY;
    if (parsed.platform == INTAKE_MOODLE) {
        snprintf(text, sizeof text, "participant%.*s", (int)parsed.number_length, parsed.number);
        owner = roster_find(roster, text);
    } else if (parsed.platform == INTAKE_CANVAS) {
        snprintf(text, sizeof text, "%.*s", (int)parsed.number_length, parsed.number);
        owner = roster_find(roster, text);
    }
    size_t person = entry->folder && parsed.platform == INTAKE_PLAIN ? strlen(entry->clean)
                                                                     : parsed.person_length;
    snprintf(text, sizeof text, "%.*s", (int)person, entry->clean);
    return owner != ROSTER_NOBODY ? owner : roster_find(roster, text);
}

/* ---- Submissions ---- */

/* The list in the making, with ids that are taken. */
struct naming {
    struct class_list *list;
    char (*taken)[INTAKE_ID_SIZE]; /* a hash table of lower-case ids */
    size_t table_size;
};

static size_t hash_text(const char *text)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return (size_t)hash;
}

/* Take an id, whatever its case; false: somebody has it. */
static bool take_id(struct naming *naming, const char *id)
{
    char lower[INTAKE_ID_SIZE];
    size_t i = 0;
    for (; id[i]; i++)
        lower[i] = id[i] >= 'A' && id[i] <= 'Z' ? (char)(id[i] - 'A' + 'a') : id[i];
    lower[i] = 0;
    size_t at = hash_text(lower) % naming->table_size;
    for (; *naming->taken[at]; at = (at + 1) % naming->table_size)
        if (!strcmp(naming->taken[at], lower))
            return false;
    strcpy(naming->taken[at], lower);
    return true;
}

/* A free id that is like the text: "alice", then "alice_2". */
static void choose_id(struct naming *naming, const char *text, char id[INTAKE_ID_SIZE])
{
    char stem[INTAKE_ID_SIZE - 8];
    text_id(text, stem, sizeof stem);
    snprintf(id, INTAKE_ID_SIZE, "%s", stem);
    for (unsigned number = 2; !take_id(naming, id); number++)
        snprintf(id, INTAKE_ID_SIZE, "%s_%u", stem, number);
}

static bool join_path(char **joined, const char *path, const char *name)
{
    size_t length = strlen(path);
    return asprintf(joined, "%s%s%s", path, length && path[length - 1] == '/' ? "" : "/", name) >=
           0;
}

/* Give the entries at indices[0..count) to a submission. */
static bool give_entries(struct listing *listing, struct submission *submission,
                         const size_t *indices, size_t count)
{
    if (!count)
        return true;
    for (size_t i = 0; i < count; i++) {
        struct intake_name parsed;
        intake_name_parse(listing->entries[indices[i]].clean, &parsed);
        submission->late |= parsed.late;
    }
    if (count == 1 && !listing->archive)
        return join_path(&submission->path, listing->path, listing->entries[*indices].name) ||
               (submission->path = NULL, no_memory(listing));
    submission->path = strdup(listing->path);
    submission->members = calloc(count, sizeof *submission->members);
    if (!submission->path || !submission->members)
        return no_memory(listing);
    for (size_t i = 0; i < count; i++) {
        if (!(submission->members[i] = strdup(listing->entries[indices[i]].name)))
            return no_memory(listing);
        submission->member_count++;
    }
    return true;
}

static struct submission *add_submission(struct naming *naming, const char *id_text,
                                         const char *name, size_t name_length, const char *email)
{
    struct submission *submission = &naming->list->submissions[naming->list->count++];
    *submission = (struct submission){.name = text_clean(name, name_length)};
    choose_id(naming, id_text, submission->id);
    if (email && submission->name && !(submission->email = strdup(email)))
        return NULL;
    return submission->name ? submission : NULL;
}

/* People of the roster, in its order, with what is theirs. */
static bool add_persons(struct listing *listing, const struct roster *roster, struct naming *naming,
                        size_t *indices)
{
    /* Entries of each person, by counting. */
    size_t *first = calloc(roster->count + 1, sizeof *first);
    if (!first)
        return no_memory(listing);
    for (size_t i = 0; i < listing->count; i++)
        if (listing->entries[i].owner != ROSTER_NOBODY)
            first[listing->entries[i].owner + 1]++;
    for (size_t p = 0; p < roster->count; p++)
        first[p + 1] += first[p];
    for (size_t i = listing->count; i--;)
        if (listing->entries[i].owner != ROSTER_NOBODY)
            indices[--first[listing->entries[i].owner + 1]] = i;
    /* Now first[p + 1] is where the entries of person p begin. */
    bool good = true;
    size_t total = 0;
    for (size_t i = 0; i < listing->count; i++)
        total += listing->entries[i].owner != ROSTER_NOBODY;
    for (size_t p = 0; p < roster->count && good; p++) {
        const struct roster_person *person = &roster->persons[p];
        size_t begin = first[p + 1], end = p + 1 < roster->count ? first[p + 2] : total;
        struct submission *submission =
            add_submission(naming, person->id, person->name, strlen(person->name), person->email);
        good = submission ? give_entries(listing, submission, indices + begin, end - begin)
                          : no_memory(listing);
    }
    free(first);
    return good;
}

static int compare_keys(const void *one, const void *other, void *context)
{
    const struct listing *listing = context;
    size_t a = *(const size_t *)one, b = *(const size_t *)other;
    int order = strcmp(listing->entries[a].key, listing->entries[b].key);
    return order ? order : (a > b) - (a < b);
}

/* Groups of nobody in the roster, by their own names. */
static bool add_strangers(struct listing *listing, struct naming *naming, size_t *indices)
{
    size_t count = 0;
    for (size_t i = 0; i < listing->count; i++)
        if (listing->entries[i].owner == ROSTER_NOBODY && listing->entries[i].key)
            indices[count++] = i;
    if (count)
        qsort_r(indices, count, sizeof *indices, compare_keys, listing);
    for (size_t i = 0, end; i < count; i = end) {
        const struct class_entry *entry = &listing->entries[indices[i]];
        for (end = i + 1; end < count; end++)
            if (strcmp(listing->entries[indices[end]].key, entry->key))
                break;
        struct intake_name parsed;
        intake_name_parse(entry->clean, &parsed);
        size_t length = parsed.number ? parsed.person_length : strlen(entry->key);
        struct submission *submission =
            add_submission(naming, entry->key, entry->clean, length, NULL);
        if (!submission)
            return no_memory(listing);
        if (!give_entries(listing, submission, indices + i, end - i))
            return false;
    }
    return true;
}

static int compare_submissions(const void *one, const void *other)
{
    return strcmp(((const struct submission *)one)->id, ((const struct submission *)other)->id);
}

static bool make_list(struct listing *listing, const struct roster *roster, struct class_list *list)
{
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        if (!add_key(listing, entry))
            return false;
        if (entry->key)
            entry->owner = find_owner(roster, entry);
    }
    size_t most = listing->count + roster->count;
    if (most > INTAKE_SUBMISSIONS_MAX)
        return failure_harness(listing->failure, "%s holds more than %d submissions", listing->path,
                               INTAKE_SUBMISSIONS_MAX);
    struct naming naming = {.list = list, .table_size = 2 * most + 1};
    naming.taken = calloc(naming.table_size, sizeof *naming.taken);
    size_t *indices = calloc(listing->count + 1, sizeof *indices);
    list->submissions = calloc(most + 1, sizeof *list->submissions);
    bool good = naming.taken && indices && list->submissions;
    good = good ? add_persons(listing, roster, &naming, indices) &&
                      add_strangers(listing, &naming, indices)
                : no_memory(listing);
    free(naming.taken);
    free(indices);
    if (good && list->count)
        qsort(list->submissions, list->count, sizeof *list->submissions, compare_submissions);
    return good;
}

static void listing_free(struct listing *listing)
{
    for (size_t i = 0; i < listing->count; i++) {
        free(listing->entries[i].name);
        free(listing->entries[i].clean);
        free(listing->entries[i].key);
    }
    free(listing->entries);
    free(listing->wrapper);
}

/* The entries of a folder or an archive, sorted. A single file is its own only entry. */
static bool list_entries(struct listing *listing, bool *single)
{
    struct stat status;
    if (stat(listing->path, &status))
        return failure_harness(listing->failure, "cannot read %s: %s", listing->path,
                               strerror(errno));
    *single = false;
    if (S_ISDIR(status.st_mode)) {
        if (!list_folder(listing))
            return false;
    } else if (S_ISREG(status.st_mode) && archive_is_name(listing->path)) {
        if (!list_archive(listing))
            return false;
    } else if (S_ISREG(status.st_mode) &&
               intake_name_kind(path_basename(listing->path)) == INTAKE_SOURCE) {
        *single = true;
        return true;
    } else {
        return failure_harness(listing->failure,
                               "%s is neither a folder, nor an archive (.zip, .tar, .tar.gz), nor "
                               "a .cu file",
                               listing->path);
    }
    sort_entries(listing);
    return true;
}

bool intake_list(const char *path, const char *roster_path, struct class_list *list,
                 struct failure *failure)
{
    *list = (struct class_list){0};
    struct listing listing = {.path = path, .failure = failure};
    struct roster roster = {0};
    bool single = false, good = !roster_path || roster_read(roster_path, &roster, failure);
    good = good && list_entries(&listing, &single);
    if (good && single)
        good = intake_list_one(path, NULL, list, failure);
    else if (good)
        good = make_list(&listing, &roster, list);
    if (good && !list->count)
        good = failure_harness(failure, "%s holds no submission: no folder, archive or .cu file",
                               path);
    listing_free(&listing);
    roster_free(&roster);
    if (!good)
        intake_list_free(list);
    return good;
}

/* What a path is called: its last component, without the ending of a file. Clean, malloc'd. */
static char *name_of_path(const char *path, bool folder, bool *late)
{
    char *real = realpath(path, NULL);
    const char *base = path_basename(real ? real : path);
    char *name = text_clean(base, strlen(base));
    free(real);
    struct intake_name parsed;
    if (name && !folder) {
        intake_name_parse(name, &parsed);
        name[parsed.person_length] = 0;
        *late = parsed.late;
    }
    return name;
}

bool intake_list_one(const char *path, const char *name, struct class_list *list,
                     struct failure *failure)
{
    *list = (struct class_list){0};
    struct stat status;
    if (stat(path, &status))
        return failure_harness(failure, "cannot read %s: %s", path, strerror(errno));
    list->submissions = calloc(1, sizeof *list->submissions);
    if (!list->submissions)
        return failure_harness(failure, "not enough memory");
    struct submission *submission = &list->submissions[list->count++];
    submission->path = strdup(path);
    submission->name = name ? text_clean(name, strlen(name))
                            : name_of_path(path, S_ISDIR(status.st_mode), &submission->late);
    if (!submission->path || !submission->name) {
        intake_list_free(list);
        return failure_harness(failure, "not enough memory");
    }
    text_id(submission->name, submission->id, sizeof submission->id);
    return true;
}

void intake_list_free(struct class_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct submission *submission = &list->submissions[i];
        free(submission->name);
        free(submission->email);
        free(submission->path);
        for (size_t m = 0; m < submission->member_count; m++)
            free(submission->members[m]);
        free(submission->members);
    }
    free(list->submissions);
    *list = (struct class_list){0};
}
