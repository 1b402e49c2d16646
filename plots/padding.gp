# padding.gp: three steps from a tile with 32 columns to a tile with 33, and the banks of its words. See evidence.awk.

columns = narrow ? 1 : 3
gap = 40
panel_width = narrow ? 240 : (width - 40 - 2 * gap) / 3
panel_height = panel_width * 32 / 33.0
block = panel_height + 122
height = head_height + (narrow ? 3 : 1) * block + note_height(note_text)
eval open_picture
set multiplot
eval draw_title
eval draw_note
set key off
unset border
unset tics
set xrange [-0.5 : 32.5]
set yrange [31.5 : -0.5]
text_room = int((narrow ? width - 40 : panel_width) / 8.2)
do for [p = 1 : 3] {
    x0 = 20 + (narrow ? 0 : (p - 1) * (panel_width + gap))
    y0 = head_height + 52 + (narrow ? (p - 1) * block : 0)
    eval place_panel
    pitch = p == 1 ? 32 : 33
    unset object
    set object 1 rectangle from -0.5, -0.5 to 31.5, 31.5 fc rgb color_emulated_3 fs solid border lc rgb color_soft
    if (p > 1) { set object 2 rectangle from 31.5, -0.5 to 32.5, 31.5 fc rgb "#FFFFFF" fs pattern 4 border lc rgb color_soft }
    # Element (r, c) is word pitch * r + c, which is in bank (pitch * r + c) % 32.
    do for [r = 0 : 31] {
        c = (32 - (pitch * r) % 32) % 32
        set object 100 + r rectangle from c - 0.5, r - 0.5 to c + 0.5, r + 0.5 fc rgb color_emulated fs solid noborder
        if (p > 1 && r % 32 == 0) { set object 200 rectangle from 31.5, r - 0.5 to 32.5, r + 0.5 fc rgb color_emulated fs solid noborder }
    }
    if (p != 2) { set object 300 rectangle from -0.5, -0.5 to 0.5, 31.5 fs empty border lc rgb color_text lw 2 front }
    set label 3 step_title[p] at graph 0, 1 offset 0, 1.9 left noenhanced font small_bold tc rgb color_text
    set label 4 step_code[p] at graph 0, 1 offset 0, 0.7 left noenhanced font small tc rgb color_text
    set label 5 wrap(step_text[p], text_room) at graph 0, 0 offset 0, -1.0 left noenhanced font small tc rgb color_text
    plot NaN notitle
    unset label 1; unset label 2; unset label 9
    if (p < 3 && !narrow) { set arrow 1 from screen (x0 + panel_width + 6) / width, screen 1 - (y0 + panel_height / 2) / height to screen (x0 + panel_width + gap - 6) / width, screen 1 - (y0 + panel_height / 2) / height lw 2 lc rgb color_text } else { unset arrow }
}
unset multiplot
unset output
