# picture-sectors.gp: one panel per access, with a row for each memory line that the access touches. Light bytes are
# moved. Dark bytes are used by a lane and show the lane's number.

most = 0
do for [p = 1 : panels] { if (line_count[p] > most) { most = line_count[p] } }
row_height = most > 12 ? 17 : 22
panel_lines = 1
panel_room = int((width - 48) / 7.6)
do for [p = 1 : panels] { if (line_count(panel_text[p], panel_room) > panel_lines) { panel_lines = line_count(panel_text[p], panel_room) } }
# The space above each panel for its title. A title that repeats the previous title is omitted.
array above[panels]
do for [p = 1 : panels] { above[p] = p > 1 ? (panel_text[p] eq panel_text[p - 1] ? 8 : 18 + 18 * panel_lines) : 18 + 18 * panel_lines }
top = 76 + head
array offset[panels + 1]
offset[1] = top
do for [p = 1 : panels] { offset[p + 1] = offset[p] + above[p] + row_height * line_count[p] }
height = offset[panels + 1] + 76
left = 170
right = 28
eval open_picture
eval draw_title
unset border
unset xtics
set ytics scale 0 font plain_12 tc rgb color_soft
set xrange [0 : line_bytes]

do for [p = 1 : panels] {
    set lmargin at screen left / (1.0 * width)
    set rmargin at screen 1 - right / (1.0 * width)
    set tmargin at screen 1 - (offset[p] + above[p]) / (1.0 * height)
    set bmargin at screen 1 - offset[p + 1] / (1.0 * height)
    set yrange [line_count[p] : 0]
    set label 3 above[p] < 18 ? "" : wrap(panel_text[p], panel_room) at screen 24.0 / width, graph 1 offset 0, panel_lines - 0.3 left noenhanced font bold_12 tc rgb color_text
    set ytics ()
    do for [row = 1 : line_count[p]] {
        set ytics add (line_text[(p - 1) * 32 + row] row - 0.5)
        do for [s = 0 : line_bytes / sector_bytes - 1] {
            set object row * 16 + s rectangle from s * sector_bytes, row - 0.92 to (s + 1) * sector_bytes, row - 0.08 \
                fc rgb shade_none fs solid border lc rgb shade_line behind
        }
    }
    if (p == panels) {
        do for [s = 0 : line_bytes / sector_bytes] {
            set label 50 + s sprintf("%d", s * sector_bytes) at s * sector_bytes, line_count[p] center \
                offset 0, -0.8 font plain_12 tc rgb color_soft
        }
        set label 60 sprintf("byte of the line, in %s of %d bytes: light blue: moved;\ndark blue: used by the lane with that number", \
            sector_bytes == line_bytes ? "lines" : "pieces", sector_bytes) \
            at screen 24.0 / width, screen 32.0 / height left font plain_13 tc rgb color_soft
    }
    mine(x) = column("panel") == p ? x : NaN
    plot "data.csv" using (mine(column("moved_from") + column("moved_bytes") / 2.0)):(column("row") + 0.5):(column("moved_bytes") / 2.0):(0.42) \
             with boxxyerror fs solid border lc rgb color_text fc rgb shade_moved, \
         "" using (mine(column("byte") + column("bytes") / 2.0)):(column("row") + 0.5):(column("bytes") / 2.0 - 0.12):(0.33) \
             with boxxyerror fs solid noborder fc rgb shade_used, \
         "" using (mine(column("byte") + column("bytes") / 2.0)):(column("row") + 0.5):(stringcolumn("label")) \
             with labels center font plain_12 tc rgb "#FFFFFF"
    eval forget_title
    do for [row = 1 : line_count[p]] {
        do for [s = 0 : line_bytes / sector_bytes - 1] { unset object row * 16 + s }
    }
}
unset multiplot
unset output
