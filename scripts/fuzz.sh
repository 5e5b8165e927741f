# shellcheck shell=bash
# libFuzzer on every parser of outside bytes, and on the rows that they become; sourced by ./dev.

# A target that gets no further with one input than this many seconds is stuck in it.
readonly STUCK_AFTER=20
# Long enough for what nests thousands of levels deep (tests/fuzz/grow.hpp): a hundred times slower than short inputs, which
# find all else.
readonly LONGEST=262144
readonly SHORT=4096

fuzz_names() {
    local source
    for source in tests/fuzz/fuzz_*.cpp; do basename "${source#*/fuzz_}" .cpp; done
}

# Whether the target writes its inputs into a database (tests/fuzz.cmake): each execution takes as long as a thousand of
# others.
is_on_postgres() { [ "$1" = rows ]; }

build_fuzz_targets() {
    install_packages build test lint
    say "Building the fuzz targets (build-fuzz/)"
    configure fuzz
    cmake --build build-fuzz -j "$(nproc)" --target fuzz_targets
}

# fuzz_one NAME LIMIT LENGTH LOG: until LIMIT, "-max_total_time=60" or "-runs=1000", with inputs of LENGTH bytes at most.
# What it learns stays in .local/fuzz/corpus for the next time.
fuzz_one() {
    local name=$1 limit=$2 length=$3 log=$4 corpus=$LOCAL/fuzz/corpus/$1 launcher=()
    if is_on_postgres "$name"; then launcher=(python3 -IS tests/support/run_test.py --postgres --); fi
    mkdir -p "$corpus" "$LOCAL/fuzz/findings"
    # Without the stacks of allocations twice as many inputs are tried; repeating a finding shows them.
    if ! ASAN_OPTIONS=malloc_context_size=0 "${launcher[@]}" "build-fuzz/fuzz_$name" "$limit" -timeout="$STUCK_AFTER" -max_len="$length" \
        -print_final_stats=1 -artifact_prefix="$LOCAL/fuzz/findings/$name-" "$corpus" "tests/data/fuzz/$name" \
        >"$log" 2>&1; then
        note "$name: a finding"
        tail -n 40 "$log" >&2
        return 1
    fi
    note "$(awk -v name="$name" '/number_of_executed_units/ { runs = $2 } /average_exec_per_sec/ { rate = $2 }
        END { printf "%-14s %12d executions %8d per second", name, runs, rate }' "$log")"
}

# stat_of NAME LOG...: the sum, over the logs, of what libFuzzer counted under that name.
stat_of() {
    local name=$1
    shift
    cat "$@" 2>/dev/null | awk -v name="stat::$name:" '$1 == name { all += $2 } END { print all + 0 }'
}

# fuzz_each ROUND LENGTH LIMIT_OF: LIMIT_OF NAME prints the limit.
fuzz_each() {
    local round=$1 length=$2 limit_of=$3 name failed=()
    for name in $(fuzz_names); do
        fuzz_one "$name" "$("$limit_of" "$name")" "$length" "$LOCAL/fuzz/$name.$round.log" || failed+=("$name")
    done
    note "$(printf '%-14s %12d executions' "in sum" "$(stat_of number_of_executed_units "$LOCAL"/fuzz/*.log)")"
    [ ${#failed[@]} -eq 0 ] ||
        die "findings in ${LOCAL#"$ROOT"/}/fuzz/findings: ${failed[*]}; build-fuzz/fuzz_NAME FILE repeats one"
}

fuzz() {
    local seconds=${1:-60}
    [[ $seconds =~ ^[1-9][0-9]{0,5}$ ]] || die "SECONDS must be a whole number from 1 to 999999, not \"$seconds\""
    [ $# -le 1 ] || die "fuzz takes SECONDS, not also \"$2\""
    start_fuzzing "Fuzzing each target for $seconds s"
    same_time() { echo "-max_total_time=$seconds"; }
    fuzz_each 1 "$LONGEST" same_time
}

start_fuzzing() {
    build_fuzz_targets
    rm -f "$LOCAL"/fuzz/*.log
    say "$1"
}

# ./dev sweep fuzz COUNT: COUNT executions of each target (of one on PostgreSQL a tenth, 10^5 at most), a hundredth of that
# with long inputs, then as many that there are a hundred times COUNT in sum, 10^8 at most. Each gets as much more time as any
# other, so that most are of the fast ones.
sweep_fuzz() {
    local count=$1 on_postgres=$(($1 / 10)) sum=$((100 * $1)) left rates
    [ "$on_postgres" -le 100000 ] || on_postgres=100000
    [ "$sum" -le 100000000 ] || sum=100000000
    start_fuzzing "Fuzzing each target ($count executions)"
    same_count() { if is_on_postgres "$1"; then echo "-runs=$on_postgres"; else echo "-runs=$count"; fi; }
    fuzz_each 1 "$SHORT" same_count
    say "Fuzzing each target with long inputs ($((count / 100)) executions)"
    a_hundredth() { if is_on_postgres "$1"; then echo "-runs=$((on_postgres / 100))"; else echo "-runs=$((count / 100))"; fi; }
    fuzz_each 2 "$LONGEST" a_hundredth
    left=$((sum - $(stat_of number_of_executed_units "$LOCAL"/fuzz/*.log)))
    [ "$left" -gt 0 ] || return 0
    rates=$(stat_of average_exec_per_sec "$LOCAL"/fuzz/*.1.log)
    say "Fuzzing them all for the same time ($left executions in sum)"
    same_share() { echo "-runs=$((left * $(stat_of average_exec_per_sec "$LOCAL/fuzz/$1.1.log") / rates + 1))"; }
    fuzz_each 3 "$SHORT" same_share
}
