# pitch.gp: bank conflicts per request by the pitch of an array in shared memory, on two devices. See evidence.awk.

left = 74
panel_width = width - left - 24
panel_height = narrow ? 190 : 240
height = head_height + 20 + panel_height + 64 + (narrow ? 52 : 32)
eval open_picture
set datafile columnheaders
eval draw_title
data = picture . ".dat"
x0 = left
y0 = head_height + 14
eval place_panel
set border 3 lc rgb color_soft
set xrange [-0.8 : 40.8]
set yrange [0 : 34]
set xtics 0, 4, 40 nomirror scale 0.4 font small tc rgb color_soft
set ytics (0, 7, 15, 31) nomirror scale 0.4 font small tc rgb color_soft
set grid ytics ls 3
set xlabel x_title noenhanced font small tc rgb color_text
set ylabel y_title noenhanced font small tc rgb color_text
set key at screen left / (1.0 * width), screen (narrow ? 48.0 : 26.0) / height left top horizontal Left reverse samplen 1.5 maxcols (narrow ? 1 : 2) font small noenhanced tc rgb color_text
if (narrow) { set key vertical maxrows 2 }
of(device, shift) = stringcolumn("device") eq device ? column("pitch") + shift : -100
set boxwidth 0.36 absolute
plot data using (of("h200", -0.19)):(column("conflicts")) with boxes lc rgb color_emulated title "NVIDIA H200: 32 banks, 32 lanes at a time", \
    "" using (of("gtx280", 0.19)):(column("conflicts")) with boxes lc rgb color_emulated_2 title "GeForce GTX 280: 16 banks, 2 x 16 lanes", \
    "" using (of("h200", -0.19)):(column("conflicts")):(column("conflicts") > 6 ? sprintf("%d", column("conflicts")) : "") with labels center offset 0, 0.6 noenhanced font small tc rgb color_text notitle
unset output
