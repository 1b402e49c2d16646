/* picture_text.c: print a picture of banks or sectors in characters, from its CSV. */
#include "picture/picture.h"

#include "emulator/ptx/ptx.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 64, BANKS = 32, LINE_SIZE = 1024 };

struct dots {
    bool set[PLACES][LANES];
    unsigned count;
    uint64_t sectors[PLACES];
};

/* Returns the start of field `index` of a CSV line, or NULL. Quotes are not supported. */
static const char *field_of(const char *line, int index)
{
    for (; line && index; index--) {
        line = strchr(line, ',');
        line = line ? line + 1 : NULL;
    }
    return line;
}

static int find_column(const char *header, const char *name)
{
    const size_t length = strlen(name);
    int index = 0;
    for (const char *at = header; at; at = field_of(at, 1), index++)
        if (!strncmp(at, name, length) && strchr(",\r\n", at[length]))
            return index;
    return -1;
}

static void add_dot(struct dots *dots, bool is_bank, uint64_t value, uint64_t lane)
{
    uint64_t place = value;
    if (!is_bank) {
        for (place = 0; place < dots->count && dots->sectors[place] != value / SECTOR_BYTES;)
            place++;
        if (place < PLACES)
            dots->sectors[place] = value / SECTOR_BYTES;
    }
    if (place >= PLACES || lane >= LANES)
        return;
    dots->set[place][lane] = true;
    if (place >= dots->count)
        dots->count = (unsigned)place + 1;
}

static void print_dots(FILE *out, const struct dots *dots, bool blocks)
{
    static const char *const halves[2][4] = {{" ", "\xe2\x96\x80", "\xe2\x96\x84", "\xe2\x96\x88"},
                                             {" ", "'", ".", ":"}};
    for (unsigned place = 0; place < dots->count; place += 2) {
        fprintf(out, "%8u |", place);
        for (unsigned lane = 0; lane < LANES; lane++)
            fputs(halves[!blocks][dots->set[place][lane] +
                                  2 * (place + 1 < PLACES && dots->set[place + 1][lane])],
                  out);
        fputs("|\n", out);
    }
    fprintf(out, "    lane  0%*s31\n", LANES - 3, "");
}

bool picture_text_print(FILE *out, const char *path, bool blocks)
{
    char line[LINE_SIZE];
    struct dots dots = {.count = 0};
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool good = fgets(line, sizeof line, file) != NULL;
    const int lanes = good ? find_column(line, "lane") : -1,
              banks = good ? find_column(line, "bank") : -1,
              bytes = good ? find_column(line, "byte") : -1,
              access = good ? find_column(line, "access") : -1,
              lines = good ? find_column(line, "line") : -1;
    bool is_first = true;
    good = lanes >= 0 && bytes >= 0 && access >= 0 && lines >= 0;
    while (good && fgets(line, sizeof line, file)) {
        const char *lane = field_of(line, lanes), *kind = field_of(line, access),
                   *at = field_of(line, banks >= 0 ? banks : bytes), *row = field_of(line, lines);
        if (!lane || !at || !kind || !row)
            continue;
        if (is_first)
            fprintf(out, "%.*s, line %lu, one warp: the %s of each lane\n\n",
                    (int)strcspn(kind, ","), kind, strtoul(row, NULL, 10),
                    banks >= 0 ? "bank" : "sector, in the order of the lanes,");
        is_first = false;
        add_dot(&dots, banks >= 0, strtoull(at, NULL, 10), strtoull(lane, NULL, 10));
    }
    fclose(file);
    if (dots.count && banks >= 0 && dots.count < BANKS)
        dots.count = BANKS;
    if (dots.count)
        print_dots(out, &dots, blocks);
    return dots.count > 0;
}
