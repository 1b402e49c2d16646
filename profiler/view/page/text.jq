# text.jq: functions that all pages use: fields of documents, formatted numbers, and escaped text.

# A field of an object as text (default ""), as a number (default 0) or as an object (default {}),
# and the objects or the texts in an array.
def text($field): .[$field] | if type == "string" then . else "" end;
def number($field): .[$field] | if type == "number" then . else 0 end;
def object($field): .[$field] | if type == "object" then . else {} end;
def items($field): .[$field] | arrays | .[] | objects;
def texts($field): .[$field] | arrays | .[] | if type == "string" then . else "" end;
def only($fields): with_entries(select(.key | IN($fields[])));

# "7.5", "10": points with at most two decimals.
def points: (. * 100 | rint) / 100 | tostring;
# The points that can be reached now. Checks that an instructor has not marked yet do not count.
def reachable: number("points") - number("open");
def share: reachable as $points | if $points > 0 then number("score") / $points else 1 end;
def is_full: number("score") >= reachable;
def points_said:
    "\(number("score") | points) of \(reachable | points) points" +
    (number("open") | if . > 0 then ", \(points) more to be marked by an instructor" else "" end);

# The decisions of the instructor about a file, with the change of points of each decision.
def signed: if . > 0 then "+\(points)" else points end;
def change_said:
    text("text") + (number("points") | if . == 0 then "" else " (\(signed) \(if fabs == 1 then "point" else "points" end))" end);
def decided:
    (text("partner") | select(. != "") | "submitted by \(.) for both partners"),
    (text("chosen") | select(. != "")), (items("changes") | change_said);

# A number in the format of printf's %.Nf or %.Ng.
def fixed($digits):
    pow(10; $digits) as $unit | (fabs * $unit | rint) as $all |
    (if . < 0 then "-" else "" end) + ($all / $unit | floor | tostring) +
    if $digits == 0 then "" else "." + ($all % $unit + $unit | tostring)[1:] end;
def significant($digits):
    if . == 0 then "0" else
        (fabs | log10 | floor) as $first | ($digits - 1 - $first) as $shift |
        (if $shift >= 0 then . * pow(10; $shift) else . / pow(10; -$shift) end | rint) as $all |
        (if ($all | fabs) >= pow(10; $digits) then $first + 1 else $first end) as $exponent |
        if $exponent < -4 or $exponent >= $digits then
            ($all / pow(10; $exponent + $shift) | tostring) +
            (if $exponent < 0 then "e-" else "e+" end) + ($exponent | fabs + 100 | tostring)[1:]
        elif $shift >= 0 then $all / pow(10; $shift) | tostring
        else $all * pow(10; -$shift) | tostring end
    end;

# Escape a text for HTML or XML 1.0, and replace the characters that XML does not allow. (Versions
# of jq escape the apostrophe in @html differently.)
def escaped:
    split("'") | map(@html) | join("&#39;") |
    if test("[\u0001-\u0008\u000b-\u001f\u007f\ufffe\uffff]") then
        explode | map(if (. < 32 and . != 9 and . != 10) or IN(127, 65534, 65535) then 65533 else . end) |
        implode
    else . end;

# A whole page. `body` starts with the header of the page. At the end of `body`, <main> is still
# open.
def page($title; $script; body):
    [
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ",
        "style-src 'unsafe-inline'", ($script // empty | "; script-src 'sha256-\($digest)'"), "\">\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<title>\($title | escaped)</title>\n<style>\n\($style)</style>\n</head>\n<body>\n",
        body,
        "</main>\n", ($script // empty | "<script>\(.)</script>\n"), "</body>\n</html>\n"
    ] | add;
