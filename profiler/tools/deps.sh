#!/bin/sh
# deps.sh GOAL...: list the missing requirements of each goal (course, grade, check, check-all,
# fuzz, gradescope, handouts), and install them if possible: Debian packages, through apt-get, as
# root or with a password-less sudo.
#
# Each requirement is tested by using it, so that other installations are also found. Requirements
# that cannot be installed are listed with the commands that install them.
#
# Exit status: 0, or 2 if there is no C compiler and none could be installed.
set -u

goals=" $* "

has_program() {
    command -v "$1" >/dev/null 2>&1
}

c_compiler() {
    for name in "${CC:-}" gcc cc clang; do
        [ -n "$name" ] && has_program "${name%% *}" && echo "$name" && return
    done
    return 1
}

has_header() { # NAME: true if the C compiler finds this header and <stdio.h>
    compiler=$(c_compiler) || return 1
    printf '#include <stdio.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\n' "$1" |
        $compiler -E -x c - >/dev/null 2>&1
}

has_ptx_compiler() { # clang, or a toolkit that toolkit.c finds (tlab may be missing)
    has_program clang && return
    if [ -n "${TLAB_CUDA:-}" ]; then
        set -- "$TLAB_CUDA" # `none` is not a directory
    else
        has_program nvcc && return
        set -- "${CUDA_HOME:-none}" "${CUDA_PATH:-none}" /usr/local/cuda /usr/local/cuda-*
    fi
    for root in "$@"; do
        for file in "$root"/bin/nvcc "$root"/lib*/libnvrtc.so* "$root"/targets/*/lib/libnvrtc.so*; do
            [ -e "$file" ] && return
        done
    done
    return 1
}

has_libfuzzer() {
    printf '#include <stddef.h>\nint LLVMFuzzerTestOneInput(const char *d, size_t n) { return !d && n; }\n' |
        clang -fsanitize=fuzzer,address,undefined -x c - -o /dev/null >/dev/null 2>&1
}

has_prove() {
    perl -MTAP::Harness -e 1 >/dev/null 2>&1
}

has_slurm() {
    PATH=$PATH:/usr/sbin
    has_program slurmctld && has_program slurmd && has_program sbatch && has_program mungekey
}

has_latex() { # with the packages that the figures use
    has_program pdflatex && has_program kpsewhich && kpsewhich xcolor.sty calc.sty graphicx.sty >/dev/null
}

has_comma() {
    locale -a 2>/dev/null | grep -qiE '^(de_DE|fr_FR)'
}

has_charts() { # gnuplot with the terminals that draw the charts
    has_program gnuplot && printf 'set terminal pngcairo\nset terminal pdfcairo\nset terminal svg\n' |
        gnuplot >/dev/null 2>&1
}

# One line per requirement: goals | test | Debian package | purpose.
needs='course check|c_compiler|gcc|a C compiler
course check|has_header stdlib.h|libc6-dev|the C library
course check|has_ptx_compiler|clang|CUDA to PTX without a CUDA Toolkit
course check|has_charts|gnuplot-nox|charts
check|has_header cmocka.h|libcmocka-dev|unit tests
check|has_prove|perl|the runner of the tests (TAP::Harness)
check fuzz|has_program clang|clang|the build with a second compiler
check fuzz|has_libfuzzer|libclang-rt-dev|libFuzzer and the sanitizers of clang
check|has_program clang-format|clang-format|the check of the format
course grade check fuzz|has_header jansson.h|libjansson-dev|goals and grades (JSON)
course check|has_header ncurses.h|libncurses-dev|the screen of tlab watch
check|has_program tmux|tmux|the test of that screen
grade check fuzz|has_header archive.h|libarchive-dev|uploads (.zip, .tar.gz)
grade check fuzz|has_header seccomp.h|libseccomp-dev|the sandbox of the interpreter
course grade check fuzz|has_header nettle/sha2.h|nettle-dev|digests (SHA-256)
check|has_header zstd.h|libzstd-dev|compressed PTX of CUDA programs (tlab exec)
check|has_header lz4.h|liblz4-dev|compressed PTX of older compilers (tlab exec)
grade check fuzz|has_header utf8proc.h|libutf8proc-dev|names of people (Unicode)
grade check|has_program bwrap|bubblewrap|the sandbox of the compiler
gradescope check|has_program zip|zip|the package for Gradescope
check|has_program unzip|unzip|the test of that package
course grade check|has_program jq|jq|reports (pages and formats made of JSON)
handouts check-all|has_program pandoc|pandoc|handouts
handouts check-all|has_program weasyprint|weasyprint|handouts for printing (PDF)
check-all|has_program pdfinfo|poppler-utils|the test of the handouts
check-all|has_program chromium|chromium|the tests of the HTML pages
check-all|has_comma|locales-all|the test in a locale with decimal commas
check-all|has_slurm|slurm-wlm munge|the test of the engine slurm
check-all|has_program sim_c|similarity-tester|the test of the search for copies
check-all|has_latex|texlive-latex-recommended texlive-latex-base|the test of the LaTeX figures
check-all|has_program debootstrap|debootstrap|the test of the package for Gradescope in a container'

# Set `packages` and `list` (lines "  PACKAGE  purpose") to the missing requirements of the goals.
find_missing() {
    packages=
    list=
    while IFS='|' read -r wanted_by test package purpose; do
        wanted=no
        for goal in $wanted_by; do
            case $goals in *" $goal "*) wanted=yes ;; esac
        done
        [ "$wanted" = yes ] || continue
        $test >/dev/null && continue
        case " $packages " in
            *" $package "*) ;;
            *) packages="${packages:+$packages }$package" ;;
        esac
        list="$list
  $(printf '%-15s %s' "$package" "$purpose")"
    done <<END
$needs
END
}

find_missing
if [ -z "$packages" ]; then
    [ "$goals" != " course check " ] || echo "deps: nothing is missing"
    exit 0
fi
echo "deps: missing on this machine:$list"

install_command="apt-get install -y --no-install-recommends $packages"
as_root=
reason=
if ! has_program apt-get; then
    reason="this is not a Debian system: install the programs of this list with the system's package manager"
elif [ "${TLAB_INSTALL:-yes}" = no ]; then
    reason="TLAB_INSTALL=no; to install them: sudo $install_command"
elif [ "$(id -u)" -ne 0 ]; then
    if has_program sudo && sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        reason="you have no permission to install packages; ask the administrator to run: sudo $install_command"
    fi
fi

if [ -z "$reason" ]; then
    echo "deps: installing: ${as_root:+$as_root }$install_command"
    log=$(mktemp) || exit 2
    # $as_root and $install_command are unquoted so that they split into words.
    if { $as_root env DEBIAN_FRONTEND=noninteractive apt-get update &&
        $as_root env DEBIAN_FRONTEND=noninteractive $install_command; } >"$log" 2>&1; then
        echo "deps: installed"
    else
        tail -n 15 "$log"
        reason="apt-get failed (its last lines are above); to try again: sudo $install_command"
    fi
    rm -f "$log"
fi
if [ -n "$reason" ]; then
    echo "deps: $reason"
    echo "deps: continuing without the missing packages"
fi

if ! c_compiler >/dev/null || ! has_header stdlib.h; then
    echo "deps: the build requires a C compiler and the C library" >&2
    exit 2
fi
exit 0
