# picture-banks.gp: lanes above, banks below, a line from each lane to the bank it uses. A fan is a
# conflict. One panel for each access, and for each phase of it.

panel_height = 218
top = 92
height = top + panel_height * panels + 40
left = 64
right = 24
eval open_picture
eval draw_title
unset tics
unset border
set xrange [0 : banks]
set yrange [-0.75 : 2.35]
set style fill solid 1.0 border lc rgb color_text

lane_x(place) = (place + 0.5) * lane_width

do for [p = 1 : panels] {
    set lmargin at screen left / (1.0 * width)
    set rmargin at screen 1 - right / (1.0 * width)
    set tmargin at screen 1 - (top + panel_height * (p - 1)) / (1.0 * height)
    set bmargin at screen 1 - (top + panel_height * p) / (1.0 * height)
    lane_width = banks / (1.0 * phase_lanes[p])
    small = banks > 16 ? plain_11 : plain_13
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
set label 6 "number in a bank: how many different words the lanes want from it; each takes a wavefront" \
    at screen left / (1.0 * width), screen 20.0 / height left font plain_13 tc rgb color_soft
set yrange [0:1]
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 0.001
set bmargin at screen 0
unset label 3; unset label 4; unset label 5
do for [b = 0 : banks - 1] { unset object b + 1; unset label b + 100 }
plot NaN
unset multiplot
unset output
