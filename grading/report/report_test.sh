#!/bin/bash
# report_test.sh: tests the pages of reports in a browser (headless Chromium). The pages must fit on a phone, be
# sortable, comply with their security policy, and have names for screen readers. report_test.c writes the pages.
# check: slow
set -u
. profiler/tools/expect.sh
browser=
for name in chromium chromium-browser google-chrome; do
    command -v $name >/dev/null && browser=$name && break
done
[ -n "$browser" ] || skip_all "Chromium is not installed"
test_program=$(dirname "$tlab")/tests/grading/report/report_test
[ -x "$test_program" ] || skip_all "the unit test that writes the pages is not built"
pages=$(TLAB_KEEP=1 "$test_program" 2>/dev/null | grep '^/tmp/report_test') || {
    fail "$test_program writes no pages"
    finish
}
trap 'rm -rf "$work" "$pages"' EXIT

# Print the result of SCRIPT in a page with a width of WIDTH pixels. SCRIPT runs in a copy of the page without the
# security policy, which would forbid it, and writes its result to the title.
ask() { # PAGE WIDTH SCRIPT
    sed -e 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' "$1" >"$work/page.html"
    printf '<script>window.onload=function(){document.title="ANSWER "+(function(){%s})()+" END"}</script>' "$3" \
        >>"$work/page.html"
    # A window of Chromium is at least 500 pixels wide; a frame can be narrower.
    cat >"$work/frame.html" <<END
<iframe id=f src=page.html style="width:$2px;height:800px;border:0"></iframe>
<script>f.onload=function(){setTimeout(function(){document.title=f.contentDocument.title},50)}</script>
END
    timeout 900 "$browser" --headless=new --no-sandbox --disable-gpu --allow-file-access-from-files \
        --user-data-dir="$work/profile" --virtual-time-budget=2000 --dump-dom "file://$work/frame.html" 2>/dev/null |
        sed -n 's/.*<title>ANSWER \(.*\) END<.*/\1/p'
}

# The pages of `tlab report` for a kernel with bank conflicts (with pictures) and for an incorrect kernel.
report=$pages/report.html wrong=$pages/wrong.html
"$tlab" report solutions/02_coalesced --out "$report" >/dev/null
"$tlab" report labs/01_naive --out "$wrong" >/dev/null

student=$pages/students/asa.o-brien/index.html class=$pages/index.html
overflow='return document.documentElement.scrollWidth-document.documentElement.clientWidth'
for page in "$student" "$class" "$report" "$wrong"; do
    for width in 375 1280; do
        expect "no horizontal scrolling at $width pixels" 0 '^0$' -- ask "$page" $width "$overflow"
    done
done

names='var bad=[];document.querySelectorAll("svg[role=img]").forEach(function(s){
if(!s.querySelector("title")||!s.querySelector("title").textContent)bad.push("svg")});
document.querySelectorAll("table").forEach(function(t){if(!t.caption)bad.push("caption")});
document.querySelectorAll("thead th,tbody th").forEach(function(t){if(!t.scope)bad.push("scope")});
document.querySelectorAll("[tabindex]").forEach(function(t){if(!t.getAttribute("aria-label"))bad.push("label")});
var level=0;document.querySelectorAll("h1,h2,h3").forEach(function(h){var l=+h.tagName[1];
if(l>level+1)bad.push("heading "+h.textContent);level=l});
if(!document.documentElement.lang||document.querySelectorAll("main").length!=1||document.querySelectorAll("h1").length!=1)bad.push("landmarks");
return bad.length+" unnamed "+bad.join()'
expect "names for a screen reader (student)" 0 '^0 unnamed' -- ask "$student" 1280 "$names"
expect "names for a screen reader (class)" 0 '^0 unnamed' -- ask "$class" 1280 "$names"
expect "names for a screen reader (report)" 0 '^0 unnamed' -- ask "$report" 1280 "$names"
expect "names for a screen reader (report of a wrong kernel)" 0 '^0 unnamed' -- ask "$wrong" 1280 "$names"

# The contrast of each text with its background is at least 4.5 (formula of WCAG 2).
contrast='function lum(c){return c.match(/[\d.]+/g).slice(0,3).map(function(v){v/=255;return v<=.03928?v/12.92:Math.pow((v+.055)/1.055,2.4)})
.reduce(function(s,v,i){return s+v*[.2126,.7152,.0722][i]},0)}
var least=99;document.querySelectorAll("body *").forEach(function(e){if(!e.textContent.trim()||e.closest("svg")||e.tagName=="SCRIPT")return;
var b=e,back;do{back=getComputedStyle(b).backgroundColor;b=b.parentElement}while(b&&/, 0\)$/.test(back));
if(/, 0\)$/.test(back))back="rgb(255,255,255)";
var x=lum(getComputedStyle(e).color),y=lum(back);least=Math.min(least,(Math.max(x,y)+.05)/(Math.min(x,y)+.05))});
return least>=4.5?"enough":least'
expect "contrast (student)" 0 '^enough$' -- ask "$student" 1280 "$contrast"
expect "contrast (class)" 0 '^enough$' -- ask "$class" 1280 "$contrast"
expect "contrast (report)" 0 '^enough$' -- ask "$report" 1280 "$contrast"
expect "contrast (report of a wrong kernel)" 0 '^enough$' -- ask "$wrong" 1280 "$contrast"
pictures='var n=0;document.querySelectorAll(".picture svg").forEach(function(s){var b=s.getBoundingClientRect();
if(b.width>200&&b.height>20&&b.right<=document.documentElement.clientWidth)n++});return n+" pictures"'
command -v gnuplot >/dev/null && expect "pictures (report)" 0 '^3 pictures' -- ask "$report" 1280 "$pictures"

# The first click sorts a column of points in descending order, the second click in ascending order.
sort='var b=document.querySelectorAll("th button")[3];b.click();
function first(){return document.querySelector("tbody tr").cells[3].dataset.key}
var a=first();b.click();return a+" "+first()+" "+b.closest("th").getAttribute("aria-sort")'
expect "sorting" 0 '^30 1 ascending$' -- ask "$class" 1280 "$sort"
names_sorted='document.querySelector("th button").click();return document.querySelector("tbody th a").textContent'
expect "sorting names" 0 '^Adam$' -- ask "$class" 1280 "$names_sorted"

expect "eight exercises, 150 people" 0 "^$work/wide.html" -- bash -c '
    grades=$(for i in $(seq 150); do printf "{\"id\":\"s%d\",\"name\":\"Firstname Lastname %d\",\"submitted\":true,\"score\":%d,\"points\":95,
        \"notes\":[\"a note that is as long as notes are, and then somewhat longer than most, with LAB(padded)\",\"another\"],
        \"flags\":[{\"kind\":\"same_file\",\"evidence\":\"evidence\"}],\"labs\":[" $i $i $((i % 90))
        for lab in copy copy_shared naive coalesced padded fine_grained coarse_grained diagonal; do
            printf "{\"exercise\":\"%s\",\"title\":\"%s\",\"score\":%d.25,\"points\":20,\"status\":\"%s\",\"file\":\"a.cu\"}," $lab $lab $((i % 20)) \
                $([ $((i % 3)) = 0 ] && echo untrusted || echo ok)
        done
        printf "{\"exercise\":\"last\",\"title\":\"last\",\"score\":1,\"points\":5}]}\n"; done)
    jq -n -c -L grading/report -L profiler/view/page --rawfile style profiler/view/page/style.css \
        --rawfile script grading/report/sort.js --arg digest x -f grading/report/class.jq <<<"$grades" |
        jq -r ".files[\"index.html\"]" >"$1" && echo "$1"' bash "$work/wide.html"
wide=$work/wide.html
fits='var t=document.querySelector("table.class"),b=t.parentElement;var tall=0;
document.querySelectorAll("table.class tbody tr").forEach(function(r){if(r.offsetHeight>60)tall++});
return b.scrollWidth-b.clientWidth+" over, "+tall+" tall, "+Array.from(t.tHead.rows[0].cells).slice(0,3).map(function(c){return c.textContent}).join("|")'
expect "the table fits" 0 '^0 over, 1 tall, Name\|Total of [0-9]*\|Flags, notes$' -- ask "$wide" 1280 "$fits"
filter='var f=document.getElementById("filter"),s=document.getElementById("state"),o=document.getElementById("shown");
function now(e){e.dispatchEvent(new Event("input"));return o.textContent}
f.value="LASTNAME 14";var a=now(f);s.value="untrusted";return a+", "+now(s)'
expect "filter by name and state" 0 '^11 of 150, 3 of 150$' -- ask "$wide" 1280 "$filter"
keys='var f=document.getElementById("filter");function key(t,k){t.dispatchEvent(new KeyboardEvent("keydown",{key:k,bubbles:true}))}
key(document.body,"/");var a=document.activeElement===f;f.value="lastname 150";f.dispatchEvent(new Event("input"));
key(f,"ArrowDown");var b=document.activeElement.textContent;key(document.activeElement,"ArrowUp");key(f,"Escape");
key(document.activeElement,"ArrowUp");return a+" "+b+", "+document.activeElement.textContent'
expect "keys" 0 '^true Firstname Lastname 150, Firstname Lastname 149$' -- ask "$wide" 1280 "$keys"
glance='return Array.from(document.querySelectorAll(".glance .badge")).map(function(b){return b.textContent}).join()'
expect "special cases" 0 '^submission without points,untrusted,flags$' -- ask "$wide" 1280 "$glance"

# The security policy allows only the page's script, by its digest. openssl computes the expected digest.
digest() {
    awk -v RS='</?script>' 'NR == 2 { printf "%s", $0 }' "$1" | openssl dgst -sha256 -binary | base64
}
if command -v openssl >/dev/null; then
    expect "the policy names the script" 0 '^sha256-.{43}=' -- grep -oF "sha256-$(digest "$class")" "$class"
fi
expect "no script in a student's page" 1 '' -- grep -q '<script' "$student"

finish
