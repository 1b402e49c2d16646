# calibrate_test.sh: test tlab calibrate without a GPU. The times of a fake driver
# (hardware/gpu/testdata/fake_libcuda.c) follow a known law, which the device file must reproduce.
# The labs, which run last, fail, because the fake driver computes nothing. Run from the repository
# root; TLAB is the path of tlab (default build/tlab).
set -u
. profiler/tools/expect.sh
"$tlab" doctor 2>&1 | grep -qiE "nvrtc|nvcc" || skip_all "no CUDA Toolkit: microbenchmarks cannot be compiled"

mkdir "$work/driver" "$work/tmp"
export TMPDIR=$work/tmp
${CC:-cc} -shared -fPIC -w -Wl,-soname,libcuda.so.1 -o "$work/driver/libcuda.so.1" \
    profiler/hardware/gpu/testdata/fake_libcuda.c -lm || skip_all "no C compiler"
fake() { env LD_LIBRARY_PATH="$work/driver" "$@"; }

# --- usage and failures: a message, and no file ---------------------------------------------------
expect "help" 0 "usage: tlab calibrate --out FILE" -- "$tlab" calibrate --help
expect "no file name" 2 "needs --out FILE" -- "$tlab" calibrate
expect "--keep with --from" 2 "cannot be combined" -- "$tlab" calibrate --out "$work/x" --keep "$work" --from "$work"
expect "no GPU" 2 "no NVIDIA driver|no GPU is visible" -- env CUDA_VISIBLE_DEVICES= "$tlab" calibrate --out "$work/x"
expect "no such GPU" 2 "there is no GPU 3: the driver reports 1" -- fake "$tlab" calibrate --out "$work/x" --gpu-index 3
expect "no device" 2 "no GPU is visible" -- fake env FAKE_FAIL=count "$tlab" calibrate --out "$work/x"
expect "an impossible directory" 2 "cannot make the directory /proc/x" -- \
    fake "$tlab" calibrate --out "$work/x" --keep /proc/x
expect "an impossible file" 2 "cannot write /nonexistent/x" -- fake "$tlab" calibrate --out /nonexistent/x
for fails in cuMemAlloc cuModuleLoadDataEx cuLaunchKernel cuCtxSynchronize; do
    expect "$fails fails" 2 "cannot (allocate|load|launch|run|flush).*OUT_OF_MEMORY" -- \
        fake env FAKE_FAIL=$fails "$tlab" calibrate --out "$work/x"
done
same "no file was written" absent "$([ -e "$work/x" ] || echo absent)"
same "no temporary file remains" 0 "$(ls "$TMPDIR" | wc -l)"

# --- the device file reproduces the law of the driver ---------------------------------------------
expect "the labs fail" 2 "solutions/00_copy/copy.cu: at " -- \
    fake "$tlab" calibrate --out "$work/fake.conf" --keep "$work/kept"
value() { sed -n "s/^$1  *= *\([^ ]*\).*/\1/p" "$work/fake.conf"; }
same "SMs" 100 "$(value multiprocessors)"
same "clock" 1000 "$(value clock_mhz)"
same "L2" 33554432 "$(value l2_bytes)"
same "DRAM" 1000 "$(value dram_gbps)"
same "warp lanes, copied from the nearest device" 32 "$(value warp_lanes)"
within "DRAM efficiency" "$(value dram_efficiency)" 0.885 0.915
within "latency" "$(value latency_ns)" 590 610
within "block overhead" "$(value block_overhead_ns)" 190 210
within "launch time" "$(value launch_us)" 4.5 5.5
within "DRAM crowding" "$(value dram_crowding)" 0 0.002
within "scattered reads" "$(value dram_read_scatter)" 0.0095 0.0105
within "scattered writes" "$(value dram_write_scatter)" 0.029 0.031
within "L2 loads per clock" "$(value l2_loads_per_clock)" 0.49 0.51
within "L2 stores per clock, 0.88 of the measured rate" "$(value l2_stores_per_clock)" 0.107 0.113
within "wavefronts per clock" "$(value lsu_wavefronts_per_clock)" 0.99 1.01
same "every number has a source" 0 "$(grep ' = ' "$work/fake.conf" | grep -cv '# ')"
expect "a lab runs with the new device file" 0 " ok$" -- "$tlab" run solutions/03_padded --device "$work/fake.conf" --rows 64 --cols 64

# --- from stored measurements ---------------------------------------------------------------------
expect "from stored measurements, without a GPU" 0 "The file is not validated" -- "$tlab" calibrate --out "$work/again.conf" --from "$work/kept"
check "the same file" cmp "$work/fake.conf" "$work/again.conf"
mkdir "$work/bad"
cp docs/results/h200/course_4096.csv "$work/bad/course.csv"
expect "no measurements" 2 "bad/timing.csv: No such file" -- "$tlab" calibrate --out "$work/x" --from "$work/bad"
corrupt() { # NAME MESSAGE SED-SCRIPT
    sed "$3" "$work/kept/timing.csv" >"$work/bad/timing.csv"
    expect "$1" 2 "$2" -- "$tlab" calibrate --out "$work/x" --from "$work/bad"
}
corrupt "another header" "timing.csv:1: the header is not" '1s/us/ms/'
corrupt "a word instead of a number" "timing.csv:30: .fast. is not valid for field 6" '30s/[^,]*$/fast/'
corrupt "an infinite time" "timing.csv:30: .1e999. is not valid for field 6" '30s/[^,]*$/1e999/'
corrupt "a negative time" "timing.csv:30: .-3. is not valid for field 6" '30s/[^,]*$/-3/'
corrupt "one field is missing" "timing.csv:30: the row has 5 fields, not 6" '30s/,[^,]*$//'
corrupt "a long name" "timing.csv:30: .x*. is not valid for field 1" '30s/^[^,]*/xxxxxxxxxxxxxxxxxxxxxxxxxxxx/'
corrupt "no attributes" "have no row attribute,multiprocessors" '/^attribute/d'
corrupt "no latency" "no row for latency_ns" '/^copy,in_turn_4B_[48],.*,1,/d'
corrupt "no L2 loads" "no row l2_lines,loads,32" '/^l2_lines,loads,32/d'
corrupt "no SMs" "no row attribute,multiprocessors" 's/^\(attribute,multiprocessors,0,0\),.*/\1,0,0/'
same "nothing was written" absent "$([ -e "$work/x" ] || echo absent)"
finish
