#!/bin/sh
# check.sh: every check of the project, on what this machine has. `make check` runs it after deps.sh.
#
# One line a check: "ok", "FAILED" (its output follows) or "skipped" (why follows). The last line is
# "N passed, N failed, N skipped"; the exit status is 1 when any failed. A check is a command: status
# 0 is passed, 77 is skipped with the reason as its last line, anything else failed.
set -u
export LC_ALL=C UBSAN_OPTIONS=print_stacktrace=1
export CUDA_VISIBLE_DEVICES= # the same checks with and without a GPU; check-gpu has those for one

# Options of the calling make would give this one its job server and its -k; its variables come
# through the environment.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL
MAKE="${MAKE:-make} --no-print-directory"
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
seconds_per_check=180

passed=0 failed=0 skipped=0
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
trap 'exit 2' HUP INT TERM

skip() { # NAME REASON
    skipped=$((skipped + 1))
    printf 'skipped  %s: %s\n' "$1" "$2"
}

check() { # NAME COMMAND...: run it, print and count the verdict; true when it passed
    name=$1
    shift
    started=$(date +%s)
    "$@" >"$log" 2>&1 </dev/null
    verdict=$?
    took=$(($(date +%s) - started))
    if [ $verdict -eq 77 ]; then
        skip "$name" "$(tail -n 1 "$log")"
        return 77
    elif [ $verdict -eq 0 ]; then
        passed=$((passed + 1))
        [ $took -lt 2 ] && took= || took=" ($took s)"
        echo "ok       $name$took"
    else
        failed=$((failed + 1))
        [ $verdict -ne 124 ] || echo "still running after $seconds_per_check s" >>"$log"
        echo "FAILED   $name (exit status $verdict)"
        sed 's/^/    /' "$log"
        return 1
    fi
}

limited() { # COMMAND...: end it when its time is up
    timeout -k 10 "$seconds_per_check" "$@"
}

# --- the checks --------------------------------------------------------------------------------------

check_format() {
    command -v clang-format || { echo "clang-format is not installed"; return 77; }
    version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
    [ "$version" = 14 ] ||
        { echo "clang-format 14 decides, this is $version, which formats differently"; return 77; }
    find profiler grading -name '*.[ch]' -exec clang-format --dry-run --Werror {} +
}

have_cmocka() {
    printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <cmocka.h>\n' |
        "$compiler" -E -x c - >/dev/null 2>&1
}

unit_tests() {
    find profiler grading -name '*_test.c' | sort
}

threaded_tests() { # those that run several workers, but for the one that takes minutes so
    find profiler grading -name '*_test.c' ! -name difficult_test.c \
        -exec grep -lE '(workers|threads) = [^1]' {} + | sort
}

fuzz_targets() {
    find profiler grading -name '*_fuzz.c' | sort
}

shell_tests() {
    find profiler plots solutions include docs grading -name '*_test.sh' | sort
}

check_variant() { # NAME MAKE-VARIABLES...: build the program and the unit tests, run the tests
    variant=$1
    shift
    reason=
    have_cmocka || reason="cmocka (libcmocka-dev) is not installed"
    check "build ($variant)" $MAKE -j "$jobs" "$@" "$directory/tlab" || reason="the build failed"
    if [ -n "$reason" ]; then
        for source in $(unit_tests); do
            skip "${source%.c} ($variant)" "$reason"
        done
        return
    fi
    for source in $(unit_tests); do
        program=$directory/tests/${source%.c}
        if $MAKE -j "$jobs" "$@" "$program" >"$log" 2>&1; then
            check "${source%.c} ($variant)" limited "$program"
        else
            check "${source%.c} ($variant)" show_build_failure "$@" "$program"
        fi
    done
}

check_corpora() { # MAKE-VARIABLES...: what fuzzing once found, and what covers the most of each parser
    for source in $(fuzz_targets); do
        target=$(basename "$source" .c)
        program=$directory/fuzz/${source%.c}
        if $MAKE -j "$jobs" "$@" "$program" >"$log" 2>&1; then
            check "corpus of $target (sanitized)" limited "$program" "profiler/tools/fuzz/corpus/$target"
        else
            check "corpus of $target (sanitized)" show_build_failure "$@" "$program"
        fi
    done
}

check_threads() { # MAKE-VARIABLES...: the tests and a run in which threads share data
    if ! $MAKE -j "$jobs" "$@" "$directory/tlab" >"$log" 2>&1; then
        check "build (threads)" show_build_failure "$@" "$directory/tlab"
        return
    fi
    check "several workers emulate a lab (threads)" limited "$directory/tlab" run \
        solutions/03_padded/padded.cu --device h200 --rows 256 --cols 256
    for source in $(have_cmocka && threaded_tests); do
        program=$directory/tests/${source%.c}
        if $MAKE -j "$jobs" "$@" "$program" >"$log" 2>&1; then
            check "${source%.c} (threads)" limited "$program"
        else
            check "${source%.c} (threads)" show_build_failure "$@" "$program"
        fi
    done
}

show_build_failure() { # make's arguments: the failing build once more, for its messages
    $MAKE "$@"
    return 1
}

check_counters_page() {
    build/tlab metrics --markdown >"$log.page" && diff docs/counters.md "$log.page"
    same=$?
    rm -f "$log.page"
    [ $same -eq 0 ] || echo "to mend it: make docs"
    return $same
}

# --- in order ----------------------------------------------------------------------------------------

compiler=${CC:-}
for name in gcc cc clang; do
    [ -n "$compiler" ] || compiler=$(command -v $name >/dev/null && echo $name)
done
case $("$compiler" --version 2>/dev/null) in
    *clang*) other=gcc ;;
    *) other=clang ;;
esac

check "format" check_format

directory=build
check_variant "$compiler" CC="$compiler"
if command -v $other >/dev/null; then
    directory=build/$other
    check_variant $other BUILD=build/$other CC=$other
else
    skip "build ($other)" "$other is not installed"
fi
directory=build/asan
check_variant sanitized BUILD=build/asan CC="$compiler" SANITIZE=address,undefined
check_corpora BUILD=build/asan CC="$compiler" SANITIZE=address,undefined
directory=build/tsan
seconds_per_check=600 # that sanitizer slows the tests down ten times
check_threads BUILD=build/tsan CC="$compiler" SANITIZE=thread
seconds_per_check=180

# Scripts find the program in $TLAB; those that do are run with the sanitized one, too.
for script in $(shell_tests); do
    check "${script%.sh}" limited env TLAB=build/tlab bash "$script"
    if grep -q 'TLAB:-' "$script" && [ -x build/asan/tlab ]; then
        check "${script%.sh} (sanitized)" limited env TLAB=build/asan/tlab bash "$script"
    fi
done

check "labs/ is what solutions/ makes" solutions/make_skeletons --check
check "docs/counters.md is what the program prints" check_counters_page

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
