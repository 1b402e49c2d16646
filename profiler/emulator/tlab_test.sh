#!/bin/bash
# tlab_test.sh: test the installed public header and library. The example requires no other files,
# and prints correct counters. C++ can include the header. A mistake in PTX or in a kernel returns a
# status. Run from the repository root.
# check: plain
set -u
. profiler/tools/expect.sh

installed=$work/prefix
build=$(dirname "$tlab")
touch "$work/before"
# Other flags would rebuild everything, but with BUILT=yes nothing is built.
make -s install BUILT=yes CFLAGS=-O0 BUILD="$build" PREFIX="$installed" >/dev/null || exit 1
check "installing changes no program or library of the build" none \
    find "$build/tlab" "$build/libtlab.a" "$build/install" "$build/runtime" "$build/flags" -newer "$work/before"
flags="-I$installed/include -L$installed/lib -ltlab -lm -lpthread"
if command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_PATH=$installed/lib/pkgconfig pkg-config --cflags --libs tlab)
fi
cp docs/examples/emulate.c "$work/emulate.c"
build() { # NAME: build NAME.c in a folder without the repository's files
    (cd "$work" && ${CC:-cc} -std=c11 -Wall -Wextra -Werror "$1.c" -o "$1" $flags)
}
run() { (cd "$work" && "./$1" "$installed/share/tlab/devices"); }

check "the example builds with the installed library alone" build emulate
check "the example has fewer than 60 lines" [ "$(wc -l <docs/examples/emulate.c)" -lt 60 ]
run emulate >"$work/out" 2>"$work/errors"
check "the example runs" [ $? = 0 ]
check "the example counts 1024 elements in 32 requests of 4 sectors" grep -qE '^global_load_sectors +128$' "$work/out"
check "the example prints a time" grep -qE '^time_us +[0-9.]+$' "$work/out"
check "the example computes its results" grep -qx 'out\[1023\] = 2046' "$work/out"

sed 's/st\.global\.u32 \[%rd5\]/st.global.u32 [%rd5+4]/' "$work/emulate.c" >"$work/bounds.c"
build bounds && run bounds >"$work/out" 2>"$work/errors"
check "a store past the end is out-of-bounds" grep -q '^out-of-bounds: ' "$work/errors"
sed 's/ld\.global\.u32 %r5, \[%rd4\]/ld.global.u32 %r5, [%rd1]/' "$work/emulate.c" >"$work/fresh.c"
build fresh && run fresh >"$work/out" 2>"$work/errors"
check "a load of uninitialized memory is uninitialized or a race" grep -qE '^(uninitialized|race): ' "$work/errors"
sed 's/\[in\]/[nothing]/' "$work/emulate.c" >"$work/syntax.c"
build syntax && run syntax >"$work/out" 2>"$work/errors"
check "PTX that does not parse is a compile-error" grep -q '^compile-error: ' "$work/errors"
sed 's/"h200"/"h201"/' "$work/emulate.c" >"$work/device.c"
build device && run device >"$work/out" 2>"$work/errors"
check "an unknown device has the status failed" grep -q '^failed: ' "$work/errors"
printf '#include <tlab.h>\nint main() { return tlab_status_name(TLAB_OK)[0] != 111; }\n' >"$work/plus.cpp"
if command -v g++ >/dev/null; then
    check "C++ includes the header" eval "(cd '$work' && g++ -Wall -Werror plus.cpp -o plus $flags && ./plus)"
else
    skip "C++ includes the header" "no g++ here"
fi
finish
