# progression.gp: draw the chart of a course (progression.awk describes its content). Panels are side by side. Each
# has the share of the copy at the top and three strips of counters below.

panel_width = 44.0 + 54 * places
left = 132
gap = 44
width = left + panels * (panel_width + gap) + 10
if (width < 900) { width = 900; panel_width = (width - left - 10.0) / panels - gap }
# Use two lines if one is too short.
break_at(text) = strstrt(text, "; ")
broken(text) = text[1 : break_at(text)] . "\n" . text[break_at(text) + 2 : ]
line_more = width < 1100 ? 20 : 0
if (line_more) { subtitle_text = broken(subtitle_text); legend_text = broken(legend_text) }
top = 122 + line_more
share_height = 330
strip_height = 84
strip_gap = 20
names_height = 158 + line_more
height = top + share_height + 3 * (strip_height + strip_gap) + names_height + 34
do for [size in "11 12 13 14 15 21"] {
    eval sprintf("font_%s = '%s,%s'; bold_%s = '%s:Bold,%s'", size, font_name, size, size, font_name, size)
}
font_size = 14
eval open_picture
set multiplot

set datafile columnheaders
set key off
set style textbox opaque noborder fillcolor "#FFFFFF" margins 0.15, 0.15
array strip_title[4] = ["% of\nthe copy", "sectors\nper request", "conflicts\nper request", "partition\nimbalance"]
if (format eq "tex") { strip_title[1] = "\\% of\nthe copy" }
array strip_top[4]
strip_top[1] = top
strip_top[2] = top + share_height + strip_gap
strip_top[3] = strip_top[2] + strip_height + strip_gap
strip_top[4] = strip_top[3] + strip_height + strip_gap
most(strip) = strip == 1 ? strip_most_1 : strip == 2 ? strip_most_2 : strip_most_3

# Other rows are placed outside of the axes: gnuplot warns about a plot without points.
mine(k) = column("panel") == p && column("strip") == s && stringcolumn("kind") eq k
x_of(k) = mine(k) ? column("x") : -1000
shaded(k) = mine("box") && column("shade") == k ? column("x") : -1000
data = picture . ".dat"

set label 1 title_text at screen 20.0 / width, screen 1 - 30.0 / height left noenhanced font bold_21 tc rgb color_text
set label 2 subtitle_text at screen 20.0 / width, screen 1 - (60.0 + line_more / 2) / height left noenhanced font font_14 tc rgb color_soft
set label 3 legend_text at screen 20.0 / width, screen (16.0 + line_more) / height left noenhanced font font_13 tc rgb color_soft

do for [p = 1 : panels] {
    x0 = left + (p - 1) * (panel_width + gap)
    set lmargin at screen x0 / width
    set rmargin at screen (x0 + panel_width) / width
    do for [s = 0 : 3] {
        set tmargin at screen 1 - strip_top[s + 1] / (1.0 * height)
        set bmargin at screen 1 - (strip_top[s + 1] + (s == 0 ? share_height : strip_height)) / (1.0 * height)
        set xrange [0.4 : places + 0.6]
        set border 3 lc rgb color_soft
        unset xtics
        set ytics nomirror scale 0.4 tc rgb color_soft font font_12
        unset label 4
        unset label 5
        if (s == 0) {
            set yrange [0 : 128]
            set ytics 0, 25, 100
            set label 4 panel_title[p] at graph 0, 1 offset 0, 0.7 left noenhanced font bold_15 tc rgb color_text
        } else {
            set yrange [0 : 1.42 * most(s)]
            set ytics (0, sprintf("%.3g", most(s)) most(s))
        }
        if (p == 1) {
            set label 5 strip_title[s + 1] at screen 12.0 / width, graph 0.5 left noenhanced font font_14 tc rgb color_text
        }
        if (s == 3) {
            set xtics () nomirror scale 0 rotate by 50 right offset 0, -0.2 font font_14 tc rgb color_text noenhanced
            do for [i = 1 : panel_places[p]] { set xtics add (names[16 * (p - 1) + i] i) }
        }
        if (s == 0) {
            plot 100 with lines ls 2, \
                data using (shaded(1)):(column("value") / 2.0):(column("half")):(column("value") / 2.0) with boxxyerror fs empty border lc rgb color_text lc rgb color_text, \
                "" using (shaded(2)):(column("value") / 2.0):(column("half")):(column("value") / 2.0) with boxxyerror fs solid border lc rgb color_text lc rgb color_first, \
                "" using (shaded(3)):(column("value") / 2.0):(column("half")):(column("value") / 2.0) with boxxyerror fs pattern 1 border lc rgb color_failed lc rgb color_failed, \
                "" using (shaded(4)):(column("value") / 2.0):(column("half")):(column("value") / 2.0) with boxxyerror fs solid border lc rgb color_text lc rgb color_second, \
                "" using (shaded(5)):(column("value") / 2.0):(column("half")):(column("value") / 2.0) with boxxyerror fs pattern 4 border lc rgb color_first lc rgb color_first, \
                "" using (shaded(6)):(column("value") / 2.0):(column("half")):(column("value") / 2.0) with boxxyerror fs pattern 5 border lc rgb color_first lc rgb color_first, \
                "" using (shaded(7)):(column("value") / 2.0):(column("half")):(column("value") / 2.0) with boxxyerror fs pattern 2 border lc rgb color_text lc rgb color_text, \
                "" using (shaded(8)):(column("value") / 2.0):(column("half")):(column("value") / 2.0) with boxxyerror fs pattern 6 border lc rgb color_soft lc rgb color_soft, \
                "" using (shaded(9)):(column("value") / 2.0):(column("half")):(column("value") / 2.0) with boxxyerror fs pattern 7 border lc rgb color_soft lc rgb color_soft, \
                "" using (x_of("value")):(column("value")):(stringcolumn("text")) with labels center offset 0, 0.6 noenhanced font bold_14 tc rgb color_text, \
                "" using (x_of("top")):(column("value")):(stringcolumn("text")) with labels center boxed offset 0, -0.75 noenhanced font bold_14 tc rgb color_text, \
                "" using (x_of("bound")):(column("value")):(stringcolumn("text")) with labels left rotate by 90 noenhanced font font_14 tc rgb color_text, \
                "" using (x_of("inside")):(column("value")):(stringcolumn("text")) with labels left rotate by 90 boxed noenhanced font font_14 tc rgb color_text, \
                "" using (x_of("failed")):(column("value")):(stringcolumn("text")) with labels left rotate by 90 noenhanced font font_14 tc rgb color_failed, \
                "" using (x_of("step")):(column("value")):(stringcolumn("text")) with labels center noenhanced font font_14 tc rgb color_text
        } else {
            plot data using (shaded(0)):(column("value") / 2.0):(column("half")):(column("value") / 2.0) with boxxyerror fs solid border lc rgb color_soft lc rgb "#DDE6EC", \
                "" using (shaded(1)):(column("value") / 2.0):(column("half")):(column("value") / 2.0) with boxxyerror fs solid border lc rgb color_text lc rgb color_failed, \
                "" using (x_of("value")):(column("value")):(stringcolumn("text")) with labels center offset 0, 0.6 noenhanced font bold_13 tc rgb color_text, \
                "" using (x_of("none")):(column("value")):(stringcolumn("text")) with labels center offset 0, 0.6 noenhanced font font_11 tc rgb color_soft
        }
        unset label 1; unset label 2; unset label 3
    }
}
unset multiplot
unset output
