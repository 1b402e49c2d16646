#!/bin/bash
# first_minutes_test.sh: tests the manual page, completion, and the files for editors. The page and
# the completion are generated from the output of --help, so they must contain all options.
# check: plain
set -u
. profiler/tools/expect.sh
commands=$("$tlab" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
options() { "$tlab" "$1" --help | sed -n 's/^  \(--*[A-Za-z][a-z-]*\).*/\1/p'; }

# --- the manual page --------------------------------------------------------------------------------------
profiler/tools/manual "$tlab" >"$work/tlab.1"
rendered=cat
command -v man >/dev/null && man -l "$work/tlab.1" >/dev/null 2>&1 && rendered=man
if [ $rendered = man ]; then
    MANWIDTH=120 man -l "$work/tlab.1" 2>/dev/null | col -b >"$work/page"
else
    sed 's/\\-/-/g; s/\\e/\\/g; s/\\&//g' "$work/tlab.1" >"$work/page"
fi
for command in $commands; do
    check "the section on $command" grep -q "tlab $command" "$work/page"
    options "$command" | while read -r option; do
        grep -qF -- "$option" "$work/page" || echo "$command $option"
    done >"$work/missing"
    check "the options of $command" none cat "$work/missing"
done
check "only .nf and .fi among lines with a dot and a small letter" sh -c '! grep -nE "^\.[a-z]" "$0" | grep -vE "^[0-9]+:\.(nf|fi)$"' "$work/tlab.1"

# --- completion -------------------------------------------------------------------------------------------
complete() { # WORD...: the completions of the last word, as bash would offer them
    bash -c '. profiler/tools/tlab.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _tlab "$1" "${!#}" "${COMP_WORDS[$# - 2]}"
        printf "%s\n" "${COMPREPLY[@]}" | sort -u' completion "$tlab" "$@"
}
same "all commands" "$(sort <<<"$commands")" "$(complete '')"
same "the beginning of a command" "annotate" "$(complete ann)"
for command in $commands; do
    same "options of $command" "$({ options "$command"; echo --help; } | sort -u)" "$(complete "$command" - | grep .)"
done
same "the beginning of an option" "--rows" "$(complete run labs/01_naive --ro)"
same "devices" "$("$tlab" devices | awk 'NR > 1 && !$1 { exit } NR > 1 { print $1 }' | sort)" "$(complete run x --device '')"
same "the beginning of a device" "gtx280" "$(complete explain x --device gt)"
same "labs" "labs/01_naive" "$(complete run labs/01)"
same "a lab by its name" "naive" "$(complete run nai)"
check "a kernel of a lab" grep -qx labs/01_naive/naive.cu <(complete annotate labs/01_naive/)
mkdir "$work/a b"
touch "$work/a b/x.cu" "$work/a b/x.txt"
same "only files that tlab reads" "$work/a b/x.cu" "$(complete run "$work/a b/")"

# --- editors ----------------------------------------------------------------------------------------------
for file in .vscode/tasks.json .vscode/extensions.json .devcontainer/devcontainer.json; do
    check "$file" perl -MJSON::PP -e 'local $/; decode_json(<>)' "$file"
done
make -s BUILD="$work/build" COMPILE_COMMANDS="$work/compile_commands.json" compile_commands.json >"$work/made" 2>&1
check "compile_commands.json" perl -MJSON::PP -e 'local $/; my $list = decode_json(<>); my %has = map { $_->{file} => 1 } @$list;
    $has{$_} or die "$_ is not listed\n" for glob("labs/*/*.cu solutions/*/*.cu profiler/base/*.c profiler/view/*.c profiler/main.c");
    -e "$_->{directory}/$_->{file}" or die "$_->{file} does not exist\n" for @$list' "$work/compile_commands.json"
if command -v clang++ >/dev/null; then
    perl -MJSON::PP -e 'local $/; $_->{file} =~ m{^labs/.*\.cu$|base/conf\.c$} and print "$_->{command}\n" for @{ decode_json(<>) }' \
        "$work/compile_commands.json" | sed 's/ -c \(-o [^ ]* \)\?/ -fsyntax-only /; s/^gcc /clang /; s/^ccache gcc /clang /' >"$work/commands"
    check "the commands of compile_commands.json compile" sh -e "$work/commands"
fi

# The pattern that VS Code uses to find lines in messages must match messages of tlab.
perl -MJSON::PP -e 'local $/; print decode_json(<>)->{tasks}[0]{problemMatcher}[0]{pattern}{regexp}' .vscode/tasks.json >"$work/pattern"
matched() { perl -e 'open my $f, "<", shift; my $p = <$f>; while (<STDIN>) { print join("|", map { $_ // "" } $1, $2, $3, $4), "\n" if /$p/ }' "$work/pattern"; }
kernel() { # NAME BODY: write NAME.cu with BODY in line 6
    printf '#include "lab.h"\nLAB(naive);\nextern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)\n{\n' >"$work/$1.cu"
    printf '    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;\n    %s\n}\n' "$2" >>"$work/$1.cu"
    printf 'LAB_LAUNCH(width, height)\n{\n    return {dim3(lab_ceil_div(width, 32), lab_ceil_div(height, 8)), dim3(32, 8)};\n}\n' >>"$work/$1.cu"
}
needs_ptx
kernel syntax 'in i = x;'
if command -v clang >/dev/null; then
    same "an error of clang" "$work/syntax.cu|6|5|error" "$(TLAB_CUDA=none "$tlab" run "$work/syntax.cu" | matched | head -1)"
fi
! "$tlab" doctor | grep -q "^ok *compiler NVRTC" ||
    same "an error of NVRTC" "$work/syntax.cu|6||error" "$("$tlab" run "$work/syntax.cu" | matched | head -1)"
kernel bounds 'odata[(size_t)x * height + y + 1000000] = idata[0];'
same "an error of tlab" "$work/bounds.cu|6||" "$("$tlab" run "$work/bounds.cu" | matched | head -1)"
kernel right 'if (x < width && y < height) odata[(size_t)x * height + y] = idata[(size_t)y * width + x];'
same "no match for a correct kernel" 0 "$("$tlab" run "$work/right.cu" --rows 64 --cols 64 | matched | wc -l)"

# --- make ---------------------------------------------------------------------------------------------------
plain_make() { env -u MAKELEVEL -u MAKEFLAGS make -j1 "$@"; }
expect "make counts its steps" 0 "\[1/2\] CC +profiler/base/conf.c.*\[2/2\] CC +profiler/base/ranges.c" -- \
    plain_make BUILD="$work/progress.build" "$work"/progress.build/obj/profiler/base/{conf,ranges}.o
touch -d '1 minute ago' "$work/progress.build/obj/profiler/base/conf.o"
expect "make counts only the remaining steps" 0 "\[1/1\] CC +profiler/base/conf.c" -- \
    plain_make BUILD="$work/progress.build" "$work"/progress.build/obj/profiler/base/{conf,ranges}.o -W profiler/base/conf.c

# --- make course ----------------------------------------------------------------------------------------------
mkdir -p "$work/course/labs" "$work/course/profiler"
ln -s "$PWD/plots" "$PWD/build" "$work/course"
cp -R labs/01_naive labs/02_coalesced "$work/course/labs"
course() { (cd "$work/course" && "$OLDPWD/profiler/tools/course.sh" labs h200 64 ''); }
expect "a lab that is not begun is no failure" 0 "not begun: 01_naive, 02_coalesced" -- course
check "labs that are not begun have rows" test "$(wc -l <"$work/course/out/course.csv")" -gt 2
sed 's/col \* height + row/col * width + row/' solutions/01_naive/naive.cu >"$work/course/labs/01_naive/naive.cu"
expect "a sentence reports a failed lab" 1 "01_naive failed: out_of_bounds. build/tlab run 01_naive shows why.*not begun: 02_coalesced" -- course
finish
