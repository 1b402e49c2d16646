#!/bin/bash
# watch_screen_test.sh: the full screen of `tlab watch` in tmux at 80 x 24: its keys, the screen
# after saves, and the terminal after the end. Run from the repository root; TLAB names the program.
# check: plain
set -u
. profiler/tools/expect.sh
needs_ptx
needs tmux
"$tlab" doctor 2>&1 | grep -q '^ok .*screen' || skip_all "built without ncurses"

export LC_ALL=C.UTF-8
unset DISPLAY WAYLAND_DISPLAY TMUX NO_COLOR
socket=$work/tmux
mux() { tmux -S "$socket" -f /dev/null "$@"; }
trap 'mux kill-server 2>/dev/null; rm -rf "$work"' EXIT
screen() { mux capture-pane -p; }
shows() { # NAME PATTERN: wait until the screen matches and is drawn completely
    local i before=
    for ((i = 0; i < 6000; i++)); do
        screen >"$work/screen" 2>/dev/null
        grep -qE -- "$2" "$work/screen" && [ "$before" = "$(cat "$work/screen")" ] && { pass "$1"; return; }
        before=$(cat "$work/screen")
        sleep 0.05
    done
    fail "$1: not on the screen: $2" "$work/screen"
}
press() { mux send-keys "$@"; }

labs=$work/labs
mkdir -p "$labs"
cp -r solutions/03_padded labs/04_fine_grained "$labs"
cp -r solutions/03_padded "$labs/02_padded"
file=$labs/02_padded/padded.cu
# A kernel that misses a goal: the solution of lab 03 without the padding.
sed 's/TILE_DIM + 1\]/TILE_DIM]/' solutions/03_padded/padded.cu >"$file"
mux new-session -d -x 80 -y 24 "cd $work && bash --norc --noprofile"
press "PS1='ready> '; clear" Enter
shows "the shell has started" '^ready>'
press "$tlab watch $labs/02_padded --rows 64 --cols 64; echo end=\$?" Enter

shows "the screen lists the keys" 'h hint  e explain  p picture  r report  n next lab  q quit'
check "the title names the lab" grep -qE '^ 02_padded  [A-Z].*  64 x 64 on h200' "$work/screen"
check "goals have a bar" grep -qE '^goals \[#*\.+\] [0-9] of [0-9] reached' "$work/screen"
check "a missed goal is listed" grep -qE '^  --  31 bank conflicts per shared load' "$work/screen"
check "the most expensive line with its source" grep -qE '^ +37 \| odata' "$work/screen"
check "nothing is wider than the screen" none grep -E '^.{81}' "$work/screen"
check "missed goals are coloured" eval 'mux capture-pane -p -e | grep -q "$(printf "\033")\[33m--"'
press h
shows "h shows a hint" 'hint 1 of [0-9], a question:'
press Escape
shows "Escape goes back" 'h hint  e explain'
press e
shows "e shows the accesses of the most expensive line" '^ *0 +\(0,0\) +tile.0..0. +0 +16 +\(16,0\) +tile.16..0. +0$'
check "the accesses can be scrolled" grep -qE '1-22 of [0-9]+$' "$work/screen"
press NPage
shows "Page Down scrolls" '2[0-9]-4[0-9] of [0-9]+$'
press q
shows "q goes back" 'h hint  e explain'
press p
shows "p shows a picture in the terminal" '^ +0 \|▀{32}\|$'
check "the picture is in a file, too" [ -s "$work/banks-padded.png" -o -s "$work/banks-padded.csv" ]
press x
shows "another key goes back from the picture" 'h hint  e explain'
if command -v jq >/dev/null; then
    press r
    shows "r writes a report" '^wrote report-padded.html'
    press x
    shows "back from the report" 'h hint  e explain'
fi

# --- saves ----------------------------------------------------------------------------------------
sed -i 's/\[TILE_DIM\]\[TILE_DIM\]/[TILE_DIM][TILE_DIM + 1]/' "$file"
shows "a save shows the changed counters" 'conflicts per shared load +31 -> 0 .*better'
check "all goals are reached" grep -qE '^goals \[#+\]' "$work/screen"
sed -i 's/tile\[threadIdx.x\]/tile[threadIdx.x + 1]/' "$file"
shows "the verdict of an incorrect kernel" '^out_of_bounds$'
check "the line of the mistake" grep -qE '^ +37 \| odata' "$work/screen"
press h
shows "a hint fills a page" 'any other key: back'
sed -i 's/tile\[threadIdx.x + 1\]\[threadIdx.y + i\]/tile[threadIdx.y + i][threadIdx.x]/' "$file"
shows "a save while a page is shown runs the lab again" '^wrong_result$'
press NPage
shows "the map of the output" '# correct, x incorrect'
mux resize-window -x 50 -y 12
shows "a smaller terminal shortens the keys" '^ h hint  e explain  p picture  r report  n next'
check "a smaller terminal folds lines" none grep -E '^.{51}' "$work/screen"
mux resize-window -x 80 -y 24

# --- next lab, and the end ------------------------------------------------------------------------
press n
shows "n shows the next lab" '^ 03_padded  '
press n
shows "a lab that is not started" '^ 04_fine_grained  '
shows "the verdict of the next lab" '^wrong_result$'
press n
shows "the last lab stays" '^ 04_fine_grained  '
press q
shows "the exit status of the last run" '^end=1'
restored() { # NAME
    same "$1: the earlier screen is restored" 0 "$(mux display-message -p '#{alternate_on}')"
    same "$1: the cursor is visible" 1 "$(mux display-message -p '#{cursor_flag}')"
    press "clear; stty -a | grep -ow -e -icanon -e icanon -e -echo -e echo | paste -sd ' '" Enter
    shows "$1: the terminal's settings" '^icanon echo$'
    press clear Enter
}
restored "after q"
for signal in TERM INT HUP QUIT; do
    press "$tlab watch $labs/03_padded --rows 64 --cols 64; echo end=\$?" Enter
    shows "SIG$signal: a screen" 'q quit'
    kill -$signal "$(pgrep -f -x "$tlab watch $labs/03_padded --rows 64 --cols 64")"
    shows "SIG$signal: the status" '^end=0'
    restored "after SIG$signal"
done
press "$tlab watch $labs/03_padded --rows 2048 --cols 2048; echo end=\$?" Enter
shows "a large lab is running" 'running|q quit'
press C-c
shows "Ctrl-C ends a run" '^end=0'
restored "after Ctrl-C"

# --- a desktop, other terminals -------------------------------------------------------------------
mkdir "$work/bin"
printf '#!/bin/sh\necho "$1" >>%s/opened\n' "$work" >"$work/bin/xdg-open"
chmod +x "$work/bin/xdg-open"
if command -v gnuplot >/dev/null; then
    press "clear; DISPLAY=:9 PATH=$work/bin:\$PATH $tlab watch $labs/03_padded --rows 64 --cols 64; echo end=\$?" Enter
    shows "the screen on a desktop" 'q quit'
    press p
    shows "the desktop opens the picture" '^opened sectors-padded.png'
    check "xdg-open receives the picture" grep -qx sectors-padded.png "$work/opened"
    press q
    shows "the page of the picture is closed" 'h hint'
    press q
    shows "q ends the screen on a desktop" '^end=0'
fi
press "clear; NO_COLOR=1 LC_ALL=C $tlab watch $labs/03_padded --rows 64 --cols 64" Enter
shows "the screen without colours" 'q quit'
check "no colours" none grep -E $'\033\\[[0-9;]*3[123]' <(mux capture-pane -p -e)
press p
shows "the picture is ASCII in the C locale" "^ +0 \|[.':]"
press q
press q
"$tlab" watch "$labs/03_padded" --rows 64 --cols 64 >"$work/lines" 2>&1 </dev/null &
watch=$!
for ((i = 0; i < 6000; i++)); do grep -qE 'goals .* [0-9]+ reached' "$work/lines" && break; sleep 0.05; done
kill $watch
check "without a terminal, lines are printed" grep -qE 'goals .* ([0-9]+) of \1 reached' "$work/lines"
check "without escape sequences" none grep $'\033' "$work/lines"
finish
