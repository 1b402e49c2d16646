#!/bin/sh
# What this machine has, found by looking only (nothing is started that could take long): which
# compiler makes PTX, and whether there is a GPU. `make` prints it; deps.sh asks it.
#
#   machine.sh [CC]        print the decision for people; CC is the C compiler in use
#   machine.sh --ptx       print nvrtc, nvcc, clang or none
#
# The program's own search (toolkit.c) is the one that counts; this one follows its order.
set -eu

in_toolkit() { # DIR: does it hold NVRTC or nvcc? Prints which.
    for library in "$1"/lib64/libnvrtc.so* "$1"/lib/libnvrtc.so* "$1"/targets/*/lib/libnvrtc.so*; do
        [ -e "$library" ] && echo nvrtc && return
    done
    [ -x "$1/bin/nvcc" ] && echo nvcc
}

toolkit() { # print "nvrtc DIR" or "nvcc DIR" of the first toolkit
    if [ -n "${TLAB_CUDA:-}" ]; then
        candidates=$TLAB_CUDA
    else
        newest=$(ls -d /usr/local/cuda-* 2>/dev/null | sort -V | tail -n 1)
        nvcc=$(command -v nvcc || true)
        candidates="${CUDA_HOME:-}
${CUDA_PATH:-}
/usr/local/cuda
$newest
${nvcc%/bin/nvcc}"
    fi
    printf '%s\n' "$candidates" | while IFS= read -r directory; do
        [ -n "$directory" ] || continue
        kind=$(in_toolkit "$directory") || continue
        printf '%s %s\n' "$kind" "$directory"
        break
    done
}

ptx_compiler() { # print "KIND" or "KIND DIR"
    found=
    [ "${TLAB_CUDA:-}" = none ] || found=$(toolkit)
    if [ -n "$found" ]; then
        printf '%s\n' "$found"
    elif command -v clang >/dev/null; then
        echo clang
    else
        echo none
    fi
}

gpu() {
    if [ -e /dev/nvidia0 ] || [ -e /dev/dxg ]; then
        name=$(cat /proc/driver/nvidia/gpus/*/information 2>/dev/null |
            sed -n 's/^Model:[[:space:]]*//p' | head -n 1)
        echo "${name:-present}"
    else
        echo "none: runs are emulated"
    fi
}

decision=$(ptx_compiler)
if [ "${1:-}" = --ptx ]; then
    echo "${decision%% *}"
    exit
fi
case $decision in
    nvrtc*) ptx="NVRTC of the CUDA Toolkit in ${decision#* }" ;;
    nvcc*) ptx="nvcc of the CUDA Toolkit in ${decision#* }" ;;
    clang) ptx="$(clang --version | head -n 1) (no CUDA Toolkit found)" ;;
    none) ptx="none: install clang (make deps) or the CUDA Toolkit" ;;
esac
echo "C compiler    ${1:-}"
echo "CUDA to PTX   $ptx"
echo "GPU           $(gpu)"
