# terminal_test.sh: tests that output is folded at the terminal's width and coloured on a terminal,
# but not in a pipe. Also tests the map of an incorrect output. Run from the repository root.
# check: late plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_ptx

cp solutions/03_padded/padded.cu "$work/padded.cu"
sed 's/if (out_col < height/& \&\& i != BLOCK_ROWS/' solutions/02_coalesced/coalesced.cu >"$work/skips.cu"
sed 's/if (out_col < height/if (out_col + 9 < height/' solutions/02_coalesced/coalesced.cu >"$work/edge.cu"

# --- the map --------------------------------------------------------------------------------------
run() { "$tlab" run "$work/$1.cu" --device h200 --rows 128 --cols 128; }
map_of() { sed -n '/^map of/,$p' "$work/output" | grep -v '^A repair'; } # of the run that expect started
expect "a map of an incorrect output" 1 "map of odata, [0-9]+ x [0-9]+ \(# correct, x incorrect, . never written\)" -- run skips
check "rows that were never written" eval 'map_of | grep -qE "^    \.+$" && map_of | grep -qE "^    #+$"'
check "the size of the map" eval '[ "$(map_of | wc -l)" -le 21 ] && ! map_of | sed 1d | grep -E "^.{45}"'
run edge >"$work/output"
map_of >"$work/edge.map"
check "the map shows an edge" grep -qE '^    #+\.+$' "$work/edge.map"
check "the map is in the JSON" eval '"$tlab" run "$work/edge.cu" --rows 64 --cols 64 --json | grep -q "\"map\":.*per character:"'
check "a correct kernel has no map" none grep "^map" <(run padded)
sed 's/col < width/col + 9 < width/' solutions/31_stencil_tiled/stencil_tiled.cu >"$work/stencil.cu"
expect "the map of a computed result" 1 "map of out, .*#[x.]+ " -- run stencil

# --- annotate shows the kernel --------------------------------------------------------------------
"$tlab" annotate "$work/padded.cu" --rows 64 --cols 64 >"$work/annotated"
check "the kernel's lines" grep -q '__global__ void transpose' "$work/annotated"
check "annotate prints no other lines" none grep -nE '#include|#define|LAB_LAUNCH|^.{34}LAB\(' "$work/annotated"
check "annotate uses narrow columns" grep -qE '^global load +4/4 +[0-9.]+ +[0-9]+  +tile' "$work/annotated"

# --- a terminal -----------------------------------------------------------------------------------
if command -v script >/dev/null; then
    on_terminal() { # COLUMNS COMMAND...: print the output on a terminal of this width
        local columns=$1
        shift
        TERM=xterm script -qefc "stty cols $columns; $* 2>/dev/null" /dev/null </dev/null | tr -d '\r'
    }
    plain() { sed 's/\x1b\[[0-9;]*m//g'; }
    words() { tr -s ' \n' '\n\n'; }
    folded() { # COLUMNS COMMAND: test the output of the command on a terminal of this width
        local columns=$1 command=$2
        on_terminal "$columns" "$tlab $command" | plain >"$work/folded"
        check "$command: at most $columns columns" none awk -v most="$columns" 'length($0) > most && !/^ *[^ ]+$/' "$work/folded"
        case $command in
            run*\.cu* | run*coalesced*) ;; # the table has fewer columns
            # shellcheck disable=SC2086 # the words of the command
            *) same "$command: no word broken at $columns" "$("$tlab" $command 2>&1 | words | md5sum)" "$(words <"$work/folded" | md5sum)" ;;
        esac
    }
    for columns in 48 80; do
        for command in "run $work/edge.cu --rows 128 --cols 128" "run solutions/02_coalesced --rows 128 --cols 128" "annotate $work/padded.cu --rows 128 --cols 128" "explain $work/padded.cu --line 37 --rows 128 --cols 128" help "run --help"; do
            some folded $columns "$command"
        done
    done
    on_terminal 60 "{ $tlab annotate $work/padded.cu --device nosuchdevice 2>&1 ; } " >"$work/folded"
    check "messages are folded" eval '[ "$(wc -l <"$work/folded")" -gt 1 ] && none awk "length(\$0) > 60 && / .* /" "$work/folded"'
    some check "the status is coloured" eval 'on_terminal 80 "$tlab run labs/01_naive --rows 64 --cols 64" | grep -qF "$(printf "\033[1;31m")"'
    some check "goals are coloured" eval 'on_terminal 80 "$tlab run solutions/02_coalesced --rows 64 --cols 64" | grep -qF "$(printf "\033[32mcorrect; all")"'
    some check "NO_COLOR disables colours" none grep $'\033' <(NO_COLOR=1 on_terminal 80 "$tlab run labs/01_naive --rows 64 --cols 64")
    some check "TERM=dumb disables colours" none grep $'\033' <(on_terminal 80 "TERM=dumb $tlab run labs/01_naive --rows 64 --cols 64")
    some check "an unknown width counts as 80 columns" none awk 'length($0) > 80 && !/^ *[^ ]+$/' <(on_terminal 0 "$tlab run labs/01_naive --rows 64 --cols 64" | plain)
    some check "COLUMNS is used if the terminal's width is unknown" none awk 'length($0) > 60 && !/^ *[^ ]+$/' <(on_terminal 0 "COLUMNS=60 $tlab run labs/01_naive --rows 64 --cols 64" | plain)
    check "CSV is never folded" eval 'on_terminal 60 "$tlab run $work/padded.cu --csv - | cat" | plain | awk "length(\$0) > 400 { found = 1 } END { exit !found }"'
fi
"$tlab" run "$work/edge.cu" >"$work/whole"
check "no colours in a file" none grep $'\033' "$work/whole"
check "lines in a file are not folded" grep -qE '^map of odata.{60}' "$work/whole"
finish
