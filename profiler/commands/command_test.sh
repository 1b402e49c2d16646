#!/bin/bash
# command_test.sh: tests of correct and incorrect command lines: the exit status, the message, and
# the files that are written. Run from the repository root; TLAB names the program (default
# build/tlab).
# check: course
set -u
root=$PWD
. profiler/tools/expect.sh

needs_ptx

# kernel NAME LAB BODY [LAUNCH]: write a lab file with this kernel body.
kernel() {
    cat >"$work/$1.cu" <<END
#include "lab.h"
LAB($2);
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    $3
}
LAB_LAUNCH(width, height)
{
    ${4:-return {dim3(lab_ceil_div(width, 32), lab_ceil_div(height, 8)), dim3(32, 8)\};}
}
END
}
good='if (x < width && y < height) odata[x * height + y] = idata[y * width + x];'
run() { # NAME OPTIONS...
    local name=$1
    shift
    "$tlab" run "$work/$name.cu" --rows 96 --cols 64 "$@"
}

# --- usage ----------------------------------------------------------------------------------------
some expect "no command" 2 "usage: tlab" -- "$tlab"
expect "the help lists the commands" 0 "emulate" -- "$tlab" help
expect "help prints a term" 0 "^bank conflict Two lanes" -- "$tlab" help bank conflict
check "help prints one term" none grep '^## ' "$work/output"
some expect "help prints the last term, in any case" 0 "^wavefront " -- "$tlab" help WaveFront
some expect "a misspelt term has a suggestion" 2 "no term .bank conflcit.; did you mean .bank conflict.\?" -- "$tlab" help "bank conflcit"
some expect "the beginning of a term has a suggestion" 2 "did you mean .roofline.\?" -- "$tlab" help roof
some expect "an unknown term" 2 "no term .frobnicate.; docs/glossary.md" -- "$tlab" help frobnicate
some expect "an unknown command" 2 "no command .frobnicate" -- "$tlab" frobnicate
some expect "a misspelt command has a suggestion" 2 "no command .anotate.; did you mean .annotate.\?" -- "$tlab" anotate labs/01_naive
some expect "a command with two letters exchanged has a suggestion" 2 "did you mean .run.\?" -- "$tlab" rnu labs/01_naive
some expect "the beginning of a command has a suggestion" 2 "did you mean .doctor.\?" -- "$tlab" doc
some expect "a misspelt option has a suggestion" 2 "no option .--devise.; did you mean .--device.\?" -- "$tlab" run labs/01_naive --devise a100
some expect "a misspelt option with a value has a suggestion" 2 "did you mean .--rows.\?" -- "$tlab" annotate labs/01_naive --rwos=64
some expect "a misspelt option of another command has a suggestion" 2 "did you mean .--kernel.\?" -- "$tlab" emulate x.cu --kernal transpose
some expect "an option without a similar name" 2 "no option .--colour.; see" -- "$tlab" run labs/01_naive --colour
some expect "a misspelt device has a suggestion" 2 "did you mean .gtx280.\?" -- "$tlab" run labs/01_naive --device gtx820
some expect "a device name in capital letters has a suggestion" 2 "did you mean .h200.\?" -- "$tlab" annotate labs/01_naive --device H200
some expect "the version" 0 "^tlab 20[0-9.]+" -- "$tlab" --version
# Ways to name a lab.
small() { "$tlab" run "$1" --rows 64 --cols 64 --csv -; }
for name in labs/01 labs/01_naive/ 01 1 naive 01_n nai; do
    some expect "lab $name" 1 "^01_naive,naive," -- small "$name"
done
some expect "a lab in another directory of labs" 0 "^01_naive,naive,.*,ok," -- small solutions/01
some expect "a lab named from another working directory" 1 "^01_naive,naive," -- sh -c 'cd / && "$0" run naive --rows 64 --cols 64 --csv -' "$tlab"
some expect "a word that matches several labs" 2 "matches several labs: 20_sum_shared, 21_sum_sequential, 22_sum_grid" -- "$tlab" run sum
some expect "a misspelt lab has a suggestion" 2 "No such file.*; did you mean .naive.\?" -- "$tlab" run niave
some expect "a misspelt lab in a directory has a suggestion" 2 "labs/03_paded: No such file.*did you mean .03_padded.\?" -- "$tlab" annotate labs/03_paded
some expect "a lab as lab01" 1 "^01_naive, .*wrong_result" -- "$tlab" run lab01 --rows 32 --cols 32
some expect "the directory of all labs is not a lab" 2 "labs has no .cu file: name the directory" -- "$tlab" run labs
some expect "a number that no lab has" 2 "13: No such file or directory; .tlab status. lists the labs" -- "$tlab" run 13
some expect "a misspelt kind of picture has a suggestion" 2 "did you mean .banks." -- "$tlab" picture bank 02
expect "a lab on square matrices names its size" 0 "note: this lab cannot run at 100 x 77; it ran at 87 x 87" -- "$tlab" run solutions/12_inplace --rows 100 --cols 77
expect "a lab on one row names its size" 0 "note: this lab cannot run at 20 x 30; it ran at 1 x 600" -- "$tlab" run solutions/20_sum_shared --rows 20 --cols 30
"$tlab" run solutions/20_sum_shared --cols 600 >"$work/output"
check "a suitable size has no note" none grep "has no size" "$work/output"
some expect "a lab that does not exist" 2 "labs/99: No such file or directory; .tlab status. lists the labs$" -- "$tlab" run labs/99
some expect "run without a target" 2 "needs a lab directory" -- "$tlab" run
some expect "run --help" 0 "--loop" -- "$tlab" run --help
some expect "an unknown option" 2 "no option .--colour" -- "$tlab" run solutions/03_padded --colour
some expect "a target that does not exist" 2 "No such file" -- "$tlab" run "$work/nowhere"
some expect "a file that is not a lab" 2 "neither a lab directory nor" -- "$tlab" run README.md
mkdir "$work/empty"
some expect "an empty directory" 2 "has no .cu file" -- "$tlab" run "$work/empty"
some expect "an unknown device" 2 "h200" -- "$tlab" run solutions/03_padded --device h100x
some expect "zero rows" 2 "--rows must be" -- "$tlab" run solutions/03_padded --rows 0
some expect "negative cols" 2 "--cols must be" -- "$tlab" run solutions/03_padded --cols -5
some expect "rows that are not a number" 2 "--rows must be" -- "$tlab" run solutions/03_padded --rows 12x
some expect "a matrix larger than the memory" 2 "too large" -- "$tlab" run solutions/03_padded --rows 2000000 --cols 2000000
some expect "a missing value" 2 "needs a value" -- "$tlab" run solutions/03_padded --rows
some expect "a missing value after =" 2 "--csv needs a value" -- "$tlab" run solutions/03_padded --csv=
some expect "a value for a flag" 2 "no option .--warm=1" -- "$tlab" run solutions/03_padded --warm=1
some expect "an unknown short option" 2 "no option .-x." -- "$tlab" run solutions/03_padded -x
some expect "a missing value of -D" 2 "-D needs a value" -- "$tlab" run solutions/03_padded -D
some expect "values with and without =" 0 " ok$" -- "$tlab" run --rows=64 --cols 32 solutions/03_padded -DTILE_DIM=16
some expect "options after operands" 0 ",64,32,.*TILE_DIM=16" -- "$tlab" run solutions/03_padded --csv - -D TILE_DIM=16 --rows 64 --cols=32
some expect "operands after --" 2 "No such file" -- "$tlab" run -- --rows
some expect "-h after other arguments" 0 "usage: tlab run" -- "$tlab" run solutions/03_padded -h
some expect "an argument that doctor does not accept" 2 "accepts no argument .now.; see .tlab doctor --help" -- "$tlab" doctor now
some expect "an invalid macro" 2 "-D needs NAME" -- "$tlab" run solutions/03_padded -D 3=4
some expect "an invalid loop" 2 "launch. or .kernel" -- "$tlab" run solutions/03_padded --loop twice
some expect "a lab on whole tiles" 2 "whole tiles" -- "$tlab" run solutions/05_coarse_grained --rows 1000
some expect "devices" 0 "gtx280.*GT200" -- "$tlab" devices
some expect "metrics" 0 "l2_read_bytes.*bytes.*lts__t_sectors_srcunit_tex_op_read" -- "$tlab" metrics
some expect "doctor" 0 "compiler" -- "$tlab" doctor
some expect "doctor on grading" 0 "grading \(tlab grade\)" -- "$tlab" doctor
some expect "a root without devices" 2 "has no profiler/devices" -- env TLAB_ROOT=/nonexistent "$tlab" devices
expect "standard output on a full disk" 2 "cannot write" -- bash -c '"$0" metrics >/dev/full' "$tlab"

# --- correct programs -----------------------------------------------------------------------------
kernel naive naive "$good"
some expect "a correct kernel" 0 "naive.* ok$" -- run naive
some expect "one element" 0 " ok$" -- "$tlab" run "$work/naive.cu" --rows 1 --cols 1
some expect "a ragged size" 0 " ok$" -- "$tlab" run "$work/naive.cu" --rows 1000 --cols 777
some expect "csv on standard output" 0 "^lab,variant,kernel,device,chip,rows,cols" -- run naive --csv -
some expect "macros reach the compiler" 1 "expected|unidentified|syntax|undeclared|error" -- run naive -D height=+
some expect "loop in the kernel" 0 " ok$" -- run naive --loop kernel --repeats 3
some expect "every device" 0 " ok$" -- run naive --device gtx280
printf 'extern "C" __global__ void same(int *out) { out[0] = blockIdx.x; }\n' >"$work/same.cu"
some expect "races in 2 MB are found" 1 "a race" -- "$tlab" emulate "$work/same.cu" --kernel same --grid 2 --block 1 out:i32:500000
some expect "a note if races were not checked" 0 "races in global memory were not checked" \
    -- "$tlab" emulate "$work/same.cu" --kernel same --grid 2 --block 1 out:i32:5000000
some expect "a device without shuffles" 1 "sum_grid.cu:[0-9]+: shfl[a-z0-9.]* requires compute capability 3\.0; .* has 1\.3" -- "$tlab" run "$root/solutions/22_sum_grid" --device gtx280
some expect "a device file named by its path" 0 " ok$" -- run naive --device "$root/profiler/devices/a100.conf"
mkdir "$work/a dir with 'quotes' and spaces"
cp "$work/naive.cu" "$work/a dir with 'quotes' and spaces/my naïve \$file.cu"
some expect "odd file names" 0 " ok$" -- "$tlab" run "$work/a dir with 'quotes' and spaces/my naïve \$file.cu" --rows 64 --cols 64

# The record does not depend on the number of workers, and is the same in all runs.
run naive --csv "$work/one.csv" --threads 1 >/dev/null
run naive --csv "$work/five.csv" --threads 5 >/dev/null
some expect "the number of workers does not change the record" 0 "" -- cmp "$work/one.csv" "$work/five.csv"

# --- incorrect programs: status 1, a row with the status, a message for the student ---------------
kernel broken naive 'odata[x] = idata[y]'
some expect "does not compile" 1 "broken\.cu.[67]..*(expected|error)" -- run broken
some expect "a kernel that does not compile has a row" 1 ",compile_error," -- run broken --csv -
sed 's/transpose(/transposed(/' "$work/naive.cu" >"$work/noname.cu"
some expect "a kernel with another name" 1 "the kernel is called transposed" -- run noname
sed 's/extern "C" __global__/__global__/' "$work/naive.cu" >"$work/mangled.cu"
some expect "a kernel that is not extern C" 1 "extern .C." -- run mangled
sed 's/int width, int height)$/int width)/; s/height/32/g' "$work/naive.cu" >"$work/signature.cu"
some expect "another signature" 1 "other parameters|LAB_LAUNCH" -- run signature
grep -v '^LAB(' "$work/naive.cu" >"$work/nolab.cu"
some expect "no LAB()" 1 "names no exercise" -- run nolab
sed 's/LAB(naive)/LAB(nonsense)/' "$work/naive.cu" >"$work/nonsense.cu"
some expect "an unknown exercise in LAB()" 1 "LAB.nonsense. is not an exercise.*padded" -- run nonsense
sed 's/LAB(naive)/LAB(nave)/' "$work/naive.cu" >"$work/nave.cu"
some expect "a misspelt exercise in LAB()" 1 "did you mean LAB.naive." -- run nave
sed 's/LAB(naive)/lab(naive)/' "$work/naive.cu" >"$work/small.cu"
some expect "LAB in small letters" 1 "small.cu.[0-9]+.: lab is misspelt: write LAB" -- run small
sed 's/LAB_LAUNCH/LAB_LUNCH/' "$work/naive.cu" >"$work/lunch.cu"
some expect "misspelt LAB_LAUNCH" 1 "lunch.cu.[0-9]+.: LAB_LUNCH is misspelt: write LAB_LAUNCH" -- run lunch
sed 's/transpose(/naive_kernel(/; s/extern "C"//' "$work/naive.cu" >"$work/other.cu"
some expect "another name" 1 "other.cu.[0-9]+.: the kernel is called naive_kernel.*extern" -- run other
sed 's/extern "C"/static/' "$work/naive.cu" >"$work/static.cu"
some expect "a static kernel" 1 "static.cu.[0-9]+.: the kernel is static" -- run static
sed 's/float \*odata, const float \*idata, int width, int height/const float *idata, float *odata, int height, int width/' \
    "$work/naive.cu" >"$work/order.cu"
some expect "another order of parameters" 1 "declares its parameters as .idata, odata, height, width" -- run order
sed 's/int width, int height)$/size_t width, size_t height)/' "$work/naive.cu" >"$work/long.cu"
some expect "sizes of 64 bits" 1 "has the wrong parameters.*int width, int height" -- run long
sed 's/int width, int height)$/unsigned width, unsigned int height)/' "$work/naive.cu" >"$work/unsigned.cu"
some expect "unsigned sizes" 0 " ok$" -- run unsigned
cp -r "$root/solutions/03_padded" "$work/03_padded"
some expect "a copy of a lab" 0 " ok$" -- "$tlab" run "$work/03_padded" --rows 64 --cols 96
sed -i 's/^LAB(.*/LAB(coalesced);/' "$work/03_padded/padded.cu"
some expect "LAB() of another lab" 1 "LAB.coalesced. is the wrong .*03_padded.*LAB.padded." -- "$tlab" run "$work/03_padded"
some expect "the wrong LAB() is a compile error" 1 ",compile_error," -- "$tlab" run "$work/03_padded" --csv -
rm "$work/03_padded/lab.conf"
some expect "the wrong LAB() without a manifest" 1 "write *LAB.padded." -- "$tlab" run "$work/03_padded/padded.cu"
sed '/^LAB_LAUNCH/,$d' "$work/naive.cu" >"$work/nolaunch.cu"
some expect "no launch shape" 1 "LAB_LAUNCH" -- run nolaunch
kernel block naive "$good" 'return {dim3(1, 1), dim3(64, 32)};'
some expect "block over 1024 threads" 1 "2048 threads.*1024" -- run block
kernel zero naive "$good" 'return {dim3(0, 1), dim3(32, 8)};'
some expect "empty grid" 1 "gridDim.x = 0" -- run zero
kernel tall naive "$good" 'return {dim3(1, 70000), dim3(32, 8)};'
some expect "grid beyond the limit" 1 "gridDim.y = 70000.*65535" -- run tall
kernel shared naive "__shared__ float big[16384]; big[threadIdx.x] = 1; __syncthreads(); odata[0] = big[width];"
some expect "shared memory beyond the limit" 1 "shared" -- run shared
kernel dynamic naive "$good" 'return {dim3(1, 1), dim3(32, 8), 1u << 20};'
some expect "dynamic shared memory beyond the limit" 1 "shared memory.*at most" -- run dynamic
kernel outside naive 'odata[y * width + x + 1] = idata[y * width + x];'
some expect "out of bounds" 1 "outside\.cu:6:.*thread \(.*block \(.*out" -- run outside
some expect "the status in the CSV" 1 ",out_of_bounds," -- run outside --csv -
kernel misaligned naive '*(double *)(odata + 1) = idata[0] + x + y;'
some expect "misaligned" 1 "misaligned\.cu:6.*(multiple of 8|out of bounds)" -- "$tlab" run "$work/misaligned.cu" --rows 96 --cols 64
kernel endless naive 'for (int i = 0; i < width; i += y >> 31) odata[0] = i;'
some expect "endless loop" 1 "endless\.cu:6.*endless loop" -- run endless
some expect "the status in the CSV" 1 ",timeout," -- run endless --csv -
kernel half_barrier naive 'if (threadIdx.y == 0) __syncthreads();'" $good"
some expect "a barrier that some threads do not reach" 1 "half_barrier\.cu:6.*barrier" -- run half_barrier
kernel texture naive 'asm volatile("tanh.approx.f16x2.whatever %0, %0;" : "+r"(x));'" $good"
some expect "an unsupported instruction" 1 "texture.*tanh.approx.f16x2.whatever|texture\.cu" -- run texture
kernel copies naive 'if (x < width && y < height) odata[y * width + x] = idata[y * width + x];'
some expect "a copy" 1 "copy" -- run copies
kernel nothing naive ';'
some expect "a kernel that writes nothing" 1 "never written|nothing was written" -- run nothing
kernel null_pointer naive '*(volatile float *)nullptr = x + y;'
some expect "null pointer" 1 "null pointer|trap" -- run null_pointer
kernel speaks naive "$good"' if (x == 0 && y == 0) printf("hello from %d x %d\n", width, height);'
some expect "printf" 0 "hello from 96 x 64" -- run speaks
kernel asserts naive "$good"' assert(width < 20);'
sed -i 's/#include "lab.h"/#include <assert.h>\n#include "lab.h"/' "$work/asserts.cu"
some expect "assert" 1 "width < 20" -- run asserts
: >"$work/void.cu"
some expect "an empty file" 1 "no exercise" -- "$tlab" run "$work/void.cu"
head -c 100000 /dev/urandom >"$work/noise.cu"
some expect "binary noise" 1 "compile_error" -- "$tlab" run "$work/noise.cu"
some expect "a failed lab beside a correct one" 1 ",ok,[^$]*" -- "$tlab" run "$work/copies.cu" "$work/naive.cu" --rows 64 --cols 64 --csv -

# --- bugs that may not change the result: races, uninitialized values -----------------------------
# tile NAME BETWEEN [READ [FILL]]: write a padded transpose. FILL is the statement that fills the
# tile (line 8), BETWEEN the next statement (line 9), READ the expression that is read (line 12).
tile() {
    kernel "$1" padded '__shared__ float tile[32][33];
    if (x < width && y < height)
        '"${4:-tile[threadIdx.y][threadIdx.x] = idata[y * width + x];}"'
    '"$2"'
    int out_x = blockIdx.y * 32 + threadIdx.x, out_y = blockIdx.x * 32 + threadIdx.y;
    if (out_x < height && out_y < width)
        odata[out_y * height + out_x] = '"${3:-tile[threadIdx.x][threadIdx.y]}"';' \
        'return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 32)};'
}
tile tiled '__syncthreads();'
some expect "a tile with a barrier" 0 " ok$" -- run tiled
tile no_barrier ''
some expect "a tile without a barrier" 1 "no_barrier\.cu:8: in kernel transpose, thread \(0, 1, 0\) of block \(0, 0, 0\) writes tile\[1\]\[0\], which thread \(1, 0, 0\) reads at .*no_barrier\.cu:12: a race\. There is no __syncthreads" -- run no_barrier
some expect "the status in the CSV" 1 ",race," -- run no_barrier --csv -
some expect "a race on another device" 1 "no_barrier\.cu:8.*a race" -- run no_barrier --device a100
some expect "without checks" 1 "wrong_result" -- run no_barrier --no-checks
run no_barrier --csv "$work/race_one.csv" --threads 1 >/dev/null
run no_barrier --csv "$work/race_five.csv" --threads 5 >/dev/null
some expect "the number of workers does not change the record" 0 "" -- cmp "$work/race_one.csv" "$work/race_five.csv"
tile warp_barrier '__syncwarp();'
some expect "a barrier of a warp only" 1 "warp_barrier\.cu:8.*tile\[1\]\[0\].*warp_barrier\.cu:12: a race\. There is no __syncthreads" -- run warp_barrier
tile wrong_row '__syncthreads();' 'tile[threadIdx.x][threadIdx.y + 1]'
some expect "a kernel that reads the padding" 1 "wrong_row\.cu:12: .*thread \(0, 31, 0\) of block \(0, 0, 0\) reads tile\[0\]\[32\], which no thread of the block has written" -- run wrong_row
some expect "the status in the CSV" 1 ",uninitialised," -- run wrong_row --csv -
tile collision '__syncthreads();' '' 'tile[threadIdx.y][threadIdx.x / 2] = idata[y * width + x];'
some expect "two lanes that store to one element" 1 "collision\.cu:8: .*writes tile\[0\]\[0\], to which thread .* writes another value with the same instruction" -- run collision
tile exchange '__syncthreads(); tile[threadIdx.y][threadIdx.x] += 1; tile[threadIdx.y][threadIdx.x] += tile[threadIdx.y][threadIdx.x ^ 1]; __syncthreads();'
expect "lanes exchange without a barrier" 1 "exchange\.cu:9: .*at different times\. Add __syncwarp" -- run exchange
check "a long message is indented once" none grep -nE '^ {7}' <(sed '1,/: race$/d' "$work/output")
tile past_the_end '__syncthreads();' 'tile[threadIdx.x + 2][threadIdx.y]'
some expect "past the end of the tile" 1 "past_the_end\.cu:12: .*out of bounds: shared memory, .* bytes past the end of tile" -- run past_the_end
kernel accumulates naive 'if (x < width && y < height) odata[x * height + y] += idata[y * width + x];'
some expect "reads the output" 1 "accumulates\.cu:6: .*reads odata\[[0-9]+\]\[[0-9]+\], which no thread has written" -- run accumulates
kernel lucky naive 'if (x + y == 0) odata[width * height - 1] = 7; '"$good"
some expect "a race with a correct result" 1 "lucky\.cu:6: .* writes odata\[95\]\[63\], to which thread \(0, 0, 0\) of block \(0, 0, 0\) writes another value at .*lucky\.cu:6: a race\. The blocks of a launch run in any order" -- run lucky
kernel unlucky naive "$good"' if (x == width - 1 && y == height - 1) odata[0] = 7;'
some expect "a wrong result has its status" 1 ",wrong_result," -- run unlucky --csv -

# --- a harness failure writes no file, not even a part of it --------------------------------------
echo precious >"$work/old.csv"
expect "a harness failure" 2 "" -- "$tlab" run "$work/naive.cu" "$work/nowhere.cu" --rows 64 --cols 64 --csv "$work/old.csv"
some expect "keeps the old file" 0 "precious" -- cat "$work/old.csv"
"$tlab" run solutions/03_padded --device nonesuch --csv "$work/never.csv" >/dev/null 2>&1
check "an unknown device writes nothing" [ ! -e "$work/never.csv" ]
some expect "a full disk" 2 "No space left|cannot write" -- run naive --csv /dev/full
expect "a directory in the way" 2 "directory" -- run naive --csv "$work/empty"
expect "a missing directory" 2 "No such file" -- run naive --csv "$work/not/there.csv"

# --- tlab emulate ---------------------------------------------------------------------------------
cat >"$work/bugs.cu" <<'END'
__global__ void shift(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[(i + 32) % n];
}
__global__ void count(int *data, int n)
{
    data[threadIdx.x] = blockIdx.x + n;
}
END
bugs() { "$tlab" emulate "$work/bugs.cu" --kernel "$@" i32:64; }
some expect "blocks race" 1 "bugs\.cu:5: in kernel _Z5shiftPii, thread \(0, 0, 0\) of block \(1, 0, 0\) reads argument 1\[0\], which thread \(0, 0, 0\) of block \(0, 0, 0\) writes at .*bugs\.cu:5" -- bugs shift --grid 2 --block 32 inout:i32:64
some expect "warps race" 1 "bugs\.cu:5.*race" -- bugs shift --grid 1 --block 64 inout:i32:64
some expect "blocks store" 1 "bugs\.cu:9: .*block \(1, 0, 0\) writes argument 1\[0\], to which thread \(0, 0, 0\) of block \(0, 0, 0\) writes another value" -- bugs count --grid 2 --block 32 out:i32:64
some expect "undefined output" 1 "bugs\.cu:5.*reads argument 1\[32\], which no thread has written" -- bugs shift --grid 2 --block 32 out:i32:64
some expect "without checks" 0 " ok$" -- bugs shift --grid 2 --block 32 inout:i32:64 --no-checks
cat >"$work/any.cu" <<'END'
template <typename T> __device__ T twice(T v) { return v + v; }
__global__ void scale(float *out, const float *in, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = twice(in[i]) * by;
}
END
python_free_floats() { printf '\0\0\200\77\0\0\0\100\0\0\100\100\0\0\200\100' ; } # 1 2 3 4
python_free_floats >"$work/in.bin"
emulate() { "$tlab" emulate "$work/any.cu" --kernel scale --grid 1 --block 32 "$@"; }
# Kernels with many shuffles, and with many loads and stores, are checked in reasonable time.
long_kernel() { # COUNT LINE: print PTX with COUNT copies of a line
    echo '.version 8.0 .target sm_80 .address_size 64 .visible .entry k(.param .u64 p) {'
    echo '.reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .align 4 .b8 s[256];'
    echo 'ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, -1;'
    echo 'st.shared.u32 [%r2], %r1; bar.sync 0; xor.b32 %r4, %r2, 4; ld.shared.u32 %r5, [%r4];'
    echo 'shfl.sync.bfly.b32 %r7, %r5, 1, 31, %r3; st.shared.u32 [%r2], %r7;'
    yes "$2" | head -n "$1"
    echo 'ret; }'
}
fewer=${TLAB_TEST_EVERY:-1} # with sanitizers, run shorter kernels
long_kernel $((60000 / fewer)) 'shfl.sync.bfly.b32 %r7, %r5, 1, 31, %r3;' >"$work/shuffles.ptx"
long_kernel $((250000 / fewer)) 'ld.global.u32 %r5, [%rd1]; st.shared.u32 [%r2+128], %r5;' >"$work/stores.ptx"
for kind in shuffles stores; do
    expect "a long kernel: $kind" 0 " ok$" -- timeout 1800 "$tlab" emulate "$work/$kind.ptx" --kernel k \
        --grid 1 --block 32 out:u32:4
done
expect "any kernel" 0 " ok$" -- emulate "out:f32:4@$work/out.bin" "in:f32:4@$work/in.bin" i32:4 f32:0.5
some expect "the output file of emulate" 0 "" -- cmp "$work/in.bin" "$work/out.bin"
some expect "the counters of emulate" 0 ",1,1,1,1," -- emulate out:f32:4 in:f32:4 i32:4 f32:0.5 --csv -
some expect "wrong number of arguments" 2 "requires 4 arguments, not 3" -- emulate out:f32:4 in:f32:4 i32:4
some expect "wrong width of an argument" 2 "argument 4" -- emulate out:f32:4 in:f32:4 i32:4 f64:0.5
some expect "unknown kernel" 2 "no kernel .scalar.; it has|no kernel" -- "$tlab" emulate "$work/any.cu" --kernel scalar --grid 1 --block 32
some expect "an invalid argument" 2 "not a kernel argument" -- emulate out:f32
some expect "an invalid type" 2 "not a kernel argument" -- emulate out:f31:4
some expect "an invalid grid" 2 "--grid must be" -- "$tlab" emulate "$work/any.cu" --kernel scale --grid 0 --block 32
some expect "input file of another size" 2 "exactly" -- emulate out:f32:4 "in:f32:5@$work/in.bin" i32:4 f32:1
some expect "input file missing" 2 "No such file" -- emulate out:f32:4 "in:f32:5@$work/none.bin" i32:4 f32:1
some expect "out of bounds" 1 "any\.cu:5.*argument 1" -- emulate out:f32:3 in:f32:4 i32:4 f32:1
expect "emulate --out without --picture" 2 "--out requires --picture" -- emulate out:f32:4 in:f32:4 i32:4 f32:1 --out "$work/x.png"
expect "emulate --out with another extension" 2 "--out must name" -- emulate out:f32:4 in:f32:4 i32:4 f32:1 --picture sectors --out "$work/x.gif"
some expect "emulate --picture with another kind" 2 "--picture must be banks or sectors" -- emulate out:f32:4 in:f32:4 i32:4 f32:1 --picture tile
check "no picture is written" [ ! -e "$work/x.png" ]
for missing in --kernel --grid --block; do
    arguments=" --kernel scale --grid 1 --block 32 "
    # shellcheck disable=SC2086 # Words
    some expect "emulate without $missing" 2 "requires a file, --kernel, --grid and --block" -- "$tlab" emulate "$work/any.cu" ${arguments/ $missing [^ ]* / }
done
if command -v gnuplot >/dev/null; then
    expect "emulate --out writes the picture" 0 "x\.svg" -- emulate out:f32:4 in:f32:4 i32:4 f32:1 --picture sectors --out "$work/x.svg"
    check "the picture is written" [ -s "$work/x.svg" ]
    expect "a picture of a lab on each device" 0 "devices\\.svg" -- "$tlab" picture partitions solutions/03_padded --rows 64 --cols 64 --device gtx280,h200 --out "$work/devices.svg"
    check "the picture of both devices is written" [ -s "$work/devices.svg" ]
fi
# Constants, structures, narrow types, and a header in another directory. The kernel computes 10 *
# scale + offset[i] + SEVEN.
more=$work/more
mkdir "$more"
echo '#define SEVEN 7' >"$more/seven.h"
cat >"$work/parts.cu" <<'END'
#include "seven.h"
struct part { int scale; signed char shift; };
__constant__ short offset[4];
__device__ int both[2];
__global__ void narrow(signed char *out, const short *in, part p, unsigned char one)
{
    int i = threadIdx.x;
    if (i < 4) out[i] = in[i] + 10 * p.scale + p.shift + offset[i] + both[1] + SEVEN + one;
}
__global__ void bend(unsigned short *in) { in[threadIdx.x] += 1; }
__global__ void add(unsigned short *in) { atomicAdd((unsigned *)in, 1u); }
END
printf '\1\0\2\0\3\0\4\0' >"$work/shorts.bin" # 1 2 3 4
printf '\0\0\0\0\5\0\0\0' >"$work/all.bin"    # 0 5
parts() { "$tlab" emulate "$work/parts.cu" --kernel narrow --grid 1 --block 32 "$@"; }
expect "constants, structures, narrow types and headers" 0 " ok$" -- parts -I "$more" --set offset=i16:100,-100,0,1 --set "both=@$work/all.bin" "out:i8:4@$work/sums.bin" \
    "in:i16:4@$work/shorts.bin" raw:02000000ff000000 u8:1
same "the sums of the narrow kernel" "$(printf '%s ' $((1 + 20 - 1 + 100 + 13 - 256)) $((2 + 20 - 1 - 100 + 13)) $((3 + 32)) $((4 + 33)))" \
    "$(od -An -v -t d1 -w4 "$work/sums.bin" | tr -s ' ' | sed 's/^ //; s/$/ /')"
some expect "-I in one word" 0 " ok$" -- parts "-I$more" out:i8:4 in:i16:4 raw:0200000000000000 u8:0
some expect "arrays of bf16" 0 " ok$" -- "$tlab" emulate "$work/parts.cu" -I "$more" --kernel bend --grid 1 --block 32 inout:bf16:32
some expect "no -I" 1 "seven\.h" -- "$tlab" emulate "$work/parts.cu" --kernel bend --grid 1 --block 1 inout:u16:2
some expect "a missing folder" 2 "-I .*: No such file" -- parts -I "$work/none" out:i8:4 in:i16:4 raw:00 u8:0
some expect "a kernel must not write to an in: array" 1 "parts\.cu:.*writes 2 bytes to read-only memory: argument 1\[0\]" -- \
    "$tlab" emulate "$work/parts.cu" -I "$more" --kernel bend --grid 1 --block 32 in:u16:32
some expect "read-only memory, by an atomic operation" 1 "read-only memory: argument 1\[0\]" -- \
    "$tlab" emulate "$work/parts.cu" -I "$more" --kernel add --grid 1 --block 32 in:u16:32
some expect "a structure of another size" 2 "argument 3 of kernel .* has 8 bytes, but the value given for this argument has 7" -- \
    parts -I "$more" out:i8:4 in:i16:4 raw:02000000ff0000 u8:1
for bad in raw: raw:0 raw:0g i8:128 i8:-129 u8:256 u16:-1 i16:32768 f16:1 bf16:1; do
    some expect "bad: $bad" 2 "not a kernel argument|two hexadecimal digits" -- parts out:i8:4 in:i16:4 "$bad" u8:1
done
for bad in offset=i16:1,2,3,4,5 offset=i64:1,2 offset=raw:000000000000000000; do
    some expect "too much: $bad" 2 "the variable has 8 bytes, but the values" -- \
        parts -I "$more" --set "$bad" out:i8:4 in:i16:4 raw:0200000000000000 u8:0
done
for bad in nothing=i32:1 offset =i32:1 offse=i16:1; do
    some expect "no variable: $bad" 2 "has no __constant__ or __device__ variable of this name" -- \
        parts -I "$more" --set "$bad" out:i8:4 in:i16:4 raw:0200000000000000 u8:0
done
for bad in offset= offset=i16: offset=i16:1,,2 offset=i16:70000; do
    some expect "no values: $bad" 2 "not a kernel argument" -- \
        parts -I "$more" --set "$bad" out:i8:4 in:i16:4 raw:0200000000000000 u8:0
done
printf '\0\0\0\0' >"$work/short.bin"
some expect "a short file" 2 "the variable has 8 bytes, but the values have 4" -- \
    parts -I "$more" --set "both=@$work/short.bin" out:i8:4 in:i16:4 raw:0200000000000000 u8:0
some expect "a file with another extension" 2 "only .cu and .ptx" -- "$tlab" emulate README.md --kernel k --grid 1 --block 1
printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { add.u32 %%r1; ' >"$work/bad.ptx"
some expect "malformed PTX" 1 "bad.ptx:4" -- "$tlab" emulate "$work/bad.ptx" --kernel k --grid 1 --block 1
some expect "missing file" 2 "No such file|cannot read" -- "$tlab" emulate "$work/none.ptx" --kernel k --grid 1 --block 1

# --- tlab annotate --------------------------------------------------------------------------------
annotate() { "$tlab" annotate "$work/$1.cu" --rows 96 --cols 64; }
some expect "annotate a scattered store" 0 "line 6: stores access 32 sectors per request, the minimum is 4; neighbouring threads write addresses 384 bytes apart" -- annotate naive
some expect "annotate prints counters beside the line" 0 "global store +32/4" -- annotate naive
kernel mirror naive 'if (x < height && y < width) odata[y * height + x] = idata[x * width + y];' \
    'return {dim3(lab_ceil_div(height, 32), lab_ceil_div(width, 8)), dim3(32, 8)};'
some expect "annotate a scattered load" 0 "line 6: loads access 32 sectors per request, the minimum is 4; neighbouring threads read addresses 256 bytes apart" -- annotate mirror
sed 's/^extern "C" __global__/__device__ void put(float *to, int at, float v)\n{\n    to[at] = v;\n}\n&/; s/odata\[x \* height + y\] = \(.*\);/put(odata, x * height + y, \1);/' \
    "$work/naive.cu" >"$work/inlined.cu"
some expect "annotate an inlined function" 0 "line 5: stores access 32 sectors" -- annotate inlined
some expect "annotate the tile" 0 "shared-memory loads have 31 bank conflicts per request \(32-way\); .* 128 bytes apart. How many different banks do they access" -- "$tlab" annotate solutions/02_coalesced --rows 64 --cols 64
some expect "the bound is named" 0 "limited by (the launch itself|shared-memory wavefronts)" -- "$tlab" annotate solutions/02_coalesced --rows 512 --cols 512
some expect "annotate of a line that needs no repair" 0 "no line needs more" -- "$tlab" annotate solutions/03_padded --rows 64 --cols 64
some expect "annotate a wrong program" 1 "wrong_result" -- annotate copies
some expect "annotate without a target" 2 "needs a lab directory" -- "$tlab" annotate
some expect "annotate --colour" 2 "no option" -- "$tlab" annotate --colour

# --- tlab compare ---------------------------------------------------------------------------------
some expect "compare a file with itself" 0 "1 run compared; 0 counters exceed" -- "$tlab" compare "$work/one.csv" "$work/five.csv"
sed 's/,6144,/,6145,/' "$work/one.csv" >"$work/more.csv"
some expect "compare finds one more sector" 1 "global_store_sectors 6144 6145 .*exact exceeded" -- "$tlab" compare "$work/one.csv" "$work/more.csv"
some expect "compare prints Markdown" 1 "\\| global_store_sectors \\| 6144 \\| 6145 \\|.*exceeded" -- "$tlab" compare --markdown "$work/one.csv" "$work/more.csv"
sed '2s/,naive,/,other,/' "$work/one.csv" >"$work/other.csv"
some expect "nothing in common" 2 "no verified run in common" -- "$tlab" compare "$work/one.csv" "$work/other.csv"
some expect "compare with one file" 2 "requires two CSV files" -- "$tlab" compare "$work/one.csv"
some expect "compare with three files" 2 "accepts two" -- "$tlab" compare "$work/one.csv" "$work/one.csv" "$work/one.csv"
some expect "compare with a file that is not CSV" 2 "README.md" -- "$tlab" compare README.md "$work/one.csv"

# --- without a toolkit ----------------------------------------------------------------------------
if command -v clang >/dev/null; then
    some expect "clang makes the PTX" 0 " ok$" -- env TLAB_CUDA=none "$tlab" run solutions/03_padded --rows 96 --cols 64
    some expect "the record names clang" 0 "clang" -- env TLAB_CUDA=none "$tlab" run solutions/03_padded --rows 96 --cols 64 --csv -
fi
some expect "tlab nvcc reports why there is no nvcc" 2 "tlab nvcc requires nvcc.*: hidden by TLAB_CUDA=none" -- \
    env TLAB_CUDA=none "$tlab" nvcc x.cu
mkdir -p "$work/nvrtc_only/lib64"
touch "$work/nvrtc_only/lib64/libnvrtc.so"
some expect "tlab nvcc reports a toolkit without nvcc" 2 "nvrtc_only has no bin/nvcc" -- \
    env TLAB_CUDA="$work/nvrtc_only" "$tlab" nvcc x.cu
some expect "no compiler is installed" 2 "clang" -- env TLAB_CUDA=none PATH=/nonexistent "$tlab" run solutions/03_padded

small_run() { "$tlab" run solutions/03_padded --rows 512 --cols 512 "$@"; }
expect "the table shows the imbalance of interleaved partitions" 0 "partition.* imbalance .* 8 +dram_partition +ok bound, what limits the time: dram_partition = traffic of the busiest" -- "$tlab" run solutions/03_padded --device gtx280
expect "the table of a device with hashed partitions" 0 "^03_padded .* ok$" -- small_run --device h200
check "hashed partitions have no imbalance in the table" none grep imbalance "$work/output"
# 512 x 512 elements require 8192 warp-level requests, each of 4 sectors.
some expect "--counters prints totals" 0 "grid 16 x 16 x 1, block 32 x 8 x 1, 4224 bytes.*global_load_requests +8192 .*global_load_sectors +32768 " -- small_run --device h200 --counters
finish
