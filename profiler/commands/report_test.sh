#!/bin/bash
# report_test.sh: the page of `tlab report` for correct and incorrect kernels. No text of a student
# becomes markup. report_page_test.sh and grading/report/report_test.sh open pages in a browser. Run
# from the repository root.
# check: late plain
set -u
. profiler/tools/expect.sh
needs_ptx
needs jq

report() { # NAME ARGUMENT...: write the report of NAME.cu into $work/NAME.html
    local name=$1
    shift
    "$tlab" report "$work/$name.cu" --out "$work/$name.html" --rows 256 --cols 256 "$@"
}
page() { # NAME: print the page without its markup; each tag becomes a line end
    sed -e 's/<[^>]*>/\n/g' -e "s/&#39;/'/g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&amp;/\&/g" "$work/$1.html"
}
says() { # NAME PAGE PATTERN
    if page "$2" | tr -s '\n ' ' ' | grep -qE -- "$3"; then pass "$1"; else fail "$1: not on the page: $3" "$work/$2.html"; fi
}

cp solutions/02_coalesced/coalesced.cu "$work/coalesced.cu"
expect "the report of a correct kernel" 0 "^wrote .*coalesced.html" -- report coalesced --no-pictures
says "the page has title and verdict" coalesced "Coalesced transpose: correct"
says "the page has the counters" coalesced "loads: 32 wavefronts \(ideal 1\)"
says "the page has the launch configuration" coalesced "grid 8 x 8 x 1, block 32 x 8 x 1"
# The page and `tlab annotate` have the same text for a line, and the same shares of the lines.
line=$(grep -n 'tile\[threadIdx.x\]\[threadIdx.y + i\]' "$work/coalesced.cu" | cut -d: -f1)
report coalesced --no-pictures --rows 1024 --cols 1024 >/dev/null
"$tlab" annotate "$work/coalesced.cu" --rows 1024 --cols 1024 >"$work/annotated"
share=$(awk -v line="$line" '/^(shared|global) (load|store)/ { if (NF > 4) at = $5; if (at == line) sum += $4 } END { print sum }' "$work/annotated")
row=$(grep "<td class=\"line\">$line</td>" "$work/coalesced.html")
check "the most expensive line is marked" grep -q "the most expensive line" <<<"$row"
check "the line has its costs" grep -q "32 wavefronts (1)<br>4 sectors (4)\|4 sectors (4)<br>32 wavefronts (1)" <<<"$row"
page_share=$(grep -oE '>[0-9]+ %' <<<"$row" | tr -dc 0-9)
same "the line has its share of the time" "$(printf %.0f "$share")" "$page_share"
sed 's/LAB(coalesced)/LAB(padded)/' "$work/coalesced.cu" >"$work/unpadded.cu"
expect "a correct kernel that misses a goal" 0 "wrote" -- report unpadded --no-pictures
goal=$("$tlab" run "$work/unpadded.cu" --rows 256 --cols 256 | sed -n 's/.*not reached: //p' | sed 's/[;(].*//')
check "the page has the missed goal" grep -qF "not reached: $goal" "$work/unpadded.html"
check "the goals that are reached" grep -q 'class="good">reached: ' "$work/unpadded.html"
says "the page has the share of the copy" coalesced 'GB/s, modelled; [0-9.]+ % of the bandwidth of a copy'
says "a bar of one wavefront" coalesced 'stores: 1 wavefront \(ideal 1\): minimal'
says "a bar above the minimum" coalesced 'loads: 32 wavefronts \(ideal 1\): 32 times'
check "a bar above the minimum has stripes" grep -q 'stroke-dasharray="5 5"' "$work/coalesced.html"
says "a bar at the minimum" coalesced 'stores: 4 sectors \(ideal 4\): minimal'
same "only one bar has stripes" 1 "$(grep -c 'stroke-dasharray="' "$work/coalesced.html")"
check "a counter links to its line" grep -q "<a href=\"#k1-$line\">line $line</a>: load, 32 wavefronts (1)" "$work/coalesced.html"
check "the linked line exists" grep -q "<tr id=\"k1-$line\"" "$work/coalesced.html"
check "the advice links to its line" grep -q "<p class=\"said\"><a href=\"#k1-$line\">line $line</a>: shared-memory loads" "$work/coalesced.html"
check "no script without accesses" none grep '<script' "$work/coalesced.html"
expect "a lab with two kernels" 1 "wrote" -- "$tlab" report labs/00 --out "$work/two.html" --rows 64 --cols 64 --no-pictures
same "their lines have different links" 2 "$(grep -oE '<tr id="k[0-9]+-1"' "$work/two.html" | sort -u | wc -l)"
same "the page has both kernels" 2 "$(grep -c '<h2>' "$work/two.html")"

# --- incorrect kernels ----------------------------------------------------------------------------
kernel() { # NAME BODY
    printf '#include "lab.h"\nLAB(naive);\nextern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)\n{\n' >"$work/$1.cu"
    printf '    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;\n    %s\n}\n' "$2" >>"$work/$1.cu"
    printf 'LAB_LAUNCH(width, height)\n{\n    return {dim3(lab_ceil_div(width, 32), lab_ceil_div(height, 8)), dim3(32, 8)};\n}\n' >>"$work/$1.cu"
}
kernel bounds 'odata[x * height + y] = idata[y * width + x];'
expect "out of bounds" 1 "wrote" -- report bounds --no-pictures
says "the page has the diagnosis" bounds "out_of_bounds.*writes 4 bytes out of bounds"
check "the line of the mistake is marked" grep -q 'class="worst"><td class="line">6</td><td class="cost">.*named above' "$work/bounds.html"
check "its line is a link, with the source" grep -q '<p><a href="#k1-6">line 6</a>: <code>odata\[x \* height + y\]' "$work/bounds.html"
kernel copied 'if (x < width && y < height) odata[(size_t)y * width + x] = idata[(size_t)y * width + x];'
expect "a wrong result" 1 "wrote" -- report copied --no-pictures
check "no time and no GB/s in its heading" none grep -E 'GB/s|of a copy' "$work/copied.html"
says "the map of the output" copied 'map of odata, [0-9]+ x [0-9]+ \(# correct, x incorrect, \. never written\)'
check "the map marks incorrect elements" grep -qE '^(<pre class="map">)?    #?<b class="bad">x+</b>' "$work/copied.html"
says "the page links to the lines that store" copied 'Stores to global memory: line 6'
check "an incorrect kernel also has the costs of its lines" grep -q '4 sectors (4)' "$work/copied.html"
"$tlab" run "$work/copied.cu" --rows 256 --cols 256 | tr -s ' \n' ' ' | grep -oE "elements of odata are incorrect" >"$work/said"
says "its diagnosis is that of run" copied "$(cat "$work/said")"
kernel syntax 'odata[x] = idata[y'
expect "a kernel that does not compile" 1 "wrote" -- report syntax --no-pictures
check "the compiler's line is marked" grep -q '<td class="line">[67]</td><td class="cost">named above' "$work/syntax.html"
echo 'nothing of the kind' >"$work/nothing.cu"
expect "a file without a kernel" 1 "wrote" -- report nothing --no-pictures

# --- hostile names and comments -------------------------------------------------------------------
kernel 'a<b>&"c' 'if (x < width && y < height) odata[(size_t)x * height + y] = idata[(size_t)y * width + x]; // </td><script>alert(1)</script><img src=x onerror=alert(2)>'
printf '// \001\033[31m \377\376\n' >>"$work/a<b>&\"c.cu"
expect "a hostile file" 0 "wrote" -- report 'a<b>&"c'
hostile=$work/'a<b>&"c.html'
markup() { # PAGE: print the page without its own script and data
    grep -av '^<script type="application/json" data-of="k[0-9]*">[^<]*</script>$' "$1" | sed '/^<script>\/\/ The pickers/,/^<\/script>$/d'
}
markup "$hostile" >"$work/markup"
check "no text of a student becomes markup" none grep -aiE '<script|<img|onerror="|<b>' "$work/markup"
check "the page has only its own script" [ "$(grep -ac '^<script>' "$hostile")" = 1 ]
policy=$(grep -oE "script-src 'sha256-[^']*" "$hostile")
script=$(perl -MDigest::SHA=sha256_base64 -0777 -ne 'print sha256_base64($1), "=" if m{<script>(.*?)</script>}s' "$hostile")
same "the policy allows this script (PICKER_DIGEST)" "script-src 'sha256-$script" "$policy"
check "the text of the file is on the page" grep -q '&lt;script&gt;alert(1)' "$hostile"
check "no control characters" none grep -aP '[\x00-\x08\x0b-\x1f\x7f]' "$hostile"
check "the page loads no other files" none grep -aoP '<[^>]*(src|href)=.?[^#\x27"][^\x27"]*' "$hostile"
check "the policy forbids other resources" grep -q "default-src 'none'" "$hostile"
if command -v gnuplot >/dev/null; then check "the page has pictures" grep -q '<svg role="img"' "$hostile"; fi
kernel assert 'printf("</p><script>"); odata[0] = idata[0] + *(const float *)"</section><iframe>";'
report assert --no-pictures >/dev/null 2>&1
check "messages do not become markup" none grep -aiE '<script|<iframe' "$work/assert.html"
# The page omits a picture with markup that gnuplot does not generate.
jq -n '{title: "t", file: "f", status: "ok", rows: 1, cols: 1, pictures: ((["<svg x=\"\"><script>1</script></svg>", "<svg onload = \"x\"></svg>", "<svg ><a href=\"//e\">e</a></svg>", "<svg ><image href=\"x\"/></svg>",
      "<svg ><use xlink:href=\"http://e/#a\"/></svg>", "<svg ><rect style=\"fill:url(http://e)\"/></svg>", "<svg ><foreignObject/></svg>"] |
     map({title: "bad", svg: .})) + [{title: "good <one>", svg: "<?xml version=\"1.0\"?>\n<svg width=\"1\"><title>x</title><path d=\"M0 0\"/></svg>"}])}' |
    jq -nr -L profiler/view/page --arg style '' --arg script '' --arg digest '' -f profiler/view/page/report.jq >"$work/pictures.html"
same "only one of eight pictures is valid" 1 "$(grep -c '<svg' "$work/pictures.html")"
check "the picture with a valid title" grep -qF '<title>good &lt;one&gt;</title>' "$work/pictures.html"
awk 'BEGIN { print "<svg >"; for (i = 0; i < 16000; i++) printf "<polygon points=\"%d,1 %d,2\"/>\n<path d=\"M0 0 L%d 1z\"/>\n", i, i, i; print "</svg>" }' |
    jq -Rs '{title: "t", file: "f", status: "ok", rows: 1, cols: 1, pictures: [{title: "large", svg: .}]}' |
    jq -nr -L profiler/view/page --arg style '' --arg script '' --arg digest '' -f profiler/view/page/report.jq >"$work/large.html"
same "a large picture is complete" 16000 "$(grep -c '<polygon' "$work/large.html")"

# --- the harness ----------------------------------------------------------------------------------
expect "no target" 2 "needs a lab directory" -- "$tlab" report
expect "a directory that does not exist" 2 "No such file|cannot" -- "$tlab" report "$work/bounds.cu" --out "$work/none/x.html" --no-pictures
mkdir "$work/bin" && ln -s "$(command -v clang)" "$work/bin/clang" 2>/dev/null
expect "no jq" 2 "jq, which is not in PATH" -- env PATH="$work/bin" "$tlab" report "$work/bounds.cu" --out "$work/x.html"
(cd "$work" && "$tlab" report bounds.cu --no-pictures) >/dev/null 2>&1
check "the default name" [ -s "$work/report-bounds.html" ]
finish
