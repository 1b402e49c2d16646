/* intake_list.c: list the submissions in the folder or archive of a class. Theory of operation.
 * The files and folders directly in the class (its *entries*) are sorted by name, so that
 * nothing depends on the file system. The owner of an entry is the person of the roster with a
 * login, number, e-mail or name in the entry's name. Entries with the same owner are one
 * submission. Entries without an owner are one submission if they have the same name and number. */
#define _GNU_SOURCE
#include "base/paths.h"
#include "base/whole_file.h"
#include "goals/digest.h"
#include "intake/archive.h"
#include "intake/intake.h"
#include "intake/intake_name.h"
#include "intake/roster.h"
#include "intake/text.h"
#include "process/allocate.h"

#include <dirent.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

struct class_entry {
    char *name;
    char *clean;
    bool folder, link;
    bool kernel; /* true if the content, not the name, shows that the file is a kernel */
    struct intake_name parsed;
    char *key;         /* equal for all entries of one person without an `owner` */
    long owner, guess; /* indices in the roster; ROSTER_NOBODY if unknown */
};

struct listing {
    const char *path;
    bool archive, has_roster;
    size_t skip; /* length of the folder "hw3/" that contains all entries of hw3.zip; otherwise 0 */
    struct class_entry *entries;
    size_t count;
    struct failure *failure;
};

static bool failed(const struct listing *listing)
{
    return listing->failure->kind != FAILURE_NONE;
}

static void entry_free(struct class_entry *entry)
{
    free(entry->name);
    free(entry->clean);
    free(entry->key);
}

static void add_entry(struct listing *listing, const char *name, size_t length,
                      struct class_entry entry)
{
    if (listing->count == INTAKE_CLASS_ENTRIES_MAX) {
        failure_harness(listing->failure, "%s contains more than %d files", listing->path,
                        INTAKE_CLASS_ENTRIES_MAX);
        return;
    }
    entry.name = allocate_checked(strndup(name, length));
    allocate_room(&listing->entries, listing->count, sizeof entry);
    listing->entries[listing->count++] = entry;
}

static bool has_kernel(unsigned char *bytes, size_t size)
{
    const char *charset;
    bool kernel = bytes && source_text_convert(&bytes, &size, &charset) &&
                  source_text_has_kernel(bytes, size);
    free(bytes);
    return kernel;
}

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
        failure_harness(listing->failure, "cannot read %s: %m", listing->path);
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

static void sort_entries(struct listing *listing)
{
    size_t retained = 0;
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        const char *name = entry->name + listing->skip;
        entry->clean = text_clean(name, strlen(name));
    }
    if (listing->count)
        qsort(listing->entries, listing->count, sizeof *listing->entries, compare_entries);
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        if (retained && !strcmp(listing->entries[retained - 1].name, entry->name))
            entry_free(entry);
        else
            listing->entries[retained++] = *entry;
    }
    listing->count = retained;
}

/* Add each file of the archive; keep_top then reduces paths and sort_entries drops duplicates. */
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
    bool top = !slash || !strchr(slash + 1, '/');
    return !failed(listing) && top && item->kind == ARCHIVE_FILE &&
                   intake_name_kind(name) == INTAKE_MAYBE
               ? INTAKE_FILE_BYTES_MAX
               : 0;
}

static void look_into_item(void *context, const struct archive_item *item, unsigned char *bytes,
                           size_t size, bool too_large, bool damaged)
{
    struct listing *listing = context;
    (void)item;
    (void)too_large;
    (void)damaged;
    listing->entries[listing->count - 1].kernel = has_kernel(bytes, size);
}

/* Reduce each path to its first component. If the archive contains only the folder with the
 * archive's name, reduce the paths to the first component in this folder. */
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
    int descriptor = open(listing->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        failure_harness(listing->failure, "cannot open %s: %m", listing->path);
        return;
    }
    const char *problem = archive_walk(descriptor, NULL, 0, &budget, &visitor);
    close(descriptor);
    if (problem && !failed(listing))
        failure_harness(listing->failure, "%s %s", listing->path, problem);
    listing->archive = true;
    keep_top(listing);
}

static bool is_submission(const struct class_entry *entry)
{
    enum intake_file_kind kind = intake_name_kind(entry->clean);
    if (kind == INTAKE_JUNK)
        return false;
    if (entry->parsed.platform != INTAKE_PLAIN || entry->folder || entry->link ||
        entry->owner != ROSTER_NOBODY)
        return true;
    return kind == INTAKE_ARCHIVE || kind == INTAKE_NOTEBOOK || kind == INTAKE_DOCUMENT ||
           kind == INTAKE_PAGE || intake_name_is_cu(entry->clean) || entry->kernel;
}

/* Find the person of an entry: first by the number in the entry's name, then by the person's name.
 * Returns an index or ROSTER_NOBODY. */
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

static bool is_shared(const struct listing *listing, const char *name, size_t length)
{
    size_t with = 0, all = 0;
    for (size_t i = 0; i < listing->count; i++) {
        const struct class_entry *entry = &listing->entries[i];
        if (entry->owner != ROSTER_NOBODY || entry->parsed.platform != INTAKE_PLAIN ||
            intake_name_kind(entry->clean) == INTAKE_JUNK)
            continue;
        all++;
        with += !strncmp(entry->clean, name, length);
    }
    return with > 1 && 2 * with > all;
}

/* Find a login after a prefix that most names share: GitHub Classroom names folders
 * ASSIGNMENT-LOGIN, and GitHub names archives ASSIGNMENT-LOGIN-BRANCH. */
static long find_owner_after(const struct listing *listing, const struct roster *roster,
                             const struct class_entry *entry)
{
    static const char *const branches[] = {"", "-main", "-master"};
    const struct intake_name *parsed = &entry->parsed;
    const size_t end = parsed->person_length;
    for (size_t at = 1; parsed->platform == INTAKE_PLAIN && at < end; at++) {
        const char *login = parsed->person + at;
        if (!strchr("-_ ", login[-1]) || !is_shared(listing, parsed->person, at))
            continue;
        for (size_t b = 0; b < sizeof branches / sizeof *branches; b++) {
            char text[256];
            size_t length = end - at, cut = strlen(branches[b]);
            if (length <= cut || strncmp(login + length - cut, branches[b], cut))
                continue;
            snprintf(text, sizeof text, "%.*s", (int)(length - cut), login);
            long owner = roster_find(roster, text);
            if (owner != ROSTER_NOBODY)
                return owner;
        }
    }
    return ROSTER_NOBODY;
}

static bool same_person(const struct class_entry *a, const struct class_entry *b)
{
    return a->owner == b->owner && (a->owner != ROSTER_NOBODY || !strcmp(a->key, b->key));
}

static int compare_owned(const void *one, const void *other)
{
    const struct class_entry *a = one, *b = other;
    const unsigned long first = (unsigned long)a->owner, second = (unsigned long)b->owner;
    if (first != second) /* as an unsigned number, ROSTER_NOBODY exceeds all indices */
        return first < second ? -1 : 1;
    int order = same_person(a, b) ? 0 : strcmp(a->key, b->key);
    return order ? order : compare_entries(one, other);
}

static void group_entries(struct listing *listing, const struct roster *roster)
{
    size_t retained = 0;
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        intake_name_parse(entry->clean, &entry->parsed);
        if (entry->folder && entry->parsed.platform == INTAKE_PLAIN)
            entry->parsed.person_length = strlen(entry->clean); /* a folder may be named "v1.cu" */
        entry->owner = find_owner(roster, entry);
    }
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        entry->guess = entry->owner == ROSTER_NOBODY && roster->count
                           ? find_owner_after(listing, roster, entry)
                           : entry->owner;
    }
    for (size_t i = 0; i < listing->count; i++) {
        struct class_entry *entry = &listing->entries[i];
        const struct intake_name *parsed = &entry->parsed;
        entry->owner = entry->guess; /* set last, because guesses depend on owners */
        if (!is_submission(entry)) {
            entry_free(entry);
            continue;
        }
        entry->key = allocate_format("%.*s%s%.*s", (int)parsed->person_length, parsed->person,
                                     parsed->number ? "_" : "", (int)parsed->number_length,
                                     parsed->number ? parsed->number : "");
        listing->entries[retained++] = *entry;
    }
    listing->count = retained;
    if (retained)
        qsort(listing->entries, retained, sizeof *listing->entries, compare_owned);
}

static int compare_ids(const void *one, const void *other)
{
    return strcasecmp(one, other); /* file systems may ignore case */
}

static void keep_id(void *id)
{
    (void)id;
}

enum { STEM_SIZE = INTAKE_ID_SIZE - 16 };

void intake_id(const char *name, char id[INTAKE_ID_SIZE])
{
    unsigned char digest[DIGEST_SIZE];
    text_id(name, id, STEM_SIZE);
    bool has_digest = *id == 'x' && *name != 'x'; /* text_id found no Latin letter or digit */
    if (!has_digest && (strcmp(id, name) || strpbrk(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))) {
        digest_bytes(name, strlen(name), digest);
        snprintf(id + strlen(id), 8, "-%02x%02x", digest[0], digest[1]);
    }
}

/* Add an id made from `text` to the tree `ids`. An id in use gets a suffix: "alice_2". */
static void choose_id(void **ids, const char *text, bool is_unique, char id[INTAKE_ID_SIZE])
{
    char stem[INTAKE_ID_SIZE];
    if (is_unique)
        text_id(text, stem, STEM_SIZE);
    else
        intake_id(text, stem);
    strcpy(id, stem);
    for (unsigned number = 2;; number++) {
        char **holder = allocate_checked(tsearch(id, ids, compare_ids));
        if (*holder == id)
            return;
        snprintf(id, INTAKE_ID_SIZE, "%.*s_%u", INTAKE_ID_SIZE - 9, stem, number % 1000000);
    }
}

static void set_entries(const struct listing *listing, struct submission *submission,
                        const struct class_entry *entries, size_t count)
{
    const char *path = listing->path;
    size_t length = strlen(path);
    for (size_t i = 0; i < count; i++)
        submission->late |= entries[i].parsed.late;
    if (!count)
        return;
    if (count == 1 && !listing->archive) {
        submission->path = allocate_format(
            "%s%s%s", path, length && path[length - 1] == '/' ? "" : "/", entries->name);
        return;
    }
    submission->path = allocate_checked(strdup(path));
    submission->members = allocate_checked(calloc(count, sizeof *submission->members));
    submission->member_count = count;
    for (size_t i = 0; i < count; i++)
        submission->members[i] = allocate_checked(strdup(entries[i].name));
}

static void add_submission(const struct listing *listing, const struct roster_person *person,
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
    submission->email = email ? allocate_checked(strdup(email)) : NULL;
    choose_id(ids, person ? person->id : entries->key, person || entries->parsed.number,
              submission->id);
    set_entries(listing, submission, entries, count);
}

static void add_submissions(const struct listing *listing, const struct roster *roster, void **ids,
                            struct class_list *list)
{
    const struct class_entry *entries = listing->entries;
    for (size_t p = 0, next = 0, end = 0; p < roster->count || next < listing->count;
         p++, next = end) {
        const bool known = p < roster->count;
        while (end < listing->count &&
               (known ? entries[end].owner == (long)p : same_person(&entries[end], &entries[next])))
            end++;
        add_submission(listing, known ? &roster->persons[p] : NULL, entries + next, end - next, ids,
                       list);
    }
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
    if (most > INTAKE_SUBMISSIONS_MAX) {
        failure_harness(listing->failure, "%s contains more than %d submissions", listing->path,
                        INTAKE_SUBMISSIONS_MAX);
        return;
    }
    list->submissions = allocate_checked(calloc(most + 1, sizeof *list->submissions));
    add_submissions(listing, roster, &ids, list);
    tdestroy(ids, keep_id);
    if (list->count)
        qsort(list->submissions, list->count, sizeof *list->submissions, compare_submissions);
}

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
        failure_harness(failure, "cannot read %s: %m", path);
    else if (S_ISDIR(status.st_mode))
        list_folder(&listing);
    else if (S_ISREG(status.st_mode) && archive_is_name(path))
        list_archive(&listing);
    else if (is_single(path, &status))
        intake_list_one(path, NULL, list, failure);
    else
        failure_harness(failure,
                        "%s is not a folder, an archive (.zip, .tar, .tar.gz) or a .cu file", path);
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

static char *name_of_path(const char *path, bool folder, bool *late)
{
    char *real = realpath(path, NULL);
    const char *base = path_basename(real ? real : path);
    char *name = text_clean(base, strlen(base));
    free(real);
    struct intake_name parsed;
    if (!folder) {
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
        return failure_harness(failure, "cannot read %s: %m", path);
    list->submissions = allocate_checked(calloc(1, sizeof *list->submissions));
    struct submission *submission = &list->submissions[list->count++];
    submission->path = allocate_checked(strdup(path));
    submission->name = name ? text_clean(name, strlen(name))
                            : name_of_path(path, S_ISDIR(status.st_mode), &submission->late);
    text_id(submission->name, submission->id, sizeof submission->id);
    return true;
}

static int compare_id(const void *id, const void *submission)
{
    return strcmp(id, ((const struct submission *)submission)->id);
}

const struct submission *intake_find(const struct class_list *list, const char *id)
{
    return bsearch(id, list->submissions, list->count, sizeof *list->submissions, compare_id);
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
