#!/bin/bash
# slurm_test.sh: `tlab grade --engine slurm` on a real Slurm (slurmctld, slurmd, munge) of one machine,
# started here in a directory of its own, whose daemons are killed in the middle. Skipped where Slurm is
# not installed (Debian: slurm-wlm munge) or not root. Run from the repository root; TLAB names the program.
# SLURM_TEST_SUBMISSIONS is the size of the class (default 60).
set -u
# It waits for Slurm's own recovery of lost nodes, which now and then takes minutes: only on demand.
. profiler/tools/expect.sh
[ "${TLAB_SLURM:-}" = yes ] || skip_all "takes minutes at times; TLAB_SLURM=yes runs it"
count=${SLURM_TEST_SUBMISSIONS:-60}
PATH=$PATH:/usr/sbin
needs slurmctld slurmd munged mungekey sbatch squeue # (Debian: slurm-wlm munge)
[ "$(id -u)" -eq 0 ] || skip_all "slurmd needs root"
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

steps() { # what slurmd has started: jobs' steps and tasks whose environment names our configuration
    for directory in /proc/[0-9]*; do
        {
            grep -qzxF "SLURM_CONF=$work/slurm.conf" "$directory/environ" &&
                grep -qaE 'slurmstepd|--task-of' "$directory/cmdline" && basename "$directory"
        } 2>/dev/null
    done
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
wait_for() { # SECONDS COMMAND...: until it succeeds
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

# A class whose files do not compile: nothing is faster to grade.
mkdir "$work/class"
for i in $(seq "$count"); do
    printf '#include "lab.h"\nLAB(padded);\n// number %d\n' "$i" >"$work/class/student_$i.cu"
done
out="$work/100% 'ours'"
graded() { ls "$out/work" 2>/dev/null | grep -c '^student_.*\.json$'; }
some_graded() { [ "$(graded)" -gt "${1:-0}" ]; }
class=("$work/class" --sandbox seccomp)
with_slurm=("$tlab" grade "${class[@]}" --out "$out" --engine slurm --jobs 4)

# The node is lost in the middle, with all that runs on it; later it comes back.
"${with_slurm[@]}" >"$work/grade.log" 2>&1 &
grader=$!
check "something gets graded" wait_for 60 some_graded 0
kill -9 "$(cat "$work/slurmd.pid")"
for pid in $(steps); do kill -9 "$pid" 2>/dev/null; done
at_loss=$(graded)
rm -f "$work/slurmd.pid"
slurmd_up

# The master is lost as well, and started again.
check "it goes on" wait_for 90 some_graded "$at_loss"
{
    kill -9 $grader
    wait $grader
} 2>/dev/null
at_kill=$(graded)
expect "the rest after both losses" 0 "$count people" -- "${with_slurm[@]}"
check "nothing is lost" [ "$(graded)" -eq "$count" ]
check "all have reports" [ "$(ls "$out/students" | wc -l)" -eq "$count" ]
expect "nothing is graded again" 0 " 0 graded now" -- "${with_slurm[@]}"

# The same bytes as without Slurm.
local_out=$work/local
mkdir -p "$local_out"
cp "$out/secret.seed" "$local_out/"
expect "the same on one machine" 0 "$count people" -- \
    "$tlab" grade "${class[@]}" --out "$local_out" --jobs 2
check "the same grades" cmp <(grep -v '"seconds"' "$out/grade.json") <(grep -v '"seconds"' "$local_out/grade.json")

[ $failures -eq 0 ] || cat "$work/grade.log"
echo "# $at_loss of $count graded when the node was lost, $at_kill when the master was"
finish
