#!/bin/bash
# fault_test.sh: makes one allocation or file operation fail at a time. The program must end with a
# message and status 2, or continue with the correct result. The first call of each call site fails
# (up to 10 call sites of each kind, and up to 30 in make check-all).
# check: late large plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_ptx
${CC:-cc} -O1 -w -shared -fPIC profiler/tools/testdata/fault.c -o "$work/fault.so" -ldl 2>/dev/null ||
    skip_all "no library for LD_PRELOAD can be built"
build=$(basename "$(dirname "$tlab")")/

# with KIND NUMBER COMMAND...: returns the status of the command; its output is in $work/said.
with() {
    env LD_PRELOAD="$work/fault.so" FAULT_IN="$build" FAULT_KIND="$1" FAULT_AT="$2" \
        ${sites:+FAULT_SITES=$sites} ${forks:+FAULT_FORKS=yes} "${@:3}" >"$work/said" 2>&1 </dev/null
}

# A value that is not available may be NA. Without machine code, the basis of the time is ptx.
same_csv() { # FILE WANTED
    awk -F, 'NR == FNR { wanted[FNR] = $0; next }
        { count = split(wanted[FNR], value, ",")
          for (i = 1; i <= count; i++) if ($i != value[i] && $i != "NA" && $i != "ptx") exit 1 }
        END { exit FNR == 0 }' "$2" "$1"
}

# try NAME KIND RIGHT COMMAND...: make each call of KIND fail in COMMAND. The result must be correct
# (the command RIGHT succeeds), or a message with status 2 (or MAY_END_WITH).
try() {
    local name=$1 kind=$2 right=$3 calls step most=10 n status
    shift 3
    rm -f "$work/sites"
    sites=$work/sites with "$kind" 0 "$@"
    sort -k 2,2 -k 1,1n "$work/sites" | awk '!seen[$2]++ { print $1 }' | sort -nu >"$work/numbers"
    calls=$(wc -l <"$work/numbers")
    [ "${TLAB_TEST_LARGE:-no}" = no ] || most=30
    step=$(((calls + most - 1) / most))
    for n in $(awk -v step=$step 'NR % step == int(step / 2)' "$work/numbers"); do
        prepare
        with "$kind" "$n" "$@"
        status=$?
        case $status in
        0) $right >"$work/why" || echo "$kind $n: status 0 with an incorrect result: $(tr '\n' ' ' <"$work/why")$(tail -n 3 "$work/said")" ;;
        2 | ${MAY_END_WITH:-2})
            grep -qE "tlab: |: [a-z]" "$work/said" || echo "$kind $n: status $status without a message"
            ! grep -q "killed by signal" "$work/said" || echo "$kind $n: a crash: $(tail -n 1 "$work/said")" ;;
        *) echo "$kind $n: status $status: $(tail -n 2 "$work/said" | tr '\n' ' ')" ;;
        esac
    done >"$work/tried"
    [ "$calls" -gt 0 ] || echo "no call was counted" >>"$work/tried"
    check "$name: each of $calls call sites ($kind), every ${step}th" none cat "$work/tried"
}

# --- a run ---------------------------------------------------------------------------------------------
prepare() { rm -f "$work/run.csv"; }
run=("$tlab" run solutions/03_padded --rows 64 --cols 64)
"${run[@]}" --csv "$work/wanted.csv" >/dev/null 2>&1
right_run() { same_csv "$work/run.csv" "$work/wanted.csv"; }
for kind in alloc file; do
    try "tlab run" $kind right_run "${run[@]}" --csv "$work/run.csv"
done

# --- a program -----------------------------------------------------------------------------------------
if [ -d "$(dirname "$tlab")/runtime" ] && "$tlab" nvcc profiler/tools/testdata/fault.cu -o "$work/program" >"$work/said" 2>&1; then
    prepare() { :; }
    right_program() { grep -qx "sum 499500" "$work/said"; }
    for kind in alloc file; do # status 1: a CUDA error, which the program reports
        MAY_END_WITH=1 try "tlab exec" $kind right_program "$tlab" exec --threads 1 -- "$work/program"
    done
else
    skip "tlab exec" "nvcc of the CUDA Toolkit is not installed"
fi

# --- a grading -----------------------------------------------------------------------------------------
if ! "$tlab" grade 2>&1 | grep -q "built without grading"; then
    mkdir -p "$work/class/ann"
    cp solutions/03_padded/padded.cu "$work/class/ann"
    prepare() { rm -rf "$work/grades"; }
    marks() { jq -S '.grades // .' "$1"/work/ann.json 2>/dev/null | grep -E '"(score|status|points)"'; }
    echo 0123456789abcdef0123456789abcdef >"$work/seed"
    grade=("$tlab" grade "$work/class" --labs padded --seed "$work/seed" --jobs 1)
    "${grade[@]}" --out "$work/wanted" >/dev/null 2>&1
    # In the sandbox, a failed allocation is reported as the memory limit of the run.
    right_grade() {
        [ $kind = alloc ] && grep -qsE "needs more memory than grading allows|takes more memory than the limit" "$work/grades/work/ann.json" && return
        [ -n "$(marks "$work/wanted")" ] && diff <(marks "$work/wanted") <(marks "$work/grades") ||
            { jq -c '.labs[0].checks' "$work/grades/work/ann.json"; return 1; }
    }
    for kind in alloc file; do
        forks=yes try "tlab grade" $kind right_grade "${grade[@]}" --out "$work/grades"
    done
else
    skip "tlab grade" "tlab was built without grading"
fi
finish
