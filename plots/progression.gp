# progression.gp: draw the progression chart of a course (progression.awk describes its content), with one panel below
# another. A panel shows the share of the copy at the top and three strips of counters below.

left = narrow ? 112 : 124
panel_width = width - left - 14
place_width = panel_width / (places + 0.2)
share_height = narrow ? 180 : 136
strip_height = 40
strip_gap = 10
names_height = place_width > 100 ? 34 : 112
panel_height = 0
block_height = 58 + share_height + 3 * (strip_height + strip_gap) + 16
note_text = legend_text
height = head_height + panels * block_height + names_height + note_height(note_text)
eval open_picture
set multiplot

set datafile columnheaders
set key off
set style textbox opaque noborder fillcolor "#FFFFFF" margins 0.15, 0.15
array strip_title[4] = ["% of\nthe copy", "sectors\nper request", "conflicts\nper request", "partition\nimbalance"]
if (narrow) { strip_title[2] = "sectors"; strip_title[3] = "conflicts"; strip_title[4] = "imbalance" }
if (format eq "tex") { strip_title[1] = "\\% of\nthe copy" }
most(strip) = strip == 1 ? strip_most_1 : strip == 2 ? strip_most_2 : strip_most_3

# Rows of other panels get a position outside the axes, because gnuplot warns about a plot without points.
mine(k) = column("panel") == p && column("strip") == s && stringcolumn("kind") eq k
x_of(k) = mine(k) ? column("x") : -1000
on_dark(k) = mine(k) && column("shade") == 2 && panel_source[p] eq "emulated" ? column("x") : -1000
on_pale(k) = on_dark(k) == -1000 ? x_of(k) : -1000
shaded(k) = mine("box") && column("shade") == k ? column("x") : -1000
data = picture . ".dat"
eval draw_title
eval draw_note

do for [p = 1 : panels] {
    dark = fill_of(panel_source[p])
    pale = fill_of(panel_source[p] . "_2")
    palest = fill_of(panel_source[p] . "_3")
    do for [s = 0 : 3] {
        x0 = left
        y0 = head_height + (p - 1) * block_height + 50 + (s == 0 ? 0 : share_height + strip_gap + (s - 1) * (strip_height + strip_gap))
        panel_height = s == 0 ? share_height : strip_height
        eval place_panel
        set xrange [0.4 : places + 0.6]
        set border 3 lc rgb color_soft
        unset xtics
        set ytics nomirror scale 0.4 tc rgb color_soft font small
        unset label 4
        if (s == 0) {
            set yrange [0 : 128]
            set ytics 0, 50, 100
            set label 4 panel_title[p] at graph 0, 1 offset 0, 0.7 left noenhanced font small_bold tc rgb color_text
        } else {
            set yrange [0 : 1.75 * most(s)]
            set ytics (0, sprintf("%.3g", most(s)) most(s))
        }
        set label 5 strip_title[s + 1] at screen 10.0 / width, graph 0.5 left noenhanced font small tc rgb color_text
        if (s == 3 && p == panels) {
            if (place_width > 100) { set xtics () rotate by 0 center } else { set xtics () rotate by 50 right offset 0, -0.2 }
            set xtics nomirror scale 0 font small tc rgb color_text noenhanced
            do for [i = 1 : panel_places[p]] { set xtics add (place_width > 100 ? wrap(names[16 * (p - 1) + i], 12) : names[16 * (p - 1) + i] i) }
        }
        box = "(column('value') / 2.0):(column('half')):(column('value') / 2.0) with boxxyerror "
        if (s == 0) {
            # The fill of a bar shows its bound: solid for DRAM, pale for the L2, hatched for other bounds.
            parts = "100 with lines ls 2"
            do for [k = 1 : 9] {
                fill = k == 1 ? "fs empty border lc rgb color_text lc rgb color_text" : k == 2 ? "fs solid border lc rgb color_text lc rgb dark" : \
                    k == 4 ? "fs solid border lc rgb color_text lc rgb pale" : sprintf("fs pattern %d border lc rgb dark lc rgb dark", k == 3 ? 1 : k == 5 ? 4 : k == 6 ? 5 : k == 7 ? 2 : k == 8 ? 6 : 7)
                parts = parts . sprintf(", data using (shaded(%d)):", k) . box . fill
            }
            label = "(stringcolumn('text')) with labels noenhanced "
            upright = place_width > 64 ? "center" : "left rotate by 90"
            parts = parts . ", data using (x_of('value')):(column('value')):" . label . "center offset 0, 0.6 font small_bold tc rgb color_text"
            parts = parts . ", data using (on_pale('top')):(column('value')):" . label . "center boxed offset 0, -0.75 font small_bold tc rgb color_text"
            parts = parts . ", data using (on_dark('top')):(column('value')):" . label . "center offset 0, -0.75 font small_bold tc rgb '#FFFFFF'"
            parts = parts . ", data using (x_of('bound')):(column('value') + (place_width > 64 ? 15 : 8)):" . label . upright . " font small tc rgb color_text"
            parts = parts . ", data using (on_pale('inside')):(column('value') + (place_width > 64 ? 9 : 0)):" . label . upright . " boxed font small tc rgb color_text"
            parts = parts . ", data using (on_dark('inside')):(column('value') + (place_width > 64 ? 9 : 0)):" . label . upright . " font small tc rgb '#FFFFFF'"
            parts = parts . ", data using (x_of('failed')):(column('value')):" . label . "left rotate by 90 font small tc rgb color_failed"
            parts = parts . ", data using (x_of('step')):(column('value')):" . label . "center font small tc rgb color_text"
        } else {
            parts = "data using (shaded(0)):" . box . "fs solid border lc rgb color_soft lc rgb palest"
            parts = parts . ", data using (shaded(1)):" . box . "fs solid border lc rgb color_text lc rgb dark"
            parts = parts . ", data using (x_of('value')):(column('value')):(stringcolumn('text')) with labels center offset 0, 0.6 noenhanced font small_bold tc rgb color_text"
            parts = parts . ", data using (x_of('none')):(column('value')):(place_width < 60 ? '-' : stringcolumn('text')) with labels center offset 0, 0.6 noenhanced font small tc rgb color_soft"
        }
        eval "plot " . parts
        unset label 1; unset label 2; unset label 9
    }
}
unset multiplot
unset output
