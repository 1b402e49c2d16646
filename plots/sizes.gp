# sizes.gp: bandwidth by size, one panel per device, one line per kernel. See sweeps.awk, record.awk, evidence.awk.
# Settings: first_x, last_x, lowest (start of a logarithmic y axis; 0: linear), start (of a linear y axis), line_source.

columns = narrow ? 1 : panels
left = 74
gap = 70
key_columns = narrow ? 2 : series > 4 ? 4 : series
key_rows = (series + key_columns - 1) / key_columns
panel_width = (width - left - 36 - (columns - 1) * gap) / columns
panel_height = narrow ? 250 : panels == 1 ? 380 : 300
height = head_height + (narrow ? panels : 1) * (panel_height + 108) + 22 * key_rows + 14
eval open_picture
set multiplot
set datafile columnheaders
set key off
set border 3 lc rgb color_soft
set logscale x 2
set xtics first_x, last_x > 8.5 * first_x && panel_width < 420 ? 4 : 2 nomirror scale 0.4 font small tc rgb color_soft
set ytics nomirror scale 0.4 font small tc rgb color_soft
set grid ytics ls 3
eval draw_title
# Lines of the same source have the same hue. They differ by mark and dash.
shade = fill_of(line_source)
array dash[8] = [1, 2, 1, 3, 1, 4, 5, 2]
array mark[8] = [7, 6, 5, 4, 9, 8, 11, 10]
data = picture . ".dat"
mine(s) = column("panel") == p ? column(sprintf("y%d", s)) : NaN
do for [p = 1 : panels] {
    x0 = left + (narrow ? 0 : (p - 1) * (panel_width + gap))
    y0 = head_height + 52 + (narrow ? (p - 1) * (panel_height + 108) : 0)
    eval place_panel
    set label 3 wrap(panel_title[p], int(panel_width / 9)) at graph 0, 1 offset 0, line_count(panel_title[p], int(panel_width / 9)) - 0.3 left noenhanced font small_bold tc rgb color_text
    set xlabel x_title noenhanced font small tc rgb color_text
    if (p == 1 || narrow) { set ylabel y_title noenhanced font small tc rgb color_text } else { unset ylabel }
    if (lowest > 0) { set logscale y; set yrange [lowest : 1.5 * widest[p]] } else { set yrange [start : start + 1.04 * (widest[p] - start)] }
    parts = ""
    do for [s = 1 : series] {
        if (points[(p - 1) * series + s] > 0) {
            parts = parts . sprintf("%sdata using (column('x')):(mine(%d)) with linespoints lc rgb shade dt %d lw 1.6 pt %d ps 1.1 title series_name[%d]", \
                parts eq "" ? "" : ", ", s, dash[s], mark[s], s)
        }
    }
    eval "plot " . parts
    unset label 1; unset label 2
}
x0 = 0
y0 = 0
panel_width = width
panel_height = height - 1.0 # full height, because gnuplot hides legend rows that do not fit
eval place_panel
unset border; unset tics; unset xlabel; unset ylabel; unset label; unset grid; unset logscale
set xrange [0 : 1]
set yrange [0 : 1]
set key at screen 20.0 / width, screen 8.0 / height left bottom vertical maxrows key_rows Left reverse samplen 3 spacing 1.25 width 1 font small noenhanced tc rgb color_text
parts = "NaN notitle"
do for [s = 1 : series] {
    drawn = 0
    do for [p = 1 : panels] { drawn = drawn + points[(p - 1) * series + s] }
    if (drawn > 0) { parts = parts . sprintf(", keyentry with linespoints lc rgb shade dt %d lw 1.6 pt %d ps 1.1 title series_name[%d]", dash[s], mark[s], s) }
}
eval "plot " . parts
unset multiplot
unset output
