# report_page_test.sh: open the page of `tlab report`, with its policy, in headless Chromium. Key
# presses choose a warp, a request and a lane, and follow links. Run from the repository root.
# check: slow
set -u
. profiler/tools/expect.sh
needs_ptx
needs jq
browser=
for name in chromium chromium-browser google-chrome; do
    command -v $name >/dev/null && browser=$name && break
done
[ -n "$browser" ] || skip_all "Chromium is not installed"
perl -MJSON::PP -e 1 2>/dev/null || skip_all "Perl has no JSON::PP"

# browse.pl BROWSER PROFILE PAGE executes the lines of its standard input: "do SCRIPT" prints the
# value of an expression; "key NAME..." presses keys. Errors of the page are printed as "page
# error". Two pipes control the browser (--remote-debugging-pipe).
cat >"$work/browse.pl" <<'END'
use strict;
use warnings;
use Fcntl;
use JSON::PP;
use POSIX;
my ($browser, $profile, $page) = @ARGV;
pipe(my $commands, my $to) && pipe(my $from, my $answers) or die "pipe: $!";
my $pid = fork // die "fork: $!";
if (!$pid) {
    my ($in, $out) = map { fcntl($_, F_DUPFD, 10) } $commands, $answers;
    POSIX::dup2($in, 3);
    POSIX::dup2($out, 4);
    open STDERR, '>', '/dev/null';
    exec $browser, '--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--window-size=1280,1000',
        "--user-data-dir=$profile", 'about:blank' or POSIX::_exit(127);
}
close $commands;
close $answers;
$to->autoflush;
alarm 600;
my ($number, $session) = (0, undef);
sub call {
    my ($method, %parameters) = @_;
    my $id = ++$number;
    print $to encode_json({id => $id, method => $method, params => \%parameters, $session ? (sessionId => $session) : ()}), "\0";
    local $/ = "\0";
    while (defined(my $line = <$from>)) {
        chomp $line;
        my $answer = decode_json($line);
        my $event = $answer->{method} // '';
        print "page error: $answer->{params}{exceptionDetails}{exception}{description}\n" if $event eq 'Runtime.exceptionThrown';
        print "page error: $answer->{params}{entry}{text}\n" if $event eq 'Log.entryAdded' && $answer->{params}{entry}{level} eq 'error';
        next if ($answer->{id} // 0) != $id;
        die "$method: $answer->{error}{message}\n" if $answer->{error};
        return $answer->{result};
    }
    die "the browser ended\n";
}
sub evaluate {
    my $value = call('Runtime.evaluate', expression => $_[0], returnByValue => JSON::PP::true)->{result};
    return $value->{value} // $value->{description} // '';
}
my $target = call('Target.createTarget', url => 'about:blank')->{targetId};
$session = call('Target.attachToTarget', targetId => $target, flatten => JSON::PP::true)->{sessionId};
call($_) for 'Runtime.enable', 'Log.enable', 'Page.enable';
call('Page.navigate', url => "file://$page");
select undef, undef, undef, .05 until evaluate('location.href !== "about:blank" && document.readyState') eq 'complete';
my %codes = (Tab => 9, Enter => 13, ArrowUp => 38, ArrowDown => 40, Home => 36, End => 35);
binmode STDOUT, ':utf8';
while (my $line = <STDIN>) {
    chomp $line;
    my ($what, $rest) = split ' ', $line, 2;
    if ($what eq 'do') {
        print evaluate($rest), "\n";
        next;
    }
    for my $key (split ' ', $rest) {
        my %event = (key => $key, code => $key, windowsVirtualKeyCode => $codes{$key});
        call('Input.dispatchKeyEvent', type => 'keyDown', %event, $key eq 'Enter' ? (text => "\r") : ());
        call('Input.dispatchKeyEvent', type => 'keyUp', %event);
    }
}
$session = undef;
call('Browser.close');
waitpid $pid, 0;
END
browse() { # PAGE: execute the steps on standard input
    perl "$work/browse.pl" "$browser" "$work/profile" "$1" 2>&1
}

# --- a kernel with bank conflicts -----------------------------------------------------------------
page=$work/coalesced.html
"$tlab" report solutions/02_coalesced --rows 256 --cols 256 --out "$page" >/dev/null
line=$(grep -n 'tile\[threadIdx.x\]\[threadIdx.y + i\]' solutions/02_coalesced/coalesced.cu | cut -d: -f1)
first=$(grep -n 'tile\[threadIdx.y + i\]\[threadIdx.x\]' solutions/02_coalesced/coalesced.cu | cut -d: -f1)
said='do document.querySelector(".picker .said").textContent'
cells='do document.querySelectorAll(".picker .hit").length+" cells in columns "+new Set(Array.from(document.querySelectorAll(".picker .hit")).map(function(r){return r.getAttribute("x")})).size+", chosen: "+document.querySelectorAll(".picker .chosen").length'
focus='do document.activeElement.tagName+" "+document.activeElement.parentNode.firstChild.textContent'
browse "$page" >"$work/conflicts" <<END
$said
$cells
do document.querySelector(".picker select").focus()
$focus
key ArrowDown
$said
key Tab Tab
$focus
key ArrowDown ArrowDown ArrowDown ArrowDown
$said
$cells
key Tab
do document.activeElement.textContent
key Enter
do location.hash+" "+getComputedStyle(document.querySelector("tr:target td")).boxShadow.replace(/.*(inset).*/,"\$1")
do document.querySelector("tr:target").getBoundingClientRect().top>0&&document.querySelector("tr:target").getBoundingClientRect().bottom<innerHeight?"in view":"out of view"
END
nth() { sed -n "${1}p" "$work/conflicts"; }
check "no error on the page" none grep "page error" "$work/conflicts"
check "the page begins with the access that has conflicts" grep -q "warp 0: shared load, 4 bytes per lane: 32 wavefronts, minimum 1" "$work/conflicts"
check "a warp accesses one bank" grep -q "32 active lanes of the warp: 1 bank of 32. line $line" "$work/conflicts"
check "the 32 wavefronts are in one column" grep -q "^32 cells in columns 1, chosen: 0" "$work/conflicts"
check "the picker of warps has a label" grep -q "^SELECT Warp" "$work/conflicts"
check "an arrow key chooses another warp" grep -q "warp 1: shared load" "$work/conflicts"
check "Tab reaches the picker of lanes" grep -q "^SELECT Lane" "$work/conflicts"
check "arrow keys choose a lane" grep -qF "Lane 3, thread (3,1), tile[3][1]: bank 1. Different words that the warp accesses in bank 1: 32." "$work/conflicts"
check "the cell of the lane is marked" grep -q "^32 cells in columns 1, chosen: 1" "$work/conflicts"
check "the next Tab selects the link to the line" grep -q "^line $line$" "$work/conflicts"
check "Enter goes to the line and marks it" grep -q "^#k1-$line inset" "$work/conflicts"
check "the line is visible" grep -q "^in view" "$work/conflicts"

# --- sectors --------------------------------------------------------------------------------------
browse "$page" >"$work/sectors" <<END
do document.querySelectorAll(".picker select")[1].focus()
key Home
$said
$cells
key Tab End
$said
$cells
do (function(){var s=document.querySelectorAll(".picker select")[1];s.value=Array.from(s.options).find(function(o){return /shared store/.test(o.textContent)}).value;s.dispatchEvent(new Event("change"))})()
$said
$cells
do Array.from(document.querySelectorAll(".charts a")).map(function(a){return document.querySelector(a.getAttribute("href"))?a.textContent:"dead"}).join()
END
check "no error on the page of sectors" none grep "page error" "$work/sectors"
check "Home chooses the first request" grep -q "warp 0: global load, 4 bytes per lane: 4 sectors, minimum 4" "$work/sectors"
check "the request has four sectors" grep -q "^4 cells in columns 4, chosen: 0" "$work/sectors"
check "the text names the last lane" grep -qF "Lane 31, thread (31,0), idata[0][31]: sector 4 of 4, which also serves 7 other lanes." "$work/sectors"
check "the sector of the lane is marked" grep -q "^4 cells in columns 4, chosen: 1" "$work/sectors"
check "a store without conflicts: lane 31" grep -qF "tile[0][31]: bank 31. Different words that the warp accesses in bank 31: 1." "$work/sectors"
check "the store accesses 32 banks" grep -q "^32 cells in columns 32, chosen: 1" "$work/sectors"
check "each counter links to its lines" grep -q "^line $first,line $line,line $line,line $first$" "$work/sectors"

# --- devices with segments, wide accesses, wrong kernels ------------------------------------------
each='do (function(){var s=document.querySelectorAll(".picker select"),n=0,bad=[];
[0,1,2].forEach(function(k){Array.from(s[k].options).forEach(function(o){s[k].value=o.value;s[k].dispatchEvent(new Event("change"));n++;
if(!document.querySelector(".picker svg title").textContent||/NaN|undefined/.test(document.querySelector(".picker").innerHTML))bad.push(k+":"+o.value)})});
return n+" choices, bad: "+bad.join()})()'
each=${each//$'\n'/}
every() { # NAME ARGUMENT... of tlab report
    local name=$1
    shift
    "$tlab" report "$@" --rows 256 --cols 256 --out "$work/each.html" >/dev/null 2>&1
    browse "$work/each.html" <<<"$each" >"$work/every"
    check "every choice: $name" grep -qE '^[0-9]{2,} choices, bad: $' "$work/every"
    check "no error: $name" none grep "page error" "$work/every"
}
every "segments" solutions/02_coalesced --device gtx280
every "64-bit and wider accesses" solutions/08_vectorized
every "idle lanes" solutions/20_sum_shared
sed 's/if (out_col/if (blockIdx.x != 1 \&\& out_col/' solutions/02_coalesced/coalesced.cu >"$work/wrong.cu"
every "an incorrect kernel" "$work/wrong.cu"
finish
