#!/bin/bash
# setup.sh: Gradescope runs this once, as root and with a network, when it builds the image of the
# assignment: it installs a compiler and the libraries, and builds tlab.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends make gcc libc6-dev clang \
    libjansson-dev libarchive-dev libseccomp-dev nettle-dev
# Students' files belong to nobody, and nobody but root may read the grader.
chmod 700 /autograder/source
make -C /autograder/source/lab WERROR= build/tlab
/autograder/source/lab/build/tlab doctor
