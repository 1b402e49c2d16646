#!/bin/bash
# language_test.sh: limits of the language of the documents: at most 35 words per sentence, at most 400 characters
# per line, and none of the words for which CUDA has a term. Run from the repository root.
# check: plain
set -u
. profiler/tools/expect.sh

# Sentences and lines above the limits. Code counts as one word, a cell of a table as a sentence of its own.
too_long() { # FILE...
    perl -e '
        my $words = 0;
        my $sentences = 0;
        sub text {
            my ($file, $text) = @_;
            $text =~ s/`[^`]*`/X/g;
            $text =~ s/\]\([^)]*\)/]/g;
            for (split /(?<=[.!?:;])["*)]*\s+(?=[A-Z0-9*\[`(X"])|(?<=[.!?])\s/, $text) {
                my $count = () = /\S+/g;
                next if $count < 3;
                $words += $count;
                $sentences++;
                print "$file: $count words: ", substr($_, 0, 100), "\n" if $count > 35;
            }
        }
        for my $file (@ARGV) {
            open my $in, "<", $file or die "$file: $!\n";
            my ($code, $paragraph) = (0, "");
            while (my $line = <$in>) {
                chomp $line;
                print "$file:$.: ", length($line), " characters\n" if length($line) > 400;
                if ($line =~ /^\s*```/) { $code = !$code; next }
                next if $code;
                if ($line =~ /^\|/) { text($file, $_) for split /\|/, $line; next }
                if ($line =~ /^\s*([-*]|\d+\.) |^\s*$|^#/) { text($file, $paragraph); $paragraph = "" }
                $paragraph .= " $line";
            }
            text($file, $paragraph);
        }
        print "a mean of ", $words / $sentences, " words\n" if $words > 20 * $sentences;' "$@"
}

git ls-files '*.md' 2>/dev/null | grep -v results/published/deviations.md >"$work/pages"
[ -s "$work/pages" ] || find . -name '*.md' ! -path './build/*' ! -path './out/*' ! -name deviations.md >"$work/pages"
within "pages" "$(wc -l <"$work/pages")" 50 400
check "no sentence and no line is too long" none too_long $(cat "$work/pages")
# Words with a standard term: submission, repair, taint, sandbox, scattered, 2048 x 2048, in flight, ...
excluded='nobody|somebody|whoever|foretell|foretold|spoils?|spoiled|mends?|mended|cage|strewn|squared|hand-ins?'
excluded+='|on their way|all the same|stray'
excluded_words() { # FILE...
    awk '/^ *```/ { code = !code; next } !code && !/^    / { gsub(/`[^`]*`/, "X"); print FILENAME ":" FNR ": " $0 }' "$@" |
        grep -wiE -- "$excluded"
}
check "standard terms" none excluded_words $(cat "$work/pages")
{ printf 'word %.0s' $(seq 40) && echo . && printf '%0401d\n' 0; } >"$work/long.md"
same "a page made to fail" 2 "$(too_long "$work/long.md" | grep -c "long.md")"
echo 'Whoever mends it' >"$work/words.md"
same "a word made to fail" 1 "$(excluded_words "$work/words.md" | wc -l)"
finish
