# bars.gp: draw one bar chart. draw first loads style.gp and the settings of the picture, with its content and
# layout. Bars are horizontal, so that long names and values fit. A name has one to three bars.

row_height = bars == 1 ? 31 : bars == 2 ? 50 : 72
above = reference > 0 && works > 0 ? 92 : 74
below = works == 0 ? 14 : bars == 1 ? 62 : 98
height = above + below + row_height * rows + (notice eq "" ? 0 : 24)
data = picture . ".dat"

set tmargin at screen 1 - above / (1.0 * height)
set bmargin at screen (below + (notice eq "" ? 0 : 24)) / (1.0 * height)
set lmargin at screen left / (1.0 * width)
set rmargin at screen 1 - 26.0 / width

set label 1 title_text at screen 20.0 / width, screen 1 - 27.0 / height left noenhanced \
    font sprintf("%s:Bold,%d", font_name, font_title) tc rgb color_text
set label 2 subtitle_text at screen 20.0 / width, screen 1 - 52.0 / height left noenhanced \
    font sprintf("%s,%d", font_name, font_size) tc rgb color_soft
if (notice ne "") {
    set label 3 notice at screen 20.0 / width, screen 14.0 / height left noenhanced \
        font sprintf("%s,%d", font_name, font_size) tc rgb color_failed
}

set xrange [0 : axis_end]
set yrange [-(rows + 0.62) : -0.38]
set border 2 lc rgb color_soft
set xlabel axis_text noenhanced tc rgb color_text font sprintf("%s,%d", font_name, font_size)
set xtics nomirror scale 0 tc rgb color_soft
set format x "%g"
set grid xtics ls 3
unset ytics
set key off
if (works == 0) { unset xtics; unset xlabel; unset grid }

if (reference > 0 && works > 0) {
    set label 4 reference_text at reference, graph 1 offset 0, 0.7 center noenhanced \
        font sprintf("%s,%d", font_name, font_small) tc rgb color_text
}
if (bars > 1 && works > 0) {
    set key on at screen 1 - 26.0 / width, screen 12.0 / height right bottom horizontal \
        samplen 1.6 width 2 noenhanced
}

array fill_color[3] = [color_first, color_second, color_third]
array legend[3] = [legend_1, legend_2, legend_3]
array count[3] = [bars_1, bars_2, bars_3]
small = sprintf("%s,%d", font_name, font_small)

# picture.dat has one row per bar: its place from the top, the number of the bar at that place (0: the
# only one), its kind (value, failed, or none: only a text), its value, the start of its text, the text,
# and the name of the place. A text that starts before the end of its bar is inside the bar.
set datafile columnheaders
middle(place, bar) = (bar == 0 || bars == 1 ? 0 : bars == 2 ? 0.2 * (3 - 2 * bar) : 0.28 * (2 - bar)) - place
half(bar) = bar == 0 || bars == 1 ? 0.33 : bars == 2 ? 0.19 : 0.13
y(side) = middle(column("place"), column("bar")) + side * half(column("bar"))
failed(x) = stringcolumn("kind") eq "failed" ? x : NaN
fine(x) = stringcolumn("kind") ne "failed" ? x : NaN
behind(x) = column("at") >= column("value") ? fine(x) : NaN
inside(x) = column("at") < column("value") ? fine(x) : NaN
drawn(bar) = stringcolumn("kind") eq "value" && column("bar") == bar ? 0 : NaN

# Only parts of the plot command that have points: gnuplot warns about others.
box = "(y(0)):(0):(column('value')):(y(-1)):(y(1)) with boxxyerror "
text = "(y(0)):(stringcolumn('text')) with labels left offset 0.6, 0 boxed font small "
parts = ""
do for [s = 1 : bars] {
    if (count[s] > 0) {
        parts = parts . sprintf("data using (drawn(%d)):", s) . box
        parts = parts . sprintf("lc rgb fill_color[%d] title legend[%d], ", s, s)
    }
}
if (failures > 0) {
    parts = parts . "data using (failed(0)):" . box
    parts = parts . "fs pattern 4 border lc rgb color_failed lc rgb color_failed notitle, "
    parts = parts . "data using (failed(column('at'))):" . text . "tc rgb color_failed notitle, "
}
if (works > 0) {
    if (reference > 0) {
        parts = parts . "data using ($0 == 0 ? reference : NaN):(-0.38):(0):(-rows - 0.24) "
        parts = parts . "with vectors nohead ls 2 notitle, "
    }
    if (texts_behind > 0) {
        parts = parts . "data using (behind(column('at'))):" . text . "tc rgb color_text notitle, "
    }
    if (texts_inside > 0) {
        parts = parts . "data using (inside(column('at'))):(y(0)):(stringcolumn('text')) "
        parts = parts . "with labels left offset 0.6, 0 font small tc rgb '#FFFFFF' notitle, "
    }
}
parts = parts . "data using (column('bar') < 2 ? 0 : NaN):(-column('place')):(stringcolumn('name')) "
parts = parts . "with labels right offset -0.8, 0 tc rgb color_text notitle"

eval open_picture
eval "plot " . parts
unset output
