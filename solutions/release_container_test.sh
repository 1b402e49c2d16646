#!/bin/bash
# release_container_test.sh: tests the archive for students in a minimal Debian with the steps of
# .devcontainer/Dockerfile, then the steps of docs/first-minutes.md as an ordinary user. The test takes minutes and
# requires root and a network. Run from the repository root.
# check: rare
set -u
. profiler/tools/expect.sh
needs debootstrap jq
[ "$(id -u)" -eq 0 ] || skip_all "debootstrap requires root"
mirror=$(apt-get indextargets --format '$(REPO_URI)' "Created-By: Packages" 2>/dev/null | grep -m 1 '/debian/\?$')
solutions/release_students "$work/students.tar.gz" >"$work/log" 2>&1 || {
    fail "the archive for students" "$work/log"
    finish
}
tar -xzf "$work/students.tar.gz" -C "$work"
context=$work/transpose-lab

box=$work/root user=root directory=/
inside() { # COMMAND: run the command in the container like a RUN step, without a GPU or toolkit; compile fast
    unshare --mount --pid --fork --kill-child --mount-proc="$box/proc" chroot "$box" \
        setpriv --reuid="$user" --regid="$user" --init-groups env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="/tmp" \
        DEBIAN_FRONTEND=noninteractive CFLAGS=-O0 sh -c "cd $directory && $1"
}
from() { # debian:12
    debootstrap --variant=minbase bookworm "$box" "${mirror:-http://deb.debian.org/debian}" >"$work/log" 2>&1 || {
        grep -qE "Couldn't download|Failed getting release|Invalid Release" "$work/log" && skip_all "no network to Debian's packages"
        fail "a minimal Debian" "$work/log"
        finish
    }
    cp /etc/apt/sources.list.d/* "$box/etc/apt/sources.list.d/" 2>/dev/null
    cp /etc/resolv.conf "$box/etc/resolv.conf"
}
while read -r step rest; do
    case $step in
        '' | '#'*) ;;
        FROM) check "FROM $rest: the Debian of this test" [ "$rest" = debian:12 ] && from ;;
        COPY) check "COPY $rest" cp "$context/${rest% *}" "$box${rest#* }" ;;
        RUN) check "RUN $rest" inside "$rest" </dev/null ;;
        USER) user=$rest ;;
        WORKDIR) directory=$rest && mkdir -p "$box$rest" ;;
        *) fail "an unknown step: $step" ;;
    esac
done <"$context/.devcontainer/Dockerfile"

cp -r "$context/." "$box/course"
chroot "$box" chown -R student: /course
expect "make" 0 "CUDA to PTX +clang" -- inside make
expect "nothing is missing" 0 "^Ready" -- inside "build/tlab doctor"
expect "no grader" 2 "this is the student version of the course, without the grader" -- inside "build/tlab grade x --out y"
expect "goals without the grader" 1 "Conflicts|conflicts|not yet|wrong_result" -- inside "build/tlab run 03 --points"
expect "an unchanged lab" 1 "wrong_result.*Your turn" -- inside "build/tlab run labs/00_copy"
expect "all labs, and their charts" 0 "wrote out/course.csv" -- inside "make course SIZE=256; ls out/*.svg"
cp solutions/00_copy/*.cu "$box/course/labs/00_copy"
expect "the first lab, solved" 0 "copy_shared .* ok$" -- inside "build/tlab run 00"
for lab in solutions/[0-9]*/; do
    cp "$lab"*.cu "$box/course/labs/$(basename "$lab")"
    expect "solved: $(basename "$lab")" 0 " ok" -- inside "build/tlab run labs/$(basename "$lab") --rows 256 --cols 512"
done
expect "the compile commands for editors" 0 "kernels: 0 errors" -- inside 'make -s compile_commands.json && n=0 &&
    for lab in labs/*/*.cu; do clangd --check=$lab 2>&1 | grep -E "^E\[.*\[[a-z_]+\] Line" && n=$((n+1)); done; echo "kernels: $n errors"'
expect "install" 0 "TLAB" -- inside 'make -s install && PATH=$HOME/.local/bin:$PATH tlab --version && man -l $HOME/.local/share/man/man1/tlab.1 | cat'
finish
