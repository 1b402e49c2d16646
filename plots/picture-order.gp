# picture-order.gp: tiles with their block index, in the shade of their partition; idata beside odata, one
# kernel below the other. The first eight blocks, which start together, have a thick frame.

top = 96
left = 40
gap = 60
cell = 66
most_across = 1
do for [p = 1 : 2 * panels] { if (across[p] > most_across) { most_across = across[p] } }
panel_width = cell * most_across
width = left + 2 * panel_width + gap + 30
if (width < 900) { width = 900 }
array place[panels + 1]
place[1] = top
do for [k = 1 : panels] { place[k + 1] = place[k] + 46 + cell * (down[2 * k - 1] > down[2 * k] ? down[2 * k - 1] : down[2 * k]) + 14 }
height = place[panels + 1] + 46
eval open_picture
eval draw_title
unset border
unset tics
set palette defined (0 "#FFFFFF", 1 "#1F5F8B")
most = 1
do for [p = 1 : 2 * panels] { if (most_partition[p] > most) { most = most_partition[p] } }
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
    set tmargin at screen 1 - (place[k] + 46) / (1.0 * height)
    set bmargin at screen 1 - (place[k] + 46 + cell * down[p]) / (1.0 * height)
    set xrange [-0.5 : across[p] - 0.5]
    set yrange [down[p] - 0.5 : -0.5]
    set label 3 panel_text[p] at graph 0, 1 offset 0, 0.8 left noenhanced font bold_14 tc rgb color_text
    if (p == 2 * panels) {
        set label 4 sprintf("number: the block index, which is the order in which blocks start; p and shade: the partition of the tile's first element; framed: blocks 0 to 7") \
            at screen 24.0 / width, screen 18.0 / height left noenhanced font plain_12 tc rgb color_soft
    }
    plot "data.csv" using (mine(column("tile_x"))):(column("tile_y")):(0.47):(0.47):(column("partition")) with boxxyerror fs solid border lc rgb color_soft fc palette, \
        "" using (early(column("tile_x"))):(column("tile_y")):(0.45):(0.45) with boxxyerror fs empty border lc rgb color_text lc rgb color_text lw 3, \
        "" using (mine(column("tile_x"))):(column("tile_y")):(sprintf("%d", column("block"))):(dark(column("partition"))) with labels center offset 0, 0.35 font bold_14 tc rgb variable, \
        "" using (mine(column("tile_x"))):(column("tile_y")):(sprintf("p%d", column("partition"))):(dark(column("partition"))) with labels center offset 0, -0.75 font plain_11 tc rgb variable
    eval forget_title
}
unset multiplot
unset output
