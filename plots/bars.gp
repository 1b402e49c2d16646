# bars.gp: draw one bar chart. plots/draw first loads the settings of the picture and style.gp.
# Bars are horizontal, so that long names and values fit. A name has one to three bars. Names are to the left of the
# bars, or above the bars in a narrow picture.

if (narrow) { left = 20 }
name_height = narrow ? 20 : 0
bar_pitch = 20
row_height = bars * bar_pitch + 11 + name_height
above = head_height + (reference > 0 && works > 0 ? 26 : 6)
axis_height = works == 0 ? 8 : 58
legend_height = bars == 1 || works == 0 ? 0 : 20 * bars + 10
notes = wrap(notice, line_room(font_small))
notes_height = note_height(notice)
height = above + row_height * rows + 8 + axis_height + legend_height + notes_height
plot_width = width - left - 26
text_width(characters) = 8.6 * characters + 14
axis_end = top * plot_width / (plot_width - text_width(longest_text) > 60 ? plot_width - text_width(longest_text) : 60.0)
data = picture . ".dat"

set tmargin at screen 1 - above / (1.0 * height)
set bmargin at screen (axis_height + legend_height + notes_height) / (1.0 * height)
set lmargin at screen left / (1.0 * width)
set rmargin at screen 1 - 26.0 / width
eval draw_title
if (notice ne "") {
    set label 3 notes at screen 20.0 / width, screen (notes_height - 14.0) / height left noenhanced \
        font small tc rgb failures > 0 ? color_failed : color_soft
}

set xrange [0 : axis_end]
set yrange [-(row_height * rows + 4) : 4]
set border 2 lc rgb color_soft
set xlabel axis_text noenhanced tc rgb color_text font normal
set xtics nomirror scale 0 tc rgb color_soft font small
set format x "%g"
set grid xtics ls 3
unset ytics
set key off
if (works == 0) { unset xtics; unset xlabel; unset grid }

if (reference > 0 && works > 0) {
    set label 4 reference_text at reference, graph 1 offset 0, 0.7 center noenhanced \
        font small tc rgb color_text
    if (left + plot_width * reference / axis_end + 4.3 * strlen(reference_text) > width) {
        set label 4 reference_text at screen 1 - 10.0 / width, graph 1 offset 0, 0.7 right noenhanced
    } else { if (left + plot_width * reference / axis_end < 4.3 * strlen(reference_text) + 10) {
        set label 4 reference_text at screen 10.0 / width, graph 1 offset 0, 0.7 left noenhanced
    } }
}
if (bars > 1 && works > 0) {
    set key on font small samplen 1.6 noenhanced tc rgb color_text
    set key at screen 20.0 / width, screen (notes_height + legend_height - 2.0) / height left top vertical Left reverse
}

array fill_name[3] = [fill_1, fill_2, fill_3]
array legend[3] = [legend_1, legend_2, legend_3]
array count[3] = [bars_1, bars_2, bars_3]

# The data file has one row per bar: place from the top, number of the bar at this place (0 if there is only one), kind
# (value; doubtful: a value that cannot be correct; failed; none: only a text), value, text, and name of the place.
# A text is to the right of its bar, or inside the bar if it would cross the reference line.
set datafile columnheaders
first_bar(bar) = bar == 0 ? (bars - 1) / 2.0 : bar - 1
middle(place, bar) = -(row_height * (place - 1) + name_height + 5.5 + bar_pitch * (first_bar(bar) + 0.5))
y(side) = middle(column("place"), column("bar")) + side * 9.5
is(name) = stringcolumn("kind") eq name
text_end(x, t) = x + text_width(strlen(t)) * axis_end / plot_width
crosses(x, t) = reference > 0 && x < reference && text_end(x, t) > reference
fits(x, t) = text_width(strlen(t)) * axis_end / plot_width < x
after_bar(x, t) = crosses(x, t) ? fits(x, t) ? away : reference : x
in_bar(x, t) = crosses(x, t) && fits(x, t) ? 2 * x - text_end(x, t) : away
away = -1000.0 * axis_end # gnuplot does not draw points outside the axes

text = "(y(0)):(stringcolumn('text')) with labels left offset 0.6, 0 noenhanced font small "
y_if(shown, side) = shown ? y(side) : 1000
box(shown) = sprintf("data using (0):(y_if(%s, 0)):(0):(column('value')):(y_if(%s, -1)):(y_if(%s, 1)) with boxxyerror ", shown, shown, shown)
parts = ""
do for [s = 1 : bars] {
    if (count[s] > 0) {
        parts = parts . box(sprintf("is('value') && (column('bar') == %d || bars == 1)", s))
        parts = parts . sprintf("lc rgb fill_of(fill_name[%d]) title legend[%d], ", s, s)
    }
}
parts = parts . box("is('doubtful')") . "fs pattern 4 border lc rgb color_text lc rgb color_soft notitle, "
parts = parts . box("is('failed')") . "fs pattern 4 border lc rgb color_failed lc rgb color_failed notitle, "
parts = parts . "data using (is('failed') ? column('value') : away):" . text . "tc rgb color_failed notitle, "
if (works > 0) {
    if (reference > 0) {
        parts = parts . "data using ($0 == 0 ? reference : away):(4):(0):(-row_height * rows - 8) with vectors nohead ls 2 notitle, "
    }
    parts = parts . "data using (is('failed') ? away : after_bar(column('value'), stringcolumn('text'))):" . text . "boxed tc rgb color_text notitle, "
    parts = parts . "data using (is('failed') ? away : in_bar(column('value'), stringcolumn('text'))):" . text . "tc rgb fill_name[1] eq 'emulated' ? '#FFFFFF' : color_text notitle, "
}
name_y(place) = narrow ? -(row_height * (place - 1) + 14) : middle(place, 0)
parts = parts . "data using (column('bar') < 2 ? 0 : away):(name_y(column('place'))):(stringcolumn('name')) with labels "
parts = parts . (narrow ? "left offset 0, 0 boxed " : "right offset -0.9, 0 ") . "noenhanced font normal tc rgb color_text notitle"

eval open_picture
eval "plot " . parts
unset output
