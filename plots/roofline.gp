# roofline.gp: one panel per memory level, with the limit as a line and the kernels as points. See sweeps.awk.

note_text = legend_text
columns = narrow ? 1 : panels
left = 76
gap = 40
panel_width = (width - left - 20 - (columns - 1) * gap) / columns
panel_height = narrow ? 240 : 300
height = head_height + (narrow ? panels : 1) * (panel_height + 92) + note_height(note_text)
eval open_picture
set multiplot
set datafile columnheaders
set key off
set border 3 lc rgb color_soft
set logscale xy
low_x = lowest_x / 1.6
highest = 0
do for [p = 1 : panels] { if (peak[p] > highest) { highest = peak[p] } }
set xrange [low_x : 12]
set xtics (0.01, 0.03, 0.1, 0.3, 1, 3, 10) nomirror scale 0.4 font small tc rgb color_soft
set ytics nomirror scale 0.4 font small tc rgb color_soft
set format y "%g"
set grid xtics ytics ls 3
eval draw_title
eval draw_note
data = picture . ".dat"
stats data using (column("y")) skip 0 nooutput name "S"
set yrange [S_min / 2 : highest * 1.6]
mine(x) = column("panel") == p ? x : 1e-9
on(side) = stringcolumn("side") eq side ? mine(column("x")) : 1e-9
do for [p = 1 : panels] {
    x0 = left + (narrow ? 0 : (p - 1) * (panel_width + gap))
    y0 = head_height + 32 + (narrow ? (p - 1) * (panel_height + 92) : 0)
    eval place_panel
    set label 3 panel_title[p] . ": " . roof_text[p] at graph 0, 1 offset 0, 0.7 left noenhanced font small_bold tc rgb color_text
    set xlabel narrow || p == int((panels + 1) / 2) ? x_title : "" noenhanced font small tc rgb color_text
    if (p == 1 || narrow) { set ylabel y_title noenhanced font small tc rgb color_text } else { unset ylabel }
    roof(x) = peak[p] * x
    plot roof(x) with lines lw 2.5 lc rgb color_text, \
        data using (mine(column("x"))):(column("y")) with points pt 7 ps 1.4 lc rgb fill_of(point_source), \
        "" using (on("right")):(column("y")):(stringcolumn("text")) with labels left offset 0.9, -0.1 font small noenhanced tc rgb color_text, \
        "" using (on("left")):(column("y")):(stringcolumn("text")) with labels right offset -0.8, -0.1 font small noenhanced tc rgb color_text
    unset label 1; unset label 2; unset label 9
}
unset multiplot
unset output
