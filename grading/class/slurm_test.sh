#!/bin/bash
# slurm_test.sh: tests `tlab grade --engine slurm` on a real Slurm (slurmctld, slurmd, munge) of one machine. The script
# starts the daemons in a directory and kills them during the test. The test is skipped if Slurm is not installed
# (Debian: slurm-wlm munge) or the user is not root. Variables: SLURM_TEST_SUBMISSIONS is the size of the class (default
# 24). SLURM_TEST_FILES submissions have a kernel (default all), and the others only a note. SLURM_TEST_WORK is the
# number of constants that the compiler computes per file (default 9), so that tasks are running when the node is lost.
# SLURM_TEST_LOSSES=N runs only the test with the lost node, N times, and prints the time of each run.
# check: slow
set -u
. profiler/tools/expect.sh
[ "${TLAB_SLURM:-}" = yes ] || skip_all "takes a minute or two; TLAB_SLURM=yes runs it"
count=${SLURM_TEST_SUBMISSIONS:-24} work_each=${SLURM_TEST_WORK:-9} losses=${SLURM_TEST_LOSSES:-}
files=${SLURM_TEST_FILES:-$count}
PATH=$PATH:/usr/sbin
needs slurmctld slurmd munged mungekey sbatch squeue # (Debian: slurm-wlm munge)
[ "$(id -u)" -eq 0 ] || skip_all "slurmd requires root"
chmod 755 "$work"

stop_all() {
    [ -z "${grader:-}" ] || kill -9 "$grader" 2>/dev/null
    for pid_file in slurmd slurmctld munged; do
        [ ! -s "$work/$pid_file.pid" ] || kill -9 "$(cat "$work/$pid_file.pid")" 2>/dev/null
    done
    for pid in $(steps); do kill -9 "$pid" 2>/dev/null; done
    sleep 0.5
    rm -rf "$work"
}
trap stop_all EXIT

steps() { # print the steps and tasks that slurmd has started: their environment names this configuration
    grep -lzxF "SLURM_CONF=$work/slurm.conf" /proc/[0-9]*/environ 2>/dev/null | sed 's/environ$/cmdline/' |
        xargs -r grep -laE -e 'slurmstepd|--task-of' 2>/dev/null | tr -dc '0-9\n'
}

port=$((20000 + $$ % 20000))
node=$(hostname -s)
mkdir "$work/state" "$work/spool" "$work/munge"
chmod 700 "$work/munge"
cat >"$work/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CryptoType=crypto/munge
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
ReturnToService=2
SlurmdTimeout=10
SlurmctldTimeout=10
InactiveLimit=0
KillWait=2
MinJobAge=2
MessageTimeout=10
SlurmdParameters=config_overrides
NodeName=$node NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=main Nodes=$node Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf

start() { # LOG COMMAND...
    local log=$1
    shift
    "$@" >>"$work/$log" 2>&1 || { echo "FAILED: $1 does not start:"; cat "$work/$log"; exit 1; }
}
wait_for() { # SECONDS COMMAND...: wait until the command succeeds
    local tries=$(($1 * 5))
    shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.2
    done
}
node_is_idle() { sinfo --noheader --format %t | grep -q '^\(idle\|mix\)$'; }
slurmd_up() { start slurmd.out slurmd -N "$node" -f "$SLURM_CONF"; }

mungekey --create --keyfile "$work/munge/key" || exit 1
start munged.out munged --key-file "$work/munge/key" --socket "$work/munge/socket" --pid-file "$work/munged.pid" \
    --log-file "$work/munge/log" --seed-file "$work/munge/seed" --num-threads 2 --force
start slurmctld.out slurmctld -f "$SLURM_CONF"
slurmd_up
wait_for 20 node_is_idle || {
    echo "FAILED: the node does not come up"
    tail -n 20 "$work/slurmctld.log" "$work/slurmd.log"
    exit 1
}

# A class of kernels that compile for half a second and are incorrect.
mkdir "$work/class"
for i in $(seq "$count"); do
    if [ $((i * files / count)) -eq $(((i - 1) * files / count)) ]; then
        mkdir "$work/class/student_$i"
        echo "I was ill." >"$work/class/student_$i/note.txt"
        continue
    fi
    {
        printf '#include "lab.h"\nLAB(padded);\n// number %d\n' "$i"
        echo 'constexpr int slow(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += i % 7; return sum; }'
        for number in $(seq "$work_each"); do echo "constexpr int v$number = slow(30000$number);"; done
    } >"$work/class/student_$i.cu"
done
out="$work/100% 'ours'"
graded() { ls "$out/work" 2>/dev/null | grep -c '^student_.*\.json$'; }
some_graded() { [ "$(graded)" -gt "${1:-0}" ]; }
grade_files() { (cd "$out/work" && stat -c '%n %i %y' student_*.json 2>/dev/null | sort); }
class=("$work/class" --sandbox seccomp)
with_slurm=("$tlab" grade "${class[@]}" --out "$out" --engine slurm --jobs 4)
queue_is_empty() { [ -z "$(squeue --noheader)" ]; }

# A replacement of sbatch that records its arguments and can hold the job.
mkdir "$work/bin"
cat >"$work/bin/sbatch" <<END
#!/bin/sh
echo "\$*" >"$work/sbatch.said"
exec $(command -v sbatch) \${SBATCH_HOLD:+--hold} "\$@"
END
chmod +x "$work/bin/sbatch"

slurmd_down() {
    kill -9 "$(cat "$work/slurmd.pid")"
    rm -f "$work/slurmd.pid"
}
# The node is lost while tasks run, and its daemon restarts at once. For another minute, slurmctld reports the tasks as
# running. The tasks are stopped first, so that no task ends before the node is lost.
send() { for pid in $lost; do kill "-$1" "$pid" 2>/dev/null; done; }
busy() {
    lost=$(steps)
    some_graded 0 && [ -n "$lost" ] || return
    send STOP
    lost=$(steps)
    for pid in $lost; do grep -qa -e --task-of "/proc/$pid/cmdline" && return; done 2>/dev/null
    send CONT
    return 1
}
lose_node() {
    "${with_slurm[@]}" >"$work/grade.log" 2>&1 &
    grader=$!
    check "a submission is graded" wait_for 60 busy
    slurmd_down
    send KILL
    at_loss=$(graded) loss_seconds=$SECONDS
    grade_files >"$work/before_loss"
    slurmd_up
    check "tasks were lost" [ -n "$lost" ]
}

if [ -n "$losses" ]; then
    started=$SECONDS
    expect "a class without a loss" 0 "$count people" -- "${with_slurm[@]}"
    undisturbed=$((SECONDS - started))
    echo "# without a loss: $undisturbed s"
    for turn in $(seq "$losses"); do
        rm -rf "$out"
        lose_node
        wait $grader
        check "loss $turn: the class is graded" [ $? -eq 0 ]
        recovery=$((SECONDS - loss_seconds))
        check "loss $turn: lost tasks are abandoned" grep -q "does not respond" "$work/grade.log"
        check "loss $turn: all students have reports" [ "$(ls "$out/students" | wc -l)" -eq "$count" ]
        grade_files >"$work/after"
        check "loss $turn: no submission is graded again" [ -z "$(comm -23 "$work/before_loss" "$work/after")" ]
        [ $failures -eq 0 ] || { cat "$work/grade.log"; break; }
        echo "# loss $turn: $at_loss of $count graded at the loss, $recovery s from the loss to the end"
    done
    finish
fi

scontrol update "nodename=$node" state=drain reason="fan broken"
expect "a drained node" 2 "no node is available: $node is drained .fan broken" -- \
    env TLAB_SLURM_WAIT=2 "${with_slurm[@]}"
check "jobs of a drained node are cancelled" wait_for 10 queue_is_empty
scontrol update "nodename=$node" state=resume

slurmd_down
node_is_silent() { ! node_is_idle; }
check "the loss of the node is noticed" wait_for 40 node_is_silent
expect "a node that is down" 2 "no node is available: $node (is down|does not respond).*This state did not change in [2-9] s" -- \
    env TLAB_SLURM_WAIT=2 "${with_slurm[@]}"
slurmd_up
check "the node is back" wait_for 40 node_is_idle

scontrol update partitionname=main state=down
expect "a partition that is down" 2 "no job can start: PartitionDown .*This state did not change in [2-9] s" -- \
    env TLAB_SLURM_WAIT=2 "${with_slurm[@]}"
scontrol update partitionname=main state=up
expect "jobs that are held" 2 "no job can start: JobHeldUser" -- \
    env TLAB_SLURM_WAIT=2 SBATCH_HOLD=1 PATH="$work/bin:$PATH" "${with_slurm[@]}"
check "held jobs are cancelled" wait_for 10 queue_is_empty
check "jobs are not requeued" grep -q -- --no-requeue <<<"$(cat "$work/sbatch.said")"

lose_node
check "grading continues" wait_for 60 some_graded "$at_loss"

{
    kill -9 $grader
    wait $grader
} 2>/dev/null
at_kill=$(graded)
grade_files >"$work/before_kill"
expect "the remaining submissions after both losses" 0 "$count people" -- "${with_slurm[@]}"
recovery=$((SECONDS - loss_seconds))
check "all submissions are graded" [ "$(graded)" -eq "$count" ]
check "all students have reports" [ "$(ls "$out/students" | wc -l)" -eq "$count" ]
grade_files >"$work/after"
check "grades made before tlab was killed are not lost or made again" [ -z "$(comm -23 "$work/before_kill" "$work/after")" ]
check "grades made before the loss are not made again" [ -z "$(comm -23 "$work/before_loss" "$work/after")" ]
expect "nothing is graded again" 0 " 0 graded now" -- "${with_slurm[@]}"

local_out=$work/local
mkdir -p "$local_out"
cp "$out/secret.seed" "$local_out/"
expect "the same on one machine" 0 "$count people" -- \
    "$tlab" grade "${class[@]}" --out "$local_out" --jobs 2
check "the same grades" cmp <(grep -v '"seconds"' "$out/grade.json") <(grep -v '"seconds"' "$local_out/grade.json")

[ $failures -eq 0 ] || cat "$work/grade.log"
echo "# $at_loss of $count graded when the node was lost, $at_kill when tlab was killed;" \
    "$recovery s from the first loss to the end"
finish
