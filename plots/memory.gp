# memory.gp: the memory levels from a warp to DRAM with their sizes, and the rates and counters between them. See evidence.awk.

box_height = 56
link_height = 74
height = head_height + 4 * box_height + 3 * link_height + 20
eval open_picture
eval draw_title
set margins 0, 0, 0, 0
set xrange [0 : width]
set yrange [-height : 0]
unset border
unset tics
set key off
box_left = 20
box_right = width - 20
arrow_x = narrow ? 90 : 200
do for [k = 1 : 4] {
    y = -head_height - 6 - (k - 1) * (box_height + link_height)
    set object k rectangle from box_left, y - box_height to box_right, y fc rgb k < 3 ? color_emulated_2 : color_emulated_3 fs solid border lc rgb color_text
    set label 10 + k level_name[k] at box_left + 14, y - 19 left noenhanced font small_bold tc rgb color_text
    set label 20 + k level_note[k] at box_left + 14, y - 39 left noenhanced font small tc rgb color_text
}
do for [k = 1 : 3] {
    y = -head_height - 6 - k * box_height - (k - 1) * link_height
    half = 0.42 * link_rate[k]
    set object 10 + k rectangle from arrow_x - half, y - link_height to arrow_x + half, y fc rgb color_emulated fs solid noborder
    text_x = arrow_x + 0.42 * link_rate[1] + 16
    set label 30 + k sprintf("%.0f bytes per clock; %s", link_rate[k], link_note[k]) at text_x, y - 26 left noenhanced font small tc rgb color_text
    set label 40 + k wrap("counters: " . link_counter[k], narrow ? 38 : 80) at text_x, y - 46 left noenhanced font small tc rgb color_soft
}
plot NaN notitle
unset output
