#!/usr/bin/env bash
# render_test.sh: tests plots/render with small CSVs that have the columns of `tlab run`. Run from the repository root.
# If RENDER_TEST_KEEP is set, the pictures are copied to this directory.
# check: late plain
set -u
shopt -s lastpipe # so that "CSV | begin NAME" sets variables in this shell

. profiler/tools/expect.sh
needs gnuplot
case_name=

header=lab,variant,kernel,device,chip,rows,cols,grid_x,grid_y,grid_z,block_x,block_y,block_z,\
shared_bytes,defines,loop,cache,time_us,time_us_p25,time_us_p75,repeats,bandwidth_gbps,copy_pct,\
global_load_requests,global_load_sectors,global_store_requests,global_store_sectors,l2_read_bytes,\
l2_write_bytes,shared_load_requests,shared_load_wavefronts,shared_load_ideal_wavefronts,\
shared_load_conflicts,shared_store_requests,shared_store_wavefronts,shared_store_ideal_wavefronts,\
shared_store_conflicts,dram_read_bytes,dram_write_bytes,dram_throughput_gbps,dram_throughput_pct,\
partition_imbalance,ptx_warp_instructions,sass_warp_instructions,bound,status,reason,seed,passes,\
compiler,source

# row NAME=VALUE...: print a CSV line. Columns without a NAME=VALUE have the values of a correct run of 2048x2048 on
# h200. VALUE is printed unchanged, so it must include the quotes that it needs.
row() {
    local -A value=([kernel]=transpose [device]=h200 [chip]=GH100 [rows]=2048 [cols]=2048 [loop]=launch
        [cache]=cold [status]=ok [seed]=1 [source]=emulator [compiler]="nvrtc 13.0" [bound]=dram
        [bandwidth_gbps]=3500 [copy_pct]=93.2 [l2_read_bytes]=16777216 [l2_write_bytes]=16777216
        [shared_load_requests]=131072 [shared_load_conflicts]=0 [shared_store_requests]=131072
        [shared_store_conflicts]=0 [dram_throughput_gbps]=3490 [dram_throughput_pct]=72.7
        [global_load_requests]=131072 [global_load_sectors]=524288 [global_store_requests]=131072
        [global_store_sectors]=524288 [partition_imbalance]=1.1)
    local pair name line=
    for pair in "$@"; do value[${pair%%=*}]=${pair#*=}; done
    local IFS=,
    for name in $header; do line+=,${value[$name]-NA}; done
    printf '%s\n' "${line:1}"
}

no_shared='shared_load_requests=0 shared_store_requests=0'

course() { # the eight runs of the course
    echo "$header"
    row lab=00_copy variant=copy bandwidth_gbps=3755 copy_pct=100 $no_shared
    row lab=00_copy variant=copy_shared bandwidth_gbps=3610.7 copy_pct=96.15
    row lab=01_naive variant=naive bandwidth_gbps=492.4 copy_pct=13.1 l2_write_bytes=134217728 \
        dram_throughput_gbps=560 dram_throughput_pct=11.7 $no_shared
    row lab=02_coalesced variant=coalesced bandwidth_gbps=1626 copy_pct=43.3 \
        shared_load_conflicts=4063232 dram_throughput_gbps=1630 dram_throughput_pct=34
    row lab=03_padded variant=padded bandwidth_gbps=3421 copy_pct=91.1
    row lab=04_fine_grained variant=fine_grained bandwidth_gbps=3430 copy_pct=91.3
    row lab=05_coarse_grained variant=coarse_grained bandwidth_gbps=3440 copy_pct=91.6
    row lab=06_diagonal variant=diagonal bandwidth_gbps=3390 copy_pct=90.3
}

complain() {
    echo "$1" >>"$work/complaints"
    [ ! -s "$work/messages" ] || sed 's/^/    /' "$work/messages" >>"$work/complaints"
    : >"$work/messages"
}

end() {
    check "$case_name" none cat "$work/complaints"
}

# begin NAME: begin a case, with the CSV on standard input.
begin() {
    [ -z "$case_name" ] || end
    : >"$work/complaints"
    case_name=$1
    out=$work/$1
    mkdir -p "$out"
    cat >"$out/in.csv"
}

render() {
    plots/render "$out/in.csv" "$out" >"$work/messages" 2>&1
}

draws() { # PICTURE...: render succeeds and draws exactly these pictures
    render || complain "exit status $?, not 0"
    local picture file expected= found
    for picture in "$@"; do
        for file in "$picture".{pdf,png,svg} latex/"$picture".{pdf,tex}; do
            expected+="$file "
            [ "$(stat -c %s "$out/$file" 2>/dev/null || echo 0)" -gt 800 ] ||
                complain "$file is missing or too small"
        done
        # Special characters of LaTeX in labels must be escaped.
        grep -E 'makebox.*strut' "$out/latex/$picture.tex" | sed 's/.*\\strut{}//; s/}*%$//' |
            grep -qE '(^|[^\\])[%_&#]' && complain "latex/$picture.tex contains an unescaped special character"
    done
    found=$(cd "$out" && find . -type f -printf '%P\n' | grep -v '^in\.csv$' | sort | tr '\n' ' ')
    expected=$(printf '%s\n' $expected | sort | tr '\n' ' ')
    [ "$found" = "$expected" ] || complain "drew $found instead of $expected"
}

refuses() { # WORDS...: render exits with 2 and a message with these words, and draws nothing
    local status word
    render
    status=$?
    [ $status -eq 2 ] || complain "exit status $status, not 2"
    for word in "$@"; do
        grep -qF -- "$word" "$work/messages" || complain "the message does not contain: $word"
    done
    [ -z "$(ls -A "$out" | grep -v '^in\.csv$')" ] || complain "files were not removed: $(ls -A "$out")"
}

shows() { # PICTURE TEXT...: the SVG contains each text, which may be wrapped
    local picture=$1 text
    shift
    for text in "$@"; do
        grep -qF -- ">$text<" "$out/$picture.svg" 2>&1 ||
            tr '\n' ' ' <"$out/$picture.svg" | grep -oE '>[^<>]+<' | sed '/^>[[:space:]]*<$/d; s/^>//; s/<$//' | tr '\n' ' ' |
            grep -qF -- " $text " || complain "$picture.svg does not show: $text"
    done
}

hides() { # PICTURE TEXT...: the SVG does not contain the text
    local picture=$1 text
    shift
    for text in "$@"; do
        ! grep -q -- ">[^<]*$text" "$out/$picture.svg" || complain "$picture.svg shows: $text"
    done
}

# below_roof PICTURE ROOF: check that texts of values below ROOF end before the dashed line. A digit has 9.1 pixels.
below_roof() {
    ROOF=$2 perl -0ne '
        my ($line) = /stroke-dasharray=[^>]*d=.M([\d.]+)/ or print "no dashed line\n";
        while (/translate\(([\d.]+),[\d.]+\)"[^>]*text-anchor="start"[^>]*>\s*<text>([\d.]+)/g) {
            print "the text $2 extends past the line\n" if $2 < $ENV{ROOF} && $1 + 9.1 * length $2 > $line;
            $seen++;
        }
        print "no values\n" unless $seen' "$out/$1.svg" >"$work/over"
    [ ! -s "$work/over" ] || complain "$1.svg: $(head -1 "$work/over")"
}

all='bandwidth l2_bytes bank_conflicts dram_throughput'

course | begin course
draws progression $all
for picture in $all; do
    shows $picture 00_copy '00_copy: copy_shared' 01_naive 03_padded 06_diagonal \
        'NVIDIA H200 (GH100), 2048 × 2048 floats, time modelled, counters counted by the emulator'
done
shows bandwidth 3755 3611 492 1626 'effective bandwidth (GB/s)' '16-byte copy 3755 GB/s'
below_roof bandwidth 3755
# The compulsory bytes are 4 x 2048 x 2048 = 16 777 216; naive writes eight times as many.
shows l2_bytes 16.8 134 'compulsory 16.8 MB' 'L2 traffic (MB)' read written
# 4 063 232 / 131 072 = 31 conflicts per load.
shows bank_conflicts 31.0 0 'no shared memory used' 'bank conflicts per request' loads stores
# 3490 GB/s is 72.7 % of 4800.55; 1630 is 34 % of 4794.
shows dram_throughput '3490 (72.7 %)' '1630 (34.0 %)' 'peak 4801 GB/s' 'DRAM throughput (GB/s)'

# The progression chart shows shares, the steps between them (from 96.15 to 13.1 by a factor of 7.3; "≈" within 5 %),
# bounds by name, and the high counters.
labs() { # the course, with the problem of each lab
    echo "$header"
    row lab=00_copy variant=copy copy_pct=100 bound=dram $no_shared
    row lab=00_copy variant=copy_shared copy_pct=96.15 bound=dram
    row lab=01_naive variant=naive copy_pct=13.1 bound=l2 global_store_sectors=4194304 $no_shared
    row lab=02_coalesced variant=coalesced copy_pct=43.3 bound=shared shared_load_conflicts=4063232
    row lab=03_padded variant=padded copy_pct=91.1 bound=dram_partition partition_imbalance=6.4
    row lab=06_diagonal variant=diagonal copy_pct=90.3 bound=issue
}
labs | begin labs
draws progression $all
shows progression 'NVIDIA H200, 2048², modelled' '00 copy' '00 copy shared' '03 padded' '06 diagonal' \
    100 96 13 43 91 90 '÷7.3' '×3.3' '×2.1' '≈' DRAM L2 shared partition issue \
    32 31 6.4 unused sectors conflicts imbalance
hides progression '00_copy' coarse
# The longest lines do not fit into the picture of one device, and are wrapped.
shows progression 'the number between two labs is the step from one to the next (≈: within 5 %)' \
    'the counters below are counted: loads left, stores right; dark: more than the device needs'
order() { tr '\n' ' ' <"$out/progression.svg" | grep -o '>0[0-9] [a-z ]*<' | tr -d '\n'; }
[ "$(order)" = '>00 copy<>00 copy<>01 naive<>02 coalesced<>03 padded<>06 diagonal<' ] ||
    complain "labs stand as $(order)"
{ echo "$header"; labs | sed 1d | sort -r; } | begin labs_backwards
draws progression $all
[ "$(order)" = '>00 copy<>00 copy<>01 naive<>02 coalesced<>03 padded<>06 diagonal<' ] ||
    complain "labs stand as $(order)"
# Unknown counters and failures are shown. Columns are read by name.
{ labs | sed -E '2,$s/,1\.1,|,6\.4,/,NA,/'; row lab=07_more status=race; row lab=08_last copy_pct=NA; } |
    awk -F, -v OFS=, '{ print "x", $0 }' | sed '1s/^x/before/' | begin labs_unknown
draws progression $all
shows progression n/a 'failed: race' '07 more'
hides progression 6.4
# Each device has a panel, and a picture has at most three panels. A sweep of one lab is not a course.
{ labs; for device in a100 gtx280 toy; do labs | sed "1d; s/h200,GH100/$device,X/"; done; } | begin four_panels
render || complain "exit status $?, not 0"
shows progression 'NVIDIA H200, 2048², modelled' 'NVIDIA GeForce GTX 280, 2048², modelled'
shows progression-2 'Pencil-and-paper GPU, 2048², modelled'
hides progression Pencil
plots/render "$out/in.csv" "$out/only" progression >"$work/messages" 2>&1 || complain "exit status $?, not 0"
[ "$(cd "$out/only" && echo *.svg)" = 'progression-2.svg progression.svg' ] || complain "drew $(ls "$out/only")"

# Three sizes of two kernels, and one size of a third kernel, which has no line: a line requires three points.
{ echo "$header"
  for n in 1024 256 512; do
      for device in h200 a100; do
          row lab=01_naive variant=naive rows=$n cols=$n device=$device bandwidth_gbps=$n
          row lab=03_padded variant=padded rows=$n cols=$n device=$device source=cupti bandwidth_gbps=$((2 * n))
      done
  done
  row lab=06_diagonal variant=diagonal rows=512 cols=512 bandwidth_gbps=77; } | begin sizes
plots/render "$out/in.csv" "$out/only" sizes >"$work/messages" 2>&1 || complain "exit status $?, not 0"
[ "$(cd "$out/only" && echo *.svg)" = sizes.svg ] || complain "drew $(ls "$out/only")"
for text in 'NVIDIA H200, time measured' '01 naive' '03 padded'; do
    grep -qF ">$text<" "$out/only/sizes.svg" || complain "sizes.svg does not show: $text"
done
grep -q diagonal "$out/only/sizes.svg" && complain "a line through one point"
{ echo "$header"; row lab=01_naive rows=256 cols=256; row lab=01_naive rows=512 cols=512; } | begin two_sizes
plots/render "$out/in.csv" "$out/only" sizes >"$work/messages" 2>&1 || complain "exit status $?, not 0"
ls "$out/only" | grep -q sizes && complain "a chart of two sizes"

# Three shapes of one kernel, with sectors per request, for 131 072 requests.
{ echo "$header"
  row lab=01_naive variant=naive block_x=32 block_y=8 bandwidth_gbps=487 global_store_sectors=4194304
  row lab=01_naive variant=naive block_x=16 block_y=16 bandwidth_gbps=1011 global_store_sectors=2097152
  row lab=01_naive variant=naive block_x=8 block_y=32 bandwidth_gbps=1631 global_store_sectors=1048576; } | begin shapes
draws shapes $all
shows shapes 'Bandwidth by block shape: 01 naive' 'block 32 x 8' 'block 16 x 16' '487 (4, 32)' '1011 (4, 16)' '1631 (4, 8)'

# The same kernels on two devices, in per cent of the copy of each device.
{ labs; labs | sed '1d; s/h200,GH100/a100,GA100/; s/,43\.3,/,38.5,/'; } | begin two_devices
render || complain "exit status $?, not 0"
shows devices 'The same kernels on two GPUs' 43.3 38.5 'NVIDIA H200' 'NVIDIA A100-SXM4-80GB' 03_padded

# Rooflines of an H200, for 2 x 16 777 216 useful bytes. The naive kernel moves 16.8 + 134 MB through the L2, and has
# no point for shared memory. The coalesced kernel has 131 072 x 33 wavefronts of 128 bytes.
idle='shared_load_wavefronts=0 shared_store_wavefronts=0'
{ echo "$header"
  row lab=01_naive variant=naive bandwidth_gbps=489 dram_throughput_gbps=489 time_us=68.6 l2_write_bytes=134217728 $no_shared $idle
  row lab=02_coalesced variant=coalesced bandwidth_gbps=1486 dram_throughput_gbps=1486 time_us=22.6 shared_load_wavefronts=4194304 shared_store_wavefronts=131072
  row lab=03_padded variant=padded bandwidth_gbps=3080 dram_throughput_gbps=3080 time_us=10.9 shared_load_wavefronts=131072 shared_store_wavefronts=131072
  row lab=04_fine_grained variant=fine_grained bandwidth_gbps=3090 dram_throughput_gbps=3090 time_us=10.86 shared_load_wavefronts=131072 \
      shared_store_wavefronts=131072; } | begin roofline
draws progression roofline $all
# 132 SMs x 1.98 GHz x 32 banks x 4 bytes = 33 454 GB/s.
shows roofline 'DRAM: 4800 GB/s' 'L2: 6000 GB/s' 'shared memory: 33454 GB/s' 01 02 '03 04'
[ "$(grep -c '>01<' "$out/roofline.svg")" = 2 ] || complain "01 is not in two panels"
# An unknown device has no roofline.
sed 's/,h200,GH100,/,unknown,X,/' "$out/in.csv" | begin no_such_device
draws progression $all
grep -q 'no roofline of unknown' "$work/messages" || complain "no message states why there is no roofline"

# If copy_pct is unknown, only the copy of lab 00 can be the reference.
{ echo "$header"; row lab=00_copy variant=copy bandwidth_gbps=2000 copy_pct=NA
  row lab=03_padded variant=padded bandwidth_gbps=1900 copy_pct=NA; } | begin own_copy
draws $all
shows bandwidth 'copy 2000 GB/s'
{ echo "$header"; row lab=03_padded variant=padded bandwidth_gbps=1900 copy_pct=NA; } | begin no_roof
draws $all
hides bandwidth 'copy'

# A failed lab is drawn as failed, without values. A size at which all labs failed has no picture.
{ echo "$header"; row lab=01_naive variant=naive bandwidth_gbps=500
  row lab=02_coalesced variant=coalesced rows=33 cols=65 bandwidth_gbps=777 status=wrong_result \
      'reason="odata[0][1] is wrong, ""a copy"" perhaps
lab,variant,and more"'
  row lab=03_padded variant=NA rows=NA cols=NA bandwidth_gbps=NA status=compile_error; } | begin failed
draws bandwidth l2_bytes bank_conflicts dram_throughput
shows bandwidth 02_coalesced 'failed: wrong_result' 'failed: compile_error' 500
hides bandwidth 777 perhaps 33

# A lab that the student has not begun is not a failure.
{ echo "$header,findings"; row lab=01_naive status=wrong_result | sed 's/$/,not-begun/'
  row lab=02_coalesced status=race | sed 's/$/,race-no-barrier/'; } | begin not_begun
draws bandwidth l2_bytes bank_conflicts dram_throughput
shows bandwidth 'not begun' 'failed: race'
hides bandwidth 'failed: wrong_result'

{ echo "$header"; row lab=01_naive status=out_of_bounds rows=1 cols=1
  row lab=02_coalesced status=deadlock rows=33 cols=65; } | begin only_failed
draws $all
shows bandwidth 'failed: out_of_bounds' 'failed: deadlock' 'All runs failed.'

# An unknown value is shown as n/a, not as a bar of length 0.
{ echo "$header"; row lab=01_naive l2_read_bytes=NA l2_write_bytes=NA bandwidth_gbps=NA
  row lab=03_padded l2_read_bytes= l2_write_bytes=NA dram_throughput_pct=NA; } | begin unknown
mkdir -p "$out/latex" && touch "$out"/l2_bytes.{svg,png} "$out/latex/l2_bytes.tex" # of an earlier run
draws progression bandwidth bank_conflicts dram_throughput
shows bandwidth n/a 3500
shows dram_throughput '3490 (n/a)'

{ course; course | sed -n 's/h200,GH100/gtx280,GT200/p'
  row lab=03_padded variant=padded rows=1024 cols=777; } | begin several
draws progression devices {bandwidth,l2_bytes,bank_conflicts,dram_throughput}-{h200-2048x2048,gtx280-2048x2048,h200-1024x777}
shows bandwidth-gtx280-2048x2048 'NVIDIA GeForce GTX 280 (GT200), 2048 × 2048 floats, time modelled, counters counted by the emulator'
shows bandwidth-h200-1024x777 'NVIDIA H200 (GH100), 1024 × 777 floats, time modelled, counters counted by the emulator'
# Devices are compared only at the same size.
{ course; course | sed -n 's/h200,GH100/gtx280,GT200/; s/,2048,2048,/,1024,1024,/p'; } | begin other_size
draws progression {bandwidth,l2_bytes,bank_conflicts,dram_throughput}-{h200-2048x2048,gtx280-1024x1024}

# Runs with the same name get different labels. Measured times are not called modelled. Long names are truncated.
{ echo "$header"
  for tile in 8 16 32; do
      row lab=03_padded variant=padded "defines=\"TILE_DIM=$tile,BLOCK_ROWS=8\"" device=gpu source=cupti
  done
  row lab=03_padded variant=padded defines=TILE_DIM=32 loop=kernel device=gpu source=cupti
  row lab=03_padded variant=padded defines=TILE_DIM=32 loop=kernel device=gpu source=cupti
  row lab=99_a_very_long_name_of_a_laboratory_that_goes_on device=gpu source=cupti
  for i in $(seq 14); do row lab=lab_$i device=gpu source=cupti; done; } | begin sweep
draws $all
shows bandwidth '03_padded, TILE_DIM=8,BLOCK_ROWS=8' \
    '03_padded, TILE_DIM=32, loop in kernel' '03_padded, TILE_DIM=32, loop in kernel (2)' \
    'GPU (GH100), 2048 × 2048 floats, measured (CUPTI)' lab_14
hides bandwidth modelled a_laboratory_that

{ printf '\357\273\277'; { echo "$header"; row lab=03_padded variant=padded; } |
    awk -F, -v OFS=, '{ print (NR == 1 ? "extra" : "\"x,y\""), $0, "more" }' |
    sed 's/$/\r/'; } | begin foreign
draws $all
shows bandwidth 3500
# The picture requires the last column of the CSV. A name contains doubled quotes, which are drawn as ?.
{ echo "$header"; row 'lab="03 ""padded"""' variant=padded; } |
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "bandwidth_gbps") at = i } { print $0, $at }' |
    sed '1s/bandwidth_gbps,/before,/; s/$/\r/' | begin foreign_last
draws $all
shows bandwidth 3500 '03 ?padded?: padded'

# Text of a CSV is drawn, never executed.
{ echo "$header"
  row 'lab="`touch '"$work"'/run1`"' "variant=\"'; system('touch $work/run2') #\"" \
      'device="$(touch '"$work"'/run3)../../x"' 'chip="""; set output ""/dev/null"' \
      "source=\"'; system('touch $work/run4'); x = '@macro{/:Bold x}\\\""
  printf '%s\n' "$(row lab=$'\x1b[31m\xff\xfe' variant=$'a\tb' device=h200)"; } | begin hostile
render || complain "exit status $?, not 0"
[ -z "$(ls "$work" | grep '^run')" ] || complain "a command of the CSV was run"
[ "$(ls "$out" | grep -c '^bandwidth-.*\.png$')" = 2 ] || complain "not two pictures: $(ls "$out")"

begin empty </dev/null
refuses 'in.csv: the file is empty'
echo "$header" | begin no_rows
refuses 'the file contains no runs'
course | awk -F, -v OFS=, '{ $22 = $28 = "gone" NR; print }' | sed '1s/gone1/gone0/' | begin no_column
refuses 'missing columns bandwidth_gbps, l2_read_bytes'
course | sed '5s/$/,surplus/' | begin surplus
refuses 'line 5: 52 fields, but the header has 51'
course | sed '4s/,492.4,/,fast,/' | begin no_number
refuses 'line 4: column bandwidth_gbps contains "fast", which is not a number'
course | sed '3s/00_copy/"00_copy/' | begin open_quote
refuses 'line 3: a quoted field does not end'
course | sed '3s/00_copy/"00"_copy/' | begin text_after_quote
refuses 'line 3: there is text after the closing quote of field 1'
course | sed '1s/,variant,/,lab,/' | begin twice
refuses 'two columns are called lab'
{ echo "$header"; for i in $(seq 121); do row lab=lab_$i; done; } | begin too_many
refuses '121 runs of one device and size do not fit'
{ echo "$header"; for i in $(seq 16); do row lab=x rows=$i; done; } | begin too_many_sizes
refuses '16 devices and sizes are too many pictures'

course | begin missing
rm "$out/in.csv"
refuses 'in.csv: no such file'

# An existing picture does not change if the new picture cannot be drawn.
course | begin keeps
draws progression $all
before=$(cksum "$out"/*.png)
sed -i '1s/status/state/' "$out/in.csv"
render && complain "exit status 0 without the column status"
[ "$before" = "$(cksum "$out"/*.png)" ] || complain "the old pictures changed"

if [ -n "${RENDER_TEST_KEEP:-}" ]; then
    mkdir -p "$RENDER_TEST_KEEP" && cp -r "$work"/*/ "$RENDER_TEST_KEEP/"
fi
end
finish
