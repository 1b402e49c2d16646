# steps.gp: modelled steps between adjacent rows against published or measured steps. A point on the line means equal
# steps. A point in a shaded quarter means steps of opposite directions. Both axes are factors on a logarithmic scale.
# The middle panel enlarges the steps near 1. Numbers refer to the list below the panels.

columns = narrow ? 1 : 3
left = 86
gap = 56
panel_width = (width - left - 16 - (columns - 1) * gap) / columns
panel_height = panel_width
note_text = legend_text . "; " . list_text
height = head_height + (narrow ? 3 : 1) * (panel_height + 92) + note_height(note_text)
eval open_picture
set multiplot
set datafile columnheaders
set key off
set logscale xy
set border 3 lc rgb color_soft
set grid xtics ytics ls 3
eval draw_title
eval draw_note
data = picture . ".dat"
array low[3] = [0.02, 0.85, 0.02]
array high[3] = [20, 1.4, 20]
array source[3] = [1, 1, 2]
near_one(v) = v > low[p] && v < high[p]
mine(kind) = column("panel") == source[p] && stringcolumn("kind") eq kind && near_one(column("x")) && near_one(column("y")) ? column("x") : 1e-6
named(side) = mine("named") > 0.01 && (p != 1 || abs(log(column("x"))) > 0.3 || abs(log(column("y"))) > 0.3) && int(column("text")) % 2 == side ? column("x") : 1e-6
do for [p = 1 : 3] {
    x0 = left + (narrow ? 0 : (p - 1) * (panel_width + gap))
    y0 = head_height + 30 + (narrow ? (p - 1) * (panel_height + 92) : 0)
    eval place_panel
    set xrange [low[p] : high[p]]
    set yrange [low[p] : high[p]]
    if (p == 2) { set xtics (0.9, 1, 1.1, 1.2, 1.3); set ytics (0.9, 1, 1.1, 1.2, 1.3) } else { set xtics (0.03, 0.1, 0.3, 1, 3, 10); set ytics (0.03, 0.1, 0.3, 1, 3, 10) }
    set xtics nomirror scale 0.4 font small tc rgb color_soft
    set ytics nomirror scale 0.4 font small tc rgb color_soft
    set object 1 rectangle from low[p], 1 to 1, high[p] fc rgb "#EEEEEE" fs solid noborder behind
    set object 2 rectangle from 1, low[p] to high[p], 1 fc rgb "#EEEEEE" fs solid noborder behind
    set label 3 panel_title[p] at graph 0, 1 offset 0, 0.7 left noenhanced font small_bold tc rgb color_text
    set xlabel x_title[p] noenhanced font small tc rgb color_text
    if (p == 1 || narrow) { set ylabel y_title noenhanced font small tc rgb color_text } else { unset ylabel }
    plot x with lines ls 2, \
        data using (mine("right")):(column("y")) with points pt 6 ps 1.2 lw 1.5 lc rgb color_text, \
        "" using (mine("level")):(column("y")) with points pt 4 ps 1.2 lw 1.5 lc rgb color_soft, \
        "" using (mine("far")):(column("y")) with points pt 8 ps 1.3 lw 1.5 lc rgb color_text, \
        "" using (mine("wrong")):(column("y")) with points pt 13 ps 1.5 lc rgb color_failed, \
        "" using (named(0)):(column("y")):(stringcolumn("text")) with labels right offset -0.9, -0.5 font small_bold noenhanced tc rgb color_failed, \
        "" using (named(1)):(column("y")):(stringcolumn("text")) with labels left offset 0.9, 0.5 font small_bold noenhanced tc rgb color_failed
    unset label 1; unset label 2; unset label 9
}
unset multiplot
unset output
