#!/bin/bash
# style_test.sh: tests all charts: colours must differ in greyscale, text must have at least 7 points in print, charts
# must have captions, and figures in docs/results must match the CSV files there. Run from the repository root.
# check: late plain
set -u
. profiler/tools/expect.sh
needs gnuplot

# Print the contrast of each pair of source colours, from their relative luminance (WCAG 2.1).
contrasts() {
    awk 'function part(hex,    v) { v = (index("0123456789ABCDEF", substr(hex, 1, 1)) * 16 + index("0123456789ABCDEF", substr(hex, 2, 1)) - 17) / 255
            return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ^ 2.4 }
        /^color_(published|emulated|measured) = "#/ { hex = substr($3, 3); name[++n] = $1
            light[n] = 0.2126 * part(substr(hex, 1, 2)) + 0.7152 * part(substr(hex, 3, 2)) + 0.0722 * part(substr(hex, 5, 2)) }
        END { for (i = 1; i <= n; i++) for (k = 1; k < i; k++) {
                ratio = (light[i] + 0.05) / (light[k] + 0.05); if (ratio < 1) ratio = 1 / ratio
                printf "%s %s %.2f\n", name[k], name[i], ratio } }' "$1"
}
close_in_grey() { contrasts "$1" | awk '$3 < 1.9'; }
same "three colours" 3 "$(contrasts plots/style.gp | wc -l)"
check "the colours differ in greyscale" none close_in_grey plots/style.gp
sed 's/^color_measured = .*/color_measured = "#C04000"/' plots/style.gp >"$work/bad.gp"
same "two colours with too little contrast" 1 "$(close_in_grey "$work/bad.gp" | wc -l)"
check "no chart defines its own colours of sources" none grep -nE 'lc rgb "#(0072B2|F0C661|E69F00|D55E00)"' plots/{bars,progression,sizes,roofline,steps,accuracy,pitch,sizes_measured}.gp

# Print text sizes below 7 points in figures with a width of WIDTH points in print.
small_letters() { # WIDTH SVG...
    local width=$1 file
    shift
    for file in "$@"; do
        awk -v width="$width" -v file="$file" '
            match($0, /viewBox="0 0 [0-9.]+/) { pixels = substr($0, RSTART + 13, RLENGTH - 13) }
            { line = $0
              while (match(line, /font-size="[0-9.]+"/)) {
                  size = substr(line, RSTART + 11, RLENGTH - 12) * width / pixels
                  if (size < 6.99 && !seen[size]++) print file ": " size " points"
                  line = substr(line, RSTART + RLENGTH) } }' "$file"
    done
}
check "7 points at 17.5 cm" none small_letters 496.06 docs/results/*/*.svg
check "all figures are drawn for one column" env WIDTH=8.5cm plots/redraw "$work/narrow"
check "7 points at 8.5 cm" none small_letters 240.94 "$work"/narrow/*/*.svg
same "narrow figures are 8.5 cm wide" 486 "$(grep -ho 'viewBox="0 0 [0-9]*' "$work"/narrow/*/*.svg | sort -u | sed 's/.* //')"
check "narrow figures have no title" none grep -l 'font-size="22.10"' "$work"/narrow/*/*.svg
WIDTH=8.5cm plots/record docs/results/h200/record.csv "$work/tex" >/dev/null
same "names of lines in a narrow LaTeX figure" 7 "$(sed 1,4d "$work/tex/latex/record.tex" |
    grep -cE 'strut.*(padded|register tile|vectorized|coarsened|record|cuBLAS geam|Triton, best tile)')"
expect "the LaTeX file contains the caption" 0 'caption\{Share of the copy' -- head -4 "$work/tex/latex/record.tex"
for width in 2cm 8.5 wide 99cm; do
    expect "the width $width is rejected" 2 "WIDTH=$width: give a width" -- env WIDTH=$width plots/record docs/results/h200/record.csv "$work/none"
done

# Pictures of handouts are 174 mm wide on A4 and at most 140 mm high (docs/handouts/style.css).
check "7 points in handouts" none small_letters 493.2 solutions/*/picture.svg
too_high() { grep -o 'viewBox="0 0 [0-9]* [0-9]*' "$@" | awk '$NF > 140 / 174 * $(NF - 1)'; }
check "no handout shrinks its picture" none too_high /dev/null solutions/*/picture.svg

# gnuplot 5.4 drew the committed figures. Other versions draw different files.
if gnuplot --version | grep -q "5.4"; then
    check "plots/redraw succeeds" plots/redraw "$work/again"
    for file in "$work"/again/*/*.svg; do
        name=docs/results/${file#"$work/again/"}
        cmp -s "$file" "$name" || echo "$name"
    done >"$work/differ"
    check "every figure matches its CSV (to repair it: plots/redraw docs/results)" none cat "$work/differ"
else
    skip "the committed figures" "gnuplot is not version 5.4"
fi

bare_charts() { # FILE...
    awk 'FNR == 1 { number = 0 }
        text != "" && NF { if ($0 !~ "^\\*Figure " number "\\. .*") print last ": no caption \"*Figure " number ". ...\""; text = "" }
        match($0, /^!\[[^]]*\]\([^)]*\.svg\)/) {
            number++; last = FILENAME ":" FNR; text = $0
            sub(/^!\[/, "", text); sub(/\].*/, "", text)
            if (split(text, word, " ") < 5) print last ": a text of " split(text, word, " ") " words" }' "$@"
}
pages="README.md docs/published.md docs/record.md docs/results/figures/README.md docs/results/h200/README.md docs/results/h100/README.md"
check "alternative texts and captions of charts" none bare_charts $pages
printf '![Times](a.svg)\n\ntext\n' >"$work/bare.md"
same "a page without a text and a caption" 2 "$(bare_charts "$work/bare.md" | wc -l)"
finish
