# shellcheck shell=bash
# libFuzzer on every parser of outside bytes; sourced by ./dev.

# A target that gets no further with one input than this many seconds is stuck in it.
readonly STUCK_AFTER=20

fuzz_names() {
    local source
    for source in tests/fuzz/fuzz_*.cpp; do basename "${source#*/fuzz_}" .cpp; done
}

build_fuzz_targets() {
    install_packages build test lint
    say "Building the fuzz targets (build-fuzz/)"
    configure fuzz
    cmake --build build-fuzz -j "$(nproc)" --target fuzz_targets
}

# fuzz_one NAME LIMIT: until LIMIT, "-max_total_time=60" or "-runs=1000". What it learns stays in .local/fuzz/corpus
# for the next time.
fuzz_one() {
    local name=$1 limit=$2 corpus=$LOCAL/fuzz/corpus/$1 log=$LOCAL/fuzz/$1.log
    mkdir -p "$corpus" "$LOCAL/fuzz/findings"
    if ! "build-fuzz/fuzz_$name" "$limit" -timeout="$STUCK_AFTER" -print_final_stats=1 \
        -artifact_prefix="$LOCAL/fuzz/findings/$name-" "$corpus" "tests/data/fuzz/$name" >"$log" 2>&1; then
        note "$name: a finding"
        tail -n 40 "$log" >&2
        return 1
    fi
    note "$(awk -v name="$name" '/number_of_executed_units/ { runs = $2 } /average_exec_per_sec/ { rate = $2 }
        END { printf "%-14s %12d executions %8d per second", name, runs, rate }' "$log")"
}

# fuzz_each LIMIT
fuzz_each() {
    local limit=$1 name failed=()
    build_fuzz_targets
    say "Fuzzing each target ($limit)"
    for name in $(fuzz_names); do fuzz_one "$name" "$limit" || failed+=("$name"); done
    note "$(cat "$LOCAL"/fuzz/*.log | awk '/number_of_executed_units/ { all += $2 }
        END { printf "%-14s %12d executions", "in sum", all }')"
    [ ${#failed[@]} -eq 0 ] ||
        die "findings in ${LOCAL#"$ROOT"/}/fuzz/findings: ${failed[*]}; build-fuzz/fuzz_NAME FILE repeats one"
}

fuzz() {
    local seconds=${1:-60}
    [[ $seconds =~ ^[1-9][0-9]{0,5}$ ]] || die "SECONDS must be a whole number from 1 to 999999, not \"$seconds\""
    [ $# -le 1 ] || die "fuzz takes SECONDS, not also \"$2\""
    fuzz_each "-max_total_time=$seconds"
}

# ./dev sweep fuzz COUNT
sweep_fuzz() { fuzz_each "-runs=$1"; }
