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
    char *clean; /* text_clean of what of it does not belong to the class as a whole */
    bool folder, link;
    bool kernel;               /* its name says nothing, but there is a kernel in it */
    struct intake_name parsed; /* of `clean`, once groups are made; like the next two */
    char *key;                 /* entries with the same are one person's */
    long owner;                /* in the roster, or ROSTER_NOBODY */
};

struct listing {
    const char *path;
    bool archive, has_roster;
    size_t skip; /* of names: "hw3/", the folder in the archive that holds the class */
    struct class_entry *entries;
    size_t count;
    struct failure *failure; /* once there is one, nothing more is done */
};

static bool no_memory(struct listing *listing)
{
    return failure_harness(listing->failure, "not enough memory");
}

static bool failed(const struct listing *listing)
{
    return listing->failure->kind != FAILURE_NONE;
}

/* ---- Entries ---- */

static void entry_free(struct class_entry *entry)
{
    free(entry->name);
    free(entry->clean);
    free(entry->key);
}

/* Add an entry, of so many bytes of that name. */
static void add_entry(struct listing *listing, const char *name, size_t length,
                      struct class_entry entry)
{
    if (listing->count == INTAKE_CLASS_ENTRIES_MAX) {
        failure_harness(listing->failure, "%s contains more than %d files", listing->path,
                        INTAKE_CLASS_ENTRIES_MAX);
        return;
    }
    entry.name = strndup(name, length);
    if (entry.name && array_make_room(&listing->entries, listing->count, sizeof entry)) {
        listing->entries[listing->count++] = entry;
    } else {
        free(entry.name);
        no_memory(listing);
    }
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
    if (file && !whole_file_read_stream(file, INTAKE_FILE_BYTES_MAX, &bytes, &size)) {
        free(bytes);
        bytes = NULL;
    }
    if (file)
        fclose(file);
    else if (descriptor >= 0)
        close(descriptor);
    return has_kernel((unsigned char *)bytes, size);
}

static void list_folder(struct listing *listing)
{
    struct dirent **names = NULL;
    int folder = open(listing->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int count = folder < 0 ? -1 : scandirat(folder, ".", &names, NULL, NULL);
    if (count < 0)
        failure_harness(listing->failure, "cannot read %s: %s", listing->path, strerror(errno));
    for (int i = 0; i < count; i++) {
        struct stat status;
        const char *name = names[i]->d_name;
        if (!failed(listing) && *name != '.' &&
            !fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
            add_entry(listing, name, strlen(name),
                      (struct class_entry){.folder = S_ISDIR(status.st_mode),
                                           .link = S_ISLNK(status.st_mode),
                                           .kernel = S_ISREG(status.st_mode) &&
                                                     intake_name_kind(name) == INTAKE_MAYBE &&
                                                     file_has_kernel(folder, name)});
        free(names[i]);
    }
    free(names);
    if (folder >= 0)
        close(folder);
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
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        const char *name = entry->name + listing->skip;
        if (!(entry->clean = text_clean(name, strlen(name)))) {
            no_memory(listing);
            return;
        }
    }
    if (listing->count)
        qsort(listing->entries, listing->count, sizeof *listing->entries, compare_entries);
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        if (kept && !strcmp(listing->entries[kept - 1].name, entry->name))
            entry_free(entry);
        else
            listing->entries[kept++] = *entry;
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
    if (!length || item->kind == ARCHIVE_FOLDER || intake_name_kind(name) == INTAKE_JUNK)
        return 0;
    if (!failed(listing))
        add_entry(listing, name, length, (struct class_entry){.link = item->kind == ARCHIVE_LINK});
    const char *slash = strchr(name, '/');
    bool top = !slash || !strchr(slash + 1, '/'); /* or in the wrapper */
    return !failed(listing) && top && item->kind == ARCHIVE_FILE &&
                   intake_name_kind(name) == INTAKE_MAYBE
               ? INTAKE_FILE_BYTES_MAX
               : 0;
}

/* The entry that was listed last: is it a kernel without a name that says so? */
static bool look_into_item(void *context, const struct archive_item *item, unsigned char *bytes,
                           size_t size, bool too_large, bool damaged)
{
    struct listing *listing = context;
    (void)item;
    (void)too_large;
    (void)damaged;
    listing->entries[listing->count - 1].kernel = has_kernel(bytes, size);
    return true;
}

/* From the names of all files to the first part of each, below the folder of the archive's own name
 * when all is in that. */
static void keep_top(struct listing *listing)
{
    const char *base = path_basename(listing->path);
    const size_t stem = archive_stem(base);
    bool wrapped = listing->count > 0;
    for (size_t i = 0; i < listing->count; i++) {
        const char *name = listing->entries[i].name;
        wrapped &= !strncmp(name, base, stem) && name[stem] == '/';
    }
    listing->skip = wrapped ? stem + 1 : 0;
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        size_t length = listing->skip + strcspn(entry->name + listing->skip, "/");
        entry->folder = entry->name[length] == '/';
        entry->link &= !entry->folder;
        entry->name[length] = 0;
    }
}

static void list_archive(struct listing *listing)
{
    struct archive_budget budget = {INTAKE_CLASS_ENTRIES_MAX, UINT64_MAX >> 1};
    const struct archive_visitor visitor = {listing, list_archive_item, look_into_item, NULL};
    const char *problem = NULL;
    int descriptor = open(listing->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        failure_harness(listing->failure, "cannot open %s: %s", listing->path, strerror(errno));
        return;
    }
    archive_walk(descriptor, NULL, 0, &budget, &visitor, &problem, listing->failure);
    close(descriptor);
    if (problem && !failed(listing))
        failure_harness(listing->failure, "%s %s", listing->path, problem);
    listing->archive = true;
    keep_top(listing);
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
static void group_entries(struct listing *listing, const struct roster *roster)
{
    size_t kept = 0;
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        struct intake_name *parsed = &entry->parsed;
        intake_name_parse(entry->clean, parsed);
        if (entry->folder && parsed->platform == INTAKE_PLAIN)
            parsed->person_length = strlen(entry->clean); /* "v1.cu" may be a folder's name */
        entry->owner = find_owner(roster, entry);
        if (!is_submission(entry)) {
            entry_free(entry);
            continue;
        }
        if (asprintf(&entry->key, "%.*s%s%.*s", (int)parsed->person_length, parsed->person,
                     parsed->number ? "_" : "", (int)parsed->number_length,
                     parsed->number ? parsed->number : "") < 0) {
            entry->key = NULL;
            no_memory(listing);
        }
        listing->entries[kept++] = *entry;
    }
    listing->count = kept;
    if (kept && !failed(listing))
        qsort(listing->entries, kept, sizeof *listing->entries, compare_owned);
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
    if (count == 1 && !listing->archive) {
        if (asprintf(&submission->path, "%s%s%s", path,
                     length && path[length - 1] == '/' ? "" : "/", entries->name) < 0)
            submission->path = NULL;
        return submission->path;
    }
    if (!count)
        return true;
    submission->path = strdup(path);
    submission->members = calloc(count, sizeof *submission->members);
    bool good = submission->path && submission->members;
    for (size_t i = 0; good && i < count; i++) {
        good = (submission->members[i] = strdup(entries[i].name));
        submission->member_count++;
    }
    return good;
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
    const char *email = person ? person->email : NULL;
    submission->email = email ? strdup(email) : NULL;
    return submission->name && !submission->email == !email &&
           choose_id(ids, person ? person->id : entries->key, submission->id) &&
           give_entries(listing, submission, entries, count);
}

/* First the people of the roster, then others: so are entries sorted. */
static bool add_submissions(const struct listing *listing, const struct roster *roster, void **ids,
                            struct class_list *list)
{
    const struct class_entry *entries = listing->entries;
    bool good = true;
    for (size_t p = 0, next = 0, end = 0; good && (p < roster->count || next < listing->count);
         p++, next = end) {
        const bool known = p < roster->count;
        while (end < listing->count &&
               (known ? entries[end].owner == (long)p : same_person(&entries[end], &entries[next])))
            end++;
        good = add_submission(listing, known ? &roster->persons[p] : NULL, entries + next,
                              end - next, ids, list);
    }
    return good;
}

static int compare_submissions(const void *one, const void *other)
{
    return strcmp(((const struct submission *)one)->id, ((const struct submission *)other)->id);
}

static void make_list(struct listing *listing, const struct roster *roster, struct class_list *list)
{
    void *ids = NULL;
    group_entries(listing, roster);
    size_t most = listing->count + roster->count;
    if (most > INTAKE_SUBMISSIONS_MAX)
        failure_harness(listing->failure, "%s contains more than %d submissions", listing->path,
                        INTAKE_SUBMISSIONS_MAX);
    if (failed(listing))
        return;
    list->submissions = calloc(most + 1, sizeof *list->submissions);
    if (!list->submissions || !add_submissions(listing, roster, &ids, list))
        no_memory(listing);
    tdestroy(ids, keep_id);
    if (list->count)
        qsort(list->submissions, list->count, sizeof *list->submissions, compare_submissions);
}

/* Is the path one submission by itself: a source, or a kernel whose name does not say so? */
static bool is_single(const char *path, const struct stat *status)
{
    enum intake_file_kind kind = intake_name_kind(path_basename(path));
    return S_ISREG(status->st_mode) &&
           (kind == INTAKE_SOURCE || (kind == INTAKE_MAYBE && file_has_kernel(AT_FDCWD, path)));
}

bool intake_list(const char *path, const char *roster_path, struct class_list *list,
                 struct failure *failure)
{
    *list = (struct class_list){0};
    struct listing listing = {.path = path, .has_roster = roster_path, .failure = failure};
    struct roster roster = {0};
    struct stat status;
    if (roster_path && !roster_read(roster_path, &roster, failure))
        return false;
    if (stat(path, &status))
        failure_harness(failure, "cannot read %s: %s", path, strerror(errno));
    else if (S_ISDIR(status.st_mode))
        list_folder(&listing);
    else if (S_ISREG(status.st_mode) && archive_is_name(path))
        list_archive(&listing);
    else if (is_single(path, &status))
        intake_list_one(path, NULL, list, failure);
    else
        failure_harness(failure,
                        "%s is neither a folder, nor an archive (.zip, .tar, .tar.gz), nor a .cu "
                        "file",
                        path);
    if (!failed(&listing))
        sort_entries(&listing);
    if (!failed(&listing) && !list->count)
        make_list(&listing, &roster, list);
    if (!failed(&listing) && !list->count)
        failure_harness(failure, "%s contains no submission: no folder, archive or .cu file", path);
    for (size_t i = 0; i < listing.count; i++)
        entry_free(&listing.entries[i]);
    free(listing.entries);
    roster_free(&roster);
    if (failed(&listing))
        intake_list_free(list);
    return !failed(&listing);
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
