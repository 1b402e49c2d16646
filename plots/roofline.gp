# roofline.gp: one panel per memory level: its limit, and the kernels below it. See sweeps.awk.

panel_width = 370
left = 86
gap = 54
top = 116
panel_height = 330
width = left + panels * panel_width + (panels - 1) * gap + 30
if (width < 980) { width = 980 }
height = top + panel_height + 92
do for [size in "11 12 13 14 17"] {
    eval sprintf("font_%s = '%s,%s'; bold_%s = '%s:Bold,%s'", size, font_name, size, size, font_name, size)
}
eval open_picture
set multiplot
set datafile columnheaders
set key off
set border 3 lc rgb color_soft
set logscale xy
low_x = lowest_x / 1.6
highest = 0
lowest = 1e30
do for [p = 1 : panels] { if (peak[p] > highest) { highest = peak[p] } }
set xrange [low_x : 60]
set xtics (0.01, 0.03, 0.1, 0.3, 1, 3, 10) nomirror scale 0.4 font font_12 tc rgb color_soft
set ytics nomirror scale 0.4 font font_12 tc rgb color_soft
set format y "%g"
set grid xtics ytics ls 3
set label 1 title_text at screen 20.0 / width, screen 1 - 30.0 / height left noenhanced font bold_17 tc rgb color_text
set label 2 subtitle_text at screen 20.0 / width, screen 1 - 56.0 / height left noenhanced font font_13 tc rgb color_soft
data = picture . ".dat"
stats data using (column("y")) skip 0 nooutput name "S"
set yrange [S_min / 2 : highest * 1.6]
mine(x) = column("panel") == p ? x : 1e-9
on(side) = stringcolumn("side") eq side ? mine(column("x")) : 1e-9
do for [p = 1 : panels] {
    set lmargin at screen (left + (p - 1) * (panel_width + gap)) / (1.0 * width)
    set rmargin at screen (left + (p - 1) * (panel_width + gap) + panel_width) / (1.0 * width)
    set tmargin at screen 1 - top / (1.0 * height)
    set bmargin at screen 1 - (top + panel_height) / (1.0 * height)
    set label 3 panel_title[p] . ": " . roof_text[p] at graph 0, 1 offset 0, 0.7 left noenhanced font bold_14 tc rgb color_text
    set xlabel x_title noenhanced font font_13 tc rgb color_text
    if (p == 1) { set ylabel y_title noenhanced font font_13 tc rgb color_text } else { unset ylabel }
    roof(x) = peak[p] * x
    plot roof(x) with lines lw 2.5 lc rgb color_text, \
        data using (mine(column("x"))):(column("y")) with points pt 7 ps 1.6 lc rgb color_first, \
        "" using (on("right")):(column("y")):(stringcolumn("text")) with labels left offset 0.9, -0.1 font font_12 noenhanced tc rgb color_text, \
        "" using (on("left")):(column("y")):(stringcolumn("text")) with labels right offset -0.8, -0.1 font font_12 noenhanced tc rgb color_text
    unset label 1; unset label 2
    set label 4 legend_text at screen 20.0 / width, screen 14.0 / height left noenhanced font font_12 tc rgb color_soft
}
unset multiplot
unset output
