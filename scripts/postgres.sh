#!/usr/bin/env bash
# Private PostgreSQL clusters, for the demo, the tests and the benchmarks.
#
#   scripts/postgres.sh start [--fast|--memory] [--copy CLUSTER] DIR [PORT]
#                                              make DIR a cluster if it is none, start it, print its URL; --copy:
#                                              it becomes one as CLUSTER, which is stopped
#   scripts/postgres.sh url DIR [DATABASE]     postgresql://receiptd:...@127.0.0.1:PORT/DATABASE
#   scripts/postgres.sh database DIR NAME      create a database if it is not there, print its URL
#   scripts/postgres.sh restart DIR [MODE]     on the same port; MODE as for stop
#   scripts/postgres.sh stop DIR [MODE]        fast (default), smart or immediate (as a crash)
#   scripts/postgres.sh pid DIR                of the postmaster, if it runs
#   scripts/postgres.sh remove DIR             stop it and delete it
#
# --fast turns durability off: for tests, never for measurements. --memory does the same, and DIR becomes a
# link to a folder in /dev/shm, if 4 GiB are free there: a file system takes longer to make and delete the
# hundreds of files of a test's database than the test itself takes. The cluster listens on a free loopback
# port, with a random password. PostgreSQL refuses to run as root: as root the cluster belongs to user
# postgres, and where that user cannot reach DIR (a clone below /root), DIR becomes a link to a folder in
# ${TMPDIR:-/tmp}.
set -euo pipefail

die() { echo "postgres.sh: $*" >&2; exit 1; }

usage() { sed -n '4,12s/^# \{0,3\}//p' "$0" >&2; exit 2; }

binary() {
    local folder
    folder=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
    [ -x "$folder/$1" ] || die "$1 not found: install postgresql-15 (scripts/packages.txt)"
    echo "$folder/$1"
}

# Runs a command as the cluster's owner, in a folder that every user may enter.
as_owner() {
    cd /
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=postgres --regid=postgres --clear-groups --no-new-privs \
            env HOME=/tmp LC_ALL=C.UTF-8 "$@"
    else
        env LC_ALL=C.UTF-8 "$@"
    fi
}

has_shared_memory() {
    local free
    free=$(df --output=avail --type=tmpfs -k /dev/shm 2>/dev/null | tail -n 1) && [ "${free:-0}" -ge $((4 << 20)) ]
}

# DIR as an absolute path, made if need be, that the owner can reach.
prepare_folder() {
    local dir=$1 kind=$2 reachable
    mkdir -p "$(dirname "$dir")"
    if [ ! -e "$dir" ] && [ "$kind" = memory ] && has_shared_memory; then
        reachable=$(mktemp -d /dev/shm/receiptd-postgres.XXXXXX)
        ln -s "$reachable" "$dir"
        dir=$reachable
    fi
    [ -e "$dir" ] || mkdir -m 700 "$dir"
    [ "$(id -u)" -eq 0 ] || return 0
    chown -R postgres:postgres "$dir/"
    if ! as_owner test -x "$dir" -a -w "$dir"; then
        reachable=$(mktemp -d "${TMPDIR:-/tmp}/receiptd-postgres.XXXXXX")
        as_owner test -x "$(dirname "$reachable")" || die "user postgres can enter neither $dir nor $reachable"
        chown postgres:postgres "$reachable"
        rmdir "$dir"
        ln -s "$reachable" "$dir"
    fi
}

initialise() {
    local dir=$1 kind=$2
    head -c 24 /dev/urandom | base64 | tr '+/' '-_' >"$dir/password"
    [ "$(id -u)" -ne 0 ] || chown postgres:postgres "$dir/password"
    chmod 600 "$dir/password"
    # SCRAM costs each connection 10 ms of CPU, which is what it is for; tests make thousands.
    local auth=scram-sha-256
    [ "$kind" = durable ] || auth=md5
    # What is copied for each test is small.
    local segment=16
    [ "$kind" != memory ] || segment=1
    as_owner "$(binary initdb)" --pgdata="$dir/data" --username=receiptd --pwfile="$dir/password" \
        --auth="$auth" --encoding=UTF8 --locale=C.UTF-8 --wal-segsize="$segment" --no-sync >"$dir/initdb.log" 2>&1 ||
        { cat "$dir/initdb.log" >&2; die "initdb failed in $dir"; }
    settings "$kind" >>"$dir/data/postgresql.conf"
}

settings() {
    # Whatever is dropped or truncated is looked for in all buffers; files in memory need few of them.
    cat <<END
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
shared_buffers = $([ "$1" = memory ] && echo 64MB || echo 256MB)
max_wal_size = $([ "$1" = memory ] && echo 512MB || echo 4GB)
checkpoint_timeout = 15min
timezone = 'UTC'
log_timezone = 'UTC'
END
    [ "$1" = durable ] && return
    # A parallel worker is a process with caches of its own, which tests' few rows are not worth: the planner takes
    # some for the questions of adoption, whose joins it is made to avoid (their costs count as huge then).
    cat <<'END'
fsync = off
full_page_writes = off
synchronous_commit = off
update_process_title = off
jit = off
max_parallel_workers_per_gather = 0
END
    # A test is over before its tables need a vacuum, which would come to some runs and not to others.
    if [ "$1" = memory ]; then echo 'autovacuum = off'; fi
}

copy() {
    if running_pid "$1" >/dev/null; then die "$1 is running: only a stopped cluster can be copied"; fi
    cp --archive "$1/." "$2/"
}

running_pid() {
    local pid
    pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) || return 1
    # The number may belong to somebody else after a crash of the machine.
    [ -n "$pid" ] && grep -qs postgres "/proc/$pid/comm" && echo "$pid"
}

free_port() {
    python3 -ISc 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

launch() {
    local dir=$1 port=$2
    as_owner "$(binary pg_ctl)" start --pgdata="$dir/data" --log="$dir/server.log" --wait --silent \
        --timeout=60 --options="-p $port" >/dev/null 2>&1
}

start() {
    local kind=durable original="" dir
    case ${1:-} in
        --fast | --memory) kind=${1#--}; shift ;;
    esac
    if [ "${1:-}" = --copy ]; then original=$(realpath "${2:?--copy CLUSTER}"); shift 2; fi
    [ $# -eq 1 ] || [ $# -eq 2 ] || usage
    [ -e "$1" ] || rm -f "$1"  # a link to a folder in memory, from before the machine was restarted
    dir=$(realpath -m "$1")
    if ! running_pid "$dir" >/dev/null; then
        prepare_folder "$dir" "$kind"
        dir=$(realpath "$dir")
        if [ ! -f "$dir/data/PG_VERSION" ]; then
            if [ -n "$original" ]; then copy "$original" "$dir"; else initialise "$dir" "$kind"; fi
        fi
        local attempt
        for attempt in 1 2 3 4 5; do
            # Another program may take the port between the look and the start.
            if launch "$dir" "${2:-$(free_port)}"; then break; fi
            [ "$attempt" -lt 5 ] || { tail -n 20 "$dir/server.log" >&2; die "cannot start $dir"; }
        done
    fi
    url "$dir" postgres
}

port_of() { sed -n 4p "$1/data/postmaster.pid"; }

url() {
    local dir=$1
    running_pid "$dir" >/dev/null || die "$dir is not running"
    echo "postgresql://receiptd:$(cat "$dir/password")@127.0.0.1:$(port_of "$dir")/${2:-postgres}"
}

database() {
    local dir=$1 name=$2 admin
    admin=$(url "$dir" postgres)
    if [ -z "$(psql "$admin" -XAtqc "SELECT 1 FROM pg_database WHERE datname = '$name'")" ]; then
        psql "$admin" -XAtqc "CREATE DATABASE \"$name\""
    fi
    url "$dir" "$name"
}

stop() {
    local dir=$1 mode=${2:-fast}
    running_pid "$dir" >/dev/null || return 0
    as_owner "$(binary pg_ctl)" stop --pgdata="$dir/data" --mode="$mode" --wait --silent --timeout=60
}

restart() {
    local dir=$1 mode=${2:-fast} port
    port=$(port_of "$dir")
    stop "$dir" "$mode"
    launch "$dir" "$port" || { tail -n 20 "$dir/server.log" >&2; die "cannot restart $dir"; }
}

remove() {
    stop "$1" immediate
    rm -rf "$1"
}

main() {
    local verb=${1:-}
    [ $# -ge 2 ] || usage
    shift
    case $verb in
        start) start "$@" ;;
        url | database | restart | stop | remove)
            local dir
            # The folder itself, not a link to it: its owner may be unable to reach the link.
            dir=$(realpath -m "$1")
            "$verb" "$dir" "${@:2}"
            if [ "$verb" = remove ]; then rm -f "${1%/}"; fi
            ;;
        pid) running_pid "$(realpath -m "$1")" ;;
        *) usage ;;
    esac
}

main "$@"
