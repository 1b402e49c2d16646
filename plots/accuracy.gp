# accuracy.gp: modelled time against measured time, for every row with both times. See evidence.awk.

left = 84
legend_height = narrow ? 4 * 20 + 6 : 2 * 20 + 6
panel_width = narrow ? width - left - 20 : 620
panel_height = panel_width * (narrow ? 1 : 0.8)
height = head_height + 20 + panel_height + 64 + legend_height + note_height(note_text)
eval open_picture
set datafile columnheaders
eval draw_title
eval draw_note
data = picture . ".dat"
x0 = left + (narrow ? 0 : (width - left - 20 - panel_width) / 2)
y0 = head_height + 14
eval place_panel
set border 3 lc rgb color_soft
set logscale xy
set xrange [3 : 6000]
set yrange [3 : 6000]
set format "%g"
set xtics (3, 10, 30, 100, 300, 1000, 3000) nomirror scale 0.4 font small tc rgb color_soft
set ytics (3, 10, 30, 100, 300, 1000, 3000) nomirror scale 0.4 font small tc rgb color_soft
set grid xtics ytics ls 3
set xlabel "measured time (µs)" noenhanced font small tc rgb color_text
set ylabel "modelled time (µs)" noenhanced font small tc rgb color_text
if (format eq "tex") { set xlabel "measured time ($\\mu$s)"; set ylabel "modelled time ($\\mu$s)" }
set key at screen (narrow ? 10 : x0) / (1.0 * width), screen (note_height(note_text) + legend_height) / (1.0 * height) left top vertical maxrows (narrow ? 4 : 2) Left reverse samplen 1 width 1 font small noenhanced tc rgb color_text
array mark[4] = [6, 4, 8, 12]
array full[4] = [7, 5, 9, 13]
point(set, kind) = column("set") == set && stringcolumn("kind") eq kind ? column("x") : 1e-6
set samples 200
plot (1 + band) * x with filledcurves y1=1e-9 fs solid noborder lc rgb "#E8E8E8" notitle, \
    (1 - band) * x with filledcurves y1=1e-9 fs solid noborder lc rgb "#FFFFFF" notitle, \
    x with lines ls 2 notitle, \
    for [k = 1 : 4] data using (point(k, "judged")):(column("y")) with points pt mark[k] ps 1.1 lw 1.4 lc rgb k % 2 ? color_text : color_soft title set_name[k], \
    for [k = 1 : 4] data using (point(k, "fitted")):(column("y")) with points pt full[k] ps 1.2 lc rgb color_text notitle
unset output
