/* screen.c: see screen.h. A signal handler must not call ncurses. Therefore screen_begin saves the
 * terminal's settings and the escape sequences for screen_restore. */
#include "commands/screen.h"

#include "base/terminal.h"
#include "base/wording.h"

#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct {
    FILE *out;
    struct termios settings;
    char restore[128];
    volatile sig_atomic_t is_on;
} screen;

void screen_restore(void)
{
    if (!screen.is_on)
        return;
    ssize_t written = write(STDOUT_FILENO, screen.restore, strlen(screen.restore));
    (void)written;
    tcsetattr(STDIN_FILENO, TCSANOW, &screen.settings);
}

bool screen_has_blocks(void)
{
    return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

#ifdef HAVE_NCURSES
#include <ncurses.h>

static SCREEN *terminal;

bool screen_is_built(void)
{
    return true;
}

bool screen_begin(void)
{
    const char *term = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb") ||
        tcgetattr(STDIN_FILENO, &screen.settings))
        return false;
    setlocale(LC_CTYPE, ""); /* LC_NUMERIC, and thus the format of numbers, does not change */
    const int copy = dup(STDOUT_FILENO);
    screen.out = copy < 0 ? NULL : fdopen(copy, "w");
    if (!screen.out && copy >= 0)
        close(copy);
    terminal = screen.out ? newterm(NULL, screen.out, stdin) : NULL;
    if (!terminal) {
        if (screen.out)
            fclose(screen.out);
        return false;
    }
    static char sequences[][8] = {"sgr0", "rmkx", "cnorm", "rmcup"};
    *screen.restore = 0;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        const char *text = tigetstr(sequences[i]);
        if (text && text != (char *)-1)
            APPEND(screen.restore, "%s", text);
    }
    screen.is_on = true;
    cbreak();
    noecho();
    nodelay(stdscr, true);
    keypad(stdscr, true);
    set_escdelay(25);
    curs_set(0);
    if (has_colors()) {
        start_color();
        use_default_colors();
        for (short color = COLOR_RED; color <= COLOR_YELLOW; color++)
            init_pair(color, color, -1);
    }
    return true;
}

void screen_end(void)
{
    if (!screen.is_on)
        return;
    endwin();
    screen.is_on = false;
    delscreen(terminal);
    fclose(screen.out);
}

static void show_line(const char *line, size_t length)
{
    for (size_t i = 0; i < length;) {
        const char *escape = memchr(line + i, '\033', length - i);
        const size_t text = escape ? (size_t)(escape - line) - i : length - i;
        char piece[1024];
        snprintf(piece, sizeof piece, "%.*s", (int)text, line + i);
        text_defuse(piece, "");
        addstr(piece);
        i += text;
        if (!escape)
            return;
        attrset(A_NORMAL);
        for (; i < length && line[i] != 'm'; i++)
            if (line[i] == '3' && i + 1 < length && line[i + 1] >= '1' && line[i + 1] <= '3')
                attron(COLOR_PAIR(line[i + 1] - '0'));
            else if (line[i] == '1' && line[i - 1] == '[')
                attron(A_BOLD);
        i += i < length;
    }
}

static char *fold_page(const char *text)
{
    char *folded = NULL;
    size_t size;
    struct fold fold = {.out = open_memstream(&folded, &size), .width = (size_t)COLS};
    if (!fold.out)
        return NULL;
    fold_write(&fold, text, strlen(text));
    if (!fclose(fold.out))
        return folded;
    free(folded);
    return NULL;
}

static void show_bar(int row, const char *text, const char *right)
{
    attrset(A_REVERSE);
    mvhline(row, 0, ' ', COLS);
    mvaddnstr(row, 1, text, COLS > 2 ? COLS - 2 : 0);
    if ((int)(strlen(text) + strlen(right)) + 3 < COLS)
        mvaddstr(row, COLS - 1 - (int)strlen(right), right);
    attrset(A_NORMAL);
}

void screen_show(struct screen_page *page)
{
    char *text = fold_page(page->text), place[48] = "";
    const size_t room = LINES > 2 ? (size_t)LINES - 2 : 1;
    size_t lines = 0, row = 0;
    for (const char *at = text; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
        lines++;
    if (page->top + room > lines)
        page->top = lines > room ? lines - room : 0;
    erase();
    for (const char *at = text; at && *at && row < page->top + room; row++) {
        const size_t length = strcspn(at, "\n");
        if (row >= page->top) {
            move((int)(row - page->top) + 1, 0);
            show_line(at, length);
        }
        at += length + (at[length] == '\n');
    }
    if (lines > room)
        snprintf(place, sizeof place, "%zu-%zu of %zu", page->top + 1, row, lines);
    show_bar(0, page->title, "");
    show_bar(LINES - 1, page->keys, place);
    refresh();
    free(text);
}

/* Returns false if the key neither scrolls nor reports a new size of the terminal. */
static bool scroll_page(struct screen_page *page, int key)
{
    const size_t room = LINES > 3 ? (size_t)LINES - 3 : 1;
    size_t back = 0, forth = 0;
    switch (key) {
    case KEY_UP:
    case 'k':
        back = 1;
        break;
    case KEY_DOWN:
    case 'j':
        forth = 1;
        break;
    case KEY_PPAGE:
        back = room;
        break;
    case KEY_NPAGE:
    case ' ':
        forth = room;
        break;
    case KEY_HOME:
        back = page->top;
        break;
    case KEY_RESIZE:
        break;
    default:
        return false;
    }
    page->top = page->top > back ? page->top - back : 0;
    page->top += forth; /* screen_show limits page->top */
    return true;
}

int screen_wait(struct screen_page *page, int events)
{
    struct pollfd wait[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = events, .events = POLLIN}};
    for (;;) {
        screen_show(page);
        const int ready = poll(wait, 2, -1);
        const int key = getch();
        if (key != ERR && !scroll_page(page, key))
            return key;
        if (key == ERR && ready > 0 && wait[0].revents)
            return 'q';
        if (ready > 0 && wait[1].revents)
            return 0;
    }
}

#else

bool screen_is_built(void)
{
    return false;
}

bool screen_begin(void)
{
    return false;
}

void screen_end(void)
{
}

void screen_show(struct screen_page *page)
{
    (void)page;
}

int screen_wait(struct screen_page *page, int events)
{
    (void)page, (void)events;
    return 'q';
}
#endif
