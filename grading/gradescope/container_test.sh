#!/bin/bash
# container_test.sh: tests the package for Gradescope with try_container: sets up the package and grades in a minimal
# Debian, as in a container of Gradescope. The test takes minutes, and requires root and a network.
# check: rare course
set -u
. profiler/tools/expect.sh
needs debootstrap unzip zip
[ "$(id -u)" -eq 0 ] || skip_all "debootstrap requires root"
. /etc/os-release
mirror=$(apt-get indextargets --format '$(REPO_URI)' "Created-By: Packages" 2>/dev/null | grep -m 1 '/debian/\?$')
debootstrap --variant=minbase "${VERSION_CODENAME:-bookworm}" "$work/root" "${mirror:-http://deb.debian.org/debian}" >"$work/log" 2>&1 || {
    grep -qE "Couldn't download|Failed getting release|Invalid Release" "$work/log" && skip_all "no network to Debian's packages"
    fail "a minimal Debian" "$work/log"
    finish
}
cp /etc/apt/sources.list.d/* "$work/root/etc/apt/sources.list.d/" 2>/dev/null
check "the package" grading/gradescope/make_zip "$work/package.zip"
check "setup and grading in a container" env TLAB_CONTAINER=short grading/gradescope/try_container "$work/root" "$work/package.zip"
finish
