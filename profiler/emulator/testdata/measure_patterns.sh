#!/bin/bash
# measure_patterns.sh DIR: count the patterns on this machine's GPU, into DIR/patterns.csv.
# Requires nvcc and ncu. The script made patterns_h200.csv in this directory.
set -eu
here=$(dirname "$0") out=$1
metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,smsp__inst_executed_op_shared_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics+=,smsp__inst_executed_op_shared_st.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
metrics+=,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_write.sum
nvcc -w -arch=native -DPATTERNS_MAIN "$here/patterns.cu" -o "$out/patterns"
ncu --csv --page raw --print-units base --clock-control none --metrics "$metrics" "$out/patterns" >"$out/patterns_raw.csv"
# Keep the kernel's name and the metrics, in the order above.
awk -v metrics="$metrics" -v FPAT='' '
    function split_csv(line, fields,   n, i, c, quoted, text) {
        n = 0; text = ""; quoted = 0
        for (i = 1; i <= length(line); i++) {
            c = substr(line, i, 1)
            if (c == "\"") quoted = !quoted
            else if (c == "," && !quoted) { fields[++n] = text; text = "" }
            else text = text c
        }
        fields[++n] = text
        return n
    }
    /^"ID"/ { n = split_csv($0, names); for (i = 1; i <= n; i++) at[names[i]] = i
              m = split(metrics, wanted, ","); printf "kernel"; for (i = 1; i <= m; i++) printf ",%s", wanted[i]; print ""; next }
    at["ID"] && /^"[0-9]/ { split_csv($0, f); name = f[at["Kernel Name"]]; sub(/\(.*/, "", name); printf "%s", name
              for (i = 1; i <= m; i++) { v = f[at[wanted[i]]]; gsub(/,/, "", v); printf ",%d", v }; print "" }
' "$out/patterns_raw.csv" >"$out/patterns.csv"
rm "$out/patterns"
