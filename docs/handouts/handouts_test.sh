#!/bin/bash
# handouts_test.sh: tests that each handout has one or two pages and no broken links, and that handouts for students
# contain no answers. HANDOUTS_TEST_KEEP=DIR saves the handouts.
# check: slow
set -u
. profiler/tools/expect.sh

for program in pandoc weasyprint pdfinfo pdftotext; do
    command -v $program >/dev/null || skip_all "$program is not installed"
done
student=$work/student teacher=$work/teacher

ls -d labs/[0-9][0-9]_* | sed 's,labs/,,' >"$work/names"
echo quiz >>"$work/names"

expect "the handouts for students" 0 'WROTE.*index.html' -- docs/handouts/make_handouts "$student"
# To save time, only two of the pages for instructors are drawn as PDF.
mkdir "$work/few"
cat >"$work/few/weasyprint" <<END
#!/bin/sh
case \$2 in *03_padded*|*quiz*) exec $(command -v weasyprint) "\$@" ;; esac
echo none >"\$3"
END
chmod +x "$work/few/weasyprint"
expect "the handouts for instructors" 0 'WROTE.*index.html' -- \
    env PATH="$work/few:$PATH" docs/handouts/make_handouts --instructor "$teacher"

links() { # HTML: print its links; pictures and style are embedded in the page
    grep -oE '(href|src)="[^"]*"' "$1" | sed -E 's/^[a-z]+="//; s/"$//' | grep -vE '^(data:|https?:|mailto:|$)'
}
broken() { # FOLDER: print links without a target
    local page link
    for page in "$1"/*.html; do
        links "$page" | while read -r link; do
            case $link in
            '#'*) grep -qE "id=\"${link#?}\"" "$page" || echo "${page##*/}: $link" ;;
            *) [ -s "$1/${link%%#*}" ] || echo "${page##*/}: $link" ;;
            esac
        done
    done
}
outside() { # FOLDER: print links to files in its PDFs
    local pdf
    for pdf in "$1"/*.pdf; do
        pdfinfo -url "$pdf" 2>/dev/null | grep -oE '[a-z]+:[^ ]*$' | grep -v '^https\?:' | sed "s,^,${pdf##*/}: ,"
    done
}
for folder in "$student" "$teacher"; do
    check "${folder##*/}: no broken link" none broken "$folder"
    check "${folder##*/}: no link from a PDF to a file" none outside "$folder"
done
echo '<a href="nowhere.html"></a><a href="#no-heading"></a>' >"$work/student/wrong.html"
same "both defects of a defective page are found" 2 "$(broken "$student" | grep -c wrong.html)"
rm "$student/wrong.html"

pages() { pdfinfo "$1" | sed -n 's/^Pages: *//p'; }
while read -r name; do
    within "$name: pages" "$(pages "$student/$name.pdf")" 1 2
    check "$name: in the index, both ways" \
        eval "grep -q 'href=\"$name.html\"' '$student/index.html' && grep -q 'href=\"$name.pdf\"' '$student/index.html'"
    pdftotext "$student/$name.pdf" "$work/text"
    [ "$name" = quiz ] ||
        check "$name: the title" grep -qF "$(sed -n 's/^# //p' "labs/$name/README.md" | head -n 1)" "$work/text"
    if [ -f "labs/$name/picture.svg" ] && grep -q 'picture.svg' "labs/$name/README.md"; then
        check "$name: the picture" grep -qE '<(img[^>]*src="data:image/svg|svg)' "$student/$name.html"
    fi
    if [ -f "labs/$name/predict.txt" ]; then
        check "$name: the prediction worksheet" grep -q 'class="sheet"' "$student/$name.html"
        check "$name: the worksheet is on the first page" sh -c 'pdftotext -l 1 "$0" - | grep -q "your prediction"' "$student/$name.pdf"
    fi
done <"$work/names"

# Only handouts for instructors contain notes and answers, so search for the first heading of the notes.
for notes in solutions/[0-9]*/NOTES.md solutions/quiz_answers.md; do
    [ -f "$notes" ] || continue
    title=$(sed -n 's/^# //p' "$notes" | head -n 1)
    name=$(basename "$(dirname "$notes")")
    [ "$name" != solutions ] || name=quiz
    check "$notes: not in the handouts for students" none grep -lF "$title" "$student"/*.html
    check "$notes: after its handout" grep -qF "$title" "$teacher/$name.html"
done

# Pages with unchanged sources are not made again, and a missing program is reported.
expect "the second run writes only the index" 0 '^  WROTE   [^ ]*index.html *$' -- docs/handouts/make_handouts "$student"
mkdir "$work/bin"
for program in bash dirname mkdir; do ln -s "$(command -v $program)" "$work/bin/"; done
expect "pandoc is missing" 2 'needs pandoc \(Debian: apt-get install pandoc weasyprint\)' -- \
    env PATH="$work/bin" bash docs/handouts/make_handouts "$student"

[ -z "${HANDOUTS_TEST_KEEP:-}" ] || cp -r "$student" "$teacher" "$HANDOUTS_TEST_KEEP/"
finish
