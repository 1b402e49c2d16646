# steps.gp: the steps between neighbouring rows, modelled against published or measured. A point on the line is
# an equal step, a point in a shaded quarter has the opposite direction. Both axes are factors, logarithmic.

panel = 400
left = 96
gap = 104
top = 112
width = left + 2 * panel + gap + 26
height = top + panel + 92
do for [size in "11 12 13 14 17"] {
    eval sprintf("font_%s = '%s,%s'; bold_%s = '%s:Bold,%s'", size, font_name, size, size, font_name, size)
}
eval open_picture
set multiplot
set datafile columnheaders
set key off
set logscale xy
set xrange [0.02 : 20]
set yrange [0.02 : 20]
set xtics (0.03, 0.1, 0.3, 1, 3, 10) nomirror scale 0.4 font font_12 tc rgb color_soft
set ytics (0.03, 0.1, 0.3, 1, 3, 10) nomirror scale 0.4 font font_12 tc rgb color_soft
set border 3 lc rgb color_soft
set grid xtics ytics ls 3
set label 1 title_text at screen 20.0 / width, screen 1 - 30.0 / height left noenhanced font bold_17 tc rgb color_text
set label 2 subtitle_text at screen 20.0 / width, screen 1 - 56.0 / height left noenhanced font font_13 tc rgb color_soft
data = picture . ".dat"
mine(kind) = column("panel") == p && stringcolumn("kind") eq kind ? column("x") : 1e-6
do for [p = 1 : 2] {
    set lmargin at screen (left + (p - 1) * (panel + gap)) / (1.0 * width)
    set rmargin at screen (left + (p - 1) * (panel + gap) + panel) / (1.0 * width)
    set tmargin at screen 1 - top / (1.0 * height)
    set bmargin at screen 1 - (top + panel) / (1.0 * height)
    set object 1 rectangle from 0.02, 1 to 1, 20 fc rgb "#EEEEEE" fs solid noborder behind
    set object 2 rectangle from 1, 0.02 to 20, 1 fc rgb "#EEEEEE" fs solid noborder behind
    set label 3 panel_title[p] at graph 0, 1 offset 0, 0.7 left noenhanced font bold_14 tc rgb color_text
    set xlabel x_title[p] noenhanced font font_13 tc rgb color_text
    set ylabel y_title[p] noenhanced font font_13 tc rgb color_text
    plot x with lines ls 2, \
        data using (mine("right")):(column("y")) with points pt 6 ps 1.3 lw 1.5 lc rgb color_first, \
        "" using (mine("level")):(column("y")) with points pt 4 ps 1.3 lw 1.5 lc rgb color_soft, \
        "" using (mine("wrong")):(column("y")) with points pt 13 ps 2 lc rgb color_failed, \
        "" using (mine("named")):(column("y")):(stringcolumn("text")) with labels right offset -0.8, -0.9 font bold_12 noenhanced tc rgb color_failed
    unset label 1
    unset label 2
    set label 4 legend_text at screen 20.0 / width, screen 16.0 / height left noenhanced font font_12 tc rgb color_soft
}
unset multiplot
unset output
