/* intake_list.c: whose submissions are in a class's folder or archive.
 *
 * Theory of operation. The names directly in the class (its *entries*) are sorted, so that nothing
 * depends on the file system, and grouped: entries that the platform's numbers or their own names
 * say are one person's become one *group*. The roster then gives groups to people: whose login,
 * number, e-mail or name it is. Several groups of one person are one submission.
 */
#define _GNU_SOURCE
#include "base/array.h"
#include "base/paths.h"
#include "base/whole_file.h"
#include "intake/archive.h"
#include "intake/intake.h"
#include "intake/intake_name.h"
#include "intake/roster.h"
#include "intake/source_text.h"
#include "intake/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
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
    bool kernel;               /* its name says nothing, but there is a kernel in it */
    struct intake_name parsed; /* of `clean`, once groups are made; like the next two */
    char *key;                 /* entries with the same are one person's */
    long owner;                /* in the roster, or ROSTER_NOBODY */
};

struct listing {
    const char *path;
    bool archive, has_roster;
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

static void entry_free(struct class_entry *entry)
{
    free(entry->name);
    free(entry->clean);
    free(entry->key);
}

static bool add_entry(struct listing *listing, const char *name, size_t length, bool folder,
                      bool link)
{
    if (listing->count == INTAKE_CLASS_ENTRIES_MAX)
        return failure_harness(listing->failure, "%s holds more than %d files", listing->path,
                               INTAKE_CLASS_ENTRIES_MAX);
    if (!array_make_room(&listing->entries, listing->count, sizeof *listing->entries))
        return no_memory(listing);
    struct class_entry entry = {.name = strndup(name, length),
                                .clean = text_clean(name, length),
                                .folder = folder,
                                .link = link};
    listing->entries[listing->count++] = entry;
    return (entry.name && entry.clean) || no_memory(listing);
}

/* Does the text, which is freed, hold a kernel? */
static bool has_kernel(unsigned char *bytes, size_t size)
{
    const char *charset;
    bool kernel = bytes && source_text_convert(&bytes, &size, &charset) <= SOURCE_TEXT_CONVERTED &&
                  source_text_has_kernel(bytes, size);
    free(bytes);
    return kernel;
}

/* The same of the first megabyte of a file in an open folder. */
static bool file_has_kernel(int folder, const char *name)
{
    int descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    char *bytes = NULL;
    size_t size = 0;
    if (!file) {
        if (descriptor >= 0)
            close(descriptor);
        return false;
    }
    bool read = whole_file_read_stream(file, INTAKE_FILE_BYTES_MAX, &bytes, &size);
    fclose(file);
    if (read)
        return has_kernel((unsigned char *)bytes, size);
    free(bytes);
    return false;
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
        if (good && listing->count && S_ISREG(status.st_mode) &&
            intake_name_kind(entry->d_name) == INTAKE_MAYBE)
            listing->entries[listing->count - 1].kernel =
                file_has_kernel(dirfd(folder), entry->d_name);
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
            entry_free(entry);
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
    if (!length || item->kind == ARCHIVE_FOLDER || listing->failure->kind != FAILURE_NONE ||
        !add_entry(listing, name, length, false, item->kind == ARCHIVE_LINK))
        return 0;
    const char *slash = strchr(name, '/');
    bool top = !slash || !strchr(slash + 1, '/'); /* or in the wrapper */
    return top && item->kind == ARCHIVE_FILE && intake_name_kind(name) == INTAKE_MAYBE
               ? INTAKE_FILE_BYTES_MAX
               : 0;
}

/* The entry that was listed last: is it a kernel without a name that says so? */
static bool look_into_item(void *context, const struct archive_item *item, unsigned char *bytes,
                           size_t size, bool too_large, bool damaged, struct failure *failure)
{
    struct listing *listing = context;
    (void)item;
    (void)too_large;
    (void)damaged;
    (void)failure;
    listing->entries[listing->count - 1].kernel = has_kernel(bytes, size);
    return true;
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
            entry_free(entry);
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
    struct archive_budget budget = {INTAKE_CLASS_ENTRIES_MAX, UINT64_MAX >> 1};
    const struct archive_visitor visitor = {listing, list_archive_item, look_into_item, NULL};
    const char *problem;
    int descriptor = open(listing->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return failure_harness(listing->failure, "cannot open %s: %s", listing->path,
                               strerror(errno));
    bool good = archive_walk(descriptor, NULL, 0, &budget, &visitor, &problem, listing->failure);
    close(descriptor);
    if (!good || listing->failure->kind != FAILURE_NONE)
        return false;
    if (problem)
        return failure_harness(listing->failure, "%s %s", listing->path, problem);
    listing->archive = true;
    return keep_top(listing);
}

/* ---- Groups ---- */

/* Is the entry somebody's submission, or something that lies about? */
static bool is_submission(const struct class_entry *entry)
{
    enum intake_file_kind kind = intake_name_kind(entry->clean);
    if (kind == INTAKE_JUNK)
        return false;
    if (entry->parsed.platform != INTAKE_PLAIN || entry->folder || entry->link ||
        entry->owner != ROSTER_NOBODY)
        return true;
    return kind == INTAKE_ARCHIVE || kind == INTAKE_NOTEBOOK || kind == INTAKE_DOCUMENT ||
           intake_name_is_cu(entry->clean) || entry->kernel;
}

static void parse_name(struct class_entry *entry)
{
    intake_name_parse(entry->clean, &entry->parsed);
    if (entry->folder && entry->parsed.platform == INTAKE_PLAIN)
        entry->parsed.person_length = strlen(entry->clean); /* "v1.cu" may be a folder's name */
}

/* Whose is it? By the platform's number of the person, then by name. */
static long find_owner(const struct roster *roster, const struct class_entry *entry)
{
    const struct intake_name *parsed = &entry->parsed;
    char text[512];
    long owner = ROSTER_NOBODY;
    if (parsed->number) {
        snprintf(text, sizeof text, "%s%.*s",
                 parsed->platform == INTAKE_MOODLE ? "participant" : "", (int)parsed->number_length,
                 parsed->number);
        owner = roster_find(roster, text);
    }
    snprintf(text, sizeof text, "%.*s", (int)parsed->person_length, parsed->person);
    return owner != ROSTER_NOBODY ? owner : roster_find(roster, text);
}

static bool make_key(struct class_entry *entry)
{
    const struct intake_name *parsed = &entry->parsed;
    int length = asprintf(&entry->key, "%.*s%s%.*s", (int)parsed->person_length, parsed->person,
                          parsed->number ? "_" : "", (int)parsed->number_length,
                          parsed->number ? parsed->number : "");
    if (length < 0)
        entry->key = NULL;
    return entry->key;
}

static bool same_person(const struct class_entry *a, const struct class_entry *b)
{
    return a->owner == b->owner && (a->owner != ROSTER_NOBODY || !strcmp(a->key, b->key));
}

/* People of the roster in its order, then others by their keys; of each, entries by name. */
static int compare_owned(const void *one, const void *other)
{
    const struct class_entry *a = one, *b = other;
    const unsigned long first = (unsigned long)a->owner, second = (unsigned long)b->owner;
    if (first != second) /* nobody's number is the largest */
        return first < second ? -1 : 1;
    int order = same_person(a, b) ? 0 : strcmp(a->key, b->key);
    return order ? order : compare_entries(one, other);
}

/* Keep what is somebody's, each person's entries side by side. */
static bool group_entries(struct listing *listing, const struct roster *roster)
{
    size_t kept = 0;
    bool good = true;
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        parse_name(entry);
        entry->owner = find_owner(roster, entry);
        if (!is_submission(entry)) {
            entry_free(entry);
            continue;
        }
        good &= make_key(entry);
        listing->entries[kept++] = *entry;
    }
    listing->count = kept;
    if (good && kept)
        qsort(listing->entries, kept, sizeof *listing->entries, compare_owned);
    return good || no_memory(listing);
}

/* ---- Submissions ---- */

static int compare_ids(const void *one, const void *other)
{
    return strcasecmp(one, other); /* file systems may not tell case apart */
}

static void keep_id(void *id)
{
    (void)id;
}

/* A free id that is like the text: "alice", then "alice_2". `ids` is a tree of those taken. False:
 * no memory. */
static bool choose_id(void **ids, const char *text, char id[INTAKE_ID_SIZE])
{
    char stem[INTAKE_ID_SIZE - 8];
    text_id(text, stem, sizeof stem);
    snprintf(id, INTAKE_ID_SIZE, "%s", stem);
    for (unsigned number = 2;; number++) {
        char **holder = tsearch(id, ids, compare_ids);
        if (!holder || *holder == id)
            return holder;
        snprintf(id, INTAKE_ID_SIZE, "%s_%u", stem, number);
    }
}

/* Give entries to a submission. */
static bool give_entries(const struct listing *listing, struct submission *submission,
                         const struct class_entry *entries, size_t count)
{
    const char *path = listing->path;
    size_t length = strlen(path);
    for (size_t i = 0; i < count; i++)
        submission->late |= entries[i].parsed.late;
    if (!count)
        return true;
    if (count == 1 && !listing->archive) {
        if (asprintf(&submission->path, "%s%s%s", path,
                     length && path[length - 1] == '/' ? "" : "/", entries->name) < 0)
            submission->path = NULL;
        return submission->path;
    }
    submission->path = strdup(path);
    submission->members = calloc(count, sizeof *submission->members);
    if (!submission->path || !submission->members)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!(submission->members[i] = strdup(entries[i].name)))
            return false;
        submission->member_count++;
    }
    return true;
}

/* A person of the roster (NULL: nobody there) and the entries that are theirs. */
static bool add_submission(const struct listing *listing, const struct roster_person *person,
                           const struct class_entry *entries, size_t count, void **ids,
                           struct class_list *list)
{
    struct submission *submission = &list->submissions[list->count++];
    const char *name = person ? person->name : entries->parsed.person;
    size_t length = person ? strlen(name) : entries->parsed.person_length;
    *submission = (struct submission){.name = text_clean(name, length),
                                      .standing = person                ? STANDING_IN_ROSTER
                                                  : listing->has_roster ? STANDING_STRANGER
                                                                        : STANDING_NO_ROSTER};
    if (person && person->email)
        submission->email = strdup(person->email);
    return submission->name && (!person || !person->email || submission->email) &&
           choose_id(ids, person ? person->id : entries->key, submission->id) &&
           give_entries(listing, submission, entries, count);
}

static bool add_submissions(const struct listing *listing, const struct roster *roster, void **ids,
                            struct class_list *list)
{
    const struct class_entry *entries = listing->entries;
    size_t next = 0, end = 0;
    for (size_t p = 0; p < roster->count; p++, next = end) {
        while (end < listing->count && entries[end].owner == (long)p)
            end++;
        if (!add_submission(listing, &roster->persons[p], entries + next, end - next, ids, list))
            return false;
    }
    for (; next < listing->count; next = end) {
        while (end < listing->count && same_person(&entries[end], &entries[next]))
            end++;
        if (!add_submission(listing, NULL, entries + next, end - next, ids, list))
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
    void *ids = NULL;
    if (!group_entries(listing, roster))
        return false;
    size_t most = listing->count + roster->count;
    if (most > INTAKE_SUBMISSIONS_MAX)
        return failure_harness(listing->failure, "%s holds more than %d submissions", listing->path,
                               INTAKE_SUBMISSIONS_MAX);
    list->submissions = calloc(most + 1, sizeof *list->submissions);
    bool good =
        (list->submissions && add_submissions(listing, roster, &ids, list)) || no_memory(listing);
    tdestroy(ids, keep_id);
    if (good && list->count)
        qsort(list->submissions, list->count, sizeof *list->submissions, compare_submissions);
    return good;
}

static void listing_free(struct listing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        entry_free(&listing->entries[i]);
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
    } else if (S_ISREG(status.st_mode) &&
               intake_name_kind(path_basename(listing->path)) == INTAKE_MAYBE &&
               file_has_kernel(AT_FDCWD, listing->path)) {
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
    struct listing listing = {.path = path, .has_roster = roster_path, .failure = failure};
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
