#!/bin/bash
# peers_test.sh: tests the table of the labs and their peers with invented counters: missing peers,
# rows without a time, and unreadable files.
set -u
. profiler/tools/expect.sh

header=lab,variant,kernel,device,rows,cols,defines,time_us,bandwidth_gbps,copy_pct,l2_read_bytes,status,reason
join() { awk -v n=8192 -v directory="$work/in" -f plots/csv.awk -f profiler/tools/bench/peers.awk; }
mkdir "$work/in"
printf '%s\n' $header '00_copy,copy,transpose,gpu,8192,8192,,134.218,4000,80,268435456,ok,' >"$work/in/labs.csv"
expect "no peers" 0 '^lab,.*00_copy,copy' -- join
same "only the row of the lab" 2 "$(join | wc -l)"

# A helper kernel is faster than the main kernel. Names contain commas and quotes. Columns may be
# missing or in another order.
printf '%s\n' 'kernel,time_us,l2_read_bytes,status' 'fill,12,1,ok' '"void geam<float, 32>(""x"")",53.6871,268435456,ok' \
    'never,NA,5,ok' >"$work/in/cublas_geam.csv"
printf '%s\n' 'kernel,time_us,repeats,status,source' 'cudaMemcpy,268.435456,11,ok,cupti' >"$work/in/cudaMemcpy.csv"
same "the longest kernel, with values computed from its time (a copy has 5000 GB/s)" \
    'peers,cublas_geam,"void geam<float, 32>(""x"")",gpu,8192,8192,,53.6871,10000,200,268435456,ok,' "$(join | sed -n 3p)"
same "a counter that cannot be read is NA" 'peers,cudaMemcpy,cudaMemcpy,gpu,8192,8192,,268.435456,2000,40,NA,ok,' "$(join | sed -n 4p)"
join >"$work/all"
check "the table can be read" awk -f plots/csv.awk -f <(echo 'BEGIN { exit csv_read("'"$work"'/all") != "" || csv_rows != 3 }')
sed -i 's/,53.6871,/,NA,/; s/^fill,12/fill,NA/' "$work/in/cublas_geam.csv"
expect "no time" 0 'cublas_geam has no time' -- join
same "a missing peer has no row" 3 "$(join 2>/dev/null | wc -l)"
printf '%s\n' 'kernel,time_us' 'a,1,2' >"$work/in/pytorch.csv"
expect "a damaged table" 2 'pytorch.csv: line 2' -- join
rm "$work/in/labs.csv" "$work/in/pytorch.csv"
expect "no labs" 2 'labs.csv' -- join

expect "no argument" 1 'usage: peers.sh DIR' -- profiler/tools/bench/peers.sh
finish
