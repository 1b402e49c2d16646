/* intake_test.c: tests intake with files of students and platforms, and with attacks.
 * check: whole */
#define _GNU_SOURCE
#include "intake/intake.h"
#include "intake/intake_name.h"
#include "intake/roster.h"
#include "intake/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char root[64];

static int enter(void **state)
{
    (void)state;
    strcpy(root, "/tmp/intake_test_XXXXXX");
    return mkdtemp(root) && !chdir(root) && !mkdir("class", 0700) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static int leave(void **state)
{
    (void)state;
    return chdir("/") || nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void put_bytes(const char *path, const void *bytes, size_t size)
{
    char folder[512];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = folder; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(folder, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void put(const char *path, const char *text)
{
    put_bytes(path, text, strlen(text));
}

struct made {
    const char *name, *text;
    const char *symlink, *hardlink;
    size_t zeros;
    int type;
};

static struct archive *new_archive(const char *path)
{
    struct archive *archive = archive_write_new();
    size_t length = strlen(path);
    if (!strcmp(path + length - 3, "zip"))
        archive_write_set_format_zip(archive);
    else
        archive_write_set_format_pax_restricted(archive);
    if (!strcmp(path + length - 2, "gz"))
        archive_write_add_filter_gzip(archive);
    return archive;
}

static void write_zeros(struct archive *archive, size_t size)
{
    static const char zeros[1 << 16];
    for (size_t done = 0; done < size; done += sizeof zeros)
        archive_write_data(archive, zeros, size - done < sizeof zeros ? size - done : sizeof zeros);
}

static void pack(const char *path, const struct made *made, size_t count)
{
    struct archive *archive = new_archive(path);
    assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
    for (size_t i = 0; i < count; i++) {
        struct archive_entry *entry = archive_entry_new();
        size_t size = made[i].text ? strlen(made[i].text) : made[i].zeros;
        archive_entry_set_pathname(entry, made[i].name);
        archive_entry_set_perm(entry, 0600);
        archive_entry_set_filetype(
            entry, made[i].type ? (unsigned)made[i].type
                                : (made[i].symlink                                     ? AE_IFLNK
                                   : made[i].text || made[i].zeros || made[i].hardlink ? AE_IFREG
                                                                                       : AE_IFDIR));
        archive_entry_set_size(entry, made[i].hardlink ? 0 : (la_int64_t)size);
        if (made[i].symlink)
            archive_entry_set_symlink(entry, made[i].symlink);
        if (made[i].hardlink)
            archive_entry_set_hardlink(entry, made[i].hardlink);
        assert_true(archive_write_header(archive, entry) >= ARCHIVE_WARN);
        if (made[i].zeros)
            write_zeros(archive, size);
        else if (made[i].text)
            archive_write_data(archive, made[i].text, size);
        archive_entry_free(entry);
    }
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
}
#define PACK(path, ...)                                                                            \
    pack(path, (const struct made[]){__VA_ARGS__},                                                 \
         sizeof((const struct made[]){__VA_ARGS__}) / sizeof(struct made))

static unsigned char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *bytes = malloc(1 << 22);
    *size = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return bytes;
}

static struct class_list list_of(const char *path, const char *roster)
{
    struct class_list list;
    struct failure failure = {0};
    if (!intake_list(path, roster, &list, &failure))
        fail_msg("%s", failure.text);
    return list;
}

static void assert_ids(const char *path, const char *roster, const char *expected)
{
    struct class_list list = list_of(path, roster);
    char ids[4096] = "";
    for (size_t i = 0; i < list.count; i++)
        snprintf(ids + strlen(ids), sizeof ids - strlen(ids), "%s%s%s", i ? " " : "",
                 list.submissions[i].id, list.submissions[i].path ? "" : "(none)");
    assert_string_equal(ids, expected);
    intake_list_free(&list);
}

/* Tests with thousands of submissions replace intake_read, which starts a process. */
static bool (*read_one)(const struct submission *, struct intake *, struct failure *) = intake_read;

/* `files` receives "name=text|name=text", `notes` "note|note". */
static void describe(const char *path, const char *id, char files[8192], char notes[8192])
{
    struct class_list list = list_of(path, NULL);
    struct intake intake;
    struct failure failure = {0};
    *files = *notes = 0;
    bool found = false;
    for (size_t i = 0; i < list.count; i++) {
        if (strcmp(list.submissions[i].id, id))
            continue;
        found = true;
        if (!read_one(&list.submissions[i], &intake, &failure))
            fail_msg("%s", failure.text);
        for (size_t f = 0; f < intake.count; f++) {
            assert_int_equal(intake.files[f].bytes[intake.files[f].size], 0);
            snprintf(files + strlen(files), 8192 - strlen(files), "%s%s=%.40s", f ? "|" : "",
                     intake.files[f].name, (const char *)intake.files[f].bytes);
        }
        for (size_t n = 0; n < intake.note_count; n++)
            snprintf(notes + strlen(notes), 8192 - strlen(notes), "%s%s", n ? "|" : "",
                     intake.notes[n]);
        intake_free(&intake);
    }
    if (!found)
        fail_msg("there is no submission %s", id);
    intake_list_free(&list);
}

static void assert_read(const char *path, const char *id, const char *files, const char *notes)
{
    char got_files[8192], got_notes[8192];
    describe(path, id, got_files, got_notes);
    assert_string_equal(got_files, files);
    assert_string_equal(got_notes, notes);
}

static void digest_of(const char *path, unsigned char digest[32])
{
    struct class_list list;
    struct intake intake;
    struct failure failure = {0};
    assert_true(intake_list_one(path, NULL, &list, &failure));
    assert_true(intake_read(&list.submissions[0], &intake, &failure));
    memcpy(digest, intake.digest, 32);
    intake_free(&intake);
    intake_list_free(&list);
}

static void assert_refused(const char *path, const char *roster, const char *words)
{
    struct class_list list;
    struct failure failure = {0};
    assert_false(intake_list(path, roster, &list, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    if (!strstr(failure.text, words))
        fail_msg("`%s` does not contain `%s`", failure.text, words);
}

static void test_folders_archives_files(void **state)
{
    (void)state;
    put("class/alice/padded.cu", "A");
    put("class/alice/sub/naive.CU", "B");
    put("class/alice/tile.cuh", "C");
    PACK("class/bob.zip", {.name = "padded.cu", .text = "D"}, {.name = "labs/"},
         {.name = "labs/naive.cu", .text = "E"});
    PACK("class/carol.tar.gz", {.name = "./padded.cu", .text = "F"});
    PACK("class/dave.tar", {.name = "padded.cu", .text = "G"});
    put("class/erin.cu", "H");
    put("class/notes.txt", "no submission");
    put("class/.DS_Store", "no submission");
    put("class/__MACOSX/x.cu", "no submission");
    assert_ids("class", NULL, "alice bob carol dave erin");
    assert_read("class", "alice", "padded.cu=A|sub/naive.CU=B|tile.cuh=C", "");
    assert_read("class", "bob", "labs/naive.cu=E|padded.cu=D", "");
    assert_read("class", "carol", "padded.cu=F", "");
    assert_read("class", "dave", "padded.cu=G", "");
    assert_read("class", "erin", "erin.cu=H", "");
    assert_read("class/erin.cu", "erin", "erin.cu=H", "");
}

static void test_canvas(void **state)
{
    (void)state;
    put("class/angstromalice_101_9001_padded.cu", "A");
    put("class/angstromalice_101_9002_naive-1.cu", "B");
    put("class/smithbob_LATE_102_9003_my_lab 3.cu", "C");
    put("class/smithbob_103_9004_padded.cu", "D");
    PACK("class/lee_104_9005_all.zip", {.name = "padded.cu", .text = "E"});
    put("class/wu_105_9006_report.pdf", "no source");
    assert_ids("class", NULL, "angstromalice_101 lee_104 smithbob_102 smithbob_103 wu_105");
    assert_read("class", "angstromalice_101", "naive-1.cu=B|padded.cu=A", "");
    assert_read("class", "smithbob_102", "my_lab 3.cu=C", "submitted late, according to Canvas");
    assert_read("class", "lee_104", "padded.cu=E", "");
    assert_read("class", "wu_105", "", "files other than CUDA sources are left out: report.pdf");
    put("roster.csv", "\xEF\xBB\xBFStudent,ID,SIS User ID,SIS Login ID,Section\r\n"
                      "    Points Possible,,,,\r\n"
                      "\"\xC3\x85ngstr\xC3\xB6m, Alice\",101,s1,alice,A\r\n"
                      "\"Smith, Bob\",102,s2,bob,A\r\n\"Smith, Bob\",103,s3,bsmith,A\r\n"
                      "\"Late, \"\"Never\"\" Anna\",199,s9,anna,A\r\n\"Student, Test\",,,,\r\n");
    assert_ids("class", "roster.csv", "alice anna(none) bob bsmith lee_104 wu_105");
    struct class_list list = list_of("class", "roster.csv");
    assert_string_equal(list.submissions[0].name, "Alice \xC3\x85ngstr\xC3\xB6m");
    assert_string_equal(list.submissions[1].name, "\"Never\" Anna Late");
    assert_int_equal(list.submissions[0].member_count, 2);
    intake_list_free(&list);
}

static void test_canvas_archive(void **state)
{
    (void)state;
    PACK("inner.zip", {.name = "padded.cu", .text = "E"},
         {.name = "__MACOSX/._padded.cu", .text = "junk"});
    size_t size;
    unsigned char *inner = slurp("inner.zip", &size);
    struct archive *archive = new_archive("submissions.zip");
    assert_int_equal(archive_write_open_filename(archive, "submissions.zip"), ARCHIVE_OK);
    static const char *const names[] = {"lee_104_9005_all.zip", "ann_105_9006_padded.cu",
                                        "ann_105_9007_naive.cu"};
    for (size_t i = 0; i < 3; i++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, names[i]);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_size(entry, i ? 1 : (la_int64_t)size);
        archive_write_header(archive, entry);
        archive_write_data(archive, i ? (const void *)"A" : inner, i ? 1 : size);
        archive_entry_free(entry);
    }
    archive_write_close(archive);
    archive_write_free(archive);
    free(inner);
    assert_ids("submissions.zip", NULL, "ann_105 lee_104");
    assert_read("submissions.zip", "lee_104", "padded.cu=E", "");
    assert_read("submissions.zip", "ann_105", "naive.cu=A|padded.cu=A", "");
}

static void test_moodle(void **state)
{
    (void)state;
    put("class/Alice \xC3\x85ngstr\xC3\xB6m_501_assignsubmission_file_/padded.cu", "A");
    put("class/Bob O'Neil_502_assignsubmission_file_padded.cu", "B");
    put("class/Bob O'Neil_502_assignsubmission_file_naive.cu", "C");
    put("class/Chen_503_assignsubmission_onlinetext_/onlinetext.html", "hi");
    assert_ids("class", NULL, "Alice_Angstrom_501 Bob_O_Neil_502 Chen_503");
    assert_read("class", "Alice_Angstrom_501", "padded.cu=A", "");
    assert_read("class", "Bob_O_Neil_502", "naive.cu=C|padded.cu=B", "");
    put("roster.csv", "Identifier;Full name;E-mail address\nParticipant 501;Alice X;ax@uni.edu\n"
                      "Participant 777;Bob O'Neil;bob@uni.edu\n");
    assert_ids("class", "roster.csv", "Chen_503 Participant_501 Participant_777");
    PACK("moodle.zip", {.name = "Alice B_501_assignsubmission_file_/padded.cu", .text = "A"},
         {.name = "Alice B_501_assignsubmission_file_/naive.cu", .text = "B"},
         {.name = "Chen_503_assignsubmission_file_/x.cu", .text = "C"});
    assert_ids("moodle.zip", NULL, "Alice_B_501 Chen_503");
    assert_read("moodle.zip", "Alice_B_501", "naive.cu=B|padded.cu=A", "");
}

static void test_moodle_without_a_name(void **state)
{
    (void)state;
    static const char text[] = "_12_assignsubmission_file";
    struct intake_name parsed;
    for (size_t i = 0; i < 2; i++) {
        intake_name_parse(text + i, &parsed);
        assert_int_equal(parsed.platform, INTAKE_PLAIN);
        assert_int_equal(parsed.person_length, strlen(text + i));
    }
}

static void test_archive_of_folders(void **state)
{
    (void)state;
    PACK("hw3.tar.gz", {.name = "hw3/", .text = NULL}, {.name = "hw3/alice/padded.cu", .text = "A"},
         {.name = "hw3/bob/padded.cu", .text = "B"}, {.name = "hw3/bob/naive.cu", .text = "C"},
         {.name = "hw3/carol.cu", .text = "D"}, {.name = "__MACOSX/hw3/._x", .text = "junk"});
    assert_ids("hw3.tar.gz", NULL, "alice bob carol");
    assert_read("hw3.tar.gz", "bob", "naive.cu=C|padded.cu=B", "");
    assert_read("hw3.tar.gz", "carol", "carol.cu=D", "");
    assert_int_equal(rename("hw3.tar.gz", "other.tar.gz"), 0);
    assert_ids("other.tar.gz", NULL, "hw3");
}

static void assert_names_of_rows(void)
{
    static const struct {
        const char *row, *name;
    } rows[] = {
        {"1,Ann Bee,x@uni.edu,Xeno,Yps", "Ann Bee"},
        {"2,\"Bee, Ann\",,,", "Ann Bee"},
        {"3,\"Bee,Ann\",,Xeno,Yps", "Ann Bee"},
        {"4,\"Doe, John, Jr.\",,,", "Doe, John, Jr."},
        {"5,\"Bee,\",,,", "Bee"},
        {"6,\",Ann\",,,", "Ann"},
        {"7,,x@uni.edu,Cy,Dee", "Cy Dee"},
        {"8,,x@uni.edu,Cy,", "Cy"},
        {"9,,x@uni.edu,,Dee", "Dee"},
        {"10,,\"y,@uni.edu\",,", "y,@uni.edu"},
        {"11,,,,", "11"},
        {"12,Solo,,Xeno,", "Solo"},
        {"13,Solo,,,Yps", "Solo"},
        {"14,\"A, B, C\",,Xeno,Yps", "A, B, C"},
    };
    enum { COUNT = sizeof rows / sizeof *rows };
    struct roster roster;
    struct failure failure = {0};
    char text[1024] = "id,name,email,first name,last name\n";
    for (size_t i = 0; i < COUNT; i++)
        strcat(strcat(text, rows[i].row), "\n");
    put("roster.csv", text);
    assert_true(roster_read("roster.csv", &roster, &failure));
    assert_int_equal(roster.count, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        assert_string_equal(roster.persons[i].name, rows[i].name);
    assert_null(roster.persons[10].email);
    assert_string_equal(roster.persons[9].email, "y,@uni.edu");
    roster_free(&roster);
}

static void test_rosters(void **state)
{
    (void)state;
    put("class/alice@uni.edu.zip", "");
    put("class/2002/padded.cu", "");
    put("class/Eve \xC3\x89mile/padded.cu", "");
    put("class/stranger/padded.cu", "");
    put("roster.csv", "Last name\tFirst Name\tStudent ID\tEmail\n"
                      "Doe\tAlice\t2001\talice@uni.edu\n\"Two\nLines\"\tBob\t2002\t\n"
                      "\xC3\x89mile\tEve\t2003\te@x\n\n");
    assert_ids("class", "roster.csv", "2001 2002 2003 stranger");
    struct class_list list = list_of("class", "roster.csv");
    assert_string_equal(list.submissions[0].email, "alice@uni.edu");
    assert_string_equal(list.submissions[0].name, "Alice Doe");
    assert_string_equal(list.submissions[1].name, "Bob Two_Lines");
    assert_null(list.submissions[1].email);
    intake_list_free(&list);
    put("roster.csv", "name,email\nJos\xE9 N\xFA\xF1"
                      "ez,jn@x.y\n");
    list = list_of("class", "roster.csv");
    for (size_t i = 0; i < list.count; i++)
        if (!list.submissions[i].path)
            assert_string_equal(list.submissions[i].name, "Jos\xC3\xA9 N\xC3\xBA\xC3\xB1"
                                                          "ez");
    intake_list_free(&list);
    put("roster.csv", "name,id\rDwayne \"Rock\" J,d1\rEve,e1\r");
    list = list_of("class", "roster.csv");
    const char *name = "";
    for (size_t i = 0; i < list.count; i++)
        if (!strcmp(list.submissions[i].id, "d1"))
            name = list.submissions[i].name;
    assert_string_equal(name, "Dwayne \"Rock\" J");
    intake_list_free(&list);
    put("roster.csv", "Vorname;Nachname;\"Note, Rang, Ort, Jahr\";ID-Nummer;E-Mail-Adresse\n"
                      "J\xC3\xBCrgen;Gro\xC3\x9F;1;2002;j@x\n");
    assert_ids("class", "roster.csv", "2002 Eve_Emile-6852 alice_uni.edu-01b8 stranger");
    put("roster.csv", "Vorname;Nachname;\"Note, Rang, Ort, Jahr, Grund, Tag\";ID-Nummer\n"
                      "J\xC3\xBCrgen;Gro\xC3\x9F;1;2002\n");
    assert_ids("class", "roster.csv", "2002 Eve_Emile-6852 alice_uni.edu-01b8 stranger");
    put("roster.csv", "id,name\n2002,\"Doe, John, Jr.\"\n2003,\"Roe, Jane\"\n");
    list = list_of("class", "roster.csv");
    assert_string_equal(list.submissions[0].name, "Doe, John, Jr.");
    assert_string_equal(list.submissions[1].name, "Jane Roe");
    intake_list_free(&list);
    assert_names_of_rows();
    put("roster.csv", "colour,shape\nred,round\n");
    assert_refused("class", "roster.csv", "roster.csv:1: no known column");
    put("roster.csv", "id,name\n1,A\n1,B\n");
    assert_refused("class", "roster.csv", "`1` occurs twice");
    put("roster.csv", "id,name\n1,\"A\n");
    assert_refused("class", "roster.csv", "roster.csv:2: a quote is opened here and never closed");
    put("roster.csv", "");
    assert_refused("class", "roster.csv", "is empty");
    put_bytes("roster.csv", "\xFF\xFEi\0d\0", 6);
    assert_refused("class", "roster.csv", "UTF-8");
    assert_refused("class", "nowhere.csv", "No such file");
}

static void test_names_fold(void **state)
{
    (void)state;
    static const struct {
        const char *text, *folded;
    } cases[] = {
        {"\xC3\x85ngstr\xC3\xB6m, Alice", "angstromalice"},
        {"A\xCC\x8Angstro\xCC\x88m Alice", "angstromalice"},
        {"Nguy\xE1\xBB\x85n", "nguyen"},
        {"\xC3\x98ystein Stra\xC3\x9F"
         "e",
         "oysteinstrasse"},
        {"\xD0\x98\xD0\x92\xD0\x90\xD0\x9D", "\xD0\xB8\xD0\xB2\xD0\xB0\xD0\xBD"},
        {"\xE6\x9D\x8E \xE9\x9B\xB7", "\xE6\x9D\x8E\xE9\x9B\xB7"},
        {"O\xE2\x80\x99Neil\xE2\x80\x93Smith", "oneilsmith"},
        {"\xE2\x80\x94 ()", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char folded[64], *clean = text_clean(cases[i].text, strlen(cases[i].text));
        assert_non_null(clean);
        text_fold(clean, folded, sizeof folded);
        assert_string_equal(folded, cases[i].folded);
        free(clean);
    }
    char *hidden = text_clean("a\xE2\x80\xAE"
                              "b\xFF\xD8\x9C",
                              8); /* U+202E, invalid UTF-8, U+061C */
    assert_string_equal(hidden, "a_b\xEF\xBF\xBD_");
    free(hidden);
}

static void test_ambiguous_names_stay_apart(void **state)
{
    (void)state;
    put("class/kim/padded.cu", "A");
    put("roster.csv", "id,name\nk1,Kim\nk2,Kim\n");
    assert_ids("class", "roster.csv", "k1(none) k2(none) kim");
}

static void test_nothing_to_grade(void **state)
{
    (void)state;
    assert_refused("class", NULL, "contains no submission");
    assert_refused("nowhere", NULL, "No such file");
    put("x.pdf", "");
    assert_refused("x.pdf", NULL, "is not a folder");
    put("x.zip", "no zip");
    assert_refused("x.zip", NULL, "not an archive, or is damaged");
}

static void test_names(void **state)
{
    (void)state;
    put("class/a_b/with space 'n \"quotes\".cu", "A");
    put("class/a_b/new\nline.cu", "B");
    put("class/a_b/\xFFlatin.cu", "C");
    put("class/a_b/u\xCC\x88"
        "ber.cu",
        "D");
    put("class/a_b/-o.cu", "E");
    put("class/a_b/\xE2\x80\xAE"
        "evil.cu",
        "F");
    put("class/a_b/win\\dir.cu", "G");
    assert_read("class", "a_b",
                "_evil.cu=F|_o.cu=E|new_line.cu=B|win/dir.cu=G|with space 'n \"quotes\".cu=A|"
                "\xC3\xBC"
                "ber.cu=D|\xC3\xBFlatin.cu=C",
                "");
}

static void test_pages(void **state)
{
    (void)state;
    put("class/leeann_104_text.html",
        "<p>#include &lt;lab.h&gt;<br>LAB(naive);</p><p><span "
        "style=\"x\">__global__</span>&nbsp;void "
        "f(int&#32;*a)&#x20;{ if (a[0] < 1 &amp;&amp; a[1] &gt; 2) a[0] = &quot;x&quot;[0]; }</p>");
    put("class/wubob_LATE_105_text.html", "<p>I could not do it.</p>");
    put("class/xiecy_106_link.html", "<a href=\"https://example.org\">");
    put("class/dan_503_assignsubmission_onlinetext_/onlinetext.html",
        "<pre>__global__ void g\n&lt;");
    put("class/eve_107_207_everything.cu",
        "#include \"lab.h\"\nLAB(a);\n__global__ A {}\n// b\nLAB(b);\n__global__ B {}\n");
    assert_ids("class", NULL, "dan_503 eve_107 leeann_104 wubob_105 xiecy_106");
    assert_read("class", "leeann_104", "text.html=#include <lab.h>\nLAB(naive);\n__global__ ",
                "text.html is read as CUDA source because of its content");
    assert_read("class", "dan_503", "onlinetext.html=__global__ void g\n<",
                "onlinetext.html is read as CUDA source because of its content");
    assert_read("class", "eve_107",
                "everything (a).cu=#include \"lab.h\"\nLAB(a);\n__global__ A {}|"
                "everything (b).cu=#include \"lab.h\"\n       \n               ",
                "everything.cu contains 2 exercises, so it is read as 2 files");
    assert_read("class", "wubob_105", "",
                "submitted late, according to Canvas|files other than CUDA sources are left out: "
                "text.html");
    struct class_list list = list_of("class", NULL);
    struct intake intake;
    struct failure failure = {0};
    assert_true(intake_read_here(&list.submissions[4], &intake, &failure));
    assert_int_equal(intake.unreadable_count, 1);
    assert_true(intake.unreadable[0].document);
    intake_free(&intake);
    intake_list_free(&list);
}

/* The common prefix of most names does not belong to the login. */
static void test_classroom(void **state)
{
    (void)state;
    put("roster.csv", "identifier,github_username,name\n1,ann-b,Ann B\n2,Ben,Ben C\n3,b,Bea D\n"
                      "4,lab-x,Lea X\n5,zoe,Zoe Y\n");
    put("class/lab-3-ann-b/x.cu", "");
    put("class/lab-3-Ben/x.cu", "");
    put("class/lab-3-b/x.cu", "");
    put("class/lab-3-stranger/x.cu", "");
    put("class/lab-x/x.cu", "");
    put("class/other-zoe/x.cu", "");
    assert_ids("class", "roster.csv", "Ben ann-b b lab-3-stranger lab-x other-zoe zoe(none)");
    put("one/lab-3-ann-b/x.cu", "");
    put("archives/t-ann-b-main.zip", "");
    put("archives/t-Ben-master.zip", "");
    put("archives/t-zoe.zip", "");
    assert_ids("archives", "roster.csv", "Ben ann-b b(none) lab-x(none) zoe");
}

static void test_ids(void **state)
{
    (void)state;
    put("class/Alice/x.cu", "");
    put("class/alice/x.cu", "");
    put("class/\xE6\x9D\x8E\xE5\xA8\x9C/x.cu", "");
    put("class/...a/x.cu", "");
    put("class/O\xCC\x88zg\xC3\xBCr \xC5\x81ukasz/x.cu", "");
    put("class/a\nb/x.cu", "");
    put("class/--help/x.cu", "");
    assert_ids("class", NULL, "Alice-3bc5 Ozgur_Lukasz-52f1 a_b alice help-0bdb x6e9c21fae010");
    put("twins/Ann B/x.cu", "");
    assert_ids("twins", NULL, "Ann_B-1923");
    put("twins/ann_b/x.cu", "");
    put("twins/Ann_B/x.cu", "");
    put("twins/Ann-B/x.cu", "");
    assert_ids("twins", NULL, "Ann-B-c153 Ann_B-1923 Ann_B-7ea7 ann_b");
    mkdir("long", 0700);
    char path[300] = "long/";
    memset(path + 5, 'n', 200);
    put(strcat(path, "/x.cu"), "");
    struct class_list list = list_of("long", NULL);
    assert_true(strlen(list.submissions[0].id) < INTAKE_ID_SIZE);
    intake_list_free(&list);
}

static void test_same_person_twice(void **state)
{
    (void)state;
    put("class/alice/padded.cu", "A");
    put("class/alice/same.cu", "S");
    PACK("class/alice.zip", {.name = "padded.cu", .text = "B"}, {.name = "same.cu", .text = "S"},
         {.name = "naive.cu", .text = "C"});
    assert_ids("class", NULL, "alice");
    assert_read("class", "alice",
                "alice.zip/naive.cu=C|alice.zip/padded.cu=B|padded.cu=A|same.cu=S",
                "alice.zip contains files that have the same names as other files, so its files "
                "are read as "
                "alice.zip/...");
}

static void test_file_and_folder_of_one_name(void **state)
{
    (void)state;
    PACK("class/a.tar", {.name = "x.cu/y.cu", .text = "A"}, {.name = "x.cu", .text = "B"},
         {.name = "z.cu", .text = "C"}, {.name = "z.cu/w.cu", .text = "D"});
    assert_read("class", "a", "x.cu=B|z.cu=C",
                "x.cu/y.cu has the same name as another file: an instructor must check it by hand|"
                "z.cu/w.cu has the same name as another file: an instructor must check it by hand");
    PACK("class/n.zip", {.name = "x.cu", .text = "A"},
         {.name = "x.cu/y.cu", .text = "LAB(__global__"});
    assert_read("class", "n", "x.cu/y.cu=LAB(__global__",
                "x.cu has the same name as another file: an instructor must check it by hand");
}

static void test_digest(void **state)
{
    (void)state;
    unsigned char folder[32], zip[32], tar[32], other[32];
    put("class/a/padded.cu", "A");
    put("class/a/n/\xC3\xBC.cu", "B");
    PACK("a.zip", {.name = "n/u\xCC\x88.cu", .text = "B"}, {.name = "padded.cu", .text = "A"},
         {.name = "readme.md", .text = "X"});
    PACK("a.tar.gz", {.name = "./padded.cu", .text = "A"},
         {.name = "./n/\xC3\xBC.cu", .text = "B"});
    PACK("b.zip", {.name = "padded.cuA", .text = ""}, {.name = "n/\xC3\xBC.cu", .text = "B"});
    digest_of("class/a", folder);
    digest_of("a.zip", zip);
    digest_of("a.tar.gz", tar);
    digest_of("b.zip", other);
    assert_memory_equal(folder, zip, 32);
    assert_memory_equal(folder, tar, 32);
    assert_memory_not_equal(folder, other, 32);
}

#define KERNEL "LAB(x) __global__"

static void test_other_names(void **state)
{
    (void)state;
    static const char *const names[] = {
        "padded.cu.txt", "padded.cpp",    "padded.CC",      "padded.cxx", "padded.c",
        "padded",        "padded.cu (1)", "padded.cu_.bin", "padded.txt", "PADDED.CU.TXT"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64], files[128], notes[128];
        mkdir("class", 0700);
        snprintf(path, sizeof path, "class/a/%s", names[i]);
        put(path, KERNEL);
        snprintf(files, sizeof files, "%s=%s", names[i], KERNEL);
        snprintf(notes, sizeof notes, "%s is read as CUDA source because of its content", names[i]);
        assert_read("class", "a", files, notes);
        assert_int_equal(unlink(path), 0);
    }
    put("class/b/padded.cuh", KERNEL);
    put("class/b/README", "no kernel");
    assert_read("class", "b", "padded.cuh=" KERNEL,
                "padded.cuh is read as CUDA source because of its content|"
                "files other than CUDA sources are left out: README");
    put("class/b/padded.cu", "#include \"padded.cuh\"");
    put("class/b/padded.cu.bak", KERNEL);
    put("class/b/padded.cu~", KERNEL);
    assert_read("class", "b", "padded.cu=#include \"padded.cuh\"|padded.cuh=" KERNEL,
                "files other than CUDA sources are left out: README, padded.cu.bak, padded.cu~");
}

static void assert_kernel(const char *path, const char *id, bool kernel)
{
    struct class_list list = list_of(path, NULL);
    struct intake intake;
    struct failure failure = {0};
    for (size_t i = 0; i < list.count; i++) {
        if (strcmp(list.submissions[i].id, id))
            continue;
        assert_true(intake_read(&list.submissions[i], &intake, &failure));
        assert_int_equal(intake.count, 1);
        assert_int_equal(intake.files[0].kernel, kernel);
        intake_free(&intake);
    }
    intake_list_free(&list);
}

static void test_kernels(void **state)
{
    (void)state;
    put("class/a/x.CU", "A");
    put("class/b/x.cpp", KERNEL);
    put("class/c/x.h", "A");
    assert_kernel("class", "a", true);
    assert_kernel("class", "b", true);
    assert_kernel("class", "c", false);
}

static void test_single_files(void **state)
{
    (void)state;
    put("class/ann.cu.txt", KERNEL);
    put("class/ben.cpp", KERNEL);
    put("class/cy.ipynb", "{}");
    put("class/dan.7z", "7z");
    put("class/eve.rar", "Rar!");
    put("class/fay", KERNEL);
    put("class/gus.txt", "/* mine */ " KERNEL);
    put("class/hal.pdf", "%PDF");
    put("class/README", "no kernel");
    put("class/notes.txt", "no submission");
    put("class/Makefile", "all:");
    put("class/class.csv", "id");
    assert_ids("class", NULL, "ann ben cy dan eve fay gus hal");
    assert_read("class", "fay", "fay=" KERNEL, "fay is read as CUDA source because of its content");
    put("roster.csv", "id,name\nnotes,Noah T. Es\n");
    assert_ids("class", "roster.csv", "ann ben cy dan eve fay gus hal notes");
}

static void test_charsets(void **state)
{
    (void)state;
    put_bytes("class/a/bom8.cu", "\xEF\xBB\xBFint a;", 9);
    put_bytes("class/a/latin.cu", "// \xE4\xF6\n", 6);
    put_bytes("class/a/le.cu", "\xFF\xFEi\0n\0t\0", 8);
    put_bytes("class/a/le_bare.cu", "i\0n\0t\0 \0a\0;\0", 12);
    put_bytes("class/a/be.cu", "\xFE\xFF\0i\0n\0t", 8);
    put_bytes("class/a/be_bare.cu", "\0i\0n\0t\0 \0a\0;", 12);
    put_bytes("class/a/le32.cu", "\xFF\xFE\0\0i\0\0\0n\0\0\0", 12);
    put("class/a/mac.cu", "int a;\rint b;\r");
    put("class/a/mixed.cu", "int a;\r\nint b;\r");
    put_bytes("class/a/odd.cu", "\xFF\xFEi\0n\0t", 7);
    put_bytes("class/a/pair.cu", "\xFF\xFE\x3D\xD8\x00\xDE", 6);
    put_bytes("class/a/windows.cu", "// \x93quoted\x94", 11);
    assert_read("class", "a",
                "be.cu=int|be_bare.cu=int a;|bom8.cu=int a;|latin.cu=// \xC3\xA4\xC3\xB6\n|"
                "le.cu=int|le32.cu=in|le_bare.cu=int a;|mac.cu=int a;\nint b;\n|"
                "mixed.cu=int a;\r\nint b;\r|odd.cu=in|pair.cu=\xF0\x9F\x98\x80|"
                "windows.cu=// \xE2\x80\x9Cquoted\xE2\x80\x9D",
                "be.cu was converted from UTF-16BE to UTF-8|"
                "be_bare.cu was converted from UTF-16BE to UTF-8|"
                "latin.cu was converted from Windows-1252 to UTF-8|"
                "le.cu was converted from UTF-16LE to UTF-8|"
                "le32.cu was converted from UTF-32LE to UTF-8|"
                "le_bare.cu was converted from UTF-16LE to UTF-8|"
                "odd.cu was converted from UTF-16LE to UTF-8|"
                "pair.cu was converted from UTF-16LE to UTF-8|"
                "windows.cu was converted from Windows-1252 to UTF-8");
    put_bytes("class/b/lone.cu", "\xFF\xFE\x3D\xD8i\0", 6);
    put_bytes("class/b/noise.cu", "\x01\x02\x03\x7F\xFF\x00\x9D\x1B", 8);
    put_bytes("class/b/noise", "\x01\x02\x03\x7F\xFF\x00\x9D\x1B", 8);
    assert_read("class", "b", "",
                "lone.cu is not a text file: an instructor must check it by hand|"
                "noise.cu is not a text file: an instructor must check it by hand|"
                "files other than CUDA sources are left out: noise");
}

static void put_packed(const char *path, const char *name, const char *inside)
{
    size_t size;
    unsigned char *bytes = slurp(inside, &size);
    struct archive *archive = new_archive(path);
    archive_write_open_filename(archive, path);
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, (la_int64_t)size);
    archive_write_header(archive, entry);
    archive_write_data(archive, bytes, size);
    archive_entry_free(entry);
    archive_write_close(archive);
    archive_write_free(archive);
    free(bytes);
}

static void test_archives_in_archives(void **state)
{
    (void)state;
    PACK("1.tar.gz", {.name = "padded.cu", .text = "A"});
    put_packed("2.zip", "hw/upload.tar.gz", "1.tar.gz");
    put_packed("3.tar", "2.zip", "2.zip");
    put_packed("4.zip", "3.tar", "3.tar");
    assert_int_equal(rename("2.zip", "class/a.zip") | rename("3.tar", "class/b.tar") |
                         rename("4.zip", "class/c.zip"),
                     0);
    assert_read("class", "a", "hw/padded.cu=A", "");
    assert_read("class", "b", "hw/padded.cu=A", "");
    assert_read(
        "class", "c", "",
        "hw/upload.tar.gz is nested in too many archives: an instructor must check it by hand");
    mkdir("class/d", 0700);
    PACK("class/d/x.7z", {.name = "padded.cu", .text = "A"}); /* a tar file, not 7z */
    assert_read("class", "d", "padded.cu=A", "");
    assert_int_equal(system("printf A >padded.cu && gzip padded.cu && mkdir class/e class/f && "
                            "cp padded.cu.gz class/e && cp padded.cu.gz class/f/padded.cu"),
                     0);
    assert_read("class", "e", "padded.cu=A", "");
    assert_read("class", "f", "padded.cu=A", "");
    put("class/g.zip", KERNEL);
    assert_read("class", "g", "g.zip=" KERNEL,
                "g.zip is read as CUDA source because of its content");
}

static void test_7z(void **state)
{
    (void)state;
    struct archive *archive = archive_write_new();
    archive_write_set_format_7zip(archive);
    archive_write_open_filename(archive, "class/a.7z");
    for (int i = 0; i < 2; i++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, i ? "labs/naive.cu" : "padded.cu");
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_size(entry, 1);
        archive_write_header(archive, entry);
        archive_write_data(archive, i ? "B" : "A", 1);
        archive_entry_free(entry);
    }
    archive_write_close(archive);
    archive_write_free(archive);
    assert_read("class", "a", "labs/naive.cu=B|padded.cu=A", "");
    put_bytes("class/b.7z", "7z\xBC\xAF\x27\x1C\0\4 and then nothing", 25);
    put_bytes("class/c.rar", "Rar!\x1A\7\1\0 and then nothing of use at all", 40);
    put_bytes("class/d.rar", "Rar!\x1A\7\0 and then nothing of use at all......", 42);
    char files[8192], notes[8192];
    for (char id[] = "b"; *id <= 'd'; ++*id) {
        describe("class", id, files, notes);
        assert_string_equal(files, "");
        if (!strstr(notes, "an instructor must check"))
            fail_msg("%s: %s", id, notes);
    }
}

/* Replace the name `from` by `to` of equal length, except in the first `skip` places. */
static void rename_in_zip(const char *path, const char *from, const char *to, size_t skip)
{
    size_t size, length = strlen(from);
    unsigned char *bytes = slurp(path, &size);
    for (size_t i = 0; i + length <= size; i++)
        if (!memcmp(bytes + i, from, length) && !skip--) {
            memcpy(bytes + i, to, length);
            skip = 0;
        }
    put_bytes(path, bytes, size);
    free(bytes);
}

static void test_zip_directory(void **state)
{
    (void)state;
    /* Names come from the zip's directory, not from the local headers. */
    PACK("class/a.zip", {.name = "padded.cu", .text = "A"}, {.name = "naive.cu", .text = "B"});
    rename_in_zip("class/a.zip", "padded.cu", "qadded.cx", 0);
    rename_in_zip("class/a.zip", "qadded.cx", "padded.cu", 1);
    assert_read("class", "a", "naive.cu=B|padded.cu=A", "");
    /* If two entries have the same name, the later entry is used, as in unzip. */
    PACK("class/b.zip", {.name = "1.cu", .text = "old"}, {.name = "x.cu", .text = "X"},
         {.name = "2.cu", .text = "new"});
    rename_in_zip("class/b.zip", "1.cu", "2.cu", 0);
    assert_read("class", "b", "2.cu=new|x.cu=X", "2.cu occurs twice; the last copy counts");
    PACK("class/c.tar", {.name = "1.cu", .text = "old"}, {.name = "./1.cu", .text = "new"});
    assert_read("class", "c", "1.cu=new", "1.cu occurs twice; the last copy counts");
    /* Old versions of Windows use code page 437. */
    PACK("class/d.zip", {.name = "u_1.cu", .text = "A"}, {.name = "u_2.cu", .text = "B"});
    rename_in_zip("class/d.zip", "u_1.cu", "\x81_1.cu", 0);
    rename_in_zip("class/d.zip", "u_2.cu", "\x94_1.cu", 0);
    assert_read("class", "d", "\xC3\xB6_1.cu=B|\xC3\xBC_1.cu=A", "");
    /* If two entries have the same offset, the first entry is used, and no other name changes. */
    PACK("class/f.zip", {.name = "1.cu", .text = "A"}, {.name = "2.cu", .text = "B"},
         {.name = "3.cu", .text = "C"});
    size_t size;
    unsigned char *bytes = slurp("class/f.zip", &size);
    unsigned char *first = memmem(bytes, size, "PK\1\2", 4);
    unsigned char *second = memmem(first + 4, size - (size_t)(first + 4 - bytes), "PK\1\2", 4);
    memcpy(second + 42, first + 42, 4);
    put_bytes("class/f.zip", bytes, size);
    free(bytes);
    assert_read("class", "f", "1.cu=A|3.cu=C", "");
    /* Bytes may precede the archive (a self-extracting archive), and a comment may follow it. */
    PACK("e.zip", {.name = "padded.cu", .text = "A"});
    rename_in_zip("e.zip", "padded.cu", "qadded.cx", 0);
    rename_in_zip("e.zip", "qadded.cx", "padded.cu", 1);
    bytes = slurp("e.zip", &size);
    bytes = realloc(bytes, size + 8);
    memmove(bytes + 4, bytes, size);
    memcpy(bytes, "PK\3\4", 4);
    bytes[size + 4 - 2] = 3;
    memcpy(bytes + size + 4, "end", 3);
    put_bytes("class/e.zip", bytes, size + 7);
    free(bytes);
    assert_read("class", "e", "padded.cu=A", "");
}

static void test_notebooks(void **state)
{
    (void)state;
    put("class/a/hw.ipynb",
        "{\"nbformat\": 4, \"cells\": ["
        "{\"cell_type\": \"markdown\", \"source\": [\"%%cu\\n\"]},"
        "{\"cell_type\": \"code\", \"source\": [\"!nvcc --version\"]},"
        "{\"cell_type\": \"code\", \"source\": [\"%%writefile padded.cu\\n\", \"old\"]},"
        "{\"cell_type\": \"code\", \"source\": \"%%writefile padded.cu\\nnew\"},"
        "{\"cell_type\": \"code\", \"source\": [\"\\n\", \"%%cu\\n\", \"A\"]},"
        "{\"cell_type\": \"code\", \"source\": \"%%cuda --name \\\"my naive.cu\\\" -c\\nB\"},"
        "{\"cell_type\": \"code\", \"source\": \"%%cuda_group_save -g x -n n.cu\\nC\"},"
        "{\"cell_type\": \"code\", \"source\": \"LAB(y)\\n__global__\"},"
        "{\"cell_type\": \"code\", \"source\": \"x = '''LAB(y) __global__'''\"},"
        "{\"cell_type\": \"code\", \"source\": \"%%writefile ../../evil.cu\\nD\"},"
        "{\"cell_type\": \"code\", \"source\": \"%%writefile run.py\\nE\"}]}");
    assert_read("class", "a",
                "cell-4.cu=A|cell-7.cu=LAB(y)\n__global__|my naive.cu=B|n.cu=C|padded.cu=new",
                "padded.cu occurs twice; the last copy counts|"
                "../../evil.cu is left out: its path leads outside the submission or is too long|"
                "hw.ipynb is a notebook: 8 of its cells are read as files|"
                "files other than CUDA sources are left out: run.py");
    put("class/b.ipynb", "{\"cells\": [{\"cell_type\": \"code\", \"source\": \"print(1)\"}]}");
    put("class/c.ipynb", "{\"cells\": [");
    put("class/d.ipynb", "{\"worksheets\": [{\"cells\": [{\"cell_type\": \"code\", \"input\": "
                         "[\"%%nvcc -n x.cu\\n\", \"A\"]}]}]}");
    put("class/e.ipynb", "{\"cells\": [1, {\"cell_type\": \"code\", \"source\": [1, null]}, "
                         "{\"cell_type\": \"code\"}, {\"cell_type\": 3}]}");
    assert_read("class", "b", "",
                "b.ipynb is a notebook without a cell that begins with %%cu or %%writefile: an "
                "instructor must check it by hand");
    assert_read("class", "c", "",
                "c.ipynb is not a valid notebook: an instructor must check it by hand");
    assert_read("class", "d", "x.cu=A", "d.ipynb is a notebook: 1 of its cells is read as files");
    assert_read("class", "e", "",
                "e.ipynb is a notebook without a cell that begins with %%cu or %%writefile: an "
                "instructor must check it by hand");
}

static void put_course(const char *folder)
{
    static const char *const files[] = {"include/lab.h",
                                        "profiler/main.c",
                                        "profiler/data/bench.cu",
                                        "labs/01_naive/lab.conf",
                                        "grading/honest/x/x.cu",
                                        "plots/published/y.cu",
                                        "build/obj/a.o",
                                        "out/course.csv",
                                        "profiler/broken.zip",
                                        "grading/noise/x.cu",
                                        "Makefile",
                                        "README.md"};
    char path[512];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        put(path, strstr(path, "noise")      ? "\1\2\3"
                  : strstr(path, ".zip")     ? "PK\3\4"
                  : strstr(path, "Makefile") ? "all:"
                                             : "LAB(x) __global__ // the course's");
    }
    for (unsigned i = 0; i < 142; i++) {
        snprintf(path, sizeof path, "%s/profiler/room/%u.h", folder, i);
        put(path, "int i;");
    }
}

static void test_course_folder(void **state)
{
    (void)state;
    put_course("class/a/transpose-lab");
    put("class/a/transpose-lab/labs/01_naive/x.cu", "A");
    put("class/a/transpose-lab/labs/01_naive/tile.cuh", "B");
    put("class/a/transpose-lab/mine.cu", "C");
    put("class/a/transpose-lab/docs/note.cu", "D");
    put("class/a/transpose-lab/include/lab.h", "E");
    assert_read("class", "a",
                "transpose-lab/docs/note.cu=D|transpose-lab/include/lab.h=E|"
                "transpose-lab/labs/01_naive/tile.cuh=B|transpose-lab/labs/01_naive/x.cu=A|"
                "transpose-lab/mine.cu=C",
                "146 source files of the course are left out");
    put_course("course");
    put("course/labs/01_naive/x.cu", "A");
    assert_int_equal(system("cd course && zip -qr ../class/b.zip . && tar czf ../class/c.tar.gz *"),
                     0);
    assert_read("class", "b",
                "include/lab.h=LAB(x) __global__ // the course's|labs/01_naive/x.cu=A",
                "146 source files of the course are left out");
    assert_read("class", "c",
                "include/lab.h=LAB(x) __global__ // the course's|labs/01_naive/x.cu=A",
                "146 source files of the course are left out");
    put("class/d/profiler/x.cu", "A");
    put("class/d/grading/y.cu", "B");
    put("class/d/solutions/03_padded/padded.cu", "C");
    assert_read("class", "d", "grading/y.cu=B|profiler/x.cu=A|solutions/03_padded/padded.cu=C", "");
    put_course("class/e");
    put("class/e/solutions/03_padded/padded.cu", "LAB(padded) __global__ // changed");
    put("class/e/solutions/mine.cu", "A");
    size_t size;
    char ours[600];
    snprintf(ours, sizeof ours, "%s/solutions/01_naive/naive.cu", TLAB_ROOT);
    unsigned char *bytes = slurp(ours, &size);
    put_bytes("class/e/solutions/01_naive/naive.cu", bytes, size);
    free(bytes);
    assert_read("class", "e", "include/lab.h=LAB(x) __global__ // the course's|solutions/mine.cu=A",
                "solutions/03_padded/padded.cu is in the course's folder of solutions, but differs "
                "from the course's file, so it is not graded: an instructor must check it by hand|"
                "148 source files of the course are left out");
}

static void test_what_counts_first(void **state)
{
    (void)state;
    char path[64], files[8192], notes[8192];
    for (unsigned i = 0; i < 100; i++) {
        snprintf(path, sizeof path, "class/a/Common/%u.h", i);
        put(path, "int i;");
    }
    for (unsigned i = 0; i < 61; i++) {
        snprintf(path, sizeof path, "class/a/other/%u.cu", i);
        put(path, "__global__");
    }
    put("class/a/z/padded.cu", KERNEL);
    put("class/a/z/tile.cuh", "T");
    describe("class", "a", files, notes);
    assert_non_null(strstr(files, "z/padded.cu=" KERNEL));
    assert_non_null(strstr(files, "z/tile.cuh=T"));
    assert_non_null(strstr(files, "other/60.cu="));
    assert_non_null(strstr(notes, "Common/10.h exceeds the limit of 64 files, so it is left out"));
    for (unsigned i = 0; i < 70; i++) {
        snprintf(path, sizeof path, "class/b/%02u.cu", i);
        put(path, KERNEL);
    }
    describe("class", "b", files, notes);
    assert_non_null(strstr(notes, "69.cu exceeds the limit of 64 files: an instructor must check"));
}

static void assert_unreadable(const char *id, const char *expected)
{
    struct class_list list = list_of("class", NULL);
    struct intake intake;
    struct failure failure = {0};
    char got[1024] = "";
    for (size_t i = 0; i < list.count; i++) {
        if (strcmp(list.submissions[i].id, id))
            continue;
        assert_true(intake_read(&list.submissions[i], &intake, &failure));
        for (size_t u = 0; u < intake.unreadable_count; u++)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s %s%s", u ? "|" : "",
                     intake.unreadable[u].name, intake.unreadable[u].why,
                     intake.unreadable[u].document ? " (document)" : "");
        intake_free(&intake);
    }
    intake_list_free(&list);
    assert_string_equal(got, expected);
}

static void test_what_a_person_must_read(void **state)
{
    (void)state;
    put("class/a/report.pdf", "%PDF");
    put("class/a/padded.cu", "A");
    put("class/b/padded.docx", "PK\3\4");
    put("class/b/thoughts.xyz", "?");
    put("class/c/notes.md", "x");
    put("class/c/x.cu", "\1\2\3\4");
    PACK("class/d.zip", {.name = "padded.cu", .text = "A"});
    assert_int_equal(truncate("class/d.zip", 60), 0);
    mkdir("class/e", 0700);
    assert_unreadable("a", "report.pdf is a document, not a source file (document)");
    assert_unreadable("b", "padded.docx is a document, not a source file (document)|"
                           "thoughts.xyz is not CUDA source (document)");
    assert_unreadable("c", "x.cu is not a text file|notes.md is not CUDA source (document)");
    assert_unreadable("d", "d.zip is not an archive, or is damaged");
    assert_unreadable("e", "");
}

static void test_greedy_archives(void **state)
{
    (void)state;
    /* Unpacking a few bytes needs a dictionary of 1.5 GiB. */
    assert_int_equal(system("printf A >padded.cu && tar cf - padded.cu | "
                            "xz --lzma2=dict=1536MiB >class/a.tar.xz"),
                     0);
    char files[8192], notes[8192];
    struct rusage before, after;
    getrusage(RUSAGE_CHILDREN, &before);
    describe("class", "a", files, notes);
    getrusage(RUSAGE_CHILDREN, &after);
    assert_true(strstr(files, "padded.cu=A") || strstr(notes, "an instructor must check"));
    assert_true(after.ru_maxrss < 400 << 10);
    FILE *file = fopen("class/b.ipynb", "w");
    fputs("{\"cells\": [1", file);
    for (unsigned i = 0; i < 7000000; i++)
        fputs(",1", file);
    fputs("]}", file);
    fclose(file);
    describe("class", "b", files, notes);
    assert_non_null(strstr(notes, "an instructor must check"));
}

static void test_escapes(void **state)
{
    (void)state;
    PACK("class/a.tar", {.name = "../../evil.cu", .text = "A"},
         {.name = "//etc/good.cu", .text = "B"}, {.name = "x/../../evil.cu", .text = "C"},
         {.name = "good.cu", .text = "D"});
    PACK("class/b.zip", {.name = "..\\..\\evil.cu", .text = "A"},
         {.name = "a/./b//good.cu", .text = "D"});
    assert_read("class", "a", "etc/good.cu=B|good.cu=D",
                "../../evil.cu is left out: its path leads outside the submission or is too long|"
                "x/../../evil.cu is left out: its path leads outside the submission or is too "
                "long");
    assert_read("class", "b", "a/b/good.cu=D",
                "../../evil.cu is left out: its path leads outside the submission or is too long");
}

static void test_links(void **state)
{
    (void)state;
    put("secret.cu", "SECRET");
    mkdir("outside", 0700);
    put("outside/x.cu", "SECRET");
    put("class/a/good.cu", "A");
    assert_int_equal(symlink("/etc/passwd", "class/a/passwd.cu"), 0);
    assert_int_equal(symlink("../../outside", "class/a/folder.cu"), 0);
    assert_int_equal(symlink("../../outside", "class/a/folder"), 0);
    assert_int_equal(link("secret.cu", "class/a/hard.cu"), 0);
    assert_int_equal(symlink("../outside", "class/linked"), 0);
    assert_int_equal(symlink("../secret.cu", "class/linked2.cu"), 0);
    PACK("class/b.tar", {.name = "passwd.cu", .symlink = "/etc/passwd"},
         {.name = "hard.cu", .hardlink = "/etc/passwd"}, {.name = "good.cu", .text = "A"});
    PACK("class/c.zip", {.name = "passwd.cu", .symlink = "/etc/passwd"},
         {.name = "good.cu", .text = "A"});
    assert_ids("class", NULL, "a b c linked linked2");
    assert_read(
        "class", "a", "good.cu=A",
        "folder is a symbolic link: an instructor must check it by hand|folder.cu is a symbolic "
        "link: an instructor must check it by hand|"
        "hard.cu is a hard link: an instructor must check it by hand|"
        "passwd.cu is a symbolic link: an instructor must check it by hand");
    assert_read("class", "b", "good.cu=A",
                "passwd.cu is a link: an instructor must check it by hand|hard.cu is a link: an "
                "instructor must check it by hand");
    assert_read("class", "c", "good.cu=A",
                "passwd.cu is a link: an instructor must check it by hand");
    assert_read("class", "linked", "",
                "linked is a symbolic link: an instructor must check it by hand");
    assert_read("class", "linked2", "",
                "linked2.cu is a symbolic link: an instructor must check it by hand");
}

static void test_special_files_do_not_block(void **state)
{
    (void)state;
    put("class/a/good.cu", "A");
    assert_int_equal(mkfifo("class/a/pipe.cu", 0600), 0);
    assert_int_equal(mkfifo("class/pipe.zip", 0600), 0);
    alarm(1800);
    if (!mknod("class/a/zero.cu", S_IFCHR | 0600, makedev(1, 5)))
        assert_read("class", "a", "good.cu=A",
                    "pipe.cu is not a regular file: an instructor must check it by hand|zero.cu is "
                    "not a regular file: an instructor must check it by hand");
    else
        assert_read("class", "a", "good.cu=A",
                    "pipe.cu is not a regular file: an instructor must check it by hand");
    PACK("class/b.tar", {.name = "pipe.cu", .type = AE_IFIFO},
         {.name = "disk.cu", .type = AE_IFBLK}, {.name = "good.cu", .text = "B"});
    assert_read("class", "b", "good.cu=B",
                "pipe.cu is not a regular file: an instructor must check it by hand|disk.cu is not "
                "a regular file: an instructor must check it by hand");
    assert_read("class", "pipe", "",
                "pipe.zip is not a regular file: an instructor must check it by hand");
    alarm(0);
}

static void test_sizes(void **state)
{
    (void)state;
    put("class/a/empty.cu", "");
    put("class/a/good.cu", "A");
    put("class/a/large.cu", "");
    assert_int_equal(truncate("class/a/large.cu", 100 << 20), 0);
    char *lines = malloc(INTAKE_FILE_BYTES_MAX);
    memset(lines, '\n', INTAKE_FILE_BYTES_MAX);
    put_bytes("class/a/exact.cu", lines, INTAKE_FILE_BYTES_MAX);
    put("class/a/huge.zip", "PK\3\4");
    assert_int_equal(truncate("class/a/huge.zip", 600 << 20), 0);
    put("class/a/zeros.zip", "");
    assert_int_equal(truncate("class/a/zeros.zip", 100 << 20), 0);
    char files[8192], notes[8192];
    describe("class", "a", files, notes);
    assert_non_null(strstr(files, "empty.cu=|exact.cu=\n"));
    assert_string_equal(
        notes, "huge.zip is an archive that is too large: an instructor must check it by hand|"
               "large.cu is larger than 1 MiB: an instructor must check it by hand|"
               "zeros.zip is larger than 64 MiB: an instructor must check it by hand");
    for (char name[] = "class/t/0.cu"; name[8] <= '9'; name[8]++)
        put_bytes(name, lines, INTAKE_FILE_BYTES_MAX);
    free(lines);
    describe("class", "t", files, notes);
    assert_non_null(strstr(files, "7.cu="));
    assert_null(strstr(files, "8.cu="));
    assert_string_equal(notes, "8.cu exceeds the limit of 8 MiB for all files, so it is left out|"
                               "9.cu exceeds the limit of 8 MiB for all files, so it is left out");
}

static void test_bombs(void **state)
{
    (void)state;
    clock_t before = clock();
    PACK("class/a.zip", {.name = "bomb.cu", .zeros = 600u << 20}, {.name = "good.cu", .text = "A"});
    PACK("class/b.tar.gz", {.name = "bomb.bin", .zeros = 600u << 20},
         {.name = "late.cu", .text = "A"});
    PACK("class/c.tar.gz", {.name = "bomb.cu", .zeros = 2u << 20},
         {.name = "good.cu", .text = "A"});
    PACK("class/d.zip", {.name = "bomb.bin", .zeros = 600u << 20},
         {.name = "good.cu", .text = "A"});
    clock_t made = clock();
    assert_read("class", "a", "good.cu=A",
                "bomb.cu is larger than 1 MiB: an instructor must check it by hand");
    assert_read(
        "class", "b", "",
        "b.tar.gz is larger than the limit after unpacking: the readable part counts, and an "
        "instructor must check the rest by hand|"
        "files other than CUDA sources are left out: bomb.bin");
    assert_read("class", "c", "good.cu=A",
                "bomb.cu is larger than 1 MiB: an instructor must check it by hand");
    assert_read("class", "d", "good.cu=A", "files other than CUDA sources are left out: bomb.bin");
    if (clock() - made > 4 * (made - before) + 5 * CLOCKS_PER_SEC)
        fail_msg("too slow");
}

static void test_many_entries(void **state)
{
    (void)state;
    struct archive *archives[] = {new_archive("class/a.tar"), new_archive("class/b.zip")};
    archive_write_open_filename(archives[0], "class/a.tar");
    archive_write_open_filename(archives[1], "class/b.zip");
    for (size_t a = 0; a < 2; a++) {
        for (unsigned i = 0; i < 62000; i++) {
            char name[32];
            snprintf(name, sizeof name, "%u.%s", i, i % 100 ? "md" : "cu");
            struct archive_entry *entry = archive_entry_new();
            archive_entry_set_pathname(entry, name);
            archive_entry_set_filetype(entry, AE_IFREG);
            archive_entry_set_size(entry, 0);
            archive_write_header(archives[a], entry);
            archive_entry_free(entry);
        }
        archive_write_close(archives[a]);
        archive_write_free(archives[a]);
    }
    char files[8192], notes[8192];
    describe("class", "a", files, notes);
    assert_non_null(strstr(notes, "a.tar has too many entries: the readable part counts"));
    assert_non_null(strstr(notes, "15800.cu exceeds the limit of 64 files, so it is left out"));
    assert_non_null(strstr(notes, "more notes"));
    describe("class", "b", files, notes);
    assert_string_equal(files, "");
    assert_string_equal(notes, "b.zip has too many entries: the readable part counts, and an "
                               "instructor must check the rest by hand");
}

static void test_depth(void **state)
{
    (void)state;
    put("class/a/1/2/3/4/5/6/7/8/9/10/11/12/good.cu", "A");
    put("class/a/1/2/3/4/5/6/7/8/9/10/11/12/13/deep.cu", "B");
    PACK("class/b.zip", {.name = "1/2/3/4/5/6/7/8/9/10/11/12/good.cu", .text = "A"},
         {.name = "1/2/3/4/5/6/7/8/9/10/11/12/13/deep.cu", .text = "B"});
    char files[8192], notes[8192];
    describe("class", "a", files, notes);
    assert_string_equal(files, "1/2/3/4/5/6/7/8/9/10/11/12/good.cu=A");
    assert_non_null(strstr(notes, "too many folders"));
    describe("class", "b", files, notes);
    assert_string_equal(files, "1/2/3/4/5/6/7/8/9/10/11/12/good.cu=A");
    assert_non_null(strstr(notes, "left out"));
}

static void test_nested_archives(void **state)
{
    (void)state;
    PACK("inner.zip", {.name = "padded.cu", .text = "A"});
    size_t size;
    unsigned char *inner = slurp("inner.zip", &size);
    put_bytes("class/a/sub/inner.zip", inner, size);
    assert_read("class", "a", "sub/padded.cu=A", "");
    struct archive *archive = new_archive("class/b.zip");
    archive_write_open_filename(archive, "class/b.zip");
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, "inner.zip");
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, (la_int64_t)size);
    archive_write_header(archive, entry);
    archive_write_data(archive, inner, size);
    archive_entry_free(entry);
    archive_write_close(archive);
    archive_write_free(archive);
    free(inner);
    assert_read("class", "b", "padded.cu=A", "");
}

static void test_control_characters(void **state)
{
    (void)state;
    char text[101] = "";
    memset(text, 'x', 100);
    memset(text, 1, 5);
    put("class/a/padded.cu", text);
    text[5] = 1;
    put("class/b/padded.cu", text);
    assert_read("class", "a", "padded.cu=\1\1\1\1\1xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "");
    assert_read("class", "b", "",
                "padded.cu is not a text file: an instructor must check it by hand");
}

static void test_kernel_in_class_archive(void **state)
{
    (void)state;
    PACK("class.zip", {.name = "alice.txt", .text = KERNEL}, {.name = "notes.txt", .text = "hi"});
    assert_ids("class.zip", NULL, "alice");
}

static void test_names_received(void **state)
{
    (void)state;
    static const char *const names[] = {"x.cu", "../x.cu"};
    for (size_t i = 0; i < 2; i++) {
        struct intake_file file = {.name = (char *)names[i], .bytes = (unsigned char *)""};
        struct intake sent = {.files = &file, .count = 1}, received;
        FILE *stream = fopen("message", "wb");
        assert_non_null(stream);
        assert_true(intake_send(&sent, fileno(stream)));
        fclose(stream);
        size_t size;
        unsigned char *bytes = slurp("message", &size);
        assert_int_equal(intake_receive((const char *)bytes, size, &received), i == 0);
        intake_free(&received);
        free(bytes);
    }
}

static void test_large_nested_archive(void **state)
{
    (void)state;
    assert_int_equal(system("truncate -s 17M c.zip && tar czf b.tgz c.zip && "
                            "tar cf class/a.tar b.tgz"),
                     0);
    assert_read("class", "a", "",
                "c.zip is larger than 16 MiB: an instructor must check it by hand");
}

static void test_double_compression(void **state)
{
    (void)state;
    PACK("once.tar.gz", {.name = "padded.cu", .text = "A"});
    assert_int_equal(system("gzip -c once.tar.gz > once.gz && gzip -c once.tar.gz > twice"), 0);
    mkdir("class/x", 0700);
    assert_int_equal(rename("twice", "class/a.tar.gz"), 0);
    assert_read("class", "a", "",
                "a.tar.gz is compressed more than once: the readable part counts, and an "
                "instructor must check the rest by hand");
}

static void test_encrypted(void **state)
{
    (void)state;
    PACK("class/a.zip", {.name = "padded.cu", .text = "A"});
    size_t size;
    unsigned char *bytes = slurp("class/a.zip", &size);
    for (size_t i = 0; i + 9 < size; i++) { /* set the encryption flag (APPNOTE 4.4.4) */
        if (!memcmp(bytes + i, "PK\3\4", 4))
            bytes[i + 6] |= 1;
        if (!memcmp(bytes + i, "PK\1\2", 4))
            bytes[i + 8] |= 1;
    }
    put_bytes("class/a.zip", bytes, size);
    free(bytes);
    assert_read("class", "a", "", "padded.cu is encrypted: an instructor must check it by hand");
}

static void test_damaged(void **state)
{
    (void)state;
    static const char *const names[] = {"class/a.zip", "class/b.tar.gz", "class/c.tar"};
    for (size_t n = 0; n < 3; n++) {
        PACK(
            names[n],
            {.name = "padded.cu", .text = "some text that is long enough to be deflated, deflated"},
            {.name = "naive.cu", .text = "B"}, {.name = "sub/x.h", .text = "C"});
        size_t size;
        unsigned char *bytes = slurp(names[n], &size);
        char id[2] = {names[n][6], 0}, files[8192], notes[8192];
        size_t step = size > 2000 ? 97 : 3;
        read_one = intake_read_here;
        for (size_t cut = 0; cut < size; cut += step) {
            put_bytes(names[n], bytes, cut);
            describe("class", id, files, notes);
        }
        srand(1);
        for (unsigned round = 0; round < 400; round++) {
            unsigned char *copy = malloc(size);
            memcpy(copy, bytes, size);
            for (unsigned i = 0; i < 4; i++)
                copy[(size_t)rand() % size] ^= (unsigned char)(1 << rand() % 8);
            put_bytes(names[n], copy, size);
            free(copy);
            describe("class", id, files, notes);
        }
        read_one = intake_read;
        put_bytes(names[n], bytes, size / 2);
        describe("class", id, files, notes);
        if (n < 2)
            assert_non_null(strstr(notes, "damaged"));
        free(bytes);
    }
}

static void test_unreadable(void **state)
{
    (void)state;
    put("class/a/padded.cu", "A");
    put("class/a/closed.cu", "B");
    put("class/a/closed/x.cu", "C");
    assert_int_equal(chmod("class/a/closed.cu", 0), 0);
    assert_int_equal(chmod("class/a/closed", 0), 0);
    assert_int_equal(chmod(root, 0755) | chmod("class", 0755) | chmod("class/a", 0755) |
                         chmod("class/a/padded.cu", 0644),
                     0);
    pid_t child = fork();
    if (!child) { /* root could read every file, so the child drops root's rights */
        if (!getuid() && setuid(65534))
            _exit(3);
        char files[8192], notes[8192];
        describe("class", "a", files, notes);
        _exit(strcmp(files, "padded.cu=A") ? 1
              : strcmp(notes, "closed cannot be read: an instructor must check it by hand|"
                              "closed.cu cannot be read: an instructor must check it by hand")
                  ? 2
                  : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    chmod("class/a/closed", 0700);
    assert_int_equal(status, 0);
}

static void test_sparse(void **state)
{
    (void)state;
    mkdir("class", 0700);
    put("hole.cu", "");
    assert_int_equal(truncate("hole.cu", 100000), 0);
    assert_int_equal(system("tar -cSf class/a.tar hole.cu"), 0);
    assert_read("class", "a", "",
                "hole.cu is damaged or sparse: an instructor must check it by hand");
}

static void test_junk(void **state)
{
    (void)state;
    put("class/a/.DS_Store", "x");
    put("class/a/._padded.cu", "x");
    put("class/a/__MACOSX/._padded.cu", "x");
    put("class/a/.git/hidden.cu", "x");
    put("class/a/Thumbs.db", "x");
    assert_read("class", "a", "", "");
    put("class/a/main.cpp", "x");
    put("class/a/padded.cu.txt", "x");
    assert_read("class", "a", "",
                "files other than CUDA sources are left out: main.cpp, padded.cu.txt");
}

static void test_stage(void **state)
{
    (void)state;
    put("class/a/padded.cu", "A");
    put("class/a/x/y/tile.cuh", "B");
    put("class/a/q'uote \".cu", "C");
    struct class_list list = list_of("class", NULL);
    struct intake intake;
    struct failure failure = {0};
    assert_true(intake_read(&list.submissions[0], &intake, &failure));
    mkdir("stage", 0700);
    assert_true(intake_stage(&intake, "stage", &failure));
    assert_int_equal(system("diff -r class/a stage"), 0);
    assert_false(intake_stage(&intake, "stage", &failure));
    assert_non_null(strstr(failure.text, "cannot write stage/"));
    failure = (struct failure){0};
    assert_false(intake_stage(&intake, "stage/padded.cu", &failure));
    intake_free(&intake);
    intake_list_free(&list);
}

static void test_nothing_handed_in(void **state)
{
    (void)state;
    struct submission nobody = {.id = "x"};
    struct intake intake;
    struct failure failure = {0};
    assert_true(intake_read(&nobody, &intake, &failure));
    assert_int_equal(intake.count, 0);
    assert_int_equal(intake.note_count, 0);
    intake_free(&intake);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_folders_archives_files),
        TEST(test_canvas),
        TEST(test_canvas_archive),
        TEST(test_moodle),
        TEST(test_moodle_without_a_name),
        TEST(test_archive_of_folders),
        TEST(test_rosters),
        TEST(test_names_fold),
        TEST(test_ambiguous_names_stay_apart),
        TEST(test_nothing_to_grade),
        TEST(test_names),
        TEST(test_ids),
        TEST(test_classroom),
        TEST(test_pages),
        TEST(test_same_person_twice),
        TEST(test_file_and_folder_of_one_name),
        TEST(test_digest),
        TEST(test_other_names),
        TEST(test_kernels),
        TEST(test_single_files),
        TEST(test_charsets),
        TEST(test_archives_in_archives),
        TEST(test_7z),
        TEST(test_zip_directory),
        TEST(test_notebooks),
        TEST(test_course_folder),
        TEST(test_what_counts_first),
        TEST(test_what_a_person_must_read),
        TEST(test_greedy_archives),
        TEST(test_escapes),
        TEST(test_links),
        TEST(test_special_files_do_not_block),
        TEST(test_sizes),
        TEST(test_bombs),
        TEST(test_many_entries),
        TEST(test_depth),
        TEST(test_nested_archives),
        TEST(test_control_characters),
        TEST(test_kernel_in_class_archive),
        TEST(test_names_received),
        TEST(test_large_nested_archive),
        TEST(test_double_compression),
        TEST(test_encrypted),
        TEST(test_damaged),
        TEST(test_sparse),
        TEST(test_unreadable),
        TEST(test_junk),
        TEST(test_stage),
        TEST(test_nothing_handed_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
