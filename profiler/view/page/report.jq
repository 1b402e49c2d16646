# report.jq: the page that `tlab report` writes, of the documents that command_report.c makes: for each kernel an object
#   {"exercise", "title", "file", "status", "reason", "device", "rows", "cols", "facts": ["..."], "explanation",
#    "goals": [{"text", "reached"}], "notes": ["..."], "source", "lines", "advice", "runs"}      as in a grade (lab.jq)
#   "pictures": [{"title", "svg"}]
include "text";
include "lab";

def verdict: if text("status") == "ok" then "right" else text("status") end;

# What gnuplot draws is markup of few kinds. Anything else, such as a name that was not escaped, is not shown. (Split, and
# not scanned as a whole: jq counts the characters before each match anew, and a picture may have megabytes.)
def svg_of($title):
    sub("^(<\\?xml[^>]*>|<!DOCTYPE[^>]*>|\\s)*"; "") |
    ([split("<")[1:][] | capture("^[/!?]?(?<name>[A-Za-z]*)").name] - ["svg", "g", "defs", "path", "rect", "circle", "line", "polygon", "polyline", "text", "tspan",
        "use", "title", "desc", "symbol", "pattern", "filter", "feFlood", "feComposite", "linearGradient", "stop", "clipPath", "style", ""] | unique) as $strange |
    if $strange != [] or test("\\son[a-z]+\\s*="; "i") or test("href\\s*=\\s*[\"'][^#]"; "i") or test("url\\([^#]|@import|\\]\\]>\\s*<[^/]"; "i") then empty
    else sub("<title>[^<]*</title>"; "") | sub("<svg\\s"; "<svg role=\"img\" ") | sub("(?<open><svg\\s[^>]*>)"; "\(.open)<title>\($title | escaped)</title>") end;
def picture: . as $picture | text("svg") | [svg_of($picture.title)] | select(length > 0) |
    "<figure class=\"picture\"><figcaption>\($picture.title | escaped)</figcaption>\n\(.[0])</figure>\n";

def goal: "<li class=\"\(if .reached == true then "good" else "bad" end)\">\(if .reached == true then "reached" else "not yet" end): \(text("text") | escaped)</li>\n";
def goals:
    ([items("goals")] | select(length > 0) | "<h3>Goals</h3>\n<ul>\n", (sort_by(.reached == true)[] | goal), "</ul>\n"),
    (texts("notes") | "<p class=\"said\">\(escaped)</p>\n");

def kernel:
    "<section>\n<h2>\(text("title") | escaped): \(verdict | escaped)</h2>\n",
    "<p class=\"soft\">\(text("file") | escaped), on \(text("device") | escaped), \(number("rows") | fixed(0)) × \(number("cols") | fixed(0)) (rows × columns)",
    (texts("facts") | "; \(escaped)"), "</p>\n",
    (if text("status") == "ok" then
        goals, (text("explanation") | select(. != "") | "<p class=\"said\">Time is \(escaped)</p>\n"),
        (text("advice") | select(. != "") | "<p class=\"said\">\(escaped)</p>\n"), runs
    else "<h3>What is wrong</h3>\n<p class=\"said\">\(text("reason") | escaped)</p>\n" end),
    source,
    ([items("pictures") | picture] | select(length > 0) | "<h3>Pictures</h3>\n", .[]),
    (text("pictures_absent") | select(. != "") | "<p class=\"soft\">\(escaped)</p>\n"),
    "</section>\n";

[inputs] | . as $kernels | ([$kernels[] | text("title")] | join(", ")) as $title |
page($title; null;
    "<header><h1>\($title | escaped)</h1></header>\n<main>\n", ($kernels[] | kernel),
    "<p class=\"soft\">Made by tlab report. Counters are of the emulator; times are modelled.</p>\n")
