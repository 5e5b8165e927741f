# shellcheck shell=bash
# libFuzzer on every parser of outside bytes; sourced by ./dev.

# A target that gets no further with one input than this many seconds is stuck in it.
readonly STUCK_AFTER=20

# fuzz_one NAME SECONDS FINDINGS: what it learns stays in .local/fuzz/corpus for the next time.
fuzz_one() {
    local name=$1 seconds=$2 findings=$3 corpus=$LOCAL/fuzz/corpus/$1 log=$LOCAL/fuzz/$1.log
    mkdir -p "$corpus"
    if "build-fuzz/fuzz_$name" -max_total_time="$seconds" -timeout="$STUCK_AFTER" -print_final_stats=1 \
        -artifact_prefix="$findings/$name-" "$corpus" "tests/data/fuzz/$name" >"$log" 2>&1; then
        note "$(printf '%-14s %s inputs' "$name" "$(awk '/number_of_executed_units/ { print $2 }' "$log")")"
    else
        note "$name: a finding"
        tail -n 40 "$log" >&2
        return 1
    fi
}

fuzz() {
    local seconds=${1:-60} findings=$LOCAL/fuzz/findings source name failed=()
    [[ $seconds =~ ^[1-9][0-9]{0,5}$ ]] || die "SECONDS must be a whole number from 1 to 999999, not \"$seconds\""
    [ $# -le 1 ] || die "fuzz takes SECONDS, not also \"$2\""
    install_packages build test lint
    say "Building the fuzz targets (build-fuzz/)"
    configure fuzz
    cmake --build build-fuzz -j "$(nproc)" --target fuzz_targets
    mkdir -p "$findings"
    say "Fuzzing, $seconds s each"
    for source in tests/fuzz/fuzz_*.cpp; do
        name=$(basename "$source" .cpp)
        fuzz_one "${name#fuzz_}" "$seconds" "$findings" || failed+=("${name#fuzz_}")
    done
    [ ${#failed[@]} -eq 0 ] || die "findings in ${findings#"$ROOT"/}: ${failed[*]}; build-fuzz/fuzz_NAME FILE repeats one"
}
