# abi_test.sh: compare CUDA's structures and the prototypes of all exported functions with NVIDIA's
# headers. gcc lists the prototypes of the function definitions (-aux-info). Run from the repository
# root.
# check: plain
set -u
export CCACHE_DISABLE=1 # ccache does not support -aux-info
. profiler/tools/expect.sh
include=${TLAB_CUDA:-/usr/local/cuda}/include
[ -f "$include/cuda_runtime_api.h" ] && [ -f "$include/cuda.h" ] || skip_all "no CUDA Toolkit"
command -v g++ >/dev/null || skip_all "there is no g++"
version=$(sed -nE 's/^#define CUDART_VERSION +([0-9]+)[0-9]{3}$/\1/p' "$include/cuda_runtime_api.h")
cd "$work" && ln -s "$OLDPWD/profiler" profiler || exit 1

check "structures" gcc -std=gnu11 -fsyntax-only -Iprofiler -isystem "$include" profiler/cuda/testdata/structures.c

for source in profiler/cuda/runtime_api/api_*.c profiler/cuda/driver_api/*.c; do
    [[ $source =~ (api_absent|same)\.c$ ]] && continue
    gcc -std=gnu11 -fsyntax-only -Iprofiler -aux-info list "$source" && cat list
done | sed -nE 's/^[^*]*[^:]*:[0-9]+:N. \*\/ extern (.*[ *]_*cu[A-Za-z0-9_]+ \(.*\);)( \/\*.*)?$/\1/p' | sed 's/; .*/;/' | sort -u >prototypes.inc
{
    echo "struct dimensions { char bytes[12]; };"
    echo '#include "cuda/abi.h"
#define X(name, theirs, size) struct name { char bytes[size]; };
begin
ABI_STRUCTURES(X) ABI_STRUCTURES_12(X) ABI_STRUCTURES_13(X)' | gcc -E -P -Iprofiler -x c - | sed '1,/^begin/d'
} >structures.inc

# Pairs of NVIDIA's name and our name. For versioned functions, our name ends in the version of this
# toolkit. For rows of the driver's tables, our name is the name of the runtime function.
names() { sed -E 's/^[^(]*[ *](_*cu[A-Za-z0-9_]+) \(.*/\1/' prototypes.inc; }
g++ -E -D__CUDA_API_VERSION_INTERNAL -isystem "$include" -include cuda_runtime_api.h -include cuda.h -include cudaProfiler.h \
    -include cuda_profiler_api.h -x c++ /dev/null | grep -oE '\bcu[A-Za-z0-9_]+ *\(' | tr -d ' (' | sort -u >theirs
expand() { # HEADER: rows of two names
    gcc -E -P -Iprofiler -include "$1" -x c - | sed 's/ROW/\n/g' | grep -oE 'cu[A-Za-z0-9_]+ cu[A-Za-z0-9_]+'
}
echo '#define SAME(need, name, own) ROW name own ROW
#define NAMESAKE(need, name) SAME(need, cu##name, cuda##name)
#define STREAM(name, own) ROW name own ROW name##_ptsz own ROW
#define STREAM_NAMESAKE(name) STREAM(cu##name, cuda##name)
DRIVER_NAMESAKE_LIST(NAMESAKE) DRIVER_STREAM_NAMESAKE_LIST(STREAM_NAMESAKE)
DRIVER_STREAM_LIST(STREAM) DRIVER_SAME_LIST(SAME)' | expand cuda/driver_api/same.h >rows
echo '#define PLAIN(name) ROW name name ROW
#define STREAM(name) PLAIN(name) ROW name##_ptsz name ROW
VERSION_LIST(PLAIN) VERSION_STREAM_LIST(STREAM)' | expand cuda/versions/version.h >forms
names >ours
{
    awk '{ print $1, $1 }' ours
    awk -v version="_$version" '{ print $1, $2 version }' forms
    awk -v version=_13 'FNR == NR { form[$1] = $2 version; next } { print $1, ($2 in form ? form[$2] : $2) }' forms rows
} | awk 'FILENAME == "theirs" { known[$1]; next } FILENAME == "ours" { own[$1]; next } $1 in known && $2 in own { print "SAME(ours::" $2 ", ::" $1 ")" }' theirs ours - >pairs.inc
check "at least 400 functions are compared" [ "$(wc -l <pairs.inc)" -ge 400 ]
prototypes() {
    g++ -std=c++17 -fsyntax-only -w -I. -isystem "$include" profiler/cuda/testdata/prototypes.cc 2>errors && return
    grep -oE 'ours::[A-Za-z0-9_]+ differs from ::[A-Za-z0-9_]+' errors || cat errors
    return 1
}
check "prototypes" prototypes
finish
