# record_table.awk: print record.csv as a Markdown table: one row per size, one column per kernel.
# Values are in per cent of the copy. One column shows the fastest tile of Triton with its shape.
# Requires plots/csv.awk.
BEGIN {
    problem = csv_read(ARGV[1])
    if (problem != "" || !csv_has("copy_pct") || !csv_has("kernel")) {
        print "bench-gpu: " ARGV[1] ": " (problem != "" ? problem : "this is not a table of record.py") >"/dev/stderr"
        exit 2
    }
    for (r = 1; r <= csv_rows; r++) {
        size = csv_get(r, "rows") " x " csv_get(r, "cols")
        kernel = csv_get(r, "kernel")
        share = csv_get(r, "copy_pct")
        if (kernel ~ /^triton_.*_best$/) {
            tile = kernel
            gsub(/^triton_|_best$/, "", tile)
            sub(/x/, " x ", tile)
            share = share " (" tile ")"
            kernel = "triton_best"
        }
        if (kernel == "copy") {
            kernel = "copy, GB/s"
            share = sprintf("%.0f", csv_get(r, "effective_bandwidth_gbps"))
        }
        if (!(size in row_of))
            sizes[row_of[size] = ++rows] = size
        if (!(kernel in column_of))
            kernels[column_of[kernel] = ++columns] = kernel
        share_of[size, kernel] = share
    }
    line = "| rows x columns |"
    rule = "|---|"
    for (c = 1; c <= columns; c++) {
        name = kernels[c]
        gsub(/_/, " ", name)
        line = line " " name " |"
        rule = rule "---:|"
    }
    print line "\n" rule
    for (r = 1; r <= rows; r++) {
        line = "| " sizes[r] " |"
        for (c = 1; c <= columns; c++)
            line = line " " ((sizes[r], kernels[c]) in share_of ? share_of[sizes[r], kernels[c]] : "-") " |"
        print line
    }
}
