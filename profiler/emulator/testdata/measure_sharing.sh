#!/bin/bash
# measure_sharing.sh DIR: measure, on this machine's GPU, which SMs' loads of one line reach the L2 as one load, and
# within what time (sharing.cu). Writes DIR/map.csv (the SMs of blocks and clusters) and DIR/sharing.csv (one row per
# launch). Requires nvcc and ncu; takes about two minutes.
set -eu
here=$(dirname "$0") out=$1 arch=${ARCH:-sm_90}
mkdir -p "$out"
metrics=l1tex__m_xbar2l1tex_read_sectors.sum,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_requests_srcunit_tex_op_read.sum
ncu --query-metrics --chip gh100 >"$out/metrics.txt" || true
for name in lrc__xbar2lrc_requests_op_read lrc__request_sectors_op_read_coalescable lrc__lrc2xbar_sectors_op_read \
    lrc__request_sectors_op_read_coalescing_achieved_type_hardware lrc__xbar2gpc_sectors_op_read; do
    if grep -q "^$name " "$out/metrics.txt"; then metrics+=,$name.sum; fi
done
nvcc -w -arch="$arch" "$here/sharing.cu" -o "$out/sharing"
timeout 60 "$out/sharing" "$out/map.csv" "$out/table.csv"
timeout 400 ncu --csv --page raw --print-units base --clock-control none --kernel-name share --metrics "$metrics" \
    "$out/sharing" "$out/map.csv" "$out/table.csv" >"$out/raw.csv"
{
    echo "name,members,warm,period,first_delay,step,lanes_of_first,lanes_of_others,sms,$metrics"
    awk -v metrics="$metrics" '
        NR == FNR { launch[++launches] = $0; next }
        { gsub(/","/, "\t"); gsub(/^"|"$/, ""); n = split($0, f, "\t") }
        f[1] == "ID" { for (i = 1; i <= n; i++) at[f[i]] = i; m = split(metrics, wanted, ","); next }
        at["ID"] && f[1] ~ /^[0-9]+$/ {
            printf "%s", launch[++line]
            for (i = 1; i <= m; i++) { v = f[at[wanted[i]]]; gsub(/,/, "", v); printf ",%.0f", v }
            print ""
        }
        END { if (line != launches) { print line " of " launches " launches were counted" >"/dev/stderr"; exit 1 } }
    ' "$out/table.csv" "$out/raw.csv"
} >"$out/sharing.csv"
rm "$out/sharing"
