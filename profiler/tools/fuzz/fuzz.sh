#!/bin/sh
# fuzz.sh SECONDS [TARGET...]: run fuzz targets (all of them, or as named: ptx_fuzz) under libFuzzer
# with the address and undefined-behaviour sanitizers, so long each, one after the other.
#
# Each starts from profiler/tools/fuzz/corpus/TARGET and keeps what it finds in
# build/fuzz/corpus/TARGET, so that the next run goes on from there; an input that crashes or hangs
# is kept in build/fuzz/crashes (and belongs into the corpus once it is mended, with a name that
# says what it is). One line a target: executions, edges covered, inputs kept, crashes.
#
# fuzz.sh keep TARGET...: put the smallest inputs that reach the same edges into
# profiler/tools/fuzz/corpus (at most 224 KB each target), for `make check` to replay.
#
# Exit status: 0, 1 when a target crashed, 2 when they cannot be built.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../../.." || exit 2

MAKE="${MAKE:-make} --no-print-directory"
compiler=${FUZZ_CC:-clang}
build=build/fuzz
bytes_kept=229376

"$compiler" --version >/dev/null 2>&1 ||
    { echo "fuzz: needs clang; on Debian: apt-get install clang libclang-rt-dev" >&2; exit 2; }
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

build_all() {
    $MAKE -j "$(getconf _NPROCESSORS_ONLN)" BUILD=$build CC="$compiler" \
        SANITIZE=fuzzer-no-link,address,undefined fuzzers
}

program_of() { # TARGET
    find $build/fuzz -type f -name "$1"
}

# The largest input that is tried. What is text gets room for a kernel or two.
length_of() { # TARGET
    case $1 in
        ptx_fuzz | simt_fuzz | grade_fuzz | cage_cubin_fuzz) echo 16384 ;;
        guest_argument_fuzz) echo 128 ;;
        *) echo 8192 ;;
    esac
}

seeds_of() { # TARGET: the parser starts from the interpreter's kernels, too
    echo "profiler/tools/fuzz/corpus/$1"
    [ "$1" != ptx_fuzz ] || echo profiler/tools/fuzz/corpus/simt_fuzz
}

figure() { # NAME LOG: of libFuzzer's -print_final_stats=1
    sed -n "s/^stat::$1: *//p" "$2"
}

progress() { # NAME LOG: of libFuzzer's last line that tells it
    sed -n "s,.* $1: \\([0-9]*\\).*,\\1,p" "$2" | tail -n 1
}

fuzz() { # SECONDS TARGET: true when nothing crashed
    target=$2
    program=$(program_of "$target")
    [ -n "$program" ] || { echo "fuzz: there is no target $target" >&2; exit 2; }
    log=$build/$target.log
    corpus=$build/corpus/$target
    mkdir -p "$corpus" $build/crashes "profiler/tools/fuzz/corpus/$target"
    nice "$program" -max_total_time="$1" -max_len="$(length_of "$target")" -timeout=20 \
        -rss_limit_mb=3000 -print_final_stats=1 -verbosity=1 -reload=0 \
        -artifact_prefix="$build/crashes/$target-" \
        "$corpus" $(seeds_of "$target") >"$log" 2>&1 </dev/null
    ended=$?
    crashes=$(find $build/crashes -name "$target-*" ! -name '*-slow-unit-*' -newer "$program" | wc -l)
    printf '%-20s %10s executions, %6s edges, %5s inputs, %s crashes\n' "$target" \
        "$(figure number_of_executed_units "$log")" "$(progress cov "$log")" \
        "$(progress corp "$log")" "$crashes"
    [ $ended -eq 0 ] || { grep -m 3 -E 'ERROR|runtime error|not so|SUMMARY' "$log"; tail -n 3 "$log"; }
    return $ended
}

keep() { # TARGET
    target=$1
    small=$build/small/$target
    rm -rf "$small"
    mkdir -p "$small"
    nice "$(program_of "$target")" -merge=1 -use_counters=0 -max_len="$(length_of "$target")" "$small" \
        "profiler/tools/fuzz/corpus/$target" "$build/corpus/$target" >"$build/$target.merge.log" 2>&1 ||
        return 1
    # Regressions and seeds stay; of the rest, the smallest first.
    find "profiler/tools/fuzz/corpus/$target" -type f -name '????????????????????????????????????????' \
        -exec rm {} +
    total=$(cat "profiler/tools/fuzz/corpus/$target"/* 2>/dev/null | wc -c)
    find "$small" -type f -printf '%s %p\n' | sort -n | while read -r bytes path; do
        total=$((total + bytes))
        [ $total -le $bytes_kept ] || break
        cp "$path" "profiler/tools/fuzz/corpus/$target/"
    done
    echo "$target: $(ls "profiler/tools/fuzz/corpus/$target" | wc -l) inputs kept"
}

[ $# -ge 1 ] || { echo "usage: fuzz.sh SECONDS|keep [TARGET...]" >&2; exit 2; }
what=$1
shift
build_all || exit 2
[ $# -gt 0 ] || set -- $(find profiler grading -name '*_fuzz.c' | sed 's,.*/,,; s,\.c$,,' | sort)
verdict=0
for target in "$@"; do
    if [ "$what" = keep ]; then
        keep "$target" || verdict=1
    else
        fuzz "$what" "$target" || verdict=1
    fi
done
exit $verdict
