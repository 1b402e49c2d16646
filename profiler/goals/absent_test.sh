#!/bin/bash
# absent_test.sh: checks that a tlab built without jansson, nettle and ncurses runs labs, and that
# `tlab watch` prints lines. If a user requests goals or grades, this tlab names the missing
# libraries. Only the replacement files are compiled; all other objects come from the build.
# check: slow plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_ptx

built=$(dirname "$tlab")
[ -d "$built/obj" ] || skip_all "there is no build beside $tlab"
mkdir "$work/build"
cp -a "$built/obj" "$built/flags" "$work/build"
compiler=$(sed -E '1s/ [^ ]+-linux-[^ ]+ .*//; 1q' "$built/flags")
rm -f "$work"/build/obj/profiler/commands/screen.*
sed -i 's/ yes$/ /' "$work/build/flags" # without ncurses
touch -r "$built/flags" "$work/build/flags"
build() { make -s CC="$compiler" BUILD="$work/build" GOALS= GRADING= NCURSES= RUNTIMES= DRIVERS= INJECT_LIBRARY= "$work/build/tlab"; }
check "tlab builds without the libraries" build
check "tlab does not load the libraries" none sh -c 'ldd "$0" | grep -E "jansson|nettle|archive|seccomp|ncurses"' "$work/build/tlab"

lacks="built without libjansson-dev and nettle-dev, and cannot read rubrics. Run .make deps. to install them"
there() { "$work/build/tlab" "$@" --rows 64 --cols 96; }
expect "a lab runs" 0 "01_naive .* ok" -- there run solutions/01_naive
check "no message about goals" none grep -iE "goal|jansson" "$work/output"
expect "an incorrect kernel is diagnosed" 1 "wrong_result" -- there run labs/01_naive
expect "--points names the missing libraries" 0 "ok.*$lacks" -- there run solutions/03_padded --points
expect "a hint on an incorrect kernel needs no library" 1 "hint 1 of 3" -- "$work/build/tlab" hint labs/01_naive
expect "a hint on a correct kernel names the missing libraries" 2 "$lacks" -- "$work/build/tlab" hint solutions/02_coalesced
expect "grade names the missing libraries" 2 "built without grading.*libjansson-dev" -- "$work/build/tlab" grade "$work"
if command -v script >/dev/null; then
    : >"$work/watched"
    TERM=xterm script -qefc "exec $work/build/tlab watch labs/01_naive --rows 64 --cols 96" "$work/watched" >/dev/null </dev/null 2>&1 &
    watch=$!
    for ((i = 0; i < 6000; i++)); do ! grep -q wrong_result "$work/watched" || break; sleep 0.05; done
    check "a lab is watched in lines" grep -q wrong_result "$work/watched"
    check "these lines do not move the cursor" none grep $'\033\[[0-9;?]*[^0-9;?m]' "$work/watched"
    kill -INT "$(ps -o pid= --ppid $watch | head -1)"
    wait $watch
    same "Ctrl-C ends watch with the status of the verdict" 1 $?
fi
expect "doctor names the missing library" 0 "libjansson-dev" -- "$work/build/tlab" doctor
finish
