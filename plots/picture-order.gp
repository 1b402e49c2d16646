# picture-order.gp: the tiles of idata and odata with their block index, shaded by partition, one row of panels per
# kernel. The first eight blocks, which start together, have a thick frame.

top = 78 + head
most = 1
do for [p = 1 : 2 * panels] { if (most_partition[p] > most) { most = most_partition[p] } }
# Block index and partition are in the same line if both fit.
stats "data.csv" using (column("block")) nooutput
one_line = most < 10 && STATS_max < 1000
cell_height = one_line ? 22 : 30
left = 24
gap = 24
most_across = 1
do for [p = 1 : 2 * panels] { if (across[p] > most_across) { most_across = across[p] } }
cell = (width - left - gap - 24) / (2 * most_across)
if (cell > 60) { cell = 60 }
panel_width = cell * most_across
array place[panels + 1]
place[1] = top
do for [k = 1 : panels] { place[k + 1] = place[k] + 30 + cell_height * (down[2 * k - 1] > down[2 * k] ? down[2 * k - 1] : down[2 * k]) + 14 }
height = place[panels + 1] + 50
eval open_picture
eval draw_title
unset border
unset tics
set palette defined (0 "#FFFFFF", 1 "#1F5F8B")
set cbrange [-1 - 0.15 * most : most] # partition 0 is shaded, too
unset colorbox
dark(partition) = partition > 0.55 * most ? 0xFFFFFF : 0x222222
mine(x) = column("panel") == p ? x : -1000
early(x) = column("panel") == p && column("block") < 8 ? x : -1000

do for [p = 1 : 2 * panels] {
    k = (p + 1) / 2
    x0 = left + (p % 2 == 0 ? panel_width + gap : 0)
    set lmargin at screen x0 / (1.0 * width)
    set rmargin at screen (x0 + cell * across[p]) / (1.0 * width)
    set tmargin at screen 1 - (place[k] + 30) / (1.0 * height)
    set bmargin at screen 1 - (place[k] + 30 + cell_height * down[p]) / (1.0 * height)
    set xrange [-0.5 : across[p] - 0.5]
    set yrange [down[p] - 0.5 : -0.5]
    set label 3 panel_text[p] at graph 0, 1 offset 0, 0.8 left noenhanced font bold_12 tc rgb color_text
    if (p == 2 * panels) {
        set label 4 wrap("number: the block index, which is the order in which blocks start; p and shade: the partition of the tile's first element; framed: blocks 0 to 7", text_room) \
            at screen 24.0 / width, screen 34.0 / height left noenhanced font plain_12 tc rgb color_soft
    }
    plot "data.csv" using (mine(column("tile_x"))):(column("tile_y")):(0.47):(0.47):(column("partition")) with boxxyerror fs solid border lc rgb color_soft fc palette, \
        "" using (early(column("tile_x"))):(column("tile_y")):(0.45):(0.45) with boxxyerror fs empty border lc rgb color_text lc rgb color_text lw 3, \
        "" using (mine(column("tile_x") - (one_line ? 0.17 : 0))):(column("tile_y")):(sprintf("%d", column("block"))):(dark(column("partition"))) with labels center offset 0, one_line ? 0 : 0.36 font bold_12 tc rgb variable, \
        "" using (mine(column("tile_x") + (one_line ? 0.27 : 0))):(column("tile_y")):(sprintf("p%d", column("partition"))):(dark(column("partition"))) with labels center offset 0, one_line ? 0 : -0.36 font plain_12 tc rgb variable
    eval forget_title
}
unset multiplot
unset output
