# A Slurm cluster of this machine alone: munged, slurmctld and two slurmd, all their files below one folder and all their
# ports on the loopback interface. Sourced by tests/slurm/run; needs root.

CLUSTER=                # the folder
CLUSTER_PROCESSES=()    # what was started, in this order

# Free ports.
free_ports() { # count
    local port found=0
    for ((port = 20000 + RANDOM % 20000; found < $1; port++)); do
        if ! (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; then
            echo $port
            found=$((found + 1))
        fi
    done
}

write_config() {
    local ports
    mapfile -t ports < <(free_ports 3)
    cat >"$CLUSTER/slurm.conf" <<-END
	ClusterName=sheetbake
	SlurmctldHost=localhost(127.0.0.1)
	SlurmctldPort=${ports[0]}
	SlurmUser=root
	SlurmdUser=root
	AuthType=auth/munge
	CredType=cred/munge
	AuthInfo=socket=$CLUSTER/munge.socket
	StateSaveLocation=$CLUSTER/state
	SlurmdSpoolDir=$CLUSTER/spool.%n
	SlurmctldPidFile=$CLUSTER/slurmctld.pid
	SlurmdPidFile=$CLUSTER/slurmd.%n.pid
	SlurmctldLogFile=$CLUSTER/slurmctld.log
	SlurmdLogFile=$CLUSTER/slurmd.%n.log
	PlugStackConfig=$CLUSTER/plugstack.conf
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SlurmdParameters=config_overrides
	JobRequeue=1
	ReturnToService=2
	KillWait=2
	SlurmctldDebug=info
	SlurmdDebug=info
	NodeName=node1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=2 State=UNKNOWN
	NodeName=node2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=2 State=UNKNOWN
	PartitionName=bake Nodes=node[1-2] Default=YES MaxTime=INFINITE State=UP
	END
    : >"$CLUSTER/plugstack.conf"
    export SLURM_CONF=$CLUSTER/slurm.conf
}

start() { # command...
    "$@" >>"$CLUSTER/$(basename "$1").out" 2>&1 &
    CLUSTER_PROCESSES+=($!)
}

# Fails after a minute, with the logs of the daemons.
wait_for() { # what, command...
    local what=$1 end=$((SECONDS + 60))
    shift
    until "$@" >/dev/null 2>&1; do
        if ((SECONDS >= end)); then
            echo "$what: not within a minute" >&2
            tail -n 15 "$CLUSTER"/*.log "$CLUSTER"/*.out >&2
            return 1
        fi
        sleep 0.2
    done
}

nodes_are_idle() {
    [ "$(sinfo -h -o %T)" = idle ] && [ "$(sinfo -h -o %D)" = 2 ]
}

cluster_start() {
    CLUSTER=$(mktemp -d "${TMPDIR:-/tmp}/sheetbake-slurm.XXXXXX")
    chmod 755 "$CLUSTER"
    mkdir "$CLUSTER"/{state,spool.node1,spool.node2}
    write_config
    (umask 077 && head -c 1024 /dev/urandom >"$CLUSTER/munge.key")
    start munged --foreground --key-file="$CLUSTER/munge.key" --socket="$CLUSTER/munge.socket" \
        --pid-file="$CLUSTER/munged.pid" --log-file="$CLUSTER/munged.log" --seed-file="$CLUSTER/munged.seed"
    wait_for munged munge -n --socket="$CLUSTER/munge.socket"
    start slurmctld -D -i
    start slurmd -D -N node1
    start slurmd -D -N node2
    wait_for "two idle nodes" nodes_are_idle
}

no_jobs_are_left() {
    [ -z "$(squeue -h)" ]
}

# A daemon that ends before its jobs leaves their slurmstepd behind.
cluster_stop() {
    local i
    if [ ${#CLUSTER_PROCESSES[@]} -gt 1 ]; then
        scancel --user=root 2>/dev/null || true
        wait_for "an empty queue" no_jobs_are_left || true
    fi
    for ((i = ${#CLUSTER_PROCESSES[@]} - 1; i >= 0; i--)); do
        kill "${CLUSTER_PROCESSES[i]}" 2>/dev/null || true
        wait "${CLUSTER_PROCESSES[i]}" 2>/dev/null || true
    done
    CLUSTER_PROCESSES=()
}
