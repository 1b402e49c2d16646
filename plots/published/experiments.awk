# experiments.awk: print tables of docs/published.md as Markdown, from experiments.csv and peers.csv:
#   awk -F, -f plots/published/experiments.awk docs/results/figures/experiments.csv docs/results/h200/peers.csv
# docs/figures_test.sh checks that the document contains each printed line.
FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
FILENAME ~ /experiments/ {
    key = $1 " " $2
    order[++runs] = key
    n = split("time_us bandwidth_gbps bound global_load_requests global_load_sectors global_store_requests global_store_sectors " \
              "shared_load_ideal_wavefronts shared_load_conflicts shared_store_ideal_wavefronts shared_store_conflicts", name, " ")
    for (i = 1; i <= n; i++)
        value[key, name[i]] = $at[FILENAME, name[i]]
}
FILENAME ~ /peers/ && $2 == "triton_64x128" {
    for (i = 1; i <= n; i++)
        peer[name[i]] = $at[FILENAME, name[i]]
}
END {
    print "| elements of the tile per output | without padding, µs | with padding, µs | ratio |\n|---:|---:|---:|---:|"
    for (t = 1; t <= 8; t *= 2)
        printf "| %d | %.1f | %.1f | %.2f |\n", t, value["weighted " t "-0", "time_us"], value["weighted " t "-1", "time_us"], \
               value["weighted " t "-0", "time_us"] / value["weighted " t "-1", "time_us"]
    print "| tile | threads | elements per thread | GB/s | limited by |\n|---|---:|---:|---:|---|"
    for (k = 1; k <= runs; k++)
        if (order[k] ~ /^tuning/) {
            split(substr(order[k], 8), side, "x")
            printf "| %d x %d | %d | %d | %.0f | %s |\n", side[1], side[1], side[1] * side[2], side[1] / side[2], \
                   value[order[k], "bandwidth_gbps"], value[order[k], "bound"]
        }
    print "| rows x columns | padded, GB/s | diagonal, GB/s | step |\n|---|---:|---:|---:|"
    for (k = 1; k <= runs; k++)
        if (order[k] ~ /^order .*03_padded/) {
            shape = substr(order[k], 7)
            sub(/-.*/, "", shape)
            a = value[order[k], "bandwidth_gbps"]
            b = value["order " shape "-06_diagonal", "bandwidth_gbps"]
            sub(/x/, " x ", shape)
            printf "| %s | %.0f | %.0f | %+.1f %% |\n", shape, a, b, 100 * (b / a - 1)
        }
    print "| 8192 x 8192 | compiled by Triton, measured on an H200 | `triton_transpose.ptx`, emulated |\n|---|---:|---:|"
    triton_row("sectors per load request", "global_load_sectors", "global_load_requests", "%d")
    triton_row("sectors per store request", "global_store_sectors", "global_store_requests", "%d")
    triton_row("ideal wavefronts of shared loads, millions", "shared_load_ideal_wavefronts", "", "%.2f")
    triton_row("ideal wavefronts of shared stores, millions", "shared_store_ideal_wavefronts", "", "%.2f")
    triton_row("bank conflicts, % of the ideal wavefronts of loads", "shared_load_conflicts", "shared_load_ideal_wavefronts", "%.0f %%")
    printf "| time, µs | %.1f | %.1f |\n", peer["time_us"], value["triton 64x128", "time_us"]
}
function triton_row(title, of, per, format,    a, b)
{
    a = peer[of] / (per == "" ? 1e6 : peer[per])
    b = value["triton 64x128", of] / (per == "" ? 1e6 : value["triton 64x128", per])
    if (format ~ /%%/) {
        a *= 100
        b *= 100
    }
    printf "| %s | " format " | " format " |\n", title, a, b
}
