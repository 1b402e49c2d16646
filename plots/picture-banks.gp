# picture-banks.gp: lanes at the top, banks at the bottom, and a line from each lane to its bank. Several lines to one
# bank are a bank conflict if the lanes access different words. There is one panel per access and phase.

panel_height = 156
top = 82 + head
grid_text = grid_rows == 0 ? "" : grid_name . ": the bank of every element; dark: accessed by the lanes of the first panel; hatched: padding" . \
    (grid_rows > 8 ? sprintf("; rows 0 to 7 of %d", grid_rows) : "")
grid_shown = grid_rows > 8 ? 8 : grid_rows
grid_head = 18 * line_count(grid_text, title_room)
cell = grid_rows == 0 ? 0 : (width - 88.0) / grid_columns > 36 ? 36 : (width - 88.0) / grid_columns
grid_height = grid_rows == 0 ? 0 : 44 + grid_head + 18 * grid_shown
height = top + panel_height * panels + 40 + grid_height
left = 64
right = 24
eval open_picture
eval draw_title
unset tics
unset border
set xrange [0 : banks]
set yrange [-0.85 : 2.5]
set style fill solid 1.0 border lc rgb color_text

lane_x(place) = (place + 0.5) * lane_width

do for [p = 1 : panels] {
    set lmargin at screen left / (1.0 * width)
    set rmargin at screen 1 - right / (1.0 * width)
    set tmargin at screen 1 - (top + panel_height * (p - 1)) / (1.0 * height)
    set bmargin at screen 1 - (top + panel_height * p) / (1.0 * height)
    lane_width = banks / (1.0 * phase_lanes[p])
    small = banks > 16 ? plain_12 : plain_13
    set label 3 panel_text[p] at 0, 2.2 left noenhanced font bold_14 tc rgb color_text
    set label 4 "lane" at screen 20.0 / width, first 1.72 left font plain_12 tc rgb color_soft
    set label 5 "bank" at screen 20.0 / width, first -0.02 left font plain_12 tc rgb color_soft
    do for [b = 0 : banks - 1] {
        set object b + 1 rectangle from b + 0.06, -0.25 to b + 0.94, 0.25 \
            fc rgb shade_none fs solid border lc rgb shade_line
        set label b + 100 sprintf("%d", b) at b + 0.5, -0.48 center font small tc rgb color_soft
    }
    mine(x) = column("panel") == p ? x : NaN
    plot "data.csv" using (mine(lane_x(column("place")))):(1.5):(column("bank") + 0.5 - lane_x(column("place"))):(-1.25) with vectors nohead \
             lw 1.6 lc rgb color_text, \
         "" using (mine(column("bank") + 0.5)):(0):(0.44):(0.25):(column("words_in_bank") > 1 ? 0x0072B2 : 0xCFE3F2) \
             with boxxyerror fs solid border lc rgb color_text fc rgb variable, \
         "" using (mine(column("bank") + 0.5)):(0):(sprintf("%d", column("words_in_bank"))):(column("words_in_bank") > 1 ? 0xFFFFFF : 0x222222) \
             with labels center font bold_13 tc rgb variable, \
         "" using (mine(lane_x(column("place")))):(1.72):(lane_width * 0.44):(0.22) with boxxyerror \
             fs solid border lc rgb color_text fc rgb shade_moved, \
         "" using (mine(lane_x(column("place")))):(1.72):(sprintf("%d", column("lane"))) with labels center font small \
             tc rgb color_text
    eval forget_title
}
do for [b = 0 : banks - 1] { unset object b + 1; unset label b + 100 }
unset label 3; unset label 4; unset label 5
set label 6 "number in a bank: different words that the lanes access there; each takes one wavefront" \
    at screen left / (1.0 * width), screen (20.0 + grid_height) / height left font plain_13 tc rgb color_soft
if (grid_rows > 0) {
    # The array as declared in the source, with the bank of every element. Panel 1 accesses the dark elements.
    set lmargin at screen left / (1.0 * width)
    set rmargin at screen (left + cell * grid_columns) / (1.0 * width)
    set tmargin at screen (grid_height - 22.0 - grid_head) / height
    set bmargin at screen (grid_height - 22.0 - grid_head - 18 * grid_shown) / height
    set xrange [-0.5 : grid_columns - 0.5]
    set yrange [grid_shown - 0.5 : -0.5]
    set label 3 wrap(grid_text, title_room) at graph 0, 1 offset 0, grid_head / 18.0 - 0.3 left noenhanced font bold_13 tc rgb color_text
    # Columns that the block never accesses are padding.
    if (grid_used < grid_columns) {
        set object 1 rectangle from grid_used - 0.5, -0.5 to grid_columns - 0.5, grid_shown - 0.5 \
            fc rgb shade_line fs transparent pattern 5 noborder behind
    }
    total = grid_shown * grid_columns
    set samples total
    at_row(i) = int(i + 0.5) / grid_columns
    at_column(i) = int(i + 0.5) % grid_columns
    asked(x) = column("panel") == 1 && column("row") < grid_shown ? x : -1000
    plot sample [i = 0 : total - 1] "+" using (at_column($1)):(at_row($1)):(sprintf("%d", (grid_bank + int($1 + 0.5)) % banks)) \
            with labels center font plain_12 tc rgb color_soft, \
        "data.csv" using (asked(column("column"))):(column("row")):(0.48):(0.46) with boxxyerror fs solid noborder fc rgb shade_used, \
        "data.csv" using (asked(column("column"))):(column("row")):(sprintf("%d", column("bank"))) with labels center font bold_12 tc rgb "#FFFFFF"
} else {
    set yrange [0:1]
    set lmargin at screen 0
    set rmargin at screen 1
    set tmargin at screen 0.001
    set bmargin at screen 0
    plot NaN
}
unset multiplot
unset output
