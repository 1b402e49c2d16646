# record.awk: prepare a line chart of record.csv (make bench-gpu) for sizes.gp: the share of the copy in per cent by
# size, only for square matrices. RECORD_GPU names the GPU. Used by plots/record, with csv.awk and picture.awk.
BEGIN {
    names = "padded:padded register_tile:register_tile vectorized:vectorized coarsened:coarsened record:record cublas_geam:cuBLAS_geam triton_best:Triton,_best_tile pytorch:PyTorch"
    series = split(names, pairs, " ")
    for (s = 1; s <= series; s++) {
        split(pairs[s], pair, ":")
        series_of[pair[1]] = s
        gsub(/_/, " ", pair[2])
        name_of[s] = pair[1] ~ /_tile$/ || pair[1] !~ /_/ || pair[1] ~ /^(cublas|triton)/ ? pair[2] : pair[1]
    }
    problem = csv_read("record.csv")
    if (problem == "" && !csv_has("copy_pct"))
        problem = "this is not a table of make bench-gpu"
    for (r = 1; r <= csv_rows && problem == ""; r++) {
        n = csv_get(r, "rows")
        kernel = csv_get(r, "kernel")
        share = csv_get(r, "copy_pct")
        if (kernel ~ /^triton_.*_best$/)
            kernel = "triton_best"
        if (n !~ /^[0-9]+$/ || share !~ /^[0-9.]+$/)
            problem = "line " csv_line[r] ": the size or the share is not a number"
        if (n != csv_get(r, "cols") || !(kernel in series_of) || n % 1024)
            continue
        if (!(n in seen)) {
            seen[n] = 1
            for (i = ++sizes; i > 1 && size[i - 1] > n + 0; i--)
                size[i] = size[i - 1]
            size[i] = n + 0
        }
        value[n, series_of[kernel]] = share
        points[series_of[kernel]]++
        share += 0
        widest = share > widest + 0 ? share : widest
        if (best[series_of[kernel]] == "" || share > best[series_of[kernel]])
            best[series_of[kernel]] = share
        if (worst[series_of[kernel]] == "" || share < worst[series_of[kernel]])
            worst[series_of[kernel]] = share
    }
    if (problem == "" && !sizes)
        problem = "the table contains no square matrix"
    if (problem != "") {
        print "record: " ENVIRON["RECORD_NAME"] ": " problem > "/dev/stderr"
        exit 2
    }
    # A line that never reaches 50 % would compress the remaining lines, so the subtitle states its range instead.
    start = widest
    for (s = 1; s <= series; s++)
        if (points[s] && best[s] < 50 && widest >= 50) {
            points[s] = 0
            below = below "; not drawn: " name_of[s] ", " sprintf("%.0f to %.0f", worst[s], best[s]) " %"
        } else if (points[s] && worst[s] < start)
            start = worst[s]
    start = 10 * int(start / 10)
    line = "panel\tx"
    for (s = 1; s <= series; s++)
        line = line "\ty" s
    print line > "record.dat"
    for (i = 1; i <= sizes; i++) {
        line = "1\t" size[i]
        for (s = 1; s <= series; s++)
            line = line "\t" ((size[i], s) in value ? value[size[i], s] : "NaN")
        print line > "record.dat"
    }
    file = "record.gp"
    print "array panel_title[1]\narray widest[1]\narray series_name[" series "]\narray points[" series "]" > file
    setting_text(file, "title_text", "Share of the copy by matrix size: labs, cuBLAS, Triton, PyTorch")
    setting_text(file, "subtitle_text", "n × n floats, in percent of a 16-byte copy in the same run" below)
    setting_text(file, "x_title", "n")
    setting_text(file, "y_title", "% of the copy")
    setting_text(file, "panel_title[1]", plain(ENVIRON["RECORD_GPU"], 60))
    setting(file, "widest[1]", widest)
    for (s = 1; s <= series; s++) {
        setting_text(file, "series_name[" s "]", name_of[s])
        setting(file, "points[" s "]", points[s] + 0)
    }
    setting(file, "lowest", 0)
    setting(file, "start", start)
    setting(file, "first_x", size[1])
    setting(file, "last_x", size[sizes])
    setting_text(file, "line_source", "measured")
    setting(file, "panels", 1)
    setting(file, "series", series)
    print "record sizes" > "pictures"
}
