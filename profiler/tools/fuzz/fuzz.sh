#!/bin/sh
# fuzz.sh SECONDS [TARGET...]: run fuzz targets (for example ptx_fuzz; default: all) under libFuzzer
# with the address and undefined-behaviour sanitizers, in sequence, each for SECONDS.
#
# Each target starts from the inputs in profiler/tools/fuzz/corpus/TARGET.tar.gz. New inputs are
# saved in build/fuzz/corpus/TARGET, and the next run also starts from them. An input that crashes
# or hangs is saved in build/fuzz/crashes. After the fix, add it to the corpus:
#
# fuzz.sh unpack TARGET DIR   unpack the corpus of TARGET into DIR
# fuzz.sh pack TARGET DIR     replace the corpus of TARGET by the files in DIR
# fuzz.sh keep [TARGET...]    replace the corpus by the smallest inputs that reach the same edges
#                             (at most 224 KiB per target), but retain files that libFuzzer did not name
#
# fuzz.sh prints one line per target: executions, edges covered, inputs saved, crashes.
# Exit status: 0; 1 if a target crashed; 2 if the targets cannot be built.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../../.." || exit 2

MAKE="${MAKE:-make} --no-print-directory"
compiler=${FUZZ_CC:-clang}
build=build/fuzz
bytes_kept=229376

unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

unpack() { # TARGET DIR
    mkdir -p "$2" && tar -xzf "profiler/tools/fuzz/corpus/$1.tar.gz" -C "$2"
}

pack() { # TARGET DIR: the archive depends only on names and contents of the files
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$2" -cf - . |
        gzip -9n >"profiler/tools/fuzz/corpus/$1.tar.gz"
}

case ${1:-} in
    unpack | pack)
        [ $# -eq 3 ] || { echo "usage: fuzz.sh $1 TARGET DIR" >&2; exit 2; }
        "$@"
        exit ;;
esac
"$compiler" --version >/dev/null 2>&1 ||
    { echo "fuzz: libFuzzer requires clang; on Debian: apt-get install clang libclang-rt-dev" >&2; exit 2; }

build_all() {
    $MAKE -j "$(getconf _NPROCESSORS_ONLN)" BUILD=$build CC="$compiler" \
        SANITIZE=fuzzer-no-link,address,undefined fuzzers
}

program_of() { # TARGET
    find $build/fuzz -type f -name "$1"
}

# The maximum size of an input in bytes. An input in a text format has space for one or two kernels.
length_of() { # TARGET
    case $1 in
        ptx_fuzz | simt_fuzz | grade_fuzz | sandbox_cubin_fuzz | machine_code_fuzz) echo 16384 ;;
        guest_argument_fuzz) echo 128 ;;
        *) echo 8192 ;;
    esac
}

# Print the directories with the seeds of a target. ptx_fuzz also uses the seeds of simt_fuzz.
seeds_of() { # TARGET
    for name in "$1" $([ "$1" != ptx_fuzz ] || echo simt_fuzz); do
        [ ! -e "profiler/tools/fuzz/corpus/$name.tar.gz" ] || unpack "$name" "$build/seeds/$name" || exit 2
        mkdir -p "$build/seeds/$name"
        echo "$build/seeds/$name"
    done
}

figure() { # NAME LOG: a number that -print_final_stats=1 prints
    sed -n "s/^stat::$1: *//p" "$2"
}

progress() { # NAME LOG: the last value of NAME in libFuzzer's progress lines
    sed -n "s,.* $1: \\([0-9]*\\).*,\\1,p" "$2" | tail -n 1
}

fuzz() { # SECONDS TARGET: true if no input crashed
    target=$2
    program=$(program_of "$target")
    [ -n "$program" ] || { echo "fuzz: unknown target $target" >&2; exit 2; }
    log=$build/$target.log
    corpus=$build/corpus/$target
    mkdir -p "$corpus" $build/crashes
    nice "$program" -max_total_time="$1" -max_len="$(length_of "$target")" -timeout=20 \
        -rss_limit_mb=3000 -print_final_stats=1 -verbosity=1 -reload=0 \
        -artifact_prefix="$build/crashes/$target-" \
        "$corpus" $(seeds_of "$target") >"$log" 2>&1 </dev/null
    ended=$?
    crashes=$(find $build/crashes -name "$target-*" ! -name '*-slow-unit-*' -newer "$program" | wc -l)
    printf '%-20s %10s executions, %6s edges, %5s inputs, %s crashes\n' "$target" \
        "$(figure number_of_executed_units "$log")" "$(progress cov "$log")" \
        "$(progress corp "$log")" "$crashes"
    [ $ended -eq 0 ] || { grep -m 3 -E 'ERROR|runtime error|: false: |SUMMARY' "$log"; tail -n 3 "$log"; }
    return $ended
}

keep() { # TARGET
    target=$1
    small=$build/small/$target
    seeds=$(seeds_of "$target" | head -n 1)
    rm -rf "$small"
    mkdir -p "$small" "$build/corpus/$target"
    nice "$(program_of "$target")" -merge=1 -use_counters=0 -max_len="$(length_of "$target")" "$small" \
        "$seeds" "$build/corpus/$target" >"$build/$target.merge.log" 2>&1 || return 1
    # Retain files that libFuzzer did not name (regressions and seeds).
    find "$seeds" -type f -name '????????????????????????????????????????' -exec rm {} +
    total=$(cat "$seeds"/* 2>/dev/null | wc -c)
    find "$small" -type f -printf '%s %p\n' | sort -n | while read -r bytes path; do
        total=$((total + bytes))
        [ $total -le $bytes_kept ] || break
        cp "$path" "$seeds/"
    done
    pack "$target" "$seeds" || return 1
    echo "$target: $(ls "$seeds" | wc -l) inputs saved"
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
