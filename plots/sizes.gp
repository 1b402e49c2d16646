# sizes.gp: bandwidth by size, one panel per device, one line per kernel. See sweeps.awk.

panel_width = 400
left = 74
gap = 86
top = 108
panel_height = 330
width = left + panels * panel_width + (panels - 1) * gap + 285
height = top + panel_height + 64
do for [size in "12 13 14 17"] {
    eval sprintf("font_%s = '%s,%s'; bold_%s = '%s:Bold,%s'", size, font_name, size, size, font_name, size)
}
eval open_picture
set multiplot
set datafile columnheaders
set key off
set border 3 lc rgb color_soft
set logscale x 2
set xtics nomirror scale 0.4 font font_12 tc rgb color_soft
set ytics nomirror scale 0.4 font font_12 tc rgb color_soft
set grid ytics ls 3
set label 1 title_text at screen 20.0 / width, screen 1 - 30.0 / height left noenhanced font bold_17 tc rgb color_text
set label 2 subtitle_text at screen 20.0 / width, screen 1 - 56.0 / height left noenhanced font font_13 tc rgb color_soft
array shade[8] = ["#222222", "#555555", "#A03C00", "#D08A00", "#0072B2", "#56A0D3", "#777777", "#009E73"]
array dash[8] = [1, 2, 1, 3, 1, 4, 5, 2]
array mark[8] = [7, 6, 5, 4, 9, 8, 11, 10]
data = picture . ".dat"
mine(s) = column("panel") == p ? column(sprintf("y%d", s)) : NaN
do for [p = 1 : panels] {
    set lmargin at screen (left + (p - 1) * (panel_width + gap)) / (1.0 * width)
    set rmargin at screen (left + (p - 1) * (panel_width + gap) + panel_width) / (1.0 * width)
    set tmargin at screen 1 - top / (1.0 * height)
    set bmargin at screen 1 - (top + panel_height) / (1.0 * height)
    set label 3 panel_title[p] at graph 0, 1 offset 0, 0.7 left noenhanced font bold_14 tc rgb color_text
    set xlabel x_title noenhanced font font_13 tc rgb color_text
    if (p == 1) { set ylabel y_title noenhanced font font_13 tc rgb color_text } else { unset ylabel }
    set yrange [0 : 1.08 * widest[p]]
    if (p == panels) { set key at screen 1 - 12.0 / width, graph 1 right top vertical Left reverse samplen 3 spacing 1.25 font font_13 noenhanced tc rgb color_text }
    parts = ""
    do for [s = 1 : series] {
        if (points[(p - 1) * series + s] > 0) {
            parts = parts . sprintf("%sdata using (column('x')):(mine(%d)) with linespoints lc rgb shade[%d] dt %d lw 2 pt %d ps 1.2 title series_name[%d]", \
                parts eq "" ? "" : ", ", s, s, dash[s], mark[s], s)
        }
    }
    eval "plot " . parts
    unset label 1; unset label 2
}
unset multiplot
unset output
