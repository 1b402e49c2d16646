#!/bin/bash
# measure_difficult.sh DIR: count the kernels of difficult.txt on this machine's GPU, three times, into
# DIR/difficult.csv, with DIR/versions.txt. Requires ptxas, nvcc and ncu. The script made difficult_h200.csv.
# ncu empties the caches before each pass and reruns a kernel until it has all counters. A repeat that
# could end later than LIMIT seconds (240) after the start is left out. Also times each launch without ncu, in a few
# seconds, and writes DIR/difficult_times.csv; with TIMES=only, the script writes only this file.
set -eu
here=$(dirname "$0") out=$1 repeats=3 limit=${LIMIT:-240} arch=${ARCH:-sm_90}
mkdir -p "$out"
metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,smsp__inst_executed_op_shared_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics+=,smsp__inst_executed_op_shared_st.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
metrics+=,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_write.sum
metrics+=,dram__bytes_read.sum,dram__bytes_write.sum
# Times need neither counters nor ncu.
if [ "${TIMES-}" = only ]; then
    ptxas -arch="$arch" "$here/difficult.ptx" -o "$out/difficult.cubin"
    nvcc -w -arch="$arch" -DDIFFICULT_MAIN "$here/difficult.cu" -o "$out/difficult" -lcuda
    "$out/difficult" "$out/difficult.cubin" "$here/difficult.txt" times >"$out/difficult_times.csv"
    rm "$out/difficult" "$out/difficult.cubin"
    exit 0
fi
# Metrics that explain the other metrics, if this ncu has them; only the first repeat counts them.
extra=
ncu --query-metrics --chip gh100 >"$out/metrics.txt" || true
for name in l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit l1tex__m_l1tex2xbar_write_sectors \
    l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st l1tex__m_l1tex2xbar_req_cycles_active l1tex__m_l1tex2xbar_write_bytes \
    l1tex__m_xbar2l1tex_read_sectors lts__t_requests_srcunit_tex_op_write lts__t_requests_srcunit_tex_op_read \
    lts__t_sectors_srcunit_tex_op_write_lookup_hit lts__t_sectors_srcunit_tex_op_write_lookup_miss \
    lts__t_sectors_srcunit_tex_op_read_lookup_miss lts__t_sectors_srcunit_ltcfabric lts__t_sectors_srcnode_ltc \
    lts__d_sectors_fill_device lts__t_tag_requests_miss lts__t_sectors_op_read_lookup_miss lts__t_sectors_op_write \
    lts__t_sectors_srcunit_tex_evict_first lts__d_sectors fbpa__dram_read_sectors fbpa__dram_write_sectors \
    gpu__time_duration smsp__inst_executed; do
    if grep -q "^$name " "$out/metrics.txt"; then extra+=,$name.sum; fi
done
{
    echo "date: $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/GPU, driver: /'
    nvcc --version | sed -n 's/^Build /toolkit: /p'
    ncu --version | sed -n 's/^Version /ncu: /p'
} >"$out/versions.txt"
ptxas -arch="$arch" "$here/difficult.ptx" -o "$out/difficult.cubin"
cuobjdump -sass "$out/difficult.cubin" >"$out/difficult.sass" || true
nvcc -w -arch="$arch" -DDIFFICULT_MAIN "$here/difficult.cu" -o "$out/difficult" -lcuda
"$out/difficult" "$out/difficult.cubin" "$here/difficult.txt" times >"$out/difficult_times.csv"
wanted=$metrics$extra
for ((repeat = 1; repeat <= repeats; repeat++)); do
    started=$SECONDS
    if ((repeat > 1 && SECONDS * repeat / (repeat - 1) > limit)); then
        repeats=$((repeat - 1))
        break
    fi
    ncu --csv --page raw --print-units base --clock-control none --metrics "$wanted" \
        "$out/difficult" "$out/difficult.cubin" "$here/difficult.txt" >"$out/raw_$repeat.csv"
    echo "repeat $repeat: $((SECONDS - started)) s" >&2
    wanted=$metrics
done
# Write the line of the table, the number of the repeat and the metrics of each launch, in the order above.
{
    echo "kernel,grid_x,grid_y,block_x,block_y,dynamic_shared,n,a,repeat,$metrics"
    for ((repeat = 1; repeat <= repeats; repeat++)); do
        awk -v metrics="$metrics" -v repeat="$repeat" '
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
            NR == FNR { if ($0 !~ /^#/) launch[++launches] = $0; next }
            /^"ID"/ { n = split_csv($0, names); for (i = 1; i <= n; i++) at[names[i]] = i
                      m = split(metrics, wanted, ","); next }
            at["ID"] && /^"[0-9]/ {
                split_csv($0, f)
                name = f[at["Kernel Name"]]
                sub(/\(.*/, "", name)
                row = launch[++line]
                gsub(/ /, ",", row)
                if (index(row, name ",") != 1) { print "launch " line " is " name ", not " row >"/dev/stderr"; exit 1 }
                printf "%s,%d", row, repeat
                for (i = 1; i <= m; i++) { v = f[at[wanted[i]]]; gsub(/,/, "", v); printf ",%.0f", v }
                print ""
            }
            END { if (line != launches) { print line " launches of " launches " were counted" >"/dev/stderr"; exit 1 } }
        ' "$here/difficult.txt" "$out/raw_$repeat.csv"
    done
} >"$out/difficult.csv"
rm "$out/difficult"
