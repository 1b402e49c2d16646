# picture-tile.gp: the stages of a tile side by side. Each element is a cell, shaded by the element's row in idata. A
# frame surrounds the cells of one warp access. A dot marks the same element in all stages.

left = 62
gap = 68
dot_scale = format eq "svg" ? 0.45 : 1 # points are larger in SVG
panel_width = (width - left - 24.0 - gap * (panels - 1)) / panels
stage_room = int((panel_width + gap - 12) / 7.6)
text_lines = 1
note_lines = 1
do for [p = 1 : panels] {
    if (line_count(panel_text[p], stage_room) > text_lines) { text_lines = line_count(panel_text[p], stage_room) }
    if (line_count(panel_note[p], stage_room) > note_lines) { note_lines = line_count(panel_note[p], stage_room) }
}
top = 108 + head + 17 * (text_lines + note_lines)
tallest = 0
do for [p = 1 : panels] {
    share = (high_y[p] - low_y[p] + 1.0) / (high_x[p] - low_x[p] + 1.0)
    if (share > tallest) { tallest = share }
}
if (tallest > 1.6) { tallest = 1.6 }
panel_height = panel_width * tallest
height = floor(top + panel_height + 100)
eval open_picture
eval draw_title
set palette defined (0 "#F4F8FB", 1 "#3C8DC0")
set cbrange [first_row : last_row > first_row ? last_row : first_row + 1]
unset colorbox
set border lc rgb color_soft
set tics scale 0.3 font plain_12 tc rgb color_soft
set xtics nomirror
set ytics nomirror

do for [p = 1 : panels] {
    x0 = left + (p - 1) * (panel_width + gap)
    set lmargin at screen x0 / width
    set rmargin at screen (x0 + panel_width) / width
    set tmargin at screen 1 - (top + 0.0) / height
    set bmargin at screen 1 - (top + panel_height) / height
    is_shared = panel_stage[p] == 2 || panel_stage[p] == 3
    set label 3 wrap(panel_text[p], stage_room) at graph 0, 1 offset 0, text_lines + note_lines - 0.1 left noenhanced font bold_12 tc rgb color_text
    set label 4 wrap(panel_note[p], stage_room) at graph 0, 1 offset 0, note_lines - 0.3 left noenhanced font plain_12 tc rgb color_text
    set xlabel is_shared ? "bank" : "column" font plain_12 tc rgb color_text offset 0, 0.4
    # If row numbers have five digits, the label "row" does not fit.
    set ylabel is_shared ? "shared-memory row" : high_y[p] > 9999 ? "" : "row" font plain_12 tc rgb color_text offset 1.6, 0
    set xrange [low_x[p] - 0.5 : high_x[p] + 0.5]
    set yrange [high_y[p] + 0.5 : low_y[p] - 0.5]
    set xtics 8
    set ytics 8
    # Words without a cell are padding.
    if (is_shared) {
        set object 1 rectangle from low_x[p] - 0.5, low_y[p] - 0.5 to high_x[p] + 0.5, high_y[p] + 0.5 \
            fc rgb color_text fs transparent pattern 5 noborder behind
    } else { unset object 1 }
    mine(x) = column("stage") == panel_stage[p] ? x : NaN
    framed(x) = column("stage") == panel_stage[p] && column("time") == 1 && column("warp") == warp ? x : NaN
    followed(x) = column("stage") == panel_stage[p] && column("input_row") == dot_row && column("input_col") == dot_col ? x : NaN
    plot "data.csv" using (mine(column("x"))):(column("y")):(0.5):(0.5):(column("input_row")) with boxxyerror \
             fs solid border lc rgb "#FFFFFF" lw 0.3 fc palette, \
         "" using (framed(column("x"))):(column("y")):(0.44):(0.44) with boxxyerror \
             fs empty border lc rgb color_text lc rgb color_text lw 1.6, \
         "" using (followed(column("x"))):(column("y")) with points pt 7 ps 2.7 * dot_scale lc rgb color_text, \
         "" using (followed(column("x"))):(column("y")) with points pt 7 ps 2.0 * dot_scale lc rgb shade_followed
    eval forget_title
    set label 5 wrap("hatched in shared memory: words without an element (padding, or past the end of the tile)", text_room) at screen 24.0 / width, \
        screen 16.0 / height left noenhanced font plain_12 tc rgb color_soft
}
unset multiplot
unset output
