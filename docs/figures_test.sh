#!/bin/bash
# figures_test.sh: tests that measured values in the documents match the CSV files in docs/results.
# check: plain
set -u
. profiler/tools/expect.sh

# Compare each row of a table of record.md with a CSV. A cell contains the copy_pct of its kernel, or the GB/s of the
# copy. The table follows a line with FIRST; its columns are the kernels in NAMES.
table_of_record() { # CSV FIRST ROWS NAMES
    awk -F, -v first="$2" -v rows_wanted="$3" -v names="$4" '
        FNR == NR { value[$1 " x " $2, $3 ~ /^triton.*best$/ ? "best" : $3] = $3 == "copy" ? $6 : $7; next }
        FNR == 1 { FS = "|"; n = split(names, name, " ") }
        index($0, first) { on = 1 }
        !NF { on = 0 }
        on && /^\| [0-9]+ x [0-9]+ \| [0-9]+ \|/ {
            $0 = $0; size = $2; gsub(/^ +| +$/, "", size); rows++
            for (i = 1; i <= n; i++) {
                shown = $(i + 2); gsub(/[* ]|\(.*/, "", shown); wanted = value[size, name[i]]
                if (sprintf(i == 1 ? "%.0f" : "%.1f", wanted) != shown) print size ", " name[i] ": " shown ", measured " wanted
            }
        }
        END { if (rows != rows_wanted) print rows " rows" }' "$1" docs/record.md
}
check "record.md's table of an H200" none table_of_record docs/results/h200/record.csv "| rows x columns | copy" 15 \
    "copy padded register_tile vectorized coarsened record cublas_geam triton_64x128 best pytorch"
check "record.md's table of an H100" none table_of_record docs/results/h100/record.csv "| rows x columns, H100 |" 10 \
    "copy padded record cublas_geam best"

# The notes of labs 07 to 10 contain measured percentages.
measured_in() { # NOTES
    awk '/^\*\*Measured\*\*/ { on = 1 } /^$|The emulator/ { on = 0 } on' "$1" | grep -oE '\b[0-9]{2}\.[0-9]\b'
}
measured=$(cut -d, -f7 docs/results/h200/record.csv)
for notes in solutions/07_*/NOTES.md solutions/08_*/NOTES.md solutions/09_*/NOTES.md solutions/10_*/NOTES.md; do
    within "$notes: measured values" "$(measured_in "$notes" | wc -l)" 2 20
    check "$notes: the values are in record.csv" none grep -vxF "$measured" <(measured_in "$notes")
done

# published.md contains the tables of the experiments, and the accuracy of all rows.
not_in() { # DOCUMENT: print the lines of standard input that the document does not contain
    while read -r line; do grep -qxF -- "$line" "$1" || echo "$line"; done
}
awk -F, -f plots/published/experiments.awk docs/results/figures/experiments.csv docs/results/h200/peers.csv >"$work/tables"
within "lines of the experiments" "$(wc -l <"$work/tables")" 25 60
check "published.md contains the tables of the experiments" none not_in docs/published.md <"$work/tables"
sed 's/[0-9] |/x |/' "$work/tables" >"$work/other"
same "lines of a changed table that are detected" "$(grep -c '[0-9] |' "$work/tables")" "$(not_in docs/published.md <"$work/other" | wc -l)"
accuracy=$(grep -o '<text>[0-9]* rows: [0-9]* within 15 %' docs/results/figures/accuracy.svg | tr -cd '0-9 ' | awk '{ print $2 " of " $1 }')
check "README.md states the accuracy of all rows" grep -q "$accuracy modelled times" README.md

# The title of an SVG must be a text for readers, and its plots must have no titles.
bad_titles() {
    grep -lE "<title>[^<]* = '|<title>(Gnuplot)?</title>|<g id=\"gnuplot_plot_[^>]*><title>" "$@"
}
check "titles of all charts and pictures" none bad_titles docs/results/*/*.svg solutions/*/picture.svg labs/*/picture.svg
echo "<title>ubtitle_text = 'kernel</title>" >"$work/bad.svg"
same "a setting in a title is detected" "$work/bad.svg" "$(bad_titles "$work/bad.svg")"
finish
