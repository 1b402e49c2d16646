# picture-partitions.gp: one panel per kernel and device, with time on the x axis and partitions on the y axis. A cell
# is dark if the partition receives more than its share of the traffic.

rows = (panels + across - 1) / across
left = 70
panel_width = (width - 40.0 - (left + 0.0) * across) / across
panel_room = int(panel_width / 8)
panel_lines = 1
do for [p = 1 : panels] { if (line_count(panel_text[p], panel_room) > panel_lines) { panel_lines = line_count(panel_text[p], panel_room) } }
text_height = 18 * (panel_lines - 1) # height of the additional lines above a panel
panel_height = 250 + text_height
top = 88 + head
height = top + panel_height * rows + 70
eval open_picture
eval draw_title
set palette defined (0 "#FFFFFF", 1 "#D3E4F0", 2 "#6AA5CC", 4 "#003A5D")
set cbrange [0 : 4]
unset colorbox
set border lc rgb color_soft
set tics scale 0.4 font plain_12 tc rgb color_soft
set xtics nomirror
set ytics nomirror

percent(step) = 100.0 * step / last_step[p]

do for [p = 1 : panels] {
    row = (p - 1) / across
    place = (p - 1) % across
    x0 = left + place * (panel_width + left)
    set lmargin at screen x0 / width
    set rmargin at screen (x0 + panel_width) / width
    set tmargin at screen 1 - (top + panel_height * row + 34.0 + text_height) / height
    set bmargin at screen 1 - (top + panel_height * (row + 1) - 26.0) / height
    set label 3 wrap(panel_text[p], panel_room) at graph 0, 1 offset 0, panel_lines - 0.2 left noenhanced font bold_13 tc rgb color_text
    set xrange [0 : 100]
    set yrange [partitions[p] - 0.5 : -0.5]
    if (place == 0 || partitions[p] != partitions[p - place]) { set ylabel "partition" font plain_13 tc rgb color_text offset 1, 0 } else { unset ylabel }
    if (row == rows - 1) { set xlabel "time, % of the run" font plain_13 tc rgb color_text offset 0, 0.4 } else { unset xlabel }
    plot "data.csv" using (column("panel") == p ? percent(column("first_step") + column("steps") / 2.0) : NaN):(column("partition")):(percent(column("steps") / 2.0)):(0.5):(column("share")) \
        with boxxyerror fs solid noborder fc palette
    eval forget_title
}
unset datafile columnheaders
unset tics; unset border; unset xlabel; unset ylabel; unset label 3
set lmargin at screen left / (1.0 * width)
set rmargin at screen (width - 20.0) / width
set tmargin at screen 38.0 / height
set bmargin at screen 22.0 / height
set xrange [0 : 9]
set yrange [0 : 1]
spread = 1.25
array legend[5] = ["0", "1: even", "2", "3", "4 and more"]
set label 10 "share of the traffic:" at 0, 0.5 left font plain_13 tc rgb color_soft
do for [s = 0 : 4] { set label 11 + s legend[s + 1] at 2.75 + spread * s, 0.5 left font plain_13 tc rgb color_soft }
plot "+" using (2.5 + spread * $0):(0.5):(0.18):(0.5):($0) every ::0::4 with boxxyerror fs solid border lc rgb color_text fc palette
unset multiplot
unset output
