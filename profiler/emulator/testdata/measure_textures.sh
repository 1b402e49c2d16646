#!/bin/bash
# measure_textures.sh DIR: record texture fetches of this machine's GPU (texture_record.cu) in DIR/texture.csv, and their
# cost in DIR/texture_counts.csv, one row per launch of one warp. Requires nvcc and ncu; takes about a minute.
set -eu
here=$(dirname "$0") out=$1 arch=${ARCH:-native}
mkdir -p "$out"
nvcc -w -arch="$arch" "$here/texture_record.cu" -o "$out/texture_record"
timeout 30 "$out/texture_record" >"$out/texture.csv" || echo "texture.csv ends early ($?)"
timeout 30 "$out/texture_record" trap >>"$out/texture.csv" || echo "no trap ($?)"
timeout 30 "$out/texture_record" count >"$out/launches.csv" || echo "launches.csv ends early ($?)"
timeout 90 ncu --query-metrics --chip gh100 | grep -E "^l1tex__t_|^l1tex__tex|^l1tex__data_bank|^lts__t_sectors_srcunit" >"$out/metrics.txt" || true
metrics=l1tex__t_requests_pipe_tex.sum,l1tex__t_sectors_pipe_tex.sum
metrics+=,l1tex__t_requests_pipe_tex_mem_texture.sum,l1tex__t_sectors_pipe_tex_mem_texture.sum
metrics+=,l1tex__t_requests_pipe_tex_mem_surface.sum,l1tex__t_sectors_pipe_tex_mem_surface.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,lts__t_sectors_srcunit_tex_op_read.sum,l1tex__texin_requests.sum,l1tex__t_output_wavefronts_pipe_tex.sum
timeout 120 ncu --csv --page raw --print-units base --cache-control all --metrics "$metrics" "$out/texture_record" count \
    >"$out/texture_counts.csv" || echo "ncu failed ($?): $(tail -2 "$out/texture_counts.csv")"
rm "$out/texture_record"
gzip -9 "$out/texture.csv"
