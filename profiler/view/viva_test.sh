#!/bin/bash
# viva_test.sh: compares the answers of `tlab viva` with formulas for tiled transposes with rows of
# W words, and for the naive transpose.
# check: rare plain
set -u
. profiler/tools/expect.sh
needs_ptx
needs perl

# tile NAME W: write a tiled transpose with rows of W words. Lines 12 and 16 access shared memory.
tile() {
    cat >"$work/$1.cu" <<END
#include "lab.h"
#ifndef TILE_DIM
#define TILE_DIM 32
#endif
LAB(padded);
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][$2];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int i = 0; i < TILE_DIM; i += 8)
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(y + i) * width + x];
    __syncthreads(); // not the __syncthreads() of a comment
    int c = blockIdx.y * TILE_DIM + threadIdx.x, r = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int i = 0; i < TILE_DIM; i += 8)
        if (c < height && r + i < width) odata[(size_t)(r + i) * height + c] = tile[threadIdx.x][threadIdx.y + i];
}
LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)), dim3(TILE_DIM, 8)};
}
END
}
tile square TILE_DIM
tile padded 'TILE_DIM + 1'
tile eight 'TILE_DIM + 8'
cat >"$work/naive.cu" <<'END'
#include "lab.h"
LAB(naive);
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < width && y < height)
        odata[(size_t)x * height + y] =
            idata[(size_t)y * width + x];
}
LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width, 32), lab_ceil_div(height, 8)), dim3(32, 8)};
}
END

# Check the question sheet on standard input. Print the kind of each question, and wrong answers.
cat >"$work/judge" <<'END'
use strict; use warnings;
my ($w, $rows, $cols) = @ARGV;
my %ordinal = (first => 1, second => 2, third => 3, fourth => 4);
sub gcd { my ($a, $b) = @_; ($a, $b) = ($b, $a % $b) while $b; return $a }
local $/;
my $sheet = <STDIN> =~ s/\s+/ /gr;
my @parts = split / (?=[123]\. (?:Which|With|How|What))/, $sheet;
shift @parts;
print "three\n" if @parts == 3;
for (@parts) {
    my ($question, $answer) = split / => /;
    my $i = $question =~ /the (first|second|third|fourth) of 4 at that line/ ? 8 * ($ordinal{$1} - 1) : 0;
    my ($x, $y, $bx, $by) = $question =~ /thread \((\d+),(\d+)\) of block \((\d+),(\d+)\)/;
    my ($kind, $expected, $got);
    if ($question =~ /Which bank/) {
        my $word = $question =~ /store to shared memory at line 12/ ? ($y + $i) * $w + $x
            : $question =~ /load from shared memory at line 16/ ? $x * $w + $y + $i : -1;
        ($kind, $expected) = ('bank', $word % 32 . ' ' . $word);
        $got = $answer =~ /^Bank (\d+)\..* word (\d+), and/ ? "$1 $2" : $answer;
    } elsif ($question =~ /Which thread stored/) {
        my ($from, $down) = ($y + $i, $x);
        ($kind, $expected) = ('giver', sprintf 'Thread (%d,%d) 12 %d [%d][%d]', $from, $down % 8, $down / 8 + 1, $down, $from);
        my $time = $answer =~ /the (first|second|third|fourth) of 4 at that line/ ? $ordinal{$1} : 0;
        $got = $answer =~ /^The value is in tile(\[\d+\]\[\d+\])\. It was stored by (thread \S+), with the store to shared memory at line (\d+)/ ? "\u$2 $3 $time $1" : $answer;
    } elsif ($question =~ /Which element/) {
        my ($c, $r) = (32 * $bx + $x, 8 * $by + $y);
        ($kind, $expected) = ('element', $question =~ /store/ ? "odata[$c][$r] " . ($c * $rows + $r) : "idata[$r][$c] " . ($r * $cols + $c));
        $got = $answer =~ /^(\S+), which is element (\d+)/ ? "$1 $2" : $answer;
    } elsif ($question =~ /How many wavefronts/) {
        my $ways = $question =~ /line 12/ ? 1 : gcd($w, 32);
        my $busy = $question =~ /line 12/ ? 32 : 32 / $ways;
        ($kind, $expected) = ('wavefronts', $ways . ' ' . ($ways - 1) . " $busy $ways " . ($question =~ /line 12/ ? 4 : 4 * $w));
        $got = $answer =~ /^(\d+) wavefronts?, minimum 1: (\d+) bank conflicts?(?: \(\1-way\))?\. The 32 active lanes use (\d+) of the 32 banks, and at most (\d+) .* lanes are (\d+) bytes/
            ? "$1 $2 $3 $4 $5" : $answer;
    } elsif ($question =~ /How many sectors/) {
        my $naive = $question =~ /store to global memory at line 7/;
        ($kind, $expected) = ('sectors', $naive ? '32 4 ' . 4 * $rows . ' 1024 128' : '4 4 4 128 128');
        $got = $answer =~ /^(\d+); the minimum for 128 different bytes is (\d+)\. The addresses of neighbouring lanes are (\d+) bytes apart\. Of (\d+) bytes that are moved, (\d+)/
            ? "$1 $2 $3 $4 $5" : $answer;
    } elsif ($question =~ /What happens without the __syncthreads\(\) at line 13/) {
        ($kind, $expected, $got) = ('barrier', 'race', $answer =~ /^(race): .*:16: .*:12/);
        $got = $answer if !$got || $answer =~ m{/};
    } elsif ($question =~ /What changes if TILE_DIM is (16|64)/) {
        # A warp of 16 x 2 threads in a tile with rows of v words.
        my $v = $w - 32 + $1;
        my %words;
        $words{ (($_ % 16) * $v + int($_ / 16)) % 32 }{ ($_ % 16) * $v + int($_ / 16) } = 1 for 0 .. 31;
        my ($most) = sort { $b <=> $a } map { scalar keys %$_ } values %words;
        ($kind, $expected) = ('macro', join ' ', 32, $1, 128 * $w, 4 * $1 * $v, $1 == 16 && $most - 1 != gcd($w, 32) - 1 ? $most - 1 : '');
        $got = $answer =~ /shared memory, bytes changes from (\d+) to (\d+); threads per block in x changes from (\d+) to (\d+)/ ? "$3 $4 $1 $2" : $answer;
        $got .= ' ' . ($answer =~ /per shared load changes from [\d.]+ to ([\d.]+)/ ? $1 : '');
    } elsif ($question =~ /Which grid .* for (\d+) rows and (\d+) columns/) {
        my ($gx, $gy) = (int(($2 + 31) / 32), int(($1 + 7) / 8));
        my $threads = 256 * $gx * $gy;
        ($kind, $expected) = ('grid', sprintf '%d x %d x 1 256 %d %.3g %d', $gx, $gy, $threads, $1 * $2 / $threads, $1 * $2);
        $got = $answer =~ /^(\d+ x \d+ x \d+) blocks of (\d+) threads: (\d+) threads, (\S+) elements per thread for (\d+) elements\./
            ? "$1 $2 $3 $4 $5" : $answer;
    } else {
        ($kind, $expected, $got) = ('unknown', 'a known question', $question);
    }
    print $expected eq ($got // '') ? "$kind\n" : "WRONG $kind: $got, by formula $expected: $question\n";
}
END

judged() { # NAME W SEED...
    local name=$1 words=$2 seed
    shift 2
    for seed in "$@"; do
        "$tlab" viva "$work/$name.cu" --answers --seed "$seed" | perl "$work/judge" "$words" 128 256
    done >"$work/$name.judged"
    check "$name: every answer agrees with the formula" none grep WRONG "$work/$name.judged"
    same "$name: three questions each" $# "$(grep -c three "$work/$name.judged")"
}
kinds() { # NAME KIND...: check that questions of these kinds were asked
    local name=$1 kind
    shift
    for kind in "$@"; do check "$name: asks for $kind" grep -qx "$kind" "$work/$name.judged"; done
}
judged square 32 1 2 3 4 5 6 7 8
kinds square bank giver wavefronts barrier macro
check "square: the question is about conflicts" none grep -x sectors "$work/square.judged"
judged padded 33 1 2 3 4 5 6
kinds padded bank giver wavefronts sectors
judged eight 40 11 12
judged naive 0 1 2 3
kinds naive element sectors grid

# --- the question sheets ----------------------------------------------------------------------------------
sheet() { "$tlab" viva "$work/square.cu" "$@"; }
sheet --seed 3 >"$work/one"
sheet --seed 3 >"$work/two"
check "the same seed gives the same questions" cmp "$work/one" "$work/two"
check "another seed gives other questions" sh -c '! cmp -s "$0" "$1"' "$work/one" <(sheet --seed 4)
check "the questions contain no answer" none grep -E "=>|answers|Bank [0-9]" "$work/one"
sheet --seed 3 --answers | sed 's/: answers$//' | awk '/^   => /{skip=1} /^$/{skip=0} !skip' >"$work/without"
check "the sheet with answers has the same questions" diff "$work/without" "$work/one"
cp "$work/square.cu" "$work/another.cu" && echo >>"$work/another.cu"
check "another file gives other questions" sh -c '! diff -q "$0" "$1" >/dev/null' <("$tlab" viva "$work/another.cu" | sed 1d) <(sheet | sed 1d)
check "no temporary files are left" none find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'tlab-viva*' -newer "$work/judge"
expect "an incorrect kernel has no questions" 1 "no questions, because the kernel is incorrect: wrong_result" -- "$tlab" viva labs/01_naive
mkdir "$work/folder" && cp "$work/naive.cu" "$work/square.cu" "$work/folder"
same "each file of a folder has questions" 2 "$("$tlab" viva "$work/folder" | grep -c '^1\. ')"
expect "a submission that does not exist" 2 "No such file" -- "$tlab" viva "$work/nobody"
expect "an exercise that is not a transpose" 0 "thread [0-9]+ of block [0-9]+" -- "$tlab" viva solutions/20_sum_shared --seed 2
# Questions about a sum mention no rows. The answer about a missing barrier contains the verdict,
# but no possible mistake, because the kernel was correct.
"$tlab" viva solutions/20_sum_shared/sum_shared.cu >"$work/sum"
check "the questions about a sum name elements" none grep -nE "1 rows|matrix of" "$work/sum"
for seed in 1 2 3 4 5 6; do "$tlab" viva solutions/10_record/record.cu --answers --seed $seed; done >"$work/record"
check "a question about a barrier" grep -q "What happens without" "$work/record"
check "the answer contains only the verdict" none grep -nE "this looks as if|Launched:|the result is correct" "$work/record"

# --- a rehearsal ------------------------------------------------------------------------------------------
"$tlab" viva solutions/03_padded --answers >"$work/answers"
quiz() { printf "$1" | "$tlab" viva solutions/03_padded --quiz; }
expect "--quiz prints each answer after the student's answer" 0 "^[^>]*1\\. [^>]*Your answer: +=> .*2\\. .*Your answer: +=> .*3\\. .*Your answer: +=> " -- quiz '7\n1\n\n'
same "the answers are those of the examiner's sheet" "$(grep -A3 '=>' "$work/answers")" "$(grep -A3 '=>' "$work/output")"
expect "the end of the input ends the quiz" 0 "1\\. .*=> .*2\\. .*Your answer: +$" -- quiz '7\n'
expect "a lab with its own device and size" 0 "NVIDIA H200, 128 x 256" -- "$tlab" viva solutions/06_diagonal
finish
