#!/bin/bash
# language_test.sh: tests the language of documents, comments and messages. Documents have at most 35 words per sentence
# and 400 characters per line. Documents, comments and strings of C and CUDA, and comments of scripts contain none of
# the words for which the field has a standard term.
# check: plain
set -u
. profiler/tools/expect.sh

# Print sentences and lines above the limits. Inline code counts as one word, and a cell of a table as a sentence.
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

excluded='(?<!["`/])nobody(?!,)|somebody|whoever|foretell|foretold|spoil(s|t|ed|ing)?|mend(s|ed|ing)?|caged?|strewn|hand-ins?|handed in'
excluded+='|on their way|all the same(?! one)|stray|steady(?! state)|behind|beyond the last|slips?|quick way|plain way'
excluded_words() { # FILE...
    EXCLUDED=$excluded perl -e '
        for my $file (@ARGV) {
            open my $in, "<", $file or die "$file: $!\n";
            my ($prose, $text, $code, $line) = ("", join("", <$in>), 0, 0);
            if ($file =~ /\.md$/) {
                for (split /^/, $text) {
                    $code = !$code if /^ *```/;
                    s/`[^`]*`/X/g;
                    $prose .= $code || /^    / ? "\n" : $_;
                }
            } elsif ($file =~ /\.(c|h|cu|cuh)$/) { # comments and strings
                my $string = qr/"(?:\\.|[^"\\\n])*"/;
                while ($text =~ m{^#include\N*|/\*.*?\*/|//\N*|$string|\x27(?:\\.|[^\x27\\\n])+\x27|\n|[^/"\x27\n#]+|.}gsm) {
                    my $token = $&;
                    $prose .= $token =~ m{^(/[*/]|"|\n)}s ? "$token " : " ";
                }
            } else {
                $prose .= $file =~ /\.txt$/ || /^\s*#/ ? $_ : "\n" for split /^/, $text;
            }
            for (split /\n/, $prose) {
                $line++;
                print "$file:$line: $_\n" if /\b(?:$ENV{EXCLUDED})\b/i;
            }
        }' "$@"
}

# Print the subjects of commits since acaf4b6 that do not have the form "component: what changed".
subjects() {
    git log --format='%H %s' acaf4b6..HEAD 2>/dev/null |
        grep -vE '^[0-9a-f]+ [a-zA-Z0-9_./, -]+: [a-z`]'
}

git ls-files >"$work/files" 2>/dev/null
[ -s "$work/files" ] || find . -type f ! -path './build/*' ! -path './out/*' >"$work/files"
grep '\.md$' "$work/files" | grep -v results/published/deviations.md >"$work/pages"
grep -E '(\.(c|h|cu|cuh|sh|awk|gp|py|conf)|hints\.txt|predict\.txt|Makefile)$' "$work/files" |
    grep -vE '/(testdata|stand_ins|honest|hostile|corpus)/|docs/language_test' >"$work/sources"
within "pages" "$(wc -l <"$work/pages")" 50 400
check "no sentence and no line is too long" none too_long $(cat "$work/pages")
check "standard terms in documents" none excluded_words $(cat "$work/pages")
check "standard terms in comments and messages" none excluded_words $(cat "$work/sources")
check "subjects of commits" none subjects
{ printf 'word %.0s' $(seq 40) && echo . && printf '%0401d\n' 0; } >"$work/long.md"
same "a long sentence and a long line are found" 2 "$(too_long "$work/long.md" | grep -c "long.md")"
echo 'Whoever mends it' >"$work/words.md"
printf '%s\n' '#include "stray.h"' "int behind = '\"'; /* steady state" ' * is steady */ char *mend = "handed in";' >"$work/words.c"
printf '%s\n' 'stray=1 # code' '# stray' >"$work/words.sh"
same "excluded words are found" 3 "$(excluded_words "$work"/words.{md,c,sh} | wc -l)"
finish
