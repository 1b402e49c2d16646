# viva.jq: make the sheets of `tlab viva` for a class (grading/viva_sheets), as a page or as a text. On the page,
# each person has a section that begins on a new sheet of paper. The input has a line for each kernel
# that received questions, and lines without text that name all persons of the class.
include "text";

def person: text("name") + if text("name") == text("id") then "" else " (\(text("id")))" end;
def kernels: map(select(has("text")));

# Join lines that were folded for a terminal. Source lines and answers still begin on new lines.
def unfolded: gsub("\n +(?! *(=>|[0-9]+: ))"; " ");

def sheet:
    "<section>\n<h1>\(.[0] | person | escaped)</h1>\n<p class=\"soft\">Oral exam\($options | if . == "" then "" else ", \(.)" end | escaped)</p>\n",
    (kernels[] | "<h2>\(text("lab") | escaped) <span class=\"soft\">\(text("file") | escaped)</span></h2>\n",
        (text("text") | unfolded | ltrimstr("\n") | split("\n\n")[] | "<p class=\"said\">\(escaped)</p>\n")),
    "</section>\n";
def none: map("<li>\(.[0] | person | escaped)</li>\n") |
    select(length > 0) | "<section>\n<h1>Without a sheet</h1>\n<ul>\n", .[], "</ul>\n</section>\n";

[inputs] | group_by(.id) | map(select(kernels != [])) as $sheets | (. - $sheets) as $none |
if $page then
    page("Oral exam"; null;
        "<main>\n<style>section{break-after:page}section:last-of-type{break-after:auto}section h1{margin:1rem 0 0}",
        "h2{margin:1rem 0 .5rem}h2 .soft{font-size:1rem;font-weight:400}.said{break-inside:avoid;margin:.5rem 0 \(if $options | test("--answers") then "1rem" else "5rem" end)}",
        "@media print{:root{color-scheme:light}}</style>\n",
        ($sheets[] | sheet), ($none | none))
else
    [($sheets[] | "\(.[0] | person)\n", (kernels[] | "\n\(text("lab")), \(text("file"))\n\(text("text"))"), "\n"),
     ($none | select(length > 0) | "Without a sheet: \(map(.[0] | person) | join(", "))\n")] | add // "" | rtrimstr("\n")
end
