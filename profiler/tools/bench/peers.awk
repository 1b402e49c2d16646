# peers.awk: combine the rows of the labs and of the peers in one CSV with the columns of labs.csv.
# Requires plots/csv.awk. Variables: n (the side of the matrix) and directory, which contains
# labs.csv and a NAME.csv for each peer. The row of a peer describes its slowest kernel, because
# libraries also launch helper kernels.

function quoted(text)
{
    if (text !~ /[",\n]/)
        return text
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}

function known(r, name)
{
    return csv_has(name) && csv_get(r, name) != "" && csv_get(r, name) != "NA"
}

function die(what)
{
    print "peers: " what > "/dev/stderr"
    failed = 1
    exit 2
}

BEGIN {
    count = split("cublas_geam cudaMemcpy pytorch triton_64x128", names, " ")
    path = directory "/labs.csv"
    if ((problem = csv_read(path)) != "")
        die(path ": " problem)
    while ((getline line < path) > 0)
        print line
    close(path)
    for (name in csv_column)
        header[csv_column[name]] = name
    columns = csv_width
    for (r = 1; r <= csv_rows; r++)
        if (known(r, "copy_pct") && csv_get(r, "copy_pct") + 0 > 0 && !copy_gbps)
            copy_gbps = csv_get(r, "bandwidth_gbps") * 100 / csv_get(r, "copy_pct")
    device = csv_has("device") ? csv_get(1, "device") : "NA"
    chip = csv_has("chip") ? csv_get(1, "chip") : "NA"
    for (i = 1; i <= count; i++) {
        path = directory "/" names[i] ".csv"
        if ((getline line < path) <= 0)
            continue
        close(path)
        if ((problem = csv_read(path)) != "")
            die(path ": " problem)
        best = 0
        for (r = 1; r <= csv_rows; r++)
            if (known(r, "time_us") && (!best || csv_get(r, "time_us") + 0 > csv_get(best, "time_us") + 0))
                best = r
        if (!best) {
            print "peers: " names[i] " has no time and is omitted" > "/dev/stderr"
            continue
        }
        gbps = 8e-3 * n * n / csv_get(best, "time_us")
        for (c = 1; c <= columns; c++) {
            value = known(best, header[c]) ? csv_get(best, header[c]) : "NA"
            if (header[c] == "lab")
                value = "peers"
            else if (header[c] == "variant")
                value = names[i]
            else if (header[c] == "device")
                value = device
            else if (header[c] == "chip")
                value = chip
            else if (header[c] == "rows" || header[c] == "cols")
                value = n
            else if (header[c] == "bandwidth_gbps")
                value = sprintf("%.6g", gbps)
            else if (header[c] == "copy_pct")
                value = copy_gbps ? sprintf("%.6g", 100 * gbps / copy_gbps) : "NA"
            else if (header[c] ~ /^(defines|reason)$/)
                value = ""
            printf "%s%s", (c > 1 ? "," : ""), quoted(value)
        }
        print ""
    }
}
END {
    if (failed)
        exit 2
}
