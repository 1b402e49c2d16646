#!/bin/bash
# commands_test.sh: runs each command line of README, guides and handouts in a copy of the repository with solved labs.
# check: slow
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_ptx

# --- the tree has labs with solutions in them; `fresh` has the labs as distributed ---------------------------------------

root=$PWD
mkdir -p "$work/tree/labs" "$work/fresh"
for name in Makefile docs grading include plots profiler solutions; do
    ln -s "$root/$name" "$work/tree/$name"
done
cp -r labs "$work/fresh/labs"
for name in tree fresh; do # do not link build/, which contains tests of other builds
    mkdir "$work/$name/build" && ln -s "$tlab" "$work/$name/build/tlab"
done
for lab in labs/*/; do
    cp -r "$lab" "$work/tree/$lab" && cp solutions/"$(basename "$lab")"/*.cu "$work/tree/$lab"
done
cd "$work/tree" || exit 2
cat >columns.cu <<'END' # the example of the student guide: a copy in which a warp accesses a column
#include "lab.h"
LAB(copy);
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int row = blockIdx.x * 32 + threadIdx.x;
    for (int i = 0; i < 32; i += 8) {
        int col = blockIdx.y * 32 + threadIdx.y + i;
        size_t here = (size_t)row * width + col;
        if (col < width && row < height)
            odata[here] = idata[here];
    }
}
LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(height, 32), lab_ceil_div(width, 32)), dim3(32, 8)};
}
END
export XDG_STATE_HOME=$work/state

# --- the lines: PAGE|COMMAND|EXPLANATION ------------------------------------------------------------------------------

# In code blocks, two blanks or a # precede an explanation. In handouts, commands are also in sentences.
lines() {
    local page
    for page in README.md docs/*.md solutions/*/README.md; do
        case $page in *instructor-guide.md | *rubrics.md | *authoring-labs.md) continue ;; esac
        awk -v page="$page" '
            /^ *```/ { inside = !inside; next }
            inside && match($0, /^ *(build\/tlab|tlab:|make|nvcc|sudo|docker|srun|cp|\.\/[a-z]+|plots\/[a-z.\/]+sh)( |$)/) {
                line = $0; sub(/^ */, "", line); said = ""
                if (match(line, /   *| # /)) { said = substr(line, RSTART); line = substr(line, 1, RSTART - 1) }
                print page "|" line "|" said
            }
            !inside && page ~ /^solutions|student-guide|first-minutes/ {
                while (match($0, /`(build\/tlab|make) [^`]*`/)) {
                    print page "|" substr($0, RSTART + 1, RLENGTH - 2) "|"
                    $0 = substr($0, RSTART + RLENGTH)
                }
            }' "$root/$page"
    done
}

not_run='^(nvcc|\./[a-z]+( |$))|requires a CUDA Toolkit or a GPU
^srun |requires a cluster
^sudo |installs packages
^docker |requires a container; release_container_test.sh tests it
^plots/published/measure.sh|requires a GPU
^build/tlab watch|ends only with Ctrl-C; watch_test.sh tests it
^make compile_commands.json|writes a file even with make -n; first_minutes_test.sh tests it
^build/tlab (nvcc|exec)|examples_test.sh runs the examples'

lines | awk -F'|' '!seen[$2]++' >"$work/lines"
within "command lines in the pages" "$(wc -l <"$work/lines")" 80 400

reason_for() { # COMMAND
    local pattern reason
    while IFS= read -r row; do
        reason=${row##*|} pattern=${row%|*}
        if grep -qE -- "$pattern" <<<"$1"; then
            echo "$pattern" >>"$work/used"
            echo "$reason"
            return
        fi
    done <<<"$not_run"
}

# Change the command so that it runs quickly: smaller matrices, an existing line for N in `--line N`, and `make -n`.
expand() { # COMMAND
    local command=$1
    case $command in
    make*) command="make -n --no-print-directory -C $root ${command#make}" command=${command%% && *} ;;
    *"--line N") command="${command%N}$(${command%N}1 2>&1 | sed 's/.* at lines //; s/,.*//')" ;;
    esac
    sed -E 's/--(rows|cols) [0-9]{4,}/--\1 1024/g; s/MATRICES=[0-9]{3,}/MATRICES=16/' <<<"$command"
}

run() { # COMMAND EXPLANATION
    local wanted=0 got
    case $2 in *fails*) wanted=1 && cd "$work/fresh" ;; esac
    timeout 1800 bash -c "$1" </dev/null >"$work/said" 2>&1
    got=$?
    cd "$work/tree" || exit 2
    [ $got -eq $wanted ] && return
    echo "exit status $got, expected $wanted"
    cat "$work/said"
    return 1
}

while IFS='|' read -r page command said; do
    [ -z "$(reason_for "$command")" ] || continue
    check "$page: $command" run "$(expand "$command")" "$said"
done <"$work/lines"
while IFS= read -r row; do
    check "a listed reason is used: ${row##*|}" grep -qxF -- "${row%|*}" "$work/used"
done <<<"$not_run"
# The student guide shows the actual output of columns.cu.
{ build/tlab annotate columns.cu && build/tlab explain columns.cu --line 10; } | sed 's/ *$//' >"$work/columns"
shown() { awk '/^```/ { on = 0 } /^columns[.]cu/ { on = 1 } on && !/^[.][.][.]$/' "$root/docs/student-guide.md" | sed 's/ *$//'; }
within "lines that the guide shows" "$(shown | wc -l)" 20 60
check "tlab prints the lines of the guide" none grep -vxFf "$work/columns" <(shown)
build/tlab run solutions/02_coalesced solutions/03_padded >"$work/transcript" 2>&1
awk '/^build.tlab run/ { on = 1; next } /^```/ { on = 0 } on' "$root/README.md" >"$work/shown"
within "lines that the README shows" "$(wc -l <"$work/shown")" 5 12
check "tlab prints the lines of the README" none grep -vxFf "$work/transcript" "$work/shown"
check "an invalid command is found" eval '! run "build/tlab run labs/03_padded --colour" ""'
finish
