# samples.sh CHECKOUT OUT.csv [REGEX]: build the CUDA programs of another repository with `tlab
# nvcc`, run them with `tlab exec`, and write a CSV with the result of each program. The checkout is
# not modified. REGEX selects lines "NAME DIRECTORY SOURCE...".
#
# samples.sh table FILE.csv...: print tables with the number of each result, and the failed
# programs.
#
# A program is an add_executable of a CMakeLists.txt (NVIDIA's samples), or a .cu file with a main
# function (exercises). If X_solution.cu exists, X.cu is skipped: it is an exercise to complete.
# samples.csv, in the same folder, has rules: programs that cannot run and the reason, arguments for
# small sizes, and compiler options. The pattern of a rule matches the name or the text of a program
# (the first line of this text is "NAME ...").
#
# LIMIT is the time limit per program in seconds (120), JOBS is the number of concurrent programs
# (2), and KEEP is a folder for their output.
set -u
here=$(dirname "$(realpath "$0")")

table() { # FILE.csv...
    echo "| programs | passed | wrong | refused | timeout | not built | left out |"
    echo "|---|---|---|---|---|---|---|"
    local file
    for file; do
        awk -F, -v name="$(basename "$file" .csv)" 'NR > 1 { n[$2]++ } END { printf "| %s | %d | %d | %d | %d | %d | %d |\n",
            name, n["passed"], n["wrong"], n["refused"], n["timeout"], n["not_built"], n["excluded"] }' "$file"
    done
    printf '\n| program | how it ended | why |\n|---|---|---|\n'
    awk -F, 'FNR > 1 && $2 != "passed" && $2 != "excluded" { printf "| %s | %s | %s |\n", $1, $2, $4 }' "$@"
    printf '\nLeft out:\n\n'
    awk -F, 'FNR > 1 && $2 == "excluded" { names[$4] = names[$4] (names[$4] ? ", " : "") $1 }
        END { for (why in names) printf "- %s: %s\n", why, names[why] }' "$@" | sort
}

if [ "${1:-}" = table ]; then
    shift
    table "$@"
    exit
fi
checkout=$(realpath "${1:?usage: samples.sh CHECKOUT OUT.csv [REGEX]}") || exit 2
out=${2:?usage: samples.sh CHECKOUT OUT.csv [REGEX]} wanted=${3:-.}
tlab=$(realpath "${TLAB:-$here/../../build/tlab}") || exit 2
limit=${LIMIT:-120} jobs=${JOBS:-2}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# The programs, as lines NAME DIRECTORY SOURCE...
programs() {
    find "$checkout" -name CMakeLists.txt | grep -v "/[78]_" | while read -r file; do
        perl -0777 -ne 'while (/add_executable\(\s*(\w+)\s+([^)]*)\)/g) {
            my ($name, $sources) = ($1, $2);
            my @sources = grep { /\.(cu|cpp|cc|c)$/ } split /\s+/, $sources;
            print "$name @sources\n" if @sources }' "$file" |
            while read -r name sources; do echo "$name $(dirname "$file") $sources"; done
    done
    find "$checkout" -name '*.cu' | while read -r file; do
        local folder=$(dirname "$file") name
        [ ! -f "$folder/CMakeLists.txt" ] && [ ! -f "$folder/../CMakeLists.txt" ] || continue
        [ ! -f "${file%.cu}_solution.cu" ] && grep -qE '\bmain *\(' "$file" || continue
        name=${folder#"$checkout"/}/$(basename "$file" .cu)
        echo "${name//\//-} $folder $(basename "$file")"
    done
}

rule() { # KIND NAME TEXT-FILE: print the value of the first matching rule of this kind
    local kind pattern value
    while IFS=, read -r kind pattern value; do
        [ "$kind" = "$1" ] || continue
        case $kind in
            excluded) grep -qE -- "$pattern" "$3" ;;
            *) [[ $2 =~ ^($pattern)$ ]] ;;
        esac && { echo "$value"; return; }
    done <"$here/samples.csv"
}

quoted() { # print the input on one line, without commas and paths of this machine
    tr -s ' \n",|' ' ' | sed -E "s,$scratch/[^ ]*/,,g; s,$checkout/,,g; s/; the rows contain only.*//; s/^tlab: //" | cut -c1-160 | sed 's/ *$//'
}

# Build the modules that the program loads and that CMakeLists.txt lists.
modules() {
    perl -0777 -ne 'my ($source) = /CUDA_KERNEL_SOURCE "[^"]*\/([^"\/]+)"/;
        print "$2 $source ", lc $1, "\n" while /CUDA_(FATBIN|PTX)_FILE "[^"]*\/([^"\/]+)"/g' |
        while read -r module source kind; do "$tlab" nvcc "-$kind" "$source" -o "$module" || return; done
    local cuda=${TLAB_CUDA:-/usr/local/cuda}/include # NVRTC finds these headers beside the program
    ! grep -q cooperative_groups text || cp -r "$cuda"/cooperative_groups{,.h} "$cuda"/cccl/{nv,cuda} .
}
libraries() { grep -oE 'CUDA::(cuda_driver|nvrtc)\b' | sort -u | sed 's/.*cuda_driver/-lcuda/; s/.*::/-l/'; }

one() { # NAME DIRECTORY SOURCE...
    local name=$1 folder=$2 reason= found status seconds outcome begin place=$scratch/$1
    shift 2
    mkdir -p "$place"
    { echo "NAME $name"; (cd "$folder" && cat "$@" CMakeLists.txt 2>/dev/null); } >"$place/text"
    reason=$(rule excluded "$name" "$place/text")
    [ -z "$reason" ] || { echo "$name,excluded,,$reason"; return; }
    cp -r "$folder" "$place/here"
    if ! (cd "$place/here" && cp ../text . && modules <text && timeout 600 "$tlab" nvcc -O3 -std=c++17 --extended-lambda \
        -I"$checkout/Common" -I"$folder/../../../Common" -I. -Iinc -Xcompiler -ffunction-sections \
        -Xlinker --gc-sections $(rule build "$name") "$@" $(libraries <text) -o "$place/program") \
        >"$place/output" 2>&1; then
        reason=$(grep -m1 -oE 'undefined reference to .(cublas|cufft|curand|cusolver|cusparse|cudnn|nccl|npp)' "$place/output")
        if [ -n "$reason" ]; then
            echo "$name,excluded,,a closed library"
        else
            echo "$name,not_built,,$(grep -m1 -E 'error|undefined' "$place/output" | quoted)"
        fi
        return
    fi
    begin=$(date +%s.%N)
    (cd "$place/here" &&
        timeout -k 5 "$limit" "$tlab" exec --csv "$place/rows.csv" -- "$place/program" $(rule arguments "$name")) \
        >"$place/output" 2>&1 </dev/null
    status=$?
    seconds=$(date +%s.%N | awk -v b="$begin" '{ printf "%.1f", $1 - b }')
    found=$(grep -m1 -oE '^tlab: (race|uninitialised|out_of_bounds|misaligned|deadlock|launch_error|timeout):.*' \
        "$place/output" | quoted)
    if [ $status = 124 ] || [ $status = 137 ]; then
        outcome=timeout
        echo "tlab: not done after $limit s" >>"$place/output"
    elif [ $status = 2 ]; then
        outcome=refused
    elif grep -qE 'FAILED|FAIL!|[Tt]est failed|NOT OK|^tlab: .*(ended with exit status|was killed by)' "$place/output"; then
        outcome=wrong
    else
        outcome=passed
    fi
    [ $outcome = passed ] ||
        reason=$(grep -m1 -E '^tlab: .*(not emulated|unsupported|cannot|needs )' "$place/output" ||
            grep -E '^tlab: ' "$place/output" | tail -1)
    reason=$(quoted <<<"$reason")
    reason=${found:-$reason}
    echo "$name,$outcome,$seconds,$reason"
    [ -z "${KEEP:-}" ] || { mkdir -p "$KEEP" && mv "$place/output" "$KEEP/$name.out" && mv "$place/program" "$KEEP/$name"; }
    rm -rf "$place"
}

programs | sort | grep -E "$wanted" >"$scratch/list"
while read -r -a words; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    one "${words[@]}" >>"$scratch/rows" &
done <"$scratch/list"
wait
touch "$scratch/rows"
{ echo "sample,outcome,seconds,reason"; sort "$scratch/rows"; } >"$out"
