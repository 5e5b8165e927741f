# shellcheck shell=bash
# What takes too long to be a test; sourced by ./dev. A few of each are among the tests.

# NAME|COUNT by default|what
sweeps() {
    cat <<'END'
load|1|all tests, or those whose names match a third argument, COUNT times while busy loops take two thirds of the machine
rehearsal|10000|rules are tried on the history of COUNT transactions: the alerts are those that were queued, id by id, from both sources
pair|24|two daemons change places each 70 minutes, COUNT hours of chain time long: the shipped rules of Prometheus see what both show, and fire for what the failovers deserve alone
daemons|20|two daemons of different settings on one database are restarted COUNT times: every alert reaches every endpoint
kills|50|daemons and commands are killed COUNT times in each story: no row, watch or alert is lost or doubled
liars|200|daemon and PostgreSQL are killed COUNT times while one of three hosts lies: no row, end or alert is false or lost
upgrade|30|a later version migrates COUNT times under a daemon that follows, and is killed at any step: the rows are those of a daemon that did it alone. The daemon is that of the commit before, if it has the same migrations
crashes|50|PostgreSQL is crashed COUNT times while blocks are written
bodies|300|COUNT mixed transactions beside hosts that strip receipts from a third of their answers, or are busy each fifth time: verdicts, roles and alerts are the truth a minute after the answers are whole
early|1000|through COUNT forks, inclusions that are told before their block is final are confirmed or taken back; how early that is, and what it costs the hosts
ends|20|1,000 submissions end in every way there is, on a chain of each of COUNT seeds and two hosts, one of which lags
watches|1000|watched transactions on a chain of COUNT blocks, 20 in each, through kills and faults
receivers|50|daemons are killed COUNT times, and PostgreSQL a tenth of that, before receivers that fail in every way: every alert arrives, in order where asked
incidents|10000|COUNT incidents at services that refuse one answer in three, while the daemon is killed: none stays open, none is opened after its end
flood|10000|COUNT connections that are idle, slow, endless or full of bombs, while a chain is followed: ingest goes on, probes are answered, memory stays small
strangers|60|for COUNT minutes a host lies, transactions are odd, a role holds locks and clients flood: heights, alerts and memory are those of a calm daemon
locks|1000|a reader, a watcher and a role without rights hold everything they can for COUNT rounds of blocks and alerts: ingest, alerts and submissions go on
storms|5000|COUNT alerts within a minute: an endpoint with groups gets at most 10 messages that count them all, a plain one each of them, and Alertmanager shows few
reloads|100|a daemon reloads COUNT times in a storm: no alert is lost or sent again
days|72|COUNT hours of chain time are followed as fast as they are made, while retention drops partitions: memory comes to rest
living|600|living traffic is followed for COUNT seconds from both sources and compared with the truth
package|1|the packages are installed into a Debian root of their own, started by the unit's line, upgraded, removed and purged, COUNT times (as root)
fuzz|1000000|COUNT executions of each parser of outside bytes, and a hundred times COUNT in sum (10^8 at most), under libFuzzer with sanitizers: no crash, leak or hang
recordings|30|COUNT whole blocks of ../shared/data are followed and counted
END
}

list_sweeps() { sweeps | awk -F'|' '{ printf "  %-20s %s (%s)\n", $1 " [COUNT]", $3, $2 }'; }

# The scenarios of a sweep: FILE [TEST].
scenarios_of() {
    case $1 in
        kills)
            echo crash KilledDaemon
            echo alerts Told.test_every_finding_arrives_through_refusals_resets_and_kills
            echo submit SubmitTest.test_killed_between_any_two_steps_nothing_is_lost_or_doubled
            echo traces Troubles.test_killed_at_any_step_each_tree_comes_once_or_twice
            ;;
        liars) echo liars ;;
        daemons) echo daemons Restarted ;;
        pair) echo pair_rules ;;
        rehearsal) echo rehearsal ;;
        upgrade) echo schema_upgrade ;;
        crashes) echo crash StoppedPostgres.test_crashes_of_the_server ;;
        watches) echo watch Watching.test_whatever_is_watched_comes_to_its_true_end_through_kills_and_faults ;;
        early) echo early ;;
        ends) echo ends ;;
        bodies) echo bodies ;;
        receivers) echo receivers ;;
        locks) echo locks ;;
        strangers) echo besieged ;;
        storms)
            echo storms Grouped
            echo storms IntoAlertmanager
            ;;
        reloads) echo storms Reloaded ;;
        living) echo sandbox ;;
        soak) echo soak Soak.test_all_comes_to_rest_through_troubles ;;
        days) echo soak Soak.test_retention_keeps_the_disk_at_rest ;;
        package) echo package Installed ;;
        flood) echo flood Flooded ;;
        incidents) echo incidents ;;
        recordings) echo shows RecordedWholeBlocks.test_counts_of_the_larger_set_are_those_of_the_json ;;
    esac
}

# The program before the last change of the daemon becomes RECEIPTD_EARLIER, where its migrations are these.
build_commit_before() {
    local tree=$LOCAL/before last
    last=$(git log -1 --format=%H -- daemon)
    if ! git diff --quiet "$last^" -- 'migrations/*.sql'; then say "The daemon of this commit is upgraded"; return; fi
    say "Building the daemon of the commit before $(git log -1 --format=%h "$last")"
    [ -d "$tree" ] || git worktree add --detach "$tree" "$last^"
    git -C "$tree" checkout --quiet --detach "$last^"
    (cd "$tree" && cmake --preset first >/dev/null && cmake --build build-first --target receiptd)
    export RECEIPTD_EARLIER=$tree/build-first/receiptd
}

# Every file is run, whatever became of the one before.
sweep_scenarios() {
    local name=$1 count=$2 file case failed=()
    install_packages build test
    prefer_first
    if [ "$name" = package ]; then
        install_packages package install
        build receiptd receiptd-sandbox package_files
    elif [ "$name" = upgrade ]; then
        build -DRECEIPTD_TESTS=ON receiptd receiptd-sandbox receiptd-later
        build_commit_before
    else
        build receiptd receiptd-sandbox
    fi
    scripts/postgres.sh remove "$LOCAL/sweep-postgres"
    start_cluster "$LOCAL/sweep-postgres" --fast
    RECEIPTD_TEST_DATABASE=$(scripts/postgres.sh url "$LOCAL/sweep-postgres" postgres)
    export RECEIPTD_TEST_DATABASE RECEIPTD_BUILD=$BUILD "RECEIPTD_SWEEP_${name^^}=$count"
    while read -r file case; do
        say "$file ${case:-}"
        python3 "tests/scenario/${file}_test.py" ${case:+"$case"} </dev/null || failed+=("$file")
    done < <(scenarios_of "$name")
    [ ${#failed[@]} -eq 0 ] || die "sweep $name $count failed: ${failed[*]}"
}

# sweep_load COUNT [REGEX]: every run is made, whatever became of the one before.
sweep_load() {
    local count=$1 run failed=0 pid loops=()
    shift
    install_packages build test
    prefer_first
    build -DRECEIPTD_TESTS=ON
    # The tests have about as many processes at work as there are cores.
    for ((run = 0; run < 2 * $(nproc); run++)); do
        while :; do :; done &
        loops+=($!)
    done
    PIDS+=("${loops[@]}")
    for ((run = 1; run <= count; run++)); do
        say "Testing beside ${#loops[@]} busy loops, $run of $count"
        run_ctest "$BUILD" ${1:+-R "$1"} || failed=$((failed + 1))
    done
    for pid in "${loops[@]}"; do kill "$pid"; done
    [ "$failed" -eq 0 ] || die "sweep load: $failed of $count runs failed"
}

sweep() {
    local name=${1:-} count=${2:-} known
    known=$(sweeps | cut -d'|' -f1 | paste -sd' ')
    [[ -n $name && " $known " == *" $name "* ]] || die "no such sweep: ${name:-(none)}; there are ${known// /, }"
    [ -n "$count" ] || count=$(sweeps | awk -F'|' -v name="$name" '$1 == name { print $2 }')
    [[ $count =~ ^[1-9][0-9]{0,8}$ ]] || die "COUNT must be a whole number from 1 to 999999999, not \"$count\""
    if [ "$name" = load ] && [ $# -le 3 ]; then sweep_load "$count" "${@:3}"; return; fi
    [ $# -le 2 ] || die "sweep takes NAME and COUNT, not also \"$3\""
    if [ "$name" = fuzz ]; then sweep_fuzz "$count"; else sweep_scenarios "$name" "$count"; fi
}
