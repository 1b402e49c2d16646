# sizes_measured.gp: bandwidth by size, one panel per kernel. Lines are modelled, points are measured. See evidence.awk.

columns = narrow ? 2 : 3
left = 76
gap = narrow ? 22 : 34
panel_width = (width - left - 22 - (columns - 1) * gap) / columns
panel_height = narrow ? 150 : 190
rows = (panels + columns - 1) / columns
height = head_height + rows * (panel_height + 46) + 34 + note_height(note_text)
eval open_picture
set multiplot
set datafile columnheaders
set key off
set border 3 lc rgb color_soft
set logscale x 2
set logscale y
set xrange [440 : 9600]
set yrange [150 : 6000]
set ytics (300, 1000, 3000) nomirror scale 0.4 font small tc rgb color_soft
set xtics 512, narrow ? 16 : 4 nomirror scale 0.4 font small tc rgb color_soft
set grid ytics ls 3
eval draw_title
eval draw_note
data = picture . ".dat"
mine(kind) = column("panel") == p && stringcolumn("kind") eq kind ? column("x") : 1
modelled(v) = column("panel") == p && stringcolumn("kind") eq "modelled" ? v : NaN
do for [p = 1 : panels] {
    x0 = left + ((p - 1) % columns) * (panel_width + gap)
    y0 = head_height + 26 + ((p - 1) / columns) * (panel_height + 46)
    eval place_panel
    set label 3 panel_title[p] at graph 0, 1 offset 0, 0.7 left noenhanced font small_bold tc rgb color_text
    if ((p - 1) % columns == 0) { set ylabel "GB/s" noenhanced font small tc rgb color_text; set format y "%g" } else { unset ylabel; set format y "" }
    if (p > panels - columns) { set xlabel "n" noenhanced font small tc rgb color_text } else { unset xlabel }
    plot data using (modelled(column("x"))):(column("y")) with lines lw 2 lc rgb color_emulated, \
        "" using (mine("measured")):(column("y")) with points pt 7 ps 1.2 lc rgb color_measured
    unset label 1; unset label 2; unset label 9
}
unset multiplot
unset output
